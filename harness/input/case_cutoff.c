/* A case whose problem has a cutoff. */
#include "harness/input/case.h"

#include <math.h>

double dcs_smoothing(const dcs_problem *problem, double r2) {
  const double c2 = (double)problem->cutoff * (double)problem->cutoff;
  if (!(r2 < c2)) return 0;
  double t = 1 - r2 / c2;
  return problem->smooth == DCS_SMOOTH_C2 ? t * t : 1;
}

/* Sum over the atoms within the cutoff, but those that coincide with the point. */
static double value_within(const dcs_case *c, const dcs_near *near) {
  const dcs_dims n = c->problem.n;
  const double x = c->spacing * (double)(near->index % n.x);
  const double y = c->spacing * (double)(near->index / n.x % n.y);
  const double z = c->spacing * (double)(near->index / n.x / n.y);
  const double coincident2 = 1e-12 * c->spacing * c->spacing;
  double v = 0;
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *site = &c->sites[a];
    double dx = x - site->x, dy = y - site->y, dz = z - site->z, r2 = dx * dx + dy * dy + dz * dz;
    double factor = dcs_smoothing(&c->problem, r2);
    if (factor > 0 && !(r2 < coincident2)) v += site->q * factor / sqrt(r2);
  }
  return v;
}

void dcs_case_set_cutoff(dcs_case *c, double cutoff, dcs_smooth smooth) {
  c->problem.cutoff = (float)cutoff;
  c->problem.smooth = smooth;
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < c->n_near; i++)
    c->near[i].within = (float)value_within(c, &c->near[i]);
}

typedef struct {
  int64_t first, end;
} range;

/* Points of n, h apart, that lie nearer than `half` to x. */
static range points_near(double x, double half, double h, int64_t n) {
  double first = fmax(floor((x - half) / h) + 1, 0);
  double last = fmin(ceil((x + half) / h) - 1, (double)(n - 1));
  return last >= first ? (range){(int64_t)first, (int64_t)last + 1} : (range){0, 0};
}

/* Points within the cutoff of one atom: a row of the sphere after another. */
static double points_within(const dcs_case *c, const dcs_site *site) {
  const double cutoff = (double)c->problem.cutoff, h = c->spacing;
  const dcs_dims n = c->problem.n;
  const range slices = points_near(site->z, cutoff, h, n.z);
  const range rows = points_near(site->y, cutoff, h, n.y);
  double points = 0;
  for (int64_t k = slices.first; k < slices.end; k++)
    for (int64_t j = rows.first; j < rows.end; j++) {
      double dz = h * (double)k - site->z, dy = h * (double)j - site->y;
      double left2 = cutoff * cutoff - dz * dz - dy * dy;
      if (left2 <= 0) continue;
      range row = points_near(site->x, sqrt(left2), h, n.x);
      points += (double)(row.end - row.first);
    }
  return points;
}

dcs_within dcs_pairs_within(const dcs_case *c) {
  double all = 0, charged = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : all, charged)
  for (int64_t a = 0; a < c->n_sites; a++) {
    double points = points_within(c, &c->sites[a]);
    all += points;
    if (c->sites[a].q != 0) charged += points;
  }
  return (dcs_within){all, charged};
}
