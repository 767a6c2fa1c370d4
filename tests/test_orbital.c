/* Orbitals: what is right, by functions that are known and by their norms; the CPU variant against
 * that; Molden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "harness/device/kernel_source.h"
#include "harness/judge/oracle.h"
#include "harness/problems/case.h"
#include "kernels/orbital/orbital.h"
#include "tests/run_folder.h"

enum { N_ISAS = 3 };

static const dcs_kind *kind;
static const dcs_variant *cpu, *compiled;

static int find_entries(void **state) {
  kind = dcs_find_kind("orbital");
  cpu = dcs_find_variant("cpu_orbital");
  compiled = dcs_find_variant("cuda_orbital_compiled");
  return kind && cpu && compiled ? program_setup(state) : -1;
}

/* ---- files ---- */

/* One atom at the place, in bohr, with the shells, and an orbital for each of the functions. */
static const char *write_file(const char *shells, const char *section, double x, int functions) {
  char text[8192];
  int used =
      snprintf(text, sizeof text,
               "[Molden Format]\n[Atoms] AU\nC 1 6 %.17g 0.25 -0.5\n[GTO]\n1 0\n%s\n%s[MO]\n", x,
               shells, section);
  for (int f = 1; f <= functions; f++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "Sym= a\nEne= %d\nSpin= Alpha\nOccup= 0\n%d 1.0D+00\n", f, f);
  put_file(in_folder("one.molden"), text);
  return in_folder("one.molden");
}

static dcs_molecule read_orbital(const char *path, int64_t orbital) {
  const dcs_input input = {{path}, {.orbital = orbital}};
  dcs_molecule m;
  if (dcs_molecule_read(&input, &m, NULL) != DCS_OK) fail_msg("%s", dcs_error_message());
  return m;
}

static dcs_case build(const dcs_molecule *m, int n, double spacing) {
  const dcs_grid grid = {.n = {n, n, n}, .spacing = spacing};
  dcs_case c;
  if (dcs_case_build(kind, NULL, m, &grid, &c) != DCS_OK) fail_msg("%s", dcs_error_message());
  return c;
}

static dcs_case orbital_of(const char *path, int64_t orbital, int n, double spacing) {
  dcs_molecule m = read_orbital(path, orbital);
  dcs_case c = build(&m, n, spacing);
  dcs_molecule_free(&m);
  return c;
}

/* ---- maps ---- */

/* The map; NULL: the machine lacks the instructions. The caller frees it. */
static float *compute(const dcs_case *c, int threads, int isa) {
  const int most = (int)cpu->params[0].hi;
  const dcs_config config = {{threads < most ? threads : most, isa}};
  char why[DCS_TEXT];
  if (!dcs_applicable(cpu, &c->problem, &config, why)) return NULL;
  const int64_t n = dcs_points(c->problem.n);
  float *map = malloc((size_t)n * sizeof *map);
  assert_non_null(map);
  for (int64_t i = 0; i < n; i++)
    map[i] = NAN;
  void *out[DCS_MAX_BUFFERS] = {[DCS_ORBITAL_MAP] = map};
  assert_true(cpu->compute(&c->problem, &config, out));
  return map;
}

static float *map_of(const dcs_case *c) {
  float *map = compute(c, 1, 0);
  assert_non_null(map);
  return map;
}

static dcs_verdict verdict_of(const dcs_case *c, const float *map) {
  const dcs_config config = {{1, 0}};
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  const dcs_verdict verdict = dcs_check(&reference, map, cpu->longest_sum(&c->problem, &config));
  dcs_reference_free(&reference);
  return verdict;
}

static void check_all(const dcs_case *c, int threads) {
  for (int isa = 0; isa < N_ISAS; isa++) {
    float *map = compute(c, threads, isa);
    if (!map) continue;
    const dcs_verdict verdict = verdict_of(c, map);
    if (!verdict.accepted)
      fail_msg("isa %d, point %d: found %.9g, expected %.9g", isa, (int)verdict.worst,
               verdict.found, verdict.expected);
    free(map);
  }
}

static double value_at(const dcs_case *c, int64_t i) {
  return kind->buffers[DCS_ORBITAL_MAP].reference(c, DCS_ORBITAL_MAP, i, dcs_case_largest(c)).v;
}

