#include "tuning/dispatch/dispatch_pool.h"

#include <stdlib.h>
#include <string.h>

static bool is_pageable(const dcs_run_row *row) {
  return !*row->memory || strcmp(row->memory, dcs_memory_name(DCS_PAGEABLE)) == 0;
}

void dcs_pool_notes(const dcs_run *run, FILE *out) {
  size_t n = 0;
  for (size_t i = 0; i < run->n_rows; i++)
    n += run->rows[i].outcome == DCS_OUTCOME_OK && !is_pageable(&run->rows[i]);
  if (n > 0)
    fprintf(out, "%zu row%s of the summary %s left out: %s memory is not %s, as a caller's is\n", n,
            n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "its" : "their",
            dcs_memory_name(DCS_PAGEABLE));
}

/* ---- rates ---- */

static dcs_status read_method(const dcs_run *run, const dcs_run_row *row, dcs_method *method) {
  const char *path = dcs_table_path(run->summary);
  char why[DCS_TEXT], problem[DCS_TEXT];
  if (dcs_read_method(row->variant, row->config, method) != DCS_OK) {
    snprintf(why, sizeof why, "%s", dcs_error_message());
    return dcs_fail(DCS_INPUT, "%s: row %zu: %s", path, row->row + 2, why);
  }
  if (dcs_kind_of(method->variant) != row->size.kind)
    snprintf(why, sizeof why, "a variant that computes it");
  else if (dcs_solves(method->variant, &row->size.config, why))
    return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: row %zu: found problem %s \"%s\" of %s; expected %s", path,
                  row->row + 2, row->size.kind->id,
                  dcs_format_problem(row->size.kind, &row->size.config, problem), row->variant,
                  why);
}

/* Where a problem's work depends on the spacing, the row must say it. */
static dcs_status read_spacing(const dcs_run *run, const dcs_run_row *row, double *spacing) {
  bool counts = dcs_problem_range(row->size.kind, &row->size.config) > 0;
  *spacing = row->spacing > 0 ? row->spacing : 1;
  if (!counts || row->spacing > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: row %zu: found spacing \"%s\"; expected angstrom, above 0",
                  dcs_table_path(run->summary), row->row + 2, dcs_run_cell(run, row, "spacing"));
}

static dcs_status take_rate(dcs_pool *p, const dcs_run_row *row) {
  dcs_rate *rate = &p->rates[p->n_rates];
  *rate = (dcs_rate){.row = row, .sample = {.size = row->size, .ns = row->median_ns, .weight = 1}};
  DCS_TRY(read_method(p->run, row, &rate->method));
  DCS_TRY(read_spacing(p->run, row, &rate->sample.spacing));
  rate->shape = dcs_tiling_of(rate->method.variant, &rate->method.config);
  p->n_rates++;
  return DCS_OK;
}

dcs_status dcs_pool_open(const dcs_run *run, dcs_pool *p) {
  const size_t rows = run->n_rows;
  *p = (dcs_pool){.run = run, .sm_count = (int)strtol(dcs_run_fact(run, "gpu_sm_count"), NULL, 10)};
  DCS_TRY(dcs_room_take(&p->room, &p->rates, rows, sizeof *p->rates, "rows"));
  DCS_TRY(dcs_room_take(&p->room, &p->list, rows, sizeof *p->list, "methods"));
  DCS_TRY(dcs_room_take(&p->room, &p->sizes, rows, sizeof(const dcs_rate *), "sizes"));
  DCS_TRY(dcs_room_take(&p->room, &p->work, rows, sizeof *p->work, "rows"));
  for (size_t i = 0; i < run->n_rows; i++)
    if (run->rows[i].outcome == DCS_OUTCOME_OK) DCS_TRY(take_rate(p, &run->rows[i]));
  dcs_pool_find_strays(p);
  return DCS_OK;
}

void dcs_pool_close(dcs_pool *p) {
  dcs_room_free(&p->filled);
  dcs_room_free(&p->room);
}

bool dcs_rate_counts(const dcs_pool *p, const dcs_rate *rate, dcs_scope scope) {
  const dcs_run_row *row = rate->row;
  return !rate->strays && row->size.kind == p->family->kind &&
         dcs_same_family(row->size.kind, &row->size.config, &p->family->config) &&
         is_pageable(row) && row->scope == scope;
}

