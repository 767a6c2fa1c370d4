/* Rows of a surface, in the instruction set of the file that includes it: SURFACE_TARGET, and
 * SURFACE_CLASSIFY(values, level), the word of 64 values. */
#include "kernels/surface/cpu/bits.h"

enum { WORD = DCS_SURFACE_WORD };

/* Of a word's points, those whose edges along x, y and z are cut. */
typedef struct {
  uint64_t along[3];
} cuts;

/* The cells that begin at a word's points and have both. corner[c]: what is inside of corner c;
 * cut: the cells of which some corners are inside, and not all. */
typedef struct {
  uint64_t corner[8], cut;
} cells;

SURFACE_TARGET static void classify(const dcs_surface_bits *b, int64_t row) {
  const float *values = b->map + row * b->n.x;
  for (int64_t w = 0; w < b->words; w++, values += WORD) {
    const int64_t left = b->n.x - w * WORD;
    uint64_t word = 0;
    if (left >= WORD)
      word = SURFACE_CLASSIFY(values, b->level);
    else
      for (int64_t i = 0; i < left; i++)
        word |= (uint64_t)(values[i] >= b->level) << i;
    b->inside[row * b->words + w] = word;
  }
}

/* ---- logic ---- */

/* The word, with the neighbours in x of its points in their place. */
SURFACE_TARGET static inline uint64_t shifted(const dcs_surface_bits *b, int64_t row,
                                              int64_t word) {
  const uint64_t *at = b->inside + row * b->words + word;
  return at[0] >> 1 | (word + 1 < b->words ? at[1] << (WORD - 1) : 0);
}