/* The integral of the product of two maps over space, in bohr. */
static double overlap(const dcs_case *c, const float *a, const float *b) {
  const double h = c->spacing / DCS_BOHR;
  double sum = 0;
  for (int64_t i = 0; i < dcs_points(c->problem.n); i++)
    sum += (double)a[i] * (double)b[i];
  return sum * h * h * h;
}

static void assert_near(double found, double expected, double off) {
  if (!(fabs(found - expected) <= off)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* ---- what is right ---- */

static double product(const char *factors, const double d[3]) {
  double p = 1;
  for (; *factors; factors++)
    p *= d[*factors - 'x'];
  return p;
}

/* A primitive of exponent 0.7 at a point 1 bohr, or so, away, by its closed form: (2a/pi)^(3/4)
 * (4a)^(l/2) x^i y^j z^k exp(-a r^2), over the root of the double factorials. */
static void cartesian_functions_are_in_the_files_order(void **state) {
  (void)state;
  static const struct {
    const char *shell, *factors;
    double per; /* (2i-1)!! (2j-1)!! (2k-1)!! */
    int number;
  } cases[] = {{"s", "", 1, 1},     {"p", "x", 1, 1},   {"p", "y", 1, 2},    {"p", "z", 1, 3},
               {"d", "xx", 3, 1},   {"d", "yy", 3, 2},  {"d", "zz", 3, 3},   {"d", "xy", 1, 4},
               {"d", "xz", 1, 5},   {"d", "yz", 1, 6},  {"f", "xxx", 15, 1}, {"f", "yyy", 15, 2},
               {"f", "zzz", 15, 3}, {"f", "xyy", 3, 4}, {"f", "xxy", 3, 5},  {"f", "xxz", 3, 6},
               {"f", "xzz", 3, 7},  {"f", "yzz", 3, 8}, {"f", "yyz", 3, 9},  {"f", "xyz", 1, 10}};
  const double a = 0.7, pi = acos(-1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char shell[64];
    snprintf(shell, sizeof shell, "%s 1 1.00\n0.7 1.0", cases[i].shell);
    dcs_case c = orbital_of(write_file(shell, "", 0, cases[i].number), cases[i].number, 2, 0.9);
    for (int64_t at = 0; at < 8; at++) {
      double point[3], d[3];
      dcs_case_point(&c, at, point);
      for (int k = 0; k < 3; k++)
        d[k] = (point[k] - 0.45) / DCS_BOHR; /* the grid is centred on the atom */
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const double norm =
          pow(2 * a / pi, 0.75) * pow(4 * a, 0.5 * (double)strlen(cases[i].factors));
      const double expected =
          norm / sqrt(cases[i].per) * product(cases[i].factors, d) * exp(-a * r2);
      assert_near(value_at(&c, at), expected, 1e-12);
    }
    check_all(&c, 1);
    dcs_case_free(&c);
  }
}

/* Of a shell all functions, which are normalised; spherical ones also orthogonal. */
static void functions_have_norm_1(void **state) {
  (void)state;
  static const struct {
    const char *shell, *section;
    int functions;
  } cases[] = {{"s 1\n0.5 1", "", 1},          {"p 1\n0.5 1", "", 3},
               {"d 1\n0.5 1", "", 6},          {"d 1\n0.5 1", "[5D]\n", 5},
               {"f 1\n0.5 1", "[7F]\n", 7},    {"f 1\n0.5 1", "[5D10F]\n", 10},
               {"d 1\n0.5 1", "[5D10F]\n", 5}, {"f 1\n0.5 1", "[5D7F]\n", 7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const bool orthogonal = *cases[i].section && cases[i].functions != 10;
    float *maps[10];
    dcs_case c = {0};
    for (int f = 0; f < cases[i].functions; f++) {
      dcs_case_free(&c);
      c = orbital_of(write_file(cases[i].shell, cases[i].section, 0, cases[i].functions), f + 1, 21,
                     0.3);
      maps[f] = map_of(&c);
      assert_near(overlap(&c, maps[f], maps[f]), 1, 2e-3);
      for (int before = 0; orthogonal && before < f; before++)
        assert_near(overlap(&c, maps[before], maps[f]), 0, 1e-3);
    }
    for (int f = 0; f < cases[i].functions; f++)
      free(maps[f]);
    dcs_case_free(&c);
  }
}

/* Contracted functions of the basis of generated atoms are normalised, too: those of carbon's
 * valence, s and p, which a grid resolves. */
static void contractions_have_norm_1(void **state) {
  (void)state;
  const char *shells = "sp 3 1.0\n7.8682724 -0.1193324 0.0689991\n1.8812885 -0.1608542 0.316424\n"
                       "0.5442493 1.1434564 0.7443083\n";
  for (int f = 1; f <= 4; f++) {
    dcs_case c = orbital_of(write_file(shells, "", 0, 4), f, 49, 0.12);
    float *map = map_of(&c);
    assert_near(overlap(&c, map, map), 1, 3e-3);
    free(map);
    dcs_case_free(&c);
  }
}

/* A p function changes sign in the mirror, an s function does not; both are where the atom is. */
static void a_p_function_is_odd(void **state) {
  (void)state;
  enum { N = 9 };
  for (int f = 1; f <= 4; f++) {
    dcs_case c = orbital_of(write_file("sp 1\n0.6 1 1", "", 40, 4), f, N, 0.3);
    float *map = map_of(&c);
    assert_near(c.origin[0], 40 * DCS_BOHR - 4 * 0.3, 1e-9);
    for (int i = 0; i < N * N * N; i++)
      assert_near((double)map[N * N * N - 1 - i], (f == 1 ? 1 : -1) * (double)map[i], 1e-6);
    check_all(&c, 1);
    free(map);
    dcs_case_free(&c);
  }
}

/* ---- terms ---- */

static const dcs_orbital_term *terms_of(const dcs_case *c) {
  return (const dcs_orbital_term *)c->problem.input[DCS_ORBITAL_TERMS];
}

static double term_at(const dcs_orbital_term *t, double i, double j, double k) {
  const double root = (double)t->root, x = root * i - (double)t->x, y = root * j - (double)t->y;
  const double z = root * k - (double)t->z;
  double sum = 0;
  for (int degree = 0, n = 0; degree <= t->shape / 4; degree++)
    for (int m = 0; m <= degree; m++, n++)
      sum += (double)(n < 3 ? t->c[n] : t->more[n - 3]) * pow(x, degree - m) * pow(y, m);
  return sum * pow(z, t->shape % 4) * exp2(-(x * x + y * y + z * z));
}

/* So many terms, whose sum is the orbital at every point; and behind them terms of nothing. */
static void check_terms(const dcs_case *c, int n) {
  const dcs_orbital_term *terms = terms_of(c);
  const dcs_dims dims = c->problem.n;
  assert_int_equal(terms->shape, n);
  for (int t = 2; t <= n; t++)
    assert_true(terms[t - 1].shape <= terms[t].shape);
  for (int64_t i = 0; i < dcs_points(dims); i++) {
    double sum = 0;
    for (int t = 1; t <= n + DCS_ORBITAL_SPARE_TERMS; t++)
      sum += term_at(&terms[t], (double)(i % dims.x), (double)(i / dims.x % dims.y),
                     (double)(i / dims.x / dims.y));
    const double expected = value_at(c, i);
    assert_near(sum, expected, 1e-5 * (fabs(expected) + 0.1));
  }
}

/* ---- generated atoms ---- */

static dcs_case random_case(int64_t atoms, dcs_dims n, uint64_t seed) {
  const dcs_grid grid = {.n = n};
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, NULL, atoms, &grid, seed, &c), DCS_OK);
  return c;
}

/* Ten atoms: two are hydrogen, of 4 primitives in 2 shells, the others have 15 in 6. */
static void generated_atoms_have_a_basis(void **state) {
  (void)state;
  dcs_case c = random_case(10, (dcs_dims){3, 4, 5}, 1);
  assert_int_equal(c.problem.n_inputs, 2 * 2 + 8 * 6);
  assert_near(kind->work(&c, true), (2 * 4 + 8 * 15) * 60, 0);
  assert_near(dcs_orbital_primitives(&c.problem), 2 * 4 + 8 * 15, 0);
  const dcs_size size = dcs_case_size(&c);
  assert_near(dcs_estimate(&size, c.spacing, NULL), kind->work(&c, true), 1e-6);
  for (int64_t s = 1; s < c.problem.n_inputs; s++)
    assert_true(dcs_orbital_shells(&c.problem)[s].type >=
                dcs_orbital_shells(&c.problem)[s - 1].type);
  check_terms(&c, 2 * 4 + 8 * (6 + 2 * 4 + 3)); /* carbon's p have exponents of s */
  dcs_case_free(&c);
}

/* Verify's own molecule: every monomial of s to f counts, and terms are of every shape. */
static void verify_has_every_shell(void **state) {
  (void)state;
  dcs_molecule m;
  assert_int_equal(kind->whole(&m), DCS_OK);
  assert_int_equal(m.basis->n_shells, DCS_MOST_L + 1);
  for (int l = 0; l <= DCS_MOST_L; l++) {
    assert_int_equal(m.basis->shells[l].l, l);
    for (int i = 0; i < dcs_monomials(l); i++)
      assert_true(m.basis->shells[l].c[i] != 0);
  }
  dcs_case c = build(&m, 6, 0.37);
  dcs_molecule_free(&m);
  check_terms(&c, 2 * 1 + 1 * 2 + 2 * 3 + 2 * 4);
  check_all(&c, 1);
  dcs_case_free(&c);
}

static void orbitals_agree_with_double_precision(void **state) {
  (void)state;
  static const dcs_dims grids[] = {{1, 1, 1}, {17, 5, 3}, {65, 33, 2}};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
    dcs_case c = random_case(23, grids[g], g);
    check_all(&c, 1 + (int)g);
    dcs_case_free(&c);
  }
}

