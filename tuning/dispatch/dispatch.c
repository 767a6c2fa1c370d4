#include "tuning/dispatch/dispatch.h"

const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};

const char *const dcs_dispatch_facts[DCS_N_FOR] = {
    "precision", "kernels_fnv1a64",        "cpu_model", "cpus",      "isa",         "isa_disabled",
    "gpu_name",  "gpu_compute_capability", "date",      "git_state", "command_line"};

int dcs_dispatch_rank(const dcs_dispatch_table *table, const dcs_problem *problem,
                      const bool usable[2], int order[DCS_DISPATCH_MOST],
                      double ns[DCS_DISPATCH_MOST]) {
  int n = 0;
  for (int m = 0; m < table->n; m++) {
    const dcs_dispatch_method *method = &table->list[m];
    char why[DCS_TEXT];
    if (!usable[method->variant->backend] ||
        !dcs_applicable(method->variant, problem, &method->config, why))
      continue;
    double own = dcs_cost_ns(&method->cost, problem->n_atoms, problem->n);
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
