#include "harness/base/embedded.h"
#include "harness/files/folder.h"
#include "harness/runs/find.h"
#include "harness/runs/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

static dcs_status check_time(const dcs_table *samples, size_t row, int column) {
  const double time_ns = dcs_table_number(samples, row, column);
  if (time_ns > 0 && time_ns <= DCS_MOST_NS) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: row %zu: found time_ns \"%s\"; expected nanoseconds, above zero",
                  dcs_table_path(samples), row + 2, dcs_table_cell(samples, row, column));
}

/* By key, then as they were taken. */
static int by_key(const void *left, const void *right) {
  const dcs_run_row *a = *(const dcs_run_row *const *)left, *b = *(const dcs_run_row *const *)right;
  int order = dcs_compare_rows(a, b);
  return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* The first of keys[n], which ascend, that is not below the row's. */
static size_t lower_bound(const dcs_run_row *const *keys, size_t n, const dcs_run_row *row) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    if (dcs_compare_rows(keys[middle], row) < 0)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

/* A row has the first samples of its method; an interrupted sweep may have taken more since. */
static dcs_status count_samples(dcs_run *run, dcs_run_row *row) {
  const size_t found = row->n_times;
  if (found == 0)
    return dcs_fail(DCS_INPUT, "%s: found no samples of row %zu of %s, which is ok",
                    dcs_table_path(run->samples), row->row + 2, dcs_table_path(run->summary));
  if (found < (size_t)row->n)
    return dcs_fail(DCS_INPUT,
                    "%s: found %zu samples of row %zu of %s; expected the %d that it is of: the "
                    "file was cut, and the run is to be measured anew in another folder",
                    dcs_table_path(run->samples), found, row->row + 2, dcs_table_path(run->summary),
                    row->n);
  if (row->n > 0) row->n_times = (size_t)row->n;
  run->n_loose += found - row->n_times;
  return DCS_OK;
}

/* Gives each row those of the sorted samples that have its key. */
static dcs_status hand_out(dcs_run *run, const dcs_run_row *const *keys, size_t n) {
  run->n_loose = n;
  for (size_t i = 0; i < run->n_rows; i++) {
    dcs_run_row *row = &run->rows[i];
    size_t first = lower_bound(keys, n, row), end = first;
    while (end < n && dcs_compare_rows(keys[end], row) == 0)
      end++;
    row->times = run->times + first;
    row->process = run->processes + first;
    row->session = run->sessions + first;
    row->sorted = run->sorted + first;
    row->n_times = end - first;
    run->n_loose -= row->n_times;
    if (row->outcome == DCS_OUTCOME_OK) DCS_TRY(count_samples(run, row));
    row->stats = dcs_summarize_series(row->times, row->n_times, run->sorted + first);
  }
  return DCS_OK;
}

static dcs_status read_index(const dcs_table *samples, size_t row, int column, int *index) {
  const double value = column < 0 ? 0 : dcs_table_number(samples, row, column);
  if (!(value >= 0 && value < INT_MAX && value == floor(value)))
    return dcs_table_wrong(samples, row, dcs_table_header(samples, column), column,
                           "a whole number, at least 0");
  *index = (int)value;
  return DCS_OK;
}

/* sorted has room for all samples. */
static dcs_status take_times(dcs_run *run, const dcs_run_row *keys, const dcs_run_row **sorted) {
  const size_t n = dcs_table_rows(run->samples);
  int time_ns;
  DCS_TRY(dcs_table_need(run->samples, "time_ns", &time_ns));
  for (size_t s = 0; s < n; s++) {
    DCS_TRY(check_time(run->samples, s, time_ns));
    sorted[s] = &keys[s];
  }
  qsort(sorted, n, sizeof(const dcs_run_row *), by_key);
  const int process = dcs_table_column(run->samples, "process");
  int session = dcs_table_column(run->samples, "session");
  if (session < 0) session = process;
  for (size_t s = 0; s < n; s++) {
    run->times[s] = dcs_table_number(run->samples, sorted[s]->row, time_ns);
    DCS_TRY(read_index(run->samples, sorted[s]->row, process, &run->processes[s]));
    DCS_TRY(read_index(run->samples, sorted[s]->row, session, &run->sessions[s]));
  }
  return hand_out(run, sorted, n);
}

static dcs_status read_samples(dcs_run *run) {
  const size_t n = dcs_table_rows(run->samples);
  dcs_run_row *keys;
  DCS_TRY(dcs_run_read_keys(run->samples, &keys));
  const dcs_run_row **sorted = malloc((n + 1) * sizeof(const dcs_run_row *));
  run->times = malloc((n + 1) * sizeof *run->times);
  run->sorted = malloc((n + 1) * sizeof *run->sorted);
  run->processes = malloc((n + 1) * sizeof *run->processes);
  run->sessions = malloc((n + 1) * sizeof *run->sessions);
  dcs_status status = sorted && run->times && run->sorted && run->processes && run->sessions
                          ? take_times(run, keys, sorted)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", n);
  free(keys);
  free(sorted);
  return status;
}

/* ---- folders ---- */

static const char shipped[] = "results/reference/nvidia-h200";

static dcs_status read_file(const char *folder, const char *name, dcs_table **table) {
  char path[4096];
  DCS_TRY(dcs_path_in(folder, name, path));
  if (folder != shipped) return dcs_table_read(path, table);
  const char *text = dcs_embedded(path);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", path);
  return dcs_table_parse(path, text, strlen(text), table);
}

static dcs_status check_facts_once(const dcs_run *run) {
  size_t rows = dcs_table_rows(run->env);
  for (size_t row = 0; row < rows; row++)
    for (size_t before = 0; before < row; before++) {
      const char *fact = dcs_table_cell(run->env, row, run->env_key);
      if (strcmp(fact, dcs_table_cell(run->env, before, run->env_key)) != 0) continue;
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found %s again: \"%s\", and \"%s\" in row %zu; expected the "
                      "facts of one machine",
                      dcs_table_path(run->env), row + 2, fact,
                      dcs_table_cell(run->env, row, run->env_value),
                      dcs_table_cell(run->env, before, run->env_value), before + 2);
    }
  return DCS_OK;
}

