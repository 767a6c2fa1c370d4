/* A sweep's plan, expanded: cells (a size), each with the problems of its kind that are measured on
 * it and the records to fill. All problems on one size share the cell, and so the rounds: they are
 * the same in fast spells of the machine and in slow ones. */
#ifndef DCS_CELLS_H
#define DCS_CELLS_H

#include "harness/runs/record.h"
#include "harness/sweep/sweep.h"

typedef struct {
  dcs_size size;   /* its config is that of no problem in particular */
  bool from_box;   /* the grid is what the input's box needs */
  double spacing;  /* of the grid, angstrom */
  char *too_large; /* what it needs more memory for than there is; NULL: it fits */
  dcs_config *problems;
  int n_problems;
  dcs_record *records;
  int n_records;
  bool has_rows; /* summary.csv has some of it */
  double took_s; /* to measure it, now; 0: not yet */
} dcs_cell;

typedef struct {
  dcs_cell *list;
  int n;
} dcs_cells;

/* The tuned configuration for a record's variant and scope (--config tuned), into
 * record->method.config and, where it was measured on this machine and this very problem,
 * record->previous and previous_work. The database lies above the harness, so main sets this;
 * NULL: there is none. */
typedef dcs_status dcs_tuned_finder(const dcs_facts *facts, const char *kernels,
                                    dcs_record *record);
extern dcs_tuned_finder *dcs_find_tuned;

/* Expands every line; lines that meet in a cell share it, and a method that two lines name in the
 * same scope and memory is measured once. Groups and plans leave out what
 * this machine cannot run. Scopes are `kernel`, `warm`, `first`, `frame`; a CPU variant has no
 * `warm` and no `frame`.
 * Memory multiplies the scopes that copies are part of; a method is measured on each of the line's
 * problems that its variant solves.
 * `molecule` is that of the input, if there is one; `facts` are those of the machine, for
 * dcs_find_tuned. With a budget the cells come by weight, the light ones first: what they do not
 * need is left to the heavy ones. DCS_USAGE (DCS_INPUT for a plan) names what is wrong,
 * DCS_UNAVAILABLE where no cell fits the memory; else those that do not are marked. The caller
 * frees with dcs_cells_free(). */
dcs_status dcs_expand_cells(const dcs_sweep_options *options, const dcs_molecule *molecule,
                            bool gpu, const dcs_facts *facts, dcs_cells *cells);
void dcs_cells_free(dcs_cells *cells);
void dcs_cell_free(dcs_cell *cell); /* what it holds */
/* What was found of its methods, which will be verified again; their samples stay. What failed, and
 * was not killed, is finished. */
void dcs_cell_forget_verdicts(dcs_cell *cell);

/* ---- what cells cost ---- */

/* Marks a cell that does not fit the bytes that are available. */
dcs_status dcs_cell_check_memory(dcs_cell *cell, double available);

/* How long a cell takes, in units that only compare: evaluations, and a fixed cost. */
double dcs_cell_weight(const dcs_cell *cell);
/* Of the time that is left for cell c and those after it, what cell c may use: half is divided by
 * weight, since each round of a cell takes as long, and half evenly: what takes long whatever the
 * size, such as starting a process, is not starved. */
double dcs_cell_share(const dcs_cells *cells, int c);
/* Moves cells that were measured and have a method whose samples the budget ended below `least`
 * behind the others, to be measured on: as many, from the first, as took at most `left_s` together;
 * of these the one that lacks most last, since it gets what the others do not need. Index of the
 * first. */
int dcs_cells_short_last(dcs_cells *cells, int least, double left_s);
/* Orders the cells: the light ones first, else as they came. DCS_UNAVAILABLE: memory is short. */
dcs_status dcs_cells_light_first(dcs_cells *cells);

#endif
