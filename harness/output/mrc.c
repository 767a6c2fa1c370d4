/* MRC/CCP4 (Cheng et al. 2015, "MRC2014"): a header of 1024 bytes and the values, x fastest, single
 * precision, little endian. The first label states the units. The place of the first point is in
 * ORIGIN, in single precision. */
#include "harness/output/field.h"

#include <endian.h>
#include <math.h>
#include <string.h>

enum {
  NX = 0, /* words of the header */
  MODE = 3,
  START = 4,
  MX = 7,
  CELL = 10,
  ANGLES = 13,
  AXES = 16, /* which of x, y, z columns, rows and sections are */
  LEAST = 19,
  GREATEST,
  MEAN,
  SPACE_GROUP,
  EXTENDED,
  VERSION = 27,
  ORIGIN = 49,
  MAP = 52,
  STAMP,
  RMS,
  LABELS,
  LABEL,
  WORDS = 256,
  LABEL_BYTES = 80,
  SINGLE = 2 /* mode */
};

typedef union {
  uint32_t bits[WORDS];
  char bytes[4 * WORDS];
} header;

static void set_integer(header *h, int word, int64_t value) {
  h->bits[word] = htole32((uint32_t)value);
}

static void set_number(header *h, int word, double value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  h->bits[word] = htole32(bits);
}

static int32_t integer_of(const header *h, int word) {
  return (int32_t)le32toh(h->bits[word]);
}

static double number_of(const header *h, int word) {
  uint32_t bits = le32toh(h->bits[word]);
  float single;
  memcpy(&single, &bits, sizeof single);
  return single;
}

/* ---- writing ---- */

/* Where a value is not finite they are not known, as MRC2014 has it: greatest < least, mean below
 * both, a negative rms. */
static void set_statistics(header *h, const dcs_statistics *s, int64_t points) {
  const double mean = s->sum / (double)points;
  if (!isfinite(s->squares)) {
    set_number(h, LEAST, 0);
    set_number(h, GREATEST, -1);
    set_number(h, MEAN, -2);
    set_number(h, RMS, -1);
    return;
  }
  set_number(h, LEAST, s->least);
  set_number(h, GREATEST, s->greatest);
  set_number(h, MEAN, mean);
  set_number(h, RMS, sqrt(fmax(0, s->squares / (double)points - mean * mean)));
}

static void set_header(header *h, const dcs_field *f) {
  const int64_t n[3] = {f->n.x, f->n.y, f->n.z};
  memset(h, 0, sizeof *h);
  for (int axis = 0; axis < 3; axis++) {
    set_integer(h, NX + axis, n[axis]);
    set_integer(h, MX + axis, n[axis]);
    set_number(h, CELL + axis, (double)n[axis] * f->spacing[axis]);
    set_number(h, ANGLES + axis, 90);
    set_integer(h, AXES + axis, axis + 1);
    set_number(h, ORIGIN + axis, f->origin[axis]);
  }
  set_integer(h, MODE, SINGLE);
  set_integer(h, SPACE_GROUP, 1);
  set_integer(h, VERSION, 20141);
  memcpy(&h->bits[MAP], "MAP ", 4);
  memcpy(&h->bits[STAMP], "\x44\x44\0\0", 4); /* little endian */
  set_integer(h, LABELS, 1);
  char *label = (char *)&h->bits[LABEL];
  int used = snprintf(
      label, LABEL_BYTES, "dcsbench: %s%s%s%s", dcs_is_potential(f) ? "potential" : "values",
      f->in_steps ? ", lengths in grid steps" : "", f->units[0] ? ", units: " : "", f->units);
  memset(label + used, ' ', (size_t)(LABEL_BYTES - used));
}

static int place_head(const dcs_field *f, const dcs_statistics *s, char head[DCS_PLACED_HEAD]) {
  header h;
  set_header(&h, f);
  set_statistics(&h, s, dcs_points(f->n));
  memcpy(head, h.bytes, sizeof h.bytes);
  return sizeof h.bytes;
}

/* The values, counted on their way. */
static dcs_status put_values(FILE *out, const dcs_field *f, dcs_statistics *s) {
  const int64_t slice = f->n.x * f->n.y;
  for (int64_t from = 0, end; from < f->n.z && !ferror(out); from = end) { /* closing says so */
    const float *values;
    DCS_TRY(dcs_field_next(f, from, &end, &values));
    for (int64_t k = 0; k < end - from; k++) {
      const dcs_statistics next = dcs_statistics_of(values + k * slice, slice);
      dcs_statistics_add(s, &next);
    }
    dcs_put_floats(out, values, (end - from) * slice);
  }
  return DCS_OK;
}

