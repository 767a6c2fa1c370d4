/* What a run measured, method by method, as a decision is drawn from it. */
#ifndef DCS_DISPATCH_POOL_H
#define DCS_DISPATCH_POOL_H

#include "harness/problems/methods.h"
#include "harness/runs/run.h"
#include "tuning/dispatch/dispatch.h"

/* A row of the summary that is ok, whatever the scope. */
typedef struct {
  dcs_method method;
  dcs_tiling shape;
  int sum; /* dcs_dispatch_sum() */
  const char *scope;
  bool pageable; /* its memory is that of callers, or does not matter */
  dcs_cost_sample sample;
} dcs_rate;

/* The samples of a row of the summary, sorted; none where it is not ok. */
typedef struct {
  const double *ns;
  size_t n;
} dcs_times;

/* A method in one scope, with what was measured of it. */
typedef struct {
  dcs_method method;
  dcs_tiling shape;
  const dcs_cost_sample **times;  /* a cell each, NULL: not measured there */
  const dcs_cost_sample **kernel; /* the same in scope kernel */
  size_t measured, in_both;       /* cells with a time; with a time in both */
  int64_t atoms;                  /* of all cells with a time; 0: of several numbers */
  dcs_cost cost;
} dcs_candidate;

typedef struct {
  const dcs_run *run;
  int backend, median, spacing; /* columns; spacing -1: a run of before there were cutoffs */
  int sm_count;
  int sum;                  /* the pool is filled with */
  dcs_scope scope;          /* and what of it */
  dcs_times *times;         /* a row of the summary each */
  double *all_times;        /* what they point into; room for all samples twice */
  dcs_cost_sample *samples; /* a row of the summary each */
  size_t *rows;             /* which */
  size_t n_samples;
  dcs_rate *rates;
  size_t n_rates;
  dcs_candidate *list;
  size_t made, n;         /* methods with any time; the first n of them have enough */
  bool numbers_differ;    /* some of the n methods were measured with several numbers of atoms */
  dcs_cost_sample *cells; /* sizes */
  size_t n_cells;
  dcs_cost_sample *work; /* room for a fit */
  double *expected;      /* room for the times of a choice */
} dcs_pool;

bool dcs_same_size(const dcs_size *a, const dcs_size *b);

/* The arrays of the pool have room for a row of the summary each. DCS_INPUT names a row whose
 * variant or configuration is not of this program, or whose cutoff is none or not its variant's. */
dcs_status dcs_pool_rates(dcs_pool *p);
/* Whether the row is of the pool's sum, of the scope, and of callers' memory. */
bool dcs_rate_counts(const dcs_pool *p, const dcs_rate *rate, dcs_scope scope);
/* Says how many rows that are ok are left out because callers have their maps in ordinary memory.
 */
void dcs_pool_notes(const dcs_run *run, FILE *out);
/* Fills p->times. DCS_INPUT when a row that is ok has no samples, or rows have the same ones. */
dcs_status dcs_pool_times(dcs_pool *p);
/* How many times as long as b the method behind a takes, as dcs_ratio_of_times() has it; both are
 * of one cell of the pool. */
double dcs_pool_ratio(const dcs_pool *p, const dcs_cost_sample *a, const dcs_cost_sample *b);
/* Fills the pool with what was measured of a sum (dcs_dispatch_sum()) in the scope; methods of too
 * few sizes go last. Empty it with dcs_pool_forget(), whatever the status. */
dcs_status dcs_pool_fill(dcs_pool *p, int sum, dcs_scope scope);
void dcs_pool_forget(dcs_pool *p); /* but for the rates */

/* Fits the costs of the first n methods, without the times of the cell `out` in any scope (n_cells:
 * with all). */
void dcs_pool_fit(dcs_pool *p, size_t out);

#endif
