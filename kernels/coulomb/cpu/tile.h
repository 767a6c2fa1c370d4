/* Tiled kernel: the template that the vector variants instantiate. Each includes it once, after
 * defining
 *
 *     TILE_BYTES         bytes of a vector
 *     TILE_VECTORS       vectors of points along x in a tile
 *     TILE_ROWS          rows of a tile, adjacent in y
 *
 * and, where the architecture has the instructions, the type tile_vector (TILE_BYTES of float) and
 *
 *     TILE_TARGET        attribute that selects the instruction set, or nothing
 *     TILE_RSQRT(r2)     1/sqrt of a tile_vector, divided by TILE_UNSCALE
 *     TILE_UNSCALE       a power of two, so that the product is exact
 *     TILE_SEPARATE(v)   keeps the product v out of fused multiply-adds, or does nothing
 *
 * Without TILE_RSQRT there is no kernel and TILE_COMPUTE is NULL.
 *
 * A tile of TILE_ROWS x TILE_VECTORS vectors of points stays in registers while a block of atoms
 * goes by. dx^2 is shared by the rows of the tile and dy^2 + dz^2, prepared a block at a time, by
 * the points of a row, so an evaluation is one addition, the reciprocal square root and one fused
 * multiply-add. Then the block's sums go to the map: short sums, so more accurate than one long
 * one. Where a row has no more than one vector of points left, the tile is one vector wide. A tile
 * that crosses the map's edge is computed whole and stored in part. */

#include "kernels/common/cpu.h"
#include "kernels/coulomb/coulomb.h"

enum { TILE_LANES = TILE_BYTES / (int)sizeof(float), TILE_WIDTH = TILE_VECTORS * TILE_LANES };

_Static_assert(TILE_VECTORS <= 2, "a row's last tile is whole or one vector wide");

static dcs_dims tile_executed(const dcs_problem *p, const dcs_config *config) {
  (void)config;
  return (dcs_dims){dcs_round_up(p->n.x, TILE_LANES), dcs_round_up(p->n.y, TILE_ROWS), p->n.z};
}

/* The rows share dx and dx^2; each point adds dy^2 + dz^2 (1), takes the reciprocal square root (2)
 * and adds the charge times it (2). */
static double tile_flops_per_eval(const dcs_config *config) {
  (void)config;
  return 2.0 / TILE_ROWS + 5.0;
}

#ifndef TILE_RSQRT
#define TILE_COMPUTE NULL
#else
#define TILE_COMPUTE tile_compute
#define TILE_INLINE  TILE_TARGET static inline __attribute__((always_inline))

/* Vectors that lie anywhere in an array of float. */
typedef float tile_points __attribute__((vector_size(TILE_BYTES), aligned(sizeof(float))));

/* Atoms as seen from the rows of a tile. */
typedef struct {
  const dcs_atom *atoms;
  int n;
  float dyz2[TILE_ROWS][DCS_CPU_BLOCK]; /* dy^2 + dz^2 from each row */
} tile_block;

typedef union {
  tile_vector vector[TILE_ROWS][TILE_VECTORS];
  float point[TILE_ROWS][TILE_WIDTH];
} tile_sums;

/* Fills dyz2 for the rows j, j + 1, ... of the slice at height z. */
TILE_INLINE void tile_prepare(tile_block *block, int j, float z, float spacing) {
  const dcs_atom *atoms = block->atoms;
  float y[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; r++)
    y[r] = (float)(j + r) * spacing;
#pragma GCC ivdep
  for (int a = 0; a < block->n; a++) {
    float dz = z - atoms[a].z;
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) {
      float dy = y[r] - atoms[a].y;
      block->dyz2[r][a] = dy * dy + dz * dz;
    }
  }
}

/* The block's sums, divided by TILE_UNSCALE, for the tile of `vectors` vectors whose first point in
 * x is i. The loops over rows and vectors are unrolled to keep the sums in registers. */
