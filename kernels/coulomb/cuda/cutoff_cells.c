/* Descriptor of cuda_cutoff_cells. */
#include "kernels/coulomb/cuda/short_range.h"

#include <string.h>

static const int tile_atoms_tried[] = {512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_NEAR_PARAMS(tile_atoms_tried),
};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_near_applicable(problem, config, (double)dcs_cutoff(problem), why);
}

/* Of a switched map. */
static double flops_per_eval(const dcs_config *config) {
  return 1 + 2 + 2 + 2 + 2 + 2 + 5.0 / config->value[DCS_CELLS_COARSEN_Z];
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_near_candidates(problem, config, (double)dcs_cutoff(problem), found);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  const double cutoff = (double)dcs_cutoff(problem);
  const dcs_cells cells = dcs_near_cells(problem, config, cutoff);
  dcs_near_grid own = dcs_near_grid_of(&cells, cutoff);
  own.switched = dcs_switched(problem);
  dcs_cells_plan(problem, config, &cells, true, plan);
  memcpy(plan->own, &own, sizeof own);
}

static const char *const sources[] = {"kernels/coulomb/cuda/cutoff_cells.cu",
                                      "kernels/coulomb/cuda/cutoff_cells.c", DCS_NEAR_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_cutoff_cells = {
    .id = "cuda_cutoff_cells",
    .kind = "coulomb",
    .sources = sources,
    .idea =
        "a cutoff: atoms sorted into cells on the GPU, those near a warp listed in shared memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_cutoff,
    .applicable = applicable,
    .executed = dcs_cells_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .candidates = candidates,
    .plan = plan,
    .slabs = true,
};
