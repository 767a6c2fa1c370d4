/* The PQR reader.
 *
 * An atom is a line that starts with ATOM or HETATM; models, alternate locations and the cell are
 * as in a PDB file (records.c); every other line is passed over.
 *
 * Where the numbers of an atom stand in its line: pqr_fields.c.
 *
 * A PDB file has occupancy and B factor where some programs write charge and radius into its
 * columns. They are taken for what they are where the lines of all atoms have two numbers of two
 * decimals in columns 55-60 and 61-66, no first number is outside 0 to 1, one is above 0, and a
 * second one is 0 or above 4: charges have both signs, and radii are neither. Such a file is an
 * error.
 *
 * Numbers are what harness/base/decimal.h reads. Lines end with LF or CRLF, the last one also
 * without; a UTF-8 mark at the start is passed over. */
#include "harness/base/grow.h"
#include "harness/input/pqr_fields.h"
#include "harness/input/records.h"

#include <inttypes.h>
#include <stdio.h>

static const double MOST_RADIUS = 4; /* angstrom; of an atom */

/* ---- what is a PDB file ---- */

/* What its atoms have in common with those of a PDB file. */
typedef struct {
  bool none;        /* an atom was not as in one */
  bool occupied;    /* an occupancy is above 0 */
  int64_t line;     /* of the first atom whose second number is no radius; 0: none yet */
  char found[2][8]; /* its numbers as they stand there */
} pdb_signs;

/* Whether the field is two decimals wide and ends where the column does. */
static bool stands_in(dcs_slice field, dcs_slice line, size_t first, size_t last) {
  dcs_slice there = dcs_line_columns(line, first, last);
  return there.text == field.text && there.length == field.length && line.length >= last &&
         there.text + there.length == line.text + last && there.length > 3 &&
         there.text[there.length - 3] == '.';
}

static void look_for_pdb(dcs_where at, dcs_slice line, const dcs_site_field *f, pdb_signs *signs) {
  const double charge = f[3].value, radius = f[4].value;
  if (signs->none) return;
  signs->none = !stands_in(f[3].text, line, 55, 60) || !stands_in(f[4].text, line, 61, 66) ||
                !(charge >= 0 && charge <= 1);
  signs->occupied = signs->occupied || charge > 0;
  if (signs->none || signs->line || (radius > 0 && radius <= MOST_RADIUS)) return;
  signs->line = at.line;
  for (int i = 0; i < 2; i++)
    snprintf(signs->found[i], sizeof signs->found[i], "%.*s", (int)f[3 + i].text.length,
             f[3 + i].text.text);
}

static dcs_status refuse_pdb(const char *path, const pdb_signs *signs) {
  if (signs->none || !signs->occupied || !signs->line) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found \"%s\" and \"%s\", occupancy and B factor of a PDB file; "
                  "expected charge and radius, as in the PQR file that PDB2PQR makes of it",
                  path, signs->line, signs->found[0], signs->found[1]);
}

/* ---- the file ---- */

/* Whether x, y and z end where their columns do. */
static bool in_columns(dcs_slice line, const dcs_site_field *f) {
  for (int i = 0; i < 3; i++)
    if (f[i].text.text + f[i].text.length != line.text + 38 + 8 * i) return false;
  return true;
}

/* The word behind the serial, which may touch the record's name. */
static dcs_status add_name(dcs_molecule *m, dcs_slice line, size_t record) {
  dcs_slice words[3] = {[1] = {"", 0}};
  dcs_line_words((dcs_slice){line.text + record, line.length - record}, 2, words);
  DCS_TRY(dcs_grow(&m->names, (size_t)m->n, sizeof *m->names, "atoms"));
  m->names[m->n] = dcs_name_of(words[1]);
  return DCS_OK;
}

static dcs_status read_atoms(dcs_records *records, pdb_signs *signs) {
  dcs_molecule *m = records->molecule;
  for (;;) {
    dcs_slice line;
    size_t record;
    bool found;
    dcs_site_field f[DCS_SITE_FIELDS];
    DCS_TRY(dcs_records_next(records, &line, &record, &found));
    if (!found) return DCS_OK;
    const dcs_where at = dcs_content_place(records->content);
    DCS_TRY(dcs_pqr_fields(at, line, record, f));
    DCS_TRY(dcs_site_check(at, f, DCS_SITE_FIELDS));
    look_for_pdb(at, line, f, signs);
    dcs_records_take(records, line, in_columns(line, f));
    if (records->how->names) DCS_TRY(add_name(m, line, record));
    DCS_TRY(dcs_site_add(m, f, DCS_SITE_FIELDS));
  }
}

static dcs_status read_pqr(dcs_content *content, const dcs_read_options *how,
                           dcs_molecule *molecule, FILE *notes) {
  dcs_records records;
  pdb_signs signs = {0};
  dcs_records_begin(&records, content, how, molecule);
  DCS_TRY(read_atoms(&records, &signs));
  DCS_TRY(dcs_records_end(&records, notes));
  return refuse_pdb(dcs_content_place(content).path, &signs);
}

/* Whether a line of the head is one that such files have, be it without an atom so far. */
static bool is_pqr(dcs_slice head) {
  static const char *const records[] = {"ATOM",   "HETATM", "REMARK", "HEADER", "TITLE",
                                        "COMPND", "CRYST1", "MODEL",  "ENDMDL"};
  dcs_slice rest = dcs_behind_mark(head), line;
  while (dcs_line_next(&rest, &line))
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++)
      if (dcs_starts_with(line, records[r])) return true;
  return false;
}

const dcs_reader dcs_reader_pqr = {.name = "PQR",
                                   .what = "lines that start with ATOM or HETATM",
                                   .gives = DCS_PLACES | DCS_CHARGES | DCS_RADII,
                                   .models = dcs_records_model,
                                   .locations = true,
                                   .sniff = is_pqr,
                                   .read = read_pqr};
