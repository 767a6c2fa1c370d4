/* The text behind the record name is first read as words separated by blanks:
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
 * by columns. In those of a PDB file x, y, z are the whole of columns 31-38, 39-46, 47-54, with a
 * point each and columns 29-30 blank; words behind them are charge, radius and perhaps an element.
 * Where numbers touch, each coordinate has three decimals: moved columns would cut off digits. In
 * lines of VMD these columns are moved by the lengths of serial, residue name and number; there,
 * too, each coordinate has three decimals. In lines of GROMACS residue name, chain and number
 * (columns 17-20, 21, 22-25) may touch, and x, y, z end in columns 34, 43, 52, or further right by
 * the digits of the serial beyond five.
 *
 * A line that fits none of these is an error: nothing is guessed. */
#include "harness/input/pqr_fields.h"

enum { N_FIELDS = DCS_SITE_FIELDS, MAX_WORDS = 11, LEAST_Z_END = 40 };

static const char layout[] =
    "serial, atom name, residue name, chain (optional), residue number, x, y, z, charge, radius";

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

/* Reads n fields; false when one is no number. */
static bool read_fields(const dcs_slice *words, int n, dcs_site_field *fields) {
  bool numbers = true;
  for (int i = 0; i < n; i++) {
    fields[i] = dcs_site_read(words[i]);
    numbers = numbers && fields[i].number;
  }
  return numbers;
}

/* ---- columns ---- */

/* The column that a word of the line ends in. */
static size_t end_of(dcs_slice line, dcs_slice word) {
  return (size_t)(word.text - line.text) + word.length;
}

/* Whether a number with three decimals ends in that column. */
static bool has_three_decimals(dcs_slice line, dcs_slice number, size_t end) {
  const char *last = line.text + end - 1;
  return end_of(line, number) == end && number.length > 3 && last[-3] == '.' &&
         dcs_is_digit(last[-2]) && dcs_is_digit(last[-1]) && dcs_is_digit(*last);
}

/* Whether the text behind a column is apart from that before it: by a blank or a sign. */
static bool is_apart(dcs_slice line, size_t column) {
  return line.length <= column || strchr(" \t-+", line.text[column]) ||
         dcs_is_blank(line.text[column - 1]);
}

/* Whether x, y, z fill the columns that end at z_end, and charge and radius are behind them. */
static bool by_columns(dcs_slice line, size_t z_end, bool three_decimals,
                       dcs_site_field fields[N_FIELDS]) {
  dcs_slice words[3 + MAX_WORDS + 1];
  dcs_site_field found[N_FIELDS];
  if (line.length < z_end || dcs_line_columns(line, z_end - 25, z_end - 24).length > 0)
    return false;
  for (size_t end = z_end - 16; end <= z_end; end += 8)
    three_decimals = three_decimals || !is_apart(line, end);
  for (size_t i = 0; i < 3; i++) {
    const size_t end = z_end - 16 + 8 * i;
    words[i] = dcs_line_columns(line, end - 7, end);
    if (three_decimals ? !has_three_decimals(line, words[i], end) : !dcs_has(words[i], '.'))
      return false;
  }
  int n = dcs_line_words(dcs_line_columns(line, z_end + 1, line.length), MAX_WORDS, words + 3);
  if (n < 2 || n > 3 || (n == 3 && !is_element(words[5]))) return false;
  if (!read_fields(words, 3, found)) return false;
  read_fields(words + 3, 2, found + 3);
  memcpy(fields, found, sizeof found);
  return true;
}

/* The columns of VMD: those of a PDB file, moved. The words end with z, perhaps with y
 * and x touching it, and charge and radius. */
static bool by_moved_columns(dcs_slice line, size_t record, const dcs_slice *words, int n,
                             dcs_site_field fields[N_FIELDS]) {
  dcs_slice identity[6];
  dcs_site_field found[N_FIELDS];
  if (n < 3) return false;
  const size_t z_end = end_of(line, words[n - 3]);
  if (z_end < LEAST_Z_END || !by_columns(line, z_end, true, found)) return false;
  const int before =
      dcs_line_words((dcs_slice){line.text + record, z_end - 24 - record}, 5, identity);
  if (before < 4 || before > 5 || !is_residue_number(identity[before - 1])) return false;
  memcpy(fields, found, sizeof found);
  return true;
}

/* The columns of GROMACS: a space before each number, and perhaps none before that of the residue.
 */
static bool by_spaced_columns(dcs_slice line, const dcs_slice *words, int n,
                              dcs_site_field fields[N_FIELDS]) {
  dcs_site_field found[N_FIELDS];
  if (n < N_FIELDS + 2 || n > N_FIELDS + 4 || !read_fields(words + n - N_FIELDS, N_FIELDS, found))
    return false;
  const size_t serial = end_of(line, words[0]), moved = serial > 11 ? serial - 11 : 0;
  for (size_t i = 0; i < 3; i++)
    if (!has_three_decimals(line, found[i].text, 34 + 9 * i + moved)) return false;
  if (!is_residue_number(dcs_line_columns(line, 22 + moved, 25 + moved))) return false;
  memcpy(fields, found, sizeof found);
  return true;
}

dcs_status dcs_pqr_fields(dcs_where at, dcs_slice line, size_t record,
                          dcs_site_field fields[N_FIELDS]) {
  dcs_slice words[MAX_WORDS + 1];
  int n = dcs_line_words((dcs_slice){line.text + record, line.length - record}, MAX_WORDS, words);
  if (n > 0 && n <= MAX_WORDS && is_element(words[n - 1])) n--;
  const int before = n - N_FIELDS;
  const bool identity = before > 0 && is_identity(words, before, words + before);
  if (identity && read_fields(words + before, N_FIELDS, fields)) return DCS_OK;
  if (by_columns(line, 54, false, fields) || by_moved_columns(line, record, words, n, fields) ||
      by_spaced_columns(line, words, n, fields))
    return DCS_OK;
  return identity ? DCS_OK : dcs_line_wrong(at, line, "the atom's %s", layout);
}
