/* The kernels that split the atoms over blocks and over the warps of a block, on the emulated
 * device: no atom is lost or taken twice, and the map has the same bits in whatever order the
 * blocks run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "tests/one_launch.h"
#include "tests/plain_map.h"

/* The counters are left as they were found. */
static void launch_once(prepared *p, float *map) {
  launch(p, 1, map);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    for (int64_t c = 0; p->plan.scratch[s].zero && c < p->plan.scratch[s].bytes / 4; c++)
      assert_int_equal(((const int *)(uintptr_t)p->scratch[s])[c], 0);
}

/* Small blocks, because a thread is a fibre. */
static const dcs_variant *reduce(dcs_config *config, int splits) {
  const dcs_variant *variant = dcs_find_variant("cuda_reduce");
  assert_non_null(variant);
  *config = dcs_initial_config(variant, 1);
  config->value[dcs_find_param(variant, "block_x")] = 4;
  config->value[dcs_find_param(variant, "block_y")] = 2;
  config->value[dcs_find_param(variant, "splits")] = splits;
  return variant;
}

static const dcs_variant *parts_of(dcs_config *config, int parts) {
  const dcs_variant *variant = dcs_find_variant("cuda_parts");
  assert_non_null(variant);
  *config = dcs_initial_config(variant, 1);
  config->value[dcs_find_param(variant, "block_x")] = 4;
  config->value[dcs_find_param(variant, "block_y")] = 2;
  config->value[dcs_find_param(variant, "parts")] = parts;
  return variant;
}

/* All atoms at distance 1 from the only point, with charges 1, 2, 3, ...: the sum is exact. */
static void expect_all(const dcs_variant *variant, const dcs_config *config, int count) {
  enum { MOST = 300 };
  static dcs_atom atoms[MOST];
  for (int a = 0; a < MOST; a++)
    atoms[a] = (dcs_atom){0, 1, 0, (float)(a + 1)};
  for (int n = 1; n <= MOST; n += n < 20 ? 1 : 7) {
    const dcs_problem problem = {.input = {atoms}, .n_inputs = n, .n = {1, 1, 1}, .spacing = 0.5f};
    prepared p = prepare(variant, config, &problem, false);
    float sum;
    launch_once(&p, &sum);
    if (sum != (float)(n * (n + 1) / 2))
      fail_msg("%s, %d atoms, %d parts: %g", variant->id, n, count, sum);
    release(&p);
  }
}

static void no_atom_is_lost(void **state) {
  (void)state;
  static const int splits[] = {1, 2, 7, 64, 256}, parts[] = {1, 7, 32};
  dcs_config config;
  for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++)
    expect_all(reduce(&config, splits[s]), &config, splits[s]);
  for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
    expect_all(parts_of(&config, parts[p]), &config, parts[p]);
}

enum { NX = 35, NY = 9, NZ = 5, POINTS = NX * NY * NZ, ATOMS = 300 };

/* A random problem that takes several tiles in each dimension. */
static dcs_problem random_problem(void) {
  static dcs_atom atoms[ATOMS];
  dcs_random random = {7};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 17), (float)between(&random, 0, 4),
                          (float)between(&random, 0, 2), (float)between(&random, -1, 1)};
  return (dcs_problem){.input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.5f};
}

/* Whether the map's bits are the same with the blocks in either order. A second launch must write
 * the same map to the bit, which needs the counters that the first one leaves. */
static bool same_in_either_order(const dcs_variant *variant, const dcs_config *config) {
  static float map[2][POINTS], again[POINTS];
  const dcs_problem problem = random_problem();
  for (int backwards = 0; backwards < 2; backwards++) {
    prepared p = prepare(variant, config, &problem, backwards);
    launch_once(&p, map[backwards]);
    if (!dcs_plan_fills(&p.plan, DCS_COULOMB_MAP)) {
      launch_once(&p, again);
      assert_memory_equal(again, map[backwards], sizeof again);
    }
    release(&p);
  }
  return memcmp(map[0], map[1], sizeof map[0]) == 0;
}

static void the_order_of_blocks_changes_no_bit(void **state) {
  (void)state;
  static const int splits[] = {1, 2, 7, 64, 256};
  for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) {
    dcs_config config;
    const dcs_variant *variant = reduce(&config, splits[s]);
    assert_true(same_in_either_order(variant, &config));
  }
  dcs_config config;
  const dcs_variant *variant = parts_of(&config, 7);
  assert_true(same_in_either_order(variant, &config));
}

/* Their partial sums would take 2^34 bytes. */
static void the_largest_parts_are_refused(void **state) {
  (void)state;
  const dcs_variant *variant = dcs_find_variant("cuda_parts");
  const dcs_problem problem = random_problem();
  dcs_config config = dcs_initial_config(variant, 1);
  char why[DCS_TEXT];
  for (int p = 0; p < variant->n_params; p++)
    config.value[p] = variant->params[p].hi;
  assert_false(dcs_applicable(variant, &problem, &config, why));
  config.value[dcs_find_param(variant, "block_x")] = 4;
  config.value[dcs_find_param(variant, "block_y")] = 8;
  assert_false(dcs_applicable(variant, &problem, &config, why));
  assert_string_equal(why, "partial sums take 524288 bytes of shared memory; 49152 fit");
}

/* The comparison can fail: atomic additions in another order give other bits. */
static void atomic_additions_do_depend_on_the_order(void **state) {
  (void)state;
  const dcs_variant *scatter = dcs_find_variant("cuda_scatter");
  dcs_config config = dcs_initial_config(scatter, 1);
  config.value[dcs_find_param(scatter, "block_x")] = 32;
  assert_false(same_in_either_order(scatter, &config));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_atom_is_lost),
      cmocka_unit_test(the_order_of_blocks_changes_no_bit),
      cmocka_unit_test(the_largest_parts_are_refused),
      cmocka_unit_test(atomic_additions_do_depend_on_the_order),
  };
  return cmocka_run_group_tests_name("reduce", tests, open_device, close_device);
}
