/* The rows of a run: samples.csv and summary.csv. results/README.md is the data dictionary. */
#ifndef DCS_RECORD_H
#define DCS_RECORD_H

#include "harness/base/csv.h"
#include "harness/base/outcome.h"
#include "harness/input/case.h"
#include "harness/judge/oracle.h"
#include "harness/judge/recorded.h"
#include "harness/problems/methods.h"
#include "harness/worker/session.h"

/* One method in one scope and memory on one cell (atoms and grid): a row of the summary. */
typedef struct {
  dcs_method method;
  dcs_scope scope;
  dcs_memory memory; /* where copies are part of the scope, else DCS_PAGEABLE */
  const char *device;
  int64_t atoms;   /* of the input */
  int64_t charged; /* of these, with charge: what the kernels work on */
  dcs_dims n;
  double spacing;
  double cutoff; /* angstrom, of a variant that has one; else 0 */
  dcs_smooth smooth;
  dcs_within within;     /* with a cutoff: the pairs nearer than that */
  dcs_examined examined; /* with a cutoff */
  double cutoff_error;   /* with a cutoff: what it leaves out */
  dcs_outcome outcome;
  const char *stop_reason; /* rounds, interval, budget, interrupted; "" without samples */
  dcs_code_facts facts;    /* registers -1: unknown */
  dcs_verdict verdict;     /* meaningful when outcome is ok or wrong */
  double *times_ns;        /* of one map; n_times */
  size_t n_times;
  double limit_evals_per_s; /* NaN: unknown */
  double energy_j;          /* of one map; NaN: not measured */
  dcs_recorded recorded; /* of a tuned configuration: what its record says of this very problem */
  double recorded_pairs; /* with a cutoff: those that the record is of */
} dcs_record;

/* One timed sample. */
typedef struct {
  int round;
  int64_t seq;    /* in the order they were taken, from 0 */
  int64_t inner;  /* maps in the sample */
  double time_ns; /* of one map */
  dcs_telemetry telemetry;
  const char *mark; /* slow_clock, or "" */
} dcs_sample_row;

extern const char *const dcs_sample_columns[];  /* NULL last */
extern const char *const dcs_summary_columns[]; /* NULL last */

/* The columns cutoff to nz. */
void dcs_write_size(dcs_csv *csv, const dcs_record *record);

/* Writes the header row. */
dcs_status dcs_write_header(dcs_csv *csv, const char *const *columns);
dcs_status dcs_write_sample(dcs_csv *csv, const dcs_record *record, const dcs_sample_row *row);
/* Sorts record->times_ns. */
dcs_status dcs_write_summary(dcs_csv *csv, dcs_record *record);

/* Whether copies between host and GPU are part of the scope. */
bool dcs_scope_copies(const dcs_variant *variant, dcs_scope scope);

/* The column `memory`: "" where no copy is part of the scope. */
const char *dcs_record_memory(const dcs_record *record);

/* Points computed beyond those asked for: executed / useful - 1. Of a variant with a cutoff, the
 * column `padding_overhead` has the pairs examined beyond those within the cutoff. */
double dcs_overhead(dcs_dims n, dcs_dims executed);

#endif
