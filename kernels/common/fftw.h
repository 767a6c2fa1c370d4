/* FFTW (Frigo and Johnson, Proc. IEEE 93 (2005) 216), which is opened at run time: the same program
 * runs with and without it. */
#ifndef DCS_FFTW_H
#define DCS_FFTW_H

#include <stdbool.h>
#include <stdint.h>

/* Whether FFTW in double precision is there; when not, names the package that brings it. The first
 * call opens it. */
bool dcs_fftw_available(char why[256]);

/* What transforms are made of: real values in place, x fastest. A row of n[0] values has room for
 * n[0] / 2 + 1 complex ones. */
typedef struct {
  void *layer[2], *lines[2]; /* plans: forward, backward */
  double *data;
  void *room; /* of the threads */
  int n[3], threads;
} dcs_fftw;

/* Values in a row in memory. */
static inline int dcs_fftw_row(int nx) {
  return 2 * (nx / 2 + 1);
}

/* Plans both transforms of `data`, which lies on a multiple of 16 bytes and is not touched; so many
 * threads share them, however many without a bit of difference. What is rounded depends on the
 * instruction sets of the CPU. False: it cannot be planned. The caller frees. */
bool dcs_fftw_plan(const int n[3], int threads, double *data, dcs_fftw *fftw);
/* Memory that it takes beside the data. */
double dcs_fftw_bytes(const int n[3], int threads);
void dcs_fftw_forward(const dcs_fftw *fftw);
/* Not divided by the number of values. */
void dcs_fftw_backward(const dcs_fftw *fftw);
void dcs_fftw_free(dcs_fftw *fftw);

#endif
