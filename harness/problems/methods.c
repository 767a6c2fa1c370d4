#include "harness/problems/methods.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dcs_same_method(const dcs_method *a, const dcs_method *b) {
  return a->variant == b->variant &&
         memcmp(a->config.value, b->config.value,
                (size_t)a->variant->n_params * sizeof a->config.value[0]) == 0;
}

bool dcs_variant_available(const dcs_variant *variant, char why[DCS_TEXT]) {
  return !variant->available || variant->available(why);
}

/* ---- variants ---- */

static dcs_status unknown_variant(const char *name) {
  const char *names[64];
  int n = 0;
  if (!*name) return dcs_fail(DCS_USAGE, "variants: found an empty name; expected ids with commas");
  for (; n < dcs_n_variants && n < 60; n++)
    names[n] = dcs_variants[n]->id;
  names[n++] = "all";
  names[n++] = "cpu";
  names[n++] = "cuda";
  const char *nearest = dcs_nearest_name(name, names, n);
  if (nearest)
    return dcs_fail(DCS_USAGE, "unknown variant \"%s\"; did you mean %s?", name, nearest);
  return dcs_fail(
      DCS_USAGE,
      "unknown variant \"%s\"; expected all, cpu, cuda, or ids that `dcsbench list` shows", name);
}

static bool in_group(const char *group, const dcs_variant *variant) {
  const char *own = variant->backend == DCS_CPU ? "cpu" : "cuda";
  return strcmp(group, "all") == 0 || strcmp(group, own) == 0;
}

static bool usable(const dcs_variant *variant, dcs_at_hand at_hand) {
  char why[DCS_TEXT];
  return dcs_variant_available(variant, why) && (at_hand.gpu || variant->backend == DCS_CPU) &&
         (at_hand.cutoff || !variant->cutoff);
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
    bool found = strcmp(names[i], "all") == 0 || strcmp(names[i], "cpu") == 0 ||
                 strcmp(names[i], "cuda") == 0;
    for (int v = 0; v < dcs_n_variants; v++) {
      bool named = strcmp(names[i], dcs_variants[v]->id) == 0;
      if (named || (in_group(names[i], dcs_variants[v]) && usable(dcs_variants[v], at_hand)))
        chosen[v] = CHOSEN;
      else if (chosen[v] == NOT_CHOSEN && in_group(names[i], dcs_variants[v]))
        chosen[v] = CANNOT_RUN;
      found = found || named;
    }
    if (!found) status = unknown_variant(names[i]);
  }
  free(names);
  return status;
}

/* ---- values of a parameter ---- */

typedef struct {
  int64_t *list;
  int n;
} values;

static dcs_status bad_value(const dcs_param *param, const char *text) {
  char expected[DCS_TEXT] = "";
  size_t used = 0;
  for (int v = param->lo; param->labels && v <= param->hi && used < sizeof expected; v++)
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                             v > param->lo ? " or " : "", param->labels[v - param->lo]);
  if (!param->labels) snprintf(expected, sizeof expected, "%d to %d", param->lo, param->hi);
  return dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected %s", param->name, text, expected);
}

static dcs_status add_values(const dcs_param *param, const char *text, values *v) {
  int64_t *more = NULL;
  int n = 0;
  if (strcmp(text, "all") == 0) {
    char range[64];
    snprintf(range, sizeof range, "%d:%d", param->lo, param->hi);
    DCS_TRY(dcs_parse_integers(param->name, range, param->lo, param->hi, &more, &n));
  } else if (param->labels || (strcmp(text, "max") == 0 && param->initial == DCS_ALL_CPUS)) {
    more = malloc(sizeof *more);
    if (!more) return dcs_fail(DCS_UNAVAILABLE, "no memory for a value");
    for (int l = param->lo; param->labels && l <= param->hi; l++)
      if (strcmp(text, param->labels[l - param->lo]) == 0) more[n++] = l;
    if (!param->labels) more[n++] = dcs_cpus() < param->hi ? dcs_cpus() : param->hi;
    if (n == 0) {
      free(more);
      return bad_value(param, text);
    }
  } else {
    DCS_TRY(dcs_parse_integers(param->name, text, param->lo, param->hi, &more, &n));
  }
  int64_t *list = realloc(v->list, (size_t)(v->n + n) * sizeof *list);
  if (!list) {
    free(more);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %d values", v->n + n);
  }
  v->list = list;
  for (int i = 0; i < n; i++) {
    bool known = false;
    for (int j = 0; j < v->n; j++)
      known = known || list[j] == more[i];
    if (!known) list[v->n++] = more[i];
  }
  free(more);
  return DCS_OK;
}

