/* The device engine: the Fourier transforms of a plan. */
#include "harness/engine/engine_device.h"

static dcs_outcome as_outcome(dcs_status status) {
  return status == DCS_OK            ? DCS_OUTCOME_OK
         : status == DCS_UNAVAILABLE ? DCS_OUTCOME_MEMORY
         : status == DCS_USAGE       ? DCS_OUTCOME_INAPPLICABLE
                                     : DCS_OUTCOME_LAUNCH;
}

static dcs_status make(dcs_device_engine *e, dcs_device_method *m, int s) {
  dcs_device *device = e->engine.device;
  const dcs_plan_step *step = &m->plan.steps[s];
  size_t bytes = 0;
  DCS_TRY(device->make_fft(device, &step->fft, step->from == step->to, &m->ffts[s], &bytes));
  if (bytes > m->fft_work_bytes) m->fft_work_bytes = bytes;
  return dcs_block_grow(device, DCS_BLOCK_DEVICE, m->fft_work_bytes, &e->fft_work);
}

dcs_outcome dcs_make_ffts(dcs_device_engine *e, dcs_device_method *m) {
  dcs_device *device = e->engine.device;
  for (int s = 0; s < m->plan.n_steps; s++) {
    if (m->plan.steps[s].does != DCS_STEP_FFT) continue;
    if (device->has_fft(device) != DCS_OK) return DCS_OUTCOME_NOT_BUILT;
    const dcs_outcome outcome = as_outcome(make(e, m, s));
    if (outcome != DCS_OUTCOME_OK) return outcome;
  }
  return DCS_OUTCOME_OK;
}

void dcs_free_ffts(dcs_device_engine *e, dcs_device_method *m) {
  for (int s = 0; s < DCS_MAX_STEPS; s++) {
    if (m->ffts[s]) e->engine.device->free_fft(e->engine.device, m->ffts[s]);
    m->ffts[s] = NULL;
  }
}
