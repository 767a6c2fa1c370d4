/* Only one model is read, the first or the one asked for. The first begins with the file; a MODEL
 * record begins another one unless it is the first such record, and so does an atom behind ENDMDL.
 * END ends nothing: files are also put together from others.
 *
 * Column 17 of a PDB file is the alternate location, but programs also write residue names of four
 * letters from there (NMET, CGLY). So letters there are alternate locations of a residue (a run of
 * atoms with the same chain, number and insertion code) where an atom's name comes again under
 * another letter; without a chain, the rest of the residue's name must be the same, too: where
 * chains are not named, NMET 1 may be followed by CGLY 1. Of such a residue the atoms without a
 * letter and those with the letter asked for, or else the first one, are read.
 *
 * The cell is that of the first CRYST1 record. */
#include "harness/input/records.h"

void dcs_records_begin(dcs_records *records, dcs_content *content, const dcs_read_options *how,
                       dcs_molecule *molecule) {
  *records = (dcs_records){.content = content, .how = how, .molecule = molecule, .model = 1};
}

/* ---- the cell ---- */

static void read_cell(dcs_records *r, dcs_slice line) {
  /* Where the columns end: a, b, c, alpha, beta, gamma. */
  static const size_t ends[] = {6, 15, 24, 33, 40, 47, 54};
  dcs_unit_cell *cell = &r->molecule->cell;
  if (cell->edge[0] != 0 || cell->unreadable) return;
  double value[6];
  for (int field = 0; field < 6; field++)
    if (!dcs_line_number(dcs_line_columns(line, ends[field] + 1, ends[field + 1]), &value[field])) {
      cell->unreadable = dcs_content_place(r->content).line;
      return;
    }
  memcpy(cell->edge, value, sizeof cell->edge);
  memcpy(cell->angle, value + 3, sizeof cell->angle);
}

/* ---- models ---- */

static void begin_model(dcs_records *r) {
  if (r->begun || r->ended) r->model++;
  r->begun = true;
  r->ended = false;
}

static bool is_model(dcs_slice line) {
  return dcs_starts_with(line, "MODEL") && (line.length == 5 || dcs_is_blank(line.text[5]));
}

dcs_model_line dcs_records_model(dcs_slice line, dcs_model *model) {
  if (model->atoms && is_model(line)) return DCS_BEHIND_MODEL;
  if (model->atoms && dcs_starts_with(line, "ENDMDL")) return DCS_ENDS_MODEL;
  model->atoms = model->atoms || dcs_records_name(line) > 0;
  model->cell = model->cell || dcs_starts_with(line, "CRYST1");
  return DCS_WITHIN_MODEL;
}

/* A record that is no atom. */
static void look_at(dcs_records *r, dcs_slice line) {
  if (is_model(line))
    begin_model(r);
  else if (dcs_starts_with(line, "ENDMDL"))
    r->ended = true;
  else if (dcs_starts_with(line, "CRYST1"))
    read_cell(r, line);
}

dcs_status dcs_records_next(dcs_records *r, dcs_slice *line, size_t *name, bool *found) {
  const int64_t wanted = r->how->model ? r->how->model : 1;
  for (;;) {
    DCS_TRY(dcs_content_line(r->content, line, found));
    if (!*found) return DCS_OK;
    *name = dcs_records_name(*line);
    if (*name == 0) {
      look_at(r, *line);
      continue;
    }
    r->tally.records++;
    if (r->ended) begin_model(r);
    if (r->model == wanted) return DCS_OK;
    r->tally.of_models++;
  }
}

/* ---- alternate locations ---- */

/* Whether a name comes again under another letter. */
static bool has_alternates(const dcs_records *r) {
  const bool chain = r->key[0] != ' ';
  for (int64_t a = 0; a < r->n_locations; a++)
    for (int64_t b = 0; b < a; b++) {
      const dcs_location *p = &r->locations[a], *q = &r->locations[b];
      if (p->letter != q->letter && p->letter != ' ' && q->letter != ' ' &&
          memcmp(p->name, q->name, sizeof p->name) == 0 &&
          (chain || memcmp(p->residue, q->residue, sizeof p->residue) == 0))
        return true;
    }
  return false;
}

static char choose_letter(dcs_records *r) {
  char first = ' ';
  for (int64_t a = 0; a < r->n_locations; a++) {
    const char letter = r->locations[a].letter;
    if (letter == r->how->altloc) return letter;
    if (first == ' ') first = letter;
  }
  return first;
}

/* The residue has ended: leaves out its atoms at other locations. */
static void settle(dcs_records *r) {
  dcs_molecule *m = r->molecule;
  if (r->several && r->n_locations <= DCS_MOST_OF_RESIDUE && has_alternates(r)) {
    const char letter = choose_letter(r);
    const int64_t begin = m->n - r->n_locations;
    if (letter == r->how->altloc) r->has_choice = true;
    m->n = begin;
    for (int64_t a = 0; a < r->n_locations; a++)
      if (r->locations[a].letter == ' ' || r->locations[a].letter == letter) {
        if (m->names) m->names[m->n] = m->names[begin + a];
        m->sites[m->n++] = m->sites[begin + a];
      }
    r->tally.of_locations += begin + r->n_locations - m->n;
  }
  r->n_locations = 0;
  r->several = false;
}

static void note_location(dcs_records *r, dcs_slice line) {
  if (r->n_locations > 0 && memcmp(r->key, line.text + 21, sizeof r->key) != 0) settle(r);
  memcpy(r->key, line.text + 21, sizeof r->key);
  if (line.text[16] != r->locations[0].letter && r->n_locations > 0) r->several = true;
  if (r->n_locations++ >= DCS_MOST_OF_RESIDUE) return;
  dcs_location *l = &r->locations[r->n_locations - 1];
  memcpy(l->name, line.text + 12, sizeof l->name);
  memcpy(l->residue, line.text + 17, sizeof l->residue);
  l->letter = line.text[16];
}

void dcs_records_take(dcs_records *r, dcs_slice line, bool in_columns) {
  if (in_columns && line.length >= 27)
    note_location(r, line);
  else
    settle(r);
}

/* ---- the end ---- */

dcs_status dcs_records_end(dcs_records *r, FILE *notes) {
  const char *path = dcs_content_place(r->content).path;
  settle(r);
  r->tally.read = r->molecule->n;
  if (r->tally.read == 0)
    return dcs_tally_none(&r->tally, r->how, r->model, path,
                          "lines that start with ATOM or HETATM");
  if (r->how->altloc && !r->has_choice)
    return dcs_fail(DCS_USAGE, "--altloc: found %c; %s has no atom at such a location",
                    r->how->altloc, path);
  return dcs_tally_end(&r->tally, r->how, path, notes);
}
