/* cpu_surface: marching cubes on bits.
 *
 * Idea: a word has what is inside of 64 points of a row; exclusive ors of words that are next to
 *   each other are the cut edges, and what is neither all ones nor all zeros the cells that have
 * triangles: the map is read once, and then only at edges that are cut. Counted bits before a point
 * number its vertices, so that no cell keeps any. Parameters: threads. Limits: 2^31 vertices or
 * triangles. */
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/surface/cpu/bits.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORD = 64 };

typedef struct {
  dcs_surface_bits bits;
  dcs_surface_counts *before; /* of each word: those of all words before it */
  dcs_surface_vertex *vertices;
  dcs_surface_triangle *triangles;
} job;

/* ---- count ---- */

static void count(const job *to, int threads) {
  const int64_t words = to->bits.words;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
  for (int64_t at = 0; at < to->bits.n.y * to->bits.n.z * words; at++)
    to->before[at] = dcs_surface_count(&to->bits, at / words, at % words);
}

/* ---- emit ---- */

/* The vertex of the edge from `point` of a row, whose value is a, to the next one along the axis.
 */
static void put_vertex(const job *to, int64_t row, int64_t i, int axis, int64_t id) {
  const dcs_surface_bits *b = &to->bits;
  const int64_t step = axis == 0 ? 1 : axis == 1 ? b->n.x : b->n.x * b->n.y;
  const float *at = b->map + row * b->n.x + i;
  const float t = (b->level - at[0]) / (at[step] - at[0]);
  const float x = (float)i, y = (float)(row % b->n.y), z = (float)(row / b->n.y);
  to->vertices[id] =
      (dcs_surface_vertex){axis == 0 ? x + t : x, axis == 1 ? y + t : y, axis == 2 ? z + t : z};
}

static void emit_vertices(const job *to, int64_t row, int64_t word) {
  const dcs_surface_cuts cuts = dcs_surface_cuts_of(&to->bits, row, word);
  int64_t id = to->before[row * to->bits.words + word].vertices;
  for (uint64_t left = cuts.along[0] | cuts.along[1] | cuts.along[2]; left; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    for (int axis = 0; axis < 3; axis++)
      if (cuts.along[axis] >> bit & 1) put_vertex(to, row, word * WORD + bit, axis, id++);
  }
}

/* The words that begin the edges of a word's cells: [y + 2 z], and those behind them in x. */
typedef struct {
  dcs_surface_cuts cuts[2][4];
  int64_t before[2][4];
} around;

static around words_around(const job *to, int64_t row, int64_t word) {
  const dcs_surface_bits *b = &to->bits;
  around a;
  for (int next = 0; next < 2 && word + next < b->words; next++)
    for (int q = 0; q < 4; q++) {
      const int64_t of = row + (q & 1) + (q >> 1) * b->n.y;
      a.cuts[next][q] = dcs_surface_cuts_of(b, of, word + next);
      a.before[next][q] = to->before[of * b->words + word + next].vertices;
    }
  return a;
}

/* The number of the vertex on an edge (surface.h) of the cell at a bit. */
static int32_t vertex_of(const around *a, int edge, int bit) {
  const int axis = edge / 4, q = edge % 4;
  const int row = axis == 0 ? q : axis == 1 ? q & 2 : q >> 1, at = bit + (axis ? q & 1 : 0);
  const int next = at == WORD;
  const uint64_t *along = a->cuts[next][row].along, below = ((uint64_t)1 << at % WORD) - 1;
  int64_t id = a->before[next][row];
  for (int d = 0; d < 3; d++)
    id += __builtin_popcountll(along[d] & below) + (d < axis && (along[d] >> at % WORD & 1));
  return (int32_t)id;
}

static void emit_triangles(const job *to, int64_t row, int64_t word) {
  dcs_surface_cells cells;
  dcs_surface_cells_of(&to->bits, row, word, &cells);
  if (!cells.cut) return;
  const around a = words_around(to, row, word);
  int64_t id = to->before[row * to->bits.words + word].triangles;
  for (uint64_t left = cells.cut; left; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    uint64_t packed = to->bits.cases[dcs_surface_case(&cells, bit)];
    for (int n = (int)(packed >> 60); n > 0; n--, id++)
      for (int v = 0; v < 3; v++, packed >>= 4)
        to->triangles[id].vertex[v] = vertex_of(&a, (int)(packed & 15), bit);
  }
}

static void emit(const job *to, int threads) {
  const int64_t words = to->bits.words;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
  for (int64_t at = 0; at < to->bits.n.y * to->bits.n.z * words; at++) {
    emit_vertices(to, at / words, at % words);
    emit_triangles(to, at / words, at % words);
  }
}

/* ---- the variant ---- */

static bool compute(const dcs_problem *problem, const dcs_config *config,
                    void *const out[DCS_MAX_BUFFERS]) {
  const int threads = (int)config->value[0];
  job to = {.bits = {.map = problem->input[DCS_SURFACE_MAP],
                     .cases = problem->input[DCS_SURFACE_CASES],
                     .level = dcs_surface_level(problem),
                     .n = problem->n},
            .vertices = out[DCS_SURFACE_VERTICES],
            .triangles = out[DCS_SURFACE_TRIANGLES]};
  const int64_t words = problem->n.y * problem->n.z * dcs_divide_up(problem->n.x, WORD);
  to.before = malloc((size_t)words * sizeof *to.before);
  const bool made = to.before && dcs_surface_bits_make(&to.bits);
  if (made) {
    dcs_phase("classify");
    dcs_surface_classify(&to.bits, threads);
    dcs_phase("count");
    count(&to, threads);
    dcs_phase("scan");
    dcs_surface_scan(to.before, words);
    dcs_phase("emit");
    emit(&to, threads);
    dcs_surface_bits_free(&to.bits);
  }
  dcs_phase(NULL);
  free(to.before);
  return made;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  return dcs_surface_fits(problem, why) && dcs_cpu_applicable(problem, config, why);
}

/* Of a vertex: two differences, a quotient, a sum. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 4;
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)problem;
  (void)config;
  return 1;
}

static const char *const sources[] = {
    "kernels/surface/cpu/surface.c", "kernels/surface/cpu/bits.c", "kernels/surface/cpu/bits.h",
    "kernels/surface/cases.c",       "kernels/common/cpu.c",       "kernels/common/cpu.h",
    "kernels/common/phase.h",        "kernels/surface/surface.h",  NULL};

const dcs_variant dcs_variant_cpu_surface = {
    .id = "cpu_surface",
    .kind = "surface",
    .sources = sources,
    .idea = "what is inside as bits, 64 points a word; cut edges and cells are found by logic",
    .backend = DCS_CPU,
    .params = dcs_cpu_params,
    .n_params = 1,
    .applicable = applicable,
    .executed = dcs_cpu_executed_exactly,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .compute = compute,
};
