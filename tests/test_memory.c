/* Modes of memory and slabs, on the emulated device: every mode gives the map that one launch
 * gives, bit for bit, and is judged by itself. And how maps are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/machine.h"
#include "harness/engine/device/engine.h"
#include "harness/worker/worker.h"
#include "tests/planted_kernels.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static const char *const files[] = {"volume.cu", "split.cu", "padded.cu", "shared.cu",
                                    "scatter.cu"};
enum { N_FILES = sizeof files / sizeof files[0] };

static void plant_original(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "kernels/coulomb/cuda/%s", name);
  plant(name, dcs_embedded(path));
}

static int folder_make(void **state) {
  if (kernel_folder_make(state) != 0) return -1;
  for (int f = 0; f < N_FILES; f++)
    plant_original(files[f]);
  plant_original("naive.cu");
  return 0;
}

static int folder_remove(void **state) {
  char path[128];
  for (int f = 0; f < N_FILES; f++) {
    kernel_path(files[f], path);
    unlink(path);
  }
  return kernel_folder_remove(state);
}

/* ---- maps ---- */

/* Puts another case on the bench: more than 2 MiB, so that its maps are cut. */
static void put_case(bench_fixture *f, int64_t nz) {
  const dcs_grid grid = {.n = {160, 81, nz}, .spacing = 0.4};
  dcs_reference_free(&f->reference);
  dcs_case_free(&f->c);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 5, &grid, 3, &f->c), DCS_OK);
  assert_int_equal(dcs_oracle(&f->c, 1000000, &f->reference), DCS_OK);
  assert_int_equal(dcs_bench_put(&f->bench, &f->c, NULL, 0), DCS_OK);
}

static dcs_method configured(const char *id, const char *config) {
  char text[128];
  dcs_method method = method_of(id);
  snprintf(text, sizeof text, "%s", config);
  for (char *rest = text, *pair; (pair = strsep(&rest, ","));) {
    char *value = strchr(pair, '=');
    if (!value) continue;
    *value = '\0';
    int p = dcs_find_param(method.variant, pair);
    assert_true(p >= 0);
    method.config.value[p] = atoi(value + 1);
  }
  return method;
}

static float *copy_of_map(const bench_fixture *f) {
  size_t bytes = (size_t)dcs_points(f->c.problem.n) * sizeof(float);
  float *map = malloc(bytes);
  assert_non_null(map);
  memcpy(map, f->bench.arena.map, bytes);
  return map;
}

static void expect_every_mode(bench_fixture *f, const char *id, const char *config) {
  const dcs_method method = configured(id, config);
  size_t bytes = (size_t)dcs_points(f->c.problem.n) * sizeof(float);
  dcs_trial trial = dcs_bench_try(&f->bench, &method, 0, &f->reference);
  if (trial.outcome != DCS_OUTCOME_OK) fail_msg("%s: %s", id, dcs_error_message());
  float *launched_once = copy_of_map(f);
  for (int m = 0; m < DCS_N_MEMORIES; m++) {
    trial.verdict = (dcs_verdict){0};
    dcs_bench_try_again(&f->bench, &f->reference, DCS_UNTIMED_WARM, (dcs_memory)m, &trial);
    if (trial.outcome != DCS_OUTCOME_OK)
      fail_msg("%s %s: %s", id, dcs_memory_name((dcs_memory)m), dcs_error_message());
    assert_true(trial.verdict.accepted);
    if (memcmp(f->bench.arena.map, launched_once, bytes) != 0)
      fail_msg("%s %s: another map, %s", id, dcs_memory_name((dcs_memory)m), config);
  }
  free(launched_once);
}

