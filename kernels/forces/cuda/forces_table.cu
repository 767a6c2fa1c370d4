/* cuda_forces_table: cuda_forces_direct with the terms of a pair from a table.
 *
 * Derives from cuda_forces_direct, and from NAMD, whose first kernels looked a pair's forces up in
 * textures, linearly interpolated (Phillips, Stone, Schulten, Adapting a message-driven parallel
 * application to GPU-accelerated clusters, SC 2008). Here the index is taken from r^2, of which
 * each power of two has as many intervals: what a table is off by is then the same part of a term
 * at all distances, and no root is needed. An interval is told by the bits of r^2, its exponent and
 * the first bits of its fraction; those that follow say where r^2 lies within it. (Textures round
 * that place to 8 bits. Here the table lies in global memory, which a multiprocessor caches, or in
 * shared memory.)
 *
 * Six functions: force and energy of a charge, of (1 / r)^12 and of (1 / r)^6, switched, each its
 * value at an interval's begin and what it grows by: 48 bytes an interval. The interval is so wide
 * that a term is off by the problem's radial_error at most: with m intervals to a power of two,
 * r^-14 by 7 / m^2, and what is switched by more. A kernel fills it in double precision, before each problem.
 * Below the first interval, at 1 angstrom, terms are computed.
 *
 * Per pair: 3 subtractions, 3 for r^2, 5 for the index, 6 for R^6 and R^12, 6 multiply-adds to
 * interpolate and 6 to add up, 8 to choose and add; 3 loads of 16 bytes that differ from lane to
 * lane, and 2 from the list (a broadcast each).
 * Parameters: as cuda_forces_direct, and memory, where the table lies: global, shared.
 * Limits: radial_error above 0. In 32 KB of shared memory there is room for 682 intervals: at 12
 * angstrom for a radial_error of 0.007 and more. */

#include "kernels/forces/cuda/clusters.cuh"

struct table_own {
  forces_own own;
  int shift, first, n; /* an interval: r^2's bits >> shift, less first; how many */
};

/* The six functions: of a charge, of (1 / r)^12, of (1 / r)^6; a force over r and an energy each. */
struct functions {
  double value[6];
};

static __device__ functions functions_at(pair_terms terms, double r2) {
  double r = sqrt(r2), per_r2 = 1 / r2, b = per_r2 * per_r2 * per_r2, a = b * b;
  double t = r2 * terms.slope - terms.from;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  double on = 1 + t * t * (2 * t - 3), off = 12 * t * (t - 1) * terms.slope;
  functions f;
  if (terms.alpha > 0) {
    double part = erfc(terms.alpha * r) / r;
    f.value[0] =
        (part + terms.peak * exp(-(double)terms.alpha * terms.alpha * r2)) * per_r2;
    f.value[1] = part;
  } else {
    double left = 1 - r2 * terms.per_cutoff2;
    f.value[0] = (left * per_r2 + 4 * terms.per_cutoff2) * left / r;
    f.value[1] = left * left / r;
  }
  f.value[2] = 12 * a * on * per_r2 - a * off;
  f.value[3] = a * on;
  f.value[4] = 12 * b * on * per_r2 - 2 * b * off;
  f.value[5] = 2 * b * on;
  return f;
}

/* A thread an interval. */
extern "C" __global__ void make_table(float4 *table, table_own own) {
  int i = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (i >= own.n) return;
  float from = __int_as_float((own.first + i) << own.shift),
        to = __int_as_float((own.first + i + 1) << own.shift);
  functions a = functions_at(own.own.terms, from), b = functions_at(own.own.terms, to);
  for (int k = 0; k < 3; k++)
    table[3 * i + k] =
        make_float4((float)a.value[2 * k], (float)(b.value[2 * k] - a.value[2 * k]),
                    (float)a.value[2 * k + 1], (float)(b.value[2 * k + 1] - a.value[2 * k + 1]));
}

template <bool EWALD> struct tabulated {
  const float4 *table;
  const table_own &o;

  __device__ __forceinline__ float4 entry(int i) const {
    return MEMORY == MEMORY_GLOBAL ? __ldg(&table[i]) : table[i];
  }

  __device__ __forceinline__ pull at(float r2, float charges, float minimum, float depth) const {
    int bits = __float_as_int(r2), i = (bits >> o.shift) - o.first;
    if (i < 0) return pull_at<EWALD>(o.own.terms, r2, charges, minimum, depth);
    float in = (bits & ((1 << o.shift) - 1)) * __int_as_float((127 - o.shift) << 23);
    float4 charge = entry(3 * i), twelfth = entry(3 * i + 1), sixth = entry(3 * i + 2);
    float minimum2 = minimum * minimum, b = minimum2 * minimum2 * minimum2 * depth;
    float a = b * (minimum2 * minimum2 * minimum2);
    pull p;
    p.force = charges * (charge.x + charge.y * in) + a * (twelfth.x + twelfth.y * in) -
              b * (sixth.x + sixth.y * in);
    p.energy = charges * (charge.z + charge.w * in) + a * (twelfth.z + twelfth.w * in) -
               b * (sixth.z + sixth.w * in);
    return p;
  }
};

#if MEMORY == MEMORY_SHARED
enum { TABLE = 2048 }; /* float4 of the table that fit */
#else
enum { TABLE = 1 };
#endif

extern "C" __global__ void __launch_bounds__(THREADS, 768 / THREADS)
    dcs(float4 *forces, float *scratch, const float4 *wells, const int2 *clusters,
        const int *n_clusters, const int *begins, const int *excluded, const int *types, const float2 *pairs, const float4 *table,
        int n_atoms, table_own o) {
  __shared__ near_atoms near[BLOCK_Y];
  __shared__ float4 copy[TABLE];
  if (MEMORY == MEMORY_SHARED) {
    for (int i = threadIdx.y * WARP + threadIdx.x; i < 3 * o.n; i += THREADS)
      copy[i] = table[i];
    __syncthreads();
    table = copy;
  }
  int c = blockIdx.x * BLOCK_Y + threadIdx.y;
  if (c >= *n_clusters) return;
  cluster_work w = {wells, clusters[c], {begins, excluded, types + n_atoms, pairs}, &near[threadIdx.y]};
  cell_memory m = memory_of(scratch, n_atoms, o.own.cells);
  if (o.own.terms.alpha > 0.0f)
    pull_cluster(forces, m, w, tabulated<true>{table, o}, o.own);
  else
    pull_cluster(forces, m, w, tabulated<false>{table, o}, o.own);
}
