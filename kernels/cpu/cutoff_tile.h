/* The sum with a cutoff: the template that instruction sets instantiate. Each file includes it
 * once, after defining
 *
 *     CUTOFF_KERNELS       the dcs_cutoff_kernels to define
 *
 * and what a rsqrt_*.h defines: TILE_BYTES, and, where the architecture has the instructions,
 * tile_vector, TILE_TARGET, TILE_RSQRT, TILE_UNSCALE. Then also
 *
 *     CUTOFF_POSITIVE(v)       lanes of v above 0, else 0
 *     CUTOFF_BELOW(v, r2, c2)  lanes of v where r2 < c2, else 0
 *     CUTOFF_LANES(d2, most)   unsigned: bit l is set where lane l of d2 <= most
 *     CUTOFF_PACK(to, v, bits) stores the lanes of v whose bit is set, close together, at `to`; may
 *                              store any others behind them, a vector in all
 *     CUTOFF_SLICES            slices of a tile that are summed at once: their sums fit the
 * registers
 *
 * A tile is 4 x 4 x 4 points. Cells that may hold an atom within the cutoff of any of them come in
 * runs along x, and the atoms of a run are culled by their distance to the tile's box, a vector of
 * atoms at a time. The survivors, packed, are a block like that of tile.h. Each of them is then
 * taken to all points of the tile: those beyond the cutoff of a point add an exact 0 there. A
 * vector of points is a patch of a slice (16 lanes: 4 x 4 points, 8: 4 x 2, 4: 4 x 1), so dx^2 +
 * dy^2 is shared by the slices and dz^2 by the points of a slice.
 *
 * Rounding is monotonic, so what culling computes is never above the r^2 of the tile's points by
 * more than the units that contraction may add; that is what the margins are for. So no atom that
 * the sum would count is culled, and the cells decide only the order of the additions. */
#include "kernels/cpu/cutoff_cells.h"

#include <math.h>
#include <string.h>

#ifndef TILE_RSQRT

const dcs_cutoff_kernels CUTOFF_KERNELS = {0};

#else

#define TILE_INLINE TILE_TARGET static inline __attribute__((always_inline))

enum {
  T = DCS_CUTOFF_TILE,
  LANES = TILE_BYTES / (int)sizeof(float),
  PATCH_ROWS = LANES / T,   /* rows of a slice in a vector */
  PATCHES = T / PATCH_ROWS, /* vectors in a slice */
  CAPACITY = DCS_CPU_BLOCK + 2 * LANES
};

/* Vectors that lie anywhere in an array of float. */
typedef float tile_points __attribute__((vector_size(TILE_BYTES), aligned(sizeof(float))));

typedef enum { PLAIN, SMOOTH, COUNT } tile_mode;

/* A tile: its first point, its points in the map, and its box. */
typedef struct {
  int64_t first[3];
  int n[3];
  float x[T], y[T], z[T]; /* coordinates, beyond the map's edge too */
  float lo[3], hi[3];     /* of the points in the map */
} tile_place;

/* Atoms that the tile sees, and its sums. */
typedef struct {
  int n;
  float x[CAPACITY], y[CAPACITY], z[CAPACITY], q[CAPACITY];
  float dz2[T][DCS_CPU_BLOCK];
  union {
    tile_vector vector[T][PATCHES];
    float point[T][T][T];
  } sums;
} tile_block;

static tile_place place_tile(const dcs_problem *p, int64_t tile) {
  const dcs_dims tiles = dcs_cutoff_tiles(p->n);
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  tile_place place = {
      .first = {tile % tiles.x * T, tile / tiles.x % tiles.y * T, tile / tiles.x / tiles.y * T}};
  float *const at[3] = {place.x, place.y, place.z};
  for (int d = 0; d < 3; d++) {
    int64_t left = n[d] - place.first[d];
    place.n[d] = left < T ? (int)left : T;
    for (int i = 0; i < T; i++)
      at[d][i] = (float)(place.first[d] + i) * p->spacing;
    place.lo[d] = at[d][0];
    place.hi[d] = at[d][place.n[d] - 1];
  }
  return place;
}

/* ---- what one block of atoms adds ---- */

/* A number for each point of a slice. */
typedef union {
  float point[T][T];
  tile_vector vector[PATCHES];
} tile_patches;

/* The points' coordinates in x, or in y. */
TILE_INLINE tile_patches spread(const float *at, bool along_x) {
  tile_patches patches;
  for (int j = 0; j < T; j++)
    for (int i = 0; i < T; i++)
      patches.point[j][i] = at[along_x ? i : j];
  return patches;
}

