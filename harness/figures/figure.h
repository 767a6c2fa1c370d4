/* What the figures share: the rows of a run, how the best of them is found, and how the data that
 * gnuplot reads is written. Others call dcs_figures(); a report picks its rows as figures do. */
#ifndef DCS_FIGURE_H
#define DCS_FIGURE_H

#include "harness/base/grow.h"
#include "harness/runs/run.h"

#include <stdio.h>

/* ---- the rows of a run (figure_run.c) ---- */

/* Stands in for an index where nothing else says which problem: the run's `direct` one. */
enum { DCS_FIGURE_DIRECT = -2 };

/* A row with what it is an index of, so that rows are picked quickly. */
typedef struct dcs_figure_row {
  const dcs_run_row *of;
  const struct dcs_figure_row *next; /* of its size; NULL: none */
  int variant, size;
  int problem; /* DCS_FIGURE_DIRECT, or of the run's others */
  bool ok;     /* may be drawn */
} dcs_figure_row;

/* Who computes: a group of points, with limits of its own. */
typedef enum {
  DCS_FIGURE_ONE_THREAD,
  DCS_FIGURE_ALL_THREADS,
  DCS_FIGURE_GPU,
  DCS_FIGURE_GROUPS
} dcs_figure_group;

/* Measured limits of one of them, from env.csv; NaN where not measured. */
typedef struct {
  double evals_per_s; /* what the kind's rate is held against */
  double fma_per_s, bytes_per_s;
} dcs_figure_limits;

/* A size, whatever the problem. */
typedef struct {
  dcs_size key;               /* of the direct problem */
  dcs_dims n;                 /* points */
  double inputs;              /* along the kind's first dimension: atoms */
  double spacing;             /* angstrom; NaN where the run does not say */
  const dcs_figure_row *rows; /* the first of it; the others are behind */
} dcs_figure_size;

typedef struct {
  const char *dir;       /* where the files of `dcsbench crossover` are: the run folder */
  dcs_run own, other;    /* the run, and the reference */
  bool gpu_is_reference; /* the GPU rows are the reference's */
  const char *gpu_name;  /* NULL: as the run says; else the card of what is drawn, another machine's
                          */
  const char *gpu_suffix; /* "" or " (reference)": ends the name of every GPU series */
  /* What is drawn, of one kind: */
  const dcs_kind *kind;
  dcs_figure_row *rows;
  size_t n_rows;
  dcs_figure_size *sizes; /* ascending by grid, then by inputs */
  int n_sizes;
  dcs_config direct;  /* the kind's initial problem; where a run has neither it nor what
                         approximates it, that of the first row */
  dcs_size *problems; /* but the direct one, ascending by the values of the parameters; no axes */
  int n_problems;
  const char **variants; /* in the ladder's order */
  int n_variants;
  dcs_figure_limits limits[DCS_FIGURE_GROUPS];
  dcs_room room, of_figures; /* for these lists; for what a figure takes */
  dcs_room *figure;          /* the latter: figures change nothing else of a run */
} dcs_figure_run;

/* Opens `dir`, and `reference` (may be NULL), whose GPU rows are drawn where `dir` has none of the
 * kind, and takes up the first kind of which there are rows. Free with dcs_figure_unload(),
 * whatever the status. */
dcs_status dcs_figure_load(dcs_figure_run *run, const char *dir, const char *reference);
void dcs_figure_unload(dcs_figure_run *run);
/* Whether the run has rows of the kind; takes up another kind. */
bool dcs_figure_holds(const dcs_figure_run *run, const dcs_kind *kind);
dcs_status dcs_figure_take(dcs_figure_run *run, const dcs_kind *kind);

/* Which rows are meant; DCS_FIGURE_ANY leaves a field out. */
enum { DCS_FIGURE_ANY = -1 };
typedef struct {
  int variant, size, backend, scope, threads, coarsen, problem;
  const char *config; /* NULL: any */
} dcs_figure_pick;

/* Of the direct problem; every other field DCS_FIGURE_ANY. */
extern const dcs_figure_pick dcs_figure_any;
/* Sets size and problem to those of a size of the kind; false: the run has no such size. */
bool dcs_figure_pick_size(const dcs_figure_run *run, const dcs_size *size, dcs_figure_pick *pick);
/* The axes of a size, "4000 atoms, 64x64x64": the title has the problem. Returns text. */
char *dcs_figure_axes(const dcs_figure_run *run, int size, char text[DCS_TEXT]);
/* dcs_figure_any at one size and scope. */
dcs_figure_pick dcs_figure_pick_at(int size, dcs_scope scope);
/* Sets backend and threads (`all`: how many all threads are). */
void dcs_figure_pick_group(dcs_figure_pick *pick, dcs_figure_group group, int all);

