/* Orbital: rows of points as a product of what terms have in x and what they have at the row.
 *
 * Idea: a primitive times a monomial is separable, so powers of two are tables along the axes, a
 *   few hundred a primitive in place of one a point. What is left a point is a multiply-add for
 *   each term: l + 1 a primitive, a term for each power of dx. Of y and z a term needs a number a
 *   row, which rows of 16 get at once, the polynomial of dy and dz in it. Rows of points and terms
 *   are multiplied as matrices are: 4 or 8 rows of 2 vectors stay in registers.
 * Derives from: cpu_density in its separable Gaussians, cpu_scatter in its order.
 * Per point: an FMA for each term; powers of two: by range reduction and a polynomial
 *   (orbital_tile.h).
 * Parameters: threads (1..1024), which share the rows; isa (portable, avx2, avx512).
 * Limits: blocks of 32 shells each pass over the map once. The tables of a block are made by one
 *   thread: some 10 us. A row shorter than a tile's vectors, 8 to 32 points, is computed as if it
 *   were as long. */
#include "kernels/orbital/cpu/orbital_block.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS, ISA, N_PARAMS };

static const dcs_orbital_kernels *kernels_of(const dcs_config *config) {
  static const dcs_orbital_kernels *const kernels[] = {&dcs_orbital_portable, &dcs_orbital_avx2,
                                                       &dcs_orbital_avx512};
  return kernels[(int)config->value[ISA]];
}

/* Whole tiles. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  static const int wide[] = {8, 16, 32}, high[] = {4, 4, 8};
  const int isa = (int)config->value[ISA];
  return (dcs_dims){dcs_round_up(problem->n.x, wide[isa]), dcs_round_up(problem->n.y, high[isa]),
                    problem->n.z};
}

/* Of the basis of generated atoms: a multiply-add a term. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 2 * 1.375;
}

/* Of a block, then of the blocks. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return DCS_ORBITAL_BLOCK_TERMS + dcs_divide_up(problem->n_inputs, DCS_ORBITAL_BLOCK);
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_dims n = executed(problem, config);
  *found = (dcs_candidates){.pairs = dcs_orbital_primitives(problem) * (double)n.x * (double)n.y *
                                     (double)n.z,
                            .fill = NAN};
}

static bool make_room(dcs_orbital_block *block) {
  const dcs_dims n = block->problem.n;
  block->nx = dcs_round_up(n.x, DCS_ORBITAL_LANES);
  block->ny = dcs_round_up(n.y, DCS_ORBITAL_LANES);
  block->nz = dcs_round_up(n.z, DCS_ORBITAL_LANES);
  block->x = malloc((size_t)(block->nx * DCS_ORBITAL_BLOCK_TERMS) * sizeof *block->x);
  block->y = malloc((size_t)(block->ny * DCS_ORBITAL_BLOCK_PRIMITIVES) * sizeof *block->y);
  block->z = malloc((size_t)(block->nz * DCS_ORBITAL_BLOCK_PRIMITIVES) * sizeof *block->z);
  return block->x && block->y && block->z;
}

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  const dcs_orbital_kernels *kernels = kernels_of(config);
  const int64_t units = dcs_divide_up(problem->n.y, DCS_ORBITAL_ROWS) * problem->n.z;
  dcs_orbital_block block = {
      .problem = *problem, .first_slice = problem->first_slice, .first = true};
  block.problem.first_slice = 0;
  const bool has_memory = make_room(&block);
  for (int64_t s = 0; has_memory && s < problem->n_inputs; s += DCS_ORBITAL_BLOCK) {
    const int64_t left = problem->n_inputs - s;
    block.shells = dcs_orbital_shells(problem) + s;
    block.n_shells = left < DCS_ORBITAL_BLOCK ? (int)left : DCS_ORBITAL_BLOCK;
    kernels->begin(&block);
    dcs_cpu_run(&block.problem, (int)config->value[THREADS], DCS_CPU_GUIDED, units, kernels->add,
                out[DCS_ORBITAL_MAP]);
    block.first = false;
  }
  free(block.x);
  free(block.y);
  free(block.z);
  return has_memory;
}

static const dcs_param params[N_PARAMS] = {[THREADS] = DCS_CPU_THREADS, [ISA] = DCS_CPU_ISA};

static const char *const sources[] = {"kernels/orbital/cpu/orbital.c",
                                      "kernels/orbital/cpu/orbital_block.h",
                                      "kernels/orbital/cpu/orbital_tile.h",
                                      "kernels/orbital/cpu/orbital_avx2.c",
                                      "kernels/orbital/cpu/orbital_avx512.c",
                                      "kernels/orbital/cpu/orbital_portable.c",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/orbital/orbital.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_orbital = {
    .id = "cpu_orbital",
    .kind = "orbital",
    .sources = sources,
    .idea = "Gaussians as tables along the axes; rows of points by terms, multiplied as matrices",
    .backend = DCS_CPU,
    .params = params,
    .n_params = N_PARAMS,
    .applicable = dcs_cpu_isa_applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .compute = compute,
    .slabs = true,
};
