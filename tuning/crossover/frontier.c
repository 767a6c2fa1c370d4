#include "tuning/crossover/threshold.h"

#include "harness/base/random.h"

#include <math.h>

/* A row of sizes to fit: all those of a grid, or all but one, or a resample. */
typedef struct {
  const double *log_x, *d;
  size_t n; /* below 2: the grid does not count */
} line;

typedef struct {
  dcs_room room;
  size_t n, most, rounds;  /* grids; most sizes of a grid; most times of a method at a size */
  dcs_threshold_row *rows; /* a grid each */
  line *lines, *resampled; /* the sizes of each grid; the same of a resample */
  double *log_points;
  double *own;       /* log of each grid's threshold by itself; may be infinite */
  double *bent;      /* of those that count: log of the frontier, finite */
  double *places;    /* of those that count: log of the points */
  double *others[2]; /* log_x and d without one size */
  double *uniform;   /* which rounds a resample takes */
  double **samples;  /* d of a resample, grid by grid */
  double *found;     /* frontier of all resamples, grid by grid */
  dcs_isotonic_block *blocks;
  int below;
} plane;

/* ---- room ---- */

static dcs_status take_numbers(plane *p, double **list, size_t n) {
  return dcs_room_take(&p->room, list, n, sizeof **list, "numbers");
}

static dcs_status open_grid(plane *p, const dcs_frontier_grid *grid, size_t g) {
  dcs_threshold_row *row = &p->rows[g];
  DCS_TRY(dcs_threshold_row_open(&p->room, grid->sizes, grid->n, row));
  DCS_TRY(take_numbers(p, &p->samples[g], grid->n));
  if (grid->n > p->most) p->most = grid->n;
  if (row->most > p->rounds) p->rounds = row->most;
  p->log_points[g] = log(grid->points);
  p->lines[g] = (line){row->log_x, row->d, grid->n};
  p->resampled[g] = (line){row->log_x, p->samples[g], grid->n};
  return DCS_OK;
}

static dcs_status open_plane(plane *p, const dcs_frontier_grid *grids, size_t n) {
  double **const by_grid[] = {&p->log_points, &p->own, &p->bent, &p->places};
  p->n = n;
  DCS_TRY(dcs_room_take(&p->room, &p->rows, n, sizeof *p->rows, "grids"));
  DCS_TRY(dcs_room_take(&p->room, &p->lines, n, sizeof *p->lines, "grids"));
  DCS_TRY(dcs_room_take(&p->room, &p->resampled, n, sizeof *p->resampled, "grids"));
  DCS_TRY(dcs_room_take(&p->room, &p->samples, n, sizeof *p->samples, "grids"));
  for (size_t i = 0; i < sizeof by_grid / sizeof by_grid[0]; i++)
    DCS_TRY(take_numbers(p, by_grid[i], n));
  for (size_t g = 0; g < n; g++)
    DCS_TRY(open_grid(p, &grids[g], g));
  for (int i = 0; i < 2; i++)
    DCS_TRY(take_numbers(p, &p->others[i], p->most));
  DCS_TRY(take_numbers(p, &p->uniform, p->rounds));
  DCS_TRY(take_numbers(p, &p->found, n * DCS_THRESHOLD_RESAMPLES));
  return dcs_room_take(&p->room, &p->blocks, p->most > n ? p->most : n, sizeof *p->blocks, "grids");
}

/* ---- the frontier ---- */

/* Puts p->own of the grids that count; returns the sum of squares of all fits. */
static double fit_grids(plane *p, const line *lines, int below) {
  double total = 0, error;
  for (size_t g = 0; g < p->n; g++) {
    if (lines[g].n < 2) continue;
    p->own[g] =
        dcs_threshold_zero(lines[g].log_x, lines[g].d, lines[g].n, below, p->blocks, &error);
    total += error;
  }
  return total;
}

/* What a threshold says of the frontier: itself; beyond the last size, that it is not below that
 * size nor below the thresholds of larger grids; before the first, likewise. */
static size_t place_grids(plane *p, const line *lines) {
  double least = INFINITY, most = -INFINITY;
  size_t n = 0, at;
  for (size_t g = 0; g < p->n; g++) {
    if (lines[g].n < 2) continue;
    double own = p->own[g];
    if (own == -INFINITY) own = fmin(lines[g].log_x[0], least);
    if (own < least) least = own;
    p->places[n] = p->log_points[g];
    p->bent[n++] = own;
  }
  at = n;
  for (size_t g = p->n; g-- > 0;) {
    if (lines[g].n < 2) continue;
    at--;
    if (p->bent[at] == INFINITY) p->bent[at] = fmax(lines[g].log_x[lines[g].n - 1], most);
    if (p->bent[at] > most) most = p->bent[at];
  }
  return n;
}

/* Finds the frontier of the lines into p->bent, at p->places; returns its number of grids. */
static size_t find_frontier(plane *p, const line *lines) {
  (void)fit_grids(p, lines, p->below);
  size_t n = place_grids(p, lines);
  size_t n_blocks = dcs_isotonic_fit(p->places, p->bent, -1, n, p->blocks);
  for (size_t b = 0, at = 0; b < n_blocks; b++)
    for (size_t i = 0; i < p->blocks[b].n; i++)
      p->bent[at++] = -p->blocks[b].value;
  return n;
}

/* The frontier on a grid when all grids count: infinite where the grid's own threshold is, and
 * pooling has not brought it among the sizes. */
static double on_grid(const plane *p, const line *lines, size_t g) {
  const double first = lines[g].log_x[0], last = lines[g].log_x[lines[g].n - 1], rounding = 1e-9;
  if (p->own[g] == INFINITY && p->bent[g] >= last - rounding) return INFINITY;
  if (p->own[g] == -INFINITY && p->bent[g] <= first + rounding) return -INFINITY;
  return p->bent[g];
}

