/* The roofline (Williams, Waterman and Patterson, CACM 52 (2009) 65): the best configuration of
 * each variant by what it computes for each byte that it moves, below what its machine can do. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dcs_figure_row *row;
  dcs_figure_kind kind;
  double flops_per_byte, gflops;
  double label; /* where its name stands: log10 of GFLOPS */
} point;

typedef struct {
  point *points; /* descending by gflops */
  int n;
  int threads;                   /* of the points with all threads */
  int left_out;                  /* rows without bytes_moved */
  int cell;                      /* the problem that the title names */
  bool elsewhere;                /* some points are of other problems */
  bool has[DCS_FIGURE_KINDS];    /* points of that kind */
  double lo_x, hi_x, lo_y, hi_y; /* of the axes */
} roofline;

static void add_point(roofline *r, const dcs_figure_run *run, int variant, dcs_figure_kind kind) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = r->cell;
  pick.variant = variant;
  pick.scope = DCS_KERNEL;
  pick.backend = kind == DCS_FIGURE_GPU ? DCS_CUDA : DCS_CPU;
  if (kind == DCS_FIGURE_ONE_THREAD) pick.threads = 1;
  if (kind == DCS_FIGURE_ALL_THREADS) pick.threads = r->threads;
  const dcs_figure_row *row = dcs_figure_best_or_elsewhere(run, pick);
  if (!row) return;
  if (!(row->bytes_moved > 0 && row->flops_per_eval > 0)) {
    r->left_out++;
    return;
  }
  double flops = row->flops_per_eval * row->evals_per_s;
  r->points[r->n++] = (point){.row = row,
                              .kind = kind,
                              .flops_per_byte = flops * 1e-9 * row->median_ns / row->bytes_moved,
                              .gflops = 1e-9 * flops};
  r->has[kind] = true;
  r->elsewhere = r->elsewhere || row->cell != r->cell;
}

static int by_gflops(const void *left, const void *right) {
  const point *a = left, *b = right;
  return (a->gflops < b->gflops) - (a->gflops > b->gflops);
}

static double peak_gflops(const dcs_figure_limits *limits) {
  return 2e-9 * limits->fma_per_s;
}

static bool has_roof(const dcs_figure_limits *limits) {
  return limits->fma_per_s > 0 && limits->bytes_per_s > 0;
}

/* Decades of the axes: from a tenth of the leftmost ridge or point, and from below the lowest
 * point, to above all. */
static void set_axes(roofline *r, const dcs_figure_run *run) {
  double lo_x = INFINITY, hi_x = 0, lo_y = INFINITY, hi_y = 0;
  for (int p = 0; p < r->n; p++) {
    lo_x = fmin(lo_x, r->points[p].flops_per_byte);
    hi_x = fmax(hi_x, r->points[p].flops_per_byte);
    lo_y = fmin(lo_y, r->points[p].gflops);
    hi_y = fmax(hi_y, r->points[p].gflops);
  }
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++) {
    const dcs_figure_limits *limits = &run->limits[kind];
    if (!r->has[kind] || !has_roof(limits)) continue;
    lo_x = fmin(lo_x, 2 * limits->fma_per_s / limits->bytes_per_s);
    hi_y = fmax(hi_y, peak_gflops(limits));
  }
  r->lo_x = lo_x / 10;
  r->hi_x = 3 * hi_x;
  r->lo_y = lo_y / 2;
  r->hi_y = 2 * hi_y;
}

/* Spreads the names along the right edge so that none covers another: each at its point's height
 * or, where that is taken, below; what would leave the axis at the bottom moves up again. */
static void place_labels(roofline *r) {
  double bottom = log10(r->lo_y), top = log10(r->hi_y), step = (top - bottom) / fmax(24, r->n + 1);
  for (int p = 0; p < r->n; p++) {
    double at = log10(r->points[p].gflops), below = p ? r->points[p - 1].label - step : top;
    r->points[p].label = fmin(at, below);
  }
  double floor = bottom + step / 2;
  for (int p = r->n - 1; p >= 0 && r->points[p].label < floor; p--, floor += step)
    r->points[p].label = floor;
}

static const char *kind_name(const roofline *r, const dcs_figure_run *run, int kind,
                             char text[DCS_TEXT]) {
  if (kind == DCS_FIGURE_GPU)
    snprintf(text, DCS_TEXT, "GPU%s", run->gpu_suffix);
  else
    snprintf(text, DCS_TEXT, "CPU, %d thread%s", kind == DCS_FIGURE_ONE_THREAD ? 1 : r->threads,
             kind == DCS_FIGURE_ONE_THREAD ? "" : "s");
  return text;
}

/* The kind's fastest point; they descend. */
static const point *fastest(const roofline *r, int kind) {
  for (int p = 0; p < r->n; p++)
    if ((int)r->points[p].kind == kind) return &r->points[p];
  return NULL;
}

/* Three series: the roof, the ceiling of the reciprocal square root, the points. One that is not
 * known is empty. */
