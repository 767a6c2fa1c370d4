/* Forces of molecules that PSF files and CHARMM's parameters describe: energies by hand, laws on
 * what looks like a protein, the CPU variant and emulated kernels against double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tests/forces_case.h"

/* ---- files ---- */

enum { TEXT = 65536, MOST = 256, MOST_BONDS = 512 };

typedef struct {
  int n, n_bonds;
  const char *type[MOST];
  double at[MOST][3], q[MOST];
  int bonds[MOST_BONDS][2];
} model;

static int add_atom(model *m, const char *type, double q, double x, double y, double z) {
  assert_true(m->n < MOST);
  m->type[m->n] = type;
  m->q[m->n] = q;
  memcpy(m->at[m->n], (double[]){x, y, z}, sizeof m->at[0]);
  return m->n++;
}

static void add_bond(model *m, int a, int b) {
  assert_true(m->n_bonds < MOST_BONDS);
  memcpy(m->bonds[m->n_bonds++], (int[]){a, b}, sizeof m->bonds[0]);
}

/* Writes a.psf, of this first line, a.pdb and a.prm. */
static void put_files(const model *m, const char *flags, const char *parameters) {
  char *psf = calloc(1, TEXT), *pdb = calloc(1, TEXT);
  assert_true(psf && pdb);
  dcs_append(psf, TEXT, "%s\n\n%10d !NATOM\n", flags, m->n);
  for (int i = 0; i < m->n; i++) {
    dcs_append(psf, TEXT, "%10d A        1        RES      X%-7d %-8s %10.6f %13.4f %11d\n", i + 1,
               i % 100, m->type[i], m->q[i], 12.0, 0);
    dcs_append(pdb, TEXT, "ATOM  %5d  X%-2d RES A   1    %8.3f%8.3f%8.3f  1.00  0.00\n", i + 1,
               i % 100, m->at[i][0], m->at[i][1], m->at[i][2]);
  }
  dcs_append(psf, TEXT, "\n%10d !NBOND: bonds", m->n_bonds);
  for (int b = 0; b < m->n_bonds; b++)
    dcs_append(psf, TEXT, "%s%10d%10d", b % 4 ? "" : "\n", m->bonds[b][0] + 1, m->bonds[b][1] + 1);
  dcs_append(psf, TEXT, "\n\n%10d !NTHETA: angles\n\n", 0);
  put_file(in_folder("a.psf"), psf);
  put_file(in_folder("a.pdb"), pdb);
  put_file(in_folder("a.prm"), parameters);
  free(psf);
  free(pdb);
}

static dcs_case read_case(const char *problem) {
  const dcs_case_source source = {
      .kind = kind,
      .input = {{in_folder("a.psf"), in_folder("a.pdb")},
                {.parameters = {in_folder("a.prm")}, .n_parameters = 1}}};
  const dcs_config config = posed(problem);
  dcs_case c;
  if (dcs_case_from(&source, &config, &c) != DCS_OK) fail_msg("%s", dcs_error_message());
  return c;
}

/* ---- by hand ---- */

/* A chain of four, of which the two in the middle have neither charges nor wells, and an ion: pairs
 * 0 3 (1-4), 0 4 and 3 4 (NBFIX), 5, 5 and 8 angstrom apart. */
static void put_chain(const char *flags) {
  model m = {0};
  add_atom(&m, "A", 0.5, 0, 0, 0);
  add_atom(&m, "X", 0, 1.5, 0, 0);
  add_atom(&m, "X", 0, 1.5, 3, 4);
  add_atom(&m, "D", -0.4, 0, 3, 4);
  add_atom(&m, "ION", 1, 0, 3, -4);
  for (int b = 0; b < 3; b++)
    add_bond(&m, b, b + 1);
  put_files(&m, flags,
            "NONBONDED nbxmod 5 e14fac 0.5 -\ncutnb 14\n"
            "A   0 -0.1 2.0  0 -0.01 1.9\nD 0 -0.3 1.5 0 -0.04 1.1\n"
            "ION 0 -0.4 1.0\nX* 0 0 0\nNBFIX\nD ION -0.25 4.0\n");
}

