/* The costs that a method's time is made of: how they are counted, fitted, and written as C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/dispatch_run.h"

/* ---- planted times ---- */

enum { SMS = 10, MOST = 256 };
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
  return size_of("", atoms, (dcs_dims){edge, edge, depth});
}

static double ns_of(const dcs_cost *cost, const dcs_size *size) {
  return dcs_cost_ns(cost, size, 1);
}

static double ns_at(const dcs_cost *cost, int64_t atoms, dcs_dims n) {
  const dcs_size size = size_of("", atoms, n);
  return ns_of(cost, &size);
}

/* Times by `cost` of 10 to 10,000 atoms on grids of many edges. */
static void plant(const dcs_cost *cost) {
  n_planted = 0;
  for (int64_t atoms = 10; atoms <= 10000; atoms *= 10)
    for (int64_t edge = 24; edge <= 640; edge += edge / 3)
      for (int64_t depth = 1; depth <= 16; depth += 15) {
        dcs_cost_sample *s = &planted[n_planted++];
        assert_true(n_planted <= MOST);
        *s = (dcs_cost_sample){.size = cube(atoms, edge, depth), .spacing = 1, .weight = 1};
        s->ns = ns_of(cost, &s->size);
      }
}

static double off(const dcs_cost *fitted, const dcs_cost *cost, dcs_size size) {
  return fabs(ns_of(fitted, &size) / ns_of(cost, &size) - 1);
}

/* At sizes between the planted ones and beyond. */
static void assert_alike(const dcs_cost *fitted, const dcs_cost *cost) {
  static const int64_t edges[] = {17, 100, 333, 500, 1000}, numbers[] = {30, 2000, 1000000};
  for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++)
    for (size_t a = 0; a < sizeof numbers / sizeof numbers[0]; a++) {
      dcs_size size = cube(numbers[a], edges[e], 5);
      if (!(off(fitted, cost, size) < 0.02))
        fail_msg("%lld atoms, edge %lld: found %g, expected %g", (long long)numbers[a],
                 (long long)edges[e], ns_of(fitted, &size), ns_of(cost, &size));
    }
}

/* ---- counting ---- */

/* The busiest SM has one block of 10 and two of 11 to 20. */
static void the_last_wave_takes_as_long_as_a_full_one(void **state) {
  (void)state;
  dcs_cost cost = {.shape = slices, .sms = SMS};
  cost.ns[DCS_COST_WAVE_STEP] = 7;
  const dcs_dims ten = {320, 4, 1}, eleven = {321, 4, 1}, twenty = {320, 8, 1};
  assert_true(ns_at(&cost, 5, ten) == 5 * 7);
  assert_true(ns_at(&cost, 5, eleven) == 2 * 5 * 7);
  assert_true(ns_at(&cost, 5, twenty) == 2 * 5 * 7);
  cost.resident = 1;
  cost.ns[DCS_COST_TAIL_STEP] = 100;
  assert_true(ns_at(&cost, 5, ten) == 5 * 7);
  assert_true(ns_at(&cost, 5, twenty) == 2 * 5 * 7 + 5 * 100);
}

/* 16 blocks of a tile have 10 atoms each; of 3 atoms, each has a block of its own. */
static void blocks_share_the_inputs_that_there_are(void **state) {
  (void)state;
  const dcs_dims tile = {32, 8, 4};
  dcs_cost cost = {.shape = shared, .sms = SMS};
  cost.ns[DCS_COST_STEP] = 1;
  assert_true(ns_at(&cost, 160, tile) == 10);
  assert_true(ns_at(&cost, 3, tile) == 1);
  cost.ns[DCS_COST_STEP] = 0;
  cost.ns[DCS_COST_WAVE] = 1;
  assert_true(ns_at(&cost, 160, tile) == 2);
  assert_true(ns_at(&cost, 3, tile) == 1);
}

