/* The PQR reader on the shared cases and structures and on lines of its own, and the writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/csv.h"
#include "harness/input/molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int make_file(void **state) {
  (void)state;
  strcpy(path, "/tmp/dcs_pqr_XXXXXX");
  int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

static void put(const char *bytes, size_t length) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* Reads `from`; what the reader noted goes to notes[256]. */
static dcs_status read_noting(const char *from, dcs_molecule *m, char notes[256]) {
  FILE *out = fmemopen(notes, 256, "w");
  assert_non_null(out);
  notes[0] = '\0';
  dcs_status status = dcs_molecule_read(DCS_INPUT_FILE(from), m, out);
  fclose(out);
  return status;
}

static void assert_message_has(const char *part) {
  if (strstr(dcs_error_message(), part) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", dcs_error_message(), part);
}

static void shared_path(char out[512], const char *name) {
  const char *shared = getenv("DCS_SHARED");
  snprintf(out, 512, "%s/%s", shared != NULL ? shared : "../shared", name);
}

static void need_shared(const char *name) {
  char file[512];
  shared_path(file, name);
  if (access(file, R_OK) == 0) return;
  print_message("%s is not here: skipped\n", file);
  skip();
}

/* ---- the shared cases ---- */

static const char *cell(const dcs_table *t, size_t row, const char *column) {
  int index = dcs_table_column(t, column);
  assert_true(index >= 0);
  return dcs_table_cell(t, row, index);
}

static double number(const dcs_table *t, size_t row, const char *column) {
  return dcs_table_number(t, row, dcs_table_column(t, column));
}

static void assert_error_case(const dcs_table *t, size_t row, const char *file) {
  dcs_molecule m;
  char where[600];
  const char *note = cell(t, row, "note"), *line = strstr(note, "line ");
  if (dcs_molecule_read(DCS_INPUT_FILE(file), &m, NULL) != DCS_INPUT)
    fail_msg("%s was accepted", file);
  assert_null(m.sites);
  snprintf(where, sizeof where, "%s:%s", file,
           line != NULL ? line + strlen("line ") : " found no atoms");
  assert_message_has(where);
}

static void assert_ok_case(const dcs_table *t, size_t row, const char *file) {
  dcs_molecule m;
  char notes[256];
  if (read_noting(file, &m, notes) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(m.n == number(t, row, "atoms"));
  assert_true(fabs(dcs_molecule_charge(&m) - number(t, row, "total_charge")) < 1e-12);
  assert_true(m.sites[0].x == number(t, row, "x1"));
  assert_true(m.sites[0].y == number(t, row, "y1"));
  assert_true(m.sites[0].z == number(t, row, "z1"));
  assert_true(m.sites[0].q == number(t, row, "q1"));
  const char *note = cell(t, row, "note");
  assert_int_equal(strstr(notes, "first model") != NULL, strstr(note, "first model") != NULL);
  assert_int_equal(strstr(notes, "every charge is zero") != NULL,
                   strstr(note, "every charge is zero") != NULL);
  dcs_molecule_free(&m);
}

static void shared_cases(void **state) {
  (void)state;
  need_shared("cases/expected.csv");
  char file[512], name[256];
  dcs_table *t;
  shared_path(file, "cases/expected.csv");
  if (dcs_table_read(file, &t) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(dcs_table_rows(t) >= 21);
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    snprintf(name, sizeof name, "cases/%s", cell(t, row, "file"));
    shared_path(file, name);
    if (strcmp(cell(t, row, "outcome"), "ok") == 0)
      assert_ok_case(t, row, file);
    else
      assert_error_case(t, row, file);
  }
  dcs_table_free(t);
}

static void shared_structures(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int64_t atoms;
    double charge;
    int64_t zeros;
  } expected[] = {
      {"data/watbox.sl40.pqr", 5943, 0, 0},
      {"data/achbp.pqr", 16090, -49.670, 0},
      {"data/mache.pqr", 8279, -10.004, 0},
      {"data/1a2c_insertion_codes.pqr", 5313, -4, 39},
      {"data/1afs_chain_whitespace_crlf.pqr", 10524, 2, 0},
      {"data/1afs_parse_zero_charges.pqr", 10524, 2, 5496},
  };
  need_shared("data/README.md");
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    char file[512];
    dcs_molecule m;
    shared_path(file, expected[i].name);
    if (dcs_molecule_read(DCS_INPUT_FILE(file), &m, NULL) != DCS_OK)
      fail_msg("%s", dcs_error_message());
    assert_int_equal(m.n, expected[i].atoms);
    assert_true(fabs(dcs_molecule_charge(&m) - expected[i].charge) < 5e-4);
    assert_int_equal(dcs_molecule_zero_charges(&m), expected[i].zeros);
    dcs_molecule_free(&m);
  }
}

