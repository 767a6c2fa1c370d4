/* The mean of the maps of frames, by all workers of a job, and its checkpoint. */
#ifndef DCS_FRAMES_MEAN_H
#define DCS_FRAMES_MEAN_H

#include "harness/base/progress.h"
#include "library/frames/run.h"
#include "library/workers.h"

typedef struct {
  /* `take`, `give` and `user` of it are not used; `method` is rank 0's, NULL where it is to choose.
   * `each` is called on the rank that computed the map, with `each_user`. */
  dcs_frames_job job;
  void *each_user;
  dcs_workers *workers;
  const char *checkpoint; /* a file that rank 0 writes now and then, and goes on from; NULL: none */
  dcs_progress *progress; /* that rank 0 draws; NULL: none */
} dcs_mean_job;

/* Collective: computes the blocks of frames that the checkpoint does not have. On rank 0 *average
 * is then whole, and the caller closes it; it removes the checkpoint once the results are written.
 * Where the job fails or is interrupted, the checkpoint has what was done before. `times` are this
 * rank's. DCS_INPUT for a checkpoint of another job, saying what differs; DCS_USAGE for frames that
 * several ranks cannot share: those of a pipe. */
dcs_status dcs_frames_mean(const dcs_mean_job *job, dcs_average **average, dcs_frames_times *times);

#endif
