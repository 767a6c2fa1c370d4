/* cuda_forces_patches: a block a pair of cells as wide as the cutoff.
 *
 * NAMD's first kernels (Phillips, Stone, Schulten, Adapting a message-driven parallel application to
 * GPU-accelerated clusters, SC 2008): space is cut into patches no narrower than the cutoff, so that
 * an atom's pairs are in its patch and the 26 around it. A block takes one of these pairs of patches.
 * A thread is an atom of the first; atoms of the second go by in shared memory, BLOCK_X at a time,
 * an array for each of what is known of them: threads that write are neighbours in a row, those that
 * read read the same, and no two are in each other's bank. Both patches of a pair are computed, each
 * in a block of its own: there is no third law, and blocks add to forces by atomics.
 *
 * Which atoms are excluded is an array of 64 bits an atom: bit 32 + d is set where the atom d further
 * on in the input is. Atoms that are bonded alike have the same bits; there are few different ones
 * (of water three), and they lie in the kernel's arguments, which are constant memory. What has no
 * room there, the patterns behind the first 64 and those with an atom farther on, as bridges of
 * proteins and chains of lipids have, is looked up in the list, where the other atom's number is
 * between the list's first and last.
 *
 * Per pair: as cuda_forces_direct, and 4 operations to look at the bits; 7 loads from shared memory.
 * Parameters: block_x, a multiple of 32, 32..256.
 * Limits: a sphere is 16% of 27 cells as wide as its radius: of 7 pairs 6 are too far. Sums are in
 * another order each time. */

#define BLOCK_Y 1

#include "kernels/forces/cuda/sorted.cuh"
#include "kernels/forces/cuda/special.cuh"

enum { MOST_PATTERNS = 64, AROUND = 27 };

struct patches_own {
  forces_own own;
  int n_patterns;
  unsigned bits[MOST_PATTERNS][2];
};

/* Bit 32 + d of a pattern, in two halves: j is d further on than i. */
static __device__ __forceinline__ bool is_in(unsigned low, unsigned high, int d) {
  unsigned bit = (unsigned)(d + 32);
  return bit < 64u && ((bit < 32u ? low : high) >> (bit & 31u) & 1u);
}

/* Behind what else is known of an atom: its type in the table, and, from bit PATTERN_AT on, the number
 * of its pattern, or NO_PATTERN. */
enum { PATTERN_AT = 16, NO_PATTERN = MOST_PATTERNS };

static __device__ __forceinline__ int type_of(float4 what) {
  return __float_as_int(what.w) & ((1 << PATTERN_AT) - 1);
}

/* A thread a place. */
extern "C" __global__ void find_patterns(float4 *wells, const int *begins, const int *excluded,
                                         int n_atoms, patches_own o) {
  int place = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (place >= n_atoms) return;
  int atom = __float_as_int(wells[place].z), found = NO_PATTERN;
  unsigned low = 0u, high = 1u; /* itself */
  bool far = false;
  for (int e = begins[atom]; e < begins[atom + 1]; e++) {
    int bit = excluded[e] - atom + 32;
    far = far || bit < 0 || bit >= 64;
    if (bit >= 0 && bit < 32) low |= 1u << bit;
    if (bit >= 32 && bit < 64) high |= 1u << (bit - 32);
  }
  for (int k = 0; k < o.n_patterns && !far; k++)
    if (o.bits[k][0] == low && o.bits[k][1] == high) found = k;
  wells[place].w = __int_as_float(__float_as_int(wells[place].w) | found << PATTERN_AT);
}

/* A cell of images, in a dimension: which cell it is of, and its image. */
struct patch {
  int cell, image;
};

/* Number by of -1, 0, 1 from a cell; of cells that repeat without images each counts once. */
static __device__ __forceinline__ bool step_to(int cell, int by, int n, bool periodic, patch *to) {
  if (!periodic && n < 3 && (by < 0 || (n == 1 && by > 0))) return false;
  int i = cell + by;
  to->image = i < 0 ? -1 : i >= n ? 1 : 0;
  to->cell = i - to->image * n;
  return true;
}

/* A run of places, and how it is shifted. */
struct patch_run {
  int first, end;
  float x, y, z;
};

static __device__ __forceinline__ patch_run run_of_cell(cell_memory m, int cell,
                                                        const cell_grid &cells) {
  int at = cell / cells.nx * (cells.nx + 1) + cell % cells.nx;
  return {m.start[at], m.start[at + 1], 0.0f, 0.0f, 0.0f};
}

/* The cell that is the k-th around another, of its image. Empty where there is none. */
static __device__ __forceinline__ patch_run run_around(cell_memory m, int cell, int k,
                                                       const cell_grid &cells) {
  patch x = {0, 0}, y = {0, 0}, z = {0, 0};
  bool there = step_to(cell % cells.nx, k % 3 - 1, cells.nx, cells.periodic, &x) &&
               step_to(cell / cells.nx % cells.ny, k / 3 % 3 - 1, cells.ny, cells.periodic, &y) &&
               step_to(cell / cells.nx / cells.ny, k / 9 - 1, cells.nz, cells.periodic, &z);
  if (!there) return {0, 0, 0.0f, 0.0f, 0.0f};
  patch_run run = run_of_cell(m, (z.cell * cells.ny + y.cell) * cells.nx + x.cell, cells);
  run.x = cells.period[0] * x.image;
  run.y = cells.period[1] * y.image;
  run.z = cells.period[2] * z.image;
  return run;
}

