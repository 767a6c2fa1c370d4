/* Where one class of methods overtakes another in a run: the thresholds of all pairs, along each
 * dimension of the problem (number of atoms; grid points), of systems that grow in both, and in the
 * plane of both. */
#ifndef DCS_CROSSOVER_H
#define DCS_CROSSOVER_H

#include "tuning/crossover/measured.h"
#include "tuning/crossover/threshold.h"

/* ---- shapes (shape.c) ---- */

/* Families of grids that differ in size alone. A row of grids of other shapes would mix the effect
 * of their size with that of their slices. */

/* A grid has a shape of each kind. */
typedef enum {
  DCS_SHAPE_SLICES,    /* slices grow, their number stays: aN x bN x c */
  DCS_SHAPE_MULTIPLES, /* all edges grow: aN x bN x cN */
  DCS_N_SHAPE_KINDS
} dcs_shape_kind;

typedef struct {
  dcs_shape_kind kind;
  dcs_dims unit; /* a, b, c in lowest terms; of slices, c is their number */
} dcs_shape;

/* Of a grid with edges of at least 1. */
dcs_shape dcs_shape_of(dcs_dims n, dcs_shape_kind kind);
bool dcs_shape_equal(dcs_shape a, dcs_shape b);
/* "NxNx4", "2NxNx1"; "N^3", "4Nx2NxN"; returns text. */
char *dcs_shape_text(dcs_shape shape, char text[DCS_TEXT]);
/* The grid of the shape whose number of points is nearest in ratio. */
dcs_dims dcs_shape_grid(dcs_shape shape, double points);

/* ---- thresholds ---- */

enum { DCS_CROSSOVER_SIZES = 4 }; /* the fewest that a threshold along a dimension is sought over */

/* What a threshold is one of. The other dimension is fixed. */
typedef struct {
  int along;   /* the dimension that it is a value of; grids of one shape, where they are meant */
  bool plane;  /* on one grid of the frontier over grids of one shape */
  bool system; /* of systems of one density: grids of one shape, and inputs in proportion */
  const dcs_pair *pair;
  const dcs_measured_size *like; /* a size whose other dimension is the fixed one */
  dcs_shape shape;               /* of the grids along or in the plane */
  dcs_threshold threshold;       /* A is the pair's first class */
} dcs_crossover;

typedef struct {
  dcs_measured measured;
  dcs_crossover *list; /* by dimension, systems and the plane last; by what is fixed, in the order
                          of summary.csv, in the plane by pair and points */
  size_t n;
} dcs_crossovers;

/* As dcs_measured_read(). Beside its statuses, DCS_INPUT when no pair has sizes enough in common.
 * Free with dcs_crossovers_free(), whatever the status. */
dcs_status dcs_crossovers_find(const char *folder, const char *reference, dcs_crossovers *found);
void dcs_crossovers_free(dcs_crossovers *found);

/* Whether the threshold was sought over the size among others, given that both classes of its pair
 * were measured there. */
bool dcs_crossover_covers(const dcs_crossover *c, const dcs_measured_size *size);

/* A size that it was sought over. */
typedef struct {
  double x; /* along the dimension */
  const dcs_measured_size *at;
  const dcs_run_row *best[2]; /* of the pair */
} dcs_crossover_size;
/* All of them, ascending; returns how many. `sizes` has room for all sizes of the run. */
size_t dcs_crossover_sizes(const dcs_measured *measured, const dcs_crossover *c,
                           dcs_crossover_size *sizes);

/* Names (crossover_names.c). As thresholds.csv has it: "atoms", "points", "system", "plane". */
const char *dcs_crossover_axis(const dcs_crossover *c);
/* Method A (0) or B (1) as thresholds.csv has it: where there is an estimate, A is the faster one
 * below it. */
const char *dcs_crossover_method(const dcs_measured *m, const dcs_crossover *c, int which);
/* Its problem. */
const dcs_size *dcs_crossover_problem(const dcs_measured *m, const dcs_crossover *c, int which);
/* Both, as a text: "gpu cutoff=12,switching=c2"; returns text. */
char *dcs_crossover_what(const dcs_measured *m, const dcs_crossover *c, int which,
                         char text[DCS_TEXT]);
/* The grid, the number of atoms, "0.0123 atoms/point"; returns text. */
char *dcs_crossover_fixed(const dcs_crossover *c, char text[64]);
/* "" where grids of all shapes are meant; returns text. */
char *dcs_crossover_shape(const dcs_crossover *c, char text[DCS_TEXT]);
/* What weakens the estimate at the sizes that the run has next to it: "gpu missing at 800",
 * "cpu_parallel 3 samples at 400"; "" where nothing does. Returns text. */
char *dcs_crossover_gaps(const dcs_measured *m, const dcs_crossover *c, char text[DCS_TEXT]);
/* Whether the sizes next to the estimate, below and above it, are more than a factor of 2 apart:
 * its interval does not cover how the ratio bends between them. */
bool dcs_crossover_far_apart(const dcs_measured *m, const dcs_crossover *c, double sizes[2]);
/* How far the answers of its methods are from the exact one of the problem that they approximate,
 * at most over its sizes (model_error of summary.csv); NaN: they approximate none. */
double dcs_crossover_model_error(const dcs_measured *m, const dcs_crossover *c);
/* The card of the reference whose GPU times these are; "" where all are of the run. */
const char *dcs_crossover_card(const dcs_measured *m, const dcs_crossover *c);
/* The first whole size that is not below a threshold: of 3.5, from which on a method is the faster
 * one, that is 4. The error of a logarithm counts for nothing. */
double dcs_crossover_whole(double value);
/* The time lost at worst at a size that the estimate was not drawn from, in percent to two digits;
 * NaN: unknown. */
double dcs_crossover_loss(const dcs_crossover *c);
/* "n (warm): use gpu from 51 on (95%: 50 to 52), cpu below; it loses at most 2% at a size that it
 * was not drawn from; next to it: gpu missing at 64": figures no finer than the interval supports,
 * and sizes that are far apart. Returns text. */
char *dcs_crossover_sentence(const dcs_measured *m, const dcs_crossover *c, char text[1024]);

/* Header and rows of thresholds.csv (crossover_files.c). */
dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found);
/* Writes thresholds.csv and winners.csv into the folder; older ones are there until they are whole.
 */
dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found);

/* Writes a C header: a define for each threshold along a dimension, an inline function for each
 * frontier, the sentence above each; facts of the machine in front (crossover_header.c). */
dcs_status dcs_crossovers_write_header(const char *path, const dcs_crossovers *found);

#endif
