#include "library/frames/mean.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "harness/base/machine.h"
#include "harness/problems/methods.h"
#include "library/frames/frame_case.h"

#include "version.h" /* written by the Makefile */

#include <errno.h>
#include <math.h>
#include <string.h>

typedef struct {
  const dcs_mean_job *mean;
  dcs_workers *workers;
  dcs_average_job identity;
  char method[512];
  dcs_mapper *opened; /* what chose it, until the run has it; NULL: nothing here */
  int64_t blocks;     /* of all frames; INT64_MAX where their number is not known */

  /* ---- of rank 0 ---- */
  dcs_average *average;
  int64_t unsaved;            /* blocks that came since the last checkpoint */
  double saved_ns, saving_ns; /* when, and how long it took */
} mean;

static const dcs_frames_job *job_of(const mean *m) {
  return &m->mean->job;
}

/* ---- identity ---- */

static uint64_t hash_frames(const dcs_frames_job *job) {
  uint64_t hash = dcs_frames_hash(job->frames);
  for (int64_t i = 0; i < job->top->n; i++)
    hash = dcs_hash(hash, &job->top->sites[i].q, sizeof job->top->sites[i].q);
  return hash;
}

static void name_problem(const dcs_frames_job *job, char *text, size_t size) {
  const dcs_map_request *r = job->request;
  *text = '\0';
  dcs_append(text, size, "%lldx%lldx%lld points %.17g A apart from %.17g,%.17g,%.17g",
             (long long)r->nx, (long long)r->ny, (long long)r->nz, r->spacing, r->origin[0],
             r->origin[1], r->origin[2]);
  if (r->cutoff > 0)
    dcs_append(text, size, ", cutoff %.17g A%s", r->cutoff, r->switched ? " switched" : "");
  if (r->tolerance > 0) dcs_append(text, size, ", tolerance %.17g", r->tolerance);
  if (r->periodic)
    dcs_append(text, size, ", periodic %.17g,%.17g,%.17g A", r->cell[0], r->cell[1], r->cell[2]);
  if (job->variance) dcs_append(text, size, ", with variance");
}

/* With one thread, however many it has: they change no bits, and a job may go on with others. */
static dcs_status name_method(const char *text, char name[512]) {
  char config[DCS_TEXT];
  dcs_method method;
  DCS_TRY(dcs_method_of(text, &method));
  for (int p = 0; p < method.variant->n_params; p++)
    if (method.variant->params[p].role == DCS_ROLE_THREADS) method.config.value[p] = 1;
  snprintf(name, 512, "%s %s", method.variant->id,
           dcs_format_config(method.variant, &method.config, config));
  return DCS_OK;
}

static void identify(mean *m) {
  dcs_average_job *id = &m->identity;
  id->frames = hash_frames(job_of(m));
  name_problem(job_of(m), id->problem, sizeof id->problem);
  snprintf(id->program, sizeof id->program, "dcsbench %s %s (%s %s)", DCS_VERSION, DCS_GIT_STATE,
           DCS_COMPILER, DCS_FLAGS);
}

/* Of what must be the same on all ranks, before there is a method. */
static uint64_t hash_identity(const mean *m) {
  return dcs_hash(DCS_HASH_START, &m->identity, sizeof m->identity);
}

/* ---- checkpoint, on rank 0 ---- */

static dcs_status save(mean *m) {
  const double start = dcs_now_ns();
  if (!m->mean->checkpoint || m->unsaved == 0) return DCS_OK;
  DCS_TRY(dcs_average_write(m->average, m->mean->checkpoint, &m->identity));
  m->unsaved = 0;
  m->saved_ns = dcs_now_ns();
  m->saving_ns = m->saved_ns - start;
  return DCS_OK;
}

/* A twentieth of the time at most goes into it: nothing for small maps, after every block. */
static dcs_status save_now_and_then(mean *m) {
  const double least_between = 20;
  return dcs_now_ns() - m->saved_ns < least_between * m->saving_ns ? DCS_OK : save(m);
}

/* Simulations of one system may begin alike, and have files of one size. A pipe is not looked at:
 * it has no way back. */
static dcs_status check_last(const mean *m) {
  const dcs_frames_job *job = job_of(m);
  uint64_t atoms;
  dcs_case c = {0};
  const int64_t block = dcs_average_last(m->average, &atoms), index = block * DCS_FRAME_BLOCK;
  if (block < 0 || !dcs_frames_go_back(job->frames)) return DCS_OK;
  const dcs_status status = dcs_frame_case_at(job->frames, index, job->request, job->top, &c);
  const bool same = status == DCS_OK && dcs_frame_case_hash(&c) == atoms;
  dcs_case_free(&c);
  if (same || status != DCS_OK) return status;
  return dcs_fail(
      DCS_INPUT,
      "%s: the checkpoint is of another job: frames: found other atoms in number %lld of "
      "those selected; expected this job's: remove it to begin anew",
      m->mean->checkpoint, (long long)index + 1);
}

static dcs_status open_average(mean *m) {
  bool found;
  const dcs_frames_job *job = job_of(m);
  const int64_t points = job->request->nx * job->request->ny * job->request->nz;
  DCS_TRY(dcs_average_open(points, job->variance, dcs_frames_count(job->frames), &m->average));
  if (!m->mean->checkpoint) return DCS_OK;
  DCS_TRY(dcs_average_read(m->average, m->mean->checkpoint, &m->identity, &found));
  if (found) DCS_TRY(check_last(m));
  if (found)
    fprintf(stderr, "%s: going on behind %lld frames\n", m->mean->checkpoint,
            (long long)dcs_average_frames(m->average));
  return DCS_OK;
}

