/* The error of a mesh, and how coarse it may be. */
#include "kernels/coulomb/mesh.h"

#include <math.h>

/* ---- of a unit of charges ---- */

/* What a mesh makes of a wave of charges, exp(i k r), are waves of potential at k and at the other
 * k' = k + 2 pi n/h. With k0 that of the k' in the mesh's frequencies, w the window's transform,
 * and
 *
 *     G = 4 pi/k^2 (F(k a) - F(4 k a)), 0 beyond pi/h in the mesh,
 *
 * of the amplitude at k' is wrong
 *
 *     e = w(k) w(k') G(k0) / w(k0)^2 - (k' = k) G(k)
 *
 * Charges at random have waves of all k alike and a root mean square error of random sqrt(a), from
 * the integral of |e|^2 over k and k'; charges in order, in a crystal or at the face of a charged
 * body, err by ordered a^2 at most, from the largest sum of |e| over k'. Both for 1 e in 1
 * angstrom^3, of a mesh with a / h = 1.5, 2, 2.5, ..., and the beta that makes the first least. */
enum { ENTRIES = 18, ORDERS = 5, LEAST_ORDER = 4 };
static const double FIRST_RATIO = 1.5, RATIO_STEP = 0.5;

static const struct {
  double random[ENTRIES], ordered[ENTRIES], beta[ENTRIES];
} table[ORDERS] = {
    {{2.3e-02, 6.7e-03, 3.0e-03, 1.7e-03, 1.1e-03, 7.6e-04, 5.9e-04, 4.9e-04, 4.2e-04, 3.6e-04,
      3.1e-04, 2.7e-04, 2.3e-04, 2.1e-04, 1.8e-04, 1.6e-04, 1.4e-04, 1.3e-04},
     {3.3e-02, 2.3e-02, 1.1e-02, 6.1e-03, 2.5e-03, 1.5e-03, 1.3e-03, 1.1e-03, 9.6e-04, 8.3e-04,
      7.1e-04, 6.1e-04, 5.2e-04, 4.4e-04, 3.8e-04, 3.2e-04, 2.8e-04, 2.4e-04},
     {4.25, 5.50, 6.00, 6.50, 6.75, 7.25, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75,
      7.75, 8.00, 8.00}},
    {{1.9e-02, 4.0e-03, 8.3e-04, 2.3e-04, 9.4e-05, 5.3e-05, 3.3e-05, 2.2e-05, 1.6e-05, 1.2e-05,
      8.6e-06, 6.8e-06, 6.2e-06, 5.9e-06, 5.5e-06, 5.2e-06, 4.9e-06, 4.6e-06},
     {2.9e-02, 4.5e-03, 9.3e-04, 3.4e-04, 1.8e-04, 1.0e-04, 1.0e-04, 8.1e-05, 5.8e-05, 3.9e-05,
      2.5e-05, 1.9e-05, 1.7e-05, 1.5e-05, 1.3e-05, 1.2e-05, 1.0e-05, 9.1e-06},
     {4.25, 6.00, 7.50, 8.75, 9.50, 10.00, 10.25, 10.50, 10.75, 11.00, 11.25, 11.75, 12.50, 13.00,
      13.00, 13.00, 12.75, 12.75}},
    {{1.9e-02, 3.8e-03, 8.3e-04, 1.6e-04, 3.2e-05, 8.4e-06, 3.2e-06, 1.6e-06, 9.7e-07, 5.9e-07,
      3.8e-07, 2.5e-07, 1.7e-07, 1.3e-07, 1.0e-07, 8.5e-08, 7.6e-08, 7.0e-08},
     {2.9e-02, 4.5e-03, 9.6e-04, 1.3e-04, 3.1e-05, 1.2e-05, 8.7e-06, 5.4e-06, 3.1e-06, 1.7e-06,
      7.2e-07, 4.2e-07, 2.9e-07, 2.1e-07, 2.0e-07, 1.7e-07, 1.4e-07, 1.2e-07},
     {4.25, 6.00, 7.75, 9.25, 10.75, 12.00, 12.75, 13.25, 13.75, 14.25, 14.50, 14.75, 15.00, 15.25,
      15.50, 15.75, 16.00, 16.75}},
    {{1.9e-02, 3.7e-03, 8.1e-04, 1.5e-04, 2.9e-05, 6.2e-06, 1.4e-06, 3.1e-07, 1.2e-07, 4.8e-08,
      2.5e-08, 1.1e-08, 3.0e-09, 7.8e-10, 2.4e-10, 1.9e-10, 5.6e-11, 2.0e-11},
     {2.9e-02, 4.5e-03, 9.6e-04, 1.2e-04, 2.1e-05, 4.3e-06, 7.5e-07, 5.0e-07, 2.5e-07, 1.2e-07,
      5.6e-08, 3.1e-08, 2.8e-08, 2.4e-08, 2.2e-08, 1.2e-08, 1.1e-08, 9.8e-09},
     {4.25, 6.00, 7.75, 9.25, 10.75, 12.25, 13.75, 15.25, 16.00, 16.75, 17.50, 17.75, 19.00, 20.25,
      21.50, 21.50, 22.75, 23.75}},
    {{1.9e-02, 3.7e-03, 8.0e-04, 1.4e-04, 2.8e-05, 5.9e-06, 1.1e-06, 2.5e-07, 5.8e-08, 1.2e-08,
      2.5e-09, 6.9e-10, 1.5e-10, 3.6e-11, 1.4e-11, 4.4e-12, 1.6e-12, 6.5e-13},
     {2.9e-02, 4.5e-03, 9.6e-04, 1.2e-04, 1.6e-05, 3.1e-06, 6.9e-07, 1.3e-07, 2.0e-08, 7.5e-09,
      6.6e-09, 5.1e-09, 4.6e-09, 3.6e-09, 2.6e-09, 1.8e-09, 1.5e-09, 1.3e-09},
     {4.25, 6.00, 7.75, 9.25, 10.75, 12.25, 14.00, 15.50, 16.75, 18.25, 19.75, 21.00, 22.50, 23.75,
      24.75, 25.75, 27.00, 28.25}},
};

