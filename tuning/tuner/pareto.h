/* Fronts of time against energy, or against error: of what was measured, and what is told of them.
 */
#ifndef DCS_TUNER_PARETO_H
#define DCS_TUNER_PARETO_H

#include "harness/judge/front.h"
#include "tuning/tuner/tuner.h"

typedef enum { DCS_PARETO_ENERGY, DCS_PARETO_ERROR } dcs_pareto_axis;

typedef struct {
  dcs_pareto_axis axis;
  const char *out; /* NULL, or the folder for pareto.csv and the figure */
} dcs_pareto_options;

/* Searches with each of the options (which differ in variant and problem alone) for what is fast
 * and for what is low on the other axis, sharing budget_s and budget_evals, measures what may be on
 * the front once more in interleaved rounds of all, and tells the front. As dcs_tune(); nothing is
 * kept. DCS_USAGE: fewer evaluations than options. */
dcs_status dcs_tune_pareto(dcs_tune_options *options, int n, const dcs_pareto_options *pareto);

/* The fronts of what journals recorded: one for each problem, size, scope and machine, whatever the
 * variant. Against error, problems within a cutoff are left out, and said: what it costs is in no
 * journal. DCS_INPUT when no recording has what the axis needs. */
dcs_status dcs_replay_pareto(const dcs_journal *journal, const dcs_pareto_options *pareto);

/* ---- points (pareto_show.c) ---- */

typedef struct {
  dcs_front_point at; /* ns; J or error. First, for dcs_front_find() */
  const dcs_subject *subject;
  const dcs_config *config;
  int n; /* samples */
} dcs_pareto_point;

/* A point of an evaluation that is ok; `error`, to two digits, where that is the axis. False: it
 * lacks what the axis needs. */
bool dcs_pareto_point_of(dcs_pareto_axis axis, const dcs_evaluation *evaluation, double error,
                         dcs_pareto_point *point);

/* Finds the front of list[n], which is sorted by time, prints it, and writes and draws what the
 * options ask for. DCS_FAILED when n is 0. */
dcs_status dcs_pareto_show(dcs_pareto_point *list, int n, const dcs_pareto_options *pareto);

#endif
