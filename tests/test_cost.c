/* The costs that a method's time is made of: how they are counted, fitted, and written as C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch_run.h"

/* ---- planted times ---- */

enum { UNITS = 10, MOST = 256 };
static dcs_cost_sample planted[MOST];
static size_t n_planted;

static const dcs_tiling slices = {.tile = {32, 4, 1},
                                  .slices = 1,
                                  .chunk = 1000,
                                  .shares = 1,
                                  .threads = 128,
                                  .blocks = true,
                                  .constant = true};
static const dcs_tiling shared = {.tile = {32, 8, 4}, .shares = 16, .threads = 128, .blocks = true};

static dcs_size cube(int64_t atoms, int64_t edge, int64_t depth) {
  return (dcs_size){atoms, {edge, edge, depth}, 1, 0};
}

/* Times by `cost` of 10 to 10,000 atoms on grids of many edges. */
static void plant(const dcs_cost *cost) {
  n_planted = 0;
  for (int64_t atoms = 10; atoms <= 10000; atoms *= 10)
    for (int64_t edge = 24; edge <= 640; edge += edge / 3)
      for (int64_t depth = 1; depth <= 16; depth += 15) {
        dcs_cost_sample *s = &planted[n_planted++];
        assert_true(n_planted <= MOST);
        *s = (dcs_cost_sample){.size = cube(atoms, edge, depth), .weight = 1};
        s->ns = dcs_cost_ns(cost, &s->size);
      }
}

static double off(const dcs_cost *fitted, const dcs_cost *cost, dcs_size size) {
  return fabs(dcs_cost_ns(fitted, &size) / dcs_cost_ns(cost, &size) - 1);
}

/* At sizes between the planted ones and beyond. */
static void assert_alike(const dcs_cost *fitted, const dcs_cost *cost) {
  static const int64_t edges[] = {17, 100, 333, 500, 1000}, numbers[] = {30, 2000, 1000000};
  for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++)
    for (size_t a = 0; a < sizeof numbers / sizeof numbers[0]; a++) {
      dcs_size size = cube(numbers[a], edges[e], 5);
      if (!(off(fitted, cost, size) < 0.02))
        fail_msg("%lld atoms, edge %lld: found %g, expected %g", (long long)numbers[a],
                 (long long)edges[e], dcs_cost_ns(fitted, &size), dcs_cost_ns(cost, &size));
    }
}

/* ---- counting ---- */

/* The busiest multiprocessor has one block of 10 and two of 11 to 20. */
static void the_last_turn_takes_as_long_as_a_full_one(void **state) {
  (void)state;
  dcs_cost cost = {.shape = slices, .units = UNITS};
  cost.ns[DCS_COST_TURN_STEP] = 7;
  const dcs_size ten = {5, {320, 4, 1}, 1, 0}, eleven = {5, {321, 4, 1}, 1, 0};
  const dcs_size twenty = {5, {320, 8, 1}, 1, 0};
  assert_true(dcs_cost_ns(&cost, &ten) == 5 * 7);
  assert_true(dcs_cost_ns(&cost, &eleven) == 2 * 5 * 7);
  assert_true(dcs_cost_ns(&cost, &twenty) == 2 * 5 * 7);
  cost.together = 1;
  cost.ns[DCS_COST_LATE_STEP] = 100;
  assert_true(dcs_cost_ns(&cost, &ten) == 5 * 7);
  assert_true(dcs_cost_ns(&cost, &twenty) == 2 * 5 * 7 + 5 * 100);
}

/* 16 blocks of a tile have 10 atoms each; of 3 atoms, each has a block of its own. */
static void blocks_share_the_atoms_that_there_are(void **state) {
  (void)state;
  dcs_cost cost = {.shape = shared, .units = UNITS};
  cost.ns[DCS_COST_STEP] = 1;
  assert_true(dcs_cost_ns(&cost, &(dcs_size){160, {32, 8, 4}, 1, 0}) == 10);
  assert_true(dcs_cost_ns(&cost, &(dcs_size){3, {32, 8, 4}, 1, 0}) == 1);
  cost.ns[DCS_COST_STEP] = 0;
  cost.ns[DCS_COST_TURN] = 1;
  assert_true(dcs_cost_ns(&cost, &(dcs_size){160, {32, 8, 4}, 1, 0}) == 2);
  assert_true(dcs_cost_ns(&cost, &(dcs_size){3, {32, 8, 4}, 1, 0}) == 1);
}

