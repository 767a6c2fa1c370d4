/* Radial functions of short range sums: what is left of 1/r within a cutoff a when a softened 1/r,
 * which is smooth at 0, is subtracted:
 *
 *     1/r - P(r^2)   for r < a, else 0
 *
 * P is a polynomial. Methods that sum to a tolerance take the softened part on lattices or a mesh,
 * and differ in their P alone. */
#ifndef DCS_RADIAL_H
#define DCS_RADIAL_H

#include <stdbool.h>

/* The highest degree; up to the low one P is written in powers of r^2, which saves an operation and
 * where what cancels is less than a fit is off by; above in powers of w = 1 - 2 r^2/a^2. Of
 * erf(x)/x these have coefficients of one sign: nothing cancels in single precision. */
enum { DCS_RADIAL_MOST = 12, DCS_RADIAL_LOW = 7 };

typedef struct {
  float cutoff;                 /* a, angstrom */
  int degree;                   /* 1..DCS_RADIAL_MOST */
  float c[DCS_RADIAL_MOST + 1]; /* of the powers 0, 1, ...; above the degree 0 */
} dcs_radial;

/* A softened 1/r as a function of r, 1/angstrom: even in r, and smooth. */
typedef double dcs_softened(double r, const void *context);

/* The polynomial of that degree that is nearest to the softened part over 0..cutoff, to a factor
 * that is below 2 where it falls fast with the degree: the interpolation in Chebyshev's nodes.
 * Returns the largest difference, 1/angstrom, of the coefficients as floats. */
double dcs_radial_fit(dcs_softened *softened, const void *context, double cutoff, int degree,
                      dcs_radial *radial);

/* That of the lowest degree, from `degree` on, whose largest difference is at most `error`, or of
 * the highest; returns what it is. */
double dcs_radial_fit_to(dcs_softened *softened, const void *context, double cutoff, int degree,
                         double error, dcs_radial *radial);

/* Of erf(alpha r)/r, of the lowest degree whose largest difference is at most `error`, or of the
 * highest; returns what it is. 1 / alpha is in angstrom. */
double dcs_radial_erf(double alpha, double cutoff, double error, dcs_radial *radial);

/* Of the Taylor series of 1/r in r^2 about r = a, to that degree: its first derivatives, as many as
 * the degree, are those of 1/r at the cutoff (Hardy, Stone and Schulten, Parallel Computing 35
 * (2009) 164). Degree 2 is 15/8 - 5/4 s + 3/8 s^2 with s = r^2/a^2, over a. */
void dcs_radial_taylor(double cutoff, int degree, dcs_radial *radial);

/* P(r^2) in double precision, 1/angstrom; of atoms on a grid point P(0). */
double dcs_radial_softened(const dcs_radial *radial, double r);

/* Whether P is written in powers of w. */
static inline bool dcs_radial_of_w(const dcs_radial *radial) {
  return radial->degree > DCS_RADIAL_LOW;
}

#endif
