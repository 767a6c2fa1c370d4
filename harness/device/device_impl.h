/* What the implementations of the device interface share. */
#ifndef DCS_DEVICE_IMPL_H
#define DCS_DEVICE_IMPL_H

#include "harness/device/device.h"

/* DCS_FAILED, naming the dimension, when a launch is outside what every card since compute
 * capability 3.0 allows: grid 2^31-1 x 65535 x 65535, block 1024 x 1024 x 64 and 1024 threads. */
dcs_status dcs_device_check_launch(const int64_t grid[3], const int block[3]);

#endif
