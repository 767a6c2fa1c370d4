#include "harness/output/map_write.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/files/file.h"

#include <string.h>

#define DCS_WRITER(name) extern const dcs_writer dcs_writer_##name;
#include "harness/output/formats.def"

const dcs_writer *const dcs_writers[] = {
#define DCS_WRITER(name) &dcs_writer_##name,
#include "harness/output/formats.def"
};

const int dcs_n_writers = sizeof dcs_writers / sizeof dcs_writers[0];

char *dcs_map_formats(char text[DCS_TEXT]) {
  text[0] = '\0';
  for (int w = 0; w < dcs_n_writers; w++)
    dcs_append(text, DCS_TEXT, "%s%s (%s)", w ? ", " : "", dcs_writers[w]->suffix,
               dcs_writers[w]->name);
  return text;
}

dcs_status dcs_map_format(const char *path, const dcs_writer **writer) {
  const char *ending = strrchr(basename(path), '.');
  char known[DCS_TEXT];
  for (int w = 0; ending && w < dcs_n_writers; w++) {
    *writer = dcs_writers[w];
    if (strcmp(ending, (*writer)->suffix) == 0) return DCS_OK;
  }
  return dcs_fail(DCS_USAGE, "found \"%s\" to write a map to; expected a name that ends in %s",
                  path, dcs_map_formats(known));
}

dcs_status dcs_map_write(const char *path, const dcs_case *c, const float *map) {
  const dcs_writer *writer;
  dcs_file file;
  DCS_TRY(dcs_map_format(path, &writer));
  DCS_TRY(dcs_file_create(&file, path));
  locale_t before = dcs_decimal_enter();
  dcs_status status = writer->write(file.stream, c, map);
  dcs_decimal_leave(before);
  return dcs_file_finish(&file, status);
}
