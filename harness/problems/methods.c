#include "harness/problems/methods.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dcs_same_method(const dcs_method *a, const dcs_method *b) {
  if (a->variant != b->variant) return false;
  for (int p = 0; p < a->variant->n_params; p++)
    if (a->config.value[p] != b->config.value[p]) return false;
  return true;
}

bool dcs_variant_available(const dcs_variant *variant, char why[DCS_TEXT]) {
  return !variant->available || variant->available(why);
}

/* ---- variants ---- */

static dcs_status unknown_variant(const char *name) {
  const char *names[64];
  int n = 0;
  if (!*name) return dcs_fail(DCS_USAGE, "variants: found an empty name; expected ids with commas");
  for (; n < dcs_n_variants && n < 56; n++)
    names[n] = dcs_variants[n]->id;
  for (int k = 0; k < dcs_n_kinds && n < 60; k++)
    names[n++] = dcs_kinds[k]->id;
  names[n++] = "all";
  names[n++] = "cpu";
  names[n++] = "gpu";
  const char *nearest = dcs_nearest_name(name, names, n);
  if (nearest)
    return dcs_fail(DCS_USAGE, "unknown variant \"%s\"; did you mean %s?", name, nearest);
  return dcs_fail(
      DCS_USAGE,
      "unknown variant \"%s\"; expected all, cpu, gpu, or names that `dcsbench list` shows", name);
}

static bool in_group(const char *group, const dcs_variant *variant) {
  const char *own = variant->backend == DCS_CPU ? "cpu" : "gpu";
  return strcmp(group, "all") == 0 || strcmp(group, own) == 0 || strcmp(group, variant->kind) == 0;
}

static bool is_group(const char *name) {
  return strcmp(name, "all") == 0 || strcmp(name, "cpu") == 0 || strcmp(name, "gpu") == 0 ||
         dcs_find_kind(name);
}

const dcs_kind *dcs_kind_of_names(const char *variants) {
  const dcs_kind *all = NULL;
  char name[DCS_TEXT];
  for (const char *at = variants; *at; at += strcspn(at, ","), at += *at == ',') {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
    const dcs_variant *variant = dcs_find_variant(name);
    const dcs_kind *kind = variant ? dcs_kind_of(variant) : dcs_find_kind(name);
    if (!kind || (all && kind != all)) return dcs_kinds[0];
    all = kind;
  }
  return all ? all : dcs_kinds[0];
}

static bool solves_any(const dcs_variant *variant, dcs_at_hand at_hand) {
  char why[DCS_TEXT];
  if (at_hand.kind && strcmp(variant->kind, at_hand.kind->id) != 0) return false;
  for (int i = 0; i < at_hand.n_problems; i++)
    if (dcs_solves(variant, &at_hand.problems[i], why)) return true;
  return at_hand.n_problems == 0;
}

static bool usable(const dcs_variant *variant, dcs_at_hand at_hand) {
  char why[DCS_TEXT];
  return dcs_variant_available(variant, why) && (at_hand.gpu || variant->backend == DCS_CPU) &&
         solves_any(variant, at_hand);
}

/* What the user's words say of a variant. Those that a group names but this machine cannot run take
 * part in checking the parameters' names, and are not measured. */
typedef enum { NOT_CHOSEN, CANNOT_RUN, CHOSEN } choice;