/* Adds the block's first n atoms to slices s, s + 1, ... of the tile. The loops over slices and
 * patches are unrolled to keep the sums in registers. */
TILE_INLINE void add_to_slices(const dcs_problem *p, const tile_place *place, tile_block *block,
                               int n, int s, tile_mode mode) {
  const float c2 = p->cutoff * p->cutoff, per_c2 = 1.0f / c2;
  const tile_patches x = spread(place->x, true), y = spread(place->y, false);
  tile_vector sums[CUTOFF_SLICES][PATCHES] = {0};
  for (int a = 0; a < n; a++) {
    const float q = block->q[a];
    tile_vector dx = x.vector[0] - block->x[a], dx2 = dx * dx, dxy2[PATCHES];
#pragma GCC unroll 4
    for (int v = 0; v < PATCHES; v++) {
      tile_vector dy = y.vector[v] - block->y[a];
      dxy2[v] = dy * dy + dx2;
    }
#pragma GCC unroll 4
    for (int k = 0; k < CUTOFF_SLICES; k++)
#pragma GCC unroll 4
      for (int v = 0; v < PATCHES; v++) {
        tile_vector r2 = dxy2[v] + block->dz2[s + k][a], per_r = TILE_RSQRT(r2);
        if (mode == SMOOTH) {
          tile_vector t = CUTOFF_POSITIVE(1.0f - r2 * per_c2);
          sums[k][v] += (q * t) * (t * per_r);
        } else {
          sums[k][v] += q * CUTOFF_BELOW(per_r, r2, c2);
        }
      }
  }
  for (int k = 0; k < CUTOFF_SLICES; k++)
    for (int v = 0; v < PATCHES; v++)
      block->sums.vector[s + k][v] += TILE_UNSCALE * sums[k][v];
}

/* Adds the block's first n atoms to the tile. */
TILE_INLINE void add_atoms(const dcs_problem *p, const tile_place *place, tile_block *block, int n,
                           tile_mode mode) {
  for (int k = 0; k < T; k++)
#pragma GCC ivdep
    for (int a = 0; a < n; a++) {
      float dz = place->z[k] - block->z[a];
      block->dz2[k][a] = dz * dz;
    }
  for (int s = 0; s < T; s += CUTOFF_SLICES)
    add_to_slices(p, place, block, n, s, mode);
}

/* Adds a full block to the tile; what is behind it moves to the front. */
TILE_INLINE void add_full_block(const dcs_problem *p, const tile_place *place, tile_block *block,
                                tile_mode mode) {
  enum { FULL = DCS_CPU_BLOCK };
  add_atoms(p, place, block, FULL, mode);
  block->n -= FULL;
  float *const fields[4] = {block->x, block->y, block->z, block->q};
  for (int f = 0; f < 4; f++)
    memcpy(fields[f], fields[f] + FULL, LANES * sizeof(float));
}

/* ---- which atoms ---- */

/* Distance along one dimension from lo..hi; of two differences at most one is above 0. */
TILE_INLINE tile_vector outside(tile_vector at, float lo, float hi) {
  return CUTOFF_POSITIVE(lo - at) + CUTOFF_POSITIVE(at - hi);
}

/* The squared distance from the tile's box of atoms a, a + 1, ... */
TILE_INLINE tile_vector squared_distances(const dcs_cutoff_cells *cells, const tile_place *place,
                                          int32_t a) {
  tile_vector dx = outside(*(const tile_points *)(cells->x + a), place->lo[0], place->hi[0]);
  tile_vector dy = outside(*(const tile_points *)(cells->y + a), place->lo[1], place->hi[1]);
  tile_vector dz = outside(*(const tile_points *)(cells->z + a), place->lo[2], place->hi[2]);
  return dx * dx + dy * dy + dz * dz;
}

/* Takes the atoms first..end-1 of the cells; returns how many of them the tile examines. */
TILE_INLINE int64_t take_run(const dcs_cutoff_cells *cells, const tile_place *place, int32_t first,
                             int32_t end, tile_block *block, tile_mode mode) {
  const float c2 = cells->problem.cutoff * cells->problem.cutoff, most = c2 * (1 + 0x1p-20f);
  int64_t examined = 0;
  for (int32_t a = first; a < end; a += LANES) {
    unsigned bits = CUTOFF_LANES(squared_distances(cells, place, a), most);
    if (end - a < LANES) bits &= (1u << (end - a)) - 1;
    int n = __builtin_popcount(bits);
    examined += n;
    if (mode == COUNT || n == 0) continue;
    CUTOFF_PACK(block->x + block->n, *(const tile_points *)(cells->x + a), bits);
    CUTOFF_PACK(block->y + block->n, *(const tile_points *)(cells->y + a), bits);
    CUTOFF_PACK(block->z + block->n, *(const tile_points *)(cells->z + a), bits);
    CUTOFF_PACK(block->q + block->n, *(const tile_points *)(cells->q + a), bits);
    block->n += n;
    if (block->n >= DCS_CPU_BLOCK) add_full_block(&cells->problem, place, block, mode);
  }
  return examined;
}

