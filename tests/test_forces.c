/* Forces: what is right, by hand and by laws; the CPU variant against that; inputs; and emulated
 * kernels on crowded atoms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/forces/clusters.h"
#include "tests/forces_case.h"
#include "tuning/dispatch/cost.h"

/* Atoms with wells of their own, and bonds. */
static dcs_case build(dcs_site *sites, int64_t n, dcs_lennard_jones *wells, int64_t (*bonds)[2],
                      int64_t n_bonds, const char *problem) {
  const dcs_molecule molecule = {
      .sites = sites,
      .n = n,
      .field = {.n = n, .wells = wells, .bonds = bonds, .n_bonds = n_bonds}};
  const dcs_config config = posed(problem);
  dcs_case c;
  if (dcs_case_build(kind, &config, &molecule, &none, &c) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return c;
}

static dcs_case water(int64_t n, const char *problem) {
  const dcs_config config = posed(problem);
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, &config, n, &none, (uint64_t)n, &c), DCS_OK);
  return c;
}

/* ---- what is right ---- */

/* Argon-like atoms: at R_min the well's depth and no force, at R_min / 2^(1/6) no energy. */
static void a_well_is_where_it_should_be(void **state) {
  (void)state;
  dcs_lennard_jones wells[] = {{1.5, 0.2}, {2, 0.8}};
  const double minimum = 3.5, depth = 0.4;
  dcs_site sites[] = {{.x = 1, .y = 2, .z = 3}, {.x = 1 + minimum, .y = 2, .z = 3}};
  dcs_case c = build(sites, 2, wells, NULL, 0, "");
  assert_near(energy_of(&c), -depth, 1e-12);
  assert_near(right(&c, 0, 0), 0, 1e-12);
  dcs_case_free(&c);
  sites[1].x = 1 + minimum / pow(2, 1.0 / 6);
  c = build(sites, 2, wells, NULL, 0, "");
  assert_near(energy_of(&c), 0, 1e-12);
  assert_near(right(&c, 0, 0), -24 * depth * pow(2, 1.0 / 6) / minimum, 1e-10);
  assert_near(right(&c, 1, 0), 24 * depth * pow(2, 1.0 / 6) / minimum, 1e-10);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* From 9 to 12: at 10.5 t = (10.5^2 - 81) / 63, and the energy is 1 - 3 t^2 + 2 t^3 of what it was.
 */
static void wells_are_switched(void **state) {
  (void)state;
  static const double at[] = {8.9, 9.1, 10.5, 11.9, 12.1};
  dcs_lennard_jones wells[] = {{2, 5}, {2, 5}};
  for (int i = 0; i < 5; i++) {
    const double r = at[i], t = fmin(fmax((r * r - 81) / 63, 0), 1), b = pow(4 / r, 6);
    dcs_site sites[] = {{.z = 0}, {.z = r}};
    dcs_case c = build(sites, 2, wells, NULL, 0, "switch_from=9");
    assert_near(energy_of(&c), 5 * (b * b - 2 * b) * (1 - 3 * t * t + 2 * t * t * t), 1e-12);
    check_all(&c, 1);
    dcs_case_free(&c);
  }
}

static void charges_are_shifted_or_of_an_ewald_sum(void **state) {
  (void)state;
  dcs_lennard_jones wells[2] = {{0}};
  dcs_site sites[] = {{.q = 0.5}, {.y = 5, .q = -0.8}};
  dcs_case c = build(sites, 2, wells, NULL, 0, "cutoff=10");
  assert_near(energy_of(&c), -0.4 * K / 5 * 0.75 * 0.75, 1e-11);
  assert_near(right(&c, 0, 1), 0.4 * K * (0.75 * 0.75 / 25 + 4 * 0.75 / 100), 1e-11);
  check_all(&c, 1);
  dcs_case_free(&c);
  c = build(sites, 2, wells, NULL, 0, "cutoff=10,electrostatics=ewald,alpha=0.2");
  assert_near(energy_of(&c), -0.4 * K / 5 * erfc(1), 1e-11);
  assert_near(right(&c, 0, 1), 0.4 * K / 5 * (erfc(1) / 5 + 0.4 / sqrt(acos(-1)) * exp(-1)), 1e-11);
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* A chain of six: 0 and 3 are the first that count. */
static void bonded_atoms_are_excluded(void **state) {
  (void)state;
  enum { ATOMS = 6 };
  int64_t bonds[][2] = {{1, 0}, {1, 2}, {2, 3}, {4, 3}, {4, 5}, {5, 4}};
  dcs_lennard_jones wells[ATOMS] = {{0}};
  dcs_site sites[ATOMS];
  for (int i = 0; i < ATOMS; i++)
    sites[i] = (dcs_site){.x = 1.5 * i, .y = i % 2, .q = 1};
  dcs_case c = build(sites, ATOMS, wells, bonds, 6, "");
  static const int32_t expected[] = {1, 2, 0, 2, 3, 0, 1, 3, 4, 1, 2, 4, 5, 2, 3, 5, 3, 4};
  static const int32_t begins[] = {0, 2, 5, 9, 13, 16, 18};
  assert_memory_equal(c.problem.input[DCS_FORCES_BEGINS], begins, sizeof begins);
  assert_memory_equal(c.problem.input[DCS_FORCES_EXCLUDED], expected, sizeof expected);
  assert_near(kind->work(&c, false), 6, 0); /* 0 3, 0 4, 0 5, 1 4, 1 5, 2 5 */
  check_all(&c, 1);
  dcs_case_free(&c);
}

/* One molecule has no pairs; of two, nine. A part of one has the bonds of its atoms. */
static void molecules_of_water_do_not_pull_themselves(void **state) {
  (void)state;
  static const double pairs[] = {0, 0, 0, 3, 6, 9, 15};
  for (int n = 1; n <= 7; n++) {
    dcs_case c = water(n, "");
    assert_near(kind->work(&c, false), pairs[n - 1], 0);
    assert_near(c.field.n_bonds, n - (n + 2) / 3, 0);
    check_all(&c, 1);
    dcs_case_free(&c);
  }
}

/* ---- laws ---- */

static const char *const problems[] = {
    "", "cutoff=5,electrostatics=ewald,alpha=0.5,switch_from=1", "cutoff=4.5,boundary=periodic",
    "cutoff=6,boundary=periodic,electrostatics=ewald", "cutoff=1.5"};
enum { N_PROBLEMS = sizeof problems / sizeof problems[0] };

static void forces_sum_to_zero(void **state) {
  (void)state;
  enum { ATOMS = 66 };
  float forces[4 * ATOMS];
  for (int p = 0; p < N_PROBLEMS; p++) {
    dcs_case c = water(ATOMS, problems[p]);
    for (int k = 0; k < 3; k++) {
      double sum = 0, size = 0;
      for (int i = 0; i < ATOMS; i++) {
        sum += right(&c, i, k);
        size += fabs(right(&c, i, k));
      }
      assert_near(sum, 0, 1e-12 * size);
      for (int isa = 0; isa < N_ISAS; isa++) {
        if (!compute(&c, 1, isa, forces)) continue;
        double found = 0;
        for (int i = 0; i < ATOMS; i++)
          found += (double)forces[4 * i + k];
        assert_near(found, 0, 1e-5 * size);
      }
    }
    dcs_case_free(&c);
  }
}

/* By central differences: off by h^2 times the third derivative. */
static void forces_are_the_energy_s_gradient(void **state) {
  (void)state;
  enum { ATOMS = 45 };
  const double h = 1e-5;
  for (int p = 0; p < N_PROBLEMS; p++) {
    dcs_case c = water(ATOMS, problems[p]);
    for (int i = 0; i < ATOMS; i += 7) {
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
  enum { ATOMS = 48 };
  const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  dcs_case c = water(ATOMS, "cutoff=7"), turned = water(ATOMS, "cutoff=7");
  for (int i = 0; i < ATOMS; i++) {
    const double s[] = {c.sites[i].x, c.sites[i].y, c.sites[i].z};
    double *const to[] = {&turned.sites[i].x, &turned.sites[i].y, &turned.sites[i].z};
    for (int k = 0; k < 3; k++)
      *to[k] = turn[k][0] * s[0] + turn[k][1] * s[1] + turn[k][2] * s[2] + 3;
  }
  for (int i = 0; i < ATOMS; i++) {
    assert_near(right(&turned, i, 3), right(&c, i, 3), 1e-9 * (1 + fabs(right(&c, i, 3))));
    for (int k = 0; k < 3; k++) {
      const double expected = turn[k][0] * right(&c, i, 0) + turn[k][1] * right(&c, i, 1) +
                              turn[k][2] * right(&c, i, 2);
      assert_near(right(&turned, i, k), expected, 1e-9 * (10 + fabs(expected)));
    }
  }
  dcs_case_free(&c);
  dcs_case_free(&turned);
}

/* An atom near a face meets the one near the other, wherever either's image is. */
static void images_pull(void **state) {
  (void)state;
  static const double shifts[] = {0, 20, -40, 60};
  dcs_lennard_jones wells[] = {{1.5, 0.1}, {1.5, 0.1}};
  for (int i = 0; i < 4; i++) {
    dcs_site sites[] = {{.x = 0.5, .y = 1, .z = 2, .q = 1},
                        {.x = 19 + shifts[i], .y = 1, .z = 2, .q = 1}};
    dcs_case c =
        build(sites, 2, wells, NULL, 0, "cutoff=9,boundary=periodic,cell_x=20,cell_y=18,cell_z=40");
    dcs_site next[] = {{.x = 0.5, .y = 1, .z = 2, .q = 1}, {.x = -1, .y = 1, .z = 2, .q = 1}};
    dcs_case open = build(next, 2, wells, NULL, 0, "cutoff=9");
    assert_near(right(&c, 0, 0), right(&open, 0, 0), 1e-9);
    assert_near(kind->work(&c, false), 1, 0);
    check_all(&c, 1);
    dcs_case_free(&c);
    dcs_case_free(&open);
  }
}

/* ---- wrong forces are rejected ---- */

static void wrong_forces_are_rejected(void **state) {
  (void)state;
  enum { ATOMS = 150, VALUES = 4 * ATOMS };
  float forces[VALUES], wrong[VALUES];
  dcs_case c = water(ATOMS, "cutoff=8");
  dcs_reference reference = reference_of(&c);
  for (int i = 0; i < VALUES; i++)
    forces[i] = (float)reference.sums[i].v;
  assert_true(dcs_check(&reference, forces, ATOMS).accepted);
  static const char *const others[] = {"cutoff=7.99", "cutoff=8,switch_from=5",
                                       "cutoff=8,boundary=periodic",
                                       "cutoff=8,electrostatics=ewald,alpha=0.05"};
  for (int o = 0; o < 4; o++) {
    dcs_case other = water(ATOMS, others[o]);
    for (int i = 0; i < VALUES; i++)
      wrong[i] = (float)right(&other, i / 4, i % 4);
    if (dcs_check(&reference, wrong, ATOMS).accepted) fail_msg("%s passes", others[o]);
    dcs_case_free(&other);
  }
  for (int w = 0; w < 4; w++) {
    static const float factors[] = {0, -1, 1.001f, NAN};
    memcpy(wrong, forces, sizeof wrong);
    wrong[4 * 77 + w] *= factors[w];
    assert_false(dcs_check(&reference, wrong, ATOMS).accepted);
  }
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* ---- the CPU variant ---- */

static void forces_agree_with_double_precision(void **state) {
  (void)state;
  static const int64_t sizes[] = {8, 15, 17, 33, 120, 400};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int p = 0; p < N_PROBLEMS; p++) {
      dcs_case c = water(sizes[s], problems[p]);
      assert_true(check_all(&c, 1 + (p + (int)s) % 3) < 2e-5);
      dcs_case_free(&c);
    }
}

/* Many in one cell, a few far away, some of them beyond what a float tells apart in cells; a long
 * and narrow cell. */
static void any_atoms(void **state) {
  (void)state;
  enum { ATOMS = 500, BONDS = 100 };
  static dcs_site sites[ATOMS];
  static dcs_lennard_jones wells[ATOMS];
  static int64_t bonds[BONDS][2];
  for (int i = 0; i < ATOMS; i++) {
    sites[i] = (dcs_site){.x = 3 + 0.9 * (i % 8),
                          .y = 0.9 * (i / 8 % 8),
                          .z = 0.9 * (i / 64) - 7,
                          .q = 0.1 * (i % 11 - 5)};
    wells[i] = (dcs_lennard_jones){0.1 * (i % 5), 0.01 * (i % 7)};
  }
  sites[1].x = 1e6;
  sites[2].y = -4e4;
  sites[3] = (dcs_site){.x = 1e6, .y = 1.5, .q = 1};
  for (int b = 0; b < BONDS; b++) {
    bonds[b][0] = 37 * b % ATOMS;
    bonds[b][1] = (37 * b + 61 * (b % 5)) % ATOMS;
  }
  dcs_case c = build(sites, ATOMS, wells, bonds, BONDS, "cutoff=4");
  check_all(&c, 2);
  dcs_case_free(&c);
  sites[1].x = sites[3].x = 200;
  c = build(sites, ATOMS, wells, bonds, BONDS,
            "cutoff=3.5,boundary=periodic,cell_x=7,cell_y=300,cell_z=9.5");
  check_all(&c, 2);
  dcs_case_free(&c);
}

static void threads_change_nothing(void **state) {
  (void)state;
  enum { ATOMS = 500 };
  float one[4 * ATOMS], three[4 * ATOMS];
  dcs_case c = water(ATOMS, "");
  assert_true(compute(&c, 1, 0, one) && compute(&c, 3, 0, three));
  assert_memory_equal(one, three, sizeof one);
  dcs_case_free(&c);
}

/* A problem without values has cells, too: no more than atoms have room in. */
static void cells_have_an_edge(void **state) {
  (void)state;
  const dcs_problem problem = {.n_inputs = 300, .n = {300, 1, 1}};
  const dcs_forces_grid grid = dcs_forces_divide(&problem, 0, DCS_FORCES_FINER);
  assert_true(grid.edge >= 0.1f && grid.edge < 2 * DCS_FORCES_PITCH);
  assert_true(grid.n[0] * grid.n[1] * grid.n[2] <= 4 * 300 + 128);
}

/* Cells count what all pairs do. */
static void pairs_are_counted(void **state) {
  (void)state;
  enum { ATOMS = 3000 };
  static const char *const counted[] = {"cutoff=6", "cutoff=5,boundary=periodic"};
  for (int p = 0; p < 2; p++) {
    dcs_case c = water(ATOMS, counted[p]);
    const double cutoff = p ? 5 : 6, edge = 31.05163775311734;
    int64_t pairs = 0;
    for (int i = 0; i < ATOMS; i++)
      for (int j = 0; j < i; j++) {
        double apart[] = {c.sites[i].x - c.sites[j].x, c.sites[i].y - c.sites[j].y,
                          c.sites[i].z - c.sites[j].z};
        for (int d = 0; p && d < 3; d++)
          apart[d] = remainder(apart[d], edge);
        pairs += i / 3 != j / 3 &&
                 apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] < cutoff * cutoff;
      }
    assert_near(kind->work(&c, false), (double)pairs, 0);
    if (p) { /* without images there is a surface, too */
      const dcs_size size = dcs_case_size(&c);
      assert_near(dcs_estimate(&size, 1, NULL), (double)pairs, 0.1 * (double)pairs);
    }
    dcs_case_free(&c);
  }
}

/* Pairs within the cutoff, not all; of few atoms no more than they have; a share of all of them. */
static void estimates_are_of_pairs_within_the_cutoff(void **state) {
  (void)state;
  const dcs_config problem = posed("");
  dcs_size size = dcs_size_of(kind, &problem, 160461, none.n);
  assert_near(dcs_estimate(&size, 1, NULL), 5.807e7, 1e4);
  assert_near(dcs_cost_share(&size, 1, NULL), 5.807e7 / (160461.0 * 160461), 1e-6);
  size.axes[0] = 20;
  assert_near(dcs_estimate(&size, 1, NULL), 190, 0);
  size.axes[0] = 1;
  assert_near(dcs_estimate(&size, 1, NULL), 0, 0);
  size.kind = dcs_find_kind("born");
  size.axes[0] = 20;
  assert_near(dcs_cost_share(&size, 1, NULL), 1, 0);
}

/* Where terms are switched within a little of the cutoff, the finest table is off by 1.2e-5. */
static void tables_say_what_they_cannot_meet(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    bool met;
  } tried[] = {{"radial_error=1e-06", true},
               {"radial_error=1e-06,switch_from=11.87", false},
               {"radial_error=1.2e-05,switch_from=11.87", false}, /* nothing left to rounding */
               {"radial_error=1.4e-05,switch_from=11.87", true}};
  const dcs_variant *table = dcs_find_variant("cuda_forces_table");
  const dcs_config config = dcs_initial_config(table, 1);
  char why[DCS_TEXT];
  for (int i = 0; i < 4; i++) {
    const dcs_config values = posed(tried[i].problem);
    const dcs_size size = dcs_size_of(kind, &values, 3000, none.n);
    const dcs_problem problem = dcs_size_problem(&size, 1);
    const bool met = dcs_applicable(table, &problem, &config, why);
    if (met != tried[i].met) fail_msg("%s: %s", tried[i].problem, met ? "met" : why);
    if (!met) assert_contains(why, "may be off by 1.2e-05");
  }
}

/* ---- inputs ---- */

static void problems_that_are_none_are_refused(void **state) {
  (void)state;
  static const char *const refused[][2] = {{"cutoff=8,switch_from=8", "expected 0.99 of it"},
                                           {"cell_x=30", "expected --boundary periodic"},
                                           {"boundary=periodic,cell_y=23", "twice the cutoff"},
                                           {"radial_error=1e-9", "1e-6 and more"},
                                           {"cutoff=0", "cutoff"}};
  dcs_config problem;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    assert_int_equal(dcs_parse_problem(kind, refused[i][0], &problem), DCS_USAGE);
    assert_contains(dcs_error_message(), refused[i][1]);
  }
  assert_true(posed("alpha=0.3").value[DCS_FORCES_ALPHA] == kind->params[DCS_FORCES_ALPHA].initial);
}

/* A molecule that is there twice; an atom and another's image, a cell away in a dimension or two.
 */
static void atoms_at_one_place_are_refused(void **state) {
  (void)state;
  static const double shifts[][3] = {{0, 0, 0}, {30, 0, 0}, {0, -30, 60}, {1e-3, 0, 0}};
  static const char *const tried[] = {"", "boundary=periodic,cell_x=30,cell_y=30,cell_z=30"};
  dcs_lennard_jones wells[6] = {{0}};
  for (int s = 0; s < 4; s++)
    for (int p = 0; p < 2; p++) {
      dcs_site sites[6] = {{.x = 0.1}, {.x = 9.3, .y = 3.7}, {.z = 5.4}, {.y = 8}, {0}, {.z = -7}};
      sites[4] = (dcs_site){sites[1].x + shifts[s][0], sites[1].y + shifts[s][1],
                            sites[1].z + shifts[s][2], 0, 0};
      const dcs_molecule m = {.sites = sites, .n = 6, .field = {.n = 6, .wells = wells}};
      const dcs_config problem = posed(tried[p]);
      const bool one = s == 0 || (p == 1 && s < 3);
      dcs_case c;
      assert_int_equal(dcs_case_build(kind, &problem, &m, &none, &c), one ? DCS_INPUT : DCS_OK);
      if (one) assert_contains(dcs_error_message(), "atoms 2 and 5, counted from 1, lie at one");
      dcs_case_free(&c);
    }
}

/* What a file states is held against the cutoff, too, edge by edge. */
static void a_file_s_cell_holds_twice_the_cutoff(void **state) {
  (void)state;
  dcs_site site = {.q = 1};
  dcs_molecule m = {.sites = &site, .n = 1, .cell = {{30, 18.63, 24}, {90, 90, 90}, 0}};
  dcs_config problem = posed("boundary=periodic");
  dcs_grid grid = none;
  assert_int_equal(dcs_case_settle(kind, &m, "w.pdb", &problem, &grid), DCS_INPUT);
  assert_contains(dcs_error_message(), "w.pdb: cell_y: found 18.63 with a cutoff of 12");
  assert_contains(dcs_error_message(), "twice the cutoff");
  problem = posed("cutoff=9.3,boundary=periodic");
  assert_int_equal(dcs_case_settle(kind, &m, "w.pdb", &problem, &grid), DCS_OK);
  assert_near(problem.value[DCS_FORCES_CELL_Y], 18.63, 0);
  problem = posed("boundary=periodic,cell_y=24");
  assert_int_equal(dcs_case_settle(kind, &m, "w.pdb", &problem, &grid), DCS_OK);
  assert_near(problem.value[DCS_FORCES_CELL_X], 30, 0);
  m.cell = (dcs_unit_cell){0};
  assert_int_equal(dcs_case_settle(kind, &m, "w.pdb", &problem, &grid), DCS_OK);
  problem = posed("boundary=periodic");
  assert_int_equal(dcs_case_settle(kind, &m, "w.pdb", &problem, &grid), DCS_USAGE);
  assert_contains(dcs_error_message(), "--cell A,B,C");
  assert_null(strstr(dcs_error_message(), "--grid"));
}

/* Generated water is known by its charges and places; other atoms have no bonds. */
static void water_is_read_from_files(void **state) {
  (void)state;
  assert_status(program_run("generate water --atoms 90 --out %s", in_folder("water.pqr")), 0);
  assert_status(
      program_run(
          "verify --problem forces --variants cpu_forces --config threads=1,isa=portable --input "
          "%s",
          in_folder("water.pqr")),
      0);
  assert_contains(program_out, "2 maps");
  assert_status(program_run("verify --problem forces --variants cpu_forces --input "
                            "tests/corpus/molecule/plain.pqr"),
                DCS_USAGE);
  assert_contains(program_err, "without bonds and Lennard-Jones parameters");
}

static void sizes_are_measured(void **state) {
  (void)state;
  assert_status(program_run("sweep --problem forces --variants cpu_forces --config "
                            "threads=1,isa=portable --cutoff 6 --atoms 60,120 --rounds 2 --out %s",
                            in_folder("run")),
                0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 2);
  assert_string_equal(text_at(t, 1, "problem_config"), "cutoff=6");
  dcs_case c = water(120, "cutoff=6");
  assert_true(number_at(t, 1, "evals_executed") > 2 * number_at(t, 1, "evals_useful"));
  assert_true(number_at(t, 1, "rel_l2_error") < 2e-5);
  dcs_case_free(&c);
  dcs_table_free(t);
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "cpu_forces");
}

