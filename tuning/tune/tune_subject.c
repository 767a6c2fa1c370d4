#include "tuning/tune/tune_subject.h"

#include "harness/base/embedded.h"
#include "harness/device/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t dcs_fnv1a64(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_embedded(uint64_t hash, const char *path) {
  const char *text = dcs_embedded(path);
  return text ? dcs_fnv1a64(hash, text, strlen(text)) : hash;
}

/* A CPU variant's own file, or files where it has several, and what all of them share. */
static uint64_t hash_cpu_source(const dcs_variant *variant) {
  static const char *const own[] = {".c",          "_cells.h", "_cells.c", "_tile.h",
                                    "_portable.c", "_avx2.c",  "_avx512.c"};
  static const char *const shared[] = {"cpu.c", "tile.h", "rsqrt_portable.h", "rsqrt_avx2.h",
                                       "rsqrt_avx512.h"};
  const char *name = strchr(variant->id, '_');
  char path[DCS_TEXT];
  uint64_t hash = DCS_FNV_START;
  for (size_t t = 0; t < sizeof own / sizeof own[0]; t++) {
    snprintf(path, sizeof path, "kernels/cpu/%s%s", name ? name + 1 : variant->id, own[t]);
    hash = hash_embedded(hash, path);
  }
  for (size_t t = 0; t < sizeof shared / sizeof shared[0]; t++) {
    snprintf(path, sizeof path, "kernels/cpu/%s", shared[t]);
    hash = hash_embedded(hash, path);
  }
  return hash;
}

static dcs_status hash_source(const dcs_variant *variant, const char *kernels, uint64_t *hash) {
  dcs_config config = dcs_initial_config(variant, 1);
  dcs_kernel_source source;
  if (variant->backend == DCS_CPU) {
    *hash = hash_cpu_source(variant);
    return DCS_OK;
  }
  dcs_status status = dcs_kernel_source_open(variant, &config, kernels, &source);
  if (status == DCS_OK)
    *hash = dcs_fnv1a64(DCS_FNV_START, source.source.text, strlen(source.source.text));
  dcs_kernel_source_free(&source);
  return status;
}

dcs_status dcs_subject_fill(const dcs_variant *variant, dcs_scope scope, int64_t atoms, dcs_dims n,
                            const dcs_facts *facts, const char *kernels, dcs_subject *subject) {
  bool cpu = variant->backend == DCS_CPU;
  uint64_t hash = 0;
  *subject = (dcs_subject){.variant = variant, .scope = scope, .atoms = atoms, .n = n};
  DCS_TRY(hash_source(variant, kernels, &hash));
  snprintf(subject->kernel_hash, sizeof subject->kernel_hash, "%016llx", (unsigned long long)hash);
  snprintf(subject->machine, sizeof subject->machine, "%.127s",
           dcs_fact_value(facts, cpu ? "cpu_model" : "gpu_name"));
  snprintf(subject->capability, sizeof subject->capability, "%.15s",
           dcs_fact_value(facts, cpu ? "isa" : "gpu_compute_capability"));
  subject->units = (int)strtol(dcs_fact_value(facts, cpu ? "cpus" : "gpu_sm_count"), NULL, 10);
  return DCS_OK;
}

bool dcs_same_subject(const dcs_subject *a, const dcs_subject *b) {
  return a->variant == b->variant && a->scope == b->scope && a->atoms == b->atoms &&
         a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z && a->units == b->units &&
         strcmp(a->machine, b->machine) == 0 && strcmp(a->capability, b->capability) == 0 &&
         strcmp(a->kernel_hash, b->kernel_hash) == 0;
}

dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope) {
  for (int s = DCS_KERNEL; s <= DCS_FIRST; s <<= 1)
    if (strcmp(name, dcs_scope_name((dcs_scope)s)) == 0) {
      *scope = (dcs_scope)s;
      return DCS_OK;
    }
  return dcs_fail(DCS_INPUT, "scope: found \"%s\"; expected kernel, warm or first", name);
}
