/* Descriptor of cuda_orbital_compiled, and the text in front of its kernel. */
#include "kernels/orbital/cuda/launch.h"

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, CHUNK };
enum { MOST_TYPES = 64 }; /* each is code of its own */

static const int block_x_tried[] = {16, 32, 64, 128, DCS_TRIES_END};
static const int block_y_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int coarsen_z_tried[] = {1, 2, 4, 8, DCS_TRIES_END};
static const int chunk_tried[] = {128, 585, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 32, NULL, block_x_tried, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 4, NULL, block_y_tried, DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 8, NULL, coarsen_z_tried},
    {"chunk_shells", "shells per launch, in constant memory", 1, DCS_ORBITAL_CONSTANT,
     DCS_ORBITAL_CONSTANT, NULL, chunk_tried, DCS_ROLE_CHUNK}};

static dcs_orbital_block_shape shape_of(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_orbital_block_shape){(int)v[BLOCK_X], (int)v[BLOCK_Y], {1, 1, (int)v[COARSEN_Z]}};
}

static int types_of(const dcs_problem *problem) {
  return dcs_orbital_shells(problem)[problem->n_inputs - 1].type + 1;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (!dcs_orbital_fits(problem, shape_of(config), why)) return false;
  if (!dcs_orbital_shells(problem) || types_of(problem) <= MOST_TYPES) return true;
  snprintf(why, DCS_TEXT, "shells of %d types; a kernel is compiled for up to %d",
           types_of(problem), MOST_TYPES);
  return false;
}

/* ---- the text ---- */

/* A type's degree, and its contraction as an expression of numbers. */
static void write_type(const dcs_orbital_shell *shell, int type, FILE *out) {
  fprintf(out,
          "struct shell_type_%d {\n"
          "  enum { L = %d };\n"
          "  __device__ __forceinline__ void operator()(const float *r2, float *radial) const {\n"
          "#pragma unroll\n"
          "    for (int k = 0; k < COARSEN_Z; k++)\n"
          "      radial[k] =",
          type, (int)shell->l);
  for (int p = 0; p < shell->n; p++)
    fprintf(out, "%s %af * exp2f(%af * r2[k])", p > 0 ? "\n          +" : "",
            (double)shell->gaussian[p].weight, -(double)shell->gaussian[p].rate);
  fprintf(out, ";\n  }\n};\n");
}

/* Without shells as if there were one. */
static void text(const dcs_problem *problem, const dcs_config *config, FILE *out) {
  static const dcs_orbital_shell any = {.n = 1, .gaussian = {{1, 1}}};
  const dcs_orbital_shell *shells = problem ? dcs_orbital_shells(problem) : NULL;
  const int64_t n = shells ? problem->n_inputs : 1;
  (void)config;
  if (!shells) shells = &any;
  for (int64_t s = 0; s < n; s++)
    if (s == 0 || shells[s].type != shells[s - 1].type) write_type(&shells[s], shells[s].type, out);
  fprintf(out, "#define FOR_EACH_TYPE(do)");
  for (int t = 0; t <= shells[n - 1].type; t++)
    fprintf(out, " do(%d)", t);
  fprintf(out, "\n");
}

/* ---- the kernel ---- */

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  return dcs_orbital_padded(problem,
                            (dcs_orbital_block_shape){1, 1, {1, 1, (int)config->value[COARSEN_Z]}});
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_orbital_count(problem, executed(problem, config), found);
}

/* Of the built-in basis, which has 0.4 shells a primitive. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 1 + 2 + 2 + 0.4 * (1 + 2 * (2 + 0.5));
}

/* Of a primitive, of a shell, of a chunk, of the launches. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const int64_t chunk = (int64_t)config->value[CHUNK];
  const int64_t shells = problem->n_inputs < chunk ? problem->n_inputs : chunk;
  return DCS_ORBITAL_PRIMITIVES + shells + dcs_divide_up(problem->n_inputs, chunk);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  dcs_orbital_constant_plan(problem, shape_of(config), (int64_t)config->value[CHUNK], plan);
}

static const char *const sources[] = {"kernels/orbital/cuda/orbital_compiled.cu",
                                      "kernels/orbital/cuda/orbital_compiled.c",
                                      DCS_ORBITAL_POINTS_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_compiled = {
    .id = "cuda_orbital_compiled",
    .kind = "orbital",
    .sources = sources,
    .idea = "compiled for a basis: its exponents and contractions are numbers in the code",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
    .text = text,
};
