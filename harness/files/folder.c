#include "harness/files/folder.h"

#include "harness/files/file.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

dcs_status dcs_make_folder(const char *folder, mode_t mode) {
  const size_t length = strlen(folder);
  char path[4096];
  struct stat info;
  if (length >= 3900) return dcs_fail(DCS_USAGE, "the name of the folder is too long");
  for (size_t n = 1; n <= length; n++) {
    if (n < length && folder[n] != '/') continue;
    snprintf(path, sizeof path, "%.*s", (int)n, folder);
    if (mkdir(path, mode) != 0 && errno != EEXIST) return dcs_cannot("make the folder", path);
  }
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
    return dcs_fail(DCS_IO, "%s: is not a folder", folder);
  return DCS_OK;
}

static const char RANDOM_PART[] = "XXXXXX";

/* Without the part that mkdtemp() makes. */
static void name_temporary(char folder[4096]) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, 4096, "%.3900s/dcsbench-", base && *base ? base : "/tmp");
}

bool dcs_is_in_temporary(const char *path) {
  char folder[4096];
  name_temporary(folder);
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && strcspn(path + n, "/") == sizeof RANDOM_PART - 1 &&
         path[n + sizeof RANDOM_PART - 1] == '/';
}

dcs_status dcs_make_temporary(char folder[4096]) {
  name_temporary(folder);
  strcat(folder, RANDOM_PART);
  if (mkdtemp(folder)) return DCS_OK;
  dcs_status status = dcs_fail(DCS_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
  *folder = '\0';
  return status;
}

/* What cannot be removed stays, and the walk goes on. */
static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info, (void)type, (void)where;
  (void)remove(path);
  return 0;
}

void dcs_remove_folder(const char *folder) {
  (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

dcs_status dcs_path_in(const char *folder, const char *name, char path[4096]) {
  if (snprintf(path, 4096, "%s/%s", folder, name) < 4096) return DCS_OK;
  return dcs_fail(DCS_USAGE, "the name of the folder is too long");
}

bool dcs_user_folder(const char *own, const char *xdg, const char *below_home, char path[4096]) {
  const char *set = getenv(own), *base = getenv(xdg), *home = getenv("HOME");
  int n = 4096;
  if (set && *set)
    n = snprintf(path, 4096, "%s", set);
  else if (base && *base == '/') /* the XDG specification has relative paths ignored */
    n = snprintf(path, 4096, "%s/dcsbench", base);
  else if (home && *home)
    n = snprintf(path, 4096, "%s/%s/dcsbench", home, below_home);
  return n < 4096;
}

bool dcs_exists(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 || errno != ENOENT;
}
