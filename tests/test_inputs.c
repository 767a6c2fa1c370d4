/* What is common to the readers of molecules: compressed data, pipes, models, alternate locations,
 * the count of atoms; and the readers of CSV and XYZQ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/tally.h"
#include "tests/shell.h"

#include <pthread.h>
#include <zlib.h>

#define ATOM(x) "ATOM      1  N   ALA A   1       " x "   2.000   3.000 -0.5000 1.5000\n"

static char notes[1024];

static dcs_status read_input(const dcs_input *input, dcs_molecule *m) {
  FILE *out = fmemopen(notes, sizeof notes, "w");
  assert_non_null(out);
  notes[0] = '\0';
  const dcs_status status = dcs_molecule_read(input, m, out);
  fclose(out);
  assert_true((status == DCS_OK) == (m->sites != NULL));
  return status;
}

static const char *put_bytes(const char *bytes, size_t n) {
  static char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", in_folder("molecule"));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  fclose(file);
  return path;
}

static dcs_status read_bytes(const char *bytes, size_t n, dcs_molecule *m) {
  return read_input(DCS_INPUT_FILE(put_bytes(bytes, n)), m);
}

static dcs_molecule read_text(const char *text) {
  dcs_molecule m;
  if (read_bytes(text, strlen(text), &m) != DCS_OK) fail_msg("%s", dcs_error_message());
  return m;
}

static void assert_refused(const char *text, dcs_status status, const char *expected) {
  dcs_molecule m;
  if (read_bytes(text, strlen(text), &m) != status) fail_msg("not refused so: \"%s\"", text);
  assert_contains(dcs_error_message(), expected);
}

static void assert_site(const dcs_molecule *m, int64_t i, double x, double y, double z, double q,
                        double radius) {
  assert_true(i < m->n);
  const dcs_site expected = {x, y, z, q, radius};
  assert_memory_equal(&m->sites[i], &expected, sizeof expected);
}

/* ---- compressed data ---- */

enum { GZIP = 15 + 16, ZLIB = 15, MOST_PACKED = 1 << 16 };

static size_t pack(const char *text, int format, char packed[MOST_PACKED]) {
  z_stream z = {.next_in = (unsigned char *)text,
                .avail_in = (unsigned)strlen(text),
                .next_out = (unsigned char *)packed,
                .avail_out = MOST_PACKED};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return z.total_out;
}

static const char two_atoms[] = "REMARK   1 two\n" ATOM("1.000") ATOM("4.125") "END\n";

static void packed_is_read_as_plain(void **state) {
  (void)state;
  char packed[MOST_PACKED];
  dcs_molecule plain = read_text(two_atoms), m;
  for (int format = ZLIB; format <= GZIP; format += 16) {
    const size_t n = pack(two_atoms, format, packed);
    assert_true(n > 0);
    assert_int_equal(read_bytes(packed, n, &m), DCS_OK);
    assert_int_equal(m.n, 2);
    assert_memory_equal(m.sites, plain.sites, 2 * sizeof *m.sites);
    assert_true(m.hash == plain.hash);
    dcs_molecule_free(&m);
  }
  dcs_molecule_free(&plain);
}

static void members_are_one_text(void **state) {
  (void)state;
  char packed[MOST_PACKED];
  dcs_molecule m;
  size_t n = pack(ATOM("1.000") "ATOM      2  N   ALA", GZIP, packed);
  n += pack(" A   1       4.125   2.000   3.000  0.5000 1.5000", GZIP, packed + n);
  n += pack("", GZIP, packed + n);
  assert_int_equal(read_bytes(packed, n, &m), DCS_OK);
  assert_int_equal(m.n, 2);
  assert_site(&m, 1, 4.125, 2, 3, 0.5, 1.5);
  dcs_molecule_free(&m);
}

