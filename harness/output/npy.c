/* NumPy: bare values, shape (nx, ny, nz), C order, single precision, little endian. Where the
 * points are and the units are not in the file. What several processes write together is in
 * Fortran's order: the same array, x fastest. Read are both, and double precision, too. */
#include "harness/output/numpy.h"

#include "harness/base/grow.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- writing ---- */

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, FIXED = 10 }; /* bytes: the magic, the version and the text's length */

static int write_head(char head[DCS_NPY_HEAD], const dcs_npy *a) {
  char text[DCS_NPY_HEAD - FIXED] = "";
  dcs_append(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", a->type,
             a->x_fastest ? "True" : "False");
  for (int axis = 0; axis < a->axes; axis++)
    dcs_append(text, sizeof text,
               a->axes == 1 ? "%lld,"
               : axis       ? ", %lld"
                            : "%lld",
               (long long)a->shape[axis]);
  dcs_append(text, sizeof text, "), }");
  const int used = (int)strlen(text), size = (FIXED + used + 1 + 63) / 64 * 64;
  memcpy(head, magic, MAGIC);
  head[6] = 1; /* version 1.0 */
  head[7] = 0;
  head[8] = (char)((size - FIXED) & 255);
  head[9] = (char)((size - FIXED) >> 8);
  memcpy(head + FIXED, text, (size_t)used);
  memset(head + FIXED + used, ' ', (size_t)(size - FIXED - used));
  head[size - 1] = '\n';
  return size;
}

int dcs_npy_head(char head[DCS_NPY_HEAD], const char *type, const int64_t *shape, int axes) {
  dcs_npy a = {.axes = axes};
  snprintf(a.type, sizeof a.type, "%s", type);
  for (int axis = 0; axis < axes; axis++)
    a.shape[axis] = shape[axis];
  return write_head(head, &a);
}

static int place_head(const dcs_field *f, const dcs_statistics *s, char head[DCS_PLACED_HEAD]) {
  (void)s;
  return write_head(
      head,
      &(dcs_npy){.type = "<f4", .x_fastest = true, .axes = 3, .shape = {f->n.x, f->n.y, f->n.z}});
}

_Static_assert((int)DCS_NPY_HEAD == (int)DCS_PLACED_HEAD, "heads of arrays fit");

dcs_status dcs_npy_write_map(FILE *out, const dcs_field *f, uint32_t *crc) {
  char head[DCS_NPY_HEAD];
  const int bytes = dcs_npy_head(head, "<f4", (const int64_t[]){f->n.x, f->n.y, f->n.z}, 3);
  dcs_turned turned;
  fwrite(head, 1, (size_t)bytes, out);
  if (crc) *crc = (uint32_t)crc32_z(0, (const Bytef *)head, (size_t)bytes);
  DCS_TRY(dcs_turned_begin(f, &turned));
  dcs_status status = DCS_OK;
  for (int64_t from = 0, end; from < f->n.x && !ferror(out); from = end) {
    const float *planes;
    status = dcs_turned_next(&turned, from, &end, &planes);
    if (status != DCS_OK) break;
    const int64_t n = (end - from) * f->n.y * f->n.z;
    dcs_put_floats(out, planes, n);
    if (crc) *crc = (uint32_t)crc32_z(*crc, (const Bytef *)planes, (size_t)n * sizeof *planes);
  }
  dcs_turned_end(&turned);
  return status;
}

static dcs_status write_npy(FILE *out, const dcs_field *f) {
  return dcs_npy_write_map(out, f, NULL);
}

/* ---- reading ---- */

static dcs_status wrong(const char *what, const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: found another array; expected %s", what, expected);
}

/* The value behind 'key': in the head, NULL where it is not there. */
static const char *value_of(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (!at) return NULL;
  at += strlen(key);
  return at + strspn(at, "': ");
}

