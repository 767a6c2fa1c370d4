/* Maps of frames: the method, and the run. */
#include "library/frames/run.h"

#include "harness/base/clock.h"
#include "harness/base/machine.h"
#include "kernels/coulomb/coulomb.h"
#include "library/frames/frame_case.h"
#include "library/frames/pipe.h"
#include "library/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const dcs_stage_names[DCS_N_STAGES] = {"reading",   "preparing", "copying",
                                                   "computing", "adding",    "writing"};

/* ---- method ---- */

static dcs_status open_mapper(const dcs_frames_job *job, dcs_mapper **mapper) {
  const dcs_mapper_options options = {
      .device = job->device, .dispatch = job->dispatch, .threads = job->threads};
  return dcs_mapper_open(&options, mapper);
}

/* Of several devices the first. */
static dcs_status open_first(const dcs_frames_job *job, dcs_mapper **mapper) {
  dcs_frames_job of = *job;
  dcs_device_list list;
  if (dcs_names_several(job->device)) {
    DCS_TRY(dcs_device_list_of(job->device, &list));
    of.device = list.names[0];
  }
  return open_mapper(&of, mapper);
}

static dcs_status first_frame(const dcs_frames_job *job, dcs_case *c) {
  dcs_frame frame = {.places = malloc((size_t)job->top->n * 3 * sizeof(double))};
  bool found = false;
  if (!frame.places)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)job->top->n);
  dcs_status status = dcs_frames_seek(job->frames, 0);
  if (status == DCS_OK) status = dcs_frames_next(job->frames, &frame, &found);
  if (status == DCS_OK && !found) status = dcs_fail(DCS_INPUT, "no frames; expected at least 1");
  if (status == DCS_OK) status = dcs_frame_case(job->request, job->top, &frame, c);
  free(frame.places);
  return status == DCS_OK ? dcs_frames_seek(job->frames, 0) : status;
}

dcs_status dcs_frames_method(const dcs_frames_job *job, char text[DCS_METHOD_TEXT],
                             dcs_mapper **opened) {
  dcs_mapper *m;
  *opened = NULL;
  DCS_TRY(open_first(job, &m));
  dcs_status status = first_frame(job, &m->c);
  if (status == DCS_OK) status = dcs_frame_method(m, text);
  if (status == DCS_OK)
    *opened = m;
  else
    dcs_mapper_close(m);
  return status;
}

/* ---- opening ---- */

/* One for each device that is named, or one; a method of the CPU takes all CPUs. */
static dcs_status name_workers(dcs_pipe *p) {
  const char *device = p->job->device;
  dcs_device_list list = {.n = 1};
  const bool several = dcs_names_several(device);
  if (several) DCS_TRY(dcs_device_list_of(device, &list));
  p->n_workers = p->method.variant->backend == DCS_CPU ? 1 : list.n;
  for (int w = 0; w < p->n_workers; w++) {
    p->workers[w].pipe = p;
    snprintf(p->workers[w].name, sizeof p->workers[w].name, "%s",
             several  ? list.names[w]
             : device ? device
                      : dcs_default_device());
  }
  return DCS_OK;
}

static void choose_preparers(dcs_pipe *p) {
  const int most = DCS_MOST_PREPARERS / DCS_MAX_DEVICES * p->n_workers;
  p->preparers = p->threads < most ? p->threads : most;
  if (p->method.variant->backend == DCS_CPU) p->preparers = 1;
}

/* Frames that are read, prepared or computed: with several workers, each has a block of its own
 * there. Not more than 1 GiB, as far as some are needed at least. */
static dcs_status make_slots(dcs_pipe *p) {
  const int64_t n = p->job->top->n,
                each = n * (int64_t)(3 * (sizeof(float) + sizeof(double)) + sizeof(dcs_site) + 16);
  const int64_t least = 4 + p->n_workers, most = (INT64_C(1) << 30) / each;
  int64_t slots = p->preparers + 4 + (p->n_workers > 1 ? DCS_FRAME_BLOCK * p->n_workers : 0);
  if (slots > most) slots = most > least ? most : least;
  p->slots = calloc((size_t)slots, sizeof *p->slots);
  p->n_slots = p->slots ? (int)slots : 0;
  for (int s = 0; s < p->n_slots; s++)
    if (!(p->slots[s].frame.places = malloc((size_t)n * 3 * sizeof(double)))) p->n_slots = s;
  if (p->n_slots == slots) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld frames of %lld atoms", (long long)slots,
                  (long long)n);
}

