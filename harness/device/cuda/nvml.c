#include "harness/device/cuda/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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

dcs_telemetry dcs_nvml_read(const char *uuid, bool energy) {
  dcs_telemetry t = dcs_telemetry_unknown();
  nvml_device device;
  unsigned value;
  unsigned long long reasons, millijoule;
  if (!open_nvml() || nvml.by_uuid(uuid, &device) != NVML_OK) return t;
  if (nvml.clock(device, CLOCK_SM, &value) == NVML_OK) t.sm_mhz = value;
  if (nvml.temperature(device, TEMPERATURE_GPU, &value) == NVML_OK) t.temperature_c = value;
  if (nvml.power(device, &value) == NVML_OK) t.power_w = 1e-3 * value;
  if (energy && nvml.energy && nvml.energy(device, &millijoule) == NVML_OK)
    t.energy_j = 1e-3 * (double)millijoule;
  if (nvml.reasons && nvml.reasons(device, &reasons) == NVML_OK) t.throttle = (int64_t)reasons;
  return t;
}

double dcs_nvml_power_limit_w(const char *uuid) {
  nvml_device device;
  unsigned value;
  if (!open_nvml() || nvml.by_uuid(uuid, &device) != NVML_OK) return NAN;
  return nvml.limit(device, &value) == NVML_OK ? 1e-3 * value : NAN;
}
