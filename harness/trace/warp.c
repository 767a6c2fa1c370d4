/* A warp's threads share one place in the code as long as their branches agree. Where they differ,
 * the warp runs one side after the other, and the sides meet again where the code does. Which
 * thread goes on is chosen as in Collange's "Stack-less SIMT reconvergence" (2011): the one deepest
 * in calls, and of those the one earliest in the code; all others at the same place go with it.
 * Compilers lay code out so that where branches meet comes after them, and the end of a loop after
 * its body: whoever is ahead waits there. For that every basic block that a thread enters is a
 * step. */
#include "harness/trace/warp.h"

#include "harness/base/grow.h"

#include <stdlib.h>

dcs_status dcs_warp_add(dcs_warp *warp, int lane, const dcs_seen *seen) {
  struct dcs_lane *to = &warp->lanes[lane];
  DCS_TRY(dcs_grow(&to->list, to->n, sizeof *to->list, "steps of a thread; choose a smaller size"));
  to->list[to->n++] = (dcs_step){.address = seen->address,
                                 .code = (uint32_t)seen->code,
                                 .calls = (uint32_t)(seen->calls ^ seen->calls >> 32),
                                 .depth = (uint16_t)seen->depth,
                                 .kind = (uint8_t)seen->kind,
                                 .space = (uint8_t)seen->space,
                                 .bytes = (uint8_t)seen->bytes};
  return DCS_OK;
}

/* NULL: the lane has come to the end. */
static const dcs_step *next_of(const dcs_warp *warp, int lane) {
  const struct dcs_lane *l = &warp->lanes[lane];
  return l->next < l->n ? &l->list[l->next] : NULL;
}

static bool goes_before(const dcs_step *a, const dcs_step *b) {
  if (a->depth != b->depth) return a->depth > b->depth;
  if (a->calls != b->calls) return a->calls < b->calls;
  return a->code < b->code;
}

static bool same_place(const dcs_step *a, const dcs_step *b) {
  return a->code == b->code && a->calls == b->calls && a->depth == b->depth && a->kind == b->kind &&
         a->space == b->space && a->bytes == b->bytes;
}

/* The step of the lane that goes on; NULL: none is left. */
static const dcs_step *leader(const dcs_warp *warp) {
  const dcs_step *first = NULL;
  for (int lane = 0; lane < DCS_WARP; lane++) {
    const dcs_step *step = next_of(warp, lane);
    if (step && (!first || goes_before(step, first))) first = step;
  }
  return first;
}

static void advance(dcs_warp *warp, const dcs_step *to, dcs_memory_request *request) {
  const dcs_step place = *to;
  *request = (dcs_memory_request){.kind = (dcs_seen_kind)place.kind,
                                  .space = (dcs_memory_space)place.space,
                                  .code = place.code,
                                  .bytes = place.bytes};
  for (int lane = 0; lane < DCS_WARP; lane++) {
    const dcs_step *step = next_of(warp, lane);
    if (!step || !same_place(step, &place)) continue;
    request->lanes |= UINT32_C(1) << lane;
    request->address[lane] = step->address;
    warp->lanes[lane].next++;
  }
}

void dcs_warp_together(dcs_warp *warp,
                       void (*take)(void *context, const dcs_memory_request *request),
                       void *context) {
  const dcs_step *to;
  while ((to = leader(warp)) != NULL) {
    dcs_memory_request request;
    advance(warp, to, &request);
    if (request.kind == DCS_SEEN_LOAD || request.kind == DCS_SEEN_STORE ||
        request.kind == DCS_SEEN_ATOMIC)
      take(context, &request);
  }
  for (int lane = 0; lane < DCS_WARP; lane++) {
    free(warp->lanes[lane].list);
    warp->lanes[lane] = (struct dcs_lane){0};
  }
}

void dcs_warp_free(dcs_warp *warp) {
  for (int lane = 0; lane < DCS_WARP; lane++)
    free(warp->lanes[lane].list);
  *warp = (dcs_warp){0};
}
