/* Maps as files: each format is held against bytes that the test decodes by itself, and reads back
 * what it wrote; files that are wrong are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/output/field.h"
#include "tests/run_folder.h"

#include <math.h>

enum { NX = 5, NY = 3, NZ = 19 }; /* no two alike; more than a block of planes along z alone */
static float values[40 * NY * NZ];

static dcs_field sample(int64_t nx) {
  dcs_field f = {.n = {nx, NY, NZ},
                 .origin = {-1.25, 2.5, 1000.125},
                 .spacing = {0.5, 0.75, 2},
                 .units = "kT/e",
                 .values = values};
  for (int64_t i = 0; i < dcs_points(f.n); i++)
    values[i] = (float)(sin((double)i) * pow(10, (double)(i % 30) - 15));
  return f;
}

static float at(const dcs_field *f, int64_t i, int64_t j, int64_t k) {
  return f->values[(k * f->n.y + j) * f->n.x + i];
}

/* ---- what is written is read ---- */

static void same_places(const dcs_field *f, const dcs_field *g, double within) {
  for (int axis = 0; axis < 3; axis++) {
    assert_true(fabs(f->origin[axis] - g->origin[axis]) <= within);
    assert_true(fabs(f->spacing[axis] - g->spacing[axis]) <= within);
  }
}

static void round_trip(const char *name, int64_t nx, double places, double digits, bool units) {
  const dcs_field f = sample(nx);
  dcs_field g;
  assert_int_equal(dcs_field_write(in_folder(name), &f), DCS_OK);
  assert_int_equal(dcs_field_read(in_folder(name), &g), DCS_OK);
  assert_true(g.n.x == nx && g.n.y == NY && g.n.z == NZ);
  for (int64_t i = 0; i < dcs_points(f.n); i++)
    assert_true(fabs((double)f.values[i] - (double)g.values[i]) <=
                digits * fabs((double)f.values[i]));
  if (places >= 0) same_places(&f, &g, places);
  assert_string_equal(g.units, units ? "kT/e" : "");
  dcs_field_free(&g);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  static const int64_t widths[] = {1, NX, 16, 17, 40}; /* blocks of 16 planes, and the rest */
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    round_trip("map.dx", widths[w], 0, 0, true);
    round_trip("map.cube", widths[w], 1e-9, 5.1e-6, true);
    round_trip("map.mrc", widths[w], 1e-7, 0, true);
    round_trip("map.npy", widths[w], -1, 0, false);
    round_trip("map.npz", widths[w], 0, 0, true);
  }
}

/* Points as near as maps may have them. */
static void small_steps_are_read_back(void **state) {
  (void)state;
  static const char *const names[] = {"small.dx", "small.cube", "small.mrc", "small.npz"};
  dcs_field f = sample(NX), g;
  for (int axis = 0; axis < 3; axis++) {
    f.origin[axis] = 3e-12;
    f.spacing[axis] = 1.5e-12;
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(dcs_field_write(in_folder(names[i]), &f), DCS_OK);
    if (dcs_field_read(in_folder(names[i]), &g) != DCS_OK) fail_msg("%s", dcs_error_message());
    same_places(&f, &g, 1e-6 * 3e-12);
    dcs_field_free(&g);
  }
}

/* ---- bytes, decoded here ---- */

static void mrc_has_its_bytes(void **state) {
  (void)state;
  const dcs_field f = sample(NX);
  size_t size;
  assert_int_equal(dcs_field_write(in_folder("map.mrc"), &f), DCS_OK);
  char *bytes = get_file(in_folder("map.mrc"), &size);
  int32_t words[56];
  float cell[3], origin[3];
  assert_int_equal(size, 1024 + 4 * NX * NY * NZ);
  memcpy(words, bytes, sizeof words);
  memcpy(cell, bytes + 40, sizeof cell);
  memcpy(origin, bytes + 196, sizeof origin);
  assert_true(words[0] == NX && words[1] == NY && words[2] == NZ && words[3] == 2);
  assert_true(words[16] == 1 && words[17] == 2 && words[18] == 3);
  assert_true(cell[0] == 2.5f && cell[1] == 2.25f && cell[2] == 38.0f);
  assert_true(origin[0] == -1.25f && origin[1] == 2.5f && origin[2] == 1000.125f);
  assert_memory_equal(bytes + 208, "MAP \x44\x44\0\0", 8);
  assert_memory_equal(bytes + 1024, values, 4 * NX * NY * NZ);
  free(bytes);
}

