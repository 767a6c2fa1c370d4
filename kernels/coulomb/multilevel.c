/* The choice of parameters; see multilevel.h. */
#include "kernels/coulomb/multilevel.h"

#include <math.h>
#include <stdio.h>

const char *const dcs_multilevel_orders[DCS_ML_N_ORDERS] = {"cubic", "quintic", "septic", "ninth"};

/* What single precision leaves of a tolerance. */
static const double LEAST_TOLERANCE = 1e-5;

/* In one dimension, coordinates of a lattice are exact enough up to here. */
static const double MOST_IN_A_ROW = 1 << 14;

/* Potentials of a lattice, by points and atoms: more would cost more than it takes off them. */
static const double NODES_AN_INPUT = 2, FEW_NODES = 2000;

/* ---- orders ---- */

typedef struct {
  int nodes, softening, filter;
  int beyond; /* nodes that the filtered weights reach beyond 2a */
} order;

static const order orders[DCS_ML_N_ORDERS] = {[DCS_ML_CUBIC] = {4, 2, 14, 0},
                                              [DCS_ML_QUINTIC] = {6, 4, 22, 0},
                                              [DCS_ML_SEPTIC] = {8, 5, 30, 1},
                                              [DCS_ML_NINTH] = {10, 6, 36, 2}};

/* ---- error ---- */

/* Of a level, the root of the integral over space of the squared error of a pair's potential, times
 * 1/sqrt(a): by trials in double precision, charges and points anywhere between the nodes. */
enum { N_RATIOS = 13 };
static const double ratios[N_RATIOS] = {2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10};
static const double errors[DCS_ML_N_ORDERS][N_RATIOS] = {
    {2.4e-2, 1.1e-2, 5.7e-3, 3.4e-3, 2.1e-3, 1.4e-3, 9.5e-4, 6.9e-4, 5.1e-4, 3.0e-4, 1.9e-4, 1.3e-4,
     8.6e-5},
    {2.8e-2, 8.0e-3, 2.4e-3, 1.2e-3, 4.9e-4, 2.8e-4, 1.5e-4, 9.5e-5, 5.4e-5, 2.4e-5, 1.1e-5, 5.9e-6,
     3.3e-6},
    {3.7e-2, 8.3e-3, 2.6e-3, 7.8e-4, 3.8e-4, 1.7e-4, 8.9e-5, 4.8e-5, 2.6e-5, 9.3e-6, 3.9e-6, 1.8e-6,
     8.8e-7},
    {6.0e-2, 1.4e-2, 3.0e-3, 1.2e-3, 3.2e-4, 1.6e-4, 6.0e-5, 3.2e-5, 1.3e-5, 4.5e-6, 1.5e-6, 5.6e-7,
     2.3e-7}};

static double error_of_pairs(int which, double ratio) {
  const double *e = errors[which];
  int i = 1;
  while (i < N_RATIOS - 1 && ratios[i] < ratio)
    i++;
  double slope = log(e[i] / e[i - 1]) / log(ratios[i] / ratios[i - 1]);
  return e[i] * pow(ratio / ratios[i], slope);
}

/* Volume of the grid with half a spacing around it. */
static double volume_of(const dcs_problem *p) {
  const double h = (double)p->spacing;
  return h * (double)p->n.x * h * (double)p->n.y * h * (double)p->n.z;
}

/* Atoms that may lie within a of a point: at twice the density of matter, or a cluster. */
static double crowd_of(double n_atoms, double a) {
  return fmin(n_atoms, fmax(0.8 * a * a * a, 300));
}

/* At a point, charges q of random signs, m of them within a, have an error of sqrt(m) e q / a, and
 * the largest of many points is LARGEST times that. The map's R is smallest where charges are pairs
 * of opposite ones, b = 1 angstrom apart: R^2 is then n q^2 b / 4 for n in a unit of volume. */
double dcs_multilevel_error(const dcs_problem *problem, int which, double cutoff, double ratio) {
  static const double LARGEST = 4, APART = 1;
  const double n = (double)problem->n_inputs;
  const double a = cutoff, at_a_point = sqrt(crowd_of(n, a)) * error_of_pairs(which, ratio) / a;
  const double r = sqrt(n / volume_of(problem) * APART / 4);
  return LARGEST * at_a_point / r;
}

