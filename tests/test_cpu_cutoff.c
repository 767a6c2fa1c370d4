/* Sums with a cutoff on the CPU, against double precision. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "kernels/coulomb/cpu/cutoff.h"
#include "tests/coulomb_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static dcs_case build(dcs_site *sites, int64_t n_sites, dcs_dims n, double spacing) {
  const dcs_molecule molecule = {sites, n_sites};
  const dcs_grid grid = {.n = n, .spacing = spacing, .has_origin = true};
  dcs_case c;
  assert_int_equal(dcs_case_build(dcs_kinds[0], NULL, &molecule, &grid, &c), DCS_OK);
  return c;
}

/* Atoms in the grid's box and up to a tenth of an edge around it. */
static dcs_case random_case(dcs_dims n, int64_t atoms, double spacing) {
  const dcs_grid grid = {.n = n, .spacing = spacing};
  dcs_case c;
  assert_int_equal(
      dcs_case_random(dcs_kinds[0], NULL, atoms, &grid, (uint64_t)(n.x * 31 + n.y * 7 + atoms), &c),
      DCS_OK);
  return c;
}

static void assert_map(const dcs_case *c, int64_t longest, float *map) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  dcs_apply_fixes(c->fixes, c->n_fixes, map);
  dcs_verdict verdict = dcs_check(&reference, map, longest);
  dcs_reference_free(&reference);
  if (!verdict.accepted)
    fail_msg("cutoff %g, %d atoms: point %d is %.9g; expected %.9g",
             (double)dcs_cutoff(&c->problem), (int)c->problem.n_inputs, (int)verdict.worst,
             verdict.found, verdict.expected);
}

static float *zero_map(dcs_dims n) {
  float *map = calloc((size_t)dcs_points(n), sizeof *map);
  assert_non_null(map);
  return map;
}

enum { GUARD = 64, N_ISAS = 3 };

static const dcs_variant *cutoff(void) {
  const dcs_variant *variant = dcs_find_variant("cpu_cutoff");
  assert_non_null(variant);
  return variant;
}

static dcs_config configure(int threads, int isa, int cell_edge) {
  dcs_config config = dcs_initial_config(cutoff(), 1);
  config.value[dcs_find_role(cutoff(), DCS_ROLE_THREADS)] =
      threads < cutoff()->params[0].hi ? threads : cutoff()->params[0].hi;
  config.value[dcs_find_param(cutoff(), "isa")] = isa;
  config.value[dcs_find_param(cutoff(), "cell_edge")] = cell_edge;
  return config;
}

/* Computes into NaN, between guard words that must survive; the caller frees. NULL when the machine
 * lacks the instruction set. */
static float *compute(const dcs_case *c, const dcs_config *config) {
  char why[DCS_TEXT];
  if (!dcs_applicable(cutoff(), &c->problem, config, why)) return NULL;
  size_t n = (size_t)dcs_points(c->problem.n);
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole), *map = zero_map(c->problem.n);
  unsigned char guard[GUARD * sizeof(float)];
  assert_non_null(whole);
  memset(guard, 0x5a, sizeof guard);
  memset(whole, 0x5a, (n + 2 * GUARD) * sizeof *whole);
  for (size_t p = 0; p < n; p++)
    whole[GUARD + p] = NAN;
  assert_true(cutoff()->compute(&c->problem, config, OUT(whole + GUARD)));
  assert_memory_equal(whole, guard, sizeof guard);
  assert_memory_equal(whole + GUARD + n, guard, sizeof guard);
  memcpy(map, whole + GUARD, n * sizeof *map);
  free(whole);
  return map;
}

static void check(const dcs_case *c, const dcs_config *config) {
  float *map = compute(c, config);
  if (map) assert_map(c, cutoff()->longest_sum(&c->problem, config), map);
  free(map);
}

/* Both maps of the cutoff on every instruction set. */
static void check_all(dcs_case *c, double angstrom, int threads, int cell_edge) {
  for (int isa = 0; isa < N_ISAS; isa++)
    for (int switching = DCS_SWITCHING_NONE; switching <= DCS_SWITCHING_C2; switching++) {
      dcs_config config = configure(threads, isa, cell_edge);
      pose_within(c, angstrom, switching);
      check(c, &config);
    }
}

/* ---- whole maps ---- */

