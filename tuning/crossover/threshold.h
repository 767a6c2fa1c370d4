/* Where along a row of sizes one method overtakes another: statistics on plain arrays. */
#ifndef DCS_THRESHOLD_H
#define DCS_THRESHOLD_H

#include "harness/base/grow.h"

#include <stdbool.h>

/* Times of a method at a size; the caller's. */
typedef struct {
  const double *times; /* above 0, in the order they were taken */
  size_t n;            /* at least 1 */
} dcs_threshold_times;

/* Two methods, A (0) and B (1), at one size. */
typedef struct {
  double x;               /* the size, above 0 */
  const double *times[2]; /* as above */
  size_t n[2];
  /* Where A or B is the best of several: the others that may be the best as well. */
  const dcs_threshold_times *rivals[2];
  size_t n_rivals[2];
} dcs_threshold_size;

/* A size is sure where its sign is; see dcs_threshold_find(). */
typedef enum {
  DCS_THRESHOLD_OK,       /* sure signs change once, the interval is within a factor of 4, and
                             the estimate loses at most 5% at any size */
  DCS_THRESHOLD_ALWAYS_A, /* A is faster, and no size is sure to say otherwise */
  DCS_THRESHOLD_ALWAYS_B,
  DCS_THRESHOLD_NOT_BRACKETED, /* the same, but at an end the methods come close */
  DCS_THRESHOLD_MULTIPLE,      /* sure signs change more than once */
  DCS_THRESHOLD_AMBIGUOUS,     /* no size is sure; or signs change once, but the rest of `ok` does
                                  not hold: a loss may be scatter, or another crossover point */
  DCS_THRESHOLD_LOSSY,         /* ok or ambiguous, but it loses more than 5% at a size held out */
  DCS_N_THRESHOLD_STATUSES
} dcs_threshold_status;

/* "ok", "always_a", "always_b", "not_bracketed", "multiple_crossings", "ambiguous",
 * "lossy". */
const char *dcs_threshold_status_name(dcs_threshold_status status);

typedef struct {
  dcs_threshold_status status;
  size_t sizes;
  int below;       /* the method to take at sizes below the estimate; the other one from it on */
  double estimate; /* NaN: always one method, or no sign is sure */
  double lo, hi;   /* 95% interval; NaN: none, or open at this side: it reaches beyond the sizes */
  double regret_mean, regret_worst;
} dcs_threshold;

/* Judges sizes[n], ascending.
 *
 * With d = log(median A) - log(median B) at each size, the estimate is where the centered isotonic
 * regression of d on log x passes 0 (Oron and Flournoy, Centered isotonic regression, Statistics in
 * Biopharmaceutical Research 9, 2017); rising or falling, whichever fits better. Where the sure
 * signs change more than once no monotone curve is true, and it is the one threshold that loses
 * least over all sizes, the loss at a size being the chosen median over the smaller one, less 1. A
 * sign is sure where the 95% interval of dcs_ratio_of_series() leaves 1 out.
 *
 * The interval is the percentile bootstrap over rounds (Efron and Tibshirani, An Introduction to
 * the Bootstrap, 1993, chapter 13): 4000 resamples with a fixed seed, each with the same rounds at
 * all sizes and of both methods, so that what a round does to all of them alike cancels. Where a
 * method is the best of several, each resample picks anew: that it was picked for its times is
 * within the interval. It covers the scatter of the times. It does not cover how d bends between
 * two sizes: close sizes do.
 *
 * not_bracketed: at an end of the sizes the sign is not sure, or |d| is below 5% there and below
 * half its largest value.
 *
 * Regret: the loss at a size, held out, of the rule that all others give; mean and largest over the
 * sizes (Stone, Cross-validatory choice, J. Royal Statist. Soc. B 36, 1974).
 *
 * DCS_INPUT when there are fewer than two sizes, DCS_UNAVAILABLE where there is no memory. */
dcs_status dcs_threshold_find(const dcs_threshold_size *sizes, size_t n, dcs_threshold *threshold);

/* ---- in the plane of atoms and grid points (frontier.c) ---- */

/* On each grid a threshold in atoms, that does not rise from a grid to the next larger one. */

/* The sizes of one grid, ascending in atoms; at least two. The caller's. */
typedef struct {
  double points;
  const dcs_threshold_size *sizes;
  size_t n;
} dcs_frontier_grid;

/* Finds thresholds[n], one for each of the grids, which ascend in points; all with the same
 * `below`.
 *
 * On each grid, the threshold of the centered isotonic fit of d on log x, as dcs_threshold_find()
 * has it, the direction being the one that fits better over all grids. A method that gains with
 * atoms gains with points, too: thresholds that rise from a grid to a larger one are pooled, by
 * isotonic regression of their logs on those of the points. A threshold beyond a grid's sizes
 * agrees with all others that lie there, and is not one of the estimates. The interval is that of
 * all this over resamples of rounds, the same rounds at all sizes.
 *
 * Status, grid by grid: as of a row of its sizes, with these differences: the estimate is the
 * frontier's; and it is ambiguous where the frontier loses more than 5% at a sure size of a grid
 * whose sure signs do not change.
 *
 * Regret: the loss at a size of this grid, held out, of the frontier that all others give;
 * between grids it is linear in the logs, and so it is where the grid's own threshold lies beyond
 * its sizes. A grid that is left with one size does not count.
 *
 * DCS_INPUT when there are fewer than two grids or a grid has fewer than two sizes, DCS_UNAVAILABLE
 * where there is no memory. */
