/* cuda_forces_pairs: a list of all pairs within the cutoff, and its pairs one by one.
 *
 * Derives from cuda_forces_direct, and does without clusters: a warp an atom walks through what is
 * near and writes which atoms are within the cutoff and not excluded; a row of the list has ROOM of
 * them, and what finds no room is computed at once. Then a warp takes a row, a lane a pair: every
 * lane has a pair that counts. What each of its atoms gets is added in one of two ways:
 *
 *     adding=atomics    each pair is in one row, that of the atom that comes first; its other atom
 *                       gets its force by atomics, 4 a pair: half of the pairs are computed
 *     adding=segments   pairs are in the rows of both their atoms: rows are segments of a sorted list,
 *                       and are summed by shuffles
 *
 * Molecular dynamics keeps a list for some steps; here it is made each time, as the time of a
 * problem is that from its atoms to their forces.
 *
 * Per pair: as cuda_forces_direct, 9 more to find the nearest image; 4 bytes of the list, 32 of the
 * other atom, gathered; with atomics 4 of them.
 * Parameters: block_y, warps a block, 1..8; adding; room, pairs of a row, a multiple of 32;
 * cell_edge in tenths of an angstrom.
 * Limits: 4 ROOM bytes of memory an atom. With atomics sums are in another order each time. */

#define BLOCK_X 32

#include "kernels/forces/cuda/walk.cuh"

/* What place j does to an atom, times its distance: force, and half of the energy. */
static __device__ __forceinline__ float4 pull_of(float4 at, float4 what, float4 other,
                                                 float4 other_what, pair_rules rules,
                                                 const forces_own &o) {
  float dx = nearest(at.x - other.x, 0, o.cells), dy = nearest(at.y - other.y, 1, o.cells),
        dz = nearest(at.z - other.z, 2, o.cells);
  float r2 = dx * dx + dy * dy + dz * dz;
  if (!(r2 < o.terms.cutoff2)) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float charges = at.w * other.w, minimum = what.x + other_what.x, depth = what.y * other_what.y;
  look_up(rules, __float_as_int(what.w), __float_as_int(other_what.w), &minimum, &depth);
  pull p = any_pull_at(o.terms, r2, charges, minimum, depth);
  return make_float4(p.force * dx, p.force * dy, p.force * dz, 0.5f * p.energy);
}

/* Adds to the forces of an atom; by -1 those of the other of a pair. */
static __device__ __forceinline__ void add_to(float4 *forces, float4 what, float4 p, float by) {
  float *to = (float *)&forces[__float_as_int(what.z)];
  atomicAdd(&to[0], by * p.x);
  atomicAdd(&to[1], by * p.y);
  atomicAdd(&to[2], by * p.z);
  atomicAdd(&to[3], p.w);
}

/* A warp a place: its row of the list. */
extern "C" __global__ void __launch_bounds__(THREADS)
    list_pairs(float4 *forces, float *scratch, const float4 *wells, int *list, int *length,
               const int *begins, const int *excluded, const int *types, const float2 *pairs,
               int n_atoms, forces_own o) {
  int i = blockIdx.x * BLOCK_Y + threadIdx.y, lane = threadIdx.x, n = 0;
  if (i >= n_atoms) return;
  cell_memory m = memory_of(scratch, n_atoms, o.cells);
  float4 at = m.sorted[i], what = wells[i];
  pair_rules rules = {begins, excluded, types + n_atoms, pairs};
  float reach2 = o.terms.cutoff2 * (1.0f + 0x1p-18f);
  near_box b = {{at.x, at.y, at.z}, {at.x, at.y, at.z}};
  walk_near(m, b, reach2, o.cells, [&](int begin, int end, float3 shift) {
    for (int first = begin; first < end; first += WARP) {
      int j = min(first + lane, end - 1);
      float4 other = m.sorted[j];
      float dx = at.x - (other.x + shift.x), dy = at.y - (other.y + shift.y),
            dz = at.z - (other.z + shift.z);
      bool found = first + lane < end && dx * dx + dy * dy + dz * dz <= reach2 &&
                   (ADDING == ADDING_SEGMENTS || j > i);
      if (found)
        found = !is_excluded(rules, __float_as_int(what.z), __float_as_int(wells[j].z));
      unsigned all = __ballot_sync(ALL, found);
      int to = n + __popc(all & ((1u << lane) - 1u));
      if (found && to < ROOM) list[(long long)i * ROOM + to] = j;
      if (found && to >= ROOM) {
        float4 p = pull_of(at, what, other, wells[j], rules, o);
        add_to(forces, what, p, 1.0f);
        if (ADDING == ADDING_ATOMICS) add_to(forces, wells[j], p, -1.0f);
      }
      n += __popc(all);
    }
  });
  if (lane == 0) length[i] = min(n, (int)ROOM);
}

static __device__ __forceinline__ float over_lanes(float v) {
#pragma unroll
  for (int by = WARP / 2; by > 0; by /= 2)
    v += __shfl_xor_sync(ALL, v, by);
  return v;
}

/* A warp a row. */
extern "C" __global__ void __launch_bounds__(THREADS)
    dcs(float4 *forces, float *scratch, const float4 *wells, const int *list, const int *length,
        const int *begins, const int *excluded, const int *types, const float2 *pairs, int n_atoms,
        forces_own o) {
  int i = blockIdx.x * BLOCK_Y + threadIdx.y, lane = threadIdx.x;
  if (i >= n_atoms) return;
  cell_memory m = memory_of(scratch, n_atoms, o.cells);
  float4 at = m.sorted[i], what = wells[i], sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  pair_rules rules = {begins, excluded, types + n_atoms, pairs};
  for (int k = lane; k < length[i]; k += WARP) {
    int j = list[(long long)i * ROOM + k];
    float4 other_what = wells[j], p = pull_of(at, what, m.sorted[j], other_what, rules, o);
    sum.x += p.x;
    sum.y += p.y;
    sum.z += p.z;
    sum.w += p.w;
    if (ADDING == ADDING_ATOMICS) add_to(forces, other_what, p, -1.0f);
  }
  sum = make_float4(over_lanes(sum.x), over_lanes(sum.y), over_lanes(sum.z), over_lanes(sum.w));
  if (lane == 0) add_to(forces, what, sum, 1.0f);
}