/* ---- lines ---- */

static void assert_line(const char *line, double x, double y, double z, double q, double radius) {
  dcs_molecule m;
  put(line, strlen(line));
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  assert_int_equal(m.n, 1);
  const dcs_site *s = m.sites;
  if (s->x != x || s->y != y || s->z != z || s->q != q || s->radius != radius)
    fail_msg("\"%s\" read as %g %g %g %g %g", line, s->x, s->y, s->z, s->q, s->radius);
  dcs_molecule_free(&m);
}

/* The line is an error, named as line 2 of its file, and the message says `said`. */
static void assert_bad_line(const char *line, const char *said) {
  dcs_molecule m;
  char text[512], where[128];
  snprintf(text, sizeof text, "REMARK\n%s\nATOM 2 N ALA 1 9 9 9 9 9\n", line);
  put(text, strlen(text));
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL) != DCS_INPUT)
    fail_msg("\"%s\" was accepted", line);
  snprintf(where, sizeof where, "%s:2: found ", path);
  assert_message_has(where);
  assert_message_has(said);
  assert_message_has("expected");
}

static void reads_lines_of_words(void **state) {
  (void)state;
  assert_line("ATOM 1 NA ION 1 0 0 0 1 2", 0, 0, 0, 1, 2);
  assert_line("ATOM 1 NA ION A 1 0 0 0 1 2", 0, 0, 0, 1, 2);
  assert_line("ATOM\t1\tNA\tION\t1\t1.5\t2.5\t3.5\t-1\t2\tNA", 1.5, 2.5, 3.5, -1, 2);
  assert_line("HETATM123456 O HOH W -3 1. -.5 +3e1 -0.834 1.6612 O1-", 1, -.5, 30, -.834, 1.6612);
  assert_line("ATOM 1 N MET 2 17 1.0 2.0 3.0 0.5 1.8", 1, 2, 3, .5, 1.8);
  assert_line("ATOM 1 N MET 2 17 1 2 3 0.5 1.8", 1, 2, 3, .5, 1.8);
  assert_line("ATOM 1 N MET A 36B 1 2.0 3 0.5 1.8", 1, 2, 3, .5, 1.8);
  assert_line("\xEF\xBB\xBF"
              "ATOM 1 N MET A 1 1 2 3 4 5\r\n",
              1, 2, 3, 4, 5);
}

static void reads_columns_where_words_do_not_fit(void **state) {
  (void)state;
  /* every coordinate fills its columns, and the charge touches z */
  assert_line("ATOM      1  CA  ALA A   1    -100.123-200.456-300.789-10.5000 1.7000", -100.123,
              -200.456, -300.789, -10.5, 1.7);
  /* blank residue name; name touching the residue name */
  assert_line("ATOM      1  C           1       1.000   2.000   3.000  0.5000 1.7000", 1, 2, 3, .5,
              1.7);
  assert_line("ATOM      1 HG11AVAL     1       1.000   2.000   3.000  0.5000 1.7000  H", 1, 2, 3,
              .5, 1.7);
  /* digit chain and columns that touch */
  assert_line("ATOM      1  CA  ALA 2   1       1.000-100.406-204.125  0.5000 1.7000", 1, -100.406,
              -204.125, .5, 1.7);
}

