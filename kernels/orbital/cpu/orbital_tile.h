/* Orbitals on the CPU: the template that instruction sets instantiate. Each file includes it once,
 * after defining
 *
 *     ORBITAL_KERNELS   the dcs_orbital_kernels to define
 *     ORBITAL_BYTES     of a vector
 *
 * and, where the architecture has the instructions,
 *
 *     ORBITAL_TARGET    attributes of the functions
 *     ORBITAL_WIDE      vectors of a row, and
 *     ORBITAL_HIGH      rows of a tile whose sums stay in registers
 *
 * The map is a product of matrices: a row of points is the sum over the block's terms of what the
 * term has in x, a row of its table, times a number of that row of points. */
#ifndef DCS_CPU_ORBITAL_TILE_H
#define DCS_CPU_ORBITAL_TILE_H

#include "kernels/orbital/cpu/orbital_block.h"

#ifndef ORBITAL_TARGET

const dcs_orbital_kernels ORBITAL_KERNELS = {0};

#else

#define ORBITAL_INLINE ORBITAL_TARGET static inline __attribute__((always_inline))

typedef float orbital_vector __attribute__((vector_size(ORBITAL_BYTES)));
typedef int32_t orbital_ints __attribute__((vector_size(ORBITAL_BYTES)));

enum {
  LANES = ORBITAL_BYTES / (int)sizeof(float),
  WIDE = ORBITAL_WIDE,
  HIGH = ORBITAL_HIGH,
  ROWS = DCS_ORBITAL_ROWS,
  STRIP = WIDE * LANES /* points of a tile in x */
};

/* 2^x for x <= 0: x = n + f, n an integer and |f| <= 1/2, by adding 1.5 2^23, whose low bits then
 * hold n; 2^f by the polynomial of degree 5 that is 1 at 0 and off by 1.6 u at most, u = 2^-24. 0
 * where that is below the least normal number. */
ORBITAL_INLINE orbital_vector power_of_two(orbital_vector lower) {
  const orbital_ints normal = lower >= -125.5f;
  const orbital_vector x = (orbital_vector)((orbital_ints)lower & normal);
  const orbital_vector t = x + 0x1.8p23f, f = x - (t - 0x1.8p23f);
  orbital_vector p = f * 0.00132647285f + 0.00967151392f;
  p = p * f + 0.0555073358f;
  p = p * f + 0.240222424f;
  p = p * f + 0.693147004f;
  p = p * f + 1.0f;
  return (orbital_vector)(((orbital_ints)p + ((orbital_ints)t << 23)) & normal);
}

