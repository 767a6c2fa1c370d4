/* The PQR reader.
 *
 * An atom is a line that starts with ATOM or HETATM; every other line is passed over. Only the
 * first model is read: from the first ENDMDL or the second MODEL on, atoms are counted and left
 * out.
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
 * Where the words do not fit, because columns touch or a word is not one number, the line is read
 * by columns: x, y, z are the whole of columns 31-38, 39-46, 47-54, with a point each and columns
 * 29-30 blank; words behind them are charge, radius and perhaps an element. A line that fits
 * neither is an error: nothing is guessed.
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
#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/input/format.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_FIELDS = 5, MAX_WORDS = 11, EXCERPT = 80 };

static const double MOST_RADIUS = 4; /* angstrom; of an atom */

/* x, y, z, charge, radius: their names and largest sizes. */
static const char *const field_name[N_FIELDS] = {"x", "y", "z", "the charge", "the radius"};
static const double field_limit[N_FIELDS] = {1e7, 1e7, 1e7, FLT_MAX, FLT_MAX};

static const char layout[] =
    "serial, atom name, residue name, chain (optional), residue number, x, y, z, charge, radius";

typedef struct {
  const char *text;
  size_t length;
} word;

/* Where reading is, for messages. */
typedef struct {
  const char *path;
  int64_t line;
} place;

/* ---- messages ---- */

/* The start of a text, fit to be shown. */
static const char *excerpt(word found, char out[EXCERPT + 4]) {
  size_t shown = found.length < EXCERPT ? found.length : EXCERPT;
  for (size_t i = 0; i < shown; i++) {
    unsigned char c = (unsigned char)found.text[i];
    out[i] = found.text[i];
    if (c < ' ' || c == 0x7f) out[i] = ' ';
  }
  strcpy(out + shown, shown < found.length ? "..." : "");
  return out;
}

static dcs_status wrong_field(place at, word found, int field) {
  char shown[EXCERPT + 4];
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found \"%s\"; expected %s, a number such as -12.345 "
                  "of at most %g in size",
                  at.path, at.line, excerpt(found, shown), field_name[field], field_limit[field]);
}

static dcs_status wrong_line(place at, word line) {
  char shown[EXCERPT + 4];
  return dcs_fail(DCS_INPUT, "%s:%" PRId64 ": found \"%s\"; expected the atom's %s", at.path,
                  at.line, excerpt(line, shown), layout);
}

