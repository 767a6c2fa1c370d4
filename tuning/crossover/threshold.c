#include "tuning/crossover/threshold.h"

#include "harness/base/random.h"

#include <math.h>

const char *dcs_threshold_status_name(dcs_threshold_status status) {
  static const char *const names[DCS_N_THRESHOLD_STATUSES] = {
      "ok", "always_a", "always_b", "not_bracketed", "multiple_crossings", "ambiguous", "lossy"};
  return names[status];
}

typedef struct {
  dcs_room room;
  dcs_threshold_row row;
  dcs_threshold_rule *others; /* of each size, the rule that all others give */
  double *resampled;          /* d of a resample */
  double *uniform;            /* which rounds it takes */
  dcs_isotonic_block *blocks;
} work;

static dcs_status open_work(work *w, const dcs_threshold_size *sizes, size_t n) {
  DCS_TRY(dcs_threshold_row_open(&w->room, sizes, n, &w->row));
  DCS_TRY(dcs_room_take(&w->room, &w->others, n, sizeof *w->others, "sizes"));
  DCS_TRY(dcs_threshold_without_each(&w->room, &w->row, w->others));
  DCS_TRY(dcs_room_take(&w->room, &w->resampled, n, sizeof *w->resampled, "sizes"));
  DCS_TRY(dcs_room_take(&w->room, &w->uniform, w->row.most, sizeof *w->uniform, "rounds"));
  return dcs_room_take(&w->room, &w->blocks, n, sizeof *w->blocks, "sizes");
}

static dcs_threshold_rule find_rule(const work *w, bool monotone, const double *log_x,
                                    const double *d, size_t n) {
  return monotone ? dcs_threshold_by_fit(log_x, d, n, w->blocks)
                  : dcs_threshold_by_loss(log_x, d, n, w->blocks);
}

/* Log of the threshold as a rule that takes `below` at small sizes: "always the same" is said with
 * the other infinity there. */
static double as_taking(int below, dcs_threshold_rule rule) {
  return rule.below == below || isfinite(rule.log_x) ? rule.log_x : -rule.log_x;
}

static void find_interval(work *w, bool monotone, dcs_threshold *threshold) {
  const dcs_threshold_row *row = &w->row;
  dcs_random random = {1};
  double found[DCS_THRESHOLD_RESAMPLES]; /* log of the threshold */
  for (int r = 0; r < DCS_THRESHOLD_RESAMPLES; r++) {
    for (size_t k = 0; k < row->most; k++)
      w->uniform[k] = dcs_random_unit(&random);
    dcs_threshold_resample(row, w->uniform, w->resampled);
    found[r] =
        as_taking(threshold->below, find_rule(w, monotone, row->log_x, w->resampled, row->n));
  }
  dcs_threshold_interval(found, threshold);
}

static void find_regret(const work *w, dcs_threshold *threshold) {
  const dcs_threshold_row *row = &w->row;
  double total = 0, worst = 0;
  for (size_t held = 0; held < row->n; held++) {
    const double loss = dcs_threshold_loss(w->others[held], row->log_x[held], row->d[held]);
    total += loss;
    worst = fmax(worst, loss);
  }
  threshold->regret_mean = total / (double)row->n;
  threshold->regret_worst = worst;
}

static void judge(work *w, dcs_threshold *t) {
  const dcs_threshold_row *row = &w->row;
  int last, changes = dcs_threshold_changes(row, row->n, &last);
  find_regret(w, t);
  if (changes == 0) {
    t->status = dcs_threshold_one_method(row, last);
    return;
  }
  bool monotone = changes == 1;
  dcs_threshold_rule rule = find_rule(w, monotone, row->log_x, row->d, row->n);
  if (isfinite(rule.log_x)) {
    t->below = rule.below;
    t->estimate = exp(rule.log_x);
    find_interval(w, monotone, t);
  }
  if (!monotone)
    t->status = DCS_THRESHOLD_MULTIPLE;
  else if (t->hi <= 4 * t->lo && dcs_threshold_fits(row, rule, false))
    t->status = DCS_THRESHOLD_OK;
  else
    t->status = DCS_THRESHOLD_AMBIGUOUS;
}

dcs_status dcs_threshold_find(const dcs_threshold_size *sizes, size_t n, dcs_threshold *threshold) {
  work w = {0};
  *threshold = dcs_threshold_none(n);
  dcs_status status = open_work(&w, sizes, n);
  if (status == DCS_OK) {
    judge(&w, threshold);
    threshold->status = dcs_threshold_after_regret(threshold);
  }
  dcs_room_free(&w.room);
  return status;
}
