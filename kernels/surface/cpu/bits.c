#include "kernels/surface/cpu/bits.h"
#include "kernels/common/cpu.h"

#include <stdlib.h>

bool dcs_surface_bits_make(dcs_surface_bits *bits) {
  bits->words = dcs_divide_up(bits->n.x, DCS_SURFACE_WORD);
  bits->inside = calloc((size_t)(bits->n.y * bits->n.z * bits->words), sizeof *bits->inside);
  return bits->inside != NULL;
}

void dcs_surface_bits_free(dcs_surface_bits *bits) {
  free(bits->inside);
  bits->inside = NULL;
}

void dcs_surface_classify(const dcs_surface_kernel *kernel, const dcs_surface_bits *b,
                          int threads) {
  (void)threads;
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < b->n.y * b->n.z; row++)
    kernel->classify(b, row);
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

/* Of a row, by way of its words. */
static dcs_surface_counts count_row(const dcs_surface_kernel *kernel, const dcs_surface_bits *b,
                                    int64_t row, dcs_surface_counts *words) {
  dcs_surface_counts sum = {0, 0};
  kernel->count(b, row, words);
  for (int64_t w = 0; w < b->words; w++) {
    sum.vertices += words[w].vertices;
    sum.triangles += words[w].triangles;
  }
  return sum;
}

/* false: a thread had no memory. */
static bool count_rows(const dcs_surface_kernel *kernel, const dcs_surface_bits *b, int threads,
                       dcs_surface_counts *rows) {
  bool room = true;
  (void)threads;
#pragma omp parallel num_threads(threads) reduction(&& : room)
  {
    dcs_surface_counts *words = malloc((size_t)b->words * sizeof *words);
    room = words != NULL;
#pragma omp for schedule(dynamic, 16)
    for (int64_t row = 0; row < b->n.y * b->n.z; row++)
      if (words) rows[row] = count_row(kernel, b, row, words);
    free(words);
  }
  return room;
}

bool dcs_surface_measure(const float *map, dcs_dims n, const uint64_t *cases, float level,
                         int threads, dcs_surface_counts *rows) {
  dcs_surface_bits bits = {.map = map, .cases = cases, .level = level, .n = n};
  char why[DCS_TEXT];
  const dcs_surface_kernel *kernel =
      dcs_cpu_has_avx2(why) ? &dcs_surface_avx2 : &dcs_surface_portable;
  if (!dcs_surface_bits_make(&bits)) return false;
  dcs_surface_classify(kernel, &bits, threads);
  const bool room = count_rows(kernel, &bits, threads, rows);
  rows[n.y * n.z] = (dcs_surface_counts){0, 0};
  if (room) dcs_surface_scan(rows, n.y * n.z + 1);
  dcs_surface_bits_free(&bits);
  return room;
}