/* ---- words ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Cuts text into words; returns how many, MAX_WORDS + 1 when there are more than MAX_WORDS. */
static int split(word text, word words[MAX_WORDS + 1]) {
  int n = 0;
  for (size_t i = 0; n <= MAX_WORDS;) {
    while (i < text.length && is_blank(text.text[i]))
      i++;
    if (i == text.length) break;
    size_t start = i;
    while (i < text.length && !is_blank(text.text[i]))
      i++;
    words[n++] = (word){text.text + start, i - start};
  }
  return n;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* N, CL, O-, N1+. Never "nan" or "inf". */
static bool is_element(word w) {
  size_t i = 0;
  while (i < w.length && i < 2 && is_letter(w.text[i]))
    i++;
  if (i == 0) return false;
  if (i + 1 < w.length && is_digit(w.text[i])) i++;
  if (i + 1 == w.length && (w.text[i] == '+' || w.text[i] == '-')) i++;
  return i == w.length;
}

static bool has_point(word w) {
  return memchr(w.text, '.', w.length) != NULL;
}

static bool is_residue_number(word w) {
  bool digit = false;
  for (size_t i = 0; i < w.length; i++)
    digit = digit || is_digit(w.text[i]);
  return digit && !has_point(w);
}

/* Whether the words before the five fields are those of an atom (see the file's head). */
static bool is_identity(const word *words, int n, const word *fields) {
  if (n != 4 && n != 5) return false;
  word number = words[n - 1];
  bool perhaps_chain = n == 4 && number.length == 1;
  if (perhaps_chain && !has_point(fields[0]) && has_point(fields[1])) return false;
  return is_residue_number(number);
}

/* ---- an atom's five numbers ---- */

static bool is_number(word w) {
  double ignored;
  return dcs_decimal_read(w.text, w.length, &ignored);
}

/* Columns first..last (counted from 1) of the line, blanks around cut off. */
static word columns(word line, size_t first, size_t last) {
  size_t end = line.length < last ? line.length : last;
  size_t start = first - 1 < end ? first - 1 : end;
  while (start < end && line.text[start] == ' ')
    start++;
  while (end > start && line.text[end - 1] == ' ')
    end--;
  return (word){line.text + start, end - start};
}

/* Whether x, y, z stand in their columns and charge and radius behind; if x, y, z do not, `fields`
 * is left alone, so that a message can name what the words say. */
static dcs_status place_by_columns(place at, word line, bool identity, word fields[N_FIELDS]) {
  word xyz[3], rest[MAX_WORDS + 1];
  bool placed = columns(line, 29, 30).length == 0;
  for (size_t i = 0; i < 3; i++) {
    xyz[i] = columns(line, 31 + 8 * i, 38 + 8 * i);
    placed = placed && has_point(xyz[i]) && is_number(xyz[i]);
  }
  if (!placed) return identity ? DCS_OK : wrong_line(at, line);
  int n = split(columns(line, 55, line.length), rest);
  if (n < 2 || n > 3 || (n == 3 && !is_element(rest[2]))) return wrong_line(at, line);
  memcpy(fields, xyz, sizeof xyz);
  memcpy(fields + 3, rest, 2 * sizeof *rest);
  return DCS_OK;
}

/* Finds the five fields in a line whose record name has `record` characters. They need not be
 * numbers: what is not one is an error wherever it was found. */
static dcs_status find_fields(place at, word line, size_t record, word fields[N_FIELDS]) {
  word words[MAX_WORDS + 1];
  int n = split((word){line.text + record, line.length - record}, words);
  if (n > 0 && n <= MAX_WORDS && is_element(words[n - 1])) n--;
  int before = n - N_FIELDS;
  bool identity = before > 0 && is_identity(words, before, words + before);
  bool numbers = identity;
  for (int i = 0; identity && i < N_FIELDS; i++) {
    fields[i] = words[before + i];
    numbers = numbers && is_number(fields[i]);
  }
  return numbers ? DCS_OK : place_by_columns(at, line, identity, fields);
}

static dcs_status read_atom(place at, word line, size_t record, word fields[N_FIELDS],
                            dcs_site *site) {
  double value[N_FIELDS];
  DCS_TRY(find_fields(at, line, record, fields));
  for (int i = 0; i < N_FIELDS; i++)
    if (!dcs_decimal_read(fields[i].text, fields[i].length, &value[i]) ||
        !(fabs(value[i]) <= field_limit[i]))
      return wrong_field(at, fields[i], i);
  *site = (dcs_site){value[0], value[1], value[2], value[3], value[4]};
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
static bool stands_in(word field, word line, size_t first, size_t last) {
  word there = columns(line, first, last);
  return there.text == field.text && there.length == field.length && line.length >= last &&
         there.text + there.length == line.text + last && there.length > 3 &&
         there.text[there.length - 3] == '.';
}

static void look_for_pdb(place at, word line, const word fields[N_FIELDS], const dcs_site *site,
                         pdb_signs *signs) {
  if (signs->none) return;
  signs->none = !stands_in(fields[3], line, 55, 60) || !stands_in(fields[4], line, 61, 66) ||
                !(site->q >= 0 && site->q <= 1);
  signs->occupied = signs->occupied || site->q > 0;
  if (signs->none || signs->line || (site->radius > 0 && site->radius <= MOST_RADIUS)) return;
  signs->line = at.line;
  for (int f = 0; f < 2; f++)
    snprintf(signs->found[f], sizeof signs->found[f], "%.*s", (int)fields[3 + f].length,
             fields[3 + f].text);
}

static dcs_status refuse_pdb(const char *path, const pdb_signs *signs) {
  if (signs->none || !signs->occupied || !signs->line) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found \"%s\" and \"%s\", occupancy and B factor of a PDB file; "
                  "expected charge and radius, as in the PQR file that PDB2PQR makes of it",
                  path, signs->line, signs->found[0], signs->found[1]);
}

/* ---- the file ---- */

typedef struct {
  dcs_molecule *molecule;
  int64_t models;   /* MODEL records so far */
  bool complete;    /* the first model has ended */
  int64_t left_out; /* atoms behind it */
  pdb_signs pdb;
} reading;

static bool starts_with(word line, const char *record) {
  size_t length = strlen(record);
  return line.length >= length && memcmp(line.text, record, length) == 0;
}

/* The start of a file, without UTF-8's byte order mark. */
static word behind_mark(word start) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (!starts_with(start, mark)) return start;
  return (word){start.text + strlen(mark), start.length - strlen(mark)};
}

