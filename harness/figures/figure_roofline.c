/* The roofline (Williams, Waterman and Patterson, CACM 52 (2009) 65): the best configuration of
 * each variant by what it computes for each byte that it moves, below what its machine can do; a
 * panel for each of one thread, all threads and the GPU. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dcs_figure_row *row;
  double flops_per_byte, gflops;
  double label; /* where its name stands: log10 of GFLOPS */
} point;

typedef struct {
  dcs_figure_group group;
  const dcs_figure_limits *limits;
  point *points; /* descending by gflops; room for all variants */
  int n;
  const char *other_roof;        /* a variant that was left out for its roof, or NULL */
  double lo_x, hi_x, lo_y, hi_y; /* of the axes */
} panel;

/* Whether it computes on units that the roof is not of. */
static bool has_its_own_roof(const char *name) {
  const dcs_variant *variant = dcs_find_variant(name);
  return variant && variant->limit;
}

static void take_points(panel *p, const dcs_figure_run *run, int size, int threads) {
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  dcs_figure_pick_group(&pick, p->group, threads);
  for (pick.variant = 0; pick.variant < run->n_variants; pick.variant++) {
    const dcs_figure_row *row = dcs_figure_best_or_elsewhere(run, pick);
    if (!row || !(row->of->bytes_moved > 0 && row->of->flops_per_eval > 0)) continue;
    if (has_its_own_roof(run->variants[pick.variant])) {
      p->other_roof = run->variants[pick.variant];
      continue;
    }
    const double gflops = 1e-9 * row->of->flops_per_eval * row->of->evals_per_s;
    p->points[p->n++] = (point){row, gflops * row->of->median_ns / row->of->bytes_moved, gflops, 0};
  }
}

static int by_gflops(const void *left, const void *right) {
  const point *a = left, *b = right;
  return (a->gflops < b->gflops) - (a->gflops > b->gflops);
}

static double peak_gflops(const dcs_figure_limits *limits) {
  return 2e-9 * limits->fma_per_s;
}

static bool has_roof(const panel *p) {
  return p->limits->fma_per_s > 0 && p->limits->bytes_per_s > 0;
}

/* Operations per byte where the roof bends. */
static double ridge_of(const panel *p) {
  return 2 * p->limits->fma_per_s / p->limits->bytes_per_s;
}

/* From a tenth of the ridge or the leftmost point, and from below the lowest point, to above all.
 */
static void set_axes(panel *p) {
  const bool roof = has_roof(p);
  double lo_x = roof ? ridge_of(p) : INFINITY, hi_x = roof ? ridge_of(p) : 0;
  for (int i = 0; i < p->n; i++) {
    lo_x = fmin(lo_x, p->points[i].flops_per_byte);
    hi_x = fmax(hi_x, p->points[i].flops_per_byte);
  }
  p->lo_x = lo_x / 10;
  p->hi_x = 3 * hi_x;
  p->lo_y = p->points[p->n - 1].gflops / 2;
  p->hi_y = 2 * fmax(p->points[0].gflops, roof ? peak_gflops(p->limits) : 0);
}

/* Spreads the names along the right edge so that none covers another: each at its point's height
 * or, where that is taken, below; what would leave the axis at the bottom moves up again. */
static void place_labels(panel *p) {
  const double bottom = log10(p->lo_y), top = log10(p->hi_y);
  const double step = (top - bottom) / fmax(11, p->n + 1);
  for (int i = 0; i < p->n; i++) {
    double at = log10(p->points[i].gflops), below = i ? p->points[i - 1].label - step : top;
    p->points[i].label = fmin(at, below);
  }
  double floor = bottom + step / 2;
  for (int i = p->n - 1; i >= 0 && p->points[i].label < floor; i--, floor += step)
    p->points[i].label = floor;
}

/* The title of the panel and the ends of its axes. */
static void write_head(FILE *dat, const dcs_figure_run *run, const panel *p, int threads) {
  const double flops = p->points[0].row->of->flops_per_eval;
  char name[DCS_TEXT], roof[DCS_TEXT], limit[DCS_TEXT];
  dcs_figure_group_name(run, p->group, threads, name);
  if (has_roof(p))
    snprintf(roof, sizeof roof, "memory %.4g GB/s, FMA %.5g GFLOPS", 1e-9 * p->limits->bytes_per_s,
             peak_gflops(p->limits));
  else
    snprintf(roof, sizeof roof, "no roof, its limits are not in env.csv");
  if (p->limits->evals_per_s > 0)
    snprintf(limit, sizeof limit,
             p->limits->evals_per_s < 1e13 ? "; dashed: %.4g·10⁹ %s/s of %.3g operations"
                                           : "; dashed: %.0f·10⁹ %s/s of %.3g operations",
             1e-9 * p->limits->evals_per_s, run->kind->eval, flops);
  else
    snprintf(limit, sizeof limit, "; no limit of %s in env.csv", run->kind->eval);
  dcs_figure_series(dat, "%s: %s%s", name, roof, limit);
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", p->lo_x, p->hi_x, p->lo_y, p->hi_y);
}

