/* cuda_stencil_register: a thread takes a column of `coarsen` points of a row up through the grid;
 * the cells in z stay in registers, those in x come from the other threads of the warp.
 *
 * Idea: each value of c is loaded for its own point and for four others, in y; the rest are moves.
 *   The flux through a cell's upper face is that through the next one's lower: in z the thread
 * keeps it, in x the next lane has it. The last lane of a warp computes both of its faces, and the
 * first and the last load what no lane has. Several points a thread are loaded at once, 16 bytes of
 *   4: what binds is how many bytes are on their way, and that takes fewer threads and requests.
 *   What is stored is not read again, and leaves the caches first.
 * Derives from: cuda_stencil_naive.
 * Per point: 4 fluxes of 13 operations (7 points: 8), 8 more; loads: 5 of c, 8 coefficients, 13 in
 *   place of 25, a coarsen-th of them instructions; 4 / coarsen shuffles. A block begins with 3
 *   slices of c and the lower faces.
 * Parameters: block_x, a multiple of 32, block_y, product up to 1024; coarsen (1, 2, 4), depth,
 *   points of a thread in z; resident, threads of an SM that registers are shared out among.
 * Limits: at most 65,535 blocks in y and z; where nx is no multiple of coarsen, points are loaded
 * one by one. */

#include "kernels/stencil/cuda/stencil.cuh"

#define ALL_LANES 0xffffffffu

/* Of an SM. */
#define BLOCKS (RESIDENT >= BLOCK_X * BLOCK_Y ? RESIDENT / (BLOCK_X * BLOCK_Y) : 1)

#if COARSEN == 4
typedef float4 vector;
#elif COARSEN == 2
typedef float2 vector;
#else
typedef float vector;
#endif

/* The points of a thread. */
struct cells {
  float at[COARSEN];
};

static __device__ __forceinline__ cells split(vector v) {
#if COARSEN == 4
  return {{v.x, v.y, v.z, v.w}};
#elif COARSEN == 2
  return {{v.x, v.y}};
#else
  return {{v}};
#endif
}

static __device__ __forceinline__ vector joined(const cells &c) {
#if COARSEN == 4
  return make_float4(c.at[0], c.at[1], c.at[2], c.at[3]);
#elif COARSEN == 2
  return make_float2(c.at[0], c.at[1]);
#else
  return c.at[0];
#endif
}

/* Those of the row from i on; beyond n - 1 the last one. WHOLE: they are inside and aligned, or
 * none of them counts. */
template <bool WHOLE>
static __device__ __forceinline__ cells load(const float *__restrict__ row, int i, int n) {
  cells c;
  if (WHOLE)
    c = split(*(const vector *)(row + min(i, n - COARSEN)));
  else
    for (int e = 0; e < COARSEN; e++)
      c.at[e] = row[min(i + e, n - 1)];
  return c;
}

/* The differences of the fluxes in x. */
template <int POINTS, bool WHOLE>
static __device__ __forceinline__ cells along_x(const cells &m, const float *__restrict__ row,
                                                const float *__restrict__ u,
                                                const float *__restrict__ kx, int i, int nx) {
  const int lane = threadIdx.x % 32;
  const bool last = i + COARSEN >= nx;
  float c[COARSEN + 3]; /* from cell i - 2 on */
  c[0] = COARSEN > 1 ? __shfl_up_sync(ALL_LANES, m.at[COARSEN > 1 ? COARSEN - 2 : 0], 1)
                     : __shfl_up_sync(ALL_LANES, m.at[0], 2);
  c[1] = __shfl_up_sync(ALL_LANES, m.at[COARSEN - 1], 1);
  c[COARSEN + 2] = __shfl_down_sync(ALL_LANES, m.at[0], 1);
  if (lane == 0 || (COARSEN == 1 && lane == 1)) c[0] = row[inside(i - 2, nx)];
  if (lane == 0) c[1] = row[inside(i - 1, nx)];
  if (lane == 31 || last) c[COARSEN + 2] = row[inside(i + COARSEN, nx)];
  /* A face n is the wall that the next row begins with. */
  const cells un = load<WHOLE>(u, i, WHOLE ? nx : nx + 1),
              kn = load<WHOLE>(kx, i, WHOLE ? nx : nx + 1);
  cells lower;
  for (int e = 0; e < COARSEN; e++) {
    c[e + 2] = m.at[e];
    lower.at[e] = 0.0f;
  }
  for (int e = 0; e < COARSEN; e++)
    lower.at[e] = flux<POINTS>(c[e], c[e + 1], c[e + 2], c[e + 3], un.at[e], kn.at[e]);
  float upper = __shfl_down_sync(ALL_LANES, lower.at[0], 1);
  if (lane == 31) {
    const int face = min(i + COARSEN, nx);
    upper = flux<POINTS>(c[COARSEN], c[COARSEN + 1], c[COARSEN + 2],
                         row[inside(i + COARSEN + 1, nx)], u[face], kx[face]);
  }
  if (last) upper = 0.0f;
  cells difference;
  for (int e = 0; e < COARSEN; e++)
    difference.at[e] =
        (e + 1 < COARSEN ? lower.at[e + 1 < COARSEN ? e + 1 : 0] : upper) - lower.at[e];
  return difference;
}

/* The pointers of a thread's row, in slice 0. */
struct rows {
  const float *c, *u, *v, *w, *kx, *ky, *kz;
  long long below2, below, above, above2; /* to the rows beside, in the slice */
};

