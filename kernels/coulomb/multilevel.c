/* The choice of parameters; see multilevel.h. */
#include "kernels/coulomb/multilevel.h"
#include "kernels/coulomb/crowd.h"
#include "kernels/coulomb/mesh.h"

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

/* What a level makes of a wave of charges, exp(i k r) of 1 e in 1 angstrom^3, are waves of
 * potential at k and at the other k' = k + 2 pi n/h. Of the amplitude at k' is wrong
 *
 *     e = b(k) b(k') W(k) / B(k) - (k' = k) G(k)
 *
 * b the transform of a spline, B and W the sums over a lattice of the splines at its nodes and of
 * its weights (multilevel_weights.c has them, with what is cut off), G the transform of the level's
 * part of 1/r. Charges at random have waves of all k alike and a root mean square error that is
 * random_error sqrt(a), from the integral of |e|^2 over all k, k'; charges in order, in a crystal
 * or at the face of a charged body, err by ordered_error a^2 at most, from the largest sum of |e|
 * over k'. Both for charges of 1 e in 1 angstrom^3. Trials with charges and points anywhere between
 * nodes gave the first within 5%. */
enum { N_RATIOS = 13 };
static const double ratios[N_RATIOS] = {2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10};
static const double random_error[DCS_ML_N_ORDERS][N_RATIOS] = {
    {2.3e-2, 1.1e-2, 5.6e-3, 3.4e-3, 2.1e-3, 1.4e-3, 9.3e-4, 6.8e-4, 4.9e-4, 2.9e-4, 1.8e-4, 1.2e-4,
     8.2e-5},
    {2.8e-2, 8.0e-3, 2.3e-3, 1.2e-3, 4.7e-4, 2.8e-4, 1.4e-4, 9.2e-5, 5.1e-5, 2.2e-5, 1.1e-5, 5.6e-6,
     3.1e-6},
    {6.8e-2, 9.2e-3, 2.9e-3, 7.8e-4, 3.7e-4, 1.4e-4, 8.6e-5, 3.8e-5, 2.5e-5, 9.1e-6, 3.8e-6, 1.8e-6,
     9.1e-7},
    {2.3e-1, 5.3e-2, 6.0e-3, 1.7e-3, 5.4e-4, 1.8e-4, 5.6e-5, 2.9e-5, 1.3e-5, 4.1e-6, 1.4e-6, 6.0e-7,
     2.7e-7}};
static const double ordered_error[DCS_ML_N_ORDERS][N_RATIOS] = {
    {3.6e-2, 1.0e-2, 4.9e-3, 2.0e-3, 1.3e-3, 6.2e-4, 4.5e-4, 3.1e-4, 2.0e-4, 6.9e-5, 5.4e-5, 3.3e-5,
     1.7e-5},
    {3.7e-2, 9.8e-3, 1.7e-3, 8.6e-4, 2.7e-4, 1.1e-4, 6.4e-5, 3.0e-5, 1.9e-5, 4.5e-6, 2.2e-6, 7.9e-7,
     3.9e-7},
    {3.3e-1, 2.0e-2, 3.7e-3, 5.9e-4, 2.6e-4, 7.4e-5, 3.8e-5, 1.5e-5, 9.1e-6, 2.6e-6, 8.6e-7, 3.3e-7,
     1.4e-7},
    {1.6e-0, 1.4e-1, 1.2e-2, 2.9e-3, 8.3e-4, 1.3e-4, 2.5e-5, 1.2e-5, 4.6e-6, 1.2e-6, 3.0e-7, 9.7e-8,
     4.1e-8}};

/* Between the table's ratios and beyond them. */
static double look_up(const double *errors, double ratio) {
  int i = 1;
  while (i < N_RATIOS - 1 && ratios[i] < ratio)
    i++;
  double slope = log(errors[i] / errors[i - 1]) / log(ratios[i] / ratios[i - 1]);
  return errors[i] * pow(ratio / ratios[i], slope);
}

/* Volume of the grid with half a spacing around it. */
static double volume_of(const dcs_problem *p) {
  const double h = (double)p->spacing;
  return h * (double)p->n.x * h * (double)p->n.y * h * (double)p->n.z;
}

/* What the atoms say: how dense charges are, and the map's R (harness/judge/oracle.h), a little
 * less of it. */
typedef struct {
  dcs_crowd crowd;
  double scale;
} scene;

/* False: no memory. Without atoms (plans of a shape) those of water. */
static bool look(const dcs_problem *problem, int threads, scene *s) {
  *s = (scene){.crowd = dcs_crowd_of_water(), .scale = 0.2};
  if (!problem->input[DCS_COULOMB_ATOMS]) return true;
  s->scale = problem->scale;
  return (problem->scale > 0 || dcs_map_scale(problem, threads, &s->scale)) &&
         dcs_crowd_look(problem, &s->crowd);
}

