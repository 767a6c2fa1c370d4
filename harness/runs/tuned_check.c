#include "harness/runs/tuned_check.h"

#include "harness/files/folder.h"

#include <stdlib.h>
#include <string.h>

/* The first N_KEYS say what was measured. */
#define COLUMNS(X)                                                                                 \
  X(VARIANT, "variant"), X(CONFIG, "config"), X(SCOPE, "scope"), X(DEVICES, "devices"),            \
      X(PROBLEM, "problem"), X(PROBLEM_CONFIG, "problem_config"), X(ATOMS, "atoms"), X(NX, "nx"),  \
      X(NY, "ny"), X(NZ, "nz"), X(DATE, "previous_date"), X(PREVIOUS_N, "previous_n"),             \
      X(PREVIOUS_RATE, "previous_evals_per_s"), X(N_SAMPLES, "n"), X(RATE, "evals_per_s"),         \
      X(CHANGE, "rate_change"), X(RATIO, "ratio"), X(RATIO_LO, "ratio_lo"),                        \
      X(RATIO_HI, "ratio_hi"), X(VERDICT, "verdict")
enum { COLUMNS(DCS_COLUMN_INDEX), N_COLUMNS, N_KEYS = DATE };
static const char *const columns[] = DCS_NAMES(COLUMNS(DCS_COLUMN_NAME));

/* ---- writing ---- */

static bool is_comparable(const dcs_record *record) {
  return record->previous.median_ns > 0 && record->outcome == DCS_OUTCOME_OK &&
         record->n_times > 0 && record->memory == DCS_PAGEABLE &&
         record->work == record->previous_work;
}

static dcs_status check_times(const dcs_record *record, dcs_recheck *check) {
  const size_t n = record->n_times;
  double *sorted = malloc(n * sizeof *sorted);
  if (!sorted) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", n);
  memcpy(sorted, record->times_ns, n * sizeof *sorted);
  dcs_sort_values(sorted, n);
  *check = dcs_recheck_times(&record->previous, sorted, n);
  free(sorted);
  return DCS_OK;
}

static dcs_status write_row(dcs_csv *csv, const dcs_record *record) {
  const dcs_method *method = &record->method;
  const dcs_previous_time *then = &record->previous;
  dcs_recheck check;
  DCS_TRY(check_times(record, &check));
  const double rate_then = 1e9 * record->work / then->median_ns;
  char config[DCS_TEXT];
  DCS_CSV_TEXTS(csv, method->variant->id,
                dcs_format_config(method->variant, &method->config, config),
                dcs_scope_name(record->scope), record->device);
  dcs_size_put(csv, &record->size);
  dcs_csv_text(csv, then->date);
  DCS_CSV_NUMBERS(csv, then->n, rate_then, (double)record->n_times, rate_then * (1 + check.change),
                  check.change, check.ratio.value, check.ratio.lo, check.ratio.hi);
  dcs_csv_text(csv, dcs_previous_verdict_name(check.verdict));
  return dcs_csv_row(csv);
}

dcs_status dcs_tuned_check_write(const char *folder, const dcs_record *record) {
  char path[4096];
  dcs_csv csv;
  if (!is_comparable(record)) return DCS_OK;
  DCS_TRY(dcs_path_in(folder, "tuned_check.csv", path));
  DCS_TRY(dcs_csv_append_table(&csv, path, columns));
  return dcs_csv_finish(&csv, write_row(&csv, record));
}

/* ---- saying ---- */

typedef struct {
  const dcs_table *table;
  int at[N_COLUMNS];
} checks;

static const char *cell(const checks *c, size_t row, int column) {
  return dcs_table_cell(c->table, row, c->at[column]);
}

static bool is_last(const checks *c, size_t row) {
  for (size_t later = row + 1; later < dcs_table_rows(c->table); later++) {
    int key = 0;
    while (key < N_KEYS && strcmp(cell(c, row, key), cell(c, later, key)) == 0)
      key++;
    if (key == N_KEYS) return false;
  }
  return true;
}

static void say_command(const checks *c, size_t row, const dcs_size *size, FILE *out) {
  char options[DCS_TEXT];
  fprintf(
      out,
      "dcsbench tune %s %s --scope %s --journal FILE (the same --input, if any; a new FILE: the "
      "usual journal holds the previous times)\n",
      cell(c, row, VARIANT), dcs_size_options(size, options), cell(c, row, SCOPE));
}

static void say(const checks *c, size_t row, const dcs_size *size, FILE *out) {
  const bool changed =
      strcmp(cell(c, row, VERDICT), dcs_previous_verdict_name(DCS_PREVIOUS_CHANGED)) == 0;
  char text[DCS_TEXT];
  fprintf(out, "%s %s on %s, scope %s: %s: ", cell(c, row, VARIANT), cell(c, row, CONFIG),
          dcs_size_text(size, text), cell(c, row, SCOPE),
          changed ? "changed since it was tuned" : "perhaps changed since it was tuned");
  fprintf(out, "%.4g evaluations/s on %.10s, %.4g now (%+.1f%%); ",
          dcs_table_number(c->table, row, c->at[PREVIOUS_RATE]), cell(c, row, DATE),
          dcs_table_number(c->table, row, c->at[RATE]),
          100 * dcs_table_number(c->table, row, c->at[CHANGE]));
  if (!changed)
    fprintf(out, "%s and %s samples do not tell; to know, ", cell(c, row, PREVIOUS_N),
            cell(c, row, N_SAMPLES));
  fprintf(out, "tune again: ");
  say_command(c, row, size, out);
}

dcs_status dcs_tuned_check_say(const char *folder, FILE *out) {
  char path[4096];
  dcs_table *table;
  DCS_TRY(dcs_path_in(folder, "tuned_check.csv", path));
  if (!dcs_exists(path)) return DCS_OK;
  DCS_TRY(dcs_table_read(path, &table));
  checks c = {.table = table};
  dcs_status status = dcs_table_need_all(table, columns, c.at);
  dcs_size_at at;
  if (status == DCS_OK) status = dcs_size_find(table, &at);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++) {
    dcs_size size;
    status = dcs_size_read(table, row, &at, &size);
    if (status == DCS_OK && is_last(&c, row) &&
        strcmp(cell(&c, row, VERDICT), dcs_previous_verdict_name(DCS_PREVIOUS_HOLDS)) != 0)
      say(&c, row, &size, out);
  }
  dcs_table_free(table);
  return status;
}
