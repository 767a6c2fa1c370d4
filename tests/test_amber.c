/* The readers of AMBER: topologies (prmtop) and coordinates (inpcrd), one beside the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "tests/read_molecule.h"

#include <math.h>
#include <stdio.h>

#define VERSION  "%VERSION  VERSION_STAMP = V0001.000  DATE = 11/28/26  10:00:00\n"
#define TITLE    "%FLAG TITLE\n%FORMAT(20a4)\nACE\n"
#define POINTERS "%FLAG POINTERS\n%FORMAT(10I8)\n       3       2       0\n"
#define CHARGE                                                                                     \
  "%FLAG CHARGE\n%COMMENT in units of its own\n%FORMAT(5E16.8)\n  1.82223000E+01 -1.51973982E+01"  \
  "  0.00000000E+00\n"
#define NAMES "%FLAG ATOM_NAME\n%FORMAT(20a4)\nHH31CH3 \n"
#define RADII "%FLAG RADII\n%FORMAT(5E16.8)  \n  1.30000000E+00  1.70000000E+00  1.50000000E+00\n"

#define PLACES                                                                                     \
  "   1.0000000   2.0000000   3.0000000-123.4567890-999.9999999 999.9999999\n"                     \
  "   7.0000000   8.0000000   9.0000000\n"
static const char three_places[] = "any title\n    3\n" PLACES;

static dcs_input pair(void) {
  return (dcs_input){{file[0], file[1]}, {0}};
}

/* ---- topologies ---- */