/* ---- clusters ---- */

/* Atoms on a lattice, 2.15 angstrom apart and shifted by up to 0.3 in each direction, around a
 * place. The caller frees the two inputs. */
static dcs_problem lattice(const int n[3], float place, bool periodic) {
  const int64_t all = (int64_t)n[0] * n[1] * n[2];
  dcs_particle *p = calloc((size_t)all, sizeof *p);
  dcs_well *wells = calloc((size_t)all, sizeof *wells);
  uint64_t seed = 1;
  assert_true(p && wells);
  for (int64_t a = 0; a < all; a++) {
    const int64_t at[3] = {a % n[0], a / n[0] % n[1], a / n[0] / n[1]};
    float *to[3] = {&p[a].x, &p[a].y, &p[a].z};
    for (int d = 0; d < 3; d++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const double shift = (double)(seed >> 40) / (1 << 24) - 0.5;
      *to[d] = place + (float)(2.15 * (double)(at[d] - n[d] / 2) + 0.6 * shift);
    }
  }
  dcs_problem problem = {.n_inputs = all, .n = {all, 1, 1}};
  problem.input[DCS_FORCES_ATOMS] = p;
  problem.input[DCS_FORCES_WELLS] = wells;
  problem.config.value[DCS_FORCES_CUTOFF] = 12;
  problem.config.value[DCS_FORCES_BOUNDARY] = periodic ? DCS_FORCES_PERIODIC : 0;
  return problem;
}