/* Distance along dimension d from the tile's box to the layer of cells `index`, not too large. */
static inline double to_layer(const dcs_cutoff_cells *cells, const tile_place *place, int d,
                              int32_t index) {
  double lo = cells->lo[d] + (double)index * cells->edge, margin = 1e-6 * cells->edge;
  double below = lo - (double)place->hi[d], above = (double)place->lo[d] - (lo + cells->edge);
  return fmax(fmax(below, above) - margin, 0);
}

/* First and last cell along dimension d that may hold atoms nearer than `reach` to the tile's box.
 */
static inline void cells_within(const dcs_cutoff_cells *cells, const tile_place *place, int d,
                                double reach, int32_t *first, int32_t *last) {
  *first = dcs_cutoff_cell(cells, d, (double)place->lo[d] - reach);
  *last = dcs_cutoff_cell(cells, d, (double)place->hi[d] + reach);
}

/* Takes all atoms that the tile examines; returns how many. */
TILE_INLINE int64_t take_atoms(const dcs_cutoff_cells *cells, const tile_place *place,
                               tile_block *block, tile_mode mode) {
  const double c = (double)cells->problem.cutoff * (1 + 1e-6), c2 = c * c;
  int64_t examined = 0;
  int32_t k, k_last, j, j_last, i, i_last;
  cells_within(cells, place, 2, c, &k, &k_last);
  for (; k <= k_last; k++) {
    double dz = to_layer(cells, place, 2, k), left = c2 - dz * dz;
    if (left < 0) continue;
    cells_within(cells, place, 1, sqrt(left), &j, &j_last);
    for (; j <= j_last; j++) {
      double dy = to_layer(cells, place, 1, j), left_x = left - dy * dy;
      if (left_x < 0) continue;
      cells_within(cells, place, 0, sqrt(left_x), &i, &i_last);
      const int32_t *row = cells->start + (k * cells->n[1] + j) * cells->n[0];
      examined += take_run(cells, place, row[i], row[i_last + 1], block, mode);
    }
  }
  return examined;
}

/* ---- tiles ---- */

static void store_tile(const dcs_problem *p, const tile_place *place, const tile_block *block,
                       float *map) {
  for (int k = 0; k < place->n[2]; k++)
    for (int j = 0; j < place->n[1]; j++) {
      int64_t row = (place->first[2] + k) * p->n.y + place->first[1] + j;
      memcpy(map + row * p->n.x + place->first[0], block->sums.point[k][j],
             (size_t)place->n[0] * sizeof *map);
    }
}

TILE_INLINE void sum_tiles(const dcs_problem *p, int64_t first, int64_t end, float *map,
                           tile_mode mode) {
  const dcs_cutoff_cells *cells = (const dcs_cutoff_cells *)p;
  tile_block block;
  for (int64_t tile = first; tile < end; tile++) {
    const tile_place place = place_tile(p, tile);
    block.n = 0;
    memset(&block.sums, 0, sizeof block.sums);
    take_atoms(cells, &place, &block, mode);
    add_atoms(p, &place, &block, block.n, mode);
    store_tile(p, &place, &block, map);
  }
}

TILE_TARGET static void sum_plain(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  sum_tiles(p, first, end, map, PLAIN);
}

TILE_TARGET static void sum_smooth(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  sum_tiles(p, first, end, map, SMOOTH);
}

TILE_TARGET static void count_pairs(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  (void)map;
  const dcs_cutoff_cells *cells = (const dcs_cutoff_cells *)p;
  int64_t atoms = 0;
  for (int64_t tile = first; tile < end; tile++) {
    const tile_place place = place_tile(p, tile);
    atoms += take_atoms(cells, &place, NULL, COUNT);
  }
#pragma omp atomic
  *cells->pairs += (double)(atoms * (T * T * T));
}

const dcs_cutoff_kernels CUTOFF_KERNELS = {sum_plain, sum_smooth, count_pairs};

#endif
