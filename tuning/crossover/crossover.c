#include "tuning/crossover/crossover.h"

#include "tuning/crossover/frontier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what lies in a row ---- */

static bool same_shape(const dcs_crossover *c, const dcs_measured_cell *cell) {
  return dcs_shape_equal(dcs_shape_of(cell->n, c->shape.kind), c->shape);
}

static bool same_text(const dcs_measured_cell *a, const dcs_measured_cell *b, dcs_axis axis) {
  return strcmp(a->text[axis], b->text[axis]) == 0;
}

bool dcs_crossover_covers(const dcs_crossover *c, const dcs_measured_cell *cell) {
  if (c->kind == DCS_ALONG_POINTS)
    return same_text(cell, c->like, DCS_AXIS_ATOMS) && same_shape(c, cell);
  return same_text(cell, c->like, DCS_AXIS_POINTS);
}

const char *dcs_crossover_method(const dcs_crossover *c, int which) {
  return c->pair->method[c->threshold.below == 0 ? which : 1 - which];
}

const char *dcs_crossover_fixed(const dcs_crossover *c) {
  return c->like->text[c->kind == DCS_ALONG_POINTS ? DCS_AXIS_ATOMS : DCS_AXIS_POINTS];
}

char *dcs_crossover_shape(const dcs_crossover *c, char text[DCS_TEXT]) {
  text[0] = '\0';
  return c->kind == DCS_ALONG_ATOMS ? text : dcs_shape_text(c->shape, text);
}

/* ---- rows of sizes ---- */

typedef struct {
  dcs_crossovers *found;
  dcs_threshold_size *sizes; /* room for all cells; in the plane, grid behind grid */
  dcs_frontier_grid *grids;
  const dcs_measured_cell **likes; /* a cell of each of the grids */
  dcs_threshold *thresholds;       /* of the grids */
  size_t most;                     /* sizes that any pair has in common along an axis */
} search;

static int by_size(const void *left, const void *right) {
  double a = ((const dcs_threshold_size *)left)->x, b = ((const dcs_threshold_size *)right)->x;
  return (a > b) - (a < b);
}

/* The sizes of the row, ascending, where both of its pair were measured; returns how many: none
 * where both are one method at all of them, as on one CPU. */
static size_t take_sizes(const dcs_measured *m, const dcs_crossover *c, dcs_threshold_size *sizes) {
  dcs_axis axis = c->kind == DCS_ALONG_POINTS ? DCS_AXIS_POINTS : DCS_AXIS_ATOMS;
  size_t n = 0;
  bool differ = false;
  for (size_t i = 0; i < m->n_cells; i++) {
    const dcs_measured_cell *cell = &m->cells[i];
    const dcs_best *a = &cell->best[c->pair->class[0]], *b = &cell->best[c->pair->class[1]];
    if (!dcs_crossover_covers(c, cell) || isnan(a->median_ns) || isnan(b->median_ns)) continue;
    differ |= a->row != b->row;
    sizes[n++] =
        (dcs_threshold_size){.x = cell->x[axis], .times = {a->times, b->times}, .n = {a->n, b->n}};
  }
  qsort(sizes, n, sizeof *sizes, by_size);
  return differ ? n : 0;
}

/* ---- along an axis ---- */

static dcs_status add_row(search *s, dcs_crossover c) {
  size_t n = take_sizes(&s->found->measured, &c, s->sizes);
  if (n > s->most) s->most = n;
  if (n < DCS_CROSSOVER_SIZES) return DCS_OK;
  DCS_TRY(dcs_threshold_find(s->sizes, n, &c.threshold));
  s->found->list[s->found->n++] = c;
  return DCS_OK;
}

/* Whether a cell before its `like` is in the row, too. */
static bool is_repeated(const dcs_measured *m, const dcs_crossover *c) {
  for (const dcs_measured_cell *cell = m->cells; cell < c->like; cell++)
    if (dcs_crossover_covers(c, cell)) return true;
  return false;
}

static dcs_status find_along(search *s, dcs_crossover c) {
  if (is_repeated(&s->found->measured, &c)) return DCS_OK;
  for (int p = 0; p < DCS_N_PAIRS; p++) {
    c.pair = &dcs_pairs[p];
    DCS_TRY(add_row(s, c));
  }
  return DCS_OK;
}

/* ---- in the plane ---- */

static int by_points(const void *left, const void *right) {
  double a = (*(const dcs_measured_cell *const *)left)->x[DCS_AXIS_POINTS];
  double b = (*(const dcs_measured_cell *const *)right)->x[DCS_AXIS_POINTS];
  return (a > b) - (a < b);
}

