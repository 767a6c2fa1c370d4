/* Kernels with planted faults, in the place of cuda_naive's, and a bench that reads them: the
 * emulated device, one small problem, and a worker that is this test program itself. Include after
 * cmocka.h. */
#ifndef DCS_TEST_PLANTED_KERNELS_H
#define DCS_TEST_PLANTED_KERNELS_H

#include "harness/base/embedded.h"
#include "harness/worker/bench.h"
#include "tests/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char kernel_folder[] = "/tmp/dcs-test-kernels-XXXXXX";

#define PLANTED_HEAD                                                                               \
  "extern \"C\" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx,\n"     \
  "                               int ny, int k, float spacing) {\n"                               \
  "  int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;\n"        \
  "  if (i >= nx || j >= ny) return;\n"
/* Sums the atoms first..end-1. */
#define PLANTED_SUM(first, end)                                                                    \
  "  float sum = 0;\n"                                                                             \
  "  for (int a = " first "; a < " end "; a++) {\n"                                                \
  "    float dx = spacing * i - atoms[a].x, dy = spacing * j - atoms[a].y;\n"                      \
  "    float dz = spacing * k - atoms[a].z;\n"                                                     \
  "    sum += atoms[a].w * rsqrtf(dx * dx + (dy * dy + dz * dz));\n"                               \
  "  }\n"                                                                                          \
  "  slice[(long long)j * nx + i] += sum;\n"

static const char right_kernel[] = PLANTED_HEAD PLANTED_SUM("0", "n_atoms") "}\n";
static const char drops_an_atom[] = PLANTED_HEAD PLANTED_SUM("0", "n_atoms - 1") "}\n";

static inline void kernel_path(const char *name, char path[128]) {
  snprintf(path, 128, "%s/%s", kernel_folder, name);
}

/* Writes the folder's naive.cu, or another file. */
static inline void plant(const char *name, const char *text) {
  char path[128];
  kernel_path(name, path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline int kernel_folder_make(void **state) {
  if (cache_folder_make(state) != 0 || !mkdtemp(kernel_folder)) return -1;
  plant("constant.cu", dcs_embedded("kernels/coulomb/cuda/constant.cu"));
  return 0;
}

static inline int kernel_folder_remove(void **state) {
  static const char *const names[] = {"constant.cu",   "naive.cu",       "reduce.cu", "parts.cu",
                                      "born_tiles.cu", "born_tensor.cu", "sort.cuh"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    kernel_path(names[i], path);
    unlink(path);
  }
  return rmdir(kernel_folder) == 0 ? cache_folder_remove(state) : -1;
}

/* ---- a bench with a problem on it ---- */

typedef struct {
  dcs_bench bench;
  dcs_case c;
  dcs_reference reference;
} bench_fixture;

static inline bench_fixture *bench_begin(const char *device, double timeout_s) {
  const dcs_grid grid = {.n = {17, 9, 2}, .spacing = 0.4};
  bench_fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_int_equal(dcs_bench_open(device, kernel_folder, timeout_s, &f->bench), DCS_OK);
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 40, &grid, 3, &f->c), DCS_OK);
  assert_int_equal(dcs_oracle(&f->c, INT64_MAX, &f->reference), DCS_OK);
  assert_int_equal(dcs_bench_put(&f->bench, &f->c, NULL, 0), DCS_OK);
  return f;
}

static inline void bench_end(bench_fixture *f) {
  dcs_bench_close(&f->bench);
  dcs_reference_free(&f->reference);
  dcs_case_free(&f->c);
  free(f);
}

static inline dcs_session *session_of(bench_fixture *f, dcs_backend backend) {
  dcs_session *session;
  if (dcs_bench_session(&f->bench, backend, &session) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return session;
}

/* Setup and teardown of a test on the emulated device; skips where no C++ compiler is. */
static inline int emulated_begin(void **state) {
  bench_fixture *f = bench_begin("emulated", 120);
  dcs_session *session;
  *state = f;
  if (dcs_bench_session(&f->bench, DCS_GPU, &session) == DCS_OK) return 0;
  print_message("skipped: %s\n", dcs_error_message());
  bench_end(f);
  *state = NULL;
  return 0;
}

static inline int emulated_end(void **state) {
  if (*state) bench_end(*state);
  return 0;
}

static inline bench_fixture *fixture_of(void **state) {
  if (!*state) skip();
  return *state;
}

static inline dcs_method method_of(const char *id) {
  const dcs_variant *variant = dcs_find_variant(id);
  assert_non_null(variant);
  return (dcs_method){variant, dcs_initial_config(variant, 1)};
}

static inline dcs_trial try_variant(bench_fixture *f, const char *id) {
  const dcs_method method = method_of(id);
  return dcs_bench_try(&f->bench, &method, 0, &f->reference);
}

static inline void expect_said(const char *part) {
  if (!strstr(dcs_error_message(), part))
    fail_msg("\"%s\" lacks \"%s\"", dcs_error_message(), part);
}

static inline void expect_ok(bench_fixture *f, const char *id) {
  dcs_trial trial = try_variant(f, id);
  if (trial.outcome != DCS_OUTCOME_OK)
    fail_msg("%s: %s: %s", id, dcs_outcome_name(trial.outcome), dcs_error_message());
  assert_true(trial.verdict.accepted && trial.verdict.bound_ratio < 1);
}

#endif
