/* Shared memory, which only a kernel's own text can name: pointers are __global. */
#ifndef DCS_OPENCL_SHARED_H
#define DCS_OPENCL_SHARED_H

#include "harness/device/opencl/rewrite.h"

/* DCS_UNAVAILABLE where the kernel gives its shared memory to a function, or a pointer. */
dcs_status dcs_opencl_check_shared(const dcs_rewriter *r, const dcs_function *kernel);

#endif
