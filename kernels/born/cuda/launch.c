#include "kernels/born/cuda/launch.h"

#include <stdio.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_ATOMS = 1 << 28 /* 8 times as many are counted by unsigned */ };

bool dcs_born_fits(const dcs_problem *problem, int threads, bool warps, char why[DCS_TEXT]) {
  if (threads > MOST_THREADS)
    snprintf(why, DCS_TEXT, "%d threads a block; CUDA allows %d", threads, MOST_THREADS);
  else if (warps && threads % 32 != 0)
    snprintf(why, DCS_TEXT, "%d threads; expected a multiple of 32, a warp", threads);
  else if (problem->n_inputs > MOST_ATOMS)
    snprintf(why, DCS_TEXT, "more than %d atoms", MOST_ATOMS);
  else
    return true;
  return false;
}

void dcs_born_plan(const dcs_problem *problem, int64_t blocks, int x, int y, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_BORN_RADII), DCS_BUFFER(DCS_BORN_ATOMS),
                                 DCS_ARG_N_INPUTS, DCS_ARG_OWN, DCS_ARG_END};
  const dcs_born own = dcs_born_of(problem);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = 1,
                     .stored = problem->n,
                     .block = {x, y, 1},
                     .grid = {blocks, 1, 1},
                     .args = args};
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  memcpy(plan->own, &own, sizeof own);
}
