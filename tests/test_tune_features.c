/* What the surrogate sees of a configuration before anything is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/solved_problem.h"
#include "tuning/search/features.h"

#include <math.h>

static dcs_subject subject_of(const char *id, dcs_dims n, int units) {
  dcs_subject s = {.variant = dcs_find_variant(id),
                   .size.axes = {1000, n.x, n.y, n.z},
                   .spacing = 0.5,
                   .units = units,
                   .scope = DCS_KERNEL};
  assert_non_null(s.variant);
  s.size.kind = dcs_kind_of(s.variant);
  s.size.config = dcs_initial_problem(s.size.kind);
  return s;
}

static void build_space(const dcs_subject *subject, const char *config, dcs_space *space) {
  const dcs_problem problem = dcs_subject_problem(subject);
  if (dcs_space_build(subject->variant, config, &problem, 2, space) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static double at(const dcs_features *f, int config, int feature) {
  return f->at[config][feature];
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) < 1e-12)) fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Tiles of block_x * coarsen by block_y points fit slices of 256x256; 10 SMs. */
static void launches_are_those_of_the_plan(void **state) {
  (void)state;
  const dcs_subject subject = subject_of("cuda_padded", (dcs_dims){256, 256, 3}, 10);
  static const struct {
    const char *config;
    double threads, points, blocks;
  } cases[] = {{"block_x=64,block_y=4", 256, 1, 4 * 64},
               {"block_x=64,block_y=8,coarsen=4", 512, 4, 1 * 32},
               {"block_x=32,block_y=16,coarsen=4", 512, 4, 2 * 16}};
  enum { N = sizeof cases / sizeof cases[0] };
  dcs_space space;
  dcs_room room = {0};
  dcs_features f;
  build_space(&subject, "block_x=32|64,block_y=4|8|16,coarsen=1|4,chunk_atoms=4000,read=end",
              &space);
  assert_int_equal(dcs_features_build(&space, &subject, &room, &f), DCS_OK);
  assert_int_equal(f.n, 3 + 3); /* the launch; block_x, block_y and coarsen */
  double busiest[N], least = INFINITY;
  for (int c = 0; c < space.n; c++) {
    const double *v = space.configs[c].value;
    double blocks = (256.0 / (v[0] * v[2])) * (256.0 / v[1]);
    least = fmin(least, ceil(blocks / 10) * v[0] * v[1] * v[2]);
  }
  for (int k = 0; k < N; k++) {
    dcs_space one;
    build_space(&subject, cases[k].config, &one);
    dcs_config wanted = one.configs[0];
    wanted.value[2] = cases[k].points;
    wanted.value[3] = 4000;
    wanted.value[4] = 1; /* read=end */
    dcs_space_free(&one);
    int c = dcs_space_find(&space, &wanted);
    assert_true(c >= 0);
    double most = ceil(cases[k].blocks / 10);
    busiest[k] = most * cases[k].threads * cases[k].points;
    assert_near(at(&f, c, 1), log2(cases[k].threads));
    assert_near(at(&f, c, 2), log2(cases[k].points));
    assert_near(at(&f, c, 0), log2(most * cases[k].threads));
    assert_near(f.work[c], log(busiest[k] / least));
  }
  dcs_room_free(&room);
  dcs_space_free(&space);
}

/* Parameters that the launch tells of weigh less than those that it does not. */
static void parameters_of_the_shape_weigh_less(void **state) {
  (void)state;
  const dcs_subject subject = subject_of("cuda_padded", (dcs_dims){256, 256, 3}, 10);
  dcs_space space;
  dcs_room room = {0};
  dcs_features f;
  build_space(&subject, "block_x=32|64,block_y=4|8,coarsen=2,chunk_atoms=1000|4000,read=all",
              &space);
  assert_int_equal(dcs_features_build(&space, &subject, &room, &f), DCS_OK);
  /* Every thread computes two points: that tells nothing. */
  assert_int_equal(f.n, 2 + 4);
  double block_x = f.weight[2], block_y = f.weight[3], chunk = f.weight[4], read = f.weight[5];
  assert_true(block_x == block_y && chunk == read && block_x < chunk);
  assert_true(f.names[5] && !f.names[2] && !f.names[0]);
  dcs_room_free(&room);
  dcs_space_free(&space);
}

