/* Frames of DCD trajectories. */
#include "harness/frames/trajectory.h"
#include "harness/input/dcd_trajectory.h"

#include <stdlib.h>

static dcs_status open_dcd(dcs_trajectory *t) {
  uint64_t bytes, left;
  dcs_dcd *dcd = t->state = calloc(1, sizeof *dcd);
  if (!dcd) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", t->path);
  DCS_TRY(dcs_dcd_open(t->content, dcd));
  DCS_TRY(dcs_trajectory_check(t, dcd->n_atoms));
  if (dcs_content_size(t->content, &bytes)) t->frames = dcs_dcd_frames(dcd, bytes, &left);
  if (t->notes) dcs_dcd_tell(dcd, t->notes);
  t->apart = dcd->n_fixed == 0;
  return DCS_OK;
}

static void close_dcd(dcs_trajectory *t) {
  if (t->state) dcs_dcd_close(t->state);
  free(t->state);
}

/* Where a pipe ends within a frame, which is seen no earlier, the frames end. */
static dcs_status to_the_cut(dcs_trajectory *t, dcs_status status, bool *found) {
  const dcs_dcd *dcd = t->state;
  const bool cut = status != DCS_OK && dcd->cut && dcd->frame > 0;
  if (cut && t->notes) dcs_dcd_tell_cut(dcd, dcd->frame + 1, t->notes);
  if (cut) *found = false;
  if (!*found) t->at = dcd->frame;
  return cut ? DCS_OK : status;
}

static dcs_status pass(dcs_trajectory *t, int64_t frames, bool *found) {
  return to_the_cut(t, dcs_dcd_pass(t->state, frames, found), found);
}

static dcs_status take(dcs_trajectory *t, dcs_raw_frame *raw, bool *found) {
  return to_the_cut(t, dcs_dcd_take(t->state, &raw->bytes, &raw->room, &raw->dcd, found), found);
}

/* Where atoms are fixed, which the first frame alone has. */
static dcs_status next(dcs_trajectory *t, double *places, dcs_unit_cell *cell, bool *found) {
  const dcs_dcd *dcd = t->state;
  DCS_TRY(to_the_cut(t, dcs_dcd_next(t->state, found), found));
  if (!*found) return DCS_OK;
  *cell = dcd->cell;
  const float *x = dcd->places[0], *y = dcd->places[1], *z = dcd->places[2];
  for (int64_t i = 0; i < dcd->n_atoms; i++) {
    places[3 * i] = (double)x[i];
    places[3 * i + 1] = (double)y[i];
    places[3 * i + 2] = (double)z[i];
  }
  return DCS_OK;
}

const dcs_trajectory_format dcs_trajectory_dcd = {.name = "DCD",
                                                  .sniff = dcs_is_dcd,
                                                  .open = open_dcd,
                                                  .close = close_dcd,
                                                  .pass = pass,
                                                  .next = next,
                                                  .take = take};