static void npy_has_its_bytes(void **state) {
  (void)state;
  const dcs_field f = sample(NX);
  size_t size;
  assert_int_equal(dcs_field_write(in_folder("map.npy"), &f), DCS_OK);
  char *bytes = get_file(in_folder("map.npy"), &size);
  assert_memory_equal(bytes, "\x93NUMPY\1\0", 8);
  const size_t head = 10 + (size_t)(unsigned char)bytes[8] + 256 * (size_t)(unsigned char)bytes[9];
  assert_int_equal(head % 64, 0);
  assert_int_equal(bytes[head - 1], '\n');
  assert_int_equal(size, head + 4 * NX * NY * NZ);
  assert_contains(bytes + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 3, 19), }");
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      for (int k = 0; k < NZ; k++) {
        float value;
        memcpy(&value, bytes + head + 4 * ((size_t)(i * NY + j) * NZ + (size_t)k), 4);
        assert_true(value == at(&f, i, j, k));
      }
  free(bytes);
}

/* The numbers of a text behind `mark`, z fastest. */
static void check_text(const char *name, const char *mark, double digits) {
  const dcs_field f = sample(NX);
  assert_int_equal(dcs_field_write(in_folder(name), &f), DCS_OK);
  char *text = get_file(in_folder(name), NULL), *next = strstr(text, mark);
  assert_non_null(next);
  next = strchr(next, '\n');
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      for (int k = 0; k < NZ; k++) {
        const double expected = (double)at(&f, i, j, k);
        assert_true(fabs(strtod(next, &next) - expected) <= digits * fabs(expected));
      }
  free(text);
}

static void texts_have_their_numbers(void **state) {
  (void)state;
  check_text("map.dx", "data follows", 6e-8);
  check_text("map.cube", "   19 ", 5.1e-6); /* the third axis, before the values */
}

/* A cube's lines are those of Fortran's 6E13.5. */
static void cube_has_its_columns(void **state) {
  (void)state;
  const dcs_field f = sample(NX);
  assert_int_equal(dcs_field_write(in_folder("map.cube"), &f), DCS_OK);
  char *text = get_file(in_folder("map.cube"), NULL), *line = text;
  for (int head = 0; head < 6; head++)
    line = strchr(line, '\n') + 1;
  for (int row = 0; row < NX * NY; row++)
    for (int at_k = 0; at_k < NZ; at_k += 6) {
      const int n = NZ - at_k < 6 ? NZ - at_k : 6;
      assert_int_equal(strcspn(line, "\n"), 13 * n);
      line += 13 * n + 1;
    }
  assert_string_equal(line, "");
  free(text);
}

static void csv_has_a_row_a_point(void **state) {
  (void)state;
  dcs_field f = sample(NX);
  double x, y, z, v;
  assert_int_equal(dcs_field_write(in_folder("map.csv"), &f), DCS_OK);
  FILE *file = fopen(in_folder("map.csv"), "r");
  char line[256];
  assert_non_null(fgets(line, sizeof line, file));
  assert_string_equal(line, "x_angstrom,y_angstrom,z_angstrom,potential_kt_per_e\n");
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &x, &y, &z, &v), 4);
        assert_true(x == -1.25 + 0.5 * i && y == 2.5 + 0.75 * j && z == 1000.125 + 2.0 * k);
        assert_true((float)v == at(&f, i, j, k));
      }
  assert_null(fgets(line, sizeof line, file));
  fclose(file);
}

/* ---- files of others ---- */

