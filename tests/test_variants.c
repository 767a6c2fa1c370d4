/* The ladder: its list and its files agree, descriptors are complete, and plans by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/embedded.h"
#include "harness/device/kernel_source.h"
#include "tests/solved_problem.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernels that coarsen, by the parameter they have. */
static bool coarsens(const dcs_variant *variant) {
  return dcs_find_param(variant, "coarsen") >= 0;
}

static dcs_config configure(const dcs_variant *variant, int block_x, int block_y, int coarsen) {
  static const char *const names[] = {"block_x", "block_y", "coarsen"};
  const int values[] = {block_x, block_y, coarsen};
  dcs_config config = dcs_initial_config(variant, 1);
  for (int i = 0; i < 3; i++) {
    int p = dcs_find_param(variant, names[i]);
    if (p >= 0) config.value[p] = values[i];
  }
  return config;
}

static const dcs_variant *find(const char *id) {
  const dcs_variant *variant = dcs_find_variant(id);
  if (!variant) fail_msg("no variant %s", id);
  return variant;
}

static void expect_dims(dcs_dims n, int64_t x, int64_t y, int64_t z) {
  assert_int_equal(n.x, x);
  assert_int_equal(n.y, y);
  assert_int_equal(n.z, z);
}

/* ---- the list ---- */

static void the_list_is_the_ladder(void **state) {
  (void)state;
  FILE *file = fopen("kernels/variants.def", "r");
  assert_non_null(file);
  char line[256], id[64];
  int n = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "DCS_VARIANT(%63[a-z0-9_])", id) != 1) continue;
    assert_true(n < dcs_n_variants);
    assert_string_equal(dcs_variants[n]->id, id);
    assert_ptr_equal(dcs_find_variant(id), dcs_variants[n]);
    n++;
  }
  fclose(file);
  assert_int_equal(n, dcs_n_variants);
  assert_null(dcs_find_variant("cpu_gathr"));
  assert_null(dcs_find_variant(""));
}

/* Whether the list of sources has the file that a source includes; the contract is left out. */
static void expect_source(const dcs_variant *variant, const char *path) {
  if (strcmp(path, "kernels/contract.h") == 0 || strcmp(path, "kernels/status.h") == 0) return;
  for (const char *const *source = variant->sources; *source; source++)
    if (strcmp(*source, path) == 0) return;
  fail_msg("%s: its sources lack %s, which one of them includes", variant->id, path);
}

/* Every source is there, is built in, and what it includes of the kernels is a source, too; the
 * probe of the limits, which lies beside the code that it imitates, computes no map. */
static void sources_are_whole(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    for (const char *const *source = variant->sources; *source; source++) {
      char line[512], path[512];
      FILE *file = fopen(*source, "r");
      if (!file || !dcs_embedded(*source)) fail_msg("%s: %s is missing", variant->id, *source);
      while (fgets(line, sizeof line, file)) /* NOLINT: fail_msg() does not return */
        if (sscanf(line, "#include \"%511[^\"]\"", path) == 1 && !strstr(path, "probe"))
          expect_source(variant, path);
      fclose(file);
    }
  }
}

/* The kernel is the file that the id names. */
static void variants_have_their_files(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const char *id = dcs_variants[v]->id, *source = dcs_variants[v]->sources[0];
    bool cpu = dcs_variants[v]->backend == DCS_CPU;
    char expected[512];
    assert_memory_equal(id, cpu ? "cpu_" : "cuda_", cpu ? 4 : 5);
    snprintf(expected, sizeof expected, "/%s/%s%s", cpu ? "cpu" : "cuda", strchr(id, '_') + 1,
             cpu ? ".c" : ".cu");
    assert_non_null(strstr(source, expected));
  }
}

/* A kernel that no line lists would never be tried. */
static void kernels_are_listed(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob("kernels/*/cuda/*.cu", 0, NULL, &found), 0);
  for (size_t f = 0; f < found.gl_pathc; f++) {
    bool listed = false;
    for (int v = 0; v < dcs_n_variants; v++)
      listed |= strcmp(dcs_variants[v]->sources[0], found.gl_pathv[f]) == 0;
    if (!listed) fail_msg("%s is the kernel of no variant", found.gl_pathv[f]);
  }
  globfree(&found);
}

