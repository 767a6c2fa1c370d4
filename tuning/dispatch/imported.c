#include "tuning/dispatch/imported.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>

bool dcs_is_imported(const dcs_measured *measured) {
  return measured->problems[0].kind->made_of != NULL;
}

/* ---- times ---- */

/* The best row of a class at a size; NULL: none. An imported run is of one problem. */
static const dcs_run_row *row_at(const dcs_measured *m, size_t size, int class) {
  return m->sizes[size].best[class];
}

static const dcs_run_row *fastest_at(const dcs_imported *d, size_t size, int *class) {
  const dcs_run_row *fastest = NULL;
  for (int c = d->first; c < d->first + d->n; c++) {
    const dcs_run_row *row = row_at(d->measured, size, c);
    if (!row || (fastest && fastest->median_ns <= row->median_ns)) continue;
    fastest = row;
    *class = c;
  }
  return fastest;
}

static double distance(const dcs_size *a, const dcs_size *b) {
  double sum = 0;
  for (int x = 0; x < a->kind->n_axes; x++) {
    const double along = log((double)a->axes[x] / (double)b->axes[x]);
    sum += along * along;
  }
  return sum;
}

/* ---- along one axis, on which the sizes ascend ---- */

static double place_of(const dcs_imported *d, size_t size) {
  return (double)d->measured->sizes[size].size.axes[0];
}

/* The first size beyond x; n_sizes: none. */
static size_t first_beyond(const dcs_imported *d, double x) {
  size_t from = 0, end = d->measured->n_sizes;
  while (from < end) {
    const size_t middle = from + (end - from) / 2;
    if (place_of(d, middle) > x)
      end = middle;
    else
      from = middle + 1;
  }
  return from;
}

/* ---- rules ---- */

/* What is fastest at the nearest of the sizes first..end-1; the first of those that are equally
 * near. */
static int nearest_of(const dcs_imported *d, const dcs_size *size, size_t without, size_t first,
                      size_t end) {
  int class = -1, fastest;
  double least = INFINITY;
  for (size_t s = first; s < end; s++) {
    const double far = distance(&d->measured->sizes[s].size, size);
    if (s == without || far >= least || !fastest_at(d, s, &fastest)) continue;
    least = far;
    class = fastest;
  }
  return class;
}

/* Along one axis it is one of the two beside the size that have a time. */
static int nearest_takes(const dcs_imported *d, const dcs_size *size, size_t without) {
  const size_t n = d->measured->n_sizes;
  int ignored;
  if (size->kind->n_axes > 1) return nearest_of(d, size, without, 0, n);
  size_t end = first_beyond(d, (double)size->axes[0]), first = end;
  while (first > 0 && (first == end || first == without || !fastest_at(d, first, &ignored)))
    first--;
  while (end < n && (end == without || !fastest_at(d, end, &ignored)))
    end++;
  return nearest_of(d, size, without, first, end < n ? end + 1 : n);
}

/* The logarithm of a class's time at x of axis 0: straight between its neighbours in log space,
 * constant beyond them (*beyond); NaN: it was not measured. */
static double interpolated(const dcs_imported *d, int class, double x, size_t without,
                           bool *beyond) {
  const size_t n = d->measured->n_sizes, from = first_beyond(d, x);
  double at[2] = {0, INFINITY}, log_ns[2] = {NAN, NAN};
  for (int side = 0; side < 2; side++)
    for (size_t s = side ? from : from - 1; s < n; s += side ? 1 : -1) { /* below 0 it is large */
      const dcs_run_row *row = s == without ? NULL : row_at(d->measured, s, class);
      if (!row) continue;
      at[side] = place_of(d, s);
      log_ns[side] = log(row->median_ns);
      break;
    }
  *beyond = isnan(log_ns[0]) || (isnan(log_ns[1]) && at[0] < x);
  if (isnan(log_ns[0])) return log_ns[1];
  if (isnan(log_ns[1])) return log_ns[0];
  return log_ns[0] + (log_ns[1] - log_ns[0]) * log(x / at[0]) / log(at[1] / at[0]);
}

/* The nearest of the run's sizes to x where x lies beyond all of them, else x. */
static double within_sizes(const dcs_imported *d, double x, size_t without) {
  const size_t last = d->measured->n_sizes - 1;
  const double least = place_of(d, without == 0), most = place_of(d, last - (without == last));
  return fmax(least, fmin(most, x));
}

