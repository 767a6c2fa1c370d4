/* Sizes of sums within a cutoff that are drawn over the number of atoms: which belong together. */
#include "harness/figures/coulomb/cutoff.h"
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <string.h>

/* Densities of one family lie within this factor. */
static const double same_density = 1.2;

double dcs_cutoff_of(const dcs_figure_run *run, int problem) {
  return run->problems[problem].config.value[DCS_COULOMB_CUTOFF];
}

const char *dcs_switching_name(const dcs_figure_run *run, int problem) {
  const dcs_param *param = &run->kind->params[DCS_COULOMB_SWITCHING];
  return param->labels[(int)run->problems[problem].config.value[DCS_COULOMB_SWITCHING]];
}

char *dcs_cutoff_name(const dcs_figure_run *run, int problem, char text[DCS_TEXT]) {
  snprintf(text, DCS_TEXT, "%.6g Å (switching %s)", dcs_cutoff_of(run, problem),
           dcs_switching_name(run, problem));
  return text;
}

const dcs_figure_row *dcs_cutoff_timed(const dcs_figure_run *run, dcs_figure_pick pick) {
  pick.scope = DCS_KERNEL;
  const dcs_figure_row *kernel = dcs_figure_best(run, &pick);
  pick.scope = DCS_WARM;
  const dcs_figure_row *warm = dcs_figure_best(run, &pick);
  if (!kernel || !warm) return kernel ? kernel : warm;
  return warm->of->evals_per_s > kernel->of->evals_per_s ? warm : kernel;
}

/* Atoms per cubic angstrom of the grid; NaN where the spacing is not known. */
static double density_of(const dcs_figure_size *size) {
  return size->inputs / (dcs_figure_points(size) * pow(size->spacing, 3));
}

/* Whether the size is of the family whose thinnest member is `anchor`. */
static bool belongs(const dcs_figure_size *size, const dcs_figure_size *anchor,
                    dcs_sizes_family family) {
  double density = density_of(size), least = density_of(anchor);
  if (family == DCS_SIZES_NOTHING) return true;
  if (family == DCS_SIZES_DENSITY) return density >= least && density <= same_density * least;
  return dcs_same_along(&size->key, &anchor->key, 1);
}

/* The size takes its place by atoms, or that of a smaller grid; sizes come in the run's order. */
static void add_size(const dcs_figure_run *run, dcs_sizes *sizes, int size) {
  int at = sizes->n;
  while (at > 0 && run->sizes[sizes->list[at - 1]].inputs >= run->sizes[size].inputs)
    at--;
  if (at < sizes->n && run->sizes[sizes->list[at]].inputs == run->sizes[size].inputs) {
    sizes->list[at] = size;
    return;
  }
  memmove(&sizes->list[at + 1], &sizes->list[at], (size_t)(sizes->n - at) * sizeof(int));
  sizes->list[at] = size;
  sizes->n++;
}

static void take_family(const dcs_figure_run *run, const bool *mask, int anchor, dcs_sizes *sizes) {
  sizes->n = 0;
  for (int size = 0; size < run->n_sizes; size++)
    if (mask[size] && belongs(&run->sizes[size], &run->sizes[anchor], sizes->family))
      add_size(run, sizes, size);
}

static bool is_enough(const dcs_figure_run *run, const dcs_sizes *sizes) {
  if (sizes->n < 2) return false;
  return sizes->family != DCS_SIZES_DENSITY ||
         run->sizes[sizes->list[sizes->n - 1]].inputs >= 2 * run->sizes[sizes->list[0]].inputs;
}

static bool is_better(const dcs_figure_run *run, const dcs_sizes *a, const dcs_sizes *b) {
  if (!is_enough(run, a)) return false;
  if (b->n == 0) return true;
  bool common_a = a->family != DCS_SIZES_NOTHING, common_b = b->family != DCS_SIZES_NOTHING;
  if (common_a != common_b) return common_a;
  if (a->n != b->n) return a->n > b->n;
  return dcs_cutoff_of(run, a->problem) > dcs_cutoff_of(run, b->problem);
}

