/* The kernels whose threads compute bricks, on the emulated device: the blocks of cuda_volume cover
 * the map however they are to fill a card, and the reciprocal square roots that cuda_split
 * and cuda_neighbours compute in software are as good as their texts say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/one_launch.h"

#include <math.h>
#include <stdlib.h>

/* The variant with small blocks, because a thread is a fibre. */
static const dcs_variant *small_blocks(const char *id, int coarsen_x, int coarsen_z,
                                       dcs_config *config) {
  const dcs_variant *variant = dcs_find_variant(id);
  assert_non_null(variant);
  *config = dcs_initial_config(variant, 1);
  config->value[dcs_find_param(variant, "block_x")] = 4;
  config->value[dcs_find_param(variant, "block_y")] = 2;
  config->value[dcs_find_param(variant, "coarsen_x")] = coarsen_x;
  config->value[dcs_find_param(variant, "coarsen_z")] = coarsen_z;
  config->value[dcs_find_param(variant, "unroll")] = 1;
  config->value[dcs_find_param(variant, "atoms")] = 0; /* where prepare() puts them */
  return variant;
}

/* ---- even shares ---- */

enum { NX = 9, NY = 5, MOST_NZ = 40 };

/* One atom far away: no two points of the map are alike, and a launch that computes a point twice,
 * or not at all, is seen. 2 x 3 columns of blocks. */
static void expect_the_same_map(int coarsen_z, int64_t nz, int sms) {
  static float expected[NX * NY * MOST_NZ], map[NX * NY * MOST_NZ];
  static const dcs_atom atom = {-3, -2, -1, 1};
  const dcs_problem problem = {.input = {&atom}, .n_inputs = 1, .n = {NX, NY, nz}, .spacing = 0.5f};
  dcs_config config;
  const dcs_variant *variant = small_blocks("cuda_volume", 2, coarsen_z, &config);
  for (int64_t p = 0; p < dcs_points(problem.n); p++) {
    double x = 0.5 * (double)(p % NX) + 3, y = 0.5 * (double)(p / NX % NY) + 2;
    double z = 0.5 * (double)(p / (NX * NY)) + 1;
    expected[p] = (float)(1 / sqrt(x * x + y * y + z * z));
  }
  prepared p = prepare(variant, &config, &problem, false);
  launch(&p, sms, map);
  for (int64_t i = 0; i < dcs_points(problem.n); i++)
    if (!(fabsf(map[i] - expected[i]) < 1e-6f * expected[i]))
      fail_msg("%d SMs, bricks of %d in %lld slices, point %lld: %g, not %g", sms, coarsen_z,
               (long long)nz, (long long)i, (double)map[i], (double)expected[i]);
  release(&p);
}

static void blocks_cover_the_map_whatever_the_card(void **state) {
  (void)state;
  static const int heights[] = {1, 2, 3, 8, 16}, sms[] = {1, 2, 5, 7, 11, 13, 132};
  for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++)
    for (int64_t nz = 1; nz <= MOST_NZ; nz++)
      for (size_t u = 0; u < sizeof sms / sizeof sms[0]; u++)
        expect_the_same_map(heights[h], nz, sms[u]);
}

/* 35 slices in bricks of 8 or 7 are 5 layers, and nothing of the padding to 40 is computed; 9
 * slices would be 2 layers of 7 at least. */
static void lower_bricks_save_padding(void **state) {
  (void)state;
  dcs_config config;
  const dcs_variant *variant = small_blocks("cuda_volume", 2, 8, &config);
  dcs_problem problem = {.n_inputs = 1, .n = {NX, NY, 35}, .spacing = 0.5f};
  assert_int_equal(variant->executed(&problem, &config).z, 35);
  problem.n.z = 9;
  assert_int_equal(variant->executed(&problem, &config).z, 16);
  problem.n.z = 14;
  assert_int_equal(variant->executed(&problem, &config).z, 14);
}

/* ---- reciprocal square roots in software ---- */

/* All coordinates are multiples of 1/8, so that r^2 is exact: 4,859 different ones, with the atom
 * up to 110 spacings away. The errors' largest and their root mean square. */
static void errors_of(const dcs_variant *variant, const dcs_config *config, double *worst,
                      double *mean) {
  enum { N = 64 };
  const dcs_atom atom = {0.125f, 0.125f, 0.125f, 1};
  const dcs_problem problem = {.input = {&atom}, .n_inputs = 1, .n = {N, N, N}, .spacing = 0.25f};
  float *map = malloc((size_t)N * N * N * sizeof *map);
  assert_non_null(map);
  prepared p = prepare(variant, config, &problem, false);
  launch(&p, 1, map);
  release(&p);
  double square = 0;
  *worst = 0;
  for (int64_t i = 0; i < (int64_t)N * N * N; i++) {
    double x = 0.25 * (double)(i % N) - 0.125, y = 0.25 * (double)(i / N % N) - 0.125;
    double z = 0.25 * (double)(i / (N * N)) - 0.125;
    double error = fabs(map[i] * sqrt(x * x + y * y + z * z) - 1);
    if (!(error <= *worst)) *worst = error;
    square += error * error;
  }
  free(map);
  *mean = sqrt(square / (N * N * N));
}

static void software_is_as_accurate_as_claimed(void **state) {
  (void)state;
  double worst, mean;
  dcs_config config;
  const dcs_variant *variant = small_blocks("cuda_split", 4, 4, &config);
  config.value[dcs_find_param(variant, "soft")] = 16;
  errors_of(variant, &config, &worst, &mean);
  if (!(worst <= 6.4e-7)) fail_msg("error %g", worst); /* and rounding to the map's floats */
  if (!(mean > 2e-7 && mean < 3.4e-7)) fail_msg("error %g in the mean square", mean);
}

/* The nearest atoms that take a neighbour's root have the largest error, 4.5e-7. */
static void neighbours_are_as_accurate_as_claimed(void **state) {
  (void)state;
  static const int heights[] = {2, 3, 4, 7, 8, 16};
  for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
    double worst, mean;
    dcs_config config;
    const dcs_variant *variant = small_blocks("cuda_neighbours", 2, heights[h], &config);
    errors_of(variant, &config, &worst, &mean);
    if (!(worst <= 6.4e-7)) fail_msg("bricks of %d slices: error %g", heights[h], worst);
    if (!(mean < 3.4e-7)) fail_msg("bricks of %d slices: mean square %g", heights[h], mean);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_the_map_whatever_the_card),
      cmocka_unit_test(lower_bricks_save_padding),
      cmocka_unit_test(software_is_as_accurate_as_claimed),
      cmocka_unit_test(neighbours_are_as_accurate_as_claimed),
  };
  return cmocka_run_group_tests_name("bricks", tests, open_device, close_device);
}
