/* Fourier transforms against their definition, alone and as steps of a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "kernels/common/fft.h"
#include "kernels/common/fftw.h"
#include "tests/cache_folder.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- numbers in either precision ---- */

static double get(const void *at, bool doubles, int64_t i) {
  return doubles ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void put(void *at, bool doubles, int64_t i, double value) {
  if (doubles)
    ((double *)at)[i] = value;
  else
    ((float *)at)[i] = (float)value;
}

/* A signal without symmetry. */
static double signal_at(int64_t i) {
  return sin(0.7 * (double)i * (double)i) + 0.01 * (double)(i % 17);
}

/* Memory for the numbers of a transform, whichever these are; the caller frees. */
static void *numbers(const dcs_fft *fft) {
  void *made = calloc(1, (size_t)dcs_fft_bytes(fft));
  assert_non_null(made);
  return made;
}

static int64_t row_of(const dcs_fft *fft, bool in_place) {
  return in_place ? 2 * (fft->n.x / 2 + 1) : fft->n.x;
}

static void put_signal(const dcs_fft *fft, bool in_place, void *to) {
  for (int64_t r = 0; r < fft->n.y * fft->n.z; r++)
    for (int64_t i = 0; i < fft->n.x; i++)
      put(to, fft->doubles, r * row_of(fft, in_place) + i, signal_at(r * fft->n.x + i));
}

/* ---- the definition ---- */

/* Of the signal, at frequencies (p, q, r). */
static void definition(dcs_dims n, const int64_t f[3], double value[2]) {
  const double pi = acos(-1);
  value[0] = value[1] = 0;
  for (int64_t k = 0; k < n.z; k++)
    for (int64_t j = 0; j < n.y; j++)
      for (int64_t i = 0; i < n.x; i++) {
        const double turns = (double)(f[0] * i % n.x) / (double)n.x +
                             (double)(f[1] * j % n.y) / (double)n.y +
                             (double)(f[2] * k % n.z) / (double)n.z;
        const double s = signal_at((k * n.y + j) * n.x + i);
        value[0] += s * cos(-2 * pi * turns);
        value[1] += s * sin(-2 * pi * turns);
      }
}

static double rounding(const dcs_fft *fft) {
  return (fft->doubles ? 0x1p-52 : 0x1p-23) * 8 * sqrt((double)(fft->n.x * fft->n.y * fft->n.z));
}

/* All frequencies of few numbers; of many some. */
static void expect_spectrum(const dcs_fft *fft, const void *found) {
  const dcs_dims n = fft->n;
  const int64_t half = n.x / 2 + 1, all = half * n.y * n.z;
  const int64_t step = all * n.x * n.y * n.z > 1000000 ? all / 37 + 1 : 1;
  for (int64_t at = 0; at < all; at += step) {
    double expected[2];
    definition(n, (int64_t[]){at % half, at / half % n.y, at / half / n.y}, expected);
    for (int part = 0; part < 2; part++) {
      const double value = get(found, fft->doubles, 2 * at + part);
      if (!(fabs(value - expected[part]) <= 4 * rounding(fft)))
        fail_msg("%d x %d x %d, number %d: %.9g, expected %.9g", (int)n.x, (int)n.y, (int)n.z,
                 (int)at, value, expected[part]);
    }
  }
}

/* What comes back is the signal, times the number of points. */
static void expect_signal(const dcs_fft *fft, bool in_place, const void *found) {
  const double points = (double)(fft->n.x * fft->n.y * fft->n.z);
  for (int64_t r = 0; r < fft->n.y * fft->n.z; r++)
    for (int64_t i = 0; i < fft->n.x; i++) {
      const double value = get(found, fft->doubles, r * row_of(fft, in_place) + i) / points;
      const double expected = signal_at(r * fft->n.x + i);
      if (!(fabs(value - expected) <= rounding(fft) / sqrt(points) * 4))
        fail_msg("%d x %d x %d, point %d of row %d: %.9g, expected %.9g", (int)fft->n.x,
                 (int)fft->n.y, (int)fft->n.z, (int)i, (int)r, value, expected);
    }
}

/* ---- alone ---- */

static void there_and_back(dcs_dims n, bool doubles, bool in_place) {
  dcs_fft fft = {n, .forward = true, .doubles = doubles};
  void *real = numbers(&fft), *complex = in_place ? real : numbers(&fft);
  put_signal(&fft, in_place, real);
  assert_int_equal(dcs_fft_transform(&fft, real, complex), DCS_OK);
  expect_spectrum(&fft, complex);
  fft.forward = false;
  assert_int_equal(dcs_fft_transform(&fft, complex, real), DCS_OK);
  expect_signal(&fft, in_place, real);
  if (!in_place) free(complex);
  free(real);
}

static void transforms_are_those_of_the_definition(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},  {8, 1, 1},  {1, 9, 1},  {1, 1, 10}, {2, 3, 5},
                                   {7, 4, 3},  {12, 7, 2}, {15, 5, 3}, {60, 2, 3}, {49, 3, 1},
                                   {6, 21, 4}, {10, 8, 9}, {30, 28, 2}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int way = 0; way < 4; way++)
      there_and_back(sizes[s], way & 1, way & 2);
}

