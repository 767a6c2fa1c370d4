/* Workers compute the frames of the blocks that they take, on a card or by a mapper. */
#include "library/frames/pipe.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "library/frames/frame_case.h"
#include "library/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is computed ---- */

/* Under the lock: until the last block was given, or nobody will give it. */
static void wait_until_given(dcs_frame_worker *w) {
  while (w->gift.full && (w->pipe->status == DCS_OK || w->gift.giving))
    pthread_cond_wait(&w->pipe->changed, &w->pipe->lock);
}

/* Where the run has failed the block may lack frames, and goes nowhere. */
static void hand_over(dcs_frame_worker *w, int64_t block, const dcs_partial *partial) {
  dcs_pipe *p = w->pipe;
  pthread_mutex_lock(&p->lock);
  wait_until_given(w);
  if (p->status == DCS_OK) w->gift = (dcs_gift){.block = block, .partial = *partial, .full = true};
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
}

/* The giver may still read from the arrays of the last one. */
static void wait_for_giver(dcs_frame_worker *w) {
  pthread_mutex_lock(&w->pipe->lock);
  wait_until_given(w);
  pthread_mutex_unlock(&w->pipe->lock);
}

static dcs_status show(dcs_pipe *p, const dcs_frame_slot *slot, const float *map) {
  if (!p->job->each) return DCS_OK;
  const double start = dcs_now_ns();
  pthread_mutex_lock(&p->calls);
  dcs_status status = p->job->each(p->job->user, slot->frame.number, map);
  pthread_mutex_unlock(&p->calls);
  dcs_pipe_worked(p, DCS_STAGE_WRITING, start);
  return status;
}

/* What a worker that failed leaves: nobody computes it here. */
static void drop_frames(dcs_pipe *p, const dcs_read_block *block, int64_t nth) {
  for (dcs_frame_slot *slot; (slot = dcs_pipe_frame(p, block, nth)) != NULL; nth++)
    dcs_pipe_set_slot(p, slot, DCS_SLOT_FREE);
}

static dcs_status check_slot(const dcs_frame_slot *slot) {
  return slot->status == DCS_OK ? DCS_OK : dcs_fail(slot->status, "%s", slot->why);
}

/* ---- by a mapper: the CPU, and a card for what needs its host ---- */

typedef struct {
  dcs_frame_worker *w;
  dcs_partial partials[2]; /* one is filled while the other is given */
  float *map;
  bool failed; /* the mapper; else the run */
} mapping;

/* The mapper computes its own case: the slot's takes its place meanwhile. */
static dcs_status compute_slot(mapping *c, dcs_frame_slot *slot, dcs_partial *partial) {
  dcs_mapper *m = c->w->mapper;
  const dcs_case own = m->c;
  const double start = dcs_now_ns();
  DCS_TRY(check_slot(slot));
  if (partial->frames == 0) partial->atoms = dcs_frame_case_hash(&slot->c);
  m->c = slot->c;
  dcs_mapper_change_inputs(m);
  const dcs_status status = dcs_mapper_slices(m, 0, m->c.problem.n.z, c->map);
  slot->c = m->c;
  m->c = own;
  c->failed = status != DCS_OK;
  dcs_pipe_worked(c->w->pipe, DCS_STAGE_COMPUTING, start);
  return status;
}

static dcs_status compute_block(mapping *c, const dcs_read_block *block, dcs_partial *partial) {
  dcs_pipe *p = c->w->pipe;
  dcs_frame_slot *slot;
  partial->frames = 0;
  while ((slot = dcs_pipe_frame(p, block, partial->frames)) != NULL) {
    DCS_TRY(compute_slot(c, slot, partial));
    const double start = dcs_now_ns();
    dcs_partial_add(partial, c->map);
    dcs_pipe_worked(p, DCS_STAGE_ADDING, start);
    DCS_TRY(show(p, slot, c->map));
    dcs_pipe_set_slot(p, slot, DCS_SLOT_FREE);
  }
  return DCS_OK;
}

