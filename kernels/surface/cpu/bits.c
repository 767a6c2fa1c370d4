#include "kernels/surface/cpu/bits.h"

#include <stdlib.h>

enum { WORD = 64 };

static uint64_t word_of(const float *values, int n, float level) {
  uint64_t word = 0;
  for (int i = 0; i < n; i++)
    word |= (uint64_t)(values[i] >= level) << i;
  return word;
}

bool dcs_surface_bits_make(dcs_surface_bits *bits) {
  bits->words = dcs_divide_up(bits->n.x, WORD);
  bits->inside = calloc((size_t)(bits->n.y * bits->n.z * bits->words), sizeof *bits->inside);
  return bits->inside != NULL;
}

void dcs_surface_classify(const dcs_surface_bits *b, int threads) {
  (void)threads;
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < b->n.y * b->n.z; row++)
    for (int64_t w = 0; w < b->words; w++) {
      const int64_t left = b->n.x - w * WORD;
      b->inside[row * b->words + w] =
          word_of(b->map + row * b->n.x + w * WORD, left < WORD ? (int)left : WORD, b->level);
    }
}

void dcs_surface_bits_free(dcs_surface_bits *bits) {
  free(bits->inside);
  bits->inside = NULL;
}

/* The word, with the neighbours in x of its points in their place. */
static uint64_t shifted(const dcs_surface_bits *b, int64_t row, int64_t word) {
  const uint64_t *at = b->inside + row * b->words + word;
  return at[0] >> 1 | (word + 1 < b->words ? at[1] << (WORD - 1) : 0);
}

/* The points of a word that have a neighbour in x. */
static uint64_t not_last(const dcs_surface_bits *b, int64_t word) {
  const int64_t left = b->n.x - 1 - word * WORD;
  return left >= WORD ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

dcs_surface_cuts dcs_surface_cuts_of(const dcs_surface_bits *b, int64_t row, int64_t word) {
  const int64_t j = row % b->n.y, k = row / b->n.y;
  const uint64_t *at = b->inside + row * b->words + word, own = *at;
  dcs_surface_cuts cuts = {{(own ^ shifted(b, row, word)) & not_last(b, word)}};
  if (j + 1 < b->n.y) cuts.along[1] = own ^ at[b->words];
  if (k + 1 < b->n.z) cuts.along[2] = own ^ at[b->words * b->n.y];
  return cuts;
}

void dcs_surface_cells_of(const dcs_surface_bits *b, int64_t row, int64_t word,
                          dcs_surface_cells *cells) {
  uint64_t any = 0, all = ~(uint64_t)0;
  cells->cut = 0;
  if (row % b->n.y + 1 == b->n.y || row / b->n.y + 1 == b->n.z) return;
  for (int c = 0; c < 8; c++) {
    const int64_t of = row + (c >> 1 & 1) + (c >> 2) * b->n.y;
    cells->corner[c] = c & 1 ? shifted(b, of, word) : b->inside[of * b->words + word];
    any |= cells->corner[c];
    all &= cells->corner[c];
  }
  cells->cut = any & ~all & not_last(b, word);
}

dcs_surface_counts dcs_surface_count(const dcs_surface_bits *b, int64_t row, int64_t word) {
  const dcs_surface_cuts cuts = dcs_surface_cuts_of(b, row, word);
  dcs_surface_counts counts = {0, 0};
  dcs_surface_cells cells;
  for (int axis = 0; axis < 3; axis++)
    counts.vertices += __builtin_popcountll(cuts.along[axis]);
  dcs_surface_cells_of(b, row, word, &cells);
  for (uint64_t left = cells.cut; left; left &= left - 1)
    counts.triangles += (int64_t)(b->cases[dcs_surface_case(&cells, __builtin_ctzll(left))] >> 60);
  return counts;
}

void dcs_surface_scan(dcs_surface_counts *counts, int64_t n) {
  dcs_surface_counts sum = {0, 0};
  for (int64_t i = 0; i < n; i++) {
    const dcs_surface_counts own = counts[i];
    counts[i] = sum;
    sum.vertices += own.vertices;
    sum.triangles += own.triangles;
  }
}

static dcs_surface_counts count_row(const dcs_surface_bits *b, int64_t row) {
  dcs_surface_counts sum = {0, 0};
  for (int64_t word = 0; word < b->words; word++) {
    const dcs_surface_counts counts = dcs_surface_count(b, row, word);
    sum.vertices += counts.vertices;
    sum.triangles += counts.triangles;
  }
  return sum;
}

bool dcs_surface_measure(const float *map, dcs_dims n, const uint64_t *cases, float level,
                         int threads, dcs_surface_counts *rows) {
  dcs_surface_bits bits = {.map = map, .cases = cases, .level = level, .n = n};
  const int64_t n_rows = n.y * n.z;
  if (!dcs_surface_bits_make(&bits)) return false;
  dcs_surface_classify(&bits, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
  for (int64_t row = 0; row < n_rows; row++)
    rows[row] = count_row(&bits, row);
  rows[n_rows] = (dcs_surface_counts){0, 0};
  dcs_surface_scan(rows, n_rows + 1);
  dcs_surface_bits_free(&bits);
  return true;
}
