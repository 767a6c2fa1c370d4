/* Records of decisions that hold on this machine, with costs that a test chooses. Include after
 * cmocka.h. */
#ifndef DCS_TEST_OWN_RECORD_H
#define DCS_TEST_OWN_RECORD_H

#include "harness/sweep/environment.h"
#include "tests/program.h"
#include "tuning/dispatch/dispatch.h"

/* The facts of this machine and program. */
static inline void own_facts(dcs_dispatch *d) {
  dcs_facts facts = {0};
  dcs_machine_facts(&facts);
  assert_int_equal(dcs_run_facts_add(&(dcs_run_facts){0}, &facts), DCS_OK);
  for (int f = 0; f < DCS_N_FOR; f++)
    snprintf(d->facts[f], sizeof d->facts[f], "%s",
             f == DCS_FOR_PRECISION ? "float" : dcs_fact_value(&facts, dcs_dispatch_facts[f]));
}

/* The variants of a backend that compute whole sums and run here, up the ladder; returns how many.
 */
static inline int variants_here(dcs_backend backend, const dcs_variant *list[64]) {
  int n = 0;
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && !dcs_variants[v]->cutoff &&
        dcs_variant_available(dcs_variants[v], why))
      list[n++] = dcs_variants[v];
  return n;
}

/* The highest rung within a cutoff, which runs everywhere on its backend. */
static inline const dcs_variant *variant_within(dcs_backend backend) {
  const dcs_variant *variant = NULL;
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && dcs_variants[v]->cutoff) variant = dcs_variants[v];
  assert_non_null(variant);
  return variant;
}

/* Adds a method in its initial configuration (CPU: one thread) to warm and first of a sum; within
 * a cutoff, as measured from `least` to `most` angstrom. */
static inline void add_method_of(dcs_dispatch *d, int sum, double least, double most,
                                 const dcs_variant *variant, double ns_map, double ns_eval) {
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++) {
    dcs_dispatch_table *t = &d->tables[sum][s];
    dcs_dispatch_method *m = &t->list[t->n++];
    m->variant = variant;
    m->cost.cutoff_least = least;
    m->cost.cutoff_most = most;
    m->config = dcs_initial_config(variant, 1);
    m->cost.shape = dcs_tiling_of(variant, &m->config);
    m->cost.ns[DCS_COST_MAP] = ns_map;
    m->cost.ns[DCS_COST_EVAL] = ns_eval;
    m->cells = 5;
  }
}

static inline void add_method(dcs_dispatch *d, const dcs_variant *variant, double ns_map,
                              double ns_eval) {
  add_method_of(d, 0, 0, 0, variant, ns_map, ns_eval);
}

static inline void write_record(const char *path, const dcs_dispatch *d) {
  if (dcs_dispatch_write(path, d) != DCS_OK) fail_msg("%s", dcs_error_message());
}

#endif
