/* cuda_born_tiles: several atoms per thread; tiles of spheres go by in shared memory, near pairs are put aside.
 *
 * Derives from cuda_born_thread, as cuda_shared from cuda_naive. A thread loads a sphere and computes what
 * the sphere alone tells. A warp takes the 32 spheres that it has loaded, so nobody waits for others, and every
 * BLOCK_Y-th such tile: the warps of a block share the work of the same atoms. COARSEN atoms a thread let what is
 * read once serve several pairs. At the end the warps' sums are added, in order.
 *
 * A lane holds its sphere against the box around the atoms of the block. Where that is 32 s away or farther, x =
 * s^2 / r^2 is at most 1/1024, and the series to x does; where it is 8 s, 1/64, and that to x^2. A tile all of whose
 * spheres are remote, or distant, is computed without comparing anything. In the others the least distance tells
 * whether a thread's atoms are all far from a sphere; if not, a predicate leaves its terms out and notes the sphere
 * in the thread's list. When a list of the warp has grown the lanes compute what they have noted, all at once, instead
 * of each on its own where the others wait. Atoms in random order have the whole molecule in their box, and no tile is
 * distant: so they are sorted by place first (sort.cuh; order=place), by five small kernels that count as a part of the
 * time. Of few atoms that takes longer than it saves, and order=input leaves it out.
 *
 * Per remote pair: 3 subtractions, 1 multiply, 2 FMA, 1 reciprocal, 1 multiply, 2 FMA: 10 instructions; per distant
 * pair 1 FMA more, per far pair of another tile 2 FMA and 1 minimum more. Per sphere and thread: 2 loads of 16 bytes
 * from shared memory (one broadcast each); where compared, 1 maximum, 1 comparison, 2 for the bit.
 *
 * What costs as much is the register file: it has two banks, and an instruction that reads two operands from the same
 * one waits a cycle, unless one was kept from the instruction before (cuda_neighbours). So a sphere's x, y, z, which
 * come four at a time like an atom's, lie a register further; and the series is completed to a square or a cube:
 * e e + z reads two operands where (w t + z) t reads three. With the series as ((w t + z) t + y) t + x and both as
 * x, y, z there are 64 such cycles beside 183 instructions for 12 pairs.
 *
 * An H200 takes 4.36 ms for 100,000 atoms in random order, sorting included (at 4,096 atoms 0.02 ms of 0.10), and in
 * another call 5.64 with order=input: 95% of the limit of 13 instructions a pair, which holds while every pair is
 * compared, 73% of that of 10, which a remote pair takes. In the code a remote pair has 10.5 instructions and 1.6
 * cycles for operands, a distant one some 14, a far one of another tile 17.
 * (Tried and slower: loops unrolled twice, or once where tiles are compared; registers for 1,024 threads an SM; 6 atoms
 * a thread; a remote pair's r^2 as |s|^2 + (|a|^2 - 2 s.a), which has 2 instructions fewer and needs 127 registers,
 * not 80.)
 *
 * Parameters: block_y, rows of 32 threads a block, 1..8; coarsen, atoms a thread, 1..8; order, input or place. */

#include "kernels/born/cuda/born.cuh"
#include "kernels/born/cuda/sort.cuh"

/* A list has room for a tile, and for what was left in it; of numbers of spheres since it was begun. */
enum { WARP = 32, THREADS = WARP * BLOCK_Y, KEPT = 8, LISTED = WARP + KEPT, MOST_SPHERES = 65536 };
#define ALL_LANES 0xffffffffu

/* Sums are added to memory after so many tiles: in long sums what is small is lost. */
enum { FLUSHED = 8 };

struct sphere {
  float4 where; /* the square within which it is near, and its place */
  float radius;
};

/* Sphere j; beyond the last, one that takes nothing. */
static __device__ __forceinline__ sphere load_sphere(const float4 *atoms, int j, int n_atoms, born born) {
  float4 atom = j < n_atoms ? atoms[j] : make_float4(1e15f, 1e15f, 1e15f, 0.0f);
  float s = born.descreening * atom.w;
  return {make_float4(near2_of_sphere(s), atom.x, atom.y, atom.z), s};
}

static __device__ __forceinline__ float to_sphere(float x, float y, float z, float4 where) {
  float dx = x - where.y, dy = y - where.z, dz = z - where.w;
  return dx * dx + dy * dy + dz * dz;
}

/* Squares of 8 s and of 32 s, in units of what is near. */
#define DISTANT2 4.0f
#define REMOTE2  64.0f

