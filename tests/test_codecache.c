/* The code cache: hits, misses, damage, concurrent writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/device/codecache.h"
#include "tests/cache_folder.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char image[] = "\x7f machine code \0 with a zero";
static const dcs_code_facts facts = {.registers = 32,
                                     .spill_bytes = 8,
                                     .constant_bytes = 65536,
                                     .shared_bytes = 1024,
                                     .local_bytes = 40,
                                     .compile_ms = 12.5};

static int empty_cache(void **state) {
  (void)state;
  cache_folder_empty();
  return 0;
}

static void put_and_get(void **state) {
  (void)state;
  void *got;
  size_t bytes;
  dcs_code_facts got_facts;
  assert_false(dcs_codecache_get("key", &got, &bytes, &got_facts));
  dcs_codecache_put("key", image, sizeof image, &facts);
  assert_true(dcs_codecache_get("key", &got, &bytes, &got_facts));
  assert_int_equal(bytes, sizeof image);
  assert_memory_equal(got, image, sizeof image);
  assert_int_equal(got_facts.registers, 32);
  assert_int_equal(got_facts.spill_bytes, 8);
  assert_int_equal(got_facts.constant_bytes, 65536);
  assert_int_equal(got_facts.shared_bytes, 1024);
  assert_int_equal(got_facts.local_bytes, 40);
  assert_true(got_facts.compile_ms == 12.5);
  assert_true(got_facts.cached);
  free(got);
  assert_false(dcs_codecache_get("key2", &got, &bytes, &got_facts));
  assert_false(dcs_codecache_get("ke", &got, &bytes, &got_facts));
}

static void replaces(void **state) {
  (void)state;
  void *got;
  size_t bytes;
  dcs_code_facts got_facts;
  dcs_codecache_put("key", image, sizeof image, &facts);
  dcs_codecache_put("key", "new", 3, &facts);
  assert_true(dcs_codecache_get("key", &got, &bytes, &got_facts));
  assert_int_equal(bytes, 3);
  assert_memory_equal(got, "new", 3);
  free(got);
}

static void keys_differ(void **state) {
  (void)state;
  const char *const one[] = {"-DA=1", "-DB=2"};
  const char *const joined[] = {"-DA=1\n-DB=2"};
  const dcs_source sources[] = {{"a.cu", "text", NULL, 0},
                                {"a.cu", "text2", NULL, 0},
                                {"a.cu", "text", one, 1},
                                {"a.cu", "text", one, 2},
                                {"a.cu", "text", joined, 1}};
  char *keys[7];
  for (int i = 0; i < 5; i++)
    keys[i] = dcs_codecache_key("nvrtc 13.0", "sm_90", &sources[i]);
  keys[5] = dcs_codecache_key("nvrtc 13.1", "sm_90", &sources[0]);
  keys[6] = dcs_codecache_key("nvrtc 13.0", "sm_80", &sources[0]);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(keys[i], keys[j]);
  char *again = dcs_codecache_key("nvrtc 13.0", "sm_90", &sources[0]);
  assert_string_equal(again, keys[0]);
  free(again);
  for (int i = 0; i < 7; i++)
    free(keys[i]);
}

static void write_entry(const char *path, const char *data, size_t bytes) {
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(data, 1, bytes, out), bytes);
  assert_int_equal(fclose(out), 0);
}

/* The entry's bytes; the path receives its name. */
static size_t read_entry(char *path, size_t path_size, char *data, size_t size) {
  cache_folder_only_entry(path, path_size);
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  size_t bytes = fread(data, 1, size, in);
  fclose(in);
  assert_in_range(bytes, 1, size - 1);
  return bytes;
}

static void damage_is_a_miss(void **state) {
  (void)state;
  char path[512], entry[512];
  void *got;
  size_t got_bytes;
  dcs_code_facts got_facts;
  dcs_codecache_put("key", image, sizeof image, &facts);
  size_t bytes = read_entry(path, sizeof path, entry, sizeof entry);
  for (size_t i = 0; i < bytes; i++)
    for (int bit = 0; bit < 8; bit++) {
      entry[i] ^= (char)(1 << bit);
      write_entry(path, entry, bytes);
      assert_false(dcs_codecache_get("key", &got, &got_bytes, &got_facts));
      entry[i] ^= (char)(1 << bit);
    }
  write_entry(path, entry, bytes);
  assert_true(dcs_codecache_get("key", &got, &got_bytes, &got_facts));
  free(got);
}

static void wrong_length_is_a_miss(void **state) {
  (void)state;
  char path[512], entry[512] = {0};
  void *got;
  size_t got_bytes;
  dcs_code_facts got_facts;
  dcs_codecache_put("key", image, sizeof image, &facts);
  size_t bytes = read_entry(path, sizeof path, entry, sizeof entry);
  for (size_t n = 0; n <= bytes + 1; n++) {
    write_entry(path, entry, n);
    bool hit = dcs_codecache_get("key", &got, &got_bytes, &got_facts);
    assert_int_equal(hit, n == bytes);
    if (hit) free(got);
  }
}

/* An entry under another key's name, as after a collision of hashes. */
static void another_keys_entry_is_a_miss(void **state) {
  (void)state;
  char path[512], other[512], entry[512];
  void *got;
  size_t got_bytes;
  dcs_code_facts got_facts;
  dcs_codecache_put("key", image, sizeof image, &facts);
  size_t bytes = read_entry(path, sizeof path, entry, sizeof entry);
  cache_folder_empty();
  dcs_codecache_put("kez", image, sizeof image, &facts);
  cache_folder_only_entry(other, sizeof other);
  write_entry(other, entry, bytes);
  assert_false(dcs_codecache_get("kez", &got, &got_bytes, &got_facts));
}

