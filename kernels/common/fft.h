/* Fourier transforms in three dimensions on the CPU, for where no library has them: mixed radices,
 * plain code. */
#ifndef DCS_FFT_H
#define DCS_FFT_H

#include "kernels/contract.h"

/* Whether n >= 1 has no prime factors but 2, 3, 5 and 7; the smallest such number of at least n,
 * even where `even`. */
bool dcs_fft_has_length(int64_t n);
int64_t dcs_fft_length(int64_t n, bool even);

/* DCS_USAGE: a length has other factors. */
dcs_status dcs_fft_check(const dcs_fft *fft);
/* Computes it, in place where `to` is `from`. */
dcs_status dcs_fft_transform(const dcs_fft *fft, void *from, void *to);

#endif
