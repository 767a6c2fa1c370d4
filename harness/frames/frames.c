#include "harness/base/hash.h"
#include "harness/frames/selection.h"
#include "harness/frames/superpose.h"
#include "harness/frames/trajectory.h"

#include <inttypes.h>
#include <stdlib.h>

/* A file: open while it is read, and a pipe always. */
typedef struct {
  const char *path;
  int64_t before; /* frames of the files before it */
  int64_t frames; /* -1: not known; the last file alone */
  bool regular;
  bool in_place;        /* its frames are read by who makes them */
  dcs_trajectory *open; /* NULL: not now */
} part;

struct dcs_frames {
  const dcs_molecule *top;
  part *parts;
  int n_parts;
  dcs_frame_range range;
  int64_t count;         /* selected; -1: not known */
  int64_t index;         /* of the next to be read */
  dcs_frame kept;        /* the first selected */
  dcs_raw_frame raw;     /* of one that is read in one step */
  dcs_selection aligned; /* n 0: they are as they are read */
  bool without_cells;
  uint64_t hash;
  FILE *notes;
};

/* ---- the files ---- */

static dcs_status look_at(dcs_frames *f, part *p) {
  uint64_t hash;
  DCS_TRY(dcs_trajectory_open(p->path, f->top->n, -1, f->notes, &p->open, &hash));
  p->frames = p->open->frames;
  p->regular = p->open->regular;
  p->in_place = p->open->in_place;
  f->hash = dcs_hash(f->hash, &hash, sizeof hash);
  if (!p->regular) return DCS_OK;
  dcs_trajectory_close(p->open);
  p->open = NULL;
  return DCS_OK;
}

static dcs_status look_at_all(dcs_frames *f, const char *const *files) {
  int64_t frames = 0;
  for (int i = 0; i < f->n_parts; i++) {
    part *p = &f->parts[i];
    *p = (part){.path = files[i], .before = frames};
    DCS_TRY(look_at(f, p));
    if (p->frames < 0 && i + 1 < f->n_parts)
      return dcs_fail(DCS_USAGE,
                      "%s: found a pipe, or compressed data, whose number of frames is not known "
                      "before it was read, and files behind it; expected it last",
                      p->path);
    frames = p->frames < 0 ? -1 : frames + p->frames;
  }
  f->count = frames;
  return DCS_OK;
}

/* ---- which frames ---- */

static dcs_status too_few(const dcs_frames *f, int64_t wanted, int64_t there) {
  const char *path = f->parts[0].path;
  if (there == 0) return dcs_fail(DCS_INPUT, "%s: found no frames; expected one", path);
  return dcs_fail(DCS_USAGE, "--frames: found %" PRId64 "; %s%s %" PRId64 " whole frames", wanted,
                  path, f->n_parts > 1 ? " and the files behind it have" : " has", there);
}

/* Of `there` frames in all, -1 where that is not known, how many the range selects. */
static dcs_status select_frames(dcs_frames *f, int64_t there) {
  dcs_frame_range *r = &f->range;
  const int64_t last = r->last ? r->last : r->first;
  if (there >= 0 && last > there) return too_few(f, last, there);
  if (!r->last && there >= 0) r->last = there;
  f->count = r->last ? (r->last - r->first) / r->step + 1 : -1;
  return DCS_OK;
}

/* The file that holds the frame of that index over all files, open and not beyond it. */
static dcs_status stand_before(dcs_frames *f, int64_t index, part **at) {
  uint64_t ignored;
  part *p = f->parts;
  while (p->frames >= 0 && index >= p->before + p->frames)
    p++;
  for (int i = 0; i < f->n_parts; i++) {
    part *other = &f->parts[i];
    if (other == p || !other->regular) continue;
    dcs_trajectory_close(other->open);
    other->open = NULL;
  }
  *at = p;
  if (p->open && p->open->at > index - p->before) {
    if (!p->regular)
      return dcs_fail(DCS_USAGE, "%s: frame %" PRId64 " has passed; a pipe goes forward alone",
                      p->path, index + 1);
    dcs_trajectory_close(p->open);
    p->open = NULL;
  }
  if (p->open) return DCS_OK;
  FILE *notes = p->frames < 0 ? f->notes : NULL; /* of its end, which was not seen before */
  return dcs_trajectory_open(p->path, f->top->n, p->frames, notes, &p->open, &ignored);
}

