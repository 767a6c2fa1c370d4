#include "harness/verify/verify.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cases ---- */

static int64_t at_least_1(int64_t n) {
  return n < 1 ? 1 : n;
}

static int64_t role(const dcs_method *method, dcs_role role, int otherwise) {
  return dcs_role_value(method->variant, &method->config, role, otherwise);
}

/* Points of a block, or of a CPU kernel's tile. */
static dcs_dims tile_of(const dcs_method *method) {
  const dcs_problem one = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1};
  dcs_dims tile = method->variant->executed(&one, &method->config);
  int64_t x = role(method, DCS_ROLE_BLOCK_X, 1) * role(method, DCS_ROLE_COARSEN, 1) *
              role(method, DCS_ROLE_COARSEN_X, 1);
  int64_t y = role(method, DCS_ROLE_BLOCK_Y, 1);
  if (method->variant->outside && method->variant->plan) { /* whose parameters have no roles */
    dcs_plan plan;
    method->variant->plan(&one, &method->config, &plan);
    x = plan.block[0];
    y = plan.block[1];
  }
  tile.x = tile.x > x ? tile.x : x;
  tile.y = tile.y > y ? tile.y : y;
  return tile;
}

static void note(dcs_verification *result, const dcs_trial *trial, const dcs_case *c) {
  if (trial->lost[0]) memcpy(result->lost, trial->lost, sizeof result->lost);
  if (trial->outcome == DCS_OUTCOME_OK) {
    result->cases++;
    result->bound_ratio = fmax(result->bound_ratio, trial->verdict.bound_ratio);
  } else if (result->outcome == DCS_OUTCOME_OK) {
    const dcs_size size = dcs_case_size(c);
    char text[DCS_TEXT];
    result->outcome = trial->outcome;
    result->refused = trial->outcome == DCS_OUTCOME_INAPPLICABLE && trial->session;
    if (trial->outcome == DCS_OUTCOME_WRONG)
      result->bound_ratio = fmax(result->bound_ratio, trial->verdict.bound_ratio);
    if (dcs_not_here(trial->outcome) || result->refused ||
        trial->outcome == DCS_OUTCOME_COMPILE) /* whatever the size */
      snprintf(result->why, sizeof result->why, "%s", dcs_error_message());
    else
      snprintf(result->why, sizeof result->why, "%s: %.200s", dcs_size_text(&size, text),
               dcs_error_message());
  }
}

/* A method that is right once may have left behind what makes it wrong the next time, such as
 * counters that are not set back. Maps up to so many points are computed twice. */
enum { ORACLE_EVALS = 100000000, TWICE_POINTS = 128 };

dcs_status dcs_verify_on(dcs_bench *bench, const dcs_method *method, dcs_case *c,
                         dcs_verification *result) {
  dcs_reference reference;
  DCS_TRY(dcs_bench_put(bench, c, NULL, 0));
  DCS_TRY(dcs_oracle(c, ORACLE_EVALS, &reference));
  dcs_trial trial = dcs_bench_try(bench, method, 0, &reference);
  note(result, &trial, c);
  if (trial.outcome == DCS_OUTCOME_OK && dcs_points(c->problem.n) <= TWICE_POINTS) {
    dcs_bench_try_again(bench, &reference, DCS_UNTIMED, DCS_PAGEABLE, &trial);
    note(result, &trial, c);
  }
  dcs_reference_free(&reference);
  return DCS_OK;
}

/* The problems that a variant is tried on. */
typedef struct {
  dcs_config list[16];
  int n;
} problems;

static dcs_status problems_of(const dcs_method *method, problems *p) {
  const dcs_kind *kind = dcs_kind_of(method->variant);
  p->n = 0;
  for (const char *const *text = kind->verified; *text && p->n < 16; text++) {
    DCS_TRY(dcs_parse_problem(kind, *text, &p->list[p->n]));
    p->n += dcs_tries(method->variant, &p->list[p->n]);
  }
  if (p->n > 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s solves no problem that %s is verified on", method->variant->id,
                  kind->id);
}

