/* The rows of a run: samples.csv and summary.csv. results/README.md is the data dictionary. */
#ifndef DCS_RECORD_H
#define DCS_RECORD_H

#include "harness/base/outcome.h"
#include "harness/files/csv.h"
#include "harness/judge/oracle.h"
#include "harness/judge/previous.h"
#include "harness/judge/stats.h"
#include "harness/problems/methods.h"
#include "harness/problems/size.h"
#include "harness/worker/session.h"

/* One method in one scope and memory on one problem and size: a row of the summary. */
typedef struct {
  dcs_method method;
  dcs_scope scope;
  dcs_memory memory; /* where copies are part of the scope, else DCS_PAGEABLE */
  const char *device;
  dcs_size size;             /* atoms are those of the input */
  int problem;               /* which of its size's problems */
  int64_t n_inputs;          /* that kernels get */
  double spacing;            /* angstrom */
  double work;               /* useful evaluations */
  double given;              /* those of the inputs that kernels get */
  dcs_candidates candidates; /* of a variant that has them */
  double model_error;        /* of a problem that approximates another; else NaN */
  bool finished; /* an earlier part of the run, or pass, is done with it: outcome is its */
  bool judged;   /* now, not in an earlier part of the run; outcome and verdict hold */
  dcs_outcome outcome;
  char *why;               /* of an outcome that is not ok; else NULL */
  const char *stop_reason; /* rounds, interval, budget, interrupted, killed; "" without samples */
  dcs_code_facts facts;    /* registers -1: unknown */
  dcs_verdict verdict;     /* meaningful when outcome is ok or wrong */
  double *times_ns;        /* of one output; n_times */
  size_t n_times, n_disturbed;
  double limit_evals_per_s;   /* NaN: unknown */
  double energy_j;            /* of one output; NaN: not measured */
  dcs_previous_time previous; /* of a tuned configuration, on this very problem */
  double previous_work;       /* the useful evaluations that it is of */
} dcs_record;

/* One timed sample. */
typedef struct {
  int round;
  int64_t seq;    /* in the order they were taken, from 0 */
  int64_t inner;  /* maps in the sample */
  double time_ns; /* of one map */
  dcs_telemetry telemetry;
  const char *mark; /* what disturbed it: preempted, stolen, slow_clock, throttled, or "" */
  int process;      /* which of the run's, from 0 */
  int session;      /* likewise */
} dcs_sample_row;

extern const char *const dcs_sample_columns[];  /* NULL last */
extern const char *const dcs_summary_columns[]; /* NULL last */

/* Appends a time to those of the record; of a disturbed sample, it is counted. */
dcs_status dcs_record_add(dcs_record *record, double time_ns, const char *mark);
/* Of its times, as a series; NaN without memory for a copy. */
dcs_stats dcs_record_stats(const dcs_record *record);
dcs_status dcs_write_sample(dcs_csv *csv, const dcs_record *record, const dcs_sample_row *row);
dcs_status dcs_write_summary(dcs_csv *csv, const dcs_record *record);

/* Whether copies between host and GPU are part of the scope. */
bool dcs_scope_copies(const dcs_variant *variant, dcs_scope scope);

/* Whether there is something to write of it: an interrupted sweep knows nothing of some. */
bool dcs_record_known(const dcs_record *record);

/* The column `memory`: "" where no copy is part of the scope. */
const char *dcs_record_memory(const dcs_record *record);

/* Points computed beyond those asked for: executed / useful - 1. Of a variant that has candidate
 * pairs, the column `padding_overhead` has those beyond the useful ones. */
double dcs_overhead(dcs_dims n, dcs_dims executed);

/* Bytes that one map must move to and from main memory in scope kernel, if what is used again
 * within a launch (on the CPU: within the map) comes from caches: the least, not what a counter
 * would show.
 *
 * CUDA: zeroing writes the stored map. Each launch reads its atoms, and reads and writes the points
 * of its slices; atoms in constant memory are written there before, for each launch.
 * CPU: the atoms are read once and the map is written once. */
double dcs_bytes_moved(const dcs_variant *variant, const dcs_problem *shape,
                       const dcs_config *config);

#endif
