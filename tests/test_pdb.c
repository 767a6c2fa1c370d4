/* The PDB reader: columns, whatever stands in the others; what is known as a PDB file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "tests/read_molecule.h"

#include <stdio.h>

/* A topology of n atoms, named so. */
static void put_topology(int n, const char *name) {
  FILE *out = fopen(file[0], "w");
  assert_non_null(out);
  fprintf(out, "PSF\n\n %d !NATOM\n", n);
  for (int i = 1; i <= n; i++)
    fprintf(out, " %d A 1 ALA %s C %d.5 12.0 0\n", i, name, i);
  assert_int_equal(fclose(out), 0);
}

static dcs_input pair(void) {
  return (dcs_input){{file[0], file[1]}, {0}};
}

/* ---- columns ---- */

/* The one atom of the text is at 1.25, -20.5, 300.125 or so. */
static void assert_place(const char *text) {
  const dcs_input input = pair();
  char notes[1024];
  dcs_molecule m;
  put_topology(1, "CA");
  put_text(1, text);
  assert_read(&input, &m, notes);
  assert_int_equal(m.n, 1);
  const dcs_site *s = &m.sites[0];
  if (s->x != 1.25 || s->y != -20.5 || s->z != 300.125)
    fail_msg("%g %g %g of \"%s\"", s->x, s->y, s->z, text);
  assert_true(s->q == 1.5 && s->radius == 0);
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

#define XYZ "   1.250 -20.500 300.125"

static void columns_are_read_whatever_is_around_them(void **state) {
  (void)state;
  assert_place("ATOM      1  CA  ALA A   1    " XYZ "  1.00 12.34           C  \n");
  assert_place("HETATM    1  CA  ALA A   1    " XYZ "  1.00 12.34      SEGM C  \r\n");
  assert_place("ATOM      1  CA  ALA A   1    " XYZ);
  assert_place("ATOM      1  CA  ALA A   1    " XYZ "  0.00  0.00\n"); /* of psfgen */
  assert_place("ATOM      1  CA  ALA A   1    " XYZ "  1.00100.00           C  \n");
  assert_place("ATOM  *****  CA  ALA A   1    " XYZ "  1.00  0.00\n"); /* of VMD */
  assert_place("ATOM  186a0  CA  ALA A   1    " XYZ "  1.00  0.00\n");
  assert_place("ATOM  A0000  CA  ALAXA   1A   " XYZ "  1.00  0.00\n"); /* hybrid-36, insertion */
  assert_place("ATOM  100000 CA  ALA A   1    " XYZ "  1.00  0.00\n"); /* six digits in place */
  assert_place("HETATM100000 CA  ALA A   1    " XYZ "  1.00  0.00\n");
  /* serials that moved what is behind them */
  assert_place("ATOM  100000  CA  ALA A   1    " XYZ "  1.00  0.00\n");
  assert_place("ATOM  1234567  CA  ALA A   1    " XYZ "  1.00  0.00\n");
  assert_place("HETATM100000  CA  ALA A   1    " XYZ "\n");
  /* other decimals */
  assert_place("ATOM      1  CA  ALA A   1      1.2500-20.5000300.1250  1.00  0.00\n");
  assert_place("ATOM      1  CA  ALA A   1        1.25  -20.50 300.125  1.00  0.00\n");
  /* records around */
  assert_place("HEADER    PROTEIN\nREMARK ATOM\nSEQRES\nATOM      1  CA  ALA A   1    " XYZ
               "  1.00  0.00\nANISOU    1  CA  ALA A   1      100    100\nTER       2\nEND\n");
}

static void coordinates_may_touch_or_outgrow_their_columns(void **state) {
  (void)state;
  const dcs_input input = pair();
  static const char *const texts[] = {
      "ATOM      1  CA  ALA A   1    -100.125-200.250-300.500  1.00  0.00\n",
      "ATOM      1  CA  ALA A   1    -100.125 -200.250 -300.500  1.00\n",
      "ATOM      1  CA  ALA A   1     -100.125  -200.250  -300.500\n"};
  char notes[1024];
  dcs_molecule m;
  put_topology(1, "CA");
  for (int i = 0; i < 3; i++) {
    put_text(1, texts[i]);
    assert_read(&input, &m, notes);
    assert_true(m.sites[0].x == -100.125 && m.sites[0].y == -200.25 && m.sites[0].z == -300.5);
    dcs_molecule_free(&m);
  }
}

static void assert_bad(const char *line) {
  const dcs_input input = {{file[0], file[1]}, {0}};
  char text[512], at[64];
  snprintf(text, sizeof text, "ATOM      1  CA  ALA A   1    " XYZ "  1.00  0.00\n%s\n", line);
  snprintf(at, sizeof at, "%s:2: found \"", file[1]);
  put_topology(2, "CA");
  put_text(1, text);
  ASSERT_REFUSED(&input, DCS_INPUT, at, "expected");
}

static void lines_without_three_places_are_refused(void **state) {
  (void)state;
  assert_bad("ATOM");
  assert_bad("ATOM      2  CA  ALA A   1       1.250 -20.500");
  assert_bad("ATOM      2  CA  ALA A   1       1.250 -20.500        ");
  assert_bad("ATOM      2  CA  ALA A   1    ******** -20.500 300.125");
  assert_bad("ATOM      2  CA  ALA A   1         nan -20.500 300.125");
  assert_bad("ATOM      2  CA  ALA A   1        1250  -20500  300125");
  assert_bad("ATOM      2  CA  ALA A   1    1.0e+09 -20.500 300.125");
  /* Columns would cut 1100.456 after -1000.123 into other numbers. */
  assert_bad("ATOM      2  CA  ALA A   1    -1000.1231100.4561010.123  1.00  0.00");
}

/* ---- models, locations and the cell ---- */

static void assert_x(const dcs_input *input, double x, const char *note) {
  char notes[1024];
  dcs_molecule m;
  assert_read(input, &m, notes);
  assert_true(m.sites[0].x == x);
  assert_says(notes, note);
  dcs_molecule_free(&m);
}

static void models_and_locations_are_chosen(void **state) {
  (void)state;
  dcs_input input = pair();
  put_topology(2, "CA");
  put_text(1, "CRYST1   30.000   40.000   50.000  90.00  90.00  90.00 P 1           1\n"
              "MODEL        1\n"
              "ATOM      1  CA AALA A   1       1.250 -20.500 300.125  0.60  0.00\n"
              "ATOM      2  CA BALA A   1       2.250 -20.500 300.125  0.40  0.00\n"
              "ATOM      3  CB  ALA A   1       3.250 -20.500 300.125  1.00  0.00\nENDMDL\n"
              "MODEL        2\n"
              "ATOM      1  CA  ALA A   1       4.250 -20.500 300.125  1.00  0.00\n"
              "ATOM      2  CB  ALA A   1       5.250 -20.500 300.125  1.00  0.00\nENDMDL\n");
  assert_x(&input, 1.25, "2 atoms of other models");
  assert_x(&input, 1.25, "1 atoms at others (--altloc)");
  assert_x(&input, 1.25, "1 of 2 atoms have different names, the first CA and CB (atom 2)");
  input.how.altloc = 'B';
  assert_x(&input, 2.25, "");
  input.how = (dcs_read_options){.model = 2};
  assert_x(&input, 4.25, "read model 2");
  char notes[1024];
  dcs_molecule m;
  assert_read(&input, &m, notes);
  assert_true(m.cell.edge[0] == 30 && m.cell.edge[2] == 50 && m.cell.angle[1] == 90);
  dcs_molecule_free(&m);
}

/* ---- what is a PDB file ---- */

static const char *reader_of(const char *text, bool beside) {
  const dcs_slice head = {text, strlen(text)};
  for (int r = 0; r < dcs_n_readers; r++)
    if (beside ? dcs_readers[r]->sniff_beside && dcs_readers[r]->sniff_beside(head)
               : dcs_readers[r]->sniff(head))
      return dcs_readers[r]->name;
  return "none";
}

#define START "ATOM      1  CA  ALA A   1    " XYZ

static void content_says_what_is_a_pdb_file(void **state) {
  (void)state;
  static const char *const both[] = {START "  1.00 12.34\n", START "\n", START "  1.00\n",
                                     START "  1.00  0.00\n", START "  1.00100.00\n"};
  /* Charges and radii may stand in these columns: only another file shows that they do not. */
  static const char *const beside[] = {START "  0.00  0.00\n", START "  1.00  1.50\n",
                                       START " -0.50  1.50\n"};
  static const char *const neither[] = {START "  0.5000 1.5000\n", START " -0.500  1.50\n",
                                        "ATOM 1 N ALA 1 1.0 2.0 3.0 4.0 5.0\n"};
  for (int i = 0; i < 5; i++) {
    assert_string_equal(reader_of(both[i], false), "PDB");
    assert_string_equal(reader_of(both[i], true), "PDB");
  }
  for (int i = 0; i < 3; i++) {
    assert_string_equal(reader_of(beside[i], false), "PQR");
    assert_string_equal(reader_of(beside[i], true), "PDB");
    assert_string_equal(reader_of(neither[i], false), "PQR");
    assert_string_equal(reader_of(neither[i], true), "none");
  }
  /* Remarks that fill the head. */
  assert_string_equal(reader_of("REMARK   1\nREMARK   2\n", true), "PDB");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_read_whatever_is_around_them),
      cmocka_unit_test(coordinates_may_touch_or_outgrow_their_columns),
      cmocka_unit_test(lines_without_three_places_are_refused),
      cmocka_unit_test(models_and_locations_are_chosen),
      cmocka_unit_test(content_says_what_is_a_pdb_file),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
