/* A map as bits, of which vertices and triangles are counted: words of 64 points of a row. */
#ifndef DCS_SURFACE_CPU_BITS_H
#define DCS_SURFACE_CPU_BITS_H

#include "kernels/surface/surface.h"

typedef struct {
  const float *map;
  const uint64_t *cases;
  float level;
  dcs_dims n;
  int64_t words;    /* of a row */
  uint64_t *inside; /* [(k * n.y + j) * words + w], bit i % 64: points beyond the row are outside */
} dcs_surface_bits;

/* Memory for the bits of ->n, which dcs_surface_bits_free() frees; false: there is none. The rest
 * stays as it is. */
bool dcs_surface_bits_make(dcs_surface_bits *bits);
void dcs_surface_bits_free(dcs_surface_bits *bits);
/* Sets what is inside, by so many threads. */
void dcs_surface_classify(const dcs_surface_bits *bits, int threads);

/* Of a word's points, those whose edges along x, y and z are cut. */
typedef struct {
  uint64_t along[3];
} dcs_surface_cuts;
dcs_surface_cuts dcs_surface_cuts_of(const dcs_surface_bits *bits, int64_t row, int64_t word);

/* The cells that begin at a word's points and have both. corner[c]: what is inside of corner c;
 * cut: the cells of which some corners are inside, and not all. */
typedef struct {
  uint64_t corner[8], cut;
} dcs_surface_cells;
void dcs_surface_cells_of(const dcs_surface_bits *bits, int64_t row, int64_t word,
                          dcs_surface_cells *cells);

static inline unsigned dcs_surface_case(const dcs_surface_cells *cells, int bit) {
  unsigned inside = 0;
  for (int c = 0; c < 8; c++)
    inside |= (unsigned)(cells->corner[c] >> bit & 1) << c;
  return inside;
}

dcs_surface_counts dcs_surface_count(const dcs_surface_bits *bits, int64_t row, int64_t word);
/* Of each, what those before it have. */
void dcs_surface_scan(dcs_surface_counts *counts, int64_t n);

#endif