static dcs_status changed(const part *p) {
  return dcs_fail(DCS_INPUT,
                  "%s: found %" PRId64 " whole frames; expected the %" PRId64 " that it had when "
                  "it was opened: it was changed meanwhile",
                  p->path, p->open->at, p->frames);
}

static dcs_status take_frame(dcs_frames *f, dcs_frame *frame, dcs_raw_frame *raw, bool *found) {
  part *p;
  const int64_t index = frame->number - 1;
  DCS_TRY(stand_before(f, index, &p));
  DCS_TRY(dcs_trajectory_read(p->open, index - p->before, frame, raw, found));
  if (!*found && p->frames >= 0) return changed(p);
  if (*found || (!f->range.last && f->index > 0)) return DCS_OK;
  return too_few(f, frame->number, p->before + p->open->at);
}

static void copy_places(const dcs_frames *f, const void *from, dcs_frame *to) {
  memcpy(to->places, from, 3 * (size_t)f->top->n * sizeof *to->places);
}

static void let_go(dcs_raw_frame *raw) {
  dcs_shared_file_let_go(raw->file);
  raw->file = NULL;
}

static dcs_status decode(const dcs_frames *f, dcs_raw_frame *raw, dcs_frame *frame) {
  dcs_status status = DCS_OK;
  if (raw->file)
    status = dcs_dcd_read(&raw->dcd, raw->file, frame->places, &frame->cell);
  else if (raw->undecoded)
    status = dcs_dcd_decode(&raw->dcd, frame->places, &frame->cell);
  else
    copy_places(f, raw->bytes, frame);
  let_go(raw);
  return status;
}

static void align(const dcs_frames *f, double *places) {
  const dcs_selection *s = &f->aligned;
  if (s->n == 0) return;
  const dcs_motion motion = dcs_superpose(places, f->kept.places, s->atoms, s->n);
  dcs_move(&motion, places, f->top->n);
}

dcs_status dcs_frames_take(dcs_frames *f, dcs_frame *frame, dcs_raw_frame *raw, bool *found) {
  *found = f->count < 0 || f->index < f->count;
  let_go(raw);
  if (!*found) return DCS_OK;
  frame->number = f->range.first + f->index * f->range.step;
  if (f->index == 0)
    frame->cell = f->kept.cell;
  else
    DCS_TRY(take_frame(f, frame, raw, found));
  f->index += *found;
  return DCS_OK;
}

static dcs_status make(const dcs_frames *f, dcs_raw_frame *raw, dcs_frame *frame) {
  DCS_TRY(decode(f, raw, frame));
  align(f, frame->places);
  return DCS_OK;
}

dcs_status dcs_frames_make(const dcs_frames *f, dcs_raw_frame *raw, dcs_frame *frame) {
  if (frame->number == f->kept.number)
    copy_places(f, f->kept.places, frame);
  else
    DCS_TRY(make(f, raw, frame));
  if (f->without_cells) frame->cell = (dcs_unit_cell){0};
  return DCS_OK;
}

/* After a failure the next is the same. */
dcs_status dcs_frames_next(dcs_frames *f, dcs_frame *frame, bool *found) {
  const int64_t index = f->index;
  DCS_TRY(dcs_frames_take(f, frame, &f->raw, found));
  if (!*found) return DCS_OK;
  const dcs_status status = dcs_frames_make(f, &f->raw, frame);
  if (status != DCS_OK) f->index = index;
  return status;
}

void dcs_raw_frame_free(dcs_raw_frame *raw) {
  dcs_shared_file_let_go(raw->file);
  free(raw->bytes);
  *raw = (dcs_raw_frame){0};
}

