/* `dcsbench map`: the file is read back and held against double-precision sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "harness/problems/methods.h"
#include "tests/program.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>

/* ---- reading OpenDX ---- */

typedef struct {
  int n[3];
  double origin[3], h;
  double *values; /* z fastest */
} dx;

static void read_dx(const char *path, dx *d) {
  char *text = get_file(path, NULL);
  char *at = strstr(text, "object 1 class gridpositions counts ");
  int used = 0, items = 0;
  double zero[6], h[3];
  assert_non_null(at);
  assert_int_equal(sscanf(at,
                          "object 1 class gridpositions counts %d %d %d\norigin %lf %lf %lf\n"
                          "delta %lf %lf %lf\ndelta %lf %lf %lf\ndelta %lf %lf %lf\n%n",
                          &d->n[0], &d->n[1], &d->n[2], &d->origin[0], &d->origin[1], &d->origin[2],
                          &h[0], &zero[0], &zero[1], &zero[2], &h[1], &zero[3], &zero[4], &zero[5],
                          &h[2], &used),
                   15);
  for (int i = 0; i < 6; i++)
    assert_true(zero[i] == 0);
  assert_true(h[0] == h[1] && h[1] == h[2]);
  d->h = h[0];
  at += used;
  int counts[3];
  assert_int_equal(sscanf(at,
                          "object 2 class gridconnections counts %d %d %d\nobject 3 class array "
                          "type double rank 0 items %d data follows\n%n",
                          &counts[0], &counts[1], &counts[2], &items, &used),
                   4);
  assert_memory_equal(counts, d->n, sizeof counts);
  assert_int_equal(items, d->n[0] * d->n[1] * d->n[2]);
  at += used;
  d->values = calloc((size_t)items, sizeof *d->values);
  for (int i = 0; i < items; i++) {
    char *end;
    d->values[i] = strtod(at, &end);
    assert_true(end > at);
    at = end;
  }
  assert_int_equal(strncmp(at, "\nattribute", 10), 0); /* not a value more */
  free(text);
}

/* Every value against the sum over the molecule, an atom on a point left out; returns how many
 * times one was. */
static int check_dx(const dx *d, const char *pqr) {
  dcs_molecule m;
  int left_out = 0;
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(pqr), &m, NULL), DCS_OK);
  for (int i = 0; i < d->n[0]; i++)
    for (int j = 0; j < d->n[1]; j++)
      for (int k = 0; k < d->n[2]; k++) {
        double sum = 0, size = 0;
        for (int64_t a = 0; a < m.n; a++) {
          double x = d->origin[0] + i * d->h - m.sites[a].x;
          double y = d->origin[1] + j * d->h - m.sites[a].y;
          double z = d->origin[2] + k * d->h - m.sites[a].z, r = sqrt(x * x + y * y + z * z);
          bool on_point = r < 1e-6 * d->h;
          left_out += on_point;
          sum += on_point ? 0 : m.sites[a].q / r;
          size += on_point ? 0 : fabs(m.sites[a].q) / r;
        }
        double found = d->values[(i * d->n[1] + j) * d->n[2] + k];
        if (!(fabs(found - sum) <= 3e-5 * size))
          fail_msg("point (%d, %d, %d): found %.9g, expected %.9g", i, j, k, found, sum);
      }
  dcs_molecule_free(&m);
  return left_out;
}

static void check_file(const char *path, const char *pqr, const int n[3]) {
  dx d;
  read_dx(path, &d);
  for (int i = 0; i < 3; i++)
    assert_int_equal(d.n[i], n[i]);
  (void)check_dx(&d, pqr);
  free(d.values);
}

/* ---- maps ---- */

static const char *water(void) {
  if (!exists(in_folder("water.pqr")))
    assert_status(program_run("generate water --atoms 90 -o %s", in_folder("water.pqr")), 0);
  return in_folder("water.pqr");
}

static void no_parts_are_left(void) {
  DIR *folder = opendir(test_folder);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    assert_null(strstr(entry->d_name, ".part"));
  closedir(folder);
}

static void the_file_holds_the_map(void **state) {
  (void)state;
  const char *out = in_folder("map.dx");
  assert_status(
      program_run("map %s -o %s --grid 13x8x5 --spacing 0.9 --origin 1.25,-2,0.5", water(), out),
      0);
  assert_string_equal(program_out, "");
  assert_contains(program_err, "map.dx: 13x8x5 points, e/A, OpenDX, ");
  check_file(out, water(), (const int[3]){13, 8, 5});
  assert_status(program_run("map %s -o %s --spacing 2 --margin 1 --device cpu", water(), out), 0);
  dx d;
  read_dx(out, &d);
  assert_true(d.h == 2);
  (void)check_dx(&d, water());
  free(d.values);
  no_parts_are_left();
}

