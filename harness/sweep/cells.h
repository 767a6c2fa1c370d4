/* A sweep's plan, expanded: cells (a number of atoms on a grid), each with the records to fill. */
#ifndef DCS_CELLS_H
#define DCS_CELLS_H

#include "harness/sweep/record.h"
#include "harness/sweep/sweep.h"

typedef struct {
  int64_t atoms; /* 0: all of the input */
  dcs_dims n;    /* 0: the input's box */
  dcs_record *records;
  int n_records;
} dcs_cell;

typedef struct {
  dcs_cell *list;
  int n;
} dcs_cells;

/* Expands every line; lines that meet in a cell share it, and a method that two lines name in the
 * same scope is measured once. Scopes are `kernel`, `warm`, `first`; a CPU variant has no `warm`.
 * DCS_USAGE names what is wrong. The caller frees with dcs_cells_free(). */
dcs_status dcs_expand_cells(const dcs_sweep_options *options, dcs_cells *cells);
void dcs_cells_free(dcs_cells *cells);

#endif
