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
 * Numbers are what harness/decimal.h reads. Coordinates lie within 1e7 angstrom; charge and radius
 * fit a float. Lines end with LF or CRLF, the last one also without; a UTF-8 mark at the start is
 * passed over. */
#include "harness/base/decimal.h"
#include "harness/input/molecule.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_FIELDS = 5, MAX_WORDS = 11, EXCERPT = 80 };

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

static dcs_status read_atom(place at, word line, size_t record, dcs_site *site) {
  word fields[N_FIELDS];
  double value[N_FIELDS];
  DCS_TRY(find_fields(at, line, record, fields));
  for (int i = 0; i < N_FIELDS; i++)
    if (!dcs_decimal_read(fields[i].text, fields[i].length, &value[i]) ||
        !(fabs(value[i]) <= field_limit[i]))
      return wrong_field(at, fields[i], i);
  *site = (dcs_site){value[0], value[1], value[2], value[3], value[4]};
  return DCS_OK;
}

/* ---- the file ---- */

typedef struct {
  dcs_molecule *molecule;
  int64_t capacity;
  int64_t models;   /* MODEL records so far */
  bool complete;    /* the first model has ended */
  int64_t left_out; /* atoms behind it */
} reading;

static bool starts_with(word line, const char *record) {
  size_t length = strlen(record);
  return line.length >= length && memcmp(line.text, record, length) == 0;
}

static dcs_status make_room(reading *r) {
  if (r->molecule->n < r->capacity) return DCS_OK;
  int64_t more = r->capacity == 0 ? 1024 : r->capacity * 2;
  dcs_site *sites = realloc(r->molecule->sites, (size_t)more * sizeof *sites);
  if (sites == NULL)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms (%.1f GB)", more,
                    (double)more * sizeof *sites / 1e9);
  r->molecule->sites = sites;
  r->capacity = more;
  return DCS_OK;
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
  DCS_TRY(make_room(r));
  DCS_TRY(read_atom(at, line, record, &r->molecule->sites[r->molecule->n]));
  r->molecule->n++;
  return DCS_OK;
}

static dcs_status read_lines(FILE *file, const char *path, reading *r, char **buffer) {
  static const char mark[] = "\xEF\xBB\xBF"; /* UTF-8 byte order mark */
  size_t capacity = 0;
  ssize_t length;
  for (place at = {path, 1}; (length = getline(buffer, &capacity, file)) >= 0; at.line++) {
    word line = {*buffer, (size_t)length};
    if (memchr(line.text, '\0', line.length) != NULL)
      return dcs_fail(DCS_INPUT,
                      "%s:%" PRId64 ": found a NUL byte; expected a PQR file, which is "
                      "text",
                      path, at.line);
    while (line.length > 0 && strchr("\r\n", line.text[line.length - 1]) != NULL)
      line.length--;
    if (at.line == 1 && starts_with(line, mark))
      line = (word){line.text + strlen(mark), line.length - strlen(mark)};
    DCS_TRY(read_line(r, at, line));
  }
  if (!feof(file))
    return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a PQR file", path, strerror(errno));
  return DCS_OK;
}

static dcs_status read_file(const char *path, reading *r) {
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return dcs_fail(DCS_IO, "%s: cannot open: %s; expected a PQR file", path, strerror(errno));
  char *buffer = NULL;
  dcs_status status = read_lines(file, path, r, &buffer);
  free(buffer);
  fclose(file);
  if (status != DCS_OK || r->molecule->n > 0) return status;
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

dcs_status dcs_pqr_read(const char *path, dcs_molecule *molecule, FILE *notes) {
  *molecule = (dcs_molecule){0};
  reading r = {.molecule = molecule};
  dcs_status status = read_file(path, &r);
  if (status != DCS_OK) {
    dcs_molecule_free(molecule);
    return status;
  }
  if (notes != NULL) tell(notes, path, &r);
  return DCS_OK;
}
