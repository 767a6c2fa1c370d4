/* A run row by row, with the times of each: what claims are held against. */
#ifndef DCS_CLAIM_ROWS_H
#define DCS_CLAIM_ROWS_H

#include "harness/runs/run.h"

/* A row of the summary that is ok. Texts are the run's; numbers are NaN where unknown. */
typedef struct {
  const char *variant, *config, *scope;
  const char *size[4]; /* atoms, nx, ny, nz as the run has them */
  double atoms, nx, ny, nz;
  bool cuda;
  double threads, registers, chunk_atoms;
  double *times; /* sorted; above 0 */
  size_t n;      /* at least 1 */
  double median_ns;
} dcs_claim_row;

typedef struct {
  dcs_run run;
  dcs_claim_row *rows; /* in the order of summary.csv */
  size_t n, not_ok;
  double most_threads; /* of a CPU row in scope kernel; 0: there is none */
  double *times;
} dcs_claim_rows;

/* Reads a run folder. Beside the statuses of dcs_run_open(), DCS_INPUT when a column is missing or
 * a row that is ok lacks its numbers or its samples. Free with dcs_claim_rows_free(), whatever the
 * status. */
dcs_status dcs_claim_rows_read(const char *folder, dcs_claim_rows *rows);
void dcs_claim_rows_free(dcs_claim_rows *rows);

/* Which rows to take; of several, the one with the least median. It is picked from the samples that
 * it is then judged by, so it looks a little too fast where many configurations are close. */
typedef struct {
  const char *variant; /* NULL: any */
  const char *without; /* a variant that is not to be taken; NULL: none */
  const char *scope;
  bool cuda;
  double threads; /* 0: any */
} dcs_claim_pick;

/* The best row in the cell of `like`, or NULL. */
const dcs_claim_row *dcs_claim_best(const dcs_claim_rows *rows, const dcs_claim_row *like,
                                    const dcs_claim_pick *pick);

/* Same atoms and grid. */
bool dcs_claim_same_cell(const dcs_claim_row *a, const dcs_claim_row *b);
/* Whether no row before it has its atoms and grid. */
bool dcs_claim_first_of_cell(const dcs_claim_rows *rows, const dcs_claim_row *row);
/* Same variant, scope and cell, and the same configuration but for the parameters whose names begin
 * with `prefix`. */
bool dcs_claim_same_but(const dcs_claim_row *a, const dcs_claim_row *b, const char *prefix);

#endif
