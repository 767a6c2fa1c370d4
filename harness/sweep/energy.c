#include "harness/sweep/energy.h"

#include "harness/device/rapl.h"
#include "harness/device/telemetry.h"

#include <math.h>

static const double SPAN_NS = 1e9;

/* Of all devices together; NaN where one of them has no counter, or none is there. */
static double used_j(const dcs_session *session) {
  int n;
  const dcs_device_info *devices = dcs_session_devices(session, &n);
  double joules = n > 0 ? 0 : NAN;
  for (int d = 0; d < n; d++)
    joules += dcs_gpu_energy_j(devices[d].uuid);
  return joules;
}

dcs_outcome dcs_measure_energy(dcs_session *session, int slot, const dcs_record *record,
                               double map_ns, double *joules) {
  bool cpu = record->method.variant->backend == DCS_CPU;
  dcs_rapl before = {.n = 0}, after;
  double before_j = NAN;
  dcs_sample sample;
  *joules = NAN;
  if (record->scope == DCS_FIRST) return DCS_OUTCOME_OK;
  if (cpu)
    before = dcs_rapl_read(DCS_RAPL_FOLDER);
  else
    before_j = used_j(session);
  if (cpu ? before.n == 0 : isnan(before_j)) return DCS_OUTCOME_OK;
  int64_t maps = (int64_t)ceil(SPAN_NS / fmax(map_ns, 1));
  dcs_outcome outcome =
      dcs_session_run(session, slot, record->scope, record->memory, maps, &sample);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (cpu) {
    after = dcs_rapl_read(DCS_RAPL_FOLDER);
    *joules = dcs_rapl_used_j(&before, &after) / (double)maps;
  } else {
    *joules = (used_j(session) - before_j) / (double)maps;
  }
  return DCS_OUTCOME_OK;
}
