/* Maps as files that are wrong in one thing each: what is said of it. And what other writers do
 * that this program does not: archives that are compressed, heads of another version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/output/field.h"
#include "tests/run_folder.h"

#include <math.h>
#include <zlib.h>

enum { NX = 5, NY = 3, NZ = 4, POINTS = NX * NY * NZ };
static float values[POINTS];

static dcs_field sample(void) {
  for (int i = 0; i < POINTS; i++)
    values[i] = (float)i;
  return (dcs_field){.n = {NX, NY, NZ},
                     .origin = {1, 2, 3},
                     .spacing = {0.5, 0.5, 0.5},
                     .units = "V",
                     .values = values};
}

static void put_bytes(const char *name, const void *bytes, size_t size) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void refused(const char *name, const char *message) {
  dcs_field f;
  if (dcs_field_read(in_folder(name), &f) != DCS_INPUT) fail_msg("%s was read", name);
  assert_null(f.values);
  assert_contains(dcs_error_message(), name);
  assert_contains(dcs_error_message(), message);
}

/* ---- MRC ---- */

/* The map with one word of its header replaced. */
static void put_mrc(int word, uint32_t bits) {
  const dcs_field f = sample();
  size_t size;
  assert_int_equal(dcs_field_write(in_folder("a.mrc"), &f), DCS_OK);
  char *bytes = get_file(in_folder("a.mrc"), &size);
  memcpy(bytes + 4 * word, &bits, sizeof bits);
  put_bytes("a.mrc", bytes, size);
  free(bytes);
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void headers_of_mrc_that_are_wrong(void **state) {
  (void)state;
  static const struct {
    int word;
    uint32_t bits;
    const char *message;
  } cases[] = {{53, 0x1111, "of another byte order; expected little endian"},
               {3, 1, "of mode 1; expected mode 2"},
               {16, 3, "found axes 3 2 3; expected 1 2 3"},
               {0, 0, "found 0 points along an axis of"},
               {1, UINT32_MAX, "found -1 points along an axis of"},
               {8, 0, "points along an axis of"},
               {23, UINT32_MAX, "points along an axis of"},
               {23, 4000, "bytes of values; expected 5x3x4 values"},
               {2, 400, "found 240 bytes of values; expected 5x3x400 values"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    put_mrc(cases[i].word, cases[i].bits);
    refused("a.mrc", cases[i].message);
  }
  put_mrc(14, bits_of(91));
  refused("a.mrc", "found a cell angle of 91 degrees; expected 90");
  put_mrc(14, bits_of(NAN));
  refused("a.mrc", "found a cell angle of ");
  put_mrc(11, bits_of(0));
  refused("a.mrc", "points along an axis of 0 angstrom");
  put_mrc(50, bits_of(INFINITY));
  refused("a.mrc", "found inf as the first point's place or the spacing along y");
}

/* As CCP4 has it: no origin, but the index of the first point. */
static void ccp4_says_where_the_first_point_is(void **state) {
  (void)state;
  dcs_field f = sample(), g;
  size_t size;
  memset(f.origin, 0, sizeof f.origin);
  assert_int_equal(dcs_field_write(in_folder("a.mrc"), &f), DCS_OK);
  char *bytes = get_file(in_folder("a.mrc"), &size);
  const int32_t start[3] = {-4, 6, 0};
  memcpy(bytes + 16, start, sizeof start);
  put_bytes("a.mrc", bytes, size);
  free(bytes);
  assert_int_equal(dcs_field_read(in_folder("a.mrc"), &g), DCS_OK);
  assert_true(g.origin[0] == -2 && g.origin[1] == 3 && g.origin[2] == 0);
  assert_true(g.values[POINTS - 1] == POINTS - 1);
  dcs_field_free(&g);
}

/* ---- NumPy ---- */

typedef struct {
  char bytes[1 << 20];
  size_t size;
} content;

static void add(content *to, const void *bytes, size_t n) {
  assert_true(to->size + n <= sizeof to->bytes);
  memcpy(to->bytes + to->size, bytes, n);
  to->size += n;
}

static void add_number(content *to, uint64_t value, int bytes) {
  for (int b = 0; b < bytes; b++, value >>= 8) {
    const char byte = (char)(value & 255);
    add(to, &byte, 1);
  }
}

/* An array: its head as written in a version of the format, then data. */
static void add_array(content *to, int version, const char *head, const void *data, size_t bytes) {
  add(to, "\x93NUMPY", 6);
  add_number(to, (uint64_t)version, 2);
  add_number(to, strlen(head), version > 1 ? 4 : 2);
  add(to, head, strlen(head));
  add(to, data, bytes);
}

static void put_array(int version, const char *head, size_t bytes) {
  static content c;
  c.size = 0;
  sample();
  add_array(&c, version, head, values, bytes);
  put_bytes("a.npy", c.bytes, c.size);
}

static void heads_of_arrays_that_are_wrong(void **state) {
  (void)state;
  static const struct {
    const char *head, *message;
  } cases[] = {
      {"{'descr': '<f4', 'fortran_order': False}\n", "expected descr, fortran_order and shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 60}\n", "expected descr, fortran"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,2,3,4,5)}\n", "at most four axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,2,3)}\n", "at most four axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (5,x)}\n", "at most four axes"},
      {"{'descr': '<i4', 'fortran_order': False, 'shape': (5,3,4)}\n", "3 axes of type <i4"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (5,3,4)}\n", "3 axes of type >f4"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (60,)}\n", "1 axes of type <f4"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,3,4)}\n", "a map of 0x3x4 points"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5,3,4)}\n", "found 240 bytes of values"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,2,3)}\n",
       "expected 1 or more along each axis"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    put_array(1, cases[i].head, sizeof values);
    refused("a.npy", cases[i].message);
  }
  char head[2000];
  snprintf(head, sizeof head, "%1900s", "{");
  put_array(1, head, sizeof values);
  refused("a.npy", "expected a head of less than 1024 bytes");
  put_bytes("a.npy", "\x93NUMPY\2\0\1\0", 10);
  refused("a.npy", "expected an array of NumPy");
}

