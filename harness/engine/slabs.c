#include "harness/engine/slabs.h"

enum { MOST_SLABS = 8, LEAST_BYTES = 1 << 20 };

/* Loads of the card in a slab that a launch is cut into. Where a queue has to drain between two, as
 * much as half a load is lost each time. */
enum { LOADS_IN_TURN = 1, LOADS_ALONE = 4 };

int64_t dcs_resident_threads(int sm_count, int registers) {
  int64_t per_sm = registers > 32 ? 65536 / registers : 2048;
  return per_sm * sm_count;
}

bool dcs_constant_once(const dcs_plan *plan, const dcs_problem *problem) {
  return plan->atoms_in_constant && !plan->host_dz2 && plan->chunk_atoms >= problem->n_atoms;
}

static int64_t divide_up(int64_t n, int64_t by) {
  return dcs_round_up(n, by) / by;
}

dcs_slabs dcs_cut_slabs(const dcs_plan *plan, const dcs_problem *problem, int64_t resident) {
  const dcs_dims n = problem->n;
  int64_t step = plan->slice_step ? plan->slice_step : plan->launch_slices;
  int64_t slabs = n.x * n.y * n.z * (int64_t)sizeof(float) / LEAST_BYTES;
  if (slabs > MOST_SLABS) slabs = MOST_SLABS;
  if (slabs < 2 || step >= n.z) return (dcs_slabs){.slices = n.z};

  dcs_slabs cut = {0};
  int64_t steps = divide_up(n.z, step);
  if (step < plan->launch_slices) {
    cut.alternate = !plan->atoms_in_constant || dcs_constant_once(plan, problem);
    int64_t threads = plan->grid[0] * plan->grid[1] * plan->block[0] * plan->block[1];
    int64_t filled = (cut.alternate ? LOADS_IN_TURN : LOADS_ALONE) * resident;
    int64_t most = steps / divide_up(filled, threads); /* parts that fill the card, all alike */
    if (slabs > most) slabs = most;
  }
  if (slabs < 2) return (dcs_slabs){.slices = n.z};
  cut.slices = divide_up(steps, slabs) * step;
  return cut;
}
