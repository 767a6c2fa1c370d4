/* Races: planted mistakes are named with both lines, and neither their cures nor the ladder have
 * any. Shuffles and votes, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/devices.h"
#include "harness/trace/trace.h"
#include "tests/planted_kernels.h"

static dcs_method one_method(const char *variant, const char *config) {
  dcs_methods methods;
  assert_int_equal(dcs_select_methods(variant, config, (dcs_at_hand){.gpu = true}, &methods),
                   DCS_OK);
  assert_int_equal(methods.n, 1);
  const dcs_method method = methods.list[0];
  free(methods.list);
  return method;
}

/* Several chunks or tiles of what each kernel goes through: an atom of an orbital has 13
 * primitives, of one to four terms each. */
static int inputs_of(const dcs_variant *variant) {
  return strcmp(variant->kind, "orbital") == 0 ? 4 : 130;
}

static int find_races(const char *variant, const char *config, const char *problem, dcs_dims n,
                      bool planted, dcs_located_race **races) {
  const dcs_method method = one_method(variant, config);
  const dcs_kind *kind = dcs_kind_of(method.variant);
  const dcs_grid grid = {.n = n};
  dcs_config values;
  dcs_case c;
  int found = 0;
  assert_int_equal(dcs_parse_problem(kind, problem, &values), DCS_OK);
  assert_int_equal(dcs_case_random(kind, &values, inputs_of(method.variant), &grid, 1, &c), DCS_OK);
  dcs_status status = dcs_find_races(&method, &c, planted ? kernel_folder : NULL, races, &found);
  dcs_case_free(&c);
  if (status == DCS_OK) return found;
  print_message("%s: %s\n", variant, dcs_error_message());
  if (status == DCS_UNAVAILABLE) skip();
  fail();
  return 0;
}

/* ---- planted mistakes ---- */

/* Two blocks of 64 threads on 128 points. The body begins in line 4. */
#define HEAD                                                                                       \
  "extern \"C\" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int nx,\n"       \
  "                               int ny, int k, float spacing) {\n"                               \
  "  __shared__ float s[64]; int t = threadIdx.x, b = blockIdx.x, i = 64 * b + t;\n"
#define TAIL "}\n"

static const struct {
  const char *body;
  int first, then;  /* lines of a race that is found; 0: none is */
  const char *said; /* in its description */
} planted[] = {
    /* Other warps' words are read without a barrier; with one; and overwritten too early. */
    {"s[t] = i;\nmap[i] = s[63 - t];\n", 4, 5, "no __syncthreads()"},
    {"s[t] = i;\n__syncthreads();\nmap[i] = s[63 - t];\n", 0, 0, NULL},
    {"for (int r = 0; r < 2; r++) {\ns[t] = r;\n__syncthreads();\nmap[i] = s[63 - t];\n}\n", 7, 5,
     "no __syncthreads()"},
    /* Within a warp. */
    {"s[t] = i;\nmap[i] = s[t ^ 1];\n", 4, 5, "neither __syncwarp()"},
    {"s[t] = i;\n__syncwarp();\nmap[i] = s[t ^ 1];\n", 0, 0, NULL},
    /* A sum without atomic additions; with; and read while others still add. */
    {"if (t == 0) s[0] = 0;\n__syncthreads();\ns[0] += t;\n", 6, 6, "none of them is atomic"},
    {"if (t == 0) s[0] = 0;\n__syncthreads();\natomicAdd(&s[0], (float)t);\n", 0, 0, NULL},
    {"atomicAdd(&map[0], 1.0f);\n", 0, 0, NULL},
    {"atomicAdd(&map[0], 1.0f);\nif (t == 40) map[1] = map[0];\n", 5, 4,
     "one of them is atomic, the other is not"},
    {"atomicAdd(&map[b], 1.0f);\nif (t == 63) map[5] = map[b];\n", 4, 5,
     "one of them is atomic, the other is not"},
    {"atomicAdd(&map[b], 1.0f);\n__syncthreads();\nif (t == 63) map[5 + b] = map[b];\n", 0, 0,
     NULL},
    /* Blocks: the same words for each, and overlapping halves (each point counted twice). */
    {"map[t] = i;\n", 4, 4, "blocks of a launch have no order"},
    {"map[32 * b + t] += 1;\n", 4, 4, "blocks of a launch have no order"},
    {"map[64 * b + t] += 1;\n", 0, 0, NULL},
    /* Halves of a word are no one word. */
    {"((unsigned short *)map)[i] = 1;\n", 0, 0, NULL},
    {"((unsigned short *)map)[i / 2] = 1;\n", 4, 4, NULL},
    /* A barrier in each branch. */
    {"if (t < 32)\n__syncthreads();\nelse\n__syncthreads();\n", 5, 7, "the same __syncthreads()"},
    /* One beyond the map, and far before it: the thread ends there. */
    {"map[i + 1] = 1;\n", 4, 4, "outside of all memory"},
    {"map[i - 1000000000] = 1;\n", 4, 4, "store by thread 0 of block 0"},
    {"map[i] = atoms[n_atoms].x;\n", 4, 4, "load by thread"},
    /* The lanes' sum, each word written once. */
    {"float sum = t;\nfor (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);\n"
     "if (t % 32 == 0) map[b * 2 + t / 32] = sum;\n",
     0, 0, NULL},
};

