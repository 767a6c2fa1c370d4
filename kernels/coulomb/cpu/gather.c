/* Gather: for every grid point, sum over the atoms.
 *
 * Idea: the textbook's sequential code: grid loops outside, atoms inside, the sum in a register.
 * Derives from: the definition of the map; every other variant is measured against it.
 * Per evaluation: 12 operations (3 subtractions, 3 products and 2 sums for r^2, a square root and a
 *   division, the charge, the sum), 4 loads (one atom), no store.
 * Parameters: threads (1..1024), which share the rows of the map.
 * Limits: one evaluation at a time, bound by the square root and the division. */
#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>

/* This rung is the scalar one; GCC would compute four terms at once and add them in order. */
#if defined __GNUC__ && !defined __clang__
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SCALAR
#endif

SCALAR static float potential(const dcs_atom *atoms, int64_t n_atoms, float x, float y, float z) {
  float sum = 0.0f;
  for (int64_t a = 0; a < n_atoms; a++) {
    float dx = x - atoms[a].x;
    float dy = y - atoms[a].y;
    float dz = z - atoms[a].z;
    sum += atoms[a].q * (1.0f / sqrtf(dx * dx + dy * dy + dz * dz));
  }
  return sum;
}

static void rows(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  for (int64_t row = first; row < end; row++) {
    float y = (float)(row % p->n.y) * p->spacing;
    float z = (float)(row / p->n.y) * p->spacing;
    for (int64_t i = 0; i < p->n.x; i++)
      map[row * p->n.x + i] = potential(dcs_atoms(p), p->n_inputs, (float)i * p->spacing, y, z);
  }
}

static bool compute(const dcs_problem *p, const dcs_config *config, void *const out[]) {
  float *map = out[DCS_COULOMB_MAP];
  dcs_cpu_run(p, config->value[0], DCS_CPU_GUIDED, p->n.y * p->n.z, rows, map);
  return true;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 12.0;
}

static const char *const sources[] = {"kernels/coulomb/cpu/gather.c", "kernels/common/cpu.c",
                                      "kernels/common/cpu.h", "kernels/coulomb/coulomb.h", NULL};

const dcs_variant dcs_variant_cpu_gather = {
    .id = "cpu_gather",
    .kind = "coulomb",
    .sources = sources,
    .idea = "for every point, sum over the atoms: the textbook's sequential code",
    .backend = DCS_CPU,
    .book = DCS_BOOK_SEQUENTIAL,
    .params = dcs_cpu_params,
    .n_params = 1,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_cpu_applicable,
    .executed = dcs_cpu_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_all,
    .compute = compute,
};
