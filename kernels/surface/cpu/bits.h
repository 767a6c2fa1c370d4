/* A map as bits, of which vertices and triangles are counted and emitted: words of 64 points of a
 * row. */
#ifndef DCS_SURFACE_CPU_BITS_H
#define DCS_SURFACE_CPU_BITS_H

#include "kernels/surface/surface.h"

enum { DCS_SURFACE_WORD = 64 };

typedef struct {
  const float *map;
  const uint64_t *cases;
  float level;
  dcs_dims n;
  int64_t words;    /* of a row */
  uint64_t *inside; /* [(k * n.y + j) * words + w], bit i % 64: points beyond the row are outside */

  /* ---- of who emits ---- */
  dcs_surface_counts *before; /* of each word: those of all words before it */
  dcs_surface_vertex *vertices;
  dcs_surface_triangle *triangles;
} dcs_surface_bits;

/* What is done with a row, in an instruction set; NULL where that is not there. */
typedef struct {
  void (*classify)(const dcs_surface_bits *bits, int64_t row);
  void (*count)(const dcs_surface_bits *bits, int64_t row, dcs_surface_counts *words);
  void (*emit)(const dcs_surface_bits *bits, int64_t row);
} dcs_surface_kernel;

extern const dcs_surface_kernel dcs_surface_portable, dcs_surface_avx2;

/* Memory for the bits of ->n, which dcs_surface_bits_free() frees; false: there is none. The rest
 * stays as it is. */
bool dcs_surface_bits_make(dcs_surface_bits *bits);
void dcs_surface_bits_free(dcs_surface_bits *bits);
/* Sets what is inside, by so many threads. */
void dcs_surface_classify(const dcs_surface_kernel *kernel, const dcs_surface_bits *bits,
                          int threads);
/* Of each, what those before it have. */
void dcs_surface_scan(dcs_surface_counts *counts, int64_t n);

#endif
