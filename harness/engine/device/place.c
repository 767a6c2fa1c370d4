/* The device engine: inputs that the host arranges for the kernel, and the overflow that it keeps.
 */
#include "harness/engine/device/engine.h"

#include <string.h>

void dcs_place_inputs(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p) {
  e->n_overflow =
      p->placed ? m->variant->place(&m->problem, &m->config, p->placed, e->overflow.host) : 0;
}

dcs_outcome dcs_place_ahead(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *p,
                            bool timed) {
  dcs_device *device = e->engine.device;
  dcs_place_inputs(e, m, p);
  if (timed && e->n_overflow > 0) {
    (void)dcs_fail(DCS_FAILED,
                   "%lld of %lld atoms overflow and are left to the host: a time of the launches "
                   "would be none of a map; scopes warm and first include the host's part",
                   (long long)e->n_overflow, (long long)e->shape->n_inputs);
    return DCS_OUTCOME_INAPPLICABLE;
  }
  if (!p->placed) return DCS_OUTCOME_OK;
  dcs_status status = device->copy_in(device, p->at[0].ptr, p->at[0].host, p->at[0].bytes);
  return status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

void dcs_compute_overflow(dcs_device_engine *e, const dcs_device_method *m) {
  if (e->n_overflow == 0) return;
  dcs_problem overflow = m->problem;
  overflow.input[0] = e->overflow.host;
  overflow.n_inputs = e->n_overflow;
  memset(e->overflow_out.host, 0, (size_t)dcs_points(overflow.n) * sizeof(float));
  m->variant->add_overflow(&overflow, &m->config, e->overflow_out.host);
}

void dcs_add_overflow(const dcs_device_engine *e, const dcs_places *p) {
  if (e->n_overflow == 0) return;
  float *out = p->at[dcs_map_of(e->kind)].host;
  const float *part = e->overflow_out.host;
  const int64_t points = dcs_points(e->shape->n);
#pragma omp parallel for if (points > 1000000)
  for (int64_t i = 0; i < points; i++)
    out[i] += part[i];
}
