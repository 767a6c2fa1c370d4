/* The figure of frontiers: the plane of atoms and grid points, a panel for each pair of methods,
 * scope and shape, with a rectangle for each size. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double x, y, left, right, bottom, top; /* atoms, points, and the rectangle's edges */
  int winner;                            /* 0: a; 1: b; 2: unsure */
} rectangle;

typedef struct {
  const dcs_figure_thresholds *t;
  const dcs_figure_panels *panels;
  rectangle *rectangles; /* room for all rows of winners.csv; by points, then by atoms */
  size_t n;
  double error; /* of a problem that approximates another; NaN: there is none */
} map;

enum { FEWEST_GRIDS = 5 };

static bool same_panel(const dcs_table *thresholds, size_t a, size_t b) {
  static const char *const columns[] = {"scope",    "method_a",         "problem_config_a",
                                        "method_b", "problem_config_b", "shape"};
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
    if (strcmp(dcs_table_text(thresholds, a, columns[c]),
               dcs_table_text(thresholds, b, columns[c])) != 0)
      return false;
  return true;
}

/* Whether a row of the thresholds is of the panel of another. */
static bool in_panel(const dcs_figure_thresholds *t, size_t panel, size_t row) {
  return dcs_figure_on_axis(t, row) && same_panel(t->thresholds, panel, row);
}

/* Whether the panel has grids enough: a threshold each. */
static bool has_grids(void *with, size_t panel) {
  const dcs_figure_thresholds *t = with;
  int n = 0;
  for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++)
    n += in_panel(t, panel, row);
  return n >= FEWEST_GRIDS;
}

/* ---- rectangles ---- */

static bool is_grid_of(const dcs_figure_thresholds *t, size_t panel, const dcs_size *size) {
  char grid[64];
  dcs_dimension_text(size, 1, grid);
  for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++)
    if (in_panel(t, panel, row) && strcmp(dcs_table_text(t->thresholds, row, "fixed"), grid) == 0)
      return true;
  return false;
}

static int by_place(const void *left, const void *right) {
  const rectangle *a = left, *b = right;
  if (a->y != b->y) return (a->y > b->y) - (a->y < b->y);
  return (a->x > b->x) - (a->x < b->x);
}

static void take_rectangles(map *m, size_t panel) {
  const dcs_table *w = m->t->winners;
  m->n = 0;
  m->error = NAN;
  for (size_t row = 0; row < dcs_table_rows(w); row++) {
    bool exchanged;
    dcs_size size;
    if (!dcs_figure_winner(m->t, panel, row, &size, &exchanged) || !is_grid_of(m->t, panel, &size))
      continue;
    const char *winner = dcs_table_text(w, row, "winner");
    rectangle at = {.x = dcs_along(&size, 0), .y = dcs_along(&size, 1), .winner = 2};
    if (strcmp(winner, "unsure") != 0) at.winner = (winner[0] == 'b') != exchanged;
    m->rectangles[m->n++] = at;
    m->error = fmax(m->error, dcs_figure_model_error(m->t, panel, &size));
  }
  qsort(m->rectangles, m->n, sizeof *m->rectangles, by_place);
}

/* ---- rectangles ---- */

/* Halfway, on a logarithmic axis, to a neighbour; where there is none on that side, as far as on
 * the other. */
static double edge_towards(double own, double neighbour, double opposite) {
  if (neighbour > 0) return sqrt(own * neighbour);
  return opposite > 0 ? own * sqrt(own / opposite) : own;
}

static void find_edges(map *m) {
  for (size_t i = 0; i < m->n; i++) {
    rectangle *at = &m->rectangles[i];
    double left = 0, right = 0, below = 0, above = 0; /* neighbours; 0: none */
    for (size_t k = 0; k < m->n; k++) {
      const rectangle *other = &m->rectangles[k];
      if (other->y == at->y && other->x < at->x) left = other->x;
      if (other->y == at->y && other->x > at->x && right == 0) right = other->x;
      if (other->y < at->y) below = other->y;
      if (other->y > at->y && above == 0) above = other->y;
    }
    at->left = edge_towards(at->x, left, right);
    at->right = edge_towards(at->x, right, left);
    at->bottom = edge_towards(at->y, below, above);
    at->top = edge_towards(at->y, above, below);
  }
}

/* ---- what is written ---- */

