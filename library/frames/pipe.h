/* The inside of a run over frames.
 *
 *     reader -> frames read -> preparers -> frames prepared -> workers -> blocks -> giver
 *
 * A ring of slots holds frames in the order in which they are read; a block's frames follow each
 * other. A worker (some threads of the CPU, or a card) owns the block that it took and computes its
 * frames in order. What one that failed had goes back and is read again.
 *
 * Devices take a while to open. Meanwhile frames are read and prepared, as many as there are slots.
 */
#ifndef DCS_PIPE_H
#define DCS_PIPE_H

#include "harness/engine/device_frames.h"
#include "library/frames/run.h"
#include "library/mapper.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum { DCS_SLOT_FREE, DCS_SLOT_READ, DCS_SLOT_PREPARING, DCS_SLOT_READY } dcs_slot_state;

typedef struct {
  dcs_slot_state state;
  dcs_frame frame;   /* its places are the preparer's, while it is prepared */
  dcs_raw_frame raw; /* what that makes it of */
  dcs_case c;
  dcs_plan plan;     /* of a device's method */
  dcs_status status; /* of its preparing, and what that said */
  char why[2 * DCS_TEXT];
} dcs_frame_slot;

/* A block that is read: its frames are those of the run from `first` on. */
typedef struct {
  int64_t block, first, frames;
  bool whole; /* all of it is read */
  bool held;  /* a worker looks at it, or will */
} dcs_read_block;

/* Blocks that are held at once: every worker's, and those that the reader is ahead. */
enum { DCS_BLOCKS_AT_HAND = 64 };

/* Threads that were started, but for those of the workers: reader, giver, preparers. */
enum { DCS_MOST_PREPARERS = 8 * DCS_MAX_DEVICES };
typedef struct {
  pthread_t list[DCS_MOST_PREPARERS + 2];
  int n;
} dcs_pipe_threads;

/* With fewer the reader would wait though there is room for frames (open.c). */
_Static_assert(DCS_BLOCKS_AT_HAND >= 2 * DCS_MAX_DEVICES + DCS_MOST_PREPARERS / DCS_FRAME_BLOCK + 2,
               "a block of each worker, one ahead of it, and those that are prepared");

/* A block that is computed, on its way to the giver. */
typedef struct {
  int64_t block;
  dcs_partial partial; /* its arrays are the worker's */
  bool full;
  bool giving; /* the giver reads it, whatever fails meanwhile */
} dcs_gift;

typedef struct dcs_pipe dcs_pipe;

typedef struct {
  dcs_pipe *pipe;
  dcs_mapper *mapper;
  char name[32]; /* of its device, for messages */
  dcs_gift gift;
  dcs_read_block *block;     /* that it has; NULL: none */
  dcs_device_frames *device; /* NULL: frames are computed one by one, by the mapper */
} dcs_frame_worker;

struct dcs_pipe {
  const dcs_frames_job *job;
  char text[DCS_METHOD_TEXT]; /* of the method, as dcs_mapper_keep() takes it */
  dcs_method method;
  bool planned;   /* each frame brings its plan */
  dcs_case first; /* frame, which devices are opened with, and its scale */
  double scale;
  dcs_frame_worker workers[DCS_MAX_DEVICES];
  int n_workers, preparers;
  int ranks;                 /* that take blocks: 1 at least */
  int threads, threads_each; /* that the job may have, and a worker of the CPU */
  dcs_pipe_threads others;

  int64_t last;     /* of the reader: the block that it took last; -1: none */
  atomic_bool stop; /* what waits for a pipe's bytes shall not: the run has failed */

  pthread_mutex_t starting;           /* held while workers' threads are started */
  pthread_mutex_t calls;              /* of the job's functions */
  pthread_mutex_t lock;               /* of all that follows */
  pthread_cond_t changed, to_prepare; /* preparers, of whom many may wait, wait for the second */
  dcs_frame_slot *slots;
  int n_slots;
  int64_t read, prepared; /* frames */
  dcs_read_block blocks[DCS_BLOCKS_AT_HAND];
  int64_t begun, taken, done; /* blocks: by the reader, by workers, and given or read again */
  int64_t back[2 * DCS_MAX_DEVICES]; /* blocks of workers that failed */
  int n_back;
  bool over;         /* there is nothing more to read */
  int left;          /* workers that work */
  int idle;          /* those without a block, also before they begin */
  bool ended;        /* they have ended, all of them */
  dcs_status status; /* the first failure of all, which ends the run */
  char why[2 * DCS_TEXT];
  dcs_frames_times *times;
  double started_ns, opened_ns; /* dcs_now_ns() when reading began; when the devices were open */
};

/* ---- the run (open.c, run.c) ---- */

/* A mapper of the job's device. */
dcs_status dcs_frames_mapper(const dcs_frames_job *job, dcs_mapper **mapper);
/* Finds the method and makes room for frames; close it whatever the status. */
dcs_status dcs_pipe_open(const dcs_frames_job *job, dcs_frames_times *times, dcs_pipe *p);
/* Begins to read and to prepare, and opens the devices, all at once. */
dcs_status dcs_pipe_start(dcs_pipe *p);
/* Computes until there is no more to do. */
dcs_status dcs_pipe_run(dcs_pipe *p);
void dcs_pipe_close(dcs_pipe *p);

/* ---- in turn (pipe.c): each takes the lock ---- */

/* Called by a worker's thread first: waits until those of all workers have started. OpenMP's
 * runtime ends the process where one of its own does not start. */
void dcs_pipe_all_started(dcs_pipe *p);

/* Notes the failure, with the calling thread's message, unless there was one before; all stages
 * then end. */
void dcs_pipe_fail(dcs_pipe *p, dcs_status status);
/* Adds what a stage did from begin to end, or until now (dcs_now_ns()). Before the devices are open
 * opened_ns is INFINITY. */
void dcs_pipe_spent(dcs_pipe *p, dcs_stage stage, double begin, double end);
void dcs_pipe_worked(dcs_pipe *p, dcs_stage stage, double begin);

/* Each of these waits until there is one; NULL: there is nothing more to do. */
dcs_frame_slot *dcs_pipe_next_free(dcs_pipe *p);
dcs_frame_slot *dcs_pipe_next_read(dcs_pipe *p);
/* The worker is done with the one that it had. Without `wait`, NULL also where there is none now.
 */
dcs_read_block *dcs_pipe_next_block(dcs_frame_worker *w, bool wait);
/* The nth frame of the block, from 0, once it is prepared; NULL: it has no more, or all ends. */
dcs_frame_slot *dcs_pipe_frame(dcs_pipe *p, const dcs_read_block *block, int64_t nth);
/* Whether that would wait. */
bool dcs_pipe_frame_is_awaited(dcs_pipe *p, const dcs_read_block *block, int64_t nth);
void dcs_pipe_set_slot(dcs_pipe *p, dcs_frame_slot *slot, dcs_slot_state state);
/* The worker failed, with the calling thread's message: the n blocks that it had are read again for
 * the others; false where there are none. */
bool dcs_pipe_give_back(dcs_frame_worker *w, const int64_t *blocks, int n);

/* A block is done: it was given, or had no frame. */
void dcs_pipe_done(dcs_pipe *p);

/* ---- the threads ---- */

void *dcs_pipe_reader(void *pipe);
void *dcs_pipe_preparer(void *pipe);
void *dcs_pipe_worker(void *worker);
void *dcs_pipe_giver(void *pipe);

#endif
