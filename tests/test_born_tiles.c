/* The kernels of Born radii by tiles, on the emulated device: spheres that are near, far and
 * distant from a block's atoms, of one tile or of several; and what is wrong in any of these ways
 * is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/verify/verify.h"
#include "harness/worker/worker.h"
#include "kernels/born/born.h"
#include "tests/planted_kernels.h"

enum { TILE = 32, GROUPS = 6, ATOMS = GROUPS * TILE + 5 };
enum { AS_THEY_COME, SORTED };

/* One atom with nothing but atoms without a radius around it, and groups of a tile each, s = 1.53.
 * All are distant from that atom, one by 8.1 s, and what they take from it is all that changes its
 * radius; among themselves they are near and far, two of them distant from the others. Less than a
 * tile is far behind them. */
static dcs_case groups(void) {
  static const double places[GROUPS] = {0, 15.8, 19, 27, 60, 90};
  static dcs_site sites[ATOMS];
  const dcs_grid none = {0};
  const dcs_kind *kind = dcs_find_kind("born");
  const dcs_config problem = {{[DCS_BORN_SCALING] = DCS_BORN_HCT, [DCS_BORN_DESCREENING] = 0.8}};
  const dcs_molecule molecule = {sites, ATOMS};
  dcs_case c;
  for (int a = 0; a < ATOMS; a++) {
    const int group = a / TILE, at = a % TILE;
    sites[a] = (dcs_site){.x = (group < GROUPS ? places[group] : -90) + 1.1 * (at % 4),
                          .y = 1.1 * (at / 4 % 4),
                          .z = 1.1 * (at / 16),
                          .radius = group > 0 ? 2
                                    : a == 0  ? 8
                                              : 0};
  }
  assert_int_equal(dcs_case_build(kind, &problem, &molecule, &none, &c), DCS_OK);
  return c;
}

static dcs_verification verify_groups(bench_fixture *f, const char *variant, int block_y,
                                      int coarsen, int order) {
  dcs_verification result = {0};
  dcs_case c = groups();
  dcs_method method = method_of(variant);
  method.config.value[dcs_find_param(method.variant, "block_y")] = block_y;
  method.config.value[dcs_find_param(method.variant, "coarsen")] = coarsen;
  method.config.value[dcs_find_param(method.variant, "order")] = order;
  assert_int_equal(dcs_verify_on(&f->bench, &method, &c, &result), DCS_OK);
  dcs_case_free(&c);
  return result;
}

static void expect_right(bench_fixture *f, const char *variant) {
  static const int configs[][3] = {{1, 1, AS_THEY_COME}, {3, 2, AS_THEY_COME}, {2, 1, SORTED}};
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
    const dcs_verification result =
        verify_groups(f, variant, configs[i][0], configs[i][1], configs[i][2]);
    if (result.outcome != DCS_OUTCOME_OK)
      fail_msg("%s, block_y %d, coarsen %d, order %d: %s", variant, configs[i][0], configs[i][1],
               configs[i][2], result.why);
  }
}

static void every_tile_is_right(void **state) {
  bench_fixture *f = fixture_of(state);
  plant("born_tiles.cu", dcs_embedded("kernels/born/cuda/born_tiles.cu"));
  expect_right(f, "cuda_born_tiles");
  plant("born_tensor.cu", dcs_embedded("kernels/born/cuda/born_tensor.cu"));
  expect_right(f, "cuda_born_tensor");
}

/* The kernel with `from` replaced by `to`, of the same length, in a file, is wrong. */
static void expect_wrong_in(bench_fixture *f, const char *variant, const char *file, int order,
                            const char *from, const char *to) {
  char path[64];
  snprintf(path, sizeof path, "kernels/born/cuda/%s", file);
  char *text = strdup(dcs_embedded(path));
  assert_non_null(text);
  char *at = strstr(text, from);
  assert_non_null(at);
  assert_int_equal(strlen(from), strlen(to));
  memcpy(at, to, strlen(to));
  plant(file, text);
  free(text);
  if (verify_groups(f, variant, 1, 1, order).outcome != DCS_OUTCOME_WRONG)
    fail_msg("%s is not found", to);
  plant(file, dcs_embedded(path));
}

static void expect_wrong(bench_fixture *f, const char *from, const char *to) {
  expect_wrong_in(f, "cuda_born_tiles", "born_tiles.cu", AS_THEY_COME, from, to);
}

static void faults_are_found(void **state) {
  bench_fixture *f = fixture_of(state);
  expect_wrong(f, "0x1.534de0p-1f", "0x1.5b4de0p-1f"); /* the term of x^2, and that of x */
  expect_wrong(f, "0x1.34fd2ap-2f", "0x1.36fd2ap-2f"); /* of x, and the first */
  expect_wrong(f, "0x1.f031a0p-3f", "0x1.f131a0p-3f"); /* the first */
  expect_wrong(f, "0x1.555552p-2f", "0x1.545552p-2f"); /* of remote ones */
  expect_wrong(f, "<= 1.0001f", "<=-1.0001f");         /* near spheres taken for distant ones */
  expect_wrong(f, "> 1.0001f", ">-1.0001f");           /* distant ones for remote ones */
  expect_wrong(f, "e < end", "e > end");               /* what is listed is left out */
  expect_wrong_in(f, "cuda_born_tiles", "sort.cuh", SORTED, "numbers[to] = a",
                  "numbers[to] = l"); /* radii of others */
}

static void expect_wrong_tensor(bench_fixture *f, const char *from, const char *to) {
  expect_wrong_in(f, "cuda_born_tensor", "born_tensor.cu", AS_THEY_COME, from, to);
}

static void faults_of_products_are_found(void **state) {
  bench_fixture *f = fixture_of(state);
  expect_wrong_tensor(f, "0x1.bb67b2p0f", "0x1.bb87b2p0f");     /* the first term */
  expect_wrong_tensor(f, "0x1.0a0e38p0f", "0x1.1a0e38p0f");     /* that of x */
  expect_wrong_tensor(f, "-0x1.386574p-1f", "-0x1.386574p+3f"); /* of x^2 */
  expect_wrong_tensor(f, "v - first_half(v)", "0.0f             ");
  expect_wrong_tensor(f, "t == 1 ? y", "t == 1 ? z");
  expect_wrong_tensor(f, "1.0f / ADDED", "1.1f / ADDED");
  expect_wrong_tensor(f, "> fmaxf(1.0001f", "> fminf(0.0000f"); /* near ones taken for far ones */
  expect_wrong_tensor(f, "if (listed) add_near", "if (0     ) add_near");
  expect_wrong_tensor(f, "left |= 1u << j", "left |= 0u << j");
}

#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {EMULATED(every_tile_is_right), EMULATED(faults_are_found),
                                     EMULATED(faults_of_products_are_found)};
  return cmocka_run_group_tests_name("born_tiles", tests, kernel_folder_make, kernel_folder_remove);
}
