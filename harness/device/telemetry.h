/* Clock, temperature, power and energy of a GPU, read through NVML (opened at run time). */
#ifndef DCS_TELEMETRY_H
#define DCS_TELEMETRY_H

#include "kernels/contract.h"

typedef struct {
  double sm_mhz, temperature_c, power_w; /* NaN: unknown */
  int64_t throttle; /* why the clock is not higher: NVML's clocks event reasons; -1: unknown */
} dcs_telemetry;

/* All unknown. */
dcs_telemetry dcs_telemetry_unknown(void);

/* "none", or the reasons with "|" between them, those without a name as a hexadecimal number; ""
 * when unknown. Returns text. */
char *dcs_throttle_names(int64_t throttle, char text[DCS_TEXT]);

/* `uuid` as the driver reports it ("GPU-..."): cards are matched by it, never by index, because
 * NVML and CUDA may number them differently. Everything is unknown where NVML is missing or
 * refuses. */
dcs_telemetry dcs_telemetry_read(const char *uuid);

/* Of two cards that work together: the lower clock, the higher temperature, the power of both, the
 * reasons of either. What is unknown of one is unknown. */
dcs_telemetry dcs_telemetry_join(const dcs_telemetry *a, const dcs_telemetry *b);

/* Energy that the card has used since its driver was loaded, joule; NaN if unknown. The counter
 * moves in steps of up to 0.1 s. */
double dcs_gpu_energy_j(const char *uuid);

/* The card's enforced power limit in watts, NaN if unknown. */
double dcs_power_limit_w(const char *uuid);

#endif
