#include "tuning/crossover/crossover.h"

#include "harness/base/grow.h"
#include "tuning/crossover/threshold.h"

#include <stdlib.h>

/* ---- what lies in a row ---- */

static bool is_grid(const dcs_kind *kind, int dimension) {
  return kind->dimensions[dimension].n == 3;
}

static bool same_shape(const dcs_crossover *c, const dcs_size *size) {
  return size->kind == c->like->size.kind &&
         dcs_shape_equal(dcs_shape_of(dcs_size_points(size), c->shape.kind), c->shape);
}

bool dcs_crossover_covers(const dcs_crossover *c, const dcs_measured_size *other) {
  const dcs_size *like = &c->like->size, *size = &other->size;
  if (size->kind != like->kind) return false;
  if (c->system)
    return same_shape(c, size) && dcs_same_density(dcs_density_of(like), dcs_density_of(size));
  for (int d = 0; d < like->kind->n_dimensions; d++)
    if (d != c->along && !dcs_same_along(like, size, d)) return false;
  return !is_grid(like->kind, c->along) || same_shape(c, size);
}

size_t dcs_crossover_sizes(const dcs_measured *m, const dcs_crossover *c,
                           dcs_crossover_size *sizes) {
  size_t n = 0;
  for (const dcs_measured_size *at = m->sizes; at < m->sizes + m->n_sizes; at++)
    if (dcs_has_both(at, c->pair) && dcs_crossover_covers(c, at))
      sizes[n++] = (dcs_crossover_size){
          dcs_along(&at->size, c->along), at, {dcs_best(at, c->pair, 0), dcs_best(at, c->pair, 1)}};
  qsort(sizes, n, sizeof *sizes, dcs_by_value);
  return n;
}

/* ---- rows of sizes ---- */

typedef struct {
  dcs_room room;
  dcs_crossovers *found;
  dcs_crossover_size *row;     /* place for all sizes */
  dcs_threshold_size *sizes;   /* the same; in the plane, grid behind grid */
  dcs_threshold_times *rivals; /* of both methods at each of them */
  dcs_frontier_grid *grids;
  const dcs_measured_size **likes; /* a size of each of the grids */
  dcs_threshold *thresholds;       /* of the grids */
  size_t most;                     /* sizes that any pair has in common along a dimension */
} search;

static void take_rivals(search *s, const dcs_crossover *c, const dcs_measured_size *at,
                        dcs_threshold_size *size) {
  for (int side = 0; side < 2; side++) {
    dcs_threshold_times *rivals =
        s->rivals + ((size_t)(size - s->sizes) * 2 + (size_t)side) * DCS_MOST_RIVALS;
    size->rivals[side] = rivals;
    size->n_rivals[side] = dcs_rivals(at, c->pair, side, rivals);
  }
}

/* The sizes of the row, ascending, where both of its pair were measured; returns how many: none
 * where both are one method at all of them, as on one CPU. */
static size_t take_sizes(search *s, const dcs_crossover *c, dcs_threshold_size *sizes) {
  const size_t n = dcs_crossover_sizes(&s->found->measured, c, s->row);
  bool differ = false;
  for (size_t i = 0; i < n; i++) {
    const dcs_run_row *a = s->row[i].best[0], *b = s->row[i].best[1];
    differ |= a != b;
    sizes[i] = (dcs_threshold_size){
        .x = s->row[i].x, .times = {a->times, b->times}, .n = {a->n_times, b->n_times}};
    take_rivals(s, c, s->row[i].at, &sizes[i]);
  }
  return differ ? n : 0;
}

static dcs_status add(search *s, const dcs_crossover *c) {
  dcs_crossovers *found = s->found;
  DCS_TRY(dcs_grow(&found->list, found->n, sizeof *c, "thresholds"));
  found->list[found->n++] = *c;
  return DCS_OK;
}

/* ---- along a dimension ---- */

static dcs_status add_row(search *s, dcs_crossover c) {
  size_t n = take_sizes(s, &c, s->sizes);
  if (n > s->most) s->most = n;
  if (n < DCS_CROSSOVER_SIZES) return DCS_OK;
  DCS_TRY(dcs_threshold_find(s->sizes, n, &c.threshold));
  return add(s, &c);
}

/* Whether a size before its `like` is in the row, too. */
static bool is_repeated(const dcs_measured *m, const dcs_crossover *c) {
  for (const dcs_measured_size *size = m->sizes; size < c->like; size++)
    if (dcs_crossover_covers(c, size)) return true;
  return false;
}

static dcs_status find_along(search *s, dcs_crossover c) {
  const dcs_measured *m = &s->found->measured;
  if (is_repeated(m, &c)) return DCS_OK;
  for (size_t p = 0; p < m->n_pairs; p++) {
    c.pair = &m->pairs[p];
    DCS_TRY(add_row(s, c));
  }
  return DCS_OK;
}

/* Of systems that the size is the first one of. */
static dcs_status find_system(search *s, const dcs_measured_size *like) {
  if (!dcs_has_density(like->size.kind)) return DCS_OK;
  const dcs_shape shape = dcs_shape_of(dcs_size_points(&like->size), DCS_SHAPE_MULTIPLES);
  return find_along(s, (dcs_crossover){.system = true, .like = like, .shape = shape});
}

/* ---- in the plane: of dimension 0 and the grid, dimension 1 ---- */

static int by_points(const void *left, const void *right) {
  double a = dcs_along(&(*(const dcs_measured_size *const *)left)->size, 1);
  double b = dcs_along(&(*(const dcs_measured_size *const *)right)->size, 1);
  return (a > b) - (a < b);
}

