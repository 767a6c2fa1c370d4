/* Costs fitted to measured times. */
#include "tuning/dispatch/cost.h"

#include <math.h>
#include <string.h>

/* ---- equations ---- */

/* Normal equations of the relative errors, each term scaled to a largest share of 1. */
typedef struct {
  double a[DCS_COST_TERMS][DCS_COST_TERMS], b[DCS_COST_TERMS], scale[DCS_COST_TERMS];
  double squares; /* of what is to be explained */
  int terms;      /* the first so many are fitted */
} equations;

static void relative_terms(const dcs_cost *cost, const dcs_cost_sample *s,
                           double terms[DCS_COST_TERMS]) {
  dcs_cost_count(cost, &s->size, s->spacing, terms);
  if (cost->shape.shares == 1) /* no partial sums: a block's end is nothing to speak of */
    terms[DCS_COST_SHARE] = terms[DCS_COST_WAVE] = 0;
  if (!cost->shape.blocks) /* its launch is its map, its steps are its inputs */
    terms[DCS_COST_LAUNCH] = terms[DCS_COST_STEP] = 0;
  for (int t = 0; t < DCS_COST_TERMS; t++)
    terms[t] /= s->ns;
}

static void set_up(const dcs_cost *cost, const dcs_cost_sample *samples, size_t n, equations *e) {
  double terms[DCS_COST_TERMS];
  for (size_t s = 0; s < n; s++) {
    relative_terms(cost, &samples[s], terms);
    for (int t = 0; t < e->terms; t++)
      e->scale[t] = fmax(e->scale[t], terms[t]);
  }
  for (size_t s = 0; s < n; s++) {
    const double weight = samples[s].weight;
    const double left = 1 - samples[s].known_ns / samples[s].ns;
    relative_terms(cost, &samples[s], terms);
    for (int t = 0; t < e->terms; t++)
      terms[t] = e->scale[t] > 0 ? terms[t] / e->scale[t] : 0;
    for (int t = 0; t < e->terms; t++) {
      e->b[t] += weight * left * terms[t];
      for (int u = 0; u < e->terms; u++)
        e->a[t][u] += weight * terms[t] * terms[u];
    }
    e->squares += weight * left * left;
  }
}

/* ---- least squares ---- */

/* The costs that are not held at 0 (`is_free`), as the equations have them, into x; by Cholesky
 * factors. Costs that always rise together make the matrix singular: a thousand-millionth on its
 * diagonal divides between them what they explain. */
static void solve_free(const equations *e, const bool is_free[DCS_COST_TERMS],
                       double x[DCS_COST_TERMS]) {
  const double ridge = 1e-9;
  double l[DCS_COST_TERMS][DCS_COST_TERMS] = {0};
  int at[DCS_COST_TERMS], n = 0;
  for (int t = 0; t < e->terms; t++) {
    x[t] = 0;
    if (is_free[t]) at[n++] = t;
  }
  for (int i = 0; i < n; i++) {
    double sum = e->b[at[i]];
    for (int j = 0; j <= i; j++) {
      double left = e->a[at[i]][at[j]] * (i == j ? 1 + ridge : 1);
      for (int k = 0; k < j; k++)
        left -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(fmax(left, 1e-12 * e->a[at[i]][at[i]])) : left / l[j][j];
    }
    for (int k = 0; k < i; k++)
      sum -= l[i][k] * x[at[k]];
    x[at[i]] = sum / l[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[at[i]] -= l[k][i] * x[at[k]];
    x[at[i]] /= l[i][i];
  }
}

/* The cost at 0 that would lower the squares fastest, each scaled to the same length, -1: none
 * does. Of equal ones the last: it grows fastest with the size, so that larger ones are not taken
 * for cheap. */
static int find_wanted(const equations *e, const bool is_free[DCS_COST_TERMS],
                       const double x[DCS_COST_TERMS]) {
  double most = 1e-7 * sqrt(e->squares);
  int wanted = -1;
  for (int t = e->terms - 1; t >= 0; t--) {
    if (is_free[t] || !(e->a[t][t] > 0)) continue;
    double slope = e->b[t];
    for (int u = 0; u < e->terms; u++)
      slope -= e->a[t][u] * x[u];
    slope /= sqrt(e->a[t][t]);
    if (slope <= most * (1 + 1e-9)) continue;
    most = slope;
    wanted = t;
  }
  return wanted;
}

/* From x as far towards `next` as no cost falls below 0; those that reach it are held there.
 * Whether it went all the way. */
static bool advance(const equations *e, const double next[DCS_COST_TERMS],
                    bool is_free[DCS_COST_TERMS], double x[DCS_COST_TERMS]) {
  double share = 1;
  int stops = -1;
  for (int t = 0; t < e->terms; t++) {
    if (!is_free[t] || next[t] > 0 || x[t] / (x[t] - next[t]) >= share) continue;
    share = x[t] / (x[t] - next[t]);
    stops = t;
  }
  for (int t = 0; t < e->terms; t++)
    x[t] = is_free[t] ? x[t] + share * (next[t] - x[t]) : 0;
  if (stops < 0) return true;
  for (int t = 0; t < e->terms; t++)
    if (t == stops || (is_free[t] && x[t] <= 0)) {
      is_free[t] = false;
      x[t] = 0;
    }
  return false;
}

/* Non-negative least squares by active sets (Lawson and Hanson, Solving Least Squares Problems,
 * 1974, chapter 23); returns the sum of squares. */
static double solve(const equations *e, double x[DCS_COST_TERMS]) {
  enum { MOST_ROUNDS = 5 * DCS_COST_TERMS };
  bool is_free[DCS_COST_TERMS] = {false};
  double next[DCS_COST_TERMS];
  memset(x, 0, DCS_COST_TERMS * sizeof *x);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    int wanted = find_wanted(e, is_free, x);
    if (wanted < 0) break;
    is_free[wanted] = true;
    do
      solve_free(e, is_free, next);
    while (!advance(e, next, is_free, x));
  }
  double squares = e->squares;
  for (int t = 0; t < e->terms; t++) {
    squares -= 2 * x[t] * e->b[t];
    for (int u = 0; u < e->terms; u++)
      squares += x[t] * x[u] * e->a[t][u];
  }
  return fmax(squares, 0);
}

