/* The emulated device: launches, constant memory, guards, errors; and the names of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "tests/cache_folder.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Each point: its index, plus 1000 times an atom's charge. `shift` moves the writes. */
static const char kernel[] =
    "__constant__ float4 atoms[N];\n"
    "extern \"C\" __global__ void __launch_bounds__(64)\n"
    "dcs(float *map, int nx, long long row, int shift) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  int k = blockIdx.z * blockDim.z + threadIdx.z;\n"
    "  if (i >= nx) return;\n"
    "  long long at = (k * (long long)(gridDim.y * blockDim.y) + j) * row + i;\n"
    "  map[at + shift] = at + 1000 * atoms[N - 1].w;\n"
    "}\n";
static const char *const options[] = {"-DN=3"};
static const dcs_source source = {"kernel.cu", kernel, options, 1};

enum { NX = 5, NY = 4, NZ = 6, ROW = 8, STORED = ROW * NY * NZ };

static dcs_device *open_device(void) {
  dcs_device *device = NULL;
  dcs_status status = dcs_device_open("emulated", &device);
  if (status == DCS_UNAVAILABLE) {
    print_message("skipped: %s\n", dcs_error_message());
    skip();
  }
  assert_int_equal(status, DCS_OK);
  assert_false(device->timed);
  return device;
}

static dcs_module *load(dcs_device *device, const dcs_source *from) {
  dcs_module *module;
  dcs_code_facts facts;
  dcs_status status = device->load(device, from, &module, &facts);
  if (status != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(facts.registers, -1);
  return module;
}

static dcs_status launch(dcs_device *device, dcs_module *module, dcs_ptr map, int shift) {
  const int64_t grid[3] = {2, NY / 2, NZ / 3};
  const int block[3] = {4, 2, 3};
  int nx = NX;
  long long row = ROW;
  void *args[] = {&map, &nx, &row, &shift};
  return device->launch(device, module, "dcs", grid, block, args);
}

static void set_charge(dcs_device *device, dcs_module *module, int atoms, float charge) {
  dcs_ptr constant;
  size_t bytes;
  const float atom[4] = {0, 0, 0, charge};
  assert_int_equal(device->symbol(device, module, "atoms", &constant, &bytes), DCS_OK);
  assert_int_equal(bytes, (size_t)atoms * 16);
  dcs_ptr last = constant + (size_t)(atoms - 1) * 16;
  assert_int_equal(device->copy_in(device, last, atom, sizeof atom), DCS_OK);
}

static void computes_a_padded_map(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_module *module = load(device, &source);
  set_charge(device, module, 3, 2.0f);
  dcs_ptr map;
  static float whole[STORED], packed[NX * NY * NZ];
  const dcs_dims stored = {ROW * sizeof(float), NY, NZ}, useful = {NX * sizeof(float), NY, NZ};
  assert_int_equal(device->alloc(device, sizeof whole, &map), DCS_OK);
  assert_int_equal(device->fill(device, map, 0xbf800000u /* -1 */, STORED), DCS_OK);
  assert_int_equal(launch(device, module, map, 0), DCS_OK);
  assert_int_equal(device->synchronize(device), DCS_OK);
  assert_int_equal(device->copy_out(device, packed, useful, map, stored), DCS_OK);
  assert_int_equal(device->copy_out(device, whole, stored, map, stored), DCS_OK);
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < ROW; i++) {
        int at = (k * NY + j) * ROW + i;
        float expected = i < NX ? (float)(at + 2000) : -1.0f;
        assert_true(whole[at] == expected);
        if (i < NX) assert_true(packed[(k * NY + j) * NX + i] == expected);
      }
  device->release(device, map);
  device->unload(device, module);
  device->close(device);
}

/* Two modules with an array of one name keep it apart. */
static void modules_coexist(void **state) {
  (void)state;
  dcs_device *device = open_device();
  const char *const other[] = {"-DN=7"};
  const dcs_source variant = {"kernel.cu", kernel, other, 1};
  dcs_module *modules[2] = {load(device, &source), load(device, &variant)};
  set_charge(device, modules[0], 3, 1.0f);
  set_charge(device, modules[1], 7, 5.0f);
  dcs_ptr map;
  float first;
  assert_int_equal(device->alloc(device, STORED * sizeof(float), &map), DCS_OK);
  for (int m = 0; m < 2; m++) {
    assert_int_equal(launch(device, modules[m], map, 0), DCS_OK);
    const dcs_dims one = {sizeof first, 1, 1}, stored = {ROW * sizeof first, NY, NZ};
    assert_int_equal(device->copy_out(device, &first, one, map, stored), DCS_OK);
    assert_true(first == (m == 0 ? 1000.0f : 5000.0f));
  }
  device->close(device); /* frees what is still loaded and allocated */
}

