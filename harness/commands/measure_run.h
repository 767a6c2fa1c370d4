/* The run folder of timed commands. Internal to harness/commands. */
#ifndef DCS_MEASURE_RUN_H
#define DCS_MEASURE_RUN_H

#include "harness/base/progress.h"
#include "harness/commands/measure.h"
#include "harness/files/csv.h"
#include "harness/files/lock.h"
#include "harness/timings/timings.h"

#include <regex.h>

/* A row of the summary: a method at a size. */
typedef struct {
  dcs_timing of; /* method, scope, axes; outcome */
  const char *command;
  double *times;
  size_t n;
  const char *stop_reason; /* "": not done yet */
  char why[DCS_TEXT];
} dcs_measured_row;

typedef struct {
  const dcs_measure_options *options;
  const dcs_kind *kind;
  regex_t expression;
  dcs_measured_row *rows; /* size by size */
  int n_rows;
  dcs_csv samples;
  int64_t seq;
  int session;  /* which of the run's this is, from 0 */
  double *room; /* for one row's times */
  double sampled_s;
  dcs_progress progress;
  dcs_lock lock;
} dcs_measuring;

/* Takes the folder for itself, and starts its files or takes up those of an earlier part: failures
 * are final, what was interrupted or ended by a budget goes on. */
dcs_status dcs_measure_open(dcs_measuring *m);

/* Writes the whole summary anew: rows of earlier sizes stand in it until the new ones do. */
dcs_status dcs_measure_write(dcs_measuring *m);

#endif
