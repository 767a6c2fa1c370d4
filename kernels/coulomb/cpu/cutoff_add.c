/* Atoms outside, and for each the rows of points that its sphere crosses. */
#include "kernels/coulomb/cpu/cutoff.h"

#include <math.h>

/* Points first..end-1 of a dimension. */
typedef struct {
  int64_t first, end;
} reach;

/* The points of a dimension of n that may lie nearer than c to the coordinate; up to one point more
 * than do at either side, so that no rounding leaves one out. */
static reach points_within(double coordinate, double c, double spacing, int64_t n) {
  double first = floor((coordinate - c) / spacing), end = ceil((coordinate + c) / spacing) + 1.0;
  return (reach){(int64_t)fmin(fmax(first, 0.0), (double)n),
                 (int64_t)fmin(fmax(end, 0.0), (double)n)};
}

/* dyz2: squared distance from the row to the atom in y and z. Without branches, so that compilers
 * take several points at a time. */
static void add_to_row(const dcs_problem *p, const dcs_atom *atom, float dyz2, float *row) {
  const float c2 = dcs_cutoff(p) * dcs_cutoff(p), spacing = p->spacing;
  const float slope = dcs_switched(p) ? 1.0f / c2 : 0.0f;
  const float x = atom->x, q = atom->q;
  /* the row's part of the sphere, and a little more: the comparison below decides */
  const double half = sqrt(fmax((double)c2 - (double)dyz2, 0.0)) + 1e-3 * (double)dcs_cutoff(p);
  const reach points = points_within((double)x, half, (double)spacing, p->n.x);
  const int first = (int)points.first, end = (int)points.end;
#pragma GCC ivdep
  for (int i = first; i < end; i++) {
    float dx = (float)i * spacing - x;
    float r2 = dx * dx + dyz2;
    float s = 1.0f - r2 * slope;
    float term = q / sqrtf(r2) * (s * s);
    row[i] += r2 < c2 ? term : 0.0f;
  }
}

void dcs_cpu_cutoff_add(const dcs_problem *p, float *map) {
  double c = (double)dcs_cutoff(p), h = (double)p->spacing;
  for (int64_t a = 0; a < p->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(p)[a];
    reach y = points_within((double)atom->y, c, h, p->n.y);
    reach z = points_within((double)atom->z, c, h, p->n.z);
    for (int64_t k = z.first; k < z.end; k++)
      for (int64_t j = y.first; j < y.end; j++) {
        float dy = (float)j * p->spacing - atom->y;
        float dz = (float)k * p->spacing - atom->z;
        float dyz2 = dy * dy + dz * dz;
        if (dyz2 < dcs_cutoff(p) * dcs_cutoff(p))
          add_to_row(p, atom, dyz2, map + (k * p->n.y + j) * p->n.x);
      }
  }
}