/* ---- blocks ---- */

static bool is_done(const void *with, int64_t block) {
  return dcs_average_has(((const mean *)with)->average, block);
}

static void draw(const mean *m) {
  const int64_t frames = dcs_frames_count(job_of(m)->frames);
  char text[64];
  if (!m->mean->progress) return;
  const int64_t done = dcs_average_frames(m->average);
  snprintf(text, sizeof text, "%lld frames", (long long)done);
  dcs_progress_draw(m->mean->progress, frames > 0 ? (double)done / (double)frames : 0, text);
}

/* Of the first piece. Behind it are the sum, and with variances the squares. */
typedef struct {
  int64_t frames;
  uint64_t atoms;
} head;

static dcs_status deliver(void *with, int64_t block, const struct iovec *pieces, int n_pieces) {
  mean *m = with;
  const head *h = pieces[0].iov_base;
  const dcs_partial partial = {.points = (int64_t)(pieces[1].iov_len / sizeof(double)),
                               .frames = h->frames,
                               .atoms = h->atoms,
                               .sum = pieces[1].iov_base,
                               .m2 = n_pieces > 2 ? pieces[2].iov_base : NULL};
  DCS_TRY(dcs_average_give(m->average, block, &partial));
  m->unsaved++;
  DCS_TRY(save_now_and_then(m));
  draw(m);
  m->workers->passed(m->workers, dcs_average_merged(m->average));
  return dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : DCS_OK;
}

static dcs_status take(void *user, int64_t *block) {
  mean *m = user;
  return m->workers->take(m->workers, block);
}

static dcs_status give(void *user, int64_t block, const dcs_partial *partial) {
  mean *m = user;
  head h = {partial->frames, partial->atoms};
  const size_t bytes = (size_t)partial->points * sizeof(double);
  const struct iovec pieces[] = {{&h, sizeof h}, {partial->sum, bytes}, {partial->m2, bytes}};
  return m->workers->give(m->workers, block, pieces, partial->m2 ? 3 : 2);
}

static dcs_status each(void *user, int64_t number, const float *map) {
  const mean *m = user;
  return job_of(m)->each(m->mean->each_user, number, map);
}

/* ---- the job ---- */

/* Blocks that may wait on rank 0 for one before them: half of its memory. */
static int64_t choose_ahead(const mean *m) {
  const dcs_map_request *r = job_of(m)->request;
  const double bytes = (double)r->nx * (double)r->ny * (double)r->nz * sizeof(double) *
                       (job_of(m)->variance ? 2 : 1);
  const double most = 0.5 * (double)dcs_available_memory() / bytes;
  return most < 2 ? 2 : most > 1e6 ? 1000000 : (int64_t)most;
}

static dcs_status count_blocks(mean *m) {
  const int64_t frames = dcs_frames_count(job_of(m)->frames);
  m->blocks = frames < 0 ? INT64_MAX : (frames + DCS_FRAME_BLOCK - 1) / DCS_FRAME_BLOCK;
  if (frames >= 0 || m->workers->size == 1) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%d ranks: found frames whose number is not known before the end; "
                  "expected a file that each rank can read",
                  m->workers->size);
}

static dcs_status agree(mean *m) {
  const uint64_t common = hash_identity(m);
  if (m->workers->rank == 0) {
    if (job_of(m)->method)
      snprintf(m->method, sizeof m->method, "%s", job_of(m)->method);
    else
      DCS_TRY(dcs_frames_method(job_of(m), m->method, &m->opened));
    DCS_TRY(name_method(m->method, m->identity.method));
    DCS_TRY(open_average(m));
  }
  return m->workers->agree(m->workers, common, m->method, sizeof m->method);
}

static dcs_status compute(mean *m, dcs_frames_times *times) {
  dcs_frames_job job = *job_of(m);
  identify(m);
  DCS_TRY(count_blocks(m));
  DCS_TRY(agree(m));
  job.method = m->method;
  job.take = take;
  job.give = give;
  job.each = job.each ? each : NULL;
  job.user = m;
  const dcs_parts parts = {.n = m->blocks,
                           .done = m->mean->checkpoint ? is_done : NULL,
                           .ahead = m->workers->size > 1 ? choose_ahead(m) : 0,
                           .deliver = deliver,
                           .with = m};
  DCS_TRY(m->workers->begin(m->workers, &parts));
  job.ranks = m->workers->size;
  job.ranks_here = m->workers->local_size;
  job.blocks = m->workers->left;
  job.opened = m->opened;
  m->opened = NULL;
  DCS_TRY(dcs_frames_run(&job, times));
  return m->workers->finish(m->workers);
}

dcs_status dcs_frames_mean(const dcs_mean_job *job, dcs_average **average,
                           dcs_frames_times *times) {
  mean m = {.mean = job, .workers = job->workers, .opened = job->job.opened};
  *average = NULL;
  *times = (dcs_frames_times){0};
  const dcs_status status = compute(&m, times);
  dcs_mapper_close(m.opened);
  if (status == DCS_OK) {
    *average = m.average;
    return DCS_OK;
  }
  char why[1024];
  snprintf(why, sizeof why, "%s", dcs_error_message());
  if (m.average && save(&m) != DCS_OK && strcmp(why, dcs_error_message()) != 0)
    dcs_append(why, sizeof why, "; the checkpoint was not written: %s", dcs_error_message());
  dcs_average_close(m.average);
  return dcs_fail(status, "%s", why);
}
