/* Maps of frames: the method, and the run. */
#include "library/frames/run.h"

#include "harness/base/clock.h"
#include "harness/base/machine.h"
#include "kernels/coulomb/coulomb.h"
#include "library/frames/frame_case.h"
#include "library/frames/pipe.h"

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

dcs_status dcs_frames_method(const dcs_frames_job *job, char text[DCS_METHOD_TEXT]) {
  dcs_mapper *m;
  DCS_TRY(open_first(job, &m));
  dcs_status status = first_frame(job, &m->c);
  if (status == DCS_OK) status = dcs_frame_method(m, text);
  dcs_mapper_close(m);
  return status;
}

/* ---- workers ---- */

/* A card's engine, ready for frames; the mapper has it all the same where it cannot be. */
static void open_device(dcs_pipe *p, dcs_frame_worker *w, const dcs_problem *first) {
  dcs_engine *engine = w->mapper->engines[DCS_GPU];
  if (!p->planned || !engine || !engine->device) return;
  w->mapper->ready[DCS_GPU] = (dcs_ready){0}; /* its inputs go */
  (void)dcs_device_frames_open(engine, dcs_kinds[0], p->method.variant, &p->method.config, first,
                               p->job->variance, &w->device);
}

/* Opens the mapper of a device, NULL as the caller of the run left it, with the method alone. */
static dcs_status open_worker(dcs_pipe *p, const char *device, const dcs_problem *first) {
  dcs_frame_worker *w = &p->workers[p->n_workers++];
  dcs_frames_job job = *p->job;
  w->pipe = p;
  job.device = device;
  snprintf(w->name, sizeof w->name, "%s", device ? device : dcs_default_device());
  DCS_TRY(open_mapper(&job, &w->mapper));
  DCS_TRY(dcs_mapper_keep(w->mapper, p->text));
  p->method = w->mapper->only;
  p->planned = p->method.variant->plan && !p->method.variant->place;
  if (p->method.variant->backend == DCS_GPU) open_device(p, w, first);
  return DCS_OK;
}

/* One for each device that is named, or one. */
static dcs_status open_workers(dcs_pipe *p, const dcs_problem *first) {
  const char *device = p->job->device;
  dcs_device_list list;
  if (!dcs_names_several(device)) return open_worker(p, device, first);
  DCS_TRY(dcs_device_list_of(device, &list));
  for (int d = 0; d < list.n; d++) {
    DCS_TRY(open_worker(p, list.names[d], first));
    if (p->method.variant->backend == DCS_CPU) return DCS_OK; /* one takes all CPUs */
  }
  return DCS_OK;
}

/* ---- the run ---- */

static int preparers_of(const dcs_pipe *p) {
  enum { EACH = 8 };
  const int threads = p->workers[0].mapper->threads, most = EACH * p->n_workers;
  if (p->method.variant->backend == DCS_CPU) return 1;
  return threads < most ? threads : most;
}

/* Frames that are read, prepared or computed: with several workers, each has a block of its own
 * there. Not more than 1 GiB, as far as some are needed at least. */
static dcs_status make_slots(dcs_pipe *p, int preparers) {
  const int64_t n = p->job->top->n,
                each = n * (int64_t)(3 * (sizeof(float) + sizeof(double)) + sizeof(dcs_site) + 16);
  const int64_t least = 4 + p->n_workers, most = (INT64_C(1) << 30) / each;
  int64_t slots = preparers + 4 + (p->n_workers > 1 ? DCS_FRAME_BLOCK * p->n_workers : 0);
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
  dcs_case c = {0};
  if (p->job->method)
    snprintf(p->text, sizeof p->text, "%s", p->job->method);
  else
    DCS_TRY(dcs_frames_method(p->job, p->text));
  dcs_status status = first_frame(p->job, &c);
  if (status == DCS_OK) {
    if (dcs_tolerance(&c.problem) > 0 && !dcs_map_scale(&c.problem, dcs_loop_threads(), &p->scale))
      status = dcs_fail(DCS_UNAVAILABLE, "no memory for a sample of the map");
    c.problem.scale = p->scale;
    if (status == DCS_OK) status = open_workers(p, &c.problem);
  }
  dcs_case_free(&c);
  DCS_TRY(status);
  p->preparers = preparers_of(p);
  return make_slots(p, p->preparers);
}

dcs_status dcs_pipe_open(const dcs_frames_job *job, dcs_frames_times *times, dcs_pipe *p) {
  *p = (dcs_pipe){.job = job, .times = times};
  *times = (dcs_frames_times){0};
  pthread_mutex_init(&p->calls, NULL);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
  pthread_cond_init(&p->to_prepare, NULL);
  return open_all(p);
}

void dcs_pipe_close(dcs_pipe *p) {
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
  pthread_cond_destroy(&p->to_prepare);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->calls);
}

enum { MOST_THREADS = 9 * DCS_MAX_DEVICES + 2 };

typedef struct {
  pthread_t list[MOST_THREADS];
  int n;
} threads;

static bool start(dcs_pipe *p, threads *t, void *(*main)(void *), void *data) {
  const int error = pthread_create(&t->list[t->n], NULL, main, data);
  t->n += error == 0;
  if (error)
    dcs_pipe_fail(p, dcs_fail(DCS_UNAVAILABLE, "cannot start a thread: %s", strerror(error)));
  return error == 0;
}

static void join(threads *t) {
  while (t->n > 0)
    pthread_join(t->list[--t->n], NULL);
}

/* All stages at once, until the workers have no more to do. */
static void run_stages(dcs_pipe *p) {
  threads workers = {.n = 0}, others = {.n = 0};
  p->left = p->n_workers;
  start(p, &others, dcs_pipe_reader, p);
  start(p, &others, dcs_pipe_giver, p);
  for (int i = 0; i < p->preparers; i++)
    start(p, &others, dcs_pipe_preparer, p);
  for (int w = 0; w < p->n_workers; w++)
    start(p, &workers, dcs_pipe_worker, &p->workers[w]);
  join(&workers);
  pthread_mutex_lock(&p->lock);
  p->ended = true;
  pthread_cond_broadcast(&p->changed);
  pthread_cond_broadcast(&p->to_prepare);
  pthread_mutex_unlock(&p->lock);
  join(&others);
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
  p->started_ns = dcs_now_ns();
  run_stages(p);
  p->times->wall_s = 1e-9 * (dcs_now_ns() - p->started_ns);
  return p->status == DCS_OK ? DCS_OK : dcs_fail(p->status, "%s", p->why);
}

dcs_status dcs_frames_run(const dcs_frames_job *job, dcs_frames_times *times) {
  dcs_pipe p;
  dcs_status status = dcs_pipe_open(job, times, &p);
  if (status == DCS_OK) status = dcs_pipe_run(&p);
  dcs_pipe_close(&p);
  return status;
}
