/* Maps in slabs: the bits of the whole map, at any distance from its origin, and in less memory
 * than the whole map has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "harness/base/interrupt.h"
#include "harness/base/machine.h"
#include "harness/engine/engine.h"
#include "harness/engine/slabs.h"
#include "library/mapper.h"
#include "tests/one_launch.h"
#include "tests/plain_map.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { NX = 19, NY = 6, NZ = 13, SLICE = NX * NY, POINTS = SLICE * NZ, ATOMS = 31 };

static dcs_atom atoms[ATOMS];
static dcs_problem problem = {
    .input = {atoms}, .n_inputs = ATOMS, .n = {NX, NY, NZ}, .spacing = 0.4f};
static float whole[POINTS], map[POINTS];

/* ---- the same bits ---- */

static void make_atoms(void) {
  dcs_random random = {5};
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)between(&random, 0, 8), (float)between(&random, 0, 3),
                          (float)between(&random, 0, 5), (float)between(&random, -1, 1)};
}

static void set(const dcs_variant *variant, dcs_config *config, const char *name, int value) {
  if (dcs_find_param(variant, name) >= 0) config->value[dcs_find_param(variant, name)] = value;
}

/* Few threads, because each is a step of a loop, and as many atoms as there are in one launch. */
static void shrink(const dcs_variant *variant, dcs_config *config) {
  set(variant, config, "block_x", 4);
  set(variant, config, "block_y", 2);
  set(variant, config, "coarsen_z", 4);
  set(variant, config, "splits", 3);
  set(variant, config, "atoms", 0);
}

