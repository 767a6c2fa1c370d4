#include "harness/runs/find.h"

#include "harness/base/grow.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 4, NAMED = 3 };

static bool has(const char *folder, const char *name) {
  char path[4096];
  return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
         access(path, F_OK) == 0;
}

bool dcs_is_run(const char *folder) {
  return has(folder, "env.csv") || has(folder, "summary.csv");
}

static size_t within(const char *folder, int depth, void (*tell)(const char *, void *), void *to) {
  struct dirent **entries;
  size_t found = 0;
  const int n = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[4096];
    const char *name = entries[i]->d_name;
    if (*name != '.' && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) {
      if (dcs_is_run(path)) {
        tell(path, to);
        found++;
      }
      if (depth < DEPTH) found += within(path, depth + 1, tell, to);
    }
    free(entries[i]);
  }
  if (n >= 0) free(entries);
  return found;
}

size_t dcs_runs_within(const char *folder, void (*tell)(const char *path, void *to), void *to) {
  return within(folder, 1, tell, to);
}

typedef struct {
  char text[2048];
  int n;
} names;

static void name_some(const char *path, void *to) {
  names *some = to;
  if (some->n++ < NAMED)
    dcs_append(some->text, sizeof some->text, "%s%s", some->n == 1 ? "" : ", ", path);
}

dcs_status dcs_check_run(const char *folder) {
  struct stat found;
  names some = {"", 0};
  if (stat(folder, &found) != 0 || dcs_is_run(folder)) return DCS_OK;
  if (!S_ISDIR(found.st_mode))
    return dcs_fail(DCS_IO,
                    "%s: is a file; expected a run folder, as `dcsbench sweep --out DIR` "
                    "and `dcsbench import` make",
                    folder);
  const size_t n = dcs_runs_within(folder, name_some, &some);
  if (n == 0)
    return dcs_fail(DCS_IO,
                    "%s: has no env.csv, nor run folders in it; expected a run folder, as "
                    "`dcsbench sweep --out DIR` and `dcsbench import` make",
                    folder);
  return dcs_fail(DCS_IO, "%s: is no run folder, but holds %zu; name one: %s%s", folder, n,
                  some.text, n > NAMED ? ", ... (`dcsbench report` of the folder lists them)" : "");
}

dcs_status dcs_run_check_apart(const char *folder, const char *option, const char *path) {
  static const char *const tables[] = {"env.csv",         "samples.csv",    "summary.csv",
                                       "tuned_check.csv", "thresholds.csv", "winners.csv",
                                       "dispatch.csv",    "check.csv",      "claims.csv"};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
    char table[4096];
    DCS_TRY(dcs_path_in(folder, tables[t], table));
    if (dcs_is_same_file(table, path))
      return dcs_fail(DCS_USAGE, "%s %s: it is a table of the run; expected another name", option,
                      path);
  }
  return DCS_OK;
}

dcs_status dcs_run_check_none(const char *folder) {
  if (!has(folder, "samples.csv") && !has(folder, "summary.csv")) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: holds a run already; take another folder", folder);
}