/* Around a tile, primes, long and flat; less than an atom, some and all atoms within the cutoff. */
static void maps_agree_with_double_precision(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1},   {3, 5, 4},  {4, 4, 4}, {5, 3, 9},
                                   {13, 11, 7}, {67, 1, 2}, {1, 2, 31}};
  static const double cutoffs[] = {0.01, 0.6, 1.9, 4.3, 100};
  static const int edges[] = {5, 12, 40, 10000};
  for (int s = 0; s < 7; s++)
    for (int i = 0; i < 5; i++) {
      dcs_case c = random_case(sizes[s], s % 2 ? 300 : 1 + 9 * s, 0.37);
      check_all(&c, cutoffs[i], 1 + (s + i) % 3, edges[(s + i) % 4]);
      dcs_case_free(&c);
    }
}

/* More than a batch of atoms in one tile's reach, every atom in one place; what is left of them
 * fills no vector. */
static void all_atoms_in_one_place(void **state) {
  (void)state;
  enum { N = 701 };
  dcs_site *sites = calloc(N, sizeof *sites);
  assert_non_null(sites);
  for (int a = 0; a < N; a++)
    sites[a] = (dcs_site){.x = 1.3, .y = 0.9, .z = 0.2, .q = a % 3 ? 0.5 : -0.7};
  dcs_case c = build(sites, N, (dcs_dims){9, 6, 5}, 0.5);
  check_all(&c, 1.1, 1, 5);
  check_all(&c, 50, 2, 40);
  dcs_case_free(&c);
  free(sites);
}

/* Bricks of several batches, whose tiles see different parts of them; the last bricks in x and y
 * have tiles outside the map. */
static void bricks_of_several_batches(void **state) {
  (void)state;
  dcs_case c = random_case((dcs_dims){19, 9, 8}, 900, 0.5);
  check_all(&c, 2.6, 2, 12);
  check_all(&c, 7, 1, 40);
  dcs_case_free(&c);
}

/* Atoms beside the grid are in when they are within the cutoff of a point; one far away neither
 * disturbs nor makes cells without number. */
static void atoms_outside_the_grid(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = -1, .y = 1, .z = 1, .q = 1},     {.x = 4, .y = 4, .z = 4, .q = -2},
                      {.x = 1, .y = -1.9, .z = 1, .q = 3},   {.x = -1.5, .y = -1.5, .q = 1},
                      {.x = 1e6, .y = -1e6, .z = 1, .q = 1}, {.x = 1, .y = 1, .z = -2.1, .q = 1}};
  dcs_case near = build(sites, 6, (dcs_dims){7, 6, 7}, 0.5),
           far = build(sites + 4, 1, (dcs_dims){7, 6, 7}, 0.5);
  check_all(&near, 2, 1, 5);
  check_all(&near, 2e6, 1, 5);
  check_all(&far, 2, 2, 40);
  dcs_config config = configure(1, 0, 40);
  pose_within(&far, 2, DCS_SWITCHING_C2);
  float *map = compute(&far, &config);
  for (int p = 0; p < 7 * 6 * 7; p++)
    assert_true(map[p] == 0);
  free(map);
  dcs_case_free(&near);
  dcs_case_free(&far);
}

/* A spacing that no cutoff reaches across, and a grid far larger than its atoms are many. */
static void coarse_grids(void **state) {
  (void)state;
  dcs_case c = random_case((dcs_dims){9, 7, 5}, 200, 1e4);
  check_all(&c, 30, 1, 5);
  check_all(&c, 2e4, 2, 5);
  dcs_case_free(&c);
}

/* So many atoms that threads share the sorting, all of them or, in short cells, some. */
static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  static const int edges[] = {17, 5};
  dcs_case c = random_case((dcs_dims){19, 13, 11}, 5000, 0.5);
  pose_within(&c, 2.3, DCS_SWITCHING_C2);
  for (int isa = 0; isa < N_ISAS; isa++)
    for (int e = 0; e < 2; e++) {
      dcs_config one = configure(1, isa, edges[e]), many = configure(33, isa, edges[e]);
      float *by_one = compute(&c, &one), *by_many = compute(&c, &many);
      if (by_one) assert_memory_equal(by_one, by_many, 19 * 13 * 11 * sizeof(float));
      free(by_one);
      free(by_many);
    }
  dcs_case_free(&c);
}

/* ---- memory ---- */

/* Bytes of address space that the process has now. */
static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  assert_non_null(statm);
  assert_int_equal(fscanf(statm, "%lu", &pages), 1);
  fclose(statm);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* With so many bytes more than it has, a process of its own computes the map: whether it could. */