static dcs_status read_line(reading *r, place at, word line) {
  size_t record = starts_with(line, "ATOM") ? 4 : starts_with(line, "HETATM") ? 6 : 0;
  if (record == 0) {
    bool model = starts_with(line, "MODEL") && (line.length == 5 || is_blank(line.text[5]));
    if (model) r->models++;
    if (r->models > 1 || starts_with(line, "ENDMDL")) r->complete = true;
    return DCS_OK;
  }
  if (r->complete) {
    r->left_out++;
    return DCS_OK;
  }
  word fields[N_FIELDS];
  dcs_molecule *m = r->molecule;
  DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
  dcs_site *site = &m->sites[m->n];
  DCS_TRY(read_atom(at, line, record, fields, site));
  look_for_pdb(at, line, fields, site, &r->pdb);
  m->n++;
  return DCS_OK;
}

static dcs_status read_lines(FILE *file, const char *path, reading *r, char **buffer) {
  size_t capacity = 0;
  ssize_t length;
  for (place at = {path, 1}; (length = getline(buffer, &capacity, file)) >= 0; at.line++) {
    word line = {*buffer, (size_t)length};
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    if (memchr(line.text, '\0', line.length) != NULL)
      return dcs_fail(DCS_INPUT,
                      "%s:%" PRId64 ": found a NUL byte; expected a PQR file, which is "
                      "text",
                      path, at.line);
    while (line.length > 0 && strchr("\r\n", line.text[line.length - 1]) != NULL)
      line.length--;
    if (at.line == 1) line = behind_mark(line);
    DCS_TRY(read_line(r, at, line));
  }
  if (!feof(file))
    return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a PQR file", path, strerror(errno));
  return DCS_OK;
}

static dcs_status read_file(FILE *file, const char *path, reading *r) {
  char *buffer = NULL;
  dcs_status status = read_lines(file, path, r, &buffer);
  free(buffer);
  DCS_TRY(status);
  if (r->molecule->n > 0) return refuse_pdb(path, &r->pdb);
  return dcs_fail(DCS_INPUT, "%s: found no atoms%s; expected lines that start with ATOM or HETATM",
                  path, r->left_out > 0 ? " in the first model" : "");
}

static void tell(FILE *notes, const char *path, const reading *r) {
  if (r->left_out > 0)
    fprintf(notes,
            "%s: read the first model, %" PRId64 " atoms; left out %" PRId64
            " atoms of other models\n",
            path, r->molecule->n, r->left_out);
  if (dcs_molecule_zero_charges(r->molecule) == r->molecule->n)
    fprintf(notes, "%s: every charge is zero, so the map will be zero everywhere\n", path);
}

static dcs_status read_pqr(FILE *file, const char *path, dcs_molecule *molecule, FILE *notes) {
  reading r = {.molecule = molecule};
  DCS_TRY(read_file(file, path, &r));
  if (notes != NULL) tell(notes, path, &r);
  return DCS_OK;
}

/* Whether a line of the head is one that such files have, be it without an atom so far. */
static bool is_pqr(const char *head, size_t bytes) {
  static const char *const records[] = {"ATOM",   "HETATM", "REMARK", "HEADER", "TITLE",
                                        "COMPND", "CRYST1", "MODEL",  "ENDMDL"};
  word rest = behind_mark((word){head, bytes});
  while (rest.length > 0) {
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++)
      if (starts_with(rest, records[r])) return true;
    const char *end = memchr(rest.text, '\n', rest.length);
    size_t line = end ? (size_t)(end - rest.text) + 1 : rest.length;
    rest = (word){rest.text + line, rest.length - line};
  }
  return false;
}

const dcs_reader dcs_reader_pqr = {.name = "PQR",
                                   .what = "lines that start with ATOM or HETATM",
                                   .sniff = is_pqr,
                                   .read = read_pqr};
