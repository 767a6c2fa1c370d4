/* The text of a CUDA kernel, and a configuration as macros. */
#ifndef DCS_KERNEL_SOURCE_H
#define DCS_KERNEL_SOURCE_H

#include "harness/device/device.h"

/* The source of a CUDA variant ("cuda_NAME": kernels/cuda/NAME.cu) and the macros of a
 * configuration. Free with dcs_kernel_source_free(). */
typedef struct {
  dcs_source source;
  char *file_text; /* owned when read from a folder */
  char name[DCS_TEXT];
  char option_text[3 * DCS_MAX_PARAMS][64];
  const char *options[3 * DCS_MAX_PARAMS];
} dcs_kernel_source;

dcs_status dcs_kernel_source_open(const dcs_variant *variant, const dcs_config *config,
                                  const char *kernels, dcs_kernel_source *source);
void dcs_kernel_source_free(dcs_kernel_source *source);

#endif
