/* A run folder, read: env.csv, samples.csv and summary.csv. The one reader of them; results/README
 * is their data dictionary. */
#ifndef DCS_RUN_H
#define DCS_RUN_H

#include "harness/base/outcome.h"
#include "harness/files/csv.h"
#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"
#include "harness/problems/size.h"

#include <stdio.h>

/* The value of `schema` in env.csv: it changes when columns do. */
#define DCS_RUN_SCHEMA 4

/* Nanoseconds of a sample or a median may be up to this: 30 years. */
#define DCS_MOST_NS 1e18

/* A row of summary.csv. Texts are the run's. Numbers are NaN where the cell is empty; of a row that
 * is ok, median_ns is not. */
typedef struct {
  size_t row; /* in summary.csv, from 0 */
  dcs_size size;
  const char *variant, *config, *devices, *memory; /* memory "": no copy is part of the scope */
  dcs_backend backend;
  dcs_scope scope;
  dcs_outcome outcome;
  int threads, coarsen, chunk; /* 0 where the method has no such parameter */
  double spacing, median_ns, ci_lo_ns, ci_hi_ns, evals_useful, evals_per_s, padding_overhead,
      flops_per_eval, bytes_moved, limit_fraction, registers, overflow, model_error;
  int n;                /* samples behind the numbers */
  int disturbed;        /* of them; 0 where the file does not tell */
  const double *times;  /* its samples, in the order they were taken; n_times */
  const int *process;   /* which of the run's processes took each; 0 where the file does not tell */
  const int *session;   /* likewise; the process where the file does not tell sessions */
  const double *sorted; /* the same times, ascending */
  size_t n_times;       /* n of a row that is ok */
  dcs_stats stats;      /* of the samples */
} dcs_run_row;

typedef struct {
  const char *folder; /* the caller's */
  dcs_table *env, *samples, *summary;
  int env_key, env_value; /* columns */
  dcs_run_row *rows;      /* in the order of summary.csv */
  size_t n_rows;
  size_t n_not_ok;        /* rows whose outcome is not ok */
  size_t n_loose;         /* samples that no row counts, as an interrupted sweep leaves them */
  double *times, *sorted; /* of the samples of all rows, a row behind another: row->times */
  int *processes, *sessions;
} dcs_run;

/* Reads a folder. Samples are handed to the row of their key, each to one. DCS_USAGE when the
 * folder's name is too long; DCS_IO when a file is missing, or as dcs_check_run() says; DCS_INPUT
 * names file, row, what was found and what would be right: another schema, a missing column, a
 * time, size or number that is none, a fact that every run has missing or given twice, two rows of
 * the same key, a row that is ok without times or with fewer samples than it says: samples.csv was
 * cut. Free with dcs_run_close(), whatever the status. */
dcs_status dcs_run_open(dcs_run *run, const char *folder);
/* The same without samples.csv, for what only draws or prints the summary: rows have no times. */
dcs_status dcs_run_open_summary(dcs_run *run, const char *folder);
/* What was measured is never written over: that a table, before a run is begun in its folder, is
 * not there or has no rows, as where a begin was cut off. DCS_USAGE else. */
dcs_status dcs_run_check_no_rows(const char *path);
/* The summary of the reference that is built into the program, measured on one card and its host.
 */
dcs_status dcs_run_open_shipped(dcs_run *run);
void dcs_run_close(dcs_run *run);

/* Of a run whose GPU times are held against another machine's: DCS_INPUT where it does not name its
 * card, without which they would be told as of one machine. */
dcs_status dcs_run_check_card(const dcs_run *run);

/* Reads the keys of samples.csv, as rows without numbers, in the order of the file; the caller
 * frees *keys. For who takes up an interrupted sweep, which has samples of no row. */
dcs_status dcs_run_read_keys(const dcs_table *samples, dcs_run_row **keys);

/* Says what is left out: rows that were cut off, rows that are not ok, samples of no row. */
void dcs_run_notes(const dcs_run *run, FILE *out);

/* The value of a key of env.csv, "" when absent; as a number, NaN when absent or none. */
const char *dcs_run_fact(const dcs_run *run, const char *key);
double dcs_run_fact_number(const dcs_run *run, const char *key);

/* A cell of summary.csv in a column that is not among the fields above; "" when absent. */
const char *dcs_run_cell(const dcs_run *run, const dcs_run_row *row, const char *column);

/* Whether more than a quarter of its samples stayed disturbed: so many move the ends of its
 * interval. */
bool dcs_row_disturbed(const dcs_run_row *row);

/* An order of rows by the key that tells them apart: method, scope, memory, devices and size; texts
 * may be of two runs. 0: the same. */
int dcs_compare_rows(const dcs_run_row *a, const dcs_run_row *b);
/* Whether both are of the same variant and configuration. */
bool dcs_same_row_method(const dcs_run_row *a, const dcs_run_row *b);
/* Whether both configurations, as texts, are the same but for the parameters whose names begin with
 * `prefix`. */
bool dcs_same_config_but(const char *a, const char *b, const char *prefix);
/* The times of b over those of a, as dcs_ratio_of_series() has it. */
dcs_ratio dcs_row_ratio(const dcs_run_row *a, const dcs_run_row *b);

/* The distinct problems of the rows that are ok, in the order of dcs_compare_sizes() with equal
 * axes; the caller frees *list. Their axes are 0. */
dcs_status dcs_run_problems(const dcs_run *run, dcs_size **list, int *n);

/* A fact of env.csv in which two runs differ; "" where absent. */
typedef struct {
  const char *key, *value[2];
  bool incomparable; /* times then differ for that reason alone */
} dcs_difference;

enum { DCS_MAX_DIFFERENCES = 24 };

/* Returns how many; those that make the runs incomparable come first. Facts of the card count only
 * where both runs used one, and the hash of an input not where both are of imported times: it is
 * that of the times. Values are the runs'. */
size_t dcs_run_differences(const dcs_run runs[2], dcs_difference list[DCS_MAX_DIFFERENCES]);

#endif