static dcs_status compute_blocks(mapping *c) {
  dcs_pipe *p = c->w->pipe;
  const dcs_read_block *block;
  for (int i = 0; (block = dcs_pipe_next_block(c->w, true)) != NULL; i = 1 - i) {
    const int64_t number = block->block;
    dcs_partial *partial = &c->partials[i];
    const dcs_status status = compute_block(c, block, partial);
    if (c->failed) drop_frames(p, block, partial->frames);
    if (c->failed && !dcs_interrupted() && dcs_pipe_give_back(c->w, &number, 1)) return DCS_OK;
    if (status != DCS_OK) return status;
    if (partial->frames > 0)
      hand_over(c->w, number, partial);
    else
      dcs_pipe_done(p);
  }
  return DCS_OK;
}

static dcs_status compute_by_mapper(dcs_frame_worker *w) {
  const dcs_frames_job *job = w->pipe->job;
  const int64_t points = job->request->nx * job->request->ny * job->request->nz;
  mapping c = {.w = w, .map = malloc((size_t)points * sizeof *c.map)};
  dcs_status status =
      c.map ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points", (long long)points);
  for (int i = 0; i < 2 && status == DCS_OK; i++)
    status = dcs_partial_make(points, job->variance, &c.partials[i]);
  if (status == DCS_OK) status = compute_blocks(&c);
  wait_for_giver(w);
  for (int i = 0; i < 2; i++)
    dcs_partial_free(&c.partials[i]);
  free(c.map);
  return status;
}

/* ---- on a card ---- */

/* A worker's frames in hand, and the block whose sums are under way. */
typedef struct {
  dcs_frame_worker *w;
  dcs_frame_slot *slots[DCS_FRAMES_IN_HAND];
  float *maps[DCS_FRAMES_IN_HAND]; /* where they are wanted */
  int64_t added, waited;
  dcs_partial ended; /* frames 0: none is under way */
  int64_t ended_block;
  bool failed; /* the card; else the run */
} driver;

static dcs_status check(driver *d, dcs_outcome outcome) {
  if (outcome == DCS_OUTCOME_OK) return DCS_OK;
  d->failed = true;
  return outcome == DCS_OUTCOME_MEMORY ? DCS_UNAVAILABLE : DCS_FAILED;
}

static void add_time(driver *d, dcs_stage stage, const dcs_device_span *span) {
  if (span->end_ns > span->begin_ns)
    dcs_pipe_spent(d->w->pipe, stage, span->begin_ns, span->end_ns);
}

static dcs_status wait_for_frame(driver *d) {
  const int which = (int)(d->waited % DCS_FRAMES_IN_HAND);
  dcs_device_span computed, copied;
  DCS_TRY(check(d, dcs_device_frames_wait(d->w->device, &computed, &copied)));
  add_time(d, DCS_STAGE_COMPUTING, &computed);
  add_time(d, DCS_STAGE_COPYING, &copied);
  d->waited++;
  DCS_TRY(show(d->w->pipe, d->slots[which], d->maps[which]));
  dcs_pipe_set_slot(d->w->pipe, d->slots[which], DCS_SLOT_FREE);
  return DCS_OK;
}

static dcs_status add_frame(driver *d, dcs_frame_slot *slot, int64_t nth) {
  const int which = (int)(d->added % DCS_FRAMES_IN_HAND);
  if (d->added - d->waited == DCS_FRAMES_IN_HAND) DCS_TRY(wait_for_frame(d));
  DCS_TRY(check_slot(slot));
  const dcs_device_frame frame = {.problem = slot->c.problem,
                                  .plan = slot->plan,
                                  .fixes = slot->c.fixes,
                                  .n_fixes = slot->c.n_fixes,
                                  .map = d->maps[which]};
  const double start = dcs_now_ns();
  DCS_TRY(check(d, dcs_device_frames_add(d->w->device, &frame, nth)));
  if (!d->w->mapper->engines[DCS_GPU]->device->timed) /* all was done meanwhile */
    dcs_pipe_worked(d->w->pipe, DCS_STAGE_COMPUTING, start);
  d->slots[which] = slot;
  d->added++;
  return DCS_OK;
}

/* The sums of the last block, which came while the first frames of this one were enqueued. */
static dcs_status hand_over_ended(driver *d) {
  dcs_device_span copied;
  dcs_device_sums sums;
  if (d->ended.frames == 0) return DCS_OK;
  DCS_TRY(check(d, dcs_device_frames_sums(d->w->device, &sums, &copied)));
  add_time(d, DCS_STAGE_COPYING, &copied);
  d->ended.sum = sums.sum;
  d->ended.m2 = sums.m2;
  hand_over(d->w, d->ended_block, &d->ended);
  d->ended.frames = 0;
  return DCS_OK;
}

