/* The device engine: the Fourier transforms of a plan. */
#include "harness/base/grow.h"
#include "harness/engine/device/engine.h"

#include <stdlib.h>

/* Lengths differ a little from plan to plan of problems that are alike. */
enum { MOST_MADE = 64 };

static dcs_outcome as_outcome(dcs_status status) {
  return status == DCS_OK            ? DCS_OUTCOME_OK
         : status == DCS_UNAVAILABLE ? DCS_OUTCOME_MEMORY
         : status == DCS_USAGE       ? DCS_OUTCOME_INAPPLICABLE
                                     : DCS_OUTCOME_LAUNCH;
}

static bool is_same(const dcs_made_fft *made, const dcs_plan_step *step) {
  const dcs_fft *a = &made->fft, *b = &step->fft;
  return a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z && a->forward == b->forward &&
         a->doubles == b->doubles && made->in_place == (step->from == step->to);
}

/* The one that was made for such a step, or a new one. */
static dcs_status find_or_make(dcs_device_engine *e, dcs_device_method *m,
                               const dcs_plan_step *step, const dcs_made_fft **found) {
  dcs_device *device = e->engine.device;
  dcs_made_fft made = {.fft = step->fft, .in_place = step->from == step->to};
  for (int i = 0; i < m->n_made_ffts; i++)
    if (is_same(&m->made_ffts[i], step)) {
      *found = &m->made_ffts[i];
      return DCS_OK;
    }
  DCS_TRY(dcs_grow(&m->made_ffts, (size_t)m->n_made_ffts, sizeof made, "Fourier transforms"));
  DCS_TRY(device->make_fft(device, &made.fft, made.in_place, &made.made, &made.work_bytes));
  m->made_ffts[m->n_made_ffts] = made;
  *found = &m->made_ffts[m->n_made_ffts++];
  return DCS_OK;
}

static dcs_status make(dcs_device_engine *e, dcs_device_method *m, int s) {
  const dcs_made_fft *made;
  DCS_TRY(find_or_make(e, m, &m->plan.steps[s], &made));
  m->ffts[s] = made->made;
  if (made->work_bytes > m->fft_work_bytes) m->fft_work_bytes = made->work_bytes;
  return dcs_block_grow(e->engine.device, DCS_BLOCK_DEVICE, m->fft_work_bytes, &e->fft_work);
}

dcs_outcome dcs_make_ffts(dcs_device_engine *e, dcs_device_method *m) {
  dcs_device *device = e->engine.device;
  if (m->n_made_ffts > MOST_MADE) dcs_free_ffts(e, m);
  for (int s = 0; s < m->plan.n_steps; s++) {
    if (m->plan.steps[s].does != DCS_STEP_FFT) continue;
    if (device->has_fft(device) != DCS_OK) return DCS_OUTCOME_NOT_BUILT;
    const dcs_outcome outcome = as_outcome(make(e, m, s));
    if (outcome != DCS_OUTCOME_OK) return outcome;
  }
  return DCS_OUTCOME_OK;
}

void dcs_free_ffts(dcs_device_engine *e, dcs_device_method *m) {
  if (m->n_made_ffts > 0) (void)e->engine.device->synchronize(e->engine.device);
  for (int i = 0; i < m->n_made_ffts; i++)
    e->engine.device->free_fft(e->engine.device, m->made_ffts[i].made);
  free(m->made_ffts);
  m->made_ffts = NULL;
  m->n_made_ffts = 0;
}