/* Of a variant whose blocks share atoms and of one whose do not. */
static void shares_are_those_of_the_plan(void **state) {
  (void)state;
  int sharing = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    if (dcs_variants[v]->backend == DCS_CPU) continue;
    dcs_config config = dcs_initial_config(dcs_variants[v], 1);
    dcs_tiling shape = dcs_tiling_of(dcs_variants[v], &config);
    int splits = dcs_config_value(dcs_variants[v], &config, "splits", 1);
    assert_int_equal(shape.shares, splits);
    assert_true(shape.threads > 0);
    sharing += splits > 1;
  }
  assert_true(sharing > 0);
}

/* A block goes through more atoms than any of its points has within the cutoff, and no more than
 * there are. */
static void blocks_reach_beyond_their_points(void **state) {
  (void)state;
  dcs_cost cost = {.shape = shared, .units = UNITS, .cutoff_least = 5, .cutoff_most = 5};
  cost.ns[DCS_COST_STEP] = 16;
  dcs_size size = cube(1600, 100, 100);
  size.cutoff = 5;
  double steps = dcs_cost_ns(&cost, &size);
  assert_true(steps > 1600 * dcs_size_share(&size) && steps < 1600);
  size.n = (dcs_dims){8, 8, 4};
  assert_close(dcs_cost_ns(&cost, &size), 1600);
}

/* ---- fitting ---- */

static void planted_costs_are_found(void **state) {
  (void)state;
  dcs_cost cost = {.shape = slices, .units = UNITS, .together = 6}, fitted, blind;
  cost.ns[DCS_COST_MAP] = 4000;
  cost.ns[DCS_COST_LAUNCH] = 9000;
  cost.ns[DCS_COST_STEP] = 27;
  cost.ns[DCS_COST_TURN_STEP] = 14;
  cost.ns[DCS_COST_LATE_STEP] = 100;
  plant(&cost);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, UNITS, 6 * 128, &fitted) < 1e-6);
  assert_true(fitted.units == UNITS && fitted.together == 6);
  assert_alike(&fitted, &cost);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, UNITS, 0, &blind) > 0.1);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, UNITS, 2 * 128, &blind) > 0.1);
}

static void shared_atoms_are_fitted(void **state) {
  (void)state;
  dcs_cost cost = {.shape = shared, .units = UNITS}, fitted;
  cost.ns[DCS_COST_MAP] = 5000;
  cost.ns[DCS_COST_TURN] = 300;
  cost.ns[DCS_COST_STEP] = 45;
  cost.ns[DCS_COST_TURN_STEP] = 36;
  plant(&cost);
  assert_true(dcs_cost_fit(planted, n_planted, &shared, UNITS, 768, &fitted) < 1e-6);
  assert_true(fitted.together == 0); /* its atoms lie elsewhere */
  assert_alike(&fitted, &cost);
}

/* What is known of a time is not explained a second time. */
static void the_rest_of_the_times_is_what_moving_costs(void **state) {
  (void)state;
  dcs_cost kernel = {.shape = slices, .units = UNITS}, moved = {.shape = slices};
  double ns[DCS_COST_MOVED];
  kernel.ns[DCS_COST_TURN_STEP] = 3;
  moved.ns[DCS_COST_MAP] = 30000;
  moved.ns[DCS_COST_POINT] = 0.3;
  moved.ns[DCS_COST_ATOM] = 1.5;
  plant(&moved);
  for (size_t s = 0; s < n_planted; s++) {
    planted[s].known_ns = dcs_cost_ns(&kernel, &planted[s].size);
    planted[s].ns += planted[s].known_ns;
  }
  dcs_cost_fit_moved(planted, n_planted, ns);
  for (int t = 0; t < DCS_COST_MOVED; t++)
    assert_true(fabs(ns[t] / moved.ns[t] - 1) < 1e-3);
}