static void free_lattice(dcs_problem *problem) {
  free((void *)problem->input[DCS_FORCES_ATOMS]);
  free((void *)problem->input[DCS_FORCES_WELLS]);
}

/* How many atoms a cluster's walk looks at, and how many of those are near. */
static int64_t walk(const dcs_forces_sorted *s, const dcs_forces_cluster *c, float reach2,
                    int64_t *near) {
  dcs_forces_runs runs = dcs_forces_near(s, c, reach2);
  dcs_forces_run run;
  int64_t looked = *near = 0;
  while (dcs_forces_next(&runs, &run)) {
    looked += run.end - run.first;
    for (int32_t j = run.first; j < run.end; j++)
      *near += dcs_forces_outside(c->lo, c->hi, s->x[j], s->y[j], s->z[j]) <= reach2;
  }
  return looked;
}

static int64_t all_near(const dcs_forces_sorted *s, const dcs_forces_cluster *c, float reach2) {
  int64_t near = 0;
  for (int64_t j = 0; j < s->n_atoms; j++)
    near += dcs_forces_outside(c->lo, c->hi, s->x[j], s->y[j], s->z[j]) <= reach2;
  return near;
}

/* Without a boundary, where cells repeat: none is missed and none met twice, in cubes, plates and
 * rods, wherever they lie. */