/* The first matching row after `row` (NULL: of all), whether or not it may be drawn; NULL: none. */
const dcs_figure_row *dcs_figure_next(const dcs_figure_run *run, const dcs_figure_pick *pick,
                                      const dcs_figure_row *row);
/* The matching row that may be drawn and has the highest rate; NULL where there is none. */
const dcs_figure_row *dcs_figure_best(const dcs_figure_run *run, const dcs_figure_pick *pick);
/* The same, and where its size has none, that of the largest size that has one. */
const dcs_figure_row *dcs_figure_best_or_elsewhere(const dcs_figure_run *run, dcs_figure_pick pick);
/* Whether a variant of that name multiplies on units that have a limit of their own. */
bool dcs_figure_on_other_units(const char *name);
/* The most threads of a matching CPU row that may be drawn; at least 1. */
int dcs_figure_most_threads(const dcs_figure_run *run, dcs_figure_pick pick);
/* Whether a size has more points, or as many and no fewer inputs. */
bool dcs_figure_is_larger(const dcs_figure_size *a, const dcs_figure_size *b);
/* Points of a size's grid; the same times its inputs. */
double dcs_figure_points(const dcs_figure_size *size);
double dcs_figure_extent(const dcs_figure_size *size);

/* What the title says of the rows that a figure is drawn of. */
typedef struct {
  bool drawn[2]; /* by backend: machines are named where they are drawn */
  int left_out;  /* rows that may not be drawn */
} dcs_figure_seen;
/* Counts the matching rows in. */
void dcs_figure_see(const dcs_figure_run *run, const dcs_figure_pick *pick, dcs_figure_seen *seen);

/* ---- data for gnuplot (figure_data.c) ---- */

/* A value with its interval; lo and hi equal the value where no interval is known. */
typedef struct {
  double value, lo, hi;
} dcs_figure_value;

dcs_figure_value dcs_figure_ms(const dcs_figure_row *row);
dcs_figure_value dcs_figure_geps(const dcs_figure_row *row); /* 1e9 evaluations/s */
dcs_figure_value dcs_figure_scaled(dcs_figure_value value, double factor);

/* Writes the text as a quoted string that gnuplot reads back unchanged; control characters become
 * spaces, bytes that are no character of UTF-8 are left out. `decodes` is how often gnuplot
 * interprets backslashes on the text's way to the picture: 1 for titles, 2 for points drawn "with
 * labels". */
void dcs_figure_text(FILE *dat, const char *text, int decodes);
/* The first block: the title, the problem before it if it is not the initial one of the first kind,
 * the machines that are drawn and how many rows were left out; more lines may follow. */
