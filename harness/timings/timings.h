/* Timings that other programs took: read from their files, and written as a run folder of a problem
 * of kind `external`, on which crossover, compare, report and plot work as on any. */
#ifndef DCS_TIMINGS_H
#define DCS_TIMINGS_H

#include "harness/base/outcome.h"
#include "harness/problems/problem.h"

#include <stdio.h>

enum { DCS_MOST_VALUES = 16 };

/* A name and a value beside a time: an argument, a parameter, an axis. */
typedef struct {
  char *name, *value;
} dcs_timing_value;

/* Which values of a format are sizes where the user does not say. */
typedef enum {
  DCS_SIZES_ALL,     /* all */
  DCS_SIZES_VARYING, /* whole numbers that are not the same in every time */
  DCS_SIZES_ASKED    /* none: the user says */
} dcs_sizes_rule;

/* A time as a file has it. */
typedef struct {
  char *method;
  dcs_timing_value values[DCS_MOST_VALUES];
  int n_values;
  dcs_scope scope;
  dcs_backend backend; /* DCS_NO_BACKEND: the file does not say */
  dcs_outcome outcome; /* what became of it; a time is one of DCS_OUTCOME_OK */
  double time_ns;
  int64_t round;       /* -1: the file does not say */
  int session;         /* which of the run's took it, from 0; of an import one */
  const char *summary; /* "median" or "mean" of samples that the file does not have; else NULL */
  char where[64];      /* in the file, for messages: "row 7", "results[3]" */
  int64_t axes[DCS_MAX_DIMENSIONS]; /* when arranged */
  char *config;                     /* the other values, "block=32,threads=4"; when arranged */
} dcs_timing;

typedef struct {
  const char *path;
  const char *format; /* its name in formats.def */
  dcs_sizes_rule rule;
  uint64_t hash; /* of the file's bytes */
  dcs_timing *list;
  size_t n;
} dcs_timings;

/* Reads a file in any of the formats. DCS_IO when it cannot be read; DCS_INPUT names file, place,
 * what was found and what would be right. Free with dcs_timings_free(), whatever the status. */
dcs_status dcs_timings_read(const char *path, dcs_timings *timings);
void dcs_timings_free(dcs_timings *timings);

/* Tells sizes from the values that choose a configuration. `sizes`: names with commas between;
 * NULL: by the format's rule. The kind's axes are the sizes, in that order. DCS_USAGE: the user is
 * to say, or said a name that no time has; DCS_INPUT: a size that is none. */
dcs_status dcs_timings_arrange(dcs_timings *timings, const char *sizes, const dcs_kind **kind);

/* Nanoseconds of a time in that unit: s, ms, us, ns, or their names written out; NaN: no unit. */
double dcs_timing_ns(double time, const char *unit);

/* Writes env.csv, samples.csv and summary.csv of arranged timings into a new folder. DCS_USAGE: the
 * folder holds a run. Notes go to `out`: what has too few samples, or none. */
dcs_status dcs_timings_write(const dcs_timings *timings, const dcs_kind *kind, const char *folder,
                             FILE *out);

#endif
