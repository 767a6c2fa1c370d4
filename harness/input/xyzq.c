/* The XYZQ reader: texts of points with charges, in one of two layouts.
 *
 *     x y z charge [radius]
 *
 * a line each, all with as many words, as Gaussian and Q-Chem take point charges; blank lines and
 * those that start with # are passed over. Or XYZ files whose atoms have charges:
 *
 *     number of atoms
 *     any text
 *     symbol x y z charge
 *
 * one frame after another, each a model. As XMol defined them a line may also have a vector behind
 * the charge. Where the text says what the columns are (Properties=, extended XYZ), the fifth must
 * be a charge.
 *
 * Other orders are not guessed: a number of atoms before lines of four numbers is refused, since
 * ORCA's point charges begin with the charge. */
#include "harness/input/site.h"
#include "harness/input/tally.h"

#include <inttypes.h>

enum { CHARGED = 4, MAX_WORDS = 8 };

/* ---- points ---- */

static bool is_passed_over(dcs_slice line) {
  dcs_slice word;
  return dcs_line_words(line, 0, &word) == 0 || word.text[0] == '#';
}

static dcs_status read_point(dcs_where at, dcs_slice line, int *columns, dcs_molecule *molecule) {
  dcs_slice words[DCS_SITE_FIELDS + 1];
  dcs_site_field fields[DCS_SITE_FIELDS];
  const int n = dcs_line_words(line, DCS_SITE_FIELDS, words);
  if (n < CHARGED || n > DCS_SITE_FIELDS)
    return dcs_line_wrong(at, line, "x, y, z, charge and perhaps radius");
  if (*columns && n != *columns)
    return dcs_line_wrong(at, line, "%d numbers, as in the lines before", *columns);
  *columns = n;
  for (int i = 0; i < n; i++)
    fields[i] = dcs_site_read(words[i]);
  DCS_TRY(dcs_site_check(at, fields, n));
  return dcs_site_add(molecule, fields, n);
}

static dcs_status read_points(dcs_content *content, dcs_slice line, dcs_tally *tally,
                              dcs_molecule *molecule) {
  int columns = 0;
  for (bool found = true; found;) {
    if (!is_passed_over(line)) {
      tally->records++;
      DCS_TRY(read_point(dcs_content_place(content), line, &columns, molecule));
    }
    DCS_TRY(dcs_content_line(content, &line, &found));
  }
  if (columns == DCS_SITE_FIELDS) molecule->gives |= DCS_RADII;
  return DCS_OK;
}

/* ---- frames ---- */

/* A number of atoms, alone in its line. */
static bool is_count(dcs_slice line, int64_t *count) {
  dcs_slice words[2];
  *count = 0;
  if (dcs_line_words(line, 1, words) != 1) return false;
  for (size_t i = 0; i < words[0].length; i++) {
    if (!dcs_is_digit(words[0].text[i]) || *count > INT64_MAX / 20) return false;
    *count = 10 * *count + (words[0].text[i] - '0');
  }
  return *count > 0;
}

static dcs_status need_line(dcs_content *content, const char *expected, dcs_slice *line) {
  bool found;
  DCS_TRY(dcs_content_line(content, line, &found));
  if (found) return DCS_OK;
  const dcs_where at = dcs_content_place(content);
  return dcs_fail(DCS_INPUT, "%s:%" PRId64 ": found the end of the file; expected %s", at.path,
                  at.line, expected);
}

/* What the text of a frame says of the columns, if it does. */
static dcs_status check_columns(dcs_where at, dcs_slice text) {
  static const char key[] = "Properties=", places[] = "species:S:1:pos:R:3:";
  static const char *const charges[] = {"charge:R:1", "charges:R:1", "initial_charges:R:1",
                                        "q:R:1"};
  const char *found = memmem(text.text, text.length, key, strlen(key));
  if (!found) return DCS_OK;
  found += strlen(key);
  dcs_slice columns = {found, (size_t)(text.text + text.length - found)};
  if (columns.length > 0 && *columns.text == '"') columns.text++, columns.length--;
  const dcs_slice all = columns;
  if (dcs_starts_with(columns, places)) {
    columns.text += strlen(places);
    columns.length -= strlen(places);
    for (size_t c = 0; c < sizeof charges / sizeof *charges; c++)
      if (dcs_starts_with(columns, charges[c])) return DCS_OK;
  }
  return dcs_line_wrong(at, all, "the columns %s%s", places, charges[0]);
}

