#include "harness/verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cases ---- */

static int64_t at_least_1(int64_t n) {
  return n < 1 ? 1 : n;
}

/* Points of a block, or of a CPU kernel's tile. */
static dcs_dims tile_of(const dcs_method *method) {
  const dcs_problem one = {.n_atoms = 1, .n = {1, 1, 1}, .spacing = 1, .cutoff = 1};
  dcs_dims tile = method->variant->executed(&one, &method->config);
  int64_t x = (int64_t)dcs_config_value(method->variant, &method->config, "block_x", 1) *
              dcs_config_value(method->variant, &method->config, "coarsen", 1) *
              dcs_config_value(method->variant, &method->config, "coarsen_x", 1);
  int64_t y = dcs_config_value(method->variant, &method->config, "block_y", 1);
  tile.x = tile.x > x ? tile.x : x;
  tile.y = tile.y > y ? tile.y : y;
  return tile;
}

static void note(dcs_verification *result, const dcs_trial *trial, dcs_dims n, int64_t atoms) {
  if (trial->lost[0]) memcpy(result->lost, trial->lost, sizeof result->lost);
  if (trial->outcome == DCS_OUTCOME_OK) {
    result->cases++;
    result->bound_ratio = fmax(result->bound_ratio, trial->verdict.bound_ratio);
  } else if (result->outcome == DCS_OUTCOME_OK) {
    result->outcome = trial->outcome;
    if (trial->outcome == DCS_OUTCOME_NOT_BUILT) /* whatever the size */
      snprintf(result->why, sizeof result->why, "%s", dcs_error_message());
    else
      snprintf(result->why, sizeof result->why, "%lldx%lldx%lld, %lld atoms: %s", (long long)n.x,
               (long long)n.y, (long long)n.z, (long long)atoms, dcs_error_message());
  }
}

enum { ORACLE_EVALS = 100000000 };

dcs_status dcs_verify_on(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                         dcs_verification *result) {
  dcs_reference reference;
  DCS_TRY(dcs_bench_put(bench, c));
  DCS_TRY(dcs_oracle_for(method->variant, c, ORACLE_EVALS, &reference));
  dcs_trial trial = dcs_bench_try(bench, method, c, &reference);
  note(result, &trial, c->problem.n, c->problem.n_atoms);
  dcs_reference_free(&reference);
  return DCS_OK;
}

/* Less than two spacings, some, and more than most of the boxes. */
static const struct {
  double angstrom;
  dcs_smooth smooth;
} cutoffs[] = {
    {0.6, DCS_SMOOTH_NONE}, {1.7, DCS_SMOOTH_C2}, {3.1, DCS_SMOOTH_NONE}, {14, DCS_SMOOTH_C2}};
enum { N_CUTOFFS = sizeof cutoffs / sizeof cutoffs[0] };

static dcs_status verify_size(dcs_bench *bench, const dcs_method *method, dcs_dims n, int64_t atoms,
                              dcs_verification *result) {
  dcs_grid grid = {.n = n, .spacing = 0.37};
  dcs_case c;
  if (result->outcome != DCS_OUTCOME_OK) return DCS_OK;
  DCS_TRY(dcs_case_random(atoms, &grid, (uint64_t)(n.x * 31 + n.y * 7 + atoms), &c));
  char why[DCS_TEXT];
  dcs_status status = DCS_OK;
  if (!method->variant->cutoff) status = dcs_verify_on(bench, method, &c, result);
  for (int i = 0; method->variant->cutoff && i < N_CUTOFFS && status == DCS_OK; i++) {
    dcs_case_set_cutoff(&c, cutoffs[i].angstrom, cutoffs[i].smooth);
    if (i > 0 && !dcs_applicable(method->variant, &c.problem, &method->config, why))
      continue; /* all but the smallest may be too large for a configuration */
    status = dcs_verify_on(bench, method, &c, result);
  }
  dcs_case_free(&c);
  return status;
}

