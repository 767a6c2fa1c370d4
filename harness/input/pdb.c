/* The PDB reader: places and names of atoms, no charges; radii of the elements where they are asked
 * for.
 *
 * An atom is a line that starts with ATOM or HETATM. Models, alternate locations and the cell of
 * CRYST1 are those of records.h; every other line is passed over.
 *
 * x, y and z are the whole of columns 31-38, 39-46 and 47-54, with a point each; the columns may
 * touch. The name is columns 13-16. What stands behind column 54 may be missing, and the serial in
 * columns 7-11 is not needed: it may go round, be stars, hexadecimal or hybrid-36. A longer one
 * may have moved what is behind it to the right: where the points are not in columns 35, 43 and 51,
 * and are there with the line moved by so much as the serial is too long, or less, it is read so. A
 * coordinate that outgrew its columns is read where blanks part the three.
 *
 * A PQR file may have the same records. A file is a PDB file by its content where all atoms of its
 * first 64 KB stand in these columns and either one has no two numbers in columns 55-60 and 61-66,
 * or all have two of two decimals there, the first within 0 to 1 and above 0 once, the second once
 * 0 or above 4: occupancies and B factors, no charges and radii. Beside a file that gives charges,
 * it is one unless an atom is one of a PQR file and has other numbers than two of two decimals in
 * those columns. */
#include "harness/base/grow.h"
#include "harness/input/element.h"
#include "harness/input/pqr_fields.h"
#include "harness/input/records.h"

#include <inttypes.h>
#include <math.h>

/* Columns, counted from 1. */
enum {
  SERIAL = 7,
  SERIAL_END = 11,
  NAME = 13,
  NAME_END = 16,
  X = 31,
  WIDTH = 8,
  POINT = 4,
  Z_END = 54
};

static const double LARGEST = 1e7, MOST_RADIUS = 4; /* angstrom */

/* ---- an atom ---- */

static bool take(dcs_slice text, double *value) {
  return dcs_has(text, '.') && dcs_line_number(text, value);
}

/* Whether x, y and z are numbers in their columns. */
static bool by_columns(dcs_slice line, double at[3]) {
  for (size_t axis = 0; axis < 3; axis++) {
    const size_t first = X + WIDTH * axis;
    if (!take(dcs_line_columns(line, first, first + WIDTH - 1), &at[axis])) return false;
  }
  return true;
}

static bool points_stand(dcs_slice line) {
  if (line.length < Z_END) return false;
  for (size_t axis = 0; axis < 3; axis++)
    if (line.text[X - 1 + WIDTH * axis + POINT] != '.') return false;
  return true;
}

/* How far a serial has grown out of its columns, the name that it may touch with it. */
static size_t excess(dcs_slice line) {
  size_t end = SERIAL - 1;
  while (end < line.length && dcs_is_blank(line.text[end]))
    end++;
  while (end < line.length && !dcs_is_blank(line.text[end]))
    end++;
  return end > SERIAL_END ? end - SERIAL_END : 0;
}

/* The three words from x on, where no column between them holds. */
static bool by_words(dcs_slice line, double at[3]) {
  dcs_slice words[5];
  dcs_slice rest = dcs_line_columns(line, X, line.length);
  if (dcs_line_words(rest, 4, words) < 3) return false;
  for (int axis = 0; axis < 3; axis++)
    if (!take(words[axis], &at[axis])) return false;
  return true;
}

/* Finds the columns of an atom's line, which is moved to where they are; false where the points are
 * elsewhere. */
static bool find_columns(dcs_slice *line, double at[3]) {
  const size_t most = excess(*line);
  for (size_t moved = 0; moved <= most && moved <= line->length; moved++) {
    const dcs_slice there = {line->text + moved, line->length - moved};
    if (!points_stand(there) || !by_columns(there, at)) continue;
    *line = there;
    return true;
  }
  return false;
}

static bool read_places(dcs_slice *line, double at[3]) {
  if (find_columns(line, at)) return true;
  /* Other decimals: what is behind z must not be a part of it. */
  const bool apart = line->length <= Z_END || dcs_is_blank(line->text[Z_END]);
  return (apart && by_columns(*line, at)) || by_words(*line, at);
}

static dcs_status add_atom(dcs_where where, dcs_slice line, const double at[3], dcs_molecule *m) {
  for (int axis = 0; axis < 3; axis++)
    if (!(fabs(at[axis]) <= LARGEST))
      return dcs_line_wrong(where, line, "coordinates of at most %g in size", LARGEST);
  DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
  DCS_TRY(dcs_grow(&m->names, (size_t)m->n, sizeof *m->names, "atoms"));
  m->sites[m->n] = (dcs_site){at[0], at[1], at[2], 0, 0};
  m->names[m->n++] = dcs_name_of(dcs_line_columns(line, NAME, NAME_END));
  return DCS_OK;
}

/* ---- the file ---- */

