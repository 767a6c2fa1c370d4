/* Atoms sorted by place: cubes, the cells, divide the box around them, and cells follow each other along Hilbert's
 * curve, so that atoms that are near in the order are near in space. In a cell atoms keep their order: the same bits
 * every time. */

enum { SORT_THREADS = 256, SORT_BOXES = 64, CELL_BITS = 4, CELLS = 1 << 3 * CELL_BITS };

struct corners {
  float lo[3], hi[3];
};

static __device__ __forceinline__ void extend(float v, float *lo, float *hi) {
  *lo = fminf(*lo, v);
  *hi = fmaxf(*hi, v);
}

static __device__ __forceinline__ float least_of_warp(float v) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2)
    v = fminf(v, __shfl_xor_sync(~0u, v, lanes));
  return v;
}

/* Of the threads of a block; to be read by its first one. */
static __device__ __forceinline__ void extend_by_others(corners *shared, int t, const corners &own) {
  shared[t] = own;
  for (int half = SORT_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      for (int d = 0; d < 3; d++) {
        shared[t].lo[d] = fminf(shared[t].lo[d], shared[t + half].lo[d]);
        shared[t].hi[d] = fmaxf(shared[t].hi[d], shared[t + half].hi[d]);
      }
  }
  __syncthreads();
}

static __device__ __forceinline__ corners no_corners() {
  return {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
}

/* SORT_BOXES blocks: a box around an atom of so many each. */
extern "C" __global__ void __launch_bounds__(SORT_THREADS)
    find_boxes(corners *boxes, const float4 *atoms, int n_atoms) {
  __shared__ corners shared[SORT_THREADS];
  corners own = no_corners();
  for (int a = blockIdx.x * SORT_THREADS + threadIdx.x; a < n_atoms; a += SORT_BOXES * SORT_THREADS) {
    float4 atom = atoms[a];
    extend(atom.x, &own.lo[0], &own.hi[0]);
    extend(atom.y, &own.lo[1], &own.hi[1]);
    extend(atom.z, &own.lo[2], &own.hi[2]);
  }
  extend_by_others(shared, threadIdx.x, own);
  if (threadIdx.x == 0) boxes[blockIdx.x] = shared[0];
}

/* Every third bit from the lowest on is one of the number's, from the lowest on. */
static __device__ __forceinline__ int spread(int number) {
  int bits = 0;
#pragma unroll
  for (int b = 0; b < CELL_BITS; b++)
    bits |= (number >> b & 1) << 3 * b;
  return bits;
}

/* Where a cell lies on the curve: cubes of 2^b cells are gone through as the whole is, but turned, so that the next
 * begins beside the end of the one before. x[0..2] are turned, from the largest cubes on (Skilling 2004). */
static __device__ __forceinline__ int on_curve(int x[3]) {
#pragma unroll
  for (int bit = 1 << (CELL_BITS - 1); bit > 1; bit /= 2)
#pragma unroll
    for (int d = 0; d < 3; d++) {
      int others = x[d] & bit ? 0 : (x[0] ^ x[d]) & (bit - 1);
      x[0] ^= x[d] & bit ? bit - 1 : others;
      x[d] ^= others;
    }
  x[1] ^= x[0];
  x[2] ^= x[1];
  int turned = 0;
#pragma unroll
  for (int bit = 1 << (CELL_BITS - 1); bit > 1; bit /= 2)
    if (x[2] & bit) turned ^= bit - 1;
  return spread(x[0] ^ turned) << 2 | spread(x[1] ^ turned) << 1 | spread(x[2] ^ turned);
}

static __device__ __forceinline__ int cell_at(float v, float lo, float per_edge) {
  return min((int)((v - lo) * per_edge), (1 << CELL_BITS) - 1);
}

/* A thread an atom: its cell, and how many the cell has, in counters that are zero before. */
extern "C" __global__ void __launch_bounds__(SORT_THREADS)
    count_atoms(int *cell_of, int *counts, const corners *boxes, const float4 *atoms, int n_atoms) {
  __shared__ corners shared[SORT_THREADS];
  int a = blockIdx.x * SORT_THREADS + threadIdx.x;
  extend_by_others(shared, threadIdx.x, threadIdx.x < SORT_BOXES ? boxes[threadIdx.x] : no_corners());
  if (a >= n_atoms) return;
  const corners &box = shared[0];
  float edges = fmaxf(fmaxf(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]), box.hi[2] - box.lo[2]);
  float per_edge = edges > 0.0f ? (1 << CELL_BITS) / edges : 0.0f;
  float4 atom = atoms[a];
  int at[3] = {cell_at(atom.x, box.lo[0], per_edge), cell_at(atom.y, box.lo[1], per_edge),
               cell_at(atom.z, box.lo[2], per_edge)};
  int cell = on_curve(at);
  cell_of[a] = cell;
  atomicAdd(&counts[cell], 1);
}

/* One block: where each cell begins, and where the last one ends. */
extern "C" __global__ void __launch_bounds__(SORT_THREADS) add_up_cells(int *begins, const int *counts) {
  __shared__ int sums[SORT_THREADS];
  const int OWN = CELLS / SORT_THREADS;
  int t = threadIdx.x, sum = 0;
  for (int c = t * OWN; c < (t + 1) * OWN; c++)
    sum += counts[c];
  sums[t] = sum;
  for (int by = 1; by < SORT_THREADS; by *= 2) {
    __syncthreads();
    int before = t >= by ? sums[t - by] : 0;
    __syncthreads();
    sums[t] += before;
  }
  int begin = sums[t] - sum;
  for (int c = t * OWN; c < (t + 1) * OWN; c++) {
    begins[c] = begin;
    begin += counts[c];
  }
  if (t == SORT_THREADS - 1) begins[CELLS] = begin;
}

/* A thread an atom: a place in its cell, any. The counters are zero again behind it. */
extern "C" __global__ void list_atoms(int *listed, int *counts, const int *cell_of, const int *begins, int n_atoms) {
  int a = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (a < n_atoms) listed[begins[cell_of[a]] + atomicAdd(&counts[cell_of[a]], -1) - 1] = a;
}

/* A thread a listed atom: behind those of its cell that come before it. */
extern "C" __global__ void place_atoms(float4 *sorted, int *numbers, const int *listed, const int *cell_of,
                                       const int *begins, const float4 *atoms, int n_atoms) {
  int l = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (l >= n_atoms) return;
  int a = listed[l], cell = cell_of[a], to = begins[cell];
  for (int other = begins[cell]; other < begins[cell + 1]; other++)
    to += listed[other] < a;
  sorted[to] = atoms[a];
  numbers[to] = a;
}