void dcs_figure_titles(FILE *dat, const dcs_figure_run *run, dcs_figure_seen seen,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Leaves the reason for which nothing is drawn; returns DCS_OK. */
dcs_status dcs_figure_skip(char why[DCS_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a figure of the direct problem; where the run has none but approximations of it, the
 * reason says so. */
dcs_status dcs_figure_skip_exact(const dcs_figure_run *run, char why[DCS_TEXT], const char *format,
                                 ...) __attribute__((format(printf, 3, 4)));
/* A line of text. */
void dcs_figure_line(FILE *dat, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Starts a block; a series has its name as the first line. */
void dcs_figure_block(FILE *dat);
#define dcs_figure_series(dat, ...) (dcs_figure_block(dat), dcs_figure_line(dat, __VA_ARGS__))
/* A line of a series: x, value, lo, hi, and for the reader the variant, configuration and, where
 * it matters, memory. */
void dcs_figure_point(FILE *dat, const dcs_figure_row *row, double x, dcs_figure_value y);

/* The end of a line of a series: what a reader wants to know of the method. memory "": it does not
 * matter. */
void dcs_figure_method_texts(FILE *dat, const char *variant, const char *config,
                             const char *memory);

/* "16.9k"; returns text. */
char *dcs_figure_short(double value, char text[32]);
/* "CPU, 4 threads", "GPU (reference)"; returns text. */
char *dcs_figure_group_name(const dcs_figure_run *run, dcs_figure_group group, int all,
                            char text[DCS_TEXT]);

/* ---- thresholds (figure_thresholds.c) ---- */

/* What `dcsbench crossover` has written into the run folder. */
typedef struct {
  const dcs_figure_run *run;
  const char *axis;
  dcs_table *thresholds, *winners; /* NULL where they are not there */
} dcs_figure_thresholds;

/* Leaves the reason in `why` where the files are not there, or none of the rows is of the kind and
 * axis. DCS_INPUT where a column is missing. Close whatever the status. */
dcs_status dcs_figure_thresholds_open(const dcs_figure_run *run, const char *axis,
                                      dcs_figure_thresholds *t, char why[DCS_TEXT]);
void dcs_figure_thresholds_close(dcs_figure_thresholds *t);

/* The number in a column that dcs_figure_thresholds_open() has seen to be there. */
double dcs_figure_number(const dcs_table *table, size_t row, const char *column);
/* Whether a row of the thresholds is of the kind and axis. */
bool dcs_figure_on_axis(const dcs_figure_thresholds *t, size_t row);

enum { DCS_FIGURE_PANELS = 6 };
/* The rows to draw a panel for: those with status ok, then others with an estimate, then the rest,
 * each in the order of the file, as many as there are colours for. `same` tells rows that share a
 * panel, of which the first stands for all (NULL: none do), and `drawn` which of these have data
 * enough (given `with`). */
typedef struct {
  size_t rows[DCS_FIGURE_PANELS], n;
  size_t total; /* panels that there could be */
} dcs_figure_panels;
dcs_figure_panels dcs_figure_choose_panels(const dcs_figure_thresholds *t,
                                           bool (*same)(const dcs_table *thresholds, size_t a,
                                                        size_t b),
                                           bool (*drawn)(void *with, size_t row), void *with);

/* The problem that both methods of a threshold were measured on, "k=v"; "": the initial one, or
 * they differ. */
const char *dcs_figure_problem(const dcs_figure_thresholds *t, size_t threshold);
/* A method of the threshold; where they differ with its problem, if that is not the initial one,
 * "gpu k=v"; returns text. */
char *dcs_figure_method(const dcs_figure_thresholds *t, size_t threshold, bool b,
                        char text[DCS_TEXT]);

/* Reads the size of a row of winners.csv, as one of the initial problem. False: it is not held
 * between the methods of the threshold, in its scope, or no size. *exchanged: what is a there is b
 * here. */
bool dcs_figure_winner(const dcs_figure_thresholds *t, size_t threshold, size_t winner,
                       dcs_size *size, bool *exchanged);

/* DCS_INPUT: none of the threshold's sizes is among the winners. */
dcs_status dcs_figure_no_winner(const dcs_figure_thresholds *t, size_t threshold);

/* The larger error of the methods' problems at a size, where they approximate another; NaN: neither
 * does, or the run does not know. */
double dcs_figure_model_error(const dcs_figure_thresholds *t, size_t threshold,
                              const dcs_size *size);

/* The colour of a method of one of the panels, its own there, as a number of the scripts' line
 * types.
 */
int dcs_figure_colour(const dcs_figure_thresholds *t, const dcs_figure_panels *panels,
                      size_t threshold, bool b);
/* The first block, with the machine of thresholds: the run's own. */
void dcs_figure_threshold_titles(FILE *dat, const dcs_figure_thresholds *t,
                                 const dcs_figure_panels *panels, const char *title);

/* ---- the figures (figures.def) ---- */

/* Each writes its data to `dat`, or nothing and the reason to `why` (else left empty). */
#define DCS_FIGURE(kind, name)                                                                     \
  dcs_status dcs_figure_##name(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
#include "harness/figures/figures.def"

/* The largest size that has at least a third as many rungs of a problem's ladder (variants and
 * groups timed in scope kernel) as the one with most: a small problem leaves a GPU idle and shows
 * nothing of its kernels. Of equals the one with the largest slices. -1 where nothing was timed. */
int dcs_figure_ladder_size(const dcs_figure_run *run, int problem);
/* Padding overhead of a grid of n points covered by whole tiles: executed / useful - 1. */
double dcs_padding_overhead(dcs_dims n, dcs_dims tile);

#endif
