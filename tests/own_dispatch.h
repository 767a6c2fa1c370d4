/* Dispatch tables that hold on this machine, with costs that a test chooses. Include after
 * cmocka.h. */
#ifndef DCS_TEST_OWN_DISPATCH_H
#define DCS_TEST_OWN_DISPATCH_H

#include "harness/problems/methods.h"
#include "harness/runs/environment.h"
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

/* A problem of the first kind. */
static inline dcs_config problem_of(const char *text) {
  dcs_config config;
  if (dcs_parse_problem(dcs_kinds[0], text, &config) != DCS_OK) fail_msg("%s", dcs_error_message());
  return config;
}

static inline dcs_size size_of(const char *problem, int64_t atoms, dcs_dims n) {
  return (dcs_size){dcs_kinds[0], problem_of(problem), {atoms, n.x, n.y, n.z}};
}

static inline int solves(const dcs_variant *variant, const char *problem) {
  const dcs_config config = problem_of(problem);
  char why[DCS_TEXT];
  return dcs_kind_of(variant) == dcs_kinds[0] && dcs_solves(variant, &config, why);
}

/* The variants of a backend that compute direct sums and run here, up the ladder; returns how many.
 */
static inline int variants_here(dcs_backend backend, const dcs_variant *list[64]) {
  int n = 0;
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && solves(dcs_variants[v], "") &&
        dcs_variant_available(dcs_variants[v], why))
      list[n++] = dcs_variants[v];
  return n;
}

/* The highest rung within a cutoff, which runs everywhere on its backend. */
static inline const dcs_variant *variant_within(dcs_backend backend) {
  const dcs_variant *variant = NULL;
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && solves(dcs_variants[v], "cutoff=3,switching=c2"))
      variant = dcs_variants[v];
  assert_non_null(variant);
  return variant;
}

/* Adds a method in its initial configuration (CPU: one thread) to warm and first, as measured on
 * problems from `least` to `most`, with 1 to 1,000 atoms on grids of edges from 1 to 100. */
static inline void add_method_of(dcs_dispatch *d, const char *least, const char *most,
                                 const dcs_variant *variant, double ns_map, double ns_eval) {
  const dcs_config problem = problem_of(least);
  for (int s = 1; s < DCS_DISPATCH_SCOPES; s++) {
    dcs_dispatch_family *family = dcs_dispatch_add(d, dcs_kinds[0], &problem);
    assert_non_null(family);
    dcs_dispatch_table *t = &family->tables[s];
    dcs_dispatch_method *m = &t->list[t->n++];
    m->variant = variant;
    m->config = dcs_initial_config(variant, 1);
    m->cost.least = size_of(least, 1, (dcs_dims){1, 1, 1});
    m->cost.most = size_of(most, 1000, (dcs_dims){100, 100, 100});
    m->cost.shape = dcs_tiling_of(variant, &m->config);
    m->cost.ns[DCS_COST_MAP] = ns_map;
    m->cost.ns[DCS_COST_EVAL] = ns_eval;
    m->sizes = 5;
  }
}

static inline void add_method(dcs_dispatch *d, const dcs_variant *variant, double ns_map,
                              double ns_eval) {
  add_method_of(d, "", "", variant, ns_map, ns_eval);
}

static inline void write_dispatch(const char *path, const dcs_dispatch *d) {
  if (dcs_dispatch_write(path, d) != DCS_OK) fail_msg("%s", dcs_error_message());
}

#endif
