/* What a run measured, as a user asks for it: at each size, the best method of each class on each
 * problem. */
#ifndef DCS_MEASURED_H
#define DCS_MEASURED_H

#include "harness/base/grow.h"
#include "harness/runs/run.h"
#include "tuning/crossover/threshold.h"

/* A class of methods, in one scope. Of this program's: cpu_sequential, of a problem's CPU variants
 * with one thread the first of the ladder (cpu_one_thread where that is not the textbook's loop:
 * dcs_class_name()); cpu_parallel, any CPU variant with the most threads in
 * the run; gpu, any variant on a GPU, whatever its memory; and where the run has variants of
 * several algorithms, of cpu_parallel and gpu those of each: gpu_direct, gpu_mesh. CPU methods
 * count with their kernel time against all scopes of the GPU: a program that computes on the CPU
 * pays nothing else. Of another program's methods each is a class, whatever its configuration. */
typedef struct {
  const char *name;
  dcs_scope scope;
  bool imported; /* the name is a variant's */
  int part_of;   /* the class whose variants of one algorithm it has; -1: none */
  const char *algorithm;
} dcs_class;

/* What is held against each other: two classes on one problem, two algorithms of one class among
 * them, or one class on two problems of a kind. */
typedef struct {
  int problem[2];  /* of the run */
  int class[2];    /* of the run */
  size_t best[2];  /* where their rows are: dcs_best() */
  dcs_scope scope; /* of the GPU's times; kernel where both are CPU methods */
} dcs_pair;

/* A row of a class at a size, in a list. */
typedef struct dcs_member {
  const dcs_run_row *row;
  const struct dcs_member *next;
} dcs_member;

/* The axes at which something was measured, and the best row of each class on each problem there:
 * that with the least median. It is picked from the same samples, so its median is a little too
 * small where many methods are close. */
typedef struct {
  dcs_size size;              /* with the initial values of the problem's parameters */
  const dcs_run_row **best;   /* by problem and class; NULL: nothing was measured. See dcs_best() */
  const dcs_member **members; /* of the same: all that the best is of */
} dcs_measured_size;

typedef struct {
  dcs_run run;
  dcs_size *problems; /* as dcs_run_problems() has them */
  int n_problems;
  const char **sequential; /* of each problem, the variant behind cpu_sequential; NULL: none is */
  dcs_class *classes;
  int n_classes, first_imported; /* the run's own follow those of this program */
  int *imported;                 /* by row: its class; NULL: the run's methods are this program's */
  dcs_pair *pairs; /* those that have a size in common; within problems, then between them */
  int n_left_out;  /* imported classes that are in no pair */
  size_t n_pairs;
  dcs_measured_size *sizes;            /* in the order of summary.csv */
  const dcs_measured_size **ascending; /* the same, as dcs_compare_sizes() orders them */
  size_t n_sizes;
  dcs_run reference;   /* whose GPU rows stand in for those that the run lacks */
  dcs_member *members; /* of all sizes */
  size_t n_members;
  size_t n_referred; /* of them; 0: none is needed, or none fits */
  dcs_room room;
} dcs_measured;

/* Of more imported methods in one scope, so many are held against each other: those that are the
 * fastest at most sizes, and at one at least. */
enum { DCS_MOST_IMPORTED = 8 };

/* Reads a run folder. `reference` (NULL: none) is another: where the run has no GPU rows, those of
 * it count that are of one of the run's sizes and problems, with the same work. What is found of
 * them is of two machines. Beside the statuses of dcs_run_open(), DCS_INPUT when the summary has no
 * row that is ok, or GPU rows are of two devices. Free with dcs_measured_free(), whatever the
 * status. */
dcs_status dcs_measured_read(const char *folder, const char *reference, dcs_measured *measured);
void dcs_measured_free(dcs_measured *measured);

/* The class as files name it on the problem of that index: "cpu_sequential" is only ever the
 * textbook's loop. */
const char *dcs_class_name(const dcs_measured *measured, int problem, int class);

/* The best row of the pair's first (0) or second (1) class at a size, NULL: none; whether there are
 * both. */
const dcs_run_row *dcs_best(const dcs_measured_size *size, const dcs_pair *pair, int side);
bool dcs_has_both(const dcs_measured_size *size, const dcs_pair *pair);

/* The times of those methods of the class that may be as good as its best there, whose intervals
 * overlap, at most DCS_MOST_RIVALS; returns how many. */
enum { DCS_MOST_RIVALS = 7 };
size_t dcs_rivals(const dcs_measured_size *size, const dcs_pair *pair, int side,
                  dcs_threshold_times rivals[DCS_MOST_RIVALS]);

/* Whether a row of the run that is ok is of a GPU. */
bool dcs_has_gpu(const dcs_run *run);
/* Whether a side of the pair is of the reference. */
bool dcs_is_referred(const dcs_measured *measured, const dcs_pair *pair);

/* Sizes where a class has fewer than DCS_RATIO_SAMPLES samples: nothing is sure there. */
size_t dcs_measured_unsure(const dcs_measured *measured);

#endif
