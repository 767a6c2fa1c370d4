/* The PQR reader.
 *
 * An atom is a line that starts with ATOM or HETATM; models, alternate locations and the cell are
 * as in a PDB file (records.c); every other line is passed over.
 *
 * The text behind the record name is first read as words separated by blanks:
 *
 *     serial name residue [chain] number x y z charge radius [element]
 *
 * so there are 4 or 5 words before the last five numbers. Serial, name, residue and chain may be
 * any text. The number has a digit and no point (17, -3, 36A, A1001B): a line that lacks a field
 * would otherwise have a coordinate or a chain in that place. An element is one or two letters and
 * may have a charge (N, CL, N1+).
 *
 * One reading stays open to doubt: in `MET 2 17 1.000 2.000 3.000 0.500` the words fit with number
 * 2 and x 17, but a missing radius behind chain 2, number 17 is far likelier. So a one-digit number
 * with no chain before it may not be followed by an x without a point where y has one.
 *
 * Where the words do not fit, because columns touch or a dcs_slice is not one number, the line is
 * read by columns: x, y, z are the whole of columns 31-38, 39-46, 47-54, with a point each and
 * columns 29-30 blank; words behind them are charge, radius and perhaps an element. A line that
 * fits neither is an error: nothing is guessed.
 *
 * A PDB file has occupancy and B factor where some programs write charge and radius into its
 * columns. They are taken for what they are where the lines of all atoms have two numbers of two
 * decimals in columns 55-60 and 61-66, no first number is outside 0 to 1, one is above 0, and a
 * second one is 0 or above 4: charges have both signs, and radii are neither. Such a file is an
 * error.
 *
 * Numbers are what harness/decimal.h reads. Coordinates lie within 1e7 angstrom; charge and radius
 * fit a float. Lines end with LF or CRLF, the last one also without; a UTF-8 mark at the start is
 * passed over. */
#include "harness/input/records.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { N_FIELDS = 5, MAX_WORDS = 11 };

static const double MOST_RADIUS = 4; /* angstrom; of an atom */

/* x, y, z, charge, radius: their names and largest sizes. */
static const char *const field_name[N_FIELDS] = {"x", "y", "z", "the charge", "the radius"};
static const double field_limit[N_FIELDS] = {1e7, 1e7, 1e7, FLT_MAX, FLT_MAX};

static const char layout[] =
    "serial, atom name, residue name, chain (optional), residue number, x, y, z, charge, radius";

static dcs_status wrong_line(dcs_where at, dcs_slice line) {
  return dcs_line_wrong(at, line, "the atom's %s", layout);
}

/* ---- words ---- */

/* N, CL, O-, N1+. Never "nan" or "inf". */
static bool is_element(dcs_slice w) {
  size_t i = 0;
  while (i < w.length && i < 2 && dcs_is_letter(w.text[i]))
    i++;
  if (i == 0) return false;
  if (i + 1 < w.length && dcs_is_digit(w.text[i])) i++;
  if (i + 1 == w.length && (w.text[i] == '+' || w.text[i] == '-')) i++;
  return i == w.length;
}

static bool is_residue_number(dcs_slice w) {
  bool digit = false;
  for (size_t i = 0; i < w.length; i++)
    digit = digit || dcs_is_digit(w.text[i]);
  return digit && !dcs_has(w, '.');
}

/* Whether the words before the five fields are those of an atom (see the file's head). */
static bool is_identity(const dcs_slice *words, int n, const dcs_slice *fields) {
  if (n != 4 && n != 5) return false;
  dcs_slice number = words[n - 1];
  bool perhaps_chain = n == 4 && number.length == 1;
  if (perhaps_chain && !dcs_has(fields[0], '.') && dcs_has(fields[1], '.')) return false;
  return is_residue_number(number);
}

/* ---- an atom's five numbers ---- */

/* Where they stand; the value of each that is a number. */
typedef struct {
  dcs_slice text[N_FIELDS];
  double value[N_FIELDS];
  bool number[N_FIELDS];
} atom_fields;

static bool take_field(atom_fields *f, int i, dcs_slice text) {
  f->text[i] = text;
  return f->number[i] = dcs_line_number(text, &f->value[i]);
}

