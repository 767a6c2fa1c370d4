/* NumPy's archive: a zip file of the arrays values, shape (nx, ny, nz), origin and spacing (3
 * numbers each), units (a text) and, where lengths are not angstrom, lengths (a text, "grid
 * steps"). Written uncompressed and with 64-bit sizes (PKWARE's APPNOTE 6.3, sections 4.3 and
 * 4.5.3); read are compressed archives too. */
#include "harness/output/numpy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { STORED = 0, DEFLATED = 8, MOST_ENTRIES = 16, NAME = 64 };
enum {
  LOCAL = 0x04034b50,
  CENTRAL = 0x02014b50,
  END = 0x06054b50,
  END64 = 0x06064b50,
  LOCATOR = 0x07064b50
};

typedef struct {
  char name[NAME];
  int method;
  uint32_t crc;
  uint64_t packed, size; /* bytes */
  uint64_t at;           /* of its local header */
} entry;

/* ---- writing ---- */

static void put(FILE *out, uint64_t value, int bytes) {
  for (int b = 0; b < bytes; b++, value >>= 8)
    fputc((int)(value & 255), out);
}

/* Version, flags and method; 1 January 1980, as archives that are made again have it; checksum and
 * sizes, of which the real ones follow in a field of 64-bit numbers. */
static void put_facts(FILE *out, const entry *e, int extra) {
  put(out, 45, 2);
  put(out, 0, 2);
  put(out, STORED, 2);
  put(out, 0, 2);
  put(out, 1 << 5 | 1, 2);
  put(out, e->crc, 4);
  put(out, UINT32_MAX, 4);
  put(out, UINT32_MAX, 4);
  put(out, strlen(e->name), 2);
  put(out, (uint64_t)extra, 2);
}

static void put_local(FILE *out, const entry *e) {
  put(out, LOCAL, 4);
  put_facts(out, e, 20);
  fputs(e->name, out);
  put(out, 1, 2);
  put(out, 16, 2);
  put(out, e->size, 8);
  put(out, e->size, 8);
}

static void put_central(FILE *out, const entry *e) {
  put(out, CENTRAL, 4);
  put(out, 45, 2);
  put_facts(out, e, 28);
  put(out, 0, 2 + 2 + 2 + 4); /* no comment, the first disk, no attributes */
  put(out, UINT32_MAX, 4);
  fputs(e->name, out);
  put(out, 1, 2);
  put(out, 24, 2);
  put(out, e->size, 8);
  put(out, e->size, 8);
  put(out, e->at, 8);
}

static void put_end(FILE *out, int entries, uint64_t from, uint64_t to) {
  put(out, END64, 4);
  put(out, 44, 8);
  put(out, 45, 2);
  put(out, 45, 2);
  put(out, 0, 8);
  put(out, (uint64_t)entries, 8);
  put(out, (uint64_t)entries, 8);
  put(out, to - from, 8);
  put(out, from, 8);
  put(out, LOCATOR, 4);
  put(out, 0, 4);
  put(out, to, 8);
  put(out, 1, 4);
  put(out, END, 4);
  put(out, 0, 4);
  put(out, UINT16_MAX, 2);
  put(out, UINT16_MAX, 2);
  put(out, UINT32_MAX, 4);
  put(out, UINT32_MAX, 4);
  put(out, 0, 2);
}

/* An array that is small. */
static void put_array(FILE *out, entry *e, const char *head, int head_bytes, const void *data,
                      size_t bytes) {
  e->at = (uint64_t)ftello(out);
  e->size = e->packed = (uint64_t)head_bytes + bytes;
  e->crc = (uint32_t)crc32(crc32(0, (const Bytef *)head, (uInt)head_bytes), data, (uInt)bytes);
  put_local(out, e);
  fwrite(head, 1, (size_t)head_bytes, out);
  fwrite(data, 1, bytes, out);
}

/* NumPy's texts have four bytes a character. */
static void put_text(FILE *out, entry *e, const char *text) {
  char head[DCS_NPY_HEAD];
  uint32_t wide[DCS_UNITS_TEXT] = {0};
  for (size_t i = 0; text[i]; i++)
    wide[i] = (unsigned char)text[i];
  put_array(out, e, head, dcs_npy_head(head, "<U24", NULL, 0), wide, sizeof wide);
}

