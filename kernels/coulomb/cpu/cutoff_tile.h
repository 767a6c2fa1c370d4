/* The sums of a tile of points within a cutoff: the part of the template cutoff_brick.h, which says
 * what is defined before, that sums. Without TILE_RSQRT it is empty.
 *
 * A tile is 4 x 4 x 4 points; 2 x 2 x 2 tiles are a brick. Each atom that a tile sees is taken to
 * all its points: those beyond the cutoff of a point add an exact 0 there. A vector of points is a
 * patch of a slice (16 lanes: 4 x 4 points, 8: 4 x 2, 4: 4 x 1), so dx^2 + dy^2 is shared by the
 * slices of the tile and dz^2 by the points of a slice, in all the tiles of the brick at that
 * height. */
#ifndef DCS_CPU_CUTOFF_TILE_H
#define DCS_CPU_CUTOFF_TILE_H

#include "kernels/coulomb/cpu/cutoff_cells.h"

#include <math.h>

#ifdef TILE_RSQRT

#define TILE_INLINE TILE_TARGET static inline __attribute__((always_inline))

enum {
  T = DCS_CUTOFF_TILE,
  LANES = TILE_BYTES / (int)sizeof(float),
  PATCH_ROWS = LANES / T,   /* rows of a slice in a vector */
  PATCHES = T / PATCH_ROWS, /* vectors in a slice */
  SIDE = DCS_CUTOFF_SIDE,
  TILES = SIDE * SIDE * SIDE,
  BATCH = DCS_CUTOFF_BATCH,
  CAPACITY = BATCH + 2 * LANES
};

/* Vectors that lie anywhere in an array of float. */
typedef float tile_points __attribute__((vector_size(TILE_BYTES), aligned(sizeof(float))));

typedef int32_t tile_indices __attribute__((vector_size(TILE_BYTES)));

typedef enum { PLAIN, SWITCHED, SOFTENED, COUNT } tile_mode;

/* A number for each point of a slice. */
typedef union {
  float point[T][T];
  tile_vector vector[PATCHES];
} tile_patches;

/* A brick: its first point, its points in the map, and the boxes of these and of its tiles. */
typedef struct {
  int64_t first[3];
  int n[3];
  float at[3][SIDE * T];                    /* coordinates, beyond the map's edge too */
  tile_patches x[SIDE], y[SIDE];            /* those of the points of tiles */
  float lo[3], hi[3];                       /* of the points in the map */
  float tile_lo[3][SIDE], tile_hi[3][SIDE]; /* likewise; both infinite where a tile has none */
} brick_place;

/* The sums of a tile, by slices. */
typedef union {
  tile_vector vector[T][PATCHES];
  float point[T][T][T];
} tile_sums;

/* A softened part as the tiles take it. */
typedef struct {
  tile_vector c[DCS_RADIAL_MOST + 1]; /* each in all lanes, over TILE_UNSCALE */
  float twice_per_c2;                 /* 2 / c^2 */
} tile_radial;

typedef struct tile_brick tile_brick;
typedef void tile_adder(const dcs_problem *, const brick_place *, tile_brick *, int t, int s);

/* Atoms that the brick sees, which of them its tiles see, and its sums. */
struct tile_brick {
  int n;
  float x[CAPACITY], y[CAPACITY], z[CAPACITY], q[CAPACITY];
  float dz2[SIDE * T][CAPACITY];
  int n_near[TILES];
  int32_t near[TILES][CAPACITY];
  tile_sums sums[TILES];
  tile_radial radial; /* of what is softened, and what adds that */
  tile_adder *add_softened;
};

/* The coordinates of the points of a slice. */
static void spread(const float *x, const float *y, tile_patches *xs, tile_patches *ys) {
  for (int j = 0; j < T; j++)
    for (int i = 0; i < T; i++) {
      xs->point[j][i] = x[i];
      ys->point[j][i] = y[j];
    }
}

static brick_place place_brick(const dcs_problem *p, int64_t brick) {
  enum { EDGE = SIDE * T };
  const dcs_dims bricks = dcs_cutoff_bricks(p->n);
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  brick_place place = {.first = {brick % bricks.x * EDGE, brick / bricks.x % bricks.y * EDGE,
                                 brick / bricks.x / bricks.y * EDGE}};
  for (int d = 0; d < 3; d++) {
    int64_t left = n[d] - place.first[d];
    place.n[d] = left < EDGE ? (int)left : EDGE;
    for (int i = 0; i < EDGE; i++)
      place.at[d][i] = (float)(place.first[d] + i) * p->spacing;
    place.lo[d] = place.at[d][0];
    place.hi[d] = place.at[d][place.n[d] - 1];
    for (int t = 0; t < SIDE; t++) {
      int end = (t + 1) * T < place.n[d] ? (t + 1) * T : place.n[d];
      place.tile_lo[d][t] = end > t * T ? place.at[d][t * T] : INFINITY;
      place.tile_hi[d][t] = end > t * T ? place.at[d][end - 1] : INFINITY;
    }
  }
  for (int t = 0; t < SIDE; t++)
    spread(place.at[0] + t * T, place.at[1] + t * T, &place.x[t], &place.y[t]);
  return place;
}