void dcs_frames_who_reads(const dcs_frames *f, bool *takes, bool *makes) {
  *takes = *makes = false;
  for (int p = 0; p < f->n_parts; p++)
    *(f->parts[p].in_place ? makes : takes) = true;
}

/* ---- all of it ---- */

static dcs_status keep_first(dcs_frames *f) {
  bool found;
  const size_t n = 3 * (size_t)f->top->n;
  f->kept = (dcs_frame){.number = f->range.first, .places = calloc(n, sizeof *f->kept.places)};
  if (!f->kept.places)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the places of %" PRId64 " atoms", f->top->n);
  DCS_TRY(take_frame(f, &f->kept, &f->raw, &found));
  DCS_TRY(decode(f, &f->raw, &f->kept));
  f->hash = dcs_hash(f->hash, f->kept.places, n * sizeof *f->kept.places);
  f->hash = dcs_hash(f->hash, &f->range, sizeof f->range);
  return DCS_OK;
}

static dcs_status begin(dcs_frames *f, const char *const *files) {
  if (!f->parts) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d files", f->n_parts);
  DCS_TRY(look_at_all(f, files));
  DCS_TRY(select_frames(f, f->count));
  return keep_first(f);
}

dcs_status dcs_frames_open(const char *const *files, int n_files, const dcs_molecule *top,
                           const dcs_frame_range *range, FILE *notes, dcs_frames **frames) {
  dcs_frames *f = calloc(1, sizeof *f);
  *frames = NULL;
  if (!f) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", files[0]);
  *f = (dcs_frames){.top = top,
                    .parts = calloc((size_t)n_files, sizeof *f->parts),
                    .n_parts = n_files,
                    .range = range ? *range : DCS_ALL_FRAMES,
                    .hash = DCS_HASH_START,
                    .notes = notes};
  const dcs_status status = begin(f, files);
  if (status == DCS_OK)
    *frames = f;
  else
    dcs_frames_close(f);
  return status;
}

void dcs_frames_close(dcs_frames *f) {
  if (!f) return;
  for (int i = 0; f->parts && i < f->n_parts; i++)
    dcs_trajectory_close(f->parts[i].open);
  free(f->parts);
  free(f->kept.places);
  free(f->aligned.atoms);
  dcs_raw_frame_free(&f->raw);
  free(f);
}

dcs_status dcs_frames_align(dcs_frames *f, const char *selection) {
  static const double least = 1e-3; /* angstrom */
  dcs_selection s;
  DCS_TRY(dcs_select_atoms(selection, f->top, &s));
  const bool turns = dcs_reach_from_line(f->kept.places, s.atoms, s.n) > least;
  free(f->aligned.atoms);
  f->aligned = s;
  f->hash = dcs_hash(f->hash, s.atoms, (size_t)s.n * sizeof *s.atoms);
  if (turns) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--align: the %" PRId64 " atoms of \"%s\" lie on a line; expected three or more "
                  "that do not",
                  s.n, selection);
}

void dcs_frames_without_cells(dcs_frames *f) {
  static const char word[] = "without cells";
  f->without_cells = true;
  f->hash = dcs_hash(f->hash, word, sizeof word);
}

int64_t dcs_frames_count(const dcs_frames *f) {
  return f->count;
}

dcs_status dcs_frames_seek(dcs_frames *f, int64_t index) {
  if (index < 0 || (f->count >= 0 && index > f->count))
    return dcs_fail(DCS_USAGE, "found frame %" PRId64 "; expected 0 to %" PRId64, index, f->count);
  f->index = index;
  return DCS_OK;
}

bool dcs_frames_go_back(const dcs_frames *f) {
  bool all = true;
  for (int p = 0; p < f->n_parts; p++)
    all = all && f->parts[p].regular;
  return all;
}

uint64_t dcs_frames_hash(const dcs_frames *f) {
  return f->hash;
}
