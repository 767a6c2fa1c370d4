/* Measuring again what a decision would not believe. */
#ifndef DCS_DISPATCH_MEASURE_H
#define DCS_DISPATCH_MEASURE_H

#include "tuning/crossover/refine.h"
#include "tuning/dispatch/dispatch_pool.h"

/* Takes twice as many samples as there are of the doubtful rows, into the run's folder, with the
 * device, kernels and time-out of the options; *doubtful becomes the number of rows. Where it is
 * not 0 the run must be read anew. DCS_USAGE where the run had an input; the statuses of
 * dcs_refine_sweep(). */
dcs_status dcs_dispatch_measure(const dcs_run *run, const dcs_refine_options *options, FILE *notes,
                                size_t *doubtful);

#endif