/* The points of a word that have a neighbour in x. */
SURFACE_TARGET static inline uint64_t not_last(const dcs_surface_bits *b, int64_t word) {
  const int64_t left = b->n.x - 1 - word * WORD;
  return left >= WORD ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

SURFACE_TARGET static inline cuts cuts_of(const dcs_surface_bits *b, int64_t j, int64_t k,
                                          int64_t word) {
  const int64_t row = k * b->n.y + j;
  const uint64_t *at = b->inside + row * b->words + word, own = *at;
  cuts c = {{(own ^ shifted(b, row, word)) & not_last(b, word), 0, 0}};
  if (j + 1 < b->n.y) c.along[1] = own ^ at[b->words];
  if (k + 1 < b->n.z) c.along[2] = own ^ at[b->words * b->n.y];
  return c;
}

SURFACE_TARGET static inline void cells_of(const dcs_surface_bits *b, int64_t j, int64_t k,
                                           int64_t word, cells *c) {
  uint64_t any = 0, all = ~(uint64_t)0;
  c->cut = 0;
  if (j + 1 >= b->n.y || k + 1 >= b->n.z) return;
  for (int q = 0; q < 4; q++) {
    const int64_t row = (k + (q >> 1)) * b->n.y + j + (q & 1);
    c->corner[2 * q] = b->inside[row * b->words + word];
    c->corner[2 * q + 1] = shifted(b, row, word);
    any |= c->corner[2 * q] | c->corner[2 * q + 1];
    all &= c->corner[2 * q] & c->corner[2 * q + 1];
  }
  c->cut = any & ~all & not_last(b, word);
}

SURFACE_TARGET static inline unsigned case_of(const cells *c, int bit) {
  unsigned inside = 0;
  for (int corner = 0; corner < 8; corner++)
    inside |= (unsigned)(c->corner[corner] >> bit & 1) << corner;
  return inside;
}

/* ---- count ---- */

SURFACE_TARGET static void count(const dcs_surface_bits *b, int64_t row,
                                 dcs_surface_counts *words) {
  const int64_t j = row % b->n.y, k = row / b->n.y;
  for (int64_t w = 0; w < b->words; w++) {
    const cuts c = cuts_of(b, j, k, w);
    dcs_surface_counts sum = {0, 0};
    cells found;
    for (int axis = 0; axis < 3; axis++)
      sum.vertices += __builtin_popcountll(c.along[axis]);
    cells_of(b, j, k, w, &found);
    for (uint64_t left = found.cut; left; left &= left - 1)
      sum.triangles += (int64_t)(b->cases[case_of(&found, __builtin_ctzll(left))] >> 60);
    words[w] = sum;
  }
}

/* ---- emit ---- */

/* The vertex of the edge from point i of a row to the next one along the axis. */
SURFACE_TARGET static inline void put_vertex(const dcs_surface_bits *b, int64_t i, int64_t j,
                                             int64_t k, int axis, dcs_surface_vertex *to) {
  const int64_t step = axis == 0 ? 1 : axis == 1 ? b->n.x : b->n.x * b->n.y;
  const float *at = b->map + (k * b->n.y + j) * b->n.x + i;
  const float t = (b->level - at[0]) / (at[step] - at[0]);
  const float x = (float)i, y = (float)j, z = (float)k;
  *to = (dcs_surface_vertex){axis == 0 ? x + t : x, axis == 1 ? y + t : y, axis == 2 ? z + t : z};
}

SURFACE_TARGET static void emit_vertices(const dcs_surface_bits *b, int64_t j, int64_t k,
                                         int64_t word) {
  const cuts c = cuts_of(b, j, k, word);
  dcs_surface_vertex *to = b->vertices + b->before[(k * b->n.y + j) * b->words + word].vertices;
  for (uint64_t left = c.along[0] | c.along[1] | c.along[2]; left; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    for (int axis = 0; axis < 3; axis++)
      if (c.along[axis] >> bit & 1) put_vertex(b, word * WORD + bit, j, k, axis, to++);
  }
}

/* The words that begin the edges of a word's cells: [y + 2 z], and those behind them in x. */
typedef struct {
  cuts cut[2][4];
  int64_t before[2][4];
} around;

SURFACE_TARGET static inline void look_around(const dcs_surface_bits *b, int64_t j, int64_t k,
                                              int64_t word, around *a) {
  for (int next = 0; next < 2 && word + next < b->words; next++)
    for (int q = 0; q < 4; q++) {
      const int64_t of_j = j + (q & 1), of_k = k + (q >> 1);
      a->cut[next][q] = cuts_of(b, of_j, of_k, word + next);
      a->before[next][q] = b->before[(of_k * b->n.y + of_j) * b->words + word + next].vertices;
    }
}

/* The number of the vertex on an edge (surface.h) of the cell at a bit. */
SURFACE_TARGET static inline int32_t vertex_of(const around *a, int edge, int bit) {
  const int axis = edge / 4, q = edge % 4;
  const int row = axis == 0 ? q : axis == 1 ? q & 2 : q >> 1, at = bit + (axis ? q & 1 : 0);
  const int next = at == WORD;
  const uint64_t *along = a->cut[next][row].along, below = ((uint64_t)1 << at % WORD) - 1;
  int64_t id = a->before[next][row];
  for (int d = 0; d < 3; d++)
    id += __builtin_popcountll(along[d] & below) + (d < axis && (along[d] >> at % WORD & 1));
  return (int32_t)id;
}

SURFACE_TARGET static void emit_triangles(const dcs_surface_bits *b, int64_t j, int64_t k,
                                          int64_t word) {
  cells c;
  around a;
  cells_of(b, j, k, word, &c);
  if (!c.cut) return;
  look_around(b, j, k, word, &a);
  dcs_surface_triangle *to = b->triangles + b->before[(k * b->n.y + j) * b->words + word].triangles;
  for (uint64_t left = c.cut; left; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    uint64_t packed = b->cases[case_of(&c, bit)];
    for (int n = (int)(packed >> 60); n > 0; n--, to++)
      for (int v = 0; v < 3; v++, packed >>= 4)
        to->vertex[v] = vertex_of(&a, (int)(packed & 15), bit);
  }
}

SURFACE_TARGET static void emit(const dcs_surface_bits *b, int64_t row) {
  const int64_t j = row % b->n.y, k = row / b->n.y;
  for (int64_t w = 0; w < b->words; w++) {
    emit_vertices(b, j, k, w);
    emit_triangles(b, j, k, w);
  }
}

const dcs_surface_kernel SURFACE_KERNEL = {classify, count, emit};
