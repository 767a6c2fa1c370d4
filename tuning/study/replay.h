/* A recorded space in the place of a machine: strategies run on it without one, and the same seed
 * gives the same search. */
#ifndef DCS_TUNE_REPLAY_H
#define DCS_TUNE_REPLAY_H

#include "tuning/journal/journal.h"

typedef struct {
  dcs_evaluator evaluator; /* n samples are the first n that were recorded, or all there are */
  dcs_space space;         /* what was recorded, and nothing else */
  const dcs_recorded_space *recording;
  int samples;   /* the fewest that an ok configuration has: a search may not ask for more */
  int *recorded; /* of each configuration of the space: its index in the recording */
} dcs_replay;

/* The recording must outlive it. Free with dcs_replay_close(), whatever the status. */
dcs_status dcs_replay_open(const dcs_recorded_space *recording, dcs_replay *replay);
void dcs_replay_close(dcs_replay *replay);

/* The median of all recorded samples; INFINITY for a failure. */
double dcs_replay_truth(const dcs_replay *replay, int config);

#endif
