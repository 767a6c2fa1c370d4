/* cuda_born_tiles: several atoms per thread; tiles of spheres go by in shared memory.
 *
 * Derives from cuda_born_thread, as cuda_shared from cuda_naive. A thread loads a sphere and computes what
 * the sphere alone tells: the square within which it is near, and the series' coefficients. All threads then
 * take the tile: a row of BLOCK_X threads every BLOCK_Y-th sphere, so that rows share the work of the same
 * atoms, and COARSEN atoms a thread, so that what is read and compared once serves several pairs. At the
 * end the rows' sums are added, in order.
 *
 * Near pairs are put aside. One comparison, of the least distance, tells whether a thread has any with a
 * sphere; then the pair is noted and its far term is 0. Where a list has more than 8 after a tile, the warp
 * computes what its lanes have noted, all lanes at once, instead of branching for each of them.
 *
 * Per far pair: 3 subtractions, 1 multiply, 2 FMA, 1 minimum, 1 reciprocal, 3 FMA, 1 multiply, 1 FMA: 13
 * instructions. Per sphere and thread: 2 loads of 16 bytes from shared memory (one broadcast each), 1 maximum,
 * 1 comparison, 1 branch.
 * Parameters: block_x, a multiple of 32, block_y, threads of a block, product up to 256; coarsen, atoms a
 * thread, 1..8. */

#include "kernels/born/cuda/born.cuh"

#define OUT_OF_SIGHT 1e30f /* the square of a distance at which a term is 0 */

enum { THREADS = BLOCK_X * BLOCK_Y, LISTED = 16 + COARSEN };

struct block_memory {
  float4 where[THREADS];  /* spheres of a tile: place, and the square within which one is near */
  float4 series[THREADS]; /* their coefficients */
  float sums[BLOCK_Y][COARSEN][BLOCK_X];  /* of near pairs, at the end of all */
  unsigned list[LISTED][THREADS];         /* a thread's near pairs: COARSEN sphere + atom */
};

/* Sphere j; beyond the last, one that takes nothing. */
static __device__ __forceinline__ void load_sphere(const float4 *atoms, int j, int n_atoms, born born,
                                                   block_memory *m, int to) {
  float4 atom = j < n_atoms ? atoms[j] : make_float4(1e15f, 1e15f, 1e15f, 0.0f);
  float s = born.descreening * atom.w;
  m->where[to] = make_float4(atom.x, atom.y, atom.z, near2_of_sphere(s));
  m->series[to] = series_of(s);
}

/* Computes the pairs that the thread has noted, and leaves none; i: its first atom. */
static __device__ int add_listed(const float4 *atoms, int n_atoms, born born, int i, int listed,
                                 block_memory *m) {
  int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  for (int e = 0; e < listed; e++) {
    unsigned pair = m->list[e][thread], k = pair % COARSEN;
    float4 sphere = atoms[pair / COARSEN], own = atoms[min(i + (int)k * BLOCK_X, n_atoms - 1)];
    float r2 = square_distance(own.x, own.y, own.z, sphere);
    m->sums[threadIdx.y][k][threadIdx.x] += near_term(r2, own.w, born.descreening * sphere.w);
  }
  return 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *radii, const float4 *atoms, int n_atoms, born born) {
  __shared__ block_memory m;
  int thread = threadIdx.y * BLOCK_X + threadIdx.x, listed = 0;
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
    m.sums[threadIdx.y][k][threadIdx.x] = 0.0f;
  }

  for (int first = 0; first < n_atoms; first += THREADS) {
    __syncthreads(); /* nobody reads the tile before any more */
    load_sphere(atoms, first + thread, n_atoms, born, &m, thread);
    __syncthreads();
#pragma unroll 4
    for (int j = threadIdx.y; j < THREADS; j += BLOCK_Y) {
      float4 where = m.where[j], series = m.series[j];
      float r2[COARSEN], near2 = fmaxf(where.w, own_near2);
      float least = r2[0] = square_distance(x[0], y[0], z[0], where);
#pragma unroll
      for (int k = 1; k < COARSEN; k++) {
        r2[k] = square_distance(x[k], y[k], z[k], where);
        least = fminf(least, r2[k]);
      }
      if (least <= near2) {
        if (listed > LISTED - COARSEN) listed = add_listed(atoms, n_atoms, born, i, listed, &m);
#pragma unroll
        for (int k = 0; k < COARSEN; k++) {
          if (r2[k] > near2) continue;
          m.list[listed++][thread] = (unsigned)(first + j) * COARSEN + k;
          r2[k] = OUT_OF_SIGHT;
        }
      }
#pragma unroll
      for (int k = 0; k < COARSEN; k++)
        sum[k] += far_term(r2[k], series);
    }
    if (__any_sync(0xffffffffu, listed > 8))
      listed = add_listed(atoms, n_atoms, born, i, listed, &m);
  }
  add_listed(atoms, n_atoms, born, i, listed, &m);

#pragma unroll
  for (int k = 0; k < COARSEN; k++)
    m.sums[threadIdx.y][k][threadIdx.x] += sum[k];
  __syncthreads();
  for (int k = threadIdx.y; k < COARSEN; k += BLOCK_Y) {
    float all = m.sums[0][k][threadIdx.x];
    for (int row = 1; row < BLOCK_Y; row++)
      all += m.sums[row][k][threadIdx.x];
    int at = i + k * BLOCK_X;
    if (at < n_atoms) radii[at] = born_radius(born, atoms[at].w, all);
  }
}
