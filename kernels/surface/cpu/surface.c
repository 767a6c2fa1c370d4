/* cpu_surface: marching cubes on bits.
 *
 * Idea: a word has what is inside of 64 points of a row; exclusive ors of words that are next to
 *   each other are the cut edges, and what is neither all ones nor all zeros the cells that have
 *   triangles: the map is read once, and then only at edges that are cut. Counted bits before a
 *   point number its vertices, so that no cell keeps any.
 * Parameters: threads; isa (portable, avx2, which compares eight values at once and counts bits in
 *   an instruction).
 * Limits: 2^31 vertices or triangles. */
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/surface/cpu/bits.h"

#include <stdlib.h>

enum { THREADS, ISA, N_PARAMS };

static void count(const dcs_surface_kernel *kernel, const dcs_surface_bits *b, int threads) {
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int64_t row = 0; row < b->n.y * b->n.z; row++)
    kernel->count(b, row, b->before + row * b->words);
}

static void emit(const dcs_surface_kernel *kernel, const dcs_surface_bits *b, int threads) {
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int64_t row = 0; row < b->n.y * b->n.z; row++)
    kernel->emit(b, row);
}

static void run(const dcs_surface_kernel *kernel, const dcs_surface_bits *bits, int threads) {
  dcs_phase("classify");
  dcs_surface_classify(kernel, bits, threads);
  dcs_phase("count");
  count(kernel, bits, threads);
  dcs_phase("scan");
  dcs_surface_scan(bits->before, bits->n.y * bits->n.z * bits->words);
  dcs_phase("emit");
  emit(kernel, bits, threads);
  dcs_phase(NULL);
}

static bool compute(const dcs_problem *problem, const dcs_config *config,
                    void *const out[DCS_MAX_BUFFERS]) {
  dcs_surface_bits bits = {.map = problem->input[DCS_SURFACE_MAP],
                           .cases = problem->input[DCS_SURFACE_CASES],
                           .level = dcs_surface_level(problem),
                           .n = problem->n,
                           .vertices = out[DCS_SURFACE_VERTICES],
                           .triangles = out[DCS_SURFACE_TRIANGLES]};
  if (!dcs_surface_bits_make(&bits)) return false;
  bits.before = malloc((size_t)(bits.n.y * bits.n.z * bits.words) * sizeof *bits.before);
  const bool room = bits.before != NULL;
  if (room)
    run(config->value[ISA] > DCS_CPU_PORTABLE ? &dcs_surface_avx2 : &dcs_surface_portable, &bits,
        (int)config->value[THREADS]);
  free(bits.before);
  dcs_surface_bits_free(&bits);
  return room;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_surface_fits(problem, why) && dcs_cpu_isa_applicable(problem, config, why);
}

/* Of a vertex: two differences, a quotient, a sum. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 4;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)problem;
  (void)config;
  return 1;
}

static const dcs_param params[N_PARAMS] = {[THREADS] = DCS_CPU_THREADS,
                                           [ISA] = {.name = "isa",
                                                    .meaning = "instruction set",
                                                    .lo = DCS_CPU_PORTABLE,
                                                    .hi = DCS_CPU_AVX2,
                                                    .initial = DCS_HIGHEST,
                                                    .labels = dcs_cpu_isas}};

static const char *const sources[] = {"kernels/surface/cpu/surface.c",
                                      "kernels/surface/cpu/surface_points.h",
                                      "kernels/surface/cpu/surface_avx2.c",
                                      "kernels/surface/cpu/surface_portable.c",
                                      "kernels/surface/cpu/bits.c",
                                      "kernels/surface/cpu/bits.h",
                                      "kernels/surface/cases.c",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/common/phase.h",
                                      "kernels/surface/surface.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_surface = {
    .id = "cpu_surface",
    .kind = "surface",
    .sources = sources,
    .idea = "what is inside as bits, 64 points a word; cut edges and cells are found by logic",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = applicable,
    .executed = dcs_cpu_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .compute = compute,
};
