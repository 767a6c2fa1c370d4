/* The ladder from the record of this very machine down to the safe default. */
#include "tuning/database/tuned.h"

#include "harness/problems/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *dcs_rung_name(dcs_rung rung) {
  static const char *const names[DCS_N_RUNGS] = {
      "tuned on this machine", "tuned on another one of the same capability and number of units",
      "tuned on another one of the same capability", "not tuned: initial values"};
  return names[rung];
}

static dcs_rung rung_of(const dcs_subject *record, const dcs_subject *wanted) {
  bool capability = strcmp(record->capability, wanted->capability) == 0;
  bool units = record->units == wanted->units;
  bool machine = strcmp(record->machine, wanted->machine) == 0;
  if (!capability) return DCS_RUNG_DEFAULT;
  if (units) return machine ? DCS_RUNG_MACHINE : DCS_RUNG_UNITS;
  /* The best number of threads says nothing where there are more or fewer CPUs. */
  return wanted->variant->backend == DCS_CPU ? DCS_RUNG_DEFAULT : DCS_RUNG_CAPABILITY;
}

static double log2_ratio(double a, double b) {
  return fabs(log2(a) - log2(b));
}

/* Distance between sizes; INFINITY where they are too far apart to have the same best. */
static double size_distance(const dcs_subject *a, const dcs_subject *b) {
  double atoms = log2_ratio((double)a->atoms, (double)b->atoms);
  double x = log2_ratio((double)a->n.x, (double)b->n.x);
  double y = log2_ratio((double)a->n.y, (double)b->n.y);
  double z = log2_ratio((double)a->n.z, (double)b->n.z);
  double spacing = a->cutoff > 0 ? log2_ratio(a->spacing, b->spacing) : 0;
  if (atoms > 2 || x > 1 || y > 1 || z > 1 || spacing > 1) return INFINITY;
  return atoms + x + y + z + spacing;
}

dcs_tuned_choice dcs_tuned_find(const dcs_tuned *tuned, const dcs_subject *wanted, int cpus) {
  const dcs_problem problem = dcs_subject_problem(wanted);
  dcs_tuned_choice choice = {.rung = DCS_RUNG_DEFAULT,
                             .config = dcs_initial_config(wanted->variant, cpus)};
  double least = INFINITY;
  char why[DCS_TEXT];
  for (int r = 0; r < tuned->n; r++) {
    const dcs_tuned_record *record = &tuned->list[r];
    const dcs_subject *s = &record->subject;
    if (s->variant != wanted->variant || s->scope != wanted->scope || s->cutoff != wanted->cutoff ||
        s->smooth != wanted->smooth)
      continue;
    dcs_rung rung = rung_of(s, wanted);
    double distance = size_distance(s, wanted);
    if (rung == DCS_RUNG_DEFAULT || !isfinite(distance)) continue;
    if (strcmp(s->kernel_hash, wanted->kernel_hash) != 0) {
      choice.other_source++;
      continue;
    }
    if (!dcs_applicable(s->variant, &problem, &record->config, why)) continue;
    if (rung > choice.rung || (rung == choice.rung && !(distance <= least))) continue;
    choice.rung = rung;
    choice.config = record->config;
    choice.record = record;
    least = distance;
  }
  return choice;
}

static void say_choice(const dcs_subject *wanted, const dcs_tuned_choice *choice) {
  char config[DCS_TEXT], within[DCS_TEXT];
  fprintf(stderr, "%s on %lldx%lldx%lld, %lld atoms%s: %s: %s", wanted->variant->id,
          (long long)wanted->n.x, (long long)wanted->n.y, (long long)wanted->n.z,
          (long long)wanted->atoms, dcs_within_text(wanted->cutoff, wanted->smooth, within),
          dcs_rung_name(choice->rung), dcs_format_config(wanted->variant, &choice->config, config));
  if (choice->record)
    fprintf(stderr, " (%s, %lldx%lldx%lld, %lld atoms)", choice->record->subject.machine,
            (long long)choice->record->subject.n.x, (long long)choice->record->subject.n.y,
            (long long)choice->record->subject.n.z, (long long)choice->record->subject.atoms);
  if (choice->other_source)
    fprintf(stderr, "; %d records are of another source of the kernel", choice->other_source);
  fprintf(stderr, "\n");
}

/* What the record says of the time here: only where it was measured as it will be now, on one
 * device and this very problem. That the pairs within the cutoff are the same, the sweep sees. */
static void take_time(const dcs_tuned_choice *choice, const dcs_subject *wanted,
                      const dcs_facts *facts, dcs_record *record) {
  bool several = wanted->variant->backend == DCS_CUDA && /* cards, or none */
                 strcmp(dcs_fact_value(facts, "gpu_count"), "1") != 0;
  if (choice->rung != DCS_RUNG_MACHINE || several) return;
  dcs_subject same = *wanted;
  same.pairs = choice->record->subject.pairs;
  if (!dcs_same_subject(&same, &choice->record->subject)) return;
  record->recorded = choice->record->time;
  record->recorded_pairs = same.pairs;
}

dcs_status dcs_tuned_config(const dcs_cell *cell, const dcs_facts *facts, const char *kernels,
                            dcs_record *record) {
  static bool warned; /* once a program is enough */
  char path[4096];
  dcs_tuned tuned = {0};
  const bool cutoff = record->method.variant->cutoff;
  dcs_subject wanted = {.variant = record->method.variant,
                        .scope = record->scope,
                        .atoms = cell->atoms,
                        .n = cell->n,
                        .cutoff = cutoff ? cell->cutoff : 0,
                        .smooth = cutoff ? cell->smooth : DCS_SMOOTH_NONE,
                        .spacing = cutoff ? cell->spacing : 0};
  DCS_TRY(dcs_subject_fill(facts, kernels, &wanted));
  dcs_status status = dcs_tuned_path("tuned.csv", path);
  if (status == DCS_OK) status = dcs_tuned_read(path, &tuned);
  if (!warned && status != DCS_OK) fprintf(stderr, "nothing is tuned: %s\n", dcs_error_message());
  if (!warned && tuned.damaged)
    fprintf(stderr, "%s: %d damaged row%s left out\n", path, tuned.damaged,
            tuned.damaged == 1 ? " is" : "s are");
  warned = warned || status != DCS_OK || tuned.damaged;
  dcs_tuned_choice choice = dcs_tuned_find(&tuned, &wanted, dcs_cpus());
  say_choice(&wanted, &choice);
  record->method.config = choice.config;
  take_time(&choice, &wanted, facts, record);
  dcs_tuned_free(&tuned);
  return DCS_OK;
}