/* Whether x, y, z stand in their columns and charge and radius behind; if x, y, z do not, the
 * fields are left alone, so that a message can name what the words say. */
static dcs_status place_by_columns(dcs_where at, dcs_slice line, bool identity, atom_fields *f) {
  dcs_slice rest[MAX_WORDS + 1];
  atom_fields placed;
  bool all = dcs_line_columns(line, 29, 30).length == 0;
  for (int i = 0; i < 3 && all; i++) {
    const dcs_slice text = dcs_line_columns(line, 31 + 8 * (size_t)i, 38 + 8 * (size_t)i);
    all = dcs_has(text, '.') && take_field(&placed, i, text);
  }
  if (!all) return identity ? DCS_OK : wrong_line(at, line);
  int n = dcs_line_words(dcs_line_columns(line, 55, line.length), MAX_WORDS, rest);
  if (n < 2 || n > 3 || (n == 3 && !is_element(rest[2]))) return wrong_line(at, line);
  for (int i = 3; i < N_FIELDS; i++)
    take_field(&placed, i, rest[i - 3]);
  *f = placed;
  return DCS_OK;
}

/* Finds the five fields in a line whose record name has `record` characters. They need not be
 * numbers: what is not one is an error wherever it was found. */
static dcs_status find_fields(dcs_where at, dcs_slice line, size_t record, atom_fields *f) {
  dcs_slice words[MAX_WORDS + 1];
  int n = dcs_line_words((dcs_slice){line.text + record, line.length - record}, MAX_WORDS, words);
  if (n > 0 && n <= MAX_WORDS && is_element(words[n - 1])) n--;
  int before = n - N_FIELDS;
  bool identity = before > 0 && is_identity(words, before, words + before);
  bool numbers = identity;
  for (int i = 0; identity && i < N_FIELDS; i++)
    numbers = take_field(f, i, words[before + i]) && numbers;
  return numbers ? DCS_OK : place_by_columns(at, line, identity, f);
}

static dcs_status read_atom(dcs_where at, dcs_slice line, size_t record, atom_fields *f) {
  DCS_TRY(find_fields(at, line, record, f));
  for (int i = 0; i < N_FIELDS; i++)
    if (!f->number[i] || !(fabs(f->value[i]) <= field_limit[i]))
      return dcs_line_wrong(at, f->text[i], "%s, a number such as -12.345 of at most %g in size",
                            field_name[i], field_limit[i]);
  return DCS_OK;
}

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

static void look_for_pdb(dcs_where at, dcs_slice line, const atom_fields *f, pdb_signs *signs) {
  const double charge = f->value[3], radius = f->value[4];
  if (signs->none) return;
  signs->none = !stands_in(f->text[3], line, 55, 60) || !stands_in(f->text[4], line, 61, 66) ||
                !(charge >= 0 && charge <= 1);
  signs->occupied = signs->occupied || charge > 0;
  if (signs->none || signs->line || (radius > 0 && radius <= MOST_RADIUS)) return;
  signs->line = at.line;
  for (int i = 0; i < 2; i++)
    snprintf(signs->found[i], sizeof signs->found[i], "%.*s", (int)f->text[3 + i].length,
             f->text[3 + i].text);
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
static bool in_columns(dcs_slice line, const atom_fields *f) {
  for (int i = 0; i < 3; i++)
    if (f->text[i].text + f->text[i].length != line.text + 38 + 8 * i) return false;
  return true;
}

static dcs_status read_atoms(dcs_records *records, pdb_signs *signs) {
  for (;;) {
    dcs_slice line;
    size_t record;
    bool found;
    atom_fields f;
    DCS_TRY(dcs_records_next(records, &line, &record, &found));
    if (!found) return DCS_OK;
    const dcs_where at = dcs_content_place(records->content);
    DCS_TRY(read_atom(at, line, record, &f));
    look_for_pdb(at, line, &f, signs);
    const dcs_site site = {f.value[0], f.value[1], f.value[2], f.value[3], f.value[4]};
    DCS_TRY(dcs_records_add(records, line, in_columns(line, &f), &site));
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
                                   .models = true,
                                   .sniff = is_pqr,
                                   .read = read_pqr};
