/* Clusters of atoms that lie near each other, and what is near them: see kernels/forces/clusters.h.
 *
 * Four small kernels sort: the first three are those of cells.cuh, the fourth cuts the rows of cells
 * into clusters of CLUSTER atoms. A warp then takes a cluster (pull_cluster): a lane is one of its
 * atoms, and 32 / CLUSTER groups of lanes share what is near. The warp walks through the rows of
 * cells within reach of the cluster's box, 32 atoms at a time, and lists those that are within the
 * cutoff of the box; whenever it has 32 it computes their pairs. In the list an atom is where its
 * image is, so that no pair need look for one.
 *
 * Which atoms are excluded with any of the cluster's is told by a set of bits in shared memory:
 * an atom that is in it is a suspect, and comes into a list of its own, whose pairs look the
 * exclusions up, so that others know no branch. The set is wrong of some 2%
 * of the atoms of water that are near. Suspects are, too, those that the table of types has, near a
 * cluster with any that it has. The same bits every time: rows come in their order, and clusters share nothing.
 *
 * A kernel includes this, gives pull_cluster() what computes a pair,
 *
 *     pull RADIAL::at(float r2, float charges, float minimum, float depth)
 *
 * and has the parameters BLOCK_Y and CLUSTER, a power of two up to 32. */
#define BLOCK_X 32

#include "kernels/forces/cuda/walk.cuh"

/* Of a row's places, the first whose cell has a lower number than that of the first of all: where
 * cells repeat, atoms of the other end follow. end: none has. */
