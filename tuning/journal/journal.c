/* journal.csv, written and read. */
#include "tuning/journal/journal.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/problems/methods.h"
#include "harness/spec/own.h"
#include "harness/timings/json.h"
#include "tuning/journal/foreign.h"
#include "tuning/search/objective.h"
#include "version.h" /* written by the Makefile */

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- columns ---- */

enum { JOURNAL_SCHEMA = 4 };

/* The subject's columns stand behind SEQ. */
#define COLUMN_LIST(X)                                                                             \
  X(SCHEMA, "schema"), X(SEQ, "seq"), X(CONFIG, "config"), X(DEVICE, "device"),                    \
      X(DRIVER, "driver"), X(NVRTC, "nvrtc"), X(PROGRAM, "program"), X(STRATEGY, "strategy"),      \
      X(SEED, "seed"), X(OUTCOME, "outcome"), X(N, "n"), X(MEDIAN, "median_ns"),                   \
      X(CI_LO, "ci_lo_ns"), X(CI_HI, "ci_hi_ns"), X(RATE, "evals_per_s"),                          \
      X(REGISTERS, "registers"), X(COMPILE_MS, "compile_ms"), X(ERROR, "rel_l2_error"),            \
      X(SPENT_S, "spent_s"), X(INNER, "inner"), X(TIMES, "times_ns"), X(ENERGIES, "energies_j"),   \
      X(WHY, "why")
enum { COLUMN_LIST(DCS_COLUMN_INDEX), N_COLUMNS };
static const char *const columns[] = DCS_NAMES(COLUMN_LIST(DCS_COLUMN_NAME));

/* A row that is read. */
typedef struct {
  const dcs_table *table;
  size_t row;
} place;

static dcs_status check_schema(const dcs_table *table) {
  int schema = dcs_table_column(table, columns[SCHEMA]);
  for (size_t row = 0; schema >= 0 && row < dcs_table_rows(table); row++)
    if (dcs_table_number(table, row, schema) != JOURNAL_SCHEMA)
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found schema \"%s\"; expected %d: remove the file, and "
                      "`dcsbench tune VARIANT --journal FILE` makes it anew",
                      dcs_table_path(table), row + 2, dcs_table_cell(table, row, schema),
                      JOURNAL_SCHEMA);
  return DCS_OK;
}

/* DCS_INPUT names a column that is missing, or a schema that is another one. */
static dcs_status check_columns(const dcs_table *table) {
  DCS_TRY(check_schema(table));
  DCS_TRY(dcs_table_need_all(table, columns, NULL));
  return dcs_subject_need(table);
}

/* ---- writing ---- */

static dcs_status take_lock(const char *path, dcs_lock *lock) {
  char name[4096 + 8];
  snprintf(name, sizeof name, "%s.lock", path);
  return dcs_lock_own(name, "take another --journal", lock);
}

static dcs_status write_header(dcs_csv *csv) {
  for (int c = 0; c < N_COLUMNS; c++) {
    if (c == SEQ + 1) dcs_subject_put_columns(csv);
    dcs_csv_text(csv, columns[c]);
  }
  return dcs_csv_row(csv);
}

/* Looks before it does anything: rows of one schema alone, so that rows can be appended. */
static dcs_status check_file(const char *path, dcs_journal_writer *writer) {
  dcs_table *table;
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = check_columns(table);
  writer->seq = (int64_t)dcs_table_rows(table);
  dcs_table_free(table);
  return status;
}

static dcs_status start_or_continue(const char *path, dcs_journal_writer *writer) {
  struct stat facts;
  bool is_new = stat(path, &facts) != 0 || facts.st_size == 0;
  if (!is_new) DCS_TRY(check_file(path, writer));
  DCS_TRY(dcs_csv_append(&writer->csv, path));
  return is_new ? write_header(&writer->csv) : DCS_OK;
}

dcs_status dcs_journal_open(const char *path, dcs_journal_writer *writer) {
  *writer = (dcs_journal_writer){.strategy = "", .device = "", .driver = "", .nvrtc = ""};
  DCS_TRY(take_lock(path, &writer->lock));
  dcs_status status = start_or_continue(path, writer);
  if (status == DCS_OK) return DCS_OK;
  if (writer->csv.file.stream) dcs_csv_abandon(&writer->csv);
  dcs_lock_leave(&writer->lock);
  return status;
}

