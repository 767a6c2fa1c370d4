/* Sums of 1/r - P(r^2) within a cutoff, of atoms in and around a small grid, in double precision.
 * Include after cmocka.h. */
#ifndef DCS_TEST_SOFTENED_SUMS_H
#define DCS_TEST_SOFTENED_SUMS_H

#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/radial.h"

#include <math.h>
#include <stdlib.h>

enum { NX = 19, NY = 10, NZ = 9, POINTS = NX * NY * NZ, ATOMS = 700, IMAGES = 2 };

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

/* Cells as the grid spans, or of these edges. */
static inline void make_periodic(dcs_problem *p, const double cell[3]) {
  p->config.value[DCS_COULOMB_BOUNDARY] = DCS_BOUNDARY_PERIODIC;
  for (int d = 0; d < 3; d++)
    p->config.value[DCS_COULOMB_CELL_X + d] = cell[d];
}

/* Of periodic problems: the cell that the grid spans, one larger than it, one smaller. */
static const double periodic_cells[][3] = {{0, 0, 0}, {11, 8.3, 6.1}, {9.2, 4.1, 3.7}};
static const double periodic_cutoffs[] = {2.3, 4.4, 3.1};

/* A sum, its terms without signs, and how much 1/r moves with the coordinates. */
typedef struct {
  double sum, terms, moved;
} softened_sum;

static inline void add_at(const dcs_radial *radial, double q, const double away[3],
                          softened_sum *s) {
  const double u = 0x1p-24, c0 = dcs_radial_softened(radial, 0);
  const double r = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
  if (fabs(r - (double)radial->cutoff) < 1e-5)
    s->terms += fabs(1 / r - dcs_radial_softened(radial, r)) / u; /* in or out */
  if (r >= (double)radial->cutoff) return;
  s->sum += q * (1 / r - dcs_radial_softened(radial, r));
  s->terms += fabs(q) * (1 / r + 4 * c0);
  s->moved += fabs(q) / (r * r);
}

/* The sum at a point, with the nearest images of a periodic problem, and a bound of what rounding
 * may make of it: of r by the coordinates, of a term, of the additions. */
static inline double sum_at(const dcs_problem *p, const dcs_radial *radial, const int at[3],
                            double *most) {
  const double u = 0x1p-24, largest = 20, h = (double)p->spacing;
  const int side = dcs_periodic(p) ? 2 * IMAGES + 1 : 1, first = side / 2;
  double cell[3];
  softened_sum s = {0, 0, 0};
  dcs_cell_edges(p, cell);
  for (int64_t a = 0; a < p->n_inputs; a++)
    for (int i = 0; i < side * side * side; i++) {
      const int image[3] = {i % side - first, i / side % side - first, i / side / side - first};
      const double away[3] = {h * at[0] - (double)atoms[a].x - image[0] * cell[0],
                              h * at[1] - (double)atoms[a].y - image[1] * cell[1],
                              h * at[2] - (double)atoms[a].z - image[2] * cell[2]};
      add_at(radial, (double)atoms[a].q, away, &s);
    }
  *most = u * (16 * s.terms + 4 * largest * s.moved + 3 * s.terms * sqrt((double)p->n_inputs));
  return s.sum;
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
