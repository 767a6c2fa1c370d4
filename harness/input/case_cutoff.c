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

/* Points first..last of n, h apart, that lie nearer than `half` to x. */
static double points_between(double x, double half, double h, int64_t n) {
  double first = fmax(floor((x - half) / h) + 1, 0);
  double last = fmin(ceil((x + half) / h) - 1, (double)(n - 1));
  return last >= first ? last - first + 1 : 0;
}

/* Points within the cutoff of one atom: a row of the sphere after another. */
static double points_within(const dcs_case *c, const dcs_site *site) {
  const double cutoff = (double)c->problem.cutoff, h = c->spacing;
  const dcs_dims n = c->problem.n;
  double points = 0;
  double k_first = fmax(floor((site->z - cutoff) / h), 0);
  double k_last = fmin(ceil((site->z + cutoff) / h), (double)(n.z - 1));
  double j_first = fmax(floor((site->y - cutoff) / h), 0);
  double j_last = fmin(ceil((site->y + cutoff) / h), (double)(n.y - 1));
  for (double k = k_first; k <= k_last; k++)
    for (double j = j_first; j <= j_last; j++) {
      double dz = h * k - site->z, dy = h * j - site->y;
      double left2 = cutoff * cutoff - dz * dz - dy * dy;
      if (left2 > 0) points += points_between(site->x, sqrt(left2), h, n.x);
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