/* A class counts between the sizes that it was measured at: one that was left out from some size
 * on, for being slow, is not taken there for its last time. Where none counts, all do. */
static int interpolation_takes(const dcs_imported *d, const dcs_size *size, size_t without) {
  const double x = within_sizes(d, (double)size->axes[0], without);
  int class = -1;
  for (int all = 0; class < 0 && all < 2; all++) {
    double least = INFINITY;
    for (int c = d->first; c < d->first + d->n; c++) {
      bool beyond;
      const double log_ns = interpolated(d, c, x, without, &beyond);
      if (!(log_ns < least) || (beyond && !all)) continue;
      least = log_ns;
      class = c;
    }
  }
  return class;
}

int dcs_imported_choose(const dcs_imported *drawn, dcs_imported_rule rule, const dcs_size *size,
                        size_t without) {
  return rule == DCS_IMPORTED_NEAREST ? nearest_takes(drawn, size, without)
                                      : interpolation_takes(drawn, size, without);
}

/* ---- losses ---- */

/* What is lost at a size by what the rule takes without it; NaN: that was not measured, or there
 * was no choice. */
static double lost_at(const dcs_imported *d, dcs_imported_rule rule, size_t size) {
  const dcs_measured *m = d->measured;
  const int taken = dcs_imported_choose(d, rule, &m->sizes[size].size, size);
  const dcs_run_row *row = taken < 0 ? NULL : row_at(m, size, taken);
  double most = 1;
  int choices = 0;
  for (int c = d->first; row && c < d->first + d->n; c++) {
    const dcs_run_row *other = row_at(m, size, c);
    if (!other) continue;
    choices++;
    most = fmax(most, dcs_row_ratio(other, row).value);
  }
  return choices < 2 ? NAN : most - 1;
}

static dcs_loss hold_out(const dcs_imported *d, dcs_imported_rule rule, double *room) {
  size_t n = 0;
  for (size_t s = 0; s < d->measured->n_sizes; s++) {
    const double lost = lost_at(d, rule, s);
    if (!isnan(lost)) room[n++] = lost;
  }
  return dcs_loss_of(room, n);
}

/* ---- drawing ---- */

static dcs_status check_run(const dcs_imported *d) {
  const dcs_measured *m = d->measured;
  const char *path = dcs_table_path(m->run.summary);
  for (int c = d->first + 1; c < d->first + d->n; c++)
    if (m->classes[c].scope != m->classes[d->first].scope)
      return dcs_fail(DCS_INPUT, "%s: found times of scope %s and of scope %s; expected one", path,
                      dcs_scope_name(m->classes[d->first].scope),
                      dcs_scope_name(m->classes[c].scope));
  if (d->n < 2)
    return dcs_fail(DCS_INPUT, "%s: found one method; expected two to choose from", path);
  if (m->n_sizes < DCS_DISPATCH_SIZES)
    return dcs_fail(DCS_INPUT, "%s: found %zu sizes; expected %d or more", path, m->n_sizes,
                    DCS_DISPATCH_SIZES);
  return DCS_OK;
}

dcs_status dcs_imported_draw(const dcs_measured *measured, dcs_imported *drawn) {
  *drawn = (dcs_imported){.measured = measured, .rule = DCS_IMPORTED_NEAREST};
  while (drawn->first < measured->n_classes && !measured->classes[drawn->first].imported)
    drawn->first++;
  drawn->n = measured->n_classes - drawn->first;
  DCS_TRY(check_run(drawn));
  double *room = malloc(measured->n_sizes * sizeof *room);
  if (!room) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu sizes", measured->n_sizes);
  drawn->loss[DCS_IMPORTED_NEAREST] = hold_out(drawn, DCS_IMPORTED_NEAREST, room);
  if (measured->problems[0].kind->n_axes == 1) {
    drawn->loss[DCS_IMPORTED_INTERPOLATED] = hold_out(drawn, DCS_IMPORTED_INTERPOLATED, room);
    if (!(drawn->loss[DCS_IMPORTED_NEAREST].mean < drawn->loss[DCS_IMPORTED_INTERPOLATED].mean))
      drawn->rule = DCS_IMPORTED_INTERPOLATED;
  }
  free(room);
  return DCS_OK;
}
