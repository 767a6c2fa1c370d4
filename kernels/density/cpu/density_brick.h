/* The density on the CPU: the template that instruction sets instantiate. Each file includes it
 * once, after defining
 *
 *     DENSITY_KERNELS     the dcs_density_kernels to define
 *     DENSITY_BYTES       of a vector
 *
 * and, where the architecture has the instructions,
 *
 *     DENSITY_TARGET                    attributes of the functions
 *     DENSITY_ADD(sum, a, v, x, least)  adds a v to the sum, in lanes where x >= least
 *     DENSITY_LANES(x, least)           unsigned: bit l is set where lane l of x >= least
 *
 * A Gaussian is the product of one in x, one in y and one in z: 16 + 8 + 8 powers of two serve the
 * 1,024 points of a brick. A row of the brick then needs one product of its y and z, and of each
 * point a comparison and a multiply-add. The slices that an atom reaches are found by the same
 * exponents, so that what counts is decided alike everywhere. */
#ifndef DCS_CPU_DENSITY_BRICK_H
#define DCS_CPU_DENSITY_BRICK_H

#include "kernels/density/cpu/density_cells.h"

#include <string.h>

#ifndef DENSITY_TARGET

const dcs_density_kernels DENSITY_KERNELS = {0};

#else

#define DENSITY_INLINE DENSITY_TARGET static inline __attribute__((always_inline))

typedef float density_vector __attribute__((vector_size(DENSITY_BYTES)));
typedef int32_t density_ints __attribute__((vector_size(DENSITY_BYTES)));

enum {
  LANES = DENSITY_BYTES / (int)sizeof(float),
  X = DCS_DENSITY_X,
  Y = DCS_DENSITY_Y,
  Z = DCS_DENSITY_Z,
  POINTS = X + Y + Z, /* coordinates of a brick: in x, in y, in z */
  ROW = X / LANES,    /* vectors of a row */
  ALL = POINTS / LANES
};

typedef union {
  density_vector vector[ALL];
  float value[POINTS];
} density_values;

/* A brick: its first point, its points in the map, their box, coordinates beyond the map's edge
 * too, and its sums. */
typedef struct {
  int64_t first[3];
  int n[3];
  float lo[3], hi[3];
  density_values at;
  union {
    density_vector row[Z][Y][ROW];
    float point[Z][Y][X];
  } sums;
} density_brick;

/* 2^x for -125 <= x <= 0: x = n + f, n an integer and |f| <= 1/2, by adding 1.5 2^23, whose low
 * bits then hold n; 2^f by the polynomial of degree 5 that is 1 at 0 and off by 1.6 u at most, u =
 * 2^-24. Lower x give 1: a number, which 0 can be multiplied by. */
DENSITY_INLINE density_vector power_of_two(density_vector lower) {
  density_vector x = (density_vector)((density_ints)lower & (lower >= -125.0f));
  density_vector t = x + 0x1.8p23f, f = x - (t - 0x1.8p23f);
  density_vector p = f * 0.00132647285f + 0.00967151392f;
  p = p * f + 0.0555073358f;
  p = p * f + 0.240222424f;
  p = p * f + 0.693147004f;
  p = p * f + 1.0f;
  return (density_vector)((density_ints)p + ((density_ints)t << 23));
}

/* ---- bricks ---- */

static void place_brick(const dcs_problem *p, int64_t number, density_brick *brick) {
  const dcs_dims bricks = dcs_density_bricks(p->n);
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  const int64_t at[3] = {number % bricks.x, number / bricks.x % bricks.y,
                         number / bricks.x / bricks.y};
  const int size[3] = {X, Y, Z};
  float *coordinate = brick->at.value;
  for (int d = 0; d < 3; coordinate += size[d++]) {
    brick->first[d] = at[d] * size[d];
    int64_t left = n[d] - brick->first[d];
    brick->n[d] = left < size[d] ? (int)left : size[d];
    for (int i = 0; i < size[d]; i++)
      coordinate[i] = (float)(brick->first[d] + i) * p->spacing;
    brick->lo[d] = coordinate[0];
    brick->hi[d] = coordinate[brick->n[d] - 1];
  }
}

/* Slices that are not written are left out. */
static void store_brick(const dcs_density_cells *cells, const density_brick *brick, float *map) {
  const dcs_problem *p = &cells->problem;
  const int64_t slice = brick->first[2] - cells->first_slice;
  for (int k = slice < 0 ? (int)-slice : 0; k < brick->n[2] && slice + k < cells->n_slices; k++)
    for (int j = 0; j < brick->n[1]; j++) {
      int64_t row = (slice + k) * p->n.y + brick->first[1] + j;
      float *to = map + row * p->n.x + brick->first[0];
      if (brick->n[0] == X)
        memcpy(to, brick->sums.point[k][j], X * sizeof *map); /* of a size that is known */
      else
        memcpy(to, brick->sums.point[k][j], (size_t)brick->n[0] * sizeof *map);
    }
}

/* ---- what an atom adds to a brick ---- */

/* The atom's coordinate that the lanes of vector v are compared with. A vector may be half y, half
 * z.
 */
