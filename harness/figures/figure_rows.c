/* The rows of a run as the figures need them, read from summary.csv and env.csv. */
#include "harness/base/decimal.h"
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const dcs_figure_pick dcs_figure_any = {DCS_FIGURE_ANY, DCS_FIGURE_ANY, DCS_FIGURE_ANY,
                                        DCS_FIGURE_ANY, DCS_FIGURE_ANY, DCS_FIGURE_ANY,
                                        DCS_FIGURE_ANY};

typedef struct {
  int variant, backend, config, cutoff, coarsen, threads, scope, memory, atoms, nx, ny, nz,
      overhead, median, ci_lo, ci_hi, rate, limit_fraction, flops, bytes, outcome;
} columns;

static dcs_status find_columns(const dcs_table *t, columns *c) {
  DCS_TRY(dcs_table_need(t, "variant", &c->variant));
  DCS_TRY(dcs_table_need(t, "backend", &c->backend));
  DCS_TRY(dcs_table_need(t, "threads", &c->threads));
  DCS_TRY(dcs_table_need(t, "scope", &c->scope));
  DCS_TRY(dcs_table_need(t, "atoms", &c->atoms));
  DCS_TRY(dcs_table_need(t, "nx", &c->nx));
  DCS_TRY(dcs_table_need(t, "ny", &c->ny));
  DCS_TRY(dcs_table_need(t, "nz", &c->nz));
  DCS_TRY(dcs_table_need(t, "median_ns", &c->median));
  DCS_TRY(dcs_table_need(t, "evals_per_s", &c->rate));
  DCS_TRY(dcs_table_need(t, "outcome", &c->outcome));
  c->config = dcs_table_column(t, "config");
  c->memory = dcs_table_column(t, "memory");
  c->coarsen = dcs_table_column(t, "coarsen");
  c->cutoff = dcs_table_column(t, "cutoff"); /* maps within a cutoff have figures of their own */
  c->overhead = dcs_table_column(t, "padding_overhead");
  c->ci_lo = dcs_table_column(t, "ci_lo_ns");
  c->ci_hi = dcs_table_column(t, "ci_hi_ns");
  c->limit_fraction = dcs_table_column(t, "limit_fraction");
  c->flops = dcs_table_column(t, "flops_per_eval");
  c->bytes = dcs_table_column(t, "bytes_moved");
  return DCS_OK;
}

static dcs_status wrong_cell(const dcs_table *t, size_t row, const char *name, int column,
                             const char *right) {
  return dcs_fail(DCS_INPUT, "%s: row %zu: %s is \"%s\", and must be %s", dcs_table_path(t),
                  row + 1, name, dcs_table_cell(t, row, column), right);
}

static double number_or(const dcs_table *t, size_t row, int column, double otherwise) {
  double value = dcs_table_number(t, row, column);
  return isfinite(value) ? value : otherwise;
}

/* Index of the text in the list, which it joins when it is new; the list has room. */
static int intern(const char **list, int *n, const char *text) {
  for (int i = 0; i < *n; i++)
    if (strcmp(list[i], text) == 0) return i; /* NOLINT: the first n are set */
  list[*n] = text;
  return (*n)++;
}

static dcs_status read_size(const dcs_table *t, size_t row, const char *name, int column,
                            int64_t *size) {
  double value = dcs_table_number(t, row, column);
  if (!(value >= 1 && value < 9e15)) return wrong_cell(t, row, name, column, "a number above 0");
  *size = (int64_t)value;
  return DCS_OK;
}

static dcs_status read_cell(const dcs_table *t, size_t row, const columns *c,
                            dcs_figure_cell *cell) {
  DCS_TRY(read_size(t, row, "atoms", c->atoms, &cell->atoms));
  DCS_TRY(read_size(t, row, "nx", c->nx, &cell->n.x));
  DCS_TRY(read_size(t, row, "ny", c->ny, &cell->n.y));
  return read_size(t, row, "nz", c->nz, &cell->n.z);
}

static dcs_status read_words(const dcs_table *t, size_t row, const columns *c, dcs_figure_row *r) {
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};
  const char *backend = dcs_table_cell(t, row, c->backend);
  if (strcmp(backend, "cpu") == 0)
    r->backend = DCS_CPU;
  else if (strcmp(backend, "cuda") == 0)
    r->backend = DCS_CUDA;
  else
    return wrong_cell(t, row, "backend", c->backend, "cpu or cuda");
  for (int s = 0; s < 3; s++)
    if (strcmp(dcs_table_cell(t, row, c->scope), dcs_scope_name(scopes[s])) == 0) {
      r->scope = scopes[s];
      return DCS_OK;
    }
  return wrong_cell(t, row, "scope", c->scope, "kernel, warm or first");
}

static void read_numbers(const dcs_table *t, size_t row, const columns *c, dcs_figure_row *r) {
  r->coarsen = (int)number_or(t, row, c->coarsen, 0);
  r->threads = (int)number_or(t, row, c->threads, 0);
  r->overhead = number_or(t, row, c->overhead, 0);
  r->median_ns = dcs_table_number(t, row, c->median);
  r->ci_lo_ns = dcs_table_number(t, row, c->ci_lo);
  r->ci_hi_ns = dcs_table_number(t, row, c->ci_hi);
  r->evals_per_s = dcs_table_number(t, row, c->rate);
  r->limit_fraction = dcs_table_number(t, row, c->limit_fraction);
  r->flops_per_eval = dcs_table_number(t, row, c->flops);
  r->bytes_moved = dcs_table_number(t, row, c->bytes);
  r->ok = strcmp(dcs_table_cell(t, row, c->outcome), dcs_outcome_name(DCS_OUTCOME_OK)) == 0 &&
          isfinite(r->median_ns) && r->median_ns > 0 && isfinite(r->evals_per_s) &&
          r->evals_per_s > 0;
}

