/* Rate against the coarsening factor: at each factor the best of the same configurations, those
 * that were tried with every factor, so that no factor is helped by a block that others were not
 * given. */
#include "harness/figures/figure.h"

enum { MAX_FACTOR = 16, MAX_PANELS = 2 };

static const char parameter[] = "coarsen"; /* begins its name */

static bool is_coarsened(const dcs_figure_row *row) {
  return row->of->coarsen >= 1 && row->of->coarsen <= MAX_FACTOR;
}

/* The factors that were tried, a bit each. */
static unsigned list_factors(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *row = NULL;
  unsigned factors = 0;
  while ((row = dcs_figure_next(run, pick, row)))
    if (is_coarsened(row)) factors |= 1u << row->of->coarsen;
  return factors;
}

/* Whether the row's configuration was tried with all of the factors, whatever became of it. */
static bool is_shared(const dcs_figure_run *run, const dcs_figure_pick *pick, unsigned factors,
                      const dcs_figure_row *of) {
  const dcs_figure_row *row = NULL;
  while (factors && (row = dcs_figure_next(run, pick, row)))
    if (is_coarsened(row) && dcs_same_config_but(row->of->config, of->of->config, parameter))
      factors &= ~(1u << row->of->coarsen);
  return factors == 0;
}

/* The best of the shared configurations at each factor, NULL where there is none; returns how many
 * configurations these are the best of, 0 with fewer than two factors. */
static int find_best(const dcs_figure_run *run, int size, int variant,
                     const dcs_figure_row *best[MAX_FACTOR + 1]) {
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  const dcs_figure_row *row = NULL;
  int rows[MAX_FACTOR + 1] = {0}, drawn = 0, most = 0;
  pick.variant = variant;
  const unsigned factors = list_factors(run, &pick);
  for (int k = 0; k <= MAX_FACTOR; k++)
    best[k] = NULL;
  while ((row = dcs_figure_next(run, &pick, row))) {
    if (!is_coarsened(row) || !is_shared(run, &pick, factors, row)) continue;
    const int k = row->of->coarsen;
    most = ++rows[k] > most ? rows[k] : most;
    if (row->ok && (!best[k] || row->of->evals_per_s > best[k]->of->evals_per_s)) best[k] = row;
  }
  for (int k = 0; k <= MAX_FACTOR; k++)
    drawn += best[k] != NULL;
  return drawn > 1 ? most : 0;
}

/* Configurations behind the points of a size. */
static int count_size(const dcs_figure_run *run, int size) {
  const dcs_figure_row *best[MAX_FACTOR + 1];
  int n = 0;
  for (int variant = 0; variant < run->n_variants; variant++) {
    const int configs = find_best(run, size, variant, best);
    for (int k = 0; configs > 0 && k <= MAX_FACTOR; k++)
      n += best[k] ? configs : 0;
  }
  return n;
}

static bool same_grid(const dcs_figure_run *run, int a, int b) {
  for (int d = 1; d < run->kind->n_dimensions; d++)
    if (!dcs_same_along(&run->sizes[a].key, &run->sizes[b].key, d)) return false;
  return true;
}

/* The size with most behind it, of equals the larger, and on its grid the one with fewest inputs,
 * where the output weighs most. Returns how many. */
static int choose_sizes(const dcs_figure_run *run, int sizes[MAX_PANELS]) {
  int most = 0, n = 0;
  for (int size = 0; size < run->n_sizes; size++) {
    const int configs = count_size(run, size);
    if (configs == 0 || configs < most ||
        (configs == most && !dcs_figure_is_larger(&run->sizes[size], &run->sizes[sizes[0]])))
      continue;
    sizes[0] = size;
    most = configs;
    n = 1;
  }
  for (int size = 0; n == 1 && size < run->n_sizes; size++)
    if (same_grid(run, size, sizes[0]) && count_size(run, size) > 0 &&
        run->sizes[size].inputs < run->sizes[sizes[0]].inputs)
      sizes[n++] = size;
  return n;
}

/* A series: panel, factor, useful rate, its interval, executed rate. */
static void write_series(FILE *dat, const dcs_figure_run *run, const int *sizes, int n,
                         int variant) {
  const dcs_figure_row *best[MAX_FACTOR + 1];
  bool named = false;
  for (int panel = 0; panel < n; panel++) {
    const int configs = find_best(run, sizes[panel], variant, best);
    for (int k = 1; configs > 0 && k <= MAX_FACTOR; k++) {
      if (!best[k]) continue;
      const dcs_run_row *of = best[k]->of;
      const dcs_figure_value rate = dcs_figure_geps(best[k]);
      const double more = of->padding_overhead > 0 ? of->padding_overhead : 0;
      if (!named)
        dcs_figure_series(dat, "%s%s", run->variants[variant],
                          of->backend == DCS_GPU ? run->gpu_suffix : "");
      named = true;
      fprintf(dat, "%d\t%d\t%.9g\t%.9g\t%.9g\t%.9g\t", panel + 1, k, rate.value, rate.lo, rate.hi,
              rate.value * (1 + more));
      dcs_figure_method_texts(dat, of->variant, of->config, "");
    }
  }
}

/* Block 1: a line a panel. */
static void write_panels(FILE *dat, const dcs_figure_run *run, const int *sizes, int n) {
  dcs_figure_block(dat);
  for (int panel = 0; panel < n; panel++) {
    const dcs_figure_row *best[MAX_FACTOR + 1];
    char axes[DCS_TEXT];
    int most = 0;
    for (int variant = 0; variant < run->n_variants; variant++) {
      const int configs = find_best(run, sizes[panel], variant, best);
      most = configs > most ? configs : most;
    }
    dcs_figure_line(dat, "%s, best of %d", dcs_figure_axes(run, sizes[panel], axes), most);
  }
}

dcs_status dcs_figure_rate_vs_coarsening(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  int sizes[MAX_PANELS];
  const int n = choose_sizes(run, sizes);
  if (n == 0)
    return dcs_figure_skip_exact(
        run, why, "no variant was measured at two or more coarsening factors in one configuration");
  dcs_figure_seen seen = {0};
  for (int panel = 0; panel < n; panel++) {
    dcs_figure_pick pick = dcs_figure_pick_at(sizes[panel], DCS_KERNEL);
    for (pick.coarsen = 1; pick.coarsen <= MAX_FACTOR; pick.coarsen++)
      dcs_figure_see(run, &pick, &seen);
  }
  dcs_figure_titles(
      dat, run, seen,
      "Rate against coarsening factor, kernel time: at each the best of the same configurations");
  write_panels(dat, run, sizes, n);
  for (int variant = 0; variant < run->n_variants; variant++)
    write_series(dat, run, sizes, n, variant);
  return DCS_OK;
}
