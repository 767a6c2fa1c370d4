#include "kernels/common/fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 64, LARGEST = 7 };

/* ---- lengths ---- */

/* Closed by 1; false: there are others than 2, 3, 5 and 7. */
static bool find_factors(int64_t n, int factors[MOST_FACTORS]) {
  int found = 0;
  for (int p = 2; p <= LARGEST; p++)
    for (; n % p == 0; n /= p)
      factors[found++] = p;
  factors[found] = 1;
  return n == 1;
}

bool dcs_fft_has_length(int64_t n) {
  int factors[MOST_FACTORS];
  return find_factors(n, factors);
}

int64_t dcs_fft_length(int64_t n, bool even) {
  while (!dcs_fft_has_length(n) || (even && n % 2 == 1))
    n++;
  return n;
}

/* ---- in each precision ---- */

#define FFT_REAL  float
#define FFT(name) name##_float
#include "kernels/common/fft_lines.h"
#undef FFT_REAL
#undef FFT
#define FFT_REAL  double
#define FFT(name) name##_double
#include "kernels/common/fft_lines.h"

dcs_status dcs_fft_check(const dcs_fft *fft) {
  const int64_t n[3] = {fft->n.x, fft->n.y, fft->n.z};
  for (int d = 0; d < 3; d++)
    if (!dcs_fft_has_length(n[d]))
      return dcs_fail(DCS_USAGE,
                      "a Fourier transform of length %lld; expected one without prime factors but "
                      "2, 3, 5 and 7",
                      (long long)n[d]);
  return DCS_OK;
}

dcs_status dcs_fft_transform(const dcs_fft *fft, void *from, void *to) {
  DCS_TRY(dcs_fft_check(fft));
  bool done = fft->doubles ? transform_double(fft, from, to) : transform_float(fft, from, to);
  return done ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for a Fourier transform");
}