static void write_kind(FILE *dat, const dcs_figure_run *run, const roofline *r, int kind) {
  char name[DCS_TEXT];
  const dcs_figure_limits *limits = &run->limits[kind];
  const point *best = fastest(r, kind);
  kind_name(r, run, kind, name);
  dcs_figure_series(dat, "%s: memory %.4g GB/s, FMA %.5g GFLOPS", name, 1e-9 * limits->bytes_per_s,
                    peak_gflops(limits));
  if (best && has_roof(limits)) {
    double ridge = 2 * limits->fma_per_s / limits->bytes_per_s;
    fprintf(dat, "%.9g\t%.9g\n%.9g\t%.9g\n%.9g\t%.9g\n", r->lo_x,
            1e-9 * limits->bytes_per_s * r->lo_x, ridge, peak_gflops(limits), r->hi_x,
            peak_gflops(limits));
  }
  double flops = best ? best->row->flops_per_eval : NAN;
  double ceiling = 1e-9 * limits->evals_per_s * flops;
  dcs_figure_series(dat, "%s: 1/sqrt bound, %.4g·10⁹ evaluations/s of %.3g operations", name,
                    1e-9 * limits->evals_per_s, flops);
  if (ceiling > 0)
    fprintf(dat, "%.9g\t%.9g\n%.9g\t%.9g\n",
            has_roof(limits) ? ceiling / (1e-9 * limits->bytes_per_s) : r->lo_x, ceiling, r->hi_x,
            ceiling);
  dcs_figure_series(dat, "%s", name);
  for (int p = 0; p < r->n; p++) {
    const point *at = &r->points[p];
    if ((int)at->kind != kind) continue;
    dcs_figure_value rate = dcs_figure_geps(at->row);
    double scale = at->row->flops_per_eval;
    dcs_figure_point(dat, run, at->row, at->flops_per_byte,
                     (dcs_figure_value){rate.value * scale, rate.lo * scale, rate.hi * scale});
  }
}

/* Block 1: the ends of the axes. Block 2: each point, where its name stands, and the name. */
static void write_labels(FILE *dat, const dcs_figure_run *run, const roofline *r) {
  dcs_figure_block(dat);
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", r->lo_x, r->hi_x, r->lo_y, r->hi_y);
  dcs_figure_block(dat);
  for (int p = 0; p < r->n; p++) {
    const point *at = &r->points[p];
    char text[2 * DCS_TEXT];
    snprintf(text, sizeof text, at->gflops < 1000 ? "%s%s  %.3g" : "%s%s  %.0f",
             run->variants[at->row->variant], at->row->cell == r->cell ? "" : "*", at->gflops);
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%d\t", at->flops_per_byte, at->gflops, pow(10, at->label),
            (int)at->kind + 1);
    dcs_figure_text(dat, text, 2);
    fputc('\n', dat);
  }
}

/* Lines of the title: whose roofs or places are not known. */
static void write_missing(FILE *dat, const dcs_figure_run *run, const roofline *r) {
  char name[DCS_TEXT], text[2 * DCS_TEXT];
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++) {
    const dcs_figure_limits *limits = &run->limits[kind];
    if (!r->has[kind] || (has_roof(limits) && limits->evals_per_s > 0)) continue;
    snprintf(text, sizeof text, "%s of the %s: its limits are not in env.csv, or not all",
             has_roof(limits) ? "no 1/sqrt bound" : "no roof", kind_name(r, run, kind, name));
    dcs_figure_text(dat, text, 1);
    fputc('\n', dat);
  }
  if (r->elsewhere) fputs("\"* not measured at that size: at its largest other\"\n", dat);
  if (r->left_out > 0)
    fprintf(dat, "\"left out: %d row%s of a run whose summary.csv has no bytes_moved\"\n",
            r->left_out, r->left_out == 1 ? "" : "s");
}

static void write_roofline(FILE *dat, const dcs_figure_run *run, const roofline *r) {
  char grid[DCS_TEXT];
  const dcs_figure_cell *cell = &run->cells[r->cell];
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = r->cell;
  pick.scope = DCS_KERNEL;
  dcs_figure_titles(
      dat, run, dcs_figure_left_out(run, &pick),
      "Roofline: best configuration of each variant, grid %s, %lld atoms, kernel time",
      dcs_figure_grid(cell->n, grid), (long long)cell->atoms);
  write_missing(dat, run, r);
  write_labels(dat, run, r);
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++)
    write_kind(dat, run, r, kind);
}

dcs_status dcs_figure_roofline(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  int cell = dcs_figure_ladder_cell(run);
  bool limits = false;
  if (cell < 0) {
    snprintf(why, DCS_TEXT, "no variant has a verified kernel time");
    return DCS_OK;
  }
  roofline r = {.threads = dcs_figure_most_threads(run, DCS_FIGURE_ANY), .cell = cell};
  r.points = calloc((size_t)run->n_variants * DCS_FIGURE_KINDS, sizeof *r.points);
  if (!r.points)
    return dcs_fail(DCS_UNAVAILABLE, "not enough memory for the points of %d variants",
                    run->n_variants);
  for (int variant = 0; variant < run->n_variants; variant++)
    for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++)
      if (kind != DCS_FIGURE_ALL_THREADS || r.threads > 1)
        add_point(&r, run, variant, (dcs_figure_kind)kind);
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++)
    limits = limits || (r.has[kind] && has_roof(&run->limits[kind]));
  if (r.n == 0)
    snprintf(why, DCS_TEXT, "summary.csv has no bytes_moved: it is of an older version");
  else if (!limits)
    snprintf(why, DCS_TEXT,
             "env.csv has no measured limits (limit_..._fma_per_s and "
             "limit_..._memory_bytes_per_s): measure into a new folder");
  if (!why[0]) {
    qsort(r.points, (size_t)r.n, sizeof *r.points, by_gflops);
    set_axes(&r, run);
    place_labels(&r);
    write_roofline(dat, run, &r);
  }
  free(r.points);
  return DCS_OK;
}