/* The series to x^2 for x <= 1/64 is s^3 t^2 (q0 + q1 x + q2 x^2), t = 1 / r^2; the relative error is 2.8 u at most
 * (minimax). That is t^2 (e^2 + z), e = x t + y, with these x, y, z. */
static __device__ __forceinline__ float4 square_of(float s) {
  float s2 = s * s, s15 = s * sqrtf(s);
  return make_float4(0x1.534de0p-1f * (s15 * s2), 0x1.34fd2ap-2f * s15, 0x1.f031a0p-3f * (s * s2), 0.0f);
}

/* The series to x for x <= 1/1024 is t^2 (x t + y); the relative error is 2.6 u at most (minimax). */
static __device__ __forceinline__ float4 line_of(float s) {
  float s3 = s * (s * s);
  return make_float4(0x1.9a075p-2f * (s3 * (s * s)), 0x1.555552p-2f * s3, 0.0f, 0.0f);
}

/* The series of born.h likewise, as a cube: t^2 ((e^2 + z) e + w), e = x t + y. */
static __device__ __forceinline__ float4 cube_of(float s) {
  float s2 = s * s, s3 = s * s2;
  return make_float4(0x1.982584p-1f * s3, 0x1.c9ba7ep-3f * s, 0x1.6868f6p-2f * s2, 0x1.f2b2d2p-3f * s3);
}
static __device__ __forceinline__ float cube_at(float4 cube, float t) {
  float e = cube.x * t + cube.y;
  return (e * e + cube.z) * e + cube.w;
}

/* The atoms of a thread: i, i + 32, ... */
struct thread_atoms {
  float x[COARSEN], y[COARSEN], z[COARSEN], sum[COARSEN];
  float near2; /* the largest of theirs */
};

/* Around the atoms of a warp, which are those of the block. */
struct box {
  float lo[3], hi[3], near2;
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

static __device__ __forceinline__ void enclose(const float v[COARSEN], float *lo, float *hi) {
  float least = v[0], most = v[0];
#pragma unroll
  for (int k = 1; k < COARSEN; k++) {
    least = fminf(least, v[k]);
    most = fmaxf(most, v[k]);
  }
  *lo = least_of_warp(least);
  *hi = -least_of_warp(-most);
}

static __device__ __forceinline__ box box_of(const thread_atoms &own) {
  box box;
  enclose(own.x, &box.lo[0], &box.hi[0]);
  enclose(own.y, &box.lo[1], &box.hi[1]);
  enclose(own.z, &box.lo[2], &box.hi[2]);
  box.near2 = -least_of_warp(-own.near2);
  return box;
}

/* How far away a sphere is from all atoms in the box: the ways to compute its terms. The margin is for rounding. */
enum { NEAR, DISTANT, REMOTE };
static __device__ __forceinline__ int place_of(float4 where, const box &box) {
  float dx = fmaxf(0.0f, fmaxf(box.lo[0] - where.y, where.y - box.hi[0]));
  float dy = fmaxf(0.0f, fmaxf(box.lo[1] - where.z, where.z - box.hi[1]));
  float dz = fmaxf(0.0f, fmaxf(box.lo[2] - where.w, where.w - box.hi[2])), r2 = dx * dx + dy * dy + dz * dz;
  if (r2 <= 1.0001f * fmaxf(DISTANT2 * where.x, box.near2)) return NEAR;
  return r2 > 1.0001f * REMOTE2 * where.x ? REMOTE : DISTANT;
}

/* Adds the terms of a sphere from which all atoms are distant, or remote. */
static __device__ __forceinline__ void add_distant_sphere(float4 where, float4 square, thread_atoms *own) {
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float t = reciprocal(to_sphere(own->x[k], own->y[k], own->z[k], where)), e = square.x * t + square.y;
    own->sum[k] += t * t * (e * e + square.z);
  }
}
static __device__ __forceinline__ void add_remote_sphere(float4 where, float4 line, thread_atoms *own) {
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float t = reciprocal(to_sphere(own->x[k], own->y[k], own->z[k], where));
    own->sum[k] += t * t * (line.x * t + line.y);
  }
}

/* Adds the terms of a sphere, if all atoms are far; whether they are. */
static __device__ __forceinline__ bool add_sphere(float4 where, float4 cube, thread_atoms *own) {
  float r2[COARSEN], least = r2[0] = to_sphere(own->x[0], own->y[0], own->z[0], where);
#pragma unroll
  for (int k = 1; k < COARSEN; k++) {
    r2[k] = to_sphere(own->x[k], own->y[k], own->z[k], where);
    least = fminf(least, r2[k]);
  }
  bool far = least > fmaxf(where.x, own->near2);
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float t = reciprocal(r2[k]), t2 = t * t, term = cube_at(cube, t);
    if (far) own->sum[k] += t2 * term;
  }
  return far;
}

