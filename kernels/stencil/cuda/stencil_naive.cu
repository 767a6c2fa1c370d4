/* cuda_stencil_naive: a thread per grid point, which reads all that its stencil needs from global
 * memory; what neighbours read, too, comes from the caches.
 *
 * Idea: the baseline. Of 13 points a thread loads 25 values and stores 1, where 8 are new to the
 *   card: the L1 cache serves x and y, the L2 cache z, as long as a few slices of all fields fit
 * it. Per point: 6 fluxes of 13 operations (7 points: 8), 8 more; loads: 25 of 4 bytes, two
 * coalesced ones of x for each field that is read at i + 1. Parameters: block_x, block_y, threads
 * of a block, product 1..1024. Limits: at most 65,535 blocks in y and slices. */

#include "kernels/stencil/cuda/stencil.cuh"

template <int POINTS>
static __device__ __forceinline__ float
advance(const float *c, const float *u, const float *v, const float *w, const float *kx,
        const float *ky, const float *kz, int nx, int ny, int i, int j, int k, stencil s) {
  const long long slice = (long long)nx * ny, at = k * slice + (long long)j * nx + i;
  const float *row = c + at - i, *column = row + i - (long long)j * nx, *pole = c + at - k * slice;
  float m = c[at];
  float xmm = row[inside(i - 2, nx)], xm = row[inside(i - 1, nx)];
  float xp = row[inside(i + 1, nx)], xpp = row[inside(i + 2, nx)];
  float ymm = column[(long long)inside(j - 2, ny) * nx],
        ym = column[(long long)inside(j - 1, ny) * nx];
  float yp = column[(long long)inside(j + 1, ny) * nx],
        ypp = column[(long long)inside(j + 2, ny) * nx];
  float zmm = POINTS == 13 ? pole[inside(k - 2, s.nz) * slice] : 0.0f;
  float zm = pole[inside(k - 1, s.nz) * slice];
  float zp = pole[inside(k + 1, s.nz) * slice], zpp = pole[inside(k + 2, s.nz) * slice];
  float x = flux<POINTS>(xm, m, xp, xpp, u[at + 1], kx[at + 1]) -
            flux<POINTS>(xmm, xm, m, xp, u[at], kx[at]);
  float y = flux<POINTS>(ym, m, yp, ypp, v[at + nx], ky[at + nx]) -
            flux<POINTS>(ymm, ym, m, yp, v[at], ky[at]);
  float z = flux_z<POINTS>(zm, m, zp, zpp, w[at + slice], kz[at + slice]) -
            flux_z<POINTS>(zmm, zm, m, zp, w[at], kz[at]);
  return m - s.step * (x + y + z + s.decay * m);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *__restrict__ out, const float *__restrict__ c, const float *__restrict__ u,
        const float *__restrict__ v, const float *__restrict__ w, const float *__restrict__ kx,
        const float *__restrict__ ky, const float *__restrict__ kz, int nx, int ny, int n,
        int first, stencil s) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int k = first + (int)blockIdx.z;
  if (i >= nx || j >= ny || (int)blockIdx.z >= n) return;
  float value;
  if (s.points == 13)
    value = advance<13>(c, u, v, w, kx, ky, kz, nx, ny, i, j, k, s);
  else if (s.points == 12)
    value = advance<12>(c, u, v, w, kx, ky, kz, nx, ny, i, j, k, s);
  else
    value = advance<7>(c, u, v, w, kx, ky, kz, nx, ny, i, j, k, s);
  out[((long long)blockIdx.z * ny + j) * nx + i] = value;
}
