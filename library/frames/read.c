/* Frames are taken by one thread, and prepared by others, which also read those of a DCD file. */
#include "library/frames/pipe.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "library/frames/frame_case.h"
#include "library/team.h"
#include "library/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- reading ---- */

/* DCS_PART_LATER after a millisecond. */
static dcs_status take(dcs_pipe *p, int64_t *block) {
  const dcs_status status = p->job->take(p->job->user, block);
  if (status != DCS_OK || *block != DCS_PART_LATER) return status;
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  nanosleep(&(struct timespec){0, 1000000}, NULL);
  return DCS_OK;
}

/* Under the lock: whether another rank may be idle sooner than a worker here. Each idle worker has
 * a block; of those that are left this rank reads others ahead as far as its share is more than its
 * workers will ask for. */
static bool is_turn_of_others(const dcs_pipe *p) {
  const int64_t count = dcs_frames_count(p->job->frames);
  if (p->ranks == 1) return false;
  const int64_t left = dcs_divide_up(count, DCS_FRAME_BLOCK) - 1 - p->last;
  const int64_t ahead = left / p->ranks - p->n_workers;
  return p->begun - p->taken >= p->idle + (ahead > 0 ? ahead : 0);
}

/* Under the lock: no block is to be asked for now. */
static bool is_to_wait(const dcs_pipe *p) {
  return p->over ? p->done < p->begun : is_turn_of_others(p);
}

/* The next block to read: one that came back, else what `take` says. While others may come back
 * waits for the workers. -1: none. DCS_PART_LATER: none now; the one that others wait for may come
 * back. */
static dcs_status next_block(dcs_pipe *p, int64_t *block, bool *again) {
  const int64_t count = dcs_frames_count(p->job->frames);
  *block = -1;
  pthread_mutex_lock(&p->lock);
  while (p->status == DCS_OK && p->n_back == 0 && is_to_wait(p))
    pthread_cond_wait(&p->changed, &p->lock);
  const bool stop = p->status != DCS_OK, ask = p->n_back == 0 && !p->over;
  *again = !stop && p->n_back > 0;
  if (*again) *block = p->back[--p->n_back];
  pthread_mutex_unlock(&p->lock);
  if (stop || !ask) return DCS_OK;
  const dcs_status status = take(p, block);
  if (count >= 0 && *block * DCS_FRAME_BLOCK >= count) *block = -1;
  if (*block >= 0) p->last = *block;
  return status;
}

static bool begin_block(dcs_pipe *p, int64_t block, bool again) {
  pthread_mutex_lock(&p->lock);
  dcs_read_block *entry = &p->blocks[p->begun % DCS_BLOCKS_AT_HAND];
  while (p->status == DCS_OK && entry->held)
    pthread_cond_wait(&p->changed, &p->lock);
  const bool go_on = p->status == DCS_OK;
  if (go_on) {
    p->done += again;
    *entry = (dcs_read_block){.block = block, .first = p->read, .held = true};
    p->begun++;
  }
  pthread_mutex_unlock(&p->lock);
  return go_on;
}

static void note_frame(dcs_pipe *p, dcs_frame_slot *slot) {
  pthread_mutex_lock(&p->lock);
  p->blocks[(p->begun - 1) % DCS_BLOCKS_AT_HAND].frames++;
  pthread_mutex_unlock(&p->lock);
  dcs_pipe_set_slot(p, slot, DCS_SLOT_READ);
}

/* One behind the last frame has none. */
static void end_block(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  p->blocks[(p->begun - 1) % DCS_BLOCKS_AT_HAND].whole = true;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

/* *more is false behind the last frame of all. */
static dcs_status read_block(dcs_pipe *p, int64_t block, bool again, bool *more) {
  dcs_frames *frames = p->job->frames;
  if (!begin_block(p, block, again)) return DCS_OK;
  DCS_TRY(dcs_frames_seek(frames, block * DCS_FRAME_BLOCK));
  for (int f = 0; *more && f < DCS_FRAME_BLOCK; f++) {
    dcs_frame_slot *slot = dcs_pipe_next_free(p);
    if (!slot) return DCS_OK;
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    const double start = dcs_now_ns();
    DCS_TRY(dcs_frames_take(frames, &slot->frame, &slot->raw, more));
    if (!slot->raw.file) dcs_pipe_worked(p, DCS_STAGE_READING, start);
    if (*more) note_frame(p, slot);
  }
  end_block(p);
  return DCS_OK;
}

static void end_reading(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  p->over = true;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static dcs_status read_all(dcs_pipe *p) {
  for (;;) {
    int64_t block;
    bool again, more = true;
    DCS_TRY(next_block(p, &block, &again));
    if (block == DCS_PART_LATER) continue;
    if (block < 0) {
      const bool was_over = p->over;
      end_reading(p);
      if (was_over) return DCS_OK;
      continue;
    }
    DCS_TRY(read_block(p, block, again, &more));
    if (!more) end_reading(p);
  }
}

void *dcs_pipe_reader(void *pipe) {
  dcs_pipe *p = pipe;
  dcs_interrupt_by(&p->stop);
  const dcs_status status = read_all(p);
  if (status != DCS_OK) dcs_pipe_fail(p, status);
  return NULL;
}

/* ---- preparing ---- */

/* Places of the frame. What has to be read for them is the stage of reading, which *start is then
 * the end of. */
static dcs_status make(dcs_pipe *p, dcs_frame_slot *slot, double *start) {
  const bool reads = slot->raw.file != NULL;
  const dcs_status status = dcs_frames_make(p->job->frames, &slot->raw, &slot->frame);
  const double now = dcs_now_ns();
  if (!reads) return status;
  dcs_pipe_spent(p, DCS_STAGE_READING, *start, now);
  *start = now;
  return status;
}

static dcs_status prepare(dcs_pipe *p, dcs_frame_slot *slot, double *start) {
  const dcs_variant *variant = p->method.variant;
  const dcs_config *config = &p->method.config;
  char why[DCS_TEXT];
  DCS_TRY(make(p, slot, start));
  DCS_TRY(dcs_frame_case(p->job->request, p->job->top, &slot->frame, &slot->c));
  slot->c.problem.scale = p->scale;
  if (!p->planned) return DCS_OK;
  variant->plan(&slot->c.problem, config, &slot->plan);
  if (variant->looks && !slot->plan.incomplete) return DCS_OK; /* which looked at all there is */
  if (dcs_applicable(variant, &slot->c.problem, config, why)) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "frame %lld: %s: %s", (long long)slot->frame.number, variant->id,
                  why);
}

/* A frame that cannot be prepared ends the run where its turn comes. */
static dcs_status prepare_all(void *pipe) {
  dcs_pipe *p = pipe;
  double *places = malloc((size_t)p->job->top->n * 3 * sizeof *places);
  if (!places)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)p->job->top->n);
  for (dcs_frame_slot *slot; (slot = dcs_pipe_next_read(p)) != NULL;) {
    double start = dcs_now_ns();
    slot->frame.places = places;
    slot->status = prepare(p, slot, &start);
    dcs_team_unbind();
    if (slot->status != DCS_OK) snprintf(slot->why, sizeof slot->why, "%s", dcs_error_message());
    dcs_pipe_worked(p, DCS_STAGE_PREPARING, start);
    dcs_pipe_set_slot(p, slot, DCS_SLOT_READY);
  }
  free(places);
  return DCS_OK;
}

void *dcs_pipe_preparer(void *pipe) {
  const dcs_status status = dcs_team_run(1, prepare_all, pipe);
  if (status != DCS_OK) dcs_pipe_fail(pipe, status);
  return NULL;
}