static dcs_status parse_head(const char *text, const char *what, dcs_npy *a) {
  const char *type = value_of(text, "'descr'"), *order = value_of(text, "'fortran_order'"),
             *shape = value_of(text, "'shape'");
  if (!type || !order || !shape || sscanf(type, "%15[^']", a->type) != 1 || *shape != '(')
    return wrong(what, "descr, fortran_order and shape in its head");
  a->x_fastest = strncmp(order, "True", 4) == 0;
  a->axes = 0;
  for (const char *at = shape + 1; *at && *at != ')';) {
    char *end;
    long long n = strtoll(at, &end, 10);
    if (end == at || n < 0 || a->axes == 4) return wrong(what, "at most four axes");
    a->shape[a->axes++] = n;
    at = end + strspn(end, ", ");
  }
  return DCS_OK;
}

dcs_status dcs_npy_read_head(FILE *in, const char *what, dcs_npy *a) {
  unsigned char fixed[12];
  char text[DCS_NPY_HEAD];
  if (fread(fixed, 1, FIXED, in) != FIXED || memcmp(fixed, magic, MAGIC) != 0)
    return wrong(what, "an array of NumPy");
  size_t size = fixed[8] | (size_t)fixed[9] << 8;
  if (fixed[6] > 1) { /* versions 2 and 3: a length of four bytes */
    if (fread(fixed + FIXED, 1, 2, in) != 2) return wrong(what, "an array of NumPy");
    size |= (size_t)fixed[10] << 16 | (size_t)fixed[11] << 24;
  }
  if (size >= sizeof text || fread(text, 1, size, in) != size)
    return wrong(what, "a head of less than 1024 bytes");
  text[size] = '\0';
  return parse_head(text, what, a);
}

/* The index in the map of a file's value. */
static int64_t place_of(int64_t at, dcs_dims n, bool x_fastest) {
  if (x_fastest) return at;
  return (at % n.z * n.y + at / n.z % n.y) * n.x + at / n.z / n.y;
}

static dcs_status read_values(FILE *in, const char *what, const dcs_npy *a, dcs_field *f) {
  enum { BLOCK = 4096 };
  union {
    float single[BLOCK];
    double twice[BLOCK];
  } part;
  const bool twice = strcmp(a->type, "<f8") == 0;
  const int64_t points = dcs_points(f->n);
  for (int64_t done = 0; done < points; done += BLOCK) {
    const int64_t n = points - done < BLOCK ? points - done : BLOCK;
    if (fread(&part, twice ? 8 : 4, (size_t)n, in) != (size_t)n)
      return dcs_fail(DCS_INPUT, "%s: found its end after %lld values at most; expected %lld", what,
                      (long long)(done + n - 1), (long long)points);
    for (int64_t i = 0; i < n; i++)
      f->values[place_of(done + i, f->n, a->x_fastest)] =
          twice ? (float)part.twice[i] : part.single[i];
  }
  return DCS_OK;
}

dcs_status dcs_npy_read_map(FILE *in, const char *what, const dcs_npy *a, dcs_field *f) {
  if (a->axes != 3 || (strcmp(a->type, "<f4") != 0 && strcmp(a->type, "<f8") != 0))
    return dcs_fail(DCS_INPUT, "%s: found %d axes of type %s; expected three of <f4 or <f8", what,
                    a->axes, a->type);
  f->n = (dcs_dims){a->shape[0], a->shape[1], a->shape[2]};
  DCS_TRY(dcs_field_allocate_for(in, what, a->type[2] - '0', f));
  return read_values(in, what, a, f);
}

static bool is_npy(const char *head, size_t bytes) {
  return bytes >= FIXED && memcmp(head, magic, MAGIC) == 0;
}

static dcs_status read_npy(FILE *in, const char *path, dcs_field *f) {
  dcs_npy array;
  DCS_TRY(dcs_npy_read_head(in, path, &array));
  return dcs_npy_read_map(in, path, &array, f);
}

const dcs_field_format dcs_field_format_npy = {.name = "NumPy",
                                               .suffix = ".npy",
                                               .least_bytes = 4,
                                               .placeless = true,
                                               .write = write_npy,
                                               .head = place_head,
                                               .sniff = is_npy,
                                               .read = read_npy};