static bool hit(void) {
  void *got;
  size_t bytes;
  dcs_code_facts got_facts;
  bool found = dcs_codecache_get("key", &got, &bytes, &got_facts);
  if (found) free(got);
  return found;
}

static void what_others_could_write_is_a_miss(void **state) {
  (void)state;
  char path[512], moved[600];
  dcs_codecache_put("key", image, sizeof image, &facts);
  cache_folder_only_entry(path, sizeof path);
  static const mode_t modes[] = {0620, 0602, 0666};
  for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
    assert_int_equal(chmod(path, modes[m]), 0);
    assert_false(hit());
    assert_int_equal(chmod(path, 0644), 0);
    assert_true(hit());
    assert_int_equal(chmod(cache_folder, modes[m] | 0100), 0);
    assert_false(hit());
    dcs_codecache_put("another", image, sizeof image, &facts);
    assert_int_equal(chmod(cache_folder, 0700), 0);
    assert_true(hit());
    cache_folder_only_entry(path, sizeof path); /* nothing was put into such a folder */
  }
  snprintf(moved, sizeof moved, "%s-moved", cache_folder);
  assert_int_equal(rename(path, moved), 0);
  assert_int_equal(symlink(moved, path), 0);
  assert_false(hit());
  assert_int_equal(rename(moved, path), 0);
  assert_true(hit());
  if (geteuid() != 0) return; /* only root gives files away */
  assert_int_equal(chown(path, 12345, 12345), 0);
  assert_false(hit());
  assert_int_equal(chown(path, 0, 0), 0);
  assert_int_equal(chown(cache_folder, 12345, 12345), 0);
  assert_false(hit());
  assert_int_equal(chown(cache_folder, 0, 0), 0);
  assert_true(hit());
}

enum { WRITERS = 4, ROUNDS = 200, IMAGE = 20000 };

static void write_rounds(int writer) {
  static char own[IMAGE];
  memset(own, 'a' + writer, sizeof own);
  for (int i = 0; i < ROUNDS; i++)
    dcs_codecache_put("key", own, sizeof own - (size_t)writer, &facts);
}

/* Whoever wins, a reader gets one writer's image whole. */
static void concurrent_writers(void **state) {
  (void)state;
  write_rounds(0);
  for (int w = 0; w < WRITERS; w++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      write_rounds(w);
      _exit(0);
    }
  }
  for (int i = 0; i < ROUNDS; i++) {
    void *got;
    size_t bytes;
    dcs_code_facts got_facts;
    assert_true(dcs_codecache_get("key", &got, &bytes, &got_facts));
    const char *text = got;
    assert_int_equal(bytes, IMAGE - (text[0] - 'a'));
    for (size_t b = 1; b < bytes; b++)
      if (text[b] != text[0]) fail_msg("byte %zu is of another writer", b);
    free(got);
  }
  for (int w = 0; w < WRITERS; w++) {
    int wait_status;
    assert_true(wait(&wait_status) > 0);
    assert_int_equal(wait_status, 0);
  }
  char path[512];
  cache_folder_only_entry(path, sizeof path); /* no temporary file is left */
}

static void makes_private_folders(void **state) {
  (void)state;
  char deep[128], middle[128], path[256];
  snprintf(middle, sizeof middle, "%s/a", cache_folder);
  snprintf(deep, sizeof deep, "%s/a/b", cache_folder);
  setenv("DCSBENCH_CACHE", deep, 1);
  dcs_codecache_put("key", image, sizeof image, &facts);
  void *got;
  size_t bytes;
  dcs_code_facts got_facts;
  bool found = dcs_codecache_get("key", &got, &bytes, &got_facts);
  setenv("DCSBENCH_CACHE", cache_folder, 1);
  assert_true(found);
  free(got);
  struct stat status;
  assert_int_equal(stat(deep, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0700);
  DIR *folder = opendir(deep);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    snprintf(path, sizeof path, "%s/%.100s", deep, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  closedir(folder);
  assert_int_equal(rmdir(deep), 0);
  assert_int_equal(rmdir(middle), 0);
}

static void no_folder_no_cache(void **state) {
  (void)state;
  setenv("DCSBENCH_CACHE", "/dev/null/cache", 1);
  dcs_codecache_put("key", image, sizeof image, &facts);
  void *got;
  size_t bytes;
  dcs_code_facts got_facts;
  bool found = dcs_codecache_get("key", &got, &bytes, &got_facts);
  setenv("DCSBENCH_CACHE", cache_folder, 1);
  assert_false(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(put_and_get, empty_cache),
      cmocka_unit_test_setup(replaces, empty_cache),
      cmocka_unit_test(keys_differ),
      cmocka_unit_test_setup(damage_is_a_miss, empty_cache),
      cmocka_unit_test_setup(wrong_length_is_a_miss, empty_cache),
      cmocka_unit_test_setup(another_keys_entry_is_a_miss, empty_cache),
      cmocka_unit_test_setup(what_others_could_write_is_a_miss, empty_cache),
      cmocka_unit_test_setup(concurrent_writers, empty_cache),
      cmocka_unit_test_setup(makes_private_folders, empty_cache),
      cmocka_unit_test(no_folder_no_cache),
  };
  return cmocka_run_group_tests_name("codecache", tests, cache_folder_make, cache_folder_remove);
}
