/* FFTW (Frigo and Johnson, Proc. IEEE 93 (2005) 216), which is opened at run time: the same program
 * runs with and without it. */
#ifndef DCS_FFTW_H
#define DCS_FFTW_H

#include <stdbool.h>

/* Whether FFTW in double precision is there; when not, names the package that brings it. The first
 * call opens it. */
bool dcs_fftw_available(char why[256]);

/* What transforms are made of: real values in place, x fastest. A row of n[0] values has room for
 * n[0] / 2 + 1 complex ones. */
typedef struct {
  void *forward, *backward;
  double *data;
} dcs_fftw;

/* Values in a row in memory. */
static inline int dcs_fftw_row(int nx) {
  return 2 * (nx / 2 + 1);
}

/* Plans both transforms of `data`, which is not touched; threads share them where FFTW's library of
 * threads is there, too. What a plan rounds depends on how many these are and on the CPU's
 * instruction sets. False: it cannot be planned. The caller frees. */
bool dcs_fftw_plan(const int n[3], int threads, double *data, dcs_fftw *fftw);
void dcs_fftw_forward(const dcs_fftw *fftw);
/* Not divided by the number of values. */
void dcs_fftw_backward(const dcs_fftw *fftw);
void dcs_fftw_free(dcs_fftw *fftw);

#endif
