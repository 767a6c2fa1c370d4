/* Where one class of methods overtakes another in a run: the thresholds of all pairs, along atoms,
 * along grid points, and in the plane of both. */
#ifndef DCS_CROSSOVER_H
#define DCS_CROSSOVER_H

#include "tuning/crossover/measured.h"
#include "tuning/crossover/threshold.h"

enum { DCS_CROSSOVER_SIZES = 4 }; /* the fewest that a threshold along an axis is sought over */

/* What a threshold is one of. */
typedef enum {
  DCS_ALONG_ATOMS,  /* number of atoms, on one grid */
  DCS_ALONG_POINTS, /* grid points, at one number of atoms; grids of one shape */
  DCS_IN_PLANE,     /* number of atoms, on one grid of the frontier over grids of one shape */
  DCS_N_CROSSOVER_KINDS
} dcs_crossover_kind;

typedef struct {
  dcs_crossover_kind kind;
  const dcs_pair *pair;
  const dcs_measured_cell *like; /* a cell of the grid, or of the number of atoms, that is fixed */
  dcs_shape shape;               /* not of DCS_ALONG_ATOMS */
  dcs_threshold threshold;       /* A is the pair's first method */
} dcs_crossover;

typedef struct {
  dcs_measured measured;
  dcs_crossover *list; /* by kind; by what is fixed, in the order of summary.csv, in the plane by
                          pair and points */
  size_t n;
} dcs_crossovers;

/* Beside the statuses of dcs_measured_read(), DCS_INPUT when no pair has sizes enough in common.
 * Free with dcs_crossovers_free(), whatever the status. */
dcs_status dcs_crossovers_find(const char *folder, dcs_crossovers *found);
void dcs_crossovers_free(dcs_crossovers *found);

/* Whether the threshold was sought over the cell's size among others, given that both methods of
 * its pair were measured there. */
bool dcs_crossover_covers(const dcs_crossover *c, const dcs_measured_cell *cell);

/* As thresholds.csv has it: "atoms", "points", "plane". */
extern const char *const dcs_crossover_kinds[DCS_N_CROSSOVER_KINDS];
/* Method A (0) or B (1) as thresholds.csv has it: where there is an estimate, A is the faster one
 * below it. */
const char *dcs_crossover_method(const dcs_crossover *c, int which);
const char *dcs_crossover_fixed(const dcs_crossover *c); /* the grid, or the number of atoms */
/* "" along atoms; returns text. */
char *dcs_crossover_shape(const dcs_crossover *c, char text[DCS_TEXT]);

/* Header and rows of thresholds.csv (crossover_files.c). */
dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found);
/* Writes thresholds.csv and winners.csv into the folder; older ones are there until they are whole.
 */
dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found);

#endif