/* The sum is linear in what the orbital has of its functions, and knows no place of its own. */
static void orbitals_are_linear_and_move(void **state) {
  (void)state;
  dcs_site sites[2][4];
  for (int s = 0; s < 4; s++) {
    sites[0][s] =
        (dcs_site){.x = 0.5 * s, .y = 0.25 * s * s, .z = 1, .q = 1 - s, .radius = 1 + 0.25 * s};
    sites[1][s] = sites[0][s];
    sites[1][s].x += 512;
    sites[1][s].q *= -2;
  }
  float *maps[2];
  for (int m = 0; m < 2; m++) {
    const dcs_molecule molecule = {.sites = sites[m], .n = 4};
    dcs_case c = build(&molecule, 8, 0.5);
    maps[m] = map_of(&c);
    dcs_case_free(&c);
  }
  for (int i = 0; i < 8 * 8 * 8; i++)
    assert_near((double)maps[1][i], -2 * (double)maps[0][i], 1e-6);
  free(maps[0]);
  free(maps[1]);
}

static void wrong_orbitals_are_rejected(void **state) {
  (void)state;
  dcs_case c = random_case(5, (dcs_dims){6, 5, 4}, 3);
  float *map = map_of(&c);
  assert_true(verdict_of(&c, map).accepted);
  int64_t largest = 0;
  for (int64_t i = 0; i < 120; i++)
    if (fabsf(map[i]) > fabsf(map[largest])) largest = i;
  const float right = map[largest];
  const float wrong[] = {NAN, 0, -right, right * 1.0001f};
  for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
    map[largest] = wrong[w];
    assert_false(verdict_of(&c, map).accepted);
  }
  free(map);
  dcs_case_free(&c);
}

