/* The library: maps, and a program built with it as a stranger would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/problems/ewald.h"
#include "tests/library_map.h"
#include "tests/linker_options.h"

/* ---- maps ---- */

static void maps_are_right_one_after_another(void **state) {
  (void)state;
  dcs_mapper *m = open_mapper("cpu", NULL);
  static const int64_t sizes[] = {1, 300, 300, 2, 700, 300};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    dcs_map_request r = request_of(sizes[s]);
    for (int64_t a = 0; a < r.n_atoms; a++)
      atoms[4 * a + 3] *= (double)(s + 1); /* the same size with other charges is another map */
    assert_computes(m, &r);
    assert_true(dcs_map_method_ns(m) > 0);
  }
  dcs_mapper_close(m);
}

/* The engine stays ready from map to map; atoms and the place of the map are new each time. */
static void maps_on_a_device_one_after_another(void **state) {
  (void)state;
  static float elsewhere[POINTS];
  dcs_mapper *m = open_mapper("emulated", NULL);
  for (int s = 0; s < 3; s++) {
    dcs_map_request r = request_of(40);
    for (int64_t a = 0; a < r.n_atoms; a++)
      atoms[4 * a + 3] *= (double)(s + 1);
    assert_computes(m, &r);
    memset(map, 0xff, sizeof map);
    assert_int_equal(dcs_map(m, &r, elsewhere), 0);
    assert_true(isnan(map[0]) && isnan(map[POINTS - 1]));
    memcpy(map, elsewhere, sizeof map);
    assert_map(&r);
  }
  dcs_mapper_close(m);
}

static void points_on_atoms_far_origins_and_no_charges(void **state) {
  (void)state;
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = request_of(50);
  for (int d = 0; d < 3; d++)
    atoms[d] = r.origin[d] + 3 * r.spacing; /* on a point */
  for (int d = 0; d < 3; d++)
    atoms[4 + d] =
        r.origin[d] + 2 * r.spacing + (d == 0 ? 1e-6 : 0); /* closer to one than float can tell */
  for (int a = 10; a < 20; a++)
    atoms[4 * a + 3] = 0;
  assert_computes(m, &r);
  const double far = 1 << 20;
  r.origin[0] += far;
  for (int a = 0; a < 50; a++)
    atoms[4 * a] += far; /* hopeless in float */
  assert_computes(m, &r);
  for (int a = 0; a < 50; a++)
    atoms[4 * a + 3] = 0;
  assert_int_equal(dcs_map(m, &r, map), 0);
  for (int p = 0; p < POINTS; p++)
    assert_true(map[p] == 0);
  dcs_mapper_close(m);
}

static void float_coordinates(void **state) {
  (void)state;
  static float narrow[4 * 300];
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = request_of(300);
  for (int i = 0; i < 4 * 300; i++) {
    narrow[i] = (float)atoms[i];
    atoms[i] = narrow[i];
  }
  r.atoms = NULL;
  r.atoms_float = narrow;
  assert_int_equal(dcs_map(m, &r, map), 0);
  r.atoms = atoms;
  assert_map(&r);
  assert_int_equal(dcs_map(m, &r, map), DCS_USAGE); /* both given */
  dcs_mapper_close(m);
}

/* One handle, with and without: neither takes the other's method for its own. */
static void maps_within_a_cutoff(void **state) {
  (void)state;
  static const double cutoffs[] = {0, 3.3, 0, 2.1, 1e6};
  dcs_mapper *m = open_mapper("cpu", NULL);
  for (int switched = 0; switched < 2; switched++)
    for (size_t i = 0; i < sizeof cutoffs / sizeof cutoffs[0]; i++) {
      dcs_map_request r = request_of(300);
      r.cutoff = cutoffs[i];
      r.switched = switched && r.cutoff > 0;
      for (int d = 0; d < 3; d++)
        atoms[d] = r.origin[d] + 3 * r.spacing; /* on a point */
      assert_computes(m, &r);
      assert_explains(m, &r, r.cutoff > 0 ? "within a cutoff" : "no dispatch table");
    }
  dcs_mapper_close(m);
}

/* The same as the direct sum but for the tolerance, on a point that is an atom, too. */
static void maps_to_a_tolerance(void **state) {
  (void)state;
  static float direct[POINTS];
  double squares = 0;
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = request_of(300);
  for (int d = 0; d < 3; d++)
    atoms[d] = r.origin[d] + 3 * r.spacing;
  assert_computes(m, &r);
  memcpy(direct, map, sizeof map);
  for (int p = 0; p < POINTS; p++)
    squares += direct[p] * direct[p];
  r.tolerance = 1e-3;
  if (dcs_map(m, &r, map) != 0) fail_msg("%s", dcs_error_message());
  for (int p = 0; p < POINTS; p++)
    if (!(fabs(map[p] - direct[p]) <= 1e-3 * sqrt(squares / POINTS) + 1e-5 * fabs(direct[p])))
      fail_msg("point %d: found %.9g, expected %.9g", p, map[p], direct[p]);
  dcs_mapper_close(m);
}

