/* Lattice cutoff: a level's potential is the sum of the charges within reach, weighted by their
 * distance.
 *
 * A convolution of rows: some adjacent rows of 16 potentials lie in registers; a row of charges
 * passes over them shift by shift, each shift one load for all rows, and a weight and an FMA for
 * each. Weights are arranged so that those of the rows are adjacent, with zeros beyond the reach.
 * Rows of charges that are zero, around the atoms, are left out. */
#include "kernels/common/cpu.h"
#include "kernels/coulomb/cpu/multilevel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A vector of potentials, of any instruction set; most rows in registers. */
enum { LANES = 16, MOST_ROWS = 8 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

typedef struct {
  const dcs_ml_level *level;
  float *charge; /* rows with LANES zeros before and behind */
  int64_t row;   /* floats from one to the next */
  bool *is_zero; /* of rows */
  float *weight; /* [|dz|][dx][dy], dy from -reach - MOST_ROWS on */
  int *farthest; /* [|dz|][|dy|]: the largest dx whose weight is not 0, or -1 */
  int dys;       /* weights of a dx */
  float *potential;
} convolution;

/* ---- weights ---- */

/* Of the octant that dcs_multilevel_weights() makes. */
static void arrange_weights(convolution *c, float scale, const float *octant) {
  const int rx = c->level->reach[0], ry = c->level->reach[1], rz = c->level->reach[2];
  for (int z = 0; z <= rz; z++)
    for (int y = 0; y <= ry; y++) {
      int *farthest = &c->farthest[z * (ry + 1) + y];
      *farthest = -1;
      for (int x = 0; x <= rx; x++) {
        const float w = scale * octant[((int64_t)z * (ry + 1) + y) * (rx + 1) + x];
        float *right = c->weight + ((int64_t)z * (2 * rx + 1) + rx + x) * c->dys + ry + MOST_ROWS;
        float *left = right - (int64_t)2 * x * c->dys;
        right[y] = right[-y] = left[y] = left[-y] = w;
        if (w != 0) *farthest = x;
      }
    }
}

/* ---- charges ---- */

static void pad_charges(convolution *c, const float *charge, int threads) {
  const dcs_ml_box *box = &c->level->charge;
  const int64_t rows = (int64_t)box->n[1] * box->n[2];
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    float *to = c->charge + r * c->row;
    memset(to, 0, (size_t)c->row * sizeof *to);
    memcpy(to + LANES, charge + r * box->n[0], (size_t)box->n[0] * sizeof *to);
    c->is_zero[r] = true;
    for (int i = 0; i < box->n[0]; i++)
      if (to[LANES + i] != 0) c->is_zero[r] = false;
  }
}

/* ---- sums ---- */

#define INLINE static inline __attribute__((always_inline))

/* Potentials i..i + LANES - 1 of rows j..j + rows - 1 of plane k; numbers are those of nodes from
 * the first of the box of potentials. */
typedef struct {
  int i, j, k;
} place;

/* Adds a row of charges, (j, k) nodes from the place. */
INLINE void add_row(const convolution *c, int rows, place at, int dj, int dk,
                    lanes sum[MOST_ROWS]) {
  const dcs_ml_level *level = c->level;
  const int rx = level->reach[0], ry = level->reach[1];
  const int nearest = dj < 0 ? -dj : dj >= rows ? dj - rows + 1 : 0, dz = abs(dk);
  const int before = level->potential.first[0] - level->charge.first[0] + at.i;
  const int farthest = c->farthest[dz * (ry + 1) + nearest];
  int lo = -farthest, hi = farthest;
  if (lo < -before - LANES + 1) lo = -before - LANES + 1;
  if (hi > level->charge.n[0] - 1 - before) hi = level->charge.n[0] - 1 - before;
  const int64_t j = level->potential.first[1] - level->charge.first[1] + at.j + dj;
  const int64_t k = level->potential.first[2] - level->charge.first[2] + at.k + dk;
  const float *charge = c->charge + (k * level->charge.n[1] + j) * c->row + LANES + before;
  const float *weight =
      c->weight + ((int64_t)dz * (2 * rx + 1) + rx) * c->dys + ry + MOST_ROWS + dj;
  for (int dx = lo; dx <= hi; dx++) {
    const lanes q = *(const lanes *)(charge + dx);
    const float *w = weight + (int64_t)dx * c->dys;
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
      sum[r] += w[-r] * q;
  }
}

