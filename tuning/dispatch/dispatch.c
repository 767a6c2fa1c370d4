#include "tuning/dispatch/dispatch.h"

#include <math.h>

const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};

const char *const dcs_dispatch_facts[DCS_N_FOR] = {
    "precision", "kernels_fnv1a64",        "cpu_model", "cpus",      "isa",         "isa_disabled",
    "gpu_name",  "gpu_compute_capability", "date",      "git_state", "command_line"};

const char *const dcs_dispatch_sum_names[DCS_DISPATCH_SUMS] = {
    "of all atoms", "within a cutoff, not smoothed", "within a cutoff, smoothed c2"};

int dcs_dispatch_sum(const dcs_problem *problem) {
  return problem->cutoff > 0 ? 1 + (int)problem->smooth : 0;
}

char *dcs_dispatch_cutoffs(const dcs_dispatch *dispatch, int sum, char text[DCS_TEXT]) {
  double least = INFINITY, most = 0;
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int m = 0; m < dispatch->tables[sum][s].n; m++) {
      const dcs_cost *cost = &dispatch->tables[sum][s].list[m].cost;
      least = fmin(least, cost->cutoff_least);
      most = fmax(most, cost->cutoff_most);
    }
  text[0] = '\0';
  if (most > least)
    snprintf(text, DCS_TEXT, "%g to %g angstrom", least, most);
  else if (most > 0)
    snprintf(text, DCS_TEXT, "%g angstrom", most);
  return text;
}

int dcs_dispatch_rank(const dcs_dispatch_table *table, const dcs_problem *problem,
                      const bool usable[2], int order[DCS_DISPATCH_MOST],
                      double ns[DCS_DISPATCH_MOST]) {
  const dcs_size size = {problem->n_atoms, problem->n, (double)problem->spacing,
                         (double)problem->cutoff};
  int n = 0;
  for (int m = 0; m < table->n; m++) {
    const dcs_dispatch_method *method = &table->list[m];
    char why[DCS_TEXT];
    if (!usable[method->variant->backend] ||
        !dcs_applicable(method->variant, problem, &method->config, why))
      continue;
    double own = dcs_cost_ns(&method->cost, &size);
    if (!isfinite(own)) continue;
    int at = n++;
    for (; at > 0 && ns[at - 1] > own; at--) {
      ns[at] = ns[at - 1];
      order[at] = order[at - 1];
    }
    ns[at] = own;
    order[at] = m;
  }
  return n;
}