static dcs_status mark_variants(const char *text, dcs_at_hand at_hand, choice *chosen) {
  char **names;
  int n;
  DCS_TRY(dcs_split(text, ',', &names, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++) {
    bool found = is_group(names[i]);
    for (int v = 0; v < dcs_n_variants; v++) {
      bool named = strcmp(names[i], dcs_variants[v]->id) == 0;
      if (named && at_hand.kind && strcmp(dcs_variants[v]->kind, at_hand.kind->id) != 0)
        status = dcs_fail(DCS_USAGE, "%s computes %s, not %s", names[i], dcs_variants[v]->kind,
                          at_hand.kind->id);
      if (named || (in_group(names[i], dcs_variants[v]) && usable(dcs_variants[v], at_hand)))
        chosen[v] = CHOSEN;
      else if (chosen[v] == NOT_CHOSEN && in_group(names[i], dcs_variants[v]))
        chosen[v] = CANNOT_RUN;
      found = found || named;
    }
    if (!found && status == DCS_OK) status = unknown_variant(names[i]);
  }
  free(names);
  return status;
}

/* ---- values of a parameter ---- */

static dcs_status bad_value(const dcs_param *param, const char *text) {
  char expected[DCS_TEXT] = "";
  for (int v = (int)param->lo; param->labels && v <= param->hi; v++)
    dcs_append(expected, sizeof expected, "%s%s", v > param->lo ? " or " : "",
               param->labels[v - (int)param->lo]);
  if (!param->labels)
    snprintf(expected, sizeof expected, "%g to %g%s%s", param->lo, param->hi,
             param->unit ? " " : "", param->unit ? param->unit : "");
  return dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected %s", param->name, text, expected);
}

/* Adds a value unless it is there. */
static dcs_status add_value(double value, dcs_values *v) {
  for (int i = 0; i < v->n; i++)
    if (v->list[i] == value) return DCS_OK;
  DCS_TRY(dcs_grow(&v->list, (size_t)v->n, sizeof *v->list, "values"));
  v->list[v->n++] = value;
  return DCS_OK;
}

static dcs_status add_label(const dcs_param *param, const char *text, dcs_values *v) {
  for (int l = (int)param->lo; l <= param->hi; l++)
    if (strcmp(text, param->labels[l - (int)param->lo]) == 0) return add_value(l, v);
  return bad_value(param, text);
}

static dcs_status add_integers(const dcs_param *param, const char *text, dcs_values *v) {
  int64_t *more;
  int n;
  DCS_TRY(dcs_parse_integers(param->name, text, (int64_t)param->lo, (int64_t)param->hi, &more, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++)
    status = add_value((double)more[i], v);
  free(more);
  return status;
}

static dcs_status add_real(const dcs_param *param, const char *text, dcs_values *v) {
  double value;
  if (dcs_parse_number(param->name, text, param->lo, param->hi, &value) != DCS_OK)
    return bad_value(param, text);
  return add_value(value + 0.0, v); /* -0 is 0 */
}

static dcs_status add_values(const dcs_param *param, const char *text, dcs_values *v) {
  if (strcmp(text, "all") == 0 && !param->real) {
    for (int value = (int)param->lo; value <= param->hi; value++)
      DCS_TRY(add_value(value, v));
    return DCS_OK;
  }
  if (param->labels) return add_label(param, text, v);
  if (strcmp(text, "max") == 0 && param->role == DCS_ROLE_THREADS)
    return add_value(fmin(dcs_cpus(), param->hi), v);
  return param->real ? add_real(param, text, v) : add_integers(param, text, v);
}

dcs_status dcs_parse_values(const dcs_param *param, const char *text, dcs_values *v) {
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, '|', &parts, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++)
    status = add_values(param, parts[i], v);
  free(parts);
  return status;
}

enum { MOST_COMBINATIONS = 100000 };

dcs_status dcs_combine(const dcs_values *v, int n_params, dcs_config **list, int *n) {
  int64_t combinations = 1;
  for (int p = 0; p < n_params; p++) {
    combinations *= v[p].n;
    if (*n + combinations > MOST_COMBINATIONS)
      return dcs_fail(DCS_USAGE, "more than %d combinations of values", MOST_COMBINATIONS);
  }
  size_t total = (size_t)(*n + combinations);
  dcs_config *more = realloc(*list, total * sizeof *more);
  if (!more) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu combinations of values", total);
  *list = more;
  for (int64_t c = 0; c < combinations; c++) {
    dcs_config *config = &more[(*n)++];
    int64_t rest = c;
    *config = (dcs_config){{0}};
    for (int p = n_params - 1; p >= 0; p--) {
      config->value[p] = v[p].list[rest % v[p].n]; /* NOLINT: at least 1 */
      rest /= v[p].n;
    }
  }
  return DCS_OK;
}

/* ---- configurations ---- */

static dcs_status unknown_param(const char *name, const choice *chosen) {
  const char *names[DCS_MAX_PARAMS * 64];
  int n = 0;
  for (int v = 0; v < dcs_n_variants && v < 64; v++)
    for (int p = 0; chosen[v] && p < dcs_variants[v]->n_params; p++)
      names[n++] = dcs_variants[v]->params[p].name;
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE, "config: no chosen variant has a parameter \"%s\"%s", name,
                  dcs_did_you_mean(name, names, n, hint));
}

