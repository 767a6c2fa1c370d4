/* Frames of files that harness/input reads: one structure, or several models, each a frame. Charges
 * that they have are those of the topology or not: they are not looked at. */
#include "harness/frames/trajectory.h"

#include <stdlib.h>

enum { A_PIECE = 1 << 18 };

typedef struct {
  const dcs_reader *reader;
  int64_t lines;      /* passed over so far */
  dcs_unit_cell cell; /* that a model stated last */
} structures;

/* ---- models ---- */

/* The next line behind *at bytes of what is ahead, which moves behind it; *found is false at the
 * end. */
static dcs_status next_line(dcs_content *content, size_t *at, dcs_slice *line, bool *found) {
  dcs_slice ahead;
  for (size_t bytes = *at + A_PIECE;; bytes *= 2) {
    DCS_TRY(dcs_content_peek(content, bytes, &ahead));
    *line = (dcs_slice){ahead.text + *at, ahead.length - *at};
    const char *end = memchr(line->text, '\n', line->length);
    *found = line->length > 0;
    if (!end && ahead.length == bytes) continue;
    if (end) line->length = (size_t)(end - line->text);
    *at += line->length + (end != NULL);
    while (line->length > 0 && line->text[line->length - 1] == '\r')
      line->length--;
    return DCS_OK;
  }
}

/* The bytes and lines of the next model, which has no atom where none is left. */
static dcs_status find_model(const dcs_trajectory *t, size_t *bytes, int64_t *lines,
                             dcs_model *model) {
  const structures *s = t->state;
  dcs_slice line;
  bool more;
  *bytes = 0;
  *model = (dcs_model){0};
  for (*lines = 0;; ++*lines) {
    const size_t before = *bytes;
    DCS_TRY(next_line(t->content, bytes, &line, &more));
    if (!more) return DCS_OK;
    if (s->lines + *lines == 0) line = dcs_behind_mark(line);
    const dcs_model_line is = s->reader->models(line, model);
    if (is == DCS_BEHIND_MODEL) *bytes = before;
    if (is == DCS_ENDS_MODEL) ++*lines;
    if (is != DCS_WITHIN_MODEL) return DCS_OK;
  }
}

static dcs_status take_model(dcs_trajectory *t, const char **text, size_t *bytes, int64_t *lines,
                             bool *found) {
  dcs_model model;
  DCS_TRY(find_model(t, bytes, lines, &model));
  *found = model.atoms;
  return *found ? dcs_content_take(t->content, *bytes, text) : DCS_OK;
}

/* Reads all of the file, which is then read anew. */
static dcs_status count_models(dcs_trajectory *t) {
  structures *s = t->state;
  const char *text;
  size_t bytes;
  int64_t lines;
  bool found = true;
  for (t->frames = 0; found; t->frames += found) {
    DCS_TRY(take_model(t, &text, &bytes, &lines, &found));
    s->lines += lines;
  }
  s->lines = 0;
  dcs_content_close(t->content);
  t->content = NULL;
  return dcs_content_open(t->path, &t->content);
}

/* ---- a frame ---- */

/* Edges of 1 stand for a molecule that is no crystal. */
static bool states_cell(const dcs_unit_cell *cell) {
  const double *edge = cell->edge;
  return cell->unreadable || (edge[0] != 0 && !(edge[0] == 1 && edge[1] == 1 && edge[2] == 1));
}

static dcs_status read_part(dcs_trajectory *t, dcs_content *content, dcs_molecule *m) {
  static const dcs_read_options how = {0};
  structures *s = t->state;
  DCS_TRY(s->reader->read(content, &how, m, NULL));
  if (states_cell(&m->cell)) s->cell = m->cell;
  return dcs_trajectory_check(t, m->n);
}

static dcs_status read_model(dcs_trajectory *t, dcs_molecule *m, bool *found) {
  structures *s = t->state;
  dcs_content *content;
  const char *text;
  size_t bytes;
  int64_t lines;
  DCS_TRY(take_model(t, &text, &bytes, &lines, found));
  if (!*found) return DCS_OK;
  DCS_TRY(dcs_content_open_text((dcs_slice){text, bytes}, t->path, s->lines, &content));
  s->lines += lines;
  const dcs_status status = read_part(t, content, m);
  dcs_content_close(content);
  return status;
}

static bool has_models(const dcs_trajectory *t) {
  const structures *s = t->state;
  return s->reader->models && t->frames != 1;
}

/* Of one structure no piece is cut out and copied. */
static dcs_status read_molecule(dcs_trajectory *t, dcs_molecule *m, bool *found) {
  *m = (dcs_molecule){0};
  if (has_models(t)) return read_model(t, m, found);
  *found = t->at == 0;
  return *found ? read_part(t, t->content, m) : DCS_OK;
}

static dcs_status next(dcs_trajectory *t, double *places, dcs_unit_cell *cell, bool *found) {
  const structures *s = t->state;
  dcs_molecule m;
  const dcs_status status = read_molecule(t, &m, found);
  *cell = s->cell;
  for (int64_t i = 0; status == DCS_OK && *found && i < m.n; i++) {
    places[3 * i] = m.sites[i].x;
    places[3 * i + 1] = m.sites[i].y;
    places[3 * i + 2] = m.sites[i].z;
  }
  dcs_molecule_free(&m);
  return status;
}

/* ---- the file ---- */

static dcs_status open_structures(dcs_trajectory *t) {
  structures *s = t->state = calloc(1, sizeof *s);
  if (!s) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", t->path);
  dcs_content_unhashed(t->content);
  DCS_TRY(dcs_find_reader(t->content, DCS_PLACES, &s->reader));
  if (t->frames >= 0 || !t->regular) return DCS_OK;
  if (s->reader->models) return count_models(t);
  t->frames = 1;
  return DCS_OK;
}

static void close_structures(dcs_trajectory *t) {
  free(t->state);
}

/* What a model states of the cell holds for those behind it that state none; the first is read for
 * what is wrong with it, too. */
static dcs_status pass_one(dcs_trajectory *t, bool *found) {
  structures *s = t->state;
  dcs_model model = {.cell = true};
  dcs_molecule m;
  size_t bytes;
  int64_t lines;
  const char *text;
  if (has_models(t)) DCS_TRY(find_model(t, &bytes, &lines, &model));
  if (t->at == 0 || model.cell) {
    const dcs_status status = read_molecule(t, &m, found);
    dcs_molecule_free(&m);
    return status;
  }
  *found = model.atoms;
  s->lines += lines;
  return *found ? dcs_content_take(t->content, bytes, &text) : DCS_OK;
}

static dcs_status pass(dcs_trajectory *t, int64_t frames, bool *found) {
  for (*found = true; frames > 0 && *found; frames--) {
    DCS_TRY(pass_one(t, found));
    t->at += *found;
  }
  return DCS_OK;
}

const dcs_trajectory_format dcs_trajectory_structures = {.name = "structures",
                                                         .open = open_structures,
                                                         .close = close_structures,
                                                         .pass = pass,
                                                         .next = next};