/* A hash changes with the kernel of a folder, and with nothing but the variant's own files. */
static void sources_key_results(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    uint64_t hash, again, other;
    assert_int_equal(dcs_variant_hash(dcs_variants[v], NULL, &hash), DCS_OK);
    assert_int_equal(dcs_variant_hash(dcs_variants[v], NULL, &again), DCS_OK);
    assert_true(hash == again);
    for (const char *const *source = dcs_variants[v]->sources; *source; source++) {
      const char *without[64];
      int n = 0;
      for (const char *const *s = dcs_variants[v]->sources; *s; s++)
        if (s != source) without[n++] = *s;
      without[n] = NULL;
      dcs_variant less = *dcs_variants[v];
      less.sources = without;
      if (n > 0 && strstr(without[0], less.backend == DCS_CPU ? ".c" : ".cu")) {
        assert_int_equal(dcs_variant_hash(&less, NULL, &other), DCS_OK);
        assert_true(other != hash);
      }
    }
  }
}

/* ---- descriptors ---- */

static bool starts_at_all_cpus(const dcs_param *param) {
  return param->role == DCS_ROLE_THREADS && param->initial == DCS_ALL_CPUS;
}

/* A tuner tries few values, all of them legal, and those that stand when nobody chooses. */
static void check_tries(const dcs_variant *variant, const dcs_param *param) {
  bool has_initial = starts_at_all_cpus(param);
  int n = 0;
  if (!param->tries) {
    if (param->hi - param->lo >= 16) fail_msg("%s: %s: no tries", variant->id, param->name);
    return;
  }
  for (const int *v = param->tries; *v != DCS_TRIES_END; v++, n++) {
    if (!starts_at_all_cpus(param)) assert_true(*v >= param->lo && *v <= param->hi);
    assert_true(v == param->tries || *v > v[-1]);
    has_initial = has_initial || *v == param->initial;
  }
  if (!has_initial) fail_msg("%s: %s: its tries lack the initial value", variant->id, param->name);
  assert_in_range(n, 1, 16);
}

static void check_params(const dcs_variant *variant) {
  assert_in_range(variant->n_params, 0, DCS_MAX_PARAMS);
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    assert_true(param->name[0] && param->meaning[0]);
    assert_true(param->lo <= param->hi);
    assert_int_equal(dcs_find_param(variant, param->name), p); /* no name twice */
    bool resolved = starts_at_all_cpus(param) || param->initial == DCS_HIGHEST;
    if (!resolved && (param->initial < param->lo || param->initial > param->hi))
      fail_msg("%s: initial %s is outside its range", variant->id, param->name);
    for (int v = (int)param->lo; param->labels && v <= param->hi; v++)
      assert_true(param->labels[v - (int)param->lo][0]);
    check_tries(variant, param);
  }
}

static void descriptors_are_complete(void **state) {
  (void)state;
  dcs_problem problem = {.n_inputs = 100, .spacing = 0.5f};
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    problem.n = dcs_has_grid(dcs_kind_of(variant)) ? (dcs_dims){33, 17, 5} : (dcs_dims){100, 1, 1};
    problem.config = solved_problem(variant);
    for (int w = 0; w < v; w++)
      assert_string_not_equal(variant->id, dcs_variants[w]->id);
    assert_true(variant->idea && strlen(variant->idea) > 10 && !strchr(variant->idea, '\n'));
    check_params(variant);
    dcs_config config = dcs_initial_config(variant, 2);
    if (!dcs_applicable(variant, &problem, &config, why)) {
      config = dcs_initial_config(variant, 1); /* built without OpenMP */
      if (!dcs_applicable(variant, &problem, &config, why)) fail_msg("%s: %s", variant->id, why);
    }
    double flops = variant->flops_per_eval(&config);
    /* a reciprocal square root and what makes its argument, or a fused multiply-add; at most that
       and a polynomial of a high degree; of forces, in three dimensions, with an energy; of a
       stencil, six fluxes */
    const dcs_kind *kind = dcs_kind_of(variant);
    const double most = !dcs_has_atoms(kind) ? 90 : kind->field ? 80 : 30;
    assert_true(flops >= (kind->singular ? 5 : 2) && flops <= most);
    assert_true(variant->longest_sum(&problem, &config) >= 1);
    dcs_dims executed = variant->executed(&problem, &config);
    assert_true(executed.x >= problem.n.x && executed.y >= problem.n.y &&
                executed.z >= problem.n.z);
    assert_true((variant->plan != NULL) == (variant->backend == DCS_GPU));
    if (variant->backend == DCS_GPU) assert_null(variant->compute);
  }
}

