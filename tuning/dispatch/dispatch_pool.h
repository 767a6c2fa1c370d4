/* What a run measured, method by method, as a decision is drawn from it. */
#ifndef DCS_DISPATCH_POOL_H
#define DCS_DISPATCH_POOL_H

#include "harness/base/grow.h"
#include "harness/problems/methods.h"
#include "harness/runs/run.h"
#include "tuning/dispatch/dispatch.h"

/* How many sizes stand for each measured one in a choice. */
enum { DCS_POOL_AROUND = 5 };

/* A row of the summary that is ok, whatever the problem and the scope. */
typedef struct {
  const dcs_run_row *row;
  dcs_method method;
  dcs_tiling shape;
  dcs_cost_sample sample;
  int clashes;   /* rates of the method that cannot be right where this one is */
  bool strays;   /* it is the one that is wrong, and counts for nothing */
  bool doubtful; /* it is, or could be as well */
} dcs_rate;

/* A method in one scope, with what was measured of it. */
typedef struct {
  dcs_method method;
  dcs_tiling shape;
  const dcs_rate **times;   /* by size of the pool; NULL: not measured there */
  const dcs_rate **kernel;  /* the same in scope kernel */
  size_t measured, in_both; /* sizes with a time; with a time in both */
  int64_t inputs;           /* of all sizes with a time; 0: several numbers */
  dcs_cost cost;
} dcs_candidate;

typedef struct {
  const dcs_run *run;
  dcs_room room, filled; /* for all families and scopes; for one of them */
  int sm_count;
  dcs_rate *rates;
  size_t n_rates, n_strays;
  const dcs_dispatch_family *family; /* the pool is filled with */
  dcs_scope scope;                   /* and what of it */
  dcs_candidate *list;
  size_t made, n;         /* methods with any time; the first n of them have enough */
  bool numbers_differ;    /* some of the n methods were measured with several numbers of inputs */
  const dcs_rate **sizes; /* a rate of each */
  size_t n_sizes;
  dcs_cost_sample *work; /* room for a fit */
  double *expected;      /* room for the times of a choice: DCS_POOL_AROUND * n * n_sizes */
} dcs_pool;

/* Takes the rows of a run that are ok. DCS_INPUT names one whose method is not of this program or
 * does not compute its problem. Free with dcs_pool_close(), whatever the status. */
dcs_status dcs_pool_open(const dcs_run *run, dcs_pool *p);
void dcs_pool_close(dcs_pool *p);

/* Says how many rows that are ok are left out because callers have their maps in ordinary memory.
 */
void dcs_pool_notes(const dcs_run *run, FILE *out);

/* Marks the fewest rates that leave no two of a method of which the smaller problem took three
 * times as long as the larger or more; says which they are. In doubt are these and those that could
 * be as well. */
void dcs_pool_find_strays(dcs_pool *p);
void dcs_pool_print_strays(const dcs_pool *p, FILE *out);

/* Fills the pool anew, with what was measured of a family in a scope; methods of too few sizes go
 * last. */
dcs_status dcs_pool_fill(dcs_pool *p, const dcs_dispatch_family *family, dcs_scope scope);

/* Whether the row is of the pool's family, of the scope, of callers' memory, and does not stray. */
bool dcs_rate_counts(const dcs_pool *p, const dcs_rate *rate, dcs_scope scope);

/* Fits the costs of the first n methods, without the times of the size `out` in any scope (n_sizes:
 * with all). */
void dcs_pool_fit(dcs_pool *p, size_t out);

/* Chooses the few methods that matter, leaving the size `out` out, once their costs are fitted;
 * returns how many. */
int dcs_pool_choose(dcs_pool *p, size_t out, size_t chosen[DCS_DISPATCH_MOST]);

/* How many of the n methods were measured at a size. */
int dcs_pool_measured(const dcs_pool *p, size_t size);
/* What is fastest at the measured size that is nearest in log space, the size `out` (n_sizes: none)
 * aside; NULL: there is none. */
const dcs_candidate *dcs_pool_nearest(const dcs_pool *p, const dcs_size *size, size_t out);
/* What is lost by the method at a size, against the one that it loses most against: 0.1 is 10%; NaN
 * where it was not measured, or is NULL. */
double dcs_pool_lost(const dcs_pool *p, const dcs_candidate *taken, size_t size);

/* Holds each size out once: fills held_out, loss and nearest of the table. Leaves costs fitted
 * without a size. DCS_FAILED when interrupted. */
dcs_status dcs_pool_hold_out(dcs_pool *p, dcs_dispatch_table *table);

#endif