/* ---- of a problem ---- */

/* Between two entries, `at` from 0 to ENTRIES - 1. */
static double between(const double *values, double at) {
  const int e = (int)fmin(at, ENTRIES - 2);
  return values[e] * pow(values[e + 1] / values[e], at - e);
}

/* The largest error at a point that is expected of charges that cancel within h, e/angstrom. In
 * order they make several waves at once, at the edges of a body or by their harmonics: they count
 * twice. */
static double error_at(const dcs_mesh_scene *scene, int order, double a, double at) {
  const double h = a / (FIRST_RATIO + RATIO_STEP * at);
  const dcs_crowd_density density = dcs_crowd_at(&scene->crowd, h, a);
  const int which = (order - LEAST_ORDER) / 2;
  const double random =
      scene->largest * sqrt(density.squares * a) * between(table[which].random, at);
  const double ordered = 2 * density.sizes * a * a * between(table[which].ordered, at);
  return sqrt(random * random + ordered * ordered);
}

/* Sets h, beta and the window of a level with split.a and an order; the coarsest mesh whose error
 * is at most `error`. False: the finest of the table's is not enough. */
static bool spacing_for(const dcs_mesh_scene *scene, double error, dcs_mesh_level *level) {
  const int order = level->order, most = 8 * (ENTRIES - 1);
  int eighth = 0;
  while (eighth <= most && error_at(scene, order, level->split.a, eighth / 8.0) > error)
    eighth++;
  if (eighth > most) return false;
  const double ratio = FIRST_RATIO + RATIO_STEP * eighth / 8.0;
  level->h = level->split.a / ratio;
  level->split.beta = between(table[(order - LEAST_ORDER) / 2].beta, eighth / 8.0);
  /* half the frequencies that fold are suppressed best at this exponent */
  const double oversampling = acos(-1) * ratio / level->split.beta;
  level->window = fmin(0.97 * acos(-1) * order * (1 - 0.85 / (2 * oversampling)), 2.35 * order);
  return true;
}

bool dcs_mesh_space(const dcs_mesh_scene *scene, double error, dcs_mesh_level *level) {
  while (!spacing_for(scene, error, level)) {
    if (level->order == DCS_MESH_MOST_ORDER) return false;
    level->order += 2;
  }
  return true;
}
