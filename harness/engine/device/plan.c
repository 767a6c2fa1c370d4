/* The device engine: what a plan needs, and plans that take the place of others. */
#include "harness/engine/device/engine.h"

#include <string.h>

static dcs_block *scratch_of(dcs_device_engine *e, dcs_device_method *m, int s) {
  return m->plan.scratch[s].zero ? &m->zero[s] : &e->scratch[s];
}

dcs_status dcs_make_scratch(dcs_device_engine *e, dcs_device_method *m) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < DCS_MAX_SCRATCH; s++) {
    const dcs_scratch *scratch = &m->plan.scratch[s];
    dcs_block *block = scratch_of(e, m, s);
    DCS_TRY(dcs_block_grow(device, DCS_BLOCK_DEVICE, (size_t)scratch->bytes, block));
    if (scratch->zero) DCS_TRY(device->fill(device, block->ptr, 0, block->bytes / 4));
  }
  return DCS_OK;
}

/* With some to spare, as the next plan may want a little more. What is in use is waited for. */
static dcs_status grow_scratch(dcs_device_engine *e, dcs_device_method *m) {
  dcs_device *device = e->engine.device;
  bool enough = true;
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    enough = enough && (size_t)m->plan.scratch[s].bytes <= scratch_of(e, m, s)->bytes;
  if (enough) return DCS_OK;
  dcs_device_method roomy = *m;
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    roomy.plan.scratch[s].bytes += roomy.plan.scratch[s].bytes / 8;
  e->kept = 0;
  DCS_TRY(device->synchronize(device));
  const dcs_status status = dcs_make_scratch(e, &roomy);
  memcpy(m->zero, roomy.zero, sizeof m->zero);
  return status;
}

dcs_outcome dcs_adopt_plan(dcs_device_engine *e, int slot, const dcs_problem *problem,
                           const dcs_plan *plan) {
  dcs_device_method *m = &e->slots[slot];
  dcs_destroy_graphs(e, m);
  m->problem = *problem;
  m->plan = *plan;
  m->replanned = true;
  const dcs_status status = grow_scratch(e, m);
  if (status == DCS_OK) return dcs_make_ffts(e, m);
  return status == DCS_UNAVAILABLE ? DCS_OUTCOME_MEMORY : DCS_OUTCOME_LAUNCH;
}