/* Version 2 has a longer length; the first axis may be the one that varies fastest. */
static void other_versions_and_orders_are_read(void **state) {
  (void)state;
  dcs_field f;
  put_array(2, "{'descr': '<f4', 'fortran_order': True, 'shape': (5, 3, 4), }\n", sizeof values);
  assert_int_equal(dcs_field_read(in_folder("a.npy"), &f), DCS_OK);
  assert_true(f.n.x == NX && f.n.y == NY && f.n.z == NZ);
  assert_memory_equal(f.values, values, sizeof values);
  const double at[3] = {NAN, NAN, 1};
  assert_int_equal(dcs_field_slice(&f, at), DCS_INPUT);
  assert_contains(dcs_error_message(), "does not say where its points are");
  dcs_field_free(&f);
}

/* ---- archives ---- */

typedef struct {
  const char *name;
  content plain;
  int method;                 /* 0: stored, 8: deflated */
  uint32_t crc_off, size_off; /* by how much the list is wrong */
} member;

static size_t deflated(const content *plain, unsigned char *packed, size_t room) {
  z_stream z = {.next_in = (Bytef *)plain->bytes,
                .avail_in = (uInt)plain->size,
                .next_out = packed,
                .avail_out = (uInt)room};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  assert_int_equal(deflateEnd(&z), Z_OK);
  return room - z.avail_out;
}

/* What a local header and the list's entry share. */
static void add_facts(content *to, const member *m, size_t packed) {
  const uLong crc = crc32(0, (const Bytef *)m->plain.bytes, (uInt)m->plain.size);
  add_number(to, 20, 2);
  add_number(to, 0, 2);
  add_number(to, (uint64_t)m->method, 2);
  add_number(to, 0, 4);
  add_number(to, (uint32_t)crc + m->crc_off, 4);
  add_number(to, packed, 4);
  add_number(to, m->plain.size - m->size_off, 4);
  add_number(to, strlen(m->name), 2);
  add_number(to, 0, 2);
}

/* A zip file as Python's zipfile writes it: 32-bit sizes, no extra fields. */
static void put_archive(const member *list, int n) {
  static content file, entries;
  static unsigned char packed[1 << 20];
  file.size = entries.size = 0;
  for (int i = 0; i < n; i++) {
    const member *m = &list[i];
    size_t bytes = m->plain.size;
    if (m->method == 8)
      bytes = deflated(&m->plain, packed, sizeof packed);
    else
      memcpy(packed, m->plain.bytes, bytes);
    add_number(&entries, 0x02014b50, 4);
    add_number(&entries, 20, 2);
    add_facts(&entries, m, bytes);
    add_number(&entries, 0, 10);
    add_number(&entries, file.size, 4);
    add(&entries, m->name, strlen(m->name));
    add_number(&file, 0x04034b50, 4);
    add_facts(&file, m, bytes);
    add(&file, m->name, strlen(m->name));
    add(&file, packed, bytes);
  }
  const size_t from = file.size;
  add(&file, entries.bytes, entries.size);
  add_number(&file, 0x06054b50, 4);
  add_number(&file, 0, 4);
  add_number(&file, (uint64_t)n, 2);
  add_number(&file, (uint64_t)n, 2);
  add_number(&file, entries.size, 4);
  add_number(&file, from, 4);
  add_number(&file, 0, 2);
  put_bytes("a.npz", file.bytes, file.size);
}

