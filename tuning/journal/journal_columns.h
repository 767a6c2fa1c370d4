/* The columns of journal.csv. Internal to the journal; others call journal.h. */
#ifndef DCS_TUNE_JOURNAL_COLUMNS_H
#define DCS_TUNE_JOURNAL_COLUMNS_H

#include "tuning/search/subject.h"

enum { DCS_JOURNAL_SCHEMA = 3 };

/* The subject's columns stand behind SEQ. */
#define DCS_JOURNAL_LIST(X)                                                                        \
  X(SCHEMA, "schema"), X(SEQ, "seq"), X(CONFIG, "config"), X(DEVICE, "device"),                    \
      X(DRIVER, "driver"), X(NVRTC, "nvrtc"), X(PROGRAM, "program"), X(STRATEGY, "strategy"),      \
      X(SEED, "seed"), X(OUTCOME, "outcome"), X(N, "n"), X(MEDIAN, "median_ns"),                   \
      X(CI_LO, "ci_lo_ns"), X(CI_HI, "ci_hi_ns"), X(RATE, "evals_per_s"),                          \
      X(REGISTERS, "registers"), X(COMPILE_MS, "compile_ms"), X(SPENT_S, "spent_s"),               \
      X(INNER, "inner"), X(TIMES, "times_ns"), X(WHY, "why")
enum { DCS_JOURNAL_LIST(DCS_COLUMN_INDEX), N_COLUMNS };
extern const char *const dcs_journal_columns[];

typedef struct {
  dcs_subject_at subject;
  int column[N_COLUMNS];
} dcs_journal_at;

/* Where each column is. DCS_INPUT names one that is missing, or the schema of the first row if it
 * is another one. */
dcs_status dcs_journal_find_columns(const dcs_table *table, dcs_journal_at *at);

#endif