/* A series; one without rectangles has a point that is not drawn, so that its name stands in the
 * key. */
static void put_rectangles(FILE *dat, const map *m, int winner, const char *name) {
  bool any = false;
  dcs_figure_series(dat, "%s", name);
  for (size_t i = 0; i < m->n; i++) {
    const rectangle *at = &m->rectangles[i];
    if (at->winner != winner) continue;
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", at->x, at->y, at->left, at->right,
            at->bottom, at->top);
    any = true;
  }
  if (!any) fputs("NaN\tNaN\tNaN\tNaN\tNaN\tNaN\n", dat);
}

/* The points of a grid, from the rectangles of its row. */
static double points_of(const char *grid) {
  double n[3] = {0};
  if (sscanf(grid, "%lfx%lfx%lf", &n[0], &n[1], &n[2]) != 3) return NAN;
  return n[0] * n[1] * n[2];
}

static void put_frontier(FILE *dat, const map *m, size_t panel) {
  const dcs_table *t = m->t->thresholds;
  double first = INFINITY, last = 0;
  bool any = false;
  for (size_t i = 0; i < m->n; i++) {
    first = fmin(first, m->rectangles[i].left);
    last = fmax(last, m->rectangles[i].right);
  }
  dcs_figure_series(dat, "frontier, 95%%");
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    double estimate = dcs_figure_number(t, row, "estimate"), lo = dcs_figure_number(t, row, "lo"),
           hi = dcs_figure_number(t, row, "hi");
    if (!in_panel(m->t, panel, row) || isnan(estimate)) continue;
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", estimate, points_of(dcs_table_text(t, row, "fixed")),
            isnan(lo) ? first : lo, isnan(hi) ? last : hi);
    dcs_figure_line(dat, "%s", dcs_table_text(t, row, "status"));
    any = true;
  }
  if (!any) fputs("NaN\tNaN\tNaN\tNaN\t\"\"\n", dat);
}

static dcs_status put_panel(FILE *dat, map *m, size_t panel) {
  const dcs_table *t = m->t->thresholds;
  char a[DCS_TEXT], b[DCS_TEXT];
  dcs_figure_method(m->t, panel, false, a);
  dcs_figure_method(m->t, panel, true, b);
  take_rectangles(m, panel);
  if (m->n == 0) return dcs_figure_no_winner(m->t, panel);
  find_edges(m);
  const char *problem = dcs_figure_problem(m->t, panel);
  dcs_figure_series(dat, "%s%sgrids %s, scope %s", problem, *problem ? ", " : "",
                    dcs_table_text(t, panel, "shape"), dcs_table_text(t, panel, "scope"));
  if (isnan(m->error))
    dcs_figure_line(dat, "%s or %s", a, b);
  else
    dcs_figure_line(dat, "%s or %s; error %.2g", a, b, m->error);
  fprintf(dat, "%d\t%d\n", dcs_figure_colour(m->t, m->panels, panel, false),
          dcs_figure_colour(m->t, m->panels, panel, true));
  put_rectangles(dat, m, 0, a);
  put_rectangles(dat, m, 1, b);
  put_rectangles(dat, m, 2, "unsure");
  put_frontier(dat, m, panel);
  return DCS_OK;
}

static dcs_status put_panels(dcs_figure_thresholds *t, FILE *dat, char why[DCS_TEXT]) {
  const dcs_figure_panels panels = dcs_figure_choose_panels(t, same_panel, has_grids, t);
  map m = {.t = t, .panels = &panels};
  if (panels.n == 0)
    return dcs_figure_skip(why, "no pair of methods was measured on %d grids of one shape",
                           FEWEST_GRIDS);
  DCS_TRY(dcs_room_take(t->run->figure, &m.rectangles, dcs_table_rows(t->winners),
                        sizeof *m.rectangles, "sizes"));
  dcs_figure_threshold_titles(dat, t, &panels, "Who is faster");
  for (size_t i = 0; i < panels.n; i++)
    DCS_TRY(put_panel(dat, &m, panels.rows[i]));
  return DCS_OK;
}

dcs_status dcs_figure_crossover_map(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_figure_thresholds t;
  dcs_status status = dcs_figure_thresholds_open(run, "plane", &t, why);
  if (status == DCS_OK && !why[0]) status = put_panels(&t, dat, why);
  dcs_figure_thresholds_close(&t);
  return status;
}
