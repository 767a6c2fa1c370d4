/* Time against the kind's first dimension (atoms), on one grid. */
#include "harness/base/grow.h"
#include "harness/figures/figure.h"

#include <string.h>

/* The sizes of one grid, which lie together: first <= size < end. */
typedef struct {
  int first, end;
} size_range;

/* Whether sizes differ in the first dimension alone. */
static bool same_grid(const dcs_figure_size *a, const dcs_figure_size *b) {
  for (int d = 1; d < a->key.kind->n_dimensions; d++)
    if (!dcs_same_along(&a->key, &b->key, d)) return false;
  return true;
}

static bool measured(const dcs_figure_run *run, int size, dcs_backend backend) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = size;
  pick.backend = (int)backend;
  return dcs_figure_best(run, &pick) != NULL;
}

/* Numbers of inputs that were measured on the grid; those of which CPU and GPU have two or more
 * each come first. */
static int merit_of(const dcs_figure_run *run, size_range grid) {
  int cpu_counts = 0, gpu_counts = 0, counts = 0;
  for (int size = grid.first; size < grid.end; size++) {
    bool cpu = measured(run, size, DCS_CPU), gpu = measured(run, size, DCS_GPU);
    cpu_counts += cpu;
    gpu_counts += gpu;
    counts += cpu || gpu;
  }
  return counts + (cpu_counts >= 2 && gpu_counts >= 2 ? run->n_sizes : 0);
}

/* The grid to draw, of equals the last, which is the largest; false where none has two inputs. */
static bool choose_grid(const dcs_figure_run *run, size_range *best) {
  size_range grid = {0, 0};
  int most = 2;
  bool found = false;
  for (; grid.first < run->n_sizes; grid.first = grid.end) {
    while (grid.end < run->n_sizes && same_grid(&run->sizes[grid.end], &run->sizes[grid.first]))
      grid.end++;
    const int merit = merit_of(run, grid);
    if (merit < most) continue;
    most = merit;
    *best = grid;
    found = true;
  }
  return found;
}

/* Whether a variant that is the best at another size was not tried at this one: what is the best
 * here says little then. */
static bool lacks_variant(const dcs_figure_run *run, size_range grid, dcs_figure_pick pick) {
  const int size = pick.size, variant = pick.variant;
  for (int other = grid.first; other < grid.end; other++) {
    pick.size = other;
    pick.variant = variant;
    const dcs_figure_row *best = dcs_figure_best(run, &pick);
    if (!best) continue;
    pick.size = size;
    pick.variant = best->variant;
    if (!dcs_figure_next(run, &pick, NULL)) return true;
  }
  return false;
}

/* The best matching time at each atom count; nothing where there is none. */
static void time_series(FILE *dat, const dcs_figure_run *run, size_range grid, dcs_figure_pick pick,
                        const char *name) {
  bool named = false;
  for (pick.size = grid.first; pick.size < grid.end; pick.size++) {
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row || lacks_variant(run, grid, pick)) continue;
    if (!named) dcs_figure_series(dat, "%s", name);
    named = true;
    dcs_figure_point(dat, row, run->sizes[pick.size].inputs, dcs_figure_ms(row));
  }
}

/* The variant that is the textbook's sequential code, or -1. */
static int find_sequential(const dcs_figure_run *run) {
  const dcs_variant *book = dcs_find_book(DCS_BOOK_SEQUENTIAL);
  for (int v = 0; book && v < run->n_variants; v++)
    if (strcmp(run->variants[v], book->id) == 0) return v;
  return -1;
}

static void cpu_time_series(FILE *dat, const dcs_figure_run *run, size_range grid) {
  char name[2 * DCS_TEXT];
  dcs_figure_pick pick = dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL), one;
  int most = 1;
  for (one = dcs_figure_any, one.size = grid.first; one.size < grid.end; one.size++) {
    int own = dcs_figure_most_threads(run, one);
    most = own > most ? own : most;
  }
  dcs_figure_pick_group(&pick, DCS_FIGURE_ONE_THREAD, most);
  one = pick;
  one.variant = find_sequential(run);
  if (one.variant >= 0) {
    snprintf(name, sizeof name, "CPU sequential: %s", run->variants[one.variant]);
    time_series(dat, run, grid, one, name);
  }
  time_series(dat, run, grid, pick, "CPU best, 1 thread");
  if (most == 1) return;
  dcs_figure_pick_group(&pick, DCS_FIGURE_ALL_THREADS, most);
  snprintf(name, sizeof name, "CPU best, %d threads", most);
  time_series(dat, run, grid, pick, name);
}

static void gpu_time_series(FILE *dat, const dcs_figure_run *run, size_range grid) {
  static const dcs_scope scopes[] = {DCS_FIRST, DCS_WARM, DCS_KERNEL};
  for (size_t s = 0; s < sizeof scopes / sizeof scopes[0]; s++) {
    char name[DCS_TEXT];
    dcs_figure_pick pick = dcs_figure_pick_at(DCS_FIGURE_ANY, scopes[s]);
    pick.backend = DCS_GPU;
    snprintf(name, sizeof name, "GPU best, %s%s", dcs_scope_name(scopes[s]), run->gpu_suffix);
    time_series(dat, run, grid, pick, name);
  }
}

/* ", grid 100x100x1": what all sizes share; returns text. */
static char *grid_text(const dcs_figure_run *run, size_range grid, char text[DCS_TEXT]) {
  text[0] = '\0';
  for (int d = 1; d < run->kind->n_dimensions; d++) {
    char value[64];
    dcs_append(text, DCS_TEXT, ", %s %s", run->kind->dimensions[d].name,
               dcs_dimension_text(&run->sizes[grid.first].key, d, value));
  }
  return text;
}

dcs_status dcs_figure_time_vs_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  size_range grid;
  if (!choose_grid(run, &grid))
    return dcs_figure_skip_exact(run, why, "no grid was measured at two or more numbers of %s",
                                 run->kind->dimensions[0].values);
  dcs_figure_seen seen = {0};
  dcs_figure_pick pick = dcs_figure_any;
  for (pick.size = grid.first; pick.size < grid.end; pick.size++)
    dcs_figure_see(run, &pick, &seen);
  char where[DCS_TEXT];
  dcs_figure_titles(dat, run, seen, "Time against %s%s", run->kind->dimensions[0].values,
                    grid_text(run, grid, where));
  cpu_time_series(dat, run, grid);
  gpu_time_series(dat, run, grid);
  return DCS_OK;
}
