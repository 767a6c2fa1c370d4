/* From CUDA C++ to OpenCL C 1.2: the part of it that kernels without C++ of their own are written
 * in, and functions that are templates of one parameter. The prelude (prelude.cl) defines words of
 * CUDA; what no macro can do is done here:
 *
 * - pointers get the address space that nearly all have, __global. Those that are array parameters
 *   stay as they are, private.
 * - a pointer argument of a kernel becomes a buffer and an offset, as OpenCL has no addresses.
 * - a __constant__ array becomes an argument of kernels, and of the functions that they call.
 * - a reference that is const becomes a copy.
 * - structs are named without `struct`, and made by return { }.
 * - a template is written out for each argument that it is used with. */
#ifndef DCS_OPENCL_TRANSLATE_H
#define DCS_OPENCL_TRANSLATE_H

#include "harness/device/device.h"

enum { DCS_OPENCL_NAME = 64, DCS_OPENCL_KERNELS = 32, DCS_OPENCL_CONSTANTS = 4 };

/* A kernel's arguments in the order of the CUDA text. One that is a pointer is two in OpenCL:
 * buffer, offset in bytes (a long). Behind all others come the constant arrays. */
typedef struct {
  char name[DCS_OPENCL_NAME];
  int n_args;
  struct {
    bool pointer;
    int bytes; /* of a value; 0: the compiler knows */
    int struct_ /* where bytes is 0: which of the sizes that dcs_sizes writes */;
  } args[DCS_MAX_ARGS];
} dcs_opencl_kernel;

typedef struct {
  char *text; /* behind the prelude; the caller frees it */
  dcs_opencl_kernel kernels[DCS_OPENCL_KERNELS];
  int n_kernels;
  char constants[DCS_OPENCL_CONSTANTS][DCS_OPENCL_NAME];
  int n_constants;
  int n_sizes; /* ints that the kernel dcs_sizes(__global int *) writes; 0: there is none */
} dcs_opencl_text;

/* DCS_UNAVAILABLE, naming what it is, where the text has what OpenCL C has not, or doubles where
 * the device has none. Then nothing is left to free. */
dcs_status dcs_opencl_translate(const dcs_source *source, bool doubles,
                                dcs_opencl_text *translated);

#endif