static void on_a_device_that_is_named(void **state) {
  (void)state;
  char out[PATH_MAX];
  snprintf(out, sizeof out, "%s", in_folder("gpu.dx"));
  assert_status(program_run("map %s -o %s --grid 13x8x5 --device emulated --explain", water(), out),
                0);
  assert_contains(program_out, "on the GPU");
  check_file(out, water(), (const int[3]){13, 8, 5});
  assert_status(program_run("map %s -o %s --device cuda:99", water(), out), 4);
  assert_status(program_run("map %s -o %s --device gpu", water(), out), 2);
  check_file(out, water(), (const int[3]){13, 8, 5}); /* the old one */
}

static void an_atom_on_a_grid_point(void **state) {
  (void)state;
  char pqr[PATH_MAX];
  const char *shared = getenv("DCS_SHARED"), *out = in_folder("node.dx");
  snprintf(pqr, sizeof pqr, "%s/cases/atom_on_node.pqr", shared ? shared : "../shared");
  if (!exists(pqr)) {
    print_message("skipped: no %s\n", pqr);
    skip();
  }
  dcs_molecule m;
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(pqr), &m, NULL), DCS_OK);
  dcs_site first = m.sites[0];
  dcs_molecule_free(&m);
  assert_status(program_run("map %s -o %s --grid 7^3 --spacing 0.5 --origin %.9g,%.9g,%.9g", pqr,
                            out, first.x - 1.5, first.y - 1, first.z - 0.5),
                0);
  assert_contains(program_err, "lie on grid points");
  dx d;
  read_dx(out, &d);
  assert_true(check_dx(&d, pqr) >= 1);
  free(d.values);
}

/* The cell that the file states, or one that is given; a second copy beside the first changes
 * nothing. */
static void a_periodic_map_spans_the_cell(void **state) {
  (void)state;
  static const char *const files[] = {
      "ATOM      1  X   UNK     1       1.540   1.540   1.610 -0.8340 1.6612\n"
      "ATOM      2  X   UNK     1       4.500   5.540   0.000  0.8340 1.6612\n",
      "ATOM      3  X   UNK     1       1.540   1.540  10.610 -0.8340 1.6612\n"
      "ATOM      4  X   UNK     1       4.500   5.540   9.000  0.8340 1.6612\n"};
  static const char cell[] = "CRYST1    7.000    8.000    9.000  90.00  90.00  90.00\n";
  char text[1024], why[DCS_TEXT];
  dx one, two;
  if (!dcs_variant_available(dcs_find_variant("cpu_mesh"), why)) skip();
  snprintf(text, sizeof text, "%s%s", cell, files[0]);
  put_file(in_folder("one.pqr"), text);
  snprintf(text, sizeof text, "%s%s", files[0], files[1]);
  put_file(in_folder("two.pqr"), text);
  assert_status(program_run("map %s --boundary periodic --tolerance 1e-4 --spacing 1 -o %s",
                            in_folder("one.pqr"), in_folder("one.dx")),
                0);
  assert_status(program_run("map %s --boundary periodic --tolerance 1e-4 --cell 7,8,18 --spacing 1 "
                            "--grid 7x8x9 --origin -0.48,-0.46,-3.695 -o %s",
                            in_folder("two.pqr"), in_folder("two.dx")),
                0);
  read_dx(in_folder("one.dx"), &one);
  read_dx(in_folder("two.dx"), &two);
  assert_true(one.n[0] == 7 && one.n[1] == 8 && one.n[2] == 9);
  for (int p = 0; p < 7 * 8 * 9; p++)
    if (!(fabs(one.values[p] - two.values[p]) <= 1e-4))
      fail_msg("point %d: %g, and %g of two copies", p, one.values[p], two.values[p]);
  free(one.values);
  free(two.values);
  assert_status(
      program_run("map %s --boundary periodic --tolerance 1e-4 -o x.dx", in_folder("two.pqr")), 2);
  assert_contains(program_err, "found no cell for a periodic boundary; expected the file to state");
  snprintf(text, sizeof text, "CRYST1    7.000    8.000    9.000  90.00  90.00 120.00\n%s",
           files[0]);
  put_file(in_folder("skew.pqr"), text);
  assert_status(
      program_run("map %s --boundary periodic --tolerance 1e-4 -o x.dx", in_folder("skew.pqr")), 3);
  assert_contains(program_err, "found a cell with angles of 90, 90 and 120 degrees; expected 90");
}

static void a_table_of_no_use_is_said(void **state) {
  (void)state;
  mkdir(in_folder("run"), 0777);
  assert_status(program_run("map %s -o %s --grid 5^3 --dispatch %s", water(), in_folder("d.dx"),
                            in_folder("run")),
                5);
  assert_contains(program_err, "run/dispatch.csv: No such file");
  put_file(in_folder("run/dispatch.csv"), "not a table\n");
  assert_status(program_run("map %s -o %s --grid 5^3 --dispatch %s", water(), in_folder("d.dx"),
                            in_folder("run")),
                0);
  assert_contains(program_err, "dispatch table not used: ");
  assert_contains(program_err, "run/dispatch.csv");
  check_file(in_folder("d.dx"), water(), (const int[3]){5, 5, 5});
}

