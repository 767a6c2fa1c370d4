/* What steps come to: sums and hashes of slices, and the values. */
#include "library/steps_rank.h"

#include "harness/base/hash.h"
#include "harness/base/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dcs_status own_values(const dcs_steps_rank *r, const float **own) {
  DCS_TRY(r->stepper->values(r->stepper, own));
  *own += (r->from - r->first) * dcs_slice_of(&r->stepped);
  return DCS_OK;
}

static double sum(const float *slice, int64_t n) {
  double all = 0;
  for (int64_t i = 0; i < n; i++)
    all += (double)slice[i];
  return all;
}

dcs_status dcs_steps_look_before(dcs_steps_rank *r) {
  const float *own;
  const int64_t slice = dcs_slice_of(&r->stepped);
  DCS_TRY(own_values(r, &own));
#pragma omp parallel for num_threads(dcs_loop_threads())
  for (int64_t k = 0; k < r->end - r->from; k++)
    r->slices[k].before = sum(own + k * slice, slice);
  return DCS_OK;
}

static dcs_status look_after(dcs_steps_rank *r) {
  const float *own;
  const int64_t slice = dcs_slice_of(&r->stepped);
  DCS_TRY(own_values(r, &own));
#pragma omp parallel for num_threads(dcs_loop_threads())
  for (int64_t k = 0; k < r->end - r->from; k++) {
    r->slices[k].after = sum(own + k * slice, slice);
    r->slices[k].hash = dcs_hash(DCS_HASH_START, own + k * slice, (size_t)slice * sizeof *own);
  }
  return DCS_OK;
}

/* Of a slice of the whole grid. Its sum is finite where all its values are: floats cannot add up
 * to more than a double holds. */
static dcs_status check_finite(const dcs_steps_rank *r, int64_t at, double after) {
  if (isfinite(after)) return DCS_OK;
  return dcs_fail(DCS_FAILED,
                  "after %lld steps slice %lld has values that are not finite: the steps are too "
                  "long and diverge; expected a smaller --step",
                  (long long)r->steps->steps, (long long)at);
}

/* all: of rank 0, `room` slices of each rank. */
static dcs_status collect_slices(dcs_steps_rank *r, dcs_steps_slice *all) {
  const size_t bytes = (size_t)r->room * sizeof *all;
  DCS_TRY(r->workers->gather(r->workers, r->slices, bytes, all));
  r->result->hash = DCS_HASH_START;
  for (int of = 0; of < r->workers->size && r->workers->rank == 0; of++) {
    int64_t from, end;
    dcs_steps_share(r->steps->n.z, of, r->workers->size, &from, &end);
    for (int64_t k = 0; k < end - from; k++) {
      const dcs_steps_slice *slice = &all[of * r->room + k];
      r->result->sum_before += slice->before;
      r->result->sum_after += slice->after;
      r->result->hash = dcs_hash(r->result->hash, &slice->hash, sizeof slice->hash);
      DCS_TRY(check_finite(r, from + k, slice->after));
    }
  }
  return DCS_OK;
}

dcs_status dcs_steps_tell_slices(dcs_steps_rank *r) {
  const bool here = r->workers->rank == 0;
  dcs_steps_slice *all =
      malloc((here ? (size_t)r->room * (size_t)r->workers->size : 1) * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for sums of all slices");
  dcs_status status = look_after(r);
  if (status == DCS_OK) status = collect_slices(r, all);
  free(all);
  return status;
}

/* Part p is rank p's slab. */
static dcs_status deliver(void *with, int64_t part, const struct iovec *pieces, int n_pieces) {
  const dcs_steps_rank *r = with;
  int64_t from, end;
  (void)n_pieces;
  dcs_steps_share(r->steps->n.z, (int)part, r->workers->size, &from, &end);
  memcpy(r->result->values + from * dcs_slice_of(&r->stepped), pieces->iov_base, pieces->iov_len);
  return DCS_OK;
}

dcs_status dcs_steps_collect_values(dcs_steps_rank *r) {
  const float *own;
  const dcs_parts parts = {.n = r->workers->size, .deliver = deliver, .with = r};
  const size_t bytes = (size_t)dcs_points(r->steps->n) * sizeof *own;
  if (r->workers->rank == 0 && (double)bytes < (double)dcs_available_memory())
    r->result->values = malloc(bytes);
  if (r->workers->rank == 0 && !r->result->values)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the %.3g GB of all values",
                    1e-9 * (double)bytes);
  DCS_TRY(own_values(r, &own));
  const struct iovec piece = {
      (void *)own, (size_t)((r->end - r->from) * dcs_slice_of(&r->stepped)) * sizeof *own};
  DCS_TRY(r->workers->begin(r->workers, &parts));
  DCS_TRY(r->workers->give(r->workers, r->workers->rank, &piece, 1));
  return r->workers->finish(r->workers);
}