/* ---- costs ---- */

/* Fits the first `terms` costs, into cost->ns. */
static double fit_at(const dcs_cost_sample *samples, size_t n, int terms, dcs_cost *cost) {
  equations e = {.terms = terms};
  double x[DCS_COST_TERMS];
  set_up(cost, samples, n, &e);
  double squares = solve(&e, x);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    cost->ns[t] = x[t] > 0 ? x[t] / e.scale[t] : 0;
  return squares;
}

/* Of the method's own times. */
static void find_range(const dcs_cost_sample *samples, size_t n, dcs_cost *cost) {
  cost->least = cost->most = samples[0].size;
  for (size_t s = 0, found = 0; s < n; s++) {
    if (samples[s].weight < 1) continue;
    if (found++ == 0) cost->least = cost->most = samples[s].size;
    dcs_size_widen(&cost->least, &cost->most, &samples[s].size);
  }
}

/* The least ns of an evaluation at the method's own times. */
static double find_shown(const dcs_cost_sample *samples, size_t n, const dcs_cost *cost) {
  double times[DCS_COST_TERMS], least = INFINITY;
  for (size_t s = 0; s < n; s++) {
    if (samples[s].weight < 1) continue;
    dcs_cost_count(cost, &samples[s].size, samples[s].spacing, times);
    least = fmin(least, samples[s].ns / times[DCS_COST_EVAL]);
  }
  return isfinite(least) ? least : 0;
}

double dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                    int co_resident, dcs_cost *cost) {
  *cost = (dcs_cost){.shape = *shape};
  find_range(samples, n, cost);
  /* A CPU's tiles come one after another, too. Where each goes through all inputs, an evaluation's
   * cost says it all. */
  bool ranged = dcs_problem_range(cost->most.kind, &cost->most.config) > 0;
  cost->sms = shape->blocks ? sm_count : ranged ? 1 : 0;
  if (shape->blocks && shape->constant)
    cost->resident = (double)co_resident / (double)shape->threads;
  cost->shown = find_shown(samples, n, cost);
  return fit_at(samples, n, DCS_COST_TERMS, cost);
}

void dcs_cost_fit_moved(const dcs_cost_sample *samples, size_t n, double ns[DCS_COST_MOVED]) {
  dcs_cost cost = {.shape = {.tile = {1, 1, 1}, .shares = 1}};
  fit_at(samples, n, DCS_COST_MOVED, &cost);
  memcpy(ns, cost.ns, DCS_COST_MOVED * sizeof *ns);
}
