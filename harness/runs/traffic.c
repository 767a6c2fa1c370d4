/* Main-memory traffic of a map, from the launch plan: the one place where it is derived. */
#include "harness/problems/case.h"
#include "harness/runs/record.h"

/* Of a buffer that launches take `groups` times, all inputs each time, or write in `chunks`. */
static double moved(const dcs_kind *kind, int b, const dcs_problem *shape, const dcs_plan *plan) {
  const double bytes = (double)kind->buffers[b].bytes;
  const double groups = (double)dcs_divide_up(shape->n.z, plan->launch_slices);
  const double chunks = (double)dcs_divide_up(shape->n_inputs, plan->chunk_inputs);
  double n = (double)dcs_count(kind, b, shape);
  if (kind->buffers[b].output) {
    if (dcs_on_grid(kind, b)) n = (double)dcs_points(plan->stored);
    return bytes * n * (dcs_plan_fills(plan, b) ? 1 + 2 * chunks : 1);
  }
  if (b == 0 && plan->placed_inputs) n = (double)plan->placed_inputs;
  return bytes * n * groups * (b == 0 && plan->constant_inputs ? 2 : 1);
}

double dcs_bytes_moved(const dcs_variant *variant, const dcs_problem *shape,
                       const dcs_config *config) {
  const dcs_kind *kind = dcs_kind_of(variant);
  dcs_plan plan;
  double bytes = 0;
  if (variant->plan) variant->plan(shape, config, &plan);
  for (int b = 0; b < kind->n_buffers; b++)
    bytes +=
        variant->plan ? moved(kind, b, shape, &plan) : (double)dcs_buffer_bytes(kind, b, shape);
  return bytes;
}
