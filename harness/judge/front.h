/* Fronts: of points with two values, each the better the less, those that no other point beats. */
#ifndef DCS_FRONT_H
#define DCS_FRONT_H

#include "harness/judge/stats.h"

/* lo and hi are its interval; the value itself where it is exact. */
typedef struct {
  double value, lo, hi;
} dcs_measured;

typedef enum {
  DCS_FRONT_ON,    /* no other has both values as small and one smaller */
  DCS_FRONT_TIED,  /* one has, but the intervals do not tell them apart */
  DCS_FRONT_BEHIND /* one has, and the intervals say so */
} dcs_front_place;

typedef struct {
  dcs_measured x, y;
  dcs_front_place place;
} dcs_front_point;

/* The median with its interval; without one, 5% either way. */
dcs_measured dcs_measured_of(const dcs_stats *stats);
dcs_measured dcs_exactly(double value);

/* Sets the place of each of list[n], at `stride` bytes from one to the next: the points may be the
 * beginnings of structs. */
void dcs_front_find(void *list, int n, size_t stride);

/* "front", "tied", "behind". */
const char *dcs_front_place_name(dcs_front_place place);

#endif
