/* cuda_born_tiles: several atoms per thread; tiles of spheres go by in shared memory.
 *
 * Derives from cuda_born_thread, as cuda_shared from cuda_naive. A thread loads a sphere and computes what
 * the sphere alone tells: the square within which it is near, and the series' coefficients. All threads then
 * take the tile: a row of BLOCK_X threads every BLOCK_Y-th sphere, so that rows share the work of the same
 * atoms, and COARSEN atoms a thread, so that what is read and compared once serves several pairs. At the
 * end the rows' sums are added, in order.
 *
 * Whether any of a thread's pairs with a sphere is near is asked once, of the atom that is asked the most by.
 *
 * Per far pair: 3 subtractions, 1 multiply, 2 FMA, 1 comparison, 1 reciprocal, 3 FMA, 1 multiply, 1 FMA: 13
 * instructions. Per sphere and thread: 2 loads of 16 bytes from shared memory (one broadcast each), 1 maximum,
 * 1 branch.
 * Parameters: block_x, a multiple of 32, block_y, threads of a block, product up to 1024; coarsen, atoms a
 * thread, 1..8. */

#include "kernels/born/cuda/born.cuh"

enum { THREADS = BLOCK_X * BLOCK_Y };

/* Spheres of a tile; where: place, and the square within which it is near. */
struct sphere_tile {
  float4 where[THREADS], series[THREADS];
  float radius[THREADS];
};

/* One after the other. */
union block_memory {
  sphere_tile tile;
  float sums[BLOCK_Y][COARSEN][BLOCK_X];
};

/* Sphere j; beyond the last, one that takes nothing. */
static __device__ __forceinline__ void load_sphere(const float4 *atoms, int j, int n_atoms, born born,
                                                   sphere_tile *tile, int to) {
  float4 atom = j < n_atoms ? atoms[j] : make_float4(1e15f, 1e15f, 1e15f, 0.0f);
  float s = born.descreening * atom.w;
  tile->where[to] = make_float4(atom.x, atom.y, atom.z, near2_of_sphere(s));
  tile->series[to] = series_of(s);
  tile->radius[to] = s;
}

/* Adds a sphere's terms to the sums of a thread's atoms, some of which are near to it. */
static __device__ __forceinline__ void add_near(const sphere_tile *tile, int j, const float r2[COARSEN],
                                                const float4 *atoms, int i, int n_atoms,
                                                float sum[COARSEN]) {
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float p = atoms[min(i + k * BLOCK_X, n_atoms - 1)].w;
    if (r2[k] <= fmaxf(tile->where[j].w, near2_of_atom(p)))
      sum[k] += near_term(r2[k], p, tile->radius[j]);
    else
      sum[k] += far_term(r2[k], tile->series[j]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *radii, const float4 *atoms, int n_atoms, born born) {
  __shared__ block_memory memory;
  sphere_tile &tile = memory.tile;
  int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  int i = blockIdx.x * (BLOCK_X * COARSEN) + threadIdx.x;

  float x[COARSEN], y[COARSEN], z[COARSEN], sum[COARSEN], own_near2 = 0.0f;
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float4 own = atoms[min(i + k * BLOCK_X, n_atoms - 1)];
    x[k] = own.x;
    y[k] = own.y;
    z[k] = own.z;
    sum[k] = 0.0f;
    own_near2 = fmaxf(own_near2, near2_of_atom(own.w));
  }

  for (int first = 0; first < n_atoms; first += THREADS) {
    __syncthreads(); /* nobody reads the tile before any more */
    load_sphere(atoms, first + thread, n_atoms, born, &tile, thread);
    __syncthreads();
#pragma unroll 2
    for (int j = threadIdx.y; j < THREADS; j += BLOCK_Y) {
      float4 where = tile.where[j];
      float r2[COARSEN], near2 = fmaxf(where.w, own_near2);
      bool near = false;
#pragma unroll
      for (int k = 0; k < COARSEN; k++) {
        r2[k] = square_distance(x[k], y[k], z[k], where);
        near = near || r2[k] <= near2;
      }
      if (near) {
        add_near(&tile, j, r2, atoms, i, n_atoms, sum);
        continue;
      }
      float4 series = tile.series[j];
#pragma unroll
      for (int k = 0; k < COARSEN; k++)
        sum[k] += far_term(r2[k], series);
    }
  }

  __syncthreads();
#pragma unroll
  for (int k = 0; k < COARSEN; k++)
    memory.sums[threadIdx.y][k][threadIdx.x] = sum[k];
  __syncthreads();
  for (int k = threadIdx.y; k < COARSEN; k += BLOCK_Y) {
    float all = memory.sums[0][k][threadIdx.x];
    for (int row = 1; row < BLOCK_Y; row++)
      all += memory.sums[row][k][threadIdx.x];
    int at = i + k * BLOCK_X;
    if (at < n_atoms) radii[at] = born_radius(born, atoms[at].w, all);
  }
}
