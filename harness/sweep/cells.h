/* A sweep's plan, expanded: cells (a number of atoms on a grid), each with the records to fill. */
#ifndef DCS_CELLS_H
#define DCS_CELLS_H

#include "harness/sweep/record.h"
#include "harness/sweep/sweep.h"

typedef struct {
  int64_t atoms;
  dcs_dims n;
  bool from_box; /* n is what the input's box needs */
  dcs_record *records;
  int n_records;
} dcs_cell;

typedef struct {
  dcs_cell *list;
  int n;
} dcs_cells;

/* Expands every line; lines that meet in a cell share it, and a method that two lines name in the
 * same scope and memory is measured once. Groups and plans leave out what
 * this machine cannot run. Scopes are `kernel`, `warm`, `first`; a CPU variant has no `warm`.
 * Memory multiplies the scopes that copies are part of.
 * `molecule` is that of the input, if there is one. DCS_USAGE (DCS_INPUT for a plan) names what is
 * wrong, DCS_UNAVAILABLE a cell that does not fit the memory. The caller frees with
 * dcs_cells_free(). */
dcs_status dcs_expand_cells(const dcs_sweep_options *options, const dcs_molecule *molecule,
                            bool gpu, dcs_cells *cells);
void dcs_cells_free(dcs_cells *cells);

#endif
