/* Points very near to atoms, where single precision cannot compute the value. */
#include "harness/problems/case_parts.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdlib.h>

/* ---- which ---- */

static dcs_status add_fix(dcs_case *c, const int64_t at[3]) {
  DCS_TRY(dcs_grow(&c->fixes, (size_t)c->n_fixes, sizeof *c->fixes, "points on atoms"));
  const dcs_dims n = c->problem.n;
  const int64_t index = (at[2] * n.y + at[1]) * n.x + at[0];
  c->fixes[c->n_fixes++] = (dcs_fix){.index = index};
  return DCS_OK;
}

/* Of two numbers; fmax() is a call. */
static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Within which an atom of the largest coordinate `largest` counts as very near, angstrom: where the
 * distance drowns in the rounding of coordinates, or is below a millionth of the spacing. In each
 * dimension the atom, the spacing and the point's coordinate round by up to u = 2^-24 of the
 * coordinate, together 5.2 u in the diagonal; at 32 u the relative error of 1/r is at most a fifth
 * more than its linear part, which the acceptance bound covers. */
static double near(const dcs_case *c, double largest) {
  return larger(32 * 0x1p-24 * largest, 1e-6 * c->spacing);
}

/* The square of the distance from a site to the nearest grid point, which is `at`; INFINITY where
 * that is outside the grid or not within `reach`: of most sites the first dimension tells. */
static double distance2(const dcs_case *c, const dcs_site *site, double reach, int64_t at[3]) {
  const double r[3] = {site->x, site->y, site->z};
  const int64_t n[3] = {c->problem.n.x, c->problem.n.y, c->problem.n.z};
  double r2 = 0;
  for (int d = 0; d < 3; d++) {
    const double index = r[d] / c->spacing + 0.5;
    if (!(index >= 0 && index < (double)n[d])) return INFINITY;
    at[d] = (int64_t)index;
    const double away = c->spacing * (double)at[d] - r[d];
    if (fabs(away) > reach) return INFINITY;
    r2 += away * away;
  }
  return r2;
}

/* The square of the distance of a site to the nearest grid point, and within which it counts. */
static double nearest(const dcs_case *c, const dcs_site *s, double *reach, int64_t at[3]) {
  *reach = near(c, larger(fabs(s->x), larger(fabs(s->y), fabs(s->z))));
  return distance2(c, s, *reach, at);
}

/* How far a coordinate is from the nearest multiple of the spacing, to rounding: what is added and
 * subtracted leaves no digits behind the point. */
static double off_plane(double at, double spacing, double per_spacing) {
  static const double ROUND = 0x1.8p52;
  const double index = (at * per_spacing + ROUND) - ROUND;
  return fabs(spacing * index - at);
}

/* Whether any of the sites may be very near to a point: in x and y it is, or almost. */
static bool any_near(const dcs_case *c, int64_t from, int64_t end) {
  const double spacing = c->spacing, per_spacing = 1 / spacing;
  bool any = false;
  for (int64_t a = from; a < end; a++) {
    const dcs_site *s = &c->sites[a];
    const double most = larger(fabs(s->x), larger(fabs(s->y), fabs(s->z)));
    const double reach = (1 + 1e-6) * near(c, most) + 1e-14 * most;
    any |= (off_plane(s->x, spacing, per_spacing) <= reach) &
           (off_plane(s->y, spacing, per_spacing) <= reach);
  }
  return any;
}

/* Adds the point that the site, or an image of one, is very near to, if any; *on: it is on it. */
static dcs_status find_fix_of(dcs_case *c, const dcs_site *s, bool *on) {
  const double coincident = 1e-6 * c->spacing;
  double reach;
  int64_t at[3] = {0};
  const double r2 = nearest(c, s, &reach, at);
  *on = *on || r2 < coincident * coincident;
  return r2 < reach * reach ? add_fix(c, at) : DCS_OK;
}

static dcs_status find_fixes_of(dcs_case *c, int64_t from, int64_t end) {
  for (int64_t a = from; a < end; a++) {
    bool on = false;
    DCS_TRY(find_fix_of(c, &c->sites[a], &on));
    c->n_coincident += on;
  }
  return DCS_OK;
}

/* Of an atom in the cell, which begins where the grid does, all images in the grid: `end` is half a
 * spacing behind its last points. */
