/* cuda_orbital_constant: a thread per column of points, shells in constant memory.
 *
 * Derives from cuda_constant: all threads of a warp read the same shell at the same time, which is what the
 * constant cache serves in one broadcast. Constant memory holds 585 shells of 112 bytes; more come in chunks, a
 * launch each, and a launch adds to the map. This is the kernel for molecules that fit of the paper (Stone and
 * others 2009): for each atom its shells, for each shell its primitives, a power of two each. A thread's
 * COARSEN_Z points share what a shell has of x and y: dx^2 + dy^2 and the polynomials that are multiplied by 1,
 * dz, ...
 *
 * Per primitive and point: 1 multiply, 1 power of two, 1 FMA; per shell and point of degree l: 1 subtraction,
 * l + 2 FMA; of the chunk 1 load and 1 store of the map. The special function units, which take a warp's power of
 * two in 8 cycles a scheduler, bind: a multiply-add takes one.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_z, points of a thread, 1..16;
 * chunk_shells, shells of a launch, 1..585 (64 KB).
 * Limits: at most 65,535 blocks in y and in z. */

#include "kernels/orbital/cuda/orbital.cuh"
#include "kernels/orbital/cuda/orbital_points.cuh"

__constant__ orbital_shell atoms[CHUNK_SHELLS];

/* Of shell s, which primitives and how many nobody knows before. */
struct contraction {
  int s;
  __device__ __forceinline__ void operator()(const float *r2, float *radial) const {
#pragma unroll
    for (int k = 0; k < COARSEN_Z; k++)
      radial[k] = 0.0f;
    for (int p = 0; p < atoms[s].n; p++) {
      float rate = atoms[s].gaussians[p].rate, weight = atoms[s].gaussians[p].weight;
#pragma unroll
      for (int k = 0; k < COARSEN_Z; k++)
        radial[k] += weight * exp2f(-rate * r2[k]);
    }
  }
};

template <int L> static __device__ __forceinline__ void add(int s, points *p) {
  add_shell<L>(atoms[s].x, atoms[s].y, atoms[s].z, atoms[s].c, contraction{s}, p);
}

extern "C" __global__ void dcs(float *map, int n_shells, int nx, int ny, int nz, int first, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  if (i >= nx || j >= ny) return;
  points own = points_at(i, j, first + k, spacing);
  for (int s = 0; s < n_shells; s++)
    switch (atoms[s].l) {
    case 0: add<0>(s, &own); break;
    case 1: add<1>(s, &own); break;
    case 2: add<2>(s, &own); break;
    default: add<3>(s, &own);
    }
#pragma unroll
  for (int c = 0; c < COARSEN_Z; c++)
    if (k + c < nz) map[((long long)(k + c) * ny + j) * nx + i] += own.sum[c];
}