static void other_writers_are_read(void **state) {
  (void)state;
  dcs_field f;
  put_file(in_folder("vmd.dx"), "# a comment\n#another: # units\n"
                                "object 1 class gridpositions counts 2 1 2\norigin 1 2 3\n"
                                "delta 0.5 0 0\ndelta 0 1 0\ndelta 0 0 2e0\n"
                                "object 2 class gridconnections counts 2 1 2\r\n"
                                "object 3 class array type \"double\" rank 0 items 4 data follows\n"
                                "1 2\n3\n4.5\nobject \"density\" class field\n");
  assert_int_equal(dcs_field_read(in_folder("vmd.dx"), &f), DCS_OK);
  assert_true(f.n.x == 2 && f.n.y == 1 && f.n.z == 2);
  assert_true(at(&f, 0, 0, 0) == 1 && at(&f, 0, 0, 1) == 2 && at(&f, 1, 0, 0) == 3 &&
              at(&f, 1, 0, 1) == 4.5f);
  assert_string_equal(f.units, "");
  dcs_field_free(&f);
  put_file(in_folder("atoms.cube"), "title\n\n  2 0.0 0.0 1.0\n -1 0.5 0 0\n 1 0 0.25 0\n"
                                    " 2 0 0 2\n 8 8.0 0 0 0\n 1 1.0 0 0 1\n 7.0 -1E-3\n");
  assert_int_equal(dcs_field_read(in_folder("atoms.cube"), &f), DCS_OK);
  assert_true(f.origin[2] == 1 && f.spacing[0] == 0.5 && f.spacing[2] == 2); /* angstrom */
  assert_true(at(&f, 0, 0, 0) == 7 && at(&f, 0, 0, 1) == -1e-3f);
  dcs_field_free(&f);
}

/* As APBS begins it, with empty comments, and as Gaussian does, with the number of values a point.
 */
static void heads_of_others_are_read(void **state) {
  (void)state;
  dcs_field f;
  put_file(in_folder("apbs.dx"), "# Data from 3.4.1\n# \n#\n# units: V\n# POTENTIAL (kT/e)\n# \n"
                                 "object 1 class gridpositions counts 2 1 1\norigin 1 2 3\n"
                                 "delta 0.5 0 0\ndelta 0 1 0\ndelta 0 0 2e0\n"
                                 "object 2 class gridconnections counts 2 1 1\n"
                                 "object 3 class array type double rank 0 items 2 data follows\n"
                                 "1 2\n");
  if (dcs_field_read(in_folder("apbs.dx"), &f) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_string_equal(f.units, "V");
  assert_true(f.origin[0] == 1 && at(&f, 1, 0, 0) == 2);
  dcs_field_free(&f);
  put_file(in_folder("gaussian.cube"), "title\n\n  1 0.0 0.0 1.0   1\r\n -1 0.5 0 0\n 1 0 1 0\n"
                                       " 2 0 0 2\n 8 8.0 0 0 0\n 7.0 -1E-3\n");
  if (dcs_field_read(in_folder("gaussian.cube"), &f) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(f.origin[2] == 1 && f.spacing[0] == 0.5 && f.spacing[2] == 2);
  assert_true(at(&f, 0, 0, 0) == 7 && at(&f, 0, 0, 1) == -1e-3f);
  dcs_field_free(&f);
}

/* As masked maps of others have them. */
static void what_is_not_finite_is_read_back(void **state) {
  (void)state;
  static const char *const names[] = {"not.dx", "not.cube", "not.mrc", "not.npy", "not.npz"};
  dcs_field f = sample(NX), g;
  values[0] = -(float)NAN;
  values[1] = INFINITY;
  values[2] = -INFINITY;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(dcs_field_write(in_folder(names[i]), &f), DCS_OK);
    if (dcs_field_read(in_folder(names[i]), &g) != DCS_OK) fail_msg("%s", dcs_error_message());
    assert_true(isnan(g.values[0]) && g.values[1] == INFINITY && g.values[2] == -INFINITY);
    dcs_field_free(&g);
  }
  assert_int_equal(dcs_field_write(in_folder("not.csv"), &f), DCS_OK);
  char *text = get_file(in_folder("not.csv"), NULL);
  assert_contains(text,
                  "-1.25,2.5,1000.125,nan\n-0.75,2.5,1000.125,inf\n-0.25,2.5,1000.125,-inf\n");
  free(text);
}

static void maps_without_places_are_not_given_any(void **state) {
  (void)state;
  static const char *const names[] = {"none.dx", "none.cube", "none.mrc", "none.csv", "none.npz"};
  const dcs_field f = sample(NX);
  dcs_field g;
  assert_int_equal(dcs_field_write(in_folder("none.npy"), &f), DCS_OK);
  assert_int_equal(dcs_field_read(in_folder("none.npy"), &g), DCS_OK);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(dcs_field_write(in_folder(names[i]), &g), i < 4 ? DCS_INPUT : DCS_OK);
    assert_int_equal(access(in_folder(names[i]), F_OK), i < 4 ? -1 : 0);
  }
  assert_contains(dcs_error_message(), "where the map's points are is not known");
  dcs_field_free(&g);
}

