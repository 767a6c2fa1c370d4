/* Variants that compile for seconds a configuration, or have many for what they are, and lists
 * without them. Include after
 * cmocka.h.
 */
#ifndef DCS_TEST_SLOW_VARIANTS_H
#define DCS_TEST_SLOW_VARIANTS_H

#include "kernels/contract.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool is_slow(const dcs_variant *variant) {
  return strcmp(variant->id, "cuda_mesh") == 0 || strcmp(variant->id, "cuda_multilevel") == 0 ||
         (variant->backend == DCS_GPU && strcmp(variant->kind, "stencil") == 0);
}

/* Those that compute for long on the emulated device, or compile for each molecule. */
static inline bool is_long(const dcs_variant *variant) {
  return strcmp(variant->id, "cuda_cutoff_bins") == 0 ||
         strcmp(variant->id, "cuda_cutoff_cells") == 0 || strcmp(variant->id, "cuda_padded") == 0 ||
         (variant->backend == DCS_GPU && strcmp(variant->kind, "orbital") == 0);
}

/* Whether a test is to try all configurations of the variant: of the slow ones with DCS_TEST_FULL
 * alone. */
static inline bool is_tried(const dcs_variant *variant) {
  return getenv("DCS_TEST_FULL") || !is_slow(variant);
}

/* The same on the emulated device. */
static inline bool is_computed(const dcs_variant *variant) {
  return is_tried(variant) && (getenv("DCS_TEST_FULL") || !is_long(variant));
}

/* Those on the GPU of which `is` holds, as --variants takes them. */
static inline const char *variants_that(bool (*is)(const dcs_variant *)) {
  static char list[4096];
  size_t n = 0;
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == DCS_GPU && is(dcs_variants[v]))
      n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? "," : "", dcs_variants[v]->id);
  return list;
}

#endif
