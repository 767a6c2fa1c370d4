/* Speed-up and efficiency of each point, and Amdahl's law over all of them. */
#include "tuning/scale/scale.h"

#include "harness/base/random.h"
#include "harness/judge/paired.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RUNS = 4096 };

/* ---- points ---- */

static int walls_of(const dcs_scale *s, int point, double walls[MOST_RUNS]) {
  int n = 0;
  for (int r = 0; r < s->n_runs && n < MOST_RUNS; r++)
    if (s->runs[r].point == point) walls[n++] = s->runs[r].wall_s;
  return n;
}

static dcs_stats stats_of(const dcs_scale *s, int point) {
  double walls[MOST_RUNS];
  return dcs_summarize(walls, (size_t)walls_of(s, point, walls));
}

/* Work in a second, where a worker of weak scaling has one unit and strong scaling is one in all.
 */
static double rate(const dcs_scale *s, int point) {
  const dcs_scale_point *p = &s->points[point];
  return (p->weak ? p->workers : 1) / stats_of(s, point).median;
}

static int fewest_workers(const dcs_scale *s, bool weak) {
  int best = -1;
  for (int i = 0; i < s->n_points; i++)
    if (s->points[i].weak == weak && (best < 0 || s->points[i].workers < s->points[best].workers))
      best = i;
  return best;
}

static double share_of_communication(const dcs_scale *s, int point) {
  double communicating = 0, all = 0;
  for (int r = 0; r < s->n_runs; r++) {
    if (s->runs[r].point != point) continue;
    communicating += s->runs[r].communicating_s;
    all += s->runs[r].wall_s * s->points[point].ranks;
  }
  return communicating / all;
}

dcs_scale_row dcs_scale_row_of(const dcs_scale *s, int point) {
  const dcs_stats stats = stats_of(s, point);
  const int base = fewest_workers(s, s->points[point].weak);
  dcs_scale_row row = {.runs = (int)stats.n,
                       .wall_s = stats.median,
                       .lo_s = stats.lo,
                       .hi_s = stats.hi,
                       .communication_share = share_of_communication(s, point)};
  row.speed_up = s->points[base].workers * rate(s, point) / rate(s, base);
  row.efficiency = row.speed_up / s->points[point].workers;
  return row;
}

/* Seconds of the point's job in that round; NaN: it was not run. */
static double wall_in_round(const dcs_scale *s, int point, int round) {
  for (int r = 0; r < s->n_runs; r++)
    if (s->runs[r].point == point && s->runs[r].round == round) return s->runs[r].wall_s;
  return NAN;
}

dcs_ratio dcs_scale_ratio(const dcs_scale *s, int a, int b) {
  double over[MOST_RUNS], under[MOST_RUNS], room[DCS_PAIRED_ROOM * MOST_RUNS], p;
  int rounds[MOST_RUNS];
  size_t n = 0;
  for (int r = 0; r < s->n_runs && n < MOST_RUNS; r++) {
    const double other = wall_in_round(s, b, s->runs[r].round);
    if (s->runs[r].point != a || isnan(other)) continue;
    rounds[n] = s->runs[r].round;
    over[n] = s->runs[r].wall_s;
    under[n++] = other;
  }
  return dcs_ratio_of_pairs(under, over, rounds, n, room, &p);
}

/* ---- Amdahl ---- */

/* A run that counts: 1 / workers, and its time. */
typedef struct {
  double x, t;
} sample;

static int samples_of(const dcs_scale *s, int point, sample *list) {
  int n = 0;
  if (s->points[point].weak || s->points[point].crowded) return 0;
  for (int r = 0; r < s->n_runs; r++)
    if (s->runs[r].point == point)
      list[n++] = (sample){1.0 / s->points[point].workers, s->runs[r].wall_s};
  return n;
}

/* The straight line t = a + b x; false where all x are the same. */
static bool fit_line(const sample *list, int n, double *a, double *b) {
  double x = 0, t = 0, xx = 0, xt = 0;
  for (int i = 0; i < n; i++) {
    x += list[i].x / n;
    t += list[i].t / n;
  }
  for (int i = 0; i < n; i++) {
    xx += (list[i].x - x) * (list[i].x - x);
    xt += (list[i].x - x) * (list[i].t - t);
  }
  if (!(xx > 1e-12)) return false;
  *b = xt / xx;
  *a = t - *b * x;
  return true;
}

/* Where more workers save more than all of their time, noise or caches, nothing is serial. */
static double share(double a, double b) {
  return fmin(fmax(a / (a + b), 0), 1);
}

typedef struct {
  sample *all, *drawn; /* samples of a point are behind each other */
  int *begins, n, n_points;
} samples;

/* As many of each point, with replacement. */
static void draw(const samples *s, dcs_random *random) {
  for (int p = 0; p < s->n_points; p++) {
    const int from = s->begins[p], n = s->begins[p + 1] - from;
    for (int i = 0; i < n; i++)
      s->drawn[from + i] = s->all[from + dcs_random_below(random, n)];
  }
}

static void bootstrap(const samples *s, dcs_scale_fit *fit) {
  enum { DRAWS = 1000 };
  double shares[DRAWS], a = 0, b = 0;
  dcs_random random = {1};
  for (int d = 0; d < DRAWS; d++) {
    draw(s, &random);
    fit_line(s->drawn, s->n, &a, &b);
    shares[d] = share(a, b);
  }
  dcs_sort_values(shares, DRAWS);
  fit->lo = shares[DRAWS * 25 / 1000];
  fit->hi = shares[DRAWS * 975 / 1000 - 1];
}

static void fit_samples(const dcs_scale *s, samples *all, dcs_scale_fit *fit) {
  for (int p = 0; p < s->n_points; p++) {
    all->begins[p] = all->n;
    all->n += samples_of(s, p, all->all + all->n);
  }
  all->begins[s->n_points] = all->n;
  fit->known = all->n > 0 && fit_line(all->all, all->n, &fit->serial_s, &fit->parallel_s);
  if (!fit->known) return;
  fit->share = share(fit->serial_s, fit->parallel_s);
  bootstrap(all, fit);
}

/* Of rank 0, before and after the parts. */
static void take_stages(const dcs_scale *s, dcs_scale_fit *fit) {
  double preparing[MOST_RUNS], writing[MOST_RUNS];
  size_t n = 0;
  for (int r = 0; r < s->n_runs && n < MOST_RUNS; r++) {
    const dcs_scale_point *p = &s->points[s->runs[r].point];
    if (p->weak || p->crowded) continue;
    preparing[n] = s->runs[r].preparing_s;
    writing[n++] = s->runs[r].writing_s;
  }
  fit->preparing_s = dcs_summarize(preparing, n).median;
  fit->writing_s = dcs_summarize(writing, n).median;
}

dcs_scale_fit dcs_scale_amdahl(const dcs_scale *s) {
  dcs_scale_fit fit = {0};
  samples all = {.all = calloc((size_t)s->n_runs + 1, sizeof *all.all),
                 .drawn = calloc((size_t)s->n_runs + 1, sizeof *all.drawn),
                 .begins = calloc((size_t)s->n_points + 1, sizeof *all.begins),
                 .n_points = s->n_points};
  if (all.all && all.drawn && all.begins) fit_samples(s, &all, &fit);
  free(all.all);
  free(all.drawn);
  free(all.begins);
  take_stages(s, &fit);
  return fit;
}
