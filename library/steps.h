/* Many steps of a problem whose output is the next step's input, by the ranks of a job.
 *
 * Each rank has a slab of slices. Of a step it computes the slices that need none of its
 * neighbours' while these send each other the slices next to the cut, then the others. Slabs, not
 * blocks: slices lie one behind the other, so that they are sent as they lie, rows stay whole, and
 * a card's launches take a range of them. By surface: of n^3 points with a halo of h slices, one of
 * p ranks sends 2 h n^2 values in a slab, 4 h n^2 / sqrt(p) in a pencil along x: less from 5 ranks
 * on, half at 16. But its step moves m n^3 / p values in memory, m the kind's fields, of which
 * those of the slab are 2 h p / (m n): of 16 ranks, 256^3 points and 8 fields 3%. Slabs end where a
 * rank has few slices, and at h.
 *
 * The result has the same bits for all numbers of ranks. */
#ifndef DCS_STEPS_H
#define DCS_STEPS_H

#include "harness/base/progress.h"
#include "harness/problems/methods.h"
#include "library/workers.h"

typedef struct {
  const dcs_kind *kind; /* with `stepping` */
  dcs_config problem;
  dcs_dims n; /* the whole grid */
  int64_t steps;
  dcs_method method;            /* rank 0's counts */
  const char *device, *kernels; /* of a GPU's variant: this rank's; a folder of .cu files or NULL */
  bool gather;                  /* rank 0 gets all values */
  dcs_progress *progress;       /* of rank 0 */
} dcs_steps;

/* Of this rank; s. What all have in common is rank 0's. */
typedef struct {
  int64_t slices;     /* its own */
  double computing_s; /* the steps, but for what follows */
  double exposed_s;   /* sending and receiving, and waiting for neighbours, while it computed
                         nothing */
  double hidden_s;    /* that halos were on their way while it computed */
  double steps_s;     /* all steps, from when all ranks were ready */
  double bound_ratio; /* of the first step: the largest error over its bound */
  /* ---- of rank 0 ---- */
  double sum_before, sum_after; /* over all points, in double precision */
  uint64_t hash;                /* of all values, slice by slice */
  float *values;                /* with gather: the caller frees them */
} dcs_steps_result;

/* The slices of a rank: [from, end). */
void dcs_steps_share(int64_t slices, int rank, int size, int64_t *from, int64_t *end);

/* Collective. The first step is computed once more before, and checked against the oracle:
 * DCS_FAILED where it is wrong, and where after the last a value is not finite. DCS_USAGE where
 * there are more ranks than slabs of `halo` slices; DCS_UNAVAILABLE where memory is short. */
dcs_status dcs_steps_run(dcs_workers *workers, const dcs_steps *steps, dcs_steps_result *result);

#endif