/* The map's values, whose checksum is known behind them and stands before them. */
static dcs_status put_map(FILE *out, entry *e, const dcs_field *f) {
  char head[DCS_NPY_HEAD];
  const int64_t shape[3] = {f->n.x, f->n.y, f->n.z};
  e->at = (uint64_t)ftello(out);
  e->size = e->packed =
      (uint64_t)dcs_npy_head(head, "<f4", shape, 3) + (uint64_t)dcs_points(f->n) * sizeof(float);
  put_local(out, e);
  DCS_TRY(dcs_npy_write_map(out, f, &e->crc));
  const off_t end = ftello(out);
  if (end < 0 || fseeko(out, (off_t)e->at, SEEK_SET) != 0)
    return dcs_fail(DCS_IO, "a NumPy archive is written to a file, not to a pipe");
  put_local(out, e);
  fseeko(out, end, SEEK_SET);
  return DCS_OK;
}

static dcs_status write_npz(FILE *out, const dcs_field *f) {
  entry entries[5] = {{.name = "origin.npy"},
                      {.name = "spacing.npy"},
                      {.name = "units.npy"},
                      {.name = "values.npy"},
                      {.name = "lengths.npy"}};
  char head[DCS_NPY_HEAD];
  const int64_t three = 3;
  const int vector = dcs_npy_head(head, "<f8", &three, 1), n = f->in_steps ? 5 : 4;
  put_array(out, &entries[0], head, vector, f->origin, sizeof f->origin);
  put_array(out, &entries[1], head, vector, f->spacing, sizeof f->spacing);
  put_text(out, &entries[2], f->units);
  DCS_TRY(put_map(out, &entries[3], f));
  if (f->in_steps) put_text(out, &entries[4], dcs_field_lengths(f));
  const uint64_t from = (uint64_t)ftello(out);
  for (int i = 0; i < n; i++)
    put_central(out, &entries[i]);
  put_end(out, n, from, (uint64_t)ftello(out));
  return DCS_OK;
}

/* ---- reading: the list of entries at the end ---- */

static uint64_t get(const unsigned char *at, int bytes) {
  uint64_t value = 0;
  for (int b = bytes - 1; b >= 0; b--)
    value = value << 8 | at[b];
  return value;
}

static dcs_status damaged(const char *path) {
  return dcs_fail(DCS_INPUT, "%s: found a damaged archive; expected a whole .npz", path);
}

/* Sizes and place of an entry of which 32 bits were too few. */
static void take_wide(const unsigned char *extra, size_t bytes, entry *e) {
  for (size_t at = 0; at + 4 <= bytes; at += 4 + get(extra + at + 2, 2)) {
    if (get(extra + at, 2) != 1) continue;
    uint64_t *fields[3] = {&e->size, &e->packed, &e->at};
    size_t end = at + 4 + get(extra + at + 2, 2), next = at + 4;
    for (int i = 0; i < 3; i++)
      if (*fields[i] == UINT32_MAX && next + 8 <= end && end <= bytes) {
        *fields[i] = get(extra + next, 8);
        next += 8;
      }
    return;
  }
}

static size_t read_entry(const unsigned char *from, size_t bytes, entry *e) {
  if (bytes < 46 || get(from, 4) != CENTRAL) return 0;
  const size_t name = get(from + 28, 2), extra = get(from + 30, 2), comment = get(from + 32, 2);
  if (46 + name + extra + comment > bytes || name >= NAME) return 0;
  *e = (entry){.method = (int)get(from + 10, 2),
               .crc = (uint32_t)get(from + 16, 4),
               .packed = get(from + 20, 4),
               .size = get(from + 24, 4),
               .at = get(from + 42, 4)};
  memcpy(e->name, from + 46, name);
  take_wide(from + 46 + name, extra, e);
  return 46 + name + extra + comment;
}

