/* The OpenCL device. Where there is none its tests are skipped, unless the driver that `make deps`
 * installs is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "tests/program.h"

#include <math.h>

static dcs_device *device;
static dcs_module *module;

static const char kernels[] =
    "__constant__ float4 atoms[N];\n"
    "struct pair { int by; float4 plus; };\n"
    "template <int BY>\n"
    "static __device__ float times(float x) { return BY * x + atoms[1].y; }\n"
    "extern \"C\" __global__ void dcs(float *out, const float *in, pair p, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = (in ? in[i] : 7.0f) * p.by + p.plus.z + times<3>(1.0f);\n"
    "}\n"
    "extern \"C\" __global__ void reverse(int *out) {\n"
    "  __shared__ int tile[64];\n"
    "  int t = threadIdx.y * 16 + threadIdx.x;\n"
    "  tile[t] = out[blockIdx.y * 64 + t];\n"
    "  __syncthreads();\n"
    "  out[blockIdx.y * 64 + t] = tile[63 - t];\n"
    "}\n"
    "extern \"C\" __global__ void add(float *sum, int *count) {\n"
    "  atomicAdd(sum, 0.5f);\n"
    "  atomicAdd(&count[threadIdx.x % 2], 1);\n"
    "}\n";

static void has(dcs_status status) {
  if (status != DCS_OK) fail_msg("%s", dcs_error_message());
}

static bool is_here(void) {
  if (device) return true;
  if (dcs_device_open("opencl:0", &device) == DCS_OK) return true;
  if (access("/etc/OpenCL/vendors/pocl.icd", F_OK) == 0)
    fail_msg("a driver is installed, but %s", dcs_error_message());
  return false;
}

#define NEED_DEVICE()                                                                              \
  if (!is_here()) skip()

static void need_module(void) {
  static const char *const options[] = {"-DN=3"};
  const dcs_source source = {"kernels.cu", kernels, options, 1};
  dcs_code_facts facts;
  if (module) return;
  has(device->load(device, &source, &module, &facts));
  assert_int_equal(facts.registers, -1);
}

static dcs_ptr put(const void *values, size_t bytes) {
  dcs_ptr at;
  has(device->alloc(device, bytes, &at));
  has(device->copy_in(device, at, values, bytes));
  return at;
}

static void get(void *values, dcs_ptr at, size_t bytes) {
  const dcs_dims all = {(int64_t)bytes, 1, 1};
  has(device->copy_out(device, values, all, at, all));
  has(device->synchronize(device));
}

/* ---- memory ---- */

static void copies_begin_anywhere_in_a_buffer(void **state) {
  (void)state;
  NEED_DEVICE();
  uint8_t from[60], corner[2 * 3 * 2], expected[2 * 3 * 2];
  uint32_t words[15];
  for (int i = 0; i < 60; i++)
    from[i] = (uint8_t)(i + 1);
  dcs_ptr at = put(from, sizeof from), other;
  /* Rows of 5 bytes, 4 rows a slice: the corner 2 x 3 x 2 from slice 1, row 1 on. */
  has(device->copy_out(device, corner, (dcs_dims){2, 3, 2}, at + 25, (dcs_dims){5, 4, 2}));
  has(device->synchronize(device));
  dcs_pack_corner(expected, (dcs_dims){2, 3, 2}, from + 25, (dcs_dims){5, 4, 2});
  assert_memory_equal(corner, expected, sizeof corner);
  has(device->alloc(device, sizeof words, &other));
  has(device->fill(device, other, 0x01020304u, 15));
  has(device->copy(device, other + 8, at + 4, 8));
  has(device->fill(device, other + 40, 7, 1));
  get(words, other, sizeof words);
  assert_int_equal(words[0], 0x01020304);
  assert_memory_equal(&words[2], from + 4, 8);
  assert_int_equal(words[4], 0x01020304);
  assert_int_equal(words[10], 7);
  device->release(device, at);
  assert_int_equal(device->copy_in(device, at, from, 1), DCS_FAILED); /* in no buffer now */
  assert_int_equal(device->fill(device, other + sizeof words, 0, 1), DCS_FAILED);
  device->release(device, other);
}

