#include "tuning/dispatch/dispatch_pool.h"

#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *cell_of(const dcs_pool *p, size_t row, int key) {
  return dcs_table_cell(p->run->summary.table, row, p->run->summary.key[key]);
}

static int64_t integer_of(const dcs_pool *p, size_t row, int key) {
  double value = dcs_table_number(p->run->summary.table, row, p->run->summary.key[key]);
  return value >= 1 && value < 1e15 ? (int64_t)value : 0;
}

static bool is_ok(const dcs_pool *p, size_t row) {
  return strcmp(dcs_table_cell(p->run->summary.table, row, p->run->summary.value),
                dcs_outcome_name(DCS_OUTCOME_OK)) == 0;
}

static bool is_pageable(const char *memory) {
  return !*memory || strcmp(memory, dcs_memory_name(DCS_PAGEABLE)) == 0;
}

void dcs_pool_notes(const dcs_run *run, FILE *out) {
  const dcs_pool p = {.run = run};
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(run->summary.table); row++)
    n += is_ok(&p, row) && !is_pageable(cell_of(&p, row, DCS_KEY_MEMORY));
  if (n > 0)
    fprintf(out, "%zu row%s of the summary %s left out: %s memory is not %s, as a caller's is\n", n,
            n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "its" : "their",
            dcs_memory_name(DCS_PAGEABLE));
}

/* DCS_DISPATCH_SUMS: unknown. */
static int sum_of(const dcs_pool *p, size_t row) {
  const char *smooth = cell_of(p, row, DCS_KEY_SMOOTH);
  int sum = 1;
  if (dcs_run_whole_sum(&p->run->summary, row)) return 0;
  while (sum < DCS_DISPATCH_SUMS && strcmp(smooth, dcs_smooth_names[sum - 1]) != 0)
    sum++;
  return sum;
}

/* Whether the row counts in the pool's sum and the scope. CPU methods count with their kernel time
 * in all scopes: a program that computes on the CPU pays nothing else. Where data lie on the card,
 * only if there is none. Callers have their maps in ordinary memory. */
static bool counts(const dcs_pool *p, size_t row, dcs_scope scope, bool has_gpu) {
  const char *own = cell_of(p, row, DCS_KEY_SCOPE);
  if (!is_ok(p, row) || sum_of(p, row) != p->sum) return false;
  bool gpu = strcmp(dcs_table_cell(p->run->summary.table, row, p->backend), "cuda") == 0;
  if (!is_pageable(cell_of(p, row, DCS_KEY_MEMORY))) return false;
  if (gpu) return strcmp(own, dcs_scope_name(scope)) == 0;
  return strcmp(own, dcs_scope_name(DCS_KERNEL)) == 0 && !(scope == DCS_KERNEL && has_gpu);
}

static dcs_status method_of(const dcs_pool *p, size_t row, dcs_method *method) {
  const char *id = cell_of(p, row, DCS_KEY_VARIANT), *config = cell_of(p, row, DCS_KEY_CONFIG);
  dcs_methods methods;
  const dcs_variant *variant = dcs_find_variant(id);
  if (!variant)
    return dcs_fail(DCS_INPUT,
                    "%s: row %zu: found variant \"%s\"; expected one that `dcsbench "
                    "list` shows",
                    dcs_table_path(p->run->summary.table), row + 2, id);
  DCS_TRY(dcs_select_methods(id, config, (dcs_at_hand){.gpu = true}, &methods));
  *method = methods.list[0];
  free(methods.list);
  char text[DCS_TEXT];
  if (strcmp(dcs_format_config(variant, &method->config, text), config) == 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: row %zu: found config \"%s\"; expected all parameters of %s",
                  dcs_table_path(p->run->summary.table), row + 2, config, id);
}

bool dcs_same_size(const dcs_size *a, const dcs_size *b) {
  return a->atoms == b->atoms && a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z &&
         a->cutoff == b->cutoff;
}