/* Each point, where its name stands, and the name. */
static void write_labels(FILE *dat, const dcs_figure_run *run, const panel *p, int size) {
  dcs_figure_block(dat);
  for (int i = 0; i < p->n; i++) {
    const point *at = &p->points[i];
    char text[2 * DCS_TEXT];
    snprintf(text, sizeof text, at->gflops < 1000 ? "%s%s  %.3g" : "%s%s  %.0f",
             run->variants[at->row->variant], at->row->size == size ? "" : "*", at->gflops);
    fprintf(dat, "%.9g\t%.9g\t%.9g\t", at->flops_per_byte, at->gflops, pow(10, at->label));
    dcs_figure_text(dat, text, 2);
    fputc('\n', dat);
  }
}

/* Three series: the roof, the limit of the kind's rate, the points. One that is not known is empty.
 */
static void write_lines(FILE *dat, const panel *p) {
  const double slope = 1e-9 * p->limits->bytes_per_s, peak = peak_gflops(p->limits);
  const double ceiling = 1e-9 * p->limits->evals_per_s * p->points[0].row->of->flops_per_eval;
  dcs_figure_series(dat, "roof");
  if (has_roof(p))
    fprintf(dat, "%.9g\t%.9g\n%.9g\t%.9g\n%.9g\t%.9g\n", p->lo_x, slope * p->lo_x, ridge_of(p),
            peak, p->hi_x, peak);
  dcs_figure_series(dat, "limit");
  if (ceiling > 0)
    fprintf(dat, "%.9g\t%.9g\n%.9g\t%.9g\n", has_roof(p) ? ceiling / slope : p->lo_x, ceiling,
            p->hi_x, ceiling);
  dcs_figure_series(dat, "points");
  for (int i = 0; i < p->n; i++) {
    const point *at = &p->points[i];
    dcs_figure_point(dat, at->row, at->flops_per_byte,
                     dcs_figure_scaled(dcs_figure_geps(at->row), at->row->of->flops_per_eval));
  }
}

static void write_titles(FILE *dat, const dcs_figure_run *run, const panel *panels, int size) {
  char axes[DCS_TEXT];
  bool elsewhere = false;
  dcs_figure_seen seen = {0};
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  dcs_figure_see(run, &pick, &seen);
  seen.drawn[DCS_CPU] = panels[DCS_FIGURE_ONE_THREAD].n + panels[DCS_FIGURE_ALL_THREADS].n > 0;
  seen.drawn[DCS_GPU] = panels[DCS_FIGURE_GPU].n > 0;
  for (int g = 0; g < DCS_FIGURE_GROUPS; g++)
    for (int i = 0; i < panels[g].n; i++)
      elsewhere = elsewhere || panels[g].points[i].row->size != size;
  dcs_figure_titles(dat, run, seen, "Roofline: best configuration of each variant, %s, kernel time",
                    dcs_figure_axes(run, size, axes));
  if (elsewhere) dcs_figure_line(dat, "* not measured at that size: at its largest other");
  if (panels[DCS_FIGURE_GPU].other_roof)
    dcs_figure_line(dat, "left out: %s, which multiplies on other units than FMA",
                    panels[DCS_FIGURE_GPU].other_roof);
}

static void write_roofline(FILE *dat, const dcs_figure_run *run, panel *panels, int size,
                           int threads) {
  write_titles(dat, run, panels, size);
  for (int g = 0; g < DCS_FIGURE_GROUPS; g++) {
    panel *p = &panels[g];
    if (p->n == 0) continue;
    qsort(p->points, (size_t)p->n, sizeof *p->points, by_gflops);
    set_axes(p);
    place_labels(p);
    write_head(dat, run, p, threads);
    write_labels(dat, run, p, size);
    write_lines(dat, p);
  }
}

dcs_status dcs_figure_roofline(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  const int size = dcs_figure_ladder_size(run, DCS_FIGURE_DIRECT), n = run->n_variants;
  const int threads = dcs_figure_most_threads(run, dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL));
  panel panels[DCS_FIGURE_GROUPS];
  bool any = false, roof = false;
  if (size < 0) return dcs_figure_skip_exact(run, why, "no variant has a verified kernel time");
  point *points;
  DCS_TRY(
      dcs_room_take(run->figure, &points, (size_t)n * DCS_FIGURE_GROUPS, sizeof *points, "points"));
  for (int g = 0; g < DCS_FIGURE_GROUPS; g++) {
    panels[g] =
        (panel){.group = (dcs_figure_group)g, .limits = &run->limits[g], .points = points + g * n};
    if (g != DCS_FIGURE_ALL_THREADS || threads > 1) take_points(&panels[g], run, size, threads);
    any = any || panels[g].n > 0;
    roof = roof || (panels[g].n > 0 && has_roof(&panels[g]));
  }
  if (!any) return dcs_figure_skip(why, "summary.csv has no bytes_moved");
  if (!roof)
    return dcs_figure_skip(why, "env.csv has no measured limits (limit_..._fma_per_s and "
                                "limit_..._memory_bytes_per_s): measure into a new folder");
  write_roofline(dat, run, panels, size, threads);
  return DCS_OK;
}
