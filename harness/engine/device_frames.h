/* Frames on one device: problems of one shape whose atoms move, computed one after another by one
 * method and added in double precision where they are.
 *
 * Two frames are in hand: one that is computed and one that is enqueued behind it. Places come from
 * page-locked memory in a stream of their own while the frame before is computed; charges are
 * copied once; of the maps, the sums of a block are copied out, by a third stream, while the next
 * block is computed into other ones. (States of buffers: coherence.h.)
 *
 * Inputs are elements of four floats, of which the first three are a place. What a plan says may
 * depend on the places, so each frame brings its own. */
#ifndef DCS_DEVICE_FRAMES_H
#define DCS_DEVICE_FRAMES_H

#include "harness/engine/engine.h"

typedef struct dcs_device_frames dcs_device_frames;

enum { DCS_FRAMES_IN_HAND = 2, DCS_SUMS_IN_HAND = 2 };

/* A frame that is ready to be computed. */
typedef struct {
  dcs_problem problem; /* its inputs in host memory; kept until the frame is waited for */
  dcs_plan plan;       /* the method's for it */
  const dcs_fix *fixes;
  int64_t n_fixes;
  float *map; /* receives the map itself, packed; NULL: not wanted */
} dcs_device_frame;

/* The sums of a block's maps, in page-locked memory. */
typedef struct {
  double *sum, *m2; /* m2: of squares of deviations; NULL without */
} dcs_device_sums;

/* Makes the engine of one device ready for frames of the first one's shape, and takes its charges.
 * What the engine was ready for is forgotten; it stays the caller's, and is used by nobody else
 * until the frames are closed. DCS_OUTCOME_INAPPLICABLE for a method whose inputs the host places,
 * or inputs of another form. */
dcs_outcome dcs_device_frames_open(dcs_engine *engine, const dcs_kind *kind,
                                   const dcs_variant *variant, const dcs_config *config,
                                   const dcs_problem *first, bool squares,
                                   dcs_device_frames **frames);
void dcs_device_frames_close(dcs_device_frames *frames); /* NULL is fine */

/* Enqueues a frame, the nth of its block, from 1; where two are in hand, one has to be waited for
 * before. */
dcs_outcome dcs_device_frames_add(dcs_device_frames *frames, const dcs_device_frame *frame,
                                  int64_t nth);
/* When the device did something, by dcs_now_ns(); empty where it has no times. */
typedef struct {
  double begin_ns, end_ns;
} dcs_device_span;
/* Waits for the frame in hand that was enqueued first; its map is there then. Says when it was
 * computed, and when its places were copied. */
dcs_outcome dcs_device_frames_wait(dcs_device_frames *frames, dcs_device_span *computed,
                                   dcs_device_span *copied);
/* Enqueues the copying out of the sums of the block whose last frame was enqueued. Those of the
 * block before the last one are to be done with. */
dcs_outcome dcs_device_frames_end_block(dcs_device_frames *frames);
/* Waits for them. They stay until the next block but one ends. */
dcs_outcome dcs_device_frames_sums(dcs_device_frames *frames, dcs_device_sums *sums,
                                   dcs_device_span *copied);

#endif