/* Returns how many are no element: they have carbon's. */
static int64_t set_radius(dcs_slice line, dcs_site *site) {
  const double radius = dcs_element_radius(dcs_element_of_pdb(line));
  site->radius = radius > 0 ? radius : dcs_element_radius((dcs_slice){"C", 1});
  return !(radius > 0);
}

static dcs_status end(dcs_records *records, int64_t unknown, dcs_molecule *m, FILE *notes) {
  if (unknown > 0 && notes)
    fprintf(notes, "%" PRId64 " of %" PRId64 " atoms name no element and have carbon's radius\n",
            unknown, m->n);
  return dcs_records_end(records, notes);
}

static dcs_status read_pdb(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                           FILE *notes) {
  dcs_records records;
  int64_t unknown = 0;
  if (how->shape) m->gives |= DCS_RADII;
  dcs_records_begin(&records, content, how, m);
  for (;;) {
    dcs_slice line;
    size_t record;
    bool found;
    double at[3];
    DCS_TRY(dcs_records_next(&records, &line, &record, &found));
    if (!found) return end(&records, unknown, m, notes);
    const dcs_where where = dcs_content_place(content);
    if (!read_places(&line, at))
      return dcs_line_wrong(where, line,
                            "an atom with x, y and z in columns 31-38, 39-46 and 47-54");
    dcs_records_take(&records, line, true);
    DCS_TRY(add_atom(where, line, at, m));
    if (how->shape) unknown += set_radius(line, &m->sites[m->n - 1]);
  }
}

/* ---- what is a PDB file ---- */

/* Of the atoms of a head. */
typedef struct {
  int64_t atoms;
  bool none;     /* one has no columns of a PDB file */
  bool pqr;      /* one is an atom of a PQR file, and more likely so */
  bool bare;     /* one has not both occupancy and B factor */
  bool occupied; /* an occupancy is above 0 */
  bool outside;  /* one is not within 0 to 1 */
  bool factor;   /* a B factor is no radius */
} signs;

/* Whether columns first to last hold a number of two decimals, or nothing: *blank. */
static bool two_decimals(dcs_slice line, size_t first, size_t last, double *value, bool *blank) {
  const dcs_slice text = dcs_line_columns(line, first, last);
  *blank = text.length == 0;
  *value = 0;
  return *blank ||
         (line.length >= last && text.length > 3 && text.text + text.length == line.text + last &&
          text.text[text.length - 3] == '.' && dcs_line_number(text, value));
}

static bool is_pqr_atom(dcs_slice line, size_t record) {
  dcs_site_field f[DCS_SITE_FIELDS];
  return dcs_pqr_fields((dcs_where){"", 1}, line, record, f) == DCS_OK &&
         dcs_site_wrong(f, DCS_SITE_FIELDS) == DCS_SITE_FIELDS;
}

static void look_at(dcs_slice line, size_t record, signs *s) {
  const dcs_slice whole = line;
  double at[3], occupancy = 0, factor = 0;
  bool none[2];
  s->atoms++;
  const bool stands = find_columns(&line, at);
  const bool both = (stands || read_places(&line, at)) &&
                    two_decimals(line, 55, 60, &occupancy, &none[0]) &&
                    two_decimals(line, 61, 66, &factor, &none[1]);
  s->none = s->none || !stands || !both;
  s->pqr = s->pqr || (!both && is_pqr_atom(whole, record));
  if (!both) return;
  s->bare = s->bare || none[0] || none[1];
  s->occupied = s->occupied || occupancy > 0;
  s->outside = s->outside || !(occupancy >= 0 && occupancy <= 1);
  s->factor = s->factor || !(factor > 0 && factor <= MOST_RADIUS);
}

/* The head may end within a line, which is looked at where it is the only one. */
static signs signs_of(dcs_slice head) {
  signs s = {0};
  dcs_slice line, rest = dcs_behind_mark(head);
  while (!s.pqr && dcs_line_next(&rest, &line)) {
    const size_t record = dcs_records_name(line);
    if (record && (rest.text[-1] == '\n' || s.atoms == 0)) look_at(line, record, &s);
  }
  return s;
}

static bool is_pdb(dcs_slice head) {
  const signs s = signs_of(head);
  return s.atoms > 0 && !s.none && (s.bare || (!s.outside && s.occupied && s.factor));
}

/* Remarks may fill the head. */
static bool is_pdb_beside(dcs_slice head) {
  const signs s = signs_of(head);
  if (s.atoms == 0) return dcs_starts_with(head, "HEADER") || dcs_starts_with(head, "REMARK");
  return !s.pqr;
}

const dcs_reader dcs_reader_pdb = {
    .name = "PDB",
    .what = "lines that start with ATOM or HETATM, with x, y and z in columns 31-54",
    .gives = DCS_PLACES,
    .instead =
        "the PQR file that PDB2PQR makes of it: occupancy and B factor are no charge and radius",
    .models = dcs_records_model,
    .locations = true,
    .sniff = is_pdb,
    .sniff_beside = is_pdb_beside,
    .read = read_pdb};
