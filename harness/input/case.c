#include "harness/input/case.h"

#include "harness/base/random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int64_t dcs_points(dcs_dims n) {
  return n.x * n.y * n.z;
}

void dcs_repair(const dcs_near *near, int64_t n_near, bool cutoff, float *map) {
  for (int64_t i = 0; i < n_near; i++)
    map[near[i].index] = cutoff ? near[i].within : near[i].value;
}

void dcs_case_free(dcs_case *c) {
  free((void *)c->problem.atoms);
  free(c->sites);
  free(c->near);
  *c = (dcs_case){0};
}

static dcs_status check_dims(dcs_dims n) {
  if (n.x < 1 || n.y < 1 || n.z < 1)
    return dcs_fail(DCS_USAGE,
                    "grid %lldx%lldx%lld has no points; every dimension must be at least 1",
                    (long long)n.x, (long long)n.y, (long long)n.z);
  if (n.x > DCS_MAX_POINTS || n.y > DCS_MAX_POINTS / n.x || n.z > DCS_MAX_POINTS / (n.x * n.y))
    return dcs_fail(DCS_USAGE, "grid %lldx%lldx%lld has more points than 2^40", (long long)n.x,
                    (long long)n.y, (long long)n.z);
  return DCS_OK;
}

/* Points that cover `extent` at a spacing: both ends included. */
static double points_over(double extent, double spacing) {
  return ceil(extent / spacing - 1e-9) + 1;
}

/* Fills in what the user left open. */
static dcs_status derive_grid(const double lo[3], const double hi[3], dcs_grid *grid) {
  bool has_n = grid->n.x || grid->n.y || grid->n.z;
  if (has_n) DCS_TRY(check_dims(grid->n));
  double extent[3];
  for (int d = 0; d < 3; d++)
    extent[d] = hi[d] - lo[d] + 2 * grid->margin;

  if (grid->spacing == 0 && has_n) {
    const int64_t n[3] = {grid->n.x, grid->n.y, grid->n.z};
    for (int d = 0; d < 3; d++)
      if (n[d] > 1) grid->spacing = fmax(grid->spacing, extent[d] / (double)(n[d] - 1));
  }
  if (grid->spacing == 0) grid->spacing = 0.5;
  if (!(grid->spacing > 0) || !((float)grid->spacing >= FLT_MIN) || grid->spacing > 1e7)
    return dcs_fail(DCS_USAGE, "spacing %g; it must be above 0 and at most 1e7 angstrom",
                    grid->spacing);

  if (!has_n) {
    double n[3];
    for (int d = 0; d < 3; d++) {
      n[d] = points_over(extent[d], grid->spacing);
      if (n[d] > (double)DCS_MAX_POINTS)
        return dcs_fail(DCS_USAGE, "spacing %g needs %.0f points in a dimension; at most 2^40",
                        grid->spacing, n[d]);
    }
    grid->n = (dcs_dims){(int64_t)n[0], (int64_t)n[1], (int64_t)n[2]};
    DCS_TRY(check_dims(grid->n));
  }
  if (!grid->has_origin) {
    const int64_t n[3] = {grid->n.x, grid->n.y, grid->n.z};
    for (int d = 0; d < 3; d++)
      grid->origin[d] = 0.5 * (lo[d] + hi[d]) - 0.5 * grid->spacing * (double)(n[d] - 1);
  }
  return DCS_OK;
}

/* The grid point nearest to a site, or false when it lies outside the grid. */
static bool nearest_point(const dcs_case *c, const dcs_site *site, int64_t at[3]) {
  const double r[3] = {site->x, site->y, site->z};
  const int64_t n[3] = {c->problem.n.x, c->problem.n.y, c->problem.n.z};
  for (int d = 0; d < 3; d++) {
    double index = nearbyint(r[d] / c->spacing);
    if (!(index >= 0 && index < (double)n[d])) return false;
    at[d] = (int64_t)index;
  }
  return true;
}

static double distance2(const dcs_case *c, const dcs_site *site, const int64_t at[3]) {
  double dx = c->spacing * (double)at[0] - site->x;
  double dy = c->spacing * (double)at[1] - site->y;
  double dz = c->spacing * (double)at[2] - site->z;
  return dx * dx + dy * dy + dz * dz;
}

/* Sum over all atoms but those that coincide with the point. */
static double exact_value(const dcs_case *c, const int64_t at[3]) {
  double coincident2 = 1e-12 * c->spacing * c->spacing;
  double v = 0;
#pragma omp parallel for reduction(+ : v) if (c->n_sites > 10000)
  for (int64_t a = 0; a < c->n_sites; a++) {
    double r2 = distance2(c, &c->sites[a], at);
    if (!(r2 < coincident2)) v += c->sites[a].q / sqrt(r2);
  }
  return v;
}

static dcs_status add_near(dcs_case *c, int64_t *capacity, const int64_t at[3]) {
  if (c->n_near == *capacity) {
    int64_t more = *capacity ? 2 * *capacity : 16;
    dcs_near *near = realloc(c->near, (size_t)more * sizeof *near);
    if (!near)
      return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points on atoms", (long long)more);
    c->near = near;
    *capacity = more;
  }
  const dcs_dims n = c->problem.n;
  const int64_t index = (at[2] * n.y + at[1]) * n.x + at[0];
  c->near[c->n_near++] = (dcs_near){.index = index, .value = (float)exact_value(c, at)};
  return DCS_OK;
}

