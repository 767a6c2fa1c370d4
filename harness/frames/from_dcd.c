/* Frames of DCD trajectories. */
#include "harness/frames/trajectory.h"
#include "harness/input/dcd/trajectory.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  dcs_dcd dcd;
  dcs_shared_file *file; /* from which frames are read by who makes them; NULL: they are copied */
} state;

static dcs_dcd *dcd_of(const dcs_trajectory *t) {
  return &((state *)t->state)->dcd;
}

static dcs_status open_dcd(dcs_trajectory *t) {
  uint64_t bytes, left;
  state *s = t->state = calloc(1, sizeof *s);
  if (!s) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", t->path);
  dcs_dcd *dcd = &s->dcd;
  DCS_TRY(dcs_dcd_open(t->content, dcd));
  DCS_TRY(dcs_trajectory_check(t, dcd->n_atoms));
  if (dcs_content_size(t->content, &bytes)) t->frames = dcs_dcd_frames(dcd, bytes, &left);
  if (t->notes) dcs_dcd_tell(dcd, t->notes);
  t->apart = dcd->n_fixed == 0;
  if (t->apart && t->regular) s->file = dcs_content_share(t->content);
  t->in_place = s->file != NULL;
  return DCS_OK;
}

static void close_dcd(dcs_trajectory *t) {
  state *s = t->state;
  if (!s) return;
  dcs_shared_file_let_go(s->file);
  dcs_dcd_close(&s->dcd);
  free(s);
}

/* Where a pipe or compressed data ends within a frame, which is seen no earlier, the frames end. */
static dcs_status to_the_cut(dcs_trajectory *t, dcs_status status, bool *found) {
  const dcs_dcd *dcd = dcd_of(t);
  const bool cut = status != DCS_OK && dcd->cut && dcd->frame > 0;
  if (cut && t->notes) dcs_dcd_tell_cut(dcd, dcd->frame + 1, t->notes);
  if (!cut && !*found && t->notes && dcs_content_is_cut(t->content))
    fprintf(t->notes, "%s: the compressed data is cut behind frame %" PRId64 "\n", t->path,
            dcd->frame);
  if (cut) *found = false;
  if (!*found) t->at = dcd->frame;
  return cut ? DCS_OK : status;
}

/* Passes over frames that others read, if any; the file may have shrunk. */
static bool leap(dcs_trajectory *t, int64_t frames) {
  const state *s = t->state;
  const bool there = dcs_dcd_leap(dcd_of(t), dcs_shared_file_size(s->file), frames) == frames;
  if (!there) t->at = s->dcd.frame;
  return there;
}

static dcs_status pass(dcs_trajectory *t, int64_t frames, bool *found) {
  if (!t->in_place) return to_the_cut(t, dcs_dcd_pass(dcd_of(t), frames, found), found);
  *found = leap(t, frames);
  return DCS_OK;
}

static dcs_status take(dcs_trajectory *t, dcs_raw_frame *raw, bool *found) {
  const state *s = t->state;
  if (!t->in_place)
    return to_the_cut(t, dcs_dcd_take(dcd_of(t), &raw->bytes, &raw->room, &raw->dcd, found), found);
  raw->dcd = s->dcd;
  *found = leap(t, 1);
  if (!*found) return DCS_OK;
  raw->file = dcs_shared_file_hold(s->file);
  dcs_shared_file_ahead(raw->file, raw->dcd.at, dcs_dcd_frame_bytes(&raw->dcd));
  return DCS_OK;
}

/* Where atoms are fixed, which the first frame alone has. */
static dcs_status next(dcs_trajectory *t, double *places, dcs_unit_cell *cell, bool *found) {
  dcs_dcd *dcd = dcd_of(t);
  DCS_TRY(to_the_cut(t, dcs_dcd_next(dcd, found), found));
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
                                                  .cuts = true,
                                                  .sniff = dcs_is_dcd,
                                                  .open = open_dcd,
                                                  .close = close_dcd,
                                                  .pass = pass,
                                                  .next = next,
                                                  .take = take};
