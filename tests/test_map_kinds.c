/* `dcsbench map` of every kind that is a map: densities and orbitals, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "harness/output/field.h"
#include "tests/linker_options.h"
#include "tests/shell.h"

#include <math.h>
#include <stdlib.h>

static const char *water(void) {
  if (!exists(in_folder("water.pqr")))
    assert_status(program_run("generate water --atoms 90 -o %s", in_folder("water.pqr")), 0);
  return in_folder("water.pqr");
}

static dcs_field read_field(const char *name) {
  dcs_field field = {0};
  if (dcs_field_read(in_folder(name), &field) != DCS_OK) fail_msg("%s", dcs_error_message());
  return field;
}

/* ---- densities ---- */

/* Held against the kind's oracle at every point. */
static void check_density(const char *name) {
  dcs_case_source source = {.kind = dcs_find_kind("density"),
                            .input = {.files = {water()}},
                            .grid = {.n = {13, 8, 5}, .spacing = 0.9, .has_origin = true}};
  const double origin[3] = {1.25, -2, 0.5};
  dcs_config problem;
  dcs_case c;
  dcs_reference reference;
  memcpy(source.grid.origin, origin, sizeof origin);
  assert_int_equal(dcs_parse_problem(source.kind, "scale=0.8", &problem), DCS_OK);
  assert_int_equal(dcs_case_from(&source, &problem, &c), DCS_OK);
  assert_int_equal(dcs_oracle(&c, INT64_MAX / 2, &reference), DCS_OK);
  assert_int_equal(reference.n, 13 * 8 * 5);
  dcs_field field = read_field(name);
  assert_true(field.n.x == 13 && field.n.y == 8 && field.n.z == 5);
  for (int d = 0; d < 3; d++)
    assert_true(fabs(field.origin[d] - origin[d]) < 1e-6);
  const dcs_verdict v = dcs_check(&reference, field.values, c.n_sites);
  if (!v.accepted) fail_msg("%s: found %g, expected %g", name, v.found, v.expected);
  dcs_field_free(&field);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

static void a_density_in_every_format(void **state) {
  (void)state;
  static const char *const names[] = {"d.mrc", "d.npz", "d.dx"};
  for (int f = 0; f < 3; f++) {
    assert_status(program_run("map --problem density --scale 0.8 %s --grid 13x8x5 --spacing 0.9 "
                              "--origin 1.25,-2,0.5 -o %s",
                              water(), in_folder(names[f])),
                  0);
    assert_contains(program_err, "13x8x5 points, dimensionless, ");
    check_density(names[f]);
  }
  char *text = get_file(in_folder("d.dx"), NULL);
  assert_contains(text, "# units: dimensionless\n");
  assert_null(strstr(text, "Coulomb"));
  free(text);
}

/* Said before it is computed. */
static void counts_of_points_that_a_file_cannot_hold(void **state) {
  (void)state;
  static const char *const names[] = {"long.mrc", "long.dx", "long.cube"};
  put_file(in_folder("line.pqr"), "ATOM 1 O HOH 1 0 0 0 1 1\nATOM 2 H HOH 1 3 0 0 1 1\n");
  for (int f = 0; f < 3; f++) {
    assert_status(program_run("map %s --spacing 1e-9 --margin 0 -o %s", in_folder("line.pqr"),
                              in_folder(names[f])),
                  2);
    assert_contains(program_err, "found a grid of 3000000001x1x1 points; expected at most "
                                 "2147483647 along an axis");
    assert_false(exists(in_folder(names[f])));
  }
}

/* Atoms without a radius, or with one below 0. */
static void atoms_without_radius_are_told(void **state) {
  (void)state;
  put_file(in_folder("none.pqr"), "ATOM 1 O HOH 1 1 1 1 0 -1.5\nATOM 2 H HOH 1 2 1 1 0 1\n"
                                  "ATOM 3 H HOH 1 1 2 1 0 0\n");
  assert_status(program_run("map --problem density %s --grid 4^3 -o %s", in_folder("none.pqr"),
                            in_folder("none.npy")),
                0);
  assert_contains(program_err, "2 of 3 atoms have no radius above 0 and are left out\n");
}

static void on_a_device_that_is_named(void **state) {
  (void)state;
  assert_status(program_run("map --problem density --scale 0.8 %s --grid 13x8x5 --spacing 0.9 "
                            "--origin 1.25,-2,0.5 --device emulated --explain -o %s",
                            water(), in_folder("gpu.mrc")),
                0);
  assert_contains(program_out, "90 atoms, 13x8x5 points, density, scale=0.8, in host memory: ");
  assert_contains(program_out, "on the GPU");
  check_density("gpu.mrc");
  assert_status(program_run("map --problem density %s --spacing 2 --time", water()), 0);
  assert_contains(program_out, "15 maps of 90 atoms on ");
}

/* One atom on a grid point of each map: 1 there, and at its radius exp(-1/2). */
static void a_pdb_file_has_radii_of_elements(void **state) {
  (void)state;
  static const struct {
    const char *line;
    double radius;
  } atoms[] = {
      {"ATOM      2  CA  ALA A   1       0.000   0.000   0.000  1.00 10.00", 1.7},
      {"HETATM    2 CA    CA A   1       0.000   0.000   0.000  1.00 10.00", 2},
      {"ATOM      5 HB11 ALA A   1       0.000   0.000   0.000  1.00 10.00", 1.2},
      {"ATOM      6 NE2  HIS A   1       0.000   0.000   0.000  1.00 10.00", 1.55},
      {"ATOM      7 CD1  LEU A   1       0.000   0.000   0.000  1.00 10.00", 1.7},
      {"ATOM      8 HE2  HIS A   1       0.000   0.000   0.000  1.00 10.00", 1.2},
      {"HETATM    9 FE   HEM A   1       0.000   0.000   0.000  1.00 10.00", 2},
      {"ATOM     10 SOD  SOD A   1       0.000   0.000   0.000  1.00 10.00", 2.27},
      {"ATOM     11 CLA  CLA A   1       0.000   0.000   0.000  1.00 10.00", 1.75},
      {"ATOM     12  CLA CLA A   1       0.000   0.000   0.000  1.00 10.00", 1.75},
      {"HETATM    6  X1  UNK A   2       0.000   0.000   0.000  1.00 10.00          ZN", 1.39},
      {"HETATM    6 ?     UN A   2       0.000   0.000   0.000  1.00 10.00", 1.7}};
  for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
    put_file(in_folder("one.pdb"), atoms[i].line);
    assert_status(program_run("map --problem density %s --grid 2x1x1 --origin 0,0,0 --spacing %g "
                              "-o %s",
                              in_folder("one.pdb"), atoms[i].radius, in_folder("one.npy")),
                  0);
    dcs_field field = read_field("one.npy");
    assert_true(fabs(field.values[0] - 1) < 1e-6 && fabs(field.values[1] - exp(-0.5)) < 1e-6);
    dcs_field_free(&field);
  }
  assert_contains(program_err, "1 of 1 atoms name no element");
  assert_status(program_run("map %s -o %s", in_folder("one.pdb"), in_folder("x.dx")), 3);
  assert_contains(program_err, "which gives places and no charges");
}