/* Exchanges `trial` for the better of it and `best`. */
static void keep_better(const dcs_figure_run *run, dcs_sizes *trial, dcs_sizes *best) {
  if (!is_better(run, trial, best)) return;
  dcs_sizes old = *best;
  *best = *trial;
  trial->list = old.list;
}

dcs_status dcs_sizes_choose(const dcs_figure_run *run,
                            bool (*drawn)(const dcs_figure_run *run, int size, int problem),
                            dcs_sizes_family first, dcs_sizes_family last, dcs_sizes *sizes) {
  const size_t n = (size_t)run->n_sizes + 1; /* add_size() moves one beyond */
  bool *mask;
  dcs_sizes trial = {.n = 0};
  *sizes = trial;
  DCS_TRY(dcs_room_take(run->figure, &mask, n, sizeof *mask, "sizes"));
  DCS_TRY(dcs_room_take(run->figure, &trial.list, n, sizeof *trial.list, "sizes"));
  DCS_TRY(dcs_room_take(run->figure, &sizes->list, n, sizeof *sizes->list, "sizes"));
  for (trial.problem = 0; trial.problem < run->n_problems; trial.problem++) {
    for (int size = 0; size < run->n_sizes; size++)
      mask[size] = drawn(run, size, trial.problem);
    for (int family = (int)first; family <= (int)last; family++)
      for (int anchor = 0; anchor < run->n_sizes; anchor++) {
        if (!mask[anchor]) continue;
        trial.family = (dcs_sizes_family)family;
        take_family(run, mask, anchor, &trial);
        keep_better(run, &trial, sizes);
      }
  }
  return DCS_OK;
}

void dcs_sizes_error_line(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes) {
  double lo = INFINITY, hi = -INFINITY;
  for (int i = 0; i < sizes->n; i++) {
    dcs_figure_pick pick = dcs_figure_any;
    const dcs_figure_row *row = NULL;
    pick.size = sizes->list[i];
    pick.problem = sizes->problem;
    while ((row = dcs_figure_next(run, &pick, row))) {
      if (!row->ok) continue;
      lo = fmin(lo, row->of->model_error);
      hi = fmax(hi, row->of->model_error);
    }
  }
  if (hi < 0)
    dcs_figure_line(dat, "error against the direct sum: not measured");
  else if (lo == hi)
    dcs_figure_line(dat, "error against the direct sum: %.2g (relative L2)", lo);
  else
    dcs_figure_line(dat, "error against the direct sum: %.2g to %.2g (relative L2)", lo, hi);
}

void dcs_sizes_lines(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes) {
  const dcs_figure_size *a = &run->sizes[sizes->list[0]];
  const dcs_figure_size *b = &run->sizes[sizes->list[sizes->n - 1]];
  char from[64], to[64];
  double lo = density_of(a), hi = lo;
  for (int i = 1; i < sizes->n; i++) {
    lo = fmin(lo, density_of(&run->sizes[sizes->list[i]]));
    hi = fmax(hi, density_of(&run->sizes[sizes->list[i]]));
  }
  dcs_dimension_text(&a->key, 1, from);
  dcs_dimension_text(&b->key, 1, to);
  if (sizes->family == DCS_SIZES_GRID)
    dcs_figure_line(dat, "grid %s", from);
  else if (isnan(lo))
    dcs_figure_line(dat, "grids %s to %s", from, to);
  else
    dcs_figure_line(dat, "grids %s to %s, %.2g to %.2g atoms/Å³", from, to, lo, hi);
  dcs_sizes_error_line(dat, run, sizes);
}

void dcs_sizes_see(const dcs_figure_run *run, const dcs_sizes *sizes, int problem,
                   dcs_figure_seen *seen) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.problem = problem;
  for (int i = 0; i < sizes->n; i++) {
    pick.size = sizes->list[i];
    dcs_figure_see(run, &pick, seen);
  }
}

int dcs_sizes_threads(const dcs_figure_run *run, const dcs_sizes *sizes, int problem) {
  int most = 1;
  dcs_figure_pick pick = dcs_figure_any;
  pick.problem = problem;
  for (int i = 0; i < sizes->n; i++) {
    pick.size = sizes->list[i];
    const int own = dcs_figure_most_threads(run, pick);
    most = own > most ? own : most;
  }
  return most;
}
