#include "harness/frames/trajectory.h"

#include "harness/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DCS_TRAJECTORY(name) extern const dcs_trajectory_format dcs_trajectory_##name;
#include "harness/frames/trajectories.def"

static const dcs_trajectory_format *const formats[] = {
#define DCS_TRAJECTORY(name) &dcs_trajectory_##name,
#include "harness/frames/trajectories.def"
};

enum { HEAD = 65536, HASHED = 4096 };

static dcs_status begin(dcs_trajectory *t, uint64_t *hash) {
  struct stat facts;
  dcs_slice head;
  DCS_TRY(dcs_content_open(t->path, &t->content));
  dcs_content_allow_cut(t->content);
  t->regular = stat(t->path, &facts) == 0 && S_ISREG(facts.st_mode);
  DCS_TRY(dcs_content_peek(t->content, HEAD, &head));
  *hash = dcs_hash(DCS_HASH_START, head.text, head.length < HASHED ? head.length : HASHED);
  if (t->regular) *hash = dcs_hash(*hash, &facts.st_size, sizeof facts.st_size);
  for (size_t f = 0; !t->format; f++)
    if (!formats[f]->sniff || formats[f]->sniff(head)) t->format = formats[f];
  if (!t->format->cuts) DCS_TRY(dcs_content_refuse_cut(t->content));
  return t->format->open(t);
}

dcs_status dcs_trajectory_open(const char *path, int64_t n_atoms, int64_t frames, FILE *notes,
                               dcs_trajectory **trajectory, uint64_t *hash) {
  dcs_trajectory *t = calloc(1, sizeof *t);
  *trajectory = NULL;
  if (!t) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  *t = (dcs_trajectory){.path = path, .n_atoms = n_atoms, .frames = frames, .notes = notes};
  const dcs_status status = begin(t, hash);
  if (status == DCS_OK)
    *trajectory = t;
  else
    dcs_trajectory_close(t);
  return status;
}

void dcs_trajectory_close(dcs_trajectory *t) {
  if (!t) return;
  if (t->format) t->format->close(t);
  dcs_content_close(t->content);
  free(t);
}

static dcs_status next(dcs_trajectory *t, dcs_unit_cell *cell, dcs_raw_frame *raw, bool *found) {
  const size_t size = 3 * (size_t)t->n_atoms * sizeof(double);
  char *bytes = raw->room < size ? realloc(raw->bytes, size) : raw->bytes;
  if (!bytes)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the places of %" PRId64 " atoms", t->n_atoms);
  raw->bytes = bytes;
  if (raw->room < size) raw->room = size;
  return t->format->next(t, (double *)bytes, cell, found);
}

static dcs_status read_at(dcs_trajectory *t, int64_t index, dcs_frame *frame, dcs_raw_frame *raw,
                          bool *found) {
  *found = true;
  frame->cell = (dcs_unit_cell){0};
  raw->undecoded = t->apart;
  if (index > t->at) DCS_TRY(t->format->pass(t, index - t->at, found));
  if (!*found) return DCS_OK;
  t->at = index;
  DCS_TRY(t->apart ? t->format->take(t, raw, found) : next(t, &frame->cell, raw, found));
  if (*found) t->at++;
  return DCS_OK;
}

dcs_status dcs_trajectory_read(dcs_trajectory *t, int64_t index, dcs_frame *frame,
                               dcs_raw_frame *raw, bool *found) {
  const dcs_status status = read_at(t, index, frame, raw, found);
  if (status != DCS_OK) t->at = INT64_MAX; /* somewhere within a frame */
  return status;
}

dcs_status dcs_trajectory_check(const dcs_trajectory *t, int64_t atoms) {
  if (atoms == t->n_atoms) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found %" PRId64 " atoms in frame %" PRId64 "; expected the %" PRId64
                  " of the topology, in its order",
                  t->path, atoms, t->at + 1, t->n_atoms);
}
