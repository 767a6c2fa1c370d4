#include "harness/engine/slabs.h"

enum { MOST_SLABS = 8, LEAST_BYTES = 1 << 20 };

/* Waves in a slab that a launch is cut into. Where a stream has to drain between two slabs, as much
 * as half a wave is lost each time. */
enum { WAVES_ALTERNATING = 1, WAVES_ALONE = 4 };

bool dcs_constant_once(const dcs_plan *plan, const dcs_problem *problem) {
  return plan->constant_inputs && !plan->prepared && plan->chunk_inputs >= problem->n_inputs;
}

dcs_slabs dcs_cut_slabs(const dcs_plan *plan, const dcs_problem *problem, size_t slice_bytes,
                        int64_t resident) {
  const dcs_dims n = problem->n;
  int64_t step = plan->slice_step ? plan->slice_step : plan->launch_slices;
  int64_t slabs = (int64_t)slice_bytes * n.z / LEAST_BYTES;
  if (slabs > MOST_SLABS) slabs = MOST_SLABS;
  if (slabs < 2 || step >= n.z) return (dcs_slabs){.slices = n.z};

  dcs_slabs cut = {0};
  int64_t steps = dcs_divide_up(n.z, step);
  if (step < plan->launch_slices) {
    cut.alternate = !plan->constant_inputs || dcs_constant_once(plan, problem);
    int64_t threads = plan->grid[0] * plan->grid[1] * plan->block[0] * plan->block[1];
    int64_t filled = (cut.alternate ? WAVES_ALTERNATING : WAVES_ALONE) * resident;
    int64_t most = steps / dcs_divide_up(filled, threads); /* parts that fill the card, all alike */
    if (slabs > most) slabs = most;
  }
  if (slabs < 2) return (dcs_slabs){.slices = n.z};
  cut.slices = dcs_divide_up(steps, slabs) * step;
  return cut;
}
