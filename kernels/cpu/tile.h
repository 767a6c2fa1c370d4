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
 * one. A tile that crosses the map's edge is computed whole and stored in part. */

#include "kernels/cpu/cpu.h"

enum { TILE_WIDTH = TILE_VECTORS * (TILE_BYTES / (int)sizeof(float)) };

static dcs_dims tile_executed(const dcs_problem *p, const dcs_config *config) {
  (void)config;
  return (dcs_dims){dcs_round_up(p->n.x, TILE_WIDTH), dcs_round_up(p->n.y, TILE_ROWS), p->n.z};
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
  for (int r = 0; r < TILE_ROWS; r++) {
    float y = (float)(j + r) * spacing;
    for (int a = 0; a < block->n; a++) {
      float dy = y - block->atoms[a].y;
      float dz = z - block->atoms[a].z;
      block->dyz2[r][a] = dy * dy + dz * dz;
    }
  }
}

/* The block's sums, divided by TILE_UNSCALE, for the tile whose first point in x is i. The loops
 * over rows and vectors are unrolled to keep the sums in registers. */
TILE_INLINE tile_sums tile_sum(const tile_block *block, int i, float spacing) {
  tile_sums sums = {0};
  union {
    tile_vector vector[TILE_VECTORS];
    float point[TILE_WIDTH];
  } x;
  for (int p = 0; p < TILE_WIDTH; p++)
    x.point[p] = (float)(i + p) * spacing;
  for (int a = 0; a < block->n; a++) {
    tile_vector dx2[TILE_VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < TILE_VECTORS; v++) {
      tile_vector dx = x.vector[v] - block->atoms[a].x;
      dx2[v] = dx * dx;
      TILE_SEPARATE(dx2[v]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 8
      for (int v = 0; v < TILE_VECTORS; v++)
        sums.vector[r][v] += block->atoms[a].q * TILE_RSQRT(dx2[v] + block->dyz2[r][a]);
  }
  return sums;
}

TILE_INLINE void tile_store(const float *sums, int n, bool first_block, float *points) {
  for (int p = 0; p < n; p++)
    points[p] = (first_block ? 0.0f : points[p]) + TILE_UNSCALE * sums[p];
}

/* Adds the block to the rows j, j + 1, ... of slice k. */
TILE_INLINE void tile_add_block(const dcs_problem *p, const tile_block *block, int j, int64_t k,
                                float *map) {
  bool first_block = block->atoms == p->atoms;
  for (int i = 0; i < p->n.x; i += TILE_WIDTH) {
    tile_sums sums = tile_sum(block, i, p->spacing);
    int left = (int)p->n.x - i;
    for (int r = 0; r < TILE_ROWS && j + r < p->n.y; r++) {
      float *points = map + (k * p->n.y + j + r) * p->n.x + i;
      if (left >= TILE_WIDTH)
        tile_store(sums.point[r], TILE_WIDTH, first_block, points);
      else
        tile_store(sums.point[r], left, first_block, points);
    }
  }
}

/* Groups of TILE_ROWS rows in a slice. */
static int64_t tile_groups(const dcs_problem *p) {
  return (p->n.y + TILE_ROWS - 1) / TILE_ROWS;
}

/* Computes the groups first..end-1. */
TILE_TARGET static void tile_rows(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  tile_block block;
  for (int64_t group = first; group < end; group++) {
    int j = (int)(group % tile_groups(p)) * TILE_ROWS;
    int64_t k = group / tile_groups(p);
    for (int64_t a = 0; a < p->n_atoms; a += DCS_CPU_BLOCK) {
      int64_t left = p->n_atoms - a;
      block.atoms = p->atoms + a;
      block.n = left < DCS_CPU_BLOCK ? (int)left : DCS_CPU_BLOCK;
      tile_prepare(&block, j, (float)k * p->spacing, p->spacing);
      tile_add_block(p, &block, j, k, map);
    }
  }
}

static void tile_compute(const dcs_problem *p, const dcs_config *config, float *map) {
  dcs_cpu_run(p, config->value[0], DCS_CPU_PIECES, tile_groups(p) * p->n.z, tile_rows, map);
}

#endif
