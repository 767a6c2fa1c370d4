/* Figures over the atoms and over the coarsening factor, on one grid. */
#include "harness/figures/figure.h"

/* ---- time against atoms ---- */

/* The cells of one grid, which lie together: first <= cell < end. */
typedef struct {
  int first, end;
} cell_range;

typedef struct {
  bool both; /* CPU and GPU were measured at two or more atom counts each */
  int counts;
  double points;
} grid_merit;

static bool same_grid(dcs_dims a, dcs_dims b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool measured(const dcs_figure_run *run, int cell, dcs_backend backend) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = cell;
  pick.backend = (int)backend;
  return dcs_figure_best(run, &pick) != NULL;
}

static grid_merit merit_of(const dcs_figure_run *run, cell_range grid) {
  int cpu_counts = 0, gpu_counts = 0, counts = 0;
  for (int cell = grid.first; cell < grid.end; cell++) {
    bool cpu = measured(run, cell, DCS_CPU), gpu = measured(run, cell, DCS_CUDA);
    cpu_counts += cpu;
    gpu_counts += gpu;
    counts += cpu || gpu;
  }
  dcs_dims n = run->cells[grid.first].n;
  return (grid_merit){cpu_counts >= 2 && gpu_counts >= 2, counts,
                      (double)n.x * (double)n.y * (double)n.z};
}

static bool is_better(grid_merit a, grid_merit b) {
  if (a.both != b.both) return a.both;
  if (a.counts != b.counts) return a.counts > b.counts;
  return a.points > b.points;
}

/* The grid to draw; false where none has two atom counts. */
static bool choose_grid(const dcs_figure_run *run, cell_range *best) {
  grid_merit best_merit = {false, 1, 0};
  cell_range grid = {0, 0};
  bool found = false;
  for (; grid.first < run->n_cells; grid.first = grid.end) {
    while (grid.end < run->n_cells && same_grid(run->cells[grid.end].n, run->cells[grid.first].n))
      grid.end++;
    grid_merit merit = merit_of(run, grid);
    if (merit.counts < 2 || !is_better(merit, best_merit)) continue;
    best_merit = merit;
    *best = grid;
    found = true;
  }
  return found;
}

/* The best matching time at each atom count; nothing where there is none. */
static void time_series(FILE *dat, const dcs_figure_run *run, cell_range grid, dcs_figure_pick pick,
                        const char *name) {
  bool named = false;
  for (pick.cell = grid.first; pick.cell < grid.end; pick.cell++) {
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named) dcs_figure_series(dat, "%s", name);
    named = true;
    dcs_figure_point(dat, run, row, (double)run->cells[pick.cell].atoms, dcs_figure_ms(row));
  }
}

/* The largest number of CPU threads measured on the grid. */
static int most_threads(const dcs_figure_run *run, cell_range grid) {
  int most = 0;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (row->ok && row->backend == DCS_CPU && row->cell >= grid.first && row->cell < grid.end &&
        row->threads > most)
      most = row->threads;
  }
  return most;
}

static void cpu_time_series(FILE *dat, const dcs_figure_run *run, cell_range grid) {
  char name[2 * DCS_TEXT];
  dcs_figure_pick pick = dcs_figure_any;
  pick.backend = DCS_CPU;
  pick.scope = DCS_KERNEL;
  pick.threads = 1;
  dcs_figure_pick sequential = pick;
  sequential.variant = 0; /* the ladder begins with the CPU's textbook code */
  snprintf(name, sizeof name, "CPU sequential: %s", run->n_variants ? run->variants[0] : "");
  time_series(dat, run, grid, sequential, name);
  time_series(dat, run, grid, pick, "CPU best, 1 thread");
  pick.threads = most_threads(run, grid);
  if (pick.threads <= 1) return;
  snprintf(name, sizeof name, "CPU best, %d threads", pick.threads);
  time_series(dat, run, grid, pick, name);
}

static void gpu_time_series(FILE *dat, const dcs_figure_run *run, cell_range grid) {
  static const dcs_scope scopes[] = {DCS_FIRST, DCS_WARM, DCS_KERNEL};
  for (size_t s = 0; s < sizeof scopes / sizeof scopes[0]; s++) {
    char name[DCS_TEXT];
    dcs_figure_pick pick = dcs_figure_any;
    pick.backend = DCS_CUDA;
    pick.scope = (int)scopes[s];
    snprintf(name, sizeof name, "GPU best, %s%s", dcs_scope_name(scopes[s]), run->gpu_suffix);
    time_series(dat, run, grid, pick, name);
  }
}