static void run(dcs_engine *engine, const dcs_variant *variant, const dcs_problem *slab,
                float *to) {
  dcs_config config = dcs_initial_config(variant, 2);
  dcs_code_facts facts;
  double ns;
  shrink(variant, &config);
  memset(to, 0xff, (size_t)dcs_points(slab->n) * sizeof *to);
  if (engine->take(engine, dcs_kinds[0], slab, OUT(to)) != DCS_OUTCOME_OK ||
      engine->prepare(engine, 0, &slab->config, variant, &config, &facts) != DCS_OUTCOME_OK ||
      engine->run(engine, 0, DCS_UNTIMED_WARM, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s: %s", variant->id, dcs_error_message());
}

/* Slabs that begin where launches of bricks four slices high may. */
static void assert_slabs_are_whole(dcs_engine *engine, const dcs_variant *variant) {
  static const int64_t starts[] = {0, 4, 12, NZ};
  run(engine, variant, &problem, whole);
  for (int s = 0; s < 3; s++) {
    dcs_problem slab = problem;
    slab.first_slice = starts[s];
    slab.n.z = starts[s + 1] - starts[s];
    run(engine, variant, &slab, map + starts[s] * SLICE);
  }
  if (memcmp(map, whole, sizeof map) != 0) fail_msg("%s: slabs have other bits", variant->id);
}

static bool is_direct(const dcs_variant *variant) {
  const dcs_config initial = dcs_initial_problem(dcs_kinds[0]);
  char why[DCS_TEXT];
  return dcs_kind_of(variant) == dcs_kinds[0] && dcs_solves(variant, &initial, why);
}

static void slabs_have_the_bits_of_the_whole_map(void **state) {
  (void)state;
  dcs_engine *engine;
  int n = 0;
  make_atoms();
  assert_int_equal(dcs_engine_cpu_open(false, &engine), DCS_OK);
  for (int v = 0; v < dcs_n_variants; v++) {
    char why[DCS_TEXT];
    const dcs_variant *variant = dcs_variants[v];
    if (!is_direct(variant) || variant->backend != DCS_CPU || !dcs_variant_available(variant, why))
      continue;
    assert_slabs_are_whole(engine, variant);
    n++;
  }
  assert_true(n >= 4);
  engine->close(engine);
}

/* Additions of cuda_scatter come in any order on a card; the emulated device has one. */
static void slabs_of_a_device_have_them_too(void **state) {
  (void)state;
  dcs_engine *engine;
  int n = 0;
  make_atoms();
  if (dcs_engine_device_open("emulated", NULL, &engine) != DCS_OK) skip();
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    if (!is_direct(variant) || variant->backend != DCS_GPU) continue;
    const bool few = strcmp(variant->id, "cuda_constant") == 0 ||   /* z from the host */
                     strcmp(variant->id, "cuda_split") == 0 ||      /* points of a brick differ */
                     strcmp(variant->id, "cuda_neighbours") == 0 || /* ... and those beside them */
                     strcmp(variant->id, "cuda_reduce") == 0;
    if (!few && !getenv("DCS_TEST_FULL")) continue;
    assert_slabs_are_whole(engine, variant);
    n++;
  }
  assert_true(n >= 3);
  engine->close(engine);
}

/* ---- far from the origin ---- */

/* A slab behind 2^33 points and more; its coordinates are exact. */
static void assert_far_slab(dcs_engine *engine, const dcs_variant *variant, int64_t first) {
  enum { N = 64, HIGH = 2 };
  static float slab[HIGH * N * N];
  const float h = 0x1p-10f, z = h * (float)first;
  static dcs_atom few[3];
  for (int a = 0; a < 3; a++)
    few[a] = (dcs_atom){0.01f * (float)a, 0.03f, z + 0.01f, 1.0f + (float)a};
  const dcs_problem far = {
      .input = {few}, .n_inputs = 3, .n = {N, N, HIGH}, .spacing = h, .first_slice = first};
  run(engine, variant, &far, slab);
  for (int p = 0; p < HIGH * N * N; p++) {
    double sum = 0;
    for (int a = 0; a < 3; a++)
      sum += few[a].q / sqrt(pow(h * (p % N) - few[a].x, 2) + pow(h * (p / N % N) - few[a].y, 2) +
                             pow(z + h * (float)(p / N / N) - few[a].z, 2));
    if (!(fabs(slab[p] - sum) <= 1e-4 * sum))
      fail_msg("%s: point %d of slice %lld: %g, expected %g", variant->id, p, (long long)first,
               (double)slab[p], sum);
  }
}

static void slabs_lie_behind_many_points(void **state) {
  (void)state;
  static const int64_t firsts[] = {(1 << 19) - 1, 1 << 19, (1 << 21) - 1, 1 << 21, 3 << 20};
  dcs_engine *engine;
  assert_int_equal(dcs_engine_cpu_open(false, &engine), DCS_OK);
  for (int v = 0; v < dcs_n_variants; v++) {
    char why[DCS_TEXT];
    const dcs_variant *variant = dcs_variants[v];
    if (!is_direct(variant) || variant->backend != DCS_CPU || !dcs_variant_available(variant, why))
      continue;
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
      assert_far_slab(engine, variant, firsts[f]);
  }
  engine->close(engine);
}

/* ---- launches of maps that nobody has memory for ---- */

/* A part of a launch on a map of which the pages that it writes are there alone: a block of each
 * layer. Returns false where the system does not promise so much. */
static bool launch_sparse(const char *id, dcs_dims n, int64_t layers) {
  const dcs_variant *variant = dcs_find_variant(id);
  dcs_config config = dcs_initial_config(variant, 1);
  shrink(variant, &config);
  static const dcs_atom atom = {0.1f, 0.2f, 0.3f, 1};
  dcs_problem far = {.input = {&atom}, .n_inputs = 1, .n = n, .spacing = 0.5f}, near = far;
  near.n = (dcs_dims){8, 2, 1}; /* memory that prepare() may make */
  const size_t bytes = 4 * (size_t)n.x * (size_t)n.y * (size_t)n.z;
  float *sparse =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sparse == MAP_FAILED) return false;
  prepared p = prepare(variant, &config, &near, false);
  const dcs_ptr small = p.map;
  int n_atoms = 1, nx = (int)n.x, ny = (int)n.y, nz = (int)n.z, first = 0, sms = 1;
  p.map = (uintptr_t)sparse;
  void *const values[] = {[DCS_BUFFER(DCS_COULOMB_MAP)] = &p.map,
                          [DCS_BUFFER(DCS_COULOMB_ATOMS)] = &p.atoms,
                          [DCS_ARG_N_INPUTS] = &n_atoms,
                          [DCS_ARG_NX] = &nx,
                          [DCS_ARG_NY] = &ny,
                          [DCS_ARG_NZ] = &nz,
                          [DCS_ARG_K] = &first,
                          [DCS_ARG_SMS] = &sms,
                          [DCS_ARG_SPACING] = &far.spacing};
  void *args[DCS_MAX_ARGS];
  for (int a = 0; p.plan.args[a] != DCS_ARG_END; a++)
    args[a] = argument(&p, values, p.plan.args[a]);
  const int64_t grid[3] = {1, 2, layers};
  assert_int_equal(device->launch(device, p.module, "dcs", grid, p.plan.block, args), DCS_OK);
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < 4; j++) {
      const double z = 0.5 * (double)k - 0.3, y = 0.5 * (double)j - 0.2;
      const float found = sparse[(k * n.y + j) * n.x];
      if (!(fabs(found - 1 / sqrt(0.01 + y * y + z * z)) < 1e-5))
        fail_msg("%s: row %lld of slice %lld: %g", id, (long long)j, (long long)k, (double)found);
    }
  p.map = small;
  release(&p);
  munmap(sparse, bytes);
  return true;
}