INLINE void sum_place(const convolution *c, int rows, place at) {
  const dcs_ml_level *level = c->level;
  const dcs_ml_box *box = &level->potential;
  const int before[2] = {box->first[1] - level->charge.first[1] + at.j,
                         box->first[2] - level->charge.first[2] + at.k};
  const int ry = level->reach[1], rz = level->reach[2];
  lanes sum[MOST_ROWS] = {{0}};
  for (int dk = -rz; dk <= rz; dk++) {
    const int k = before[1] + dk;
    if (k < 0 || k >= level->charge.n[2]) continue;
    lanes plane[MOST_ROWS] = {{0}}; /* thousands of terms in one sum would round too often */
    for (int dj = -ry; dj < rows + ry; dj++) {
      const int j = before[0] + dj;
      if (j >= 0 && j < level->charge.n[1] && !c->is_zero[(int64_t)k * level->charge.n[1] + j])
        add_row(c, rows, at, dj, dk, plane);
    }
    for (int r = 0; r < rows; r++)
      sum[r] += plane[r];
  }
  for (int r = 0; r < rows && at.j + r < box->n[1]; r++) {
    const int left = box->n[0] - at.i;
    memcpy(c->potential + ((int64_t)at.k * box->n[1] + at.j + r) * box->n[0] + at.i, &sum[r],
           (size_t)(left < LANES ? left : LANES) * sizeof(float));
  }
}

/* The rows j..j + rows - 1 of plane k. */
typedef void sum_rows(const convolution *c, int j, int k);

#define SUM_ROWS(name, rows, target)                                                               \
  target static void name(const convolution *c, int j, int k) {                                    \
    for (int i = 0; i < c->level->potential.n[0]; i += LANES)                                      \
      sum_place(c, rows, (place){i, j, k});                                                        \
  }

SUM_ROWS(sum_portable, 2, )
#ifdef __x86_64__
SUM_ROWS(sum_avx2, 4, __attribute__((target("avx2,fma"))))
SUM_ROWS(sum_avx512, 8, __attribute__((target("avx512f,fma"))))
#else
#define sum_avx2   sum_portable
#define sum_avx512 sum_portable
#endif

static const struct {
  sum_rows *sum;
  int rows;
} kernels[] = {[DCS_CPU_PORTABLE] = {sum_portable, 2},
               [DCS_CPU_AVX2] = {sum_avx2, 4},
               [DCS_CPU_AVX512] = {sum_avx512, 8}};

/* ---- a level ---- */

static bool allocate(convolution *c) {
  const dcs_ml_level *level = c->level;
  const int *reach = level->reach;
  const size_t rows = (size_t)level->charge.n[1] * (size_t)level->charge.n[2];
  const size_t shifts = (size_t)(reach[2] + 1) * (size_t)(2 * reach[0] + 1);
  c->row = level->charge.n[0] + 2 * LANES;
  c->dys = 2 * (reach[1] + MOST_ROWS) + 1;
  c->charge = malloc(rows * (size_t)c->row * sizeof *c->charge);
  c->is_zero = malloc(rows * sizeof *c->is_zero);
  c->weight = calloc(shifts * (size_t)c->dys, sizeof *c->weight);
  c->farthest = malloc((size_t)(reach[2] + 1) * (size_t)(reach[1] + 1) * sizeof *c->farthest);
  return c->charge && c->is_zero && c->weight && c->farthest;
}

bool dcs_multilevel_convolve(const dcs_multilevel *m, int level, const float *weights, int threads,
                             int isa, const float *charge, float *potential) {
  convolution c = {.level = &m->level[level], .potential = potential};
  const float scale = dcs_ml_is_top(m, level) ? 1 : ldexpf(1, -level);
  const bool has_memory = allocate(&c);
  const int *n = c.level->potential.n, rows = kernels[isa].rows;
  const int groups = (n[1] + rows - 1) / rows;
  (void)threads;
  if (has_memory) {
    arrange_weights(&c, scale, weights);
    pad_charges(&c, charge, threads);
#pragma omp parallel for collapse(2) num_threads(threads) schedule(dynamic)
    for (int k = 0; k < n[2]; k++)
      for (int g = 0; g < groups; g++)
        kernels[isa].sum(&c, g * rows, k);
  }
  free(c.charge);
  free(c.is_zero);
  free(c.weight);
  free(c.farthest);
  return has_memory;
}
