/* A stencil: what is right, by its laws; the CPU variant against that; and how a kind without atoms
 * is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/oracle.h"
#include "kernels/stencil/stencil.h"
#include "tests/run_folder.h"

enum { GUARD = 64, N_ISAS = 3 };

static const dcs_kind *kind;
static const dcs_variant *cpu;
static const int all_points[] = {13, 12, 7};

static int find_entries(void **state) {
  kind = dcs_find_kind("stencil");
  cpu = dcs_find_variant("cpu_stencil");
  return kind && cpu ? program_setup(state) : -1;
}

static dcs_config posed(int points, double step, double decay) {
  return (dcs_config){
      {[DCS_STENCIL_POINTS] = points, [DCS_STENCIL_STEP] = step, [DCS_STENCIL_DECAY] = decay}};
}

static void assert_near(double found, double expected, double off) {
  if (!(fabs(found - expected) <= off)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* A case with the kind's own fields, which a test may write over. */
static dcs_case build(int64_t nx, int64_t ny, int64_t nz, dcs_config problem) {
  const dcs_grid grid = {.n = {nx, ny, nz}};
  dcs_case c;
  assert_int_equal(dcs_case_random(kind, &problem, 0, &grid, 1, &c), DCS_OK);
  return c;
}

static float *field(const dcs_case *c, int buffer) {
  return (float *)c->problem.input[buffer];
}

static dcs_sums right_at(const dcs_case *c, int64_t i) {
  return kind->buffers[DCS_STENCIL_OUT].reference(c, DCS_STENCIL_OUT, i, 0);
}

static dcs_reference reference_of(const dcs_case *c) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  return reference;
}

/* Computes into NaN, between guard words that must survive; false: the machine lacks it. */
static bool compute(const dcs_case *c, int threads, int isa, int rows, float *values) {
  const int most = (int)cpu->params[0].hi;
  const dcs_config config = {{threads < most ? threads : most, isa, rows}};
  char why[DCS_TEXT];
  if (!dcs_applicable(cpu, &c->problem, &config, why)) return false;
  const size_t n = (size_t)dcs_points(c->problem.n);
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole);
  assert_non_null(whole);
  for (size_t i = 0; i < n + 2 * GUARD; i++)
    whole[i] = i < GUARD || i >= GUARD + n ? 7 : NAN;
  void *out[DCS_MAX_BUFFERS] = {[DCS_STENCIL_OUT] = whole + GUARD};
  assert_true(cpu->compute(&c->problem, &config, out));
  for (size_t i = 0; i < GUARD; i++)
    assert_true(whole[i] == 7 && whole[GUARD + n + i] == 7);
  memcpy(values, whole + GUARD, n * sizeof *values);
  free(whole);
  return true;
}

/* ---- laws of what is right ---- */

/* Walls are closed: what is there after the step is what the reaction leaves. */
static void mass_is_conserved(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof all_points / sizeof all_points[0]; p++) {
    dcs_case c = build(9, 7, 6, posed(all_points[p], 0.5, 0.25));
    double before = 0, after = 0, moved = 0;
    for (int64_t i = 0; i < 9 * 7 * 6; i++) {
      const double value = field(&c, DCS_STENCIL_C)[i], next = right_at(&c, i).v;
      before += value;
      after += next;
      moved += fabs(next - value * (1 - 0.5 * 0.25));
    }
    assert_near(after, before * (1 - 0.5 * 0.25), 1e-11 * before);
    assert_true(moved > 0.02 * before); /* and it did move */
    dcs_case_free(&c);
  }
}

/* The stream function on the corners of a slice, 0 along walls. */
static double stream(int i, int n, int j, int m) {
  return 3 * sin(M_PI * i / n) * sin(M_PI * j / m);
}

/* Where velocities have no divergence, a constant stays what it is, whatever diffuses; so the wind
 * of the kind's own fields has none. */
static void a_constant_stays(void **state) {
  (void)state;
  enum { NX = 8, NY = 9, NZ = 7 };
  for (size_t p = 0; p < sizeof all_points / sizeof all_points[0]; p++)
    for (int own = 0; own < 2; own++) {
      dcs_case c = build(NX, NY, NZ, posed(all_points[p], 1, 0));
      float *const u = field(&c, DCS_STENCIL_U), *const v = field(&c, DCS_STENCIL_V);
      for (int i = 0; i < NX * NY * NZ; i++) {
        const int x = i % NX, y = i / NX % NY, z = i / NX / NY;
        const double across = stream(x, NX, z, NZ), above = stream(x, NX, z + 1, NZ);
        field(&c, DCS_STENCIL_C)[i] = 2;
        field(&c, DCS_STENCIL_W)[i] = 0;
        if (own) continue;
        u[i] = (float)(stream(x, NX, y + 1, NY) - stream(x, NX, y, NY));
        v[i] = (float)(stream(x, NX, y, NY) - stream(x + 1, NX, y, NY));
        if (all_points[p] == 12) continue; /* nothing may rise */
        u[i] += (float)(above - across);
        field(&c, DCS_STENCIL_W)[i] = (float)(across - stream(x + 1, NX, z, NZ));
      }
      for (int64_t i = 0; i < NX * NY * NZ; i++)
        assert_near(right_at(&c, i).v, 2, 3e-6);
      dcs_case_free(&c);
    }
}