dcs_status dcs_verify_method(dcs_bench *bench, const dcs_method *method, dcs_verification *result) {
  *result = (dcs_verification){0};
  dcs_dims t = tile_of(method);
  const dcs_dims sizes[] = {
      {1, 1, 1},     {at_least_1(t.x - 1), at_least_1(t.y - 1), 2},
      {t.x, t.y, 1}, {t.x + 1, t.y + 1, 3},
      {31, 17, 5},   {7, 40, 2},
  };
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    DCS_TRY(verify_size(bench, method, sizes[s], 37, result));

  int64_t chunk = dcs_config_value(method->variant, &method->config, "chunk_atoms", 256);
  const int64_t atoms[] = {1, at_least_1(chunk - 1), chunk, chunk + 1, 2 * chunk + 1};
  for (size_t a = 0; a < sizeof atoms / sizeof atoms[0]; a++)
    DCS_TRY(verify_size(bench, method, (dcs_dims){9, 5, 2}, atoms[a], result));
  if (result->outcome != DCS_OUTCOME_OK) return DCS_OK;
  return dcs_verify_physics(bench, method, result);
}

/* ---- configurations ---- */

/* Values worth trying of a parameter; returns how many. */
static int values_of(const dcs_param *param, int values[32]) {
  static const int odd[] = {1, 2, 3, 7, 33};
  int n = 0;
  if (param->hi - param->lo < 16) {
    for (int v = param->lo; v <= param->hi; v++)
      values[n++] = v;
    return n;
  }
  values[n++] = param->lo;
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
    if (odd[i] > param->lo && odd[i] < param->hi) values[n++] = odd[i];
  if (param->initial != DCS_ALL_CPUS) values[n++] = param->hi;
  return n;
}

/* The values of all parameters that no method has yet. */
typedef struct {
  int value[DCS_MAX_PARAMS][32], n[DCS_MAX_PARAMS];
} uncovered;

/* Changes as many parameters as can be changed together into values that no method has yet; returns
 * how many. Every other parameter begins at its large end: small blocks meet many points a thread,
 * and few registers spill. */
static int change(dcs_method *method, uncovered *left) {
  const dcs_problem shape = {.n_atoms = 1, .n = {1, 1, 1}, .spacing = 1, .cutoff = 1};
  char why[DCS_TEXT];
  int changed = 0;
  for (int p = 0; p < method->variant->n_params; p++)
    for (int v = 0; v < left->n[p]; v++) {
      int at = p % 2 ? left->n[p] - 1 - v : v, before = method->config.value[p];
      method->config.value[p] = left->value[p][at];
      if (dcs_applicable(method->variant, &shape, &method->config, why)) {
        left->n[p]--;
        memmove(&left->value[p][at], &left->value[p][at + 1],
                (size_t)(left->n[p] - at) * sizeof left->value[p][0]);
        changed++;
        break;
      }
      method->config.value[p] = before;
    }
  return changed;
}

dcs_status dcs_covering_methods(const dcs_variant *variant, dcs_methods *methods) {
  const dcs_method initial = {variant, dcs_initial_config(variant, dcs_cpus())};
  uncovered left = {0};
  for (int p = 0; p < variant->n_params; p++) {
    int values[32], n = values_of(&variant->params[p], values);
    for (int v = 0; v < n; v++)
      if (values[v] != initial.config.value[p]) left.value[p][left.n[p]++] = values[v];
  }
  *methods = (dcs_methods){calloc(1 + 32 * DCS_MAX_PARAMS, sizeof(dcs_method)), 0};
  if (!methods->list) return dcs_fail(DCS_UNAVAILABLE, "no memory for methods");
  methods->list[methods->n++] = initial;
  for (dcs_method next = initial; change(&next, &left) > 0; next = initial)
    methods->list[methods->n++] = next;
  return DCS_OK;
}