dcs_status dcs_journal_close(dcs_journal_writer *writer) {
  if (!writer->lock.path) return DCS_OK;
  dcs_status status = dcs_csv_close(&writer->csv);
  dcs_lock_leave(&writer->lock);
  return status;
}

/* Times, their statistics and energies of the row's samples. */
typedef struct {
  double *times, *energies;
  size_t n, n_energies; /* energies: none where the objective is time */
  dcs_stats stats;
} samples;

static dcs_status take_samples(const dcs_evaluation *e, samples *s) {
  const size_t n = (size_t)e->n;
  double *sorted;
  *s = (samples){.n = n, .times = calloc(3 * n + 1, sizeof(double))};
  if (!s->times) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", n);
  s->energies = s->times + n;
  sorted = s->energies + n;
  for (size_t i = 0; i < n; i++) {
    const dcs_spent spent = dcs_evaluation_spent(e, (int)i);
    s->times[i] = sorted[i] = spent.time_ns;
    s->energies[i] = spent.energy_j;
  }
  s->n_energies = n > 0 && !isnan(s->energies[0]) ? n : 0;
  s->stats = dcs_summarize(sorted, n);
  return DCS_OK;
}

static dcs_status write_row(dcs_journal_writer *writer, const dcs_journal_row *row,
                            const samples *taken) {
  dcs_csv *csv = &writer->csv;
  const dcs_evaluation *e = row->evaluation;
  const dcs_subject *s = &writer->subject;
  const dcs_stats *stats = &taken->stats;
  static const char program[] = DCS_VERSION " " DCS_GIT_STATE;
  char config[DCS_TEXT];
  dcs_csv_integer(csv, JOURNAL_SCHEMA);
  dcs_csv_integer(csv, writer->seq++);
  dcs_subject_put(csv, s);
  DCS_CSV_TEXTS(csv, dcs_format_config(s->variant, row->config, config), writer->device,
                writer->driver, writer->nvrtc, program, writer->strategy);
  dcs_csv_integer(csv, (int64_t)writer->seed);
  dcs_csv_text(csv, dcs_outcome_name(e->outcome));
  DCS_CSV_NUMBERS(csv, e->n, stats->median, stats->lo, stats->hi, 1e9 * s->work / stats->median,
                  e->registers >= 0 ? e->registers : NAN, e->compile_ms, e->error, row->spent_s,
                  (double)row->inner);
  dcs_csv_numbers(csv, taken->times, taken->n);
  dcs_csv_numbers(csv, taken->energies, taken->n_energies);
  dcs_csv_text(csv, row->why);
  return dcs_csv_row(csv);
}

dcs_status dcs_journal_write(dcs_journal_writer *writer, const dcs_journal_row *row) {
  samples taken;
  DCS_TRY(take_samples(row->evaluation, &taken));
  dcs_status status = write_row(writer, row, &taken);
  free(taken.times);
  return status;
}

/* ---- reading ---- */

static const char *cell(place p, int column) {
  return dcs_table_text(p.table, p.row, columns[column]);
}

static double number(place p, int column) {
  return dcs_table_number(p.table, p.row, dcs_table_column(p.table, columns[column]));
}

static dcs_status wrong(place p, int column, const char *expected) {
  return dcs_table_wrong(p.table, p.row, columns[column],
                         dcs_table_column(p.table, columns[column]), expected);
}

static dcs_status read_samples(place p, const dcs_subject *subject, const dcs_objective *objective,
                               dcs_evaluation *e) {
  static const char expected[] = "an energy for each time, or none at all";
  const char *times = cell(p, TIMES), *energies = cell(p, ENERGIES);
  const bool has_energies = *energies;
  while (*times) {
    dcs_spent spent = {.energy_j = NAN};
    if (!dcs_numbers_next(&times, &spent.time_ns) || !(spent.time_ns > 0))
      return wrong(p, TIMES, "times above 0 with a space between them");
    if (has_energies &&
        (!*energies || !dcs_numbers_next(&energies, &spent.energy_j) || !(spent.energy_j >= 0)))
      return wrong(p, ENERGIES, expected);
    const dcs_status status = dcs_objective_add(objective, subject, &spent, e);
    if (status == DCS_INPUT) return wrong(p, ENERGIES, "what the row's objective is made of");
    DCS_TRY(status);
  }
  return *energies ? wrong(p, ENERGIES, expected) : DCS_OK;
}