/* FFTW's, shared by threads: of the definition, and the same bits by however many there are. */
static void threads_of_fftw_change_no_bit(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{8, 1, 1}, {15, 5, 3}, {12, 7, 2}, {10, 8, 9}, {30, 28, 2}};
  char why[256];
  if (!dcs_fftw_available(why)) skip();
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const dcs_fft fft = {sizes[s], .forward = true, .doubles = true};
    const int n[3] = {(int)fft.n.x, (int)fft.n.y, (int)fft.n.z};
    const size_t bytes = (size_t)dcs_fft_bytes(&fft);
    void *one[2] = {malloc(bytes), malloc(bytes)}, *many = numbers(&fft);
    for (int threads = 1; threads <= 9; threads++) {
      dcs_fftw fftw;
      assert_true(dcs_fftw_plan(n, threads, many, &fftw));
      put_signal(&fft, true, many);
      dcs_fftw_forward(&fftw);
      if (threads == 1) expect_spectrum(&fft, many);
      if (threads == 1) memcpy(one[0], many, bytes);
      assert_memory_equal(one[0], many, bytes);
      dcs_fftw_backward(&fftw);
      expect_signal(&fft, true, many);
      if (threads == 1) memcpy(one[1], many, bytes);
      assert_memory_equal(one[1], many, bytes);
      dcs_fftw_free(&fftw);
    }
    free(one[0]);
    free(one[1]);
    free(many);
  }
}

static void lengths_have_small_factors(void **state) {
  (void)state;
  const dcs_fft fft = {{22, 4, 4}, .forward = true};
  float from[22 * 16], to[24 * 16];
  assert_true(dcs_fft_has_length(1) && dcs_fft_has_length(2 * 9 * 25 * 49));
  assert_false(dcs_fft_has_length(11) || dcs_fft_has_length(26));
  assert_int_equal(dcs_fft_length(11, false), 12);
  assert_int_equal(dcs_fft_length(13, false), 14);
  assert_int_equal(dcs_fft_length(15, false), 15);
  assert_int_equal(dcs_fft_length(15, true), 16);
  assert_int_equal(dcs_fft_transform(&fft, from, to), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "length 22"));
}

/* ---- as steps ---- */

enum { NX = 12, NY = 10, NZ = 7, POINTS = NX * NY * NZ };

/* Puts the signal's values of a map into an array of rows, multiplies what a transform made of it,
 * and takes from the other one's array what is a map. */
static const char kernels[] =
    "typedef REAL real;\n"
    "extern \"C\" __global__ void put(real *to, const float4 *atoms, int nx, int row, int n) {\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
    "    to[i / nx * row + i % nx] = (real)atoms[i].w;\n"
    "}\n"
    "extern \"C\" __global__ void scale(real *spectrum, int n) {\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) spectrum[i] *= (real)0.5;\n"
    "}\n"
    "extern \"C\" __global__ void dcs(float *map, const real *from, int nx, int row, int n) {\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
    "    map[i] = (float)from[i / nx * row + i % nx];\n"
    "}\n";

enum { REAL_NUMBERS, COMPLEX_NUMBERS, UNTOUCHED };

