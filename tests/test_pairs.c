/* Two files that make one molecule: which files go together, and what the program does with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "tests/program.h"

#define PSF "PSF\n\n 2 !NATOM\n 1 A 1 ION SOD NA 1.0 22.9898 0\n 2 A 2 ION CLA CL -0.5 35.45 0\n\n"
#define PRMTOP                                                                                     \
  "%FLAG POINTERS\n%FORMAT(10I8)\n       2\n%FLAG CHARGE\n%FORMAT(5E16.8)\n"                       \
  "  1.82223000E+01 -9.11115000E+00\n%FLAG RADII\n%FORMAT(5E16.8)\n"                               \
  "  1.50000000E+00  1.70000000E+00\n%FLAG ATOM_NAME\n%FORMAT(20a4)\nSOD CLA \n"
#define PDB                                                                                        \
  "ATOM      1  SOD ION     1       1.000   2.000   3.000  1.00  0.00\n"                           \
  "ATOM      2  CLA ION     2       4.000   5.000   6.000  1.00  0.00\n"
#define INPCRD                                                                                     \
  "title\n    2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n"
#define PQR "ATOM 1 SOD ION 1 1.0 2.0 3.0 1.0 1.5\nATOM 2 CLA ION 2 4.0 5.0 6.0 -0.5 1.7\n"

static dcs_status read_pair(const char *a, const char *b, dcs_molecule *m, char notes[1024]) {
  static char paths[2][PATH_MAX];
  snprintf(paths[0], PATH_MAX, "%s", in_folder("a"));
  snprintf(paths[1], PATH_MAX, "%s", in_folder("b"));
  put_file(paths[0], a);
  if (b) put_file(paths[1], b);
  const dcs_input input = {{paths[0], b ? paths[1] : NULL}, {0}};
  FILE *out = fmemopen(notes, 1024, "w");
  assert_non_null(out);
  notes[0] = '\0';
  const dcs_status status = dcs_molecule_read(&input, m, out);
  fclose(out);
  return status;
}

/* ---- pairs that are right ---- */