/* A tolerance is of this map, whatever the handle computed before: charges of a millionth after
 * others in the same places of memory are as exact as in a handle of their own. */
static void a_tolerance_is_of_each_map(void **state) {
  (void)state;
  static float alone[POINTS];
  dcs_mapper *m = open_mapper("cpu", NULL), *fresh = open_mapper("cpu", NULL);
  for (int i = 0; i < 2; i++) {
    dcs_map_request r = request_of(300);
    r.tolerance = 1e-3;
    for (int a = 0; a < 300; a++)
      atoms[4 * a + 3] = (a % 2 ? 1 : -1) * (i == 0 ? 1e6 : 1 + 0.3 * sin((double)a));
    assert_int_equal(dcs_map(m, &r, map), 0);
    if (i == 0) continue;
    assert_int_equal(dcs_map(fresh, &r, alone), 0);
    assert_memory_equal(map, alone, sizeof map);
    r.tolerance = 0;
    double squares = 0, worst = 0;
    assert_int_equal(dcs_map(fresh, &r, alone), 0);
    for (int p = 0; p < POINTS; p++) {
      squares += alone[p] * alone[p];
      worst = fmax(worst, fabsf(map[p] - alone[p]) - 1e-5 * fabsf(alone[p]));
    }
    assert_true(worst <= 1e-3 * sqrt(squares / POINTS));
  }
  dcs_mapper_close(m);
  dcs_mapper_close(fresh);
}

/* The request of the same atoms and grid, so many times as large; from 0, near which coordinates
 * tell points apart at every spacing. */
static dcs_map_request scaled(double scale) {
  dcs_map_request r = request_of(60);
  for (int64_t a = 0; a < r.n_atoms; a++)
    for (int d = 0; d < 3; d++)
      atoms[4 * a + d] = scale * (atoms[4 * a + d] - r.origin[d]);
  for (int d = 0; d < 3; d++)
    r.origin[d] = 0;
  for (int d = 0; d < 3; d++)
    atoms[d] = scale * r.spacing * (3 + (d == 0 ? 2e-6 : 0)); /* as near to a point as counts */
  r.spacing *= scale;
  return r;
}

/* At the least and the greatest spacing the map is right, beyond them there is none. */
static void spacings_are_right_or_refused(void **state) {
  (void)state;
  static const char *const devices[] = {"cpu", "emulated"};
  for (int d = 0; d < 2; d++) {
    dcs_mapper *m = open_mapper(devices[d], NULL);
    dcs_map_request r = scaled(2e-12);
    assert_computes(m, &r);
    r = scaled(2e7);
    assert_computes(m, &r);
    static const double wrong[] = {0, -1, 1e-23, 1e-22, 0.99e-12, 1.01e7, 1e19, 1e300, INFINITY};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
      char text[64], expected[128];
      r.spacing = wrong[w];
      snprintf(expected, sizeof expected, "spacing %g; expected 1e-12 to 1e+07 angstrom", wrong[w]);
      assert_int_equal(dcs_map(m, &r, map), DCS_USAGE);
      assert_contains(dcs_error_message(), expected);
      assert_int_equal(dcs_explain(m, &r, text, sizeof text), DCS_USAGE);
      assert_contains(dcs_error_message(), expected);
    }
    dcs_mapper_close(m);
  }
}

/* The largest error over the root mean square of an Ewald sum at all points, which lie apart from
 * atoms or not. */
static double periodic_error(const dcs_map_request *r, const double cell[3]) {
  static double points[POINTS][3], expected[POINTS];
  dcs_site *sites = calloc((size_t)r->n_atoms, sizeof *sites);
  double error = 0, squares = 0;
  for (int64_t a = 0; a < r->n_atoms; a++)
    sites[a] = (dcs_site){.x = r->atoms[4 * a],
                          .y = r->atoms[4 * a + 1],
                          .z = r->atoms[4 * a + 2],
                          .q = r->atoms[4 * a + 3]};
  for (int p = 0; p < POINTS; p++) {
    const int at[3] = {p % NX, p / NX % NY, p / NX / NY};
    for (int d = 0; d < 3; d++)
      points[p][d] = r->origin[d] + r->spacing * at[d];
  }
  assert_int_equal(dcs_ewald(sites, r->n_atoms, cell, 1e-9, points, POINTS, expected), DCS_OK);
  for (int p = 0; p < POINTS; p++) {
    error = fmax(error, fabs((double)map[p] - expected[p]));
    squares += expected[p] * expected[p];
  }
  free(sites);
  return error / sqrt(squares / POINTS);
}