/* At 5 angstrom (1 - 25/100)^2 = 0.5625 of a charge's energy is left, at 8 0.1296; nothing is
 * switched below 9. */
static void energies_are_as_by_hand(void **state) {
  (void)state;
  static const char *const flags[] = {"PSF", "PSF EXT XPLOR", "PSF EXT CMAP CHEQ", "PSF NAMD"};
  /* (3/5)^6 = 0.046656; 1-4: R = 1.9 + 1.1, depth sqrt(0.01 0.04) = 0.02, half of the charges */
  const double special =
      0.02 * (0.046656 * 0.046656 - 2 * 0.046656) + 0.5 * K * 0.5 * -0.4 / 5 * 0.5625;
  /* R = 2 + 1, depth sqrt(0.1 0.4) = 0.2 */
  const double usual = 0.2 * (0.046656 * 0.046656 - 2 * 0.046656) + K * 0.5 / 5 * 0.5625;
  /* NBFIX: (4/8)^6 = 1/64 */
  const double fixed = 0.25 * (1 / 4096.0 - 2 / 64.0) + K * -0.4 / 8 * 0.1296;
  assert_near(special, -0.00182270435328 - 3.7357155, 1e-12);
  assert_near(usual, -0.0182270435328 + 18.6785775, 1e-12);
  assert_near(fixed, -0.00775146484375 - 2.151772128, 1e-12);
  for (int f = 0; f < 4; f++) {
    put_chain(flags[f]);
    dcs_case c = read_case("cutoff=10,switch_from=9");
    assert_near(energy_of(&c), special + usual + fixed, 1e-11);
    assert_near(right(&c, 0, 3), 0.5 * (special + usual), 1e-11);
    assert_near(right(&c, 1, 3), 0, 0);
    assert_near(kind->work(&c, false), 1 + 4, 0); /* 0 3; of the ion all */
    check_all(&c, 1);
    dcs_case_free(&c);
  }
}

/* A special pair ends at the cutoff as others do; its force is along it; an Ewald sum has half of
 * its charges, too. */
