/* The library: the mean of frames, and one handle that many threads use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "library/map_slabs.h"
#include "tests/library_map.h"

#include <pthread.h>

enum { ATOMS = 25, FRAMES = 21 };

static double charges[ATOMS], places[3 * ATOMS];

/* The frame's atoms, as `atoms` has them for a map and `places` for a mean. */
static dcs_map_request frame(int f) {
  const dcs_map_request r = request_of(ATOMS);
  for (int a = 0; a < ATOMS; a++) {
    atoms[4 * a] += 0.2 * sin(f + a);
    charges[a] = atoms[4 * a + 3];
    memcpy(places + 3 * a, atoms + 4 * a, 3 * sizeof *places);
  }
  return r;
}

static dcs_mean *open_mean(dcs_mapper *m, const dcs_map_request *r, int variance) {
  dcs_mean *mean;
  const dcs_mean_request request = {
      .map = *r, .charges = charges, .variance = variance, .frames = FRAMES};
  if (dcs_mean_open(m, &request, &mean) != 0) fail_msg("%s", dcs_error_message());
  return mean;
}

/* By the definition, from maps that are computed one by one. */
static void the_mean_is_that_of_the_maps(void **state) {
  (void)state;
  static double sum[POINTS], squares[POINTS];
  static float mean_is[POINTS], variance_is[POINTS], error_is[POINTS], maps[FRAMES][POINTS];
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = frame(0);
  dcs_mean *mean = open_mean(m, &r, 1);
  for (int f = 0; f < FRAMES; f++) {
    r = frame(f);
    if (dcs_mean_add(mean, places, NULL) != 0) fail_msg("%s", dcs_error_message());
    assert_int_equal(dcs_map(m, &r, maps[f]), 0); /* others may be computed meanwhile */
    for (int p = 0; p < POINTS; p++)
      sum[p] += (double)maps[f][p];
  }
  if (dcs_mean_finish(mean, mean_is, variance_is, error_is) != 0)
    fail_msg("%s", dcs_error_message());
  for (int f = 0; f < FRAMES; f++)
    for (int p = 0; p < POINTS; p++)
      squares[p] += pow((double)maps[f][p] - sum[p] / FRAMES, 2);
  for (int p = 0; p < POINTS; p++) {
    const double variance = squares[p] / (FRAMES - 1);
    assert_true(fabs((double)mean_is[p] * FRAMES / sum[p] - 1) < 1e-6);
    assert_true(fabs((double)variance_is[p] - variance) <= 1e-5 * variance);
    assert_true(fabs((double)error_is[p] - sqrt(variance / FRAMES)) <= 1e-5 * error_is[p]);
  }
  assert_int_equal(dcs_mean_add(mean, places, NULL), DCS_USAGE);
  dcs_mean_close(mean);
  dcs_mapper_close(m);
}

/* Edges that change are heeded: in a larger cell images are farther away. */
static void frames_have_cells_of_their_own(void **state) {
  (void)state;
  static float is[POINTS];
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = frame(0);
  r.tolerance = 0.01;
  r.periodic = 1;
  dcs_mean *mean = open_mean(m, &r, 0);
  const double cells[2][3] = {{10, 8, 6}, {12, 9, 7}};
  int status = 0;
  for (int f = 0; f < 2; f++) {
    memcpy(r.cell, cells[f], sizeof r.cell);
    status = dcs_mean_add(mean, places, cells[f]);
    if (status == DCS_UNAVAILABLE) break; /* no method computes what is periodic */
    if (status != 0) fail_msg("%s", dcs_error_message());
    assert_int_equal(dcs_map(m, &r, f == 0 ? is : map), 0);
  }
  if (status == 0) {
    float both[POINTS];
    assert_int_equal(dcs_mean_finish(mean, both, NULL, NULL), 0);
    for (int p = 0; p < POINTS; p++)
      assert_true(fabsf(both[p] - 0.5F * (is[p] + map[p])) <= 1e-2F);
    assert_true(fabsf(is[0] - map[0]) > 1e-2F);
  }
  dcs_mean_close(mean);
  dcs_mapper_close(m);
}

