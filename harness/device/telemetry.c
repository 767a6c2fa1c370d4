#include "harness/device/telemetry.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The few entry points used, with NVML's own numbers (its ABI is stable and documented in the NVML
 * API reference), so that no NVML header is needed to build. */
typedef int nvml_return;
typedef struct nvml_device_opaque *nvml_device;
enum { NVML_OK = 0, CLOCK_SM = 1, TEMPERATURE_GPU = 0 };

static struct {
  bool tried, ready;
  nvml_return (*init)(void);
  nvml_return (*by_uuid)(const char *, nvml_device *);
  nvml_return (*clock)(nvml_device, int, unsigned *);
  nvml_return (*temperature)(nvml_device, int, unsigned *);
  nvml_return (*power)(nvml_device, unsigned *);
  nvml_return (*limit)(nvml_device, unsigned *);
  nvml_return (*reasons)(nvml_device, unsigned long long *); /* NULL: an older NVML */
  nvml_return (*energy)(nvml_device, unsigned long long *);  /* NULL likewise; millijoule */
} nvml;

static bool resolve(void *library, const char *name, void *function) {
  *(void **)function = dlsym(library, name);
  return *(void **)function != NULL;
}

static bool open_nvml(void) {
  if (nvml.tried) return nvml.ready;
  nvml.tried = true;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  nvml.ready = library && resolve(library, "nvmlInit_v2", &nvml.init) &&
               resolve(library, "nvmlDeviceGetHandleByUUID", &nvml.by_uuid) &&
               resolve(library, "nvmlDeviceGetClockInfo", &nvml.clock) &&
               resolve(library, "nvmlDeviceGetTemperature", &nvml.temperature) &&
               resolve(library, "nvmlDeviceGetPowerUsage", &nvml.power) &&
               resolve(library, "nvmlDeviceGetEnforcedPowerLimit", &nvml.limit) &&
               nvml.init() == NVML_OK;
  if (!nvml.ready) return false;
  (void)(resolve(library, "nvmlDeviceGetCurrentClocksEventReasons", &nvml.reasons) ||
         resolve(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml.reasons));
  resolve(library, "nvmlDeviceGetTotalEnergyConsumption", &nvml.energy);
  return true;
}

dcs_telemetry dcs_telemetry_unknown(void) {
  return (dcs_telemetry){NAN, NAN, NAN, -1};
}

char *dcs_throttle_names(int64_t throttle, char text[DCS_TEXT]) {
  /* Bit by bit, as NVML numbers them. */
  static const char *const names[] = {"gpu_idle",    "applications_clocks", "sw_power_cap",
                                      "hw_slowdown", "sync_boost",          "sw_thermal",
                                      "hw_thermal",  "hw_power_brake",      "display_clocks"};
  enum { NAMED = sizeof names / sizeof names[0] };
  int used = snprintf(text, DCS_TEXT, "%s", throttle == 0 ? "none" : "");
  if (throttle <= 0) return text;
  for (int bit = 0; bit < NAMED; bit++)
    if (throttle >> bit & 1)
      used += snprintf(text + used, DCS_TEXT - (size_t)used, "%s%s", used ? "|" : "", names[bit]);
  int64_t rest = throttle >> NAMED << NAMED;
  if (rest)
    snprintf(text + used, DCS_TEXT - (size_t)used, "%s0x%llx", used ? "|" : "",
             (unsigned long long)rest);
  return text;
}

dcs_telemetry dcs_telemetry_read(const char *uuid) {
  dcs_telemetry t = dcs_telemetry_unknown();
  nvml_device device;
  unsigned value;
  unsigned long long reasons;
  if (!open_nvml() || nvml.by_uuid(uuid, &device) != NVML_OK) return t;
  if (nvml.clock(device, CLOCK_SM, &value) == NVML_OK) t.sm_mhz = value;
  if (nvml.temperature(device, TEMPERATURE_GPU, &value) == NVML_OK) t.temperature_c = value;
  if (nvml.power(device, &value) == NVML_OK) t.power_w = 1e-3 * value;
  if (nvml.reasons && nvml.reasons(device, &reasons) == NVML_OK) t.throttle = (int64_t)reasons;
  return t;
}

dcs_telemetry dcs_telemetry_join(const dcs_telemetry *a, const dcs_telemetry *b) {
  dcs_telemetry t = {a->sm_mhz < b->sm_mhz ? a->sm_mhz : b->sm_mhz,
                     a->temperature_c > b->temperature_c ? a->temperature_c : b->temperature_c,
                     a->power_w + b->power_w,
                     a->throttle < 0 || b->throttle < 0 ? -1 : a->throttle | b->throttle};
  if (isnan(a->sm_mhz)) t.sm_mhz = NAN;
  if (isnan(a->temperature_c)) t.temperature_c = NAN;
  return t;
}

double dcs_gpu_energy_j(const char *uuid) {
  nvml_device device;
  unsigned long long millijoule;
  if (!open_nvml() || !nvml.energy || nvml.by_uuid(uuid, &device) != NVML_OK) return NAN;
  return nvml.energy(device, &millijoule) == NVML_OK ? 1e-3 * (double)millijoule : NAN;
}

double dcs_power_limit_w(const char *uuid) {
  nvml_device device;
  unsigned value;
  if (!open_nvml() || nvml.by_uuid(uuid, &device) != NVML_OK) return NAN;
  return nvml.limit(device, &value) == NVML_OK ? 1e-3 * value : NAN;
}
