/* Evaluations on this machine: each configuration is compiled, verified, then timed in a worker
 * process, and goes into the journal. */
#ifndef DCS_TUNE_LIVE_H
#define DCS_TUNE_LIVE_H

#include "harness/base/progress.h"
#include "harness/worker/bench.h"
#include "tuning/journal/journal.h"

/* What stands ready in the worker. */
typedef struct {
  dcs_session *session; /* NULL: not tried yet */
  int slot;
  int64_t inner; /* outputs in a sample; 0: not calibrated */
} dcs_live_method;

typedef struct {
  dcs_evaluator evaluator;
  dcs_bench bench;
  dcs_case c;
  dcs_reference reference;
  const dcs_space *space;
  dcs_scope scope;
  dcs_journal_writer *journal;
  dcs_progress progress;
  const dcs_search *search; /* what the progress line tells of; NULL: nothing */
  dcs_live_method *methods; /* of each configuration */
} dcs_live;

/* The bench is open, and the case put before it, already; both are the live evaluator's from now
 * on. Free with dcs_live_close(), whatever the status. */
dcs_status dcs_live_open(dcs_live *live, const dcs_space *space, dcs_scope scope,
                         dcs_journal_writer *journal);
void dcs_live_close(dcs_live *live);

typedef struct {
  int least, most; /* rounds: `most`, or fewer, but `least`, when the time is over */
  double until_ns;
  uint64_t seed; /* of the order */
} dcs_final_rounds;

/* Samples the configurations configs[n] anew in interleaved rounds of random order. fresh[n]
 * receives the samples, which go into the journal as "final"; the caller frees their times. A
 * configuration that fails now has that outcome. */
dcs_status dcs_live_rounds(dcs_live *live, const int *configs, int n, const dcs_final_rounds *how,
                           dcs_evaluation *fresh);

#endif
