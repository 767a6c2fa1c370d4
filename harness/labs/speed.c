#include "harness/labs/speed.h"

#include "harness/device/devices.h"
#include "harness/judge/stats.h"
#include "harness/labs/turn.h"
#include "harness/worker/bench.h"
#include "harness/worker/timing.h"

#include <stdio.h>
#include <string.h>

/* One for all users of a machine. */
static const char queue[] = "/tmp/dcsbench-lab-gpu";

enum { MINE, SHIPPED, N_KERNELS, ROUNDS = 7 };
static const double LONGEST_S = 60;

typedef struct {
  dcs_bench bench[N_KERNELS];
  dcs_trial trial[N_KERNELS];
  int64_t inner[N_KERNELS];
  double ns[N_KERNELS][ROUNDS];
} race;

static dcs_outcome prepare(race *r, int which, const dcs_demand *demand,
                           const dcs_reference *reference) {
  r->trial[which] = dcs_bench_try(&r->bench[which], &demand->method, 0, reference);
  if (r->trial[which].outcome != DCS_OUTCOME_OK) return r->trial[which].outcome;
  return dcs_calibrate(r->trial[which].session, r->trial[which].slot, DCS_KERNEL, DCS_PAGEABLE,
                       &r->inner[which]);
}

static dcs_outcome run_rounds(race *r) {
  for (int round = 0; round < ROUNDS; round++)
    for (int which = 0; which < N_KERNELS; which++) {
      dcs_sample sample;
      const dcs_outcome outcome =
          dcs_take_sample(r->trial[which].session, r->trial[which].slot, DCS_KERNEL, DCS_PAGEABLE,
                          r->inner[which], &sample);
      if (outcome != DCS_OUTCOME_OK) return outcome;
      r->ns[which][round] = sample.ns / (double)r->inner[which];
    }
  return DCS_OUTCOME_OK;
}

static dcs_outcome compare(race *r, const dcs_reference *reference, dcs_lab_finding *finding) {
  for (int which = 0; which < N_KERNELS; which++) {
    const dcs_outcome outcome = prepare(r, which, finding->demand, reference);
    if (outcome != DCS_OUTCOME_OK) return outcome;
  }
  const dcs_outcome outcome = run_rounds(r);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const double ratio =
      dcs_summarize(r->ns[MINE], ROUNDS).median / dcs_summarize(r->ns[SHIPPED], ROUNDS).median;
  finding->done = true;
  finding->measured = ratio;
  if (!(ratio <= finding->demand->limit)) {
    finding->fault = DCS_FAULT_COST;
    snprintf(finding->said, sizeof finding->said,
             "on the GPU it takes %.2f times as long as the shipped kernel; at most %.2f is asked",
             ratio, finding->demand->limit);
  }
  return DCS_OUTCOME_OK;
}

static dcs_status time_case(race *r, dcs_case *c, dcs_lab_finding *finding) {
  enum { EVALS = 20000000 };
  dcs_reference reference;
  for (int which = 0; which < N_KERNELS; which++)
    DCS_TRY(dcs_bench_put(&r->bench[which], c, NULL, 0));
  DCS_TRY(dcs_oracle(c, EVALS, &reference));
  const dcs_outcome outcome = compare(r, &reference, finding);
  dcs_reference_free(&reference);
  if (outcome == DCS_OUTCOME_OK || dcs_not_here(outcome)) return DCS_OK;
  if (outcome == DCS_OUTCOME_MEMORY) return dcs_fail(DCS_UNAVAILABLE, "%s", dcs_error_message());
  finding->done = true;
  finding->fault = DCS_FAULT_CRASH;
  snprintf(finding->said, sizeof finding->said, "on the GPU: %s: %.500s", dcs_outcome_name(outcome),
           dcs_error_message());
  return DCS_OK;
}

static dcs_status time_finding(race *r, dcs_lab_finding *finding) {
  const dcs_demand *demand = finding->demand;
  const dcs_kind *kind = dcs_kind_of(demand->method.variant);
  const dcs_config problem = dcs_initial_problem(kind);
  const dcs_grid grid = {.n = demand->grid, .spacing = DCS_RANDOM_SPACING};
  dcs_case c;
  DCS_TRY(dcs_case_random(kind, &problem, demand->atoms, &grid, 1, &c));
  dcs_status status = time_case(r, &c, finding);
  dcs_case_free(&c);
  return status;
}

static dcs_status time_all(race *r, dcs_lab_findings *findings) {
  for (int f = 0; f < findings->n; f++) {
    dcs_lab_finding *finding = &findings->list[f];
    if (strcmp(finding->demand->check, "speed") == 0) DCS_TRY(time_finding(r, finding));
  }
  return DCS_OK;
}

static dcs_status time_in_turn(const char *kernels, dcs_lab_findings *findings) {
  race r = {0};
  DCS_TRY(dcs_bench_open(NULL, kernels, LONGEST_S, &r.bench[MINE]));
  dcs_status status = dcs_bench_open(NULL, NULL, LONGEST_S, &r.bench[SHIPPED]);
  if (status == DCS_OK) {
    status = time_all(&r, findings);
    dcs_bench_close(&r.bench[SHIPPED]);
  }
  dcs_bench_close(&r.bench[MINE]);
  dcs_lab_findings_sum_up(findings);
  return status;
}

dcs_status dcs_lab_speed(const char *kernels, dcs_lab_findings *findings,
                         void (*tell)(int before)) {
  const dcs_device_kind *kind = dcs_device_kind_of(NULL);
  dcs_turn turn;
  int n;
  if (findings->first_fault || !kind->timed || !kind->count || kind->count(&n) != DCS_OK)
    return DCS_OK;
  DCS_TRY(dcs_turn_wait(queue, tell, &turn));
  dcs_status status = time_in_turn(kernels, findings);
  dcs_turn_end(&turn);
  return status;
}
