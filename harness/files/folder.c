#include "harness/files/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

dcs_status dcs_make_folder(const char *folder) {
  char path[4096];
  if (strlen(folder) >= 3900) return dcs_fail(DCS_USAGE, "the name of the folder is too long");
  snprintf(path, sizeof path, "%s", folder);
  for (char *slash = path + 1; *slash; slash++) {
    if (*slash != '/') continue;
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return dcs_fail(DCS_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    *slash = '/';
  }
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return dcs_fail(DCS_IO, "%s: cannot make the folder: %s", path, strerror(errno));
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
    return dcs_fail(DCS_IO, "%s: is not a folder", path);
  return DCS_OK;
}

dcs_status dcs_path_in(const char *folder, const char *name, char path[4096]) {
  if (snprintf(path, 4096, "%s/%s", folder, name) < 4096) return DCS_OK;
  return dcs_fail(DCS_USAGE, "the name of the folder is too long");
}

bool dcs_exists(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 || errno != ENOENT;
}
