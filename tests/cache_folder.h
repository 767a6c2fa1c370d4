/* A code cache of the test's own: group setup and teardown. Include after cmocka.h. */
#ifndef DCS_TEST_CACHE_FOLDER_H
#define DCS_TEST_CACHE_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char cache_folder[] = "/tmp/dcs-test-cache-XXXXXX";

static inline int cache_folder_make(void **state) {
  (void)state;
  return mkdtemp(cache_folder) && setenv("DCSBENCH_CACHE", cache_folder, 1) == 0 ? 0 : -1;
}

/* Path of the cache's only entry; fails the test when there is not exactly one file. */
static inline void cache_folder_only_entry(char *path, size_t size) {
  DIR *folder = opendir(cache_folder);
  assert_non_null(folder);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, size, "%s/%s", cache_folder, entry->d_name);
    files++;
  }
  closedir(folder);
  assert_int_equal(files, 1);
}

static inline void cache_folder_empty(void) {
  DIR *folder = opendir(cache_folder);
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
}

static inline int cache_folder_remove(void **state) {
  (void)state;
  cache_folder_empty();
  return rmdir(cache_folder);
}

#endif
