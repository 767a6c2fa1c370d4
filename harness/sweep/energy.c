#include "harness/sweep/energy.h"

#include "harness/device/rapl.h"

#include <math.h>

static const double SPAN_NS = 1e9;

/* Joules of so many maps by the counters of the CPU's packages. */
static dcs_outcome of_packages(dcs_session *session, int slot, const dcs_record *record,
                               int64_t maps, double *joules) {
  dcs_sample sample;
  const dcs_rapl before = dcs_rapl_read(DCS_RAPL_FOLDER);
  if (before.n == 0) return DCS_OUTCOME_OK;
  dcs_outcome outcome =
      dcs_session_run(session, slot, record->scope, record->memory, maps, &sample);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  const dcs_rapl after = dcs_rapl_read(DCS_RAPL_FOLDER);
  if (!sample.continued) *joules = dcs_rapl_used_j(&before, &after);
  return DCS_OUTCOME_OK;
}

/* By the devices' own, which are read at the end of each run: of one map, then of so many. */
static dcs_outcome of_devices(dcs_session *session, int slot, const dcs_record *record,
                              int64_t maps, double *joules) {
  dcs_sample before, after;
  dcs_outcome outcome = dcs_session_run(session, slot, record->scope, record->memory, 1, &before);
  if (outcome != DCS_OUTCOME_OK || isnan(before.telemetry.energy_j)) return outcome;
  outcome = dcs_session_run(session, slot, record->scope, record->memory, maps, &after);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  if (!after.continued) *joules = after.telemetry.energy_j - before.telemetry.energy_j;
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_measure_energy(dcs_session *session, int slot, const dcs_record *record,
                               double map_ns, double *joules) {
  const int64_t maps = (int64_t)ceil(SPAN_NS / fmax(map_ns, 1));
  double all = NAN;
  *joules = NAN;
  if (record->scope == DCS_FIRST) return DCS_OUTCOME_OK;
  dcs_outcome outcome = record->method.variant->backend == DCS_CPU
                            ? of_packages(session, slot, record, maps, &all)
                            : of_devices(session, slot, record, maps, &all);
  *joules = all / (double)maps;
  return outcome;
}
