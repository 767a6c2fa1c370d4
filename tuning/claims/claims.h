/* What the case study of this computation and the work around it claim, held against a run. */
#ifndef DCS_CLAIMS_H
#define DCS_CLAIMS_H

#include "harness/base/grow.h"
#include "harness/runs/run.h"
#include "kernels/claims.h"

/* ---- the rows of a run that claims are held against (claim_rows.c) ---- */

typedef struct {
  dcs_run_row *rows; /* those that are ok, in the order of summary.csv; median_ns is that of their
                        samples */
  size_t n;
  const dcs_run_row **sizes; /* the first row of each size and problem */
  size_t n_sizes;
  int most_threads; /* of a CPU row in scope kernel; 0: there is none */
} dcs_claim_rows;

/* Takes those of a kind, of all its problems, from a run; NULL: those of the case study's kind and
 * its initial problem. The arrays are the room's. */
dcs_status dcs_claim_rows_take(const dcs_run *run, const dcs_kind *kind, dcs_room *room,
                               dcs_claim_rows *rows);

/* Which rows to take; of several, the one with the least median. It is picked from the samples that
 * it is then judged by, so it looks a little too fast where many configurations are close. */
typedef struct {
  const char *variant; /* NULL: any */
  const char *without; /* a variant that is not to be taken; NULL: none */
  const char *config;  /* values that it is to have, "halo=past"; NULL: any */
  dcs_scope scope;
  dcs_backend backend;
  int threads; /* 0: any */
} dcs_claim_pick;

/* The best row of the size and problem of `like`, or NULL. */
const dcs_run_row *dcs_claim_best(const dcs_claim_rows *rows, const dcs_run_row *like,
                                  const dcs_claim_pick *pick);

/* Same variant, scope, size and problem, and the same configuration but for the parameters whose
 * names begin with `prefix`. */
bool dcs_claim_same_but(const dcs_run_row *a, const dcs_run_row *b, const char *prefix);

/* ---- claims ---- */

/* What one observation (mostly: a size) says of a claim. */
typedef enum {
  DCS_GRADE_YES,    /* the whole interval lies within what is claimed */
  DCS_GRADE_PARTLY, /* the whole interval lies where the claim is right in part */
  DCS_GRADE_NO,     /* the whole interval lies in neither */
  DCS_GRADE_UNSURE, /* the interval crosses a bound, or there is none (fewer than 6 samples) */
  DCS_N_GRADES
} dcs_grade;

/* Observations that are unsure do not count. */
typedef enum {
  DCS_VERDICT_HOLDS,        /* all say yes */
  DCS_VERDICT_PARTLY,       /* neither of the others */
  DCS_VERDICT_FAILS,        /* all say no */
  DCS_VERDICT_NOT_MEASURED, /* there is none */
  DCS_N_VERDICTS
} dcs_claim_verdict;

/* "holds", "partly", "fails", "not_measured". */
extern const char *const dcs_claim_verdicts[DCS_N_VERDICTS];

/* The interval that is claimed, and from where on a claim is right in part (INFINITY: nowhere). */
typedef struct {
  double lo, hi, partly_lo;
} dcs_claimed;

dcs_grade dcs_grade_interval(double lo, double hi, dcs_claimed claimed);

typedef struct {
  double value, lo, hi;             /* lo = hi = value: exact, as registers are; NaN: no interval */
  const dcs_run_row *method, *base; /* the rows compared; NULL: arithmetic */
  size_t of;                        /* configurations looked at; 0: the method's and the base's */
  dcs_grade grade;
} dcs_observation;

/* Whose best time at a size is compared: the book's versions in kernel time, the GPU in the claim's
 * scope, CPU variants in kernel time. */
typedef enum {
  DCS_SIDE_VERSION_1,
  DCS_SIDE_VERSION_2,
  DCS_SIDE_VERSION_3,
  DCS_SIDE_VERSION_1_OR_2, /* the faster one, where there are both */
  DCS_SIDE_GPU,
  DCS_SIDE_SEQUENTIAL, /* the sequential code with one thread */
  DCS_SIDE_VECTOR,     /* others with one thread */
  DCS_SIDE_PARALLEL    /* any with most threads */
} dcs_claim_side;

typedef struct dcs_claim_result dcs_claim_result;

typedef struct {
  const char *id, *source, *text;
  const char *unit;    /* of the value */
  const char *rule;    /* what is compared where, and when an observation says yes, partly, no */
  const char *missing; /* what a run must measure for it */
  void (*observe)(const dcs_claim_rows *, dcs_claim_result *);
  dcs_claimed claimed;
  /* What dcs_observe_speedup() needs besides. */
  dcs_claim_side method, base;
  dcs_scope scope;           /* of the GPU */
  double atoms_lo, atoms_hi; /* of the sizes that count; 0, 0: any */
  int64_t edge;              /* their slices have at least so long edges */
  /* Of a claim that a kind has of its own. */
  const dcs_kind_claim *said;
} dcs_claim;

struct dcs_claim_result {
  const dcs_claim *claim;
  dcs_claim_verdict verdict;
  size_t counts[DCS_N_GRADES];
  dcs_observation shown; /* of those that are sure, the largest size's; of these the fastest */
  double least, most;    /* values of all observations; NaN: none */
};

typedef struct {
  dcs_run run;
  dcs_claim_result *list;
  size_t n;
  dcs_room room;
} dcs_claims;

/* Holds against a run the case study's claims, if it has rows of that kind or of none that has
 * claims, and those of the kinds that it has rows of. The statuses of dcs_run_open(). Free with
 * dcs_claims_free(), whatever the status. */
dcs_status dcs_claims_check(const char *folder, dcs_claims *claims);
void dcs_claims_free(dcs_claims *claims);

/* How many observations there are. */
size_t dcs_claim_observed(const dcs_claim_result *result);

/* What is missing for a verdict; "" where there is one. */
const char *dcs_claim_missing(const dcs_claim_result *result);

/* Header and rows of claims.csv. */
dcs_status dcs_claims_put(dcs_csv *csv, const dcs_claims *claims);
/* Writes claims.csv into the folder; an older one is there until it is whole. */
dcs_status dcs_claims_write(const char *folder, const dcs_claims *claims);

/* ---- the parts ---- */

extern const dcs_claim dcs_claim_list[];
extern const size_t dcs_n_claims;

/* The claim that a kind has of its own. */
dcs_claim dcs_claim_of(const dcs_kind_claim *said);

/* Counts it, and shows it where it goes before what was shown. */
void dcs_claim_add(dcs_claim_result *result, const dcs_observation *observation);
/* The same, graded by what is claimed of its interval. */
void dcs_claim_grade(dcs_claim_result *result, dcs_observation observation);

/* How many times as fast as base the method is, graded. */
void dcs_claim_add_speedup(dcs_claim_result *result, const dcs_run_row *method,
                           const dcs_run_row *base);

/* What the claims of the list observe; the first: the claim's method against its base, at each
 * size.
 */
void dcs_observe_speedup(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_start_up(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_padding(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_registers(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_late_read(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_operations(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_blocks(const dcs_claim_rows *, dcs_claim_result *);
void dcs_observe_winners(const dcs_claim_rows *, dcs_claim_result *);

#endif