static void points_of_the_users_own(void **state) {
  (void)state;
  put_file(in_folder("one.pqr"), "ATOM 1 X UNK 1 1 0 0 0 1.5\n");
  put_file(in_folder("points.csv"), "x,y,z\n1,0,0\n1,1.5,0\n1,0,99\n");
  assert_status(program_run("map --problem density %s --at %s", in_folder("one.pqr"),
                            in_folder("points.csv")),
                0);
  assert_no_errors();
  assert_contains(program_out, "x_angstrom,y_angstrom,z_angstrom,value\n1,0,0,1\n1,1.5,0,0.6065");
  assert_contains(program_out, "\n1,0,99,0\n");
}

/* ---- orbitals ---- */

#define ATOM "[Molden Format]\n[Atoms] AU\nH 1 1 1 0 0\n"
#define MO   "\n[MO]\nSym= a\nEne= -0.5\nSpin= Alpha\nOccup= 1\n"

/* Hydrogen's 1s in three Gaussians (Hehre, Stewart, Pople 1969), and an orbital that is -2 of it.
 */
static void an_s_orbital_has_its_values(void **state) {
  (void)state;
  static const double a[] = {3.42525091, 0.62391373, 0.16885540};
  static const double w[] = {0.15432897, 0.53532814, 0.44463454}, bohr = 0.529177210903;
  put_file(in_folder("h.molden"), ATOM "[GTO]\n1 0\ns 3 1.00\n3.42525091 0.15432897\n"
                                       "0.62391373 0.53532814\n0.16885540 0.44463454\n" MO
                                       "1 1.0\nSym= b\nEne= 0.5\nSpin= Alpha\nOccup= 0\n1 -2.0\n");
  for (int orbital = 1; orbital <= 2; orbital++) {
    assert_status(program_run("map --problem orbital %s --orbital %d --grid 9x1x1 --spacing 0.5 "
                              "--origin 0,0,0 -o %s",
                              in_folder("h.molden"), orbital, in_folder("h.mrc")),
                  0);
    assert_contains(program_err, "9x1x1 points, bohr^-3/2, ");
    dcs_field field = read_field("h.mrc");
    for (int i = 0; i < 9; i++) {
      const double r = 0.5 * i / bohr - 1, pi = acos(-1);
      double psi = 0;
      for (int p = 0; p < 3; p++)
        psi += w[p] * pow(2 * a[p] / pi, 0.75) * exp(-a[p] * r * r);
      if (orbital == 2) psi *= -2;
      if (!(fabs(field.values[i] - psi) < 1e-6))
        fail_msg("point %d: found %.9g, expected %.9g", i, field.values[i], psi);
    }
    dcs_field_free(&field);
  }
}