static void walks_meet_all_that_is_near_once(void **state) {
  (void)state;
  static const int shapes[][3] = {{1, 1, 1},   {5, 5, 5},   {14, 14, 14}, {10, 14, 20},
                                  {4, 4, 150}, {40, 40, 2}, {150, 4, 4}};
  static const float places[] = {0, 1000, -40000};
  for (int i = 0; i < 7 * 3; i++) {
    dcs_problem problem = lattice(shapes[i / 3], places[i % 3], false);
    const float reach2 = dcs_forces_reach2(&problem);
    dcs_forces_sorted s;
    int64_t n, near, atoms = 0;
    assert_true(dcs_forces_sort(&problem, 5.5, &s));
    dcs_forces_cluster *c = dcs_forces_clusters(&s, 16, &n);
    assert_non_null(c);
    for (int64_t k = 0; k < n; k++) {
      atoms += c[k].end - c[k].first;
      walk(&s, &c[k], reach2, &near);
      assert_int_equal(near, all_near(&s, &c[k], reach2));
    }
    assert_int_equal(atoms, problem.n_inputs);
    free(c);
    dcs_forces_sorted_free(&s);
    free_lattice(&problem);
  }
}

/* A warp that looks at many times what others do ends last: of a cube, and of a molecule somewhat
 * longer, no cluster looks at twice the mean. */
