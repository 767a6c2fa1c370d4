/* Reading journals. */
#include "tuning/journal/journal.h"

#include "harness/base/decimal.h"
#include "harness/base/text.h"
#include "harness/problems/methods.h"
#include "tuning/journal/journal_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dcs_status dcs_journal_find_columns(const dcs_table *table, int at[N_COLUMNS]) {
  int needed = dcs_table_columns(table) == N_FORMER_COLUMNS ? N_FORMER_COLUMNS : N_COLUMNS;
  for (int c = 0; c < N_COLUMNS; c++) {
    at[c] = -1;
    if (c < needed) DCS_TRY(dcs_table_need(table, dcs_journal_columns[c], &at[c]));
  }
  return DCS_OK;
}

/* A row's place, for messages and cells. */
typedef struct {
  const dcs_table *table;
  size_t row;
  const int *at;
} place;

static const char *cell(const place *p, int column) {
  return dcs_table_cell(p->table, p->row, p->at[column]);
}

static dcs_status wrong(const place *p, int column, const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: row %zu: %s: found \"%s\"; expected %s", dcs_table_path(p->table),
                  p->row + 2, dcs_journal_columns[column], cell(p, column), expected);
}

static dcs_status read_integer(const place *p, int column, int64_t lo, int64_t *value) {
  if (dcs_parse_integer(dcs_journal_columns[column], cell(p, column), lo, INT64_MAX, value) ==
      DCS_OK)
    return DCS_OK;
  return wrong(p, column, "a whole number");
}

static dcs_status read_within(const place *p, dcs_subject *s) {
  const char *const cells[] = {cell(p, CUTOFF), cell(p, SMOOTH), cell(p, SPACING), cell(p, EVALS)};
  if (dcs_subject_read_within(cells, s)) return DCS_OK;
  return wrong(p, CUTOFF,
               s->variant->cutoff
                   ? "a cutoff, with its smooth, spacing and evals_useful, as the variant has one"
                   : "nothing, nor in smooth and spacing, as the variant computes the whole sum");
}

static dcs_status read_subject(const place *p, dcs_subject *s) {
  int64_t units;
  *s = (dcs_subject){.variant = dcs_find_variant(cell(p, VARIANT))};
  if (!s->variant) return wrong(p, VARIANT, "a variant of this program");
  if (dcs_scope_by_name(cell(p, SCOPE), &s->scope) != DCS_OK)
    return wrong(p, SCOPE, "kernel, warm or first");
  DCS_TRY(read_integer(p, ATOMS, 1, &s->atoms));
  DCS_TRY(read_integer(p, NX, 1, &s->n.x));
  DCS_TRY(read_integer(p, NY, 1, &s->n.y));
  DCS_TRY(read_integer(p, NZ, 1, &s->n.z));
  DCS_TRY(read_within(p, s));
  DCS_TRY(read_integer(p, UNITS, 0, &units));
  s->units = (int)units;
  snprintf(s->machine, sizeof s->machine, "%.127s", cell(p, MACHINE));
  snprintf(s->capability, sizeof s->capability, "%.15s", cell(p, CAPABILITY));
  snprintf(s->kernel_hash, sizeof s->kernel_hash, "%.16s", cell(p, KERNEL_HASH));
  return DCS_OK;
}

static dcs_status read_config(const place *p, const dcs_variant *variant, dcs_config *config) {
  dcs_methods methods;
  char again[DCS_TEXT];
  if (dcs_select_methods(variant->id, cell(p, CONFIG), (dcs_at_hand){.gpu = true}, &methods) !=
      DCS_OK)
    return wrong(p, CONFIG, "a value for each parameter of the variant");
  *config = methods.list[0].config;
  free(methods.list);
  if (strcmp(dcs_format_config(variant, config, again), cell(p, CONFIG)) == 0) return DCS_OK;
  return wrong(p, CONFIG, "a value for each parameter of the variant, in order");
}

static dcs_status read_times(const place *p, dcs_evaluation *e) {
  const char *text = cell(p, TIMES);
  char **parts;
  int n;
  if (!*text) return DCS_OK;
  DCS_TRY(dcs_split(text, ' ', &parts, &n));
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++) {
    double time;
    if (!dcs_decimal_read(parts[i], strlen(parts[i]), &time) || !(time > 0))
      status = wrong(p, TIMES, "times above 0 with a space between them");
    else
      status = dcs_evaluation_add(e, &time, 1);
  }
  free(parts);
  return status;
}