/* Of a kind that is on the list, and of its problems some are those that verify tries. */
static void variants_have_their_kinds(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char folder[64];
    if (!dcs_find_kind(variant->kind)) fail_msg("%s: no kind %s", variant->id, variant->kind);
    assert_ptr_equal(dcs_kind_of(variant), dcs_find_kind(variant->kind));
    snprintf(folder, sizeof folder, "kernels/%s/", variant->kind);
    assert_memory_equal(variant->sources[0], folder, strlen(folder));
    (void)solved_problem(variant);
  }
}

/* The harness finds a parameter by its role: no variant has two of one, and what has the name of a
 * role has it. */
static void roles_are_used_once(void **state) {
  (void)state;
  static const char *const names[DCS_N_ROLES] = {
      [DCS_ROLE_THREADS] = "threads",     [DCS_ROLE_BLOCK_X] = "block_x",
      [DCS_ROLE_BLOCK_Y] = "block_y",     [DCS_ROLE_COARSEN] = "coarsen",
      [DCS_ROLE_COARSEN_X] = "coarsen_x", [DCS_ROLE_CHUNK] = "chunk_atoms"};
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    int used[DCS_N_ROLES] = {0};
    for (int p = 0; p < variant->n_params; p++) {
      const dcs_param *param = &variant->params[p];
      assert_true(param->role >= DCS_ROLE_NONE && param->role < DCS_N_ROLES);
      if (param->role != DCS_ROLE_NONE && used[param->role]++)
        fail_msg("%s: %s has a role that another has", variant->id, param->name);
      for (int role = 1; role < DCS_N_ROLES; role++)
        if (names[role] && strcmp(names[role], param->name) == 0 && (int)param->role != role)
          fail_msg("%s: %s lacks its role", variant->id, param->name);
    }
    assert_true((dcs_find_role(variant, DCS_ROLE_THREADS) >= 0) == (variant->backend == DCS_CPU));
  }
}

static void threads_start_at_the_cpus(void **state) {
  (void)state;
  const dcs_variant *gather = find("cpu_gather");
  int most = (int)gather->params[0].hi;
  assert_int_equal(dcs_initial_config(gather, 1).value[0], 1);
  assert_int_equal(dcs_initial_config(gather, 5).value[0], most < 5 ? most : 5);
  assert_int_equal(dcs_initial_config(gather, 1 << 20).value[0], most);
}

/* (3 + 7 K) / K: 10, 31/4, 59/8 operations at K = 1, 4, 8, as the literature counts them where the
 * host prepares dz^2. */
static void coarse_kernels_flops(void **state) {
  (void)state;
  int n = 0;
  for (int v = 0; v < dcs_n_variants; v++) {
    if (!coarsens(dcs_variants[v])) continue;
    const dcs_problem shape = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1};
    const dcs_config initial = dcs_initial_config(dcs_variants[v], 1);
    dcs_plan plan;
    dcs_variants[v]->plan(&shape, &initial, &plan);
    if (!plan.prepared) continue;
    static const struct {
      int coarsen;
      double flops;
    } cases[] = {{1, 10}, {4, 31 / 4.0}, {8, 59 / 8.0}};
    for (int c = 0; c < 3; c++) {
      dcs_config config = configure(dcs_variants[v], 16, 16, cases[c].coarsen);
      assert_true(fabs(dcs_variants[v]->flops_per_eval(&config) - cases[c].flops) < 1e-12);
    }
    n++;
  }
  assert_int_equal(n, 3);
  dcs_config config = configure(find("cuda_constant"), 16, 16, 0);
  assert_true(find("cuda_constant")->flops_per_eval(&config) == 10);
}

/* ---- predicates ---- */

static void expect_refused(const dcs_variant *variant, dcs_dims n, dcs_config config,
                           const char *message) {
  const dcs_problem problem = {
      .n_inputs = 100, .n = n, .spacing = 0.5f, .config = solved_problem(variant)};
  char why[DCS_TEXT] = "";
  if (dcs_applicable(variant, &problem, &config, why)) fail_msg("%s was applicable", variant->id);
  if (!strstr(why, message)) fail_msg("%s: \"%s\" lacks \"%s\"", variant->id, why, message);
}