static bool computes_with(rlim_t more, const dcs_case *c, const dcs_config *config, float *map) {
  int status;
  rlim_t bytes = address_space() + more;
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0) _exit(2);
    _exit(cutoff()->compute(&c->problem, config, OUT(map)) ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return WEXITSTATUS(status) == 0;
}

/* A million atoms take 16 MB in cells, and 4 MB to find these. */
static void too_little_memory_is_told(void **state) {
  (void)state;
  if (address_space() > (rlim_t)1 << 40) skip(); /* a sanitizer's, which needs more of it */
  dcs_case c = random_case((dcs_dims){8, 8, 8}, 1000000, 0.5);
  pose_within(&c, 1, DCS_SWITCHING_C2);
  float *map = zero_map(c.problem.n);
  dcs_config config = configure(1, 0, 40);
  assert_false(computes_with(2 << 20, &c, &config, map));
  assert_false(computes_with(18 << 20, &c, &config, map));
  assert_true(computes_with(64 << 20, &c, &config, map));
  free(map);
  dcs_case_free(&c);
}

/* ---- candidate pairs ---- */

static double pairs(const dcs_case *c, const dcs_config *config) {
  dcs_candidates found;
  cutoff()->candidates(&c->problem, config, &found);
  assert_int_equal(found.overflow, 0);
  assert_true(isnan(found.fill));
  return found.pairs;
}

/* A tile of 4 x 4 x 4 points 1 apart, so its box is 0..3, cutoff 1.5: of the six atoms, the one
 * inside, the one 1 beside a face and the one sqrt(2) beside an edge; not those 2 beside a face,
 * sqrt(3) beside a corner, far away. Each is taken to all 64 points. */
static void one_tile_by_hand(void **state) {
  (void)state;
  dcs_site sites[] = {{.x = 1.2, .y = 1.3, .z = 1.4, .q = 1}, {.x = -1, .y = 1.3, .z = 1.4, .q = 1},
                      {.x = -1, .y = 4, .z = 1.4, .q = 1},    {.x = 1.2, .y = 1.3, .z = 5, .q = 1},
                      {.x = 4, .y = 4, .z = -1, .q = 1},      {.x = 99, .y = 1, .z = 1, .q = 1}};
  dcs_case c = build(sites, 6, (dcs_dims){4, 4, 4}, 1);
  pose_within(&c, 1.5, DCS_SWITCHING_C2);
  dcs_config config = configure(1, 0, 10);
  assert_true(pairs(&c, &config) == 3 * 64);
  c.problem.n = (dcs_dims){4, 4, 1}; /* the box is a square: atoms 1 and 2 are 1.4 and more away */
  assert_true(pairs(&c, &config) == 64);
  dcs_dims executed = cutoff()->executed(&c.problem, &config);
  assert_true(executed.x == 4 && executed.y == 4 && executed.z == 4);
  dcs_case_free(&c);
}

/* Atoms within `c` of a tile's box, over all tiles, in double precision. */
static double brute_force(const dcs_case *c, double reach) {
  const int64_t n[3] = {c->problem.n.x, c->problem.n.y, c->problem.n.z};
  double found = 0;
  int64_t first[3];
  for (first[2] = 0; first[2] < n[2]; first[2] += 4)
    for (first[1] = 0; first[1] < n[1]; first[1] += 4)
      for (first[0] = 0; first[0] < n[0]; first[0] += 4)
        for (int64_t a = 0; a < c->n_sites; a++) {
          const double at[3] = {c->sites[a].x, c->sites[a].y, c->sites[a].z};
          double r2 = 0;
          for (int d = 0; d < 3; d++) {
            double last = fmin((double)first[d] + 3, (double)n[d] - 1);
            double lo = c->spacing * (double)first[d] - at[d], hi = at[d] - c->spacing * last;
            double beside = fmax(fmax(lo, hi), 0);
            r2 += beside * beside;
          }
          found += 64 * (r2 <= reach * reach);
        }
  return found;
}

/* Whatever the cells, the atoms within the cutoff of a tile's box, and no others: to the rounding.
 */
