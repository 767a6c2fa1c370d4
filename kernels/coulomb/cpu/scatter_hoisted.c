/* Scatter with dy^2 + dz^2 computed once a row.
 *
 * Idea: what does not change along a row leaves the inner loop.
 * Derives from: cpu_scatter.
 * Per evaluation: 8 operations (the coordinate, dx, dx^2, one sum, a square root and a division,
 *   the charge, the sum), 1 load and 1 store (the point).
 * Parameters: threads (1..1024); each takes all atoms to its own rows, so no addition is shared.
 * Limits: as cpu_scatter, bound by memory where a thread's rows exceed its cache; elsewhere by the
 *   square root and the division. */
#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <string.h>

/* dyz2: squared distance from the row to the atom in the plane across it. */
static void add_to_row(const dcs_atom *atom, float dyz2, float spacing, int nx, float *row) {
  float ax = atom->x, q = atom->q;
  for (int i = 0; i < nx; i++) {
    float dx = (float)i * spacing - ax;
    row[i] += q * (1.0f / sqrtf(dx * dx + dyz2));
  }
}

static void rows(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  memset(map + first * p->n.x, 0, (size_t)((end - first) * p->n.x) * sizeof *map);
  for (int64_t a = 0; a < p->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(p)[a];
    for (int64_t row = first; row < end; row++) {
      float dy = (float)(row % p->n.y) * p->spacing - atom->y;
      float dz = (float)(row / p->n.y) * p->spacing - atom->z;
      add_to_row(atom, dy * dy + dz * dz, p->spacing, (int)p->n.x, map + row * p->n.x);
    }
  }
}

static bool compute(const dcs_problem *p, const dcs_config *config, void *const out[]) {
  float *map = out[DCS_COULOMB_MAP];
  dcs_cpu_run(p, config->value[0], DCS_CPU_EVENLY, p->n.y * p->n.z, rows, map);
  return true;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 8.0;
}

static const char *const sources[] = {"kernels/coulomb/cpu/scatter_hoisted.c",
                                      "kernels/common/cpu.c", "kernels/common/cpu.h",
                                      "kernels/coulomb/coulomb.h", NULL};

const dcs_variant dcs_variant_cpu_scatter_hoisted = {
    .id = "cpu_scatter_hoisted",
    .kind = "coulomb",
    .sources = sources,
    .idea = "scatter with dy^2 + dz^2 computed once a row",
    .backend = DCS_CPU,
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
