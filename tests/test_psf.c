/* The PSF reader: atoms as the programs of the field write them, and what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "tests/read_molecule.h"

#include <stdio.h>

static const char one_place[] = "one\n    1\n   1.0000000   2.0000000   3.0000000\n";

static dcs_input pair(void) {
  return (dcs_input){{file[0], file[1]}, {0}};
}

/* ---- what is right ---- */

/* An atom in a file with these flags has that charge. */
static void assert_charge(const char *flags, const char *atom, double charge) {
  const dcs_input input = pair();
  char text[1024], notes[1024];
  dcs_molecule m;
  snprintf(text, sizeof text,
           "PSF%s\n\n       2 !NTITLE\n REMARKS 1 NATOM\n REMARKS\n\n       1 !NATOM\n%s\n\n"
           "       0 !NBOND: bonds\n\n",
           flags, atom);
  put_text(0, text);
  put_text(1, one_place);
  assert_read(&input, &m, notes);
  assert_int_equal(m.n, 1);
  if (m.sites[0].q != charge) fail_msg("%.17g from \"%s\"", m.sites[0].q, atom);
  assert_true(m.sites[0].x == 1 && m.sites[0].y == 2 && m.sites[0].z == 3);
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES);
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

static void atoms_of_every_flavour_are_read(void **state) {
  (void)state;
  /* CHARMM: types are numbers; with CHEQ two more columns. */
  assert_charge(
      " CMAP CHEQ",
      "       1 AAL  1    ALA  N      56  -0.300000       14.0070           0   0.00000   "
      "  -0.301140E-02",
      -0.3);
  /* X-PLOR, and a small charge with an exponent */
  assert_charge("", "       1 P1   1    ALA  N    NH3  -0.250000E-01   14.0070           0",
                -0.025);
  /* extended, with types by number and by name */
  assert_charge(
      " EXT CMAP",
      "         1 PROA     1        ALA      N          72   0.510000       14.0070        "
      "   0",
      0.51);
  assert_charge(
      " EXT CMAP CHEQ XPLOR",
      "         1 WATA     1        TIP3     OH2      OT      -0.834000       15.9994      "
      "     0   0.00000     -0.301140E-02",
      -0.834);
  /* polarisable: polarisability and Thole's factor behind */
  assert_charge(
      " EXT CMAP CHEQ DRUDE XPLOR",
      "         1 PROA     1        ALA      N        ND3P3A    1.62810       13.6070       "
      "    0  -1.29800      0.895000    ",
      1.6281);
  /* NAMD: words of any length; a residue number with an insertion code */
  assert_charge(" NAMD", "1 SEGMENT12 52A RESIDUE99 LONGNAME9 LONGTYPE99 -1.0 12.0 0", -1);
  /* VMD leaves blank what it does not know */
  assert_charge("", "       1      1    BF0  CBF  CG3C31  -0.180000       12.0110           0",
                -0.18);
  assert_charge("", "       1      1         CBF  C       0.250000       12.0110           0",
                0.25);
  /* ten million atoms: the number touches its column's end */
  assert_charge(" EXT",
                "1234567890 W1       1        TIP3     H1       HT       0.417000        1.0080"
                "           0",
                0.417);
}

/* A name stands before the type, whatever is blank; one that is not the PDB file's is noted. */
static void names_are_before_types(void **state) {
  (void)state;
  const dcs_input input = pair();
  char notes[1024];
  dcs_molecule m;
  put_text(0,
           "PSF\n\n 2 !NATOM\n 1      1    BF0  CBF  CG3C31  -0.180000       12.0110           0\n"
           " 2 A    1    BF0  H1   HG       0.180000        1.0080           0\n");
  put_text(1, "ATOM      1  CBF BF0     1       1.000   2.000   3.000\n"
              "ATOM      2  H1  BF0     1       1.000   2.000   4.000\n");
  assert_read(&input, &m, notes);
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

static void lines_may_end_in_any_way(void **state) {
  (void)state;
  const dcs_input input = pair();
  static const char *const texts[] = {
      "PSF\r\n\r\n 1 !NATOM\r\n 1 A 1 B C D 0.5 1.0 0\r\n\r\n",
      "PSF\n 1 !NATOM\n 1 A 1 B C D 0.5 1.0 0",
      "PSF\n 1 !NATOM\n 1 A 1 B C D 0.5 1.0 0\n 0 !NBOND\n",
      "\xEF\xBB\xBF"
      "PSF EXT\n 0 !NTITLE\n\n 0 !NBOND\n\n\t1\t!NATOM: atoms\n1\tA\t1\tB\tC\tD\t5.D-1\t1.0\t0\n"};
  char notes[1024];
  dcs_molecule m;
  put_text(1, one_place);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    put_text(0, texts[i]);
    assert_read(&input, &m, notes);
    assert_true(m.sites[0].q == 0.5);
    dcs_molecule_free(&m);
  }
}