/* ---- shells ---- */

/* Shells of more than 6 primitives are cut, of all degrees. */
static void long_contractions_are_cut(void **state) {
  (void)state;
  char shells[1024] = "";
  for (const char *l = "spdf"; *l; l++) {
    dcs_append(shells, sizeof shells, "%c 8\n", *l);
    for (int p = 0; p < 8; p++)
      dcs_append(shells, sizeof shells, "%g %g\n", 0.05 * pow(2.5, p), 0.1 * (p % 3 - 1) + 0.05);
  }
  for (int f = 1; f <= 20; f += 3) {
    dcs_case c = orbital_of(write_file(shells, "", 0.125, 20), f, 9, 0.4);
    assert_int_equal(c.problem.n_inputs, 8);
    check_all(&c, 2);
    check_terms(&c, 8 * 4); /* of f, which the others share */
    dcs_case_free(&c);
  }
}

/* What is compiled is the basis: another orbital is the same text, another exponent is not. */
static void the_text_is_of_the_basis(void **state) {
  (void)state;
  dcs_kernel_source source[3];
  for (int t = 0; t < 3; t++) {
    const char *path = write_file(t < 2 ? "p 1\n0.5 1" : "p 1\n0.6 1", "", 0, 3);
    dcs_case c = orbital_of(path, t < 2 ? 1 + t : 1, 2, 1);
    const dcs_config config = dcs_initial_config(compiled, 1);
    assert_int_equal(dcs_kernel_source_for(compiled, &c.problem, &config, NULL, &source[t]),
                     DCS_OK);
    dcs_case_free(&c);
  }
  assert_string_equal(source[0].text, source[1].text);
  assert_string_not_equal(source[0].text, source[2].text);
  assert_contains(source[0].text, "FOR_EACH_TYPE(do) do(0)\n");
  for (int t = 0; t < 3; t++)
    dcs_kernel_source_free(&source[t]);
}

