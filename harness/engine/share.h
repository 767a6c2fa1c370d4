/* How several devices share a map: a queue of slices that nobody has taken, and what each device
 * takes of it next. Nobody waits in here, and there is no lock: the caller has one. */
#ifndef DCS_SHARE_H
#define DCS_SHARE_H

#include "harness/device/devices.h"

#include <stdint.h>

/* Slices from..end-1. */
typedef struct {
  int64_t from, end;
} dcs_range;

/* Slabs that a device has in hand at most: one on its way out, one that is computed, one enqueued.
 */
enum { DCS_IN_HAND = 3 };

typedef struct {
  double speed;     /* expected: slices in a unit of time, the same unit for all */
  int64_t least;    /* slices that are worth a slab, a multiple of the step */
  bool gone;        /* failed: it takes nothing more */
  int64_t pending;  /* slices taken and not computed */
  int64_t computed; /* slices */
  double busy;      /* time that these took */
  double since;     /* when it began with the slab that it computes now */
} dcs_sharer;

typedef struct {
  int64_t slices, step; /* of the map; every slab but the map's last is a multiple of the step */
  int64_t done;         /* slices */
  dcs_sharer sharers[DCS_MAX_DEVICES];
  int n;
  dcs_range ranges[1 + DCS_IN_HAND * DCS_MAX_DEVICES]; /* that nobody has; the last is next */
  int n_ranges;
} dcs_share;

/* Starts a map, at time 0. What the sharers are (speed, least, gone) stays as it was set. */
void dcs_share_start(dcs_share *share, int64_t slices, int64_t step);

/* After a map: expects the speeds that it showed in the next, if every device computed some of it.
 */
void dcs_share_learn(dcs_share *share);

/* The next slab of device d, at the time `now` (unit as you like); false: none now. It gets half of
 * what it would compute yet if all were to finish together, at the speeds that they show or, before
 * they have computed a slab, are expected to have, less what it has in hand. Slabs get smaller
 * towards the end, are multiples of `least` except where fewer slices are left, and never less. A
 * device with something in hand is given no more than its part; an idle one is left out where the
 * others would have finished everything, and one of them this slab, before it had computed it. As
 * long as slices are left and no slab is in hand, somebody gets one. */
bool dcs_share_take(dcs_share *share, int d, double now, dcs_range *slab);

/* The device has computed the slab; its slices lie in the map. */
void dcs_share_computed(dcs_share *share, int d, double now, dcs_range slab);
void dcs_share_done(dcs_share *share, dcs_range slab);

/* The device failed: the n slabs that it had in hand go back, and it gets no more. */
void dcs_share_fail(dcs_share *share, int d, const dcs_range *slabs, int n);

/* Whether every slice is done, or nobody is left to do it. */
bool dcs_share_over(const dcs_share *share);

#endif
