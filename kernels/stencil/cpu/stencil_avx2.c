/* Rows of a stencil in AVX2; see stencil_rows.h. */
#define STENCIL_BYTES 32

#ifdef __x86_64__
#define STENCIL_TARGET __attribute__((target("avx2,fma")))
#endif

#define STENCIL_KERNEL dcs_stencil_avx2
#include "kernels/stencil/cpu/stencil_rows.h"
