/* A stencil by rows: vectors along x, blocks of rows taken up through the grid.
 *
 * Idea: what binds is memory, so each value is to come from it once. A thread takes a block of
 *   rows rows from slice to slice: of c the rows of five slices stay in its second-level cache
 *   (512 points a row, 64 rows: 5 x 68 x 2 KiB), of w and kz those of two. Vectors load unaligned;
 *   upwind sides need no branch, for a flux takes |u|.
 * Derives from: cpu_simd, for its portable vectors.
 * Per point: 6 fluxes of 13 operations (7 points: 8), 8 more, in a lane each; loads: 13 of c, 12
 *   coefficients, 8 of them new to the cache.
 * Parameters: threads (1..1024), which share the blocks; isa (portable, avx2, avx512); rows.
 * Fewer rows need less cache, and break up what is read into runs too short to be fetched ahead.
 * Limits: rows shorter than a vector are computed point by point. Where nx is no multiple of a
 *   vector, a store reads what it overwrites first: memory moves 9 values for the 8 that count. */
#include "kernels/stencil/cpu/stencil_job.h"

enum { THREADS, ISA, ROWS, N_PARAMS };

static const dcs_stencil_kernel *kernel_of(const dcs_config *config) {
  static const dcs_stencil_kernel *const kernels[] = {&dcs_stencil_portable, &dcs_stencil_avx2,
                                                      &dcs_stencil_avx512};
  return kernels[(int)config->value[ISA]];
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 6 * 13 + 3 + 5;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)problem;
  (void)config;
  return 1;
}

static bool compute(const dcs_problem *problem, const dcs_config *config,
                    void *const out[DCS_MAX_BUFFERS]) {
  dcs_stencil_job job = {*problem, problem->first_slice, dcs_whole_grid(problem).n.z,
                         (int64_t)config->value[ROWS]};
  job.problem.first_slice = job.problem.grid_slices = 0;
  dcs_cpu_run(&job.problem, (int)config->value[THREADS], DCS_CPU_GUIDED,
              dcs_stencil_blocks(&job) * problem->n.z, kernel_of(config)->advance,
              out[DCS_STENCIL_OUT]);
  return true;
}

static const int rows_tried[] = {1, 4, 8, 16, 32, 64, 128, DCS_TRIES_END};
static const dcs_param params[N_PARAMS] = {
    [THREADS] = DCS_CPU_THREADS,
    [ISA] = DCS_CPU_ISA,
    [ROWS] = {.name = "rows",
              .meaning = "rows of a block, which a thread takes from slice to slice",
              .lo = 1,
              .hi = 65536,
              .initial = 64,
              .tries = rows_tried}};

static const char *const sources[] = {"kernels/stencil/cpu/stencil.c",
                                      "kernels/stencil/cpu/stencil_job.h",
                                      "kernels/stencil/cpu/stencil_rows.h",
                                      "kernels/stencil/cpu/stencil_points.h",
                                      "kernels/stencil/cpu/stencil_avx2.c",
                                      "kernels/stencil/cpu/stencil_avx512.c",
                                      "kernels/stencil/cpu/stencil_portable.c",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/stencil/stencil.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_stencil = {
    .id = "cpu_stencil",
    .kind = "stencil",
    .sources = sources,
    .idea = "rows in vectors; blocks of rows stay in the cache from slice to slice",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = dcs_cpu_isa_applicable,
    .executed = dcs_cpu_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .compute = compute,
};
