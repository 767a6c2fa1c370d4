/* Born radii: what is right, by quadrature and by hand; the CPU variant against that; and how a
 * kind without a grid is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "kernels/born/born.h"
#include "tests/run_folder.h"

enum { GUARD = 64, N_ISAS = 3 };

static const dcs_kind *kind;
static const dcs_variant *cpu;

static int find_entries(void **state) {
  kind = dcs_find_kind("born");
  cpu = dcs_find_variant("cpu_born");
  return kind && cpu ? program_setup(state) : -1;
}

static dcs_config posed(int scaling, double descreening) {
  return (dcs_config){{[DCS_BORN_SCALING] = scaling, [DCS_BORN_DESCREENING] = descreening}};
}

static dcs_case build(dcs_site *sites, int64_t n_sites, dcs_config problem) {
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid none = {0};
  dcs_case c;
  if (dcs_case_build(kind, &problem, &molecule, &none, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static dcs_reference reference_of(const dcs_case *c) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  assert_int_equal(reference.n, c->n_sites);
  return reference;
}

static double radius_at(const dcs_case *c, int64_t i) {
  return kind->buffers[DCS_BORN_RADII].reference(c, DCS_BORN_RADII, i, dcs_case_largest(c)).v;
}

/* Computes into NaN, between guard words that must survive; false: the machine lacks it. */
static bool compute(const dcs_case *c, int threads, int isa, float *radii) {
  const int most = (int)cpu->params[0].hi;
  const dcs_config config = {{threads < most ? threads : most, isa}};
  char why[DCS_TEXT];
  if (!dcs_applicable(cpu, &c->problem, &config, why)) return false;
  const size_t n = (size_t)c->n_sites;
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole);
  assert_non_null(whole);
  for (size_t i = 0; i < n + 2 * GUARD; i++)
    whole[i] = i < GUARD || i >= GUARD + n ? 7 : NAN;
  void *out[DCS_MAX_BUFFERS] = {[DCS_BORN_RADII] = whole + GUARD};
  assert_true(cpu->compute(&c->problem, &config, out));
  for (size_t i = 0; i < GUARD; i++)
    assert_true(whole[i] == 7 && whole[GUARD + n + i] == 7);
  memcpy(radii, whole + GUARD, n * sizeof *radii);
  free(whole);
  return true;
}

static void check_all(const dcs_case *c, int threads) {
  dcs_reference reference = reference_of(c);
  float *radii = malloc((size_t)c->n_sites * sizeof *radii);
  assert_non_null(radii);
  for (int isa = 0; isa < N_ISAS; isa++) {
    if (!compute(c, threads, isa, radii)) continue;
    const dcs_verdict verdict = dcs_check(&reference, radii, c->n_sites);
    if (!verdict.accepted)
      fail_msg("isa %d, %d atoms, radius %d: found %.9g, expected %.9g", isa, (int)c->n_sites,
               (int)verdict.worst, verdict.found, verdict.expected);
  }
  free(radii);
  dcs_reference_free(&reference);
}

