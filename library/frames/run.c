/* Maps of frames: the run. */
#include "library/frames/run.h"

#include "harness/base/clock.h"
#include "library/frames/pipe.h"
#include "library/team.h"

#include <stdlib.h>
#include <string.h>

const char *const dcs_stage_names[DCS_N_STAGES] = {"reading",   "preparing", "copying",
                                                   "computing", "adding",    "writing"};

/* ---- threads ---- */

static bool start(dcs_pipe *p, void *(*main)(void *), void *data, pthread_t *thread) {
  const int error = dcs_team_start(thread, main, data);
  if (error)
    dcs_pipe_fail(p, dcs_fail(DCS_UNAVAILABLE, "cannot start a thread: %s", strerror(error)));
  return error == 0;
}

static void start_other(dcs_pipe *p, void *(*main)(void *)) {
  p->others.n += start(p, main, p, &p->others.list[p->others.n]);
}

static void end_others(dcs_pipe *p) {
  pthread_mutex_lock(&p->lock);
  p->ended = true;
  pthread_cond_broadcast(&p->changed);
  pthread_cond_broadcast(&p->to_prepare);
  pthread_mutex_unlock(&p->lock);
  while (p->others.n > 0)
    pthread_join(p->others.list[--p->others.n], NULL);
}

/* A thread for each worker, until they have ended. Those of their loops begin when all are there.
 */
static void each_worker(dcs_pipe *p, void *(*main)(void *)) {
  pthread_t list[DCS_MAX_DEVICES];
  int n = 0;
  pthread_mutex_lock(&p->starting);
  for (int w = 0; w < p->n_workers; w++)
    n += start(p, main, &p->workers[w], &list[n]);
  pthread_mutex_unlock(&p->starting);
  while (n > 0)
    pthread_join(list[--n], NULL);
}

static dcs_status status_of(const dcs_pipe *p) {
  return p->status == DCS_OK ? DCS_OK : dcs_fail(p->status, "%s", p->why);
}

/* ---- workers ---- */

/* A card's engine, ready for frames; the mapper has it all the same where it cannot be. */
static void open_device(dcs_frame_worker *w) {
  dcs_pipe *p = w->pipe;
  dcs_engine *engine = w->mapper->engines[DCS_GPU];
  if (!p->planned || !engine || !engine->device) return;
  w->mapper->ready[DCS_GPU] = (dcs_ready){0}; /* its inputs go */
  (void)dcs_device_frames_open(engine, dcs_kinds[0], p->method.variant, &p->method.config,
                               &p->first.problem, p->job->variance, &w->device);
}

/* The mapper of its device, with the method alone. */
static dcs_status open_worker(void *worker) {
  dcs_frame_worker *w = worker;
  dcs_frames_job job = *w->pipe->job;
  job.device = w->name;
  if (!w->mapper) DCS_TRY(dcs_frames_mapper(&job, &w->mapper));
  w->mapper->threads = w->pipe->threads_each;
  DCS_TRY(dcs_mapper_keep(w->mapper, w->pipe->text));
  if (w->pipe->method.variant->backend == DCS_GPU) open_device(w);
  return DCS_OK;
}

/* The method is checked by as many threads as the worker will have, however many open at once. */
static void *open_in_thread(void *worker) {
  const dcs_frame_worker *w = worker;
  dcs_pipe_all_started(w->pipe);
  const dcs_status status = dcs_team_run(w->pipe->threads_each, open_worker, worker);
  if (status != DCS_OK) dcs_pipe_fail(w->pipe, status);
  return NULL;
}

/* ---- the run ---- */

dcs_status dcs_pipe_start(dcs_pipe *p) {
  p->started_ns = dcs_now_ns();
  start_other(p, dcs_pipe_reader);
  start_other(p, dcs_pipe_giver);
  for (int i = 0; i < p->preparers; i++)
    start_other(p, dcs_pipe_preparer);
  each_worker(p, open_in_thread);
  pthread_mutex_lock(&p->lock);
  p->opened_ns = dcs_now_ns();
  pthread_mutex_unlock(&p->lock);
  p->times->opening_s = 1e-9 * (p->opened_ns - p->started_ns);
  return status_of(p);
}

static void count_workers(const dcs_pipe *p, dcs_frames_times *times) {
  bool takes, makes;
  dcs_frames_who_reads(p->job->frames, &takes, &makes);
  times->cards = p->method.variant->backend == DCS_GPU ? p->n_workers : 0;
  times->workers[DCS_STAGE_READING] = takes + (makes ? p->preparers : 0);
  times->workers[DCS_STAGE_PREPARING] = p->preparers;
  times->workers[DCS_STAGE_COPYING] = p->workers[0].device ? p->n_workers : 0;
  times->workers[DCS_STAGE_COMPUTING] = p->n_workers;
  times->workers[DCS_STAGE_ADDING] = p->workers[0].device ? 1 : p->n_workers; /* of maps, too */
  times->workers[DCS_STAGE_WRITING] = p->job->each != NULL;
}

dcs_status dcs_pipe_run(dcs_pipe *p) {
  count_workers(p, p->times);
  p->left = p->n_workers;
  each_worker(p, dcs_pipe_worker);
  end_others(p);
  p->times->wall_s = 1e-9 * (dcs_now_ns() - p->opened_ns);
  return status_of(p);
}

void dcs_pipe_close(dcs_pipe *p) {
  end_others(p);
  for (int w = 0; w < p->n_workers; w++) {
    dcs_device_frames_close(p->workers[w].device);
    dcs_mapper_close(p->workers[w].mapper);
  }
  for (int s = 0; s < p->n_slots; s++) {
    dcs_case_free(&p->slots[s].c);
    dcs_raw_frame_free(&p->slots[s].raw);
  }
  free(p->slots);
  dcs_case_free(&p->first);
  pthread_cond_destroy(&p->to_prepare);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->calls);
  pthread_mutex_destroy(&p->starting);
}

dcs_status dcs_frames_run(const dcs_frames_job *job, dcs_frames_times *times) {
  dcs_pipe p;
  dcs_status status = dcs_pipe_open(job, times, &p);
  if (status == DCS_OK) status = dcs_pipe_start(&p);
  if (status == DCS_OK) status = dcs_pipe_run(&p);
  dcs_pipe_close(&p);
  return status;
}