static dcs_status read_atom(dcs_where at, dcs_slice line, dcs_molecule *molecule) {
  dcs_slice words[MAX_WORDS + 1];
  dcs_site_field fields[CHARGED];
  const int n = dcs_line_words(line, MAX_WORDS, words);
  if (n != 1 + CHARGED && n != MAX_WORDS)
    return dcs_line_wrong(at, line, "an atom's symbol, x, y, z and charge");
  for (int i = 0; i < CHARGED; i++)
    fields[i] = dcs_site_read(words[1 + i]);
  DCS_TRY(dcs_site_check(at, fields, CHARGED));
  return dcs_site_add(molecule, fields, CHARGED);
}

/* A frame behind the line with its number of atoms. */
static dcs_status read_frame(dcs_content *content, int64_t count, bool wanted, dcs_tally *tally,
                             dcs_molecule *molecule) {
  dcs_slice line;
  DCS_TRY(need_line(content, "a line of text before the atoms", &line));
  if (wanted) DCS_TRY(check_columns(dcs_content_place(content), line));
  for (int64_t i = 0; i < count; i++) {
    DCS_TRY(need_line(content, "as many atoms as the frame's first line says", &line));
    tally->records++;
    if (wanted)
      DCS_TRY(read_atom(dcs_content_place(content), line, molecule));
    else
      tally->of_models++;
  }
  return DCS_OK;
}

static dcs_status read_frames(dcs_content *content, dcs_slice line, const dcs_read_options *how,
                              dcs_tally *tally, dcs_molecule *molecule, int64_t *frames) {
  int64_t count;
  const int64_t wanted = how->model ? how->model : 1;
  for (bool found = true; found;) {
    if (is_count(line, &count))
      DCS_TRY(read_frame(content, count, ++*frames == wanted, tally, molecule));
    else if (!is_passed_over(line))
      return dcs_line_wrong(dcs_content_place(content), line, "the number of atoms of a frame");
    DCS_TRY(dcs_content_line(content, &line, &found));
  }
  return DCS_OK;
}

/* A frame's first line says how many follow; points are one model. */
static dcs_model_line model_of(dcs_slice line, dcs_model *model) {
  int64_t count;
  if (model->lines == 0 && is_passed_over(line)) return DCS_WITHIN_MODEL;
  model->atoms = true;
  if (model->lines++ == 0) model->last = is_count(line, &count) ? count + 2 : INT64_MAX;
  return model->lines == model->last ? DCS_ENDS_MODEL : DCS_WITHIN_MODEL;
}

/* ---- the file ---- */

static dcs_status read_xyzq(dcs_content *content, const dcs_read_options *how,
                            dcs_molecule *molecule, FILE *notes) {
  static const char expected[] = "lines with x, y, z, charge and perhaps radius";
  const char *path = dcs_content_place(content).path;
  dcs_tally tally = {0};
  dcs_slice line;
  bool found;
  int64_t count, frames = 0;
  do
    DCS_TRY(dcs_content_line(content, &line, &found));
  while (found && is_passed_over(line));
  if (!found) return dcs_tally_none(&tally, how, 0, path, expected);
  if (is_count(line, &count)) {
    DCS_TRY(read_frames(content, line, how, &tally, molecule, &frames));
  } else {
    frames = 1;
    if (how->model > 1) return dcs_fail(DCS_USAGE, "--model: %s has one model", path);
    DCS_TRY(read_points(content, line, &tally, molecule));
  }
  tally.read = molecule->n;
  if (molecule->n == 0) return dcs_tally_none(&tally, how, frames, path, expected);
  return dcs_tally_end(&tally, how, path, notes);
}

static bool are_numbers(const dcs_slice *words, int n) {
  for (int i = 0; i < n; i++)
    if (!dcs_site_read(words[i]).number) return false;
  return true;
}

/* An XYZ file without charges is known as well, so that it is refused for what it lacks. */
static bool is_xyzq(dcs_slice head) {
  dcs_slice rest = dcs_behind_mark(head), line, words[MAX_WORDS + 1];
  int64_t count;
  do
    if (!dcs_line_next(&rest, &line)) return false;
  while (is_passed_over(line));
  const int n = dcs_line_words(line, MAX_WORDS, words);
  if (n == CHARGED || n == DCS_SITE_FIELDS) return are_numbers(words, n);
  if (!is_count(line, &count) || !dcs_line_next(&rest, &line) || !dcs_line_next(&rest, &line))
    return false;
  return dcs_line_words(line, MAX_WORDS, words) >= CHARGED && dcs_is_letter(*words[0].text) &&
         are_numbers(words + 1, 3);
}

const dcs_reader dcs_reader_xyzq = {
    .name = "XYZQ",
    .what = "lines with x, y, z and charge, or an XYZ file whose atoms have charges",
    .gives = DCS_PLACES | DCS_CHARGES,
    .models = model_of,
    .sniff = is_xyzq,
    .read = read_xyzq};
