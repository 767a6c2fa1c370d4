/* Descriptor of cuda_orbital_compiled, and the text in front of its kernel. */
#include "kernels/orbital/cuda/points.h"

enum { MOST_TYPES = 64 }; /* each is code of its own */

static int types_of(const dcs_problem *problem) {
  return dcs_orbital_shells(problem)[problem->n_inputs - 1].type + 1;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (!dcs_orbital_points_fit(problem, config, why)) return false;
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

static const char *const sources[] = {"kernels/orbital/cuda/orbital_compiled.cu",
                                      "kernels/orbital/cuda/orbital_compiled.c",
                                      DCS_ORBITAL_POINTS_SOURCES, NULL};

const dcs_variant dcs_variant_cuda_orbital_compiled = {
    .id = "cuda_orbital_compiled",
    .kind = "orbital",
    .sources = sources,
    .idea = "compiled for a basis: its exponents and contractions are numbers in the code",
    .backend = DCS_GPU,
    .params = dcs_orbital_points_params,
    .n_params = DCS_ORBITAL_POINTS_PARAMS,
    .applicable = applicable,
    .executed = dcs_orbital_points_executed,
    .flops_per_eval = dcs_orbital_points_flops,
    .longest_sum = dcs_orbital_points_longest,
    .candidates = dcs_orbital_points_candidates,
    .plan = dcs_orbital_points_plan,
    .slabs = true,
    .text = text,
};