/* ---- the header ---- */

static const char times_user[] =
    "#include \"dispatch.h\"\n#include <stdio.h>\n"
    "int main(void) {\n"
    "  static const int64_t atoms[] = {1, 5, 900, 3000000};\n"
    "  static const int64_t n[][3] = {{1, 1, 1}, {31, 7, 5}, {321, 200, 9}, {900, 800, 700}};\n"
    "  int m, a, i;\n"
    "  for (m = 0; m < (int)DCS_DISPATCH_METHODS; m++)\n"
    "    for (a = 0; a < 4; a++)\n"
    "      for (i = 0; i < 4; i++) {\n"
    "        const dcs_dispatch_method *own = &dcs_dispatch_methods[m];\n"
    "        printf(\"%.17g\\n\", dcs_dispatch_ns(own, atoms[a], n[i][0], n[i][1], n[i][2], 0.5, "
    "own->sum ? 4.0 : 0.0));\n"
    "      }\n"
    "  return 0;\n}\n";

/* A method of every variant in every sum that it has, each cost another one. */
static void put_every_variant(dcs_dispatch *d) {
  *d = (dcs_dispatch){0};
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    dcs_dispatch_table *t = &d->tables[variant->cutoff ? 1 + DCS_SMOOTH_C2 : 0][v % 3];
    if (t->n == DCS_DISPATCH_MOST) continue;
    dcs_dispatch_method *m = &t->list[t->n++];
    *m = (dcs_dispatch_method){.variant = variant, .config = dcs_initial_config(variant, 1)};
    m->cost.shape = dcs_tiling_of(variant, &m->config);
    m->cost.units = m->cost.shape.blocks ? UNITS : variant->cutoff ? 1 : 0;
    m->cost.together = m->cost.shape.constant ? 3 : 0;
    m->cost.atoms_least = v % 2 ? 5 : 0;
    if (variant->cutoff) m->cost.cutoff_least = m->cost.cutoff_most = 4;
    for (int c = 0; c < DCS_COST_TERMS; c++)
      m->cost.ns[c] = 1 + 0.37 * c + v;
  }
}

static void the_header_has_the_same_times(void **state) {
  (void)state;
  static const int64_t atoms[] = {1, 5, 900, 3000000};
  static const dcs_dims n[] = {{1, 1, 1}, {31, 7, 5}, {321, 200, 9}, {900, 800, 700}};
  dcs_dispatch d;
  mkdir(in_folder("run"), 0777);
  put_every_variant(&d);
  assert_int_equal(dcs_dispatch_write_header(run_path("dispatch.h"), &d), DCS_OK);
  put_file(run_path("user.c"), times_user);
  run_user("cc -std=c99", "user.c");
  char *times = run_file("run", "picks", NULL), *next = times;
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < d.tables[sum][s].n; m++)
        for (int a = 0; a < 4; a++)
          for (int i = 0; i < 4; i++) {
            const dcs_size size = {atoms[a], n[i], 0.5, sum > 0 ? 4 : 0};
            const double ns = dcs_cost_ns(&d.tables[sum][s].list[m].cost, &size);
            const double found = strtod(next, &next);
            assert_true(isfinite(ns) ? fabs(found / ns - 1) < 1e-12 : found == -1);
          }
  assert_string_equal(next, "\n");
  free(times);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_turn_takes_as_long_as_a_full_one),
      cmocka_unit_test(blocks_share_the_atoms_that_there_are),
      cmocka_unit_test(shares_are_those_of_the_plan),
      cmocka_unit_test(blocks_reach_beyond_their_points),
      cmocka_unit_test(planted_costs_are_found),
      cmocka_unit_test(shared_atoms_are_fitted),
      cmocka_unit_test(the_rest_of_the_times_is_what_moving_costs),
      cmocka_unit_test(the_header_has_the_same_times),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