/* What is unknown in both runs is not the same: an env.csv that was cut short is refused. */
static dcs_status read_facts(dcs_run *run) {
  static const char *const always[] = {"cpu_model", "cpus", "seed"};
  if (run->folder != shipped) DCS_TRY(dcs_check_run(run->folder));
  DCS_TRY(read_file(run->folder, "env.csv", &run->env));
  DCS_TRY(dcs_table_need(run->env, "key", &run->env_key));
  DCS_TRY(dcs_table_need(run->env, "value", &run->env_value));
  DCS_TRY(check_facts_once(run));
  if (dcs_run_fact_number(run, "schema") != DCS_RUN_SCHEMA)
    return dcs_fail(DCS_INPUT,
                    "%s: found schema \"%s\"; expected %d: measure the run anew with `dcsbench "
                    "sweep`",
                    dcs_table_path(run->env), dcs_run_fact(run, "schema"), DCS_RUN_SCHEMA);
  for (size_t f = 0; f < sizeof always / sizeof always[0]; f++)
    if (!*dcs_run_fact(run, always[f]))
      return dcs_fail(DCS_INPUT, "%s: no value of \"%s\"; expected one, as every run has",
                      dcs_table_path(run->env), always[f]);
  return DCS_OK;
}

dcs_status dcs_run_open_summary(dcs_run *run, const char *folder) {
  *run = (dcs_run){.folder = folder};
  DCS_TRY(read_facts(run));
  DCS_TRY(read_file(folder, "summary.csv", &run->summary));
  return dcs_run_read_rows(run);
}

dcs_status dcs_run_check_no_rows(const char *path) {
  dcs_table *table;
  if (!dcs_exists(path)) return DCS_OK;
  bool rows = dcs_table_read(path, &table) != DCS_OK || dcs_table_rows(table) > 0;
  dcs_table_free(table);
  if (!rows) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: belongs to no run that has an env.csv; take another folder",
                  path);
}

dcs_status dcs_run_open_shipped(dcs_run *run) {
  return dcs_run_open_summary(run, shipped);
}

dcs_status dcs_run_open(dcs_run *run, const char *folder) {
  DCS_TRY(dcs_run_open_summary(run, folder));
  DCS_TRY(read_file(folder, "samples.csv", &run->samples));
  return read_samples(run);
}

dcs_status dcs_run_check_card(const dcs_run *run) {
  for (size_t i = 0; i < run->n_rows && !*dcs_run_fact(run, "gpu_name"); i++)
    if (run->rows[i].backend == DCS_GPU)
      return dcs_fail(DCS_INPUT,
                      "%s: found no gpu_name, and GPU times; expected the name of the card",
                      dcs_table_path(run->env));
  return DCS_OK;
}

void dcs_run_close(dcs_run *run) {
  dcs_table_free(run->env);
  dcs_table_free(run->samples);
  dcs_table_free(run->summary);
  free(run->rows);
  free(run->times);
  free(run->sorted);
  free(run->processes);
  free(run->sessions);
  *run = (dcs_run){0};
}

static const char *plural(size_t n, const char *one, const char *more) {
  return n == 1 ? one : more;
}

