#include "tuning/search/subject.h"

#include "harness/base/text.h"
#include "harness/device/kernel_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dcs_status dcs_subject_fill(const dcs_facts *facts, const char *kernels, dcs_subject *subject) {
  bool cpu = subject->variant->backend == DCS_CPU;
  uint64_t hash = 0;
  DCS_TRY(dcs_variant_hash(subject->variant, kernels, &hash));
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