/* Of a variant whose blocks share atoms and of one whose do not. */
static void shares_are_those_of_the_plan(void **state) {
  (void)state;
  int sharing = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    if (dcs_variants[v]->backend == DCS_CPU) continue;
    dcs_config config = dcs_initial_config(dcs_variants[v], 1);
    dcs_tiling shape = dcs_tiling_of(dcs_variants[v], &config);
    int at = dcs_find_param(dcs_variants[v], "splits");
    int splits = at < 0 ? 1 : (int)config.value[at];
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
  dcs_size size = size_of("cutoff=5", 1600, (dcs_dims){100, 100, 100});
  dcs_cost cost = {.shape = shared, .sms = SMS, .least = size, .most = size};
  cost.ns[DCS_COST_STEP] = 16;
  double steps = ns_of(&cost, &size);
  assert_true(steps > 1600 * dcs_cost_share(&size, 1, NULL) && steps < 1600);
  size = size_of("cutoff=5", 1600, (dcs_dims){8, 8, 4});
  assert_close(ns_of(&cost, &size), 1600);
}

/* Real parameters a factor of 1.26 beyond those measured, in both directions; inputs from the least
 * on. */
static void a_cost_holds_near_what_was_measured(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    bool holds;
  } problems[] = {{"cutoff=3.96", false}, {"cutoff=3.97", true},  {"cutoff=5", true},
                  {"cutoff=7", true},     {"cutoff=10.08", true}, {"cutoff=10.09", false}};
  dcs_cost cost = {.shape = slices,
                   .least = size_of("cutoff=5", 10, (dcs_dims){8, 8, 8}),
                   .most = size_of("cutoff=8", 1000, (dcs_dims){64, 32, 16})};
  cost.ns[DCS_COST_MAP] = 1;
  for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
    const dcs_size size = size_of(problems[i].problem, 100, (dcs_dims){20, 20, 10});
    assert_int_equal(isfinite(ns_of(&cost, &size)) != 0, problems[i].holds);
  }
  cost.inputs_least = 100;
  dcs_size size = size_of("cutoff=5", 100, (dcs_dims){20, 20, 10});
  assert_true(ns_of(&cost, &size) == 1);
  size.axes[0] = 99;
  assert_true(isinf(ns_of(&cost, &size)));
}

/* Each axis by itself, on both ends. */
static void sizes_beyond_the_measured_ones_are_extrapolated(void **state) {
  (void)state;
  const dcs_cost cost = {.least = size_of("", 10, (dcs_dims){8, 8, 8}),
                         .most = size_of("", 1000, (dcs_dims){64, 32, 16})};
  assert_false(dcs_cost_extrapolates(&cost, &cost.least));
  assert_false(dcs_cost_extrapolates(&cost, &cost.most));
  for (int axis = 0; axis < 4; axis++) {
    dcs_size below = cost.least, above = cost.most;
    below.axes[axis]--;
    above.axes[axis]++;
    assert_true(dcs_cost_extrapolates(&cost, &below));
    assert_true(dcs_cost_extrapolates(&cost, &above));
  }
}

/* ---- fitting ---- */

static void planted_costs_are_found(void **state) {
  (void)state;
  dcs_cost cost = {.shape = slices, .sms = SMS, .resident = 6}, fitted, blind;
  cost.ns[DCS_COST_MAP] = 4000;
  cost.ns[DCS_COST_LAUNCH] = 9000;
  cost.ns[DCS_COST_STEP] = 27;
  cost.ns[DCS_COST_WAVE_STEP] = 14;
  cost.ns[DCS_COST_TAIL_STEP] = 100;
  plant(&cost);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, SMS, 6 * 128, &fitted) < 1e-6);
  assert_true(fitted.sms == SMS && fitted.resident == 6);
  assert_true(fitted.least.axes[0] == 10 && fitted.most.axes[0] == 10000);
  assert_true(fitted.least.axes[1] == 24 && fitted.most.axes[3] == 16);
  assert_alike(&fitted, &cost);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, SMS, 0, &blind) > 0.1);
  assert_true(dcs_cost_fit(planted, n_planted, &slices, SMS, 2 * 128, &blind) > 0.1);
}

