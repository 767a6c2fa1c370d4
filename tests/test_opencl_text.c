/* From CUDA C++ to OpenCL C, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/opencl/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static dcs_opencl_text translated;

static void translate(const char *text) {
  const dcs_source source = {.name = "kernel.cu", .text = text};
  if (dcs_opencl_translate(&source, true, &translated) != DCS_OK)
    fail_msg("%s", dcs_error_message());
}

static void expect(const char *text) {
  if (!strstr(translated.text, text)) fail_msg("expected %s\nin %s", text, translated.text);
}

static void expect_none(const char *text) {
  if (strstr(translated.text, text)) fail_msg("found %s\nin %s", text, translated.text);
}

static void arguments_are_buffers_and_offsets(void **state) {
  (void)state;
  translate("extern \"C\" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)\n"
            "    dcs(float *map, const float4 *__restrict__ atoms, int n, long long m, double d,\n"
            "        float x) {\n  map[n] = atoms[m].x;\n}\n"
            "extern \"C\" __global__ void second() {}\n");
  expect("dcs(__global float *dcs_buffer_of_map, long dcs_offset_of_map,"
         " const __global float4 *__restrict__ dcs_buffer_of_atoms, long dcs_offset_of_atoms,");
  expect("{__global float *map = (__global float *)((__global char *)dcs_buffer_of_map + "
         "dcs_offset_of_map); ");
  expect_none("extern");
  expect_none("launch_bounds");
  expect_none("long long");
  assert_int_equal(translated.n_kernels, 2);
  assert_string_equal(translated.kernels[1].name, "second");
  assert_int_equal(translated.kernels[1].n_args, 0);
  const dcs_opencl_kernel *dcs = &translated.kernels[0];
  assert_string_equal(dcs->name, "dcs");
  assert_int_equal(dcs->n_args, 6);
  const int bytes[] = {0, 0, 4, 8, 8, 4};
  for (int a = 0; a < 6; a++) {
    assert_int_equal(dcs->args[a].pointer, a < 2);
    if (a >= 2) assert_int_equal(dcs->args[a].bytes, bytes[a]);
  }
  assert_int_equal(translated.n_sizes, 0);
  free(translated.text);
}

static void pointers_are_global_and_arrays_private(void **state) {
  (void)state;
  translate("static __device__ float at(const float *p, float x[2]) { return p[0] * x[0]; }\n"
            "extern \"C\" __global__ void dcs(float *map, int n) {\n"
            "  float *point = map + n * 2;\n  float x[2] = {};\n  *point = at(point, x);\n}\n");
  expect("at(const __global float *p, float x[2]) { return p[0] * x[0]; }");
  expect("  __global float *point = map + n * 2;");
  expect("  *point = at(point, x);");
  free(translated.text);
  translate("struct s { int a; };\nstatic __device__ int f(const s &x) { return x.a &x.a; }\n");
  expect("f(const s x) { return x.a &x.a; }");
  free(translated.text);
}

static void constant_arrays_are_arguments(void **state) {
  (void)state;
  translate("__constant__ float4 atoms[CHUNK];\n"
            "static __device__ float4 none() { return atoms[0]; }\n"
            "static __device__ float4 one(int a) { return none(); }\n"
            "extern \"C\" __global__ void dcs(float *map) { map[0] = one((3)).x; }\n");
  assert_int_equal(translated.n_constants, 1);
  assert_string_equal(translated.constants[0], "atoms");
  expect_none("__constant__");
  expect("none(__constant float4 *atoms) { return atoms[0]; }");
  expect("one(int a, __constant float4 *atoms) { return none(atoms); }");
  expect("long dcs_offset_of_map, __constant float4 *atoms) {");
  expect("map[0] = one((3), atoms).x; }");
  free(translated.text);
}

static void structs_are_types(void **state) {
  (void)state;
  translate(
      "struct place { long long at; int k; };\n"
      "static __device__ place of(int k) { return {k, k + 1}; }\n"
      "extern \"C\" __global__ void dcs(int *out, place p, const place q) { *out = of(p.k).k; }\n");
  expect("typedef struct place place;");
  expect("return (place) {k, k + 1};");
  expect("dcs_size[0] = sizeof( place ); dcs_size[1] = sizeof( const place );");
  assert_int_equal(translated.n_sizes, 2);
  assert_int_equal(translated.kernels[0].args[1].bytes, 0);
  assert_int_equal(translated.kernels[0].args[1].struct_, 0);
  assert_int_equal(translated.kernels[0].args[2].struct_, 1);
  free(translated.text);
}

static void templates_are_written_out(void **state) {
  (void)state;
  translate("template <int N>\nstatic __device__ int twice(int x[N]) { return 2 * N * x[0]; }\n"
            "#line 9 \"header.cuh\"\n"
            "template <int N> static __device__ int both(int x[N]) { return twice<N>(x) + N; }\n"
            "extern \"C\" __global__ void dcs(int *out) {\n"
            "  int x[4];\n  *out = both<4>(x) + both<LOWER>(x);\n}\n");
  expect_none("template");
  expect("int twice_4(int x[4]) { return 2 * 4 * x[0]; }");
  expect("int both_4(int x[4]) { return twice_4(x) + 4; }");
  expect("int both_LOWER(int x[LOWER]) { return twice_LOWER(x) + LOWER; }");
  expect("*out = both_4(x) + both_LOWER(x);");
  expect("#line 2 \"kernel.cu\"\nstatic __device__ int twice_4");
  expect("#line 9 \"header.cuh\"\nstatic __device__ int both_4");
  expect("#line 10 \"header.cuh\"\n __global__"); /* the kernel's messages name its own lines */
  free(translated.text);
}