/* A cell of each grid of the shape, ascending in points; returns how many. */
static size_t take_grids(search *s, const dcs_crossover *c) {
  const dcs_measured *m = &s->found->measured;
  size_t n = 0;
  for (size_t i = 0; i < m->n_cells; i++) {
    dcs_crossover grid = {.kind = DCS_IN_PLANE, .like = &m->cells[i]};
    if (same_shape(c, grid.like) && !is_repeated(m, &grid)) s->likes[n++] = grid.like;
  }
  qsort(s->likes, n, sizeof(const dcs_measured_cell *), by_points);
  return n;
}

static dcs_status add_plane(search *s, dcs_crossover c, size_t n_likes) {
  size_t n = 0, used = 0;
  for (size_t g = 0; g < n_likes; g++) {
    c.like = s->likes[g];
    size_t sizes = take_sizes(&s->found->measured, &c, s->sizes + used);
    if (sizes < 2) continue;
    s->grids[n] = (dcs_frontier_grid){c.like->x[DCS_AXIS_POINTS], s->sizes + used, sizes};
    s->likes[n++] = c.like;
    used += sizes;
  }
  if (n < 2) return DCS_OK;
  DCS_TRY(dcs_frontier_find(s->grids, n, s->thresholds));
  for (size_t g = 0; g < n; g++) {
    c.like = s->likes[g];
    c.threshold = s->thresholds[g];
    s->found->list[s->found->n++] = c;
  }
  return DCS_OK;
}

static dcs_status find_in_plane(search *s, dcs_crossover c) {
  for (const dcs_measured_cell *cell = s->found->measured.cells; cell < c.like; cell++)
    if (same_shape(&c, cell)) return DCS_OK;
  for (int p = 0; p < DCS_N_PAIRS; p++) {
    c.pair = &dcs_pairs[p];
    DCS_TRY(add_plane(s, c, take_grids(s, &c)));
  }
  return DCS_OK;
}

/* ---- a run ---- */

static dcs_status find_all(search *s) {
  const dcs_measured *m = &s->found->measured;
  for (int kind = 0; kind < DCS_N_CROSSOVER_KINDS; kind++)
    for (size_t i = 0; i < m->n_cells; i++) {
      dcs_crossover c = {.kind = (dcs_crossover_kind)kind, .like = &m->cells[i]};
      for (int s_kind = 0; s_kind < DCS_N_SHAPE_KINDS; s_kind++) {
        c.shape = dcs_shape_of(c.like->n, (dcs_shape_kind)s_kind);
        if (kind != DCS_ALONG_ATOMS || s_kind == 0)
          DCS_TRY(kind == DCS_IN_PLANE ? find_in_plane(s, c) : find_along(s, c));
      }
    }
  return DCS_OK;
}

static dcs_status check_found(const char *folder, const dcs_crossovers *found, size_t most) {
  static const char expected[] =
      "expected two of: a CPU variant with one thread, CPU variants with all threads, variants on "
      "a GPU, each at 4 numbers of atoms on one grid, on 4 grids of one shape, or at 2 numbers of "
      "atoms on each of 2 grids of one shape";
  if (found->n > 0) return DCS_OK;
  if (most == 0)
    return dcs_fail(DCS_INPUT, "%s: no two methods have a size in common (%zu rows are not ok); %s",
                    folder, found->measured.not_ok, expected);
  if (most == 1)
    return dcs_fail(DCS_INPUT, "%s: methods have one size only in common (%zu rows are not ok); %s",
                    folder, found->measured.not_ok, expected);
  return dcs_fail(DCS_INPUT,
                  "%s: methods have at most %zu sizes in common (%zu rows are not ok); %s", folder,
                  most, found->measured.not_ok, expected);
}

dcs_status dcs_crossovers_find(const char *folder, dcs_crossovers *found) {
  *found = (dcs_crossovers){0};
  DCS_TRY(dcs_measured_read(folder, &found->measured));
  size_t n = found->measured.n_cells;
  search s = {.found = found,
              .sizes = malloc(n * sizeof *s.sizes),
              .grids = malloc(n * sizeof *s.grids),
              .likes = malloc(n * sizeof(const dcs_measured_cell *)),
              .thresholds = malloc(n * sizeof *s.thresholds)};
  /* A row of atoms, and two shapes along points and in the plane. */
  found->list = malloc(5 * DCS_N_PAIRS * n * sizeof *found->list);
  dcs_status status = s.sizes && s.grids && s.likes && s.thresholds && found->list
                          ? find_all(&s)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu sizes", n);
  free(s.sizes);
  free(s.grids);
  free(s.likes);
  free(s.thresholds);
  DCS_TRY(status);
  return check_found(folder, found, s.most);
}

void dcs_crossovers_free(dcs_crossovers *found) {
  dcs_measured_free(&found->measured);
  free(found->list);
  *found = (dcs_crossovers){0};
}
