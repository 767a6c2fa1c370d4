/* From a run to a decision: costs fitted to each method, the few methods that matter, and what the
 * decision loses at sizes held out. */
#include "tuning/crossover/measured.h"
#include "tuning/dispatch/dispatch_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which methods ---- */

static double expected(const dcs_pool *p, size_t i, size_t cell) {
  return dcs_cost_ns(&p->list[i].cost, &p->cells[cell].size);
}

static int64_t part(int64_t n, int64_t of) {
  return (n + of - 1) / of;
}

/* A box with as many atoms in a volume: an eighth of it, a 64th, or 8 times as large. */
static dcs_size as_dense(dcs_size s, int which) {
  const int64_t of = which == 2 ? 4 : 2;
  if (which < 3)
    return (dcs_size){part(s.atoms, of * of * of),
                      {part(s.n.x, of), part(s.n.y, of), part(s.n.z, of)},
                      s.spacing,
                      s.cutoff};
  return (dcs_size){8 * s.atoms, {2 * s.n.x, 2 * s.n.y, 2 * s.n.z}, s.spacing, s.cutoff};
}

/* A decision is also asked for sizes beyond the measured ones: each cell stands for itself, for
 * fewer and more atoms, and for a larger map; within a cutoff for smaller and larger boxes. */
enum { AROUND = 4 };
static dcs_size around(const dcs_size *cell, int which) {
  dcs_size s = *cell;
  if (s.cutoff > 0) return which > 0 ? as_dense(s, which) : s;
  if (which == 1) s.atoms = part(s.atoms, 16);
  if (which >= 2) s.atoms *= 16;
  if (which == 3) s.n = (dcs_dims){2 * s.n.x, 2 * s.n.y, 2 * s.n.z};
  return s;
}

/* Fills p->expected: a row of AROUND times all cells for each method. */
static void expect_all(dcs_pool *p) {
  double *next = p->expected;
  for (size_t i = 0; i < p->n; i++)
    for (size_t cell = 0; cell < p->n_cells; cell++)
      for (int which = 0; which < AROUND; which++) {
        dcs_size s = around(&p->cells[cell].size, which);
        *next++ = dcs_cost_ns(&p->list[i].cost, &s);
      }
}

/* Mean of log(time of the best chosen method / time of the best of all), as expected, over all
 * sizes but those of the cell `out`. Where no chosen method was measured near the cutoff, that
 * counts like a time many times as long. */
static double loss(const dcs_pool *p, const size_t *chosen, int n, size_t out) {
  const double unreached = 10;
  double sum = 0;
  size_t sizes = AROUND * p->n_cells;
  for (size_t s = 0; s < sizes; s++) {
    double best = INFINITY, own = INFINITY;
    if (s / AROUND == out) continue;
    for (size_t i = 0; i < p->n; i++)
      best = fmin(best, p->expected[i * sizes + s]);
    for (int i = 0; i < n; i++)
      own = fmin(own, p->expected[chosen[i] * sizes + s]);
    if (own > best) sum += isfinite(own) ? log(own / best) : unreached;
  }
  return sum / (double)sizes;
}

/* Takes the method that loses least, then again and again the one that saves most beside those
 * taken, until it saves less than a thousandth. */
static int choose(dcs_pool *p, size_t out, size_t chosen[DCS_DISPATCH_MOST]) {
  double before = INFINITY;
  int n = 0;
  expect_all(p);
  while (n < DCS_DISPATCH_MOST) {
    double least = INFINITY;
    size_t next = 0;
    for (size_t i = 0; i < p->n; i++) {
      chosen[n] = i;
      double after = loss(p, chosen, n + 1, out);
      if (after >= least) continue;
      least = after;
      next = i;
    }
    if (!(least < before - 1e-3)) break;
    chosen[n++] = next;
    before = least;
  }
  return n;
}

/* ---- held out ---- */

/* What a cell measured of the method that a decision takes there among `chosen` (NULL: the first n
 * of the pool), of those that were measured there if `measured`; NULL where the one taken was not.
 */
static const dcs_cost_sample *pick(const dcs_pool *p, size_t cell, const size_t *chosen, size_t n,
                                   bool measured) {
  const dcs_cost_sample *taken = NULL;
  double least = INFINITY;
  for (size_t c = 0; c < n; c++) {
    size_t i = chosen ? chosen[c] : c;
    double ns = expected(p, i, cell);
    if ((measured && !p->list[i].times[cell]) || ns >= least) continue;
    least = ns;
    taken = p->list[i].times[cell];
  }
  return taken;
}

/* What is lost by the method in a cell, against the one that it loses most against. Samples of a
 * busy machine often lie in two heaps, and the median of a few jumps from one to the other; the
 * ratio of all pairs does not. */
static double lost_by(const dcs_pool *p, const dcs_cost_sample *taken, size_t cell) {
  double most = 1;
  for (size_t i = 0; i < p->n; i++)
    if (p->list[i].times[cell]) most = fmax(most, dcs_pool_ratio(p, taken, p->list[i].times[cell]));
  return most - 1;
}

/* What the decision drawn without a cell loses there. Where the method that it takes was not
 * measured in the cell, it is made among those that were; NaN where these are fewer than two. */
