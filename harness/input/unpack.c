#include "harness/input/unpack.h"

#include "harness/base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PACKED = 1 << 16, WINDOW_BITS = 15, GZIP_OR_ZLIB = 32 };

typedef enum { UNKNOWN, PLAIN, GZIP, ZLIB } packing;

struct dcs_unpack {
  FILE *file;
  const char *path;
  bool waits;  /* reading may wait for somebody to write: a pipe, a terminal */
  off_t begin; /* where the file stood at first */
  packing packing;
  z_stream z;
  uint64_t given; /* bytes, for messages */
  bool between;   /* behind the end of a member */
  bool cut;       /* the file ended within one */
  unsigned char packed[PACKED];
};

/* Not of text in memory, which has no descriptor. */
static bool may_wait(FILE *file) {
  struct stat facts;
  return fileno(file) >= 0 && fstat(fileno(file), &facts) == 0 && !S_ISREG(facts.st_mode);
}

dcs_unpack *dcs_unpack_open(FILE *file, const char *path) {
  dcs_unpack *u = malloc(sizeof *u);
  if (!u) return NULL;
  memset(u, 0, offsetof(dcs_unpack, packed)); /* the rest is much, and read only once written */
  u->file = file;
  u->path = path;
  u->waits = may_wait(file);
  u->begin = ftello(file);
  return u;
}

void dcs_unpack_close(dcs_unpack *u) {
  if (!u) return;
  inflateEnd(&u->z); /* nothing to zlib where it never began */
  if (u->file != stdin) fclose(u->file);
  free(u);
}

static dcs_status cannot_read(const dcs_unpack *u) {
  return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a file with a molecule", u->path,
                  strerror(errno));
}

/* What is there, at least a byte; an interrupt is looked for meanwhile, since another thread may
 * have got the signal. Nothing goes through the stream's own buffer. */
static dcs_status read_waiting(dcs_unpack *u, void *to, size_t size, size_t *got) {
  enum { LOOK_MS = 100 };
  struct pollfd ready = {.fd = fileno(u->file), .events = POLLIN};
  for (;;) {
    if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    if (poll(&ready, 1, LOOK_MS) <= 0) continue;
    const ssize_t n = read(ready.fd, to, size);
    *got = n > 0 ? (size_t)n : 0;
    if (n >= 0) return DCS_OK;
    if (errno != EINTR && errno != EAGAIN) return cannot_read(u);
  }
}

/* *got is 0 at the end alone. */
static dcs_status read_some(dcs_unpack *u, void *to, size_t size, size_t *got) {
  if (u->waits) return read_waiting(u, to, size, got);
  *got = fread(to, 1, size, u->file);
  return ferror(u->file) ? cannot_read(u) : DCS_OK;
}

/* Makes at least `least` bytes lie ahead, fewer where the file ends. */
static dcs_status look_ahead(dcs_unpack *u, size_t least) {
  size_t got = 1;
  if (u->z.avail_in >= least) return DCS_OK;
  if (u->z.avail_in > 0) memmove(u->packed, u->z.next_in, u->z.avail_in);
  u->z.next_in = u->packed;
  while (u->z.avail_in < least && got > 0) {
    DCS_TRY(read_some(u, u->packed + u->z.avail_in, PACKED - u->z.avail_in, &got));
    u->z.avail_in += (unsigned)got;
  }
  return DCS_OK;
}

static bool begins_with(const dcs_unpack *u, const char *bytes) {
  const size_t n = strlen(bytes);
  return u->z.avail_in >= n && memcmp(u->z.next_in, bytes, n) == 0;
}

/* What the file is, by its first bytes (RFC 1952; RFC 1950, with the largest window: others write
 * none). */
static dcs_status find_packing(dcs_unpack *u) {
  static const char *const zlib[] = {"\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda"};
  static const char *const others[][2] = {{"BZh", "bzip2"},
                                          {"\xFD"
                                           "7zXZ",
                                           "xz"},
                                          {"\x28\xB5\x2F\xFD", "zstd"},
                                          {"PK\x03\x04", "zip"}};
  DCS_TRY(look_ahead(u, 8));
  u->packing = begins_with(u, "\x1f\x8b") ? GZIP : PLAIN;
  for (int i = 0; i < 4; i++) {
    if (begins_with(u, zlib[i])) u->packing = ZLIB;
    if (begins_with(u, others[i][0]))
      return dcs_fail(DCS_INPUT,
                      "%s: found data that %s has compressed; expected gzip, zlib, or "
                      "none",
                      u->path, others[i][1]);
  }
  if (u->packing == PLAIN || inflateInit2(&u->z, WINDOW_BITS + GZIP_OR_ZLIB) == Z_OK) return DCS_OK;
  u->packing = UNKNOWN;
  return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", u->path);
}