/* A size of each grid of the shape, ascending in points; returns how many. */
static size_t take_grids(search *s, const dcs_crossover *c) {
  const dcs_measured *m = &s->found->measured;
  size_t n = 0;
  for (size_t i = 0; i < m->n_sizes; i++) {
    dcs_crossover grid = {.plane = true, .like = &m->sizes[i]};
    if (same_shape(c, &grid.like->size) && !is_repeated(m, &grid)) s->likes[n++] = grid.like;
  }
  qsort(s->likes, n, sizeof(const dcs_measured_size *), by_points);
  return n;
}

static dcs_status add_plane(search *s, dcs_crossover c, size_t n_likes) {
  size_t n = 0, used = 0;
  for (size_t g = 0; g < n_likes; g++) {
    c.like = s->likes[g];
    size_t sizes = take_sizes(s, &c, s->sizes + used);
    if (sizes < 2) continue;
    s->grids[n] = (dcs_frontier_grid){dcs_along(&c.like->size, 1), s->sizes + used, sizes};
    s->likes[n++] = c.like;
    used += sizes;
  }
  if (n < 2) return DCS_OK;
  DCS_TRY(dcs_frontier_find(s->grids, n, s->thresholds));
  for (size_t g = 0; g < n; g++) {
    c.like = s->likes[g];
    c.threshold = s->thresholds[g];
    DCS_TRY(add(s, &c));
  }
  return DCS_OK;
}

static dcs_status find_in_plane(search *s, dcs_crossover c) {
  const dcs_measured *m = &s->found->measured;
  for (const dcs_measured_size *size = m->sizes; size < c.like; size++)
    if (same_shape(&c, &size->size)) return DCS_OK;
  for (size_t p = 0; p < m->n_pairs; p++) {
    c.pair = &m->pairs[p];
    DCS_TRY(add_plane(s, c, take_grids(s, &c)));
  }
  return DCS_OK;
}

/* ---- a run ---- */

enum { SYSTEM = DCS_MAX_DIMENSIONS, PLANE, N_DIRECTIONS };

/* The thresholds that a size is the first one of: along a dimension, or in another direction. */
static dcs_status find_of(search *s, const dcs_measured_size *like, int dimension) {
  const dcs_kind *kind = like->size.kind;
  const bool plane = dimension == PLANE;
  if (dimension == SYSTEM) return find_system(s, like);
  dcs_crossover c = {.along = plane ? 0 : dimension, .plane = plane, .like = like};
  if (plane ? kind->n_dimensions < 2 || !is_grid(kind, 1) : dimension >= kind->n_dimensions)
    return DCS_OK;
  if (!plane && !is_grid(kind, dimension)) return find_along(s, c);
  for (int shape = 0; shape < DCS_N_SHAPE_KINDS; shape++) {
    c.shape = dcs_shape_of(dcs_size_points(&like->size), (dcs_shape_kind)shape);
    DCS_TRY(plane ? find_in_plane(s, c) : find_along(s, c));
  }
  return DCS_OK;
}

static dcs_status find_all(search *s) {
  const dcs_measured *m = &s->found->measured;
  const size_t n = m->n_sizes;
  DCS_TRY(dcs_room_take(&s->room, &s->row, n, sizeof *s->row, "sizes"));
  DCS_TRY(dcs_room_take(&s->room, &s->sizes, n, sizeof *s->sizes, "sizes"));
  DCS_TRY(dcs_room_take(&s->room, &s->rivals, 2 * DCS_MOST_RIVALS * n, sizeof *s->rivals, "sizes"));
  DCS_TRY(dcs_room_take(&s->room, &s->grids, n, sizeof *s->grids, "sizes"));
  DCS_TRY(dcs_room_take(&s->room, &s->likes, n, sizeof(const dcs_measured_size *), "sizes"));
  DCS_TRY(dcs_room_take(&s->room, &s->thresholds, n, sizeof *s->thresholds, "sizes"));
  for (int dimension = 0; dimension < N_DIRECTIONS; dimension++)
    for (size_t i = 0; i < n; i++)
      DCS_TRY(find_of(s, &m->sizes[i], dimension));
  return DCS_OK;
}

static dcs_status check_found(const char *folder, const dcs_crossovers *found, size_t most) {
  if (found->n > 0) return DCS_OK;
  if (found->measured.problems[0].kind->made_of)
    return dcs_fail(DCS_INPUT,
                    "%s: its methods have %zu size%s in common at most along an axis (%zu rows are "
                    "not ok); expected two methods of one scope with %d",
                    folder, most, most == 1 ? "" : "s", found->measured.run.n_not_ok,
                    DCS_CROSSOVER_SIZES);
  return dcs_fail(DCS_INPUT,
                  "%s: methods have %zu size%s in common at most along a dimension (%zu rows are "
                  "not ok); expected "
                  "two of: a CPU variant with one thread, CPU variants with all threads, variants "
                  "on a GPU, or the same on two problems, each at 4 numbers of atoms on one grid, "
                  "on 4 grids of one shape, 4 systems of one density, or at 2 numbers of atoms on "
                  "each of 2 grids of one "
                  "shape",
                  folder, most, most == 1 ? "" : "s", found->measured.run.n_not_ok);
}

dcs_status dcs_crossovers_find(const char *folder, const char *reference, dcs_crossovers *found) {
  *found = (dcs_crossovers){0};
  DCS_TRY(dcs_measured_read(folder, reference, &found->measured));
  search s = {.found = found};
  dcs_status status = find_all(&s);
  dcs_room_free(&s.room);
  DCS_TRY(status);
  return check_found(folder, found, s.most);
}

void dcs_crossovers_free(dcs_crossovers *found) {
  dcs_measured_free(&found->measured);
  free(found->list);
  *found = (dcs_crossovers){0};
}
