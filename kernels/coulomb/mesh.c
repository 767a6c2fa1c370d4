/* Which meshes a tolerance takes. */
#include "kernels/coulomb/mesh.h"
#include "kernels/common/fft.h"

#include <math.h>
#include <stdio.h>

/* ---- the estimate of the error ---- */

/* Root mean square of the error that one charge of 1 e in 1 angstrom^3 makes, over sqrt(a), of a
 * mesh with a / h = 2.5, 3, 3.5, ..., and the beta that makes it least:
 *
 *     E^2 = integral of G^2 ((1 + A)^2 - 1) d^3k / (2 pi)^3 over the mesh's frequencies
 *         + integral of G^2 over those beyond,
 *
 * G = 4 pi/k^2 (F(k a) - F(4 k a)), A the sum of the squares of the window's transform at the
 * frequencies k + 2 pi n/h that the mesh takes for k, over that at k: once as charges are spread,
 * once as the map is read. Frequencies fold along one dimension at a time.
 *
 * Charges that repeat, in a crystal, add up at one frequency: of 1 e in 1 angstrom^3 they make an
 * error of the largest G sqrt(A), which is within a third of E a^(3/2) but for the largest a / h of
 * orders 10 and 12, where the table has it instead. */
enum { ENTRIES = 16, ORDERS = 5, LEAST_ORDER = 4 };
static const double FIRST_RATIO = 2.5, RATIO_STEP = 0.5;

static const struct {
  double error[ENTRIES], beta[ENTRIES];
} table[ORDERS] = {
    {{3.0e-03, 1.7e-03, 1.1e-03, 7.8e-04, 6.1e-04, 5.2e-04, 4.4e-04, 3.8e-04, 3.3e-04, 2.9e-04,
      2.6e-04, 2.3e-04, 2.1e-04, 1.9e-04, 1.7e-04, 1.6e-04},
     {6.00, 6.50, 6.75, 7.25, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 7.75, 8.00,
      8.00}},
    {{7.0e-04, 2.0e-04, 9.2e-05, 5.2e-05, 3.2e-05, 2.2e-05, 1.5e-05, 1.1e-05, 8.2e-06, 6.6e-06,
      6.0e-06, 5.6e-06, 5.4e-06, 5.1e-06, 4.9e-06, 4.7e-06},
     {7.50, 8.75, 9.50, 10.00, 10.25, 10.50, 10.75, 11.00, 11.25, 11.75, 12.50, 13.00, 13.00, 13.00,
      12.75, 12.75}},
    {{5.9e-04, 1.2e-04, 2.6e-05, 6.9e-06, 2.9e-06, 1.5e-06, 8.8e-07, 5.6e-07, 3.7e-07, 2.5e-07,
      1.8e-07, 1.4e-07, 1.1e-07, 8.4e-08, 6.6e-08, 6.0e-08},
     {7.75, 9.25, 10.75, 12.00, 12.75, 13.25, 13.75, 14.25, 14.50, 14.75, 15.00, 15.25, 15.50,
      15.75, 16.00, 16.75}},
    {{5.4e-04, 1.1e-04, 2.2e-05, 4.6e-06, 1.0e-06, 2.4e-07, 9.0e-08, 4.8e-08, 2.6e-08, 1.4e-08,
      1.2e-08, 1.1e-08, 9.5e-09, 5.7e-09, 5.3e-09, 4.6e-09},
     {7.75, 9.25, 10.75, 12.25, 13.75, 15.25, 16.00, 16.75, 17.50, 17.75, 19.00, 20.25, 21.50,
      21.50, 22.75, 23.75}},
    {{5.2e-04, 1.0e-04, 2.1e-05, 4.3e-06, 8.9e-07, 1.9e-07, 4.1e-08, 9.3e-09, 2.7e-09, 2.1e-09,
      1.9e-09, 1.5e-09, 1.1e-09, 7.9e-10, 6.7e-10, 5.7e-10},
     {7.75, 9.25, 10.75, 12.25, 14.00, 15.50, 16.75, 18.25, 19.75, 21.00, 22.50, 23.75, 24.75,
      25.75, 27.00, 28.25}},
};

/* Sets h, beta and the window of a level with split.a and an order; the coarsest mesh whose error
 * is at most `error`. False: the finest of the table's is not enough. */
static bool spacing_for(double error, dcs_mesh_level *level) {
  const int order = level->order;
  const double *errors = table[(order - LEAST_ORDER) / 2].error;
  const double *betas = table[(order - LEAST_ORDER) / 2].beta;
  int e = 0;
  while (e < ENTRIES && errors[e] > error)
    e++;
  if (e == ENTRIES) return false;
  const double back =
      e == 0 ? 0 : log(error / errors[e]) / log(errors[e - 1] / errors[e]); /* 0..1 */
  const double ratio = FIRST_RATIO + RATIO_STEP * (e - back);
  level->h = level->split.a / ratio;
  level->split.beta = e == 0 ? betas[0] : betas[e] + back * (betas[e - 1] - betas[e]);
  /* half the frequencies that fold are suppressed best at this exponent */
  const double oversampling = acos(-1) * ratio / level->split.beta;
  level->window = fmin(0.97 * acos(-1) * order * (1 - 0.85 / (2 * oversampling)), 2.35 * order);
  return true;
}

