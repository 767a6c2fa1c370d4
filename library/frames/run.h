/* Maps of frames, one after another, and their sums block by block. */
#ifndef DCS_FRAMES_RUN_H
#define DCS_FRAMES_RUN_H

#include "harness/frames/frames.h"
#include "library/frames/average.h"
#include "library/frames/timeline.h"
#include "library/map_slabs.h"

typedef struct {
  dcs_frames *frames;             /* read by a thread of the run's own */
  const dcs_molecule *top;        /* charges */
  const dcs_map_request *request; /* grid and problem; its atoms are left aside */
  /* As of dcs_mapper_options; a device may also be several, "cuda:all", which take blocks. */
  const char *device, *dispatch;
  int threads;
  /* "VARIANT CONFIG", by which all frames are computed: bits must not depend on who computes.
   * NULL: what dcs_frames_method() says. */
  const char *method;
  dcs_mapper *opened; /* what chose it, of the first device: the run's own from then on; or NULL */
  /* Processes that take blocks, how many of them on this host, and the blocks that are left to all
   * of them, INT64_MAX where nobody knows. ranks 0: this process alone, and all blocks. */
  int ranks, ranks_here;
  int64_t blocks;
  bool variance;
  dcs_timeline *timeline; /* receives when the stages did what; NULL: not wanted */
  /* The next block to compute, from 0 and ascending; -1: no more, as behind the last frame, which
   * the run sees itself; -2: none yet, ask again in a millisecond. One process counts; ranks of
   * several fetch and add (library/workers.h). */
  dcs_status (*take)(void *user, int64_t *block);
  /* What a block came to, in any order of blocks; the partial is the run's again. */
  dcs_status (*give)(void *user, int64_t block, const dcs_partial *partial);
  /* The map of a frame, by its number in the source, in any order; NULL: not wanted. */
  dcs_status (*each)(void *user, int64_t number, const float *map);
  /* take is called by one thread; beside it, give and each by one thread at a time, not always the
   * same: what they do must not hold up the reading. */
  void *user;
} dcs_frames_job;

/* What the stages did. A stage is idle when it waits for another. */
typedef enum {
  DCS_STAGE_READING,   /* frames from their files */
  DCS_STAGE_PREPARING, /* atoms and plan of a frame */
  DCS_STAGE_COPYING,   /* atoms to a device, and sums from it */
  DCS_STAGE_COMPUTING, /* maps */
  DCS_STAGE_ADDING,    /* of the sums of blocks to the whole */
  DCS_STAGE_WRITING,   /* maps of frames */
  DCS_N_STAGES
} dcs_stage;
extern const char *const dcs_stage_names[DCS_N_STAGES];

typedef struct {
  double busy_s[DCS_N_STAGES];  /* of all its workers together */
  double ahead_s[DCS_N_STAGES]; /* of it, while the devices were opened */
  int workers[DCS_N_STAGES];    /* 0: the stage is part of another */
  double opening_s; /* of the devices, from the begin of reading; frames are prepared meanwhile */
  double wall_s;    /* from then to the last block */
  int64_t frames;
  int cards;      /* that compute; 0: the CPU */
  char lost[512]; /* which of them failed, and why, while others did their part; "" */
} dcs_frames_times;

/* What the frames are computed by, as text: the choice for the size, if it can compute the first
 * frame. *opened is what chose, for the job's `opened` or the caller to close; NULL after a
 * failure.
 */
dcs_status dcs_frames_method(const dcs_frames_job *job, char method[DCS_METHOD_TEXT],
                             dcs_mapper **opened);

/* Computes the blocks that `take` gives. Ends as the first failure did; blocks that were given
 * until then count. */
dcs_status dcs_frames_run(const dcs_frames_job *job, dcs_frames_times *times);

#endif
