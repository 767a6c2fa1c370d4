/* The run that figures are drawn of: its rows, machine and limits, and how rows are picked. */
#include "harness/base/decimal.h"
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const dcs_figure_pick dcs_figure_any = {DCS_FIGURE_ANY, DCS_FIGURE_ANY,  DCS_FIGURE_ANY,
                                        DCS_FIGURE_ANY, DCS_FIGURE_ANY,  DCS_FIGURE_ANY,
                                        DCS_FIGURE_ANY, DCS_FIGURE_WHOLE};

static dcs_status make_room(dcs_figure_run *run, size_t n) {
  run->rows = calloc(n + 1, sizeof *run->rows);
  run->within = calloc(n + 1, sizeof *run->within);
  run->cuts = calloc(n + 1, sizeof *run->cuts);
  run->cells = calloc(n + 1, sizeof *run->cells);
  run->variants = calloc(n + 1, sizeof *run->variants);
  run->configs = calloc(n + 1, sizeof *run->configs);
  if (!run->rows || !run->within || !run->cuts || !run->cells || !run->variants || !run->configs)
    return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a run of %zu rows", n);
  return DCS_OK;
}

static dcs_status read_table(const char *dir, const char *name, dcs_table **table) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
    return dcs_fail(DCS_INPUT, "the name of the run folder is longer than %zu bytes", sizeof path);
  return dcs_table_read(path, table);
}

static dcs_status env_value(const dcs_table *env, const char *key, const char **value) {
  int keys, values;
  DCS_TRY(dcs_table_need(env, "key", &keys));
  DCS_TRY(dcs_table_need(env, "value", &values));
  *value = "";
  for (size_t row = 0; row < dcs_table_rows(env); row++)
    if (strcmp(dcs_table_cell(env, row, keys), key) == 0) *value = dcs_table_cell(env, row, values);
  return DCS_OK;
}

static bool has_ok_gpu_row(const dcs_figure_run *run) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.backend = DCS_CUDA;
  const bool whole = dcs_figure_best(run, &pick) != NULL;
  pick.cut = DCS_FIGURE_ANY;
  return whole || dcs_figure_best(run, &pick) != NULL;
}

/* A number of env.csv; NaN where it lacks the key or holds something else. */
static dcs_status env_number(const dcs_table *env, const char *key, double *value) {
  const char *text;
  DCS_TRY(env_value(env, key, &text));
  if (!dcs_decimal_read(text, strlen(text), value)) *value = NAN;
  return DCS_OK;
}

/* The measured limits, those of the card whose rows are drawn among them. */
static dcs_status read_limits(dcs_figure_run *run) {
  static const char *const keys[DCS_FIGURE_KINDS][3] = {
      {"limit_cpu_1_evals_per_s", "limit_cpu_1_fma_per_s", "limit_cpu_1_memory_bytes_per_s"},
      {"limit_cpu_all_evals_per_s", "limit_cpu_all_fma_per_s", "limit_cpu_all_memory_bytes_per_s"},
      {"limit_evals_per_s", "limit_gpu_fma_per_s", "limit_gpu_memory_bytes_per_s"}};
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++) {
    bool reference = kind == DCS_FIGURE_GPU && run->gpu_is_reference;
    const dcs_table *env = run->tables[reference ? 3 : 1];
    dcs_figure_limits *limits = &run->limits[kind];
    DCS_TRY(env_number(env, keys[kind][0], &limits->evals_per_s));
    DCS_TRY(env_number(env, keys[kind][1], &limits->fma_per_s));
    DCS_TRY(env_number(env, keys[kind][2], &limits->bytes_per_s));
  }
  return DCS_OK;
}

