/* Multilevel summation: how a map is computed to a tolerance in time linear in atoms plus points.
 * What CPU and GPU share: the choice of parameters, the error that is expected of them, the
 * lattices and the lattices' weights.
 *
 * 1/r is the sum of a part within a cutoff a, of smooth parts within 2a, 4a, ..., and of one
 * without an end:
 *
 *     1/r = (1/r - g_a(r)) + (g_a - g_2a) + (g_2a - g_4a) + ... + g_A,    g_a(r) = P(r/a)/a
 *
 * where P(x) is 1/x beyond 1 and an even polynomial within, the Taylor series of 1/x in x^2 about
 * 1: the softened 1/r of Skeel, Tezcan and Hardy (J. Comput. Chem. 23 (2002) 673; Hardy, Stone and
 * Schulten, Parallel Computing 35 (2009) 164). Level k interpolates its part on a lattice of
 * spacing 2^k h, so that all levels have the same weights and the same relative error.
 *
 * A lattice's basis are the centred B-splines of p = 4, 6, 8, 10 nodes (cubic, quintic, septic,
 * ninth), as in Hardy, Wolff, Xia, Schulten and Skeel (J. Chem. Phys. 144 (2016) 114112): a spline
 * of level k is a sum of splines of level k - 1, so restriction and prolongation are exact, and the
 * map is that of each level's own interpolation. The interpolation is the exact one: charges are
 * spread with splines and filtered to those of the cardinal splines (B^-1, B the splines at the
 * nodes), and the weights are filtered once more, which makes spline coefficients of the potential.
 * (The top's weights are filtered twice, and its charges are not: their filter would reach beyond
 * the lattice.) At equal cost its error is 3 to 20 times below that of the piecewise polynomials of
 * 2002 and 2009.
 *
 * Lattices cover the grid, not the atoms: level k holds the potential at the nodes that the grid
 * reads, and the charges within the reach of these, 2a 2^k. An atom farther away adds nothing to
 * this level and is spread on the first one whose charges reach it; one beyond the last is summed
 * directly. */
#ifndef DCS_MULTILEVEL_H
#define DCS_MULTILEVEL_H

#include "kernels/coulomb/coulomb.h"

enum { DCS_ML_CUBIC, DCS_ML_QUINTIC, DCS_ML_SEPTIC, DCS_ML_NINTH, DCS_ML_N_ORDERS };
extern const char *const dcs_multilevel_orders[DCS_ML_N_ORDERS];

/* The parameters of the variants. */
#define DCS_ML_ORDER                                                                               \
  {                                                                                                \
    .name = "order", .meaning = "splines that interpolate on the lattices", .lo = DCS_ML_CUBIC,    \
    .hi = DCS_ML_NINTH, .initial = DCS_ML_QUINTIC, .labels = dcs_multilevel_orders                 \
  }
#define DCS_ML_CUTOFF(cutoff_tries)                                                                \
  {                                                                                                \
    .name = "cutoff",                                                                              \
    .meaning = "of the short range part, in tenths of an angstrom, or more where the tolerance "   \
               "needs it; 0: what takes least time",                                               \
    .lo = 0, .hi = 100000, .initial = 0, .tries = cutoff_tries                                     \
  }
#define DCS_ML_RATIO(ratio_tries)                                                                  \
  {                                                                                                \
    .name = "ratio",                                                                               \
    .meaning = "of the cutoff to the finest lattice's spacing, in tenths, or more where the "      \
               "tolerance needs it",                                                               \
    .lo = 0, .hi = DCS_ML_LARGEST_RATIO, .initial = 0, .tries = ratio_tries                        \
  }

enum {
  DCS_ML_MOST_LEVELS = 16,
  DCS_ML_MOST_NODES = 10,   /* p of the ninth order */
  DCS_ML_MOST_FILTER = 44,  /* nodes on either side that a filter reaches */
  DCS_ML_LARGEST_RATIO = 60 /* that is asked for, of a / h, in tenths; a tolerance may take 100 */
};

/* Nodes first..first + n - 1 in each dimension; node i lies at i times the level's spacing from
 * grid point 0. */
typedef struct {
  int first[3], n[3];
} dcs_ml_box;

static inline int64_t dcs_ml_nodes(const dcs_ml_box *box) {
  return (int64_t)box->n[0] * box->n[1] * box->n[2];
}

typedef struct {
  double h;     /* angstrom */
  int reach[3]; /* nodes from a charge to the farthest potential it adds to */
  dcs_ml_box charge, potential;
} dcs_ml_level;

typedef struct {
  int nodes;     /* p */
  int softening; /* degree of P in (r/a)^2: derivatives that are continuous at a */
  double cutoff; /* a, angstrom */
  double h;      /* of level 0, angstrom */
  int filter[3]; /* nodes on either side that B^-1 and B^-2 reach, in [1] and [2] */
  int n_levels;  /* 0: the direct sum takes less time; nothing else is set but the nodes */
  dcs_ml_level level[DCS_ML_MOST_LEVELS];
} dcs_multilevel;

/* The parameters of a method. */
typedef struct {
  int order;
  double cutoff; /* angstrom, at least; 0: what is expected to take least time */
  double ratio;  /* a / h, at least */
  int threads;   /* that look at the atoms */
} dcs_ml_wanted;

/* Whether lattices compute such problems; when not, says why. */
bool dcs_multilevel_solves(const dcs_config *problem_config, char why[DCS_TEXT]);

/* Chooses for the problem's shape and tolerance, so that the expected error keeps it. Few
 * evaluations (1e5) are the direct sum, whatever is wanted. False: that cannot be; says why. Pure.
 * Atoms say how large the map is and how dense charges are (crowd.h); where they are not given, in
 * plans of a shape, they are water's. */
bool dcs_multilevel_choose(const dcs_problem *problem, const dcs_ml_wanted *wanted,
                           dcs_multilevel *m, char why[DCS_TEXT]);

/* The largest error at a point that is expected over R, the root mean square of the map. */
double dcs_multilevel_error(const dcs_problem *problem, int order, double cutoff, double ratio);

/* The p splines that are not 0 at t in 0..1 behind a node: those of the nodes -p/2 + 1 .. p/2
 * counted from it. */
void dcs_multilevel_splines(int nodes, double t, double w[DCS_ML_MOST_NODES]);

/* B^-power, power 1 or 2: the weight of the nodes at distance 0..m->filter[power]. */
void dcs_multilevel_filter(const dcs_multilevel *m, int power,
                           double weights[DCS_ML_MOST_FILTER + 1]);

static inline bool dcs_ml_is_top(const dcs_multilevel *m, int level) {
  return level == m->n_levels - 1;
}

/* Weights of the lattice cutoff at level 0, or of the top's sum (top), of the charges at (i, j, k)
 * nodes' distance, 0 <= i <= reach[0], ...; i fastest. Level k has those of level 0 times 2^-k. The
 * caller frees; NULL: no memory. 1/angstrom. */
float *dcs_multilevel_weights(const dcs_multilevel *m, bool top);

#endif
