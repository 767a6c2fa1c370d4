/* Descriptor of cuda_born_block. */
#include "kernels/born/cuda/launch.h"

enum { BLOCK_X, WARP = 32 };

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const dcs_param params[] = {{"block_x", "threads of a block, which share an atom", 32, 256,
                                    128, NULL, block_x_tried, DCS_ROLE_BLOCK_X}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_born_fits(problem, (int)config->value[BLOCK_X], true, why);
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 3 + 1 + 2 * 2 + 2 + 7 + 3 * 2 + 1 + 2;
}

/* Of a thread, then of its warp, then of the warps. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int x = (int)config->value[BLOCK_X];
  return dcs_divide_up(problem->n_inputs, x) + 5 + x / WARP;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_born_plan(problem, problem->n_inputs, (int)config->value[BLOCK_X], 1, plan);
}

static const char *const sources[] = {"kernels/born/cuda/born_block.cu",
                                      "kernels/born/cuda/born_block.c", DCS_BORN_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_born_block = {
    .id = "cuda_born_block",
    .kind = "born",
    .sources = sources,
    .idea = "a block per atom, whose threads share the spheres; sums reduced by shuffles",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
};
