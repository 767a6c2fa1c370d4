/* A sweep while it runs. Internal to harness/sweep. */
#ifndef DCS_SWEEP_STATE_H
#define DCS_SWEEP_STATE_H

#include "harness/files/lock.h"
#include "harness/sweep/sizes.h"

typedef struct {
  const dcs_sweep_options *options;
  dcs_molecule molecule; /* of the input; empty without one */
  dcs_sweep_sizes sizes;
  dcs_bench bench;
  dcs_facts facts;
  dcs_lock lock; /* of the folder */
  dcs_csv samples, summary;
  int64_t seq;
  int session;       /* which of the run's this is, from 0 */
  dcs_clocks clocks; /* of the samples of this session */
  dcs_progress progress;
  dcs_needs needs;
  dcs_turns turns;
  /* Rows of the summary by outcome: ok; failed; not for this machine or problem. */
  int n_ok, n_bad, n_other;
} dcs_sweep_state;

/* ---- the run folder ---- */

/* From now on the folder is this sweep's: two at once would double samples and lose rows. */
dcs_status dcs_sweep_take_folder(dcs_sweep_state *s);
/* Starts the three files, or takes up those of an earlier run. */
dcs_status dcs_sweep_open_folder(dcs_sweep_state *s);
/* Returns `status`, or why a file cannot be closed. The first that failed is the one to name. */
dcs_status dcs_sweep_close_files(dcs_sweep_state *s, dcs_status status);
/* A file of the folder. */
char *dcs_sweep_path(const dcs_sweep_state *s, const char *name, char path[4096]);

/* ---- measuring ---- */

/* Measures the sizes from `first` on. */
dcs_status dcs_sweep_measure(dcs_sweep_state *s, int first);
/* Cells whose share of the budget was spent before each method had its samples get what the others
 * left, where it is more than they took together: their methods are verified again. */
dcs_status dcs_sweep_measure_short(dcs_sweep_state *s);

#endif
