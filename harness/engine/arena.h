/* Memory that the program and its workers share: the problems of the moment and the outputs
 * computed from one of them. The program owns it; a worker maps it anew whenever a problem is
 * announced. */
#ifndef DCS_ARENA_H
#define DCS_ARENA_H

#include "harness/problems/case.h"

typedef struct {
  int fd;
  void *base; /* NULL until the first problem */
  size_t bytes;
  dcs_problem shape; /* the inputs, which point into the arena, and points of a grid; its
                        config is the first problem's */
  const dcs_kind *kind;
  const dcs_config *configs; /* of the problems on these inputs: n_problems */
  int n_problems;
  const dcs_fix *fixes; /* n_fixes for each problem, one problem after another */
  int64_t n_fixes;
  void *out[DCS_MAX_BUFFERS]; /* the buffers that are outputs */
  float *map;                 /* the one among them that dcs_map_of() tells, or NULL */
} dcs_arena;

/* Creates an empty arena. */
dcs_status dcs_arena_open(dcs_arena *arena);
void dcs_arena_close(dcs_arena *arena);

/* Sizes the arena for the case with n problems of its kind (n 0: the one that it poses), and copies
 * it in. The case poses the last of them afterwards. DCS_UNAVAILABLE, with what is needed and what
 * there is, when memory does not suffice. */
dcs_status dcs_arena_put(dcs_arena *arena, dcs_case *c, const dcs_config *problems, int n);

/* In a worker: maps what lies behind arena->fd. */
dcs_status dcs_arena_map(dcs_arena *arena);

#endif
