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
                                 .outer = (uint64_t)(uint16_t)~seen->depth << 32 |
                                          (uint32_t)(seen->calls ^ seen->calls >> 32),
                                 .inner = seen->code << 32 | (uint32_t)seen->kind << 16 |
                                          (uint32_t)seen->space << 8 | (uint32_t)seen->bytes};
  return DCS_OK;
}

/* Lanes at one place. */
typedef struct {
  uint64_t outer, inner;
  uint32_t lanes;
} group;

/* All that have a step left; no two groups are at one place. */
typedef struct {
  group list[DCS_WARP];
  int n;
} groups;

/* Puts the lane, unless it has come to the end, with those that are where it is. */
static void place(const dcs_warp *warp, int lane, groups *g) {
  const struct dcs_lane *l = &warp->lanes[lane];
  if (l->next >= l->n) return;
  const dcs_step *step = &l->list[l->next];
  const uint32_t bit = UINT32_C(1) << lane;
  for (int i = g->n - 1; i >= 0; i--) { /* most often those placed just before */
    if (g->list[i].outer != step->outer || g->list[i].inner != step->inner) continue;
    g->list[i].lanes |= bit;
    return;
  }
  g->list[g->n++] = (group){step->outer, step->inner, bit};
}

static bool goes_before(const group *a, const group *b) {
  if (a->outer != b->outer) return a->outer < b->outer;
  if (a->inner >> 32 != b->inner >> 32) return a->inner >> 32 < b->inner >> 32;
  return __builtin_ctz(a->lanes) < __builtin_ctz(b->lanes);
}

/* Takes the lanes that go on out of the groups. */
static group leader(groups *g) {
  int first = 0;
  for (int i = 1; i < g->n; i++)
    if (goes_before(&g->list[i], &g->list[first])) first = i;
  const group taken = g->list[first];
  g->list[first] = g->list[--g->n];
  return taken;
}

static void advance(dcs_warp *warp, const group *to, groups *g, dcs_memory_request *request) {
  request->kind = (dcs_seen_kind)(uint8_t)(to->inner >> 16);
  request->space = (dcs_memory_space)(uint8_t)(to->inner >> 8);
  request->code = to->inner >> 32;
  request->bytes = (uint8_t)to->inner;
  request->lanes = to->lanes;
  for (uint32_t left = to->lanes; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    struct dcs_lane *l = &warp->lanes[lane];
    request->address[lane] = l->list[l->next++].address;
    place(warp, lane, g);
  }
}

void dcs_warp_together(dcs_warp *warp,
                       void (*take)(void *context, const dcs_memory_request *request),
                       void *context) {
  groups g = {.n = 0};
  dcs_memory_request request = {0};
  for (int lane = 0; lane < DCS_WARP; lane++)
    place(warp, lane, &g);
  while (g.n > 0) {
    const group to = leader(&g);
    advance(warp, &to, &g, &request);
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
