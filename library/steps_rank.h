/* A rank of dcs_steps_run(), in the files that implement it: its grid (steps_rank.c), the steps
 * (steps.c), and what becomes of the result (steps_collect.c). */
#ifndef DCS_STEPS_RANK_H
#define DCS_STEPS_RANK_H

#include "harness/engine/stepper.h"
#include "library/steps.h"

/* What is told of a slice of the whole grid. */
typedef struct {
  double before, after; /* sums, in the same order whoever has it */
  uint64_t hash;
} dcs_steps_slice;

typedef struct {
  dcs_workers *workers;
  const dcs_steps *steps;
  dcs_steps_result *result;
  int64_t from, end; /* the rank's slices of the whole grid */
  int64_t first;     /* slice 0 of its grid there */
  dcs_case c;        /* its grid; the inputs are owned here */
  dcs_stepped stepped;
  dcs_stepper *stepper;
  dcs_steps_slice *slices; /* of its own; room for the most that a rank has */
  int64_t room;
} dcs_steps_rank;

/* The rank's part of the whole grid; nothing is allocated, but there is memory for it. */
dcs_status dcs_steps_cut(dcs_steps_rank *r);
/* Makes the inputs, and the stepper. */
dcs_status dcs_steps_fill(dcs_steps_rank *r);
/* Checks a step, as of a grid of its own; the field is as before. */
dcs_status dcs_steps_check(dcs_steps_rank *r);
void dcs_steps_free(dcs_steps_rank *r);

/* Sums of its slices before the steps. */
dcs_status dcs_steps_look_before(dcs_steps_rank *r);
/* Collective: sums and hashes after them, all slices' for rank 0's result, and DCS_FAILED there
 * where a value is not finite; all values. */
dcs_status dcs_steps_tell_slices(dcs_steps_rank *r);
dcs_status dcs_steps_collect_values(dcs_steps_rank *r);

#endif