/* ---- a family in a scope ---- */

/* CPU methods count with their kernel time in all scopes: a program that computes on the CPU pays
 * nothing else. Where data lie on the card, only if there is none. */
static bool takes_part(const dcs_pool *p, const dcs_rate *rate, bool has_gpu) {
  if (rate->method.variant->backend == DCS_GPU) return dcs_rate_counts(p, rate, p->scope);
  return dcs_rate_counts(p, rate, DCS_KERNEL) && !(p->scope == DCS_KERNEL && has_gpu);
}

static size_t find_size(const dcs_pool *p, const dcs_size *size) {
  size_t i = 0;
  while (i < p->n_sizes && !dcs_same_size(&p->sizes[i]->row->size, size))
    i++;
  return i;
}

/* NULL: the pool does not have the method yet. */
static dcs_candidate *find_candidate(const dcs_pool *p, const dcs_rate *rate) {
  for (size_t i = 0; i < p->made; i++)
    if (dcs_same_method(&p->list[i].method, &rate->method)) return &p->list[i];
  return NULL;
}

/* The list has room for it. */
static dcs_status add_candidate(dcs_pool *p, const dcs_rate *rate, dcs_candidate **made) {
  dcs_candidate *c = &p->list[p->made];
  *made = c;
  *c = (dcs_candidate){.method = rate->method, /* NOLINT: dcs_pool_open() made the list */
                       .shape = rate->shape};
  DCS_TRY(dcs_room_take(&p->filled, &c->times, p->n_rates, sizeof(const dcs_rate *), "times"));
  DCS_TRY(dcs_room_take(&p->filled, &c->kernel, p->n_rates, sizeof(const dcs_rate *), "times"));
  p->made++;
  return DCS_OK;
}

static dcs_status take_time(dcs_pool *p, const dcs_rate *rate) {
  dcs_candidate *c = find_candidate(p, rate);
  if (!c) DCS_TRY(add_candidate(p, rate, &c));
  const int64_t inputs = dcs_size_inputs(&rate->row->size);
  size_t size = find_size(p, &rate->row->size);
  if (size == p->n_sizes) p->sizes[p->n_sizes++] = rate;
  c->inputs = c->measured == 0 || c->inputs == inputs ? inputs : 0;
  c->measured += c->times[size] == NULL;
  c->times[size] = rate;
  return DCS_OK;
}

/* Finds what the methods of the pool take in scope kernel, at its sizes. */
static void find_kernel_times(dcs_pool *p) {
  for (size_t r = 0; r < p->n_rates; r++) {
    const dcs_rate *rate = &p->rates[r];
    if (!dcs_rate_counts(p, rate, DCS_KERNEL)) continue;
    dcs_candidate *c = find_candidate(p, rate);
    size_t size = find_size(p, &rate->row->size);
    if (!c || size == p->n_sizes || !c->times[size]) continue;
    c->kernel[size] = rate;
    c->in_both++;
  }
}

dcs_status dcs_pool_fill(dcs_pool *p, const dcs_dispatch_family *family, dcs_scope scope) {
  bool has_gpu = false;
  dcs_room_free(&p->filled);
  p->made = p->n = p->n_sizes = 0;
  p->family = family;
  p->scope = scope;
  p->numbers_differ = false;
  for (size_t r = 0; r < p->n_rates; r++)
    has_gpu |= p->rates[r].method.variant->backend == DCS_GPU && takes_part(p, &p->rates[r], false);
  for (size_t r = 0; r < p->n_rates; r++)
    if (takes_part(p, &p->rates[r], has_gpu)) DCS_TRY(take_time(p, &p->rates[r]));
  find_kernel_times(p);
  for (size_t i = 0; i < p->made; i++) {
    dcs_candidate own = p->list[i];
    if (own.measured < DCS_DISPATCH_SIZES) continue;
    p->list[i] = p->list[p->n];
    p->list[p->n++] = own;
    p->numbers_differ |= own.inputs == 0;
  }
  return dcs_room_take(&p->filled, &p->expected, p->n * p->n_sizes,
                       DCS_POOL_AROUND * sizeof *p->expected, "times");
}
