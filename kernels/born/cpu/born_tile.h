/* Born radii on the CPU: the template that instruction sets instantiate. Each file includes it
 * once, after defining
 *
 *     BORN_KERNEL            the dcs_born_kernel to define
 *     BORN_BYTES             of a vector
 *
 * and, where the architecture has the instructions,
 *
 *     BORN_TARGET            attributes of the functions
 *     BORN_VECTORS           of a tile of atoms, whose sums stay in registers
 *     BORN_RECIPROCAL(v)     1 / v, off by 4.5 u at most, u = 2^-24
 *     BORN_SQRT(v)
 *     BORN_WITHIN(v, most)   unsigned: bit l is set where lane l of v <= most
 *
 * A lane is an atom that is descreened; spheres come one after another. Far pairs cost a dozen
 * operations; where any lane of a tile is near, its vectors are computed by the formula, too, and
 * each lane takes its own. */
#ifndef DCS_CPU_BORN_TILE_H
#define DCS_CPU_BORN_TILE_H

#include "kernels/born/cpu/born_spheres.h"

#ifndef BORN_TARGET

const dcs_born_kernel BORN_KERNEL = {0};

#else

#include <stdint.h>

#define BORN_INLINE BORN_TARGET static inline __attribute__((always_inline))

typedef float born_vector __attribute__((vector_size(BORN_BYTES)));
typedef int32_t born_mask __attribute__((vector_size(BORN_BYTES)));

enum { LANES = BORN_BYTES / (int)sizeof(float), TILE = LANES * BORN_VECTORS };

typedef union {
  born_vector vector[BORN_VECTORS];
  float lane[TILE];
} born_values;

/* The atoms of a tile; near2: p^2 times 16 / 9. */
typedef struct {
  born_values x, y, z, radius, per_radius, near2;
} born_tile;

BORN_INLINE born_vector choose(born_mask mask, born_vector yes, born_vector no) {
  return (born_vector)(((born_mask)yes & mask) | ((born_mask)no & ~mask));
}

BORN_INLINE born_vector larger(born_vector a, born_vector b) {
  return choose(a > b, a, b);
}

/* ln x of a normal x > 0: x = 2^e m, 0.7 <= m < 1.42, ln m by the polynomial of Cephes' logf, which
 * is exact in the first order at m = 1. */
BORN_INLINE born_vector logarithm(born_vector x) {
  const int32_t half_root = 0x3f3504f3; /* 1/2 sqrt(2) */
  const born_mask bits = (born_mask)x - half_root;
  const born_vector e = __builtin_convertvector(bits >> 23, born_vector);
  const born_vector f = (born_vector)((bits & 0x7fffff) + half_root) - 1.0f;
  born_vector p = f * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  return e * 0.69314718f + (f + f * f * (p * f - 0.5f));
}

/* T / 2 by the formula; see born.h. */
BORN_INLINE born_vector near_term(born_vector r2, born_vector p, born_vector per_p, float s) {
  const born_vector zero = {0}, r = BORN_SQRT(r2), per_r = BORN_RECIPROCAL(r);
  const born_vector upper = r + s, apart = (born_vector)((born_mask)(r - s) & 0x7fffffff);
  const born_vector lower = -larger(-larger(p, apart), -upper);
  const born_vector l = BORN_RECIPROCAL(lower), u = BORN_RECIPROCAL(upper);
  born_vector t = (l - u) * (1.0f - 0.25f * (r - s * s * per_r) * (l + u));
  t += 0.5f * per_r * logarithm(lower * u);
  t += choose((born_mask)(p < s - r), 2.0f * (per_p - l), zero);
  const born_vector same = per_p - BORN_RECIPROCAL(larger(p, zero + s));
  return choose((born_mask)(r2 < DCS_BORN_SAME * DCS_BORN_SAME), same, 0.5f * t);
}

/* T / 2 by the series, of t = 1 / r^2. */
BORN_INLINE born_vector far_term(const dcs_born_spheres *s, int64_t j, born_vector t) {
  return t * t * (((s->c[3][j] * t + s->c[2][j]) * t + s->c[1][j]) * t + s->c[0][j]);
}

