/* Where the values of a buffer that host and device both have are right: who writes makes the
 * other's stale, and who reads copies what is stale, once. What did not change is not copied. */
#ifndef DCS_COHERENCE_H
#define DCS_COHERENCE_H

#include "kernels/status.h"

#include <stdbool.h>

typedef enum {
  DCS_VALID_NOWHERE, /* nobody has written it yet */
  DCS_VALID_ON_HOST,
  DCS_VALID_ON_DEVICE,
  DCS_VALID_ON_BOTH
} dcs_valid;

/* All is about to be written, there. */
void dcs_host_writes(dcs_valid *valid);
void dcs_device_writes(dcs_valid *valid);

/* It is about to be read there: *copy says whether it has to be copied before, and from then on
 * both have it. DCS_FAILED where nobody has written it. */
dcs_status dcs_host_reads(dcs_valid *valid, bool *copy);
dcs_status dcs_device_reads(dcs_valid *valid, bool *copy);

#endif
