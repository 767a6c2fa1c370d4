/* Memory that the program and its workers share: the problem of the moment and the map computed
 * from it. The program owns it; a worker maps it anew whenever a problem is announced. */
#ifndef DCS_ARENA_H
#define DCS_ARENA_H

#include "harness/input/case.h"

typedef struct {
  int fd;
  void *base; /* NULL until the first problem */
  size_t bytes;
  dcs_problem problem; /* atoms point into the arena */
  const dcs_near *near;
  int64_t n_near;
  float *map; /* n.x * n.y * n.z */
} dcs_arena;

/* Creates an empty arena. */
dcs_status dcs_arena_open(dcs_arena *arena);
void dcs_arena_close(dcs_arena *arena);

/* Sizes the arena for the case and copies it in. DCS_UNAVAILABLE, with what is needed and what
 * there is, when memory does not suffice. */
dcs_status dcs_arena_put(dcs_arena *arena, const dcs_case *c);

/* In a worker: maps what lies behind arena->fd. */
dcs_status dcs_arena_map(dcs_arena *arena);

#endif
