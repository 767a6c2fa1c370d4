/* A search over a space: which configurations were evaluated, what came out, and when to stop. */
#ifndef DCS_TUNE_SEARCH_H
#define DCS_TUNE_SEARCH_H

#include "harness/base/outcome.h"
#include "harness/base/random.h"
#include "harness/judge/stats.h"
#include "harness/rounds/energy.h"
#include "tuning/search/space.h"
#include "tuning/search/subject.h"

/* What is known of a configuration. */
typedef struct {
  bool known;           /* it was tried */
  dcs_outcome outcome;  /* a failure is an outcome, never a large time */
  double *times;        /* ns of one output, in the order they were taken, or what an objective
                           makes of it; n */
  const double *sorted; /* the same, ascending; freed with the times */
  int n;
  dcs_stats stats;   /* of the times */
  dcs_spent *spent;  /* what each output took; NULL where the objective is time */
  int registers;     /* -1: unknown */
  double compile_ms; /* NaN: unknown */
  double error;      /* rel_l2_error of the output that was verified; NaN: unknown */
} dcs_evaluation;

/* Nothing is known. */
extern const dcs_evaluation dcs_evaluation_unknown;

/* Appends times and brings the statistics up to date. */
dcs_status dcs_evaluation_add(dcs_evaluation *evaluation, const double *times, int n);
/* The same with what each took. */
dcs_status dcs_evaluation_add_spent(dcs_evaluation *evaluation, const double *times,
                                    const dcs_spent *spent, int n);
/* Appends n samples of another evaluation, from `first` on. */
dcs_status dcs_evaluation_append(dcs_evaluation *evaluation, const dcs_evaluation *from, int first,
                                 int n);
/* What output i took; energy NaN where the objective is time. */
dcs_spent dcs_evaluation_spent(const dcs_evaluation *evaluation, int i);
void dcs_evaluation_free(dcs_evaluation *evaluation);
void dcs_evaluations_free(dcs_evaluation *list, int n);

/* Where times come from: a measurement, or a recording of one. */
typedef struct dcs_evaluator dcs_evaluator;
struct dcs_evaluator {
  /* Brings the configuration up to so many samples, or to an outcome that is not ok. Leaves it
   * unknown when interrupted. The status is that of files and memory. */
  dcs_status (*more)(dcs_evaluator *, int config, int samples, dcs_evaluation *evaluation);
};

typedef struct {
  int64_t evals;   /* -1: none */
  double until_ns; /* dcs_now_ns(); INFINITY: none */
} dcs_budget;

typedef struct {
  const dcs_space *space;
  const dcs_subject *subject; /* what is tuned, and on which machine; NULL: unknown */
  dcs_evaluator *evaluator;
  int samples; /* of an evaluation */
  int start;   /* the configuration to begin with: the variant's initial one, or near it */
  dcs_random random;
  dcs_budget budget;
  double started_ns;
  dcs_evaluation *known; /* of each configuration */
  int n_known;
  int *picks; /* the best configuration after each evaluation (-1: none is ok yet); n_evals */
  int64_t n_evals;
  bool stopped;      /* budget spent, interrupted, or failed */
  dcs_status status; /* of the evaluator */
} dcs_search;

/* Nothing is known yet; a caller that knows something fills in known[] and n_known. The subject may
 * be NULL, and is the caller's, as is the space. Free with dcs_search_close(), whatever the status.
 */
dcs_status dcs_search_open(const dcs_space *space, const dcs_subject *subject,
                           dcs_evaluator *evaluator, int samples, uint64_t seed, dcs_budget budget,
                           dcs_search *search);
void dcs_search_close(dcs_search *search);

/* Evaluates; *ns is the median (INFINITY for a failure). Each call that measures counts as an
 * evaluation; what is known already is free. False when the search has to stop. */
bool dcs_search_try(dcs_search *search, int config, double *ns);

/* A configuration that was not tried, each with the same probability; -1: there is none. */
int dcs_search_unknown(dcs_search *search);

/* The part of the budget that is spent, 0..1; of the whole space where there is no budget. */
double dcs_search_share(const dcs_search *search);

/* The ok configuration with the least median, -1: none. */
int dcs_search_best(const dcs_search *search);

/* ---- strategies ---- */

typedef struct {
  const char *name;
  void (*run)(dcs_search *search); /* until the search stops or everything is known */
} dcs_strategy;

extern const dcs_strategy dcs_strategies[];
extern const int dcs_n_strategies;
extern const char dcs_default_strategy[];

/* DCS_USAGE suggests the nearest name. */
dcs_status dcs_find_strategy(const char *name, const dcs_strategy **strategy);

void dcs_search_surrogate(dcs_search *search);

#endif