/* ---- commands ---- */

static void files_without_orbitals_are_refused(void **state) {
  (void)state;
  assert_status(program_run("sweep --problem orbital --variants cpu_orbital --grid 3^3 --input "
                            "tests/corpus/molecule/plain.pqr --out none"),
                DCS_INPUT);
  assert_contains(program_err,
                  "plain.pqr: found no orbital, which orbital is computed of; expected "
                  "a Molden file");
  assert_status(program_run("info --orbital 2 tests/corpus/molecule/plain.pqr"), DCS_USAGE);
  assert_contains(program_err, "which has no orbitals");
}

/* The first of two atoms has none of the basis. */
static void atoms_without_shells_are_refused(void **state) {
  (void)state;
  put_file(in_folder("bare.molden"),
           "[Molden Format]\n[Atoms] AU\nC 1 6 0 0 0\nC 2 6 0 0 2\n[GTO]\n2 0\ns 1\n1 1\n\n[MO]\n"
           "Sym= a\nEne= 0\nSpin= Alpha\nOccup= 2\n1 1\n");
  static const char *const commands[] = {"tune cpu_orbital --journal",
                                         "sweep --variants cpu_orbital --out"};
  for (int k = 0; k < 2; k++) {
    assert_status(program_run("%s %s --problem orbital --grid 3^3 --atoms 1 --input %s",
                              commands[k], in_folder(k ? "bare" : "bare.csv"),
                              in_folder("bare.molden")),
                  DCS_INPUT);
    assert_contains(program_err, "the first 1 atoms have no shells; expected an atom with one");
  }
  dcs_case c = orbital_of(in_folder("bare.molden"), 0, 3, 1);
  assert_int_equal(c.problem.n_inputs, 1);
  check_all(&c, 1);
  dcs_case_free(&c);
}

static void a_file_is_verified_and_measured(void **state) {
  (void)state;
  const char *path = write_file("d 2\n1.1 0.4\n0.3 0.7\nf 1\n0.8 1", "[5D]\n", 0, 12);
  assert_status(program_run("verify --problem orbital --variants cpu_orbital --orbital 7 --grid "
                            "9x8x7 --input %s",
                            path),
                0);
  assert_contains(program_err, "orbital 7 of 12, a, Alpha, energy 7 hartree, occupation 0");
  assert_status(program_run("sweep --problem orbital --variants cpu_orbital --config "
                            "threads=1,isa=portable --grid 8^3 --rounds 2 --input %s --out %s",
                            path, in_folder("run")),
                0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 1);
  assert_near(number_at(t, 0, "evals_useful"), 3 * 512, 0);
  dcs_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cartesian_functions_are_in_the_files_order),
      cmocka_unit_test(functions_have_norm_1),
      cmocka_unit_test(contractions_have_norm_1),
      cmocka_unit_test(a_p_function_is_odd),
      cmocka_unit_test(generated_atoms_have_a_basis),
      cmocka_unit_test(verify_has_every_shell),
      cmocka_unit_test(orbitals_agree_with_double_precision),
      cmocka_unit_test(orbitals_are_linear_and_move),
      cmocka_unit_test(wrong_orbitals_are_rejected),
      cmocka_unit_test(long_contractions_are_cut),
      cmocka_unit_test(the_text_is_of_the_basis),
      cmocka_unit_test(files_without_orbitals_are_refused),
      cmocka_unit_test(atoms_without_shells_are_refused),
      cmocka_unit_test(a_file_is_verified_and_measured),
  };
  without_limits();
  return cmocka_run_group_tests_name("orbital", tests, find_entries, program_teardown);
}
