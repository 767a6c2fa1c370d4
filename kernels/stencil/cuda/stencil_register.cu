/* cuda_stencil_register: a thread takes a column of points up through the grid; the five cells in z
 * stay in registers, those in x come from the other threads of the warp.
 *
 * Idea: each value of c is loaded for its own point and for four others, in y; the rest are moves.
 *   The flux through a cell's upper face is that through the next one's lower: in z the thread
 * keeps it, in x the next lane has it. The last lane of a warp computes both of its faces, and the
 * first two and the last load what no lane has. Derives from: cuda_stencil_naive. Per point: 4
 * fluxes of 13 operations (7 points: 8), 8 more; loads: 5 of c, 8 coefficients, 13 in place of 25;
 * 4 shuffles. A block begins with 4 slices of c and the lower faces. Parameters: block_x, a
 * multiple of 32, block_y, product up to 1024; depth, points of a thread in z. Limits: at most
 * 65,535 blocks in y and z. */

#include "kernels/stencil/cuda/stencil.cuh"

#define ALL_LANES 0xffffffffu

/* The difference of the fluxes in x. */
template <int POINTS>
static __device__ __forceinline__ float along_x(float m, const float *row, const float *u,
                                                const float *kx, int i, int nx) {
  const int lane = threadIdx.x % 32;
  float mm = __shfl_up_sync(ALL_LANES, m, 1), mmm = __shfl_up_sync(ALL_LANES, m, 2);
  float p = __shfl_down_sync(ALL_LANES, m, 1);
  if (lane < 2) mmm = row[inside(i - 2, nx)];
  if (lane == 0) mm = row[inside(i - 1, nx)];
  if (lane == 31) p = row[inside(i + 1, nx)];
  const int face = min(i, nx); /* where a row ends the next begins with a wall */
  float lower = flux<POINTS>(mmm, mm, m, p, u[face], kx[face]);
  float upper = __shfl_down_sync(ALL_LANES, lower, 1);
  if (lane == 31) {
    const int next = min(i + 1, nx);
    upper = flux<POINTS>(mm, m, p, row[inside(i + 2, nx)], u[next], kx[next]);
  }
  return upper - lower;
}

template <int POINTS>
static __device__ __forceinline__ void
advance(float *out, const float *c, const float *u, const float *v, const float *w, const float *kx,
        const float *ky, const float *kz, int nx, int ny, int n, int first, stencil s) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (j >= ny) return; /* whole warps */
  const int own = min(i, nx - 1);
  const long long slice = (long long)nx * ny, row = (long long)j * nx;
  const int begin = blockIdx.z * DEPTH, end = min(begin + DEPTH, n);
  const float *column = c + row + own;
  const long long ymm = (long long)(inside(j - 2, ny) - j) * nx,
                  ym = (long long)(inside(j - 1, ny) - j) * nx;
  const long long yp = (long long)(inside(j + 1, ny) - j) * nx,
                  ypp = (long long)(inside(j + 2, ny) - j) * nx;
  int k = first + begin;
  long long at = k * slice;
  float mm = column[inside(k - 1, s.nz) * slice], m = column[at];
  float p = column[inside(k + 1, s.nz) * slice], pp;
  float lower = flux_z<POINTS>(column[inside(k - 2, s.nz) * slice], mm, m, p, w[at + row + own],
                               kz[at + row + own]);
#pragma unroll UNROLL
  for (int step = begin; step < end; step++, k++, at += slice) {
    const long long here = at + row + own;
    pp = column[inside(k + 2, s.nz) * slice];
    float upper = flux_z<POINTS>(mm, m, p, pp, w[here + slice], kz[here + slice]);
    float x = along_x<POINTS>(m, c + at + row, u + at + row, kx + at + row, i, nx);
    float below = c[here + ym], above = c[here + yp];
    float y = flux<POINTS>(below, m, above, c[here + ypp], v[here + nx], ky[here + nx]) -
              flux<POINTS>(c[here + ymm], below, m, above, v[here], ky[here]);
    if (i < nx)
      out[(long long)step * slice + row + i] = m - s.step * (x + y + (upper - lower) + s.decay * m);
    lower = upper;
    mm = m;
    m = p;
    p = pp;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *__restrict__ out, const float *__restrict__ c, const float *__restrict__ u,
        const float *__restrict__ v, const float *__restrict__ w, const float *__restrict__ kx,
        const float *__restrict__ ky, const float *__restrict__ kz, int nx, int ny, int n,
        int first, stencil s) {
  if (s.points == 13)
    advance<13>(out, c, u, v, w, kx, ky, kz, nx, ny, n, first, s);
  else if (s.points == 12)
    advance<12>(out, c, u, v, w, kx, ky, kz, nx, ny, n, first, s);
  else
    advance<7>(out, c, u, v, w, kx, ky, kz, nx, ny, n, first, s);
}