/* The least ratio whose error is at most the tolerance; 0: none. */
static double least_ratio(const dcs_problem *problem, int which, double cutoff) {
  const int steps = (int)(4 * (ratios[N_RATIOS - 1] - ratios[0]));
  for (int i = 0; i <= steps; i++) {
    const double ratio = ratios[0] + 0.25 * i;
    if (dcs_multilevel_error(problem, which, cutoff, ratio) <= dcs_tolerance(problem)) return ratio;
  }
  return 0;
}

/* ---- lattices ---- */

static int round_down(double v) {
  return (int)floor(v);
}

/* Potential of the nodes first..last, charges within the reach of these. */
static dcs_ml_level level_of(const int first[3], const int last[3], double h, int reach) {
  dcs_ml_level level = {.h = h};
  for (int d = 0; d < 3; d++) {
    level.reach[d] = reach;
    level.potential.first[d] = first[d];
    level.potential.n[d] = last[d] - first[d] + 1;
    level.charge.first[d] = first[d] - reach;
    level.charge.n[d] = level.potential.n[d] + 2 * reach;
  }
  return level;
}

/* Whether halving would hardly make fewer nodes: 4 steps of the grid and a spline's ends. */
static bool is_top(const dcs_multilevel *m, const dcs_ml_level *level) {
  bool top = m->n_levels == DCS_ML_MOST_LEVELS;
  int most = 0;
  for (int d = 0; d < 3; d++)
    if (level->potential.n[d] > most) most = level->potential.n[d];
  return top || most <= m->nodes + 4;
}

/* From the finest lattice, which the grid reads, to the top, where all charges reach all nodes. */
static void divide(const dcs_problem *p, int reach, dcs_multilevel *m) {
  const double spacing = (double)p->spacing;
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  const int half = m->nodes / 2;
  int first[3], last[3];
  for (int d = 0; d < 3; d++) {
    first[d] = 1 - half;
    last[d] = round_down(spacing * (double)(n[d] - 1) / m->h) + half;
  }
  for (double h = m->h;; h *= 2) {
    dcs_ml_level *level = &m->level[m->n_levels++];
    *level = level_of(first, last, h, reach);
    if (is_top(m, level)) break;
    for (int d = 0; d < 3; d++) {
      first[d] = -round_down((half - first[d]) / 2.0);
      last[d] = round_down((half + last[d]) / 2.0);
    }
  }
  dcs_ml_level *top = &m->level[m->n_levels - 1];
  for (int d = 0; d < 3; d++)
    top->reach[d] = top->potential.n[d] - 1 + reach;
}

/* Whether the finest lattice is not too large. */
static bool fits(const dcs_problem *p, const dcs_multilevel *m, char why[DCS_TEXT]) {
  const double points = (double)p->n.x * (double)p->n.y * (double)p->n.z;
  const double most = NODES_AN_INPUT * (points + (double)p->n_inputs) + FEW_NODES;
  const double spacing = (double)p->spacing;
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  double nodes = 1, row = 0;
  for (int d = 0; d < 3; d++) {
    const double along = spacing * (double)(n[d] - 1) / m->h + m->nodes;
    nodes *= along;
    row = fmax(row, along);
  }
  if (nodes <= most && row <= MOST_IN_A_ROW) return true;
  snprintf(why, DCS_TEXT, "a lattice of %.3g A has %.3g nodes, %.3g in a row; %.3g and %.0f fit",
           m->h, nodes, row, most, MOST_IN_A_ROW);
  return false;
}

/* False: it does not fit. */
static bool build(const dcs_problem *p, int which, double cutoff, double ratio, dcs_multilevel *m,
                  char why[DCS_TEXT]) {
  const order *o = &orders[which];
  const int reach = round_down(ceil(2 * ratio)) + o->beyond;
  *m = (dcs_multilevel){.nodes = o->nodes,
                        .softening = o->softening,
                        .cutoff = cutoff,
                        .h = cutoff / ratio,
                        .filter = {0, o->filter, o->filter + 8}};
  if (!fits(p, m, why)) return false;
  divide(p, reach, m);
  return true;
}

/* ---- what takes least time ---- */

/* Times in units of a pair's short range part; measured on both backends, which agree within 2. */
static const double A_WEIGHT = 0.2, A_POINT = 3, A_NODE = 20, AN_ATOM = 100;

