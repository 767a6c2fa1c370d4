/* Which method to take in the plane of atoms and grid points: on each grid a threshold in atoms,
 * that does not rise from a grid to the next larger one. */
#ifndef DCS_FRONTIER_H
#define DCS_FRONTIER_H

#include "tuning/crossover/threshold.h"

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

#endif