static void assert_topology(const char *topology, const double q[3], double radius) {
  const dcs_input input = pair();
  char notes[1024];
  dcs_molecule m;
  put_text(0, topology);
  put_text(1, three_places);
  assert_read(&input, &m, notes);
  assert_int_equal(m.n, 3);
  for (int i = 0; i < 3; i++)
    if (!(fabs(m.sites[i].q - q[i]) <= 1e-15)) fail_msg("charge %d: %.17g", i, m.sites[i].q);
  assert_true(m.sites[1].x == -123.456789 && m.sites[1].y == -999.9999999);
  assert_true(m.sites[1].z == 999.9999999 && m.sites[2].z == 9);
  assert_true(m.sites[1].radius == radius);
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

static void sections_come_in_any_order(void **state) {
  (void)state;
  const double q[3] = {1, -0.834, 0};
  assert_topology(VERSION TITLE POINTERS NAMES CHARGE RADII, q, 1.7);
  assert_topology(VERSION RADII CHARGE NAMES TITLE POINTERS, q, 1.7);
  assert_topology(POINTERS CHARGE, q, 0);
}

static void formats_are_those_of_fortran(void **state) {
  (void)state;
  const double q[3] = {1, -0.834, 0};
  /* CHAMBER's charges are CHARMM's: sqrt(332.0716) of a unit */
  const double chamber[3] = {18.2223 / sqrt(332.0716), -0.834 * 18.2223 / sqrt(332.0716), 0};
  static const char *const formats[] = {"(3E24.16)", "(1E24.16)", "(E24.16)",
                                        "(f24.16)",  "(2g24)",    "(3D24.16)"};
  char text[2048];
  for (int f = 0; f < 6; f++) {
    const int a_line = f == 0 || f == 5 ? 3 : f == 4 ? 2 : 1;
    snprintf(text, sizeof text, "%s%%FLAG CHARGE\n%%FORMAT%s\n%24s%s%24s%s%24s\n%%FLAG LAST\n",
             VERSION POINTERS, formats[f], f == 5 ? "1.82223D+01" : "18.22230000",
             a_line > 1 ? "" : "\n", "-15.1973982", a_line > 2 ? "" : "\n", "0.0");
    assert_topology(text, q, 0);
  }
  assert_topology(VERSION "%FLAG CTITLE\n%FORMAT(a80)\n\n" POINTERS CHARGE, chamber, 0);
}

static void assert_bad_topology(const char *topology, const char *where, const char *found,
                                const char *expected) {
  const dcs_input input = pair();
  char at[64];
  snprintf(at, sizeof at, "%s%s", file[0], where);
  put_text(0, topology);
  put_text(1, three_places);
  ASSERT_REFUSED(&input, DCS_INPUT, at, found, expected);
}

static void topologies_that_lie_are_refused(void **state) {
  (void)state;
  static const char format[] = "%FORMAT(5E16.8)\n";
  char text[2048];
  assert_bad_topology(VERSION CHARGE, ": ", "no section POINTERS", "%FLAG POINTERS");
  assert_bad_topology(VERSION POINTERS, ": ", "no section CHARGE", "%FLAG CHARGE");
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(10I8)\n\n" CHARGE, ":2: ", "no values",
                      "the number of atoms");
  assert_bad_topology(VERSION POINTERS CHARGE "%FLAG AMOEBA_FORCEFIELD\n%FORMAT(i5)\n    1\n",
                      ":9: ", "AMOEBA", "charges of atoms alone");
  assert_bad_topology(VERSION POINTERS CHARGE POINTERS, ":9: ", "section POINTERS again", "line 2");
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(10I8)\n       0\n", ":4: ", "\"0\"",
                      "1 to 2147483647");
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(10I8)\n********\n", ":4: ", "\"********\"",
                      "a number in section POINTERS");
  /* A number of atoms that no values are behind takes no memory. */
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(5I10)\n2147483647\n" CHARGE,
                      ":5: ", "3 values in section CHARGE", "expected 2147483647");
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(5I10)\n4294967299\n" CHARGE,
                      ":4: ", "\"4294967299\"", "1 to 2147483647");
  assert_bad_topology(VERSION "%FLAG POINTERS\n%FORMAT(10I8)\n       2\n" CHARGE,
                      ":5: ", "3 values in section CHARGE", "expected 2");
  assert_bad_topology(VERSION POINTERS CHARGE "%FLAG RADII\n%FORMAT(5E16.8)\n\n",
                      ":9: ", "0 values in section RADII", "expected 3");
  assert_bad_topology(VERSION POINTERS CHARGE "%FLAG ATOM_NAME\n%FORMAT(20a4)\nC   N   O   H\n",
                      ":9: ", "4 values in section ATOM_NAME", "expected 3");
  static const char *const formats[] = {"%FORMAT(5X16.8)", "%FORMAT(0E16.8)",     "%FORMAT(5E)",
                                        "%FORMAT(5E16.8",  "%FORMAT(99999E16.8)", "%FORMAT",
                                        "  1.0E+00"};
  for (int f = 0; f < 7; f++) {
    snprintf(text, sizeof text, "%s%%FLAG CHARGE\n%s\n", VERSION POINTERS, formats[f]);
    assert_bad_topology(text, ":6: ", formats[f], "a format such as %FORMAT(5E16.8)");
  }
  snprintf(text, sizeof text, "%s%%FLAG CHARGE\n%s%16s%16s\n", VERSION POINTERS, format, "1.0",
           "x");
  assert_bad_topology(text, ":7: ", "\"x\"", "a number in section CHARGE");
  snprintf(text, sizeof text, "%s%%FLAG CHARGE\n%s%32s\n", VERSION POINTERS, format, "1.0");
  assert_bad_topology(text, ":7: ", "\"\"", "a number in section CHARGE");
  snprintf(text, sizeof text, "%s%%FLAG CHARGE\n%s%96s\n", VERSION POINTERS, format, "1.0");
  assert_bad_topology(text, ":7: ", "found \" ", "at most 5 values of 16 characters");
}

static void old_topologies_are_refused_by_name(void **state) {
  (void)state;
  assert_bad_topology("ACE\n  2101     9  2091     9    25    11    43    24     0     0  2871   "
                      "696\n     9\n",
                      ": ", "AMBER 6 or before", "%VERSION");
}

/* ---- coordinates ---- */

