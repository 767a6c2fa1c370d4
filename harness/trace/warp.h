/* What the threads of a warp did one after another, put together as a card does it: in lockstep. */
#ifndef DCS_TRACE_WARP_H
#define DCS_TRACE_WARP_H

#include "harness/trace/request.h"

/* A dcs_seen, small: there are many. Of two, the one whose `outer` is less goes on first, and where
 * that is the same the one whose code, in the upper half of `inner`, is less. */
typedef struct {
  uint64_t address;
  uint64_t outer; /* how far from the deepest call, and which calls */
  uint64_t inner; /* the code; kind, space and bytes */
} dcs_step;

/* Zero: nothing done yet. */
typedef struct {
  struct dcs_lane {
    dcs_step *list;
    size_t n, next;
  } lanes[DCS_WARP];
} dcs_warp;

/* DCS_UNAVAILABLE when memory is short. */
dcs_status dcs_warp_add(dcs_warp *warp, int lane, const dcs_seen *seen);

/* Gives the requests of the warp since it last came together, in their order, and forgets them. */
void dcs_warp_together(dcs_warp *warp,
                       void (*take)(void *context, const dcs_memory_request *request),
                       void *context);

void dcs_warp_free(dcs_warp *warp);

#endif
