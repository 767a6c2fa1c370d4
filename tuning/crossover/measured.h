/* What a run measured, as a user asks for it: at each size, the best method of each class. */
#ifndef DCS_MEASURED_H
#define DCS_MEASURED_H

#include "harness/runs/run.h"
#include "tuning/crossover/shape.h"

/* A class of methods, in one scope. CPU methods count with their kernel time against all scopes of
 * the GPU: a program that computes on the CPU pays nothing else. */
typedef enum {
  DCS_CLASS_CPU_SEQUENTIAL, /* of the run's CPU variants with one thread the first of the ladder */
  DCS_CLASS_CPU_PARALLEL,   /* any CPU variant with the most threads in the run */
  DCS_CLASS_GPU_KERNEL,     /* any variant on a GPU, in each scope, whatever its memory */
  DCS_CLASS_GPU_WARM,
  DCS_CLASS_GPU_FIRST,
  /* The same within a cutoff, the run's: that of most of its rows, of several the first. All above
   * compute the whole sum. */
  DCS_CLASS_CPU_WITHIN, /* with the most threads */
  DCS_CLASS_GPU_WITHIN_KERNEL,
  DCS_CLASS_GPU_WITHIN_WARM,
  DCS_CLASS_GPU_WITHIN_FIRST,
  DCS_N_CLASSES
} dcs_class;

/* Two classes in a scope of the GPU's times: what is held against each other. */
typedef struct {
  dcs_class class[2];
  const char *scope;     /* "kernel" where both are CPU methods */
  const char *method[2]; /* "cpu_sequential", "cpu_parallel", "gpu", "cpu_within", "gpu_within" */
} dcs_pair;

enum { DCS_N_PAIRS = 14 };
extern const dcs_pair dcs_pairs[DCS_N_PAIRS];

/* Whether one of the pair computes within a cutoff. */
bool dcs_pair_within(const dcs_pair *pair);

/* The two axes of a size. */
typedef enum { DCS_AXIS_ATOMS, DCS_AXIS_POINTS, DCS_N_AXES } dcs_axis;

/* The times of a class at one size: those of its method with the least median. It is picked from
 * the same samples, so its median is a little too small where many methods are close. */
typedef struct {
  double median_ns;    /* NaN: nothing of this class was measured here */
  size_t row;          /* of the summary */
  const double *times; /* in the order they were taken */
  size_t n;
} dcs_best;

typedef struct {
  char text[DCS_N_AXES][64]; /* number of atoms; the grid, "NXxNYxNZ" */
  double x[DCS_N_AXES];      /* atoms; grid points */
  dcs_dims n;
  dcs_best best[DCS_N_CLASSES];
} dcs_measured_cell;

typedef struct {
  dcs_run run;
  dcs_measured_cell *cells; /* in the order of summary.csv */
  size_t n_cells;
  const char *cutoff, *smooth; /* of the classes within one, as the run has it; "" without */
  size_t not_ok;               /* rows of the summary that are left out: their outcome is not ok */
  double *times;
} dcs_measured;

/* Reads a run folder. Beside the statuses of dcs_run_open(), DCS_INPUT when a column is missing,
 * the summary has no row or none that is ok, a row that is ok lacks its numbers or its samples, or
 * the run mixes machines: a fact of env.csv comes twice, or GPU rows are of two devices.
 * Free with dcs_measured_free(), whatever the status. */
dcs_status dcs_measured_read(const char *folder, dcs_measured *measured);
void dcs_measured_free(dcs_measured *measured);

/* Cells where a class has fewer than DCS_RATIO_SAMPLES samples: nothing is sure there. */
size_t dcs_measured_unsure(const dcs_measured *measured);

#endif