static dcs_status verify_size(dcs_bench *bench, const dcs_method *method, const problems *p,
                              dcs_dims n, int64_t atoms, dcs_verification *result) {
  dcs_grid grid = {.n = n, .spacing = 0.37};
  dcs_case c;
  if (result->outcome != DCS_OUTCOME_OK) return DCS_OK;
  DCS_TRY(dcs_case_random(dcs_kind_of(method->variant), &p->list[0], atoms, &grid,
                          (uint64_t)(n.x * 31 + n.y * 7 + atoms), &c));
  char why[DCS_TEXT];
  dcs_status status = DCS_OK;
  for (int i = 0; i < p->n && status == DCS_OK; i++) {
    dcs_case_pose(&c, &p->list[i]);
    if (i > 0 && !dcs_applicable(method->variant, &c.problem, &method->config, why))
      continue; /* all but the first may be too large for a configuration */
    status = dcs_verify_on(bench, method, &c, result);
  }
  dcs_case_free(&c);
  return status;
}

static dcs_status verify_grids(dcs_bench *bench, const dcs_method *method, const problems *p,
                               dcs_verification *result) {
  enum { MOST_SLICES = 40 };
  const dcs_dims t = tile_of(method);
  const dcs_dims sizes[] = {
      {1, 1, 1},
      {at_least_1(t.x - 1), at_least_1(t.y - 1), 2},
      {t.x, t.y, 1},
      {t.x + 1, t.y + 1, 3},
      {31, 17, 5},
      {7, 40, 2},
      {2, 40, MOST_SLICES}, /* more rows than the square of a small block: sums of sums of blocks */
  };
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    DCS_TRY(verify_size(bench, method, p, sizes[s], 37, result));
  if (t.z < MOST_SLICES) return DCS_OK;
  return verify_size(bench, method, p, (dcs_dims){2, 3, t.z + 1}, 5, result);
}

/* Around a chunk; without a grid around a tile, for outputs are of atoms, and 37. */
static dcs_status verify_atoms(dcs_bench *bench, const dcs_method *method, const problems *p,
                               dcs_verification *result) {
  const bool grid = dcs_has_grid(dcs_kind_of(method->variant));
  const int64_t chunk = grid ? role(method, DCS_ROLE_CHUNK, 256) : tile_of(method).x;
  const int64_t atoms[] = {1, at_least_1(chunk - 1), chunk, chunk + 1, grid ? 2 * chunk + 1 : 37};
  for (size_t a = 0; a < sizeof atoms / sizeof atoms[0]; a++)
    DCS_TRY(verify_size(bench, method, p, (dcs_dims){9, 5, 2}, atoms[a], result));
  return DCS_OK;
}

/* What random atoms lack, on the grid of those. */
static dcs_status verify_whole(dcs_bench *bench, const dcs_method *method, const problems *p,
                               dcs_verification *result) {
  const dcs_kind *kind = dcs_kind_of(method->variant);
  const dcs_grid grid = {.n = {9, 5, 2}, .spacing = 0.37, .has_origin = true};
  dcs_molecule molecule;
  dcs_case c;
  dcs_status status = kind->whole(&molecule);
  if (status == DCS_OK) status = dcs_case_build(kind, &p->list[0], &molecule, &grid, &c);
  dcs_molecule_free(&molecule);
  DCS_TRY(status);
  status = dcs_verify_on(bench, method, &c, result);
  dcs_case_free(&c);
  return status;
}

dcs_status dcs_verify_method(dcs_bench *bench, const dcs_method *method, dcs_verification *result) {
  problems p;
  *result = (dcs_verification){0};
  DCS_TRY(problems_of(method, &p));
  if (dcs_has_grid(dcs_kind_of(method->variant))) DCS_TRY(verify_grids(bench, method, &p, result));
  if (dcs_has_atoms(dcs_kind_of(method->variant))) DCS_TRY(verify_atoms(bench, method, &p, result));
  if (dcs_kind_of(method->variant)->whole && result->outcome == DCS_OUTCOME_OK)
    DCS_TRY(verify_whole(bench, method, &p, result));
  const int first = p.n > 2 ? 1 : 0; /* two problems from the middle of the list are enough */
  for (int i = first; i < first + 2 && i < p.n && result->outcome == DCS_OUTCOME_OK; i++)
    DCS_TRY(dcs_verify_physics(bench, method, &p.list[i], result));
  return DCS_OK;
}