static void refuses_missing_fields(void **state) {
  (void)state;
  assert_bad_line("ATOM 1 N ALA 1 1.0 2.0 3.0 0.5", "residue number, x, y, z");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3.0 0.5", "residue number, x, y, z");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3.0 0.5 N", "residue number, x, y, z");
  assert_bad_line("ATOM 1 N ALA 2 17 1.0 2.0 3.0 0.5", "residue number, x, y, z");
  assert_bad_line("ATOM 1 C1 TIP3 7 1.0 2.0 3.0 0.5", "residue number, x, y, z");
  assert_bad_line("ATOM      1  N   ALA 2  17       1.000   2.000   3.000  0.5000",
                  "residue number");
  assert_bad_line("ATOM      1  N   ALA A  17       1.000   2.000   3.000  0.5000",
                  "residue number");
  assert_bad_line("ATOM      1  N   ALA A  17       1.000   2.000   3.000", "residue number");
  assert_bad_line("ATOM      1  N   ALA A  17       1.000   2.000", "residue number");
  assert_bad_line("ATOM", "residue number");
  assert_bad_line("HETATM", "residue number");
}

static void refuses_extra_fields(void **state) {
  (void)state;
  /* occupancy and temperature before the charge, as docking programs write */
  assert_bad_line("ATOM      1  N   ALA A  17       1.000   2.000   3.000  1.00  0.00    -0.350 N",
                  "residue number, x, y, z");
  assert_bad_line("ATOM 1 N ALA 17 1.0 2.0 3.0 1.00 0.00 -0.350 N", "residue number, x, y, z");
  assert_bad_line("ATOM 1 N ALA A 17 1.0 2.0 3.0 0.5 1.8 what", "residue number, x, y, z");
}

static void refuses_what_is_no_number(void **state) {
  (void)state;
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3.0 0.5 nan", "\"nan\"; expected the radius");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 inf 3.0 0.5 1.0", "\"inf\"; expected y");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3,0 0.5 1.0", "\"3,0\"; expected z");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3.0 1e39 1.0", "\"1e39\"; expected the charge");
  assert_bad_line("ATOM 1 N ALA A 1 1.1e7 2.0 3.0 1 1.0", "\"1.1e7\"; expected x");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 -1e8 1 1.0", "\"-1e8\"; expected z");
  assert_bad_line("ATOM 1 N ALA A 1 1.0 2.0 3.0 0x1 1.0", "\"0x1\"; expected the charge");
  assert_bad_line("ATOM      1  CA  ALA A   1       1.000-100.406-204.125     nan 1.7000",
                  "\"nan\"; expected the charge");
  /* x outgrew its columns: what stands in them is not the whole of a number */
  assert_bad_line("ATOM      1  CA  ALA A   1    -1000.000-100.406-204.125  0.5000 1.7000",
                  "residue number");
}

/* ---- files ---- */

static void refuses_what_is_no_text(void **state) {
  (void)state;
  dcs_molecule m;
  put("REMARK\nREM\0ARK\nATOM 1 N ALA 1 9 9 9 9 9\n", 40);
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_INPUT);
  assert_message_has(":2: found a NUL byte");
  put("\x7f"
      "ELF\x02\x01\x01\xff\xfe\n\x80\x81",
      12);
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_INPUT);
  assert_message_has("found no atoms");
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE("/tmp"), &m, NULL), DCS_IO);
  assert_message_has("/tmp: cannot read: Is a directory");
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE("/nowhere/at/all.pqr"), &m, NULL), DCS_IO);
  assert_message_has("/nowhere/at/all.pqr");
}

static void long_lines(void **state) {
  (void)state;
  enum { LONG = 2000000 };
  static const char atom[] = "\nATOM 1 N ALA 1 1 2 3 4 5";
  char *text = malloc(LONG + sizeof atom);
  dcs_molecule m;
  assert_non_null(text);
  memset(text, '1', LONG);
  memcpy(text, "REMARK", 6);
  strcpy(text + LONG, atom);
  put(text, LONG + sizeof atom - 1);
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_OK);
  assert_int_equal(m.n, 1);
  dcs_molecule_free(&m);
  memcpy(text, "ATOM  ", 6);
  put(text, LONG);
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_INPUT);
  assert_message_has(":1: found \"ATOM  111");
  assert_true(strlen(dcs_error_message()) < 400);
  free(text);
}

