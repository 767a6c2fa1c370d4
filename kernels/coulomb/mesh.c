/* Which meshes a tolerance takes. */
#include "kernels/coulomb/mesh.h"
#include "kernels/common/fft.h"

#include <math.h>
#include <stdio.h>

/* ---- meshes ---- */

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

/* Of the error, what level l of n may make: most is the finest one's, which costs most. Squares add
 * up to 1. */
static double share_of(int l, int n) {
  if (n == 1) return 1;
  return l == 0 ? 0.8 : 0.6 / sqrt(n - 1);
}

/* Lays out n levels whose error is at most `error` in all. */
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
    if (!dcs_mesh_space(scene, share_of(l, n) * error, level)) return false;
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

/* Values of all levels; the steps of one more take as long as A_LEVEL values do. */
static double cost_of(const dcs_mesh *mesh) {
  static const double A_LEVEL = 1e5;
  double values = A_LEVEL * mesh->n_levels;
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
    if (lay_out_levels(scene, DCS_CROWD_RESERVE * error, order, cutoff, n, &with) &&
        (best.n_levels == 0 || cost_of(&with) < cost_of(&best)))
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
  const double error =
      0.1 * tolerance * scene->scale / (scene->largest * sqrt(scene->density * volume));
  const dcs_split_series series = dcs_split_expand(&mesh->level[0].split);
  dcs_radial_fit_to(dcs_split_softened, &series, a, 3, error, radial);
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
  if (order % 2 == 0 && order != 2) return true;
  snprintf(why, DCS_TEXT, "an order of %d; expected 4, 6, 8, 10 or 12, or 0: by the tolerance",
           order);
  return false;
}

/* On an H200, 160,161 atoms at random and 235^3 points: order 4 took 1.2 ms at 1e-2 (6: 1.7,
 * 8: 2.2), 6 1.6 at 1e-3 (8: 2.1), 8 1.9 at 1e-4 (6: 2.3, 10: 2.4) and 2.8 at 1e-5 (10: 3.2). */
int dcs_mesh_order(int order, double tolerance) {
  if (order > 0) return order;
  return tolerance >= 3e-3 ? 4 : tolerance >= 3e-4 ? 6 : 8;
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
  if (!dcs_mesh_choose(&way->scene, tolerance, dcs_mesh_order(order, tolerance), cutoff, &way->mesh,
                       why))
    return false;
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