static void candidate_pairs_are_those_within_a_tiles_reach(void **state) {
  (void)state;
  static const int edges[] = {5, 23, 40, 10000};
  dcs_case c = random_case((dcs_dims){19, 13, 11}, 900, 0.5);
  pose_within(&c, 1.7, DCS_SWITCHING_NONE);
  double least = brute_force(&c, 1.7 - 1e-5), most = brute_force(&c, 1.7 + 1e-5);
  double useful = c.kind->work(&c, true);
  char why[DCS_TEXT];
  for (int isa = 0; isa < N_ISAS; isa++)
    for (int e = 0; e < 4; e++) {
      dcs_config config = configure(1 + e % 2, isa, edges[e]);
      if (!dcs_applicable(cutoff(), &c.problem, &config, why)) continue;
      double found = pairs(&c, &config);
      assert_true(found >= least && found <= most && found > useful);
    }
  dcs_case_free(&c);
}

/* ---- the descriptor ---- */

static void expect_refused(const dcs_problem *problem, const dcs_config *config, const char *said) {
  char why[DCS_TEXT] = "";
  assert_false(dcs_applicable(cutoff(), problem, config, why));
  if (!strstr(why, said)) fail_msg("\"%s\" lacks \"%s\"", why, said);
}

static void what_is_refused(void **state) {
  (void)state;
  dcs_problem problem = {.n_inputs = 1, .n = {9, 9, 9}, .spacing = 1, .config = {{1}}};
  dcs_config config = configure(1, 0, 40);
  char why[DCS_TEXT];
  assert_true(dcs_applicable(cutoff(), &problem, &config, why));
  problem.config = within(0, DCS_SWITCHING_NONE);
  expect_refused(&problem, &config, "within a cutoff, and none is given (--cutoff)");
  problem.config = within(1, DCS_SWITCHING_NONE);
  problem.n.y = (1 << 24) + 1;
  expect_refused(&problem, &config, "16777216 points");
  problem.n.y = 9;
  problem.n_inputs = INT64_C(1) << 31;
  expect_refused(&problem, &config, "2147483631 atoms");
  problem.n_inputs = 1;
  config = configure(1, 0, 4);
  expect_refused(&problem, &config, "cell_edge=4 is outside 5..10000");
}

/* The best instruction set stands when nobody chooses; one that is switched off is refused. */
static void the_best_instruction_set_is_initial(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 1, .n = {9, 9, 9}, .spacing = 1, .config = {{1}}};
  int isa = dcs_find_param(cutoff(), "isa");
  char why[DCS_TEXT];
  unsetenv("DCS_DISABLE_ISA");
  dcs_config config = dcs_initial_config(cutoff(), 1);
  assert_true(dcs_applicable(cutoff(), &problem, &config, why));
  for (int better = config.value[isa] + 1; better < N_ISAS; better++) {
    dcs_config other = configure(1, better, 40);
    assert_false(dcs_applicable(cutoff(), &problem, &other, why));
  }
  setenv("DCS_DISABLE_ISA", "avx512,avx2", 1);
  config = configure(1, 1, 40);
  expect_refused(&problem, &config, "avx2 is switched off by DCS_DISABLE_ISA");
  assert_int_equal(dcs_initial_config(cutoff(), 1).value[isa], 0);
  unsetenv("DCS_DISABLE_ISA");
}

static void descriptors_tell_the_cost(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 1000, .n = {17, 5, 3}, .spacing = 1, .config = {{1}}};
  const dcs_config config = configure(1, 0, 40);
  dcs_dims dims = cutoff()->executed(&problem, &config);
  assert_true(dims.x == 20 && dims.y == 8 && dims.z == 4);
  assert_int_equal(cutoff()->longest_sum(&problem, &config), 512 + 2);
  assert_true(cutoff()->flops_per_eval(&config) == 10.25);
}

/* ---- a few atoms added ---- */

static void added_atoms_agree_with_double_precision(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{1, 1, 1}, {9, 5, 2}, {17, 11, 13}};
  static const double cutoffs[] = {0.01, 0.5, 1.3, 2.7, 100};
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < 5; i++) {
      dcs_case c = random_case(sizes[s], 1 + 29 * s, 0.37);
      pose_within(&c, cutoffs[i], i % 2 ? DCS_SWITCHING_C2 : DCS_SWITCHING_NONE);
      float *map = zero_map(sizes[s]);
      dcs_cpu_cutoff_add(&c.problem, map);
      assert_map(&c, c.problem.n_inputs, map);
      free(map);
      dcs_case_free(&c);
    }
}