/* Atoms as they go by. */
struct tile {
  float x[BLOCK_X], y[BLOCK_X], z[BLOCK_X], q[BLOCK_X], half[BLOCK_X], root[BLOCK_X];
  int atom[BLOCK_X], type[BLOCK_X];
};

/* What an atom is excluded with: a pattern, or a list whose first and last numbers these are. */
struct own_exclusions {
  unsigned low, high;
  int from, to;
};

static __device__ __forceinline__ own_exclusions exclusions_of(float4 what, pair_rules rules,
                                                               const patches_own &o) {
  int atom = __float_as_int(what.z), pattern = __float_as_int(what.w) >> PATTERN_AT;
  int begin = rules.begins[atom], end = rules.begins[atom + 1];
  if (pattern != NO_PATTERN) return {o.bits[pattern][0], o.bits[pattern][1], 0, -1};
  if (begin == end) return {0u, 1u, 0, -1};
  return {0u, 1u, rules.excluded[begin], rules.excluded[end - 1]};
}

static __device__ __forceinline__ void load_tile(tile *to, const cell_memory &m,
                                                 const float4 *wells, const patch_run &run,
                                                 int first) {
  int t = threadIdx.x, j = first + t;
  if (j >= run.end) return;
  float4 at = m.sorted[j], what = wells[j];
  to->x[t] = at.x + run.x;
  to->y[t] = at.y + run.y;
  to->z[t] = at.z + run.z;
  to->q[t] = at.w;
  to->half[t] = what.x;
  to->root[t] = what.y;
  to->atom[t] = __float_as_int(what.z);
  to->type[t] = type_of(what);
}

/* What n atoms of the tile do to one. */
template <bool EWALD>
static __device__ __forceinline__ void take_tile(const tile &t, int n, float4 at, float4 what,
                                                 own_exclusions out, pair_rules rules,
                                                 const patches_own &o, float4 *sum) {
  int atom = __float_as_int(what.z), type = type_of(what);
  float cutoff2 = o.own.terms.cutoff2;
  float4 part = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int j = 0; j < n; j++) {
    float dx = at.x - t.x[j], dy = at.y - t.y[j], dz = at.z - t.z[j];
    float r2 = dx * dx + dy * dy + dz * dz;
    if (!(r2 < cutoff2) || is_in(out.low, out.high, t.atom[j] - atom)) continue;
    if (t.atom[j] >= out.from && t.atom[j] <= out.to && is_excluded(rules, atom, t.atom[j])) continue;
    float minimum = what.x + t.half[j], depth = what.y * t.root[j];
    look_up(rules, type, t.type[j], &minimum, &depth);
    pull p = pull_at<EWALD>(o.own.terms, r2, at.w * t.q[j], minimum, depth);
    part.x += p.force * dx;
    part.y += p.force * dy;
    part.z += p.force * dz;
    part.w += p.energy;
  }
  sum->x += part.x;
  sum->y += part.y;
  sum->z += part.z;
  sum->w += part.w;
}

/* Block (k, cell): what the k-th cell around it does to a cell. */
extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float4 *forces, float *scratch, const float4 *wells, const int *begins, const int *excluded,
        const int *types, const float2 *pairs, int n_atoms, patches_own o) {
  __shared__ tile near;
  cell_memory m = memory_of(scratch, n_atoms, o.own.cells);
  int cell = blockIdx.y + gridDim.y * blockIdx.z;
  if (cell >= o.own.cells.nx * o.own.cells.ny * o.own.cells.nz) return;
  pair_rules rules = {begins, excluded, types + n_atoms, pairs};
  patch_run own = run_of_cell(m, cell, o.own.cells),
            other = run_around(m, cell, blockIdx.x, o.own.cells);
  for (int base = own.first; base < own.end; base += BLOCK_X) {
    int i = min(base + (int)threadIdx.x, own.end - 1);
    float4 at = m.sorted[i], what = wells[i], sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    own_exclusions out = exclusions_of(what, rules, o);
    for (int first = other.first; first < other.end; first += BLOCK_X) {
      __syncthreads(); /* nobody reads the tile before any more */
      load_tile(&near, m, wells, other, first);
      __syncthreads();
      int n = min(other.end - first, BLOCK_X);
      if (o.own.terms.alpha > 0.0f)
        take_tile<true>(near, n, at, what, out, rules, o, &sum);
      else
        take_tile<false>(near, n, at, what, out, rules, o, &sum);
    }
    float *to = (float *)&forces[__float_as_int(what.z)];
    if (base + (int)threadIdx.x >= own.end || other.first >= other.end) continue;
    atomicAdd(&to[0], sum.x);
    atomicAdd(&to[1], sum.y);
    atomicAdd(&to[2], sum.z);
    atomicAdd(&to[3], 0.5f * sum.w);
  }
}
