#include "harness/output/field.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define DCS_FIELD_FORMAT(name) extern const dcs_field_format dcs_field_format_##name;
#include "harness/output/formats.def"

const dcs_field_format *const dcs_field_formats[] = {
#define DCS_FIELD_FORMAT(name) &dcs_field_format_##name,
#include "harness/output/formats.def"
};

const int dcs_n_field_formats = sizeof dcs_field_formats / sizeof dcs_field_formats[0];

char *dcs_field_format_list(char text[DCS_TEXT]) {
  text[0] = '\0';
  for (int f = 0; f < dcs_n_field_formats; f++)
    dcs_append(text, DCS_TEXT, "%s%s (%s)", f ? ", " : "", dcs_field_formats[f]->suffix,
               dcs_field_formats[f]->name);
  return text;
}

dcs_status dcs_field_format_of(const char *path, const dcs_field_format **format) {
  const char *ending = strrchr(basename(path), '.');
  char known[DCS_TEXT];
  for (int f = 0; ending && f < dcs_n_field_formats; f++) {
    *format = dcs_field_formats[f];
    if (strcmp(ending, (*format)->suffix) == 0) return DCS_OK;
  }
  return dcs_fail(DCS_USAGE, "found \"%s\" to write a map to; expected a name that ends in %s",
                  path, dcs_field_format_list(known));
}

dcs_status dcs_field_format_holds(const dcs_field_format *format, const char *path, dcs_dims n) {
  const int64_t most = format->most_along;
  if (most == 0 || (n.x <= most && n.y <= most && n.z <= most)) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s: found a grid of %lldx%lldx%lld points; expected at most %lld along an axis, "
                  "as %s has them, or a name that ends in .npy, .npz or .csv",
                  path, (long long)n.x, (long long)n.y, (long long)n.z, (long long)most,
                  format->name);
}

/* Slabs are computed while the file is open: an interrupt then does not wait for one. */
dcs_status dcs_field_write(const char *path, const dcs_field *field) {
  const dcs_field_format *format;
  dcs_file file;
  DCS_TRY(dcs_field_format_of(path, &format));
  DCS_TRY(dcs_field_format_holds(format, path, field->n));
  if (field->spacing[0] == 0 && !format->placeless)
    return dcs_fail(DCS_INPUT,
                    "%s: where the map's points are is not known; expected a name that ends in "
                    ".npy or .npz, or a map whose file says it",
                    path);
  DCS_TRY(dcs_file_create(&file, path));
  locale_t before = dcs_decimal_enter();
  if (field->slabs) dcs_interrupt_removes(file.beside ? file.beside : "");
  dcs_status status = format->write(file.stream, field);
  if (field->slabs) dcs_interrupt_removes(NULL);
  if (status == DCS_OK && ferror(file.stream)) status = dcs_cannot("write", path);
  dcs_decimal_leave(before);
  return dcs_file_finish(&file, status);
}

/* ---- values as they lie in memory ---- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files hold values as memory does");
enum { BLOCK = 1 << 20 };

void dcs_put_floats(FILE *out, const float *values, int64_t n) {
  for (int64_t done = 0; done < n && !ferror(out); done += BLOCK)
    fwrite(values + done, sizeof *values, (size_t)(n - done < BLOCK ? n - done : BLOCK), out);
  dcs_put_through(out);
}

void dcs_put_through(FILE *out) {
  if (fflush(out) == 0 && sync_file_range(fileno(out), 0, 0, SYNC_FILE_RANGE_WRITE) != 0)
    errno = 0; /* it has no disk */
}

dcs_status dcs_get_floats(FILE *in, const char *path, float *values, int64_t n) {
  size_t got = fread(values, sizeof *values, (size_t)n, in);
  if (got == (size_t)n) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found %zu values; expected %lld", path, got, (long long)n);
}

/* ---- reading ---- */

enum { HEAD = 4096 };

static const dcs_field_format *format_of_content(const char *head, size_t bytes) {
  for (int f = 0; f < dcs_n_field_formats; f++) {
    const dcs_field_format *format = dcs_field_formats[f];
    if (format->sniff && format->sniff(head, bytes)) return format;
  }
  return NULL;
}

static dcs_status unknown_content(const char *path) {
  char names[DCS_TEXT] = "";
  for (int f = 0; f < dcs_n_field_formats; f++)
    if (dcs_field_formats[f]->sniff)
      dcs_append(names, sizeof names, "%s%s", *names ? ", " : "", dcs_field_formats[f]->name);
  return dcs_fail(DCS_INPUT, "%s: found no map in a format that is known; expected one of %s", path,
                  names);
}

/* Formats in binary may hold any bits; those that are no place could not be written in others. */
static dcs_status check_place(const char *path, const dcs_field *f) {
  const double *step = f->spacing;
  for (int axis = 0; axis < 3; axis++) {
    const double wrong = isfinite(f->origin[axis]) ? step[axis] : f->origin[axis];
    if (!isfinite(wrong))
      return dcs_fail(DCS_INPUT,
                      "%s: found %g as the first point's place or the spacing along %c; expected "
                      "finite numbers",
                      path, wrong, "xyz"[axis]);
  }
  if (step[0] == 0 && step[1] == 0 && step[2] == 0) return DCS_OK;
  if (step[0] > 0 && step[1] > 0 && step[2] > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found spacings of %g, %g and %g; expected all above 0, or all 0 where it is "
                  "not known where the points are",
                  path, step[0], step[1], step[2]);
}

static dcs_status read_open_file(FILE *in, const char *path, dcs_field *field) {
  char head[HEAD];
  struct stat facts;
  if (fstat(fileno(in), &facts) != 0) return dcs_cannot("read", path);
  if (!S_ISREG(facts.st_mode))
    return dcs_fail(DCS_INPUT, "%s: found no regular file; expected a map as a file", path);
  size_t bytes = fread(head, 1, sizeof head, in);
  if (ferror(in)) return dcs_cannot("read", path);
  const dcs_field_format *format = format_of_content(head, bytes);
  if (!format) return unknown_content(path);
  rewind(in);
  DCS_TRY(format->read(in, path, field));
  return check_place(path, field);
}

dcs_status dcs_field_read(const char *path, dcs_field *field) {
  *field = (dcs_field){0};
  FILE *in = fopen(path, "rbe");
  if (!in) return dcs_cannot("open", path);
  dcs_status status = read_open_file(in, path, field);
  if (status == DCS_OK && ferror(in)) status = dcs_cannot("read", path);
  fclose(in);
  if (status != DCS_OK) dcs_field_free(field);
  return status;
}