static void compiles_once(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_module *module;
  dcs_code_facts made, cached;
  cache_folder_empty();
  assert_int_equal(device->load(device, &source, &module, &made), DCS_OK);
  device->unload(device, module);
  assert_int_equal(device->load(device, &source, &module, &cached), DCS_OK);
  assert_false(made.cached);
  assert_true(cached.cached);
  assert_true(made.compile_ms > 0 && cached.compile_ms == made.compile_ms);
  device->close(device);
}

/* The last point written is the 4th before the buffer's end, the first one is its first. */
static void writes_outside_are_seen(void **state) {
  (void)state;
  static const int inside[] = {0, 3}, outside[] = {-1, 4};
  for (int s = 0; s < 2; s++) {
    dcs_device *device = open_device();
    dcs_module *module = load(device, &source);
    dcs_ptr map;
    assert_int_equal(device->alloc(device, STORED * sizeof(float), &map), DCS_OK);
    assert_int_equal(launch(device, module, map, inside[s]), DCS_OK);
    assert_int_equal(device->synchronize(device), DCS_OK);
    assert_int_equal(launch(device, module, map, outside[s]), DCS_OK);
    assert_int_equal(device->synchronize(device), DCS_FAILED);
    assert_non_null(strstr(dcs_error_message(), "kernel wrote outside its buffer"));
    device->release(device, map);
    assert_int_equal(device->synchronize(device), DCS_FAILED); /* still an error */
    device->close(device);
  }
}

static void compile_errors_have_the_log(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_module *module;
  dcs_code_facts facts;
  const dcs_source bad = {"bad.cu", "\n\nextern \"C\" __global__ void dcs() { undeclared = 1; }",
                          NULL, 0};
  assert_int_equal(device->load(device, &bad, &module, &facts), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "bad.cu:3"));
  assert_non_null(strstr(dcs_error_message(), "undeclared"));
  device->close(device);
}

/* Each thread writes a shared array, waits, and reads what its opposite wrote, twice over: right
 * only when all threads have come to a barrier before any goes on. */
static void mirror_once(void) {
  static const dcs_source mirror = {"mirror.cu",
                                    "extern \"C\" __global__ void dcs(float *out) {\n"
                                    "  __shared__ float shared[32];\n"
                                    "  int t = threadIdx.x + 4 * threadIdx.y;\n"
                                    "  for (int round = 0; round < 2; round++) {\n"
                                    "    shared[t] = 100 * round + 10 * blockIdx.x + t;\n"
                                    "    __syncthreads();\n"
                                    "    out[64 * round + 32 * blockIdx.x + t] = shared[31 - t];\n"
                                    "    __syncthreads();\n"
                                    "  }\n"
                                    "}\n",
                                    NULL, 0};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &mirror);
  dcs_ptr out;
  float found[128];
  assert_int_equal(device->alloc(device, sizeof found, &out), DCS_OK);
  void *args[] = {&out};
  assert_int_equal(
      device->launch(device, module, "dcs", (int64_t[]){2, 1, 1}, (int[]){4, 8, 1}, args), DCS_OK);
  const dcs_dims n = {sizeof found, 1, 1};
  assert_int_equal(device->copy_out(device, found, n, out, n), DCS_OK);
  for (int round = 0; round < 2; round++)
    for (int block = 0; block < 2; block++)
      for (int t = 0; t < 32; t++)
        assert_true(found[64 * round + 32 * block + t] ==
                    (float)(100 * round + 10 * block + 31 - t));
  device->close(device);
}

static void threads_wait_for_each_other(void **state) {
  (void)state;
  mirror_once();
}

static long address_space_kb(void) {
  char line[256];
  long kb = -1;
  FILE *file = fopen("/proc/self/status", "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmSize: %ld", &kb) == 1) break;
  fclose(file);
  assert_true(kb > 0);
  return kb;
}

/* What the threads of a launch stand on goes with it: once it was 65 MB a module. */
static void launches_leave_no_memory(void **state) {
  (void)state;
  mirror_once();
  long before = address_space_kb();
  for (int i = 0; i < 4; i++)
    mirror_once();
  assert_true(address_space_kb() - before < 32768);
}

