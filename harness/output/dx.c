/* OpenDX, which VMD, PyMOL, ChimeraX and APBS read: text, z fastest, three values a line. A comment
 * states the units. Read are regular grids whose axes are those of the coordinates. */
#include "harness/base/text.h"
#include "harness/output/digits.h"
#include "harness/output/print.h"
#include "harness/output/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static const char units_are[] = "# units: ";

static void put_head(FILE *out, const dcs_field *f) {
  const long long nx = f->n.x, ny = f->n.y, nz = f->n.z;
  fprintf(out, "# %s\n", dcs_field_title(f));
  if (f->units[0]) fprintf(out, "%s%s\n", units_are, f->units);
  fprintf(out, "# lengths in %s; z varies fastest, then y, then x\n", dcs_field_lengths(f));
  fprintf(out, "object 1 class gridpositions counts %lld %lld %lld\n", nx, ny, nz);
  fprintf(out, "origin %.12g %.12g %.12g\n", f->origin[0], f->origin[1], f->origin[2]);
  fprintf(out, "delta %.12g 0 0\ndelta 0 %.12g 0\ndelta 0 0 %.12g\n", f->spacing[0], f->spacing[1],
          f->spacing[2]);
  fprintf(out, "object 2 class gridconnections counts %lld %lld %lld\n", nx, ny, nz);
  fprintf(out, "object 3 class array type double rank 0 items %lld data follows\n", nx * ny * nz);
}

/* Three a line. */
static char *print(const dcs_field *f, const float *values, int64_t first, int64_t n, char *text) {
  (void)f;
  for (int64_t p = 0; p < n; p++) {
    if (first + p > 0) *text++ = (first + p) % 3 == 0 ? '\n' : ' ';
    text += dcs_float_digits(values[p], text);
  }
  return text;
}

static dcs_status write_dx(FILE *out, const dcs_field *f) {
  put_head(out, f);
  DCS_TRY(dcs_print_values(out, f, print));
  fputs("\nattribute \"dep\" string \"positions\"\n"
        "object \"regular positions regular connections\" class field\n"
        "component \"positions\" value 1\n"
        "component \"connections\" value 2\n"
        "component \"data\" value 3\n",
        out);
  return DCS_OK;
}

/* ---- reading ---- */

static bool is_dx(const char *head, size_t bytes) {
  return memmem(head, bytes, "class gridpositions", 19) != NULL;
}

/* Comments up to the first word, "object"; some are empty. */
static dcs_status read_comments(dcs_words *w, dcs_field *f) {
  char comment[256];
  while (dcs_words_next(w) && w->word[0] == '#') {
    dcs_words_line(w, comment, sizeof comment);
    if (w->word[1]) continue;
    sscanf(comment, " units: %23s", f->units);
    if (dcs_field_is_in_steps(comment)) f->in_steps = true;
  }
  return strcmp(w->word, "object") == 0 ? DCS_OK : dcs_words_wrong(w, "object");
}

static dcs_status expect_all(dcs_words *w, const char *const *words) {
  for (int i = 0; words[i]; i++)
    DCS_TRY(dcs_words_expect(w, words[i]));
  return DCS_OK;
}

static dcs_status read_counts(dcs_words *w, dcs_dims *n) {
  int64_t *counts[3] = {&n->x, &n->y, &n->z};
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(dcs_words_integer(w, "a count of points, 1 or more", 1, INT32_MAX, counts[axis]));
  return dcs_check_grid(*n) == DCS_OK ? DCS_OK : dcs_words_wrong(w, "at most 2^40 points");
}

static dcs_status read_places(dcs_words *w, dcs_field *f) {
  DCS_TRY(dcs_words_expect(w, "origin"));
  for (int axis = 0; axis < 3; axis++)
    DCS_TRY(dcs_words_number(w, "a coordinate", &f->origin[axis]));
  for (int axis = 0; axis < 3; axis++) {
    DCS_TRY(dcs_words_expect(w, "delta"));
    for (int along = 0; along < 3; along++) {
      double step;
      DCS_TRY(dcs_words_number(w, "a step of the grid", &step));
      if (along == axis ? !(step > 0) : step != 0)
        return dcs_words_wrong(w, "a grid along the axes of the coordinates: a step above 0 along "
                                  "its own axis, 0 along the others");
      if (along == axis) f->spacing[axis] = step;
    }
  }
  return DCS_OK;
}

/* Some writers quote the type. */
static bool is_real(const char *type) {
  static const char *const types[] = {"double", "float", "\"double\"", "\"float\""};
  for (int t = 0; t < 4; t++)
    if (strcmp(type, types[t]) == 0) return true;
  return false;
}

static dcs_status read_values(dcs_words *w, dcs_field *f) {
  static const char *const array[] = {"object", "3", "class", "array", "type", NULL};
  int64_t items;
  DCS_TRY(expect_all(w, array));
  if (!dcs_words_next(w) || !is_real(w->word)) return dcs_words_wrong(w, "double or float");
  DCS_TRY(expect_all(w, (const char *const[]){"rank", "0", "items", NULL}));
  const int64_t points = f->n.x * f->n.y * f->n.z;
  DCS_TRY(dcs_words_integer(w, "as many items as points", points, points, &items));
  DCS_TRY(expect_all(w, (const char *const[]){"data", "follows", NULL}));
  return dcs_words_values(w, f);
}

static dcs_status read_dx(FILE *in, const char *path, dcs_field *f) {
  dcs_words w = {.in = in, .path = path};
  dcs_dims connections;
  DCS_TRY(read_comments(&w, f));
  DCS_TRY(expect_all(&w, (const char *const[]){"1", "class", "gridpositions", "counts", NULL}));
  DCS_TRY(read_counts(&w, &f->n));
  DCS_TRY(read_places(&w, f));
  DCS_TRY(expect_all(
      &w, (const char *const[]){"object", "2", "class", "gridconnections", "counts", NULL}));
  DCS_TRY(read_counts(&w, &connections));
  return read_values(&w, f);
}

const dcs_field_format dcs_field_format_dx = {.name = "OpenDX",
                                              .suffix = ".dx",
                                              .least_bytes = 8,
                                              .most_along = INT32_MAX,
                                              .write = write_dx,
                                              .sniff = is_dx,
                                              .read = read_dx};