TILE_INLINE tile_sums tile_sum(const tile_block *block, int i, float spacing, int vectors) {
  tile_sums sums = {0};
  union {
    float point[TILE_WIDTH];
    tile_vector vector[TILE_VECTORS];
  } x;
  for (int p = 0; p < TILE_WIDTH; p++)
    x.point[p] = (float)p;
  for (int v = 0; v < vectors; v++)
    x.vector[v] = (x.vector[v] + (float)i) * spacing;
  for (int a = 0; a < block->n; a++) {
    tile_vector dx2[TILE_VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
      tile_vector dx = x.vector[v] - block->atoms[a].x;
      dx2[v] = dx * dx;
      TILE_SEPARATE(dx2[v]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 8
      for (int v = 0; v < vectors; v++)
        sums.vector[r][v] += block->atoms[a].q * TILE_RSQRT(dx2[v] + block->dyz2[r][a]);
  }
  return sums;
}

/* Stores, or adds, the sums of `vectors` vectors of a row, of which n points lie in the map. */
TILE_INLINE void tile_store(const tile_sums *sums, int r, int vectors, int n, bool first_block,
                            float *points) {
  if (n >= vectors * TILE_LANES) {
    for (int v = 0; v < vectors; v++) {
      tile_points *to = (tile_points *)points + v, sum = TILE_UNSCALE * sums->vector[r][v];
      *to = first_block ? sum : *to + sum;
    }
    return;
  }
  for (int p = 0; p < n; p++)
    points[p] = (first_block ? 0.0f : points[p]) + TILE_UNSCALE * sums->point[r][p];
}

/* Adds the block to the tile of `vectors` vectors whose first point is i of row j of slice k. */
TILE_INLINE void tile_add(const dcs_problem *p, const tile_block *block, int i, int j, int64_t k,
                          int vectors, float *map) {
  tile_sums sums = tile_sum(block, i, p->spacing, vectors);
  for (int r = 0; r < TILE_ROWS && j + r < p->n.y; r++)
    tile_store(&sums, r, vectors, (int)p->n.x - i, block->atoms == dcs_atoms(p),
               map + (k * p->n.y + j + r) * p->n.x + i);
}

/* Tiles in a row of them, and rows of tiles in a slice. */
static int64_t tiles_x(const dcs_problem *p) {
  return (p->n.x + TILE_WIDTH - 1) / TILE_WIDTH;
}
static int64_t tiles_y(const dcs_problem *p) {
  return (p->n.y + TILE_ROWS - 1) / TILE_ROWS;
}

/* Computes `n` tiles of a row of tiles, from tile `first`. */
TILE_INLINE void tile_row(const dcs_problem *p, int64_t first, int64_t n, int j, int64_t k,
                          float *map) {
  tile_block block;
  for (int64_t a = 0; a < p->n_inputs; a += DCS_CPU_BLOCK) {
    int64_t left = p->n_inputs - a;
    block.atoms = dcs_atoms(p) + a;
    block.n = left < DCS_CPU_BLOCK ? (int)left : DCS_CPU_BLOCK;
    tile_prepare(&block, j, (float)k * p->spacing, p->spacing);
    for (int64_t tile = first; tile < first + n; tile++) {
      int i = (int)tile * TILE_WIDTH;
      if (TILE_VECTORS == 1 || p->n.x - i > TILE_LANES)
        tile_add(p, &block, i, j, k, TILE_VECTORS, map);
      else
        tile_add(p, &block, i, j, k, 1, map);
    }
  }
}

/* Computes the tiles first..end-1, numbered along x, then y, then z. */
TILE_TARGET static void tile_range(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  while (first < end) {
    int64_t row = first / tiles_x(p), from = first % tiles_x(p);
    int64_t n = tiles_x(p) - from < end - first ? tiles_x(p) - from : end - first;
    tile_row(p, from, n, (int)(row % tiles_y(p)) * TILE_ROWS, row / tiles_y(p), map);
    first += n;
  }
}

static bool tile_compute(const dcs_problem *p, const dcs_config *config, void *const out[]) {
  float *map = out[DCS_COULOMB_MAP];
  dcs_cpu_run(p, config->value[0], DCS_CPU_GUIDED, tiles_x(p) * tiles_y(p) * p->n.z, tile_range,
              map);
  return true;
}

#endif
