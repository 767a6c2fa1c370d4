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
  N_COLUMNS
};

extern const char *const dcs_journal_columns[N_COLUMNS];

/* Where each column is; DCS_INPUT names one that is missing. */
dcs_status dcs_journal_find_columns(const dcs_table *table, int at[N_COLUMNS]);

#endif
