/* The ladder from the entry of this very machine down to the safe default. */
#include "tuning/database/tuned.h"

#include "harness/problems/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const rungs[DCS_N_RUNGS] = {
    "tuned on this machine",
    "tuned on another one of the same capability and number of SMs or CPUs",
    "tuned on another one of the same capability", "not tuned: initial values"};

static dcs_rung rung_of(const dcs_subject *entry, const dcs_subject *wanted) {
  bool capability = strcmp(entry->capability, wanted->capability) == 0;
  bool units = entry->units == wanted->units;
  bool machine = strcmp(entry->machine, wanted->machine) == 0;
  if (!capability) return DCS_RUNG_DEFAULT;
  if (units) return machine ? DCS_RUNG_MACHINE : DCS_RUNG_UNITS;
  /* The best number of threads says nothing where there are more or fewer CPUs. */
  return wanted->variant->backend == DCS_CPU ? DCS_RUNG_DEFAULT : DCS_RUNG_CAPABILITY;
}

static double log2_ratio(double a, double b) {
  return fabs(log2(a) - log2(b));
}

/* Distance between sizes of a problem; INFINITY where they are too far apart to have the same best:
 * by more than a factor of 4 in the inputs, the first axis, or of 2 in another. */
static double size_distance(const dcs_subject *a, const dcs_subject *b) {
  double sum = dcs_spacing_counts(&a->size) ? log2_ratio(a->spacing, b->spacing) : 0;
  if (sum > 1) return INFINITY;
  for (int axis = 0; axis < a->size.kind->n_axes; axis++) {
    double apart = log2_ratio((double)a->size.axes[axis], (double)b->size.axes[axis]);
    if (apart > (axis == 0 ? 2 : 1)) return INFINITY;
    sum += apart;
  }
  return sum;
}

static bool same_problem(const dcs_subject *a, const dcs_subject *b) {
  return a->variant == b->variant && a->scope == b->scope && a->size.kind == b->size.kind &&
         dcs_same_problem(a->size.kind, &a->size.config, &b->size.config) &&
         strcmp(a->objective, b->objective) == 0;
}

dcs_tuned_choice dcs_tuned_find(const dcs_tuned *tuned, const dcs_subject *wanted, int cpus) {
  const dcs_problem problem = dcs_subject_problem(wanted);
  dcs_tuned_choice choice = {.rung = DCS_RUNG_DEFAULT,
                             .config = dcs_initial_config(wanted->variant, cpus)};
  double least = INFINITY;
  char why[DCS_TEXT];
  for (int r = 0; r < tuned->n; r++) {
    const dcs_tuned_entry *entry = &tuned->list[r];
    const dcs_subject *s = &entry->subject;
    if (!same_problem(s, wanted)) continue;
    dcs_rung rung = rung_of(s, wanted);
    double distance = size_distance(s, wanted);
    if (rung == DCS_RUNG_DEFAULT || !isfinite(distance)) continue;
    if (strcmp(s->kernel_hash, wanted->kernel_hash) != 0) {
      choice.other_source++;
      continue;
    }
    if (!dcs_applicable(s->variant, &problem, &entry->config, why)) continue;
    if (rung > choice.rung || (rung == choice.rung && !(distance <= least))) continue;
    choice.rung = rung;
    choice.config = entry->config;
    choice.entry = entry;
    least = distance;
  }
  return choice;
}

static void say_choice(const dcs_subject *wanted, const dcs_tuned_choice *choice) {
  char config[DCS_TEXT], size[DCS_TEXT];
  fprintf(stderr, "%s on %s: %s: %s", wanted->variant->id, dcs_size_text(&wanted->size, size),
          rungs[choice->rung], dcs_format_config(wanted->variant, &choice->config, config));
  if (choice->entry)
    fprintf(stderr, " (%s, %s)", choice->entry->subject.machine,
            dcs_size_text(&choice->entry->subject.size, size));
  if (choice->other_source)
    fprintf(stderr, "; %d tuned with other sources of the variant", choice->other_source);
  fprintf(stderr, "\n");
}

/* The previous time, only where it was measured as it will be now, on one device and this very
 * problem. That the useful work is the same, the sweep sees. */
static void take_time(const dcs_tuned_choice *choice, const dcs_subject *wanted,
                      const dcs_facts *facts, dcs_record *record) {
  bool several = wanted->variant->backend == DCS_GPU && /* cards, or none */
                 strcmp(dcs_fact_value(facts, "gpu_count"), "1") != 0;
  if (choice->rung != DCS_RUNG_MACHINE || several) return;
  dcs_subject same = *wanted;
  same.work = choice->entry->subject.work;
  if (!dcs_same_subject(&same, &choice->entry->subject)) return;
  record->previous = choice->entry->time;
  record->previous_work = same.work;
}

dcs_status dcs_tuned_config(const dcs_facts *facts, const char *kernels, dcs_record *record) {
  static bool warned; /* once a program is enough */
  char path[4096];
  dcs_tuned tuned = {0};
  dcs_subject wanted = {.variant = record->method.variant,
                        .scope = record->scope,
                        .size = record->size,
                        .spacing = record->spacing};
  DCS_TRY(dcs_subject_fill(facts, kernels, &wanted));
  dcs_status status = dcs_tuned_path("tuned.csv", path);
  if (status == DCS_OK) status = dcs_tuned_read(path, &tuned);
  if (!warned && status != DCS_OK) fprintf(stderr, "nothing is tuned: %s\n", dcs_error_message());
  if (!warned) dcs_tuned_say_left_out(path, &tuned, stderr);
  warned = true;
  dcs_tuned_choice choice = dcs_tuned_find(&tuned, &wanted, dcs_cpus());
  say_choice(&wanted, &choice);
  record->method.config = choice.config;
  take_time(&choice, &wanted, facts, record);
  dcs_tuned_free(&tuned);
  return DCS_OK;
}
