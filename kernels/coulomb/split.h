/* How the mesh method splits 1/r: a softened part M(r), which is 1/r from a distance a on, and what
 * is left of 1/r within a.
 *
 *     M(r) = 1/r * integral of f from 0 to r / integral of f from 0 to a
 *     f(t) = I0(beta sqrt(1 - t^2/a^2))
 *
 * In space M is that of a charge spread over a ball of radius a, so nothing is cut off at a, and
 * its transform is (4 pi/k^2) F(k a), F that of f, which has fallen by about exp(-beta) from k a =
 * beta on. Of all functions on -a..a that with the least behind a frequency is the prolate
 * spheroidal wave function, which f, the window of Kaiser and Bessel, is near to; Gaussians,
 * Ewald's choice, need a mesh almost twice as fine for the same error (Liang, Lu, Barnett,
 * Greengard and Jiang, "Accelerating fast Ewald summation with prolates for molecular dynamics
 * simulations", 2025). */
#ifndef DCS_SPLIT_H
#define DCS_SPLIT_H

typedef struct {
  double a;    /* angstrom */
  double beta; /* 1 or more */
} dcs_split;

/* M as a sum of Chebyshev's polynomials of 2 r^2/a^2 - 1, to 12 digits. */
enum { DCS_SPLIT_TERMS = 32 };
typedef struct {
  double a, term[DCS_SPLIT_TERMS];
} dcs_split_series;
dcs_split_series dcs_split_expand(const dcs_split *split);

/* M(r), 1/angstrom, of a dcs_split_series: a dcs_softened (radial.h). */
double dcs_split_softened(double r, const void *series);

/* F(k a), which is 1 at 0; k in 1/angstrom. */
double dcs_split_transform(const dcs_split *split, double k);

/* (1 - F(k a)) / k^2 where k goes to 0, angstrom^2. */
double dcs_split_spread(const dcs_split *split);

#endif