static void assert_near(double found, double expected, double off) {
  if (!(fabs(found - expected) <= off)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* ---- what is right ---- */

/* What a sphere takes from an atom: the integral over the shells around the atom, of radius x, of
 * the part of a shell that lies in the sphere, over x^2; by Simpson's rule in 1/x. */
static double taken(double r, double p, double s) {
  enum { STEPS = 2000 };
  const double lo = 1 / (r + s), hi = 1 / fmax(p, fabs(r - s));
  double sum = p < s - r ? 1 / p - 1 / (s - r) : 0; /* whole shells */
  for (int i = 0; i <= STEPS && lo < hi; i++) {
    const double x = 1 / (lo + (hi - lo) * i / STEPS);
    const double weight = i == 0 || i == STEPS ? 1 : 2 + i % 2 * 2;
    sum += weight * (hi - lo) / STEPS / 3 * (s * s - (r - x) * (r - x)) / (4 * r * x);
  }
  return sum;
}

/* Apart, overlapping, the sphere in the atom, around it, and far. */
static void pairs_are_what_quadrature_says(void **state) {
  (void)state;
  static const double pairs[][3] = {{3, 1.4, 1.1},    {1.5, 1.2, 1},   {2.3, 1.4, 0.9},
                                    {0.3, 2, 1.5},    {0.5, 0.4, 2.1}, {0.45, 0.6, 1},
                                    {1.1, 0.01, 1.1}, {30, 1.2, 1.4}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const double r = pairs[i][0], p = pairs[i][1], s = pairs[i][2];
    dcs_site sites[] = {{.x = 5, .radius = p + 0.09}, {.x = 5 + r, .radius = s + 0.09}};
    dcs_case c = build(sites, 2, posed(DCS_BORN_HCT, 1));
    const double left = fmax(1 / p - taken(r, p, s), 1 / 30.0);
    assert_near(1 / radius_at(&c, 0) / left, 1, 1e-6);
    check_all(&c, 1);
    dcs_case_free(&c);
  }
}

/* OBC II of an integral that is known: psi = 1.41 I. */
static void radii_are_rescaled(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 0, .radius = 1.5}, {.x = 2.5, .radius = 1.7}};
  const double s = 0.8 * (1.7 - 0.09), psi = 1.41 * taken(2.5, 1.41, s);
  dcs_case c = build(sites, 2, posed(DCS_BORN_OBC, 0.8));
  const double z = psi - 0.8 * pow(psi, 2) + 4.85 * pow(psi, 3);
  assert_near(1 / radius_at(&c, 0), 1 / 1.41 - tanh(z) / 1.5, 1e-9);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* An atom alone has its own radius, less the offset; one far away hardly changes it. */
static void atoms_apart_keep_their_radii(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = -7, .radius = 1.5}, {.x = 200, .y = 50, .radius = 2}};
  for (int scaling = DCS_BORN_HCT; scaling <= DCS_BORN_OBC; scaling++) {
    dcs_case alone = build(sites, 1, posed(scaling, 0.8)),
             both = build(sites, 2, posed(scaling, 1));
    assert_near(radius_at(&alone, 0), 1.41, 1e-14);
    assert_near(kind->single(&alone.problem.config, sites, 0), 1.41, 1e-14);
    assert_true(radius_at(&both, 0) > 1.41);
    assert_near(radius_at(&both, 0), 1.41, 1e-8);
    check_all(&both, 1);
    dcs_case_free(&alone);
    dcs_case_free(&both);
  }
}

/* Atoms of a ball, on a lattice of 2 angstrom: the nearer to the middle, the larger. */
static void buried_atoms_have_larger_radii(void **state) {
  (void)state;
  enum { EDGE = 11 };
  static dcs_site sites[EDGE * EDGE * EDGE];
  int64_t n = 0, middle = 0, surface = 0;
  for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
    const int at[3] = {i % EDGE - 5, i / EDGE % EDGE - 5, i / EDGE / EDGE - 5};
    const int r2 = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
    if (r2 > 25) continue;
    if (r2 == 0) middle = n;
    if (at[0] == 5) surface = n;
    sites[n++] = (dcs_site){.x = 2 * at[0], .y = 2 * at[1], .z = 2 * at[2], .radius = 1.5};
  }
  float radii[EDGE * EDGE * EDGE];
  for (int scaling = DCS_BORN_HCT; scaling <= DCS_BORN_OBC; scaling++) {
    dcs_case c = build(sites, n, posed(scaling, 0.8));
    assert_true(compute(&c, 1, 0, radii));
    assert_true(radii[middle] > 1.3f * radii[surface] && radii[surface] > 1.41f);
    dcs_case_free(&c);
  }
}

/* More spheres than there is room for: hct ends at 30, obc at what the offset leaves. */
static void radii_end(void **state) {
  (void)state;
  dcs_site sites[20];
  for (int i = 0; i < 20; i++)
    sites[i] = (dcs_site){.x = cos(i), .y = sin(i), .z = 0.05 * i, .radius = 1.8};
  dcs_case c = build(sites, 20, posed(DCS_BORN_HCT, 1));
  assert_near(radius_at(&c, 3), 30, 1e-12);
  check_all(&c, 1);
  dcs_case_free(&c);
  c = build(sites, 20, posed(DCS_BORN_OBC, 1));
  assert_near(radius_at(&c, 3), 1.71 * 1.8 / 0.09, 1e-6);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* Radii are in the order of the input's atoms, 0 where an atom has none. */
static void atoms_without_a_radius_have_none(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1, .radius = 0}, {.x = 2, .radius = 1.5}, {.x = 2.1, .radius = 0.09}};
  dcs_case c = build(sites, 3, posed(DCS_BORN_OBC, 0.8));
  float radii[3];
  assert_int_equal(c.problem.n_inputs, 3);
  assert_near(radius_at(&c, 0), 0, 0);
  assert_near(radius_at(&c, 1), 1.41, 1e-14);
  assert_near(kind->work(&c, false), 9, 0);
  for (int isa = 0; isa < N_ISAS; isa++)
    if (compute(&c, 1, isa, radii)) assert_true(radii[0] == 0 && radii[2] == 0);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* ---- wrong radii are rejected ---- */

