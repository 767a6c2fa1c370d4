#include "tuning/crossover/threshold.h"

#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <string.h>

static const double close_log = 0.05; /* methods are close within 5% */

dcs_threshold dcs_threshold_none(size_t n) {
  return (dcs_threshold){
      .sizes = n, .estimate = NAN, .lo = NAN, .hi = NAN, .regret_mean = NAN, .regret_worst = NAN};
}

/* ---- each size ---- */

static void judge_sizes(dcs_threshold_row *row) {
  for (size_t i = 0; i < row->n; i++) {
    const dcs_threshold_size *size = &row->sizes[i];
    dcs_stats stats[2];
    for (int m = 0; m < 2; m++)
      stats[m] = dcs_summarize_series(size->times[m], size->n[m], row->times[m]); /* sorted there */
    dcs_ratio ratio = dcs_ratio_of_series(row->times[0], size->n[0], stats[0].inflation,
                                          row->times[1], size->n[1], stats[1].inflation);
    row->log_x[i] = log(size->x);
    row->d[i] = log(stats[0].median) - log(stats[1].median);
    row->signs[i] = (ratio.hi < 1) - (ratio.lo > 1);
  }
}

dcs_status dcs_threshold_row_open(dcs_room *room, const dcs_threshold_size *sizes, size_t n,
                                  dcs_threshold_row *row) {
  *row = (dcs_threshold_row){.sizes = sizes, .n = n};
  if (n < 2)
    return dcs_fail(DCS_INPUT, "found %zu size%s; a threshold needs two at least", n,
                    n == 1 ? "" : "s");
  for (size_t i = 0; i < n; i++)
    for (int m = 0; m < 2; m++) {
      if (sizes[i].n[m] > row->most) row->most = sizes[i].n[m];
      for (size_t r = 0; r < sizes[i].n_rivals[m]; r++)
        if (sizes[i].rivals[m][r].n > row->most) row->most = sizes[i].rivals[m][r].n;
    }
  DCS_TRY(dcs_room_take(room, &row->log_x, n, sizeof *row->log_x, "sizes"));
  DCS_TRY(dcs_room_take(room, &row->d, n, sizeof *row->d, "sizes"));
  DCS_TRY(dcs_room_take(room, &row->signs, n, sizeof *row->signs, "sizes"));
  for (int m = 0; m < 2; m++)
    DCS_TRY(dcs_room_take(room, &row->times[m], row->most, sizeof *row->times[m], "times"));
  judge_sizes(row);
  return DCS_OK;
}

int dcs_threshold_changes(const dcs_threshold_row *row, size_t without, int *last) {
  int changes = 0;
  *last = 0;
  for (size_t i = 0; i < row->n; i++) {
    if (i == without || row->signs[i] == 0) continue;
    changes += *last != 0 && row->signs[i] != *last;
    *last = row->signs[i];
  }
  return changes;
}

/* ---- resamples ---- */

static double resampled_median(const dcs_threshold_row *row, const double *uniform,
                               const double *times, size_t n) {
  for (size_t k = 0; k < n; k++)
    row->times[0][k] = times[(size_t)(uniform[k] * (double)n)];
  return dcs_median_of(row->times[0], n);
}

/* Of the method and its rivals. */
static double least_median(const dcs_threshold_row *row, const double *uniform,
                           const dcs_threshold_size *size, int m) {
  double least = resampled_median(row, uniform, size->times[m], size->n[m]);
  for (size_t r = 0; r < size->n_rivals[m]; r++)
    least =
        fmin(least, resampled_median(row, uniform, size->rivals[m][r].times, size->rivals[m][r].n));
  return least;
}

void dcs_threshold_resample(const dcs_threshold_row *row, const double *uniform, double *d) {
  for (size_t i = 0; i < row->n; i++) {
    d[i] = log(least_median(row, uniform, &row->sizes[i], 0)) -
           log(least_median(row, uniform, &row->sizes[i], 1));
  }
}

static double finite_size(double log_x) {
  return isfinite(log_x) ? exp(log_x) : NAN;
}

void dcs_threshold_interval(double logs[DCS_THRESHOLD_RESAMPLES], dcs_threshold *threshold) {
  dcs_sort_values(logs, DCS_THRESHOLD_RESAMPLES);
  threshold->lo = finite_size(logs[DCS_THRESHOLD_TAIL - 1]);
  threshold->hi = finite_size(logs[DCS_THRESHOLD_RESAMPLES - DCS_THRESHOLD_TAIL]);
}

/* ---- statuses ---- */

bool dcs_threshold_fits(const dcs_threshold_row *row, dcs_threshold_rule rule, bool sure_only) {
  for (size_t i = 0; i < row->n; i++)
    if ((row->signs[i] != 0 || !sure_only) &&
        dcs_threshold_loss(rule, row->log_x[i], row->d[i]) > close_log)
      return false;
  return true;
}

static bool comes_close(const dcs_threshold_row *row) {
  double largest = 0;
  for (size_t i = 0; i < row->n; i++)
    largest = fmax(largest, fabs(row->d[i]));
  for (int end = 0; end < 2; end++) {
    size_t i = end == 0 ? 0 : row->n - 1;
    double distance = fabs(row->d[i]);
    if (row->signs[i] == 0 || (distance < close_log && distance < 0.5 * largest)) return true;
  }
  return false;
}

dcs_threshold_status dcs_threshold_one_method(const dcs_threshold_row *row, int last) {
  if (last == 0) return DCS_THRESHOLD_AMBIGUOUS;
  if (comes_close(row)) return DCS_THRESHOLD_NOT_BRACKETED;
  return last < 0 ? DCS_THRESHOLD_ALWAYS_A : DCS_THRESHOLD_ALWAYS_B;
}

dcs_threshold_status dcs_threshold_after_regret(const dcs_threshold *t) {
  const bool claims = t->status == DCS_THRESHOLD_OK || t->status == DCS_THRESHOLD_AMBIGUOUS;
  return claims && t->regret_worst > close_log ? DCS_THRESHOLD_LOSSY : t->status;
}