/* ---- configurations ---- */

/* Values worth trying of a parameter; returns how many. `listed`: no others are legal. */
static int values_of(const dcs_param *param, bool listed, int values[32]) {
  static const int odd[] = {1, 2, 3, 7, 33};
  int n = 0;
  if (listed && param->tries) {
    while (n < 32 && param->tries[n] != DCS_TRIES_END) {
      values[n] = param->tries[n];
      n++;
    }
    return n;
  }
  if (param->hi - param->lo < 16) {
    for (int v = (int)param->lo; v <= param->hi; v++)
      values[n++] = v;
    return n;
  }
  values[n++] = (int)param->lo;
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
    if (odd[i] > param->lo && odd[i] < param->hi) values[n++] = odd[i];
  if (param->role != DCS_ROLE_THREADS) values[n++] = (int)param->hi;
  return n;
}

/* The values of all parameters that no method has yet. */
typedef struct {
  int value[DCS_MAX_PARAMS][32], n[DCS_MAX_PARAMS];
} uncovered;

bool dcs_is_legal(const dcs_method *method, char why[DCS_TEXT]) {
  problems p;
  if (problems_of(method, &p) != DCS_OK)
    return snprintf(why, DCS_TEXT, "%s", dcs_error_message()) < 0;
  const dcs_problem shape = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1, .config = p.list[0]};
  return dcs_applicable(method->variant, &shape, &method->config, why);
}

/* Changes as many parameters as can be changed together into values that no method has yet; returns
 * how many. Every other parameter begins at its large end: small blocks meet many points a thread,
 * and few registers spill. */
static int change(dcs_method *method, uncovered *left) {
  char why[DCS_TEXT];
  int changed = 0;
  for (int k = 0; k < method->variant->n_params; k++)
    for (int v = 0; v < left->n[k]; v++) {
      int at = k % 2 ? left->n[k] - 1 - v : v, before = (int)method->config.value[k];
      method->config.value[k] = left->value[k][at];
      if (dcs_is_legal(method, why)) {
        left->n[k]--;
        memmove(&left->value[k][at], &left->value[k][at + 1],
                (size_t)(left->n[k] - at) * sizeof left->value[k][0]);
        changed++;
        break;
      }
      method->config.value[k] = before;
    }
  return changed;
}

static dcs_status add_method(dcs_methods *methods, const dcs_method *method) {
  DCS_TRY(dcs_grow(&methods->list, (size_t)methods->n, sizeof *method, "methods"));
  methods->list[methods->n++] = *method;
  return DCS_OK;
}

static dcs_status add_covering(const dcs_variant *variant, dcs_methods *methods) {
  const dcs_method initial = {variant, dcs_initial_config(variant, dcs_cpus())};
  uncovered left = {0};
  for (int p = 0; p < variant->n_params; p++) {
    int values[32], n = values_of(&variant->params[p], variant->outside, values);
    for (int v = 0; v < n; v++)
      if (values[v] != initial.config.value[p]) left.value[p][left.n[p]++] = values[v];
  }
  DCS_TRY(add_method(methods, &initial));
  for (dcs_method next = initial; change(&next, &left) > 0; next = initial)
    DCS_TRY(add_method(methods, &next));
  return DCS_OK;
}

dcs_status dcs_cover_methods(dcs_methods *methods) {
  dcs_methods covering = {0};
  dcs_status status = DCS_OK;
  for (int m = 0; status == DCS_OK && m < methods->n; m++)
    status = add_covering(methods->list[m].variant, &covering);
  free(methods->list);
  *methods = covering;
  return status;
}