static void wrong_means_are_refused(void **state) {
  (void)state;
  static float values[POINTS];
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = frame(0);
  dcs_mean *mean, *none;
  assert_int_equal(dcs_mean_open(m, &(dcs_mean_request){.map = r}, &none), DCS_USAGE);
  assert_null(none);
  r.nx = 0;
  assert_int_equal(dcs_mean_open(m, &(dcs_mean_request){.map = r, .charges = charges}, &none),
                   DCS_USAGE);
  r.nx = r.ny = (int64_t)1 << 31; /* times 4 slices: 2^64 points */
  r.nz = 4;
  assert_int_equal(dcs_mean_open(m, &(dcs_mean_request){.map = r, .charges = charges}, &none),
                   DCS_USAGE);
  assert_contains(dcs_error_message(), "more points than 2^40");
  static const double bad[] = {NAN, INFINITY, -2e12};
  for (int i = 0; i < 3; i++) {
    r = frame(0);
    charges[7] = bad[i];
    assert_int_equal(dcs_mean_open(m, &(dcs_mean_request){.map = r, .charges = charges}, &none),
                     DCS_USAGE);
    assert_null(none);
    assert_contains(dcs_error_message(), "atom 7: q is ");
  }
  r = frame(0);
  mean = open_mean(m, &r, 0);
  assert_int_equal(dcs_mean_add(mean, NULL, NULL), DCS_USAGE);
  assert_contains(dcs_error_message(), "no places");
  assert_int_equal(dcs_mean_add(mean, places, (double[]){10, 8, 6}), DCS_USAGE);
  assert_contains(dcs_error_message(), "the request is not periodic");
  places[4] = NAN;
  assert_int_equal(dcs_mean_add(mean, places, NULL), DCS_INPUT);
  assert_contains(dcs_error_message(), "frame 1: atom 2 is at");
  assert_int_equal(dcs_mean_finish(mean, values, NULL, NULL), DCS_USAGE);
  assert_contains(dcs_error_message(), "no frames");
  dcs_mean_close(mean);
  dcs_mean_close(NULL);
  dcs_mapper_close(m);
}

/* No edge is taken from elsewhere. */
static void wrong_cells_are_refused(void **state) {
  (void)state;
  static const double cells[][3] = {{10, 0, 6}, {0, 8, 6}, {-10, 8, 6}, {NAN, 8, 6}, {10, 8, 2e6}};
  dcs_mapper *m = open_mapper("cpu", NULL);
  dcs_map_request r = frame(0);
  r.tolerance = 0.01;
  r.periodic = 1;
  dcs_mean *mean = open_mean(m, &r, 0);
  for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
    assert_int_equal(dcs_mean_add(mean, places, cells[c]), DCS_INPUT);
    assert_contains(dcs_error_message(), "frame 1: found a cell with edges of ");
  }
  dcs_mean_close(mean);
  dcs_mapper_close(m);
}

/* ---- many threads ---- */

enum { THREADS = 4, MAPS = 5 };

typedef struct {
  dcs_mapper *mapper;
  dcs_mean *mean;
  dcs_map_request request;
  double own[4 * ATOMS];
  float expected[POINTS];
  int wrong;
} caller;

static void *compute_maps(void *data) {
  caller *c = data;
  static _Thread_local float is[POINTS];
  char text[4096];
  for (int i = 0; i < MAPS; i++) {
    c->wrong += dcs_map(c->mapper, &c->request, is) != 0;
    c->wrong += memcmp(is, c->expected, sizeof is) != 0;
    c->wrong += dcs_explain(c->mapper, &c->request, text, sizeof text) != 0;
    c->wrong += !(dcs_map_method_ns(c->mapper) > 0);
    c->wrong += dcs_mean_add(c->mean, places, NULL) != 0;
  }
  return NULL;
}

