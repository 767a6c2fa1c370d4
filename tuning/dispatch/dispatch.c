#include "tuning/dispatch/dispatch.h"

#include <math.h>

const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};

const char *const dcs_dispatch_facts[DCS_N_FOR] = {
    "precision", "kernels_fnv1a64",        "cpu_model", "cpus",      "isa",         "isa_disabled",
    "gpu_name",  "gpu_compute_capability", "date",      "git_state", "command_line"};

const char *const dcs_dispatch_sum_names[DCS_DISPATCH_SUMS] = {
    "all atoms", "a cutoff, not smoothed", "a cutoff, smoothed c2"};

int dcs_dispatch_sum(const dcs_problem *problem) {
  return problem->cutoff > 0 ? 1 + (int)problem->smooth : 0;
}

bool dcs_dispatch_cutoffs(const dcs_dispatch *dispatch, int sum, double range[2]) {
  range[0] = INFINITY;
  range[1] = 0;
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
    for (int m = 0; m < dispatch->tables[sum][s].n; m++) {
      const dcs_cost *cost = &dispatch->tables[sum][s].list[m].cost;
      range[0] = fmin(range[0], cost->cutoff_least);
      range[1] = fmax(range[1], cost->cutoff_most);
    }
  return isfinite(range[0]);
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
