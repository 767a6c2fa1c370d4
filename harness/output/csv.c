/* CSV: a row a point, x fastest, with its place and its value. Of slices and lines rather than of
 * whole maps; it is not read back. */
#include "harness/base/interrupt.h"
#include "harness/output/digits.h"
#include "harness/output/field.h"

static void put_row(FILE *out, const dcs_field *f, int64_t i, int64_t j, int64_t k) {
  char value[DCS_DIGITS_TEXT];
  int length = dcs_float_digits(f->values[(k * f->n.y + j) * f->n.x + i], value);
  fprintf(out, "%.12g,%.12g,%.12g,%.*s\n", f->origin[0] + f->spacing[0] * (double)i,
          f->origin[1] + f->spacing[1] * (double)j, f->origin[2] + f->spacing[2] * (double)k,
          length, value);
}

static dcs_status write_csv(FILE *out, const dcs_field *f) {
  const char *names[5];
  dcs_point_columns(f->units, names);
  fprintf(out, "%s,%s,%s,%s\n", names[0], names[1], names[2], names[3]);
  for (int64_t k = 0; k < f->n.z; k++)
    for (int64_t j = 0; j < f->n.y; j++) {
      if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
      if (ferror(out)) return DCS_OK; /* closing says so */
      for (int64_t i = 0; i < f->n.x; i++)
        put_row(out, f, i, j, k);
    }
  return DCS_OK;
}

const dcs_field_format dcs_field_format_csv = {.name = "CSV", .suffix = ".csv", .write = write_csv};
