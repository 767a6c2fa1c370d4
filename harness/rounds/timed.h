/* The methods of a size while they are verified and timed. Internal to harness/rounds. */
#ifndef DCS_TIMED_H
#define DCS_TIMED_H

#include "harness/rounds/rounds.h"

/* What timing a record needs beside the record itself. */
typedef struct {
  dcs_record *record;
  dcs_trial trial;
  int64_t inner;
  double spent_s, again_s; /* in all; of it, for samples that were taken again */
  bool done;
} dcs_timed;

/* What a size's outputs are held against, by problem. */
typedef struct {
  dcs_reference *of;
  double *model_error;
  int n;
} dcs_references;

/* What all samples of a size share. */
typedef struct {
  const dcs_round_options *options;
  dcs_csv *samples;
  int64_t *seq;
  dcs_clocks *clocks;
  dcs_progress *progress;
} dcs_rounds;

/* ---- trials: whether methods are right ---- */

/* The references of n problems; empty ones where nothing will be held against them (`needed`),
 * which may cost seconds on a machine without the device. To be freed, also after a failure. */
dcs_status dcs_refer(dcs_case *c, const dcs_config *problems, int n, bool needed,
                     dcs_references *refs, dcs_progress *progress);
void dcs_references_free(dcs_references *refs);

/* Verifies every method in each way that it is timed; `times` gets what the timing needs. An
 * interrupted trial tells nothing of its method. */
dcs_status dcs_verify_methods(dcs_bench *bench, const dcs_references *refs, dcs_timed *times, int n,
                              dcs_progress *progress);

/* Checks the outputs again now that the last samples were taken: a method that was right once need
 * not be so any more. What an interrupt leaves unchecked is to be gone on with. */
dcs_status dcs_verify_again(dcs_bench *bench, const dcs_references *refs, dcs_timed *times, int n,
                            dcs_progress *progress);

/* Leaves what became of a method in its record. */
dcs_status dcs_take_outcome(dcs_record *record, const dcs_trial *trial);
void dcs_say_failure(dcs_progress *progress, const dcs_record *record, dcs_outcome outcome);

/* ---- samples ---- */

/* Takes one sample of one record and writes it; a failure is the method's outcome. */
dcs_status dcs_sample_once(dcs_timed *t, const dcs_rounds *c);

/* ---- when a method is done ---- */

/* Whether it has enough: its samples, or its share of the budget, which n_timed methods have
 * together. `size_s`: seconds that the size has taken. */
void dcs_check_done(dcs_timed *t, const dcs_round_options *options, int n_timed, double size_s);
void dcs_finish_timing(dcs_timed *t, const char *reason);

/* The share of the time for the samples that is over, 0 to 1; a method without any takes the mean
 * of the others. */
double dcs_rounds_done(const dcs_timed *times, int n, const dcs_round_options *options);

#endif
