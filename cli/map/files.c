/* Maps as files: written by a command. */
#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/figures/slice.h"
#include "harness/files/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

dcs_status dcs_check_map_name(const char *path) {
  const dcs_field_format *format;
  return dcs_is_picture(path) ? DCS_OK : dcs_field_format_of(path, &format);
}

dcs_status dcs_check_map_grid(const char *path, dcs_dims n) {
  const dcs_field_format *format;
  return dcs_field_format_of(path, &format) == DCS_OK ? dcs_field_format_holds(format, path, n)
                                                      : DCS_OK;
}

dcs_status dcs_check_can_write(const char *path) {
  struct stat facts;
  const char *slash = strrchr(path, '/');
  if (stat(path, &facts) == 0) return DCS_OK;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (!folder) return dcs_fail(DCS_UNAVAILABLE, "no memory for the name %s", path);
  const bool can = access(folder, W_OK | X_OK) == 0;
  const dcs_status status = can ? DCS_OK : dcs_cannot("open for writing", path);
  free(folder);
  return status;
}

static const char *format_name(const char *path) {
  const dcs_field_format *format;
  if (dcs_is_picture(path)) return "a picture";
  return dcs_field_format_of(path, &format) == DCS_OK ? format->name : "";
}

void dcs_say_written(const char *path, const dcs_field *field, double computed_ns,
                     double written_ns) {
  struct stat facts;
  fprintf(stderr, "%s: %lldx%lldx%lld points, %s, %s", path, (long long)field->n.x,
          (long long)field->n.y, (long long)field->n.z,
          field->units[0] ? field->units : "units unknown", format_name(path));
  if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode))
    fprintf(stderr, ", %.3g MB", 1e-6 * (double)facts.st_size);
  if (computed_ns > 0) fprintf(stderr, ", computed in %.3g s", 1e-9 * computed_ns);
  fprintf(stderr, ", written in %.3g s\n", 1e-9 * written_ns);
}

dcs_status dcs_write_map(const char *path, const dcs_field *field, const double *computing_ns) {
  const double before = computing_ns ? *computing_ns : 0, start = dcs_now_ns();
  const dcs_status status =
      dcs_is_picture(path) ? dcs_slice_draw(path, field) : dcs_field_write(path, field);
  if (field->progress) dcs_progress_clear(field->progress);
  DCS_TRY(status);
  const double computed = computing_ns ? *computing_ns : 0;
  dcs_say_written(path, field, computed, dcs_now_ns() - start - (computed - before));
  return DCS_OK;
}
