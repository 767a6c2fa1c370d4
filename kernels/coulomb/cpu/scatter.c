/* Scatter: for every atom, add its term to every grid point.
 *
 * Idea: atoms outside, grid loops inside. The points of a row are independent, so a compiler
 *   vectorises the inner loop; the price is that the map passes through the core once an atom.
 * Derives from: cpu_gather, loops exchanged.
 * Per evaluation: 9 operations (the coordinate, dx, dx^2, two sums, a square root and a division,
 *   the charge, the sum), 1 load and 1 store (the point).
 * Parameters: threads (1..1024); each takes all atoms to its own rows, so no addition is shared.
 * Limits: bound by memory where a thread's rows exceed its cache. */
#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <string.h>

/* dy2, dz2: squared distances from the row to the atom in y and z. */
static void add_to_row(const dcs_atom *atom, float dy2, float dz2, float spacing, int nx,
                       float *row) {
  float ax = atom->x, q = atom->q;
  for (int i = 0; i < nx; i++) {
    float dx = (float)i * spacing - ax;
    row[i] += q * (1.0f / sqrtf(dx * dx + dy2 + dz2));
  }
}

static void rows(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  memset(map + first * p->n.x, 0, (size_t)((end - first) * p->n.x) * sizeof *map);
  for (int64_t a = 0; a < p->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(p)[a];
    for (int64_t row = first; row < end; row++) {
      float dy = (float)(row % p->n.y) * p->spacing - atom->y;
      float dz = (float)(row / p->n.y) * p->spacing - atom->z;
      add_to_row(atom, dy * dy, dz * dz, p->spacing, (int)p->n.x, map + row * p->n.x);
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
  return 9.0;
}

static const char *const sources[] = {"kernels/coulomb/cpu/scatter.c", "kernels/common/cpu.c",
                                      "kernels/common/cpu.h", "kernels/coulomb/coulomb.h", NULL};

const dcs_variant dcs_variant_cpu_scatter = {
    .id = "cpu_scatter",
    .kind = "coulomb",
    .sources = sources,
    .idea = "for every atom, add its term to every point",
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