template <int POINTS, bool WHOLE>
static __device__ __forceinline__ cells along_y(const cells &m, const rows &r, long long at, int i,
                                                int nx) {
  const cells mm = load<WHOLE>(r.c + at + r.below2, i, nx),
              lm = load<WHOLE>(r.c + at + r.below, i, nx);
  const cells p = load<WHOLE>(r.c + at + r.above, i, nx),
              pp = load<WHOLE>(r.c + at + r.above2, i, nx);
  const cells v = load<WHOLE>(r.v + at, i, nx), v1 = load<WHOLE>(r.v + at + nx, i, nx);
  const cells k = load<WHOLE>(r.ky + at, i, nx), k1 = load<WHOLE>(r.ky + at + nx, i, nx);
  cells difference;
  for (int e = 0; e < COARSEN; e++)
    difference.at[e] = flux<POINTS>(lm.at[e], m.at[e], p.at[e], pp.at[e], v1.at[e], k1.at[e]) -
                       flux<POINTS>(mm.at[e], lm.at[e], m.at[e], p.at[e], v.at[e], k.at[e]);
  return difference;
}

template <int POINTS>
static __device__ __forceinline__ cells along_z(const cells &mm, const cells &m, const cells &p,
                                                const cells &pp, const cells &w, const cells &k) {
  cells face;
  for (int e = 0; e < COARSEN; e++)
    face.at[e] = flux_z<POINTS>(mm.at[e], m.at[e], p.at[e], pp.at[e], w.at[e], k.at[e]);
  return face;
}

template <bool WHOLE>
static __device__ __forceinline__ void store(float *row, const cells &c, int i, int nx) {
  if (WHOLE) {
    if (i < nx) __stcs((vector *)(row + i), joined(c));
  } else {
    for (int e = 0; e < COARSEN; e++)
      if (i + e < nx) row[i + e] = c.at[e];
  }
}

/* Up to DEPTH slices from `first` on, of which the launch's begin with `out`. */
template <int POINTS, bool WHOLE>
static __device__ __forceinline__ void advance(float *__restrict__ out, const rows &r, int nx,
                                               long long slice, int first, int n, int i,
                                               stencil s) {
  long long at = first * slice;
  cells mm = load<WHOLE>(r.c + inside(first - 1, s.nz) * slice, i, nx);
  cells m = load<WHOLE>(r.c + at, i, nx);
  cells p = load<WHOLE>(r.c + inside(first + 1, s.nz) * slice, i, nx);
  cells lower = along_z<POINTS>(load<WHOLE>(r.c + inside(first - 2, s.nz) * slice, i, nx), mm, m, p,
                                load<WHOLE>(r.w + at, i, nx), load<WHOLE>(r.kz + at, i, nx));
#pragma unroll 1
  for (int k = first; k < first + n; k++, at += slice, out += slice) {
    const cells pp = load<WHOLE>(r.c + inside(k + 2, s.nz) * slice, i, nx);
    const cells upper = along_z<POINTS>(mm, m, p, pp, load<WHOLE>(r.w + at + slice, i, nx),
                                        load<WHOLE>(r.kz + at + slice, i, nx));
    const cells x = along_x<POINTS, WHOLE>(m, r.c + at, r.u + at, r.kx + at, i, nx);
    const cells y = along_y<POINTS, WHOLE>(m, r, at, i, nx);
    cells after;
    for (int e = 0; e < COARSEN; e++)
      after.at[e] =
          m.at[e] - s.step * (x.at[e] + y.at[e] + (upper.at[e] - lower.at[e]) + s.decay * m.at[e]);
    store<WHOLE>(out, after, i, nx);
    lower = upper;
    mm = m;
    m = p;
    p = pp;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, BLOCKS)
    dcs(float *__restrict__ out, const float *__restrict__ c, const float *__restrict__ u,
        const float *__restrict__ v, const float *__restrict__ w, const float *__restrict__ kx,
        const float *__restrict__ ky, const float *__restrict__ kz, int nx, int ny, int slices,
        int first, stencil s) {
  const int i = (blockIdx.x * BLOCK_X + threadIdx.x) * COARSEN;
  const int j = blockIdx.y * BLOCK_Y + threadIdx.y, begin = blockIdx.z * DEPTH;
  if (j >= ny) return; /* whole warps */
  const long long row = (long long)j * nx, slice = (long long)nx * ny;
  const rows r = {c + row,
                  u + row,
                  v + row,
                  w + row,
                  kx + row,
                  ky + row,
                  kz + row,
                  (long long)(inside(j - 2, ny) - j) * nx,
                  (long long)(inside(j - 1, ny) - j) * nx,
                  (long long)(inside(j + 1, ny) - j) * nx,
                  (long long)(inside(j + 2, ny) - j) * nx};
  float *to = out + begin * slice + row;
  const int n = min(DEPTH, slices - begin);
  const bool whole = nx % COARSEN == 0;
#define ADVANCE(points)                                                                            \
  if (whole)                                                                                       \
    advance<points, true>(to, r, nx, slice, first + begin, n, i, s);                               \
  else                                                                                             \
    advance<points, false>(to, r, nx, slice, first + begin, n, i, s)
  if (s.points == 13) {
    ADVANCE(13);
  } else if (s.points == 12) {
    ADVANCE(12);
  } else {
    ADVANCE(7);
  }
}
