/* Measuring a run further where its thresholds are still loose. */
#ifndef DCS_REFINE_H
#define DCS_REFINE_H

#include "harness/sweep/sweep.h"
#include "tuning/crossover/crossover.h"

#include <stdio.h>

/* A size to measure next. */
typedef struct {
  dcs_size size; /* with the initial values of the problem's parameters */
  double step;   /* log of the ratio to the sizes that it lies between, or beyond */
  const dcs_measured_size *near[2]; /* those sizes; the same one twice at an end */
} dcs_refinement;

typedef struct {
  dcs_refinement *list; /* the widest steps first */
  size_t n, left_out;   /* left out: more than were asked for */
  dcs_room room;
  bool crossing; /* there is a crossover point */
  bool open;     /* not each threshold says that one method is always faster */
} dcs_refinements;

/* Chooses at most `most` sizes, none of them measured, none above most_atoms, from
 *  - thresholds of status ok: two between the sizes around the estimate;
 *  - others with an estimate: two between all neighbours of which the medians favour another
 *    method, and one a factor of 2 beyond the end where the interval is open;
 *  - those not bracketed: one a factor of 2 beyond the end where the methods are closest.
 * Sizes within 10% of each other are close enough. Free with dcs_refinements_free(), whatever the
 * status. */
dcs_status dcs_refine_choose(const dcs_crossovers *found, size_t most, int64_t most_atoms,
                             dcs_refinements *chosen);
void dcs_refinements_free(dcs_refinements *chosen);
void dcs_refine_print(FILE *out, const dcs_refinements *chosen);

/* What a run does not record, or may be given anew. */
typedef struct {
  dcs_input input;     /* no file: none */
  const char *device;  /* NULL: that of the run */
  const char *kernels; /* folder; NULL: the kernels built in */
  double timeout_s;
  int rounds;      /* 0: as many as precision needs */
  double budget_s; /* 0: none */
  bool again;      /* go on with rows that have fewer, why ever they stopped */
} dcs_refine_options;

/* The number of atoms that the run's input has, INT64_MAX where atoms are random. DCS_USAGE when
 * the run had an input and the options have none. */
dcs_status dcs_refine_most_atoms(const dcs_crossovers *found, const dcs_refine_options *options,
                                 int64_t *most_atoms);
/* How many rows of the run an interrupt, or a worker that was killed, left unfinished. */
size_t dcs_refine_unfinished(const dcs_crossovers *found);
/* Goes on with those, and measures the chosen sizes into the folder as `sweep --resume` does, with
 * the seed and the place of the grid that the run has: all methods that are the best of a class at
 * a size nearby. The statuses are those of dcs_sweep(): DCS_USAGE when machine, program or input
 * are not those of the run. */
dcs_status dcs_refine_measure(const dcs_crossovers *found, const dcs_refine_options *options,
                              const dcs_refinements *chosen);
/* The sweep itself, of any lines into the folder of the run. */
dcs_status dcs_refine_sweep(const dcs_run *run, const dcs_refine_options *options,
                            const dcs_sweep_line *lines, int n);

#endif
