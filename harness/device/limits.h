/* Measured limits of a device, which rates are held against. */
#ifndef DCS_LIMITS_H
#define DCS_LIMITS_H

#include "harness/device/device.h"

/* Reciprocal square roots per second of the whole device: independent chains of rsqrtf and nothing
 * else, best of several runs (a limit is the most that was seen). rsqrt.cu is the kernel. */
dcs_status dcs_measure_rsqrt_rate(dcs_device *device, double *per_second);

#endif