static dcs_status parse_values(const dcs_param *param, const char *text, values *v) {
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, '|', &parts, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++)
    status = add_values(param, parts[i], v);
  free(parts);
  return status;
}

/* ---- configurations ---- */

static dcs_status unknown_param(const char *name, const choice *chosen) {
  const char *names[DCS_MAX_PARAMS * 64];
  int n = 0;
  for (int v = 0; v < dcs_n_variants && v < 64; v++)
    for (int p = 0; chosen[v] && p < dcs_variants[v]->n_params; p++)
      names[n++] = dcs_variants[v]->params[p].name;
  const char *nearest = dcs_nearest_name(name, names, n);
  return dcs_fail(DCS_USAGE, "config: no chosen variant has a parameter \"%s\"%s%s%s", name,
                  nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
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

static dcs_status collect_values(const dcs_variant *variant, char **pairs, int n, values *v) {
  dcs_config initial = dcs_initial_config(variant, dcs_cpus());
  for (int i = 0; i < n; i++) {
    char *equals = strchr(pairs[i], '=');
    *equals = '\0';
    int p = dcs_find_param(variant, pairs[i]);
    *equals = '=';
    if (p >= 0) DCS_TRY(parse_values(&variant->params[p], equals + 1, &v[p]));
  }
  for (int p = 0; p < variant->n_params; p++) {
    if (v[p].n > 0) continue;
    v[p].list = malloc(sizeof *v[p].list);
    if (!v[p].list) return dcs_fail(DCS_UNAVAILABLE, "no memory for a value");
    v[p].list[v[p].n++] = initial.value[p];
  }
  return DCS_OK;
}

enum { MOST_METHODS = 100000 };

/* Appends every combination of the values, the last parameter fastest. */
static dcs_status combine(const dcs_variant *variant, const values *v, dcs_methods *methods) {
  int64_t combinations = 1;
  for (int p = 0; p < variant->n_params; p++) {
    combinations *= v[p].n;
    if (methods->n + combinations > MOST_METHODS)
      return dcs_fail(DCS_USAGE, "config: more than %d combinations", MOST_METHODS);
  }
  size_t total = (size_t)(methods->n + combinations);
  dcs_method *list = realloc(methods->list, total * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu methods", total);
  methods->list = list;
  for (int64_t c = 0; c < combinations; c++) {
    dcs_method *method = &list[methods->n++];
    *method = (dcs_method){.variant = variant};
    int64_t rest = c;
    for (int p = variant->n_params - 1; p >= 0; p--) {
      method->config.value[p] = (int)v[p].list[rest % v[p].n]; /* NOLINT: at least 1 */
      rest /= v[p].n;
    }
  }
  return DCS_OK;
}

static dcs_status add_variant(const dcs_variant *variant, char **pairs, int n,
                              dcs_methods *methods) {
  values v[DCS_MAX_PARAMS] = {{0}};
  dcs_status status = collect_values(variant, pairs, n, v);
  if (status == DCS_OK) status = combine(variant, v, methods);
  for (int p = 0; p < DCS_MAX_PARAMS; p++)
    free(v[p].list);
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
