/* Reading journals. */
#include "harness/base/grow.h"
#include "tuning/journal/journal.h"

#include "harness/base/decimal.h"
#include "harness/problems/methods.h"
#include "tuning/journal/journal_columns.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dcs_status check_schema(const dcs_table *table) {
  int schema = dcs_table_column(table, dcs_journal_columns[SCHEMA]);
  for (size_t row = 0; schema >= 0 && row < dcs_table_rows(table); row++)
    if (dcs_table_number(table, row, schema) != DCS_JOURNAL_SCHEMA)
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found schema \"%s\"; expected %d: remove the file, and "
                      "`dcsbench tune VARIANT --journal FILE` makes it anew",
                      dcs_table_path(table), row + 2, dcs_table_cell(table, row, schema),
                      DCS_JOURNAL_SCHEMA);
  return DCS_OK;
}

dcs_status dcs_journal_find_columns(const dcs_table *table, dcs_journal_at *at) {
  DCS_TRY(check_schema(table));
  for (int c = 0; c < N_COLUMNS; c++)
    DCS_TRY(dcs_table_need(table, dcs_journal_columns[c], &at->column[c]));
  return dcs_subject_find(table, &at->subject);
}

/* A row's place, for messages and cells. */
typedef struct {
  const dcs_table *table;
  size_t row;
  const dcs_journal_at *at;
} place;

static const char *cell(const place *p, int column) {
  return dcs_table_cell(p->table, p->row, p->at->column[column]);
}

static double number(const place *p, int column) {
  return dcs_table_number(p->table, p->row, p->at->column[column]);
}

static dcs_status wrong(const place *p, int column, const char *expected) {
  return dcs_table_wrong(p->table, p->row, dcs_journal_columns[column], p->at->column[column],
                         expected);
}

static dcs_status read_times(const place *p, dcs_evaluation *e) {
  const char *text = cell(p, TIMES);
  while (*text) {
    double time;
    if (!dcs_numbers_next(&text, &time) || !(time > 0))
      return wrong(p, TIMES, "times above 0 with a space between them");
    DCS_TRY(dcs_evaluation_add(e, &time, 1));
  }
  return DCS_OK;
}

static dcs_status read_evaluation(const place *p, dcs_evaluation *e) {
  dcs_outcome outcome;
  if (!dcs_find_outcome(cell(p, OUTCOME), &outcome))
    return wrong(p, OUTCOME, "an outcome, such as ok");
  if (e->outcome != DCS_OUTCOME_OK || outcome != DCS_OUTCOME_OK) e->n = 0;
  e->known = true;
  e->outcome = outcome;
  double registers = number(p, REGISTERS);
  if (registers < -1 || registers > INT_MAX) return wrong(p, REGISTERS, "a number of registers");
  if (!isnan(registers)) e->registers = (int)registers;
  if (!isnan(number(p, COMPILE_MS))) e->compile_ms = number(p, COMPILE_MS);
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
  DCS_TRY(dcs_grow(&journal->list, (size_t)journal->n, sizeof **found, "recordings"));
  *found = &journal->list[journal->n++];
  **found = (dcs_recorded_space){.subject = *subject};
  return DCS_OK;
}

static dcs_status find_evaluation(dcs_recorded_space *recording, const dcs_method *method,
                                  dcs_evaluation **found) {
  for (int c = 0; c < recording->n; c++) {
    const dcs_method known = {method->variant, recording->configs[c]};
    if (!dcs_same_method(&known, method)) continue;
    *found = &recording->evaluations[c];
    return DCS_OK;
  }
  const size_t n = (size_t)recording->n;
  DCS_TRY(dcs_grow(&recording->configs, n, sizeof *recording->configs, "configurations"));
  DCS_TRY(dcs_grow(&recording->evaluations, n, sizeof **found, "evaluations"));
  recording->configs[n] = method->config;
  *found = &recording->evaluations[recording->n++];
  **found = (dcs_evaluation){.registers = -1, .compile_ms = NAN};
  return DCS_OK;
}

static dcs_status read_row(const place *p, dcs_journal *journal) {
  dcs_subject subject;
  dcs_method method;
  dcs_recorded_space *recording;
  dcs_evaluation *evaluation;
  DCS_TRY(dcs_subject_read(p->table, p->row, &p->at->subject, &subject));
  if (dcs_read_method(subject.variant->id, cell(p, CONFIG), &method) != DCS_OK)
    return wrong(p, CONFIG, "a value for each parameter of the variant, in order");
  DCS_TRY(find_recording(journal, &subject, &recording));
  DCS_TRY(find_evaluation(recording, &method, &evaluation));
  return read_evaluation(p, evaluation);
}

dcs_status dcs_journal_read(char *const *paths, int n_paths, dcs_journal *journal, FILE *notes) {
  *journal = (dcs_journal){0};
  for (int f = 0; f < n_paths; f++) {
    dcs_table *table;
    dcs_journal_at at;
    DCS_TRY(dcs_table_read(paths[f], &table));
    if (dcs_table_torn(table))
      fprintf(notes, "%s: the last row was cut off and is left out\n", paths[f]);
    dcs_status status = dcs_journal_find_columns(table, &at);
    for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++)
      status = read_row(&(place){table, row, &at}, journal);
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
