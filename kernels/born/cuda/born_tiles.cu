/* cuda_born_tiles: several atoms per thread; tiles of spheres go by in shared memory, near pairs are put aside.
 *
 * Derives from cuda_born_thread, as cuda_shared from cuda_naive. A thread loads a sphere and computes what
 * the sphere alone tells: the square within which it is near, and the series' coefficients. All threads then
 * take the tile: a row of 32 threads every BLOCK_Y-th sphere, so that rows share the work of the same atoms,
 * and COARSEN atoms a thread, so that what is read and compared once serves several pairs. At the end the
 * rows' sums are added, in order.
 *
 * The loop over a tile has no branch. The least distance tells whether a thread's atoms are all far from the
 * sphere; if not, a predicate leaves its terms out and notes the sphere in the thread's list. When a list of the
 * warp has grown the lanes compute what they have noted, all at once, instead of each on its own where the
 * others wait.
 *
 * Per far pair: 3 subtractions, 1 multiply, 2 FMA, 1 minimum, 1 reciprocal, 3 FMA, 1 multiply, 1 FMA: 13
 * instructions. Per sphere and thread: 2 loads of 16 bytes from shared memory (one broadcast each), 1 maximum,
 * 1 comparison, 4 for the list.
 * Parameters: block_y, rows of 32 threads a block, 1..8; coarsen, atoms a thread, 1..8. */

#include "kernels/born/cuda/born.cuh"

/* Spheres of a tile are as many as threads, a row's 32. A list has room for all of them, and for what was left
 * in it; of numbers of spheres in tiles since it was begun. */
enum { WARP = 32, TILE = WARP * BLOCK_Y, KEPT = 8, LISTED = WARP + KEPT, MOST_TILES = 65536 / TILE };

/* Sums are added to memory after so many tiles: in long sums what is small is lost. */
enum { FLUSHED = 8 };

struct sphere {
  float4 where; /* place, and the square within which it is near */
  float4 series;
  float radius;
};

/* Sphere j; beyond the last, one that takes nothing. */
static __device__ __forceinline__ sphere load_sphere(const float4 *atoms, int j, int n_atoms, born born) {
  float4 atom = j < n_atoms ? atoms[j] : make_float4(1e15f, 1e15f, 1e15f, 0.0f);
  float s = born.descreening * atom.w;
  return {make_float4(atom.x, atom.y, atom.z, near2_of_sphere(s)), series_of(s), s};
}

/* The atoms of a thread: i, i + 32, ... */
struct thread_atoms {
  float x[COARSEN], y[COARSEN], z[COARSEN], sum[COARSEN];
  float near2; /* the largest of theirs */
};

static __device__ __forceinline__ float4 load_atom(const float4 *atoms, int i, int n_atoms, int k) {
  return atoms[min(i + k * WARP, n_atoms - 1)];
}

static __device__ __forceinline__ thread_atoms load_atoms(const float4 *atoms, int i, int n_atoms) {
  thread_atoms own;
  own.near2 = 0.0f;
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float4 atom = load_atom(atoms, i, n_atoms, k);
    own.x[k] = atom.x;
    own.y[k] = atom.y;
    own.z[k] = atom.z;
    own.sum[k] = 0.0f;
    own.near2 = fmaxf(own.near2, near2_of_atom(atom.w));
  }
  return own;
}

/* Adds the terms of a sphere, if all are far; whether they are. */
static __device__ __forceinline__ bool add_sphere(float4 where, float4 series, thread_atoms *own) {
  float r2[COARSEN], least = r2[0] = square_distance(own->x[0], own->y[0], own->z[0], where);
#pragma unroll
  for (int k = 1; k < COARSEN; k++) {
    r2[k] = square_distance(own->x[k], own->y[k], own->z[k], where);
    least = fminf(least, r2[k]);
  }
  bool far = least > fmaxf(where.w, own->near2);
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float t = reciprocal(r2[k]), t2 = t * t, polynomial = series_at(series, t);
    if (far) own->sum[k] += t2 * polynomial;
  }
  return far;
}

/* Adds the terms of a sphere some of which are near, those to near[k][lane]. */
static __device__ __forceinline__ void add_near_sphere(const float4 *atoms, int i, int n_atoms, sphere sphere,
                                                       thread_atoms *own, float near[COARSEN][WARP]) {
  float near2 = fmaxf(sphere.where.w, own->near2);
  unsigned left = 0;
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float r2 = square_distance(own->x[k], own->y[k], own->z[k], sphere.where);
    if (r2 <= near2)
      left |= 1u << k;
    else
      own->sum[k] += far_term(r2, sphere.series);
  }
  for (int k = 0; left; k++, left >>= 1) {
    if (!(left & 1u)) continue;
    float4 atom = load_atom(atoms, i, n_atoms, k);
    float r2 = square_distance(atom.x, atom.y, atom.z, sphere.where);
    near[k][threadIdx.x] += near_term(r2, atom.w, sphere.radius);
  }
}

static __device__ __forceinline__ void flush(thread_atoms *own, float sums[COARSEN][WARP]) {
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    sums[k][threadIdx.x] += own->sum[k];
    own->sum[k] = 0.0f;
  }
}

extern "C" __global__ void __launch_bounds__(TILE)
    dcs(float *radii, const float4 *atoms, int n_atoms, born born) {
  __shared__ float4 where[TILE], series[TILE];
  __shared__ float sums[BLOCK_Y][COARSEN][WARP];
  __shared__ unsigned short list[LISTED * TILE];
  int row = threadIdx.y, thread = row * WARP + threadIdx.x;
  int i = blockIdx.x * (WARP * COARSEN) + threadIdx.x;
  int next = thread, list_begins = 0; /* in the list; first sphere of the tile that it begins with */
  thread_atoms own = load_atoms(atoms, i, n_atoms);
#pragma unroll
  for (int k = 0; k < COARSEN; k++)
    sums[row][k][threadIdx.x] = 0.0f;

  for (int first = 0; first < n_atoms; first += TILE) {
    __syncthreads(); /* nobody reads the tile before any more */
    sphere loaded = load_sphere(atoms, first + thread, n_atoms, born);
    where[thread] = loaded.where;
    series[thread] = loaded.series;
    __syncthreads();
    int number = first - list_begins;
#pragma unroll 2
    for (int j = row; j < TILE; j += BLOCK_Y)
      if (!add_sphere(where[j], series[j], &own)) {
        list[next] = (unsigned short)(number + j);
        next += TILE;
      }

    bool full = number == (MOST_TILES - 1) * TILE || first + TILE >= n_atoms;
    if (full || __any_sync(0xffffffffu, next > KEPT * TILE + thread)) {
      for (int e = thread; e < next; e += TILE)
        add_near_sphere(atoms, i, n_atoms, load_sphere(atoms, list_begins + list[e], n_atoms, born), &own,
                        sums[row]);
      next = thread;
      list_begins = first + TILE;
    }
    if (first / TILE % FLUSHED == FLUSHED - 1) flush(&own, sums[row]);
  }
  flush(&own, sums[row]);

  __syncthreads();
  for (int k = row; k < COARSEN; k += BLOCK_Y) {
    float sum = sums[0][k][threadIdx.x];
    for (int r = 1; r < BLOCK_Y; r++)
      sum += sums[r][k][threadIdx.x];
    int at = i + k * WARP;
    if (at < n_atoms) radii[at] = born_radius(born, atoms[at].w, sum);
  }
}
