/* The figure of frontiers: the plane of atoms and grid points, a panel for each pair of methods,
 * scope and shape, with a rectangle for each cell. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double x, y, left, right, bottom, top; /* atoms, points, and the rectangle's edges */
  int winner;                            /* 0: a; 1: b; 2: unsure */
} map_cell;

typedef struct {
  const dcs_figure_thresholds *t;
  map_cell *cells; /* room for all rows of winners.csv; by points, then by atoms */
  size_t n;
} map;

static bool same_panel(const dcs_table *thresholds, size_t a, size_t b) {
  static const char *const columns[] = {"scope", "method_a", "method_b", "shape"};
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
    if (strcmp(dcs_figure_entry(thresholds, a, columns[c]),
               dcs_figure_entry(thresholds, b, columns[c])) != 0)
      return false;
  return true;
}

/* Whether a row of the thresholds is of the panel of another. */
static bool in_panel(const dcs_table *thresholds, size_t panel, size_t row) {
  return strcmp(dcs_figure_entry(thresholds, row, "axis"), "plane") == 0 &&
         same_panel(thresholds, panel, row);
}

/* ---- cells ---- */

static bool is_grid_of(const dcs_figure_thresholds *t, size_t panel, const char *grid) {
  for (size_t row = 0; row < dcs_table_rows(t->thresholds); row++)
    if (in_panel(t->thresholds, panel, row) &&
        strcmp(dcs_figure_entry(t->thresholds, row, "fixed"), grid) == 0)
      return true;
  return false;
}

static int by_place(const void *left, const void *right) {
  const map_cell *a = left, *b = right;
  if (a->y != b->y) return (a->y > b->y) - (a->y < b->y);
  return (a->x > b->x) - (a->x < b->x);
}

static void take_cells(map *m, size_t panel) {
  const dcs_table *w = m->t->winners;
  m->n = 0;
  for (size_t row = 0; row < dcs_table_rows(w); row++) {
    bool exchanged;
    char grid[DCS_TEXT];
    snprintf(grid, sizeof grid, "%sx%sx%s", dcs_figure_entry(w, row, "nx"),
             dcs_figure_entry(w, row, "ny"), dcs_figure_entry(w, row, "nz"));
    if (!dcs_figure_same_pair(m->t, panel, row, &exchanged) || !is_grid_of(m->t, panel, grid))
      continue;
    const char *winner = dcs_figure_entry(w, row, "winner");
    map_cell cell = {.x = dcs_figure_number(w, row, "atoms"),
                     .y = dcs_figure_number(w, row, "points"),
                     .winner = 2};
    for (int which = 0; which < 2; which++)
      if (strcmp(winner, dcs_figure_entry(m->t->thresholds, panel,
                                          which == 0 ? "method_a" : "method_b")) == 0)
        cell.winner = which;
    m->cells[m->n++] = cell;
  }
  qsort(m->cells, m->n, sizeof *m->cells, by_place);
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
    map_cell *cell = &m->cells[i];
    double left = 0, right = 0, below = 0, above = 0; /* neighbours; 0: none */
    for (size_t k = 0; k < m->n; k++) {
      const map_cell *other = &m->cells[k];
      if (other->y == cell->y && other->x < cell->x) left = other->x;
      if (other->y == cell->y && other->x > cell->x && right == 0) right = other->x;
      if (other->y < cell->y) below = other->y;
      if (other->y > cell->y && above == 0) above = other->y;
    }
    cell->left = edge_towards(cell->x, left, right);
    cell->right = edge_towards(cell->x, right, left);
    cell->bottom = edge_towards(cell->y, below, above);
    cell->top = edge_towards(cell->y, above, below);
  }
}

/* ---- what is written ---- */

/* A series; one without cells has a point that is not drawn, so that its name stands in the key. */
static void put_cells(FILE *dat, const map *m, int winner, const char *name) {
  bool any = false;
  dcs_figure_series(dat, "%s", name);
  for (size_t i = 0; i < m->n; i++) {
    const map_cell *cell = &m->cells[i];
    if (cell->winner != winner) continue;
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", cell->x, cell->y, cell->left, cell->right,
            cell->bottom, cell->top);
    any = true;
  }
  if (!any) fputs("NaN\tNaN\tNaN\tNaN\tNaN\tNaN\n", dat);
}

/* The points of a grid, from the cells of its row. */
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
    first = fmin(first, m->cells[i].left);
    last = fmax(last, m->cells[i].right);
  }
  dcs_figure_series(dat, "frontier, 95%%");
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    double estimate = dcs_figure_number(t, row, "estimate"), lo = dcs_figure_number(t, row, "lo"),
           hi = dcs_figure_number(t, row, "hi");
    if (!in_panel(t, panel, row) || isnan(estimate)) continue;
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t", estimate, points_of(dcs_figure_entry(t, row, "fixed")),
            isnan(lo) ? first : lo, isnan(hi) ? last : hi);
    dcs_figure_text(dat, dcs_figure_entry(t, row, "status"), 1);
    fputc('\n', dat);
    any = true;
  }
  if (!any) fputs("NaN\tNaN\tNaN\tNaN\t\"\"\n", dat);
}

static dcs_status put_panel(FILE *dat, map *m, size_t panel) {
  const dcs_table *t = m->t->thresholds;
  const char *a = dcs_figure_entry(t, panel, "method_a"),
             *b = dcs_figure_entry(t, panel, "method_b");
  char pair[2 * DCS_TEXT];
  take_cells(m, panel);
  if (m->n == 0)
    return dcs_fail(DCS_INPUT,
                    "%s: row %zu: found none of its sizes in %s; `dcsbench crossover` writes both",
                    dcs_table_path(t), panel + 2, dcs_table_path(m->t->winners));
  find_edges(m);
  dcs_figure_series(dat, "grids %s, scope %s", dcs_figure_entry(t, panel, "shape"),
                    dcs_figure_entry(t, panel, "scope"));
  snprintf(pair, sizeof pair, "%s or %s", a, b);
  dcs_figure_text(dat, pair, 1);
  fputc('\n', dat);
  fprintf(dat, "%d\t%d\n", dcs_figure_colour(a), dcs_figure_colour(b));
  put_cells(dat, m, 0, a);
  put_cells(dat, m, 1, b);
  put_cells(dat, m, 2, "unsure");
  put_frontier(dat, m, panel);
  return DCS_OK;
}

static dcs_status put_panels(const dcs_figure_run *run, const dcs_figure_thresholds *t, FILE *dat) {
  size_t rows[DCS_FIGURE_PANELS], total;
  size_t n = dcs_figure_panels(t->thresholds, "plane", same_panel, rows, &total);
  map m = {.t = t, .cells = malloc((dcs_table_rows(t->winners) + 1) * sizeof *m.cells)};
  if (!m.cells) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
  dcs_figure_threshold_titles(dat, run, n, total, "Who is faster, over atoms and grid points");
  dcs_status status = DCS_OK;
  for (size_t i = 0; status == DCS_OK && i < n; i++)
    status = put_panel(dat, &m, rows[i]);
  free(m.cells);
  return status;
}

dcs_status dcs_figure_crossover_map(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_figure_thresholds t;
  dcs_status status = dcs_figure_thresholds_open(run, "plane", &t, why);
  if (status == DCS_OK && !why[0]) status = put_panels(run, &t, dat);
  dcs_figure_thresholds_close(&t);
  return status;
}
