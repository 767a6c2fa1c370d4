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
 *     CUTOFF_PACK(to, v, bits) stores the lanes of v whose bit is set, whatever they hold, close
 *                              together, at `to`; may store any others behind them, a vector in all
 *     CUTOFF_SLICES            slices of a tile that are summed at once: their sums fit the
 *                              registers
 *
 * Atoms are found in two steps. Cells that may hold an atom within the cutoff of a brick of 2 x 2 x
 * 2 tiles come in runs along x, and the atoms of a run are culled by their distance to the brick's
 * box, a vector of atoms at a time; the survivors are packed. When they are a batch, each vector of
 * them is compared with the boxes of all eight tiles, and what each tile sees is listed: for this
 * step six distances serve eight tiles, nothing branches, and an atom is an index. The sums
 * (cutoff_tile.h) read the batch by the lists.
 *
 * Rounding is monotonic, so what culling computes is never above the r^2 of the tile's points by
 * more than the units that contraction may add; that is what the margins are for. So no atom that
 * the sum would count is culled, and the cells decide only the order of the additions. */
#include "kernels/coulomb/cpu/cutoff_tile.h"

#include <string.h>

#ifndef TILE_RSQRT

const dcs_cutoff_kernels CUTOFF_KERNELS = {0};

#else

/* ---- which atoms the tiles of a brick see ---- */

/* Squared distance along one dimension from lo..hi; of two differences at most one is above 0. */
TILE_INLINE tile_vector outside2(const float *at, float lo, float hi) {
  tile_vector v = *(const tile_points *)at;
  tile_vector beside = CUTOFF_POSITIVE(lo - v) + CUTOFF_POSITIVE(v - hi);
  return beside * beside;
}

/* What a squared distance that culling computes may be of an atom within the cutoff. */
static inline float most_d2(const dcs_problem *p) {
  return dcs_cutoff(p) * dcs_cutoff(p) * (1 + 0x1p-20f);
}

/* Lists for each tile which of the brick's first n atoms it sees; n is a multiple of LANES, or
 * atoms infinitely far away follow. */
TILE_INLINE void list_near(const dcs_problem *p, const brick_place *place, tile_brick *brick,
                           int n) {
  const float most = most_d2(p);
  int listed[TILES] = {0};
  tile_indices index;
  for (int l = 0; l < LANES; l++)
    index[l] = l;
  for (int a = 0; a < n; a += LANES, index += LANES) {
    tile_vector dx2[SIDE], dy2[SIDE], dz2[SIDE];
#pragma GCC unroll 2
    for (int i = 0; i < SIDE; i++) {
      dx2[i] = outside2(brick->x + a, place->tile_lo[0][i], place->tile_hi[0][i]);
      dy2[i] = outside2(brick->y + a, place->tile_lo[1][i], place->tile_hi[1][i]);
      dz2[i] = outside2(brick->z + a, place->tile_lo[2][i], place->tile_hi[2][i]);
    }
#pragma GCC unroll 8
    for (int t = 0; t < TILES; t++) {
      tile_vector d2 = dx2[t % SIDE] + dy2[t / SIDE % SIDE] + dz2[t / SIDE / SIDE];
      unsigned bits = CUTOFF_LANES(d2, most);
      CUTOFF_PACK(brick->near[t] + listed[t], (tile_vector)index, bits);
      listed[t] += __builtin_popcount(bits);
    }
  }
  memcpy(brick->n_near, listed, sizeof listed);
}

/* Takes the brick's first n atoms to its tiles; returns how many its tiles see, each tile counted.
 */
TILE_INLINE int64_t take_batch(const dcs_problem *p, const brick_place *place, tile_brick *brick,
                               int n, tile_mode mode) {
  int64_t candidates = 0;
  list_near(p, place, brick, n);
  for (int t = 0; t < TILES; t++)
    candidates += brick->n_near[t];
  if (mode == COUNT || candidates == 0) return candidates;
  for (int k = 0; k < SIDE * T; k++)
#pragma GCC ivdep
    for (int a = 0; a < n; a++) {
      float dz = place->at[2][k] - brick->z[a];
      brick->dz2[k][a] = dz * dz;
    }
  for (int t = 0; t < TILES; t++)
    for (int s = 0; s < T; s += CUTOFF_SLICES)
      if (mode == SOFTENED)
        brick->add_softened(p, place, brick, t, s);
      else
        add_to_slices(p, place, brick, t, s, mode, 0);
  return candidates;
}

/* Takes a full batch; what is behind it moves to the front. */
TILE_INLINE int64_t take_full_batch(const dcs_problem *p, const brick_place *place,
                                    tile_brick *brick, tile_mode mode) {
  int64_t candidates = take_batch(p, place, brick, BATCH, mode);
  brick->n -= BATCH;
  float *const fields[4] = {brick->x, brick->y, brick->z, brick->q};
  for (int f = 0; f < 4; f++)
    memcpy(fields[f], fields[f] + BATCH, LANES * sizeof(float));
  return candidates;
}

/* Takes what is left. */
TILE_INLINE int64_t take_last_batch(const dcs_problem *p, const brick_place *place,
                                    tile_brick *brick, tile_mode mode) {
  for (int l = 0; l < LANES; l++)
    brick->x[brick->n + l] = -INFINITY;
  return take_batch(p, place, brick, brick->n, mode);
}

/* ---- which atoms a brick sees ---- */