static void damaged_data_is_refused(void **state) {
  (void)state;
  char packed[MOST_PACKED], wrong[MOST_PACKED];
  dcs_molecule m, plain = read_text(two_atoms);
  for (int format = ZLIB; format <= GZIP; format += 16) {
    const size_t n = pack(two_atoms, format, packed);
    for (size_t part = 0; part < n; part++) {
      assert_int_equal(read_bytes(packed, part, &m), DCS_INPUT);
      if (part >= 2) assert_contains(dcs_error_message(), "found the end of the file within");
    }
    for (size_t bit = 0; bit < 8 * n; bit++) {
      memcpy(wrong, packed, n);
      wrong[bit / 8] ^= (char)(1 << bit % 8);
      /* the date may be any, and what comes again may be the copy of another place */
      if (read_bytes(wrong, n, &m) == DCS_OK) {
        assert_true(m.n == 2 && m.hash == plain.hash);
        dcs_molecule_free(&m);
      }
    }
    memcpy(packed + n, "\nATOM", 5);
    assert_int_equal(read_bytes(packed, n + 5, &m), DCS_INPUT);
    assert_contains(dcs_error_message(), "found other bytes behind the compressed data");
  }
  dcs_molecule_free(&plain);
}

static void other_compressions_are_named(void **state) {
  (void)state;
  assert_refused("BZh91AY&SY", DCS_INPUT, "bzip2 has compressed; expected gzip");
  assert_refused("\xFD"
                 "7zXZ",
                 DCS_INPUT, "xz has compressed");
  assert_refused("\x28\xB5\x2F\xFD", DCS_INPUT, "zstd has compressed");
  assert_refused("PK\x03\x04", DCS_INPUT, "zip has compressed");
}

/* ---- pipes ---- */

typedef struct {
  const char *path, *bytes;
  size_t n;
} fed;

/* In small parts: a reader gets what is there. */
static void *feed(void *argument) {
  const fed *f = argument;
  FILE *pipe = fopen(f->path, "w");
  for (size_t i = 0; pipe && i < f->n; i += 7) {
    fwrite(f->bytes + i, 1, f->n - i < 7 ? f->n - i : 7, pipe);
    fflush(pipe);
  }
  if (pipe) fclose(pipe);
  return NULL;
}

static void a_packed_pipe_is_read_once(void **state) {
  (void)state;
  char path[PATH_MAX], packed[MOST_PACKED];
  dcs_molecule m, plain = read_text(two_atoms);
  pthread_t thread;
  snprintf(path, sizeof path, "%s", in_folder("pipe"));
  assert_int_equal(mkfifo(path, 0600), 0);
  fed f = {path, packed, pack(two_atoms, GZIP, packed)};
  assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
  assert_int_equal(read_input(DCS_INPUT_FILE(path), &m), DCS_OK);
  pthread_join(thread, NULL);
  assert_int_equal(m.n, 2);
  assert_true(m.hash == plain.hash);
  dcs_molecule_free(&m);
  dcs_molecule_free(&plain);
}

/* ---- models and alternate locations ---- */

static dcs_status read_chosen(const char *text, int64_t model, char altloc, dcs_molecule *m) {
  const dcs_input input = {{put_bytes(text, strlen(text))}, {.model = model, .altloc = altloc}};
  return read_input(&input, m);
}