/* Lists the points where the distance to an atom drowns in the rounding of coordinates, or is below
 * a millionth of the spacing. In each dimension the atom, the spacing and the point's coordinate
 * round by up to u = 2^-24 of the coordinate, together 5.2 u in the diagonal; at 32 u the relative
 * error of 1/r is at most a fifth more than its linear part, which the acceptance bound covers. */
static dcs_status find_near(dcs_case *c) {
  int64_t capacity = 0;
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *site = &c->sites[a];
    int64_t at[3];
    if (!nearest_point(c, site, at)) continue;
    double reach = 1e-6 * c->spacing;
    double r2 = distance2(c, site, at);
    if (r2 < reach * reach) c->n_coincident++;
    double largest = fmax(fabs(site->x), fmax(fabs(site->y), fabs(site->z)));
    reach = fmax(reach, 32 * 0x1p-24 * largest);
    if (r2 < reach * reach) DCS_TRY(add_near(c, &capacity, at));
  }
  return DCS_OK;
}

static dcs_status allocate(int64_t n_sites, const dcs_grid *grid, dcs_case *c) {
  *c = (dcs_case){.n_sites = n_sites, .spacing = grid->spacing};
  for (int d = 0; d < 3; d++)
    c->origin[d] = grid->origin[d];
  dcs_atom *atoms = malloc((size_t)n_sites * sizeof *atoms);
  c->sites = malloc((size_t)n_sites * sizeof *c->sites);
  c->problem = (dcs_problem){.atoms = atoms, .n = grid->n, .spacing = (float)grid->spacing};
  if (atoms && c->sites) return DCS_OK;
  dcs_case_free(c);
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)n_sites);
}

/* Atoms without charge add nothing: no kernel sees them, but for one where all are so. */
static dcs_status finish(dcs_case *c) {
  dcs_atom *atoms = (dcs_atom *)c->problem.atoms;
  int64_t n = 0;
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    bool last_chance = n == 0 && a == c->n_sites - 1;
    if (s->q != 0 || last_chance) /* NOLINT: the sites are filled */
      atoms[n++] = (dcs_atom){(float)s->x, (float)s->y, (float)s->z, (float)s->q};
  }
  c->problem.n_atoms = n;
  dcs_status status = find_near(c);
  if (status != DCS_OK) dcs_case_free(c);
  return status;
}

dcs_status dcs_case_grid(const dcs_molecule *molecule, dcs_grid *grid) {
  double lo[3] = {0}, hi[3] = {0};
  bool whole = (grid->n.x || grid->n.y || grid->n.z) && grid->spacing != 0 && grid->has_origin;
  if (molecule->n < 1) return dcs_fail(DCS_USAGE, "no atoms; a map needs at least 1");
  if (!whole) dcs_molecule_box(molecule, lo, hi);
  return derive_grid(lo, hi, grid);
}

dcs_status dcs_case_build(const dcs_molecule *molecule, const dcs_grid *asked, dcs_case *c) {
  dcs_grid grid = *asked;
  DCS_TRY(dcs_case_grid(molecule, &grid));
  DCS_TRY(allocate(molecule->n, &grid, c));
  for (int64_t a = 0; a < molecule->n; a++) {
    c->sites[a] = molecule->sites[a];
    c->sites[a].x -= c->origin[0];
    c->sites[a].y -= c->origin[1];
    c->sites[a].z -= c->origin[2];
  }
  return finish(c);
}

dcs_status dcs_case_random(int64_t n_atoms, const dcs_grid *asked, uint64_t seed, dcs_case *c) {
  dcs_grid grid = *asked;
  if (n_atoms < 1)
    return dcs_fail(DCS_USAGE, "%lld atoms; a map needs at least 1", (long long)n_atoms);
  if (grid.spacing == 0) grid.spacing = DCS_RANDOM_SPACING;
  DCS_TRY(check_dims(grid.n));
  DCS_TRY(derive_grid((double[3]){0, 0, 0}, (double[3]){0, 0, 0}, &grid));
  DCS_TRY(allocate(n_atoms, &grid, c));
  /* A dimension of one point still gets a box one spacing thick, so that atoms do not all lie in
   * it. */
  double edge[3] = {(double)(grid.n.x - 1), (double)(grid.n.y - 1), (double)(grid.n.z - 1)};
  for (int d = 0; d < 3; d++)
    edge[d] = grid.spacing * fmax(edge[d], 1);
  dcs_random random = {seed};
  for (int64_t a = 0; a < n_atoms; a++) {
    dcs_site *s = &c->sites[a];
    s->x = edge[0] * dcs_random_unit(&random);
    s->y = edge[1] * dcs_random_unit(&random);
    s->z = edge[2] * dcs_random_unit(&random);
    s->q = 2 * dcs_random_unit(&random) - 1;
    s->radius = 1;
  }
  return finish(c);
}
