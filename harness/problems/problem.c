#include "harness/problems/problem.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/problems/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DCS_PROBLEM(id) extern const dcs_kind dcs_kind_##id;
#include "harness/problems/problems.def"

#define DCS_PROBLEM(id) +1
enum {
  BUILT_IN = 0
#include "harness/problems/problems.def"
};

const dcs_kind *dcs_kinds[BUILT_IN + DCS_MAX_ADDED] = {
#define DCS_PROBLEM(id) &dcs_kind_##id,
#include "harness/problems/problems.def"
};

int dcs_n_kinds = BUILT_IN;

dcs_status dcs_add_kind(const dcs_kind *kind) {
  if (dcs_find_kind(kind->id))
    return dcs_fail(DCS_USAGE, "found a second problem \"%s\"; expected another name", kind->id);
  if (dcs_n_kinds == BUILT_IN + DCS_MAX_ADDED)
    return dcs_fail(DCS_USAGE, "found more than %d problems beside those built in", DCS_MAX_ADDED);
  dcs_kinds[dcs_n_kinds++] = kind;
  return DCS_OK;
}

const dcs_kind *dcs_find_kind(const char *id) {
  for (int k = 0; k < dcs_n_kinds; k++)
    if (strcmp(dcs_kinds[k]->id, id) == 0) return dcs_kinds[k];
  return NULL;
}

const dcs_kind *dcs_kind_of(const dcs_variant *variant) {
  const dcs_kind *kind = dcs_find_kind(variant->kind);
  return kind ? kind
              : dcs_kinds[0]; /* tests/test_variants.c: every variant's kind is on the list */
}

int64_t dcs_count(const dcs_kind *kind, int buffer, const dcs_problem *problem) {
  const dcs_buffer *b = &kind->buffers[buffer];
  if (b->elements > 0) return b->elements;
  if (b->count) return b->count(problem);
  return b->output ? problem->n.x * problem->n.y * problem->n.z : problem->n_inputs;
}

bool dcs_has_atoms(const dcs_kind *kind) {
  return kind->n_dimensions != 1 || kind->dimensions[0].n == 1;
}

bool dcs_has_grid(const dcs_kind *kind) {
  for (int d = 0; d < kind->n_dimensions; d++)
    if (kind->dimensions[d].n == 3) return true;
  return false;
}

int dcs_map_of(const dcs_kind *kind) {
  for (int b = 0; b < kind->n_buffers; b++)
    if (dcs_on_grid(kind, b)) return b;
  return -1;
}

bool dcs_is_map(const dcs_kind *kind) {
  const int map = dcs_map_of(kind);
  int outputs = 0;
  for (int b = 0; b < kind->n_buffers; b++)
    outputs += kind->buffers[b].output;
  return !kind->made_of && dcs_has_atoms(kind) && outputs == 1 && map >= 0 &&
         !kind->buffers[map].value;
}

char *dcs_map_kinds(char text[DCS_TEXT]) {
  text[0] = '\0';
  for (int k = 0; k < dcs_n_kinds; k++)
    if (dcs_is_map(dcs_kinds[k]))
      dcs_append(text, DCS_TEXT, "%s%s", *text ? ", " : "", dcs_kinds[k]->id);
  return text;
}

dcs_config dcs_initial_problem(const dcs_kind *kind) {
  dcs_config config = {{0}};
  for (int p = 0; p < kind->n_params; p++)
    config.value[p] = kind->params[p].initial;
  return config;
}

char *dcs_format_problem(const dcs_kind *kind, const dcs_config *config, char text[DCS_TEXT]) {
  text[0] = '\0';
  if (kind->made_of) return dcs_append(text, DCS_TEXT, "%s", kind->made_of);
  for (int p = 0; p < kind->n_params; p++) {
    const dcs_param *param = &kind->params[p];
    char value[32];
    if (config->value[p] != param->initial)
      dcs_append(text, DCS_TEXT, "%s%s=%s", *text ? "," : "", param->name,
                 dcs_format_value(param, config->value[p], value));
  }
  return text;
}