/* In the cell that the grid spans, and in others: one that it reaches beyond, and one that it is a
 * part of. Charges are of one sign. */
static void periodic_maps(void **state) {
  (void)state;
  static const double cells[][3] = {{0, 0, 0}, {5, 7, 0}, {14, 11, 13}};
  dcs_mapper *m = open_mapper("cpu", NULL);
  char text[4096];
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
    dcs_map_request r = request_of(40);
    const double spanned[3] = {NX * r.spacing, NY * r.spacing, NZ * r.spacing};
    double cell[3];
    r.tolerance = 1e-4;
    r.periodic = 1;
    for (int d = 0; d < 3; d++) {
      r.cell[d] = cells[k][d];
      cell[d] = r.cell[d] > 0 ? r.cell[d] : spanned[d];
    }
    if (dcs_explain(m, &r, text, sizeof text) == 0 && !strstr(text, "cpu_mesh"))
      break; /* no FFTW */
    if (dcs_map(m, &r, map) != 0) fail_msg("%s", dcs_error_message());
    assert_true(periodic_error(&r, cell) <= 1e-4);
  }
  dcs_mapper_close(m);
}

static void refuse(dcs_mapper *m, const dcs_map_request *r, const char *part) {
  assert_int_equal(dcs_map(m, r, map), DCS_USAGE);
  assert_contains(dcs_error_message(), part);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = request_of(5);
  r.n_atoms = 0;
  refuse(m, &r, "0 atoms");
  r = request_of(5);
  r.spacing = NAN;
  refuse(m, &r, "spacing nan");
  r = request_of(5);
  r.cutoff = -1;
  refuse(m, &r, "cutoff -1");
  r.cutoff = NAN;
  refuse(m, &r, "cutoff nan");
  r.cutoff = 0;
  r.switched = 1;
  refuse(m, &r, "switched is 1 and cutoff 0; expected a cutoff");
  r = request_of(5);
  r.tolerance = 0.6;
  refuse(m, &r, "tolerance 0.6");
  r.tolerance = NAN;
  refuse(m, &r, "tolerance nan");
  r.tolerance = 0.01;
  r.cutoff = 5;
  refuse(m, &r, "tolerance: found 0.01 with a cutoff of 5");
  r = request_of(5);
  r.periodic = 1;
  refuse(m, &r, "boundary: found periodic without a tolerance");
  r.tolerance = 0.01;
  r.cell[1] = -1;
  refuse(m, &r, "cell[1] is -1");
  r.cell[1] = 9;
  r.periodic = 0;
  refuse(m, &r, "cell[1] is 9 and periodic 0; expected periodic 1");
  r = request_of(5);
  r.ny = 0;
  refuse(m, &r, "19x0x6");
  r = request_of(5);
  r.nx = r.ny = r.nz = INT64_C(1) << 30;
  refuse(m, &r, "2^40");
  r = request_of(5);
  r.origin[2] = INFINITY;
  refuse(m, &r, "origin[2]");
  r = request_of(5);
  atoms[4 * 3 + 3] = NAN;
  refuse(m, &r, "atom 3: q is nan");
  r = request_of(5);
  r.atoms = NULL;
  refuse(m, &r, "exactly one");
  dcs_mapper_close(m);
  dcs_mapper_close(NULL);
  dcs_mapper *none;
  assert_int_equal(dcs_mapper_open(&(dcs_mapper_options){.device = "cuda:x"}, &none), DCS_USAGE);
  assert_null(none);
}

/* Where a pointer is needed, and a size of 0 needs none. */
static void null_is_refused(void **state) {
  (void)state;
  dcs_mapper *m = open_mapper("cpu", NULL);
  const dcs_map_request r = request_of(5);
  dcs_mean_request of_frames = {.map = r, .charges = (double[]){1, 1, 1, 1, 1}};
  dcs_mean *mean;
  char text[9];
  assert_int_equal(dcs_mapper_open(NULL, NULL), DCS_USAGE);
  assert_int_equal(dcs_map(NULL, &r, map), DCS_USAGE);
  assert_string_equal(dcs_error_message(), "mapper is NULL; expected one");
  assert_int_equal(dcs_map(m, NULL, map), DCS_USAGE);
  assert_int_equal(dcs_map(m, &r, NULL), DCS_USAGE);
  assert_string_equal(dcs_error_message(), "map is NULL; expected one");
  assert_int_equal(dcs_explain(NULL, &r, text, sizeof text), DCS_USAGE);
  assert_int_equal(dcs_explain(m, NULL, text, sizeof text), DCS_USAGE);
  assert_int_equal(dcs_explain(m, &r, NULL, sizeof text), DCS_USAGE);
  assert_int_equal(dcs_explain(m, &r, NULL, 0), 0);
  assert_true(dcs_map_method_ns(NULL) == 0);
  assert_int_equal(dcs_mean_open(NULL, &of_frames, &mean), DCS_USAGE);
  assert_int_equal(dcs_mean_open(m, NULL, &mean), DCS_USAGE);
  assert_int_equal(dcs_mean_open(m, &of_frames, NULL), DCS_USAGE);
  assert_int_equal(dcs_mean_add(NULL, atoms, NULL), DCS_USAGE);
  assert_int_equal(dcs_mean_finish(NULL, map, NULL, NULL), DCS_USAGE);
  dcs_mapper_close(m);
}