static dcs_status write_mrc(FILE *out, const dcs_field *f) {
  char head[DCS_PLACED_HEAD];
  dcs_statistics s = dcs_statistics_of(NULL, 0);
  fwrite(head, 1, (size_t)place_head(f, &s, head), out);
  DCS_TRY(put_values(out, f, &s));
  if (fseeko(out, 0, SEEK_SET) != 0)
    return dcs_fail(DCS_IO, "MRC has statistics at its begin: it is written to a file, not to a "
                            "pipe");
  fwrite(head, 1, (size_t)place_head(f, &s, head), out);
  return DCS_OK;
}

/* ---- reading ---- */

static bool is_mrc(const char *head, size_t bytes) {
  return bytes >= sizeof(header) && memcmp(head + 4 * MAP, "MAP ", 4) == 0;
}

static dcs_status check(const header *h, const char *path) {
  if (((const char *)&h->bits[STAMP])[0] != 0x44)
    return dcs_fail(DCS_INPUT,
                    "%s: found an MRC file of another byte order; expected little endian", path);
  if (integer_of(h, MODE) != SINGLE)
    return dcs_fail(DCS_INPUT,
                    "%s: found an MRC file of mode %d; expected mode 2, single precision", path,
                    integer_of(h, MODE));
  for (int axis = 0; axis < 3; axis++) {
    if (integer_of(h, AXES + axis) != axis + 1)
      return dcs_fail(DCS_INPUT, "%s: found axes %d %d %d; expected 1 2 3: x varies fastest", path,
                      integer_of(h, AXES), integer_of(h, AXES + 1), integer_of(h, AXES + 2));
    if (!(fabs(number_of(h, ANGLES + axis) - 90) < 1e-3))
      return dcs_fail(DCS_INPUT, "%s: found a cell angle of %g degrees; expected 90", path,
                      number_of(h, ANGLES + axis));
    if (integer_of(h, NX + axis) < 1 || integer_of(h, MX + axis) < 1 ||
        !(number_of(h, CELL + axis) > 0) || integer_of(h, EXTENDED) < 0)
      return dcs_fail(DCS_INPUT,
                      "%s: found %d points along an axis of %g angstrom; expected both "
                      "above 0",
                      path, integer_of(h, NX + axis), number_of(h, CELL + axis));
  }
  return DCS_OK;
}

/* ORIGIN, or where that is 0, as CCP4 has it, the first point's index. */
static void take_places(const header *h, dcs_field *f) {
  f->n = (dcs_dims){integer_of(h, NX), integer_of(h, NX + 1), integer_of(h, NX + 2)};
  bool origin = false;
  for (int axis = 0; axis < 3; axis++) {
    f->spacing[axis] = number_of(h, CELL + axis) / integer_of(h, MX + axis);
    f->origin[axis] = number_of(h, ORIGIN + axis);
    origin |= f->origin[axis] != 0;
  }
  for (int axis = 0; !origin && axis < 3; axis++)
    f->origin[axis] = integer_of(h, START + axis) * f->spacing[axis];
}

static void take_label(const header *h, dcs_field *f) {
  char label[LABEL_BYTES + 1];
  snprintf(label, sizeof label, "%.80s", (const char *)&h->bits[LABEL]);
  const char *units = strstr(label, "units: ");
  if (integer_of(h, LABELS) < 1) return;
  if (units) sscanf(units + 7, "%23s", f->units);
  f->in_steps = dcs_field_is_in_steps(label);
}

static dcs_status read_mrc(FILE *in, const char *path, dcs_field *f) {
  header h;
  if (fread(h.bytes, 1, sizeof h.bytes, in) != sizeof h.bytes)
    return dcs_fail(DCS_INPUT, "%s: found a part of a header; expected 1024 bytes", path);
  DCS_TRY(check(&h, path));
  take_places(&h, f);
  take_label(&h, f);
  if (fseeko(in, integer_of(&h, EXTENDED), SEEK_CUR) != 0) return dcs_cannot("read", path);
  DCS_TRY(dcs_field_allocate_for(in, path, 4, f));
  return dcs_get_floats(in, path, f->values, dcs_points(f->n));
}

const dcs_field_format dcs_field_format_mrc = {.name = "MRC/CCP4",
                                               .suffix = ".mrc",
                                               .least_bytes = 4,
                                               .most_along = INT32_MAX,
                                               .x_fastest = true,
                                               .write = write_mrc,
                                               .head = place_head,
                                               .sniff = is_mrc,
                                               .read = read_mrc};