/* Linear between the grids, constant beyond them. */
static double between_grids(const plane *p, size_t n, double log_points) {
  size_t next = 0;
  while (next < n && p->places[next] < log_points)
    next++;
  if (next == 0) return p->bent[0];
  if (next == n) return p->bent[n - 1];
  double part = (log_points - p->places[next - 1]) / (p->places[next] - p->places[next - 1]);
  return p->bent[next - 1] + part * (p->bent[next] - p->bent[next - 1]);
}

/* The frontier on a grid whose own threshold lies beyond its sizes: there, between the neighbours'
 * where both have one. Leaves the frontier of all but that grid in p->bent. */
static double beyond_sizes(plane *p, line *lines, size_t g, double own) {
  const line whole = lines[g];
  if (g == 0 || g + 1 == p->n || !isfinite(on_grid(p, lines, g - 1)) ||
      !isfinite(on_grid(p, lines, g + 1)))
    return own;
  lines[g].n = 0;
  double between = between_grids(p, find_frontier(p, lines), p->log_points[g]);
  lines[g] = whole;
  return own > 0 ? fmax(between, whole.log_x[whole.n - 1]) : fmin(between, whole.log_x[0]);
}

/* ---- intervals, regret, statuses ---- */

/* The direction that fits better over all grids. */
static int find_direction(plane *p, const line *lines) {
  return fit_grids(p, lines, 1) < fit_grids(p, lines, 0);
}

static void resample(plane *p) {
  dcs_random random = {1};
  for (int r = 0; r < DCS_THRESHOLD_RESAMPLES; r++) {
    for (size_t k = 0; k < p->rounds; k++)
      p->uniform[k] = dcs_random_unit(&random);
    for (size_t g = 0; g < p->n; g++)
      dcs_threshold_resample(&p->rows[g], p->uniform, p->samples[g]);
    (void)find_frontier(p, p->resampled);
    for (size_t g = 0; g < p->n; g++)
      p->found[g * DCS_THRESHOLD_RESAMPLES + (size_t)r] = on_grid(p, p->resampled, g);
  }
}

/* The loss at a size of a grid, held out. */
static double held_out_loss(plane *p, size_t g, size_t held) {
  const line whole = p->lines[g];
  size_t n = 0;
  for (size_t i = 0; i < whole.n; i++) {
    if (i == held) continue;
    p->others[0][n] = whole.log_x[i];
    p->others[1][n++] = whole.d[i];
  }
  p->lines[g] = (line){p->others[0], p->others[1], n};
  p->below = find_direction(p, p->lines);
  size_t counted = find_frontier(p, p->lines);
  double log_threshold =
      counted == p->n ? on_grid(p, p->lines, g) : between_grids(p, counted, p->log_points[g]);
  if (!isfinite(log_threshold)) log_threshold = beyond_sizes(p, p->lines, g, log_threshold);
  p->lines[g] = whole;
  return dcs_threshold_loss((dcs_threshold_rule){log_threshold, p->below}, whole.log_x[held],
                            whole.d[held]);
}

static void find_regret(plane *p, size_t g, dcs_threshold *t) {
  double total = 0, worst = 0;
  for (size_t held = 0; held < p->lines[g].n; held++) {
    double loss = held_out_loss(p, g, held);
    total += loss;
    worst = fmax(worst, loss);
  }
  t->regret_mean = total / (double)p->lines[g].n;
  t->regret_worst = worst;
}

static void judge(plane *p, size_t g, double log_threshold, dcs_threshold *t) {
  const dcs_threshold_row *row = &p->rows[g];
  int last, changes = dcs_threshold_changes(row, row->n, &last);
  bool fits = dcs_threshold_fits(row, (dcs_threshold_rule){log_threshold, p->below}, changes == 0);
  t->below = p->below;
  if (changes == 0 && (fits || last == 0)) {
    t->status = dcs_threshold_one_method(row, last);
    return;
  }
  if (isfinite(log_threshold)) {
    t->estimate = exp(log_threshold);
    dcs_threshold_interval(p->found + g * DCS_THRESHOLD_RESAMPLES, t);
  }
  if (changes > 1)
    t->status = DCS_THRESHOLD_MULTIPLE;
  else if (changes == 1 && fits && t->hi <= 4 * t->lo)
    t->status = DCS_THRESHOLD_OK;
  else
    t->status = DCS_THRESHOLD_AMBIGUOUS;
}

static void find(plane *p, dcs_threshold *thresholds) {
  for (size_t g = 0; g < p->n; g++)
    find_regret(p, g, &thresholds[g]);
  p->below = find_direction(p, p->lines);
  resample(p);
  (void)find_frontier(p, p->lines);
  for (size_t g = 0; g < p->n; g++) {
    judge(p, g, on_grid(p, p->lines, g), &thresholds[g]);
    thresholds[g].status = dcs_threshold_after_regret(&thresholds[g]);
  }
}

dcs_status dcs_frontier_find(const dcs_frontier_grid *grids, size_t n, dcs_threshold *thresholds) {
  plane p = {0};
  for (size_t g = 0; g < n; g++)
    thresholds[g] = dcs_threshold_none(grids[g].n);
  if (n < 2)
    return dcs_fail(DCS_INPUT, "found %zu grid%s; a frontier needs two at least", n,
                    n == 1 ? "" : "s");
  dcs_status status = open_plane(&p, grids, n);
  if (status == DCS_OK) find(&p, thresholds);
  dcs_room_free(&p.room);
  return status;
}