/* Places in that kind of memory, as frames have them, and charges that stay. */
static void frames_give_the_same_map(void **state) {
  bench_fixture *f = fixture_of(state);
  static const char *const ids[] = {"cuda_naive", "cuda_volume"};
  for (int i = 0; i < 2; i++) {
    const dcs_method method = configured(ids[i], "");
    dcs_trial trial = dcs_bench_try(&f->bench, &method, 0, &f->reference);
    if (trial.outcome != DCS_OUTCOME_OK) fail_msg("%s", dcs_error_message());
    float *launched_once = copy_of_map(f);
    for (int m = 0; m < DCS_N_MEMORIES; m++) {
      trial.verdict = (dcs_verdict){0};
      dcs_bench_try_again(&f->bench, &f->reference, DCS_UNTIMED_FRAME, (dcs_memory)m, &trial);
      if (trial.outcome != DCS_OUTCOME_OK || !trial.verdict.accepted)
        fail_msg("%s %s: %s", ids[i], dcs_memory_name((dcs_memory)m), dcs_error_message());
      assert_memory_equal(f->bench.arena.map, launched_once,
                          (size_t)dcs_points(f->c.problem.n) * sizeof(float));
    }
    free(launched_once);
  }
}

/* Bricks in z, from a slab that ends within the map's last brick to one that ends with it; atoms in
 * global memory, in constant memory at once, and in chunks. */
static void slabs_of_a_volume_give_the_same_map(void **state) {
  bench_fixture *f = fixture_of(state);
  static const int64_t nz[] = {41, 43, 64};
  for (int i = 0; i < 3; i++) {
    put_case(f, nz[i]);
    expect_every_mode(f, "cuda_volume", "coarsen_z=8,atoms=0");
    expect_every_mode(f, "cuda_volume", "coarsen_z=8,atoms=1");
    expect_every_mode(f, "cuda_volume", "coarsen_z=1,atoms=1,chunk_atoms=3");
    expect_every_mode(f, "cuda_split", "coarsen_z=4,soft=5");
  }
}

/* As many slabs as there are, so that the parts of the stage are used again. */
static void many_slabs_give_the_same_map(void **state) {
  bench_fixture *f = fixture_of(state);
  put_case(f, 167); /* 8 slabs of 21 slices, the last with 20 */
  expect_every_mode(f, "cuda_naive", "");
  expect_every_mode(f, "cuda_volume", "coarsen_z=7,atoms=1");
}

/* Padded and exact, dz^2 from the host, barriers, and a kernel that cannot be cut. */
static void slabs_of_slices_give_the_same_map(void **state) {
  bench_fixture *f = fixture_of(state);
  put_case(f, 43);
  expect_every_mode(f, "cuda_padded", "block_x=64,block_y=4,coarsen=4,chunk_atoms=2");
  expect_every_mode(f, "cuda_constant", "chunk_atoms=5");
  expect_every_mode(f, "cuda_naive", "");
  expect_every_mode(f, "cuda_scatter", "");
}

/* A map of one slab, of one slice, of one point. */
static void small_maps_in_every_mode(void **state) {
  bench_fixture *f = fixture_of(state);
  static const dcs_dims sizes[] = {{17, 9, 2}, {33, 5, 1}, {1, 1, 1}};
  for (int s = 0; s < 3; s++) {
    const dcs_grid grid = {.n = sizes[s], .spacing = 0.4};
    dcs_reference_free(&f->reference);
    dcs_case_free(&f->c);
    assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 40, &grid, 4, &f->c), DCS_OK);
    assert_int_equal(dcs_oracle(&f->c, INT64_MAX, &f->reference), DCS_OK);
    assert_int_equal(dcs_bench_put(&f->bench, &f->c, NULL, 0), DCS_OK);
    expect_every_mode(f, "cuda_volume", "");
    expect_every_mode(f, "cuda_padded", "chunk_atoms=7");
    expect_every_mode(f, "cuda_shared", "");
  }
}

static bool several_threads(void) {
#ifdef _OPENMP
  return dcs_cpus() > 1 && omp_get_max_threads() > 1;
#else
  return false;
#endif
}