/* Lengths in grid steps stay so. */
static void steps_are_read_as_steps(void **state) {
  (void)state;
  static const char *const names[] = {"steps.dx", "steps.cube", "steps.mrc", "steps.npz"};
  dcs_field f = sample(NX), g;
  f.in_steps = true;
  strcpy(f.units, "kg/m3");
  for (int axis = 0; axis < 3; axis++) {
    f.origin[axis] = axis;
    f.spacing[axis] = 1;
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(dcs_field_write(in_folder(names[i]), &f), DCS_OK);
    assert_int_equal(dcs_field_read(in_folder(names[i]), &g), DCS_OK);
    assert_true(g.in_steps);
    assert_string_equal(g.units, "kg/m3");
    same_places(&f, &g, 0);
    dcs_field_free(&g);
  }
}

/* In all places where `name` stands in the file there is `other`, which is as long. */
static void rename_within(const char *path, const char *name, const char *other) {
  size_t size, length = strlen(name);
  char *bytes = get_file(path, &size);
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(bytes + i, name, length) == 0) memcpy(bytes + i, other, length);
  FILE *file = fopen(path, "w");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  free(bytes);
}

/* As others write them. */
static void archives_without_lengths_are_in_angstrom(void **state) {
  (void)state;
  dcs_field f = sample(NX), g;
  f.in_steps = true;
  assert_int_equal(dcs_field_write(in_folder("plain.npz"), &f), DCS_OK);
  rename_within(in_folder("plain.npz"), "lengths.npy", "another.npy");
  if (dcs_field_read(in_folder("plain.npz"), &g) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_false(g.in_steps);
  same_places(&f, &g, 0);
  dcs_field_free(&g);
  rename_within(in_folder("plain.npz"), "another.npy", "lengths.npy");
  rename_within(in_folder("plain.npz"), "units.npy", "lacks.npy");
  assert_int_equal(dcs_field_read(in_folder("plain.npz"), &g), DCS_INPUT);
  assert_contains(dcs_error_message(), "plain.npz: found no array units; expected values");
}

/* A format of text could not hold them, nor is there a nearest plane. */
static void spacings_are_above_0_or_not_known(void **state) {
  (void)state;
  static const double wrong[][3] = {{-0.5, 0.5, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  dcs_field f = sample(NX), g;
  for (int i = 0; i < 3; i++) {
    memcpy(f.spacing, wrong[i], sizeof f.spacing);
    assert_int_equal(dcs_field_write(in_folder("wrong.npz"), &f), DCS_OK);
    assert_int_equal(dcs_field_read(in_folder("wrong.npz"), &g), DCS_INPUT);
    assert_contains(dcs_error_message(), "expected all above 0, or all 0");
  }
}

/* MRC2014: a greatest value below the least, a mean below both and a negative deviation say that
 * they are not known. */
static void statistics_are_of_numbers_or_not_known(void **state) {
  (void)state;
  const float bad[] = {NAN, INFINITY, -INFINITY};
  float words[55];
  dcs_field f = sample(NX);
  for (int i = 0; i < 4; i++) {
    for (int64_t p = 0; p < dcs_points(f.n); p++)
      values[p] = p % 2 ? 3 : -1;
    values[dcs_points(f.n) - 1] = i < 3 ? bad[i] : 3; /* of an odd number */
    assert_int_equal(dcs_field_write(in_folder("map.mrc"), &f), DCS_OK);
    char *bytes = get_file(in_folder("map.mrc"), NULL);
    memcpy(words, bytes, sizeof words);
    free(bytes);
    const double mean = 1 + 2.0 / (double)dcs_points(f.n);
    assert_true(words[19] == (i < 3 ? 0 : -1) && words[20] == (i < 3 ? -1 : 3));
    assert_true(words[21] == (float)(i < 3 ? -2 : mean));
    assert_true(fabs((double)words[54] - (i < 3 ? -1 : sqrt(5 - mean * mean + 2 * (mean - 1)))) <
                1e-6);
  }
}

static void refuses(const char *name, const char *text, const char *message) {
  dcs_field f;
  put_file(in_folder(name), text);
  if (dcs_field_read(in_folder(name), &f) != DCS_INPUT) fail_msg("%s was read", name);
  assert_null(f.values);
  assert_contains(dcs_error_message(), name);
  assert_contains(dcs_error_message(), message);
}

static void wrong_files_are_refused(void **state) {
  (void)state;
  refuses("empty", "", "no map in a format that is known");
  refuses("pqr", "ATOM 1 N ALA 1 1 2 3 4 5\n", "expected one of OpenDX");
#define DX(counts, delta, items, rest)                                                             \
  "object 1 class gridpositions counts " counts "\norigin 0 0 0\ndelta 1 " delta                   \
  " 0\ndelta 0 1 0\ndelta 0 0 1\nobject 2 class gridconnections counts 2 1 2\n"                    \
  "object 3 class array type double rank 0 items " items " data follows\n" rest
  refuses("skew.dx", DX("2 1 2", "0.1", "4", "1 2 3 4"), "skew.dx:3: found \"0.1\"");
  refuses("none.dx", DX("0 1 2", "0", "4", "1 2 3 4"), "a count of points, 1 or more");
  refuses("items.dx", DX("2 1 2", "0", "5", "1 2 3 4 5"), "as many items as points");
  refuses("short.dx", DX("2 1 2", "0", "4", "1 2 3"), "found 6 bytes of values");
  refuses("ends.dx", DX("2 1 2", "0", "4", "1 2 345678"), "ends.dx:8: found the file's end");
  refuses("word.dx", DX("2 1 2", "0", "4", "1 2 x 4"), "word.dx:8: found \"x\"");
  refuses("digits.dx",
          DX("2 1 2", "0", "4",
             "1 2 3 1.234567890123456789012345678901234567890123456789012345678901234567890e-5"),
          "digits.dx:8: found \"1.23456789012345678901234567890");
  refuses("huge.dx", DX("2000000000 2000000000 2000000000", "0", "4", "1 2 3 4"),
          "expected at most 2^40 points");
  refuses("skew.cube", "t\nc\n 0 0 0 0\n 1 1 0 0\n 1 0 1 0.5\n 1 0 0 1\n 1\n",
          "a grid along the axes of the coordinates");
  refuses("orbital.cube", "t\nc\n -2 0 0 0\n 1 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1\n", "an orbital");
  refuses("two.cube", "t\nc\n 0 0 0 0 2\n 1 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1 2\n",
          "two.cube:3: found \" 2\" behind the origin; expected 1 value a point");
  refuses("more.cube", "t\nc\n 0 0 0 0 1 1\n 1 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1\n",
          "expected 1 value a point");
  refuses("long.cube", "t\nc\n 0 0 0 0\n 1 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1\n 2\n",
          "long.cube:8: found \"2\"; expected the file's end behind the last value");
  refuses("word.cube", "t\nc\n 0 0 0 0 x\n 1 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1\n",
          "expected 1 value a point");
}

static void cut_files_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"map.dx", "map.cube", "map.mrc", "map.npy", "map.npz"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    const dcs_field f = sample(NX);
    dcs_field g;
    size_t size;
    assert_int_equal(dcs_field_write(in_folder(names[n]), &f), DCS_OK);
    char *bytes = get_file(in_folder(names[n]), &size);
    for (size_t cut = 0; cut < size - 200; cut += 37) { /* text may go on behind the values */
      assert_int_equal(truncate(in_folder(names[n]), (off_t)(size - 200 - cut)), 0);
      if (dcs_field_read(in_folder(names[n]), &g) != DCS_INPUT)
        fail_msg("%s was read from its first %zu bytes", names[n], size - 200 - cut);
    }
    free(bytes);
  }
}

/* A byte of the content that changes is noticed by the archive's checksum. */
static void damaged_archives_are_refused(void **state) {
  (void)state;
  const dcs_field f = sample(NX);
  dcs_field g;
  size_t size;
  assert_int_equal(dcs_field_write(in_folder("map.npz"), &f), DCS_OK);
  char *bytes = get_file(in_folder("map.npz"), &size);
  for (size_t at_byte = 900; at_byte < size - 400; at_byte += 101) {
    FILE *file = fopen(in_folder("map.npz"), "w");
    bytes[at_byte] ^= 1;
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    bytes[at_byte] ^= 1;
    if (dcs_field_read(in_folder("map.npz"), &g) != DCS_INPUT)
      fail_msg("byte %zu of %zu was changed unnoticed", at_byte, size);
  }
  free(bytes);
}

/* ---- units, slices ---- */

static void units_have_their_factors(void **state) {
  (void)state;
  const dcs_units *units;
  assert_int_equal(dcs_find_units("v", &units), DCS_OK);
  assert_true(fabs(dcs_units_factor(units, 300) - 14.3996) < 1e-4);
  assert_int_equal(dcs_find_units("kcal/mol/e", &units), DCS_OK);
  assert_true(fabs(dcs_units_factor(units, 300) - 332.0637) < 1e-4);
  assert_int_equal(dcs_find_units("kT/e", &units), DCS_OK);
  assert_true(fabs(dcs_units_factor(units, 298.15) - 560.46) < 0.01); /* Bjerrum, in vacuum, A */
  assert_true(fabs(dcs_units_factor(units, 596.3) - 280.23) < 0.01);
  assert_int_equal(dcs_find_units("erg", &units), DCS_USAGE);
  assert_contains(dcs_error_message(), "expected one of e/A, V, kT/e, kcal/mol/e");
}

static void slices_are_planes_of_the_map(void **state) {
  (void)state;
  double where[3];
  for (int axis = 0; axis < 3; axis++) {
    static const char *const texts[] = {"x=-0.3", "y=3.6", "z=1011"};
    static const int64_t nearest[] = {2, 1, 5};
    const dcs_field whole = sample(NX);
    dcs_field f = whole;
    f.values = malloc(sizeof values);
    memcpy(f.values, values, sizeof values);
    assert_int_equal(dcs_parse_slice(texts[axis], where), DCS_OK);
    assert_int_equal(dcs_field_slice(&f, where), DCS_OK);
    for (int64_t k = 0; k < f.n.z; k++)
      for (int64_t j = 0; j < f.n.y; j++)
        for (int64_t i = 0; i < f.n.x; i++)
          assert_true(at(&f, i, j, k) == at(&whole, axis == 0 ? nearest[0] : i,
                                            axis == 1 ? nearest[1] : j,
                                            axis == 2 ? nearest[2] : k));
    assert_true(f.origin[axis] == whole.origin[axis] + whole.spacing[axis] * (double)nearest[axis]);
    assert_int_equal(dcs_points(f.n) * (axis == 0 ? NX : axis == 1 ? NY : NZ), NX * NY * NZ);
    dcs_field_free(&f);
  }
  static const char *const bad[] = {"", "w=1", "x", "x=1,x=2", "x=a", "x:1", "1", "x=1,"};
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
    assert_int_equal(dcs_parse_slice(bad[b], where), DCS_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(small_steps_are_read_back),
      cmocka_unit_test(mrc_has_its_bytes),
      cmocka_unit_test(npy_has_its_bytes),
      cmocka_unit_test(texts_have_their_numbers),
      cmocka_unit_test(heads_of_others_are_read),
      cmocka_unit_test(steps_are_read_as_steps),
      cmocka_unit_test(archives_without_lengths_are_in_angstrom),
      cmocka_unit_test(spacings_are_above_0_or_not_known),
      cmocka_unit_test(statistics_are_of_numbers_or_not_known),
      cmocka_unit_test(what_is_not_finite_is_read_back),
      cmocka_unit_test(maps_without_places_are_not_given_any),
      cmocka_unit_test(cube_has_its_columns),
      cmocka_unit_test(csv_has_a_row_a_point),
      cmocka_unit_test(other_writers_are_read),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(cut_files_are_refused),
      cmocka_unit_test(damaged_archives_are_refused),
      cmocka_unit_test(units_have_their_factors),
      cmocka_unit_test(slices_are_planes_of_the_map),
  };
  return cmocka_run_group_tests_name("field", tests, program_setup, program_teardown);
}
