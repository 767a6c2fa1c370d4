/* The mean, the variance and the standard error of the maps of frames, in double precision and to
 * the last bit the same whoever computed the maps, and in whatever order they came.
 *
 * Frames are counted in blocks of 16. A block's maps are added in the order of its frames by one
 * worker; what it has found is merged with the other blocks' in the order of blocks, and a block
 * that comes early waits. Squares of deviations are updated frame by frame (Youngs and Cramer,
 * Technometrics 13 (1971) 657) and merged block by block (Chan, Golub and LeVeque, Stanford
 * STAN-CS-79-773 (1979)): sums of squares are never subtracted from each other. */
#ifndef DCS_AVERAGE_H
#define DCS_AVERAGE_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { DCS_FRAME_BLOCK = 16 };

/* ---- blocks ---- */

/* Of the frames of one block, or of fewer at the end. */
typedef struct {
  int64_t points, frames;
  double *sum; /* of the maps */
  double *m2;  /* of the squares of their deviations from their mean; NULL: no variance is wanted */
  uint64_t atoms; /* hash of those of its first frame, for checkpoints alone */
} dcs_partial;

/* Makes an empty one; dcs_partial_free() frees it. DCS_UNAVAILABLE when memory is short. */
dcs_status dcs_partial_make(int64_t points, bool variance, dcs_partial *partial);
void dcs_partial_free(dcs_partial *partial);
/* Adds the map of the next frame; what arrays hold is not read as long as frames is 0. A GPU's
 * harness/engine/device/frames.cu does the same operations. */
void dcs_partial_add(dcs_partial *partial, const float *map);

/* By which dcs_partial_add() multiplies when it adds the nth frame: 1 / (n (n - 1)). */
static inline double dcs_partial_factor(int64_t n) {
  return n > 1 ? 1 / ((double)n * (double)(n - 1)) : 0;
}

/* ---- the whole ---- */

typedef struct dcs_average dcs_average;

/* `frames`: how many there will be, below 0 where that is not known; the long blocks that the
 * standard error is taken from are a multiple of 16 frames, chosen so that there are 20 to 39
 * of them, or 16 frames below 320 and where their number is not known. One thread at a time uses
 * it. dcs_average_close() frees it. */
dcs_status dcs_average_open(int64_t points, bool variance, int64_t frames, dcs_average **average);
void dcs_average_close(dcs_average *average); /* NULL is fine */

/* Takes block number `block`, from 0, each once; the partial is the caller's again. All but the
 * last have 16 frames. DCS_FAILED where it was given before, DCS_UNAVAILABLE when memory is short.
 */
dcs_status dcs_average_give(dcs_average *average, int64_t block, const dcs_partial *partial);
/* Whether that block was given. */
bool dcs_average_has(const dcs_average *average, int64_t block);
/* Frames of the blocks that were given. */
int64_t dcs_average_frames(const dcs_average *average);
/* All blocks before this one are merged: those behind it that were given wait. */
int64_t dcs_average_merged(const dcs_average *average);

/* The last of all blocks that were given, and the hash of its atoms; -1: none was. */
int64_t dcs_average_last(const dcs_average *average, uint64_t *atoms);

/* Writes each that is not NULL: the mean; the variance, with frames - 1 as its divisor; the
 * standard error of the mean by block averaging (the idea is in Flyvbjerg and Petersen, J. Chem.
 * Phys. 91 (1989) 461): neighbouring frames are correlated, means of long blocks are not, so the
 * error is the root of the variance of these over their number. Frames behind the last whole long
 * block count in mean and variance alone; with fewer than two long blocks frames are taken as not
 * correlated. DCS_FAILED where a block is missing, DCS_USAGE where a variance of fewer than two
 * frames is asked for or variances were not opened. */
dcs_status dcs_average_finish(const dcs_average *average, float *mean, float *variance,
                              float *error);

/* ---- checkpoints ---- */

/* Whatever decides over the bits of the result. */
typedef struct {
  uint64_t frames; /* hash of places and charges */
  char problem[512], method[512], program[512];
} dcs_average_job;

/* Writes what it holds, beside and renamed, and of which job it is. */
dcs_status dcs_average_write(const dcs_average *average, const char *path,
                             const dcs_average_job *job);
/* Goes on from such a file: *found is false, and the average as it was, where there is none.
 * DCS_INPUT where it is of another job, saying what differs, or damaged; the average is then empty.
 */
dcs_status dcs_average_read(dcs_average *average, const char *path, const dcs_average_job *job,
                            bool *found);

#endif