/* The same of the lowest order from level->order on that is enough. */
static bool choose_spacing(double error, dcs_mesh_level *level) {
  while (!spacing_for(error, level)) {
    if (level->order == DCS_MESH_MOST_ORDER) return false;
    level->order += 2;
  }
  return true;
}

/* ---- meshes ---- */

/* The largest error over a map is so many times the root mean square that charges at random
 * positions make: a normal distribution, of whose 10^8 values the largest is 5.7 times the
 * deviation. */
static const double SAFETY = 5;

/* The largest error of a level with E = 1, of n: of charges at random, whose squares add up, and of
 * charges that repeat. */
static double error_of(const dcs_mesh_scene *scene, double a, int n) {
  const double repeated = fmin(scene->charge_density, scene->charge / (a * a * a));
  return SAFETY * sqrt(n * scene->density * a) + n * repeated * a * a;
}

enum { REACH = 4 }; /* of a level's part, in units of its a */

enum { MOST_NODES = 1 << 20 }; /* along a dimension */

/* The nodes that the level has for what lies within lo..hi, and the length of its transform, which
 * holds the system and `reach` more. False: more than there is memory for anywhere. */
static bool lay_out(const dcs_mesh_scene *scene, const double lo[3], const double hi[3],
                    double reach, dcs_mesh_level *level) {
  const int order = level->order;
  for (int d = 0; d < 3; d++) {
    const double length = scene->hi[d] - scene->lo[d];
    if (!((length + reach) / level->h < MOST_NODES)) return false;
    level->spacing[d] = level->h;
    /* a little more at both ends, for rounding */
    level->lo[d] = lo[d] - (0.5 * order + 0.01) * level->h;
    level->nodes[d] = (int)((hi[d] - level->lo[d]) / level->h + 0.5 * order) + 2;
    const double least = fmax(ceil((length + reach) / level->h + 1), level->nodes[d]);
    level->n[d] = (int)dcs_fft_length((int64_t)least, true);
  }
  return true;
}

/* The same of a periodic problem: a node for every h of the cell at least, and as many as a window
 * has. */
static bool lay_out_cell(const dcs_mesh_scene *scene, dcs_mesh_level *level) {
  for (int d = 0; d < 3; d++) {
    const double length = scene->hi[d] - scene->lo[d];
    if (!(length / level->h < MOST_NODES)) return false;
    level->n[d] = (int)dcs_fft_length((int64_t)fmax(ceil(length / level->h), level->order), true);
    level->spacing[d] = length / level->n[d];
    level->lo[d] = scene->lo[d];
    level->nodes[d] = level->n[d] + level->order;
  }
  return true;
}

static double length_of(const dcs_mesh_scene *scene) {
  double length2 = 0;
  for (int d = 0; d < 3; d++)
    length2 += (scene->hi[d] - scene->lo[d]) * (scene->hi[d] - scene->lo[d]);
  return sqrt(length2);
}

/* Lays out n levels whose errors are in equal parts, `error` at most in all. */
static bool lay_out_levels(const dcs_mesh_scene *scene, double error, int order, double cutoff,
                           int n, dcs_mesh *mesh) {
  mesh->n_levels = n;
  double a = cutoff, lo[3], hi[3];
  for (int d = 0; d < 3; d++)
    lo[d] = scene->lo[d], hi[d] = scene->hi[d];
  for (int l = 0; l < n; l++, a *= REACH) {
    dcs_mesh_level *level = &mesh->level[l];
    level->split.a = a;
    level->order = l == 0 || order == DCS_MESH_MOST_ORDER ? order : order + 2;
    if (!choose_spacing(error / error_of(scene, a, n), level)) return false;
    if (mesh->periodic) return lay_out_cell(scene, level);
    if (l + 1 == n) mesh->diameter = length_of(scene) + a; /* spread over a ball of radius a */
    if (!lay_out(scene, lo, hi, l + 1 < n ? REACH * a : mesh->diameter + a, level)) return false;
    for (int d = 0; d < 3; d++) {
      lo[d] = level->lo[d];
      hi[d] = level->lo[d] + level->h * (level->nodes[d] - 1);
    }
  }
  return true;
}

static double values_of(const dcs_mesh *mesh) {
  double values = 0;
  for (int l = 0; l < mesh->n_levels; l++)
    values += (double)mesh->level[l].n[0] * mesh->level[l].n[1] * mesh->level[l].n[2];
  return values;
}

/* Chebyshev's interpolation of the potential of atoms that are half of the map's edge or more away
 * from it: the error falls by 2 + sqrt(3) with every node, for their distance from the map's middle
 * is twice that of its ends. */
