#include "kernels/coulomb/cpu/mesh_lines.h"

#include "kernels/common/cpu.h"
#include "kernels/coulomb/mesh.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- what instruction sets instantiate ---- */

/* `width` is a constant where it is called from, so that a sum stays in a register. */
INLINE void sum_rows(const double *const *rows, const double *w, int width, int n, double *to) {
#pragma GCC ivdep
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma GCC unroll 12
    for (int j = 0; j < width; j++)
      sum += w[j] * rows[j][i];
    to[i] = sum;
  }
}

INLINE void add_any_rows(const double *const *rows, const double *w, int width, int n, double *to) {
  const double *fixed[DCS_MESH_MOST_ORDER];
  if (width <= DCS_MESH_MOST_ORDER)
    for (int j = 0; j < width; j++)
      fixed[j] = rows[j];
  if (width == 6)
    sum_rows(fixed, w, 6, n, to);
  else if (width == 8)
    sum_rows(fixed, w, 8, n, to);
  else if (width == 10)
    sum_rows(fixed, w, 10, n, to);
  else
    sum_rows(rows, w, width, n, to);
}

INLINE void spread_of(const double *wx, const double *wy, const double *wz, int order,
                      const int64_t *y, const int64_t *z, double q, double *at) {
  double x[DCS_MESH_MOST_ORDER];
  memcpy(x, wx, (size_t)order * sizeof *x);
  for (int k = 0; k < order; k++)
    for (int j = 0; j < order; j++) {
      const double by = q * wz[k] * wy[j];
      double *restrict row = at + z[k] + y[j];
      double sum[DCS_MESH_MOST_ORDER];
      for (int i = 0; i < order; i++)
        sum[i] = row[i] + by * x[i];
      for (int i = 0; i < order; i++)
        row[i] = sum[i];
    }
}

INLINE void spread_any(const double *wx, const double *wy, const double *wz, int order,
                       const int64_t *y, const int64_t *z, double q, double *at) {
  if (order == 6)
    spread_of(wx, wy, wz, 6, y, z, q, at);
  else if (order == 8)
    spread_of(wx, wy, wz, 8, y, z, q, at);
  else if (order == 10)
    spread_of(wx, wy, wz, 10, y, z, q, at);
  else
    spread_of(wx, wy, wz, order, y, z, q, at);
}

/* ---- instruction sets ---- */

#define LINES(name, target)                                                                        \
  target static void name##_rows(const double *const *rows, const double *w, int width, int n,     \
                                 double *to) {                                                     \
    add_any_rows(rows, w, width, n, to);                                                           \
  }                                                                                                \
  target static void name##_spread(const double *wx, const double *wy, const double *wz,           \
                                   int order, const int64_t *y, const int64_t *z, double q,        \
                                   double *at) {                                                   \
    spread_any(wx, wy, wz, order, y, z, q, at);                                                    \
  }                                                                                                \
  static const dcs_mesh_lines name = {name##_rows, name##_spread};

LINES(portable, )
#ifdef __x86_64__
LINES(avx2, __attribute__((target("avx2,fma"))))
LINES(avx512, __attribute__((target("avx512f,fma"))))
#endif

const dcs_mesh_lines *dcs_mesh_lines_of(int isa) {
#ifdef __x86_64__
  if (isa == DCS_CPU_AVX2) return &avx2;
  if (isa == DCS_CPU_AVX512) return &avx512;
#endif
  (void)isa;
  return &portable;
}
