/* Maps of many short launches are captured in graphs: the same bits as launch by launch, map
 * after map, and when memory has moved in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/engine/engine.h"
#include "tests/cache_folder.h"
#include "tests/plain_map.h"

#include <string.h>

enum { NX = 9, NY = 5, ATOMS = 40, FEW = 7, MANY = 14, SLICE = NX * NY };

static dcs_atom atoms[ATOMS];
static const dcs_config direct = {{0}};
static float map[SLICE * MANY], expected[SLICE * MANY];

static int make_atoms(void **state) {
  dcs_random random = {3};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 4), (float)between(&random, 0, 2),
                          (float)between(&random, 0, 7), (float)between(&random, -1, 1)};
  return cache_folder_make(state);
}

static dcs_engine *open_engine(const dcs_problem *problem) {
  dcs_engine *engine;
  dcs_status status = dcs_engine_device_open("emulated", NULL, &engine);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], problem, OUT(map)), DCS_OUTCOME_OK);
  return engine;
}

static void set(const dcs_variant *variant, dcs_config *config, const char *name, int value) {
  int p = dcs_find_param(variant, name);
  if (p >= 0) config->value[p] = value;
}

static void prepare(dcs_engine *engine, int slot, const char *id, int block_x, int chunk_atoms) {
  const dcs_variant *variant = dcs_find_variant(id);
  dcs_code_facts facts;
  assert_non_null(variant);
  dcs_config config = dcs_initial_config(variant, 1);
  set(variant, &config, "block_x", block_x);
  set(variant, &config, "block_y", 2);
  set(variant, &config, "chunk_atoms", chunk_atoms);
  if (engine->prepare(engine, slot, &direct, variant, &config, &facts) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
}

static void run_in(dcs_engine *engine, int slot, dcs_scope scope, dcs_memory memory) {
  double ns;
  memset(map, 0, sizeof map);
  if (engine->run(engine, slot, scope, memory, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
}

static void run(dcs_engine *engine, int slot) {
  run_in(engine, slot, DCS_UNTIMED, DCS_PAGEABLE);
}

/* The map of so few slices that it is computed launch by launch, into expected[]. */
static void compute_expected(const char *id, int64_t slices, int chunk_atoms) {
  const dcs_problem problem = {
      .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, slices}, .spacing = 0.5f};
  dcs_engine *engine = open_engine(&problem);
  prepare(engine, 0, id, 4, chunk_atoms);
  run(engine, 0);
  memcpy(expected, map, (size_t)(SLICE * slices) * sizeof *map);
  engine->close(engine);
}

/* Slices do not depend on each other: the first of a map of many are those of a map of few. */
static void maps_of_graphs_are_the_same(void **state) {
  (void)state;
  static const struct {
    const char *id;
    int64_t few; /* fewer than 8 launches */
    int chunk_atoms;
  } cases[] = {{"cuda_naive", FEW, 0},
               {"cuda_shared", FEW, 0},
               {"cuda_constant", FEW, ATOMS},
               {"cuda_padded", 1, 13},
               {"cuda_padded", FEW, 4096}};
  const dcs_problem problem = {
      .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, MANY}, .spacing = 0.5f};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    compute_expected(cases[c].id, cases[c].few, cases[c].chunk_atoms);
    dcs_engine *engine = open_engine(&problem);
    prepare(engine, 0, cases[c].id, 4, cases[c].chunk_atoms);
    for (int round = 0; round < 5; round++) {
      run(engine, 0);
      assert_memory_equal(map, expected, (size_t)(SLICE * cases[c].few) * sizeof *map);
    }
    engine->close(engine);
  }
}

/* A second method needs a larger map in device memory, and more room for chunks. */
static void memory_may_move(void **state) {
  (void)state;
  static const char *const ids[] = {"cuda_naive", "cuda_padded"};
  const dcs_problem problem = {
      .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, MANY}, .spacing = 0.5f};
  for (int i = 0; i < 2; i++) {
    dcs_engine *engine = open_engine(&problem);
    prepare(engine, 0, ids[i], 4, ATOMS);
    run(engine, 0);
    memcpy(expected, map, sizeof map);
    prepare(engine, 1, "cuda_padded", 64, 7);
    run(engine, 0);
    assert_memory_equal(map, expected, sizeof map);
    run(engine, 1);
    for (int round = 0; round < 3; round++) {
      run(engine, 0);
      assert_memory_equal(map, expected, sizeof map);
    }
    engine->close(engine);
  }
}

/* Atoms and map lie elsewhere in each mode of memory, and back again. */
static void modes_of_memory_alternate(void **state) {
  (void)state;
  static const char *const ids[] = {"cuda_naive", "cuda_padded"};
  static const dcs_memory memories[] = {DCS_PAGEABLE, DCS_MAPPED, DCS_PINNED, DCS_MAPPED,
                                        DCS_MANAGED};
  const dcs_problem problem = {
      .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, MANY}, .spacing = 0.5f};
  for (int i = 0; i < 2; i++) {
    dcs_engine *engine = open_engine(&problem);
    prepare(engine, 0, ids[i], 4, ATOMS);
    run(engine, 0);
    memcpy(expected, map, sizeof map);
    for (size_t t = 0; t < sizeof memories / sizeof memories[0]; t++) {
      run_in(engine, 0, DCS_UNTIMED_WARM, memories[t]);
      assert_memory_equal(map, expected, sizeof map);
      run(engine, 0);
      assert_memory_equal(map, expected, sizeof map);
    }
    engine->close(engine);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_of_graphs_are_the_same),
      cmocka_unit_test(memory_may_move),
      cmocka_unit_test(modes_of_memory_alternate),
  };
  return cmocka_run_group_tests_name("graphs", tests, make_atoms, cache_folder_remove);
}