/* ---- what atoms add to a tile ---- */

/* P(r^2) of that degree, as a multiple of what TILE_RSQRT gives. */
TILE_INLINE tile_vector softened(const tile_radial *radial, tile_vector r2, int degree) {
  const tile_vector *c = radial->c;
  const tile_vector x = degree > DCS_RADIAL_LOW ? 1.0f - r2 * radial->twice_per_c2 : r2;
  tile_vector value = c[degree];
#pragma GCC unroll 12
  for (int i = degree - 1; i >= 0; i--)
    value = value * x + c[i];
  return value;
}

/* Adds what tile t sees of the brick's atoms to its slices s, s + 1, ... The loops over slices and
 * patches are unrolled to keep the sums in registers. `degree`: of what is softened. */
TILE_INLINE void add_to_slices(const dcs_problem *p, const brick_place *place, tile_brick *brick,
                               int t, int s, tile_mode mode, int degree) {
  const float c2 = dcs_cutoff(p) * dcs_cutoff(p), per_c2 = 1.0f / c2;
  const tile_patches x = place->x[t % SIDE], y = place->y[t / SIDE % SIDE];
  const float(*dz2)[CAPACITY] = brick->dz2 + t / SIDE / SIDE * T + s;
  tile_vector sums[CUTOFF_SLICES][PATCHES] = {0};
  for (int l = 0; l < brick->n_near[t]; l++) {
    const int32_t a = brick->near[t][l];
    const float q = brick->q[a];
    tile_vector dx = x.vector[0] - brick->x[a], dx2 = dx * dx, dxy2[PATCHES];
#pragma GCC unroll 4
    for (int v = 0; v < PATCHES; v++) {
      tile_vector dy = y.vector[v] - brick->y[a];
      dxy2[v] = dy * dy + dx2;
    }
#pragma GCC unroll 4
    for (int k = 0; k < CUTOFF_SLICES; k++)
#pragma GCC unroll 4
      for (int v = 0; v < PATCHES; v++) {
        tile_vector r2 = dxy2[v] + dz2[k][a], per_r = TILE_RSQRT(r2);
        if (mode == SWITCHED) {
          tile_vector u = CUTOFF_POSITIVE(1.0f - r2 * per_c2);
          sums[k][v] += (q * u) * (u * per_r);
        } else if (mode == SOFTENED) {
          tile_vector left = per_r - softened(&brick->radial, r2, degree);
          sums[k][v] += q * CUTOFF_BELOW(left, r2, c2);
        } else {
          sums[k][v] += q * CUTOFF_BELOW(per_r, r2, c2);
        }
      }
  }
  for (int k = 0; k < CUTOFF_SLICES; k++)
    for (int v = 0; v < PATCHES; v++)
      brick->sums[t].vector[s + k][v] += TILE_UNSCALE * sums[k][v];
}

/* ---- the softened part, by degrees ---- */

#define DEGREES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)

/* Not inlined: the code that finds atoms is there once. */
#define X(degree)                                                                                  \
  TILE_TARGET static void add_softened_##degree(const dcs_problem *p, const brick_place *place,    \
                                                tile_brick *brick, int t, int s) {                 \
    add_to_slices(p, place, brick, t, s, SOFTENED, degree);                                        \
  }
DEGREES(X)
#undef X

/* Makes the brick ready to soften. */
TILE_TARGET static void prepare_radial(const dcs_radial *radial, tile_brick *brick) {
#define X(degree) [degree] = add_softened_##degree,
  static tile_adder *const adders[DCS_RADIAL_MOST + 1] = {DEGREES(X)};
#undef X
  brick->add_softened = adders[radial->degree];
  brick->radial.twice_per_c2 = 2 / (radial->cutoff * radial->cutoff);
  for (int i = 0; i <= DCS_RADIAL_MOST; i++)
    brick->radial.c[i] = (radial->c[i] / TILE_UNSCALE) - (tile_vector){0};
}

#undef DEGREES

#endif
#endif