void dcs_run_notes(const dcs_run *run, FILE *out) {
  const dcs_table *tables[] = {run->samples, run->summary};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    if (tables[t] && dcs_table_torn(tables[t]))
      fprintf(out, "%s: the last row was cut off and is left out\n", dcs_table_path(tables[t]));
  if (run->n_not_ok > 0)
    fprintf(out, "%zu row%s of the summary %s not ok and left out\n", run->n_not_ok,
            plural(run->n_not_ok, "", "s"), plural(run->n_not_ok, "is", "are"));
  if (run->n_loose > 0)
    fprintf(out,
            "%zu sample%s %s no row in the summary and %s left out: the sweep was interrupted, and "
            "--resume goes on\n",
            run->n_loose, plural(run->n_loose, "", "s"), plural(run->n_loose, "has", "have"),
            plural(run->n_loose, "is", "are"));
  if (strcmp(dcs_run_fact(run, "gpu_type"), "CPU") == 0)
    fprintf(out,
            "what `gpu` is here is no card, but %s: its times and crossover points are not "
            "a GPU's\n",
            dcs_run_fact(run, "gpu_name"));
}

/* ---- what a run holds ---- */

const char *dcs_run_cell(const dcs_run *run, const dcs_run_row *row, const char *column) {
  return dcs_table_cell(run->summary, row->row, dcs_table_column(run->summary, column));
}

static int by_size(const void *left, const void *right) {
  return dcs_compare_sizes(left, right);
}

dcs_status dcs_run_problems(const dcs_run *run, dcs_size **list, int *n) {
  int all = 0;
  *n = 0;
  *list = malloc((run->n_rows + 1) * sizeof **list);
  if (!*list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", run->n_rows);
  for (size_t i = 0; i < run->n_rows; i++)
    if (run->rows[i].outcome == DCS_OUTCOME_OK)
      (*list)[all++] =
          (dcs_size){.kind = run->rows[i].size.kind, .config = run->rows[i].size.config};
  qsort(*list, (size_t)all, sizeof **list, by_size);
  for (int i = 0; i < all; i++)
    if (*n == 0 || by_size(&(*list)[*n - 1], &(*list)[i]) != 0) (*list)[(*n)++] = (*list)[i];
  return DCS_OK;
}

/* The text after the parameters, from here on, whose names begin with the prefix. */
static const char *skip(const char *config, const char *prefix) {
  while (*config && strncmp(config, prefix, strlen(prefix)) == 0) {
    config += strcspn(config, ",");
    config += *config == ',';
  }
  return config;
}

bool dcs_same_config_but(const char *a, const char *b, const char *prefix) {
  while (*(a = skip(a, prefix)) && *(b = skip(b, prefix))) {
    size_t n = strcspn(a, ",");
    if (n != strcspn(b, ",") || strncmp(a, b, n) != 0) return false;
    a += n + (a[n] == ',');
    b += n + (b[n] == ',');
  }
  return !*a && !*skip(b, prefix);
}

/* ---- facts ---- */

const char *dcs_run_fact(const dcs_run *run, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(run->env); row++)
    if (strcmp(dcs_table_cell(run->env, row, run->env_key), key) == 0)
      return dcs_table_cell(run->env, row, run->env_value);
  return "";
}

double dcs_run_fact_number(const dcs_run *run, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(run->env); row++)
    if (strcmp(dcs_table_cell(run->env, row, run->env_key), key) == 0)
      return dcs_table_number(run->env, row, run->env_value);
  return NAN;
}

static const struct {
  const char *key;
  bool incomparable, of_card;
} compared[] = {{"cpu_model", true, false},
                {"cpus", true, false},
                {"gpu_name", true, true},
                {"isa_disabled", true, false},
                {"seed", true, false},
                {"input_fnv1a64", true, false},
                {"asked_spacing", true, false},
                {"asked_margin", true, false},
                {"asked_origin", true, false},
                {"program_version", false, false},
                {"git_state", false, false},
                {"kernels_fnv1a64", false, false},
                {"compiler", false, false},
                {"flags", false, false},
                {"isa", false, false},
                {"os", false, false},
                {"gpu_uuid", false, true},
                {"gpu_ecc", false, true},
                {"gpu_power_limit_w", false, true},
                {"cuda_driver", false, true},
                {"nvrtc", false, true}};
enum { N_COMPARED = sizeof compared / sizeof compared[0] };
_Static_assert((int)N_COMPARED <= (int)DCS_MAX_DIFFERENCES,
               "a list of differences holds all facts");

size_t dcs_run_differences(const dcs_run runs[2], dcs_difference list[DCS_MAX_DIFFERENCES]) {
  const bool cards = *dcs_run_fact(&runs[0], "gpu_name") && *dcs_run_fact(&runs[1], "gpu_name"),
             imported = *dcs_run_fact(&runs[0], "imported_file") &&
                        *dcs_run_fact(&runs[1], "imported_file");
  size_t n = 0;
  for (size_t f = 0; f < N_COMPARED; f++) {
    const char *a = dcs_run_fact(&runs[0], compared[f].key),
               *b = dcs_run_fact(&runs[1], compared[f].key);
    if (strcmp(a, b) == 0 || (compared[f].of_card && !cards)) continue;
    if (imported && strcmp(compared[f].key, "input_fnv1a64") == 0) continue; /* of the times */
    list[n++] = (dcs_difference){compared[f].key, {a, b}, compared[f].incomparable};
  }
  return n;
}