/* The terms of sphere j where some pair is near; apart, so that sums stay in registers. */
BORN_TARGET static __attribute__((noinline)) void near_terms(const dcs_born_spheres *s, int64_t j,
                                                             const born_tile *tile,
                                                             const born_vector r2[BORN_VECTORS],
                                                             const unsigned near[BORN_VECTORS],
                                                             born_vector term[BORN_VECTORS]) {
  for (int v = 0; v < BORN_VECTORS; v++) {
    term[v] = far_term(s, j, BORN_RECIPROCAL(r2[v]));
    if (!near[v]) continue;
    const born_vector near2 = larger(tile->near2.vector[v], 0 * r2[v] + s->near2[j]);
    term[v] =
        choose((born_mask)(r2[v] <= near2),
               near_term(r2[v], tile->radius.vector[v], tile->per_radius.vector[v], s->radius[j]),
               term[v]);
  }
}

/* Adds the terms of sphere j. */
BORN_INLINE void add_sphere(const dcs_born_spheres *s, int64_t j, const born_tile *tile,
                            born_vector sum[BORN_VECTORS]) {
  born_vector r2[BORN_VECTORS];
  unsigned near[BORN_VECTORS], any = 0;
#pragma GCC unroll 8
  for (int v = 0; v < BORN_VECTORS; v++) {
    const born_vector dx = tile->x.vector[v] - s->x[j], dy = tile->y.vector[v] - s->y[j];
    const born_vector dz = tile->z.vector[v] - s->z[j];
    r2[v] = dx * dx + dy * dy + dz * dz;
    near[v] = BORN_WITHIN(r2[v], larger(tile->near2.vector[v], 0 * dx + s->near2[j]));
    any |= near[v];
  }
  if (any) {
    born_vector term[BORN_VECTORS];
    near_terms(s, j, tile, r2, near, term);
    for (int v = 0; v < BORN_VECTORS; v++)
      sum[v] += term[v];
    return;
  }
#pragma GCC unroll 8
  for (int v = 0; v < BORN_VECTORS; v++)
    sum[v] += far_term(s, j, BORN_RECIPROCAL(r2[v]));
}

/* Atoms beyond the last are as the last. */
BORN_TARGET static void place_tile(const dcs_problem *p, int64_t first, born_tile *tile) {
  for (int l = 0; l < TILE; l++) {
    const int64_t i = first + l < p->n_inputs ? first + l : p->n_inputs - 1;
    const dcs_sphere *atom = &dcs_spheres(p)[i];
    tile->x.lane[l] = atom->x;
    tile->y.lane[l] = atom->y;
    tile->z.lane[l] = atom->z;
    tile->radius.lane[l] = atom->radius;
    tile->near2.lane[l] = DCS_BORN_NEAR2 / 9 * atom->radius * atom->radius;
  }
  for (int v = 0; v < BORN_VECTORS; v++)
    tile->per_radius.vector[v] = BORN_RECIPROCAL(tile->radius.vector[v]);
}

/* Terms are summed in parts: in long sums what is small is lost. */
BORN_TARGET static void descreen(const dcs_problem *p, int64_t first, int64_t end, float *radii) {
  const dcs_born_spheres *spheres = (const dcs_born_spheres *)p;
  const dcs_born born = dcs_born_of(p);
  born_tile tile;
  for (int64_t unit = first; unit < end; unit++) {
    place_tile(p, unit * TILE, &tile);
    born_values sum = {{{0}}};
    for (int64_t from = 0; from < p->n_inputs; from += DCS_CPU_BLOCK) {
      born_vector part[BORN_VECTORS] = {{0}};
      for (int64_t j = from; j < p->n_inputs && j < from + DCS_CPU_BLOCK; j++)
        add_sphere(spheres, j, &tile, part);
      for (int v = 0; v < BORN_VECTORS; v++)
        sum.vector[v] += part[v];
    }
    for (int l = 0; l < TILE && unit * TILE + l < p->n_inputs; l++)
      radii[unit * TILE + l] = dcs_born_radius(born, tile.radius.lane[l], sum.lane[l]);
  }
}

const dcs_born_kernel BORN_KERNEL = {descreen, TILE};

#endif
#endif