static void nothing_of_the_caller_is_touched(void **state) {
  (void)state;
  static const int signals[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD};
  for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++)
    signal(signals[s], SIG_DFL);
  dcs_mapper *m = open_mapper("cpu", "/nowhere/dispatch.csv");
  dcs_map_request r = request_of(20);
  assert_computes(m, &r);
  assert_explains(m, &r, "dispatch table not used: /nowhere/dispatch.csv");
  for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++) {
    struct sigaction now;
    assert_int_equal(sigaction(signals[s], NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
  }
  dcs_mapper_close(m);
}

/* ---- a stranger's program ---- */

static void a_program_is_built_with_the_library(void **state) {
  (void)state;
  const char *build = getenv("BUILD"), *cc = getenv("CC");
  char command[8192], options[512];
  linker_options(options);
  build = build && *build ? build : "build";
  snprintf(command, sizeof command,
           "%s -std=c99 -Wall -Wextra -Werror tests/example_map.c -o %s -I%s/include -L%s -ldcs%s "
           "%s -ldl -lm && %s > %s 2> %s",
           cc && *cc ? cc : "cc", in_folder("example"), build, build, options, csv_option(),
           in_folder("example"), in_folder("values"), in_folder("why"));
  if (system(command) != 0) fail_msg("failed: %s\n%s", command, get_file(in_folder("why"), NULL));
  char *why = get_file(in_folder("why"), NULL), *values = get_file(in_folder("values"), NULL);
  assert_contains(why, "150 atoms, 21x13x7 points, in host memory: ");
  char *next = values;
  for (int n = 0; n < 2 * 21 * 13 * 7; n++) {
    int p = n % (21 * 13 * 7);
    double sum = 0, size = 0;
    for (int a = 0; a < 150; a++) {
      double x = -1 + 0.5 * (p % 21) - (5 + 4 * sin(a)), q = a % 2 ? 0.5 : -0.75;
      double y = -2 + 0.5 * (p / 21 % 13) - (3 + 2 * cos(a));
      double z = -0.5 + 0.5 * (p / 21 / 13) - (1 + 0.01 * a), r = sqrt(x * x + y * y + z * z);
      sum += q / r;
      size += fabs(q) / r;
    }
    double found = strtod(next, &next);
    if (!(fabs(found - sum) <= 2e-6 * size))
      fail_msg("value %d: found %.9g, expected %.9g", n, found, sum);
  }
  free(why);
  free(values);
}

static void the_header_is_good_cxx(void **state) {
  (void)state;
  const char *build = getenv("BUILD");
  char command[1024];
  put_file(in_folder("user.cc"),
           "#include <dcsbench.h>\nint main() { dcs_mapper_close(0); return 0; }\n");
  snprintf(command, sizeof command,
           "c++ -std=c++11 -Wall -Wextra -Werror -pedantic -I%s/include -fsyntax-only %s",
           build && *build ? build : "build", in_folder("user.cc"));
  if (system(command) != 0) fail_msg("failed: %s", command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_are_right_one_after_another),
      cmocka_unit_test(maps_on_a_device_one_after_another),
      cmocka_unit_test(points_on_atoms_far_origins_and_no_charges),
      cmocka_unit_test(float_coordinates),
      cmocka_unit_test(maps_within_a_cutoff),
      cmocka_unit_test(maps_to_a_tolerance),
      cmocka_unit_test(a_tolerance_is_of_each_map),
      cmocka_unit_test(periodic_maps),
      cmocka_unit_test(spacings_are_right_or_refused),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(null_is_refused),
      cmocka_unit_test(nothing_of_the_caller_is_touched),
      cmocka_unit_test(a_program_is_built_with_the_library),
      cmocka_unit_test(the_header_is_good_cxx),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
