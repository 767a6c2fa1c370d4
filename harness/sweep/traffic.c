/* Main-memory traffic of a map, from the launch plan: the one place where it is derived. */
#include "harness/problems/case.h"
#include "harness/sweep/record.h"

double dcs_bytes_moved(const dcs_variant *variant, const dcs_problem *shape,
                       const dcs_config *config) {
  const double value = sizeof(float), bytes = (double)dcs_kind_of(variant)->input_bytes;
  double inputs = (double)shape->n_inputs * bytes;
  dcs_plan plan;
  if (!variant->plan) return inputs + value * (double)dcs_points(shape->n);
  variant->plan(shape, config, &plan);
  if (plan.placed_inputs) inputs = (double)plan.placed_inputs * bytes;
  int64_t chunks = dcs_divide_up(shape->n_inputs, plan.chunk_inputs);
  int64_t groups = dcs_divide_up(shape->n.z, plan.launch_slices);
  double out = value * (double)dcs_points(plan.stored);
  return (plan.overwrites ? out : out + 2 * out * (double)chunks) +
         inputs * (double)groups * (plan.constant_inputs ? 2 : 1);
}
