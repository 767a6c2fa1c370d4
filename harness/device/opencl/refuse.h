/* What no translation to OpenCL C can do. */
#ifndef DCS_OPENCL_REFUSE_H
#define DCS_OPENCL_REFUSE_H

#include "harness/device/opencl/tokens.h"

/* DCS_UNAVAILABLE with the word that the text has and OpenCL C has not; `doubles`: it has those. */
dcs_status dcs_opencl_refuse(const char *name, bool doubles, const dcs_tokens *tokens);

#endif