/* 40 threads: a whole warp, and one of 8. Each writes 8 values. */
enum { LANES = 40, VALUES = 8 };
static const char shuffles[] =
    "extern \"C\" __global__ void dcs(int *out) {\n"
    "  int t = threadIdx.x, lane = t % 32, *own = out + 8 * t;\n"
    "  unsigned all = t < 32 ? ~0u : 0xffu;\n"
    "  own[0] = __shfl_sync(all, t, 5);\n"
    "  own[1] = __shfl_sync(all, t, 1, 8);\n"
    "  own[2] = __shfl_up_sync(all, t, 2);\n"
    "  own[3] = __shfl_down_sync(all, t, 3, 8);\n"
    "  own[4] = __shfl_xor_sync(all, t, 1);\n"
    "  own[5] = (int)__ballot_sync(all, lane % 3 == 0);\n"
    "  own[6] = __any_sync(all, lane == 7) + 2 * __all_sync(all, lane >= 0) + 4 * __all_sync(all, "
    "lane > 0);\n"
    "  double sum = t;\n"
    "  if (t < 32)\n"
    "    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);\n"
    "  own[7] = (int)sum;\n"
    "}\n";

static void warps_shuffle_and_vote(void **state) {
  (void)state;
  static const dcs_source text = {"shuffles.cu", shuffles, NULL, 0};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &text);
  dcs_ptr out;
  assert_int_equal(device->alloc(device, LANES * VALUES * sizeof(int), &out), DCS_OK);
  void *args[] = {&out};
  assert_int_equal(
      device->launch(device, module, "dcs", (int64_t[]){1, 1, 1}, (int[]){LANES, 1, 1}, args),
      DCS_OK);
  for (int t = 0; t < LANES; t++) {
    const int *own = (const int *)(uintptr_t)out + VALUES * t;
    const int lane = t % 32, first = t - lane;
    assert_int_equal(own[0], first + 5);
    assert_int_equal(own[1], t / 8 * 8 + 1);
    assert_int_equal(own[2], lane < 2 ? t : t - 2);
    assert_int_equal(own[3], lane % 8 < 5 ? t + 3 : t);
    assert_int_equal(own[4], t ^ 1);
    assert_int_equal(own[5], first == 0 ? 0x49249249 : 0x49);
    assert_int_equal(own[6], 1 + 2);
    if (t == 0) assert_int_equal(own[7], 31 * 32 / 2);
  }
  device->close(device);
}

/* Half a warp waits for lanes that wait for the block. */
/* A warp multiplies 16 x 16 by 16 x 8: row r of a is r + 1 everywhere but in column 3 r % 16, where
 * it is 100; b is 2^(column) in row r where r % 3 is 0, else 0; and c is -5. */
static const char product[] =
    "static float at_a(int r, int k) { return k == 3 * r % 16 ? 100.0f : r + 1.0f; }\n"
    "static float at_b(int k, int n) { return k % 3 ? 0.0f : 1 << n; }\n"
    "static unsigned two(float x, float y) { return dcs_emulated_half(x) | dcs_emulated_half(y) << "
    "16; }\n"
    "extern \"C\" __global__ void dcs(float *out) {\n"
    "  int g = threadIdx.x / 4, t = threadIdx.x % 4 * 2;\n"
    "  unsigned a[4], b[2];\n"
    "  float d[4] = {-5, -5, -5, -5};\n"
    "  for (int v = 0; v < 4; v++) {\n"
    "    int r = g + v % 2 * 8, k = t + v / 2 * 8;\n"
    "    a[v] = two(at_a(r, k), at_a(r, k + 1));\n"
    "  }\n"
    "  for (int v = 0; v < 2; v++) b[v] = two(at_b(t + 8 * v, g), at_b(t + 8 * v + 1, g));\n"
    "  dcs_emulated_half_mma_sync(d, a, b);\n"
    "  for (int v = 0; v < 4; v++) out[(g + v / 2 * 8) * 8 + t + v % 2] = d[v];\n"
    "}\n";

static void matrices_of_halves_multiply(void **state) {
  (void)state;
  static const dcs_source text = {"product.cu", product, NULL, 0};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &text);
  dcs_ptr out;
  assert_int_equal(device->alloc(device, 128 * sizeof(float), &out), DCS_OK);
  void *args[] = {&out};
  assert_int_equal(
      device->launch(device, module, "dcs", (int64_t[]){1, 1, 1}, (int[]){32, 1, 1}, args), DCS_OK);
  for (int r = 0; r < 16; r++)
    for (int n = 0; n < 8; n++) {
      const int sixth = 6 * (r + 1), other = 3 * r % 16 % 3 ? 0 : 100 - (r + 1);
      assert_int_equal((int)((const float *)(uintptr_t)out)[8 * r + n],
                       (sixth + other) * (1 << n) - 5);
    }
  device->close(device);
}

