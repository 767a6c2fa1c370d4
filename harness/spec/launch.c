/* Which configurations a specification allows, and how they are launched. */
#include "harness/spec/made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What expressions know: the parameters, then the sizes of a problem. */
static void set_values(const dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                       dcs_value values[DCS_MAX_SPEC_PARAMS + DCS_N_SIZE_NAMES]) {
  const dcs_spec *spec = &made->spec;
  const int64_t sizes[DCS_N_SIZE_NAMES] = {problem->n_inputs, problem->n.x, problem->n.y,
                                           problem->n.z};
  for (int p = 0; p < spec->n_params; p++)
    values[p] = spec->params[p].values[0];
  for (int p = 0; p < made->variant.n_params; p++) {
    const dcs_spec_param *param = &spec->params[made->param_of[p]];
    const int64_t value = (int64_t)config->value[p];
    values[made->param_of[p]] =
        made->params[p].labels ? param->values[value] : dcs_integer_value(value);
  }
  for (int s = 0; s < DCS_N_SIZE_NAMES; s++)
    values[spec->n_params + s] = dcs_integer_value(sizes[s]);
}

/* False: there is none, and why. */
static bool evaluate(const dcs_spec_formula *formula, const dcs_value *values, dcs_value *value,
                     char why[DCS_TEXT]) {
  dcs_room room = {0};
  const dcs_status status = dcs_expression_value(formula->expression, values, &room, value);
  if (status != DCS_OK)
    snprintf(why, DCS_TEXT, "%.120s: %.120s", formula->text, dcs_error_message());
  if (status == DCS_OK && value->type == DCS_VALUE_LIST) *value = dcs_integer_value(value->n > 0);
  dcs_room_free(&room);
  return status == DCS_OK;
}

/* A whole number of 1 to `most`. */
static bool evaluate_size(const dcs_spec_formula *formula, const dcs_value *values, int64_t most,
                          const char *what, int64_t *size, char why[DCS_TEXT]) {
  dcs_value value;
  if (!evaluate(formula, values, &value, why)) return false;
  const double number = dcs_value_real(&value);
  *size = number >= 1 && number <= (double)most ? (int64_t)number : 0;
  if (*size > 0 && (double)*size == number) return true;
  snprintf(why, DCS_TEXT, "%s: %.120s is %g; expected a whole number, 1 to %lld", what,
           formula->text, number, (long long)most);
  return false;
}

/* Blocks and threads as CUDA has them at most. */
static bool find_launch(const dcs_made *made, const dcs_value *values, int64_t grid[3],
                        int64_t block[3], char why[DCS_TEXT]) {
  static const char *const names[] = {"LocalSize.X",  "LocalSize.Y",  "LocalSize.Z",
                                      "GlobalSize.X", "GlobalSize.Y", "GlobalSize.Z"};
  static const int64_t most_threads[] = {1024, 1024, 64}, most_blocks[] = {INT32_MAX, 65535, 65535};
  const dcs_spec *spec = &made->spec;
  for (int d = 0; d < 3; d++) {
    if (!evaluate_size(&spec->local[d], values, most_threads[d], names[d], &block[d], why))
      return false;
    const int64_t each = spec->counts_threads ? block[d] : 1;
    if (!evaluate_size(&spec->global[d], values, most_blocks[d] * each, names[3 + d], &grid[d],
                       why))
      return false;
    grid[d] = dcs_divide_up(grid[d], each);
  }
  const long long threads = block[0] * block[1] * block[2];
  if (threads <= 1024) return true;
  snprintf(why, DCS_TEXT, "%lld threads in a block; at most 1024", threads);
  return false;
}

/* A specification lists its values; others between them are not meant. */
static bool is_listed(const dcs_made *made, const dcs_config *config, char why[DCS_TEXT]) {
  for (int p = 0; p < made->variant.n_params; p++) {
    const dcs_param *param = &made->params[p];
    const int *tries = param->tries;
    while (tries && *tries != DCS_TRIES_END && *tries != config->value[p])
      tries++;
    if (!tries || *tries != DCS_TRIES_END) continue;
    snprintf(why, DCS_TEXT, "%s=%g is none of its values", param->name, config->value[p]);
    return false;
  }
  return true;
}

bool dcs_made_applicable(const dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                         char why[DCS_TEXT]) {
  dcs_value values[DCS_MAX_SPEC_PARAMS + DCS_N_SIZE_NAMES], value;
  int64_t grid[3], block[3];
  if (!is_listed(made, config, why)) return false;
  set_values(made, problem, config, values);
  for (int c = 0; c < made->spec.n_conditions; c++) {
    const dcs_spec_formula *condition = &made->spec.conditions[c];
    if (!evaluate(condition, values, &value, why)) return false;
    if (dcs_value_is_true(&value)) continue;
    snprintf(why, DCS_TEXT, "not so: %.200s", condition->text);
    return false;
  }
  return made->spec.is_c || find_launch(made, values, grid, block, why);
}

void dcs_made_plan(const dcs_made *made, const dcs_problem *problem, const dcs_config *config,
                   dcs_plan *plan) {
  dcs_value values[DCS_MAX_SPEC_PARAMS + DCS_N_SIZE_NAMES];
  int64_t grid[3] = {0}, block[3] = {0};
  char why[DCS_TEXT];
  set_values(made, problem, config, values);
  (void)find_launch(made, values, grid, block, why); /* it is applicable */
  *plan = (dcs_plan){.chunk_inputs = (int64_t)1 << 40,
                     .launch_slices = problem->n.z,
                     .stored = problem->n,
                     .block = {(int)block[0], (int)block[1], (int)block[2]},
                     .grid = {grid[0], grid[1], grid[2]},
                     .args = made->args};
  memcpy(plan->own, made->own, sizeof plan->own);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}