static dcs_status find_fixes_of_images(dcs_case *c, const dcs_site *s, const double cell[3],
                                       const double end[3]) {
  const double reach = near(c, larger(end[0], larger(end[1], end[2])));
  const double spacing = c->spacing, per_spacing = 1 / spacing;
  dcs_site image = *s;
  bool on = false;
  for (int64_t k = 0; (image.z = s->z + (double)k * cell[2]) < end[2]; k++) {
    if (off_plane(image.z, spacing, per_spacing) > 2 * reach) continue;
    for (int64_t j = 0; (image.y = s->y + (double)j * cell[1]) < end[1]; j++) {
      if (off_plane(image.y, spacing, per_spacing) > 2 * reach) continue;
      for (int64_t i = 0; (image.x = s->x + (double)i * cell[0]) < end[0]; i++)
        DCS_TRY(find_fix_of(c, &image, &on));
    }
  }
  c->n_coincident += on;
  return DCS_OK;
}

static dcs_status find_fixes_in_cells(dcs_case *c, const double cell[3]) {
  const double n[3] = {(double)c->problem.n.x, (double)c->problem.n.y, (double)c->problem.n.z};
  double end[3], images = (double)c->n_sites;
  for (int d = 0; d < 3; d++) {
    end[d] = c->spacing * (n[d] - 0.5);
    images *= fmax(1, end[d] / cell[d]);
  }
  if (!(images <= 0x1p36)) /* no method has memory for them */
    return dcs_fail(DCS_UNAVAILABLE, "%lld atoms have %.3g images in the grid; expected up to 2^36",
                    (long long)c->n_sites, images);
  for (int64_t a = 0; a < c->n_sites; a++)
    DCS_TRY(find_fixes_of_images(c, &c->sites[a], cell, end));
  return DCS_OK;
}

/* Of many atoms few are near to a point: threads look for parts that have any. */
dcs_status dcs_find_fixes(dcs_case *c) {
  enum { PARTS = 256, MANY = 20000 };
  bool any[PARTS];
  double cell[3];
  const int64_t n = c->n_sites;
  if (dcs_case_repeats(c, cell)) return find_fixes_in_cells(c, cell);
  if (n <= MANY) return find_fixes_of(c, 0, n);
#pragma omp parallel for
  for (int p = 0; p < PARTS; p++)
    any[p] = any_near(c, p * n / PARTS, (p + 1) * n / PARTS);
  for (int p = 0; p < PARTS; p++)
    if (any[p]) DCS_TRY(find_fixes_of(c, p * n / PARTS, (p + 1) * n / PARTS));
  return DCS_OK;
}

/* ---- their values ---- */

/* The value at a point alone. Most atoms are too far to count, which costs a distance to know. */
static double value_at(const dcs_case *c, const double point[3], double largest) {
  const double coincident = 1e-6 * c->spacing, reach = c->kind->reach(c) * (1 + 1e-9);
  dcs_sums sums = {0};
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    const double dx = point[0] - s->x, dy = point[1] - s->y, dz = point[2] - s->z;
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > reach * reach) continue;
    const double r = sqrt(r2);
    if (!(r < coincident)) c->kind->add(c, s, r, largest, &sums);
  }
  return sums.v;
}

/* Of images; NaN, which no verification lets pass, where memory is short. */
static void set_fixes_of_images(dcs_case *c, double largest) {
  const size_t n = (size_t)c->n_fixes;
  double(*points)[3] = malloc(n * sizeof *points);
  dcs_sums *sums = calloc(n, sizeof *sums);
  bool known = points && sums;
  for (int64_t i = 0; known && i < c->n_fixes; i++)
    dcs_case_point(c, c->fixes[i].index, points[i]);
  known =
      known && dcs_case_values(c, (const double(*)[3])points, c->n_fixes, largest, sums) == DCS_OK;
  for (int64_t i = 0; i < c->n_fixes; i++)
    c->fixes[i].value = known ? (float)sums[i].v : NAN;
  free(points);
  free(sums);
}

void dcs_set_fixes(dcs_case *c) {
  double cell[3];
  if (c->n_fixes == 0) return;
  const double largest = dcs_case_largest(c);
  if (dcs_case_repeats(c, cell)) {
    set_fixes_of_images(c, largest);
    return;
  }
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < c->n_fixes; i++) {
    double point[3];
    dcs_case_point(c, c->fixes[i].index, point);
    c->fixes[i].value = (float)value_at(c, point, largest);
  }
}

void dcs_apply_fixes(const dcs_fix *fixes, int64_t n, float *out) {
  for (int64_t i = 0; i < n; i++)
    out[fixes[i].index] = fixes[i].value;
}
