/* Clock, temperature and power of a GPU, read through NVML (opened at run time). */
#ifndef DCS_TELEMETRY_H
#define DCS_TELEMETRY_H

typedef struct {
  double sm_mhz, temperature_c, power_w; /* NaN: unknown */
} dcs_telemetry;

/* `uuid` as the driver reports it ("GPU-..."): cards are matched by it, never by index, because
 * NVML and CUDA may number them differently. Everything is NaN where NVML is missing or refuses. */
dcs_telemetry dcs_telemetry_read(const char *uuid);

/* The card's enforced power limit in watts, NaN if unknown. */
double dcs_power_limit_w(const char *uuid);

#endif
