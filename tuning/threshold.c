#include "tuning/threshold.h"

#include "harness/base/random.h"
#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 400, TAIL = 10 }; /* 2.5% of them lie beyond each end of the interval */

static const double close_log = 0.05; /* methods are close within 5% */

const char *dcs_threshold_status_name(dcs_threshold_status status) {
  static const char *const names[DCS_N_THRESHOLD_STATUSES] = {
      "ok", "always_a", "always_b", "not_bracketed", "multiple_crossings", "ambiguous"};
  return names[status];
}

/* ---- room ---- */

typedef struct {
  const dcs_threshold_size *sizes;
  size_t n, most; /* sizes; most times of one method at one size */
  double *log_x, *d;
  double *others[2]; /* log_x and d without one size, or d of a resample */
  double *times[2];  /* of one size */
  double *uniform;   /* which rounds a resample takes */
  double *found;     /* of the resamples: log of the threshold */
  int *signs;        /* 1: B is surely faster; -1: A; 0: not sure */
  dcs_isotonic_block *blocks;
  void *room;
} work;

static bool make_room(work *w) {
  for (size_t i = 0; i < w->n; i++)
    for (int m = 0; m < 2; m++)
      if (w->sizes[i].n[m] > w->most) w->most = w->sizes[i].n[m];
  double *next = w->room = malloc((4 * w->n + 3 * w->most + RESAMPLES) * sizeof *next);
  w->signs = malloc(w->n * sizeof *w->signs);
  w->blocks = malloc(w->n * sizeof *w->blocks);
  if (!w->room || !w->signs || !w->blocks) return false;
  double **by_size[] = {&w->log_x, &w->d, &w->others[0], &w->others[1]};
  double **by_time[] = {&w->times[0], &w->times[1], &w->uniform};
  for (size_t i = 0; i < sizeof by_size / sizeof by_size[0]; i++, next += w->n)
    *by_size[i] = next;
  for (size_t i = 0; i < sizeof by_time / sizeof by_time[0]; i++, next += w->most)
    *by_time[i] = next;
  w->found = next;
  return true;
}

static void free_room(work *w) {
  free(w->room);
  free(w->signs);
  free(w->blocks);
}

/* ---- each size ---- */

static void judge_sizes(work *w) {
  for (size_t i = 0; i < w->n; i++) {
    const dcs_threshold_size *size = &w->sizes[i];
    double median[2];
    for (int m = 0; m < 2; m++) {
      memcpy(w->times[m], size->times[m], size->n[m] * sizeof(double));
      median[m] = dcs_summarize(w->times[m], size->n[m]).median; /* sorts */
    }
    dcs_ratio ratio = dcs_ratio_of_times(w->times[0], size->n[0], w->times[1], size->n[1]);
    w->log_x[i] = log(size->x);
    w->d[i] = log(median[0]) - log(median[1]);
    w->signs[i] = (ratio.hi < 1) - (ratio.lo > 1);
  }
}

/* How often the sure signs change, the size `without` left out; *last becomes the last of them, 0
 * where there is none. */
static int count_changes(const work *w, size_t without, int *last) {
  int changes = 0;
  *last = 0;
  for (size_t i = 0; i < w->n; i++) {
    if (i == without || w->signs[i] == 0) continue;
    changes += *last != 0 && w->signs[i] != *last;
    *last = w->signs[i];
  }
  return changes;
}

static dcs_threshold_rule find_rule(const work *w, bool monotone, const double *log_x,
                                    const double *d, size_t n) {
  return monotone ? dcs_threshold_by_fit(log_x, d, n, w->blocks)
                  : dcs_threshold_by_loss(log_x, d, n);
}

/* ---- the interval ---- */