static void padding_is_work(void **state) {
  (void)state;
  const dcs_subject subject = subject_of("cuda_padded", (dcs_dims){48, 64, 3}, 1);
  dcs_space space;
  dcs_room room = {0};
  dcs_features f;
  build_space(&subject, "block_x=16|64,block_y=4,coarsen=1,chunk_atoms=4000,read=end", &space);
  assert_int_equal(dcs_features_build(&space, &subject, &room, &f), DCS_OK);
  assert_int_equal(space.n, 2);
  assert_near(f.work[0], 0);
  assert_near(f.work[1], log(64.0 / 48));
  dcs_room_free(&room);
  dcs_space_free(&space);
}

static void without_a_launch_the_parameters_are_all(void **state) {
  (void)state;
  const dcs_subject gpu = subject_of("cuda_padded", (dcs_dims){64, 64, 3}, 0);
  const dcs_subject cpu = subject_of("cpu_gather", (dcs_dims){64, 64, 3}, 2);
  const struct {
    const dcs_subject *space_of, *subject;
    const char *config;
    int features;
  } cases[] = {{&gpu, NULL, "block_x=16|32,block_y=4,coarsen=1|2,read=end,chunk_atoms=1000", 2},
               {&gpu, &gpu, "block_x=16|32,block_y=4,coarsen=1|2,read=end,chunk_atoms=1000", 2},
               {&cpu, &cpu, "threads=1|2", 1},
               {&cpu, &cpu, "threads=1", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    dcs_space space;
    dcs_room room = {0};
    dcs_features f;
    build_space(cases[k].space_of, cases[k].config, &space);
    assert_int_equal(dcs_features_build(&space, cases[k].subject, &room, &f), DCS_OK);
    assert_int_equal(f.n, cases[k].features);
    for (int c = 0; c < space.n; c++)
      assert_true(f.work[c] == 0);
    for (int i = 1; i < f.n; i++)
      assert_true(f.weight[i] == f.weight[0]);
    dcs_room_free(&room);
    dcs_space_free(&space);
  }
}

/* Every CUDA variant on a grid that no tile fits: whatever its plan, the numbers are finite. */
static void every_plan_gives_finite_features(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    if (dcs_variants[v]->backend != DCS_GPU) continue;
    dcs_subject subject = subject_of(dcs_variants[v]->id, (dcs_dims){37, 41, 13}, 132);
    dcs_space space;
    dcs_room room = {0};
    dcs_features f;
    subject.size.config = solved_problem(subject.variant);
    build_space(&subject, NULL, &space);
    assert_int_equal(dcs_features_build(&space, &subject, &room, &f), DCS_OK);
    assert_true(space.n > 1 ? f.n > 0 : f.n == 0); /* one configuration has nothing to tell apart */
    double least = INFINITY;
    for (int c = 0; c < space.n; c++) {
      least = fmin(least, f.work[c]);
      assert_true(isfinite(f.work[c]));
      for (int i = 0; i < f.n; i++)
        assert_true(isfinite(at(&f, c, i)));
    }
    assert_true(least == 0);
    dcs_room_free(&room);
    dcs_space_free(&space);
  }
}

/* Of an unknown kernel, where the order of the values does not tell it. */
static void how_often_a_value_can_be_halved(void **state) {
  (void)state;
  static const dcs_param params[] = {
      {.name = "width", .meaning = "", .lo = 32, .hi = 80, .initial = 32, .real = true},
      {.name = "unroll", .meaning = "", .lo = 1, .hi = 4, .initial = 1, .real = true}};
  static const dcs_variant variant = {.id = "own", .params = params, .n_params = 2};
  static const dcs_config configs[] = {{{32, 1}}, {{48, 2}}, {{64, 4}}, {{80, 1}}};
  static const double halves[] = {5, 4, 5, 4};
  dcs_space space;
  dcs_room room = {0};
  dcs_features f;
  assert_int_equal(dcs_space_of_configs(&variant, configs, 4, &space), DCS_OK);
  assert_int_equal(dcs_features_build(&space, NULL, &room, &f), DCS_OK);
  assert_int_equal(f.n, 3); /* of `width` both; powers of two are in order */
  for (int c = 0; c < 4; c++) {
    assert_near(at(&f, c, 0), halves[c]);
    assert_near(at(&f, c, 1), c);
  }
  dcs_room_free(&room);
  dcs_space_free(&space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(launches_are_those_of_the_plan),
      cmocka_unit_test(parameters_of_the_shape_weigh_less),
      cmocka_unit_test(padding_is_work),
      cmocka_unit_test(without_a_launch_the_parameters_are_all),
      cmocka_unit_test(every_plan_gives_finite_features),
      cmocka_unit_test(how_often_a_value_can_be_halved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
