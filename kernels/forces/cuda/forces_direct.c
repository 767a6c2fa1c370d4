/* Descriptor of cuda_forces_direct. */
#include "kernels/forces/cuda/launch.h"

static const dcs_param params[] = {DCS_CLUSTERS_PARAMS};

/* Of a charge that is shifted. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 3 + 5 + 2 + 18 + 12 + 11 + 7;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_FORCES_OUT),
                                 DCS_SCRATCH(DCS_CLUSTERS_LISTS),
                                 DCS_SCRATCH(DCS_CLUSTERS_WELLS),
                                 DCS_SCRATCH(DCS_CLUSTERS_LIST),
                                 DCS_SCRATCH(DCS_CLUSTERS_COUNT),
                                 DCS_BUFFER(DCS_FORCES_BEGINS),
                                 DCS_BUFFER(DCS_FORCES_EXCLUDED),
                                 DCS_BUFFER(DCS_FORCES_TYPES),
                                 DCS_BUFFER(DCS_FORCES_TABLE),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_OWN,
                                 DCS_ARG_END};
  dcs_clusters_begin_plan(problem, config, args, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  dcs_forces_add_special_step(problem, plan);
}

static const char *const sources[] = {"kernels/forces/cuda/forces_direct.cu",
                                      "kernels/forces/cuda/forces_direct.c", DCS_CLUSTERS_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_forces_direct = {
    .id = "cuda_forces_direct",
    .kind = "forces",
    .sources = sources,
    .idea = "a warp a cluster of near atoms, lists in shared memory, terms by arithmetic",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = dcs_clusters_applicable,
    .executed = dcs_clusters_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_clusters_longest_sum,
    .candidates = dcs_clusters_candidates,
    .plan = plan,
    .looks = true,
};