typedef struct {
  double offset, scale; /* of radii, of distances */
  int64_t spheres;      /* that count */
  bool self;            /* an atom descreens itself as its neighbour does */
} planted;

static void wrong_radii_are_rejected(void **state) {
  (void)state;
  enum { ATOMS = 60 };
  static const planted plans[] = {{0.09, 1, ATOMS, false},      {0.0901, 1, ATOMS, false},
                                  {0.09, 1.0002, ATOMS, false}, {0.09, 1, ATOMS - 1, false},
                                  {0.09, 1, ATOMS, true},       {0.09, 1, 0, false}};
  const dcs_config problem = posed(DCS_BORN_HCT, 0.8);
  const dcs_grid none = {0};
  float radii[ATOMS];
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, &problem, ATOMS, &none, 4, &c), DCS_OK);
  dcs_reference reference = reference_of(&c);
  for (size_t w = 0; w < sizeof plans / sizeof plans[0]; w++) {
    for (int i = 0; i < ATOMS; i++) {
      const dcs_site *a = &c.sites[i];
      const double p = a->radius - plans[w].offset;
      double sum = plans[w].self ? taken(1e-3, p, 1.05 * p) : 0;
      for (int j = 0; j < plans[w].spheres; j++) {
        const dcs_site *b = &c.sites[j];
        const double r = sqrt(pow(a->x - b->x, 2) + pow(a->y - b->y, 2) + pow(a->z - b->z, 2));
        if (i != j) sum += taken(plans[w].scale * r, p, 0.8 * (b->radius - plans[w].offset));
      }
      radii[i] = (float)(1 / fmax(1 / p - sum, 1 / 30.0));
    }
    const dcs_verdict verdict = dcs_check(&reference, radii, ATOMS);
    if (verdict.accepted != (w == 0)) fail_msg("radii %d: %g bounds", (int)w, verdict.bound_ratio);
  }
  radii[ATOMS - 1] = NAN;
  assert_false(dcs_check(&reference, radii, ATOMS).accepted);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* ---- the CPU variant ---- */

/* Around a vector and a tile of each instruction set; sparse, overlapping, in one another. */
static void radii_agree_with_double_precision(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 2, 7, 9, 16, 17, 31, 33, 64, 200, 1025};
  static const double factors[] = {0.05, 0.3, 0.8, 1};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const dcs_config problem = posed((int)s % 2, factors[s % 4]);
    const dcs_grid none = {0};
    dcs_case c;
    assert_int_equal(dcs_case_random(kind, &problem, sizes[s], &none, s + 1, &c), DCS_OK);
    check_all(&c, 1 + (int)s % 3);
    dcs_case_free(&c);
  }
}

/* Far from the origin, on one another or nearly, and of very different radii. */
static void any_atoms(void **state) {
  (void)state;
  enum { ATOMS = 300 };
  dcs_site sites[ATOMS];
  for (int a = 0; a < ATOMS; a++)
    sites[a] = (dcs_site){.x = 1e4 + 9 * sin(a * a),
                          .y = -3e3 + 9 * cos(3 * a),
                          .z = 0.05 * a,
                          .radius = a % 7 ? 0.3 + 0.2 * (a % 9) : 0.1 + 1e-4 * a};
  for (int d = 0; d < 3; d++) {
    sites[50 + d] = sites[50];
    sites[60 + d].x = sites[60].x + 1e-5 * d;
    sites[60 + d].y = sites[60].y;
    sites[60 + d].z = sites[60].z + 3e-4 * d;
  }
  sites[70].radius = 12;
  sites[80].x = 1e6;
  for (int scaling = DCS_BORN_HCT; scaling <= DCS_BORN_OBC; scaling++) {
    dcs_case c = build(sites, ATOMS, posed(scaling, 0.9));
    check_all(&c, 2);
    dcs_case_free(&c);
  }
}

/* To the bit with the atoms in another order, but for sums in another order; and threads change no
 * bit. */
static void order_and_threads_change_nothing(void **state) {
  (void)state;
  enum { ATOMS = 500 };
  const dcs_grid none = {0};
  dcs_case c;
  float one[ATOMS], three[ATOMS];
  assert_int_equal(dcs_case_random(kind, NULL, ATOMS, &none, 3, &c), DCS_OK);
  assert_true(compute(&c, 1, 0, one) && compute(&c, 3, 0, three));
  assert_memory_equal(one, three, sizeof one);
  for (int a = 0; a < ATOMS / 2; a++) {
    dcs_sphere *atoms = (dcs_sphere *)c.problem.input[DCS_BORN_ATOMS], first = atoms[a];
    atoms[a] = atoms[ATOMS - 1 - a];
    atoms[ATOMS - 1 - a] = first;
  }
  assert_true(compute(&c, 1, 0, three));
  for (int a = 0; a < ATOMS; a++)
    assert_near(three[ATOMS - 1 - a], one[a], 1e-4 * one[a]);
  dcs_case_free(&c);
}

