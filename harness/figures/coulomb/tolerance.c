/* Maps to a tolerance: time against the tolerance at one size, and against the atoms at one
 * density. */
#include "harness/figures/coulomb/cutoff.h"

#include "kernels/coulomb/coulomb.h"

#include <math.h>

static double tolerance_of(const dcs_figure_run *run, int problem) {
  return run->problems[problem].config.value[DCS_COULOMB_TOLERANCE];
}

static dcs_figure_pick pick_of(int problem, int size, int variant, dcs_figure_group group,
                               int threads) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.problem = problem;
  pick.size = size;
  pick.variant = variant;
  pick.scope = DCS_KERNEL;
  dcs_figure_pick_group(&pick, group, threads);
  return pick;
}

/* Begins a series with the name of variant and group. */
static void begin_series(FILE *dat, const dcs_figure_run *run, int variant, dcs_figure_group group,
                         int threads) {
  char name[DCS_TEXT];
  dcs_figure_series(dat, "%s, %s", run->variants[variant],
                    dcs_figure_group_name(run, group, threads, name));
}

/* ---- against the tolerance ---- */

/* Tolerances that a size has a time for. */
static int count_tolerances(const dcs_figure_run *run, int size) {
  int n = 0;
  for (int p = 0; p < run->n_problems; p++) {
    const dcs_figure_pick pick = pick_of(p, size, DCS_FIGURE_ANY, DCS_FIGURE_ONE_THREAD, 1);
    dcs_figure_pick any = pick;
    any.backend = any.threads = DCS_FIGURE_ANY;
    n += tolerance_of(run, p) > 0 && dcs_figure_best(run, &any);
  }
  return n;
}

/* The size with the most, of equals the largest; -1: none has two. */
static int choose_size(const dcs_figure_run *run) {
  int best = -1, most = 2;
  for (int s = 0; s < run->n_sizes; s++) {
    const int n = count_tolerances(run, s);
    if (n < most) continue;
    most = n;
    best = s;
  }
  return best;
}

static void line_of_tolerances(FILE *dat, const dcs_figure_run *run, int size, int variant,
                               dcs_figure_group group, int threads) {
  bool begun = false;
  for (int p = 0; p < run->n_problems; p++) {
    const dcs_figure_pick pick = pick_of(p, size, variant, group, threads);
    const dcs_figure_row *row = tolerance_of(run, p) > 0 ? dcs_figure_best(run, &pick) : NULL;
    if (!row) continue;
    if (!begun) begin_series(dat, run, variant, group, threads);
    begun = true;
    dcs_figure_point(dat, row, tolerance_of(run, p), dcs_figure_ms(row));
  }
}

dcs_status dcs_figure_tolerance_time(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  const int size = choose_size(run);
  char axes[DCS_TEXT];
  if (size < 0) return dcs_figure_skip(why, "no size was measured to two or more tolerances");
  int threads = 1;
  dcs_figure_seen seen = {0};
  for (int p = 0; p < run->n_problems; p++) {
    dcs_figure_pick pick = pick_of(p, size, DCS_FIGURE_ANY, DCS_FIGURE_GPU, 1);
    if (!(tolerance_of(run, p) > 0)) continue;
    pick.backend = DCS_FIGURE_ANY;
    dcs_figure_see(run, &pick, &seen);
    const int most = dcs_figure_most_threads(run, pick);
    if (most > threads) threads = most;
  }
  dcs_figure_titles(dat, run, seen, "Time of one map against the error that is allowed");
  dcs_figure_line(dat, "%s", dcs_figure_axes(run, size, axes));
  for (int v = 0; v < run->n_variants; v++)
    for (int group = threads > 1; group < DCS_FIGURE_GROUPS; group++)
      if (threads > 1 || group != DCS_FIGURE_ALL_THREADS)
        line_of_tolerances(dat, run, size, v, (dcs_figure_group)group, threads);
  return DCS_OK;
}

/* ---- against the atoms ---- */

static bool measured(const dcs_figure_run *run, int size, int problem) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = size;
  pick.problem = problem;
  pick.scope = DCS_KERNEL;
  return tolerance_of(run, problem) > 0 && dcs_figure_best(run, &pick);
}

/* Below so many atoms the steps of a card take their least time, not their share. */
static const double MANY_ATOMS = 1e5;

/* How many times as long the next size of the line takes, by the doubling, where that is most, from
 * MANY_ATOMS on; 0: there are no two sizes. */
static double most_a_doubling(const dcs_figure_run *run, const dcs_sizes *sizes,
                              dcs_figure_pick pick) {
  double most = 0, atoms = 0, ms = 0;
  for (int i = 0; i < sizes->n; i++) {
    pick.size = sizes->list[i];
    const double now = run->sizes[pick.size].inputs;
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row || now < MANY_ATOMS) continue;
    if (atoms > 0) most = fmax(most, pow(dcs_figure_ms(row).value / ms, 1 / log2(now / atoms)));
    atoms = now;
    ms = dcs_figure_ms(row).value;
  }
  return most;
}

static void line_of_atoms(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes, int variant,
                          dcs_figure_group group, int threads) {
  const dcs_figure_pick any = pick_of(sizes->problem, DCS_FIGURE_ANY, variant, group, threads);
  const double doubling = most_a_doubling(run, sizes, any);
  char name[DCS_TEXT], grows[64] = "";
  bool begun = false;
  if (doubling > 0) snprintf(grows, sizeof grows, ", x%.2f a doubling at most", doubling);
  for (int i = 0; i < sizes->n; i++) {
    const int size = sizes->list[i];
    const dcs_figure_pick pick = pick_of(sizes->problem, size, variant, group, threads);
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!begun)
      dcs_figure_series(dat, "%s, %s%s", run->variants[variant],
                        dcs_figure_group_name(run, group, threads, name), grows);
    begun = true;
    dcs_figure_point(dat, row, run->sizes[size].inputs, dcs_figure_ms(row));
  }
}

dcs_status dcs_figure_tolerance_atoms(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_sizes sizes;
  DCS_TRY(dcs_sizes_choose(run, measured, DCS_SIZES_DENSITY, DCS_SIZES_DENSITY, &sizes));
  if (sizes.n == 0)
    return dcs_figure_skip(why, "no two numbers of atoms, one at least twice the other, were "
                                "measured to one tolerance at densities within 20%% of each other");
  const int threads = dcs_sizes_threads(run, &sizes, sizes.problem);
  dcs_figure_seen seen = {0};
  dcs_sizes_see(run, &sizes, sizes.problem, &seen);
  dcs_figure_titles(dat, run, seen, "Time of one map to a tolerance of %g, at one density",
                    tolerance_of(run, sizes.problem));
  dcs_sizes_lines(dat, run, &sizes);
  for (int v = 0; v < run->n_variants; v++)
    for (int group = threads > 1; group < DCS_FIGURE_GROUPS; group++)
      if (threads > 1 || group != DCS_FIGURE_ALL_THREADS)
        line_of_atoms(dat, run, &sizes, v, (dcs_figure_group)group, threads);
  return DCS_OK;
}