DENSITY_INLINE density_vector coordinate(int v, float x, float y, float z) {
  density_vector all = {0};
  if ((v + 1) * LANES <= X) return all + x;
  if (v * LANES >= X + Y) return all + z;
  if ((v + 1) * LANES <= X + Y) return all + y;
  density_ints in_y = {0};
  for (int l = 0; l < LANES / 2; l++)
    in_y[l] = -1;
  return (density_vector)(((density_ints)(all + y) & in_y) | ((density_ints)(all + z) & ~in_y));
}

/* Bit i is set where exponent[first + i] >= least, i < 8. */
DENSITY_INLINE unsigned reached(const density_values *exponent, int first, float least) {
  unsigned bits = 0;
  if (LANES > 8)
    bits = DENSITY_LANES(exponent->vector[first / LANES], least) >> first % LANES;
  else
    for (int v = 0; v < 8 / LANES; v++)
      bits |= DENSITY_LANES(exponent->vector[first / LANES + v], least) << v * LANES;
  return bits & 0xff;
}

/* Adds the atom's terms to the rows of slice k, all of them where it reaches any: where rows begin
 * and end no branch can foresee. Returns how many. */
DENSITY_INLINE int add_to_slice(const density_values *exponent, const density_values *term, int k,
                                float limit, density_brick *brick, bool count) {
  const float left = -limit - exponent->value[X + Y + k], at_z = term->value[X + Y + k];
  float least[Y], at_yz[Y];
  if (reached(exponent, X, left) == 0) return 0;
  for (int j = 0; j < Y; j++) {
    least[j] = left - exponent->value[X + j];
    at_yz[j] = at_z * term->value[X + j];
  }
#pragma GCC unroll 8
  for (int j = 0; !count && j < Y; j++)
#pragma GCC unroll 4
    for (int v = 0; v < ROW; v++)
      DENSITY_ADD(brick->sums.row[k][j][v], at_yz[j], term->vector[v], exponent->vector[v],
                  least[j]);
  return Y;
}

/* Adds atom a of the cells, if the brick sees it; returns how many rows it reaches. */
DENSITY_INLINE int add_atom(const dcs_density_cells *cells, int32_t a, density_brick *brick,
                            bool count) {
  const float x = cells->x[a], y = cells->y[a], z = cells->z[a], fall = -cells->rate[a];
  const float dx = dcs_density_outside(x, brick->lo[0], brick->hi[0]);
  const float dy = dcs_density_outside(y, brick->lo[1], brick->hi[1]);
  const float dz = dcs_density_outside(z, brick->lo[2], brick->hi[2]);
  if (!(fall * (dx * dx + dy * dy + dz * dz) >= dcs_density_least(cells->limit))) return 0;
  density_values exponent, term;
#pragma GCC unroll 8
  for (int v = 0; v < ALL; v++) {
    density_vector d = brick->at.vector[v] - coordinate(v, x, y, z);
    exponent.vector[v] = d * d * fall;
    term.vector[v] = power_of_two(exponent.vector[v]);
  }
  const unsigned slices = reached(&exponent, X + Y, -cells->limit);
  int rows = 0;
  for (int k = 0; k < brick->n[2]; k++)
    if (slices >> k & 1) rows += add_to_slice(&exponent, &term, k, cells->limit, brick, count);
  return rows;
}

/* ---- which atoms a brick sees ---- */

/* Adds the atoms of the cells that the farthest reaching of them may lie in; returns the rows. */
DENSITY_INLINE int64_t add_atoms(const dcs_density_cells *cells, density_brick *brick, bool count) {
  int32_t first[3], last[3];
  int64_t rows = 0;
  for (int d = 0; d < 3; d++) {
    first[d] = dcs_density_cell(cells, d, (double)(brick->lo[d] - cells->reach));
    last[d] = dcs_density_cell(cells, d, (double)(brick->hi[d] + cells->reach));
  }
  for (int32_t k = first[2]; k <= last[2]; k++)
    for (int32_t j = first[1]; j <= last[1]; j++) {
      const int32_t *row = cells->start + ((int64_t)k * cells->n[1] + j) * cells->n[0];
      for (int32_t a = row[first[0]]; a < row[last[0] + 1]; a++)
        rows += add_atom(cells, a, brick, count);
    }
  return rows;
}

DENSITY_TARGET static void sum_bricks(const dcs_problem *p, int64_t first, int64_t end,
                                      float *map) {
  const dcs_density_cells *cells = (const dcs_density_cells *)p;
  const int64_t below = dcs_density_bricks_below(cells);
  density_brick brick;
  for (int64_t b = below + first; b < below + end; b++) {
    place_brick(p, b, &brick);
    memset(&brick.sums, 0, sizeof brick.sums);
    add_atoms(cells, &brick, false);
    store_brick(cells, &brick, map);
  }
}

DENSITY_TARGET static void count_pairs(const dcs_problem *p, int64_t first, int64_t end,
                                       float *map) {
  const dcs_density_cells *cells = (const dcs_density_cells *)p;
  density_brick brick;
  int64_t rows = 0;
  (void)map;
  for (int64_t b = first; b < end; b++) {
    place_brick(p, b, &brick);
    rows += add_atoms(cells, &brick, true);
  }
#pragma omp atomic
  *cells->pairs += (double)(rows * X);
}

const dcs_density_kernels DENSITY_KERNELS = {sum_bricks, count_pairs};

#endif
#endif