static size_t find_cell(dcs_pool *p, const dcs_cost_sample *s) {
  for (size_t c = 0; c < p->n_cells; c++)
    if (dcs_same_size(&p->cells[c].size, &s->size)) return c;
  p->cells[p->n_cells] = *s;
  return p->n_cells++;
}

static dcs_candidate *find_candidate(dcs_pool *p, const dcs_method *method, size_t rows) {
  for (size_t i = 0; i < p->made; i++)
    if (dcs_same_method(&p->list[i].method, method)) return &p->list[i];
  dcs_candidate *next = &p->list[p->made];
  *next = (dcs_candidate){.method = *method,
                          .shape = dcs_tiling_of(method->variant, &method->config),
                          .times = calloc(rows, sizeof(dcs_cost_sample *)),
                          .kernel = calloc(rows, sizeof(dcs_cost_sample *))};
  p->made++;
  return next->times && next->kernel ? next : NULL;
}

static dcs_cost_sample sample_of(const dcs_pool *p, size_t row) {
  const dcs_table *table = p->run->summary.table;
  dcs_cost_sample s = {
      .size = {.atoms = integer_of(p, row, DCS_KEY_ATOMS),
               .n = {integer_of(p, row, DCS_KEY_NX), integer_of(p, row, DCS_KEY_NY),
                     integer_of(p, row, DCS_KEY_NZ)}},
      .ns = dcs_table_number(table, row, p->median),
      .weight = 1};
  if (sum_of(p, row) == 0) return s;
  s.size.spacing = dcs_table_number(table, row, p->spacing);
  s.size.cutoff = dcs_table_number(table, row, p->run->summary.key[DCS_KEY_CUTOFF]);
  return s;
}

/* What a row within a cutoff must say, and no other may. */
static dcs_status check_cutoff(const dcs_pool *p, size_t row, const dcs_method *method) {
  const char *path = dcs_table_path(p->run->summary.table);
  const char *cutoff = cell_of(p, row, DCS_KEY_CUTOFF), *smooth = cell_of(p, row, DCS_KEY_SMOOTH);
  const char *spacing = dcs_table_cell(p->run->summary.table, row, p->spacing);
  const dcs_cost_sample s = sample_of(p, row);
  const int sum = sum_of(p, row);
  if (method->variant->cutoff != (sum > 0))
    return dcs_fail(DCS_INPUT, "%s: row %zu: found cutoff \"%s\" of %s; expected %s", path, row + 2,
                    cutoff, method->variant->id, sum > 0 ? "none" : "one");
  if (sum == DCS_DISPATCH_SUMS ||
      (sum > 0 && !(s.size.cutoff > 0 && isfinite(s.size.cutoff) && s.size.spacing > 0)))
    return dcs_fail(DCS_INPUT,
                    "%s: row %zu: found cutoff \"%s\", smooth \"%s\", spacing \"%s\"; expected "
                    "angstrom above zero, and none or c2",
                    path, row + 2, cutoff, smooth, spacing);
  return DCS_OK;
}

dcs_status dcs_pool_rates(dcs_pool *p) {
  for (size_t row = 0; row < dcs_table_rows(p->run->summary.table); row++) {
    dcs_rate *next = &p->rates[p->n_rates];
    if (!is_ok(p, row)) continue;
    DCS_TRY(method_of(p, row, &next->method));
    DCS_TRY(check_cutoff(p, row, &next->method));
    next->shape = dcs_tiling_of(next->method.variant, &next->method.config);
    next->sum = sum_of(p, row);
    next->scope = cell_of(p, row, DCS_KEY_SCOPE);
    next->pageable = is_pageable(cell_of(p, row, DCS_KEY_MEMORY));
    next->sample = sample_of(p, row);
    p->n_rates++;
  }
  return DCS_OK;
}

bool dcs_rate_counts(const dcs_pool *p, const dcs_rate *rate, dcs_scope scope) {
  return rate->sum == p->sum && rate->pageable && strcmp(rate->scope, dcs_scope_name(scope)) == 0;
}