static dcs_status open_all(dcs_pipe *p) {
  if (p->job->method)
    snprintf(p->text, sizeof p->text, "%s", p->job->method);
  else
    DCS_TRY(dcs_frames_method(p->job, p->text, &p->workers[0].mapper));
  DCS_TRY(dcs_team_size(p->job->threads, &p->threads));
  DCS_TRY(dcs_method_of(p->text, &p->method));
  p->planned = p->method.variant->plan && !p->method.variant->place;
  dcs_status status = first_frame(p->job, &p->first);
  if (status == DCS_OK && dcs_tolerance(&p->first.problem) > 0 &&
      !dcs_map_scale(&p->first.problem, dcs_loop_threads(), &p->scale))
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for a sample of the map");
  p->first.problem.scale = p->scale;
  DCS_TRY(status);
  DCS_TRY(name_workers(p));
  choose_preparers(p);
  return make_slots(p);
}

dcs_status dcs_pipe_open(const dcs_frames_job *job, dcs_frames_times *times, dcs_pipe *p) {
  *p = (dcs_pipe){.job = job,
                  .times = times,
                  .workers[0].mapper = job->opened,
                  .n_workers = 1,
                  .opened_ns = INFINITY};
  *times = (dcs_frames_times){0};
  pthread_mutex_init(&p->calls, NULL);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
  pthread_cond_init(&p->to_prepare, NULL);
  return open_all(p);
}

/* ---- threads ---- */

static bool start(dcs_pipe *p, void *(*main)(void *), void *data, pthread_t *thread) {
  const int error = pthread_create(thread, NULL, main, data);
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

/* A thread for each worker, until they have ended. */
static void each_worker(dcs_pipe *p, void *(*main)(void *)) {
  pthread_t list[DCS_MAX_DEVICES];
  int n = 0;
  for (int w = 0; w < p->n_workers; w++)
    n += start(p, main, &p->workers[w], &list[n]);
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

/* The mapper of one device, NULL as the caller of the run left it, with the method alone. */
static dcs_status open_worker(dcs_frame_worker *w) {
  dcs_frames_job job = *w->pipe->job;
  if (dcs_names_several(job.device)) job.device = w->name;
  if (!w->mapper) DCS_TRY(open_mapper(&job, &w->mapper));
  DCS_TRY(dcs_mapper_keep(w->mapper, w->pipe->text));
  if (w->pipe->method.variant->backend == DCS_GPU) open_device(w);
  return DCS_OK;
}

static void *open_in_thread(void *worker) {
  dcs_frame_worker *w = worker;
  const dcs_status status = open_worker(w);
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
  times->cards = p->method.variant->backend == DCS_GPU ? p->n_workers : 0;
  times->workers[DCS_STAGE_READING] = times->workers[DCS_STAGE_ADDING] = 1;
  times->workers[DCS_STAGE_PREPARING] = p->preparers;
  times->workers[DCS_STAGE_COPYING] = p->workers[0].device ? p->n_workers : 0;
  times->workers[DCS_STAGE_COMPUTING] = p->n_workers;
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
    free(p->slots[s].frame.places);
    free(p->slots[s].raw.bytes);
  }
  free(p->slots);
  dcs_case_free(&p->first);
  pthread_cond_destroy(&p->to_prepare);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->calls);
}

dcs_status dcs_frames_run(const dcs_frames_job *job, dcs_frames_times *times) {
  dcs_pipe p;
  dcs_status status = dcs_pipe_open(job, times, &p);
  if (status == DCS_OK) status = dcs_pipe_start(&p);
  if (status == DCS_OK) status = dcs_pipe_run(&p);
  dcs_pipe_close(&p);
  return status;
}