static void no_cluster_looks_at_much_more_than_others(void **state) {
  (void)state;
  static const int shapes[][3] = {{29, 29, 29}, {20, 30, 40}, {40, 30, 20}};
  for (int i = 0; i < 3; i++) {
    dcs_problem problem = lattice(shapes[i], 0, false);
    dcs_forces_sorted s;
    int64_t n, near, most = 0, all = 0;
    assert_true(dcs_forces_sort(&problem, 5.5, &s));
    dcs_forces_cluster *c = dcs_forces_clusters(&s, 16, &n);
    assert_non_null(c);
    for (int64_t k = 0; k < n; k++) {
      const int64_t looked = walk(&s, &c[k], dcs_forces_reach2(&problem), &near);
      if (looked > most) most = looked;
      all += looked;
    }
    if (!(most < 2 * all / n))
      fail_msg("of %lld clusters one looks at %lld atoms; the mean is %lld", (long long)n,
               (long long)most, (long long)(all / n));
    free(c);
    dcs_forces_sorted_free(&s);
    free_lattice(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_meet_all_that_is_near_once),
      cmocka_unit_test(no_cluster_looks_at_much_more_than_others),
      cmocka_unit_test(a_well_is_where_it_should_be),
      cmocka_unit_test(wells_are_switched),
      cmocka_unit_test(charges_are_shifted_or_of_an_ewald_sum),
      cmocka_unit_test(bonded_atoms_are_excluded),
      cmocka_unit_test(molecules_of_water_do_not_pull_themselves),
      cmocka_unit_test(forces_sum_to_zero),
      cmocka_unit_test(forces_are_the_energy_s_gradient),
      cmocka_unit_test(forces_rotate_with_the_atoms),
      cmocka_unit_test(images_pull),
      cmocka_unit_test(wrong_forces_are_rejected),
      cmocka_unit_test(forces_agree_with_double_precision),
      cmocka_unit_test(any_atoms),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(cells_have_an_edge),
      cmocka_unit_test(pairs_are_counted),
      cmocka_unit_test(estimates_are_of_pairs_within_the_cutoff),
      cmocka_unit_test(tables_say_what_they_cannot_meet),
      cmocka_unit_test(problems_that_are_none_are_refused),
      cmocka_unit_test(atoms_at_one_place_are_refused),
      cmocka_unit_test(a_file_s_cell_holds_twice_the_cutoff),
      cmocka_unit_test(water_is_read_from_files),
      cmocka_unit_test(sizes_are_measured),
  };
  without_limits();
  return cmocka_run_group_tests_name("forces", tests, find_entries, program_teardown);
}
