#include "harness/problems/common.h"

#include <math.h>

const char *const dcs_map_axes[] = {"atoms", "nx", "ny", "nz"};
const dcs_dimension dcs_map_dimensions[] = {{"atoms", "atoms", 0, 1}, {"grid", "points", 1, 3}};

const char *const dcs_atom_axes[] = {"atoms"};
const dcs_dimension dcs_atom_dimensions[] = {{"atoms", "atoms", 0, 1}};

const char *const dcs_grid_axes[] = {"nx", "ny", "nz"};
const dcs_dimension dcs_grid_dimensions[] = {{"grid", "points", 0, 3}};

int64_t dcs_one_an_atom(const dcs_problem *problem) {
  return problem->n.x;
}

double dcs_reaches_all(const dcs_case *c) {
  (void)c;
  return INFINITY;
}

typedef struct {
  int64_t first, end;
} range;

/* Points of n, h apart, that lie nearer than `half` to x, or (closed) as near. */
static range points_near(double x, double half, double h, int64_t n, bool closed) {
  double first = closed ? ceil((x - half) / h) : floor((x - half) / h) + 1;
  double last = closed ? floor((x + half) / h) : ceil((x + half) / h) - 1;
  first = fmax(first, 0);
  last = fmin(last, (double)(n - 1));
  return last >= first ? (range){(int64_t)first, (int64_t)last + 1} : (range){0, 0};
}

/* A row of the ball after another. */
double dcs_points_in_ball(const dcs_case *c, const dcs_site *site, double radius, bool closed) {
  const double h = c->spacing;
  const dcs_dims n = c->problem.n;
  const range slices = points_near(site->z, radius, h, n.z, closed);
  const range rows = points_near(site->y, radius, h, n.y, closed);
  double points = 0;
  for (int64_t k = slices.first; k < slices.end; k++)
    for (int64_t j = rows.first; j < rows.end; j++) {
      double dz = h * (double)k - site->z, dy = h * (double)j - site->y;
      double left2 = radius * radius - dz * dz - dy * dy;
      if (left2 < 0) continue;
      range row = points_near(site->x, sqrt(left2), h, n.x, closed);
      points += (double)(row.end - row.first);
    }
  return points;
}