static void comments_and_texts_stay(void **state) {
  (void)state;
  translate("/* float *p; template <int N> */\n// struct a { int f(); };\n#define P float *\n"
            "extern \"C\" __global__ void dcs(float *map) { map[0] = 1e-3f * 1.5e+2f; }\n");
  expect("/* float *p; template <int N> */\n// struct a { int f(); };\n#define P float *\n");
  expect("1e-3f * 1.5e+2f");
  free(translated.text);
}

static void what_opencl_lacks_is_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *named;
    bool doubles;
  } refused[] = {
      {"template <class T> __device__ void f(T x) {}", "templates of types", true},
      {"template <int N, int M> __device__ void f(int x) {}", "several parameters", true},
      {"__device__ int f(int x) { return __shfl_down_sync(~0u, x, 1); }", "shuffles of a warp",
       true},
      {"__device__ void f() { asm(\"nop;\"); }", "instructions of NVIDIA's", true},
      {"__device__ void f(int &x) {}", "references", true},
      {"struct s { int x; int f() { return x; } };", "structs with functions", true},
      {"__device__ void f() { __shared__ int x[3]; }", "f has __shared__ memory", true},
      {"__device__ void f() { double x = 1; }", "double precision", false},
      {"__device__ void f(float *x) {}\nextern \"C\" __global__ void dcs() {\n"
       "  __shared__ float tile[3];\n  f(tile);\n}",
       "gives its __shared__ tile", true},
      {"extern \"C\" __global__ void dcs() { __shared__ int a, b[2]; int *p = &b[1]; }",
       "gives its __shared__ b", true},
      {"__constant__ float one;", "no array of one dimension", true}};
  for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
    const dcs_source source = {.name = "kernel.cu", .text = refused[k].text};
    assert_int_equal(dcs_opencl_translate(&source, refused[k].doubles, &translated),
                     DCS_UNAVAILABLE);
    if (!strstr(dcs_error_message(), refused[k].named) || !strstr(dcs_error_message(), "kernel.cu"))
      fail_msg("expected %s of kernel.cu in %s", refused[k].named, dcs_error_message());
  }
  translate("__device__ int f(int a, int b) { return a &b && a & b; }"); /* no reference */
  free(translated.text);
  translate("__device__ void f(float x) {}\nextern \"C\" __global__ void dcs(float *x) {\n"
            "  __shared__ float tile[N], sum;\n  f(tile[0]);\n  f(sum);\n  x[2] = sum;\n  tile[0] "
            "= x[0];\n  x[1] = tile[1];\n}");
  free(translated.text);
}

/* The address space that this process has, in bytes. */
static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  assert_non_null(statm);
  assert_int_equal(fscanf(statm, "%lu", &pages), 1);
  fclose(statm);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* 2 million tokens, and memory for a sixth of them, in a process of its own. */
static void short_memory_is_an_error(void **state) {
  (void)state;
  enum { LENGTH = 1 << 21, LEFT = 1 << 23 };
  if (address_space() > (rlim_t)1 << 40) skip(); /* a sanitizer's, which needs more of it */
  char *text = malloc(LENGTH + 1);
  assert_non_null(text);
  memset(text, ';', LENGTH);
  text[LENGTH] = '\0';
  const dcs_source source = {.name = "kernel.cu", .text = text};
  const rlim_t bytes = address_space() + LEFT;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0) _exit(2);
    const dcs_status status = dcs_opencl_translate(&source, true, &translated);
    _exit(status != DCS_UNAVAILABLE || !strstr(dcs_error_message(), "no memory"));
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_are_buffers_and_offsets),
      cmocka_unit_test(pointers_are_global_and_arrays_private),
      cmocka_unit_test(constant_arrays_are_arguments),
      cmocka_unit_test(structs_are_types),
      cmocka_unit_test(templates_are_written_out),
      cmocka_unit_test(comments_and_texts_stay),
      cmocka_unit_test(what_opencl_lacks_is_named),
      cmocka_unit_test(short_memory_is_an_error),
  };
  return cmocka_run_group_tests_name("kernels as OpenCL C", tests, NULL, NULL);
}