dcs_status dcs_pool_times(dcs_pool *p) {
  double *next = p->all_times;
  size_t samples = dcs_table_rows(p->run->samples.table);
  for (size_t row = 0; row < dcs_table_rows(p->run->summary.table); row++) {
    if (!is_ok(p, row)) continue;
    if (next > p->all_times + samples)
      return dcs_fail(DCS_INPUT, "%s: found rows of the same method and size; expected one of each",
                      dcs_table_path(p->run->summary.table));
    size_t n = dcs_run_times(p->run, row, next);
    if (n == 0)
      return dcs_fail(DCS_INPUT, "%s: found no samples of row %zu of %s, which is ok",
                      dcs_table_path(p->run->samples.table), row + 2,
                      dcs_table_path(p->run->summary.table));
    dcs_sort_values(next, n);
    p->times[row] = (dcs_times){next, n};
    next += n;
  }
  return DCS_OK;
}

double dcs_pool_ratio(const dcs_pool *p, const dcs_cost_sample *a, const dcs_cost_sample *b) {
  const dcs_times *x = &p->times[p->rows[a - p->samples]], *y = &p->times[p->rows[b - p->samples]];
  return dcs_ratio_of_times(y->ns, y->n, x->ns, x->n).value;
}

static dcs_status take_row(dcs_pool *p, size_t row, size_t rows) {
  dcs_method method;
  p->rows[p->n_samples] = row;
  dcs_cost_sample *s = &p->samples[p->n_samples++];
  *s = sample_of(p, row);
  DCS_TRY(method_of(p, row, &method));
  dcs_candidate *c = find_candidate(p, &method, rows);
  if (!c) return dcs_fail(DCS_UNAVAILABLE, "no memory for the times of %zu rows", rows);
  size_t cell = find_cell(p, s);
  c->atoms = c->measured == 0 || c->atoms == s->size.atoms ? s->size.atoms : 0;
  c->measured += c->times[cell] == NULL;
  c->times[cell] = s;
  return DCS_OK;
}

void dcs_pool_forget(dcs_pool *p) {
  for (size_t i = 0; i < p->made; i++) {
    free((void *)p->list[i].times);
    free((void *)p->list[i].kernel);
  }
  p->made = p->n = p->n_cells = p->n_samples = 0;
}

/* Finds what the methods of the pool take in scope kernel, in its cells. */
static void find_kernel_times(dcs_pool *p) {
  for (size_t r = 0; r < p->n_rates; r++) {
    const dcs_rate *rate = &p->rates[r];
    if (!dcs_rate_counts(p, rate, DCS_KERNEL)) continue;
    dcs_candidate *c = p->list;
    while (c < p->list + p->made && !dcs_same_method(&c->method, &rate->method))
      c++;
    size_t cell = 0;
    while (cell < p->n_cells && !dcs_same_size(&p->cells[cell].size, &rate->sample.size))
      cell++;
    if (c == p->list + p->made || cell == p->n_cells || !c->times[cell]) continue;
    c->kernel[cell] = &rate->sample;
    c->in_both++;
  }
}

dcs_status dcs_pool_fill(dcs_pool *p, int sum, dcs_scope scope) {
  size_t rows = dcs_table_rows(p->run->summary.table);
  bool has_gpu = false;
  p->sum = sum;
  p->scope = scope;
  p->numbers_differ = false;
  for (size_t row = 0; row < rows; row++)
    has_gpu |= strcmp(dcs_table_cell(p->run->summary.table, row, p->backend), "cuda") == 0 &&
               counts(p, row, scope, false);
  for (size_t row = 0; row < rows; row++)
    if (counts(p, row, scope, has_gpu)) DCS_TRY(take_row(p, row, rows));
  find_kernel_times(p);
  for (size_t i = 0; i < p->made; i++) {
    dcs_candidate own = p->list[i];
    if (own.measured < DCS_DISPATCH_CELLS) continue;
    p->list[i] = p->list[p->n];
    p->list[p->n++] = own;
    p->numbers_differ |= own.atoms == 0;
  }
  return DCS_OK;
}
