/* The CUDA driver's device: what is said of a card in env.csv. */
#include "harness/device/cuda/device.h"

#if DCS_WITH_CUDA

#include "harness/device/cuda/nvml.h"
#include "harness/device/cuda/nvrtc.h"

#include <math.h>
#include <stdio.h>

enum { NAME, UUID, CAPABILITY, SMS, CLOCK, MEMORY, ECC, POWER, DRIVER, COMPILER, N_FACTS };

const dcs_device_fact dcs_cuda_facts[] = {[NAME] = {"gpu_name", true},
                                          [UUID] = {"gpu_uuid", true},
                                          [CAPABILITY] = {"gpu_compute_capability", false},
                                          [SMS] = {"gpu_sm_count", false},
                                          [CLOCK] = {"gpu_max_clock_mhz", false},
                                          [MEMORY] = {"gpu_memory_bytes", false},
                                          [ECC] = {"gpu_ecc", false},
                                          [POWER] = {"gpu_power_limit_w", false},
                                          [DRIVER] = {"cuda_driver", true},
                                          [COMPILER] = {"nvrtc", true},
                                          [N_FACTS] = {0}};

/* 13000 is 13.0. */
static void version(int found, char value[DCS_FACT]) {
  snprintf(value, DCS_FACT, "%d.%d", found / 1000, found % 1000 / 10);
}

dcs_status dcs_cuda_read_facts(dcs_device *device, char values[][DCS_FACT]) {
  const dcs_cuda_device *cuda = (const dcs_cuda_device *)device;
  const double watts = dcs_nvml_power_limit_w(cuda->uuid);
  int major, minor, ecc, driver, compiler;
  dcs_device_info info;
  DCS_TRY(device->info(device, &info));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  DCS_TRY(dcs_cuda_attribute(cuda, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &ecc));
  DCS_TRY(DCS_CU(cuDriverGetVersion, &driver));
  DCS_TRY(dcs_nvrtc_version(&compiler));
  snprintf(values[NAME], DCS_FACT, "%s", info.name);
  snprintf(values[UUID], DCS_FACT, "%s", cuda->uuid);
  snprintf(values[CAPABILITY], DCS_FACT, "%d.%d", major, minor);
  snprintf(values[SMS], DCS_FACT, "%d", info.sm_count);
  snprintf(values[CLOCK], DCS_FACT, "%d", info.clock_mhz);
  snprintf(values[MEMORY], DCS_FACT, "%lld", (long long)info.memory_bytes);
  snprintf(values[ECC], DCS_FACT, "%s", ecc ? "on" : "off");
  if (!isnan(watts)) snprintf(values[POWER], DCS_FACT, "%.9g", watts);
  version(driver, values[DRIVER]);
  version(compiler, values[COMPILER]);
  return DCS_OK;
}

#endif
