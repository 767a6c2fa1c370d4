#include "harness/sweep/traffic.h"

static double points_of(dcs_dims n) {
  return (double)n.x * (double)n.y * (double)n.z;
}

double dcs_bytes_moved(const dcs_variant *variant, const dcs_problem *shape,
                       const dcs_config *config) {
  const double value = sizeof(float);
  double atoms = (double)shape->n_atoms * sizeof(dcs_atom);
  dcs_plan plan;
  if (!variant->plan) return atoms + value * points_of(shape->n);
  variant->plan(shape, config, &plan);
  if (plan.placed_atoms) atoms = (double)plan.placed_atoms * sizeof(dcs_atom);
  int64_t chunks = dcs_round_up(shape->n_atoms, plan.chunk_atoms) / plan.chunk_atoms;
  int64_t groups = dcs_round_up(shape->n.z, plan.launch_slices) / plan.launch_slices;
  double map = value * points_of(plan.stored);
  return map + 2 * map * (double)chunks + atoms * (double)groups * (plan.atoms_in_constant ? 2 : 1);
}
