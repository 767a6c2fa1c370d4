/* The counters of an NVIDIA GPU, read through NVML (opened at run time). */
#ifndef DCS_NVML_H
#define DCS_NVML_H

#include "harness/device/telemetry.h"

#include <stdbool.h>

/* `uuid` as the driver reports it ("GPU-..."): cards are matched by it, never by index, because
 * NVML and CUDA may number them differently. Everything is unknown where NVML is missing or
 * refuses. `energy`: with the counter of energy, which moves in steps of up to 0.1 s and takes 4 ms
 * to read on an H200, where all else takes 5 us. */
dcs_telemetry dcs_nvml_read(const char *uuid, bool energy);

/* The card's enforced power limit in watts, NaN if unknown. */
double dcs_nvml_power_limit_w(const char *uuid);

#endif
