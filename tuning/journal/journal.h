/* journal.csv: every evaluation of a tuning, as it was made. results/README.md has its columns. */
#ifndef DCS_TUNE_JOURNAL_H
#define DCS_TUNE_JOURNAL_H

#include "harness/base/grow.h"
#include "harness/files/lock.h"
#include "tuning/search/search.h"
#include "tuning/search/subject.h"

/* ---- writing ---- */

typedef struct {
  dcs_csv csv;
  dcs_lock lock;        /* PATH.lock; none is held: the writer is closed */
  int64_t seq;          /* of the next row */
  dcs_subject subject;  /* of the rows */
  const char *strategy; /* what asks for the evaluations; "final" for the last measurement */
  uint64_t seed;
  const char *device, *driver, *nvrtc; /* "" where there is none */
} dcs_journal_writer;

/* Opens for appending; a new file gets its header. DCS_UNAVAILABLE when another process writes to
 * it, DCS_IO where files have no locks, DCS_INPUT when the file is no journal of this schema. The
 * caller sets subject and what follows. */
dcs_status dcs_journal_open(const char *path, dcs_journal_writer *writer);
dcs_status dcs_journal_close(dcs_journal_writer *writer);

/* What one evaluation adds: `evaluation` holds the new samples alone. */
typedef struct {
  const dcs_config *config;
  const dcs_evaluation *evaluation;
  int64_t inner;   /* outputs in a sample */
  double spent_s;  /* compiling, verifying, sampling */
  const char *why; /* of a failure; "" otherwise */
} dcs_journal_row;

dcs_status dcs_journal_write(dcs_journal_writer *writer, const dcs_journal_row *row);

/* ---- reading ---- */

/* All evaluations of one subject. */
typedef struct {
  dcs_subject subject;
  dcs_config *configs; /* in the order they appeared; n */
  dcs_evaluation *evaluations;
  int n;
} dcs_recorded_space;

typedef struct {
  dcs_recorded_space *list; /* in the order they appeared */
  int n;
  dcs_room room; /* variants that are made for what other tuners recorded */
} dcs_journal;

/* Reads and joins journals, and results of other tuners: T4, KTT's output, caches of Kernel Tuner.
 * Samples of one configuration add up; a failure replaces what was before it, and samples replace a
 * failure. A last row that was cut off is left out, with a line to `notes`; so are rows of
 * specifications that are not read, without one. DCS_INPUT names file, row and what is wrong. Free
 * with dcs_journal_free(), whatever the status. */
dcs_status dcs_journal_read(char *const *paths, int n_paths, dcs_journal *journal, FILE *notes);
void dcs_journal_free(dcs_journal *journal);

/* The recording of that subject, or NULL. */
const dcs_recorded_space *dcs_journal_find(const dcs_journal *journal, const dcs_subject *subject);

#endif