static void launches_count_points_in_64_bits(void **state) {
  (void)state;
  /* 2^31 points and more lie before the third row, 2^33 before the fifth slice. */
  const dcs_dims rows = {(1 << 30) + 8, 4, 1}, slices = {1 << 16, 1 << 15, 6};
  if (!launch_sparse("cuda_naive", rows, 1) || !launch_sparse("cuda_split", slices, 2)) {
    print_message("skipped: no address space for a map that is not there\n");
    skip();
  }
  if (!getenv("DCS_TEST_FULL")) return;
  launch_sparse("cuda_volume", slices, 2);
  launch_sparse("cuda_shared", rows, 1);
}

/* ---- plans and sizes ---- */

static double times(double x, double y, double z) {
  return x * y * z;
}

/* What a plan has of a map is right to the last bit of numbers that 32 bits do not hold. */
static void assert_plan(const dcs_variant *variant, const dcs_config *config, dcs_dims n) {
  const dcs_problem large = {.input = {atoms}, .n_inputs = ATOMS, .n = n, .spacing = 0.5f};
  char why[DCS_TEXT];
  dcs_plan plan;
  if (!dcs_applicable(variant, &large, config, why)) return;
  variant->plan(&large, config, &plan);
  const double points = times(n.x, n.y, n.z);
  assert_true(times(plan.stored.x, plan.stored.y, plan.stored.z) >= points);
  assert_in_range(plan.launch_slices, 1, n.z);
  for (int axis = 0; axis < 3; axis++)
    assert_in_range(plan.grid[axis], 1, axis ? 65535 : INT32_MAX);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    assert_true(plan.scratch[s].bytes >= 0);
  if (strcmp(variant->id, "cuda_reduce") == 0) {
    const int splits = dcs_find_param(variant, "splits");
    const double of = config->value[splits] < ATOMS ? config->value[splits] : ATOMS;
    assert_true((double)plan.scratch[0].bytes >= 4 * of * points);
  }
  const dcs_slabs slabs = dcs_cut_slabs(&plan, &large, 4 * (size_t)n.x * (size_t)n.y, 1 << 18);
  assert_in_range(slabs.slices, 1, n.z);
  const dcs_dims executed = variant->executed(&large, config);
  assert_true(times(executed.x, executed.y, executed.z) >= points);
}

static void plans_hold_for_maps_of_many_points(void **state) {
  (void)state;
  /* 2^31 points and one, 2^33, 2^34 and more, one slice of 2^31 */
  static const dcs_dims sizes[] = {{2147483, 1000, 1}, {2048, 2048, 2048},
                                   {4096, 4096, 1025}, {1 << 16, 1 << 15, 1},
                                   {65, 33, 60000},    {1 << 16, 1 << 16, 8}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const dcs_problem large = {.n_inputs = 1, .n = sizes[s], .spacing = 0.5f};
    const double points = times((double)sizes[s].x, (double)sizes[s].y, (double)sizes[s].z);
    assert_true((double)dcs_points(sizes[s]) == points);
    assert_true((double)dcs_buffer_bytes(dcs_kinds[0], DCS_COULOMB_MAP, &large) == 4 * points);
    for (int v = 0; v < dcs_n_variants; v++) {
      const dcs_variant *variant = dcs_variants[v];
      if (!is_direct(variant) || variant->backend != DCS_GPU) continue;
      dcs_config config = dcs_initial_config(variant, 1);
      assert_plan(variant, &config, sizes[s]);
      shrink(variant, &config);
      assert_plan(variant, &config, sizes[s]);
    }
  }
}

static void tiles_that_a_kernel_cannot_count_are_refused(void **state) {
  (void)state;
  char why[DCS_TEXT];
  const dcs_variant *variant = dcs_find_variant("cuda_reduce");
  dcs_config config = dcs_initial_config(variant, 1);
  const dcs_problem large = {
      .input = {atoms}, .n_inputs = ATOMS, .n = {2048, 2048, 2048}, .spacing = 0.5f};
  static const char *const ones[] = {"block_x", "block_y", "coarsen_x", "coarsen_z", "splits"};
  for (int o = 0; o < 5; o++)
    set(variant, &config, ones[o], 1);
  assert_false(dcs_applicable(variant, &large, &config, why));
  assert_non_null(strstr(why, "8589934592 tiles"));
}

/* ---- the library's slabs ---- */

static dcs_map_request request_of(const double *of, int64_t nx, int64_t nz, double cutoff) {
  return (dcs_map_request){.n_atoms = 2,
                           .atoms = of,
                           .origin = {-1, -1, -1},
                           .spacing = 0.5,
                           .nx = nx,
                           .ny = 8,
                           .nz = nz,
                           .cutoff = cutoff};
}

/* The last atom is on a point. */
static const double two[8] = {0.3, 0.4, 5.2, 1, 0.5, 1, 3, -2};