static void models_are_chosen(void **state) {
  (void)state;
  static const char text[] =
      ATOM("1.000") "ENDMDL\n" ATOM("2.000") ATOM("3.000") "MODEL        9\n"
                                                           "ENDMDL\n"
                                                           "MODEL 7\n" ATOM("4.000");
  static const int64_t atoms[] = {1, 2, 0, 1};
  uint64_t hashes[4] = {0};
  for (int64_t model = 1; model <= 4; model++) {
    dcs_molecule m;
    const dcs_status status = read_chosen(text, model, 0, &m);
    assert_int_equal(status, model == 3 ? DCS_INPUT : DCS_OK);
    assert_int_equal(m.n, atoms[model - 1]);
    hashes[model - 1] = m.hash;
    if (model == 2) assert_site(&m, 1, 3, 2, 3, -0.5, 1.5);
    if (model == 2) assert_contains(notes, "read model 2, 2 atoms; left out 2 atoms");
    if (model == 3) assert_contains(dcs_error_message(), "found no atoms in that model");
    dcs_molecule_free(&m);
  }
  assert_true(hashes[0] != hashes[1] && hashes[1] != hashes[3]);
  dcs_molecule m;
  assert_int_equal(read_chosen(text, 5, 0, &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "--model: found 5;");
  assert_contains(dcs_error_message(), "has 4");
}

#define LOCATION(name, residue, x)                                                                 \
  "ATOM      1  " name residue " A  17      " x "   2.000   3.000  0.2500 1.5000\n"

static void assert_places(const char *text, char altloc, const char *places) {
  dcs_molecule m;
  char found[64] = "";
  if (read_chosen(text, 0, altloc, &m) != DCS_OK) fail_msg("%s", dcs_error_message());
  for (int64_t i = 0; i < m.n; i++)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%g", m.sites[i].x);
  assert_string_equal(found, places);
  dcs_molecule_free(&m);
}

static void alternate_locations_are_chosen(void **state) {
  (void)state;
  static const char interleaved[] = LOCATION("N  ", " SER", " 1.000")
      LOCATION("CA ", "ASER", " 2.000") LOCATION("CA ", "BSER", " 3.000")
          LOCATION("OG ", "ASER", " 4.000") LOCATION("OG ", "BSER", " 5.000");
  assert_places(interleaved, 0, "124");
  assert_contains(notes, "the first; left out 2 atoms at others");
  assert_places(interleaved, 'B', "135");
  assert_contains(notes, "the one asked for");
  /* another residue at the same place, with an atom that the first one lacks; and the next one */
  static const char others[] = LOCATION("CA ", "ASER", " 2.000") LOCATION("OG ", "ASER", " 4.000")
      LOCATION("CA ", "BTHR", " 3.000") LOCATION(
          "CG2", "BTHR",
          " 6.000") "ATOM      1  CA AGLY A  18       7.000   2.000   3.000  0.2500 1.5000\n";
  assert_places(others, 0, "247");
  assert_places(others, 'B', "367");
  dcs_molecule m;
  assert_int_equal(read_chosen(others, 0, 'C', &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "--altloc: found C;");
}

/* Residue names of four letters begin where the letter of a location would be. */
static void names_are_no_locations(void **state) {
  (void)state;
  static const char ends[] =
      "ATOM      1  N  NMET     1       1.000   2.000   3.000  0.2500 1.5000\n"
      "ATOM      2  CA NMET     1       2.000   2.000   3.000  0.2500 1.5000\n"
      "ATOM      3  N  CGLY     1       3.000   2.000   3.000  0.2500 1.5000\n"
      "ATOM      4  CA  CYS     1       4.000   2.000   3.000  0.2500 1.5000\n";
  assert_places(ends, 0, "1234");
  assert_string_equal(notes, "");
  static const char text[] =
      "ATOM 1 N AALA A 1 1.0 2.0 3.0 1 1\nATOM 1 N BALA A 1 2.0 2.0 3.0 1 1\n";
  assert_places(text, 0, "12"); /* not in columns */
}

static void a_lost_atom_is_an_error(void **state) {
  (void)state;
  const dcs_read_options how = {0};
  dcs_tally tally = {.records = 7, .read = 3, .of_models = 2, .of_locations = 2};
  assert_int_equal(dcs_tally_end(&tally, &how, "in.pqr", NULL), DCS_OK);
  tally.read = 2;
  assert_int_equal(dcs_tally_end(&tally, &how, "in.pqr", NULL), DCS_FAILED);
  assert_contains(dcs_error_message(),
                  "in.pqr: found 7 atom records, but 2 were read and 4 left out");
  tally.of_locations = 4;
  assert_int_equal(dcs_tally_end(&tally, &how, "in.pqr", NULL), DCS_FAILED);
}

/* ---- the cell ---- */

static void the_first_cell_comes_with_the_molecule(void **state) {
  (void)state;
  dcs_molecule m =
      read_text("CRYST1   40.000   41.500   42.250  90.00  80.00 120.00 P 1\n"
                "CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1\n" ATOM("1.000"));
  assert_true(m.cell.edge[0] == 40 && m.cell.edge[1] == 41.5 && m.cell.edge[2] == 42.25);
  assert_true(m.cell.angle[0] == 90 && m.cell.angle[1] == 80 && m.cell.angle[2] == 120);
  dcs_molecule_free(&m);
}

/* ---- XYZQ ---- */

static void points_with_charges_are_read(void **state) {
  (void)state;
  dcs_molecule m = read_text("# x y z q\r\n\r\n # 1 2\n 1 2.5 -3e0\t-0.25\r\n4 5 6 1D-1");
  assert_int_equal(m.n, 2);
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES);
  assert_site(&m, 0, 1, 2.5, -3, -0.25, 0);
  assert_site(&m, 1, 4, 5, 6, 0.1, 0);
  dcs_molecule_free(&m);
  m = read_text("1 2 3 0 1.5\n");
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES | DCS_RADII);
  assert_site(&m, 0, 1, 2, 3, 0, 1.5);
  assert_contains(notes, "every charge is zero");
  dcs_molecule_free(&m);
}

