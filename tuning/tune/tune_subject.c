#include "tuning/tune/tune_subject.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/device/kernel_source.h"

#include <math.h>
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

dcs_status dcs_subject_fill(const dcs_facts *facts, const char *kernels, dcs_subject *subject) {
  bool cpu = subject->variant->backend == DCS_CPU;
  uint64_t hash = 0;
  DCS_TRY(hash_source(subject->variant, kernels, &hash));
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
         a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z && a->cutoff == b->cutoff &&
         a->smooth == b->smooth && a->spacing == b->spacing && a->pairs == b->pairs &&
         a->units == b->units && strcmp(a->machine, b->machine) == 0 &&
         strcmp(a->capability, b->capability) == 0 && strcmp(a->kernel_hash, b->kernel_hash) == 0;
}

dcs_problem dcs_subject_problem(const dcs_subject *subject) {
  return (dcs_problem){.n_atoms = subject->atoms,
                       .n = subject->n,
                       .spacing = subject->cutoff > 0 ? (float)subject->spacing : 1,
                       .cutoff = (float)subject->cutoff,
                       .smooth = subject->smooth};
}

double dcs_subject_evals(const dcs_subject *subject) {
  if (subject->cutoff > 0) return subject->pairs;
  return (double)subject->atoms * (double)dcs_points(subject->n);
}

char *dcs_within_text(double cutoff, dcs_smooth smooth, char text[DCS_TEXT]) {
  text[0] = '\0';
  if (cutoff > 0)
    snprintf(text, DCS_TEXT, ", within %g angstrom (smoothing %s)", cutoff,
             dcs_smooth_names[smooth]);
  return text;
}

char *dcs_within_brief(const dcs_subject *subject, char text[DCS_TEXT]) {
  text[0] = '\0';
  if (subject->cutoff > 0)
    snprintf(text, DCS_TEXT, "%g %s", subject->cutoff, dcs_smooth_names[subject->smooth]);
  return text;
}

void dcs_subject_put_within(dcs_csv *csv, const dcs_subject *subject) {
  const bool within = subject->cutoff > 0;
  dcs_csv_number(csv, within ? subject->cutoff : NAN);
  dcs_csv_text(csv, within ? dcs_smooth_names[subject->smooth] : "");
  dcs_csv_number(csv, within ? subject->spacing : NAN);
  dcs_csv_number(csv, dcs_subject_evals(subject));
}

bool dcs_subject_read_within(const char *const cells[4], dcs_subject *subject) {
  if (!subject->variant->cutoff) return !*cells[0] && !*cells[1] && !*cells[2];
  return dcs_parse_number("cutoff", cells[0], 1e-6, 1e6, &subject->cutoff) == DCS_OK &&
         dcs_parse_smooth("smooth", cells[1], &subject->smooth) == DCS_OK &&
         dcs_parse_number("spacing", cells[2], 1e-45, 1e7, &subject->spacing) == DCS_OK &&
         dcs_parse_number("evals_useful", cells[3], 0, INFINITY, &subject->pairs) == DCS_OK;
}

dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope) {
  for (int s = DCS_KERNEL; s <= DCS_FIRST; s <<= 1)
    if (strcmp(name, dcs_scope_name((dcs_scope)s)) == 0) {
      *scope = (dcs_scope)s;
      return DCS_OK;
    }
  return dcs_fail(DCS_INPUT, "scope: found \"%s\"; expected kernel, warm or first", name);
}