static dcs_status read_values(place p, const dcs_subject *subject, dcs_evaluation *e) {
  dcs_objective objective;
  if (dcs_objective_open(subject->objective, &objective) != DCS_OK)
    return dcs_table_wrong(p.table, p.row, "objective", dcs_table_column(p.table, "objective"),
                           "time, energy, edp or an expression");
  dcs_status status = read_samples(p, subject, &objective, e);
  dcs_objective_close(&objective);
  return status;
}

static dcs_status read_evaluation(place p, const dcs_subject *subject, dcs_evaluation *e) {
  dcs_outcome outcome;
  if (!dcs_find_outcome(cell(p, OUTCOME), &outcome))
    return wrong(p, OUTCOME, "an outcome, such as ok");
  if (!dcs_outcome_has_times(e->outcome) || !dcs_outcome_has_times(outcome)) e->n = 0;
  e->known = true;
  e->outcome = outcome;
  double registers = number(p, REGISTERS);
  if (registers < -1 || registers > INT_MAX) return wrong(p, REGISTERS, "a number of registers");
  if (!isnan(registers)) e->registers = (int)registers;
  if (!isnan(number(p, COMPILE_MS))) e->compile_ms = number(p, COMPILE_MS);
  if (!isnan(number(p, ERROR))) e->error = number(p, ERROR);
  DCS_TRY(read_values(p, subject, e));
  if (dcs_outcome_has_times(outcome) && e->n == 0)
    return wrong(p, TIMES, "times, as there is an output");
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
  **found = dcs_evaluation_unknown;
  return DCS_OK;
}

static dcs_status read_row(place p, dcs_journal *journal) {
  dcs_subject subject;
  dcs_method method;
  dcs_recorded_space *recording;
  dcs_evaluation *evaluation;
  DCS_TRY(dcs_subject_read(p.table, p.row, &subject));
  if (dcs_read_method(subject.variant->id, cell(p, CONFIG), &method) != DCS_OK)
    return wrong(p, CONFIG, "a value for each parameter of the variant, in order");
  DCS_TRY(find_recording(journal, &subject, &recording));
  DCS_TRY(find_evaluation(recording, &method, &evaluation));
  return read_evaluation(p, &subject, evaluation);
}

/* Rows of a specification that is not read now mean nothing here, and no harm. */
static bool is_of_others(const dcs_table *table, size_t row) {
  const char *id = dcs_table_text(table, row, "variant");
  return strncmp(id, DCS_OWN, strlen(DCS_OWN)) == 0 && !dcs_find_variant(id);
}

dcs_status dcs_journal_add_table(const dcs_table *table, dcs_journal *journal) {
  DCS_TRY(check_columns(table));
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    if (!is_of_others(table, row)) DCS_TRY(read_row((place){table, row}, journal));
  return DCS_OK;
}

static dcs_status read_csv(const char *path, const char *text, size_t bytes, dcs_journal *journal,
                           FILE *notes) {
  dcs_table *table;
  DCS_TRY(dcs_table_parse(path, text, bytes, &table));
  if (dcs_table_torn(table)) fprintf(notes, "%s: the last row was cut off and is left out\n", path);
  dcs_status status = dcs_journal_add_table(table, journal);
  dcs_table_free(table);
  return status;
}

static dcs_status read_file(const char *path, dcs_journal *journal, FILE *notes) {
  char *text;
  size_t bytes;
  json_t *root = NULL;
  DCS_TRY(dcs_read_file(path, &text, &bytes));
  dcs_status status = dcs_json_parse(path, text, bytes, &root);
  if (status == DCS_OK)
    status = root ? dcs_journal_add_t4(path, root, journal)
                  : read_csv(path, text, bytes, journal, notes);
  json_decref(root);
  free(text);
  return status;
}

dcs_status dcs_journal_read(char *const *paths, int n_paths, dcs_journal *journal, FILE *notes) {
  *journal = (dcs_journal){0};
  for (int f = 0; f < n_paths; f++)
    DCS_TRY(read_file(paths[f], journal, notes));
  return DCS_OK;
}

void dcs_journal_free(dcs_journal *journal) {
  for (int r = 0; r < journal->n; r++) {
    free(journal->list[r].configs);
    dcs_evaluations_free(journal->list[r].evaluations, journal->list[r].n);
  }
  free(journal->list);
  dcs_room_free(&journal->room);
  *journal = (dcs_journal){0};
}

const dcs_recorded_space *dcs_journal_find(const dcs_journal *journal, const dcs_subject *subject) {
  for (int r = 0; r < journal->n; r++)
    if (dcs_same_subject(&journal->list[r].subject, subject)) return &journal->list[r];
  return NULL;
}
