#include "kernels/coulomb/radial.h"

#include <math.h>

enum { MOST = DCS_RADIAL_MOST };

double dcs_radial_softened(const dcs_radial *radial, double r) {
  const double cutoff = (double)radial->cutoff;
  const double x = dcs_radial_of_w(radial) ? 1 - 2 * r * r / (cutoff * cutoff) : r * r;
  double value = 0;
  for (int i = radial->degree; i >= 0; i--)
    value = value * x + (double)radial->c[i];
  return value;
}

/* c(p + q y) in powers of y, by Horner's scheme of polynomials. */
static void substitute(double c[MOST + 1], int degree, double p, double q) {
  double made[MOST + 1] = {0};
  for (int i = degree; i >= 0; i--) {
    for (int j = degree; j > 0; j--)
      made[j] = made[j] * p + made[j - 1] * q;
    made[0] = made[0] * p + c[i];
  }
  for (int i = 0; i <= degree; i++)
    c[i] = made[i];
}

/* Of P in powers of p + q s with s = r^2/a^2. */
static dcs_radial store(double c[MOST + 1], double cutoff, int degree, double p, double q) {
  dcs_radial radial = {.cutoff = (float)cutoff, .degree = degree};
  if (dcs_radial_of_w(&radial))
    substitute(c, degree, p + 0.5 * q, -0.5 * q); /* s = (1 - w) / 2 */
  else
    substitute(c, degree, p, q / (cutoff * cutoff));
  for (int i = 0; i <= degree; i++)
    radial.c[i] = (float)c[i];
  return radial;
}

/* ---- fits ---- */

/* Coefficients of Chebyshev's polynomials of w that take the softened part's values at the nodes.
 */
static void interpolate(dcs_softened *softened, const void *context, double cutoff, int degree,
                        double a[MOST + 1]) {
  const int n = degree + 1;
  const double pi = acos(-1);
  for (int k = 0; k < n; k++)
    a[k] = 0;
  for (int j = 0; j < n; j++) {
    const double angle = pi * (j + 0.5) / n, s = 0.5 * (1 - cos(angle));
    const double value = softened(cutoff * sqrt(s), context);
    for (int k = 0; k < n; k++)
      a[k] += (k ? 2.0 : 1.0) / n * value * cos(k * angle);
  }
}

/* The same in powers of w: T(k+1) = 2 w T(k) - T(k-1). */
static void to_powers(const double a[MOST + 1], int degree, double c[MOST + 1]) {
  double before[MOST + 2] = {1}, now[MOST + 2] = {0, 1};
  for (int i = 0; i <= degree; i++)
    c[i] = a[0] * before[i] + a[1] * now[i];
  for (int k = 2; k <= degree; k++) {
    double next[MOST + 2];
    for (int i = 0; i <= k; i++)
      next[i] = (i ? 2 * now[i - 1] : 0) - before[i];
    for (int i = 0; i <= k; i++) {
      before[i] = now[i];
      now[i] = next[i];
      c[i] += a[k] * next[i];
    }
  }
}

/* The largest difference at many points, both ends among them; or one that is above `enough`. */
static double difference(dcs_softened *softened, const void *context, double enough,
                         const dcs_radial *radial) {
  enum { POINTS = 1000 };
  double largest = 0;
  for (int i = 0; i <= POINTS && largest <= enough; i++) {
    const double r = (double)radial->cutoff * sqrt((double)i / POINTS);
    largest = fmax(largest, fabs(dcs_radial_softened(radial, r) - softened(r, context)));
  }
  return largest;
}

static double fit(dcs_softened *softened, const void *context, double cutoff, int degree,
                  double enough, dcs_radial *radial) {
  double a[MOST + 1], c[MOST + 1];
  interpolate(softened, context, cutoff, degree, a);
  to_powers(a, degree, c);
  *radial = store(c, cutoff, degree, 1, -2);
  return difference(softened, context, enough, radial);
}

double dcs_radial_fit(dcs_softened *softened, const void *context, double cutoff, int degree,
                      dcs_radial *radial) {
  return fit(softened, context, cutoff, degree, INFINITY, radial);
}

double dcs_radial_fit_to(dcs_softened *softened, const void *context, double cutoff, int degree,
                         double error, dcs_radial *radial) {
  double found = INFINITY;
  for (; degree <= MOST && !(found <= error); degree++)
    found = fit(softened, context, cutoff, degree, degree < MOST ? error : INFINITY, radial);
  return found;
}

/* erf(alpha r)/r; near 0 the quotient is its limit to the last bit. */
static double softened_erf(double r, const void *context) {
  const double alpha = *(const double *)context;
  return alpha * r < 1e-8 ? 2 * alpha / sqrt(acos(-1)) : erf(alpha * r) / r;
}

double dcs_radial_erf(double alpha, double cutoff, double error, dcs_radial *radial) {
  return dcs_radial_fit_to(softened_erf, &alpha, cutoff, 1, error, radial);
}

/* With u = 1 - r^2/a^2, 1/r is (1 - u)^(-1/2) / a: coefficients follow each other by (i - 1/2) / i.
 */
void dcs_radial_taylor(double cutoff, int degree, dcs_radial *radial) {
  double c[MOST + 1] = {1 / cutoff};
  for (int i = 1; i <= degree; i++)
    c[i] = c[i - 1] * (i - 0.5) / i;
  *radial = store(c, cutoff, degree, 1, -1);
}
