/* Sizes of maps within a cutoff that are drawn over the number of atoms: which belong together. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Densities of one family lie within this factor. */
static const double same_density = 1.2;

double dcs_figure_points(const dcs_figure_cell *cell) {
  return (double)cell->n.x * (double)cell->n.y * (double)cell->n.z;
}

double dcs_figure_density(const dcs_figure_cell *cell) {
  return (double)cell->atoms / (dcs_figure_points(cell) * pow(cell->spacing, 3));
}

/* Whether the cell is of the family whose thinnest member is `anchor`. */
static bool belongs(const dcs_figure_cell *cell, const dcs_figure_cell *anchor,
                    dcs_figure_family family) {
  double density = dcs_figure_density(cell), least = dcs_figure_density(anchor);
  if (family == DCS_FIGURE_NOTHING) return true;
  if (family == DCS_FIGURE_DENSITY) return density >= least && density <= same_density * least;
  return cell->n.x == anchor->n.x && cell->n.y == anchor->n.y && cell->n.z == anchor->n.z;
}

/* The cell takes its place by atoms, or that of a smaller grid; cells come in the run's order. */
static void add_size(const dcs_figure_run *run, dcs_figure_sizes *sizes, int cell) {
  int at = sizes->n;
  while (at > 0 && run->cells[sizes->cells[at - 1]].atoms >= run->cells[cell].atoms)
    at--;
  if (at < sizes->n && run->cells[sizes->cells[at]].atoms == run->cells[cell].atoms) {
    sizes->cells[at] = cell;
    return;
  }
  memmove(&sizes->cells[at + 1], &sizes->cells[at], (size_t)(sizes->n - at) * sizeof(int));
  sizes->cells[at] = cell;
  sizes->n++;
}

static void take_family(const dcs_figure_run *run, const bool *mask, int anchor,
                        dcs_figure_sizes *sizes) {
  sizes->n = 0;
  for (int cell = 0; cell < run->n_cells; cell++)
    if (mask[cell] && belongs(&run->cells[cell], &run->cells[anchor], sizes->family))
      add_size(run, sizes, cell);
}

static bool is_enough(const dcs_figure_run *run, const dcs_figure_sizes *sizes) {
  if (sizes->n < 2) return false;
  return sizes->family != DCS_FIGURE_DENSITY ||
         run->cells[sizes->cells[sizes->n - 1]].atoms >= 2 * run->cells[sizes->cells[0]].atoms;
}

static bool is_better(const dcs_figure_run *run, const dcs_figure_sizes *a,
                      const dcs_figure_sizes *b) {
  if (!is_enough(run, a)) return false;
  if (b->n == 0) return true;
  bool common_a = a->family != DCS_FIGURE_NOTHING, common_b = b->family != DCS_FIGURE_NOTHING;
  if (common_a != common_b) return common_a;
  if (a->n != b->n) return a->n > b->n;
  return run->cuts[a->cut].cutoff > run->cuts[b->cut].cutoff;
}

/* Exchanges `trial` for the better of it and `best`. */
static void keep_better(const dcs_figure_run *run, dcs_figure_sizes *trial,
                        dcs_figure_sizes *best) {
  if (!is_better(run, trial, best)) return;
  dcs_figure_sizes old = *best;
  *best = *trial;
  trial->cells = old.cells;
}

dcs_status dcs_figure_choose_sizes(const dcs_figure_run *run,
                                   bool (*drawn)(const dcs_figure_run *run, int cell, int cut),
                                   dcs_figure_family first, dcs_figure_family last,
                                   dcs_figure_sizes *sizes) {
  size_t n = (size_t)run->n_cells + 1;
  bool *mask = calloc(n, sizeof *mask);
  dcs_figure_sizes trial = {.cells = calloc(n, sizeof(int))};
  *sizes = (dcs_figure_sizes){.cells = calloc(n, sizeof(int))};
  dcs_status status = DCS_OK;
  if (!mask || !trial.cells || !sizes->cells)
    status = dcs_fail(DCS_UNAVAILABLE, "not enough memory for the sizes of a figure");
  for (trial.cut = 0; status == DCS_OK && trial.cut < run->n_cuts; trial.cut++) {
    for (int cell = 0; cell < run->n_cells; cell++)
      mask[cell] = drawn(run, cell, trial.cut);
    for (int family = (int)first; family <= (int)last; family++)
      for (int anchor = 0; anchor < run->n_cells; anchor++) {
        if (!mask[anchor]) continue;
        trial.family = (dcs_figure_family)family;
        take_family(run, mask, anchor, &trial);
        keep_better(run, &trial, sizes);
      }
  }
  free(mask);
  free(trial.cells);
  return status;
}

void dcs_figure_sizes_line(FILE *dat, const dcs_figure_run *run, const dcs_figure_sizes *sizes) {
  const dcs_figure_cell *a = &run->cells[sizes->cells[0]];
  const dcs_figure_cell *b = &run->cells[sizes->cells[sizes->n - 1]];
  char from[DCS_TEXT], to[DCS_TEXT], text[4 * DCS_TEXT];
  double lo = dcs_figure_density(a), hi = lo;
  for (int i = 1; i < sizes->n; i++) {
    lo = fmin(lo, dcs_figure_density(&run->cells[sizes->cells[i]]));
    hi = fmax(hi, dcs_figure_density(&run->cells[sizes->cells[i]]));
  }
  dcs_figure_grid(a->n, from);
  dcs_figure_grid(b->n, to);
  if (sizes->family == DCS_FIGURE_GRID)
    snprintf(text, sizeof text, "grid %s", from);
  else if (isnan(lo))
    snprintf(text, sizeof text, "grids %s to %s", from, to);
  else
    snprintf(text, sizeof text, "grids %s to %s, %.2g to %.2g atoms/Å³", from, to, lo, hi);
  dcs_figure_text(dat, text, 1);
  fputc('\n', dat);
}

int dcs_figure_sizes_threads(const dcs_figure_run *run, const dcs_figure_sizes *sizes, bool whole) {
  int most = 1;
  dcs_figure_pick pick = dcs_figure_any;
  pick.backend = DCS_CPU;
  for (int i = 0; i < sizes->n; i++)
    for (int sum = whole ? 0 : 1; sum < 2; sum++) {
      const dcs_figure_row *row = NULL;
      pick.cell = sizes->cells[i];
      pick.cut = sum == 0 ? DCS_FIGURE_WHOLE : sizes->cut;
      while ((row = dcs_figure_next(run, &pick, row)))
        if (row->ok && row->threads > most) most = row->threads;
    }
  return most;
}
