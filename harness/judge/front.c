#include "harness/judge/front.h"

#include <math.h>
#include <stdbool.h>

static const double UNKNOWN_SHARE = 0.05;

dcs_measured dcs_measured_of(const dcs_stats *s) {
  if (!isnan(s->lo) && !isnan(s->hi)) return (dcs_measured){s->median, s->lo, s->hi};
  return (dcs_measured){s->median, (1 - UNKNOWN_SHARE) * s->median,
                        (1 + UNKNOWN_SHARE) * s->median};
}

dcs_measured dcs_exactly(double value) {
  return (dcs_measured){value, value, value};
}

static bool beats(const dcs_front_point *a, const dcs_front_point *b) {
  return a->x.value <= b->x.value && a->y.value <= b->y.value &&
         (a->x.value < b->x.value || a->y.value < b->y.value);
}

static bool surely_beats(const dcs_front_point *a, const dcs_front_point *b) {
  return beats(a, b) && a->x.hi <= b->x.lo && a->y.hi <= b->y.lo;
}

static dcs_front_point *at(void *list, int i, size_t stride) {
  return (dcs_front_point *)(void *)((char *)list + (size_t)i * stride);
}

void dcs_front_find(void *list, int n, size_t stride) {
  for (int b = 0; b < n; b++) {
    dcs_front_point *point = at(list, b, stride);
    point->place = DCS_FRONT_ON;
    for (int a = 0; a < n && point->place != DCS_FRONT_BEHIND; a++) {
      if (surely_beats(at(list, a, stride), point))
        point->place = DCS_FRONT_BEHIND;
      else if (beats(at(list, a, stride), point))
        point->place = DCS_FRONT_TIED;
    }
  }
}

const char *dcs_front_place_name(dcs_front_place place) {
  static const char *const names[] = {"front", "tied", "behind"};
  return names[place];
}