static int ladder_rank(const char *id) {
  int rank = 0;
  while (rank < dcs_n_variants && strcmp(dcs_variants[rank]->id, id) != 0) /* NOLINT: ids are set */
    rank++;
  return rank;
}

/* Puts the variants in the order of the ladder; those that it does not know (an older run) come
 * last, as the file has them. */
static void sort_variants(dcs_figure_run *run) {
  for (int to = 1; to < run->n_variants; to++)
    for (int v = to; v > 0 && ladder_rank(run->variants[v]) < ladder_rank(run->variants[v - 1]);
         v--) {
      const char *swap = run->variants[v];
      run->variants[v] = run->variants[v - 1];
      run->variants[v - 1] = swap;
      for (size_t i = 0; i < run->n_rows; i++) {
        dcs_figure_row *row = &run->rows[i];
        if (row->variant == v || row->variant == v - 1) row->variant = 2 * v - 1 - row->variant;
      }
    }
}

/* Appends the table's rows of one backend; the run's arrays have room. The cells are left one a
 * row, for sort_cells(). */
static dcs_status append_rows(dcs_figure_run *run, const dcs_table *t, dcs_backend backend) {
  columns c;
  DCS_TRY(find_columns(t, &c));
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    dcs_figure_row *r = &run->rows[run->n_rows];
    DCS_TRY(read_words(t, row, &c, r));
    if (r->backend != backend || *dcs_table_cell(t, row, c.cutoff)) continue;
    DCS_TRY(read_cell(t, row, &c, &run->cells[run->n_rows]));
    read_numbers(t, row, &c, r);
    r->variant = intern(run->variants, &run->n_variants, dcs_table_cell(t, row, c.variant));
    r->config = intern(run->configs, &run->n_configs, dcs_table_cell(t, row, c.config));
    r->memory = dcs_table_cell(t, row, c.memory);
    run->n_rows++;
  }
  return DCS_OK;
}

static int compare_sizes(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int compare_cells(const void *left, const void *right) {
  const dcs_figure_cell *a = left, *b = right;
  int order = compare_sizes(a->n.x, b->n.x);
  if (order == 0) order = compare_sizes(a->n.y, b->n.y);
  if (order == 0) order = compare_sizes(a->n.z, b->n.z);
  return order ? order : compare_sizes(a->atoms, b->atoms);
}

/* Turns the cell of each row into the sorted list of distinct cells. */
static dcs_status sort_cells(dcs_figure_run *run) {
  size_t n = run->n_rows, distinct = 0;
  dcs_figure_cell *of_row = malloc((n + 1) * sizeof *of_row);
  if (!of_row) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for the sizes of %zu rows", n);
  memcpy(of_row, run->cells, n * sizeof *of_row);
  qsort(run->cells, n, sizeof *run->cells, compare_cells);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || compare_cells(&run->cells[i], &run->cells[distinct - 1]) != 0)
      run->cells[distinct++] = run->cells[i];
  for (size_t i = 0; i < n; i++) {
    const dcs_figure_cell *at =
        bsearch(&of_row[i], run->cells, distinct, sizeof *run->cells, compare_cells);
    run->rows[i].cell = (int)(at - run->cells);
  }
  run->n_cells = (int)distinct;
  free(of_row);
  return DCS_OK;
}

static dcs_status make_room(dcs_figure_run *run, size_t n) {
  run->rows = calloc(n + 1, sizeof *run->rows);
  run->cells = calloc(n + 1, sizeof *run->cells);
  run->variants = calloc(n + 1, sizeof *run->variants);
  run->configs = calloc(n + 1, sizeof *run->configs);
  if (!run->rows || !run->cells || !run->variants || !run->configs)
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
  return dcs_figure_best(run, &pick) != NULL;
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
  DCS_TRY(append_rows(run, run->tables[2], DCS_CUDA));
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
  DCS_TRY(append_rows(run, run->tables[0], DCS_CPU));
  DCS_TRY(append_rows(run, run->tables[0], DCS_CUDA));
  if (reference && !has_ok_gpu_row(run)) DCS_TRY(load_reference(run, reference));
  sort_variants(run);
  DCS_TRY(sort_cells(run));
  DCS_TRY(read_limits(run));
  return describe_machine(run);
}

void dcs_figure_unload(dcs_figure_run *run) {
  free(run->rows);
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

bool dcs_figure_matches(const dcs_figure_row *row, const dcs_figure_pick *pick) {
  return field_matches(pick->variant, row->variant) && field_matches(pick->cell, row->cell) &&
         field_matches(pick->config, row->config) &&
         field_matches(pick->backend, (int)row->backend) &&
         field_matches(pick->scope, (int)row->scope) &&
         field_matches(pick->threads, row->threads) && field_matches(pick->coarsen, row->coarsen);
}

const dcs_figure_row *dcs_figure_best(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *best = NULL;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (row->ok && dcs_figure_matches(row, pick) && (!best || row->evals_per_s > best->evals_per_s))
      best = row;
  }
  return best;
}

int dcs_figure_left_out(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  int n = 0;
  for (size_t i = 0; i < run->n_rows; i++)
    n += !run->rows[i].ok && dcs_figure_matches(&run->rows[i], pick);
  return n;
}
