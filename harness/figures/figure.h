/* What the figures share: the rows of a run, how the best of them is found, and how the data that
 * gnuplot reads is written. Internal to the figures; others call dcs_figures(). */
#ifndef DCS_FIGURE_H
#define DCS_FIGURE_H

#include "harness/base/csv.h"
#include "harness/base/outcome.h"
#include "kernels/contract.h"

#include <stdio.h>

/* ---- the rows of a run (figure_run.c, figure_rows.c) ---- */

/* Rows of the whole sum, where another row has the index of a cutoff. */
enum { DCS_FIGURE_WHOLE = -2 };

/* One row of summary.csv. Texts are indices into the run's lists, so that rows compare quickly. */
typedef struct {
  int variant, config, cell;
  int cut; /* DCS_FIGURE_WHOLE, or the cutoff */
  dcs_backend backend;
  dcs_scope scope;
  int coarsen, threads;                 /* 0 where the cell is empty */
  double overhead;                      /* executed points / useful points - 1; 0 where unknown */
  double median_ns, ci_lo_ns, ci_hi_ns; /* the interval may be NaN */
  double evals_per_s;
  double limit_fraction;              /* may be NaN */
  double flops_per_eval, bytes_moved; /* NaN in an older run */
  double overflow_atoms;              /* NaN where the method has no bins */
  double cutoff_error;                /* NaN for the whole sum */
  const char *memory;                 /* "" where copies are not part of the scope */
  bool ok; /* outcome ok, and a time and a rate above zero: may be drawn */
} dcs_figure_row;

/* Who computes: a group of bars or points, with limits of its own. */
typedef enum {
  DCS_FIGURE_ONE_THREAD,
  DCS_FIGURE_ALL_THREADS,
  DCS_FIGURE_GPU,
  DCS_FIGURE_KINDS
} dcs_figure_kind;

/* Measured limits of one of them, from env.csv; NaN where not measured. */
typedef struct {
  double evals_per_s, fma_per_s, bytes_per_s;
} dcs_figure_limits;

/* A size of the problem; the run's cells ascend by grid, then by atoms. */
typedef struct {
  dcs_dims n;
  int64_t atoms;
  double spacing; /* angstrom; NaN where summary.csv lacks it */
} dcs_figure_cell;

/* A cutoff in angstrom and its smoothing; the run's ascend by smoothing, then by cutoff. */
typedef struct {
  double cutoff;
  const char *smooth;
} dcs_figure_cut;

typedef struct {
  const char *dir;      /* the run folder */
  dcs_figure_row *rows; /* of whole sums */
  size_t n_rows;
  dcs_figure_row *within; /* of maps within a cutoff */
  size_t n_within;
  dcs_figure_cut *cuts;
  int n_cuts;
  dcs_figure_cell *cells;
  int n_cells;
  const char **variants; /* in the ladder's order */
  int n_variants;
  const char **configs;
  int n_configs;
  bool gpu_is_reference;      /* the GPU rows are the reference's */
  const char *gpu_suffix;     /* "" or " (reference)": ends the name of every GPU series */
  char machine[3 * DCS_TEXT]; /* the second line of a title */
  dcs_figure_limits limits[DCS_FIGURE_KINDS];
  dcs_table *tables[4]; /* own the texts */
} dcs_figure_run;

/* Reads summary.csv and env.csv of `dir`, and of `reference` (may be NULL) where `dir` has no GPU
 * row that can be drawn. Free with dcs_figure_unload(), whatever the status. */
dcs_status dcs_figure_load(dcs_figure_run *run, const char *dir, const char *reference);
void dcs_figure_unload(dcs_figure_run *run);

/* Used by dcs_figure_load(). Appends the table's rows of one backend; the run's arrays have room.
 * dcs_figure_sort() puts variants and cells in order when all are there. */
dcs_status dcs_figure_append(dcs_figure_run *run, const dcs_table *t, dcs_backend backend);
dcs_status dcs_figure_sort(dcs_figure_run *run);

