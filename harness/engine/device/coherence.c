#include "harness/engine/device/coherence.h"

void dcs_host_writes(dcs_valid *valid) {
  *valid = DCS_VALID_ON_HOST;
}

void dcs_device_writes(dcs_valid *valid) {
  *valid = DCS_VALID_ON_DEVICE;
}

static dcs_status read_by(dcs_valid *valid, dcs_valid other, bool *copy) {
  if (*valid == DCS_VALID_NOWHERE)
    return dcs_fail(DCS_FAILED, "a buffer is read that nobody has written");
  *copy = *valid == other;
  if (*copy) *valid = DCS_VALID_ON_BOTH;
  return DCS_OK;
}

dcs_status dcs_host_reads(dcs_valid *valid, bool *copy) {
  return read_by(valid, DCS_VALID_ON_DEVICE, copy);
}

dcs_status dcs_device_reads(dcs_valid *valid, bool *copy) {
  return read_by(valid, DCS_VALID_ON_HOST, copy);
}
