/* Traces: requests against values counted by hand, of single requests, of a kernel that has each
 * case on a line of its own, and of the ladder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "harness/trace/draw.h"
#include "tests/planted_kernels.h"

/* ---- single requests ---- */

/* Lane l at first + l * stride. */
static dcs_memory_request request_of(dcs_memory_space space, uint32_t bytes, uint64_t first,
                                     uint64_t stride) {
  dcs_memory_request r = {.space = space, .bytes = bytes, .lanes = UINT32_MAX};
  for (uint64_t lane = 0; lane < DCS_WARP; lane++)
    r.address[lane] = first + lane * stride;
  return r;
}

static void sectors_and_lines_of_global_memory(void **state) {
  (void)state;
  static const struct {
    uint32_t bytes;
    uint64_t first, stride;
    int sectors, lines, bytes_used;
  } cases[] = {
      {4, 256, 4, 4, 1, 128},    /* adjacent floats */
      {4, 260, 4, 5, 2, 128},    /* the same, not on a sector's beginning */
      {4, 256, 8, 8, 2, 128},    /* every other float */
      {4, 256, 32, 32, 8, 128},  /* a sector each */
      {4, 256, 64, 32, 16, 128}, /* farther apart costs no more sectors */
      {16, 256, 16, 16, 4, 512}, /* adjacent float4 */
      {4, 256, 0, 1, 1, 4},      /* one address for all */
      {16, 256, 0, 1, 1, 16},    {8, 256, 8, 8, 2, 256},
      {1, 256, 1, 1, 1, 32},     {4, 286, 4, 5, 2, 128}, /* across sectors */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_memory_request r =
        request_of(DCS_SPACE_GLOBAL, cases[i].bytes, cases[i].first, cases[i].stride);
    const dcs_request_counts counts = dcs_request_count(&r);
    assert_int_equal(counts.sectors, cases[i].sectors);
    assert_int_equal(counts.lines, cases[i].lines);
    assert_int_equal(counts.bytes_used, cases[i].bytes_used);
  }
}

static void only_lanes_that_take_part_count(void **state) {
  (void)state;
  dcs_memory_request r = request_of(DCS_SPACE_GLOBAL, 4, 0, 4);
  char text[DCS_LANES_TEXT];
  r.lanes = 0x0000ff00;
  assert_int_equal(dcs_request_count(&r).sectors, 1);
  assert_string_equal(dcs_draw_lanes(&r, text), "........ 00000000 ........ ........");
  r.lanes = 0x80000001;
  assert_int_equal(dcs_request_count(&r).sectors, 2);
  assert_int_equal(dcs_request_count(&r).bytes_used, 8);
}

static void banks_of_shared_memory(void **state) {
  (void)state;
  static const struct {
    uint32_t bytes;
    uint64_t stride;
    int conflicts;
  } cases[] = {
      {4, 4, 0},    /* a bank each */
      {4, 0, 0},    /* a broadcast */
      {4, 8, 1},    /* two lanes a bank */
      {4, 16, 3},   /* four */
      {4, 128, 31}, /* all lanes on one bank: a column of a 32 x 32 tile */
      {4, 132, 0},  /* the same with a row of 33 */
      {8, 8, 0},    /* half warps: 16 lanes, 32 banks */
      {8, 16, 2},   /* two lanes a bank in each half */
      {16, 16, 0},  /* quarter warps */
      {16, 32, 4},  /* two lanes a bank in each quarter */
      {1, 1, 0},    /* four lanes a word */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const dcs_memory_request r = request_of(DCS_SPACE_SHARED, cases[i].bytes, 0, cases[i].stride);
    assert_int_equal(dcs_request_count(&r).bank_conflicts, cases[i].conflicts);
  }
}

static void addresses_of_constant_memory(void **state) {
  (void)state;
  dcs_memory_request r = request_of(DCS_SPACE_CONSTANT, 16, 32, 0);
  assert_int_equal(dcs_request_count(&r).distinct, 1);
  r = request_of(DCS_SPACE_CONSTANT, 16, 32, 16);
  assert_int_equal(dcs_request_count(&r).distinct, 32);
  r.lanes = 0xff;
  assert_int_equal(dcs_request_count(&r).distinct, 8);
}

static void lanes_are_drawn(void **state) {
  (void)state;
  char text[DCS_LANES_TEXT];
  dcs_memory_request r = request_of(DCS_SPACE_GLOBAL, 4, 256, 4);
  assert_string_equal(dcs_draw_lanes(&r, text), "00000000 11111111 22222222 33333333");
  r = request_of(DCS_SPACE_GLOBAL, 4, 256, 32);
  assert_string_equal(dcs_draw_lanes(&r, text), "01234567 89abcdef ghijklmn opqrstuv");
  r = request_of(DCS_SPACE_SHARED, 4, 4, 8);
  assert_string_equal(dcs_draw_lanes(&r, text), "13579bdf hjlnprtv 13579bdf hjlnprtv");
}