static double loss_at(dcs_pool *p, size_t out) {
  size_t chosen[DCS_DISPATCH_MOST], measured = 0;
  for (size_t i = 0; i < p->n; i++)
    measured += p->list[i].times[out] != NULL;
  if (measured < 2) return NAN;
  dcs_pool_fit(p, out);
  int n = choose(p, out, chosen);
  const dcs_cost_sample *taken = pick(p, out, chosen, (size_t)n, false);
  if (!taken) taken = pick(p, out, NULL, p->n, true);
  return taken ? lost_by(p, taken, out) : NAN;
}

static dcs_regret hold_out(dcs_pool *p) {
  dcs_regret r = {0, 0, 0};
  for (size_t cell = 0; cell < p->n_cells; cell++) {
    double lost = loss_at(p, cell);
    if (isnan(lost)) continue;
    r.cells++;
    r.mean += lost;
    r.worst = fmax(r.worst, lost);
  }
  if (r.cells == 0) return (dcs_regret){0, NAN, NAN};
  r.mean /= (double)r.cells;
  return r;
}

/* ---- a run ---- */

static dcs_status draw_table(dcs_pool *p, dcs_dispatch_table *table) {
  size_t chosen[DCS_DISPATCH_MOST];
  if (p->n == 0) return DCS_OK;
  p->expected = calloc(p->n * p->n_cells, AROUND * sizeof *p->expected);
  if (!p->expected) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu methods", p->n);
  table->regret = hold_out(p);
  dcs_pool_fit(p, p->n_cells);
  table->n = choose(p, p->n_cells, chosen);
  for (int i = 0; i < table->n; i++) {
    const dcs_candidate *c = &p->list[chosen[i]];
    table->list[i] =
        (dcs_dispatch_method){c->method.variant, c->method.config, c->cost, (int64_t)c->measured};
  }
  free(p->expected);
  return DCS_OK;
}

static dcs_status draw_all(dcs_pool *p, dcs_dispatch *dispatch) {
  int methods = 0;
  DCS_TRY(dcs_pool_rates(p));
  DCS_TRY(dcs_pool_times(p));
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      dcs_dispatch_table *table = &dispatch->tables[sum][s];
      dcs_status status = dcs_pool_fill(p, sum, dcs_dispatch_scopes[s]);
      if (status == DCS_OK) status = draw_table(p, table);
      dcs_pool_forget(p);
      DCS_TRY(status);
      methods += table->n;
    }
  if (methods > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: no method was measured at %d sizes or more; a decision by size "
                  "needs them",
                  dcs_table_path(p->run->summary.table), DCS_DISPATCH_CELLS);
}

static dcs_status draw(const dcs_run *run, dcs_dispatch *dispatch) {
  size_t rows = dcs_table_rows(run->summary.table);
  dcs_pool p = {.run = run, .sm_count = atoi(dcs_run_fact(run, "gpu_sm_count"))};
  for (int f = 0; f < DCS_N_FOR; f++)
    snprintf(dispatch->facts[f], sizeof dispatch->facts[f], "%s",
             f == DCS_FOR_PRECISION ? "float" : dcs_run_fact(run, dcs_dispatch_facts[f]));
  DCS_TRY(dcs_table_need(run->summary.table, "backend", &p.backend));
  DCS_TRY(dcs_table_need(run->summary.table, "median_ns", &p.median));
  p.spacing = dcs_table_column(run->summary.table, "spacing");
  p.samples = calloc(rows, sizeof *p.samples);
  p.list = calloc(rows, sizeof *p.list);
  p.cells = calloc(rows, sizeof *p.cells);
  p.work = calloc(rows, sizeof *p.work);
  p.rates = calloc(rows, sizeof *p.rates);
  p.rows = calloc(rows, sizeof *p.rows);
  p.times = calloc(rows, sizeof *p.times);
  p.all_times = calloc(2 * dcs_table_rows(run->samples.table), sizeof *p.all_times);
  bool room = p.samples && p.list && p.cells && p.work && p.rates && p.rows && p.times;
  dcs_status status = room && p.all_times
                          ? draw_all(&p, dispatch)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", rows);
  free(p.samples);
  free(p.list);
  free(p.cells);
  free(p.work);
  free(p.rates);
  free(p.rows);
  free(p.times);
  free(p.all_times);
  return status;
}

/* The library computes on one card. */
static dcs_status check_one_card(const char *folder, const dcs_run *run) {
  int cards = atoi(dcs_run_fact(run, "gpu_count")); /* "": a run from before it was counted */
  if (cards <= 1) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s/env.csv: found gpu_count %d; expected 1: the library computes a map on one "
                  "card, so measure with --device cuda:0",
                  folder, cards);
}

dcs_status dcs_dispatch_draw(const char *folder, FILE *notes, dcs_dispatch *dispatch) {
  dcs_measured measured;
  *dispatch = (dcs_dispatch){0};
  dcs_status status = dcs_measured_read(folder, &measured);
  if (status == DCS_OK) status = check_one_card(folder, &measured.run);
  if (status == DCS_OK) dcs_run_notes(&measured.run, measured.not_ok, notes);
  if (status == DCS_OK) dcs_pool_notes(&measured.run, notes);
  if (status == DCS_OK) status = draw(&measured.run, dispatch);
  dcs_measured_free(&measured);
  return status;
}
