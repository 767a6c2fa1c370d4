/* Gaussian cube: text, z fastest, six values a line in columns of 13 (E13.5), each run along z on
 * lines of its own; lengths in bohr; no atoms. The second line states the units. Read are also
 * cubes with atoms, which are skipped, and those in angstrom (counts below 0). */
#include "harness/output/digits.h"
#include "harness/output/print.h"
#include "harness/output/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOHR 0.529177210903 /* angstrom: CODATA 2018 */

/* ---- writing ---- */

static const char units_are[] = "units: ";

/* Of steps that are much smaller ten decimals would leave nothing. */
static void put_length(FILE *out, const dcs_field *f, double length) {
  const double least = fmin(fmin(f->spacing[0], f->spacing[1]), f->spacing[2]);
  fprintf(out, least < 1e-3 ? " %23.16E" : " %17.10f", f->in_steps ? length : length / BOHR);
}

static void put_head(FILE *out, const dcs_field *f) {
  const int64_t n[3] = {f->n.x, f->n.y, f->n.z};
  fprintf(out, "%s\n", dcs_field_title(f));
  fprintf(out, "%s%s; lengths in %s; x outer loop, z inner loop\n", units_are,
          f->units[0] ? f->units : "unknown", f->in_steps ? dcs_field_lengths(f) : "bohr");
  for (int line = 0; line < 4; line++) {
    fprintf(out, "%5lld", line ? (long long)n[line - 1] : 0);
    for (int along = 0; along < 3; along++)
      put_length(out, f, line == 0 ? f->origin[along] : along == line - 1 ? f->spacing[along] : 0);
    fputc('\n', out);
  }
}

/* Six a line, each run along z on lines of its own. */
static char *print(const dcs_field *f, const float *values, int64_t first, int64_t n, char *text) {
  int64_t k = first % f->n.z;
  for (int64_t p = 0; p < n; p++, k = k + 1 < f->n.z ? k + 1 : 0) {
    dcs_float_column(values[p], text);
    text += DCS_COLUMN;
    if (k % 6 == 5 || k == f->n.z - 1) *text++ = '\n';
  }
  return text;
}

static dcs_status write_cube(FILE *out, const dcs_field *f) {
  put_head(out, f);
  return dcs_print_values(out, f, print);
}

/* ---- reading ---- */

enum { HEAD_LINE = 256, MOST_ATOMS = 100000000 };

/* Two lines of text, then four of a whole number and three numbers. */
static bool is_cube(const char *head, size_t bytes) {
  char text[1025];
  int n, used = 0;
  double v[3];
  size_t size = bytes < sizeof text - 1 ? bytes : sizeof text - 1;
  memcpy(text, head, size);
  text[size] = '\0';
  if (strlen(text) < size) return false;
  const char *at = text;
  for (int line = 0; line < 2 && at; line++)
    at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  for (int line = 0; line < 4 && at; line++) {
    if (sscanf(at, "%d %lf %lf %lf%n", &n, &v[0], &v[1], &v[2], &used) != 4) return false;
    at = (at = strchr(at + used, '\n')) ? at + 1 : NULL;
  }
  return at != NULL;
}

static dcs_status read_axis(dcs_words *w, int axis, int64_t *n, double *step) {
  DCS_TRY(dcs_words_integer(w, "a count of points", -INT32_MAX, INT32_MAX, n));
  if (*n == 0) return dcs_words_wrong(w, "a count of points that is not 0");
  for (int along = 0; along < 3; along++) {
    double value;
    DCS_TRY(dcs_words_number(w, "a step of the grid", &value));
    if (along == axis ? !(value > 0) : value != 0)
      return dcs_words_wrong(w, "a grid along the axes of the coordinates: a step above 0 along "
                                "its own axis, 0 along the others");
    if (along == axis) *step = value;
  }
  return DCS_OK;
}

/* The rest of the line of the origin: how many values a point has, where it is given. */
static dcs_status read_values_a_point(dcs_words *w) {
  char line[HEAD_LINE], more;
  int values = 1;
  dcs_words_line(w, line, sizeof line);
  const int n = sscanf(line, "%d %c", &values, &more);
  if (n <= 1 && values == 1 && (n == 1 || line[strspn(line, " \t")] == '\0')) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s:%ld: found \"%s\" behind the origin; expected 1 value a point",
                  w->path, w->line - 1, line);
}

static dcs_status read_grid(dcs_words *w, dcs_field *f, int64_t *atoms) {
  int64_t n[3];
  DCS_TRY(dcs_words_integer(w, "a count of atoms, not below 0 (an orbital)", 0, MOST_ATOMS, atoms));
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(dcs_words_number(w, "a coordinate", &f->origin[axis]));
  DCS_TRY(read_values_a_point(w));
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(read_axis(w, axis, &n[axis], &f->spacing[axis]));
  const double length = n[0] > 0 && !f->in_steps ? BOHR : 1;
  for (int axis = 0; axis < 3; axis++) {
    f->origin[axis] *= length;
    f->spacing[axis] *= length;
  }
  f->n = (dcs_dims){llabs(n[0]), llabs(n[1]), llabs(n[2])};
  return DCS_OK;
}

static dcs_status read_cube(FILE *in, const char *path, dcs_field *f) {
  dcs_words w = {.in = in, .path = path};
  char line[HEAD_LINE];
  int64_t atoms;
  dcs_words_line(&w, line, sizeof line);
  dcs_words_line(&w, line, sizeof line);
  f->in_steps = dcs_field_is_in_steps(line);
  if (strncmp(line, units_are, strlen(units_are)) == 0) {
    line[strcspn(line, ";")] = '\0';
    if (strcmp(line + strlen(units_are), "unknown") != 0)
      snprintf(f->units, sizeof f->units, "%.23s", line + strlen(units_are));
  }
  DCS_TRY(read_grid(&w, f, &atoms));
  for (int64_t value = 0; value < 5 * atoms; value++) {
    double skipped;
    DCS_TRY(dcs_words_number(&w, "an atom's number, charge and place", &skipped));
  }
  DCS_TRY(dcs_words_values(&w, f));
  return dcs_words_next(&w) ? dcs_words_wrong(&w, "the file's end behind the last value") : DCS_OK;
}

const dcs_field_format dcs_field_format_cube = {.name = "Gaussian cube",
                                                .suffix = ".cube",
                                                .least_bytes = 13,
                                                .most_along = INT32_MAX,
                                                .write = write_cube,
                                                .sniff = is_cube,
                                                .read = read_cube};
