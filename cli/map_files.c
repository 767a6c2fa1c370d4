/* Maps as files: written by a command. */
#include "cli/commands.h"
#include "harness/figures/slice.h"

#include <sys/stat.h>

dcs_status dcs_check_map_name(const char *path) {
  const dcs_field_format *format;
  return dcs_is_picture(path) ? DCS_OK : dcs_field_format_of(path, &format);
}

static const char *format_name(const char *path) {
  const dcs_field_format *format;
  if (dcs_is_picture(path)) return "a picture";
  return dcs_field_format_of(path, &format) == DCS_OK ? format->name : "";
}

dcs_status dcs_write_map(const char *path, const dcs_field *field) {
  struct stat facts;
  DCS_TRY(dcs_is_picture(path) ? dcs_slice_draw(path, field) : dcs_field_write(path, field));
  fprintf(stderr, "%s: %lldx%lldx%lld points, %s, %s", path, (long long)field->n.x,
          (long long)field->n.y, (long long)field->n.z,
          field->units[0] ? field->units : "units unknown", format_name(path));
  if (stat(path, &facts) == 0) fprintf(stderr, ", %.3g MB", 1e-6 * (double)facts.st_size);
  fputc('\n', stderr);
  return DCS_OK;
}