/* Adds the terms of a sphere some of which are near, those to near[k][lane]. */
static __device__ __forceinline__ void add_near_sphere(const float4 *atoms, int i, int n_atoms, sphere sphere,
                                                       thread_atoms *own, float near[COARSEN][WARP]) {
  float4 series = series_of(sphere.radius);
  float near2 = fmaxf(sphere.where.x, own->near2);
  unsigned left = 0;
#pragma unroll
  for (int k = 0; k < COARSEN; k++) {
    float r2 = to_sphere(own->x[k], own->y[k], own->z[k], sphere.where);
    if (r2 <= near2)
      left |= 1u << k;
    else
      own->sum[k] += far_term(r2, series);
  }
  for (int k = 0; left; k++, left >>= 1) {
    if (!(left & 1u)) continue;
    float4 atom = load_atom(atoms, i, n_atoms, k);
    float r2 = to_sphere(atom.x, atom.y, atom.z, sphere.where);
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

/* Adds the pairs of a list, in whose place of this thread's `thread` begins, up to `end`. */
static __device__ __forceinline__ void add_listed(const unsigned short *list, int thread, int end, int begins,
                                                  const float4 *atoms, int i, int n_atoms, born born,
                                                  thread_atoms *own, float near[COARSEN][WARP]) {
  for (int e = thread; e < end; e += THREADS)
    add_near_sphere(atoms, i, n_atoms, load_sphere(atoms, begins + list[e], n_atoms, born), own, near);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float *radii, const float4 *atoms, const int *numbers, int n_atoms, born born) {
  __shared__ float4 where[BLOCK_Y][WARP], series[BLOCK_Y][WARP];
  __shared__ float sums[BLOCK_Y][COARSEN][WARP];
  __shared__ unsigned short list[LISTED * THREADS];
  int row = threadIdx.y, lane = threadIdx.x, thread = row * WARP + lane;
  int i = blockIdx.x * (WARP * COARSEN) + lane;
  int next = thread, list_begins = 0; /* in the list; sphere 0 of the list */
  thread_atoms own = load_atoms(atoms, i, n_atoms);
  box box = box_of(own);
#pragma unroll
  for (int k = 0; k < COARSEN; k++)
    sums[row][k][lane] = 0.0f;

  for (int first = row * WARP; first < n_atoms; first += THREADS) {
    sphere loaded = load_sphere(atoms, first + lane, n_atoms, born);
    int place = place_of(loaded.where, box);
    bool remote = __all_sync(ALL_LANES, place == REMOTE), distant = __all_sync(ALL_LANES, place != NEAR);
    __syncwarp(); /* nobody reads the tile before any more */
    where[row][lane] = loaded.where;
    series[row][lane] = remote    ? line_of(loaded.radius)
                        : distant ? square_of(loaded.radius)
                                  : cube_of(loaded.radius);
    __syncwarp();
    if (remote) {
#pragma unroll 4
      for (int j = 0; j < WARP; j++)
        add_remote_sphere(where[row][j], series[row][j], &own);
    } else if (distant) {
#pragma unroll 4
      for (int j = 0; j < WARP; j++)
        add_distant_sphere(where[row][j], series[row][j], &own);
    } else {
      if (first + WARP - list_begins > MOST_SPHERES || __any_sync(ALL_LANES, next > KEPT * THREADS + thread)) {
        add_listed(list, thread, next, list_begins, atoms, i, n_atoms, born, &own, sums[row]);
        next = thread;
        list_begins = first;
      }
      unsigned near = 0;
#pragma unroll 4
      for (int j = 0; j < WARP; j++)
        if (!add_sphere(where[row][j], series[row][j], &own)) near |= 1u << j;
      for (; near; near &= near - 1) {
        list[next] = (unsigned short)(first - list_begins + __popc((near & -near) - 1));
        next += THREADS;
      }
    }
    if (first / THREADS % FLUSHED == FLUSHED - 1) flush(&own, sums[row]);
  }
  add_listed(list, thread, next, list_begins, atoms, i, n_atoms, born, &own, sums[row]);
  flush(&own, sums[row]);

  __syncthreads();
  for (int k = row; k < COARSEN; k += BLOCK_Y) {
    float sum = sums[0][k][threadIdx.x];
    for (int r = 1; r < BLOCK_Y; r++)
      sum += sums[r][k][threadIdx.x];
    int at = i + k * WARP;
    if (at < n_atoms) radii[ORDER == ORDER_PLACE ? numbers[at] : at] = born_radius(born, atoms[at].w, sum);
  }
}
