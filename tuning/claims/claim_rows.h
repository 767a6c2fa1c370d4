/* The rows of a run that claims are held against. */
#ifndef DCS_CLAIM_ROWS_H
#define DCS_CLAIM_ROWS_H

#include "harness/base/grow.h"
#include "harness/runs/run.h"

typedef struct {
  dcs_run run;
  dcs_run_row *rows; /* those that are ok, of the problem of the case study, in the order of
                        summary.csv; median_ns is that of their samples */
  size_t n;
  const dcs_run_row **sizes; /* the first row of each size */
  size_t n_sizes;
  dcs_room room;
  int most_threads; /* of a CPU row in scope kernel; 0: there is none */
} dcs_claim_rows;

/* Reads a run folder; the statuses of dcs_run_open(). Free with dcs_claim_rows_free(), whatever the
 * status. */
dcs_status dcs_claim_rows_read(const char *folder, dcs_claim_rows *rows);
void dcs_claim_rows_free(dcs_claim_rows *rows);

/* Which rows to take; of several, the one with the least median. It is picked from the samples that
 * it is then judged by, so it looks a little too fast where many configurations are close. */
typedef struct {
  const char *variant; /* NULL: any */
  const char *without; /* a variant that is not to be taken; NULL: none */
  dcs_scope scope;
  dcs_backend backend;
  int threads; /* 0: any */
} dcs_claim_pick;

/* The best row at the size of `like`, or NULL. */
const dcs_run_row *dcs_claim_best(const dcs_claim_rows *rows, const dcs_run_row *like,
                                  const dcs_claim_pick *pick);

/* Same variant, scope and size, and the same configuration but for the parameters whose names begin
 * with `prefix`. */
bool dcs_claim_same_but(const dcs_run_row *a, const dcs_run_row *b, const char *prefix);

#endif