enum { VALUES, ORIGIN, SPACING, UNITS, MEMBERS };
enum { WX = 50, WY = 33, WZ = 40, WIDE = WX * WY * WZ }; /* more than what is unpacked at once */
static member members[MEMBERS];
static float wide[WIDE];

static void set_array(member *m, const char *name, const char *head, const void *data,
                      size_t bytes) {
  *m = (member){.name = name, .method = 8};
  add_array(&m->plain, 1, head, data, bytes);
}

#define VECTOR "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n"

static void set_members(void) {
  static const double origin[3] = {1, -2, 3.5}, spacing[3] = {0.5, 0.25, 2};
  static const uint32_t units[3] = {'e', '/', 0xc5}; /* of another alphabet, the last */
  dcs_random random = {7};
  for (int i = 0; i < WIDE; i++)
    wide[i] = (float)dcs_random_unit(&random); /* does not get smaller */
  set_array(&members[VALUES], "values.npy",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (50, 33, 40), }\n", wide,
            sizeof wide);
  set_array(&members[ORIGIN], "origin.npy", VECTOR, origin, sizeof origin);
  set_array(&members[SPACING], "spacing.npy", VECTOR, spacing, sizeof spacing);
  set_array(&members[UNITS], "units.npy",
            "{'descr': '<U3', 'fortran_order': False, 'shape': (), }\n", units, sizeof units);
}

static void compressed_archives_are_read(void **state) {
  (void)state;
  dcs_field f;
  set_members();
  members[SPACING].method = 0; /* one of each */
  put_archive(members, MEMBERS);
  if (dcs_field_read(in_folder("a.npz"), &f) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(f.n.x == WX && f.n.y == WY && f.n.z == WZ);
  assert_memory_equal(f.values, wide, sizeof wide);
  assert_true(f.origin[1] == -2 && f.spacing[2] == 2);
  assert_string_equal(f.units, "e/?");
  dcs_field_free(&f);
}

/* The archive after one change of a member. */
static void refused_archive(const char *message) {
  put_archive(members, MEMBERS);
  refused("a.npz", message);
  set_members();
}

static void archives_that_are_wrong_in_one_thing(void **state) {
  (void)state;
  static const double two[2] = {1, 2};
  set_members();
  members[VALUES].crc_off = 1;
  refused_archive("found a damaged archive; expected a whole .npz");
  members[VALUES].size_off = 1;
  refused_archive("found a damaged archive");
  members[ORIGIN].method = 12;
  refused_archive("found origin.npy compressed by method 12; expected deflate, or none");
  members[SPACING].name = "spacings.npy";
  refused_archive("found no array spacing; expected values, origin, spacing and units");
  members[SPACING].name = "a-name-that-is-longer-than-any-that-stands-in-an-archive-of-ours.npy";
  refused_archive("found a damaged archive");
  set_array(&members[ORIGIN], "origin.npy", VECTOR, two, sizeof two);
  refused_archive("found origin or spacing of type <f8; expected three of <f8");
  set_array(&members[UNITS], "units.npy", VECTOR, two, sizeof two);
  refused_archive("found units of type <f8; expected a text");
  members[VALUES].plain.bytes[0] = 'x';
  refused_archive("expected an array of NumPy");
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("folder.npy"), 0777), 0);
  refused("folder.npy", "found no regular file; expected a map as a file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_mrc_that_are_wrong),
      cmocka_unit_test(ccp4_says_where_the_first_point_is),
      cmocka_unit_test(heads_of_arrays_that_are_wrong),
      cmocka_unit_test(other_versions_and_orders_are_read),
      cmocka_unit_test(compressed_archives_are_read),
      cmocka_unit_test(archives_that_are_wrong_in_one_thing),
      cmocka_unit_test(what_is_no_file_is_refused),
  };
  return cmocka_run_group_tests_name("damaged maps", tests, program_setup, program_teardown);
}
