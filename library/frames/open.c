/* A run over frames opens: its method, who computes, and room for frames. */
#include "library/frames/pipe.h"

#include "harness/base/machine.h"
#include "kernels/coulomb/coulomb.h"
#include "library/frames/frame_case.h"
#include "library/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- method ---- */

dcs_status dcs_frames_mapper(const dcs_frames_job *job, dcs_mapper **mapper) {
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
  return dcs_frames_mapper(&of, mapper);
}

static dcs_status first_frame(const dcs_frames_job *job, dcs_case *c) {
  return dcs_frame_case_at(job->frames, 0, job->request, job->top, c);
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

/* ---- who computes ---- */

/* Bytes of a frame that is read, prepared or computed. */
static int64_t frame_bytes(const dcs_pipe *p) {
  return p->job->top->n * (int64_t)(3 * (sizeof(float) + sizeof(double)) + sizeof(dcs_site) + 16);
}

/* A rank's share of what is this host's. */
static double share_of_host(const dcs_pipe *p, double bytes) {
  return p->job->ranks_here > 1 ? bytes / p->job->ranks_here : bytes;
}

/* Of what is free: methods need some of their own. */
static double room(const dcs_pipe *p) {
  return share_of_host(p, 0.125 * (double)dcs_available_memory());
}

/* Of a worker of the CPU: a block's frames, a map, and the sums of two blocks. */
static double worker_bytes(const dcs_pipe *p) {
  const double sums = 2 * sizeof(double) * (p->job->variance ? 2 : 1);
  return (double)(DCS_FRAME_BLOCK * frame_bytes(p)) +
         (double)dcs_points(p->first.problem.n) * (sizeof(float) + sums);
}

/* Frames in a unit of time by so many workers, each of so many threads. Threads that share a frame
 * wait for each other; workers do so for the last blocks alone. */
static double speed_of(int64_t blocks, int workers, int threads) {
  static const double lost = 0.04; /* by each thread beyond the first: 4 to 13% by the second */
  return (double)blocks / (double)dcs_divide_up(blocks, workers) * threads /
         (1 + lost * (threads - 1));
}

/* Of this rank, if all are as fast. */
static int64_t count_blocks(const dcs_pipe *p) {
  const int64_t frames = dcs_frames_count(p->job->frames);
  const int64_t left = p->job->ranks > 0 ? p->job->blocks
                       : frames < 0      ? INT64_MAX
                                         : dcs_divide_up(frames, DCS_FRAME_BLOCK);
  return left > INT32_MAX ? INT32_MAX : dcs_divide_up(left, p->ranks);
}

/* Workers of the CPU, which divide its threads: those that are fastest, and have room. One where
 * threads are bound: those of others would begin on the CPU of the first. */
static int choose_workers(const dcs_pipe *p) {
  if (dcs_team_is_bound()) return 1;
  const int64_t blocks = count_blocks(p);
  const double most = fmin(fmin(p->threads, DCS_MAX_DEVICES), room(p) / worker_bytes(p));
  int best = 1;
  for (int w = 2; w <= most; w++)
    if (speed_of(blocks, w, p->threads / w) > speed_of(blocks, best, p->threads / best)) best = w;
  return best;
}

/* On the CPU several, for each device that is named one, or one. */
static dcs_status name_workers(dcs_pipe *p) {
  const char *device = p->job->device ? p->job->device : dcs_default_device();
  const bool on_cpu = p->method.variant->backend == DCS_CPU;
  dcs_device_list list = {.n = 1};
  if (on_cpu)
    list.n = choose_workers(p);
  else if (dcs_names_several(device))
    DCS_TRY(dcs_device_list_of(device, &list));
  else
    snprintf(list.names[0], sizeof list.names[0], "%s", device);
  p->n_workers = p->idle = list.n;
  for (int w = 0; w < list.n; w++) {
    p->workers[w].pipe = p;
    snprintf(p->workers[w].name, sizeof p->workers[w].name, "%s", on_cpu ? "cpu" : list.names[w]);
  }
  return DCS_OK;
}

/* Those of the CPU have their share of the threads; a device is driven by one. */
static void share_threads(dcs_pipe *p) {
  const int role = dcs_find_role(p->method.variant, DCS_ROLE_THREADS);
  char config[DCS_TEXT];
  p->threads_each = p->threads;
  if (p->method.variant->backend != DCS_CPU) return;
  p->threads_each = p->threads / p->n_workers;
  if (role >= 0) p->method.config.value[role] = fmin(p->method.config.value[role], p->threads_each);
  snprintf(p->text, sizeof p->text, "%s %s", p->method.variant->id,
           dcs_format_config(p->method.variant, &p->method.config, config));
}

/* Preparing for the CPU is a small part of computing. */
static void choose_preparers(dcs_pipe *p) {
  const bool on_cpu = p->method.variant->backend == DCS_CPU;
  const int most = DCS_MOST_PREPARERS / DCS_MAX_DEVICES * p->n_workers;
  p->preparers = on_cpu              ? (int)dcs_divide_up(p->n_workers, 8)
                 : p->threads < most ? p->threads
                                     : most;
}

/* ---- frames ---- */

/* Frames that are read, prepared or computed: with several workers, each has a block of its own
 * there, as far as there is room; some are needed at least. */
static dcs_status make_slots(dcs_pipe *p) {
  const int64_t least = 4 + p->n_workers;
  const int64_t most = (int64_t)(fmax(share_of_host(p, 0x1p30), room(p)) / (double)frame_bytes(p));
  int64_t slots = p->preparers + 4 + (p->n_workers > 1 ? DCS_FRAME_BLOCK * p->n_workers : 0);
  if (slots > most) slots = most > least ? most : least;
  p->slots = calloc((size_t)slots, sizeof *p->slots);
  p->n_slots = p->slots ? (int)slots : 0;
  if (p->n_slots == slots) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld frames of %lld atoms", (long long)slots,
                  (long long)p->job->top->n);
}

