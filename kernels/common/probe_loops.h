/* The probes of one instruction set: included after tile.h, with whose vectors, reciprocal square
 * root and tile they are made. It needs beside what tile.h needs
 *
 *     TILE_OPAQUE(v)     hides from the compiler what register v holds, so that nothing computed
 *                        from it is computed once for all
 *
 * and defines tile_evals_loop, tile_rsqrt_loop and tile_fma_loop, initialisers of dcs_probe_loop.
 */

#include "kernels/common/probe.h"

/* Independent chains: more than two pipes times the latency of an operation; with the constants
 * they fit 16 registers. */
enum { PROBE_CHAINS = 12 };

#ifndef TILE_RSQRT
#define tile_evals_loop                                                                            \
  { 0, 0, NULL }
#define tile_rsqrt_loop tile_evals_loop
#define tile_fma_loop   tile_evals_loop
#else

TILE_INLINE double probe_mean(const float *values, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (double)values[i];
  return sum / n;
}

/* Atom at x = 2 with dy^2 + dz^2 = 2 and charge 2, in one register; point at x = 1. Each
 * evaluation adds 2 / sqrt(3). */
TILE_TARGET static double probe_evals(int64_t links) {
  tile_sums sums = {0};
  tile_vector x = sums.vector[0][0] + 1.0f, atom = sums.vector[0][0] + 2.0f;
  for (int64_t l = 0; l < links; l++) {
    tile_vector dx2[TILE_VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < TILE_VECTORS; v++) {
      TILE_OPAQUE(atom);
      tile_vector dx = x - atom;
      dx2[v] = dx * dx;
      TILE_SEPARATE(dx2[v]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 8
      for (int v = 0; v < TILE_VECTORS; v++) {
        TILE_OPAQUE(atom);
        sums.vector[r][v] += atom * TILE_RSQRT(dx2[v] + atom);
      }
  }
  return TILE_UNSCALE * probe_mean(sums.point[0], TILE_ROWS * TILE_WIDTH) / (double)links;
}

typedef union {
  tile_vector vector[PROBE_CHAINS];
  float value[PROBE_CHAINS * (TILE_BYTES / (int)sizeof(float))];
} probe_chains;

enum { PROBE_VALUES = PROBE_CHAINS * (TILE_BYTES / (int)sizeof(float)) };

/* Starts every chain at 1, unseen: chains known to be equal would be computed once. */
TILE_INLINE void probe_start(probe_chains *y) {
#pragma GCC unroll 12
  for (int c = 0; c < PROBE_CHAINS; c++) {
    tile_vector one = {0};
    one += 1.0f;
    TILE_OPAQUE(one);
    y->vector[c] = one;
  }
}

/* y = s / sqrt(y), s = 1 / TILE_UNSCALE, again and again: y^3 becomes s^2. */
TILE_TARGET static double probe_rsqrt(int64_t links) {
  probe_chains y;
  probe_start(&y);
  for (int64_t l = 0; l < links; l++)
#pragma GCC unroll 12
    for (int c = 0; c < PROBE_CHAINS; c++)
      y.vector[c] = TILE_RSQRT(y.vector[c]);
  double mean = probe_mean(y.value, PROBE_VALUES) * TILE_UNSCALE;
  return mean * mean * mean / TILE_UNSCALE; /* y^3 / s^2 */
}

/* y = y / 2 + 1 again and again: y becomes 2. */
TILE_TARGET static double probe_fma(int64_t links) {
  probe_chains y;
  probe_start(&y);
  tile_vector half = y.vector[0] * 0.5f, one = y.vector[0];
  TILE_OPAQUE(half);
  TILE_OPAQUE(one);
  for (int64_t l = 0; l < links; l++)
#pragma GCC unroll 12
    for (int c = 0; c < PROBE_CHAINS; c++)
      y.vector[c] = y.vector[c] * half + one;
  return probe_mean(y.value, PROBE_VALUES);
}

#define tile_evals_loop                                                                            \
  { TILE_ROWS *TILE_WIDTH, 1.1547005383792515, probe_evals }
#define tile_rsqrt_loop                                                                            \
  { PROBE_VALUES, 1, probe_rsqrt }
#define tile_fma_loop                                                                              \
  { PROBE_VALUES, 2, probe_fma }

#endif
