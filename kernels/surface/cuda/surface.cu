/* cuda_surface: marching cubes in four steps: what is inside as bits, count, scan, emit.
 *
 * Idea: the map is read once; a ballot makes a word of 32 points. A thread a word counts vertices
 *   and triangles, by exclusive ors and the cases of cells that are cut, and blocks scan their own;
 * the blocks' sums are scanned by one block (scan=block), or by a block for each `block` of them,
 * which adds up before those of all blocks before it (scan=levels). A warp emits what a word has,
 * a lane a point: bits below a point's number its vertices, so cells share them without a search.
 * Parameters: block, threads of a block; scan. Limits: 2^31 - 1 vertices or triangles. */

#include "kernels/surface/cuda/surface.cuh"

#define ALL 0xffffffffu

/* Vertices below, triangles above bit 32. */
typedef unsigned long long counts;

extern "C" __global__ void classify(unsigned *__restrict__ inside, const float *__restrict__ map,
                                    const float *__restrict__ level, surface_grid g,
                                    long long words) {
  const long long at = (long long)blockIdx.x * (BLOCK / 32) + threadIdx.y;
  if (at >= words) return;
  const long long row = at / g.words;
  const int i = (int)(at - row * g.words) * 32 + (int)threadIdx.x;
  const unsigned word = __ballot_sync(ALL, i < g.nx && map[row * g.nx + i] >= level[0]);
  if (threadIdx.x == 0) inside[at] = word;
}