/* ---- all of it ---- */

static dcs_status find_method(dcs_pipe *p) {
  if (p->job->method)
    snprintf(p->text, sizeof p->text, "%s", p->job->method);
  else
    DCS_TRY(dcs_frames_method(p->job, p->text, &p->workers[0].mapper));
  DCS_TRY(dcs_method_of(p->text, &p->method));
  p->planned = p->method.variant->plan && !p->method.variant->place;
  return DCS_OK;
}

static dcs_status take_first(dcs_pipe *p) {
  DCS_TRY(first_frame(p->job, &p->first));
  if (dcs_tolerance(&p->first.problem) > 0 &&
      !dcs_map_scale(&p->first.problem, dcs_loop_threads(), &p->scale))
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a sample of the map");
  p->first.problem.scale = p->scale;
  return DCS_OK;
}

static dcs_status open_all(dcs_pipe *p) {
  DCS_TRY(dcs_team_size(p->job->threads, &p->threads));
  DCS_TRY(find_method(p));
  DCS_TRY(take_first(p));
  DCS_TRY(name_workers(p));
  share_threads(p);
  choose_preparers(p);
  return make_slots(p);
}

dcs_status dcs_pipe_open(const dcs_frames_job *job, dcs_frames_times *times, dcs_pipe *p) {
  *p = (dcs_pipe){.job = job,
                  .times = times,
                  .workers[0].mapper = job->opened,
                  .n_workers = 1,
                  .ranks = job->ranks > 1 ? job->ranks : 1,
                  .last = -1,
                  .opened_ns = INFINITY};
  *times = (dcs_frames_times){0};
  pthread_mutex_init(&p->starting, NULL);
  pthread_mutex_init(&p->calls, NULL);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
  pthread_cond_init(&p->to_prepare, NULL);
  return open_all(p);
}
