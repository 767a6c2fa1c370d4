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

static const double LEAST_SPACING = 1e-7, MOST_SPACING = 1e7; /* angstrom */

bool dcs_spacing_counts(const dcs_size *size) {
  return dcs_estimate(size, LEAST_SPACING, NULL) != dcs_estimate(size, MOST_SPACING, NULL);
}

bool dcs_same_subject(const dcs_subject *a, const dcs_subject *b) {
  return a->variant == b->variant && a->scope == b->scope && dcs_same_size(&a->size, &b->size) &&
         (!dcs_spacing_counts(&a->size) || (a->spacing == b->spacing && a->work == b->work)) &&
         a->units == b->units && strcmp(a->machine, b->machine) == 0 &&
         strcmp(a->capability, b->capability) == 0 && strcmp(a->kernel_hash, b->kernel_hash) == 0 &&
         strcmp(a->objective, b->objective) == 0;
}

dcs_problem dcs_subject_problem(const dcs_subject *subject) {
  return dcs_size_problem(&subject->size, subject->spacing > 0 ? subject->spacing : 1);
}

dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope) {
  if (dcs_find_scope(name, scope) && *scope != DCS_FRAME) return DCS_OK;
  return dcs_fail(DCS_INPUT, "scope: found \"%s\"; expected kernel, warm or first", name);
}

/* ---- in files ---- */

static const char *const columns[] =
    DCS_NAMES("variant", "scope", "machine", "capability", "units", "kernel_hash", "objective");
static const char *const last_columns[] = DCS_NAMES("spacing", "evals_useful");

static const char time_itself[] = "time";

/* The size's columns stand between them. */
void dcs_subject_put_columns(dcs_csv *csv) {
  dcs_csv_names(csv, columns);
  dcs_csv_names(csv, dcs_size_columns);
  dcs_csv_names(csv, last_columns);
}

void dcs_subject_put(dcs_csv *csv, const dcs_subject *subject) {
  DCS_CSV_TEXTS(csv, subject->variant->id, dcs_scope_name(subject->scope), subject->machine,
                subject->capability);
  dcs_csv_integer(csv, subject->units);
  DCS_CSV_TEXTS(csv, subject->kernel_hash, *subject->objective ? subject->objective : time_itself);
  dcs_size_put(csv, &subject->size);
  DCS_CSV_NUMBERS(csv, subject->spacing > 0 ? subject->spacing : NAN, subject->work);
}

dcs_status dcs_subject_need(const dcs_table *table) {
  DCS_TRY(dcs_table_need_all(table, columns, NULL));
  DCS_TRY(dcs_table_need_all(table, last_columns, NULL));
  return dcs_table_need_all(table, dcs_size_columns, NULL);
}

/* A row's place, for messages and cells. */
typedef struct {
  const dcs_table *table;
  size_t row;
} place;

static const char *cell(place p, const char *column) {
  return dcs_table_text(p.table, p.row, column);
}

static dcs_status wrong(place p, const char *column, const char *expected) {
  return dcs_table_wrong(p.table, p.row, column, dcs_table_column(p.table, column), expected);
}

/* A recording may lack the spacing where it does not count. */
static dcs_status read_problem(place p, dcs_subject *s) {
  char why[DCS_TEXT];
  dcs_size_at at;
  DCS_TRY(dcs_size_find(p.table, &at));
  DCS_TRY(dcs_size_read(p.table, p.row, &at, &s->size));
  if (s->size.kind != dcs_kind_of(s->variant) || !dcs_solves(s->variant, &s->size.config, why))
    return wrong(p, "variant", "one that computes the row's problem");
  bool unknown = !*cell(p, "spacing") && !dcs_spacing_counts(&s->size);
  if (!unknown &&
      dcs_parse_number("", cell(p, "spacing"), 1e-45, MOST_SPACING, &s->spacing) != DCS_OK)
    return wrong(p, "spacing", "a number above 0");
  if (dcs_parse_number("", cell(p, "evals_useful"), 0, INFINITY, &s->work) != DCS_OK)
    return wrong(p, "evals_useful", "a number of evaluations");
  return DCS_OK;
}

dcs_status dcs_subject_read(const dcs_table *table, size_t row, dcs_subject *s) {
  const place p = {table, row};
  int64_t units;
  *s = (dcs_subject){.variant = dcs_find_variant(cell(p, "variant"))};
  if (!s->variant) return wrong(p, "variant", "a variant of this program");
  if (dcs_scope_by_name(cell(p, "scope"), &s->scope) != DCS_OK)
    return wrong(p, "scope", "kernel, warm or first");
  if (dcs_parse_integer("", cell(p, "units"), 0, INT32_MAX, &units) != DCS_OK)
    return wrong(p, "units", "a whole number");
  s->units = (int)units;
  snprintf(s->machine, sizeof s->machine, "%.127s", cell(p, "machine"));
  snprintf(s->capability, sizeof s->capability, "%.15s", cell(p, "capability"));
  snprintf(s->kernel_hash, sizeof s->kernel_hash, "%.16s", cell(p, "kernel_hash"));
  if (!*cell(p, "objective") || strlen(cell(p, "objective")) >= sizeof s->objective)
    return wrong(p, "objective", "time, energy, edp or an expression");
  if (strcmp(cell(p, "objective"), time_itself) != 0)
    snprintf(s->objective, sizeof s->objective, "%s", cell(p, "objective"));
  return read_problem(p, s);
}
