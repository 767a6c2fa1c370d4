/* The sweep: methods times atoms times grids, verified and timed, into a run folder. */
#ifndef DCS_SWEEP_H
#define DCS_SWEEP_H

#include "harness/rounds/rounds.h"
#include "harness/runs/environment.h"

/* One line of a plan: every method on every number of atoms and every grid. Texts as on the command
 * line; all but variants may be NULL (atoms: all of the input; grid: the input's box; scope:
 * kernel; memory: pageable; problem: the first kind; problem_config: its initial values). */
typedef struct {
  const char *variants, *config, *atoms, *grid, *scope, *memory, *problem, *problem_config;
} dcs_sweep_line;

typedef struct {
  const dcs_sweep_line *lines;
  int n_lines;
  const char *plan; /* file they come from, made for machines with a GPU and without; NULL: none */
  const char *device, *kernels, *out;
  bool device_chosen; /* by the user: then it must be there */
  bool card;          /* the run has the facts of a card, whether or not a line needs it */
  bool resume;
  bool again; /* with it: rows that stopped with fewer samples than sampling.most go on, too */
  const char *turns; /* what their giver calls the run; NULL: none are taken */
  dcs_sampling sampling;
  double budget_s; /* 0: none */
  bool energy;     /* measure the energy of a map */
  bool watch;      /* show the table while it grows: standard error is a terminal */
  double timeout_s;
  dcs_run_facts run; /* input and kernels; of the grid all but n, which comes from the lines */
} dcs_sweep_options;

/* Writes env.csv, samples.csv and summary.csv into options->out, which must not hold a run yet
 * unless `resume`; meanwhile the folder is this sweep's alone (run.lock): DCS_UNAVAILABLE says who
 * has it. DCS_FAILED when a method was wrong or crashed (its rows say so), or on an interrupt. */
dcs_status dcs_sweep(const dcs_sweep_options *options);

/* Reads a plan: a CSV with the columns variants, config, atoms, grid, scope and, where it has them,
 * memory, problem, problem_config. *lines points into the table, which the caller frees last. */
dcs_status dcs_read_plan(const char *path, dcs_table **table, dcs_sweep_line **lines, int *n);

#endif