/* Below this the direct sum takes less time than the steps of any lattice. */
static const double FEW_EVALUATIONS = 1e5;

static double direct_cost(const dcs_problem *p) {
  return (double)p->n_inputs * (double)p->n.x * (double)p->n.y * (double)p->n.z;
}

static double cost(const dcs_problem *p, const dcs_multilevel *m) {
  const double ball = 4.0 / 3 * acos(-1), points = (double)p->n.x * (double)p->n.y * (double)p->n.z;
  const double a = 1.15 * m->cutoff, density = fmin((double)p->n_inputs / volume_of(p), 0.15);
  double sum = points * (A_POINT + fmin(ball * a * a * a * density, (double)p->n_inputs)) +
               AN_ATOM * (double)p->n_inputs;
  for (int k = 0; k < m->n_levels; k++) {
    const dcs_ml_level *level = &m->level[k];
    const double r = level->reach[0];
    const double weights =
        k < m->n_levels - 1 ? ball * r * r * r : (double)dcs_ml_nodes(&level->charge);
    sum += A_WEIGHT * weights * (double)dcs_ml_nodes(&level->potential) +
           A_NODE * (double)dcs_ml_nodes(&level->charge);
  }
  return sum;
}

/* From one cutoff that is tried to the next: 2^(1/8). */
static const double STEP = 1.09050773;

/* The cheapest of the cutoffs whose error is within the tolerance; false: there is none. */
static bool cheapest(const dcs_problem *p, const dcs_ml_wanted *wanted, dcs_multilevel *best) {
  const double spacing = (double)p->spacing;
  const double longest = spacing * (double)(p->n.x > p->n.y ? p->n.x : p->n.y);
  double least = INFINITY;
  const double last = 2 * fmax(longest, spacing * (double)p->n.z);
  const int steps = (int)floor(log(last / spacing) / log(STEP) + 1e-9);
  double a = spacing;
  for (int i = 0; i <= steps; i++, a *= STEP) {
    dcs_multilevel m;
    char why[DCS_TEXT];
    const double ratio = least_ratio(p, wanted->order, a);
    if (!(ratio > 0) || !build(p, wanted->order, a, fmax(ratio, wanted->ratio), &m, why) ||
        cost(p, &m) >= least)
      continue;
    least = cost(p, &m);
    *best = m;
  }
  return isfinite(least);
}

/* From the method's cutoff on the first whose lattices keep the tolerance and fit; with the
 * method's ratio, or the one that this takes. False: none does. */
static bool as_wanted(const dcs_problem *p, const dcs_ml_wanted *wanted, dcs_multilevel *m,
                      char why[DCS_TEXT]) {
  enum { MOST_TRIES = 400 };
  double a = wanted->cutoff;
  for (int i = 0; i < MOST_TRIES; i++, a *= STEP) {
    const double ratio = least_ratio(p, wanted->order, a);
    if (ratio > 0 && build(p, wanted->order, a, fmax(ratio, wanted->ratio), m, why)) return true;
  }
  snprintf(why, DCS_TEXT, "no lattice keeps a tolerance of %g, or fits", dcs_tolerance(p));
  return false;
}

/* The direct sum, added in single precision: as accurate as that is. */
static bool sum_directly(const dcs_problem *problem, int which, dcs_multilevel *m,
                         char why[DCS_TEXT]) {
  *m = (dcs_multilevel){.nodes = orders[which].nodes};
  return dcs_direct_accurate(problem, problem->n_inputs, why);
}

bool dcs_multilevel_choose(const dcs_problem *problem, const dcs_ml_wanted *wanted,
                           dcs_multilevel *m, char why[DCS_TEXT]) {
  if (dcs_tolerance(problem) < LEAST_TOLERANCE) {
    snprintf(why, DCS_TEXT, "a tolerance of %g; single precision on its lattices keeps %g",
             dcs_tolerance(problem), LEAST_TOLERANCE);
    return false;
  }
  if (direct_cost(problem) < FEW_EVALUATIONS) return sum_directly(problem, wanted->order, m, why);
  if (wanted->cutoff > 0) return as_wanted(problem, wanted, m, why);
  bool found = cheapest(problem, wanted, m);
  if (!found || (!(wanted->ratio > 0) && direct_cost(problem) <= cost(problem, m)))
    return sum_directly(problem, wanted->order, m, why);
  return true;
}