/* ---- what is refused ---- */

static void assert_bad(const char *behind_head, const char *where, const char *found,
                       const char *expected) {
  const dcs_input input = pair();
  char text[1024], at[64];
  snprintf(text, sizeof text, "PSF\n\n%s", behind_head);
  snprintf(at, sizeof at, "%s%s", file[0], where);
  put_text(0, text);
  put_text(1, one_place);
  ASSERT_REFUSED(&input, DCS_INPUT, at, found, expected);
}

static void files_that_lie_are_refused(void **state) {
  (void)state;
  static const char atom[] = " 1 A 1 B C D 0.5 1.0 0\n";
  char text[512];
  assert_bad("", ": ", "found no atoms", "!NATOM");
  assert_bad(" 1 !NBOND\n", ": ", "found no atoms", "!NATOM");
  assert_bad(" 0 !NATOM\n", ":3: ", "found \"0\"", "1 to 2147483647");
  assert_bad(" -5 !NATOM\n", ":3: ", "found \"-5\"", "1 to 2147483647");
  assert_bad(" 2147483648 !NATOM\n", ":3: ", "found \"2147483648\"", "1 to 2147483647");
  assert_bad(" 1.5 !NATOM\n", ":3: ", "found \"1.5\"", "1 to 2147483647");
  assert_bad(" 1 2 !NATOM\n", ":3: ", "found \" 1 2 !NATOM\"", "number of atoms");
  assert_bad("!NATOM\n", ":3: ", "found \"!NATOM\"", "number of atoms");
  /* A number that no file has is no memory taken: the end comes first. */
  snprintf(text, sizeof text, " 2147483647 !NATOM\n%s", atom);
  assert_bad(text, ":4: ", "the end of the atoms after 1", "expected 2147483647 atoms");
  snprintf(text, sizeof text, " 2 !NATOM\n%s\n 0 !NBOND\n", atom);
  assert_bad(text, ":5: ", "the end of the atoms after 1", "expected 2 atoms");
  snprintf(text, sizeof text, " 2 !NATOM\n%s 0 !NBOND\n", atom);
  assert_bad(text, ":5: ", "the end of the atoms after 1", "expected 2 atoms");
  snprintf(text, sizeof text, " 1 !NATOM\n%s%s", atom, atom);
  assert_bad(text, ":5: ", "found another line", "expected 1 atoms");
}

static void atoms_that_are_none_are_refused(void **state) {
  (void)state;
  static const char *const atoms[] = {"1 A 1 B C D",           "1 A 1 B C D 0.5",
                                      "1 A 1 B C D 0.5 x 0",   "1 A 1 B C D nan 1.0 0",
                                      "1 A 1 B C D 0,5 1.0",   "1 A 1 B C D -1 1.0 0",
                                      "0.5 1.0 A B C D E F G", "1 A 1 B C D E F G 0.5 1.0"};
  char text[512];
  for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
    snprintf(text, sizeof text, " 1 !NATOM\n%s\n", atoms[i]);
    assert_bad(text, ":4: ", atoms[i], "expected the atom's number, segment");
  }
  assert_bad(" 1 !NATOM\n1 A 1 B C D 1.0e39 1.0 0\n", ":4: ", "1.0e39", "at most 3.40282e+38");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(atoms_of_every_flavour_are_read),
      cmocka_unit_test(names_are_before_types),
      cmocka_unit_test(lines_may_end_in_any_way),
      cmocka_unit_test(files_that_lie_are_refused),
      cmocka_unit_test(atoms_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
