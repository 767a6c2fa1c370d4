#include "harness/labs/points.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 1024 }; /* coordinates of an axis; a longer one is not described */

/* Of each axis the coordinates all of whose points are in the set. */
typedef struct {
  bool whole[3][MOST];
  int64_t n[3];
} axes;

int64_t dcs_count_points(const dcs_point_set *set) {
  const int64_t all = set->n.x * set->n.y * set->n.z;
  int64_t count = 0;
  for (int64_t p = 0; p < all; p++)
    count += set->in[p];
  return count;
}

static void coordinates(const dcs_point_set *set, int64_t p, int64_t at[3]) {
  at[0] = p % set->n.x;
  at[1] = p / set->n.x % set->n.y;
  at[2] = p / set->n.x / set->n.y;
}

/* False: an axis is too long. */
static bool find_axes(const dcs_point_set *set, axes *found) {
  *found = (axes){{{false}}};
  const int64_t n[3] = {set->n.x, set->n.y, set->n.z}, all = n[0] * n[1] * n[2];
  int64_t at[3];
  for (int d = 0; d < 3; d++) {
    if (n[d] > MOST) return false;
    found->n[d] = n[d];
    for (int64_t i = 0; i < n[d]; i++)
      found->whole[d][i] = true;
  }
  for (int64_t p = 0; p < all; p++) {
    coordinates(set, p, at);
    for (int d = 0; d < 3 && !set->in[p]; d++)
      found->whole[d][at[d]] = false;
  }
  return true;
}

/* Whether whole columns, rows and slices make up the set. */
static bool made_of_axes(const dcs_point_set *set, const axes *found) {
  const int64_t all = found->n[0] * found->n[1] * found->n[2];
  int64_t at[3];
  for (int64_t p = 0; p < all; p++) {
    coordinates(set, p, at);
    if (set->in[p] && !found->whole[0][at[0]] && !found->whole[1][at[1]] && !found->whole[2][at[2]])
      return false;
  }
  return true;
}

/* ---- one axis ---- */

typedef struct {
  const char *one, *letter;
  const bool *in;
  int64_t n, count, first, last;
} one_axis;

static one_axis axis_of(const axes *found, int d) {
  static const char *const ones[] = {"column", "row", "slice"}, *const letters[] = {"x", "y", "z"};
  one_axis a = {ones[d], letters[d], found->whole[d], found->n[d], 0, -1, -1};
  for (int64_t i = 0; i < a.n; i++) {
    if (!a.in[i]) continue;
    if (a.first < 0) a.first = i;
    a.last = i;
    a.count++;
  }
  return a;
}

/* The shortest period that comes twice at least; 0: none. */
static int64_t period_of(const one_axis *a) {
  for (int64_t period = 2; 2 * period <= a->n; period++) {
    int64_t i = period;
    while (i < a->n && a->in[i] == a->in[i - period])
      i++;
    if (i == a->n) return period;
  }
  return 0;
}

static void describe_periodic(const one_axis *a, int64_t period, char text[DCS_TEXT]) {
  int64_t in = 0, out = 0;
  for (int64_t i = 0; i < period; i++) {
    in += a->in[i];
    if (!a->in[i]) out = i;
  }
  if (in == 1)
    snprintf(text, DCS_TEXT, "one %s of every %lld (%s = %lld, %lld, ...)", a->one,
             (long long)period, a->letter, (long long)a->first, (long long)a->first + period);
  else if (in == period - 1)
    snprintf(text, DCS_TEXT, "all %ss but one of every %lld (%s = %lld, %lld, ...)", a->one,
             (long long)period, a->letter, (long long)out, (long long)out + period);
  else
    snprintf(text, DCS_TEXT, "%lld of every %lld %ss (the first at %s = %lld)", (long long)in,
             (long long)period, a->one, a->letter, (long long)a->first);
}

static void describe_run(const one_axis *a, char text[DCS_TEXT]) {
  const bool at_end = a->last == a->n - 1, at_start = a->first == 0;
  const char *which = at_end ? "the last " : at_start ? "the first " : "";
  if (a->count == 1)
    snprintf(text, DCS_TEXT, *which ? "%s%s (%s = %lld)" : "%s%s %s = %lld", which, a->one,
             a->letter, (long long)a->first);
  else if (at_end)
    snprintf(text, DCS_TEXT, "the last %lld %ss (%s from %lld on)", (long long)a->count, a->one,
             a->letter, (long long)a->first);
  else
    snprintf(text, DCS_TEXT, "%s%lld %ss (%s from %lld to %lld)", which, (long long)a->count,
             a->one, a->letter, (long long)a->first, (long long)a->last);
}

static void describe_axis(const one_axis *a, char text[DCS_TEXT]) {
  const int64_t period = period_of(a);
  if (a->last - a->first + 1 == a->count)
    describe_run(a, text);
  else if (period)
    describe_periodic(a, period, text);
  else
    snprintf(text, DCS_TEXT, "%lld of %lld %ss (the first at %s = %lld)", (long long)a->count,
             (long long)a->n, a->one, a->letter, (long long)a->first);
}

/* ---- the set ---- */

char *dcs_describe_points(const dcs_point_set *set, char text[DCS_TEXT]) {
  axes found;
  const int64_t count = dcs_count_points(set), all = set->n.x * set->n.y * set->n.z;
  int64_t first = 0, at[3];
  while (first + 1 < all && !set->in[first])
    first++;
  coordinates(set, first, at);
  snprintf(text, DCS_TEXT,
           count == 1 ? "%lld point, (%lld, %lld, %lld)"
                      : "%lld points, the first at (%lld, %lld, %lld)",
           (long long)count, (long long)at[0], (long long)at[1], (long long)at[2]);
  if (count == all) snprintf(text, DCS_TEXT, "all points");
  if (count == all || !find_axes(set, &found) || !made_of_axes(set, &found)) return text;
  size_t used = 0;
  for (int d = 0; d < 3; d++) {
    const one_axis a = axis_of(&found, d);
    char part[DCS_TEXT];
    if (a.count == 0) continue;
    describe_axis(&a, part);
    used += (size_t)snprintf(text + used, DCS_TEXT - used, "%s%.70s", used ? " and " : "", part);
  }
  return text;
}

bool dcs_is_orderly(const dcs_point_set *set) {
  axes found;
  return dcs_count_points(set) > 0 && find_axes(set, &found) && made_of_axes(set, &found);
}

int64_t dcs_points_from(const dcs_point_set *set, int axis) {
  axes found;
  if (!find_axes(set, &found) || !made_of_axes(set, &found)) return -1;
  for (int d = 0; d < 3; d++)
    if (d != axis && axis_of(&found, d).count > 0) return -1;
  const one_axis a = axis_of(&found, axis);
  const bool to_the_end = a.count > 0 && a.last == a.n - 1 && a.last - a.first + 1 == a.count;
  return to_the_end ? a.first : -1;
}
