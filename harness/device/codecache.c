/* Compiled code on disk. An entry is one file: a head, the whole key, the image. The file's name is
 * a hash of the key; since the key is compared too, a collision is a miss and never wrong code. */
#include "harness/device/codecache.h"

#include "harness/base/hash.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "dcsbench code 2\n"; /* all 16 bytes; no terminating zero */

/* Written as it lies in memory: code is for one machine, and so is its cache. No padding. */
typedef struct {
  char magic[16];
  uint64_t checksum; /* of the whole file, this field taken as zero */
  uint64_t key_bytes, image_bytes;
  int32_t registers, spill_bytes, constant_bytes, shared_bytes, local_bytes, unused;
  double compile_ms;
} entry_head;

_Static_assert(sizeof(entry_head) == 72, "entry_head must have no padding");

/* FNV-1a over the bytes, finished by SplitMix64's mixer so that every input bit reaches every
 * output bit. */
static uint64_t hash(uint64_t seed, const void *data, size_t bytes) {
  uint64_t h = dcs_hash(DCS_HASH_START ^ seed, data, bytes);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

static uint64_t checksum_of(const void *entry, size_t bytes) {
  entry_head head;
  memcpy(&head, entry, sizeof head);
  head.checksum = 0;
  uint64_t seed = hash(0, &head, sizeof head);
  return hash(seed, (const char *)entry + sizeof head, bytes - sizeof head);
}

char *dcs_codecache_key(const char *compiler, const char *arch, const dcs_source *source) {
  char *key;
  dcs_text_stream text;
  if (dcs_text_begin(&text) != DCS_OK) return NULL;
  FILE *out = text.stream;
  fprintf(out, "compiler: %s\narch: %s\noptions: %d\n", compiler, arch, source->n_options);
  for (int i = 0; i < source->n_options; i++)
    fprintf(out, "%zu %s\n", strlen(source->options[i]), source->options[i]);
  fprintf(out, "source:\n%s", source->text);
  (void)dcs_text_end(&text, &key, NULL); /* NULL says it all */
  return key;
}

/* Code is run: what anyone but this user (or root) could have written is not read. */
static bool nobody_elses(const struct stat *status) {
  return (status->st_uid == geteuid() || status->st_uid == 0) &&
         (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Where the key's entry is, in a folder that can be trusted; false where there is none. `make`: the
 * folder is made where it is missing. */
static bool find_entry(const char *key, bool make, char path[4096]) {
  char folder[4096];
  struct stat status;
  const size_t n = strlen(key);
  if (!dcs_user_folder("DCSBENCH_CACHE", "XDG_CACHE_HOME", ".cache", folder)) return false;
  if (make && dcs_make_folder(folder, 0700) != DCS_OK) return false;
  if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode) || !nobody_elses(&status))
    return false;
  return snprintf(path, 4096, "%s/%016llx%016llx.code", folder, (unsigned long long)hash(0, key, n),
                  (unsigned long long)hash(0x9e3779b97f4a7c15u, key, n)) < 4096;
}

static bool trusted_file(FILE *in, size_t *bytes) {
  struct stat status;
  if (fstat(fileno(in), &status) != 0 || !S_ISREG(status.st_mode) || !nobody_elses(&status))
    return false;
  *bytes = (size_t)status.st_size;
  return *bytes > 0;
}

/* The whole file (malloc'd), or NULL. */
static char *read_file(const char *path, size_t *bytes) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *in = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!in) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  char *data = trusted_file(in, bytes) ? malloc(*bytes) : NULL;
  if (data && fread(data, 1, *bytes, in) != *bytes) {
    free(data);
    data = NULL;
  }
  fclose(in);
  return data;
}

/* Whether the entry is whole and was made from the key. */
static bool entry_matches(const char *entry, size_t bytes, const char *key, entry_head *head) {
  if (bytes < sizeof *head) return false;
  memcpy(head, entry, sizeof *head);
  size_t rest = bytes - sizeof *head;
  if (memcmp(head->magic, magic, sizeof magic) != 0) return false;
  if (head->key_bytes > rest || head->image_bytes != rest - head->key_bytes) return false;
  if (head->checksum != checksum_of(entry, bytes)) return false;
  return head->key_bytes == strlen(key) && memcmp(entry + sizeof *head, key, head->key_bytes) == 0;
}

bool dcs_codecache_get(const char *key, void **image, size_t *bytes, dcs_code_facts *facts) {
  char path[4096];
  if (!find_entry(key, false, path)) return false;
  size_t entry_bytes;
  char *entry = read_file(path, &entry_bytes);
  if (!entry) return false;
  entry_head head;
  bool hit = entry_matches(entry, entry_bytes, key, &head);
  if (hit) {
    /* The image moves to the front of the block that was read, which the caller then owns. */
    memmove(entry, entry + sizeof head + head.key_bytes, head.image_bytes);
    *image = entry;
    *bytes = head.image_bytes;
    *facts = (dcs_code_facts){.registers = head.registers,
                              .spill_bytes = head.spill_bytes,
                              .constant_bytes = head.constant_bytes,
                              .shared_bytes = head.shared_bytes,
                              .local_bytes = head.local_bytes,
                              .compile_ms = head.compile_ms,
                              .cached = true};
  } else {
    free(entry);
  }
  return hit;
}

static char *make_entry(const char *key, const void *image, size_t image_bytes,
                        const dcs_code_facts *facts, size_t *bytes) {
  entry_head head = {.key_bytes = strlen(key),
                     .image_bytes = image_bytes,
                     .registers = facts->registers,
                     .spill_bytes = facts->spill_bytes,
                     .constant_bytes = facts->constant_bytes,
                     .shared_bytes = facts->shared_bytes,
                     .local_bytes = facts->local_bytes,
                     .compile_ms = facts->compile_ms};
  memcpy(head.magic, magic, sizeof magic);
  *bytes = sizeof head + head.key_bytes + image_bytes;
  char *entry = malloc(*bytes);
  if (!entry) return NULL;
  memcpy(entry, &head, sizeof head);
  memcpy(entry + sizeof head, key, head.key_bytes);
  memcpy(entry + sizeof head + head.key_bytes, image, image_bytes);
  head.checksum = checksum_of(entry, *bytes);
  memcpy(entry, &head, sizeof head);
  return entry;
}

static void write_beside_and_rename(const char *path, const char *entry, size_t bytes) {
  char beside[4096 + 8];
  snprintf(beside, sizeof beside, "%s.XXXXXX", path);
  int fd = mkstemp(beside);
  if (fd < 0) return;
  size_t written = 0;
  while (written < bytes) {
    ssize_t n = write(fd, entry + written, bytes - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += (size_t)n;
  }
  bool whole = close(fd) == 0 && written == bytes;
  if (!whole || rename(beside, path) != 0) unlink(beside);
}

/* A cache that cannot be written costs compile time and nothing else, so no status is returned. */
void dcs_codecache_put(const char *key, const void *image, size_t bytes,
                       const dcs_code_facts *facts) {
  char path[4096];
  if (!find_entry(key, true, path)) return;
  size_t entry_bytes;
  char *entry = make_entry(key, image, bytes, facts, &entry_bytes);
  if (!entry) return;
  write_beside_and_rename(path, entry, entry_bytes);
  free(entry);
}