dcs_status dcs_frontier_find(const dcs_frontier_grid *grids, size_t n, dcs_threshold *thresholds);

/* ---- the parts ---- */

/* Neighbours that pool to one value of an isotonic fit. */
typedef struct {
  double value, centre; /* means of y and of x */
  size_t n;
} dcs_isotonic_block;

/* Least squares fit of a curve that never falls to sign * y[n], all of one weight, by pooling
 * adjacent violators (Barlow, Bartholomew, Bremner, Brunk, Statistical Inference under Order
 * Restrictions, 1972). sign is 1 or -1. Returns the number of blocks; blocks has room for n. */
size_t dcs_isotonic_fit(const double *x, const double *y, double sign, size_t n,
                        dcs_isotonic_block *blocks);

/* Which method to take: `below` where log x < log_x, the other one elsewhere. */
typedef struct {
  double log_x; /* -INFINITY, INFINITY: always the same */
  int below;
} dcs_threshold_rule;

/* Where the isotonic fit of d[n] on log_x[n] passes 0, d rising (below is A, 0) or falling (B, 1);
 * -INFINITY, INFINITY: beyond the sizes. *error becomes the fit's sum of squares; blocks has room
 * for n. */
double dcs_threshold_zero(const double *log_x, const double *d, size_t n, int below,
                          dcs_isotonic_block *blocks, double *error);
/* The rule of the better fit of the two, of d[n] on log_x[n]; blocks has room for n. */
dcs_threshold_rule dcs_threshold_by_fit(const double *log_x, const double *d, size_t n,
                                        dcs_isotonic_block *blocks);
/* The rule that loses least in total; thresholds halfway between neighbouring sizes are tried.
 * log_x ascends; room is for n. In time that grows as n: it is asked for without each size, and of
 * each resample. */
dcs_threshold_rule dcs_threshold_by_loss(const double *log_x, const double *d, size_t n,
                                         dcs_isotonic_block *room);
/* What taking a side (A, 0, or B, 1) loses where d is log A - log B. */
double dcs_threshold_side_loss(int taken, double d);
/* What the rule loses at a size. */
double dcs_threshold_loss(dcs_threshold_rule rule, double log_x, double d);

/* ---- a row of sizes, judged one by one, and its resamples (threshold_row.c) ---- */

enum {
  DCS_THRESHOLD_RESAMPLES = 4000,
  DCS_THRESHOLD_TAIL = 100 /* 2.5% of them lie beyond each end of the interval */
};

typedef struct {
  const dcs_threshold_size *sizes;
  size_t n, most; /* sizes; most times of one method at one size */
  double *log_x, *d;
  int *signs;       /* 1: B is surely faster; -1: A; 0: not sure */
  double *times[2]; /* place for those of one size */
} dcs_threshold_row;

/* Judges each size; the row lasts as long as the room. DCS_INPUT when there are fewer than two,
 * DCS_UNAVAILABLE where there is no memory. */
dcs_status dcs_threshold_row_open(dcs_room *room, const dcs_threshold_size *sizes, size_t n,
                                  dcs_threshold_row *row);

/* How often the sure signs change, the size `without` left out (n: none); *last becomes the last of
 * them, 0 where there is none. */
int dcs_threshold_changes(const dcs_threshold_row *row, size_t without, int *last);

/* The rule of all others for each size, rules[n]: by the fit, or by the least loss where the sure
 * signs of the others change more than once. In time that grows as n log n (threshold_held.c). */
dcs_status dcs_threshold_without_each(dcs_room *room, const dcs_threshold_row *row,
                                      dcs_threshold_rule *rules);

/* d[n] of a resample: of the times of a method at a size, the k-th is that of round uniform[k]; it
 * lies in [0, 1) and there are `most` of them. */
void dcs_threshold_resample(const dcs_threshold_row *row, const double *uniform, double *d);

/* The status of a row whose sure signs do not change; `last` is theirs. */
dcs_threshold_status dcs_threshold_one_method(const dcs_threshold_row *row, int last);

/* The status of a threshold that has all else, its regret counted. */
dcs_threshold_status dcs_threshold_after_regret(const dcs_threshold *threshold);

/* Whether the rule is right within 5% at each size, by the medians; or at each whose sign is sure.
 */
bool dcs_threshold_fits(const dcs_threshold_row *row, dcs_threshold_rule rule, bool sure_only);

/* Of n sizes, with nothing known of it yet. */
dcs_threshold dcs_threshold_none(size_t n);

/* Puts the interval, from the logs of all resamples' thresholds, which it sorts. */
void dcs_threshold_interval(double logs[DCS_THRESHOLD_RESAMPLES], dcs_threshold *threshold);

#endif