/* The end of the archive without a comment, as NumPy and this program write it. */
static dcs_status find_list(FILE *in, const char *path, uint64_t *from, uint64_t *bytes) {
  unsigned char end[98] = {0};
  if (fseeko(in, 0, SEEK_END) != 0) return damaged(path);
  const off_t size = ftello(in);
  const off_t tail = size < (off_t)sizeof end ? size : (off_t)sizeof end;
  if (tail < 22 || fseeko(in, -tail, SEEK_END) != 0 ||
      fread(end + sizeof end - tail, 1, (size_t)tail, in) != (size_t)tail)
    return damaged(path);
  const unsigned char *short_end = end + sizeof end - 22;
  if (get(short_end, 4) != END) return damaged(path);
  *bytes = get(short_end + 12, 4);
  *from = get(short_end + 16, 4);
  if (*from == UINT32_MAX && get(end, 4) == END64) {
    *bytes = get(end + 40, 8);
    *from = get(end + 48, 8);
  }
  if (*from > (uint64_t)size || *bytes > (uint64_t)size - *from || *bytes > 1 << 20)
    return damaged(path);
  return DCS_OK;
}

static dcs_status parse_list(const unsigned char *list, size_t bytes, const char *path,
                             entry *entries, int *n) {
  size_t used = 0, one;
  for (*n = 0; used < bytes && *n < MOST_ENTRIES; used += one, ++*n)
    if ((one = read_entry(list + used, bytes - used, &entries[*n])) == 0) return damaged(path);
  return DCS_OK;
}

static dcs_status read_list(FILE *in, const char *path, entry *entries, int *n) {
  uint64_t from = 0, bytes = 0;
  DCS_TRY(find_list(in, path, &from, &bytes));
  unsigned char *list = malloc((size_t)bytes + 1);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  dcs_status status = DCS_OK;
  if (fseeko(in, (off_t)from, SEEK_SET) != 0 || fread(list, 1, (size_t)bytes, in) != bytes)
    status = damaged(path);
  if (status == DCS_OK) status = parse_list(list, (size_t)bytes, path, entries, n);
  free(list);
  return status;
}

/* ---- reading: one entry, as a stream of its content ---- */

/* One run of the packed bytes through `z`; false where the archive is damaged or `to` is full. */
static bool unpack_part(z_stream *z, const entry *e, FILE *to, uint64_t *made, uLong *crc) {
  unsigned char plain[1 << 16];
  int state = Z_OK;
  do {
    z->next_out = plain;
    z->avail_out = sizeof plain;
    state = inflate(z, Z_NO_FLUSH);
    const size_t got = sizeof plain - z->avail_out;
    *crc = crc32_z(*crc, plain, got);
    *made += got;
    if (*made > e->size || fwrite(plain, 1, got, to) != got) return false;
  } while (state == Z_OK && z->avail_out == 0);
  return state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR;
}

static bool copy_part(const unsigned char *packed, size_t n, FILE *to, uint64_t *made, uLong *crc) {
  *crc = crc32_z(*crc, packed, n);
  *made += n;
  return fwrite(packed, 1, n, to) == n;
}

/* Checks the content's size and checksum on its way into `to`. */
static dcs_status unpack(FILE *in, const char *path, const entry *e, FILE *to) {
  unsigned char packed[1 << 14];
  z_stream z = {0};
  uint64_t left = e->packed, made = 0;
  uLong crc = crc32(0, NULL, 0);
  bool good = true;
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
    return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  while (good && left > 0) {
    const size_t n = fread(packed, 1, left < sizeof packed ? (size_t)left : sizeof packed, in);
    if (n == 0) break;
    left -= n;
    z.next_in = packed;
    z.avail_in = (uInt)n;
    good = e->method == DEFLATED ? unpack_part(&z, e, to, &made, &crc)
                                 : copy_part(packed, n, to, &made, &crc);
  }
  inflateEnd(&z);
  if (ferror(to)) return dcs_cannot("unpack", path);
  return good && left == 0 && made == e->size && crc == e->crc ? DCS_OK : damaged(path);
}

/* Goes behind the entry's local header. */
static dcs_status seek_content(FILE *in, const char *path, const entry *e) {
  unsigned char local[30];
  if (e->at > INT64_MAX / 2 || fseeko(in, (off_t)e->at, SEEK_SET) != 0 ||
      fread(local, 1, sizeof local, in) != sizeof local || get(local, 4) != LOCAL ||
      fseeko(in, (off_t)(get(local + 26, 2) + get(local + 28, 2)), SEEK_CUR) != 0)
    return damaged(path);
  if (e->method == STORED || e->method == DEFLATED) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found %s compressed by method %d; expected deflate, or none",
                  path, e->name, e->method);
}

/* NULL: it is not there. */
static const entry *find_entry(const entry *entries, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (strcmp(entries[i].name, name) == 0) return &entries[i];
  return NULL;
}