static dcs_status read_plain(dcs_unpack *u, char *to, size_t size, size_t *got) {
  *got = u->z.avail_in < size ? u->z.avail_in : size;
  memcpy(to, u->z.next_in, *got);
  u->z.next_in += *got;
  u->z.avail_in -= (unsigned)*got;
  return *got > 0 ? DCS_OK : read_some(u, to, size, got);
}

/* Behind the end of a member: another one, or nothing. */
static dcs_status next_member(dcs_unpack *u, bool *end) {
  DCS_TRY(look_ahead(u, 2));
  *end = u->z.avail_in == 0;
  if (*end) return DCS_OK;
  if (u->packing != GZIP || !begins_with(u, "\x1f\x8b"))
    return dcs_fail(DCS_INPUT, "%s: found other bytes behind the compressed data; expected its end",
                    u->path);
  u->between = false;
  return inflateReset(&u->z) == Z_OK ? DCS_OK : dcs_fail(DCS_FAILED, "zlib cannot begin again");
}

/* What zlib holds back comes even where no more bytes do. */
static dcs_status inflate_some(dcs_unpack *u) {
  DCS_TRY(look_ahead(u, 1));
  const int result = inflate(&u->z, Z_NO_FLUSH);
  u->between = result == Z_STREAM_END;
  u->cut = result == Z_BUF_ERROR && u->z.avail_in == 0;
  if (u->cut || result == Z_OK || result == Z_STREAM_END) return DCS_OK;
  if (result == Z_MEM_ERROR) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", u->path);
  return dcs_fail(DCS_INPUT,
                  "%s: found damaged compressed data behind %llu bytes of its content "
                  "(%s); expected what gzip or zlib wrote",
                  u->path, (unsigned long long)u->given,
                  u->z.msg ? u->z.msg : "a dictionary is missing");
}

static dcs_status read_packed(dcs_unpack *u, char *to, size_t size, size_t *got) {
  bool end = false;
  *got = 0;
  while (*got == 0 && !u->cut) {
    if (u->between) DCS_TRY(next_member(u, &end));
    if (end) return DCS_OK;
    u->z.next_out = (unsigned char *)to;
    u->z.avail_out = (unsigned)(size < UINT32_MAX / 2 ? size : UINT32_MAX / 2);
    const unsigned room = u->z.avail_out;
    DCS_TRY(inflate_some(u));
    *got = room - u->z.avail_out;
    u->given += *got;
  }
  return DCS_OK;
}

dcs_status dcs_unpack_read(dcs_unpack *u, char *to, size_t size, size_t *got) {
  *got = 0;
  if (u->packing == UNKNOWN) DCS_TRY(find_packing(u));
  return u->packing == PLAIN ? read_plain(u, to, size, got) : read_packed(u, to, size, got);
}

bool dcs_unpack_is_cut(const dcs_unpack *u) {
  return u->cut;
}

dcs_status dcs_unpack_check_end(const dcs_unpack *u) {
  if (!u->cut) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found the end of the file within compressed data, behind %llu bytes of its "
                  "content; expected all of it",
                  u->path, (unsigned long long)u->given);
}

bool dcs_unpack_size(const dcs_unpack *u, uint64_t *bytes) {
  struct stat facts;
  if (u->packing != PLAIN || fstat(fileno(u->file), &facts) != 0 || !S_ISREG(facts.st_mode))
    return false;
  *bytes = (uint64_t)(facts.st_size > u->begin ? facts.st_size - u->begin : 0);
  return true;
}

bool dcs_unpack_seek(dcs_unpack *u, uint64_t bytes) {
  uint64_t ignored;
  const unsigned ahead = u->z.avail_in < bytes ? u->z.avail_in : (unsigned)bytes;
  if (!dcs_unpack_size(u, &ignored) || bytes > INT64_MAX) return false;
  if (fseeko(u->file, (off_t)(bytes - ahead), SEEK_CUR) != 0) return false;
  u->z.next_in += ahead;
  u->z.avail_in -= ahead;
  return true;
}

int dcs_unpack_descriptor(const dcs_unpack *u) {
  uint64_t ignored;
  return u->begin == 0 && dcs_unpack_size(u, &ignored) ? fileno(u->file) : -1;
}