static void what_is_inapplicable(void **state) {
  (void)state;
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    const int block_y = dcs_find_param(variant, "block_y");
    if (variant->backend != DCS_GPU || block_y < 0) continue;
    if (variant->params[block_y].hi < 1024) continue; /* its blocks have rules of their own */
    const dcs_dims small = {9, 9, 9}, fits = {9, 4 * 65535, 1}, high = {9, 4 * 65535 + 1, 1};
    const dcs_problem problem = {
        .n_inputs = 100, .n = fits, .spacing = 0.5f, .config = solved_problem(variant)};
    char why[DCS_TEXT];
    expect_refused(variant, small, configure(variant, 64, 32, 1), "64 x 32 = 2048 threads");
    expect_refused(variant, small, configure(variant, 1025, 1, 1),
                   "block_x=1025 is outside 1..1024");
    expect_refused(variant, high, configure(variant, 16, 4, 1), "65536 blocks in y");
    dcs_config config = configure(variant, 16, 4, 1);
    assert_true(dcs_applicable(variant, &problem, &config, why));
    if (coarsens(variant))
      expect_refused(variant, small, configure(variant, 64, 4, 17), "coarsen=17 is outside 1..16");
  }
  dcs_config config = dcs_initial_config(find("cpu_gather"), 1);
  expect_refused(find("cpu_gather"), (dcs_dims){(1 << 24) + 1, 1, 1}, config, "16777216 points");
}

/* ---- plans ---- */

/* 100 points in blocks of 16 threads with 8 points each: one tile of 128; 7 blocks of 16 rows. */
static void the_padded_plan(void **state) {
  (void)state;
  const dcs_variant *padded = find("cuda_padded");
  const dcs_problem problem = {.n_inputs = 1000, .n = {100, 100, 3}, .spacing = 0.5f};
  dcs_config config = configure(padded, 16, 16, 8);
  config.value[dcs_find_param(padded, "chunk_atoms")] = 300;
  dcs_plan plan;
  expect_dims(padded->executed(&problem, &config), 128, 112, 3);
  padded->plan(&problem, &config, &plan);
  expect_dims(plan.stored, 128, 112, 3);
  assert_true(plan.grid[0] == 1 && plan.grid[1] == 7 && plan.grid[2] == 1);
  assert_true(plan.block[0] == 16 && plan.block[1] == 16 && plan.block[2] == 1);
  assert_true(plan.chunk_inputs == 300 && plan.launch_slices == 1);
  assert_true(plan.constant_inputs && plan.prepared);
  const dcs_problem whole = {.n_inputs = 1000, .n = {256, 32, 1}, .spacing = 0.5f};
  expect_dims(padded->executed(&whole, &config), 256, 32, 1);
}

/* A launch of fewer slices than the map has: as many blocks in z as bricks, and for one variant a
 * layer to spare. */
static void volume_plans_can_be_cut(void **state) {
  (void)state;
  static const char *const ids[] = {"cuda_volume", "cuda_split"};
  for (int v = 0; v < 2; v++) {
    const dcs_variant *variant = find(ids[v]);
    dcs_config config = dcs_initial_config(variant, 1);
    config.value[dcs_find_param(variant, "coarsen_z")] = 5;
    const dcs_problem problem = {.n_inputs = 1000, .n = {100, 100, 43}, .spacing = 0.5f};
    dcs_plan plan;
    variant->plan(&problem, &config, &plan);
    assert_true(plan.launch_slices == 43 && plan.slice_step == 5 && plan.grid[2] == 9);
    assert_int_equal(plan.spare_layers, v == 0);
    int takes_k = 0;
    for (const dcs_arg *arg = plan.args; *arg != DCS_ARG_END; arg++)
      takes_k += *arg == DCS_ARG_K;
    assert_int_equal(takes_k, 1);
  }
}

/* Unpadded kernels store what was asked for, and compute what their threads compute. */
static void guarded_plans(void **state) {
  (void)state;
  static const struct {
    const char *id;
    int64_t executed[2]; /* in x, of 100 and of 133 points */
  } cases[] = {{"cuda_naive", {100, 133}},
               {"cuda_constant", {100, 133}},
               {"cuda_coarsened", {104, 136}},  /* threads of 8 adjacent points */
               {"cuda_coalesced", {128, 168}}}; /* 16 and 16 + 5 threads of 8 points */
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    const dcs_variant *variant = find(cases[c].id);
    dcs_config config = configure(variant, 16, 16, 8);
    for (int w = 0; w < 2; w++) {
      const dcs_problem problem = {.n_inputs = 1000, .n = {w ? 133 : 100, 100, 3}, .spacing = 0.5f};
      dcs_plan plan;
      expect_dims(variant->executed(&problem, &config), cases[c].executed[w], 100, 3);
      variant->plan(&problem, &config, &plan);
      expect_dims(plan.stored, problem.n.x, 100, 3);
      int64_t tile = coarsens(variant) ? 128 : 16;
      assert_true(plan.grid[0] == (problem.n.x + tile - 1) / tile && plan.grid[1] == 7);
    }
  }
}