static void special_pairs_are_pairs(void **state) {
  (void)state;
  put_chain("PSF");
  dcs_case c = read_case("cutoff=4.9,switch_from=1");
  assert_near(energy_of(&c), 0, 0);
  check_all(&c, 1);
  dcs_case_free(&c);
  c = read_case("cutoff=6,electrostatics=ewald,alpha=0.2,switch_from=5.9");
  const double well = 0.046656 * 0.046656 - 2 * 0.046656;
  assert_near(energy_of(&c),
              0.02 * well - 0.1 * K / 5 * erfc(1) + 0.2 * well + 0.5 * K / 5 * erfc(1), 1e-11);
  const double slope = 0.02 * 12 / 5 * (0.046656 * 0.046656 - 0.046656) -
                       0.1 * K / 5 * (erfc(1) / 5 + 0.4 / sqrt(acos(-1)) * exp(-1));
  assert_near(right(&c, 3, 1), 0.6 * slope, 1e-11);
  assert_near(right(&c, 3, 2), 0.8 * slope, 1e-11);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* ---- what looks like a protein ---- */

enum { RESIDUES = 16 };

/* On a ring, so that the last is near the first. */
static int add_turned(model *m, int residue, const char *type, double q, double x, double y,
                      double z) {
  const double turn = 2 * acos(-1) * (residue + x / 3.6) / RESIDUES, radius = 11 + y;
  return add_atom(m, type, q, radius * cos(turn), radius * sin(turn), z);
}

/* A backbone of which each residue has a longer chain at its side than the one before, up to eight;
 * a bridge from the first to the last, a ring, and ions: more patterns of exclusions than there is
 * room for, and some whose atoms are far from each other in the file. */
static void put_protein(void) {
  static model m;
  int ends[RESIDUES], before = -1;
  m = (model){0};
  for (int r = 0; r < RESIDUES; r++) {
    const int n = add_turned(&m, r, "NH1", -0.47, 0, 0, 0);
    const int h = add_turned(&m, r, "H", 0.31, 0.1, -1, 0.1);
    const int a = add_turned(&m, r, "CT1", 0.07, 1.3, 0.7, 0.2);
    const int ha = add_turned(&m, r, "HB", 0.09, 1.2, 1.2, -0.8);
    int side = a;
    for (int k = 0; k <= r % 8; k++) {
      const int next =
          add_turned(&m, r, "CT2", 0.01 * k, 1.5 + 0.2 * k, 1.5 + 0.1 * k, 1.2 + 1.5 * k);
      add_bond(&m, side, next);
      side = next;
    }
    const int c = add_turned(&m, r, "C", 0.51, 2.4, -0.2, 0.3);
    const int o = add_turned(&m, r, "O", -0.51, 2.5, -1.4, 0.5);
    ends[r] = side;
    add_bond(&m, n, h);
    add_bond(&m, n, a);
    add_bond(&m, a, ha);
    add_bond(&m, a, c);
    add_bond(&m, c, o);
    if (before >= 0) add_bond(&m, before, n);
    if (r == 5) add_bond(&m, n, side); /* a ring */
    before = c;
  }
  add_bond(&m, ends[0], ends[RESIDUES - 1]);
  for (int i = 0; i < 6; i++)
    add_turned(&m, 2 * i, i % 2 ? "CLA" : "SOD", i % 2 ? -1 : 1, 1.5, -4.5, 0.3 * i);
  put_files(
      &m, "PSF EXT",
      "NONBONDED e14fac 0.8\nNH1 0 -0.2 1.85 0 -0.2 1.55\nH* 0 -0.046 0.2245\nHB 0 -0.022 1.32\n"
      "CT# 0 -0.02 2.275 0 -0.01 1.9\nC 0 -0.11 2\nO 0 -0.12 1.7 0 -0.12 1.4\n"
      "SOD 0 -0.0469 1.41075\nCLA 0 -0.15 2.27\n"
      "NBFIX\nSOD CLA -0.083875 3.731\nSOD O -0.07502 3.19\nH O -0.03 2.2 -0.02 2.1\n");
}

static const char *const problems[] = {
    "cutoff=8", "cutoff=6,boundary=periodic,cell_x=25,cell_y=31,cell_z=20,electrostatics=ewald"};

static void the_protein_is_what_it_should_be(void **state) {
  (void)state;
  put_protein();
  dcs_case c = read_case(problems[0]);
  int far = 0, most = 0;
  for (int64_t a = 0; a < c.n_sites; a++) {
    const int n = c.field.begins[a + 1] - c.field.begins[a];
    most = n > most ? n : most;
    for (int32_t e = c.field.begins[a]; e < c.field.begins[a + 1]; e++)
      far += c.field.excluded[e] - a >= 32;
  }
  assert_true(most > 12 && far >= 4 && c.field.begins14[c.n_sites] > 200);
  assert_int_equal(c.field.n_types, 4); /* SOD, CLA, O, H */
  dcs_case_free(&c);
}

static void forces_sum_to_zero_and_are_right(void **state) {
  (void)state;
  put_protein();
  for (int p = 0; p < 2; p++) {
    dcs_case c = read_case(problems[p]);
    for (int k = 0; k < 3; k++) {
      double sum = 0, size = 0;
      for (int i = 0; i < c.n_sites; i++) {
        sum += right(&c, i, k);
        size += fabs(right(&c, i, k));
      }
      assert_near(sum, 0, 1e-12 * size);
    }
    assert_true(check_all(&c, 2) < 2e-5);
    dcs_case_free(&c);
  }
}

static void forces_are_the_energy_s_gradient(void **state) {
  (void)state;
  const double h = 1e-5;
  put_protein();
  for (int p = 0; p < 2; p++) {
    dcs_case c = read_case(problems[p]);
    for (int i = 3; i < c.n_sites; i += 59) {
      double *const at[] = {&c.sites[i].x, &c.sites[i].y, &c.sites[i].z};
      for (int k = 0; k < 3; k++) {
        const double force = right(&c, i, k), was = *at[k];
        *at[k] = was + h;
        const double above = energy_of(&c);
        *at[k] = was - h;
        const double below = energy_of(&c);
        *at[k] = was;
        assert_near((below - above) / (2 * h), force, 1e-5 * (fabs(force) + 10));
      }
    }
    dcs_case_free(&c);
  }
}

static void forces_rotate_with_the_atoms(void **state) {
  (void)state;
  const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  put_protein();
  dcs_case c = read_case(problems[0]), turned = read_case(problems[0]);
  for (int i = 0; i < c.n_sites; i++) {
    const double s[] = {c.sites[i].x, c.sites[i].y, c.sites[i].z};
    double *const to[] = {&turned.sites[i].x, &turned.sites[i].y, &turned.sites[i].z};
    for (int k = 0; k < 3; k++)
      *to[k] = turn[k][0] * s[0] + turn[k][1] * s[1] + turn[k][2] * s[2] + 3;
  }
  for (int i = 0; i < c.n_sites; i += 3)
    for (int k = 0; k < 3; k++) {
      const double expected = turn[k][0] * right(&c, i, 0) + turn[k][1] * right(&c, i, 1) +
                              turn[k][2] * right(&c, i, 2);
      assert_near(right(&turned, i, k), expected, 1e-9 * (10 + fabs(expected)));
    }
  dcs_case_free(&c);
  dcs_case_free(&turned);
}

/* What each part of the parameters does is more than what is accepted. */
static void wrong_parameters_are_seen(void **state) {
  (void)state;
  put_protein();
  dcs_case c = read_case(problems[0]);
  dcs_reference reference = reference_of(&c);
  float *wrong = malloc(4 * (size_t)c.n_sites * sizeof *wrong);
  assert_non_null(wrong);
  for (int o = 0; o < 3; o++) {
    dcs_case other = read_case(problems[0]);
    for (int t = 0; o == 0 && t < 16; t++)
      other.field.pairs[t].minimum += 0.02;         /* NBFIX */
    if (o == 1) other.field.special[7].charges = 1; /* E14FAC */
    for (int i = 0; o == 2 && i < other.field.begins14[other.n_sites]; i++)
      other.field.special[i].well.minimum += 0.02; /* 1-4 */
    for (int i = 0; i < 4 * c.n_sites; i++)
      wrong[i] = (float)right(&other, i / 4, i % 4);
    if (dcs_check(&reference, wrong, c.n_sites).accepted) fail_msg("%d passes", o);
    dcs_case_free(&other);
  }
  free(wrong);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* ---- the program ---- */

#define FILES "--input %s --input %s --parameters %s"

/* Patterns in constant memory and beyond, the table, special pairs; a table of terms, whose kernel
 * differs from the last in what it does with a pair alone, and an open boundary in the long run. */
static void emulated_kernels_are_right(void **state) {
  (void)state;
  static const char *const boundaries[] = {"periodic --electrostatics ewald --cell 25,31,20",
                                           "open"};
  const bool full = getenv("DCS_TEST_FULL") != NULL;
  put_protein();
  for (int b = 0; b < (full ? 2 : 1); b++) {
    assert_status(
        program_run("verify --device emulated --problem forces --radial_error 0.001 --cutoff 6 "
                    "--variants cuda_forces_patches,cuda_forces_pairs,cuda_forces_direct%s "
                    "--boundary %s " FILES,
                    full ? ",cuda_forces_table" : "", boundaries[b], in_folder("a.psf"),
                    in_folder("a.pdb"), in_folder("a.prm")),
        0);
    assert_contains(program_out, "cuda_forces_direct");
    assert_contains(program_out, "cuda_forces_patches");
    assert_null(strstr(program_out, "wrong"));
  }
}

static void the_program_takes_them(void **state) {
  (void)state;
  put_protein();
  assert_status(program_run("sweep --problem forces --variants cpu_forces --config "
                            "threads=1,isa=portable --cutoff 6 --rounds 2 --out %s " FILES,
                            in_folder("run"), in_folder("a.pdb"), in_folder("a.psf"),
                            in_folder("a.prm")),
                0);
  char *environment = get_file(in_folder("run/env.csv"), NULL);
  assert_contains(environment, "a.pdb + a.psf + a.prm");
  free(environment);
  assert_status(program_run("verify --problem coulomb --variants cpu_gather " FILES,
                            in_folder("a.psf"), in_folder("a.pdb"), in_folder("a.prm")),
                DCS_USAGE);
  assert_contains(program_err, "--parameters: found them with coulomb, which has no use of them");
  assert_status(program_run("verify --problem forces --variants cpu_forces --input %s --input %s",
                            in_folder("a.psf"), in_folder("a.pdb")),
                DCS_USAGE);
  assert_contains(program_err, "CHARMM's --parameters");
  assert_status(program_run("verify --help"), 0);
  assert_contains(program_out, "--parameters=FILE");
}

/* Nobody would look at them; of a map they are no option. */
static void parameters_that_nothing_reads_are_refused(void **state) {
  (void)state;
  static const char *const without[] = {"verify", "sweep --out none"};
  for (int c = 0; c < 2; c++) {
    assert_status(program_run("%s --problem forces --parameters none.prm", without[c]), DCS_USAGE);
    assert_contains(program_err, "--parameters: found none.prm without a molecule's file");
  }
  assert_status(program_run("map a.psf a.dcd --average --out a.npy --parameters none.prm"),
                DCS_USAGE);
  assert_contains(program_err, "unrecognized option '--parameters'");
  assert_status(program_run("map --help"), 0);
  assert_null(strstr(program_out, "--parameters"));
}

static void files_that_are_no_parameters_are_called_so(void **state) {
  (void)state;
  const char *const paths[][2] = {{in_folder("none.prm"), "none.prm: cannot read: No such file"},
                                  {test_folder, ": cannot read: Is a directory"}};
  put_protein();
  for (int p = 0; p < 2; p++) {
    assert_status(program_run("verify --problem forces --variants cpu_forces " FILES,
                              in_folder("a.psf"), in_folder("a.pdb"), paths[p][0]),
                  DCS_IO);
    assert_contains(program_err, paths[p][1]);
    assert_contains(program_err, "; expected a file of CHARMM's parameters");
  }
}

static void ions_without_bonds_are_right(void **state) {
  (void)state;
  model m = {0};
  add_atom(&m, "SOD", 1, 0, 0, 0);
  add_atom(&m, "SOD", 1, 3, 0, 0);
  put_files(&m, "PSF", "NONBONDED\nSOD 0 -0.0469 1.41075\n");
  assert_status(program_run("verify --problem forces --variants cpu_forces --config "
                            "threads=1,isa=portable " FILES,
                            in_folder("a.psf"), in_folder("a.pdb"), in_folder("a.prm")),
                0);
  dcs_case c = read_case("cutoff=8");
  int32_t excluded = -1;
  assert_int_equal(c.field.begins[2], 0);
  kind->buffers[DCS_FORCES_EXCLUDED].fill(&c, DCS_FORCES_EXCLUDED, &excluded);
  assert_int_equal(excluded, 0);
  dcs_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energies_are_as_by_hand),
      cmocka_unit_test(special_pairs_are_pairs),
      cmocka_unit_test(the_protein_is_what_it_should_be),
      cmocka_unit_test(forces_sum_to_zero_and_are_right),
      cmocka_unit_test(forces_are_the_energy_s_gradient),
      cmocka_unit_test(forces_rotate_with_the_atoms),
      cmocka_unit_test(wrong_parameters_are_seen),
      cmocka_unit_test(emulated_kernels_are_right),
      cmocka_unit_test(the_program_takes_them),
      cmocka_unit_test(parameters_that_nothing_reads_are_refused),
      cmocka_unit_test(files_that_are_no_parameters_are_called_so),
      cmocka_unit_test(ions_without_bonds_are_right),
  };
  return cmocka_run_group_tests_name("forces of PSF files", tests, find_entries, program_teardown);
}