static double longest_of(const dcs_problem *p) {
  const int64_t most = p->n.x > p->n.y ? p->n.x : p->n.y;
  return (double)p->spacing * (double)(most > p->n.z ? most : p->n.z);
}

/* The largest error at a point that is expected, over R. Of a wave of length 2 h and less charges
 * keep what does not cancel within h. Where charges are in order several waves are, at the edges of
 * a body or by their harmonics: they count twice. */
static double error_of(const dcs_problem *problem, const scene *s, int which, double cutoff,
                       double ratio) {
  const double longest = longest_of(problem);
  double random = 0, ordered = 0, a = cutoff;
  do {
    const dcs_crowd_density density = dcs_crowd_at(&s->crowd, a / ratio, a);
    random += a * density.squares;
    ordered += a * a * density.sizes;
    a *= 2;
  } while (longest * ratio > 4 * a);
  random = dcs_crowd_largest(problem) * sqrt(random) * look_up(random_error[which], ratio);
  ordered *= 2 * look_up(ordered_error[which], ratio);
  return sqrt(random * random + ordered * ordered) / s->scale;
}

double dcs_multilevel_error(const dcs_problem *problem, int which, double cutoff, double ratio) {
  scene s;
  return look(problem, 1, &s) ? error_of(problem, &s, which, cutoff, ratio) : INFINITY;
}

/* The least ratio whose error is at most the tolerance; 0: none. */
static double least_ratio(const dcs_problem *problem, const scene *s, int which, double cutoff) {
  const int steps = (int)(4 * (ratios[N_RATIOS - 1] - ratios[0]));
  for (int i = 0; i <= steps; i++) {
    const double ratio = ratios[0] + 0.25 * i;
    if (error_of(problem, s, which, cutoff, ratio) <= DCS_CROWD_RESERVE * dcs_tolerance(problem))
      return ratio;
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

/* Times in units of a pair's short range part; measured on both backends, which agree within 2. On
 * an H200, 160,161 atoms at random and 235^3 points, the choice took 2.2, 4.3 and 9.0 ms at 1e-2,
 * 1e-3 and 1e-4; the best of a grid of cutoffs 2.0, 4.4 and 8.9. */
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
static bool cheapest(const dcs_problem *p, const scene *s, const dcs_ml_wanted *wanted,
                     dcs_multilevel *best) {
  const double spacing = (double)p->spacing, last = 2 * longest_of(p);
  double least = INFINITY;
  const int steps = (int)floor(log(last / spacing) / log(STEP) + 1e-9);
  double a = spacing;
  for (int i = 0; i <= steps; i++, a *= STEP) {
    dcs_multilevel m;
    char why[DCS_TEXT];
    const double ratio = least_ratio(p, s, wanted->order, a);
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
static bool as_wanted(const dcs_problem *p, const scene *s, const dcs_ml_wanted *wanted,
                      dcs_multilevel *m, char why[DCS_TEXT]) {
  const double last = fmax(wanted->cutoff, 2 * longest_of(p));
  const int steps = (int)floor(log(last / wanted->cutoff) / log(STEP));
  double a = wanted->cutoff;
  for (int i = 0; i <= steps; i++, a *= STEP) {
    const double ratio = least_ratio(p, s, wanted->order, a);
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

bool dcs_multilevel_solves(const dcs_config *problem_config, char why[DCS_TEXT]) {
  if (!dcs_solves_tolerance(problem_config, why) || !dcs_solves_open(problem_config, why))
    return false;
  if (problem_config->value[DCS_COULOMB_TOLERANCE] >= LEAST_TOLERANCE) return true;
  snprintf(why, DCS_TEXT, "it reaches tolerances down to %g, in single precision", LEAST_TOLERANCE);
  return false;
}

bool dcs_multilevel_choose(const dcs_problem *problem, const dcs_ml_wanted *wanted,
                           dcs_multilevel *m, char why[DCS_TEXT]) {
  if (!dcs_multilevel_solves(&problem->config, why)) return false;
  if (direct_cost(problem) < FEW_EVALUATIONS) return sum_directly(problem, wanted->order, m, why);
  scene s;
  if (!look(problem, wanted->threads, &s)) {
    snprintf(why, DCS_TEXT, "no memory for the density of the charges");
    return false;
  }
  if (wanted->cutoff > 0) return as_wanted(problem, &s, wanted, m, why);
  bool found = cheapest(problem, &s, wanted, m);
  if (!found || (!(wanted->ratio > 0) && direct_cost(problem) <= cost(problem, m)))
    return sum_directly(problem, wanted->order, m, why);
  return true;
}
