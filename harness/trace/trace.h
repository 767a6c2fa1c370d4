/* A trace: what a kernel loads and stores, counted as a card would have to move it, of some blocks
 * of each launch of a small problem on a device that can be watched. */
#ifndef DCS_TRACE_H
#define DCS_TRACE_H

#include "harness/trace/launches.h"
#include "harness/trace/races.h"
#include "harness/trace/request.h"

/* One load, store or atomic operation of the source; sums over all requests. What belongs to
 * another space is 0. */
typedef struct {
  dcs_source_line source;
  dcs_seen_kind access;
  dcs_memory_space space;
  uint32_t code;
  int64_t requests;
  int64_t sectors, lines, bytes_used; /* global */
  int64_t bank_conflicts;             /* shared */
  int64_t distinct;                   /* constant */
  int64_t divergent;                  /* requests with fewer lanes than the warp has */
  dcs_memory_request shown;           /* the first with the most lanes, to be drawn */
} dcs_trace_row;

typedef struct {
  dcs_trace_row *rows; /* by file, line and place in the code */
  int n_rows;
  int64_t launches, blocks, watched; /* of all launches together; blocks that were counted */
} dcs_kernel_trace;

typedef struct {
  const char *kernels; /* folder to read .cu files from; NULL: those built in */
  bool all_blocks;     /* else of each launch the first, the middle and the last block */
} dcs_trace_options;

/* Traces a method on a case's problem. Errors as of dcs_watch_launches(). The caller frees with
 * dcs_trace_free(), whatever the status. */
dcs_status dcs_trace_method(const dcs_method *method, const dcs_case *c,
                            const dcs_trace_options *options, dcs_kernel_trace *trace);
void dcs_trace_free(dcs_kernel_trace *trace);

/* A race with the lines of both accesses. */
typedef struct {
  dcs_race race;
  dcs_source_line first, then;
} dcs_located_race;

/* Runs all blocks of all launches and looks for races. Errors as above; races are none. The caller
 * frees *races. */
dcs_status dcs_find_races(const dcs_method *method, const dcs_case *c, const char *kernels,
                          dcs_located_race **races, int *n);
/* A sentence: what raced, and what would keep it in order. Returns text. */
char *dcs_describe_race(const dcs_located_race *race, char text[6 * DCS_TEXT]);

/* "load", "store", "atomic", "barrier"; "global", "constant", "shared". */
const char *dcs_access_name(dcs_seen_kind access);
const char *dcs_memory_space_name(dcs_memory_space space);

#endif