static void reads_the_first_model_only(void **state) {
  (void)state;
  static const char text[] = "ATOM 1 N ALA 1 1 2 3 1 5\nMODEL\nATOM 1 N ALA 1 2 2 3 1 5\n"
                             "MODEL 2\nATOM 1 N ALA 1 bad\nENDMDL\nATOM 1 N ALA 1 3 2 3 4 5\n";
  dcs_molecule m;
  char notes[256];
  put(text, strlen(text));
  assert_int_equal(read_noting(path, &m, notes), DCS_OK);
  assert_int_equal(m.n, 2);
  assert_true(m.sites[1].x == 2);
  assert_non_null(strstr(notes, "2 atoms; left out 2 atoms"));
  dcs_molecule_free(&m);
  static const char hollow[] = "MODEL 1\nENDMDL\nMODEL 2\nATOM 1 N ALA 1 1 2 3 1 5\n";
  put(hollow, strlen(hollow));
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_INPUT);
  assert_message_has("found no atoms in the first model");
}

/* ---- what is a PDB file ---- */

#define IN_COLUMNS "ATOM      1  N   MET A   1      27.340  24.430   2.614"

/* In a format; NULL: as its content says. */
static dcs_status read_as(const char *format, const char *text) {
  const dcs_input input = {{path}, {.format = format}};
  dcs_molecule m;
  put(text, strlen(text));
  dcs_status status = dcs_molecule_read(&input, &m, NULL);
  assert_true((status == DCS_OK) == (m.sites != NULL));
  dcs_molecule_free(&m);
  return status;
}

static dcs_status read_text(const char *text) {
  return read_as(NULL, text);
}

static void a_pdb_file_is_refused(void **state) {
  (void)state;
  char where[128];
  assert_int_equal(read_as("PQR", "REMARK\n" IN_COLUMNS "  1.00  2.67           N\n" IN_COLUMNS
                                  "  0.50 10.38           C\n"),
                   DCS_INPUT);
  snprintf(where, sizeof where, "%s:3: found \"0.50\" and \"10.38\"", path);
  assert_message_has(where);
  assert_message_has("expected charge and radius");
  /* a model: B factors of 0 */
  static const char model[] = IN_COLUMNS "  1.00  0.00\n" IN_COLUMNS "  0.00  0.00\n";
  assert_int_equal(read_as("PQR", model), DCS_INPUT);
  assert_int_equal(read_text(model), DCS_INPUT);
  assert_message_has("found the format PDB, which gives places and no charges");
  assert_message_has("the PQR file that PDB2PQR makes of it");
}

/* Charges and radii in the columns of a PDB file, or numbers that look like its in others. */
static void what_looks_like_a_pdb_file_is_read(void **state) {
  (void)state;
  static const char *const texts[] = {
      IN_COLUMNS "  0.16  1.62           N\n" IN_COLUMNS " -0.29  9.00           C\n",
      IN_COLUMNS "  1.00  1.36          NA\n",                 /* a cation */
      IN_COLUMNS "  1.00  1.36\n" IN_COLUMNS "  2.00  0.00\n", /* no occupancy */
      IN_COLUMNS "  0.00  9.67\n",                             /* no charge: said, not refused */
      IN_COLUMNS "  1.00  9.67\nATOM 2 C MET 1 1.0 2.0 3.0 1.00 9.67\n", /* words alone */
      IN_COLUMNS " 1.000  9.67\n",
      IN_COLUMNS "  1.00 9.670\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (read_text(texts[i]) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void shared_look_alikes(void **state) {
  (void)state;
  char file[512];
  dcs_molecule m;
  need_shared("faults/pdb_plain.pdb");
  shared_path(file, "faults/pdb_plain.pdb");
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(file), &m, NULL), DCS_INPUT);
  shared_path(file, "faults/gromacs.pqr");
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(file), &m, NULL), DCS_OK);
  assert_int_equal(m.n, 4);
  assert_true(m.sites[1].q == -0.29 && m.sites[1].radius == 1.90);
  dcs_molecule_free(&m);
}

