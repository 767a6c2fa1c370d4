/* cuFFT, opened at run time. Its functions are declared here, because its header is not wherever
 * the driver's is. */
#ifndef DCS_CUFFT_H
#define DCS_CUFFT_H

#include "harness/device/device.h"

/* Fills in has_fft, make_fft, run_fft and free_fft. */
void dcs_cuda_fft_methods(dcs_device *device);

#endif
