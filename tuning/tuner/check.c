/* Configurations on a device without times: each is compiled and verified, none is timed. */
#include "tuning/tuner/tuner.h"

#include "harness/base/interrupt.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  const dcs_tune_options *options;
  dcs_bench bench;
  dcs_case c;
  dcs_reference reference;
  dcs_space space;
  int *order;
  int outcomes[DCS_N_OUTCOMES], n;
} checking;

/* The one to begin with, then the others in random order. */
static dcs_status put_in_order(checking *k) {
  const dcs_config initial = dcs_initial_config(k->options->variant, dcs_cpus());
  const int first = dcs_space_nearest(&k->space, &initial);
  dcs_random random = {k->options->seed};
  k->order = malloc((size_t)k->space.n * sizeof *k->order);
  if (!k->order) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d configurations", k->space.n);
  for (int i = 0; i < k->space.n; i++)
    k->order[i] = i;
  k->order[first] = 0;
  k->order[0] = first;
  dcs_shuffle(&random, k->order + 1, k->space.n - 1);
  return DCS_OK;
}

static void try_one(checking *k, int config) {
  const dcs_method method = {k->space.variant, k->space.configs[config]};
  dcs_trial trial = dcs_bench_try(&k->bench, &method, 0, &k->reference);
  char text[DCS_TEXT];
  const bool right = trial.outcome == DCS_OUTCOME_OK;
  if (dcs_interrupted()) return;
  if (right && k->options->unverified) trial.outcome = DCS_OUTCOME_UNVERIFIED;
  k->outcomes[trial.outcome]++;
  k->n++;
  printf("%-10s %s%s%s\n", dcs_outcome_name(trial.outcome),
         dcs_format_config(method.variant, &method.config, text), right ? "" : ": ",
         right ? "" : trial.why);
}

static dcs_status print_sum(const checking *k) {
  const int right = k->outcomes[DCS_OUTCOME_OK] + k->outcomes[DCS_OUTCOME_UNVERIFIED];
  printf("%s: %d of %d configuration%s checked on %s, which has no times", k->space.variant->id,
         k->n, k->space.n, k->space.n == 1 ? "" : "s", k->options->device);
  for (int o = 0; o < DCS_N_OUTCOMES; o++)
    if (k->outcomes[o]) printf(", %d %s", k->outcomes[o], dcs_outcome_name((dcs_outcome)o));
  printf("\n");
  return right == k->n ? DCS_OK
                       : dcs_fail(DCS_FAILED, "%d of %d are not right", k->n - right, k->n);
}

static dcs_status check(checking *k) {
  const dcs_tune_options *o = k->options;
  dcs_session *session;
  DCS_TRY(dcs_bench_session(&k->bench, o->variant->backend, &session));
  DCS_TRY(dcs_case_from(&o->source, &o->problem, &k->c));
  DCS_TRY(dcs_bench_put(&k->bench, &k->c, NULL, 0));
  DCS_TRY(dcs_space_build(o->variant, o->config, &k->c.problem, dcs_cpus(), &k->space));
  DCS_TRY(dcs_oracle(&k->c, DCS_TUNE_ORACLE_EVALS, &k->reference));
  DCS_TRY(put_in_order(k));
  for (int i = 0; i < k->space.n && k->n < o->budget_evals && !dcs_interrupted(); i++)
    try_one(k, k->order[i]);
  return dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : print_sum(k);
}

dcs_status dcs_tune_check(const dcs_tune_options *options) {
  checking k = {.options = options};
  DCS_TRY(dcs_bench_open(options->device, options->kernels, options->timeout_s, &k.bench));
  const dcs_status status = check(&k);
  dcs_bench_close(&k.bench);
  dcs_reference_free(&k.reference);
  dcs_space_free(&k.space);
  dcs_case_free(&k.c);
  free(k.order);
  return status;
}