static dcs_status read_evaluation(const place *p, dcs_evaluation *e) {
  int outcome = 0;
  while (outcome < DCS_N_OUTCOMES &&
         strcmp(cell(p, OUTCOME), dcs_outcome_name((dcs_outcome)outcome)) != 0)
    outcome++;
  if (outcome == DCS_N_OUTCOMES) return wrong(p, OUTCOME, "an outcome, such as ok");
  if (e->outcome != DCS_OUTCOME_OK || outcome != DCS_OUTCOME_OK) e->n = 0;
  e->known = true;
  e->outcome = (dcs_outcome)outcome;
  double registers = dcs_table_number(p->table, p->row, p->at[REGISTERS]);
  if (!isnan(registers)) e->registers = (int)registers;
  double compile_ms = dcs_table_number(p->table, p->row, p->at[COMPILE_MS]);
  if (!isnan(compile_ms)) e->compile_ms = compile_ms;
  DCS_TRY(read_times(p, e));
  if (outcome == DCS_OUTCOME_OK && e->n == 0) return wrong(p, TIMES, "times, as the outcome is ok");
  return DCS_OK;
}

static dcs_status find_recording(dcs_journal *journal, const dcs_subject *subject,
                                 dcs_recorded_space **found) {
  for (int r = 0; r < journal->n; r++)
    if (dcs_same_subject(&journal->list[r].subject, subject)) {
      *found = &journal->list[r];
      return DCS_OK;
    }
  dcs_recorded_space *list = realloc(journal->list, (size_t)(journal->n + 1) * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for a recording");
  journal->list = list;
  *found = &list[journal->n++];
  **found = (dcs_recorded_space){.subject = *subject};
  return DCS_OK;
}

static dcs_status find_evaluation(dcs_recorded_space *recording, const dcs_config *config,
                                  dcs_evaluation **found) {
  for (int c = 0; c < recording->n; c++)
    if (memcmp(&recording->configs[c], config, sizeof *config) == 0) {
      *found = &recording->evaluations[c];
      return DCS_OK;
    }
  size_t n = (size_t)recording->n + 1;
  dcs_config *configs = realloc(recording->configs, n * sizeof *configs);
  if (configs) recording->configs = configs;
  dcs_evaluation *list = realloc(recording->evaluations, n * sizeof *list);
  if (list) recording->evaluations = list;
  if (!configs || !list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu evaluations", n);
  configs[recording->n] = *config;
  *found = &list[recording->n++];
  **found = (dcs_evaluation){.registers = -1, .compile_ms = NAN};
  return DCS_OK;
}

static dcs_status read_row(const place *p, dcs_journal *journal) {
  dcs_subject subject;
  dcs_config config;
  dcs_recorded_space *recording;
  dcs_evaluation *evaluation;
  int64_t schema;
  DCS_TRY(read_integer(p, SCHEMA, 0, &schema));
  if (schema != DCS_TUNE_SCHEMA && schema != DCS_TUNE_FORMER_SCHEMA)
    return wrong(p, SCHEMA, "2, or 1 of a former version: this program knows no other");
  DCS_TRY(read_subject(p, &subject));
  DCS_TRY(read_config(p, subject.variant, &config));
  DCS_TRY(find_recording(journal, &subject, &recording));
  DCS_TRY(find_evaluation(recording, &config, &evaluation));
  return read_evaluation(p, evaluation);
}

dcs_status dcs_journal_read(char *const *paths, int n_paths, dcs_journal *journal, FILE *notes) {
  *journal = (dcs_journal){0};
  for (int f = 0; f < n_paths; f++) {
    dcs_table *table;
    int at[N_COLUMNS];
    DCS_TRY(dcs_table_read(paths[f], &table));
    if (dcs_table_torn(table))
      fprintf(notes, "%s: the last row was cut off and is left out\n", paths[f]);
    dcs_status status = dcs_journal_find_columns(table, at);
    for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++)
      status = read_row(&(place){table, row, at}, journal);
    dcs_table_free(table);
    DCS_TRY(status);
  }
  return DCS_OK;
}

void dcs_journal_free(dcs_journal *journal) {
  for (int r = 0; r < journal->n; r++) {
    free(journal->list[r].configs);
    dcs_evaluations_free(journal->list[r].evaluations, journal->list[r].n);
  }
  free(journal->list);
  *journal = (dcs_journal){0};
}

const dcs_recorded_space *dcs_journal_find(const dcs_journal *journal, const dcs_subject *subject) {
  for (int r = 0; r < journal->n; r++)
    if (dcs_same_subject(&journal->list[r].subject, subject)) return &journal->list[r];
  return NULL;
}
