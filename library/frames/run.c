/* Maps of frames: the method, and the run. */
#include "library/frames/run.h"

#include "harness/base/clock.h"
#include "library/frames/frame_case.h"
#include "library/mapper.h"

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

/* The first of the choice that passes its check and can compute the case. */
static dcs_status choose_method(dcs_mapper *m, const dcs_case *c, dcs_method *method) {
  const dcs_size size = dcs_case_size(c);
  dcs_choice choice;
  char why[DCS_TEXT] = "no method";
  dcs_choose(m, &size, c->spacing, &choice);
  for (int i = 0; i < choice.n; i++) {
    *method = choice.list[i].method;
    if (!dcs_applicable(method->variant, &c->problem, &method->config, why)) continue;
    if (dcs_mapper_check(m, method) == DCS_OK) return DCS_OK;
    snprintf(why, sizeof why, "%.255s", dcs_error_message());
  }
  return dcs_fail(DCS_UNAVAILABLE, "no method can compute these frames here: %s", why);
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

dcs_status dcs_frames_method(const dcs_frames_job *job, char text[512]) {
  dcs_mapper *m;
  dcs_case c = {0};
  dcs_method method;
  char config[DCS_TEXT];
  DCS_TRY(open_mapper(job, &m));
  dcs_status status = first_frame(job, &c);
  if (status == DCS_OK) status = choose_method(m, &c, &method);
  if (status == DCS_OK)
    snprintf(text, 512, "%s %s", method.variant->id,
             dcs_format_config(method.variant, &method.config, config));
  dcs_case_free(&c);
  dcs_mapper_close(m);
  return status;
}

static dcs_status read_method(const char *text, dcs_method *method) {
  char id[64];
  const char *space = strchr(text, ' ');
  const size_t length = space ? (size_t)(space - text) : strlen(text);
  snprintf(id, sizeof id, "%.*s", (int)length, text);
  return dcs_read_method(id, space ? space + 1 : "", method);
}

/* ---- run ---- */

typedef struct {
  const dcs_frames_job *job;
  dcs_mapper *mapper;
  dcs_frame frame;
  dcs_partial partial;
  float *map;
  dcs_frames_times *times;
} run;

static dcs_status map_frame(run *r) {
  dcs_mapper *m = r->mapper;
  m->device_slices = 0;
  DCS_TRY(dcs_frame_case(r->job->request, r->job->top, &r->frame, &m->c));
  return dcs_mapper_slices(m, 0, m->c.problem.n.z, r->map);
}

/* Adds the frames of a block; none behind the last frame. */
static dcs_status add_block(run *r, int64_t block) {
  const dcs_frames_job *job = r->job;
  const int64_t first = block * DCS_FRAME_BLOCK, count = dcs_frames_count(job->frames);
  bool found = count < 0 || first < count;
  r->partial.frames = 0;
  if (!found) return DCS_OK;
  DCS_TRY(dcs_frames_seek(job->frames, first));
  for (int f = 0; f < DCS_FRAME_BLOCK; f++) {
    DCS_TRY(dcs_frames_next(job->frames, &r->frame, &found));
    if (!found) return DCS_OK;
    DCS_TRY(map_frame(r));
    dcs_partial_add(&r->partial, r->map);
    if (job->each) DCS_TRY(job->each(job->user, r->frame.number, r->map));
    r->times->frames++;
  }
  return DCS_OK;
}

static dcs_status run_blocks(run *r) {
  for (;;) {
    int64_t block;
    DCS_TRY(r->job->take(r->job->user, &block));
    if (block < 0) return DCS_OK;
    DCS_TRY(add_block(r, block));
    if (r->partial.frames == 0) return DCS_OK;
    DCS_TRY(r->job->give(r->job->user, block, &r->partial));
  }
}

static dcs_status open_run(const dcs_frames_job *job, run *r) {
  char text[512];
  const int64_t points = job->request->nx * job->request->ny * job->request->nz;
  if (!job->method) DCS_TRY(dcs_frames_method(job, text));
  DCS_TRY(open_mapper(job, &r->mapper));
  DCS_TRY(read_method(job->method ? job->method : text, &r->mapper->only));
  DCS_TRY(dcs_partial_make(points, job->variance, &r->partial));
  r->map = malloc((size_t)points * sizeof *r->map);
  r->frame.places = malloc((size_t)job->top->n * 3 * sizeof *r->frame.places);
  if (r->map && r->frame.places) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms and %lld points",
                  (long long)job->top->n, (long long)points);
}

dcs_status dcs_frames_run(const dcs_frames_job *job, dcs_frames_times *times) {
  run r = {.job = job, .times = times};
  *times = (dcs_frames_times){0};
  const double start = dcs_now_ns();
  dcs_status status = open_run(job, &r);
  if (status == DCS_OK) status = run_blocks(&r);
  times->wall_s = 1e-9 * (dcs_now_ns() - start);
  free(r.map);
  free(r.frame.places);
  dcs_partial_free(&r.partial);
  dcs_mapper_close(r.mapper);
  return status;
}