static void the_library_computes_slabs(void **state) {
  (void)state;
  enum { X = 11, Z = 17, N = X * 8 * Z };
  static float all[N], parts[N];
  dcs_mapper *m;
  const dcs_mapper_options cpu = {.device = "cpu"};
  assert_int_equal(dcs_mapper_open(&cpu, &m), 0);
  for (int within = 0; within < 2; within++) {
    const dcs_map_request r = request_of(two, X, Z, within ? 4 : 0);
    assert_int_equal(dcs_map(m, &r, all), 0);
    assert_int_equal(dcs_mapper_pose(m, &r), DCS_OK);
    assert_int_equal(dcs_mapper_slab_step(m), within ? 8 : 1);
    for (int64_t k = 0; k < Z; k += 5) {
      const int64_t end = k + 5 < Z ? k + 5 : Z;
      if (dcs_mapper_slices(m, k, end, parts + k * 8 * X) != DCS_OK)
        fail_msg("%s", dcs_error_message());
    }
    assert_memory_equal(parts, all, sizeof all);
  }
  dcs_mapper_close(m);
}

/* A sanitizer keeps what was freed, and takes all addresses. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* What the process may map beside what it has. */
static void leave_memory(int64_t bytes) {
  struct rlimit limit;
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lld", &pages), 1);
  fclose(file);
  assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
  limit.rlim_cur = bytes ? (rlim_t)(pages * sysconf(_SC_PAGESIZE) + bytes) : limit.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* The handle does without the variants whose threads wait for each other, as if they had failed
 * their check: these take the emulated device more memory than the map. */
static void do_without_barriers(dcs_mapper *m) {
  static const char *const ids[] = {"cuda_reduce", "cuda_parts"};
  m->checked = calloc(2, sizeof *m->checked);
  assert_non_null(m->checked);
  for (int i = 0; i < 2; i++) {
    const dcs_variant *variant = dcs_find_variant(ids[i]);
    m->checked[m->n_checked++] =
        (dcs_checked){.method = {variant, dcs_initial_config(variant, m->threads)}};
  }
}

/* As on a card whose memory is smaller than the map. */
static void a_map_larger_than_the_device_goes_in_parts(void **state) {
  (void)state;
  enum { X = 1 << 14, Z = 16 };
  const size_t bytes = (size_t)X * 8 * Z * sizeof(float); /* 8 MiB */
  if (!device || sanitized) skip();
  float *expected = malloc(bytes), *found = malloc(bytes);
  dcs_mapper *m;
  const dcs_mapper_options emulated = {.device = "emulated"};
  const dcs_map_request r = request_of(two, X, Z, 0);
  mallopt(M_MMAP_THRESHOLD, 1 << 18); /* what is freed is the system's again */
  assert_int_equal(dcs_mapper_open(&emulated, &m), 0);
  do_without_barriers(m);
  assert_int_equal(dcs_map(m, &r, expected), 0);
  assert_int_equal(m->device_slices, 0);
  m->ready[DCS_GPU] = (dcs_ready){0};
  leave_memory(-(int64_t)bytes / 8); /* the handle still has the map's */
  const int status = dcs_map(m, &r, found);
  leave_memory(0);
  if (status != 0) fail_msg("%s", dcs_error_message());
  if (m->engines[DCS_CPU]) fail_msg("%s", m->gpu_why);
  assert_in_range(m->device_slices, 1, Z / 2);
  assert_memory_equal(found, expected, bytes);
  dcs_mapper_close(m);
  free(expected);
  free(found);
}

/* The last test: the process stays interrupted. */
static void an_interrupt_is_no_fault_of_a_method(void **state) {
  (void)state;
  dcs_mapper *m;
  const dcs_mapper_options cpu = {.device = "cpu"};
  const dcs_variant *variant = dcs_find_variant("cpu_gather");
  assert_int_equal(dcs_mapper_open(&cpu, &m), DCS_OK);
  const dcs_method method = {variant, dcs_initial_config(variant, 1)};
  dcs_interrupt_catch();
  raise(SIGINT);
  assert_int_equal(dcs_mapper_check(m, &method), DCS_FAILED);
  assert_string_equal(dcs_error_message(), "interrupted");
  assert_int_equal(m->n_checked, 0);
  dcs_interrupt_release();
  dcs_mapper_close(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slabs_have_the_bits_of_the_whole_map),
      cmocka_unit_test(slabs_of_a_device_have_them_too),
      cmocka_unit_test(slabs_lie_behind_many_points),
      cmocka_unit_test(launches_count_points_in_64_bits),
      cmocka_unit_test(plans_hold_for_maps_of_many_points),
      cmocka_unit_test(tiles_that_a_kernel_cannot_count_are_refused),
      cmocka_unit_test(the_library_computes_slabs),
      cmocka_unit_test(a_map_larger_than_the_device_goes_in_parts),
      cmocka_unit_test(an_interrupt_is_no_fault_of_a_method),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
