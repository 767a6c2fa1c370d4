#include "tuning/dispatch/dispatch.h"

#include <stdio.h>

#include "harness/base/grow.h"

#include <math.h>

const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};

const char *const dcs_dispatch_facts[DCS_N_FOR] = {
    "precision", "kernels_fnv1a64",        "cpu_model", "cpus",      "isa",         "isa_disabled",
    "gpu_name",  "gpu_compute_capability", "date",      "git_state", "command_line"};

void dcs_dispatch_cards(int n, const char *name, char *text, size_t size) {
  if (n > 1)
    snprintf(text, size, "%d x %s", n, name);
  else
    snprintf(text, size, "%s", name);
}

int dcs_dispatch_scope_index(dcs_scope scope) {
  int s = 0;
  while (dcs_dispatch_scopes[s] != scope && s < DCS_DISPATCH_SCOPES - 1)
    s++;
  return s;
}

/* ---- families ---- */

bool dcs_same_family(const dcs_kind *kind, const dcs_config *a, const dcs_config *b) {
  for (int p = 0; p < kind->n_params; p++) {
    const dcs_param *param = &kind->params[p];
    const double x = a->value[p], y = b->value[p];
    if (x == y || param->times == DCS_TIMES_ANY) continue;
    if (!param->real || param->times == DCS_TIMES_ABOVE) return false;
    if (x == param->initial || y == param->initial) return false;
  }
  return true;
}

/* Whether times of the family hold for the problem; *at: how near to it they were measured, of what
 * is bounded by values below. */
static bool serves(const dcs_dispatch_family *family, const dcs_config *problem, double *at) {
  dcs_config moved = *problem;
  *at = 0;
  for (int p = 0; p < family->kind->n_params; p++) {
    const dcs_param *param = &family->kind->params[p];
    const double measured = family->config.value[p], value = problem->value[p];
    if (param->times != DCS_TIMES_ABOVE || value == param->initial) continue;
    if (measured == param->initial || measured > value * DCS_COST_FACTOR) return false;
    *at = measured;
    moved.value[p] = measured;
  }
  return dcs_same_family(family->kind, &family->config, &moved);
}

static int index_of(const dcs_dispatch *dispatch, const dcs_kind *kind, const dcs_config *config) {
  int f = 0;
  while (f < dispatch->n_families &&
         !(dispatch->families[f].kind == kind &&
           dcs_same_family(kind, &dispatch->families[f].config, config)))
    f++;
  return f;
}

const dcs_dispatch_family *dcs_dispatch_find(const dcs_dispatch *dispatch, const dcs_kind *kind,
                                             const dcs_config *config) {
  const dcs_dispatch_family *best = NULL;
  double nearest = 0;
  for (int f = 0; f < dispatch->n_families; f++) {
    const dcs_dispatch_family *family = &dispatch->families[f];
    double at;
    if (family->kind != kind || !serves(family, config, &at) || (best && at <= nearest)) continue;
    best = family;
    nearest = at;
  }
  return best;
}

dcs_dispatch_family *dcs_dispatch_add(dcs_dispatch *dispatch, const dcs_kind *kind,
                                      const dcs_config *config) {
  int f = index_of(dispatch, kind, config);
  if (f == DCS_DISPATCH_FAMILIES) return NULL;
  if (f == dispatch->n_families)
    dispatch->families[dispatch->n_families++] =
        (dcs_dispatch_family){.kind = kind, .config = *config};
  return &dispatch->families[f];
}

/* ---- texts ---- */

/* The least and the most value of a parameter that a method of the family was measured at. */
static void range_of(const dcs_dispatch_family *family, int p, double *least, double *most) {
  *least = INFINITY;
  *most = -INFINITY;
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int m = 0; m < family->tables[s].n; m++) {
      const dcs_cost *cost = &family->tables[s].list[m].cost;
      *least = fmin(*least, cost->least.config.value[p]);
      *most = fmax(*most, cost->most.config.value[p]);
    }
  if (*most < *least) *least = *most = family->config.value[p]; /* not drawn yet */
}

char *dcs_dispatch_text(const dcs_dispatch_family *family, char text[DCS_TEXT]) {
  const dcs_kind *kind = family->kind;
  snprintf(text, DCS_TEXT, "%s", kind->id);
  for (int p = 0; p < kind->n_params; p++) {
    const dcs_param *param = &kind->params[p];
    char from[32], to[32];
    double least, most;
    if (family->config.value[p] == param->initial || param->times == DCS_TIMES_ANY) continue;
    range_of(family, p, &least, &most);
    dcs_append(text, DCS_TEXT, ", %s %s", param->name, dcs_format_value(param, least, from));
    if (most > least) dcs_append(text, DCS_TEXT, " to %s", dcs_format_value(param, most, to));
    if (param->unit) dcs_append(text, DCS_TEXT, " %s", param->unit);
  }
  return text;
}

/* ---- decision ---- */

int dcs_dispatch_rank(const dcs_dispatch *dispatch, const dcs_size *size, double spacing,
                      dcs_scope scope, const bool usable[2], dcs_ranked list[DCS_DISPATCH_MOST]) {
  const dcs_dispatch_family *family = dcs_dispatch_find(dispatch, size->kind, &size->config);
  const dcs_problem problem = dcs_size_problem(size, spacing);
  int n = 0;
  if (!family) return 0;
  const dcs_dispatch_table *table = &family->tables[dcs_dispatch_scope_index(scope)];
  for (int m = 0; m < table->n; m++) {
    const dcs_dispatch_method *method = &table->list[m];
    char why[DCS_TEXT];
    if (!usable[method->variant->backend] ||
        !dcs_applicable(method->variant, &problem, &method->config, why))
      continue;
    double ns = dcs_cost_ns(&method->cost, size, spacing);
    if (!isfinite(ns)) continue;
    int at = n++;
    for (; at > 0 && list[at - 1].ns > ns; at--)
      list[at] = list[at - 1];
    list[at] = (dcs_ranked){method, ns, dcs_cost_extrapolates(&method->cost, size)};
  }
  return n;
}