/* Means over cells of cos(pi x), in n cells. */
static double mean_cos(int64_t i, int n) {
  return n / M_PI * (sin(M_PI * (double)(i + 1) / n) - sin(M_PI * (double)i / n));
}

/* The largest error of the rate of c = product of cos(pi x) in n^3 cells, which blows with
 * u = -sin(pi x) in each direction and diffuses by k: fluxes of the means are those at faces. */
static double largest_error(int points, int n, double k) {
  dcs_case c = build(n, n, n, posed(points, 0.01, 0));
  double largest = 0;
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i % n, i / n % n, i / n / n};
    field(&c, DCS_STENCIL_C)[i] =
        (float)(mean_cos(at[0], n) * mean_cos(at[1], n) * mean_cos(at[2], n));
    for (int d = 0; d < 3; d++) {
      field(&c, DCS_STENCIL_U + d)[i] = (float)(-n * sin(M_PI * at[d] / n));
      field(&c, DCS_STENCIL_KX + d)[i] = at[d] > 0 ? (float)(k * n * n) : 0;
    }
  }
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i % n, i / n % n, i / n / n};
    double rate = 0;
    for (int d = 0; d < 3; d++) {
      const double x[2] = {M_PI * at[d] / n, M_PI * (at[d] + 1) / n};
      const double others = mean_cos(at[(d + 1) % 3], n) * mean_cos(at[(d + 2) % 3], n);
      for (int f = 0; f < 2; f++)
        rate -= (f ? n : -n) * others * (-sin(x[f]) * cos(x[f]) + k * M_PI * sin(x[f]));
    }
    const double found = (right_at(&c, i).v - field(&c, DCS_STENCIL_C)[i]) / 0.01;
    largest = fmax(largest, fabs(found - rate));
  }
  dcs_case_free(&c);
  return largest;
}

/* Halving cells halves the error of 7 points, and leaves an eighth of that of 13 and 12; diffusion
 * is of the second order. */
static void errors_fall_with_the_cells(void **state) {
  (void)state;
  for (size_t p = 0; p < sizeof all_points / sizeof all_points[0]; p++) {
    const double wind = largest_error(all_points[p], 8, 0) / largest_error(all_points[p], 16, 0);
    const double both = largest_error(all_points[p], 8, 1) / largest_error(all_points[p], 16, 1);
    assert_near(wind, all_points[p] == 7 ? 2 : 8, all_points[p] == 7 ? 0.4 : 1.6);
    if (all_points[p] > 7) assert_near(both, 4, 0.8);
  }
}

/* Of what sinks, 12 points give what 13 give, and read no cell two below. */
static void twelve_points_are_thirteen_less_one(void **state) {
  (void)state;
  dcs_case c = build(5, 5, 6, posed(13, 0.5, 0.1));
  const int64_t at = 3 * 25 + 12;
  const double thirteen = right_at(&c, at).v;
  c.problem.config = posed(12, 0.5, 0.1);
  const dcs_sums twelve = right_at(&c, at);
  assert_near(twelve.v, thirteen, 1e-15);
  field(&c, DCS_STENCIL_C)[at - 50] = 1000;
  assert_near(right_at(&c, at).v, twelve.v, 0);
  assert_near(right_at(&c, at).s, twelve.s, 0);
  dcs_case_free(&c);
}

/* ---- wrong steps are rejected ---- */