/* An output in page-locked memory, as the library may be given one, needs no stage. */
static void locked_outputs_are_copied_straight(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_method method = configured("cuda_volume", "coarsen_z=8,atoms=0");
  void *out[DCS_MAX_BUFFERS] = {NULL}, *locked;
  dcs_engine *engine;
  dcs_code_facts facts;
  dcs_ptr ptr;
  double ns;
  put_case(f, 43);
  const int map = dcs_map_of(f->c.kind);
  const size_t bytes = (size_t)dcs_points(f->c.problem.n) * sizeof(float);
  assert_int_equal(dcs_engine_device_open("emulated", NULL, &engine), DCS_OK);
  dcs_device_engine *e = (dcs_device_engine *)engine;
  assert_int_equal(engine->device->alloc_host(engine->device, bytes, &locked, &ptr), DCS_OK);
  out[map] = locked;
  assert_int_equal(engine->take(engine, f->c.kind, &f->c.problem, out), DCS_OUTCOME_OK);
  assert_int_equal(
      engine->prepare(engine, 0, &f->c.problem.config, method.variant, &method.config, &facts),
      DCS_OUTCOME_OK);
  assert_int_equal(engine->run(engine, 0, DCS_UNTIMED_WARM, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_OK);
  assert_int_equal(e->stage.bytes, 0);
  float *ordinary = malloc(bytes);
  assert_non_null(ordinary);
  out[map] = ordinary;
  engine->redirect(engine, out);
  assert_int_equal(engine->run(engine, 0, DCS_UNTIMED_WARM, DCS_PAGEABLE, 1, &ns), DCS_OUTCOME_OK);
  assert_int_equal(e->stage.bytes > 0, several_threads()); /* one thread leaves it to the driver */
  assert_memory_equal(ordinary, locked, bytes);
  assert_true(
      dcs_check(&f->reference, locked, method.variant->longest_sum(&f->c.problem, &method.config))
          .accepted);
  engine->device->release_host(engine->device, locked);
  engine->close(engine);
  free(ordinary);
}

/* ---- faults ---- */

/* A kernel that takes every slab for the first one is right in one launch, and wrong in two. */
static void a_slab_in_the_wrong_place_is_seen(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_method method = configured("cuda_volume", "coarsen_z=8,atoms=0");
  const char *source = dcs_embedded("kernels/coulomb/cuda/volume.cu"), *sum = "first_k + k";
  char *text = strdup(source), *at = strstr(text, sum);
  assert_non_null(at);
  memcpy(at, "          k", strlen(sum));
  plant("volume.cu", text);
  free(text);
  put_case(f, 43);
  dcs_trial trial = dcs_bench_try(&f->bench, &method, 0, &f->reference);
  assert_int_equal(trial.outcome, DCS_OUTCOME_OK);
  dcs_bench_try_again(&f->bench, &f->reference, DCS_UNTIMED_WARM, DCS_PINNED, &trial);
  assert_int_equal(trial.outcome, DCS_OUTCOME_WRONG);
  assert_false(trial.verdict.accepted);
  dcs_bench_try_again(&f->bench, &f->reference, DCS_UNTIMED_WARM, DCS_MAPPED, &trial);
  assert_int_equal(trial.outcome, DCS_OUTCOME_OK); /* one launch again */
  plant_original("volume.cu");
}

/* What lies beside a map on the host is guarded like what lies beside one on the device. */
static void writes_outside_are_seen_in_every_mode(void **state) {
  bench_fixture *f = fixture_of(state);
  const dcs_method naive = method_of("cuda_naive");
  for (int m = 0; m < DCS_N_MEMORIES; m++) {
    plant("naive.cu", right_kernel);
    dcs_trial trial = dcs_bench_try(&f->bench, &naive, 0, &f->reference);
    assert_int_equal(trial.outcome, DCS_OUTCOME_OK);
    plant("naive.cu",
          PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "  if (k == 1) slice[nx * ny] = 0;\n}\n");
    assert_int_equal(dcs_session_prepare(trial.session, 0, naive.variant, &naive.config,
                                         &trial.slot, &trial.facts),
                     DCS_OUTCOME_OK);
    dcs_bench_try_again(&f->bench, &f->reference, DCS_UNTIMED_WARM, (dcs_memory)m, &trial);
    assert_int_equal(trial.outcome, DCS_OUTCOME_LAUNCH);
    expect_said("wrote outside its buffer");
  }
  plant_original("naive.cu");
}

/* ---- how maps are cut ---- */

static dcs_slabs cut(const char *id, const char *config, dcs_dims n, int64_t atoms,
                     int64_t resident) {
  const dcs_method method = configured(id, config);
  const dcs_problem problem = {.n_inputs = atoms, .n = n, .spacing = 0.5f};
  dcs_plan plan;
  method.variant->plan(&problem, &method.config, &plan);
  return dcs_cut_slabs(&plan, &problem, (size_t)(n.x * n.y) * sizeof(float), resident);
}

static void volumes_are_cut_where_the_parts_fill_the_card(void **state) {
  (void)state;
  static const char global[] = "block_x=32,block_y=8,coarsen_x=4,coarsen_z=8,atoms=0";
  static const char constant[] =
      "block_x=32,block_y=8,coarsen_x=4,coarsen_z=8,atoms=1,chunk_atoms=2048";
  const dcs_dims n = {256, 256, 256};
  /* 2 x 32 blocks of 256 threads a step of 8 slices: 16,384 threads */
  dcs_slabs slabs = cut("cuda_volume", global, n, 4000, 16384);
  assert_true(slabs.slices == 32 && slabs.alternate);                          /* an eighth */
  assert_int_equal(cut("cuda_volume", global, n, 4000, 132 * 512).slices, 48); /* 5 steps or more */
  assert_int_equal(cut("cuda_volume", global, n, 4000, 132 * 2048).slices, 256);
  assert_int_equal(cut("cuda_volume", global, n, 4000, 132 * 992).slices, 64);
  slabs = cut("cuda_volume", constant, n, 2048, 16384);
  assert_true(slabs.slices == 32 && slabs.alternate);
  slabs = cut("cuda_volume", constant, n, 2049, 32768); /* two chunks: 4 loads of the card */
  assert_true(slabs.slices == 64 && !slabs.alternate);
}

static void slices_are_cut_by_the_size_of_their_copies(void **state) {
  (void)state;
  dcs_slabs slabs = cut("cuda_naive", "", (dcs_dims){512, 512, 64}, 4000, 1 << 20);
  assert_true(slabs.slices == 8 && !slabs.alternate);
  assert_int_equal(cut("cuda_naive", "", (dcs_dims){512, 512, 3}, 4000, 1).slices, 1);
  assert_int_equal(cut("cuda_naive", "", (dcs_dims){512, 512, 1}, 4000, 1).slices, 1);
  assert_int_equal(cut("cuda_naive", "", (dcs_dims){64, 64, 64}, 4000, 1).slices, 64); /* 1 MiB */
  assert_int_equal(cut("cuda_scatter", "", (dcs_dims){512, 512, 64}, 4000, 1).slices, 64);
}

static void resident_threads(void **state) {
  (void)state;
  const dcs_device_info many = {.sm_count = 132, .sm_threads = 2048, .sm_registers = 65536},
                        fewer = {.sm_count = 1, .sm_threads = 1536, .sm_registers = 65536};
  assert_int_equal(dcs_resident_threads(&many, 128), 132 * 512);
  assert_int_equal(dcs_resident_threads(&many, 32), 132 * 2048);
  assert_int_equal(dcs_resident_threads(&fewer, 33), 1536);
  assert_int_equal(dcs_resident_threads(&fewer, 64), 1024);
  assert_int_equal(dcs_resident_threads(&fewer, -1), 1536);
}

#define EMULATED(f) cmocka_unit_test_setup_teardown(f, emulated_begin, emulated_end)

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      EMULATED(frames_give_the_same_map),
      EMULATED(slabs_of_a_volume_give_the_same_map),
      EMULATED(many_slabs_give_the_same_map),
      EMULATED(slabs_of_slices_give_the_same_map),
      EMULATED(small_maps_in_every_mode),
      EMULATED(locked_outputs_are_copied_straight),
      EMULATED(a_slab_in_the_wrong_place_is_seen),
      EMULATED(writes_outside_are_seen_in_every_mode),
      cmocka_unit_test(volumes_are_cut_where_the_parts_fill_the_card),
      cmocka_unit_test(slices_are_cut_by_the_size_of_their_copies),
      cmocka_unit_test(resident_threads),
  };
  return cmocka_run_group_tests_name("memory", tests, folder_make, folder_remove);
}
