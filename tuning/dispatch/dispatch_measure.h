/* Measuring again what a decision would not believe. */
#ifndef DCS_DISPATCH_MEASURE_H
#define DCS_DISPATCH_MEASURE_H

#include "tuning/crossover/refine.h"
#include "tuning/dispatch/dispatch_check.h"

/* Takes twice as many samples as there are of the rows in doubt, and of those whose few samples
 * disagree, into the run's folder, with the
 * device, kernels and time-out of the options; *measured becomes the number of rows. Where it is
 * not 0 the run must be read anew. DCS_USAGE where the run had an input; the statuses of
 * dcs_refine_sweep(). */
dcs_status dcs_dispatch_measure(const dcs_run *run, const dcs_refine_options *options, FILE *notes,
                                size_t *measured);

/* The same of a run that a table is held against: of those whose few samples disagree, the ones
 * alone that may be the fastest at their size, and by less. */
dcs_status dcs_dispatch_measure_held(const dcs_run *run, const dcs_refine_options *options,
                                     FILE *notes, size_t *measured);

/* Measures into the run that a table is held against what the table takes there, where the run
 * lacks it; else the same. */
dcs_status dcs_dispatch_measure_taken(const dcs_dispatch_check *check,
                                      const dcs_refine_options *options, FILE *notes,
                                      size_t *measured);

#endif
