#include "kernels/coulomb/split.h"

#include <math.h>

/* I0(beta sqrt(1 - t^2)) integrated over t from 0 to x, 0 <= x <= 1, by Gauss and Legendre's rule
 * on pieces that the integrand is smooth over. */
static double integral(double beta, double x) {
  static const double at[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                              0.8650633666889845, 0.9739065285171717};
  static const double weight[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820,
                                  0.1494513491505806, 0.0666713443086881};
  enum { PIECES = 4 };
  double sum = 0;
  for (int piece = 0; piece < PIECES; piece++)
    for (int i = 0; i < 10; i++) {
      const double sign = i < 5 ? 1 : -1;
      const double t = x / PIECES * (piece + 0.5 * (1 + sign * at[i % 5]));
      const double z2 = 0.25 * beta * beta * fmax(1 - t * t, 0);
      double term = 1, bessel = 1; /* the series of I0 */
      for (int n = 1; term > 1e-17 * bessel; n++) {
        term *= z2 / (n * n);
        bessel += term;
      }
      sum += weight[i % 5] * bessel;
    }
  return 0.5 * x / PIECES * sum;
}

dcs_split_series dcs_split_expand(const dcs_split *split) {
  enum { N = DCS_SPLIT_TERMS };
  dcs_split_series series = {.a = split->a};
  const double whole = split->a * integral(split->beta, 1), pi = acos(-1);
  for (int j = 0; j < N; j++) {
    const double angle = pi * (j + 0.5) / N, x = sqrt(0.5 * (1 + cos(angle)));
    const double value = integral(split->beta, x) / x / whole;
    for (int k = 0; k < N; k++)
      series.term[k] += (k ? 2.0 : 1.0) / N * value * cos(k * angle);
  }
  return series;
}

double dcs_split_softened(double r, const void *context) {
  const dcs_split_series *series = context;
  const double x = r / series->a, y = 2 * x * x - 1;
  if (x >= 1) return 1 / r;
  double next = 0, last = 0; /* Clenshaw's recurrence */
  for (int k = DCS_SPLIT_TERMS - 1; k > 0; k--) {
    const double term = 2 * y * next - last + series->term[k];
    last = next;
    next = term;
  }
  return y * next - last + series->term[0];
}

double dcs_split_transform(const dcs_split *split, double k) {
  const double beta = split->beta, s = beta * beta - k * k * split->a * split->a;
  const double root = sqrt(fabs(s)), whole = (1 - exp(-2 * beta)) / (2 * beta);
  if (root < 1e-6) return exp(-beta) / whole;
  /* sinh(root) / root and sinh(beta) / beta without their growth */
  if (s > 0) return exp(root - beta) * (1 - exp(-2 * root)) / (2 * root) / whole;
  return exp(-beta) * sin(root) / root / whole;
}

double dcs_split_spread(const dcs_split *split) {
  const double beta = split->beta;
  return split->a * split->a * (1 / tanh(beta) - 1 / beta) / (2 * beta);
}