static void wrong_steps_are_rejected(void **state) {
  (void)state;
  enum { NX = 19, NY = 6, NZ = 5, N = NX * NY * NZ };
  static float values[N];
  dcs_case c = build(NX, NY, NZ, posed(13, 0.1, 0.01));
  const dcs_config wrong[] = {posed(13, 0.1, 0.01), posed(13, 0.1, 0), posed(7, 0.1, 0.01),
                              posed(13, 0.10001, 0.01)};
  dcs_reference reference = reference_of(&c);
  for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
    c.problem.config = wrong[w];
    assert_true(compute(&c, 1, 0, 4, values));
    assert_int_equal(dcs_check(&reference, values, 1).accepted, w == 0);
  }
  c.problem.config = wrong[0];
  assert_true(compute(&c, 1, 0, 4, values));
  const float last = values[N - 1];
  values[N - 1] *= 1 + 4e-6f;
  assert_false(dcs_check(&reference, values, 1).accepted);
  values[N - 1] = NAN;
  assert_false(dcs_check(&reference, values, 1).accepted);
  values[N - 1] = last;
  assert_true(dcs_check(&reference, values, 1).accepted);
  for (int b = DCS_STENCIL_U; b < DCS_STENCIL_OUT; b++) { /* each coefficient counts */
    float *at = field(&c, b) + N / 2 + 5, before = *at;
    *at += 0.01f;
    assert_true(compute(&c, 1, 0, 4, values));
    assert_false(dcs_check(&reference, values, 1).accepted);
    *at = before;
  }
  assert_false(dcs_check(&reference, field(&c, DCS_STENCIL_C), 1).accepted);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
}

/* ---- the CPU variant ---- */

static void check_all(const dcs_case *c, int threads, int rows) {
  dcs_reference reference = reference_of(c);
  float *values = malloc((size_t)dcs_points(c->problem.n) * sizeof *values);
  assert_non_null(values);
  for (int isa = 0; isa < N_ISAS; isa++) {
    if (!compute(c, threads, isa, rows, values)) continue;
    const dcs_verdict verdict = dcs_check(&reference, values, 1);
    if (!verdict.accepted)
      fail_msg("%lldx%lldx%lld, isa %d: value %lld is %.9g, not %.9g", (long long)c->problem.n.x,
               (long long)c->problem.n.y, (long long)c->problem.n.z, isa, (long long)verdict.worst,
               verdict.found, verdict.expected);
  }
  free(values);
  dcs_reference_free(&reference);
}

/* Rows of every length around vectors of each instruction set; blocks that do not divide y. */
static void any_grid(void **state) {
  (void)state;
  for (int64_t nx = 1; nx <= 68; nx++) {
    dcs_case c = build(nx, 1 + nx % 5, 1 + nx % 4, posed(all_points[nx % 3], 0.3, 0.1));
    check_all(&c, 1 + (int)nx % 3, 1 + (int)nx % 4);
    dcs_case_free(&c);
  }
}

/* Any slab of a grid has the bits that it has in the whole one, whatever the threads. */
static void slabs_are_the_bits_of_the_whole(void **state) {
  (void)state;
  enum { NX = 37, NY = 7, NZ = 9, SLICE = NX * NY };
  static float whole[SLICE * NZ], slab[SLICE * NZ];
  dcs_case c = build(NX, NY, NZ, posed(13, 0.3, 0.1));
  for (int isa = 0; isa < N_ISAS; isa++) {
    if (!compute(&c, 1, isa, 3, whole)) continue;
    for (int from = 0; from < NZ; from++)
      for (int end = from + 1; end <= NZ; end += 2) {
        dcs_case part = c;
        part.problem.n.z = end - from;
        part.problem.first_slice = from;
        part.problem.grid_slices = NZ;
        assert_true(compute(&part, 1 + from % 2, isa, 2, slab));
        assert_memory_equal(slab, whole + SLICE * from, SLICE * (end - from) * sizeof *slab);
      }
  }
  dcs_case_free(&c);
}

/* A slab that is filled as a grid of its own: what is computed of it is that of the whole grid, but
 * for two slices where it is cut, and one of 7 points. */
static void cut_grids_are_grids_of_their_own(void **state) {
  (void)state;
  enum { NX = 9, NY = 5, NZ = 12, SLICE = NX * NY, FROM = 3, N = 6 };
  static float whole[SLICE * NZ], own[SLICE * N];
  for (size_t p = 0; p < sizeof all_points / sizeof all_points[0]; p++) {
    dcs_case c = build(NX, NY, NZ, posed(all_points[p], 0.3, 0.1)),
             part = build(NX, NY, N, posed(all_points[p], 0.3, 0.1));
    const int halo = kind->stepping->halo(&c.problem.config);
    assert_int_equal(halo, all_points[p] == 7 ? 1 : 2);
    part.problem.first_slice = FROM;
    part.problem.grid_slices = NZ;
    for (int b = 0; b < DCS_STENCIL_OUT; b++)
      kind->buffers[b].fill(&part, b, field(&part, b));
    part.problem.first_slice = part.problem.grid_slices = 0;
    assert_true(compute(&c, 1, 0, 4, whole));
    assert_true(compute(&part, 1, 0, 4, own));
    assert_memory_equal(own + halo * SLICE, whole + (FROM + halo) * SLICE,
                        (N - 2 * halo) * SLICE * sizeof *own);
    assert_true(memcmp(own, whole + FROM * SLICE, SLICE * sizeof *own) != 0);
    dcs_reference reference = reference_of(&part);
    assert_true(dcs_check(&reference, own, 1).accepted);
    dcs_reference_free(&reference);
    dcs_case_free(&c);
    dcs_case_free(&part);
  }
}

