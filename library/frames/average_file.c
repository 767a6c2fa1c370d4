/* Checkpoints of an average: a header, its maps, the blocks that wait, and a checksum over all. */
#include "library/frames/average_parts.h"

#include "harness/base/hash.h"
#include "harness/files/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = "DCSAVG3";

/* As it is written, in the machine's byte order; another's does not have the magic's neighbour. */
typedef struct {
  char magic[8];
  uint64_t order; /* 1 */
  dcs_average_job job;
  int64_t points, n_maps, in_long, blocks, frames, n_long, n_early;
  uint64_t atoms; /* of the block merged last */
} header;

/* A stream with the checksum of what went through it. */
typedef struct {
  FILE *stream;
  const char *path;
  uint64_t sum;
} sealed;

static header header_of(const dcs_average *a, const dcs_average_job *job) {
  header h = {.order = 1,
              .job = *job,
              .points = a->points,
              .n_maps = a->n_maps,
              .in_long = a->in_long,
              .blocks = a->blocks,
              .frames = a->frames,
              .n_long = a->n_long,
              .atoms = a->atoms};
  memcpy(h.magic, MAGIC, sizeof h.magic);
  for (const dcs_early *early = a->early; early; early = early->next)
    h.n_early++;
  return h;
}

/* ---- writing ---- */

/* Errors are left to the closing. */
static void put(sealed *s, const void *bytes, size_t n) {
  s->sum = dcs_hash_words(s->sum, bytes, n);
  fwrite(bytes, 1, n, s->stream);
}

static void put_all(sealed *s, const dcs_average *a, const dcs_average_job *job) {
  const header h = header_of(a, job);
  const size_t bytes = (size_t)a->points * sizeof(double);
  put(s, &h, sizeof h);
  for (int m = 0; m < a->n_maps; m++)
    put(s, a->maps[m], bytes);
  for (const dcs_early *early = a->early; early; early = early->next) {
    put(s, &early->block, sizeof early->block);
    put(s, &early->partial.frames, sizeof early->partial.frames);
    put(s, &early->partial.atoms, sizeof early->partial.atoms);
    put(s, early->partial.sum, bytes);
    if (a->n_maps > 1) put(s, early->partial.m2, bytes);
  }
  fwrite(&s->sum, sizeof s->sum, 1, s->stream);
}

dcs_status dcs_average_write(const dcs_average *a, const char *path, const dcs_average_job *job) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  sealed s = {.stream = file.stream, .path = path, .sum = DCS_HASH_START};
  put_all(&s, a, job);
  return dcs_file_close(&file);
}

/* ---- reading ---- */

static dcs_status damaged(const sealed *s, const char *what) {
  return dcs_fail(DCS_INPUT,
                  "%s: %s; expected a checkpoint as it was written: remove it to begin anew",
                  s->path, what);
}

static dcs_status get(sealed *s, void *bytes, size_t n) {
  if (fread(bytes, 1, n, s->stream) != n)
    return ferror(s->stream) ? dcs_cannot("read", s->path) : damaged(s, "it ends too early");
  s->sum = dcs_hash_words(s->sum, bytes, n);
  return DCS_OK;
}

static dcs_status other_job(const char *path, const char *what, const char *found,
                            const char *expected) {
  return dcs_fail(DCS_INPUT,
                  "%s: the checkpoint is of another job: %s: found %s; expected %s: remove it to "
                  "begin anew",
                  path, what, found, expected);
}

/* Texts of a damaged file may have no end. */
static dcs_status check_job(const char *path, dcs_average_job *h, const dcs_average_job *j) {
  h->problem[sizeof h->problem - 1] = h->method[sizeof h->method - 1] = '\0';
  h->program[sizeof h->program - 1] = '\0';
  if (h->frames != j->frames)
    return other_job(path, "frames", "other files, atoms, charges or --frames", "this job's");
  const struct {
    const char *what, *found, *expected;
  } texts[] = {{"map", h->problem, j->problem},
               {"method", h->method, j->method},
               {"program", h->program, j->program}};
  for (int t = 0; t < 3; t++)
    if (strcmp(texts[t].found, texts[t].expected) != 0)
      return other_job(path, texts[t].what, texts[t].found, texts[t].expected);
  return DCS_OK;
}

static dcs_status check_header(const sealed *s, const dcs_average *a, header *h,
                               const dcs_average_job *job) {
  if (memcmp(h->magic, MAGIC, sizeof h->magic) != 0 || h->order != 1)
    return damaged(s, "found no checkpoint of this program on such a machine");
  DCS_TRY(check_job(s->path, &h->job, job));
  if (h->points != a->points || h->n_maps != a->n_maps || h->in_long != a->in_long)
    return other_job(s->path, "frames", "another number", "this job's");
  const bool sane = h->blocks >= 0 && h->frames >= 0 && h->n_long >= 0 && h->n_early >= 0;
  return sane ? DCS_OK : damaged(s, "its counts are below 0");
}

static dcs_status get_early(sealed *s, dcs_average *a) {
  const size_t bytes = (size_t)a->points * sizeof(double);
  dcs_partial partial;
  int64_t block;
  DCS_TRY(dcs_partial_make(a->points, a->n_maps > 1, &partial));
  dcs_status status = get(s, &block, sizeof block);
  if (status == DCS_OK) status = get(s, &partial.frames, sizeof partial.frames);
  if (status == DCS_OK) status = get(s, &partial.atoms, sizeof partial.atoms);
  if (status == DCS_OK) status = get(s, partial.sum, bytes);
  if (status == DCS_OK && partial.m2) status = get(s, partial.m2, bytes);
  if (status == DCS_OK) status = dcs_average_keep(a, block, &partial);
  dcs_partial_free(&partial);
  return status;
}

static dcs_status get_all(sealed *s, dcs_average *a, const dcs_average_job *job) {
  header h;
  uint64_t sum;
  DCS_TRY(get(s, &h, sizeof h));
  DCS_TRY(check_header(s, a, &h, job));
  for (int m = 0; m < a->n_maps; m++)
    DCS_TRY(get(s, a->maps[m], (size_t)a->points * sizeof(double)));
  for (int64_t e = 0; e < h.n_early; e++)
    DCS_TRY(get_early(s, a));
  if (fread(&sum, sizeof sum, 1, s->stream) != 1) return damaged(s, "it ends too early");
  if (sum != s->sum || fgetc(s->stream) != EOF) return damaged(s, "its checksum is wrong");
  a->blocks = h.blocks;
  a->frames = h.frames;
  a->n_long = h.n_long;
  a->atoms = h.atoms;
  return DCS_OK;
}

/* As it was opened. */
static void begin_anew(dcs_average *a) {
  dcs_average_clear(a);
  a->blocks = a->frames = a->n_long = 0;
  for (int m = 0; m < a->n_maps; m++)
    memset(a->maps[m], 0, (size_t)a->points * sizeof(double));
}

dcs_status dcs_average_read(dcs_average *a, const char *path, const dcs_average_job *job,
                            bool *found) {
  sealed s = {.stream = fopen(path, "rbe"), .path = path, .sum = DCS_HASH_START};
  *found = s.stream != NULL;
  if (!s.stream) return errno == ENOENT ? DCS_OK : dcs_cannot("open", path);
  begin_anew(a);
  dcs_status status = get_all(&s, a, job);
  if (status != DCS_OK) begin_anew(a);
  fclose(s.stream);
  return status;
}