static void host_memory_is_locked_or_not(void **state) {
  (void)state;
  NEED_DEVICE();
  void *host;
  dcs_ptr named, at;
  int ordinary = 5, found = 0;
  has(device->alloc_host(device, 4096, &host, &named));
  assert_true(device->is_locked(device, (char *)host + 4095));
  assert_false(device->is_locked(device, &ordinary));
  *(int *)host = 11;
  at = put(host, sizeof(int));
  get(&found, at, sizeof found);
  assert_int_equal(found, 11);
  device->release(device, at);
  device->release_host(device, host);
  assert_false(device->is_locked(device, host));
  has(device->supports(device, DCS_PAGEABLE));
  has(device->supports(device, DCS_PINNED));
  assert_int_equal(device->supports(device, DCS_MAPPED), DCS_UNAVAILABLE);
  assert_non_null(strstr(dcs_error_message(), "mapped"));
  assert_int_equal(device->alloc(device, (size_t)1 << 50, &at), DCS_UNAVAILABLE);
}

/* ---- kernels ---- */

typedef struct {
  int by;
  _Alignas(16) float plus[4];
} pair;

static void arguments_arrive(void **state) {
  (void)state;
  NEED_DEVICE();
  need_module();
  float in[10], out[10];
  const float constant[8] = {[5] = 100};
  for (int i = 0; i < 10; i++)
    in[i] = (float)i;
  dcs_ptr from = put(in, sizeof in), to = put(in, sizeof in), symbol, none = 0;
  size_t bytes;
  has(device->symbol(device, module, "atoms", &symbol, &bytes));
  assert_true(bytes >= 3 * 16);
  has(device->copy_in(device, symbol, constant, sizeof constant));
  assert_int_equal(device->symbol(device, module, "molecules", &symbol, &bytes), DCS_FAILED);
  pair p = {2, {0, 0, 0.25f, 0}};
  dcs_ptr part = from + 4 * sizeof *in;
  int n = 6;
  void *args[] = {&to, &part, &p, &n}, *of_none[] = {&to, &none, &p, &n};
  const int64_t grid[3] = {3, 1, 1};
  const int block[3] = {4, 1, 1};
  has(device->launch(device, module, "dcs", grid, block, args));
  get(out, to, sizeof out);
  for (int i = 0; i < 10; i++)
    assert_float_equal(out[i], i < 6 ? 2 * in[i + 4] + 0.25 + 3 + 100 : in[i], 0);
  has(device->launch(device, module, "dcs", grid, block, of_none));
  get(out, to, sizeof out);
  assert_float_equal(out[5], 2 * 7 + 0.25 + 3 + 100, 0);
  part = to + 2 * sizeof out;
  assert_int_equal(device->launch(device, module, "dcs", grid, block, args), DCS_FAILED);
  assert_int_equal(device->launch(device, module, "nothing", grid, block, args), DCS_FAILED);
  assert_int_equal(device->launch(device, module, "dcs", grid, (const int[]){2048, 1, 1}, args),
                   DCS_FAILED);
  device->release(device, from);
  device->release(device, to);
}

static void threads_of_a_block_share_and_wait(void **state) {
  (void)state;
  NEED_DEVICE();
  need_module();
  int values[128], found[128];
  for (int i = 0; i < 128; i++)
    values[i] = 3 * i;
  dcs_ptr at = put(values, sizeof values);
  void *args[] = {&at};
  const int64_t grid[3] = {1, 2, 1};
  has(device->launch(device, module, "reverse", grid, (const int[]){16, 4, 1}, args));
  get(found, at, sizeof found);
  for (int i = 0; i < 128; i++)
    assert_int_equal(found[i], values[i / 64 * 64 + 63 - i % 64]);
  device->release(device, at);
}

static void atomic_additions_lose_nothing(void **state) {
  (void)state;
  NEED_DEVICE();
  need_module();
  float sum = 1;
  int count[2] = {0, 0};
  dcs_ptr sum_at = put(&sum, sizeof sum), count_at = put(count, sizeof count);
  void *args[] = {&sum_at, &count_at};
  const int64_t grid[3] = {20, 1, 1};
  has(device->launch(device, module, "add", grid, (const int[]){32, 1, 1}, args));
  get(&sum, sum_at, sizeof sum);
  get(count, count_at, sizeof count);
  assert_float_equal(sum, 1 + 0.5 * 20 * 32, 0);
  assert_int_equal(count[0], 320);
  assert_int_equal(count[1], 320);
  device->release(device, sum_at);
  device->release(device, count_at);
}