/* Tiles of 32 x 8 x 4 points: 4 x 3 x 3 = 36 of them, each with 64 blocks that share the atoms, or
 * as many as there are atoms. */
static void the_split_plan(void **state) {
  (void)state;
  const dcs_variant *reduce = find("cuda_reduce");
  dcs_problem problem = {.n_inputs = 1000, .n = {100, 20, 9}, .spacing = 0.5f};
  const dcs_config config = dcs_initial_config(reduce, 1);
  dcs_plan plan;
  for (int few = 0; few < 2; few++) {
    problem.n_inputs = few ? 7 : 1000;
    int64_t splits = few ? 7 : 64;
    reduce->plan(&problem, &config, &plan);
    assert_true(plan.block[0] == 16 && plan.block[1] == 8 && plan.block[2] == 1);
    assert_true(plan.grid[0] == 4 && plan.grid[1] == 3 && plan.grid[2] == 3 * splits);
    assert_true(!plan.scratch[0].zero && plan.scratch[0].bytes == 4 * 36 * 1024 * splits);
    assert_true(plan.scratch[1].zero && plan.scratch[1].bytes == 4 * 36);
    assert_int_equal(plan.chunk_inputs, problem.n_inputs);
    assert_int_equal(plan.launch_slices, 9);
    /* 1000 atoms in 64 parts: at most 16 in one */
    assert_int_equal(reduce->longest_sum(&problem, &config), few ? 1 + 7 : 16 + 64);
  }
  expect_refused(reduce, (dcs_dims){9, 9, 4 * 1024}, config, "65536 blocks in z");
}

/* Longest run of additions: a chunk and a sum a chunk, or all atoms where the old value is read
 * first. */
static void longest_sums(void **state) {
  (void)state;
  const dcs_variant *padded = find("cuda_padded");
  const dcs_problem many = {.n_inputs = 250, .n = {9, 9, 9}, .spacing = 0.5f},
                    few = {.n_inputs = 7, .n = {9, 9, 9}, .spacing = 0.5f};
  dcs_config config = configure(padded, 16, 16, 8);
  config.value[dcs_find_param(padded, "chunk_atoms")] = 100;
  config.value[dcs_find_param(padded, "read")] = 1;
  assert_int_equal(padded->longest_sum(&many, &config), 100 + 3);
  assert_int_equal(padded->longest_sum(&few, &config), 7 + 1);
  config.value[dcs_find_param(padded, "read")] = 0;
  assert_int_equal(padded->longest_sum(&many, &config), 250);
  config = dcs_initial_config(find("cpu_gather"), 1);
  assert_int_equal(find("cpu_gather")->longest_sum(&many, &config), 250);
}

static void rounding_up(void **state) {
  (void)state;
  assert_int_equal(dcs_round_up(0, 16), 0);
  assert_int_equal(dcs_round_up(1, 16), 16);
  assert_int_equal(dcs_round_up(16, 16), 16);
  assert_int_equal(dcs_round_up(17, 16), 32);
  assert_int_equal(dcs_round_up((int64_t)1 << 40, 3), ((int64_t)1 << 40) + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_list_is_the_ladder),
      cmocka_unit_test(sources_are_whole),
      cmocka_unit_test(sources_key_results),
      cmocka_unit_test(variants_have_their_files),
      cmocka_unit_test(kernels_are_listed),
      cmocka_unit_test(descriptors_are_complete),
      cmocka_unit_test(variants_have_their_kinds),
      cmocka_unit_test(roles_are_used_once),
      cmocka_unit_test(threads_start_at_the_cpus),
      cmocka_unit_test(coarse_kernels_flops),
      cmocka_unit_test(what_is_inapplicable),
      cmocka_unit_test(the_padded_plan),
      cmocka_unit_test(volume_plans_can_be_cut),
      cmocka_unit_test(guarded_plans),
      cmocka_unit_test(the_split_plan),
      cmocka_unit_test(longest_sums),
      cmocka_unit_test(rounding_up),
  };
  return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
