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
         strcmp(a->capability, b->capability) == 0 && strcmp(a->kernel_hash, b->kernel_hash) == 0;
}

dcs_problem dcs_subject_problem(const dcs_subject *subject) {
  return dcs_size_problem(&subject->size, subject->spacing > 0 ? subject->spacing : 1);
}

dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope) {
  if (dcs_find_scope(name, scope)) return DCS_OK;
  return dcs_fail(DCS_INPUT, "scope: found \"%s\"; expected kernel, warm or first", name);
}

/* ---- in files ---- */

enum { VARIANT, SCOPE, MACHINE, CAPABILITY, UNITS, KERNEL_HASH, SPACING, WORK };
static const char *const columns[DCS_SUBJECT_CELLS] = {
    "variant", "scope", "machine", "capability", "units", "kernel_hash", "spacing", "evals_useful"};

/* The size's columns stand before the spacing. */
void dcs_subject_put_columns(dcs_csv *csv) {
  for (int c = 0; c < DCS_SUBJECT_CELLS; c++) {
    for (int s = 0; c == SPACING && s < DCS_SIZE_COLUMNS; s++)
      dcs_csv_text(csv, dcs_size_columns[s]);
    dcs_csv_text(csv, columns[c]);
  }
}

void dcs_subject_put(dcs_csv *csv, const dcs_subject *subject) {
  DCS_CSV_TEXTS(csv, subject->variant->id, dcs_scope_name(subject->scope), subject->machine,
                subject->capability);
  dcs_csv_integer(csv, subject->units);
  dcs_csv_text(csv, subject->kernel_hash);
  dcs_size_put(csv, &subject->size);
  DCS_CSV_NUMBERS(csv, subject->spacing > 0 ? subject->spacing : NAN, subject->work);
}

dcs_status dcs_subject_find(const dcs_table *table, dcs_subject_at *at) {
  for (int c = 0; c < DCS_SUBJECT_CELLS; c++)
    DCS_TRY(dcs_table_need(table, columns[c], &at->column[c]));
  return dcs_size_find(table, &at->size);
}

/* A row's place, for messages and cells. */
typedef struct {
  const dcs_table *table;
  size_t row;
  const dcs_subject_at *at;
} place;

static const char *cell(const place *p, int c) {
  return dcs_table_cell(p->table, p->row, p->at->column[c]);
}

static dcs_status wrong(const place *p, int c, const char *expected) {
  return dcs_table_wrong(p->table, p->row, columns[c], p->at->column[c], expected);
}

/* A recording may lack the spacing where it does not count. */
static dcs_status read_problem(const place *p, dcs_subject *s) {
  char why[DCS_TEXT];
  DCS_TRY(dcs_size_read(p->table, p->row, &p->at->size, &s->size));
  if (s->size.kind != dcs_kind_of(s->variant) || !dcs_solves(s->variant, &s->size.config, why))
    return wrong(p, VARIANT, "one that computes the row's problem");
  bool unknown = !*cell(p, SPACING) && !dcs_spacing_counts(&s->size);
  if (!unknown &&
      dcs_parse_number("", cell(p, SPACING), 1e-45, MOST_SPACING, &s->spacing) != DCS_OK)
    return wrong(p, SPACING, "a number above 0");
  if (dcs_parse_number("", cell(p, WORK), 0, INFINITY, &s->work) != DCS_OK)
    return wrong(p, WORK, "a number of evaluations");
  return DCS_OK;
}

dcs_status dcs_subject_read(const dcs_table *table, size_t row, const dcs_subject_at *at,
                            dcs_subject *s) {
  const place p = {table, row, at};
  int64_t units;
  *s = (dcs_subject){.variant = dcs_find_variant(cell(&p, VARIANT))};
  if (!s->variant) return wrong(&p, VARIANT, "a variant of this program");
  if (!dcs_find_scope(cell(&p, SCOPE), &s->scope)) return wrong(&p, SCOPE, "kernel, warm or first");
  if (dcs_parse_integer("", cell(&p, UNITS), 0, INT32_MAX, &units) != DCS_OK)
    return wrong(&p, UNITS, "a whole number");
  s->units = (int)units;
  snprintf(s->machine, sizeof s->machine, "%.127s", cell(&p, MACHINE));
  snprintf(s->capability, sizeof s->capability, "%.15s", cell(&p, CAPABILITY));
  snprintf(s->kernel_hash, sizeof s->kernel_hash, "%.16s", cell(&p, KERNEL_HASH));
  return read_problem(&p, s);
}