/* Each gets its own map, whatever others ask for at the same time. */
static void threads_share_a_handle(void **state) {
  (void)state;
  static caller callers[THREADS];
  static float values[POINTS];
  pthread_t threads[THREADS];
  dcs_mapper *m = open_mapper("cpu", NULL);
  const dcs_map_request r = frame(0);
  dcs_mean *mean = open_mean(m, &r, 0);
  for (int t = 0; t < THREADS; t++) {
    caller *c = &callers[t];
    *c = (caller){.mapper = m, .mean = mean, .request = frame(t)};
    memcpy(c->own, atoms, sizeof c->own);
    c->request.atoms = c->own;
    assert_int_equal(dcs_map(m, &c->request, c->expected), 0);
  }
  frame(0);
  for (int t = 0; t < THREADS; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, compute_maps, &callers[t]), 0);
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    assert_int_equal(callers[t].wrong, 0);
  }
  assert_int_equal(dcs_mean_finish(mean, values, NULL, NULL), 0);
  assert_memory_equal(values, callers[0].expected, sizeof values); /* of one frame, 20 times */
  dcs_mean_close(mean);
  dcs_mapper_close(m);
}

/* ---- several devices ---- */

static void devices_share_a_map(void **state) {
  (void)state;
  static float alone[POINTS];
  dcs_mapper *one = open_mapper("emulated", NULL), *two = open_mapper("emulated,emulated", NULL);
  dcs_map_request r = request_of(60);
  r.cutoff = 3; /* whose highest rung is one that devices can share */
  for (int i = 0; i < 2; i++) {
    atoms[3] += i;
    assert_computes(one, &r);
    memcpy(alone, map, sizeof alone);
    assert_computes(two, &r);
    assert_memory_equal(map, alone, sizeof alone);
  }
  dcs_mapper_close(one);
  dcs_mapper_close(two);
}

/* ---- plans that depend on atoms ---- */

/* A map to the tolerance, held against the direct one. */
static void assert_to_tolerance(dcs_mapper *m, dcs_mapper *right, dcs_map_request r) {
  static float direct[POINTS];
  double squares = 0;
  assert_computes(right, &r);
  memcpy(direct, map, sizeof map);
  for (int p = 0; p < POINTS; p++)
    squares += direct[p] * direct[p];
  r.tolerance = 1e-3;
  if (dcs_map(m, &r, map) != 0) fail_msg("%s", dcs_error_message());
  for (int p = 0; p < POINTS; p++)
    assert_true(fabs(map[p] - direct[p]) <= 1e-3 * sqrt(squares / POINTS));
}

/* Meshes are laid out for the atoms: others, of the same number, get others. */
static void other_atoms_get_other_plans(void **state) {
  (void)state;
  char text[DCS_METHOD_TEXT], config[DCS_TEXT];
  dcs_mapper *right = open_mapper("cpu", NULL);
  int looking = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    const dcs_config initial = dcs_initial_config(variant, 1);
    if (!variant->looks || dcs_kind_of(variant) != dcs_kinds[0]) continue;
    dcs_mapper *m = open_mapper("emulated", NULL);
    snprintf(text, sizeof text, "%s %s", variant->id, dcs_format_config(variant, &initial, config));
    if (dcs_mapper_keep(m, text) != DCS_OK) fail_msg("%s", dcs_error_message());
    for (int i = 0; i < 2; i++) {
      const dcs_map_request r = request_of(40);
      for (int a = 0; a < 40; a++)
        for (int d = 0; i == 1 && d < 3; d++)
          atoms[4 * a + d] += 1.2 * (atoms[4 * a + d] - r.origin[d]);
      assert_to_tolerance(m, right, r);
    }
    dcs_mapper_close(m);
    looking++;
  }
  assert_true(looking > 0);
  dcs_mapper_close(right);
}

static void a_method_of_another_kind_is_refused(void **state) {
  (void)state;
  dcs_mapper *m = open_mapper("cpu", NULL);
  assert_int_equal(dcs_mapper_keep(m, "cpu_born threads=1,isa=portable"), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "of born; expected one of coulomb"));
  dcs_mapper_close(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mean_is_that_of_the_maps),
      cmocka_unit_test(frames_have_cells_of_their_own),
      cmocka_unit_test(wrong_means_are_refused),
      cmocka_unit_test(wrong_cells_are_refused),
      cmocka_unit_test(threads_share_a_handle),
      cmocka_unit_test(devices_share_a_map),
      cmocka_unit_test(a_method_of_another_kind_is_refused),
      cmocka_unit_test(other_atoms_get_other_plans),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