static void planted_mistakes_are_named(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof planted / sizeof planted[0]; p++) {
    char kernel[1024], text[6 * DCS_TEXT];
    dcs_located_race *races;
    bool named = false;
    snprintf(kernel, sizeof kernel, "%s%s%s", HEAD, planted[p].body, TAIL);
    plant("naive.cu", kernel);
    const int n =
        find_races("cuda_naive", "block_x=64,block_y=1", "", (dcs_dims){128, 1, 1}, true, &races);
    if (!planted[p].first && n > 0)
      fail_msg("%s has: %s", planted[p].body, dcs_describe_race(&races[0], text));
    for (int i = 0; i < n; i++) {
      dcs_describe_race(&races[i], text);
      named = named || (races[i].first.place.line == planted[p].first &&
                        races[i].then.place.line == planted[p].then &&
                        strstr(races[i].first.place.file, "naive.cu") &&
                        (!planted[p].said || strstr(text, planted[p].said)));
    }
    free(races);
    if (planted[p].first && !named) fail_msg("not named in %s", planted[p].body);
  }
}

/* ---- fences and counters ---- */

/* A kernel with `from` replaced by `to`; how many races it then has. */
static int races_of(const char *id, const char *file, const char *config, const char *from,
                    const char *to) {
  char path[64];
  snprintf(path, sizeof path, "kernels/coulomb/cuda/%s", file);
  const char *text = dcs_embedded(path), *at = strstr(text, from);
  char *changed = malloc(strlen(text) + strlen(to) + 1);
  dcs_located_race *races;
  assert_non_null(at);
  assert_non_null(changed);
  sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  plant(file, changed);
  free(changed);
  const int n = find_races(id, config, "", (dcs_dims){33, 3, 2}, true, &races);
  free(races);
  return n;
}

static int races_of_reduce(const char *from, const char *to) {
  return races_of("cuda_reduce", "reduce.cu",
                  "block_x=32,block_y=2,coarsen_x=1,coarsen_z=2,splits=3,unroll=1", from, to);
}

static void blocks_that_count_themselves(void **state) {
  (void)state;
  assert_int_equal(races_of_reduce("last", "last"), 0);
  assert_true(races_of_reduce("__syncthreads(); /* the whole block", "/* the whole block") > 0);
  assert_true(races_of_reduce("__threadfence(); /* the partial", "/* the partial") > 0);
  assert_true(races_of_reduce("__threadfence(); /* the count", "/* the count") > 0);
  assert_true(races_of_reduce("last = atomicAdd(counter, 1) == splits - 1",
                              "last = (*counter)++ == splits - 1") > 0);
}

static void warps_that_add_up_their_parts(void **state) {
  (void)state;
  static const char config[] = "block_x=32,block_y=1,coarsen_x=1,coarsen_z=2,parts=3,unroll=1";
  assert_int_equal(races_of("cuda_parts", "parts.cu", config, "sum", "sum"), 0);
  assert_true(races_of("cuda_parts", "parts.cu", config, "  __syncthreads();\n", "") > 0);
}

/* ---- the ladder ---- */

static void the_ladder_has_no_races(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char text[6 * DCS_TEXT];
    if (variant->backend != DCS_GPU) continue;
    for (const char *const *p = dcs_kind_of(variant)->verified; *p; p++) {
      dcs_config problem;
      dcs_located_race *races;
      assert_int_equal(dcs_parse_problem(dcs_kind_of(variant), *p, &problem), DCS_OK);
      if (!dcs_solves(variant, &problem, text)) continue;
      if (find_races(variant->id, NULL, *p, (dcs_dims){70, 5, 3}, false, &races) > 0)
        fail_msg("%s", dcs_describe_race(&races[0], text));
      free(races);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_mistakes_are_named),
      cmocka_unit_test(blocks_that_count_themselves),
      cmocka_unit_test(warps_that_add_up_their_parts),
      cmocka_unit_test(the_ladder_has_no_races),
  };
  return cmocka_run_group_tests_name("races", tests, kernel_folder_make, kernel_folder_remove);
}
