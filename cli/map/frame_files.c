#include "cli/map/frame_files.h"

#include "harness/files/file.h"

#include <stdlib.h>
#include <string.h>

static dcs_status wrong(const char *pattern) {
  return dcs_fail(DCS_USAGE,
                  "--each: found \"%s\"; expected a name with the frame's number once, as %%d or "
                  "%%05d, and no other %%, such as 'map_%%05d.npy'",
                  pattern);
}

dcs_status dcs_frame_name_read(const char *pattern, dcs_frame_name *name) {
  enum { MOST_DIGITS = 2 };
  const char *percent = strchr(pattern, '%');
  if (!percent) return wrong(pattern);
  const char *at = percent + 1;
  *name = (dcs_frame_name){.pattern = pattern, .before = (int)(percent - pattern)};
  name->zeros = *at == '0';
  const size_t digits = strspn(at, "0123456789");
  if (digits > MOST_DIGITS || at[digits] != 'd') return wrong(pattern);
  for (size_t i = 0; i < digits; i++)
    name->width = 10 * name->width + (at[i] - '0');
  name->consumed = (int)digits + 2;
  if (strchr(at, '%')) return wrong(pattern);
  return dcs_check_map_name(pattern);
}

static dcs_status too_long(const char *option, const char *path) {
  return dcs_fail(DCS_USAGE, "%s: the name \"%.40s...\" is too long", option, path);
}

dcs_status dcs_frame_name_of(const dcs_frame_name *n, int64_t frame, char path[4096]) {
  const char *rest = n->pattern + n->before + n->consumed;
  const int used = n->zeros ? snprintf(path, 4096, "%.*s%0*lld%s", n->before, n->pattern, n->width,
                                       (long long)frame, rest)
                            : snprintf(path, 4096, "%.*s%*lld%s", n->before, n->pattern, n->width,
                                       (long long)frame, rest);
  return used < 4096 ? DCS_OK : too_long("--each", n->pattern);
}

bool dcs_frame_name_is(const dcs_frame_name *n, const char *path) {
  const char *before = basename(n->pattern), *base = basename(path);
  const size_t length = (size_t)(n->pattern + n->before - before);
  char named[4096], *end;
  if (before > n->pattern + n->before || strncmp(base, before, length) != 0) return false;
  const long long frame = strtoll(base + length, &end, 10);
  return frame >= 1 && strcmp(end, n->pattern + n->before + n->consumed) == 0 &&
         dcs_frame_name_of(n, frame, named) == DCS_OK && dcs_is_same_file(named, path);
}

dcs_status dcs_name_beside(const char *path, const char *what, char beside[4096]) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  const int before = dot ? (int)(dot - path) : (int)strlen(path);
  const int used = snprintf(beside, 4096, "%.*s_%s%s", before, path, what, path + before);
  return used < 4096 ? DCS_OK : too_long("--out", path);
}