/* Takes the atoms first..end-1 of the cells; returns how many of them the tiles see. */
TILE_INLINE int64_t take_run(const dcs_cutoff_cells *cells, const brick_place *place, int32_t first,
                             int32_t end, tile_brick *brick, tile_mode mode) {
  const float most = most_d2(&cells->problem);
  int64_t candidates = 0;
  for (int32_t a = first; a < end; a += LANES) {
    tile_vector d2 = outside2(cells->x + a, place->lo[0], place->hi[0]) +
                     outside2(cells->y + a, place->lo[1], place->hi[1]) +
                     outside2(cells->z + a, place->lo[2], place->hi[2]);
    unsigned bits = CUTOFF_LANES(d2, most);
    if (end - a < LANES) bits &= (1u << (end - a)) - 1;
    CUTOFF_PACK(brick->x + brick->n, *(const tile_points *)(cells->x + a), bits);
    CUTOFF_PACK(brick->y + brick->n, *(const tile_points *)(cells->y + a), bits);
    CUTOFF_PACK(brick->z + brick->n, *(const tile_points *)(cells->z + a), bits);
    CUTOFF_PACK(brick->q + brick->n, *(const tile_points *)(cells->q + a), bits);
    brick->n += __builtin_popcount(bits);
    if (brick->n >= BATCH) candidates += take_full_batch(&cells->problem, place, brick, mode);
  }
  return candidates;
}

/* Distance along dimension d from the brick's box to the layer of cells `index`, not too large. */
static inline double to_layer(const dcs_cutoff_cells *cells, const brick_place *place, int d,
                              int32_t index) {
  double lo = cells->lo[d] + (double)index * cells->edge, margin = 1e-6 * cells->edge;
  double below = lo - (double)place->hi[d], above = (double)place->lo[d] - (lo + cells->edge);
  return fmax(fmax(below, above) - margin, 0);
}

/* First and last cell along dimension d that may hold atoms nearer than `reach` to the brick's box.
 */
static inline void cells_within(const dcs_cutoff_cells *cells, const brick_place *place, int d,
                                double reach, int32_t *first, int32_t *last) {
  *first = dcs_cutoff_cell(cells, d, (double)place->lo[d] - reach);
  *last = dcs_cutoff_cell(cells, d, (double)place->hi[d] + reach);
}

/* Takes all atoms that the brick sees; returns how many its tiles see, each tile counted. */
TILE_INLINE int64_t take_atoms(const dcs_cutoff_cells *cells, const brick_place *place,
                               tile_brick *brick, tile_mode mode) {
  const double c = (double)dcs_cutoff(&cells->problem) * (1 + 1e-6), c2 = c * c;
  int64_t candidates = 0;
  brick->n = 0;
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
      candidates += take_run(cells, place, row[i], row[i_last + 1], brick, mode);
    }
  }
  return candidates + take_last_batch(&cells->problem, place, brick, mode);
}

/* ---- bricks ---- */

static inline void store_row(const float sums[T], int n, bool adds, float *to) {
  if (adds)
    for (int i = 0; i < n; i++)
      to[i] += sums[i];
  else if (n == T)
    memcpy(to, sums, T * sizeof *to); /* of a size that is known: one store */
  else
    memcpy(to, sums, (size_t)n * sizeof *to);
}

/* Or adds the sums to what the map holds; slices that are not written are left out. */
static void store_tile(const dcs_cutoff_cells *cells, const brick_place *place, int t,
                       const tile_sums *sums, bool adds, float *map) {
  const dcs_problem *p = &cells->problem;
  const int tile[3] = {t % SIDE * T, t / SIDE % SIDE * T, t / SIDE / SIDE * T};
  const int64_t slice = place->first[2] + tile[2] - cells->first_slice;
  int n[3];
  for (int d = 0; d < 3; d++)
    n[d] = place->n[d] - tile[d] < T ? place->n[d] - tile[d] : T;
  if (n[0] <= 0) return;
  for (int k = slice < 0 ? (int)-slice : 0; k < n[2] && slice + k < cells->n_slices; k++)
    for (int j = 0; j < n[1]; j++) {
      int64_t row = (slice + k) * p->n.y + place->first[1] + tile[1] + j;
      store_row(sums->point[k][j], n[0], adds, map + row * p->n.x + place->first[0] + tile[0]);
    }
}

TILE_INLINE void sum_bricks(const dcs_problem *p, int64_t first, int64_t end, float *map,
                            tile_mode mode) {
  const dcs_cutoff_cells *cells = (const dcs_cutoff_cells *)p;
  tile_brick brick;
  if (mode == SOFTENED) prepare_radial(cells->radial, &brick);
  for (int64_t b = first; b < end; b++) {
    const brick_place place = place_brick(p, dcs_cutoff_bricks_below(cells) + b);
    memset(brick.sums, 0, sizeof brick.sums);
    take_atoms(cells, &place, &brick, mode);
    for (int t = 0; t < TILES; t++)
      store_tile(cells, &place, t, &brick.sums[t], mode == SOFTENED, map);
  }
}

TILE_TARGET static void sum_plain(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  sum_bricks(p, first, end, map, PLAIN);
}

TILE_TARGET static void sum_switched(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  sum_bricks(p, first, end, map, SWITCHED);
}

TILE_TARGET static void add_softened(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  sum_bricks(p, first, end, map, SOFTENED);
}

TILE_TARGET static void count_pairs(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  (void)map;
  const dcs_cutoff_cells *cells = (const dcs_cutoff_cells *)p;
  tile_brick brick;
  int64_t atoms = 0;
  for (int64_t b = first; b < end; b++) {
    const brick_place place = place_brick(p, b);
    atoms += take_atoms(cells, &place, &brick, COUNT);
  }
#pragma omp atomic
  *cells->pairs += (double)(atoms * (T * T * T));
}

const dcs_cutoff_kernels CUTOFF_KERNELS = {sum_plain, sum_switched, add_softened, count_pairs};

#endif
