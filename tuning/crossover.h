/* Where one class of methods overtakes another in a run: the thresholds of all pairs, along atoms
 * and along grid points. */
#ifndef DCS_CROSSOVER_H
#define DCS_CROSSOVER_H

#include "tuning/measured.h"
#include "tuning/threshold.h"

enum { DCS_CROSSOVER_SIZES = 4 }; /* the fewest that a threshold is sought over */

typedef struct {
  dcs_axis axis;
  const char *scope;     /* of the GPU's times; "kernel" where both are CPU methods */
  const char *method[2]; /* A and B: "cpu_sequential", "cpu_parallel", "gpu". Where there is an
                            estimate, A is the faster one below it */
  const char *fixed;     /* the grid, or the number of atoms; dcs_measured's */
  dcs_threshold threshold;
} dcs_crossover;

typedef struct {
  dcs_measured measured;
  dcs_crossover *list; /* atoms first; by what is fixed, in the order of summary.csv */
  size_t n;
} dcs_crossovers;

extern const char *const dcs_axis_names[DCS_N_AXES]; /* "atoms", "points" */

/* Beside the statuses of dcs_measured_read(), DCS_INPUT when no pair has sizes enough in common.
 * Free with dcs_crossovers_free(), whatever the status. */
dcs_status dcs_crossovers_find(const char *folder, dcs_crossovers *found);
void dcs_crossovers_free(dcs_crossovers *found);

/* Header and rows of thresholds.csv. */
dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found);
/* Writes thresholds.csv into the folder; an older one is there until it is whole. */
dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found);

#endif