/* Of n times, those of the rounds drawn. */
static double resampled_median(work *w, const double *times, size_t n) {
  for (size_t k = 0; k < n; k++)
    w->times[0][k] = times[(size_t)(w->uniform[k] * (double)n)];
  return dcs_summarize(w->times[0], n).median;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Log of the threshold as a rule that takes `below` at small sizes: "always the same" is said with
 * the other infinity there. */
static double as_taking(int below, dcs_threshold_rule rule) {
  return rule.below == below || isfinite(rule.log_x) ? rule.log_x : -rule.log_x;
}

static double resampled_threshold(work *w, bool monotone, int below) {
  for (size_t i = 0; i < w->n; i++)
    w->others[1][i] = log(resampled_median(w, w->sizes[i].times[0], w->sizes[i].n[0])) -
                      log(resampled_median(w, w->sizes[i].times[1], w->sizes[i].n[1]));
  return as_taking(below, find_rule(w, monotone, w->log_x, w->others[1], w->n));
}

static double finite_size(double log_x) {
  return isfinite(log_x) ? exp(log_x) : NAN;
}

static void find_interval(work *w, bool monotone, dcs_threshold *threshold) {
  dcs_random random = {1};
  for (int r = 0; r < RESAMPLES; r++) {
    for (size_t k = 0; k < w->most; k++)
      w->uniform[k] = dcs_random_unit(&random);
    w->found[r] = resampled_threshold(w, monotone, threshold->below);
  }
  qsort(w->found, RESAMPLES, sizeof *w->found, ascending);
  threshold->lo = finite_size(w->found[TAIL - 1]);
  threshold->hi = finite_size(w->found[RESAMPLES - TAIL]);
}

/* ---- the rest ---- */

/* Whether the rule is right within 5% at each size, by the medians. */
static bool fits_all(const work *w, dcs_threshold_rule rule) {
  for (size_t i = 0; i < w->n; i++)
    if (dcs_threshold_loss(rule, w->log_x[i], w->d[i]) > close_log) return false;
  return true;
}

static void find_regret(work *w, dcs_threshold *threshold) {
  double total = 0, worst = 0;
  for (size_t held = 0; held < w->n; held++) {
    size_t n = 0;
    int last;
    for (size_t i = 0; i < w->n; i++) {
      if (i == held) continue;
      w->others[0][n] = w->log_x[i];
      w->others[1][n++] = w->d[i];
    }
    bool monotone = count_changes(w, held, &last) <= 1;
    dcs_threshold_rule rule = find_rule(w, monotone, w->others[0], w->others[1], n);
    double loss = dcs_threshold_loss(rule, w->log_x[held], w->d[held]);
    total += loss;
    worst = fmax(worst, loss);
  }
  threshold->regret_mean = total / (double)w->n;
  threshold->regret_worst = worst;
}

static bool comes_close(const work *w) {
  double largest = 0;
  for (size_t i = 0; i < w->n; i++)
    largest = fmax(largest, fabs(w->d[i]));
  for (int end = 0; end < 2; end++) {
    size_t i = end == 0 ? 0 : w->n - 1;
    double distance = fabs(w->d[i]);
    if (w->signs[i] == 0 || (distance < close_log && distance < 0.5 * largest)) return true;
  }
  return false;
}

static void judge(work *w, dcs_threshold *t) {
  int last, changes = count_changes(w, w->n, &last);
  find_regret(w, t);
  if (last == 0 || (changes == 0 && comes_close(w))) {
    t->status = last == 0 ? DCS_THRESHOLD_AMBIGUOUS : DCS_THRESHOLD_NOT_BRACKETED;
    return;
  }
  if (changes == 0) {
    t->status = last < 0 ? DCS_THRESHOLD_ALWAYS_A : DCS_THRESHOLD_ALWAYS_B;
    return;
  }
  bool monotone = changes == 1;
  dcs_threshold_rule rule = find_rule(w, monotone, w->log_x, w->d, w->n);
  if (isfinite(rule.log_x)) {
    t->below = rule.below;
    t->estimate = exp(rule.log_x);
    find_interval(w, monotone, t);
  }
  if (!monotone)
    t->status = DCS_THRESHOLD_MULTIPLE;
  else if (t->hi <= 4 * t->lo && fits_all(w, rule))
    t->status = DCS_THRESHOLD_OK;
  else
    t->status = DCS_THRESHOLD_AMBIGUOUS;
}

dcs_status dcs_threshold_find(const dcs_threshold_size *sizes, size_t n, dcs_threshold *threshold) {
  work w = {.sizes = sizes, .n = n};
  *threshold = (dcs_threshold){
      .sizes = n, .estimate = NAN, .lo = NAN, .hi = NAN, .regret_mean = NAN, .regret_worst = NAN};
  if (n < 2)
    return dcs_fail(DCS_INPUT, "found %zu size%s; a threshold needs two at least", n,
                    n == 1 ? "" : "s");
  bool room = make_room(&w);
  if (room) {
    judge_sizes(&w);
    judge(&w, threshold);
  }
  free_room(&w);
  return room ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for a threshold over %zu sizes", n);
}