dcs_status dcs_figure_time_vs_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  cell_range grid;
  if (!choose_grid(run, &grid)) {
    snprintf(why, DCS_TEXT, "no grid was measured at two or more numbers of atoms");
    return DCS_OK;
  }
  int left_out = 0;
  dcs_figure_pick pick = dcs_figure_any;
  for (pick.cell = grid.first; pick.cell < grid.end; pick.cell++)
    left_out += dcs_figure_left_out(run, &pick);
  char text[DCS_TEXT];
  dcs_figure_titles(dat, run, left_out, "Time of one map against atoms, grid %s",
                    dcs_figure_grid(run->cells[grid.first].n, text));
  cpu_time_series(dat, run, grid);
  gpu_time_series(dat, run, grid);
  return DCS_OK;
}

/* ---- rate against coarsening factor ---- */

enum { MAX_FACTOR = 16 };

/* Rows of the variant in the cell, or 0 where they have fewer than two coarsening factors. */
static int coarsened_rows(const dcs_figure_run *run, int cell, int variant) {
  unsigned factors = 0;
  int rows = 0;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (!row->ok || row->cell != cell || row->variant != variant || row->scope != DCS_KERNEL ||
        row->coarsen < 1 || row->coarsen > MAX_FACTOR)
      continue;
    factors |= 1u << row->coarsen;
    rows++;
  }
  bool several = (factors & (factors - 1)) != 0;
  return several ? rows : 0;
}

static double cell_evals(const dcs_figure_cell *cell) {
  return (double)cell->atoms * (double)cell->n.x * (double)cell->n.y * (double)cell->n.z;
}

/* The cell with the most coarsened rows, the larger of equals; -1 where there is none. */
static int choose_coarsened_cell(const dcs_figure_run *run) {
  int best = -1, best_rows = 0;
  for (int cell = 0; cell < run->n_cells; cell++) {
    int rows = 0;
    for (int variant = 0; variant < run->n_variants; variant++)
      rows += coarsened_rows(run, cell, variant);
    bool better =
        rows > best_rows || (rows > 0 && rows == best_rows &&
                             cell_evals(&run->cells[cell]) > cell_evals(&run->cells[best]));
    if (!better) continue;
    best = cell;
    best_rows = rows;
  }
  return best;
}

static int coarsened_left_out(const dcs_figure_run *run, int cell) {
  dcs_figure_pick pick = dcs_figure_any;
  int n = 0;
  pick.cell = cell;
  pick.scope = DCS_KERNEL;
  for (pick.coarsen = 1; pick.coarsen <= MAX_FACTOR; pick.coarsen++)
    n += dcs_figure_left_out(run, &pick);
  return n;
}

static void coarsening_series(FILE *dat, const dcs_figure_run *run, int cell, int variant) {
  dcs_figure_pick pick = dcs_figure_any;
  bool named = false;
  pick.cell = cell;
  pick.variant = variant;
  pick.scope = DCS_KERNEL;
  for (pick.coarsen = 1; pick.coarsen <= MAX_FACTOR; pick.coarsen++) {
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named)
      dcs_figure_series(dat, "%s%s", run->variants[variant],
                        row->backend == DCS_CUDA ? run->gpu_suffix : "");
    named = true;
    dcs_figure_point(dat, run, row, pick.coarsen, dcs_figure_geps(row));
  }
}

dcs_status dcs_figure_rate_vs_coarsening(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  int cell = choose_coarsened_cell(run);
  if (cell < 0) {
    snprintf(why, DCS_TEXT, "no variant was measured at two or more coarsening factors");
    return DCS_OK;
  }
  char text[DCS_TEXT];
  dcs_figure_titles(dat, run, coarsened_left_out(run, cell),
                    "Rate against coarsening factor, grid %s, %lld atoms, kernel time",
                    dcs_figure_grid(run->cells[cell].n, text), (long long)run->cells[cell].atoms);
  for (int variant = 0; variant < run->n_variants; variant++)
    if (coarsened_rows(run, cell, variant) > 0) coarsening_series(dat, run, cell, variant);
  return DCS_OK;
}