/* p along z: z times a Gaussian, so of two signs; a cube holds six digits. */
static void a_p_orbital_is_written_as_a_cube(void **state) {
  (void)state;
  const double pi = acos(-1), bohr = 0.529177210903;
  put_file(in_folder("p.molden"), ATOM "[GTO]\n1 0\np 1 1.00\n0.5 1.0\n" MO "3 1.0\n");
  assert_status(program_run("map --problem orbital %s --grid 1x1x5 --spacing 0.5 "
                            "--origin 0.529177210903,0,-1 -o %s",
                            in_folder("p.molden"), in_folder("p.cube")),
                0);
  dcs_field field = read_field("p.cube");
  assert_string_equal(field.units, "bohr^-3/2");
  for (int k = 0; k < 5; k++) {
    const double z = (0.5 * k - 1) / bohr;
    const double psi = pow(2 * 0.5 / pi, 0.75) * 2 * sqrt(0.5) * z * exp(-0.5 * z * z);
    assert_true(fabs(field.values[k] - psi) < 1e-5 * fabs(psi) + 1e-6);
  }
  dcs_field_free(&field);
}

/* ---- in slabs ---- */

static void compute_by(const char *before, const char *what, const char *name) {
  if (run("%s %s map --problem %s --grid 200x200x280 --spacing 0.2 --origin=-14,-14,-24 -o %s",
          before, program_path(), what, in_folder(name)) != 0)
    fail_msg("%s", said);
}

static void assert_same_values(const char *a, const char *b) {
  dcs_field first = read_field(a), second = read_field(b);
  assert_true(first.n.x == 200 && first.n.z == 280 && second.n.z == 280);
  for (size_t p = 0; p < 200 * 200 * 280; p++)
    if (memcmp(&first.values[p], &second.values[p], sizeof *first.values) != 0)
      fail_msg("%s: value %zu: found %.9g, expected %.9g", b, p, (double)second.values[p],
               (double)first.values[p]);
  dcs_field_free(&first);
  dcs_field_free(&second);
}

