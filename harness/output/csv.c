/* CSV: a row a point, x fastest, with its place and its value. Of slices and lines rather than of
 * whole maps; it is not read back. */
#include "harness/output/digits.h"
#include "harness/output/field.h"

static void put_row(FILE *out, const dcs_field *f, int64_t i, int64_t j, int64_t k, float v) {
  char value[DCS_DIGITS_TEXT];
  int length = dcs_float_digits(v, value);
  fprintf(out, "%.12g,%.12g,%.12g,%.*s\n", f->origin[0] + f->spacing[0] * (double)i,
          f->origin[1] + f->spacing[1] * (double)j, f->origin[2] + f->spacing[2] * (double)k,
          length, value);
}

static dcs_status write_csv(FILE *out, const dcs_field *f) {
  const char *names[5];
  dcs_point_columns(f->units, names);
  if (f->in_steps)
    fprintf(out, "x_steps,y_steps,z_steps,%s\n", names[3]);
  else
    fprintf(out, "%s,%s,%s,%s\n", names[0], names[1], names[2], names[3]);
  for (int64_t from = 0, end; from < f->n.z && !ferror(out); from = end) { /* closing says so */
    const float *values;
    DCS_TRY(dcs_field_next(f, from, &end, &values));
    for (int64_t k = from; k < end; k++)
      for (int64_t j = 0; j < f->n.y; j++)
        for (int64_t i = 0; i < f->n.x; i++)
          put_row(out, f, i, j, k, *values++);
  }
  return DCS_OK;
}

const dcs_field_format dcs_field_format_csv = {
    .name = "CSV", .suffix = ".csv", .least_bytes = 14, .x_fastest = true, .write = write_csv};