/* ---- a kernel ---- */

/* Two warps, one of 32 threads and one of 8, in one block. */
enum { THREADS = 40 };
static const char lines_kernel[] =
    /* 1 */
    "struct pair { float a, b; };\n"
    /* 2 */ "__constant__ float4 table[64];\n"
    /* 3 */ "static __device__ float4 twice(float4 v) { return make_float4(v.x, v.y, v.z, v.w); }\n"
    /* 4 */ "static __device__ float first(const float *p) {\n"
    /* 5 */ "  return *p;\n"
    /* 6 */ "}\n"
    /* 7 */ "extern \"C\" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int "
    "nx,\n"
    /* 8 */ "                               int ny, int k, float spacing) {\n"
    /* 9 */ "  __shared__ float s[64]; __shared__ float4 s4[64]; __shared__ pair pairs[64];\n"
    /* 10 */ "  int t = threadIdx.x; float own[4]; float *at = own;\n"
    /* 11 */ "  if (blockIdx.x > 0) return;\n"
    /* 12 */ "  for (int i = 0; i < 4; i++) at[i] = t;\n"
    /* 13 */ "  map[t] = 1;\n"
    /* 14 */ "  map[8 * t] += own[t % 4];\n"
    /* 15 */ "  float4 atom = atoms[t];\n"
    /* 16 */ "  own[0] = atoms[0].y;\n"
    /* 17 */ "  own[1] = table[t].x;\n"
    /* 18 */ "  float4 c = table[3];\n"
    /* 19 */ "  s[t] = 1;\n"
    /* 20 */ "  s4[t] = twice(atoms[t]);\n"
    /* 21 */ "  pairs[t].b = s4[t].w;\n"
    /* 22 */ "  if (t < 8) map[t] = 2;\n"
    /* 23 */ "  for (int i = 0; i < 4; i++)\n"
    /* 24 */ "    if (i % 2 == t % 2) own[2] = map[i];\n"
    /* 25 */ "  for (int i = 0; i < t % 4; i++)\n"
    /* 26 */ "    map[i] = 3;\n"
    /* 27 */ "  own[3] = t % 2 ? first(map) : first(map + 8);\n"
    /* 28 */ "  own[3] += first(map + t);\n"
    /* 29 */ "  atomicAdd(&map[t / 32], 1.0f);\n"
    /* 30 */ "  float4 again = __ldg(&atoms[t]);\n"
    /* 31 */ "  pair p = pairs[t];\n"
    /* 32 */ "}\n";

static const struct line {
  int line;
  dcs_seen_kind access;
  dcs_memory_space space;
  int requests, sectors, bank_conflicts, distinct, divergent;
} expected[] = {
    /* first() of line 27 has lanes in two calls that do not meet, in both warps; of 28 in one. */
    {5, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 6, 4 + 5, 0, 0, 4},
    {13, DCS_SEEN_STORE, DCS_SPACE_GLOBAL, 2, 4 + 1, 0, 0, 0},
    {14, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 2, 32 + 8, 0, 0, 0},
    {14, DCS_SEEN_STORE, DCS_SPACE_GLOBAL, 2, 32 + 8, 0, 0, 0},
    {15, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 2, 16 + 4, 0, 0, 0},
    {16, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 2, 2, 0, 0, 0},
    {17, DCS_SEEN_LOAD, DCS_SPACE_CONSTANT, 2, 0, 0, 32 + 8, 0},
    {18, DCS_SEEN_LOAD, DCS_SPACE_CONSTANT, 2, 0, 0, 2, 0},
    {19, DCS_SEEN_STORE, DCS_SPACE_SHARED, 2, 0, 0, 0, 0},
    {20, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 2, 16 + 4, 0, 0, 0},
    {20, DCS_SEEN_STORE, DCS_SPACE_SHARED, 2, 0, 0, 0, 0},
    /* s4[t].w: every fourth bank, so four lanes a bank; of 8 lanes none. pairs[t].b: two a bank. */
    {21, DCS_SEEN_LOAD, DCS_SPACE_SHARED, 2, 0, 3, 0, 0},
    {21, DCS_SEEN_STORE, DCS_SPACE_SHARED, 2, 0, 1, 0, 0},
    {22, DCS_SEEN_STORE, DCS_SPACE_GLOBAL, 1, 1, 0, 0, 1},
    /* Even and odd lanes in turns: never the same iteration. */
    {24, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 8, 8, 0, 0, 8},
    /* Iterations 0, 1 and 2 with three quarters of the lanes, a half, and a quarter. */
    {26, DCS_SEEN_STORE, DCS_SPACE_GLOBAL, 6, 6, 0, 0, 6},
    {29, DCS_SEEN_ATOMIC, DCS_SPACE_GLOBAL, 2, 2, 0, 0, 0},
    {30, DCS_SEEN_LOAD, DCS_SPACE_GLOBAL, 2, 16 + 4, 0, 0, 0},
    {31, DCS_SEEN_LOAD, DCS_SPACE_SHARED, 2, 0, 0, 0, 0},
};
enum { N_EXPECTED = sizeof expected / sizeof expected[0] };