ORBITAL_INLINE orbital_vector load(const float *from) {
  orbital_vector v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

ORBITAL_INLINE void store(float *to, orbital_vector v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/* ---- tables ---- */

/* What term t has at the points of a strip. */
ORBITAL_INLINE float *strip_of(const dcs_orbital_block *block, int64_t strip, int t) {
  return block->x + (strip * DCS_ORBITAL_BLOCK_TERMS + t) * STRIP;
}

/* Differences of points i, i + 1, ... from a place. */
ORBITAL_INLINE orbital_vector differences(int64_t i, float spacing, float place) {
  orbital_vector x;
  for (int l = 0; l < LANES; l++)
    x[l] = (float)(i + l) * spacing;
  return x - place;
}

/* weight 2^(-rate d^2) at n points from point `first` on. */
ORBITAL_TARGET static void make_row(dcs_orbital_gaussian g, float place, float spacing,
                                    int64_t first, int64_t n, float *row) {
  for (int64_t i = 0; i < n; i += LANES) {
    const orbital_vector d = differences(first + i, spacing, place);
    store(row + i, g.weight * power_of_two(-g.rate * (d * d)));
  }
}

/* The terms of a primitive in x, of which the first is number t. */
ORBITAL_TARGET static void make_terms(const dcs_orbital_block *block, float rate,
                                      const dcs_orbital_shell *shell, int t) {
  for (int64_t i = 0; i < block->nx; i += LANES) {
    const orbital_vector d = differences(i, block->problem.spacing, shell->x);
    orbital_vector term = power_of_two(-rate * (d * d));
    for (int m = 0; m <= shell->l; m++, term *= d)
      store(strip_of(block, i / STRIP, t + m) + i % STRIP, term);
  }
}

ORBITAL_TARGET static void begin(dcs_orbital_block *block) {
  const float h = block->problem.spacing;
  float *y = block->y, *z = block->z;
  block->n_terms = 0;
  for (int s = 0; s < block->n_shells; s++) {
    const dcs_orbital_shell *shell = &block->shells[s];
    for (int p = 0; p < shell->n; p++) {
      const dcs_orbital_gaussian whole = shell->gaussian[p], one = {whole.rate, 1};
      make_terms(block, whole.rate, shell, block->n_terms);
      make_row(one, shell->y, h, 0, block->ny, y);
      make_row(whole, shell->z, h, block->first_slice, block->nz, z);
      y += block->ny;
      z += block->nz;
      block->n_terms += shell->l + 1;
    }
  }
}

/* ---- rows of points ---- */

/* What is multiplied by dx^m in a shell's polynomial, for rows that are dy away, at a slice that is
 * dz away: of monomials of degree l - m in y and z, by Horner's rule in y. */
ORBITAL_INLINE orbital_vector polynomial(const dcs_orbital_shell *shell, int m, orbital_vector dy,
                                         float dz) {
  static const int at[DCS_ORBITAL_L + 1][DCS_ORBITAL_L + 1] = {/* of y^j, j = 0: z^k */
                                                               {0},
                                                               {0, 2},
                                                               {0, 3, 5},
                                                               {0, 4, 7, 9}};
  const int l = shell->l, degree = l - m;
  orbital_vector sum = {0};
  float z = 1;
  for (int j = degree; j >= 0; j--, z *= dz)
    sum = sum * dy + shell->c[at[l][degree - j] + j] * z;
  return sum;
}

/* The terms of a shell at ROWS rows from row j of slice k on. */
ORBITAL_INLINE void shell_at(const dcs_orbital_block *block, const dcs_orbital_shell *shell,
                             int64_t j, int64_t k, const float *y, const float *z, float *terms) {
  const float h = block->problem.spacing, dz = (float)(block->first_slice + k) * h - shell->z;
  for (int v = 0; v < ROWS; v += LANES) {
    const orbital_vector dy = differences(j + v, h, shell->y);
    orbital_vector of_x[DCS_ORBITAL_L + 1];
    for (int m = 0; m <= shell->l; m++)
      of_x[m] = polynomial(shell, m, dy, dz);
    float *to = terms + v;
    for (int p = 0; p < shell->n; p++) {
      const orbital_vector yz = load(y + p * block->ny + j + v) * z[p * block->nz + k];
      for (int m = 0; m <= shell->l; m++, to += ROWS)
        store(to, yz * of_x[m]);
    }
  }
}

ORBITAL_TARGET static void terms_at(const dcs_orbital_block *block, int64_t j, int64_t k,
                                    float *terms) {
  const float *y = block->y, *z = block->z;
  for (int s = 0; s < block->n_shells; s++) {
    const dcs_orbital_shell *shell = &block->shells[s];
    shell_at(block, shell, j, k, y, z, terms);
    y += shell->n * block->ny;
    z += shell->n * block->nz;
    terms += shell->n * (shell->l + 1) * ROWS;
  }
}

/* Sums of HIGH rows at the points of a strip. */
ORBITAL_TARGET static void sum_tile(const dcs_orbital_block *block, int64_t strip,
                                    const float *terms, orbital_vector sum[HIGH][WIDE]) {
  const float *x = strip_of(block, strip, 0);
  orbital_vector s[HIGH][WIDE] = {{{0}}};
  for (int t = 0; t < block->n_terms; t++, x += STRIP, terms += ROWS) {
    orbital_vector v[WIDE];
#pragma GCC unroll 8
    for (int w = 0; w < WIDE; w++)
      v[w] = load(x + w * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < HIGH; r++)
#pragma GCC unroll 8
      for (int w = 0; w < WIDE; w++)
        s[r][w] += terms[r] * v[w];
  }
  for (int r = 0; r < HIGH; r++)
    for (int w = 0; w < WIDE; w++)
      sum[r][w] = s[r][w];
}

/* Puts n sums of a row where they belong, or adds them. */
ORBITAL_INLINE void put_row(const orbital_vector *sum, int64_t n, bool first, float *to) {
  float values[STRIP];
  __builtin_memcpy(values, sum, sizeof values);
  for (int64_t i = 0; i < n; i++)
    to[i] = first ? values[i] : to[i] + values[i];
}

/* A unit: ROWS rows of a slice. */
ORBITAL_TARGET static void add_unit(const dcs_orbital_block *block, int64_t unit, float *map) {
  const dcs_dims n = block->problem.n;
  const int64_t bands = dcs_divide_up(n.y, ROWS), j = unit % bands * ROWS, k = unit / bands;
  const int64_t rows = n.y - j < ROWS ? n.y - j : ROWS;
  float terms[DCS_ORBITAL_BLOCK_TERMS * ROWS];
  terms_at(block, j, k, terms);
  for (int64_t i = 0; i < n.x; i += STRIP)
    for (int64_t r = 0; r < rows; r += HIGH) {
      orbital_vector sum[HIGH][WIDE];
      sum_tile(block, i / STRIP, terms + r, sum);
      for (int64_t row = r; row < r + HIGH && row < rows; row++)
        put_row(sum[row - r], n.x - i < STRIP ? n.x - i : STRIP, block->first,
                map + ((k * n.y + j + row) * n.x + i));
    }
}

ORBITAL_TARGET static void add(const dcs_problem *p, int64_t first, int64_t end, float *map) {
  for (int64_t unit = first; unit < end; unit++)
    add_unit((const dcs_orbital_block *)p, unit, map);
}

const dcs_orbital_kernels ORBITAL_KERNELS = {begin, add};

#endif
#endif