/* More than a second's points of one thread, which tells of its progress between slabs; and more
 * than there is memory for. */
static void slabs_have_the_bits_of_the_whole(const char *what) {
  compute_by("OMP_NUM_THREADS=8", what, "whole.npy");
  compute_by("OMP_NUM_THREADS=1", what, "cut.npy");
  assert_same_values("whole.npy", "cut.npy");
  if (takes_all_addresses()) return;
  compute_by("ulimit -v 45000 && OMP_NUM_THREADS=1", what, "short.npy");
  assert_contains(said, ": it is computed in ");
  assert_same_values("whole.npy", "short.npy");
}

static void large_densities_and_orbitals_are_the_same_in_slabs(void **state) {
  (void)state;
  char what[PATH_MAX];
  snprintf(what, sizeof what, "density %s", water());
  slabs_have_the_bits_of_the_whole(what);
  put_file(in_folder("s.molden"), ATOM "[GTO]\n1 0\ns 1 1.00\n0.05 1.0\n" MO "1 1.0\n");
  snprintf(what, sizeof what, "orbital %s", in_folder("s.molden"));
  slabs_have_the_bits_of_the_whole(what);
}

/* ---- what is refused ---- */

static void refused(const char *options, const char *why) {
  assert_status(program_run("map %s -o %s %s", water(), in_folder("r.dx"), options), 2);
  assert_contains(program_err, why);
  assert_false(exists(in_folder("r.dx")));
}

static void kinds_without_a_map_and_options_of_other_kinds(void **state) {
  (void)state;
  static const char *const kinds[] = {"born", "forces", "stencil"};
  char option[64], why[64];
  for (int k = 0; k < 3; k++) {
    snprintf(option, sizeof option, "--problem %s", kinds[k]);
    snprintf(why, sizeof why, "found %s, which has no map: ", kinds[k]);
    refused(option, why);
    assert_contains(program_err, "expected one of coulomb, density, orbital");
  }
  refused("--problem density --units V", "--units: found --problem density");
  refused("--problem density --temperature 300", "--temperature: found 300 K");
  refused("--temperature 300", "--temperature: found 300 K");
  refused("--units V --temperature 300", "and units of V; expected --units kT/e, too");
  refused("--problem density --cutoff 5", "density has no parameter \"cutoff\"");
  refused("--problem density --each 'a%d.npy'", "--each: found --problem density");
  refused("--problem orbital --scale 2", "orbital has no parameter \"scale\"");
  refused("--problem orbital --at points.csv", "--at: found --problem orbital");
  assert_status(program_run("map --problem orbital %s -o %s", water(), in_folder("r.dx")), 3);
  assert_contains(program_err, "found no orbital");
  put_file(in_folder("bare.csv"), "x,y,z,q\n0,0,0,1\n");
  assert_status(
      program_run("map --problem density %s -o %s", in_folder("bare.csv"), in_folder("r.dx")), 3);
  assert_contains(program_err, "found no radii, which density is computed of; expected a ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_density_in_every_format),
      cmocka_unit_test(counts_of_points_that_a_file_cannot_hold),
      cmocka_unit_test(atoms_without_radius_are_told),
      cmocka_unit_test(on_a_device_that_is_named),
      cmocka_unit_test(a_pdb_file_has_radii_of_elements),
      cmocka_unit_test(points_of_the_users_own),
      cmocka_unit_test(an_s_orbital_has_its_values),
      cmocka_unit_test(a_p_orbital_is_written_as_a_cube),
      cmocka_unit_test(large_densities_and_orbitals_are_the_same_in_slabs),
      cmocka_unit_test(kinds_without_a_map_and_options_of_other_kinds),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