static dcs_method one_method(const char *variant, const char *config) {
  dcs_methods methods;
  assert_int_equal(dcs_select_methods(variant, config, (dcs_at_hand){.gpu = true}, &methods),
                   DCS_OK);
  assert_int_equal(methods.n, 1);
  const dcs_method method = methods.list[0];
  free(methods.list);
  return method;
}

static void trace_or_skip(const char *variant, const char *config, const char *problem,
                          dcs_dims grid, dcs_trace_options options, dcs_kernel_trace *trace) {
  const dcs_method method = one_method(variant, config);
  const dcs_kind *kind = dcs_kind_of(method.variant);
  const dcs_grid places = {.n = grid};
  dcs_config values;
  dcs_case c;
  assert_int_equal(dcs_parse_problem(kind, problem, &values), DCS_OK);
  /* an atom of an orbital has 13 primitives, of one to four terms each */
  const int inputs = strcmp(method.variant->kind, "orbital") == 0 ? 4 : 48;
  assert_int_equal(dcs_case_random(kind, &values, inputs, &places, 1, &c), DCS_OK);
  dcs_status status = dcs_trace_method(&method, &c, &options, trace);
  dcs_case_free(&c);
  if (status == DCS_OK) return;
  print_message("%s %s: %s\n", variant, config ? config : "", dcs_error_message());
  if (status == DCS_UNAVAILABLE) skip();
  fail();
}

static void every_line_is_counted(void **state) {
  (void)state;
  dcs_kernel_trace trace;
  plant("naive.cu", lines_kernel);
  trace_or_skip("cuda_naive", "block_x=40,block_y=1", "", (dcs_dims){8 * THREADS, 1, 1},
                (dcs_trace_options){.kernels = kernel_folder}, &trace);
  assert_int_equal(trace.n_rows, N_EXPECTED);
  for (int i = 0; i < N_EXPECTED; i++) {
    const dcs_trace_row *row = &trace.rows[i];
    const struct line *e = &expected[i];
    assert_non_null(strstr(row->source.place.file, "naive.cu"));
    assert_int_equal(row->source.place.line, e->line);
    assert_string_equal(dcs_access_name(row->access), dcs_access_name(e->access));
    assert_int_equal(row->space, e->space);
    assert_int_equal(row->requests, e->requests);
    assert_int_equal(row->sectors, e->sectors);
    assert_int_equal(row->bank_conflicts, e->bank_conflicts);
    assert_int_equal(row->distinct, e->distinct);
    assert_int_equal(row->divergent, e->divergent);
  }
  assert_string_equal(trace.rows[1].source.text, "map[t] = 1;");
  assert_int_equal(trace.blocks, 8);
  assert_int_equal(trace.watched, 3);
  dcs_trace_free(&trace);
}

static void a_kernel_without_memory_has_no_lines(void **state) {
  (void)state;
  dcs_kernel_trace trace;
  plant("naive.cu", PLANTED_HEAD "}\n");
  trace_or_skip("cuda_naive", "block_x=32,block_y=1", "", (dcs_dims){64, 1, 1},
                (dcs_trace_options){.kernels = kernel_folder}, &trace);
  assert_int_equal(trace.n_rows, 0);
  assert_int_equal(trace.blocks, 2);
  dcs_trace_free(&trace);
}

/* Nothing is counted of a kernel that leaves its memory. */
static void accesses_outside_are_errors(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {64, 1, 1}};
  const dcs_method method = one_method("cuda_naive", "block_x=32,block_y=1");
  const dcs_trace_options options = {.kernels = kernel_folder};
  dcs_kernel_trace trace;
  dcs_case c;
  plant("naive.cu", PLANTED_HEAD "  slice[i + (i == nx - 1)] = 1;\n}\n");
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 4, &grid, 1, &c), DCS_OK);
  dcs_status status = dcs_trace_method(&method, &c, &options, &trace);
  dcs_trace_free(&trace);
  dcs_case_free(&c);
  if (status == DCS_UNAVAILABLE) skip();
  assert_int_equal(status, DCS_FAILED);
  assert_non_null(
      strstr(dcs_error_message(), "naive.cu:5, store by thread 31 of block 1 (1 times)"));
}