static void graphs_are_launched_again(void **state) {
  (void)state;
  NEED_DEVICE();
  need_module();
  const float ones[2] = {1, 1};
  int count[2];
  float sum[2];
  void *host;
  dcs_ptr named, from = put(ones, sizeof ones), sum_at = put(ones, sizeof ones),
                 count_at = put(ones, sizeof count);
  dcs_graph *graph;
  has(device->alloc_host(device, sizeof count, &host, &named));
  void *args[] = {&sum_at, &count_at};
  has(device->begin_capture(device));
  has(device->fill(device, sum_at, 0, 2));
  has(device->copy(device, sum_at + 4, from, 4));
  has(device->copy_in(device, count_at, host, sizeof count));
  has(device->launch(device, module, "add", (const int64_t[]){1, 1, 1}, (const int[]){8, 1, 1},
                     args));
  has(device->end_capture(device, &graph));
  get(sum, sum_at, sizeof sum);
  assert_float_equal(sum[0], 1, 0); /* noted, not done */
  for (int run = 0; run < 2; run++) {
    ((int *)host)[0] = ((int *)host)[1] = 10 * run;
    has(device->launch_graph(device, graph));
    get(sum, sum_at, sizeof sum);
    get(count, count_at, sizeof count);
    assert_float_equal(sum[0], 4, 0);
    assert_float_equal(sum[1], 1, 0);
    assert_int_equal(count[1], 10 * run + 4);
  }
  device->destroy_graph(device, graph);
  device->release_host(device, host);
  device->release(device, from);
  device->release(device, sum_at);
  device->release(device, count_at);
}

/* ---- time, code ---- */

static void events_follow_each_other(void **state) {
  (void)state;
  NEED_DEVICE();
  double ns = -1;
  dcs_ptr at;
  has(device->alloc(device, 1 << 20, &at));
  has(device->synchronize_event(device, 5)); /* never recorded */
  has(device->record_event(device, 0));
  has(device->fill(device, at, 1, 1 << 18));
  has(device->record_event(device, 1));
  device->select_stream(device, 1);
  has(device->wait_event(device, 1));
  has(device->fill(device, at, 2, 1 << 18));
  has(device->record_event(device, 2));
  has(device->elapsed_ns(device, 0, 2, &ns));
  assert_true(ns > 0 && ns < 60e9);
  device->select_stream(device, 0);
  has(device->synchronize(device));
  device->release(device, at);
}

static void what_does_not_compile_says_where(void **state) {
  (void)state;
  NEED_DEVICE();
  const dcs_source broken = {
      "broken.cu", "extern \"C\" __global__ void dcs(float *out) {\n  out[0] = nowhere;\n}\n", NULL,
      0};
  const dcs_source shuffles = {"shuffles.cu",
                               "__device__ int f(int x) { return __shfl_sync(1, x, 0); }", NULL, 0};
  dcs_module *none = NULL;
  dcs_code_facts facts;
  has(device->can_run(device, &broken));
  assert_int_equal(device->load(device, &broken, &none, &facts), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "broken.cu:2"));
  assert_non_null(strstr(dcs_error_message(), "nowhere"));
  assert_int_equal(device->can_run(device, &shuffles), DCS_UNAVAILABLE);
}

static void the_device_says_what_it_is(void **state) {
  (void)state;
  NEED_DEVICE();
  static const char *const known[] = {"gpu_name",      "gpu_type",     "opencl_platform",
                                      "opencl_driver", "gpu_sm_count", "gpu_memory_bytes"};
  dcs_device_info info;
  dcs_device_facts facts;
  has(device->info(device, &info));
  assert_true(info.sm_count > 0 && info.sm_threads > 0 && info.memory_bytes > 0);
  assert_int_equal(strncmp(info.name, "OpenCL", 6), 0); /* never taken for what CUDA ran on */
  has(dcs_device_read_facts(device, &facts));
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    assert_string_not_equal(dcs_device_fact_value(&facts, known[k]), "");
  assert_true(device->timed);
  assert_int_equal(device->has_fft(device), DCS_UNAVAILABLE);
}

static int close_device(void **state) {
  if (device) device->close(device);
  return program_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_device_says_what_it_is),
      cmocka_unit_test(copies_begin_anywhere_in_a_buffer),
      cmocka_unit_test(host_memory_is_locked_or_not),
      cmocka_unit_test(arguments_arrive),
      cmocka_unit_test(threads_of_a_block_share_and_wait),
      cmocka_unit_test(atomic_additions_lose_nothing),
      cmocka_unit_test(graphs_are_launched_again),
      cmocka_unit_test(events_follow_each_other),
      cmocka_unit_test(what_does_not_compile_says_where),
  };
  return cmocka_run_group_tests_name("the OpenCL device", tests, program_setup, close_device);
}