/* The title's second line. */
static dcs_status describe_machine(dcs_figure_run *run) {
  const dcs_table *gpu_env = run->tables[run->gpu_is_reference ? 3 : 1];
  const char *cpu, *gpu, *date;
  DCS_TRY(env_value(run->tables[1], "cpu_model", &cpu));
  DCS_TRY(env_value(gpu_env, "gpu_name", &gpu));
  DCS_TRY(env_value(gpu_env, "date", &date));
  int used = snprintf(run->machine, sizeof run->machine, "CPU: %.50s", *cpu ? cpu : "unknown");
  char *rest = run->machine + used;
  size_t room = sizeof run->machine - (size_t)used;
  if (!has_ok_gpu_row(run))
    snprintf(rest, room, ", GPU: not measured");
  else if (run->gpu_is_reference)
    snprintf(rest, room, ", GPU: %.50s, shipped reference of %.10s", *gpu ? gpu : "unknown",
             *date ? date : "unknown date");
  else
    snprintf(rest, room, ", GPU: %.50s", *gpu ? gpu : "unknown");
  return DCS_OK;
}

static dcs_status load_reference(dcs_figure_run *run, const char *reference) {
  DCS_TRY(dcs_figure_append(run, run->tables[2], DCS_CUDA));
  DCS_TRY(read_table(reference, "env.csv", &run->tables[3]));
  run->gpu_is_reference = true;
  run->gpu_suffix = " (reference)";
  return DCS_OK;
}

dcs_status dcs_figure_load(dcs_figure_run *run, const char *dir, const char *reference) {
  *run = (dcs_figure_run){.dir = dir, .gpu_suffix = ""};
  DCS_TRY(read_table(dir, "summary.csv", &run->tables[0]));
  DCS_TRY(read_table(dir, "env.csv", &run->tables[1]));
  size_t n = dcs_table_rows(run->tables[0]);
  if (reference) {
    DCS_TRY(read_table(reference, "summary.csv", &run->tables[2]));
    n += dcs_table_rows(run->tables[2]);
  }
  DCS_TRY(make_room(run, n));
  DCS_TRY(dcs_figure_append(run, run->tables[0], DCS_CPU));
  DCS_TRY(dcs_figure_append(run, run->tables[0], DCS_CUDA));
  if (reference && !has_ok_gpu_row(run)) DCS_TRY(load_reference(run, reference));
  DCS_TRY(dcs_figure_sort(run));
  DCS_TRY(read_limits(run));
  return describe_machine(run);
}

void dcs_figure_unload(dcs_figure_run *run) {
  free(run->rows);
  free(run->within);
  free(run->cuts);
  free(run->cells);
  free(run->variants);
  free(run->configs);
  for (int t = 0; t < 4; t++)
    dcs_table_free(run->tables[t]);
  *run = (dcs_figure_run){.gpu_suffix = ""};
}

static bool field_matches(int wanted, int value) {
  return wanted == DCS_FIGURE_ANY || wanted == value;
}

static bool matches(const dcs_figure_row *row, const dcs_figure_pick *pick) {
  return field_matches(pick->variant, row->variant) && field_matches(pick->cell, row->cell) &&
         field_matches(pick->config, row->config) &&
         field_matches(pick->backend, (int)row->backend) &&
         field_matches(pick->scope, (int)row->scope) &&
         field_matches(pick->threads, row->threads) && field_matches(pick->coarsen, row->coarsen) &&
         field_matches(pick->cut, row->cut);
}

const dcs_figure_row *dcs_figure_next(const dcs_figure_run *run, const dcs_figure_pick *pick,
                                      const dcs_figure_row *row) {
  const bool whole = pick->cut == DCS_FIGURE_WHOLE;
  const dcs_figure_row *rows = whole ? run->rows : run->within;
  const dcs_figure_row *end = rows + (whole ? run->n_rows : run->n_within);
  for (row = row ? row + 1 : rows; row < end; row++)
    if (matches(row, pick)) return row;
  return NULL;
}

const dcs_figure_row *dcs_figure_best(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *best = NULL, *row = NULL;
  while ((row = dcs_figure_next(run, pick, row)))
    if (row->ok && (!best || row->evals_per_s > best->evals_per_s)) best = row;
  return best;
}

int dcs_figure_left_out(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *row = NULL;
  int n = 0;
  while ((row = dcs_figure_next(run, pick, row)))
    n += !row->ok;
  return n;
}