static int far_nodes(const dcs_mesh_scene *scene, double error) {
  if (scene->n_far == 0) return 0;
  double nodes = ceil(log(8 * scene->far_potential / error) / log(2 + sqrt(3)));
  return (int)fmin(fmax(nodes, 2), DCS_MESH_FAR_NODES);
}

bool dcs_mesh_choose(const dcs_mesh_scene *scene, double tolerance, int order, double cutoff,
                     dcs_mesh *mesh, char why[DCS_TEXT]) {
  const double error = tolerance * scene->scale;
  dcs_mesh best = {0};
  for (int n = 1; n <= (scene->periodic ? 1 : DCS_MESH_LEVELS); n++) {
    dcs_mesh with = {.periodic = scene->periodic};
    if (lay_out_levels(scene, 0.8 * error, order, cutoff, n, &with) &&
        (best.n_levels == 0 || values_of(&with) < values_of(&best)))
      best = with;
  }
  *mesh = best;
  mesh->far_nodes = far_nodes(scene, 0.1 * error);
  if (best.n_levels > 0) return true;
  snprintf(
      why, DCS_TEXT,
      "a tolerance of %g, of a map near %.2g e/angstrom: below what a mesh reaches with a short "
      "range of %g angstrom",
      tolerance, scene->scale, cutoff);
  return false;
}

/* Of the charges within the cutoff together; a tenth of what is allowed. */
void dcs_mesh_radial(const dcs_mesh_scene *scene, const dcs_mesh *mesh, double tolerance,
                     dcs_radial *radial) {
  const double a = mesh->level[0].split.a, volume = 4.0 / 3 * acos(-1) * a * a * a;
  const double error = 0.1 * tolerance * scene->scale / (SAFETY * sqrt(scene->density * volume));
  const dcs_split_series series = dcs_split_expand(&mesh->level[0].split);
  int degree = 3;
  while (dcs_radial_fit(dcs_split_softened, &series, a, degree, radial) > error &&
         degree < DCS_RADIAL_MOST)
    degree++;
}

/* ---- the way of a problem ---- */

bool dcs_mesh_solves(const dcs_config *problem_config, char why[DCS_TEXT]) {
  /* below, what rounds in the short range part and the map is more than the tolerance */
  static const double LEAST_TOLERANCE = 2e-6;
  if (!dcs_solves_tolerance(problem_config, why)) return false;
  if (problem_config->value[DCS_COULOMB_TOLERANCE] >= LEAST_TOLERANCE) return true;
  snprintf(why, DCS_TEXT, "it reaches tolerances down to %g", LEAST_TOLERANCE);
  return false;
}

bool dcs_mesh_has_order(int order, char why[DCS_TEXT]) {
  if (order % 2 == 0) return true;
  snprintf(why, DCS_TEXT, "an odd order; expected 4, 6, 8, 10 or 12");
  return false;
}

double dcs_mesh_cutoff(const dcs_problem *problem, double cutoff) {
  double cell[3];
  dcs_cell_edges(problem, cell);
  return dcs_periodic(problem) ? fmin(cutoff, 0.5 * cbrt(cell[0] * cell[1] * cell[2])) : cutoff;
}

bool dcs_mesh_find_way(const dcs_problem *problem, int order, double cutoff, int threads,
                       dcs_mesh_way *way, char why[DCS_TEXT]) {
  const double tolerance = dcs_tolerance(problem);
  if (!dcs_solves_tolerance(&problem->config, why)) return false;
  if (!dcs_mesh_look(problem, cutoff, threads, &way->scene)) {
    snprintf(why, DCS_TEXT, "no memory for the density of the charges");
    return false;
  }
  if (!dcs_mesh_choose(&way->scene, tolerance, order, cutoff, &way->mesh, why)) return false;
  dcs_mesh_radial(&way->scene, &way->mesh, tolerance, &way->radial);
  return true;
}

/* ---- in Fourier space ---- */

double dcs_mesh_transform(const dcs_mesh *mesh, int l, double k) {
  const dcs_split *split = &mesh->level[l].split, *next = &mesh->level[l + 1].split;
  const double pi4 = 4 * acos(-1);
  if (k * mesh->level[l].h > acos(-1)) return 0;
  if (mesh->periodic)
    return k == 0 ? -pi4 * dcs_split_spread(split) : pi4 / (k * k) * dcs_split_transform(split, k);
  if (l + 1 == mesh->n_levels) {
    const double half = 0.5 * mesh->diameter;
    if (k == 0) return pi4 * 2 * half * half;
    return pi4 * 2 * pow(sin(k * half) / k, 2) * dcs_split_transform(split, k);
  }
  if (k == 0) return pi4 * (dcs_split_spread(next) - dcs_split_spread(split));
  return pi4 / (k * k) * (dcs_split_transform(split, k) - dcs_split_transform(next, k));
}
