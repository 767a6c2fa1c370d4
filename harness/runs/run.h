/* The files of a run folder, as far as comparing runs needs them. results/README.md is their data
 * dictionary. */
#ifndef DCS_RUN_H
#define DCS_RUN_H

#include "harness/base/csv.h"

#include <stdio.h>

/* The columns that samples.csv and summary.csv share and that together name what was timed. */
enum {
  DCS_KEY_VARIANT,
  DCS_KEY_CONFIG,
  DCS_KEY_SCOPE,
  DCS_KEY_MEMORY,
  DCS_KEY_DEVICES,
  DCS_KEY_CUTOFF, /* this and smooth: absent in runs of before there were cutoffs */
  DCS_KEY_SMOOTH,
  DCS_KEY_ATOMS,
  DCS_KEY_NX,
  DCS_KEY_NY,
  DCS_KEY_NZ,
  DCS_N_KEYS
};
extern const char *const dcs_key_columns[DCS_N_KEYS];

typedef struct {
  dcs_table *table;
  int key[DCS_N_KEYS];
  int value; /* column: time_ns of samples.csv, outcome of summary.csv */
} dcs_run_table;

typedef struct {
  dcs_table *env;
  int env_key, env_value; /* columns */
  dcs_run_table samples, summary;
} dcs_run;

/* Reads env.csv, samples.csv and summary.csv of `folder`. DCS_USAGE when the folder's name is too
 * long, DCS_IO when a file is missing, DCS_INPUT when a column, a time, a fact that every run has,
 * or every sample is, or when a fact comes twice. Free with dcs_run_close(), whatever the status.
 */
dcs_status dcs_run_open(dcs_run *run, const char *folder);
void dcs_run_close(dcs_run *run);

/* Says what is left out of the run: rows that were cut off, and so many of the summary that are not
 * ok. */
void dcs_run_notes(const dcs_run *run, size_t not_ok, FILE *out);

/* Whether the row is of a map of all atoms: not of one within a cutoff. */
bool dcs_run_whole_sum(const dcs_run_table *t, size_t row);

/* The times of the samples that belong to a row of the summary, in the order they were taken, into
 * `times`, which has room for all samples; returns how many. */
size_t dcs_run_times(const dcs_run *run, size_t row, double *times);

/* The value of a key of env.csv; "" when absent. */
const char *dcs_run_fact(const dcs_run *run, const char *key);

/* A fact of env.csv in which two runs differ; "" where absent. */
typedef struct {
  const char *key, *value[2];
  bool incomparable; /* times then differ for that reason alone */
} dcs_difference;

enum { DCS_MAX_DIFFERENCES = 24 };

/* Returns how many; those that make the runs incomparable come first. Facts of the card count only
 * where both runs used one. Values are the runs'. */
size_t dcs_run_differences(const dcs_run runs[2], dcs_difference list[DCS_MAX_DIFFERENCES]);

#endif