/* Coordinates with this end have a cell of those edges and angles; 0: none. */
static void assert_end(const char *end, double a, double b, double c, double angle) {
  const dcs_input input = pair();
  char text[1024], notes[1024];
  dcs_molecule m;
  snprintf(text, sizeof text, "%s%s", three_places, end);
  put_text(0, POINTERS CHARGE);
  put_text(1, text);
  assert_read(&input, &m, notes);
  assert_true(m.sites[2].x == 7);
  assert_true(m.cell.edge[0] == a && m.cell.edge[1] == b && m.cell.edge[2] == c);
  for (int axis = 0; axis < 3; axis++)
    assert_true(m.cell.angle[axis] == angle);
  dcs_molecule_free(&m);
}

#define BOX3 "  37.1332590  35.4106700  34.4705580\n"
#define BOX6 "  37.1332590  35.4106700  34.4705580 109.4712190 109.4712190 109.4712190\n"

static void velocities_and_boxes_are_told_apart(void **state) {
  (void)state;
  assert_end("", 0, 0, 0, 0);
  assert_end("\n\n", 0, 0, 0, 0);
  assert_end(BOX3, 37.133259, 35.41067, 34.470558, 90);
  assert_end(BOX6, 37.133259, 35.41067, 34.470558, 109.471219);
  assert_end(PLACES, 0, 0, 0, 0); /* velocities */
  assert_end(PLACES BOX6 "\n", 37.133259, 35.41067, 34.470558, 109.471219);
}

static void assert_bad_places(const char *places, const char *where, const char *found,
                              const char *expected) {
  const dcs_input input = pair();
  char at[64];
  snprintf(at, sizeof at, "%s%s", file[1], where);
  put_text(0, POINTERS CHARGE);
  put_text(1, places);
  ASSERT_REFUSED(&input, DCS_INPUT, at, found, expected);
}

static void coordinates_that_lie_are_refused(void **state) {
  (void)state;
  static const char line[] =
      "   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n";
  char text[1024];
  snprintf(text, sizeof text, "title\n    3  0.25E+03\n%s", line);
  assert_bad_places(text, ": ", "end of the file after the coordinates of 2 atoms", "expected 3");
  snprintf(text, sizeof text, "title\n2147483647\n%s", line);
  assert_bad_places(text, ": ", "the coordinates of 2 atoms", "expected 2147483647");
  snprintf(text, sizeof text, "title\n    3\n%s%s", line, line);
  assert_bad_places(text, ":4: ", "6.0000000\"", "3 numbers of 12 columns");
  snprintf(text, sizeof text, "title\n    3\n%s   7.0000000************   9.0000000\n", line);
  assert_bad_places(text, ":4: ", "\"************\"", "a number of 12 columns");
  snprintf(text, sizeof text, "%s%s%s%s", three_places, PLACES, BOX6, BOX6);
  assert_bad_places(text, ": ", "found 4 lines behind the coordinates",
                    "1 (the box), 2 (velocities)");
  snprintf(text, sizeof text, "%s   0.1000000   0.2000000\n", three_places);
  assert_bad_places(text, ":5: ", "0.2000000\"", "3 numbers of 12 columns");
}

static void netcdf_is_refused_by_name(void **state) {
  (void)state;
  const dcs_input input = pair();
  static const char *const starts[] = {"CDF\001", "CDF\002", "CDF\005", "\211HDF\r\n\032\n"};
  put_text(0, POINTERS CHARGE);
  for (int i = 0; i < 4; i++) {
    put_text(1, starts[i]);
    ASSERT_REFUSED(&input, DCS_INPUT, file[1], "a NetCDF file", "cpptraj -p");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_come_in_any_order),
      cmocka_unit_test(formats_are_those_of_fortran),
      cmocka_unit_test(topologies_that_lie_are_refused),
      cmocka_unit_test(old_topologies_are_refused_by_name),
      cmocka_unit_test(velocities_and_boxes_are_told_apart),
      cmocka_unit_test(coordinates_that_lie_are_refused),
      cmocka_unit_test(netcdf_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
