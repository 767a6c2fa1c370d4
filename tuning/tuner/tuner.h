/* Tuning on this machine, from the space to the winner. */
#ifndef DCS_TUNER_H
#define DCS_TUNER_H

#include "harness/base/progress.h"
#include "harness/judge/ratio.h"
#include "harness/problems/case.h"
#include "harness/worker/bench.h"
#include "tuning/database/tuned.h"
#include "tuning/search/objective.h"
#include "tuning/study/study.h"

typedef struct {
  const dcs_variant *variant;
  const char *config; /* values for some parameters; NULL: those of the descriptor */
  dcs_case_source source;
  dcs_config problem; /* of the source's kind; the variant solves it */
  dcs_scope scope;
  const char *device, *kernels;
  double timeout_s;
  const dcs_strategy *strategy;
  uint64_t seed;
  int samples;
  int64_t budget_evals;  /* -1: none */
  double budget_s;       /* 0: none; the last measurement included */
  double last_s;         /* seconds that the last measurement spans; NaN: DCS_LAST_S, or with a
                            budget what is left of it, if that is less */
  const char *journal;   /* NULL: journal.csv in the data folder */
  const char *objective; /* as dcs_objective_open() takes it */
  bool unverified;       /* the problem has no reference: no winner is kept */
} dcs_tune_options;

/* Evaluations that the oracle may spend, once for all configurations. */
enum { DCS_TUNE_ORACLE_EVALS = 50000000 };

/* Searches, measures the best ones once more, prints what came of it to stdout, and puts the winner
 * into the database. What the journal holds of this very tuning is not measured again.
 * DCS_UNAVAILABLE when the variant cannot run here, or reports no energy where that is looked for;
 * DCS_FAILED when nothing was right and timed, or on an interrupt. */
dcs_status dcs_tune(const dcs_tune_options *options);

/* On a device without times: budget_evals configurations are compiled and verified, and what came
 * of each is printed. DCS_FAILED: one is not right. */
dcs_status dcs_tune_check(const dcs_tune_options *options);

/* ---- evaluations on this machine (live.c) ---- */

/* Each configuration is compiled, verified, then timed in a worker process, and goes into the
 * journal. */

/* What stands ready in the worker. */
typedef struct {
  dcs_session *session; /* NULL: not tried yet */
  int slot;
  int64_t inner;    /* outputs in a sample; 0: not calibrated */
  double output_ns; /* about, where samples have their energy */
  int registers;    /* -1: unknown */
  double error;     /* rel_l2_error */
} dcs_live_method;

typedef struct {
  dcs_evaluator evaluator;
  dcs_bench bench;
  dcs_case c;
  dcs_reference reference;
  const dcs_space *space;
  dcs_scope scope;
  dcs_objective objective;             /* of the values */
  bool energies;                       /* samples are long ones with their energy */
  dcs_subject subject;                 /* of the journal's rows */
  const char *device, *driver, *nvrtc; /* of them, too */
  bool unverified;                     /* rows of the journal say so */
  dcs_journal_writer *journal;
  dcs_progress progress;
  const dcs_search *search; /* what the progress line tells of; NULL: nothing */
  dcs_live_method *methods; /* of each configuration */
} dcs_live;

/* The bench is open, the case put before it, objective and subject set already; all are the live
 * evaluator's from now on. Its journal is set before the first evaluation. Free with
 * dcs_live_close(), whatever the status. */
dcs_status dcs_live_open(dcs_live *live, const dcs_space *space, dcs_scope scope);
void dcs_live_close(dcs_live *live);

/* What changes in a minute or two is in the intervals of the last measurement. */
enum { DCS_LAST_S = 120 };

typedef struct {
  int least, most; /* rounds: `most`, or fewer, but `least`, when the time is over */
  double until_ns; /* INFINITY: there is no end */
  double span_ns;  /* what they are spread over, where nothing takes longer */
  uint64_t seed;   /* of the order */
} dcs_final_rounds;