/* ---- a kind without atoms ---- */

static void sizes_are_grids_alone(void **state) {
  (void)state;
  dcs_case c = build(6, 5, 4, posed(13, 0.1, 0.01));
  const dcs_size size = dcs_case_size(&c);
  char atoms[64], grid[64], text[DCS_TEXT];
  assert_int_equal(c.n_sites, 0);
  assert_int_equal(c.problem.n_inputs, 1);
  assert_int_equal(dcs_size_inputs(&size), 1);
  assert_near(kind->work(&c, false), 120, 0);
  assert_near(dcs_estimate(&size, 0.5, NULL), 120, 0);
  dcs_size_words(&size, atoms, grid);
  assert_string_equal(atoms, "");
  assert_string_equal(grid, "6x5x4");
  assert_string_equal(dcs_size_text(&size, text), "6x5x4");
  assert_string_equal(dcs_size_options(&size, text), "--problem stencil --grid 6x5x4");
  dcs_case_free(&c);
}

static void atoms_are_refused(void **state) {
  (void)state;
  static const char *const commands[] = {
      "sweep --problem stencil --atoms 10 --grid 3^3 --out none",
      "sweep --problem stencil --grid 3^3 --input tests/corpus/molecule/plain.pqr --out none",
      "tune cpu_stencil --atoms 10 --grid 3^3 --list",
      "trace cuda_stencil_naive --atoms 5",
      "explain cuda_stencil_naive --atoms 5",
      "verify --problem stencil --variants cpu_stencil --input tests/corpus/molecule/plain.pqr"};
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    assert_status(program_run("%s", commands[i]), DCS_USAGE);
    assert_contains(program_err, "expected none: stencil has a grid alone");
  }
  assert_status(program_run("sweep --problem stencil --out none"), DCS_USAGE);
  assert_contains(program_err, "--grid is missing");
  assert_status(program_run("sweep --problem stencil --grid 3^3 --points 9 --out none"), DCS_USAGE);
  assert_contains(program_err, "points: found 9; expected 13, 12 or 7");
}

static void runs_hold_grids_alone(void **state) {
  (void)state;
  assert_status(program_run("sweep --problem stencil --variants cpu_stencil --config "
                            "threads=1,isa=portable --grid 8x7x6,12^3 --rounds 2 --out %s",
                            in_folder("run")),
                0);
  dcs_table *t = run_table("run", "summary.csv");
  assert_int_equal(dcs_table_rows(t), 2);
  assert_string_equal(text_at(t, 0, "atoms"), "");
  assert_near(number_at(t, 0, "nx") + number_at(t, 0, "nz"), 14, 0);
  assert_near(number_at(t, 0, "evals_useful"), 336, 0);
  assert_near(number_at(t, 0, "evals_executed"), 336, 0);
  dcs_table *samples = run_table("run", "samples.csv"); /* a flush takes longer than a map */
  assert_in_range(number_at(samples, 0, "inner"), 1, 100);
  dcs_table_free(samples);
  dcs_table *env = run_table("run", "env.csv");
  double limit = NAN;
  for (size_t row = 0; row < dcs_table_rows(env); row++)
    if (strcmp(text_at(env, row, "key"), "limit_cpu_1_memory_bytes_per_s") == 0)
      limit = number_at(env, row, "value");
  const double fraction = 32 * number_at(t, 1, "evals_per_s") / limit; /* 32 bytes a point */
  assert_near(number_at(t, 1, "limit_fraction") / fraction, 1, 1e-6);
  dcs_table_free(env);
  dcs_table_free(t);
  assert_status(program_run("report %s", in_folder("run")), 0);
  assert_contains(program_out, "rates of useful work in 10^9 points a second");
  assert_contains(program_out, "12x12x12");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_conserved),
      cmocka_unit_test(a_constant_stays),
      cmocka_unit_test(errors_fall_with_the_cells),
      cmocka_unit_test(twelve_points_are_thirteen_less_one),
      cmocka_unit_test(wrong_steps_are_rejected),
      cmocka_unit_test(slabs_are_the_bits_of_the_whole),
      cmocka_unit_test(cut_grids_are_grids_of_their_own),
      cmocka_unit_test(any_grid),
      cmocka_unit_test(sizes_are_grids_alone),
      cmocka_unit_test(atoms_are_refused),
      cmocka_unit_test(runs_hold_grids_alone),
  };
  return cmocka_run_group_tests_name("stencil", tests, find_entries, program_teardown);
}