/* Numbers as half precision has them: 11 bits, to nearest, of two the even one. */
static void halves_round_to_even(void **state) {
  (void)state;
  static const char halves[] = "extern \"C\" __global__ void dcs(float *x, unsigned *bits) {\n"
                               "  bits[threadIdx.x] = dcs_emulated_half(x[threadIdx.x]);\n"
                               "  x[threadIdx.x] = dcs_emulated_of_half(bits[threadIdx.x]);\n"
                               "}\n";
  static const struct {
    float from, to;
    unsigned bits;
  } of[] = {{1.0f, 1.0f, 0x3c00},
            {-2.0f, -2.0f, 0xc000},
            {2049.0f, 2048.0f, 0x6800},
            {2051.0f, 2052.0f, 0x6802},
            {0x1.ffffp0f, 2.0f, 0x4000},
            {65504.0f, 65504.0f, 0x7bff},
            {65519.0f, 65504.0f, 0x7bff},
            {65520.0f, INFINITY, 0x7c00},
            {-1e9f, -INFINITY, 0xfc00},
            {0x1p-14f, 0x1p-14f, 0x0400},
            {0x1.ffp-15f, 0x1.ffp-15f, 0x03fe},
            {0x1.fffp-15f, 0x1p-14f, 0x0400},
            {0x3p-25f, 0x1p-23f, 0x0002},
            {-0x1p-24f, -0x1p-24f, 0x8001},
            {0x1p-25f, 0.0f, 0x0000},
            {0.0f, 0.0f, 0x0000}};
  enum { N = sizeof of / sizeof of[0] };
  static const dcs_source text = {"halves.cu", halves, NULL, 0};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &text);
  dcs_ptr x, bits;
  assert_int_equal(device->alloc(device, N * sizeof(float), &x), DCS_OK);
  assert_int_equal(device->alloc(device, N * sizeof(unsigned), &bits), DCS_OK);
  for (int i = 0; i < N; i++)
    ((float *)(uintptr_t)x)[i] = of[i].from;
  void *args[] = {&x, &bits};
  assert_int_equal(
      device->launch(device, module, "dcs", (int64_t[]){1, 1, 1}, (int[]){N, 1, 1}, args), DCS_OK);
  for (int i = 0; i < N; i++) {
    assert_int_equal(((const unsigned *)(uintptr_t)bits)[i], of[i].bits);
    assert_true(((const float *)(uintptr_t)x)[i] == of[i].to);
  }
  device->close(device);
}

static void waiting_forever_is_an_error(void **state) {
  (void)state;
  static const dcs_source text = {"stuck.cu",
                                  "extern \"C\" __global__ void dcs(int *out) {\n"
                                  "  if (threadIdx.x % 2) __syncwarp();\n"
                                  "  else __syncthreads();\n"
                                  "}\n",
                                  NULL, 0};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &text);
  dcs_ptr out = 0;
  void *args[] = {&out};
  assert_int_equal(
      device->launch(device, module, "dcs", (int64_t[]){1, 1, 1}, (int[]){32, 1, 1}, args),
      DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "wait forever"));
  device->close(device);
}