/* Configuration: doubles, in place, a length that is none. */
static void plan_transforms(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  typedef struct {
    int row, points, numbers;
  } own_values;
  static const dcs_arg put_args[] = {DCS_SCRATCH(REAL_NUMBERS),
                                     DCS_BUFFER(DCS_COULOMB_ATOMS),
                                     DCS_ARG_NX,
                                     DCS_OWN_AT(offsetof(own_values, row)),
                                     DCS_OWN_AT(offsetof(own_values, points)),
                                     DCS_ARG_END};
  static const dcs_arg scale_in_place[] = {DCS_SCRATCH(REAL_NUMBERS),
                                           DCS_OWN_AT(offsetof(own_values, numbers)), DCS_ARG_END};
  static const dcs_arg scale_apart[] = {DCS_SCRATCH(COMPLEX_NUMBERS),
                                        DCS_OWN_AT(offsetof(own_values, numbers)), DCS_ARG_END};
  static const dcs_arg map_args[] = {DCS_BUFFER(DCS_COULOMB_MAP),
                                     DCS_SCRATCH(REAL_NUMBERS),
                                     DCS_ARG_NX,
                                     DCS_OWN_AT(offsetof(own_values, row)),
                                     DCS_OWN_AT(offsetof(own_values, points)),
                                     DCS_ARG_END};
  const bool in_place = config->value[1];
  dcs_fft fft = {problem->n, .forward = true, .doubles = config->value[0]};
  if (config->value[2]) fft.n.x = 22;
  const dcs_arg real = DCS_SCRATCH(REAL_NUMBERS);
  const dcs_arg complex = in_place ? real : DCS_SCRATCH(COMPLEX_NUMBERS);
  const own_values own = {in_place ? 2 * (NX / 2 + 1) : NX, POINTS, 2 * (NX / 2 + 1) * NY * NZ};
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = problem->n.z,
                     .stored = problem->n,
                     .scratch = {[REAL_NUMBERS] = {dcs_fft_bytes(&fft)},
                                 [COMPLEX_NUMBERS] = {in_place ? 0 : dcs_fft_bytes(&fft)}},
                     .block = {32, 1, 1},
                     .grid = {1, 1, 1},
                     .args = map_args};
  memcpy(plan->own, &own, sizeof own);
  dcs_add_step(
      plan,
      (dcs_plan_step){.kernel = "put", .block = {32, 1, 1}, .grid = {1, 1, 1}, .args = put_args});
  dcs_add_step(plan,
               (dcs_plan_step){.does = DCS_STEP_FFT, .from = real, .to = complex, .fft = fft});
  dcs_add_step(plan, (dcs_plan_step){.kernel = "scale",
                                     .block = {32, 1, 1},
                                     .grid = {1, 1, 1},
                                     .args = in_place ? scale_in_place : scale_apart});
  fft.forward = false;
  dcs_add_step(plan,
               (dcs_plan_step){.does = DCS_STEP_FFT, .from = complex, .to = real, .fft = fft});
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

static const char *const precisions[] = {"float", "double"};
static const dcs_param params[] = {{"doubles", "", 0, 1, 0, precisions, NULL},
                                   {"in_place", "", 0, 1, 0, NULL, NULL},
                                   {"odd", "", 0, 1, 0, NULL, NULL}};
static const char *const sources[] = {"kernels/coulomb/cuda/transforms.cu", NULL};
static const dcs_variant transforms = {.id = "test_transforms",
                                       .kind = "coulomb",
                                       .sources = sources,
                                       .backend = DCS_GPU,
                                       .params = params,
                                       .n_params = 3,
                                       .plan = plan_transforms};

static dcs_atom atoms[POINTS];
static float map[POINTS];
static char folder[] = "/tmp/dcs-test-fft-XXXXXX";
static char file_path[64];

static int write_kernels(void **state) {
  if (cache_folder_make(state) != 0 || !mkdtemp(folder)) return -1;
  for (int i = 0; i < POINTS; i++)
    atoms[i].q = (float)signal_at(i);
  snprintf(file_path, sizeof file_path, "%s/transforms.cu", folder);
  FILE *file = fopen(file_path, "w");
  bool whole = file && fprintf(file,
                               "#if DOUBLES == 1\n#define REAL double\n#else\n"
                               "#define REAL float\n#endif\n%s",
                               kernels) > 0;
  return file && fclose(file) == 0 && whole ? 0 : -1;
}

