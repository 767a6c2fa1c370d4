/* Rows of a stencil in portable vectors; see stencil_rows.h. */
#define STENCIL_BYTES 16
#define STENCIL_TARGET

#define STENCIL_KERNEL dcs_stencil_portable
#include "kernels/stencil/cpu/stencil_rows.h"