/* Each thread's operation on words of its own; what it found there, and what it left. */
static void atomic_operations(void **state) {
  (void)state;
  static const dcs_source text = {
      "atomics.cu",
      "extern \"C\" __global__ void dcs(int *w, float *f) {\n"
      "  w[10] = atomicAdd(&w[0], 5);\n"
      "  w[11] = atomicSub(&w[1], 2);\n"
      "  w[12] = atomicExch(&w[2], 9);\n"
      "  w[13] = atomicMin(&w[3], 1) + atomicMax(&w[4], 12);\n"
      "  w[14] = atomicCAS(&w[5], 3, 8) + atomicCAS(&w[6], 4, 8);\n"
      "  w[15] = atomicAnd((unsigned *)&w[7], 6u) + atomicOr(&w[8], 4) + atomicXor(&w[9], 1);\n"
      "  w[16] = atomicAdd((unsigned *)&w[17], 1);\n"
      "  f[1] = atomicAdd(&f[0], 0.5f);\n"
      "}\n",
      NULL, 0};
  static const int left[] = {8, 1, 9, 1, 12, 8, 3, 2, 7, 2, 3, 3, 3, 6, 6, 9, 3, 4};
  dcs_device *device = open_device();
  dcs_module *module = load(device, &text);
  dcs_ptr words, floats;
  const int n = sizeof left / sizeof left[0];
  assert_int_equal(device->alloc(device, sizeof left, &words), DCS_OK);
  assert_int_equal(device->alloc(device, 2 * sizeof(float), &floats), DCS_OK);
  assert_int_equal(device->fill(device, words, 3, (size_t)n), DCS_OK);
  assert_int_equal(device->fill(device, floats, 0x3f800000u /* 1 */, 2), DCS_OK);
  void *args[] = {&words, &floats};
  const int64_t one[3] = {1, 1, 1};
  assert_int_equal(device->launch(device, module, "dcs", one, (int[]){1, 1, 1}, args), DCS_OK);
  for (int i = 0; i < n; i++)
    assert_int_equal(((const int *)(uintptr_t)words)[i], left[i]);
  assert_true(((const float *)(uintptr_t)floats)[0] == 1.5f);
  assert_true(((const float *)(uintptr_t)floats)[1] == 1.0f);
  device->close(device);
}

static void missing_names_are_refused(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_module *module = load(device, &source);
  dcs_ptr ptr;
  size_t bytes;
  assert_int_equal(device->symbol(device, module, "molecules", &ptr, &bytes), DCS_FAILED);
  assert_non_null(strstr(dcs_error_message(), "\"molecules\""));
  device->close(device);
}

/* Makes TMPDIR/NAME with a file, last touched so many seconds ago. */
static void put_scratch(const char *tmp, const char *name, long age_s) {
  char path[512], file[600];
  snprintf(path, sizeof path, "%s/%s", tmp, name);
  snprintf(file, sizeof file, "%s/kernel.cpp", path);
  assert_int_equal(mkdir(path, 0700), 0);
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  fclose(out);
  const struct timespec then = {.tv_sec = time(NULL) - age_s};
  assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){then, then}, 0), 0);
}

static bool remove_scratch(const char *tmp, const char *name) {
  char path[512], file[600];
  snprintf(path, sizeof path, "%s/%s", tmp, name);
  snprintf(file, sizeof file, "%s/kernel.cpp", path);
  unlink(file);
  return rmdir(path) == 0;
}

/* Of killed processes, and of nobody else. */
static void folders_left_behind_are_swept_up(void **state) {
  (void)state;
  char tmp[] = "/tmp/dcs-test-scratch-XXXXXX", dead[64], young[64], own[64];
  assert_non_null(mkdtemp(tmp));
  pid_t child = fork();
  if (child == 0) _exit(0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  snprintf(dead, sizeof dead, "dcsbench-%d-abcdef", (int)child);
  snprintf(young, sizeof young, "dcsbench-%d-ghijkl", (int)child);
  snprintf(own, sizeof own, "dcsbench-%d-mnopqr", (int)getpid());
  put_scratch(tmp, dead, 4000);
  put_scratch(tmp, young, 0);
  put_scratch(tmp, own, 4000);
  const char *before = getenv("TMPDIR");
  char *kept = before ? strdup(before) : NULL;
  setenv("TMPDIR", tmp, 1);
  dcs_device *device = open_device();
  device->close(device);
  kept ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR");
  free(kept);
  assert_false(remove_scratch(tmp, dead));
  assert_true(remove_scratch(tmp, young));
  assert_true(remove_scratch(tmp, own));
  assert_int_equal(rmdir(tmp), 0);
}

static void launch_limits(void **state) {
  (void)state;
  static const struct {
    int64_t grid[3];
    int block[3];
    const char *message;
  } cases[] = {
      {{(int64_t)1 << 31, 1, 1}, {1, 1, 1}, "grid.x is 2147483648"},
      {{1, 65536, 1}, {1, 1, 1}, "grid.y is 65536"},
      {{1, 1, 65536}, {1, 1, 1}, "grid.z is 65536"},
      {{0, 1, 1}, {1, 1, 1}, "grid.x is 0"},
      {{1, 1, 1}, {1025, 1, 1}, "block.x is 1025"},
      {{1, 1, 1}, {1, 1, 65}, "block.z is 65"},
      {{1, 1, 1}, {1, -1, 1}, "block.y is -1"},
      {{1, 1, 1}, {32, 32, 2}, "2048 threads"},
  };
  dcs_device *device = open_device();
  dcs_module *module = load(device, &source);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(device->launch(device, module, "dcs", cases[i].grid, cases[i].block, NULL),
                     DCS_FAILED);
    assert_non_null(strstr(dcs_error_message(), cases[i].message));
  }
  device->close(device);
}