static uint64_t assert_pair(const char *a, const char *b, double radius) {
  dcs_molecule m;
  char notes[1024];
  if (read_pair(a, b, &m, notes) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_string_equal(notes, "");
  assert_int_equal(m.n, 2);
  assert_true(m.sites[0].x == 1 && m.sites[1].z == 6);
  assert_true(m.sites[0].q == 1 && m.sites[1].q == -0.5);
  assert_true(m.sites[1].radius == radius);
  assert_int_equal(m.gives, DCS_PLACES | DCS_CHARGES | (radius > 0 ? DCS_RADII : 0));
  assert_null(m.names);
  const uint64_t hash = m.hash;
  dcs_molecule_free(&m);
  return hash;
}

/* Whichever is first, it is the same input; another file is another. */
static void charges_and_places_go_together(void **state) {
  (void)state;
  static const char *const topologies[] = {PSF, PRMTOP}, *const places[] = {PDB, INPCRD};
  uint64_t hashes[4];
  for (int p = 0; p < 4; p++) {
    const double radius = p < 2 ? 0 : 1.7;
    hashes[p] = assert_pair(topologies[p / 2], places[p % 2], radius);
    assert_int_equal(hashes[p], assert_pair(places[p % 2], topologies[p / 2], radius));
    for (int before = 0; before < p; before++)
      assert_int_not_equal(hashes[p], hashes[before]);
  }
}

static void other_names_are_said(void **state) {
  (void)state;
  static const char other[] =
      "ATOM      1  NA   NA     1       1.000   2.000   3.000  1.00  0.00\n"
      "ATOM      2  CLA ION     2       4.000   5.000   6.000  1.00  0.00\n";
  static const char cut[] =
      "PSF\n\n 2 !NATOM\n 1 A 1 B SOD2X NA 1.0 2.0 0\n 2 A 2 B CLA7890 C 1.0 2.0 0\n";
  static const char four[] = "ATOM      1 SOD2 ION     1       1.000   2.000   3.000\n"
                             "ATOM      2      ION     2       4.000   5.000   6.000\n";
  dcs_molecule m;
  char notes[1024];
  assert_int_equal(read_pair(PSF, other, &m, notes), DCS_OK);
  assert_contains(notes, "1 of 2 atoms have different names, the first SOD and NA (atom 1)");
  dcs_molecule_free(&m);
  /* Columns of a PDB file hold four letters; no name is no other one. */
  assert_int_equal(read_pair(four, cut, &m, notes), DCS_OK);
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

/* ---- what does not go together ---- */

static void assert_pair_refused(dcs_status status, const char *a, const char *b,
                                const char *const parts[]) {
  dcs_molecule m;
  char notes[1024];
  if (read_pair(a, b, &m, notes) != status) fail_msg("not refused as \"%s\"", parts[0]);
  assert_null(m.sites);
  for (; *parts; parts++)
    assert_contains(dcs_error_message(), *parts);
}
#define PAIR_REFUSED(status, a, b, ...)                                                            \
  assert_pair_refused(status, a, b, (const char *const[]){__VA_ARGS__, NULL})

static void one_file_alone_names_the_other(void **state) {
  (void)state;
  PAIR_REFUSED(DCS_INPUT, PSF, NULL, "/a: found the format PSF, which gives charges and no places",
               "another FILE of map or info, or --input twice", "DCD, inpcrd or PDB");
  PAIR_REFUSED(DCS_INPUT, PRMTOP, NULL,
               "found the format prmtop, which gives charges and no places");
  PAIR_REFUSED(DCS_INPUT, PDB, NULL, "found the format PDB, which gives places and no charges",
               "another FILE of map or info, or --input twice", "PSF or prmtop", "PDB2PQR");
  PAIR_REFUSED(DCS_INPUT, INPCRD, NULL,
               "found the format inpcrd, which gives places and no charges");
}

static void twice_the_same_is_refused(void **state) {
  (void)state;
  PAIR_REFUSED(DCS_INPUT, PSF, PRMTOP, "two files that give charges", "/a (PSF)", "/b (prmtop)",
               "PSF or prmtop", "DCD, inpcrd or PDB");
  PAIR_REFUSED(DCS_INPUT, PDB, INPCRD, "two files that give places", "/a (PDB)", "/b (inpcrd)");
  PAIR_REFUSED(DCS_INPUT, PSF, PQR, "two files that give charges", "/b (PQR)");
  PAIR_REFUSED(DCS_INPUT, PQR, INPCRD, "two files that give places", "/a (PQR)");
  PAIR_REFUSED(DCS_INPUT, PSF, "nothing known", "/b: found no atoms in a format that is known");
  PAIR_REFUSED(DCS_INPUT, PSF, "", "/b: found no atoms: the file is empty; expected PSF");
}

static void atoms_must_be_as_many(void **state) {
  (void)state;
  static const char three[] = PDB "ATOM      3  K   ION     2       4.000   5.000   6.000\n";
  PAIR_REFUSED(DCS_INPUT, PSF, three, "/a: found 2 atoms, but 3 in ",
               "/b; expected the same atoms");
  PAIR_REFUSED(DCS_INPUT, three, PSF, "/b: found 2 atoms, but 3 in ",
               "/a; expected the same atoms");
}

/* ---- the program ---- */

/* Puts the two files into the folder; their paths. */
static void put_pair(char psf[PATH_MAX], char pdb[PATH_MAX]) {
  snprintf(psf, PATH_MAX, "%s", in_folder("ions.psf"));
  snprintf(pdb, PATH_MAX, "%s", in_folder("ions.pdb"));
  put_file(psf, PSF);
  put_file(pdb, PDB);
}

static void the_program_takes_two_files(void **state) {
  (void)state;
  char psf[PATH_MAX], pdb[PATH_MAX];
  put_pair(psf, pdb);
  assert_int_equal(program_run("info %s %s", pdb, psf), 0);
  assert_contains(program_out, "total_charge             0.5");
  assert_int_equal(
      program_run("verify --variants cpu_gather --input %s --input=%s --grid 4^3", psf, pdb), 0);
  assert_int_equal(program_run("map %s --input %s -o %s --grid 4^3", psf, pdb, in_folder("m.npy")),
                   0);
  assert_int_equal(program_run("map %s %s -o %s --grid 4^3", psf, pdb, in_folder("n.npy")), 0);
  char *m = get_file(in_folder("m.npy"), NULL), *n = get_file(in_folder("n.npy"), NULL);
  assert_memory_equal(m, n, 128 + 4 * 64);
  free(m);
  free(n);
  assert_int_equal(program_run("map -o %s", in_folder("o.npy")), 2);
  assert_contains(program_err, "the molecule's file is missing");
}

static void options_that_two_files_forbid_are_refused(void **state) {
  (void)state;
  char psf[PATH_MAX], pdb[PATH_MAX];
  put_pair(psf, pdb);
  assert_int_equal(program_run("verify --input %s --input %s --input three", psf, pdb), 2);
  assert_contains(program_err, "\"three\", a third file");
  assert_int_equal(program_run("info - -"), 2);
  assert_contains(program_err, "found - twice");
  assert_int_equal(program_run("info %s %s --format pdb", psf, pdb), 2);
  assert_contains(program_err, "--format is of one file");
  assert_int_equal(program_run("info %s %s --frame 2", psf, pdb), 2);
  assert_contains(program_err, "--frame: ");
  assert_int_equal(program_run("info %s %s --model 2", psf, pdb), 2);
  assert_contains(program_err, "--model: found 2; ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(charges_and_places_go_together),
      cmocka_unit_test(other_names_are_said),
      cmocka_unit_test(one_file_alone_names_the_other),
      cmocka_unit_test(twice_the_same_is_refused),
      cmocka_unit_test(atoms_must_be_as_many),
      cmocka_unit_test(the_program_takes_two_files),
      cmocka_unit_test(options_that_two_files_forbid_are_refused),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