static void charge_is_compensated(void **state) {
  (void)state;
  dcs_site sites[] = {{.q = 1}, {.q = 1e17}, {.q = 1}, {.q = -1e17}, {.q = 0}};
  dcs_molecule m = {sites, 5};
  assert_true(dcs_molecule_charge(&m) == 2);
  assert_int_equal(dcs_molecule_zero_charges(&m), 1);
}

static void box_holds_all(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = -1, .y = 5, .z = 2}, {.x = 3, .y = -2, .z = 2}};
  dcs_molecule m = {sites, 2};
  double lo[3], hi[3];
  dcs_molecule_box(&m, lo, hi);
  assert_true(lo[0] == -1 && lo[1] == -2 && lo[2] == 2 && hi[0] == 3 && hi[1] == 5 && hi[2] == 2);
}

/* ---- writing ---- */

static void write_molecule(const dcs_molecule *m, const char *remark) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(dcs_pqr_write(out, path, m, remark), DCS_OK);
  fclose(out);
}

static void writes_columns(void **state) {
  (void)state;
  dcs_site site = {1, -2.5, 123.456, -0.834, 1.6612};
  char line[128];
  write_molecule(&(dcs_molecule){&site, 1}, "one\nATOM two");
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  assert_string_equal(fgets(line, sizeof line, in), "REMARK   1 one\n");
  assert_string_equal(fgets(line, sizeof line, in), "REMARK   1 ATOM two\n");
  assert_string_equal(fgets(line, sizeof line, in),
                      "ATOM      1  X   UNK     1       1.000  -2.500 123.456 -0.8340 1.6612\n");
  assert_string_equal(fgets(line, sizeof line, in), "END\n");
  fclose(in);
}

static void written_reads_back(void **state) {
  (void)state;
  dcs_site sites[] = {{-9999.999, -1000.001, -100.5, -12.3456, 0},
                      {1234567.125, 0.000001, 1.23456, 0.123456, 1.5},
                      {0, 0, 0, 1e30, 2}};
  dcs_molecule m = {sites, 3}, back;
  write_molecule(&m, NULL);
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &back, NULL) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  assert_int_equal(back.n, 3);
  assert_memory_equal(back.sites, sites, sizeof sites);
  dcs_molecule_free(&back);
}

static void writing_to_a_full_disk_is_said(void **state) {
  (void)state;
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL) {
    print_message("no /dev/full here: skipped\n");
    skip();
  }
  dcs_site site = {0, 0, 0, 1, 1};
  assert_int_equal(dcs_pqr_write(full, "out.pqr", &(dcs_molecule){&site, 1}, NULL), DCS_IO);
  assert_message_has("out.pqr: cannot write: No space left");
  fclose(full);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_cases),
      cmocka_unit_test(shared_structures),
      cmocka_unit_test(reads_lines_of_words),
      cmocka_unit_test(reads_columns_where_words_do_not_fit),
      cmocka_unit_test(refuses_missing_fields),
      cmocka_unit_test(refuses_extra_fields),
      cmocka_unit_test(refuses_what_is_no_number),
      cmocka_unit_test(refuses_what_is_no_text),
      cmocka_unit_test(long_lines),
      cmocka_unit_test(reads_the_first_model_only),
      cmocka_unit_test(a_pdb_file_is_refused),
      cmocka_unit_test(what_looks_like_a_pdb_file_is_read),
      cmocka_unit_test(shared_look_alikes),
      cmocka_unit_test(charge_is_compensated),
      cmocka_unit_test(box_holds_all),
      cmocka_unit_test(writes_columns),
      cmocka_unit_test(written_reads_back),
      cmocka_unit_test(writing_to_a_full_disk_is_said),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
