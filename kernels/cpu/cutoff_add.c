/* Atoms outside, and for each the points of the box around its sphere. */
#include "kernels/cpu/cutoff.h"

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

/* dyz2: squared distance from the row to the atom in y and z. */
static void add_to_row(const dcs_problem *p, const dcs_atom *atom, float dyz2, reach x,
                       float *row) {
  float c2 = p->cutoff * p->cutoff;
  for (int64_t i = x.first; i < x.end; i++) {
    float dx = (float)i * p->spacing - atom->x;
    float r2 = dx * dx + dyz2;
    if (!(r2 < c2)) continue;
    float s = p->smooth == DCS_SMOOTH_C2 ? 1.0f - r2 / c2 : 1.0f;
    row[i] += atom->q * (1.0f / sqrtf(r2)) * (s * s);
  }
}

void dcs_cpu_cutoff_add(const dcs_problem *p, float *map) {
  double c = (double)p->cutoff, h = (double)p->spacing;
  for (int64_t a = 0; a < p->n_atoms; a++) {
    const dcs_atom *atom = &p->atoms[a];
    reach x = points_within((double)atom->x, c, h, p->n.x);
    reach y = points_within((double)atom->y, c, h, p->n.y);
    reach z = points_within((double)atom->z, c, h, p->n.z);
    for (int64_t k = z.first; k < z.end; k++)
      for (int64_t j = y.first; j < y.end; j++) {
        float dy = (float)j * p->spacing - atom->y;
        float dz = (float)k * p->spacing - atom->z;
        add_to_row(p, atom, dy * dy + dz * dz, x, map + (k * p->n.y + j) * p->n.x);
      }
  }
}
