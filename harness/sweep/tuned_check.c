#include "harness/sweep/tuned_check.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The first N_KEYS say what was measured. */
enum {
  VARIANT,
  CONFIG,
  SCOPE,
  DEVICES,
  CUTOFF,
  SMOOTH,
  ATOMS,
  NX,
  NY,
  NZ,
  N_KEYS,
  DATE = N_KEYS,
  RECORDED_N,
  RECORDED_RATE,
  N_SAMPLES,
  RATE,
  CHANGE,
  RATIO,
  RATIO_LO,
  RATIO_HI,
  VERDICT,
  N_COLUMNS
};
static const char *const columns[N_COLUMNS + 1] = {"variant",
                                                   "config",
                                                   "scope",
                                                   "devices",
                                                   "cutoff",
                                                   "smooth",
                                                   "atoms",
                                                   "nx",
                                                   "ny",
                                                   "nz",
                                                   "recorded_date",
                                                   "recorded_n",
                                                   "recorded_evals_per_s",
                                                   "n",
                                                   "evals_per_s",
                                                   "rate_change",
                                                   "ratio",
                                                   "ratio_lo",
                                                   "ratio_hi",
                                                   "verdict",
                                                   NULL};

static bool exists(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 || errno != ENOENT;
}

static dcs_status path_of(const char *folder, char path[4096]) {
  if (snprintf(path, 4096, "%s/tuned_check.csv", folder) < 4096) return DCS_OK;
  return dcs_fail(DCS_USAGE, "the name of the run folder is too long");
}

/* ---- writing ---- */

static bool is_comparable(const dcs_record *record) {
  const bool cutoff = record->method.variant->cutoff;
  return record->recorded.median_ns > 0 && record->outcome == DCS_OUTCOME_OK &&
         record->n_times > 0 && record->memory == DCS_PAGEABLE &&
         (!cutoff || record->within.all == record->recorded_pairs);
}

static void put_key(dcs_csv *csv, const dcs_record *record) {
  const dcs_variant *variant = record->method.variant;
  char config[DCS_TEXT];
  dcs_csv_text(csv, variant->id);
  dcs_csv_text(csv, dcs_format_config(variant, &record->method.config, config));
  dcs_csv_text(csv, dcs_scope_name(record->scope));
  dcs_csv_text(csv, record->device);
  dcs_write_size(csv, record);
}

static void put_check(dcs_csv *csv, const dcs_record *record) {
  const dcs_recorded *then = &record->recorded;
  double evals = record->method.variant->cutoff
                     ? record->within.all
                     : (double)record->atoms * (double)dcs_points(record->n);
  dcs_recheck check = dcs_recheck_times(then, record->times_ns, record->n_times);
  double rate_then = 1e9 * evals / then->median_ns;
  dcs_csv_text(csv, then->date);
  dcs_csv_integer(csv, then->n);
  dcs_csv_number(csv, rate_then);
  dcs_csv_integer(csv, (int64_t)record->n_times);
  dcs_csv_number(csv, rate_then * (1 + check.change));
  dcs_csv_number(csv, check.change);
  dcs_csv_number(csv, check.ratio.value);
  dcs_csv_number(csv, check.ratio.lo);
  dcs_csv_number(csv, check.ratio.hi);
  dcs_csv_text(csv, dcs_record_verdict_name(check.verdict));
}

dcs_status dcs_tuned_check_write(const char *folder, const dcs_record *record) {
  char path[4096];
  dcs_csv csv;
  if (!is_comparable(record)) return DCS_OK;
  DCS_TRY(path_of(folder, path));
  bool started = exists(path);
  DCS_TRY(dcs_csv_append(&csv, path));
  dcs_status status = started ? DCS_OK : dcs_write_header(&csv, columns);
  put_key(&csv, record);
  put_check(&csv, record);
  if (status == DCS_OK) status = dcs_csv_row(&csv);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
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

static void say_command(const checks *c, size_t row, FILE *out) {
  const char *cutoff = cell(c, row, CUTOFF);
  fprintf(out, "dcsbench tune %s --atoms %s --grid %sx%sx%s --scope %s", cell(c, row, VARIANT),
          cell(c, row, ATOMS), cell(c, row, NX), cell(c, row, NY), cell(c, row, NZ),
          cell(c, row, SCOPE));
  if (*cutoff) fprintf(out, " --cutoff %s --smooth %s", cutoff, cell(c, row, SMOOTH));
  fprintf(out, " --journal FILE (the same --input, if any; a new FILE: the usual journal holds the "
               "former times)\n");
}

static void say(const checks *c, size_t row, FILE *out) {
  const bool changed =
      strcmp(cell(c, row, VERDICT), dcs_record_verdict_name(DCS_RECORD_CHANGED)) == 0;
  const char *cutoff = cell(c, row, CUTOFF);
  char day[24];
  fprintf(out, "%s %s on %sx%sx%s, %s atoms%s%s, scope %s: %s: ", cell(c, row, VARIANT),
          cell(c, row, CONFIG), cell(c, row, NX), cell(c, row, NY), cell(c, row, NZ),
          cell(c, row, ATOMS), *cutoff ? ", cutoff " : "", cutoff, cell(c, row, SCOPE),
          changed ? "changed since it was tuned" : "perhaps changed since it was tuned");
  fprintf(out, "%.4g evaluations/s recorded on %s, %.4g measured (%+.1f%%); ",
          dcs_table_number(c->table, row, c->at[RECORDED_RATE]),
          dcs_record_day(cell(c, row, DATE), day), dcs_table_number(c->table, row, c->at[RATE]),
          100 * dcs_table_number(c->table, row, c->at[CHANGE]));
  if (!changed)
    fprintf(out, "%s and %s samples do not tell; to know, ", cell(c, row, RECORDED_N),
            cell(c, row, N_SAMPLES));
  fprintf(out, "tune again: ");
  say_command(c, row, out);
}

dcs_status dcs_tuned_check_say(const char *folder, FILE *out) {
  char path[4096];
  dcs_table *table;
  DCS_TRY(path_of(folder, path));
  if (!exists(path)) return DCS_OK;
  DCS_TRY(dcs_table_read(path, &table));
  checks c = {.table = table};
  dcs_status status = DCS_OK;
  for (int column = 0; status == DCS_OK && column < N_COLUMNS; column++)
    status = dcs_table_need(table, columns[column], &c.at[column]);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++)
    if (is_last(&c, row) &&
        strcmp(cell(&c, row, VERDICT), dcs_record_verdict_name(DCS_RECORD_HOLDS)) != 0)
      say(&c, row, out);
  dcs_table_free(table);
  return status;
}
