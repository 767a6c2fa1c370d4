#include "harness/device/telemetry.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdio.h>

dcs_telemetry dcs_telemetry_unknown(void) {
  return (dcs_telemetry){NAN, NAN, NAN, NAN, -1};
}

char *dcs_throttle_names(int64_t throttle, char text[DCS_TEXT]) {
  /* Bit by bit. */
  static const char *const names[] = {"gpu_idle",    "applications_clocks", "sw_power_cap",
                                      "hw_slowdown", "sync_boost",          "sw_thermal",
                                      "hw_thermal",  "hw_power_brake",      "display_clocks"};
  enum { NAMED = sizeof names / sizeof names[0] };
  snprintf(text, DCS_TEXT, "%s", throttle == 0 ? "none" : "");
  if (throttle <= 0) return text;
  for (int bit = 0; bit < NAMED; bit++)
    if (throttle >> bit & 1) dcs_append(text, DCS_TEXT, "%s%s", *text ? "|" : "", names[bit]);
  const int64_t rest = throttle >> NAMED << NAMED;
  if (rest) dcs_append(text, DCS_TEXT, "%s0x%llx", *text ? "|" : "", (unsigned long long)rest);
  return text;
}

bool dcs_throttled(const dcs_telemetry *telemetry) {
  enum { HW_SLOWDOWN = 1 << 3, SW_THERMAL = 1 << 5, HW_THERMAL = 1 << 6, HW_POWER_BRAKE = 1 << 7 };
  return telemetry->throttle > 0 &&
         telemetry->throttle & (HW_SLOWDOWN | SW_THERMAL | HW_THERMAL | HW_POWER_BRAKE);
}

dcs_telemetry dcs_telemetry_join(const dcs_telemetry *a, const dcs_telemetry *b) {
  dcs_telemetry t = {a->sm_mhz < b->sm_mhz ? a->sm_mhz : b->sm_mhz,
                     a->temperature_c > b->temperature_c ? a->temperature_c : b->temperature_c,
                     a->power_w + b->power_w, a->energy_j + b->energy_j,
                     a->throttle < 0 || b->throttle < 0 ? -1 : a->throttle | b->throttle};
  if (isnan(a->sm_mhz)) t.sm_mhz = NAN;
  if (isnan(a->temperature_c)) t.temperature_c = NAN;
  return t;
}