/* Half the atoms, then the others: as all at once. And what the map holds stays. */
static void adding_adds(void **state) {
  (void)state;
  dcs_case c = random_case((dcs_dims){12, 10, 8}, 40, 0.37);
  pose_within(&c, 1.3, DCS_SWITCHING_C2);
  size_t bytes = (size_t)dcs_points(c.problem.n) * sizeof(float);
  float *once = zero_map(c.problem.n), *twice = zero_map(c.problem.n);
  once[0] = twice[0] = 1024;
  dcs_cpu_cutoff_add(&c.problem, once);
  dcs_problem half = c.problem;
  half.n_inputs = 20;
  dcs_cpu_cutoff_add(&half, twice);
  half.input[0] = dcs_atoms(&half) + 20;
  dcs_cpu_cutoff_add(&half, twice);
  assert_memory_equal(once, twice, bytes);
  assert_true(once[0] > 1000);
  free(once);
  free(twice);
  dcs_case_free(&c);
}

/* On a line of points 1 apart, an atom of charge 1 between points 2 and 3, cutoff 1.5: points 2 and
 * 3, 0.5 away; 1 and 4 lie at the cutoff itself, which is out. */
static void an_atom_reaches_the_points_nearer_than_the_cutoff(void **state) {
  (void)state;
  dcs_site site = {.x = 2.5, .q = 1};
  dcs_case c = build(&site, 1, (dcs_dims){6, 1, 1}, 1);
  pose_within(&c, 1.5, DCS_SWITCHING_NONE);
  const float plain[6] = {0, 0, 2, 2, 0, 0};
  float map[6] = {0};
  dcs_cpu_cutoff_add(&c.problem, map);
  assert_memory_equal(map, plain, sizeof map);
  c.problem.config = within(1.5, DCS_SWITCHING_C2); /* 1 - 1/9 */
  memset(map, 0, sizeof map);
  dcs_cpu_cutoff_add(&c.problem, map);
  assert_true(fabs((double)map[2] - 2 * 64.0 / 81) < 1e-6 && map[3] == map[2]);
  assert_true(map[0] == 0 && map[1] == 0 && map[4] == 0 && map[5] == 0);
  dcs_case_free(&c);
}

#ifdef __x86_64__
/* The upper halves of the 16 vector registers that SSE code uses, as they are now. */
static void upper_halves(float half[16][4]) {
#define UPPER(n)                                                                                   \
  __asm__ volatile("vextractf128 $1, %%ymm" #n ", %0" : "=m"(*(float(*)[4])half[n]) : : "memory")
  UPPER(0);
  UPPER(1);
  UPPER(2);
  UPPER(3);
  UPPER(4);
  UPPER(5);
  UPPER(6);
  UPPER(7);
  UPPER(8);
  UPPER(9);
  UPPER(10);
  UPPER(11);
  UPPER(12);
  UPPER(13);
  UPPER(14);
  UPPER(15);
#undef UPPER
}
#endif

/* What wide vectors leave there makes SSE code after them several times as slow. */
static void upper_halves_of_registers_are_given_back(void **state) {
  (void)state;
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx")) skip();
  dcs_case c = random_case((dcs_dims){40, 17, 9}, 500, 0.5);
  c.problem.config = within(3, DCS_SWITCHING_NONE);
  float *map = zero_map(c.problem.n);
  for (int isa = 0; isa < N_ISAS; isa++) {
    static const float none[16][4];
    float half[16][4];
    char why[DCS_TEXT];
    const dcs_config config = configure(1, isa, 40);
    if (!dcs_applicable(cutoff(), &c.problem, &config, why)) continue;
    assert_true(cutoff()->compute(&c.problem, &config, OUT(map)));
    upper_halves(half);
    assert_memory_equal(half, none, sizeof half);
  }
  free(map);
  dcs_case_free(&c);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_agree_with_double_precision),
      cmocka_unit_test(all_atoms_in_one_place),
      cmocka_unit_test(bricks_of_several_batches),
      cmocka_unit_test(atoms_outside_the_grid),
      cmocka_unit_test(coarse_grids),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(too_little_memory_is_told),
      cmocka_unit_test(one_tile_by_hand),
      cmocka_unit_test(candidate_pairs_are_those_within_a_tiles_reach),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(the_best_instruction_set_is_initial),
      cmocka_unit_test(descriptors_tell_the_cost),
      cmocka_unit_test(added_atoms_agree_with_double_precision),
      cmocka_unit_test(adding_adds),
      cmocka_unit_test(an_atom_reaches_the_points_nearer_than_the_cutoff),
      cmocka_unit_test(upper_halves_of_registers_are_given_back),
  };
  return cmocka_run_group_tests_name("cpu_cutoff", tests, NULL, NULL);
}
