/* Sums of 1/r - P(r^2) within a cutoff, of atoms in and around a small grid, in double precision.
 * Include after cmocka.h. */
#ifndef DCS_TEST_SOFTENED_SUMS_H
#define DCS_TEST_SOFTENED_SUMS_H

#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/radial.h"

#include <math.h>
#include <stdlib.h>

enum { NX = 19, NY = 10, NZ = 9, POINTS = NX * NY * NZ, ATOMS = 700 };

static dcs_atom atoms[ATOMS];
static float map[POINTS];

/* In the box of the grid and up to an angstrom around it. */
static inline int place_atoms(void **state) {
  (void)state;
  srand(5);
  for (int a = 0; a < ATOMS; a++)
    atoms[a] = (dcs_atom){(float)rand() / (float)RAND_MAX * 11 - 1,
                          (float)rand() / (float)RAND_MAX * 6.5f - 1,
                          (float)rand() / (float)RAND_MAX * 6 - 1, a % 2 ? 0.6f : -0.8f};
  return 0;
}

static inline dcs_problem problem_of(int n_atoms) {
  return (dcs_problem){.input = {atoms}, .n_inputs = n_atoms, .n = {NX, NY, NZ}, .spacing = 0.5f};
}

/* The sum at a point, and a bound of what rounding may make of it: of r by the coordinates, of a
 * term, of the additions. */
static inline double sum_at(const dcs_problem *p, const dcs_radial *radial, const int at[3],
                            double *most) {
  const double u = 0x1p-24, largest = 12, c0 = dcs_radial_softened(radial, 0);
  double sum = 0, terms = 0, moved = 0;
  for (int64_t a = 0; a < p->n_inputs; a++) {
    const double h = (double)p->spacing, q = (double)atoms[a].q;
    const double dx = h * at[0] - (double)atoms[a].x, dy = h * at[1] - (double)atoms[a].y;
    const double dz = h * at[2] - (double)atoms[a].z, r = sqrt(dx * dx + dy * dy + dz * dz);
    if (fabs(r - (double)radial->cutoff) < 1e-5)
      terms += fabs(1 / r - dcs_radial_softened(radial, r)) / u; /* in or out */
    if (r >= (double)radial->cutoff) continue;
    sum += q * (1 / r - dcs_radial_softened(radial, r));
    terms += fabs(q) * (1 / r + 4 * c0);
    moved += fabs(q) / (r * r);
  }
  *most = u * (16 * terms + 4 * largest * moved + 3 * terms * sqrt((double)p->n_inputs));
  return sum;
}

static inline void expect_sums(const dcs_problem *p, const dcs_radial *radial, float before) {
  for (int i = 0; i < POINTS; i++) {
    double most;
    const double sum = sum_at(p, radial, (int[]){i % NX, i / NX % NY, i / NX / NY}, &most);
    if (!(fabs((double)map[i] - ((double)before + sum)) <= most + 1e-7 * (double)before))
      fail_msg("degree %d, cutoff %g, point %d: %.9g; expected %.9g within %g", radial->degree,
               (double)radial->cutoff, i, (double)map[i], (double)before + sum, most);
  }
}

#endif
