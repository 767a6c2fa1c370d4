/* The rows of a summary.csv as the figures need them, with the lists that they are indices into. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int variant, backend, config, coarsen, threads, scope, memory, cutoff, smooth, atoms, nx, ny, nz,
      spacing, overhead, overflow, median, ci_lo, ci_hi, rate, limit_fraction, flops, bytes,
      cutoff_error, outcome;
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
  c->cutoff = dcs_table_column(t, "cutoff");
  c->smooth = dcs_table_column(t, "smooth");
  c->spacing = dcs_table_column(t, "spacing");
  c->overhead = dcs_table_column(t, "padding_overhead");
  c->overflow = dcs_table_column(t, "overflow_atoms");
  c->ci_lo = dcs_table_column(t, "ci_lo_ns");
  c->ci_hi = dcs_table_column(t, "ci_hi_ns");
  c->limit_fraction = dcs_table_column(t, "limit_fraction");
  c->flops = dcs_table_column(t, "flops_per_eval");
  c->bytes = dcs_table_column(t, "bytes_moved");
  c->cutoff_error = dcs_table_column(t, "cutoff_error");
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
  cell->spacing = dcs_table_number(t, row, c->spacing);
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
  r->overflow_atoms = dcs_table_number(t, row, c->overflow);
  r->median_ns = dcs_table_number(t, row, c->median);
  r->ci_lo_ns = dcs_table_number(t, row, c->ci_lo);
  r->ci_hi_ns = dcs_table_number(t, row, c->ci_hi);
  r->evals_per_s = dcs_table_number(t, row, c->rate);
  r->limit_fraction = dcs_table_number(t, row, c->limit_fraction);
  r->flops_per_eval = dcs_table_number(t, row, c->flops);
  r->bytes_moved = dcs_table_number(t, row, c->bytes);
  r->cutoff_error = dcs_table_number(t, row, c->cutoff_error);
  r->ok = strcmp(dcs_table_cell(t, row, c->outcome), dcs_outcome_name(DCS_OUTCOME_OK)) == 0 &&
          isfinite(r->median_ns) && r->median_ns > 0 && isfinite(r->evals_per_s) &&
          r->evals_per_s > 0;
}

/* What was variant v is v - 1, and the other way round. */
static void exchange_variants(dcs_figure_row *rows, size_t n, int v) {
  for (size_t i = 0; i < n; i++)
    if (rows[i].variant == v || rows[i].variant == v - 1)
      rows[i].variant = 2 * v - 1 - rows[i].variant;
}

/* Puts the variants in the order of the ladder; those that it does not know (an older run) come
 * last, as the file has them. */
static void sort_variants(dcs_figure_run *run) {
  for (int to = 1; to < run->n_variants; to++)
    for (int v = to; v > 0 && dcs_find_rung(run->variants[v]) < dcs_find_rung(run->variants[v - 1]);
         v--) {
      const char *swap = run->variants[v];
      run->variants[v] = run->variants[v - 1];
      run->variants[v - 1] = swap;
      exchange_variants(run->rows, run->n_rows, v);
      exchange_variants(run->within, run->n_within, v);
    }
}

/* Index of the cutoff in the run's list, which it joins, in order, when it is new. */
static int find_cut(dcs_figure_run *run, dcs_figure_cut cut) {
  int at = 0, order = -1;
  for (; at < run->n_cuts; at++) {
    const dcs_figure_cut *old = &run->cuts[at];
    order = strcmp(old->smooth, cut.smooth);
    if (order == 0) order = (old->cutoff > cut.cutoff) - (old->cutoff < cut.cutoff);
    if (order >= 0) break;
  }
  if (at < run->n_cuts && order == 0) return at;
  memmove(&run->cuts[at + 1], &run->cuts[at], (size_t)(run->n_cuts - at) * sizeof cut);
  run->cuts[at] = cut;
  run->n_cuts++;
  for (size_t i = 0; i < run->n_within; i++)
    if (run->within[i].cut >= at) run->within[i].cut++;
  return at;
}

static dcs_status read_cut(dcs_figure_run *run, const dcs_table *t, size_t row, const columns *c,
                           dcs_figure_row *r) {
  dcs_figure_cut cut = {dcs_table_number(t, row, c->cutoff), dcs_table_cell(t, row, c->smooth)};
  r->cut = DCS_FIGURE_WHOLE;
  if (!*dcs_table_cell(t, row, c->cutoff)) return DCS_OK;
  if (!(cut.cutoff > 0 && isfinite(cut.cutoff)))
    return wrong_cell(t, row, "cutoff", c->cutoff, "empty or a number above 0");
  r->cut = find_cut(run, cut);
  return DCS_OK;
}

dcs_status dcs_figure_append(dcs_figure_run *run, const dcs_table *t, dcs_backend backend) {
  columns c;
  DCS_TRY(find_columns(t, &c));
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    dcs_figure_row r = {0};
    DCS_TRY(read_words(t, row, &c, &r));
    if (r.backend != backend) continue;
    r.cell = (int)(run->n_rows + run->n_within);
    DCS_TRY(read_cell(t, row, &c, &run->cells[r.cell]));
    read_numbers(t, row, &c, &r);
    DCS_TRY(read_cut(run, t, row, &c, &r));
    r.variant = intern(run->variants, &run->n_variants, dcs_table_cell(t, row, c.variant));
    r.config = intern(run->configs, &run->n_configs, dcs_table_cell(t, row, c.config));
    r.memory = dcs_table_cell(t, row, c.memory);
    if (r.cut == DCS_FIGURE_WHOLE)
      run->rows[run->n_rows++] = r;
    else
      run->within[run->n_within++] = r;
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

/* Rows whose cell is an index into `of_row` get that of the same cell in the run's sorted list. */
static void find_cells(const dcs_figure_run *run, const dcs_figure_cell *of_row,
                       dcs_figure_row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const dcs_figure_cell *at = bsearch(&of_row[rows[i].cell], run->cells, (size_t)run->n_cells,
                                        sizeof *run->cells, compare_cells);
    rows[i].cell = (int)(at - run->cells);
  }
}

/* Turns the cell of each row into the sorted list of distinct cells. */
static dcs_status sort_cells(dcs_figure_run *run) {
  size_t n = run->n_rows + run->n_within, distinct = 0;
  dcs_figure_cell *of_row = malloc((n + 1) * sizeof *of_row);
  if (!of_row) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for the sizes of %zu rows", n);
  memcpy(of_row, run->cells, n * sizeof *of_row);
  qsort(run->cells, n, sizeof *run->cells, compare_cells);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || compare_cells(&run->cells[i], &run->cells[distinct - 1]) != 0)
      run->cells[distinct++] = run->cells[i];
  run->n_cells = (int)distinct;
  find_cells(run, of_row, run->rows, run->n_rows);
  find_cells(run, of_row, run->within, run->n_within);
  free(of_row);
  return DCS_OK;
}

dcs_status dcs_figure_sort(dcs_figure_run *run) {
  sort_variants(run);
  return sort_cells(run);
}