/* Which rows are meant; DCS_FIGURE_ANY leaves a field out. `cut` chooses between the rows of whole
 * sums (DCS_FIGURE_WHOLE), those of any cutoff and those of one. */
enum { DCS_FIGURE_ANY = -1 };
typedef struct {
  int variant, config, cell, backend, scope, threads, coarsen, cut;
} dcs_figure_pick;

/* Of the whole sum; every other field DCS_FIGURE_ANY. */
extern const dcs_figure_pick dcs_figure_any;

/* The first matching row after `row` (NULL: of all), whether or not it may be drawn; NULL: none. */
const dcs_figure_row *dcs_figure_next(const dcs_figure_run *run, const dcs_figure_pick *pick,
                                      const dcs_figure_row *row);
/* The matching row that may be drawn and has the highest rate; NULL where there is none. */
const dcs_figure_row *dcs_figure_best(const dcs_figure_run *run, const dcs_figure_pick *pick);
/* Matching rows that may not be drawn. */
int dcs_figure_left_out(const dcs_figure_run *run, const dcs_figure_pick *pick);

/* ---- data for gnuplot (figure_data.c) ---- */

/* A value with its interval; lo and hi equal the value where no interval is known. */
typedef struct {
  double value, lo, hi;
} dcs_figure_value;

dcs_figure_value dcs_figure_ms(const dcs_figure_row *row);
dcs_figure_value dcs_figure_geps(const dcs_figure_row *row); /* 1e9 evaluations/s */

/* Writes the text as a quoted string that gnuplot reads back unchanged; control characters become
 * spaces. `decodes` is how often gnuplot interprets backslashes on the text's way to the picture: 1
 * for titles, 2 for points drawn "with labels". */