static void too_much_memory_is_unavailable(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_ptr ptr;
  assert_int_equal(device->alloc(device, SIZE_MAX / 2, &ptr), DCS_UNAVAILABLE);
  assert_non_null(strstr(dcs_error_message(), "9223372036854775807 bytes asked"));
  device->close(device);
}

/* Kernels and host see one memory, whatever its kind. */
static void all_kinds_of_memory_are_plain(void **state) {
  (void)state;
  dcs_device *device = open_device();
  dcs_ptr locked, managed;
  void *host;
  for (int m = 0; m < DCS_N_MEMORIES; m++)
    assert_int_equal(device->supports(device, (dcs_memory)m), DCS_OK);
  assert_int_equal(device->alloc_host(device, sizeof(float), &host, &locked), DCS_OK);
  assert_int_equal(device->alloc_managed(device, sizeof(float), &managed), DCS_OK);
  assert_int_equal(device->fill(device, locked, 0x40000000u, 1), DCS_OK);
  assert_int_equal(device->fill(device, managed, 0x40400000u, 1), DCS_OK);
  assert_int_equal(device->prefetch(device, managed, sizeof(float), true), DCS_OK);
  assert_int_equal(device->synchronize(device), DCS_OK);
  assert_true(*(float *)host == 2.0f && *(float *)(uintptr_t)managed == 3.0f);
  ((float *)host)[1] = 0; /* outside */
  assert_int_equal(device->synchronize(device), DCS_FAILED);
  device->release_host(device, host);
  device->release(device, managed);
  device->close(device);
}

static void has_no_times(void **state) {
  (void)state;
  dcs_device *device = open_device();
  double ns;
  assert_int_equal(device->elapsed_ns(device, 0, 1, &ns), DCS_UNAVAILABLE);
  assert_string_equal(dcs_error_message(), "the emulated device has no times; use a CUDA device");
  device->close(device);
}

static void names_are_strict(void **state) {
  (void)state;
  static const char *const names[] = {"",           "cuda",     "cuda:",   "cuda:-1",
                                      "cuda:+1",    "cuda:0x",  "cuda:00", "cuda: 0",
                                      "cuda:99999", "Emulated", "cpu",     "emulated "};
  dcs_device *device;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_int_equal(dcs_device_open(names[i], &device), DCS_USAGE);
    assert_null(device);
  }
  assert_int_equal(dcs_device_open("cuda:9999", &device), DCS_UNAVAILABLE);
}

static void compiler_is_needed(void **state) {
  (void)state;
  const char *cxx = getenv("CXX");
  char *kept = cxx ? strdup(cxx) : NULL;
  dcs_device *device;
  setenv("CXX", "/nonexistent/c++", 1);
  dcs_status status = dcs_device_open("emulated", &device);
  if (kept)
    setenv("CXX", kept, 1);
  else
    unsetenv("CXX");
  free(kept);
  assert_int_equal(status, DCS_UNAVAILABLE);
  assert_non_null(strstr(dcs_error_message(), "/nonexistent/c++"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes_a_padded_map),
      cmocka_unit_test(modules_coexist),
      cmocka_unit_test(compiles_once),
      cmocka_unit_test(writes_outside_are_seen),
      cmocka_unit_test(compile_errors_have_the_log),
      cmocka_unit_test(threads_wait_for_each_other),
      cmocka_unit_test(launches_leave_no_memory),
      cmocka_unit_test(folders_left_behind_are_swept_up),
      cmocka_unit_test(warps_shuffle_and_vote),
      cmocka_unit_test(matrices_of_halves_multiply),
      cmocka_unit_test(halves_round_to_even),
      cmocka_unit_test(waiting_forever_is_an_error),
      cmocka_unit_test(atomic_operations),
      cmocka_unit_test(missing_names_are_refused),
      cmocka_unit_test(launch_limits),
      cmocka_unit_test(too_much_memory_is_unavailable),
      cmocka_unit_test(all_kinds_of_memory_are_plain),
      cmocka_unit_test(has_no_times),
      cmocka_unit_test(names_are_strict),
      cmocka_unit_test(compiler_is_needed),
  };
  return cmocka_run_group_tests_name("device_emulated", tests, cache_folder_make,
                                     cache_folder_remove);
}
