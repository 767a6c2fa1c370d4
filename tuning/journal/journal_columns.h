/* The columns of journal.csv. Internal to the journal; others call tune_journal.h. */
#ifndef DCS_TUNE_JOURNAL_COLUMNS_H
#define DCS_TUNE_JOURNAL_COLUMNS_H

#include "harness/base/csv.h"

enum {
  SCHEMA,
  SEQ,
  VARIANT,
  CONFIG,
  SCOPE,
  DEVICE,
  MACHINE,
  CAPABILITY,
  UNITS,
  DRIVER,
  NVRTC,
  PROGRAM,
  KERNEL_HASH,
  ATOMS,
  NX,
  NY,
  NZ,
  STRATEGY,
  SEED,
  OUTCOME,
  N,
  MEDIAN,
  CI_LO,
  CI_HI,
  RATE,
  REGISTERS,
  COMPILE_MS,
  SPENT_S,
  INNER,
  TIMES,
  WHY,
  CUTOFF, /* this one and the next three are not in files of the former schema */
  SMOOTH,
  SPACING,
  EVALS,
  N_COLUMNS
};

extern const char *const dcs_journal_columns[N_COLUMNS];

/* Columns of a file of the former schema. */
enum { N_FORMER_COLUMNS = CUTOFF };

/* Where each column is; -1 for those that a file of the former schema does not have. DCS_INPUT
 * names one that is missing. */
dcs_status dcs_journal_find_columns(const dcs_table *table, int at[N_COLUMNS]);

#endif