static dcs_status open_entry(FILE *in, const char *path, const entry *e, FILE **content) {
  DCS_TRY(seek_content(in, path, e));
  *content = tmpfile();
  if (!*content) return dcs_cannot("unpack", path);
  dcs_status status = unpack(in, path, e, *content);
  if (status == DCS_OK)
    rewind(*content);
  else
    fclose(*content);
  return status;
}

static dcs_status take_vector(FILE *content, const char *path, const dcs_npy *a, double to[3]) {
  if (strcmp(a->type, "<f8") == 0 && a->axes == 1 && a->shape[0] == 3 &&
      fread(to, sizeof *to, 3, content) == 3)
    return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found origin or spacing of type %s; expected three of <f8", path,
                  a->type);
}

/* A text shorter than DCS_UNITS_TEXT; of a longer one its begin. */
static dcs_status take_text(FILE *content, const char *path, const char *name, const dcs_npy *a,
                            char text[DCS_UNITS_TEXT]) {
  uint32_t wide[DCS_UNITS_TEXT - 1];
  if (a->axes != 0 || strncmp(a->type, "<U", 2) != 0)
    return dcs_fail(DCS_INPUT, "%s: found %.*s of type %s; expected a text", path,
                    (int)strlen(name) - 4, name, a->type);
  const size_t got = fread(wide, sizeof *wide, DCS_UNITS_TEXT - 1, content);
  for (size_t i = 0; i < got; i++)
    text[i] = (char)(wide[i] < 128 ? wide[i] : '?');
  text[got] = '\0';
  return DCS_OK;
}

static dcs_status take_lengths(FILE *content, const char *path, const char *name, const dcs_npy *a,
                               dcs_field *f) {
  const dcs_field angstrom = {.in_steps = false}, steps = {.in_steps = true};
  char text[DCS_UNITS_TEXT];
  DCS_TRY(take_text(content, path, name, a, text));
  f->in_steps = strcmp(text, dcs_field_lengths(&steps)) == 0;
  if (f->in_steps || strcmp(text, dcs_field_lengths(&angstrom)) == 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found lengths in \"%s\"; expected %s or %s", path, text,
                  dcs_field_lengths(&angstrom), dcs_field_lengths(&steps));
}

static dcs_status take_array(FILE *content, const char *path, const char *name, dcs_field *f) {
  dcs_npy a;
  DCS_TRY(dcs_npy_read_head(content, path, &a));
  if (strcmp(name, "values.npy") == 0) return dcs_npy_read_map(content, path, &a, f);
  if (strcmp(name, "origin.npy") == 0) return take_vector(content, path, &a, f->origin);
  if (strcmp(name, "spacing.npy") == 0) return take_vector(content, path, &a, f->spacing);
  if (strcmp(name, "units.npy") == 0) return take_text(content, path, name, &a, f->units);
  return take_lengths(content, path, name, &a, f);
}

static dcs_status read_npz(FILE *in, const char *path, dcs_field *f) {
  static const char *const names[] = {"values.npy", "origin.npy", "spacing.npy", "units.npy",
                                      "lengths.npy"};
  enum { N = sizeof names / sizeof *names, NEEDED = N - 1 };
  entry entries[MOST_ENTRIES];
  int n;
  DCS_TRY(read_list(in, path, entries, &n));
  for (int i = 0; i < N; i++) {
    const entry *e = find_entry(entries, n, names[i]);
    FILE *content;
    if (!e && i == NEEDED) return DCS_OK;
    if (!e)
      return dcs_fail(DCS_INPUT,
                      "%s: found no array %.*s; expected values, origin, spacing and units", path,
                      (int)strlen(names[i]) - 4, names[i]);
    DCS_TRY(open_entry(in, path, e, &content));
    dcs_status status = take_array(content, path, names[i], f);
    fclose(content);
    DCS_TRY(status);
  }
  return DCS_OK;
}

static bool is_npz(const char *head, size_t bytes) {
  return bytes >= 4 && memcmp(head, "PK\3\4", 4) == 0;
}

const dcs_field_format dcs_field_format_npz = {.name = "NumPy archive",
                                               .suffix = ".npz",
                                               .least_bytes = 4,
                                               .placeless = true,
                                               .write = write_npz,
                                               .sniff = is_npz,
                                               .read = read_npz};