static __device__ __forceinline__ int seam_of(const float4 *sorted, int first, int end,
                                              const cell_grid &cells) {
  int lo = first, hi = end;
  if (cells.periodic) return end;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (cell_at(sorted[middle].x, 0, cells) < cell_at(sorted[first].x, 0, cells))
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

static __device__ __forceinline__ void cut(int2 *clusters, int first, int end) {
  for (; first < end; first += CLUSTER) {
    int2 cluster;
    cluster.x = first;
    cluster.y = min(first + CLUSTER, end);
    *clusters++ = cluster;
  }
}

/* A thread a row: places first..end - 1 of a row, or of its part before or behind the seam, are a
 * cluster. */
extern "C" __global__ void cut_rows(float *scratch, int2 *clusters, int *n_clusters, int n_atoms,
                                    forces_own own) {
  cell_memory m = memory_of(scratch, n_atoms, own.cells);
  int row = blockIdx.x * SORT_THREADS + threadIdx.x;
  if (row >= own.cells.ny * own.cells.nz) return;
  const int *start = m.start + row * (own.cells.nx + 1);
  int first = start[0], end = start[own.cells.nx], seam = seam_of(m.sorted, first, end, own.cells);
  int before = (seam - first + CLUSTER - 1) / CLUSTER, n = before + (end - seam + CLUSTER - 1) / CLUSTER;
  clusters += atomicAdd(n_clusters, n);
  cut(clusters, first, seam);
  cut(clusters + before, seam, end);
}

/* ---- a cluster and its list ---- */

enum { GROUPS = WARP / CLUSTER, LISTED = 2 * WARP, SET_WORDS = 32 };

/* Atoms within reach: place and charge; half of R_min, root of the well, number. */
struct atom_list {
  float4 where[LISTED], what[LISTED];
};
struct near_atoms {
  atom_list others, suspects;
  unsigned set[SET_WORDS];
};

static __device__ __forceinline__ void add_to_set(near_atoms *near, int atom) {
  atomicOr(&near->set[atom / 32 % SET_WORDS], 1u << atom % 32);
}

static __device__ __forceinline__ void fill_set(near_atoms *near, int lane, pair_rules e,
                                                int atom) {
  near->set[lane] = 0u;
  __syncwarp();
  if (lane < CLUSTER) {
    add_to_set(near, atom);
    for (int i = e.begins[atom]; i < e.begins[atom + 1]; i++)
      add_to_set(near, e.excluded[i]);
  }
  __syncwarp();
}

static __device__ __forceinline__ float lowest(float v) {
#pragma unroll
  for (int by = CLUSTER / 2; by > 0; by /= 2)
    v = fminf(v, __shfl_xor_sync(ALL, v, by));
  return v;
}

static __device__ __forceinline__ near_box box_around(float4 at) {
  near_box b;
  b.lo[0] = lowest(at.x), b.lo[1] = lowest(at.y), b.lo[2] = lowest(at.z);
  b.hi[0] = -lowest(-at.x), b.hi[1] = -lowest(-at.y), b.hi[2] = -lowest(-at.z);
  return b;
}

/* ---- what is near ---- */

/* How many atoms are in both lists. */
struct listed {
  int others, suspects;
};

/* Behind the n that are in the list come those of the lanes that found one; returns how many then
 * are. */
static __device__ __forceinline__ int append(atom_list *list, int n, int lane, bool found,
                                             float4 at, float4 what) {
  unsigned all = __ballot_sync(ALL, found);
  int to = n + __popc(all & ((1u << lane) - 1u));
  if (found) {
    list->where[to] = at;
    list->what[to] = what;
  }
  return n + __popc(all);
}

/* Lists which of 32 atoms from `first` on are within reach. in_table: all bits, where any type of the
 * cluster's is in the table; else 0. */
static __device__ __forceinline__ listed list_atoms(const float4 *sorted, const float4 *wells,
                                                    int first, int end, float3 shift,
                                                    const near_box &b, float reach2, int lane,
                                                    listed n, int in_table, near_atoms *near) {
  int j = min(first + lane, end - 1);
  float4 at = sorted[j], what = wells[j];
  at.x += shift.x, at.y += shift.y, at.z += shift.z;
  float dx = outside(at.x, b.lo[0], b.hi[0]), dy = outside(at.y, b.lo[1], b.hi[1]),
        dz = outside(at.z, b.lo[2], b.hi[2]);
  bool found = first + lane < end && dx * dx + dy * dy + dz * dz <= reach2;
  int atom = __float_as_int(what.z);
  bool suspect = (near->set[atom / 32 % SET_WORDS] >> atom % 32 & 1u) ||
                 (__float_as_int(what.w) & in_table) != 0;
  n.others = append(&near->others, n.others, lane, found && !suspect, at, what);
  if (__any_sync(ALL, found && suspect))
    n.suspects = append(&near->suspects, n.suspects, lane, found && suspect, at, what);
  __syncwarp();
  return n;
}

/* An atom of the cluster, its place and what else is known of it, and its sums. */
struct cluster_atom {
  float4 at, what, sum;
};

/* Adds the terms of the first n atoms of a list, a multiple of GROUPS, summed apart: in long sums
 * what is small is lost. */
template <bool SUSPECTS, class RADIAL>
static __device__ __forceinline__ void take_list(const atom_list &list, int n, int group,
                                                 const RADIAL &radial, float cutoff2, pair_rules e,
                                                 cluster_atom *own) {
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
  for (int k = 0; k < n; k += GROUPS) {
    float4 at = list.where[k + group], what = list.what[k + group];
    float dx = own->at.x - at.x, dy = own->at.y - at.y, dz = own->at.z - at.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    float minimum = own->what.x + what.x, depth = own->what.y * what.y;
    if (SUSPECTS) {
      if (is_excluded(e, __float_as_int(own->what.z), __float_as_int(what.z))) r2 = cutoff2;
      look_up(e, __float_as_int(own->what.w), __float_as_int(what.w), &minimum, &depth);
    }
    bool within = r2 < cutoff2;
    pull p = radial.at(within ? r2 : cutoff2, own->at.w * at.w, minimum, depth);
    float force = within ? p.force : 0.0f;
    sum.x += force * dx;
    sum.y += force * dy;
    sum.z += force * dz;
    sum.w += within ? p.energy : 0.0f;
  }
  own->sum.x += sum.x;
  own->sum.y += sum.y;
  own->sum.z += sum.z;
  own->sum.w += sum.w;
}

/* Takes all n, with atoms that are nowhere to make them a multiple of GROUPS. */
template <bool SUSPECTS, class RADIAL>
static __device__ __forceinline__ void take_rest(atom_list *list, int n, int lane,
                                                 const RADIAL &radial, float cutoff2, pair_rules e,
                                                 cluster_atom *own) {
  if (lane < GROUPS) {
    list->where[n + lane] = make_float4(1e15f, 1e15f, 1e15f, 0.0f);
    list->what[n + lane] = make_float4(0.0f, 0.0f, __int_as_float(-1), __int_as_float(0));
  }
  __syncwarp();
  take_list<SUSPECTS>(*list, (n + GROUPS - 1) / GROUPS * GROUPS, lane / CLUSTER, radial, cutoff2, e,
                      own);
}

/* Takes the first 32 of a list of n, and moves the others to the front; returns how many. */
template <bool SUSPECTS, class RADIAL>
static __device__ __forceinline__ int take_full(atom_list *list, int n, int lane,
                                                const RADIAL &radial, float cutoff2, pair_rules e,
                                                cluster_atom *own) {
  if (n < WARP) return n;
  take_list<SUSPECTS>(*list, WARP, lane / CLUSTER, radial, cutoff2, e, own);
  n -= WARP;
  __syncwarp();
  if (lane < n) {
    list->where[lane] = list->where[WARP + lane];
    list->what[lane] = list->what[WARP + lane];
  }
  __syncwarp();
  return n;
}

/* Over the groups of lanes. */
static __device__ __forceinline__ float over_groups(float v) {
#pragma unroll
  for (int by = CLUSTER; by < WARP; by *= 2)
    v += __shfl_xor_sync(ALL, v, by);
  return v;
}

/* What a warp computes a cluster with. */
struct cluster_work {
  const float4 *wells;
  int2 cluster;
  pair_rules rules;
  near_atoms *near;
};

/* All lanes of the warp call it. Writes the forces of the cluster's atoms. */
template <class RADIAL>
static __device__ __forceinline__ void pull_cluster(float4 *forces, cell_memory m, cluster_work w,
                                                    const RADIAL &radial, const forces_own &o) {
  int lane = threadIdx.x, place = w.cluster.x + lane % CLUSTER;
  listed n = {0, 0};
  float cutoff2 = o.terms.cutoff2, reach2 = cutoff2 * (1.0f + 0x1p-18f);
  cluster_atom own;
  own.at = m.sorted[min(place, w.cluster.y - 1)];
  own.what = w.wells[min(place, w.cluster.y - 1)];
  own.sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  near_box b = box_around(own.at);
  fill_set(w.near, lane, w.rules, __float_as_int(own.what.z));
  int in_table = __any_sync(ALL, __float_as_int(own.what.w) != 0) ? -1 : 0;

  walk_near(m, b, reach2, o.cells, [&](int begin, int end, float3 shift) {
    for (int first = begin; first < end; first += WARP) {
      n = list_atoms(m.sorted, w.wells, first, end, shift, b, reach2, lane, n, in_table,
                     w.near);
      n.others =
          take_full<false>(&w.near->others, n.others, lane, radial, cutoff2, w.rules, &own);
      n.suspects =
          take_full<true>(&w.near->suspects, n.suspects, lane, radial, cutoff2, w.rules, &own);
    }
  });
  take_rest<false>(&w.near->others, n.others, lane, radial, cutoff2, w.rules, &own);
  take_rest<true>(&w.near->suspects, n.suspects, lane, radial, cutoff2, w.rules, &own);
  own.sum = make_float4(over_groups(own.sum.x), over_groups(own.sum.y), over_groups(own.sum.z),
                        0.5f * over_groups(own.sum.w));
  if (lane < CLUSTER && place < w.cluster.y) forces[__float_as_int(own.what.z)] = own.sum;
}
