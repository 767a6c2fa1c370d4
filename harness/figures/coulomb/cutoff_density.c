/* Sums within a cutoff over the number of atoms, at a fixed density. */
#include "harness/figures/coulomb/cutoff.h"

static bool measured_within(const dcs_figure_run *run, int size, int problem) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = size;
  pick.problem = problem;
  return dcs_cutoff_of(run, problem) > 0 && dcs_cutoff_timed(run, pick) != NULL;
}

/* A line of time per grid point; nothing where there is no time. */
static void density_series(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes,
                           dcs_figure_pick pick, const char *name) {
  bool named = false;
  for (int i = 0; i < sizes->n; i++) {
    pick.size = sizes->list[i];
    const dcs_figure_size *size = &run->sizes[pick.size];
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named) dcs_figure_series(dat, "%s, %s", run->variants[pick.variant], name);
    named = true;
    dcs_figure_point(dat, row, size->inputs,
                     dcs_figure_scaled(dcs_figure_ms(row), 1e6 / dcs_figure_points(size)));
  }
}

static void density_variant(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes,
                            int variant, int threads) {
  char name[DCS_TEXT];
  dcs_figure_pick pick = dcs_figure_any;
  pick.problem = sizes->problem;
  pick.variant = variant;
  pick.backend = DCS_CPU;
  pick.scope = DCS_KERNEL;
  for (int all = 0; all <= (threads > 1); all++) {
    pick.threads = all ? threads : 1;
    snprintf(name, sizeof name, "%d thread%s", pick.threads, all ? "s" : "");
    density_series(dat, run, sizes, pick, name);
  }
  pick.threads = DCS_FIGURE_ANY;
  pick.backend = DCS_GPU;
  for (int s = 0; s < 2; s++) {
    const dcs_scope scope = s ? DCS_WARM : DCS_KERNEL;
    pick.scope = (int)scope;
    snprintf(name, sizeof name, "%s%s", dcs_scope_name(scope), run->gpu_suffix);
    density_series(dat, run, sizes, pick, name);
  }
}

dcs_status dcs_figure_cutoff_density(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_sizes sizes;
  char cut[DCS_TEXT];
  DCS_TRY(dcs_sizes_choose(run, measured_within, DCS_SIZES_DENSITY, DCS_SIZES_DENSITY, &sizes));
  if (sizes.n == 0)
    return dcs_figure_skip(why,
                           "no two numbers of atoms, one at least twice the other, were "
                           "measured within one cutoff at densities within 20%% of each other");
  const int threads = dcs_sizes_threads(run, &sizes, sizes.problem);
  dcs_figure_seen seen = {0};
  dcs_sizes_see(run, &sizes, sizes.problem, &seen);
  dcs_figure_titles(dat, run, seen,
                    "Time per grid point within %s at one density: flat in a box much wider "
                    "than that",
                    dcs_cutoff_name(run, sizes.problem, cut));
  dcs_sizes_lines(dat, run, &sizes);
  for (int variant = 0; variant < run->n_variants; variant++)
    density_variant(dat, run, &sizes, variant, threads);
  return DCS_OK;
}
