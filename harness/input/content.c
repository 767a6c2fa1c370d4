#include "harness/input/content.h"

#include "harness/base/hash.h"
#include "harness/base/interrupt.h"
#include "harness/input/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 16 };

struct dcs_content {
  const char *path; /* for messages */
  dcs_unpack *bytes;
  char *window; /* of `room` bytes; those from `at` to `end` are read and not yet taken */
  size_t room, at, end;
  bool ended; /* nothing is behind the window */
  bool may_be_cut;
  int64_t line;
  bool unhashed;
  uint64_t hash; /* of all bytes that came into the window */
};

/* Owns the file, standard input apart. */
static dcs_status open_stream(FILE *file, const char *path, dcs_content **content) {
  dcs_content *c = calloc(1, sizeof *c);
  if (c) *c = (dcs_content){.path = path, .hash = DCS_HASH_START};
  if (c) c->window = malloc(c->room = WINDOW);
  if (c && c->window) c->bytes = dcs_unpack_open(file, path);
  if (c && c->bytes) {
    *content = c;
    return DCS_OK;
  }
  if (file != stdin) fclose(file);
  dcs_content_close(c);
  return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
}

dcs_status dcs_content_open(const char *path, dcs_content **content) {
  const bool standard = strcmp(path, "-") == 0;
  *content = NULL;
  FILE *file = standard ? stdin : fopen(path, "r");
  if (!file)
    return dcs_fail(DCS_IO, "%s: cannot open: %s; expected a file with a molecule", path,
                    strerror(errno));
  return open_stream(file, standard ? "standard input" : path, content);
}

dcs_status dcs_content_open_text(dcs_slice text, const char *path, int64_t line,
                                 dcs_content **content) {
  *content = NULL;
  FILE *file = fmemopen((char *)text.text, text.length, "r");
  if (!file) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  DCS_TRY(open_stream(file, path, content));
  (*content)->line = line;
  return DCS_OK;
}

void dcs_content_close(dcs_content *content) {
  if (!content) return;
  dcs_unpack_close(content->bytes);
  free(content->window);
  free(content);
}

dcs_where dcs_content_place(const dcs_content *content) {
  return (dcs_where){content->path, content->line};
}

/* *got is 0 at the end alone. */
static dcs_status read_more(dcs_content *c, char *to, size_t size, size_t *got) {
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  DCS_TRY(dcs_unpack_read(c->bytes, to, size, got));
  if (!c->unhashed) c->hash = dcs_hash(c->hash, to, *got);
  c->ended = *got == 0;
  return c->ended && !c->may_be_cut ? dcs_unpack_check_end(c->bytes) : DCS_OK;
}

/* Makes the window hold more than it does, unless the file has ended. */
static dcs_status fill(dcs_content *c) {
  if (c->at > 0) memmove(c->window, c->window + c->at, c->end - c->at);
  c->end -= c->at;
  c->at = 0;
  if (c->end > c->room / 2) {
    char *more = realloc(c->window, 2 * c->room);
    if (!more) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", c->path);
    c->window = more;
    c->room *= 2;
  }
  size_t got;
  DCS_TRY(read_more(c, c->window + c->end, c->room - c->end, &got));
  c->end += got;
  return DCS_OK;
}

dcs_status dcs_content_peek(dcs_content *c, size_t bytes, dcs_slice *next) {
  while (c->end - c->at < bytes && !c->ended)
    DCS_TRY(fill(c));
  const size_t there = c->end - c->at;
  *next = (dcs_slice){c->window + c->at, there < bytes ? there : bytes};
  return DCS_OK;
}

/* ---- texts ---- */

/* The bytes up to the next LF or the end, which are taken with it; not found: there are none. */
static dcs_status take_line(dcs_content *c, dcs_slice *line, bool *found) {
  size_t searched = 0;
  char *end;
  while (!(end = memchr(c->window + c->at + searched, '\n', c->end - c->at - searched))) {
    searched = c->end - c->at;
    if (c->ended) break;
    DCS_TRY(fill(c));
  }
  *line = (dcs_slice){c->window + c->at, end ? (size_t)(end - c->window) - c->at : searched};
  c->at += line->length + (end != NULL);
  *found = line->length > 0 || end != NULL;
  return DCS_OK;
}

dcs_status dcs_content_line(dcs_content *c, dcs_slice *line, bool *found) {
  DCS_TRY(take_line(c, line, found));
  if (!*found) return DCS_OK;
  c->line++;
  if (memchr(line->text, '\0', line->length))
    return dcs_fail(DCS_INPUT, "%s:%" PRId64 ": found a NUL byte; expected text", c->path, c->line);
  while (line->length > 0 && line->text[line->length - 1] == '\r')
    line->length--;
  if (c->line == 1) *line = dcs_behind_mark(*line);
  return DCS_OK;
}

/* ---- bytes ---- */

dcs_status dcs_content_take(dcs_content *c, size_t bytes, const char **data) {
  dcs_slice next;
  DCS_TRY(dcs_content_peek(c, bytes, &next));
  if (next.length < bytes)
    return dcs_fail(DCS_INPUT, "%s: found the end of the file; expected %zu bytes more", c->path,
                    bytes - next.length);
  *data = next.text;
  c->at += bytes;
  return DCS_OK;
}

/* Past the window where that is empty. */
dcs_status dcs_content_copy(dcs_content *c, size_t bytes, char *to, size_t *got) {
  const size_t there = c->end - c->at;
  size_t more = *got = there < bytes ? there : bytes;
  memcpy(to, c->window + c->at, more);
  c->at += more;
  while (*got < bytes && !c->ended) {
    DCS_TRY(read_more(c, to + *got, bytes - *got, &more));
    *got += more;
  }
  return DCS_OK;
}

dcs_status dcs_content_skip(dcs_content *c, uint64_t bytes) {
  while (bytes > 0) {
    const size_t there = c->end - c->at, part = bytes < there ? (size_t)bytes : there;
    c->at += part;
    bytes -= part;
    if (bytes == 0 || c->ended || dcs_unpack_seek(c->bytes, bytes)) return DCS_OK;
    DCS_TRY(fill(c));
  }
  return DCS_OK;
}

void dcs_content_unhashed(dcs_content *c) {
  c->unhashed = true;
}

bool dcs_content_size(const dcs_content *c, uint64_t *bytes) {
  return dcs_unpack_size(c->bytes, bytes);
}

dcs_shared_file *dcs_content_share(const dcs_content *c) {
  const int descriptor = dcs_unpack_descriptor(c->bytes);
  return descriptor < 0 ? NULL : dcs_shared_file_open(descriptor);
}

void dcs_content_allow_cut(dcs_content *c) {
  c->may_be_cut = true;
}

dcs_status dcs_content_refuse_cut(dcs_content *c) {
  c->may_be_cut = false;
  return c->ended ? dcs_unpack_check_end(c->bytes) : DCS_OK;
}

bool dcs_content_is_cut(const dcs_content *c) {
  return dcs_unpack_is_cut(c->bytes);
}

dcs_status dcs_content_rest(dcs_content *c, dcs_slice *rest) {
  while (!c->ended)
    DCS_TRY(fill(c));
  *rest = (dcs_slice){c->window + c->at, c->end - c->at};
  c->at = c->end;
  return DCS_OK;
}

dcs_status dcs_content_end(dcs_content *c, uint64_t *hash) {
  c->at = c->end;
  while (!c->ended) {
    DCS_TRY(fill(c));
    c->at = c->end;
  }
  *hash = c->hash;
  return DCS_OK;
}
