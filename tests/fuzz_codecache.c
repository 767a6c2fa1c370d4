/* Any bytes as the entry of a key in the cache of compiled code: a miss, or all of its image. A
 * checksum "SEALSEAL" is made what it should be. */
#include "harness/base/hash.h"
#include "harness/device/codecache.h"
#include "tests/fuzz.h"

#include <dirent.h>
#include <stddef.h>

static const char key[] = "key";
static char folder[64], path[4096];
static int entry_file;

/* The head of an entry (codecache.c), of 72 bytes. */
enum { CHECKSUM = 16, KEY_BYTES = 24, IMAGE_BYTES = 32, HEAD = 72 };

static uint64_t mixed(uint64_t seed, const void *data, size_t bytes) {
  uint64_t h = dcs_hash(DCS_HASH_START ^ seed, data, bytes);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

static void seal(uint8_t *entry, size_t size) {
  memset(entry + CHECKSUM, 0, 8);
  const uint64_t sum = mixed(mixed(0, entry, HEAD), entry + HEAD, size - HEAD);
  memcpy(entry + CHECKSUM, &sum, 8);
}

static void remove_folder(void) {
  unlink(path);
  rmdir(folder);
}

/* The name that the key's entry has is that of the one file which is there once it was put. */
static void begin(void) {
  const dcs_code_facts facts = {.registers = 1};
  fuzz_folder(folder);
  FUZZ_EXPECT(setenv("DCSBENCH_CACHE", folder, 1) == 0);
  dcs_codecache_put(key, "code", 4, &facts);
  DIR *files = opendir(folder);
  FUZZ_EXPECT(files);
  for (struct dirent *file; (file = readdir(files)) != NULL;)
    if (file->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
  closedir(files);
  FUZZ_EXPECT(*path);
  atexit(remove_folder);
  entry_file = fuzz_open(path);
}

static uint64_t field(const uint8_t *entry, size_t at) {
  uint64_t value;
  memcpy(&value, entry + at, sizeof value);
  return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_code_facts facts;
  void *image;
  size_t bytes;
  if (!*folder) begin();
  uint8_t *entry = (uint8_t *)fuzz_text(data, size);
  if (size >= HEAD && memcmp(entry + CHECKSUM, "SEALSEAL", 8) == 0) seal(entry, size);
  fuzz_fill(entry_file, entry, size);
  if (dcs_codecache_get(key, &image, &bytes, &facts)) {
    const size_t front = HEAD + sizeof key - 1;
    FUZZ_EXPECT(size == front + bytes && field(entry, KEY_BYTES) == sizeof key - 1);
    FUZZ_EXPECT(bytes == field(entry, IMAGE_BYTES) && facts.cached);
    FUZZ_EXPECT(memcmp(image, entry + front, bytes) == 0);
    free(image);
  }
  free(entry);
  return 0;
}