void dcs_figure_text(FILE *dat, const char *text, int decodes);
/* The first block: the title, the machine and, where `left_out` is not 0, how many rows were. */
void dcs_figure_titles(FILE *dat, const dcs_figure_run *run, int left_out, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Starts a block; a series has its name as the first line. */
void dcs_figure_block(FILE *dat);
void dcs_figure_series(FILE *dat, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of a series: x, value, lo, hi, and for the reader the variant, configuration and, where
 * it matters, memory. */
void dcs_figure_point(FILE *dat, const dcs_figure_run *run, const dcs_figure_row *row, double x,
                      dcs_figure_value y);

/* "100x100x1"; returns text. */
char *dcs_figure_grid(dcs_dims n, char text[DCS_TEXT]);
/* "12 Å (smoothing c2)"; returns text. */
char *dcs_figure_cut_name(const dcs_figure_run *run, int cut, char text[DCS_TEXT]);

/* ---- sizes over the atoms (figure_sizes.c) ---- */

/* What the sizes have in common: the grid, or atoms per volume of the grid within 20%; or none. */
typedef enum { DCS_FIGURE_GRID, DCS_FIGURE_DENSITY, DCS_FIGURE_NOTHING } dcs_figure_family;

/* Cells of one cutoff, one for each number of atoms (the largest grid), ascending. */
typedef struct {
  int *cells, n;
  int cut;
  dcs_figure_family family;
} dcs_figure_sizes;

/* Of the families from `first` to `last`, the one with the most numbers of atoms, at least two, for
 * which `drawn` holds; those with nothing in common only where no other is there, and a density
 * only where the atoms differ by a factor of 2 or more. Of equals the larger cutoff. n is 0 where
 * there is none. The caller frees `cells`, whatever the status. */
dcs_status dcs_figure_choose_sizes(const dcs_figure_run *run,
                                   bool (*drawn)(const dcs_figure_run *run, int cell, int cut),
                                   dcs_figure_family first, dcs_figure_family last,
                                   dcs_figure_sizes *sizes);
/* A line of the title: "grid 100x100x1", or from which to which, and the densities. */
void dcs_figure_sizes_line(FILE *dat, const dcs_figure_run *run, const dcs_figure_sizes *sizes);
/* The best row of the pick; where its cell has none, that of the largest cell that has one. */
const dcs_figure_row *dcs_figure_best_or_elsewhere(const dcs_figure_run *run, dcs_figure_pick pick);
/* The most threads of a CPU row of these sizes that may be drawn, of the whole sum where `whole`
 * and within the cutoff; at least 1. */
int dcs_figure_sizes_threads(const dcs_figure_run *run, const dcs_figure_sizes *sizes, bool whole);
/* Points of a cell's grid. */
double dcs_figure_points(const dcs_figure_cell *cell);
/* Atoms per cubic angstrom of a cell's grid; NaN where the spacing is not known. */
double dcs_figure_density(const dcs_figure_cell *cell);

/* ---- thresholds (figure_thresholds.c) ---- */

/* What `dcsbench crossover` has written into the run folder. */
typedef struct {
  dcs_table *thresholds, *winners; /* NULL where they are not there */
} dcs_figure_thresholds;

/* Leaves the reason in `why` where the files are not there, or none of the rows is of that axis.
 * DCS_INPUT where a column is missing. Close whatever the status. */
dcs_status dcs_figure_thresholds_open(const dcs_figure_run *run, const char *axis,
                                      dcs_figure_thresholds *t, char why[DCS_TEXT]);
void dcs_figure_thresholds_close(dcs_figure_thresholds *t);

/* The cell in a column that dcs_figure_thresholds_open() has seen to be there. */
const char *dcs_figure_entry(const dcs_table *table, size_t row, const char *column);
double dcs_figure_number(const dcs_table *table, size_t row, const char *column);

enum { DCS_FIGURE_PANELS = 6 };
/* The rows of that axis to draw a panel for: those with status ok, then others with an estimate,
 * then the rest, each in the order of the file; `same` tells rows that share a panel (NULL: none),
 * of which the first stands for all. *total becomes the number of panels that there could be. */
size_t dcs_figure_panels(const dcs_table *thresholds, const char *axis,
                         bool (*same)(const dcs_table *thresholds, size_t a, size_t b),
                         size_t rows[DCS_FIGURE_PANELS], size_t *total);

/* Whether the size of a row of winners.csv is held between the methods of a threshold, in its
 * scope. *exchanged: what is a there is b here. */
bool dcs_figure_same_pair(const dcs_figure_thresholds *t, size_t threshold, size_t winner,
                          bool *exchanged);

/* A method's own colour, as a number of the scripts' line types. */
int dcs_figure_colour(const char *method);
/* The first block, with the machine of thresholds: the run's own. */
void dcs_figure_threshold_titles(FILE *dat, const dcs_figure_run *run, size_t drawn, size_t total,
                                 const char *title);
/* "16.9k"; returns text. */
char *dcs_figure_short(double value, char text[32]);

/* ---- the figures ---- */

/* Each writes its data to `dat`, or nothing and the reason to `why` (else left empty). */
dcs_status dcs_figure_time_vs_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_rate_vs_coarsening(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_rate_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_padding_vs_edge(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_ladder(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_crossover_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_crossover_points(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_crossover_map(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);

dcs_status dcs_figure_cutoff_time(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_cutoff_density(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_cutoff_capacity(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_cutoff_error(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
dcs_status dcs_figure_roofline(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);

/* The largest cell that has at least half as many bars of the ladder (variants and kinds timed in
 * scope kernel) as the one with most: a small problem leaves a GPU idle and shows nothing of its
 * kernels. Of equals the one with the largest slices. -1 where nothing was timed. */
int dcs_figure_ladder_cell(const dcs_figure_run *run);
/* The most threads of a CPU row that may be drawn, in scope kernel of the cell (DCS_FIGURE_ANY: of
 * any); at least 1. */
int dcs_figure_most_threads(const dcs_figure_run *run, int cell);

/* Padding overhead of a grid of n points covered by whole tiles: executed / useful - 1. */
double dcs_padding_overhead(dcs_dims n, dcs_dims tile);

#endif