/* The block's nth frame; NULL: it has no more. While it is not there the frames in hand are waited
 * for: the reader may need their slots. */
static dcs_status next_frame(driver *d, const dcs_read_block *block, int64_t nth,
                             dcs_frame_slot **slot) {
  dcs_pipe *p = d->w->pipe;
  while (d->waited < d->added && dcs_pipe_frame_is_awaited(p, block, nth))
    DCS_TRY(wait_for_frame(d));
  *slot = dcs_pipe_frame(p, block, nth);
  return DCS_OK;
}

static dcs_status drive_block(driver *d, const dcs_read_block *block, int64_t *n) {
  uint64_t atoms = 0;
  for (dcs_frame_slot *slot;;) {
    DCS_TRY(next_frame(d, block, *n, &slot));
    if (!slot) break;
    if (*n == 0 && slot->status == DCS_OK) atoms = dcs_frame_case_hash(&slot->c);
    DCS_TRY(add_frame(d, slot, *n + 1));
    if (++*n == DCS_FRAMES_IN_HAND) DCS_TRY(hand_over_ended(d));
  }
  DCS_TRY(hand_over_ended(d)); /* where it has one frame, or none */
  if (*n == 0) {
    dcs_pipe_done(d->w->pipe);
    return DCS_OK;
  }
  d->ended.frames = *n;
  d->ended.atoms = atoms;
  d->ended_block = block->block;
  return check(d, dcs_device_frames_end_block(d->w->device));
}

/* All that is enqueued, where nothing is there to be enqueued behind it. */
static dcs_status finish(driver *d) {
  while (d->waited < d->added)
    DCS_TRY(wait_for_frame(d));
  return hand_over_ended(d);
}

/* The block that it drives (NULL: none) and the one whose sums did not come go back. */
static bool give_back(driver *d, const dcs_read_block *block, int64_t nth) {
  dcs_pipe *p = d->w->pipe;
  int64_t blocks[2];
  int n = 0;
  if (d->ended.frames > 0) blocks[n++] = d->ended_block;
  if (block && (n == 0 || blocks[0] != block->block)) blocks[n++] = block->block;
  for (; d->waited < d->added; d->waited++)
    dcs_pipe_set_slot(p, d->slots[d->waited % DCS_FRAMES_IN_HAND], DCS_SLOT_FREE);
  if (block) drop_frames(p, block, nth);
  return dcs_pipe_give_back(d->w, blocks, n);
}

static dcs_status drive_blocks(driver *d) {
  for (;;) {
    int64_t n = 0;
    dcs_status status = DCS_OK;
    const dcs_read_block *block = dcs_pipe_next_block(d->w, false);
    if (!block) {
      status = finish(d);
      if (status == DCS_OK) block = dcs_pipe_next_block(d->w, true);
      if (status == DCS_OK && !block) return DCS_OK;
    }
    if (status == DCS_OK) status = drive_block(d, block, &n);
    if (d->failed && give_back(d, block, n)) return DCS_OK;
    if (status != DCS_OK) return status;
  }
}

static dcs_status make_maps(driver *d, int64_t points) {
  for (int i = 0; d->w->pipe->job->each && i < DCS_FRAMES_IN_HAND; i++)
    if (!(d->maps[i] = malloc((size_t)points * sizeof(float))))
      return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points", (long long)points);
  return DCS_OK;
}

static dcs_status compute_on_card(dcs_frame_worker *w) {
  const dcs_map_request *r = w->pipe->job->request;
  driver d = {.w = w, .ended = {.points = r->nx * r->ny * r->nz}};
  dcs_status status = make_maps(&d, d.ended.points);
  if (status == DCS_OK) status = drive_blocks(&d);
  wait_for_giver(w);
  for (int i = 0; i < DCS_FRAMES_IN_HAND; i++)
    free(d.maps[i]);
  return status;
}

/* ---- either ---- */

static dcs_status work(void *data) {
  dcs_frame_worker *w = data;
  return w->device ? compute_on_card(w) : compute_by_mapper(w);
}

void *dcs_pipe_worker(void *worker) {
  dcs_frame_worker *w = worker;
  dcs_pipe_all_started(w->pipe);
  const dcs_status status = dcs_team_run(w->pipe->threads_each, work, w);
  if (status != DCS_OK) dcs_pipe_fail(w->pipe, status);
  return NULL;
}