/* ---- the ladder ---- */

static void stores_of_all_blocks(const char *variant, int coarsen, int64_t requests,
                                 int64_t sectors) {
  char config[64];
  dcs_kernel_trace trace;
  int64_t found[2] = {0, 0};
  snprintf(config, sizeof config, "block_x=32,block_y=2,coarsen=%d", coarsen);
  trace_or_skip(variant, config, "", (dcs_dims){512, 2, 1}, (dcs_trace_options){.all_blocks = true},
                &trace);
  for (int i = 0; i < trace.n_rows; i++)
    if (trace.rows[i].access == DCS_SEEN_STORE && trace.rows[i].space == DCS_SPACE_GLOBAL) {
      found[0] += trace.rows[i].requests;
      found[1] += trace.rows[i].sectors;
    }
  dcs_trace_free(&trace);
  assert_int_equal(found[0], requests);
  assert_int_equal(found[1], sectors);
}

/* 1,024 points: 32 requests of whole warps. At K points a thread, neighbours are K apart. */
static void the_strided_stores_and_their_cure(void **state) {
  (void)state;
  for (int k = 1; k <= 16; k *= 2) {
    stores_of_all_blocks("cuda_coarsened", k, 32, 32 * 4 * (k < 8 ? k : 8));
    stores_of_all_blocks("cuda_coalesced", k, 32, 32 * 4);
    stores_of_all_blocks("cuda_padded", k, 32, 32 * 4);
  }
}

/* A problem that the variant solves. */
static const char *problem_for(const dcs_variant *variant) {
  const dcs_kind *kind = dcs_kind_of(variant);
  for (const char *const *text = kind->verified; *text; text++) {
    dcs_config values;
    char why[DCS_TEXT];
    assert_int_equal(dcs_parse_problem(kind, *text, &values), DCS_OK);
    if (dcs_solves(variant, &values, why)) return *text;
  }
  fail();
  return NULL;
}

/* Each line is one of the kernel's, with what it is said to do. */
static void all_variants_are_traced(void **state) {
  (void)state;
  int in_headers = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    dcs_kernel_trace trace;
    bool stores = false;
    if (variant->backend != DCS_GPU) continue;
    trace_or_skip(variant->id, NULL, problem_for(variant), (dcs_dims){40, 5, 3},
                  (dcs_trace_options){0}, &trace);
    assert_true(trace.n_rows > 0 && trace.watched > 0 && trace.watched <= trace.blocks);
    for (int i = 0; i < trace.n_rows; i++) {
      assert_non_null(dcs_embedded(trace.rows[i].source.place.file));
      in_headers += strstr(trace.rows[i].source.place.file, ".cuh") != NULL;
      assert_true(trace.rows[i].source.place.line > 0 && trace.rows[i].source.text[0]);
      assert_true(trace.rows[i].requests > 0 && trace.rows[i].shown.lanes != 0);
      stores = stores ||
               (trace.rows[i].access != DCS_SEEN_LOAD && trace.rows[i].space == DCS_SPACE_GLOBAL);
    }
    assert_true(stores);
    dcs_trace_free(&trace);
  }
  assert_true(in_headers > 0);
}

static void other_methods_are_refused(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {8, 8, 1}};
  const dcs_method cpu = one_method("cpu_gather", NULL),
                   cutoff = one_method("cuda_cutoff_bins", NULL);
  dcs_kernel_trace trace;
  dcs_case c;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 4, &grid, 1, &c), DCS_OK);
  assert_int_equal(dcs_trace_method(&cpu, &c, &(dcs_trace_options){0}, &trace), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "runs on the CPU"));
  assert_int_equal(dcs_trace_method(&cutoff, &c, &(dcs_trace_options){0}, &trace), DCS_USAGE);
  assert_non_null(strstr(dcs_error_message(), "cutoff"));
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sectors_and_lines_of_global_memory),
      cmocka_unit_test(only_lanes_that_take_part_count),
      cmocka_unit_test(banks_of_shared_memory),
      cmocka_unit_test(addresses_of_constant_memory),
      cmocka_unit_test(lanes_are_drawn),
      cmocka_unit_test(every_line_is_counted),
      cmocka_unit_test(a_kernel_without_memory_has_no_lines),
      cmocka_unit_test(accesses_outside_are_errors),
      cmocka_unit_test(the_strided_stores_and_their_cure),
      cmocka_unit_test(all_variants_are_traced),
      cmocka_unit_test(other_methods_are_refused),
  };
  return cmocka_run_group_tests_name("trace", tests, kernel_folder_make, kernel_folder_remove);
}