/* Checks that every k=v of the text names a parameter of some chosen variant. */
static dcs_status check_names(char **pairs, int n, const choice *chosen) {
  for (int i = 0; i < n; i++) {
    char *equals = strchr(pairs[i], '=');
    if (!equals) return dcs_fail(DCS_USAGE, "config: found \"%s\"; expected NAME=VALUE", pairs[i]);
    *equals = '\0';
    bool found = false;
    for (int v = 0; v < dcs_n_variants; v++)
      found = found || (chosen[v] && dcs_find_param(dcs_variants[v], pairs[i]) >= 0);
    if (!found) return unknown_param(pairs[i], chosen);
    *equals = '=';
  }
  return DCS_OK;
}

/* The initial value where none is given. */
static dcs_status collect_values(const dcs_variant *variant, char **pairs, int n, dcs_values *v) {
  dcs_config initial = dcs_initial_config(variant, dcs_cpus());
  for (int i = 0; i < n; i++) {
    char *equals = strchr(pairs[i], '=');
    *equals = '\0';
    int p = dcs_find_param(variant, pairs[i]);
    *equals = '=';
    if (p >= 0) DCS_TRY(dcs_parse_values(&variant->params[p], equals + 1, &v[p]));
  }
  for (int p = 0; p < variant->n_params; p++)
    if (v[p].n == 0) DCS_TRY(add_value(initial.value[p], &v[p]));
  return DCS_OK;
}

static dcs_status append(const dcs_variant *variant, const dcs_config *configs, int n,
                         dcs_methods *methods) {
  const size_t total = (size_t)methods->n + (size_t)n;
  if (total == 0) return DCS_OK;
  dcs_method *list = realloc(methods->list, total * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu methods", total);
  methods->list = list;
  for (int c = 0; c < n; c++)
    list[methods->n++] = (dcs_method){variant, configs[c]};
  return DCS_OK;
}

static dcs_status add_variant(const dcs_variant *variant, char **pairs, int n,
                              dcs_methods *methods) {
  dcs_values v[DCS_MAX_PARAMS] = {{0}};
  dcs_config *configs = NULL;
  int n_configs = 0;
  dcs_status status = collect_values(variant, pairs, n, v);
  if (status == DCS_OK) status = dcs_combine(v, variant->n_params, &configs, &n_configs);
  if (status == DCS_OK) status = append(variant, configs, n_configs, methods);
  for (int p = 0; p < DCS_MAX_PARAMS; p++)
    free(v[p].list);
  free(configs);
  return status;
}

dcs_status dcs_select_methods(const char *variants, const char *config, dcs_at_hand at_hand,
                              dcs_methods *methods) {
  *methods = (dcs_methods){0};
  choice *chosen = calloc((size_t)dcs_n_variants, sizeof *chosen);
  if (!chosen) return dcs_fail(DCS_UNAVAILABLE, "no memory for a list of variants");
  char **pairs = NULL;
  int n = 0;
  dcs_status status = mark_variants(variants, at_hand, chosen);
  if (status == DCS_OK && config && *config) status = dcs_split(config, ',', &pairs, &n);
  if (status == DCS_OK) status = check_names(pairs, n, chosen);
  for (int v = 0; status == DCS_OK && v < dcs_n_variants; v++)
    if (chosen[v] == CHOSEN) status = add_variant(dcs_variants[v], pairs, n, methods);
  free(pairs);
  free(chosen);
  if (status != DCS_OK) {
    free(methods->list);
    *methods = (dcs_methods){0};
  }
  return status;
}

dcs_status dcs_read_method(const char *id, const char *config, dcs_method *method) {
  dcs_methods methods = {0};
  char again[DCS_TEXT];
  const dcs_variant *variant = dcs_find_variant(id);
  if (!variant)
    return dcs_fail(DCS_INPUT, "found variant \"%s\"; expected one that `dcsbench list` shows", id);
  dcs_status status = dcs_select_methods(id, config, (dcs_at_hand){.gpu = true}, &methods);
  if (status == DCS_OK && methods.n > 0) *method = methods.list[0];
  free(methods.list);
  if (status == DCS_UNAVAILABLE) return status; /* no memory, which says nothing of the config */
  if (status == DCS_OK && strcmp(dcs_format_config(variant, &method->config, again), config) == 0)
    return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "found config \"%s\"; expected a value for each parameter of %s, in order",
                  config, id);
}

dcs_status dcs_method_of(const char *text, dcs_method *method) {
  char variant[DCS_TEXT];
  const char *space = strchr(text, ' ');
  if (!space) return dcs_fail(DCS_INPUT, "method: found \"%s\"; expected VARIANT CONFIG", text);
  snprintf(variant, sizeof variant, "%.*s", (int)(space - text), text);
  return dcs_read_method(variant, space + 1, method);
}