static void a_table_of_this_machine_decides(void **state) {
  (void)state;
  assert_status(
      program_run("sweep --variants cpu --config threads=1 --atoms 10,30,100 --grid 4^3,8^3 "
                  "--rounds 3 --out %s",
                  in_folder("own")),
      0);
  assert_status(program_run("dispatch %s", in_folder("own")), 0);
  assert_status(program_run("map %s --explain --grid 6^3 --dispatch %s", water(), in_folder("own")),
                0);
  assert_contains(program_out, "threads=1 on the CPU");
  assert_contains(program_out, "own/dispatch.csv, of ");
  assert_contains(program_out, "held out");
  assert_status(program_run("map %s --time --grid 6^3 --dispatch %s", water(), in_folder("own")),
                0);
  assert_contains(program_out, "the library adds");
}

static void a_table_decides_within_its_cutoffs(void **state) {
  (void)state;
  assert_status(program_run("sweep --variants cpu_cutoff --config threads=1 --atoms 10,30,100 "
                            "--grid 6^3 --cutoff 2,3 --rounds 3 --out %s",
                            in_folder("near")),
                0);
  assert_status(program_run("dispatch %s", in_folder("near")), 0);
  assert_contains(program_out, "coulomb, cutoff 2 to 3 angstrom:\n");
  assert_status(program_run("map %s --explain -o %s --grid 6^3 --cutoff 2.5 --dispatch %s", water(),
                            in_folder("near.dx"), in_folder("near")),
                0);
  assert_contains(program_out, "in host memory: cpu_cutoff threads=1,");
  assert_contains(program_out, "scope warm, coulomb, cutoff 2 to 3 angstrom");
  assert_true(exists(in_folder("near.dx")));
  assert_status(program_run("map %s --explain --grid 6^3 --cutoff 9 --dispatch %s", water(),
                            in_folder("near")),
                0);
  assert_contains(program_out,
                  "coulomb, cutoff=9: it was measured at coulomb, cutoff 2 to 3 angstrom; "
                  "the highest");
}

/* ---- what goes wrong ---- */

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  assert_status(program_run("map"), 2);
  assert_contains(program_err, "file is missing");
  assert_status(program_run("map %s", water()), 2);
  assert_contains(program_err, "--out FILE is missing");
  assert_status(program_run("map %s -o %s", water(), in_folder("map.cub")), 2);
  assert_contains(program_err, "expected a name that ends in .dx");
  assert_status(program_run("map %s -o %s", in_folder("none.pqr"), in_folder("n.dx")), 5);
  assert_contains(program_err, "none.pqr");
  put_file(in_folder("bad.pqr"), "ATOM 1 X UNK 1 0 0 zero 1 1\n");
  assert_status(program_run("map %s -o %s", in_folder("bad.pqr"), in_folder("n.dx")), 3);
  assert_status(program_run("map %s -o %s --grid 0x1x1", water(), in_folder("n.dx")), 2);
  assert_false(exists(in_folder("n.dx")));
}

static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  const char *out = in_folder("full.dx");
  put_file(out, "old");
  program_file_limit = 5000;
  int status = program_run("map %s -o %s --grid 20^3", water(), out);
  program_file_limit = 0;
  assert_status(status, 5);
  assert_contains(program_err, "File too large");
  char *text = get_file(out, NULL);
  assert_string_equal(text, "old");
  free(text);
  assert_status(program_run("map %s -o %s --grid 5^3", water(), in_folder("absent/map.dx")), 5);
  no_parts_are_left();
}

/* A map so large that writing it lasts long enough to be met. */
static void an_interrupt_leaves_the_old_file(void **state) {
  (void)state;
  const char *out = in_folder("cut.dx");
  put_file(out, "old");
  char arguments[4096];
  snprintf(arguments, sizeof arguments, "map %s -o %s --grid 150^3", water(), out);
  FILE *err = tmpfile();
  pid_t pid = program_start(arguments, STDOUT_FILENO, fileno(err));
  bool writing = false;
  while (!writing && program_goes_on(pid)) {
    char part[PATH_MAX];
    struct stat facts;
    snprintf(part, sizeof part, "%s.%ld.part", out, (long)pid);
    writing = stat(part, &facts) == 0 && facts.st_size > 0;
  }
  assert_true(writing);
  kill(pid, SIGTERM);
  int status = program_wait(pid);
  program_take(err, program_err, sizeof program_err);
  assert_status(status, 1);
  assert_contains(program_err, "interrupted");
  char *text = get_file(out, NULL);
  assert_string_equal(text, "old");
  free(text);
  no_parts_are_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_holds_the_map),
      cmocka_unit_test(on_a_device_that_is_named),
      cmocka_unit_test(an_atom_on_a_grid_point),
      cmocka_unit_test(a_periodic_map_spans_the_cell),
      cmocka_unit_test(a_table_of_no_use_is_said),
      cmocka_unit_test(a_table_of_this_machine_decides),
      cmocka_unit_test(a_table_decides_within_its_cutoffs),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(a_full_disk_leaves_the_old_file),
      cmocka_unit_test(an_interrupt_leaves_the_old_file),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
