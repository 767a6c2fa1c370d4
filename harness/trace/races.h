/* Races: two threads touch a word, one of them at least writes, and nothing says which comes first.
 *
 * What says so: a launch ends; __syncthreads, within a block; __syncwarp, shuffles and votes,
 * within a warp, whose lanes are not taken to run in lockstep; and between blocks a fence before an
 * atomic operation of one and after one of the other on the same word, for what the first thread
 * did before, and its block up to its last barrier. Two atomic operations do not race. Kept of each
 * word are the last write and the last loads of two threads. */
#ifndef DCS_TRACE_RACES_H
#define DCS_TRACE_RACES_H

#include "harness/device/observer.h"

/* An access of a race. */
typedef struct {
  uint64_t time;
  uint32_t block, epoch, code; /* epoch: barriers of the block before it */
  uint16_t thread, warp_epoch;
  uint8_t kind, bytes; /* bytes: of the word, a bit each */
} dcs_touch;

typedef struct {
  dcs_memory_space space;
  dcs_touch first, then; /* in the order in which the device came to them. Two barriers: threads of
                            a block wait at the one and at the other */
  int64_t words;         /* how often the same two lines raced */
} dcs_race;

typedef struct dcs_races dcs_races;

/* DCS_UNAVAILABLE when memory is short, here and below. The caller frees with dcs_races_free(). */
dcs_status dcs_races_begin(dcs_races **races);
void dcs_races_free(dcs_races *races); /* NULL: nothing */

/* A launch of so many blocks begins; everything before is done. */
dcs_status dcs_races_launch(dcs_races *races, int64_t blocks);
/* A block begins; the one before has ended. */
void dcs_races_block(dcs_races *races, int64_t block);
dcs_status dcs_races_seen(dcs_races *races, int thread, const dcs_seen *seen);
/* All threads of the block have come to a barrier, or to their end. */
dcs_status dcs_races_together(dcs_races *races);

/* What was found, each pair of places in the code once. Owned by `races`. */
const dcs_race *dcs_races_found(const dcs_races *races, int *n);

#endif
