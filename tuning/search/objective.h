/* Objectives: what a tuning looks for the least of. */
#ifndef DCS_TUNE_OBJECTIVE_H
#define DCS_TUNE_OBJECTIVE_H

#include "harness/spec/expression.h"
#include "tuning/search/search.h"

typedef struct {
  char text[DCS_OBJECTIVE_TEXT]; /* as subjects and files have it; "": time */
  bool needs_energy;
  dcs_expression *expression;
} dcs_objective;

/* "time", "energy", "edp" (energy times time), or an expression over what a row holds: time_ns and
 * energy_j of one output, evals_useful, registers, rel_l2_error. DCS_USAGE says what is wrong with
 * it. Close whatever the status. */
dcs_status dcs_objective_open(const char *text, dcs_objective *objective);
void dcs_objective_close(dcs_objective *objective);

/* What the objective makes of a sample that took so much. DCS_INPUT where it needs what is not
 * known, or does not come out above 0. */
dcs_status dcs_objective_value(const dcs_objective *objective, const dcs_subject *subject,
                               const dcs_evaluation *evaluation, const dcs_spent *spent,
                               double *value);

/* Adds a sample that took so much. */
dcs_status dcs_objective_add(const dcs_objective *objective, const dcs_subject *subject,
                             const dcs_spent *spent, dcs_evaluation *evaluation);

#endif