bool dcs_same_problem(const dcs_kind *kind, const dcs_config *a, const dcs_config *b) {
  for (int p = 0; p < kind->n_params; p++)
    if (a->value[p] != b->value[p]) return false;
  return true;
}

/* ---- from texts ---- */

static dcs_status unknown(const dcs_kind *kind, const char *name) {
  const char *names[DCS_MAX_PARAMS];
  for (int p = 0; p < kind->n_params; p++)
    names[p] = kind->params[p].name;
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE, "%s has no parameter \"%s\"%s", kind->id, name,
                  dcs_did_you_mean(name, names, kind->n_params, hint));
}

/* One "name=value|value". */
static dcs_status take_pair(const dcs_kind *kind, char *pair, dcs_values *values) {
  char *equals = strchr(pair, '=');
  if (!equals)
    return dcs_fail(DCS_USAGE, "problem_config: found \"%s\"; expected NAME=VALUE", pair);
  *equals = '\0';
  for (int p = 0; p < kind->n_params; p++)
    if (strcmp(kind->params[p].name, pair) == 0)
      return dcs_parse_values(&kind->params[p], equals + 1, &values[p]);
  return unknown(kind, pair);
}

static dcs_status take_values(const dcs_kind *kind, const char *text, dcs_values *values) {
  char **pairs = NULL;
  int n = 0;
  if (text && *text) DCS_TRY(dcs_split(text, ',', &pairs, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++)
    status = take_pair(kind, pairs[i], values);
  free(pairs);
  for (int p = 0; status == DCS_OK && p < kind->n_params; p++) {
    char initial[32];
    if (values[p].n > 0) continue;
    dcs_format_value(&kind->params[p], kind->params[p].initial, initial);
    status = dcs_parse_values(&kind->params[p], initial, &values[p]);
  }
  return status;
}

/* Brings all to their keys, and drops what is there before. */
static dcs_status make_canonical(const dcs_kind *kind, dcs_config *list, int *n) {
  char why[DCS_TEXT];
  int kept = 0;
  for (int i = 0; i < *n; i++) {
    bool known = false;
    if (kind->canonical && !kind->canonical(&list[i], why)) return dcs_fail(DCS_USAGE, "%s", why);
    for (int k = 0; k < kept; k++)
      known = known || dcs_same_problem(kind, &list[k], &list[i]);
    if (!known) list[kept++] = list[i];
  }
  *n = kept;
  return DCS_OK;
}

dcs_status dcs_parse_problems(const dcs_kind *kind, const char *text, dcs_config **list, int *n) {
  dcs_values values[DCS_MAX_PARAMS] = {{0}};
  *list = NULL;
  *n = 0;
  dcs_status status = take_values(kind, text, values);
  if (status == DCS_OK) status = dcs_combine(values, kind->n_params, list, n);
  if (status == DCS_OK) status = make_canonical(kind, *list, n);
  for (int p = 0; p < DCS_MAX_PARAMS; p++)
    free(values[p].list);
  if (status == DCS_OK) return DCS_OK;
  free(*list);
  *list = NULL;
  *n = 0;
  return status;
}

dcs_status dcs_parse_problem(const dcs_kind *kind, const char *text, dcs_config *config) {
  dcs_config *list;
  int n;
  DCS_TRY(dcs_parse_problems(kind, text, &list, &n));
  *config = list[0];
  free(list);
  if (n == 1) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found %d problems in \"%s\"; expected one", n, text);
}

bool dcs_solves(const dcs_variant *variant, const dcs_config *problem, char why[DCS_TEXT]) {
  return !variant->solves || variant->solves(problem, why);
}

bool dcs_tries(const dcs_variant *variant, const dcs_config *problem) {
  const dcs_kind *kind = dcs_kind_of(variant);
  char why[DCS_TEXT];
  if (variant->accurate && kind->tolerance && kind->tolerance(problem) > 0) return false;
  return dcs_solves(variant, problem, why);
}
