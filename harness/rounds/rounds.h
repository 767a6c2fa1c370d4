/* Measuring one size: every method on every problem of one molecule and grid, verified, then timed
 * in rounds. */
#ifndef DCS_ROUNDS_H
#define DCS_ROUNDS_H

#include "harness/base/progress.h"
#include "harness/rounds/clocks.h"
#include "harness/rounds/sampling.h"
#include "harness/rounds/turns.h"
#include "harness/runs/record.h"
#include "harness/worker/bench.h"

/* What methods of this run needed until they had samples enough: the next ones will need about as
 * many. */
typedef struct {
  double samples;
  int methods;
  double spent_s; /* of all samples */
} dcs_needs;

typedef struct {
  dcs_sampling sampling;
  double budget_s; /* for this size; 0: none */
  uint64_t seed;   /* of the order within the rounds */
  bool energy;     /* measure the energy of a map, too; not within the budget */
  int session;     /* which of the run's, from 0 */
  dcs_turns *turns;
  dcs_needs *needs;
} dcs_round_options;

/* Tries each record's method on its problem (index into `problems`; records of one method and
 * problem lie together), then takes samples in interleaved rounds of random order until each record
 * has samples enough or the budget is spent. Times already in a record (from an interrupted run)
 * count. Each sample waits for its turn; it is appended to `samples` and numbered on from *seq; one
 * whose clock is too low against `clocks`, those of the run's samples before, is taken again, three
 * times at most, then kept and marked. What an interrupt left untried is not `judged`. Outcomes,
 * verdicts, times and stop reasons are left in the records. A method that fails is an outcome, not
 * a status; outputs are checked again after the last sample, and one that is wrong then has no
 * times; the status is that of memory and files. */
dcs_status dcs_measure_size(dcs_bench *bench, dcs_case *c, const dcs_config *problems,
                            int n_problems, dcs_record *records, int n_records,
                            const dcs_round_options *options, dcs_csv *samples, int64_t *seq,
                            dcs_clocks *clocks, dcs_progress *progress);

#endif
