#include "harness/runs/run.h"

#include <stdio.h>
#include <string.h>

const char *const dcs_key_columns[DCS_N_KEYS] = {"variant", "config", "scope",  "memory",
                                                 "devices", "cutoff", "smooth", "atoms",
                                                 "nx",      "ny",     "nz"};

/* ---- files ---- */

static dcs_status read_file(const char *folder, const char *name, dcs_table **table) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return dcs_fail(DCS_USAGE, "the folder's name is too long");
  return dcs_table_read(path, table);
}

static dcs_status read_keyed(const char *folder, const char *name, const char *value,
                             dcs_run_table *t) {
  DCS_TRY(read_file(folder, name, &t->table));
  for (int k = 0; k < DCS_N_KEYS; k++)
    if (k == DCS_KEY_CUTOFF || k == DCS_KEY_SMOOTH)
      t->key[k] = dcs_table_column(t->table, dcs_key_columns[k]);
    else
      DCS_TRY(dcs_table_need(t->table, dcs_key_columns[k], &t->key[k]));
  return dcs_table_need(t->table, value, &t->value);
}

static dcs_status check_times(const dcs_run_table *samples) {
  const dcs_table *table = samples->table;
  if (dcs_table_rows(table) == 0)
    return dcs_fail(DCS_INPUT, "%s: found no samples; nothing can be compared",
                    dcs_table_path(table));
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    double time_ns = dcs_table_number(table, row, samples->value);
    if (!(time_ns > 0 && time_ns < 1e300))
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found time_ns \"%s\"; expected nanoseconds, above zero",
                      dcs_table_path(table), row + 2, dcs_table_cell(table, row, samples->value));
  }
  return DCS_OK;
}

bool dcs_run_whole_sum(const dcs_run_table *t, size_t row) {
  return !*dcs_table_cell(t->table, row, t->key[DCS_KEY_CUTOFF]);
}

const char *dcs_run_fact(const dcs_run *run, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(run->env); row++)
    if (strcmp(dcs_table_cell(run->env, row, run->env_key), key) == 0)
      return dcs_table_cell(run->env, row, run->env_value);
  return "";
}

static dcs_status check_once(const dcs_run *run) {
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
static dcs_status read_facts(const char *folder, dcs_run *run) {
  static const char *const always[] = {"cpu_model", "cpus", "seed"};
  DCS_TRY(read_file(folder, "env.csv", &run->env));
  DCS_TRY(dcs_table_need(run->env, "key", &run->env_key));
  DCS_TRY(dcs_table_need(run->env, "value", &run->env_value));
  DCS_TRY(check_once(run));
  for (size_t f = 0; f < sizeof always / sizeof always[0]; f++)
    if (!*dcs_run_fact(run, always[f]))
      return dcs_fail(DCS_INPUT, "%s: no value of \"%s\"; expected one, as every run has",
                      dcs_table_path(run->env), always[f]);
  return DCS_OK;
}

dcs_status dcs_run_open(dcs_run *run, const char *folder) {
  *run = (dcs_run){0};
  DCS_TRY(read_facts(folder, run));
  DCS_TRY(read_keyed(folder, "samples.csv", "time_ns", &run->samples));
  DCS_TRY(read_keyed(folder, "summary.csv", "outcome", &run->summary));
  return check_times(&run->samples);
}

void dcs_run_close(dcs_run *run) {
  dcs_table_free(run->env);
  dcs_table_free(run->samples.table);
  dcs_table_free(run->summary.table);
  *run = (dcs_run){0};
}

/* ---- samples ---- */

static bool is_sample_of(const dcs_run *run, size_t sample, size_t row) {
  for (int k = 0; k < DCS_N_KEYS; k++)
    if (strcmp(dcs_table_cell(run->samples.table, sample, run->samples.key[k]),
               dcs_table_cell(run->summary.table, row, run->summary.key[k])) != 0)
      return false;
  return true;
}

size_t dcs_run_times(const dcs_run *run, size_t row, double *times) {
  size_t n = 0;
  for (size_t s = 0; s < dcs_table_rows(run->samples.table); s++)
    if (is_sample_of(run, s, row))
      times[n++] = dcs_table_number(run->samples.table, s, run->samples.value);
  return n;
}

/* ---- facts ---- */

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
  bool cards = *dcs_run_fact(&runs[0], "gpu_name") && *dcs_run_fact(&runs[1], "gpu_name");
  size_t n = 0;
  for (size_t f = 0; f < N_COMPARED; f++) {
    const char *a = dcs_run_fact(&runs[0], compared[f].key),
               *b = dcs_run_fact(&runs[1], compared[f].key);
    if (strcmp(a, b) == 0 || (compared[f].of_card && !cards)) continue;
    list[n++] = (dcs_difference){compared[f].key, {a, b}, compared[f].incomparable};
  }
  return n;
}

void dcs_run_notes(const dcs_run *run, size_t not_ok, FILE *out) {
  const dcs_table *tables[] = {run->samples.table, run->summary.table};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    if (dcs_table_torn(tables[t]))
      fprintf(out, "%s: the last row was cut off and is left out\n", dcs_table_path(tables[t]));
  if (not_ok > 0)
    fprintf(out, "%zu row%s of the summary %s not ok and left out\n", not_ok,
            not_ok == 1 ? "" : "s", not_ok == 1 ? "is" : "are");
}
