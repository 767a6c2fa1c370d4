/* The grid of a rank: its slab, and whether a step of it is right. */
#include "library/steps_rank.h"

#include "harness/base/machine.h"
#include "harness/judge/oracle.h"

#include <math.h>
#include <stdlib.h>

void dcs_steps_share(int64_t slices, int of, int size, int64_t *from, int64_t *end) {
  *from = slices * of / size;
  *end = slices * (of + 1) / size;
}

/* ---- the rank's grid ---- */

/* All fields, and the map once more; on a device's host, that is for checks. With `gather` rank 0
 * has all values beside them at the end. Asked before any rank of the host has taken its own. */
static dcs_status check_memory(const dcs_steps_rank *r) {
  const bool gathers = r->steps->gather && r->workers->rank == 0;
  const double whole =
      gathers ? (double)dcs_points(r->steps->n) * (double)sizeof *r->result->values : 0;
  const double share = ((double)dcs_available_memory() - whole) / r->workers->local_size;
  int64_t bytes = 0;
  for (int b = 0; b < r->c.kind->n_buffers; b++)
    bytes += (int64_t)dcs_buffer_bytes(r->c.kind, b, &r->c.problem);
  if ((double)bytes <= share) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "%lld slices of %lldx%lld points need %.3g GB of memory; each "
                  "of this host's %d ranks has %.3g%s",
                  (long long)r->c.problem.n.z, (long long)r->c.problem.n.x,
                  (long long)r->c.problem.n.y, 1e-9 * (double)bytes, r->workers->local_size,
                  1e-9 * fmax(share, 0), gathers ? " beside the values of all slices" : "");
}

dcs_status dcs_steps_cut(dcs_steps_rank *r) {
  const dcs_steps *s = r->steps;
  const int of = r->workers->rank, size = r->workers->size;
  const int64_t halo = s->kind->stepping->halo(&s->problem);
  if (size > 1 && s->n.z / size < halo)
    return dcs_fail(DCS_USAGE,
                    "found %d ranks for %lld slices; expected at most %lld, for each sends %lld "
                    "slices of its own",
                    size, (long long)s->n.z, (long long)(s->n.z / halo), (long long)halo);
  dcs_steps_share(s->n.z, of, size, &r->from, &r->end);
  r->stepped = (dcs_stepped){.kind = s->kind,
                             .variant = s->method.variant,
                             .config = s->method.config,
                             .cut = {of > 0, of < size - 1},
                             .halo = halo,
                             .device = s->device,
                             .kernels = s->kernels};
  r->first = r->from - (of > 0 ? halo : 0);
  const int64_t behind = r->end + (of < size - 1 ? halo : 0);
  r->c = (dcs_case){.kind = s->kind,
                    .spacing = DCS_RANDOM_SPACING,
                    .problem = {.n_inputs = 1,
                                .n = {s->n.x, s->n.y, behind - r->first},
                                .first_slice = r->first,
                                .grid_slices = s->n.z,
                                .spacing = (float)DCS_RANDOM_SPACING,
                                .config = s->problem}};
  return check_memory(r);
}

dcs_status dcs_steps_fill(dcs_steps_rank *r) {
  const dcs_kind *kind = r->c.kind;
  void *inputs[DCS_MAX_BUFFERS] = {NULL};
  r->room = dcs_divide_up(r->steps->n.z, r->workers->size);
  r->slices = calloc((size_t)r->room, sizeof *r->slices);
  if (!r->slices) return dcs_fail(DCS_UNAVAILABLE, "no memory for sums of slices");
  for (int b = 0; b < kind->n_buffers; b++) {
    if (kind->buffers[b].output) continue;
    r->c.problem.input[b] = inputs[b] = malloc(dcs_buffer_bytes(kind, b, &r->c.problem));
    if (!inputs[b]) return dcs_fail(DCS_UNAVAILABLE, "no memory for the %s", kind->buffers[b].name);
    kind->buffers[b].fill(&r->c, b, inputs[b]);
  }
  r->c.problem.first_slice = r->c.problem.grid_slices = 0;
  r->stepped.problem = r->c.problem;
  return dcs_stepper_open(&r->stepped, &r->stepper);
}

void dcs_steps_free(dcs_steps_rank *r) {
  if (r->stepper) r->stepper->close(r->stepper);
  for (int b = 0; b < r->c.kind->n_buffers; b++)
    free((void *)r->c.problem.input[b]);
  free(r->slices);
}

/* ---- a step is right ---- */

static dcs_status judge(dcs_steps_rank *r, const dcs_reference *reference) {
  const float *values;
  DCS_TRY(r->stepper->values(r->stepper, &values));
  const dcs_variant *variant = r->stepped.variant;
  const dcs_verdict v =
      dcs_check(reference, values, variant->longest_sum(&r->c.problem, &r->stepped.config));
  r->result->bound_ratio = v.bound_ratio;
  if (v.accepted) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s: after a step value %lld of its grid is %.9g; expected %.9g",
                  variant->id, (long long)v.worst, v.found, v.expected);
}

/* Of the first step, as of a grid of its own; the field is as before. */
dcs_status dcs_steps_check(dcs_steps_rank *r) {
  enum { POINTS = 4096 };
  dcs_reference reference;
  DCS_TRY(dcs_oracle(&r->c, POINTS, &reference));
  dcs_status status = r->stepper->compute(r->stepper, 0, r->c.problem.n.z);
  if (status == DCS_OK) status = r->stepper->take(r->stepper);
  if (status == DCS_OK) status = r->stepper->end(r->stepper);
  if (status == DCS_OK) status = judge(r, &reference);
  dcs_reference_free(&reference);
  DCS_TRY(status);
  return r->stepper->back(r->stepper);
}
