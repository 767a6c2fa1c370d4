/* Descriptor of cuda_born_thread. */
#include "kernels/born/cuda/launch.h"

enum { BLOCK_X };

static const int block_x_tried[] = {32, 64, 128, 256, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block", 32, 1024, 64, NULL, block_x_tried, DCS_ROLE_BLOCK_X}};

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_born_fits(problem, (int)config->value[BLOCK_X], false, why);
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 3 + 1 + 2 * 2 + 2 + 7 + 3 * 2 + 1 + 2;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  enum { PART = 256 }; /* as in the kernel */
  (void)config;
  return PART + dcs_divide_up(problem->n_inputs, PART);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  const int x = (int)config->value[BLOCK_X];
  dcs_born_plan(problem, dcs_divide_up(problem->n_inputs, x), x, 1, plan);
}

static const char *const sources[] = {"kernels/born/cuda/born_thread.cu",
                                      "kernels/born/cuda/born_thread.c", DCS_BORN_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_born_thread = {
    .id = "cuda_born_thread",
    .kind = "born",
    .sources = sources,
    .idea = "a thread per atom, all spheres in global memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = dcs_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .plan = plan,
};
