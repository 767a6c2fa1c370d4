/* Who waits for whom. */
#include "library/frames/pipe.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"

#include <math.h>
#include <stdio.h>

void dcs_pipe_all_started(dcs_pipe *p) {
  pthread_mutex_lock(&p->starting);
  pthread_mutex_unlock(&p->starting);
}

void dcs_pipe_fail(dcs_pipe *p, dcs_status status) {
  pthread_mutex_lock(&p->lock);
  if (p->status == DCS_OK) {
    p->status = status;
    snprintf(p->why, sizeof p->why, "%s", dcs_error_message());
  }
  p->stop = true;
  pthread_cond_broadcast(&p->changed);
  pthread_cond_broadcast(&p->to_prepare);
  pthread_mutex_unlock(&p->lock);
}

void dcs_pipe_spent(dcs_pipe *p, dcs_stage stage, double begin, double end) {
  pthread_mutex_lock(&p->lock);
  p->times->busy_s[stage] += 1e-9 * (end - begin);
  p->times->ahead_s[stage] += 1e-9 * fmax(0, fmin(end, p->opened_ns) - begin);
  if (p->job->timeline)
    dcs_timeline_add(p->job->timeline, (dcs_span){(int)stage, 1e-9 * (begin - p->started_ns),
                                                  1e-9 * (end - p->started_ns)});
  pthread_mutex_unlock(&p->lock);
}

void dcs_pipe_worked(dcs_pipe *p, dcs_stage stage, double begin) {
  dcs_pipe_spent(p, stage, begin, dcs_now_ns());
}

void dcs_pipe_set_slot(dcs_pipe *p, dcs_frame_slot *slot, dcs_slot_state state) {
  pthread_mutex_lock(&p->lock);
  slot->state = state;
  p->read += state == DCS_SLOT_READ;
  if (state == DCS_SLOT_READ)
    pthread_cond_signal(&p->to_prepare);
  else
    pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

static dcs_frame_slot *slot_of(dcs_pipe *p, int64_t frame) {
  return &p->slots[frame % p->n_slots];
}

dcs_frame_slot *dcs_pipe_next_free(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  dcs_frame_slot *slot = slot_of(p, p->read);
  while (p->status == DCS_OK && slot->state != DCS_SLOT_FREE)
    pthread_cond_wait(&p->changed, &p->lock);
  if (p->status != DCS_OK) slot = NULL;
  pthread_mutex_unlock(&p->lock);
  return slot;
}

dcs_frame_slot *dcs_pipe_next_read(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  while (p->status == DCS_OK && p->prepared == p->read && !p->ended)
    pthread_cond_wait(&p->to_prepare, &p->lock);
  const bool more = p->status == DCS_OK && p->prepared < p->read;
  dcs_frame_slot *slot = more ? slot_of(p, p->prepared++) : NULL;
  if (slot) slot->state = DCS_SLOT_PREPARING;
  pthread_mutex_unlock(&p->lock);
  return slot;
}

/* Under the lock: the worker looks no more at the block that it had. */
static void let_go(dcs_frame_worker *w) {
  if (!w->block) return;
  w->block->held = false;
  w->block = NULL;
  pthread_cond_broadcast(&w->pipe->changed);
}

dcs_read_block *dcs_pipe_next_block(dcs_frame_worker *w, bool wait) {
  dcs_pipe *p = w->pipe;
  pthread_mutex_lock(&p->lock);
  p->idle += w->block != NULL;
  let_go(w);
  while (wait && p->status == DCS_OK && p->taken == p->begun && !(p->over && p->done == p->begun))
    pthread_cond_wait(&p->changed, &p->lock);
  if (p->status == DCS_OK && p->taken < p->begun) {
    w->block = &p->blocks[p->taken++ % DCS_BLOCKS_AT_HAND];
    p->idle--;
  }
  pthread_mutex_unlock(&p->lock);
  return w->block;
}

/* Under the lock. */
static bool is_awaited(dcs_pipe *p, const dcs_read_block *block, int64_t nth) {
  if (p->status != DCS_OK) return false;
  return nth < block->frames ? slot_of(p, block->first + nth)->state != DCS_SLOT_READY
                             : !block->whole;
}

bool dcs_pipe_frame_is_awaited(dcs_pipe *p, const dcs_read_block *block, int64_t nth) {
  pthread_mutex_lock(&p->lock);
  const bool awaited = is_awaited(p, block, nth);
  pthread_mutex_unlock(&p->lock);
  return awaited;
}

dcs_frame_slot *dcs_pipe_frame(dcs_pipe *p, const dcs_read_block *block, int64_t nth) {
  pthread_mutex_lock(&p->lock);
  while (is_awaited(p, block, nth))
    pthread_cond_wait(&p->changed, &p->lock);
  const bool there = p->status == DCS_OK && nth < block->frames;
  dcs_frame_slot *slot = there ? slot_of(p, block->first + nth) : NULL;
  pthread_mutex_unlock(&p->lock);
  return slot;
}

void dcs_pipe_done(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  p->done++;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

bool dcs_pipe_give_back(dcs_frame_worker *w, const int64_t *blocks, int n) {
  dcs_pipe *p = w->pipe;
  char *lost = p->times->lost;
  pthread_mutex_lock(&p->lock);
  p->idle -= w->block == NULL;
  let_go(w);
  const bool others = --p->left > 0;
  for (int b = 0; others && b < n; b++)
    p->back[p->n_back++] = blocks[b];
  if (others)
    dcs_append(lost, sizeof p->times->lost,
               "%s%s failed, and its blocks were left to the others: %s", *lost ? "; " : "",
               w->name, dcs_error_message());
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return others;
}