/* ---- a kind without a grid ---- */

/* At a tenth of an atom in a cubic angstrom, in a cube. */
static void random_atoms_have_a_density(void **state) {
  (void)state;
  const dcs_grid none = {0};
  dcs_case c;
  double least = INFINITY, most = 0;
  assert_int_equal(dcs_case_random(kind, NULL, 2700, &none, 3, &c), DCS_OK);
  for (int64_t a = 0; a < c.n_sites; a++) {
    least = fmin(least, fmin(c.sites[a].x, fmin(c.sites[a].y, c.sites[a].z)));
    most = fmax(most, fmax(c.sites[a].x, fmax(c.sites[a].y, c.sites[a].z)));
  }
  assert_near(least, 0, 0.2);
  assert_near(most, 30, 0.2);
  assert_near(dcs_case_largest(&c), most, 0);
  const dcs_size size = dcs_case_size(&c);
  assert_int_equal(size.axes[0], 2700);
  assert_int_equal(size.axes[1], 0);
  assert_near(dcs_estimate(&size, 1, NULL), 2700.0 * 2700, 0);
  assert_int_equal(dcs_size_points(&size).x, 2700);
  dcs_case_free(&c);
}

static void a_grid_is_refused(void **state) {
  (void)state;
  static const char *const commands[] = {"sweep --problem born --atoms 10 --grid 3^3 --out none",
                                         "sweep --problem born --atoms 10 --spacing 1 --out none",
                                         "tune cpu_born --atoms 10 --grid 3^3 --list",
                                         "trace cuda_born_thread --grid 3^3",
                                         "explain cuda_born_thread --grid 3^3",
                                         "verify --problem born --variants cpu_born --input "
                                         "tests/corpus/molecule/plain.pqr --grid 3^3"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    assert_status(program_run("%s", commands[i]), DCS_USAGE);
    assert_contains(program_err, "expected none: born has atoms alone");
  }
  assert_status(program_run("sweep --problem born --out none"), DCS_USAGE);
  assert_contains(program_err, "--atoms is missing");
}

static void sizes_are_atoms_alone(void **state) {
  (void)state;
  assert_status(program_run("sweep --problem born --variants cpu_born --config "
                            "threads=1,isa=portable --atoms 20,40 --rounds 2 --out %s",
                            in_folder("run")),
                0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 2);
  assert_near(number_at(t, 1, "atoms"), 40, 0);
  assert_string_equal(text_at(t, 1, "nx"), "");
  assert_string_equal(text_at(t, 1, "spacing"), "");
  assert_near(number_at(t, 1, "padded_nx"), 40, 0);
  assert_near(number_at(t, 0, "padding_overhead"), 0.2, 1e-9); /* tiles of 8 */
  assert_near(number_at(t, 0, "evals_executed"), 20 * 24, 0);
  assert_near(number_at(t, 1, "evals_useful"), 1600, 0);
  dcs_table *env = run_table("run", "env.csv");
  double limit = NAN;
  for (size_t row = 0; row < dcs_table_rows(env); row++)
    if (strcmp(text_at(env, row, "key"), "limit_cpu_1_fma_per_s") == 0)
      limit = number_at(env, row, "value");
  const double fraction = 13 * number_at(t, 1, "evals_per_s") / limit; /* 13 operations a pair */
  assert_near(number_at(t, 1, "limit_fraction") / fraction, 1, 1e-6);
  dcs_table_free(env);
  dcs_table_free(t);
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "cpu_born");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_what_quadrature_says),
      cmocka_unit_test(radii_are_rescaled),
      cmocka_unit_test(atoms_apart_keep_their_radii),
      cmocka_unit_test(buried_atoms_have_larger_radii),
      cmocka_unit_test(radii_end),
      cmocka_unit_test(atoms_without_a_radius_have_none),
      cmocka_unit_test(wrong_radii_are_rejected),
      cmocka_unit_test(radii_agree_with_double_precision),
      cmocka_unit_test(any_atoms),
      cmocka_unit_test(order_and_threads_change_nothing),
      cmocka_unit_test(random_atoms_have_a_density),
      cmocka_unit_test(a_grid_is_refused),
      cmocka_unit_test(sizes_are_atoms_alone),
  };
  return cmocka_run_group_tests_name("born", tests, find_entries, program_teardown);
}
