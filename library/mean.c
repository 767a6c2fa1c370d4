/* The mean of frames that a program adds one after another. */
#include "kernels/coulomb/coulomb.h"
#include "library/frames/average.h"
#include "library/frames/frame_case.h"
#include "library/mapper.h"
#include "library/team.h"

#include <stdlib.h>
#include <string.h>

struct dcs_mean {
  dcs_mapper *mapper;
  dcs_map_request request;
  dcs_molecule top;    /* charges alone */
  dcs_method method;   /* of all frames; variant NULL: none was computed yet */
  double scale;        /* of the first */
  dcs_partial partial; /* of the block that is not whole yet */
  dcs_average *average;
  float *map;
  int64_t frames, blocks; /* frames that were added; blocks that the average has */
  bool finished;
};

static dcs_status no_memory(const dcs_map_request *r) {
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms and %lldx%lldx%lld points",
                  (long long)r->n_atoms, (long long)r->nx, (long long)r->ny, (long long)r->nz);
}

static dcs_status open_mean(dcs_mean *m, const dcs_mean_request *request) {
  const dcs_map_request *r = &m->request;
  DCS_TRY(dcs_request_check(r));
  if (!request->charges) return dcs_fail(DCS_USAGE, "no charges; expected those of all atoms");
  const int64_t points = r->nx * r->ny * r->nz;
  m->top = (dcs_molecule){.sites = calloc((size_t)r->n_atoms, sizeof(dcs_site)), .n = r->n_atoms};
  m->map = malloc((size_t)points * sizeof *m->map);
  if (!m->top.sites || !m->map) return no_memory(r);
  for (int64_t a = 0; a < r->n_atoms; a++) {
    m->top.sites[a].q = request->charges[a];
    if (!dcs_within_1e12(request->charges[a]))
      return dcs_fail(DCS_USAGE, "atom %lld: q is %g; expected a number within 1e12", (long long)a,
                      request->charges[a]);
  }
  DCS_TRY(dcs_partial_make(points, request->variance, &m->partial));
  const int64_t frames = request->frames > 0 ? request->frames : -1;
  return dcs_average_open(points, request->variance, frames, &m->average);
}

int dcs_mean_open(dcs_mapper *mapper, const dcs_mean_request *request, dcs_mean **mean) {
  DCS_TRY(dcs_need(mapper, "mapper"));
  DCS_TRY(dcs_need(request, "request"));
  DCS_TRY(dcs_need(mean, "mean"));
  dcs_mean *m = calloc(1, sizeof *m);
  *mean = NULL;
  if (!m) return no_memory(&request->map);
  m->mapper = mapper;
  m->request = request->map;
  m->request.atoms = NULL;
  m->request.atoms_float = NULL;
  const dcs_status status = open_mean(m, request);
  if (status == DCS_OK)
    *mean = m;
  else
    dcs_mean_close(m);
  return status;
}

void dcs_mean_close(dcs_mean *m) {
  if (!m) return;
  dcs_average_close(m->average);
  dcs_partial_free(&m->partial);
  free(m->top.sites);
  free(m->map);
  free(m);
}

/* ---- a frame ---- */

typedef struct {
  dcs_mean *mean;
  dcs_frame frame;
} adding;

/* Of the first frame, which is the mapper's case: the method of all, and their scale. */
static dcs_status begin(dcs_mean *m) {
  char text[DCS_METHOD_TEXT];
  dcs_mapper *mapper = m->mapper;
  if (m->method.variant) return DCS_OK;
  DCS_TRY(dcs_frame_method(mapper, text));
  DCS_TRY(dcs_mapper_keep(mapper, text));
  m->method = mapper->only;
  if (m->request.tolerance == 0 || dcs_map_scale(&mapper->c.problem, mapper->threads, &m->scale))
    return DCS_OK;
  m->method.variant = NULL;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for a sample of the map");
}

static dcs_status give_block(dcs_mean *m) {
  if (m->partial.frames == 0) return DCS_OK;
  DCS_TRY(dcs_average_give(m->average, m->blocks, &m->partial));
  m->blocks++;
  m->partial.frames = 0;
  return DCS_OK;
}

static dcs_status compute(adding *a) {
  dcs_mean *m = a->mean;
  dcs_mapper *mapper = m->mapper;
  dcs_mapper_change_inputs(mapper);
  DCS_TRY(dcs_frame_case(&m->request, &m->top, &a->frame, &mapper->c));
  DCS_TRY(begin(m));
  mapper->only = m->method;
  mapper->c.problem.scale = m->scale;
  DCS_TRY(dcs_mapper_slices(mapper, 0, mapper->c.problem.n.z, m->map));
  dcs_partial_add(&m->partial, m->map);
  m->frames++;
  return m->partial.frames == DCS_FRAME_BLOCK ? give_block(m) : DCS_OK;
}

/* The mapper chooses again for other maps. */
static dcs_status add(void *data) {
  adding *a = data;
  dcs_mapper *mapper = a->mean->mapper;
  const dcs_method only = mapper->only;
  const dcs_status status = compute(a);
  mapper->only = only;
  return status;
}

int dcs_mean_add(dcs_mean *m, const double *places, const double *cell) {
  adding a = {.mean = m, .frame = {.places = (double *)places}};
  DCS_TRY(dcs_need(m, "mean"));
  if (!places) return dcs_fail(DCS_USAGE, "no places; expected those of all atoms");
  if (cell && !m->request.periodic)
    return dcs_fail(DCS_USAGE, "found a cell of a frame; expected none: the request is not "
                               "periodic");
  for (int d = 0; cell && d < 3; d++) {
    a.frame.cell.edge[d] = cell[d];
    a.frame.cell.angle[d] = 90;
  }
  pthread_mutex_lock(&m->mapper->lock);
  a.frame.number = m->frames + 1;
  dcs_mapper_leave_parent(m->mapper);
  const dcs_status status =
      m->finished ? dcs_fail(DCS_USAGE, "a frame was added after the mean was finished")
                  : dcs_team_run(m->mapper->threads, add, &a);
  pthread_mutex_unlock(&m->mapper->lock);
  return status;
}

/* ---- the result ---- */

typedef struct {
  dcs_mean *mean;
  float *values, *variance, *error;
} finishing;

static dcs_status finish(void *data) {
  const finishing *f = data;
  f->mean->finished = true;
  DCS_TRY(give_block(f->mean));
  return dcs_average_finish(f->mean->average, f->values, f->variance, f->error);
}

int dcs_mean_finish(dcs_mean *m, float *values, float *variance, float *error) {
  finishing f = {m, values, variance, error};
  DCS_TRY(dcs_need(m, "mean"));
  pthread_mutex_lock(&m->mapper->lock);
  const dcs_status status = dcs_team_run(m->mapper->threads, finish, &f);
  pthread_mutex_unlock(&m->mapper->lock);
  return status;
}