static void wrong_points_are_refused(void **state) {
  (void)state;
  assert_refused("1 2 3 4\n1 2 3\n", DCS_INPUT, ":2: found \"1 2 3\"; expected x, y, z, charge");
  assert_refused("1 2 3 4\n\n1 2 3 4 5\n", DCS_INPUT,
                 ":3: found \"1 2 3 4 5\"; expected 4 numbers");
  assert_refused("1 2 3 4\n1 2 nan 4\n", DCS_INPUT, ":2: found \"nan\"; expected z");
  assert_refused("1 2 3 4\n1 2e7 3 4\n", DCS_INPUT, ":2: found \"2e7\"; expected y");
  assert_refused("1 2 3 4\nO 1 2 3 4\n", DCS_INPUT, ":2: found \"O 1 2 3 4\"; expected 4 numbers");
  dcs_molecule m;
  assert_int_equal(read_chosen("1 2 3 4\n", 2, 0, &m), DCS_USAGE);
  assert_int_equal(read_chosen("1 2 3 4\n", 0, 'A', &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "XYZQ file, which has no alternate locations");
}

static void frames_are_models(void **state) {
  (void)state;
  static const char text[] =
      "2\nwater\nO 1 2 3 -.8 \nH 1 2 4 .4 1 0 0\n 1 \nProperties=species:S:1:"
      "pos:R:3:initial_charges:R:1\nNa 0 0 0 1\n\n";
  dcs_molecule m = read_text(text);
  assert_int_equal(m.n, 2);
  assert_site(&m, 1, 1, 2, 4, .4, 0);
  assert_contains(notes, "read the first model, 2 atoms; left out 1 atoms of other models");
  dcs_molecule_free(&m);
  assert_int_equal(read_chosen(text, 2, 0, &m), DCS_OK);
  assert_int_equal(m.n, 1);
  dcs_molecule_free(&m);
  assert_int_equal(read_chosen(text, 3, 0, &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "has 2");
}

static void wrong_frames_are_refused(void **state) {
  (void)state;
  assert_refused("1\n\nO 1 2 3\n", DCS_INPUT, ":3: found \"O 1 2 3\"; expected an atom's symbol");
  assert_refused("2\n\nO 1 2 3 4\n", DCS_INPUT, ":3: found the end of the file; expected as many");
  assert_refused("1\n\nO 1 2 3 4\nO 1 2 3 4\n", DCS_INPUT,
                 ":4: found \"O 1 2 3 4\"; expected the num");
  assert_refused("1\nProperties=species:S:1:pos:R:3:magmoms:R:1\nO 1 2 3 4\n", DCS_INPUT,
                 ":2: found \"species:S:1:pos:R:3:magmoms:R:1\"; expected the columns");
  assert_refused("1\n\nO 1 2 3 x\n", DCS_INPUT, ":3: found \"x\"; expected the charge");
}

/* ---- CSV ---- */

static void named_columns_are_read(void **state) {
  (void)state;
  dcs_molecule m = read_text("\xEF\xBB\xBF\"name\",Z , y,\"x\",Charge\r\n"
                             "\"N, \"\"one\"\"\",3,2,1,-0.5\r\n,\"6\", 5 ,4e0,.25");
  assert_int_equal(m.n, 2);
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES);
  assert_site(&m, 0, 1, 2, 3, -0.5, 0);
  assert_site(&m, 1, 4, 5, 6, 0.25, 0);
  dcs_molecule_free(&m);
  m = read_text("radius,x,y,z,q\n1.5,1,2,3,4\n");
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES | DCS_RADII);
  assert_site(&m, 0, 1, 2, 3, 4, 1.5);
  dcs_molecule_free(&m);
}