/* How long the last measurement spans by the options, of what is left until until_ns; 0 where
 * there is a single configuration and nothing to be told apart. What takes long without a budget
 * is said. */
double dcs_last_span_ns(const dcs_tune_options *options, int picks, double until_ns);

/* A configuration of a live evaluator. */
typedef struct {
  dcs_live *live;
  int config;
} dcs_live_pick;

enum { DCS_MAX_PICKS = 24 };

/* Samples picks[n], at most DCS_MAX_PICKS of evaluators that share a journal, anew in interleaved
 * rounds of random order, each in worker processes of its own, spread over how->span_ns. fresh[n]
 * receives the samples, which go into the journal as "final"; the caller frees them. A
 * configuration that fails now has that outcome. */
dcs_status dcs_live_rounds(const dcs_live_pick *picks, int n, const dcs_final_rounds *how,
                           dcs_evaluation *fresh);

/* ---- compiling a space before it is timed, on all CPUs at once (ahead.c) ---- */

/* Compiles every configuration of a CUDA variant's space for the architecture ("sm_90") into the
 * cache of compiled code, in so many processes of this program. What does not compile is no failure
 * here: evaluating it says so. Ends early on an interrupt, and at until_ns (dcs_now_ns()), when
 * what still compiles is given up. DCS_UNAVAILABLE when no process can be started. */
dcs_status dcs_compile_ahead(const dcs_space *space, const char *kernels, const char *arch,
                             int processes, double until_ns, dcs_progress *progress);

/* ---- those that cannot be told from the best, and one of them (winner.c) ---- */

enum { DCS_MAX_FINALISTS = 8 };

/* The configurations worth measuring once more, the best first: those whose interval overlaps the
 * best's, or, without intervals, whose median is within 5% of its. Returns how many. */
int dcs_finalists(const dcs_search *search, int configs[DCS_MAX_FINALISTS]);

typedef struct {
  int config;
  const dcs_evaluation *fresh; /* samples; the caller's */
  dcs_ratio ratio;             /* to the best: its time is the first */
  bool tied;                   /* the ratio's interval holds 1, or there is none */
  double overhead;             /* executed / useful - 1; NaN: unknown */
  int registers;               /* -1: unknown */
  double distance;             /* steps from the variant's initial configuration */
} dcs_finalist;

typedef struct {
  dcs_finalist list[DCS_MAX_FINALISTS]; /* by their median, the best first; n */
  int n, n_tied;
  int pick;           /* index in list; the least overhead among the tied, then the fewest
                         registers, then the least distance, then the least median */
  const char *reason; /* what decided */
} dcs_winner;

/* fresh[n] are the new samples of configs[n]; those that failed are left out. `given` is the useful
 * work of the problem's inputs, which are needed, as it is, for a variant with candidate pairs.
 * DCS_FAILED when all did. */
dcs_status dcs_choose_winner(const dcs_search *search, const dcs_problem *problem, double given,
                             const int *configs, const dcs_evaluation *fresh, int n,
                             dcs_winner *winner);

/* ---- what a user is told (print.c) ---- */

/* Legal configurations, the values of each parameter, and why other combinations are not legal. */
void dcs_print_space(const dcs_space *space, const dcs_size *size);

/* How many were tried, and their outcomes. */
void dcs_print_search(const dcs_search *search, const char *strategy);

/* The finalists, which of them are tied, and the pick with its reason. */
void dcs_print_winner(const dcs_space *space, const dcs_winner *winner, const dcs_subject *subject,
                      double took_s);

/* Whether the pick of an earlier tuning still takes its previous time, now that it was measured
 * again. */
void dcs_print_previous(const dcs_tuned_entry *previous, const dcs_evaluation *now);

/* What a search of a recording found, and how far it is from the recorded best. */
void dcs_print_replay(const dcs_replay *replay, const dcs_search *search, const char *strategy);

#endif