/* Of a thread, the sum over the block's threads before it; *sum: over all. */
static __device__ counts scan_block(counts own, counts *sum) {
  __shared__ counts warps[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  counts before = own, all = 0;
  for (unsigned by = 1; by < 32; by *= 2) {
    const counts other = __shfl_up_sync(ALL, before, by);
    if (lane >= (int)by) before += other;
  }
  __syncthreads();
  if (lane == 31) warps[warp] = before;
  __syncthreads();
  before -= own;
  for (int w = 0; w < BLOCK / 32; w++) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  *sum = all;
  return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    count(counts *__restrict__ before, counts *__restrict__ sums,
          const unsigned *__restrict__ inside, const unsigned long long *__restrict__ cases,
          surface_grid g, long long words) {
  const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
  counts own = 0, sum;
  if (at < words) {
    const long long row = at / g.words;
    const int word = (int)(at - row * g.words), j = (int)(row % g.ny), k = (int)(row / g.ny);
    const surface_cuts cuts = cuts_of(inside, g, j, k, word);
    unsigned corner[8], left = cells_of(inside, g, j, k, word, corner);
    for (int axis = 0; axis < 3; axis++)
      own += (counts)__popc(cuts.along[axis]);
    for (; left; left &= left - 1u)
      own += cases[case_of(corner, __popc((left & (0u - left)) - 1u))] >> 60 << 32;
  }
  const counts first = scan_block(own, &sum);
  if (at < words) before[at] = first;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* By one block: of each block of `count`, the sum of those before it. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    scan(counts *__restrict__ sums, long long words) {
  const long long n = (words + BLOCK - 1) / BLOCK;
  counts done = 0;
  for (long long from = 0; from < n; from += BLOCK) {
    const long long at = from + threadIdx.x;
    counts sum;
    const counts first = scan_block(at < n ? sums[at] : 0ull, &sum);
    if (at < n) sums[at] = done + first;
    done += sum;
  }
}

static __device__ __forceinline__ counts sum_at(const counts *sums, long long words) {
  const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
  return at < (words + BLOCK - 1) / BLOCK ? sums[at] : 0ull;
}

/* By a block for BLOCK of the sums: what they come to. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    sum_level(counts *__restrict__ level, const counts *__restrict__ sums, long long words) {
  counts sum;
  scan_block(sum_at(sums, words), &sum);
  if (threadIdx.x == 0) level[blockIdx.x] = sum;
}

/* What `scan` does, by as many blocks as sum_level. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_level(counts *__restrict__ sums, const counts *__restrict__ level, long long words) {
  const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
  counts own = 0, done, sum;
  for (unsigned b = threadIdx.x; b < blockIdx.x; b += BLOCK)
    own += level[b];
  scan_block(own, &done);
  const counts first = scan_block(sum_at(sums, words), &sum);
  if (at < (words + BLOCK - 1) / BLOCK) sums[at] = done + first;
}

static __device__ __forceinline__ counts before_word(const counts *before, const counts *sums,
                                                     long long at) {
  return before[at] + sums[at / BLOCK];
}

/* The number of the vertex on an edge (surface.h) of the cell at point i of a row. */
static __device__ __forceinline__ int vertex_of(const unsigned *inside, const counts *before,
                                                const counts *sums, surface_grid g, int i, int j,
                                                int k, int edge) {
  const int axis = edge >> 2, q = edge & 3;
  i += axis != 0 ? q & 1 : 0;
  j += axis == 0 ? q & 1 : axis == 2 ? q >> 1 : 0;
  k += axis != 2 ? q >> 1 : 0;
  const int word = i >> 5, bit = i & 31;
  const surface_cuts cuts = cuts_of(inside, g, j, k, word);
  int id = (int)(unsigned)before_word(before, sums, ((long long)k * g.ny + j) * g.words + word);
  for (int d = 0; d < 3; d++)
    id += __popc(cuts.along[d] & ((1u << bit) - 1u)) +
          (d < axis ? (int)(cuts.along[d] >> bit & 1u) : 0);
  return id;
}

static __device__ __forceinline__ void emit_vertices(float *vertices, const float *map, float level,
                                                     surface_grid g, int i, int j, int k,
                                                     const surface_cuts *cuts, long long first) {
  const int bit = i & 31;
  const long long at = ((long long)k * g.ny + j) * g.nx + i;
  const long long step[3] = {1, g.nx, (long long)g.nx * g.ny};
  for (int d = 0; d < 3; d++)
    first += __popc(cuts->along[d] & ((1u << bit) - 1u));
  for (int axis = 0; axis < 3; axis++) {
    if (!(cuts->along[axis] >> bit & 1u)) continue;
    const float t = (level - map[at]) / (map[at + step[axis]] - map[at]);
    float *to = vertices + 3 * first++;
    to[0] = axis == 0 ? (float)i + t : (float)i;
    to[1] = axis == 1 ? (float)j + t : (float)j;
    to[2] = axis == 2 ? (float)k + t : (float)k;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    dcs(float *__restrict__ vertices, int *__restrict__ triangles, const float *__restrict__ map,
        const float *__restrict__ level, const unsigned long long *__restrict__ cases,
        const unsigned *__restrict__ inside, const counts *__restrict__ before,
        const counts *__restrict__ sums, surface_grid g, long long words) {
  const long long at = (long long)blockIdx.x * (BLOCK / 32) + threadIdx.y;
  if (at >= words) return;
  const long long row = at / g.words;
  const int word = (int)(at - row * g.words), j = (int)(row % g.ny), k = (int)(row / g.ny);
  const int bit = threadIdx.x, i = word * 32 + bit;
  const surface_cuts cuts = cuts_of(inside, g, j, k, word);
  unsigned corner[8];
  const unsigned cut = cells_of(inside, g, j, k, word, corner);
  const counts first = before_word(before, sums, at);
  if (cuts.along[0] | cuts.along[1] | cuts.along[2])
    emit_vertices(vertices, map, level[0], g, i, j, k, &cuts, (long long)(unsigned)first);
  if (!cut) return; /* all lanes */
  unsigned long long packed = cut >> bit & 1u ? cases[case_of(corner, bit)] : 0ull;
  const int own = (int)(packed >> 60);
  int last = own;
  for (unsigned by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(ALL, last, by);
    if (bit >= (int)by) last += other;
  }
  int *to = triangles + 3 * ((long long)(first >> 32) + last - own);
  for (int v = 0; v < 3 * own; v++, packed >>= 4)
    to[v] = vertex_of(inside, before, sums, g, i, j, k, (int)(packed & 15u));
}