static int remove_kernels(void **state) {
  unlink(file_path);
  return rmdir(folder) == 0 ? cache_folder_remove(state) : -1;
}

static const dcs_problem problem = {
    .input = {atoms}, .n_inputs = POINTS, .n = {NX, NY, NZ}, .spacing = 0.5f};

static dcs_engine *open_engine(const char *devices) {
  dcs_engine *engine;
  assert_int_equal(dcs_engine_devices_open(devices, folder, &engine), DCS_OK);
  assert_int_equal(engine->take(engine, dcs_kinds[0], &problem, OUT(map)), DCS_OUTCOME_OK);
  return engine;
}

static void expect_map(dcs_engine *engine, dcs_scope scope, bool doubles) {
  double ns;
  if (engine->run(engine, 0, scope, DCS_PAGEABLE, 1, &ns) != DCS_OUTCOME_OK)
    fail_msg("%s", dcs_error_message());
  for (int i = 0; i < POINTS; i++) {
    const double expected = 0.5 * POINTS * signal_at(i);
    if (!(fabs((double)map[i] - expected) <= (doubles ? 1e-7 : 2e-6) * POINTS))
      fail_msg("point %d: %.9g, expected %.9g", i, (double)map[i], expected);
  }
}

/* In both precisions, in place and not; a second map is launched as a graph. */
static void a_plan_transforms_there_and_back(void **state) {
  (void)state;
  for (int way = 0; way < 4; way++) {
    const dcs_config config = {{way & 1, way >> 1}};
    dcs_engine *engine = open_engine("emulated");
    dcs_code_facts facts;
    if (engine->prepare(engine, 0, &problem.config, &transforms, &config, &facts) != DCS_OUTCOME_OK)
      fail_msg("%s", dcs_error_message());
    for (int i = 0; i < 3; i++)
      expect_map(engine, i == 1 ? DCS_UNTIMED_WARM : DCS_UNTIMED, way & 1);
    engine->close(engine);
  }
}

/* Two methods share what transforms work in, which grows for the second. */
static void methods_follow_each_other(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated");
  dcs_code_facts facts;
  const dcs_config in_float = {{0}}, in_double = {{1}};
  assert_int_equal(engine->prepare(engine, 0, &problem.config, &transforms, &in_float, &facts),
                   DCS_OUTCOME_OK);
  expect_map(engine, DCS_UNTIMED, false);
  expect_map(engine, DCS_UNTIMED, false); /* as a graph */
  assert_int_equal(engine->prepare(engine, 1, &problem.config, &transforms, &in_double, &facts),
                   DCS_OUTCOME_OK);
  expect_map(engine, DCS_UNTIMED, false);
  expect_map(engine, DCS_UNTIMED, false);
  engine->close(engine);
}

static dcs_status no_library(dcs_device *device) {
  (void)device;
  return dcs_fail(DCS_UNAVAILABLE, "cuFFT is not on this machine");
}

static void what_cannot_be_is_told(void **state) {
  (void)state;
  dcs_engine *engine = open_engine("emulated");
  dcs_code_facts facts;
  dcs_config config = {{0, 0, 1}};
  assert_int_equal(engine->prepare(engine, 0, &problem.config, &transforms, &config, &facts),
                   DCS_OUTCOME_INAPPLICABLE);
  assert_non_null(strstr(dcs_error_message(), "length 22"));
  engine->device->has_fft = no_library;
  config.value[2] = 0;
  assert_int_equal(engine->prepare(engine, 0, &problem.config, &transforms, &config, &facts),
                   DCS_OUTCOME_NOT_BUILT);
  assert_non_null(strstr(dcs_error_message(), "cuFFT"));
  engine->close(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms_are_those_of_the_definition),
      cmocka_unit_test(threads_of_fftw_change_no_bit),
      cmocka_unit_test(lengths_have_small_factors),
      cmocka_unit_test(a_plan_transforms_there_and_back),
      cmocka_unit_test(methods_follow_each_other),
      cmocka_unit_test(what_cannot_be_is_told),
  };
  return cmocka_run_group_tests_name("Fourier transforms", tests, write_kernels, remove_kernels);
}