static void wrong_tables_are_refused(void **state) {
  (void)state;
  assert_refused("x,y,z\n1,2,3\n", DCS_INPUT,
                 ": row 1: found the columns x, y, z; expected x, y, z, q");
  assert_refused("x,y,z,q,charge\n1,2,3,4,4\n", DCS_INPUT, "found both columns q and charge");
  assert_refused("x,y,z,q\n1,2,3,4\n1,2,,4\n", DCS_INPUT,
                 ": row 3: found z \"\"; expected z, a number");
  assert_refused("x,y,z,q\n1,2,3,1e39\n", DCS_INPUT,
                 ": row 2: found q \"1e39\"; expected the charge");
  assert_refused("x,y,z,q\n1,2,3\n", DCS_INPUT, ": row 2: found 3 cells; expected 4");
  assert_refused("x,y,z,q\n1,2,3,\"4\n", DCS_INPUT, "found the end of the file within quotes");
  assert_refused("x,y,z,q\n", DCS_INPUT, "found no atoms; expected a row for each");
  assert_refused("x,y,z,q,,\n1,2,3,4,,\n", DCS_INPUT, "row 1: found column \"\" twice");
  dcs_molecule m;
  assert_int_equal(read_chosen("x,y,z,q\n1,2,3,4\n", 2, 0, &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "is a CSV file, which has one model");
}

/* ---- the format that is asked for ---- */

static void a_format_overrides_the_content(void **state) {
  (void)state;
  dcs_input input = {{put_bytes("x,y,z,q\n1,2,3,4\n", 16)}, {.format = "pqr"}};
  dcs_molecule m;
  assert_int_equal(read_input(&input, &m), DCS_INPUT);
  assert_contains(dcs_error_message(), "expected lines that start with ATOM");
  input.how.format = "CSV";
  assert_int_equal(read_input(&input, &m), DCS_OK);
  dcs_molecule_free(&m);
  input.how.format = "xyz";
  assert_int_equal(read_input(&input, &m), DCS_USAGE);
  assert_contains(dcs_error_message(), "--format: found \"xyz\"; expected one of PSF, ");
}

/* ---- the program ---- */

static void standard_input_is_a_file(void **state) {
  (void)state;
  char packed[MOST_PACKED];
  static const char two[] = "2\n\nO 1 2 3 -1\nH 1 2 4 1\n1\n\nH 7 8 9 .5\n";
  const char *path = put_bytes(packed, pack(two, GZIP, packed));
  assert_int_equal(run("%s info --csv --model 2 - <%s", program_path(), path), 0);
  assert_contains(said, "standard input: read model 2, 1 atoms; left out 2 atoms");
  assert_contains(said, "atoms,1\n");
  assert_contains(said, "q1,0.5\n");
  assert_int_equal(run("cat %s | %s generate replicate - 2 1 1 --model 1", path, program_path()),
                   0);
  assert_contains(said, "-1.0000 0.0000\nATOM      4");
  assert_int_equal(
      run("cat %s | %s map - --grid 4^3 -o %s --model 2", path, program_path(), in_folder("m.npy")),
      0);
  assert_int_equal(run("%s info --format pqr - <%s", program_path(), path), 3);
  assert_contains(said, "standard input: found no atoms");
  assert_int_equal(run("%s info --altloc AB %s", program_path(), path), 2);
  assert_contains(said, "--altloc: found \"AB\"; expected one character");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_is_read_as_plain),
      cmocka_unit_test(members_are_one_text),
      cmocka_unit_test(damaged_data_is_refused),
      cmocka_unit_test(other_compressions_are_named),
      cmocka_unit_test(a_packed_pipe_is_read_once),
      cmocka_unit_test(models_are_chosen),
      cmocka_unit_test(alternate_locations_are_chosen),
      cmocka_unit_test(names_are_no_locations),
      cmocka_unit_test(a_lost_atom_is_an_error),
      cmocka_unit_test(the_first_cell_comes_with_the_molecule),
      cmocka_unit_test(points_with_charges_are_read),
      cmocka_unit_test(wrong_points_are_refused),
      cmocka_unit_test(frames_are_models),
      cmocka_unit_test(wrong_frames_are_refused),
      cmocka_unit_test(named_columns_are_read),
      cmocka_unit_test(wrong_tables_are_refused),
      cmocka_unit_test(a_format_overrides_the_content),
      cmocka_unit_test(standard_input_is_a_file),
  };
  return cmocka_run_group_tests_name("inputs", tests, program_setup, program_teardown);
}
