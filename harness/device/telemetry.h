/* What the counters of a device show: clock, temperature, power, energy. */
#ifndef DCS_TELEMETRY_H
#define DCS_TELEMETRY_H

#include "kernels/contract.h"

typedef struct {
  double sm_mhz, temperature_c, power_w; /* NaN: unknown */
  double energy_j;                       /* used since some time in the past; NaN: unknown */
  int64_t throttle; /* why the clock is not higher: bits, in the order of the names; -1: unknown */
} dcs_telemetry;

/* All unknown. */
dcs_telemetry dcs_telemetry_unknown(void);

/* "none", or the reasons with "|" between them, those without a name as a hexadecimal number; ""
 * when unknown. Returns text. */
char *dcs_throttle_names(int64_t throttle, char text[DCS_TEXT]);

/* Whether the clock is held down by what is no part of the work's own: heat, or a brake. A power
 * cap is: work that reaches it always does. */
bool dcs_throttled(const dcs_telemetry *telemetry);

/* Of two devices that work together: the lower clock, the higher temperature, power and energy of
 * both, the reasons of either. What is unknown of one is unknown. */
dcs_telemetry dcs_telemetry_join(const dcs_telemetry *a, const dcs_telemetry *b);

#endif