static void shared_atoms_are_fitted(void **state) {
  (void)state;
  dcs_cost cost = {.shape = shared, .sms = SMS}, fitted;
  cost.ns[DCS_COST_MAP] = 5000;
  cost.ns[DCS_COST_SHARE] = 150;
  cost.ns[DCS_COST_WAVE] = 300;
  cost.ns[DCS_COST_STEP] = 45;
  cost.ns[DCS_COST_WAVE_STEP] = 36;
  plant(&cost);
  assert_true(dcs_cost_fit(planted, n_planted, &shared, SMS, 768, &fitted) < 1e-6);
  assert_true(fitted.resident == 0); /* its atoms lie elsewhere */
  assert_alike(&fitted, &cost);
}

/* What is known of a time is not explained a second time. */
static void the_rest_of_the_times_is_what_moving_costs(void **state) {
  (void)state;
  dcs_cost kernel = {.shape = slices, .sms = SMS}, moved = {.shape = slices};
  double ns[DCS_COST_MOVED];
  kernel.ns[DCS_COST_WAVE_STEP] = 3;
  moved.ns[DCS_COST_MAP] = 30000;
  moved.ns[DCS_COST_POINT] = 0.3;
  moved.ns[DCS_COST_INPUT] = 1.5;
  plant(&moved);
  for (size_t s = 0; s < n_planted; s++) {
    planted[s].known_ns = ns_of(&kernel, &planted[s].size);
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
    "own->range_most));\n"
    "      }\n"
    "  return 0;\n}\n";

static const char within_4[] = "cutoff=4,switching=c2";

/* A method of every variant in each of the families that it has, each cost another one. */
static void put_every_variant(dcs_dispatch *d) {
  *d = (dcs_dispatch){0};
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    const bool direct = solves(variant, "");
    const dcs_size size = size_of(direct ? "" : within_4, 1, (dcs_dims){1, 1, 1});
    dcs_dispatch_family *family = dcs_dispatch_add(d, size.kind, &size.config);
    assert_non_null(family);
    dcs_dispatch_table *t = &family->tables[v % 3];
    if (t->n == DCS_DISPATCH_MOST) continue;
    dcs_dispatch_method *m = &t->list[t->n++];
    *m = (dcs_dispatch_method){.variant = variant, .config = dcs_initial_config(variant, 1)};
    m->cost.shape = dcs_tiling_of(variant, &m->config);
    m->cost.sms = m->cost.shape.blocks ? SMS : direct ? 0 : 1;
    m->cost.resident = m->cost.shape.constant ? 3 : 0;
    m->cost.inputs_least = v % 2 ? 5 : 0;
    m->cost.least = m->cost.most = size;
    for (int c = 0; c < DCS_COST_TERMS; c++)
      m->cost.ns[c] = 1 + 0.37 * c + v;
  }
  assert_int_equal(d->n_families, 2);
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
  for (int f = 0; f < d.n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < d.families[f].tables[s].n; m++)
        for (int a = 0; a < 4; a++)
          for (int i = 0; i < 4; i++) {
            const dcs_cost *cost = &d.families[f].tables[s].list[m].cost;
            dcs_size size = cost->least;
            memcpy(size.axes, (int64_t[]){atoms[a], n[i].x, n[i].y, n[i].z}, sizeof size.axes);
            const double ns = dcs_cost_ns(cost, &size, 0.5);
            const double found = strtod(next, &next);
            assert_true(isfinite(ns) ? fabs(found / ns - 1) < 1e-12 : found == -1);
          }
  assert_string_equal(next, "\n");
  free(times);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_wave_takes_as_long_as_a_full_one),
      cmocka_unit_test(blocks_share_the_inputs_that_there_are),
      cmocka_unit_test(shares_are_those_of_the_plan),
      cmocka_unit_test(blocks_reach_beyond_their_points),
      cmocka_unit_test(a_cost_holds_near_what_was_measured),
      cmocka_unit_test(sizes_beyond_the_measured_ones_are_extrapolated),
      cmocka_unit_test(planted_costs_are_found),
      cmocka_unit_test(shared_atoms_are_fitted),
      cmocka_unit_test(the_rest_of_the_times_is_what_moving_costs),
      cmocka_unit_test(the_header_has_the_same_times),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
