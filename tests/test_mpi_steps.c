/* Steps of a stencil by ranks that exchange halos: their bits, what they refuse, how they fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/csv.h"
#include "harness/output/field.h"
#include "kernels/stencil/stencil.h"
#include "library/steps.h"
#include "tests/linker_options.h"
#include "tests/mpi_job.h"

#include "version.h" /* written by the Makefile */

#include <math.h>
#include <sys/stat.h>
#include <time.h>

enum { NX = 19, NY = 6, NZ = 11, STEPS = 4, POINTS = NX * NY * NZ };

static const int all_points[] = {13, 12, 7};

/* ---- one after another, by one thread on the whole grid ---- */

static dcs_case build(int points) {
  const dcs_kind *kind = dcs_find_kind("stencil");
  const dcs_grid grid = {.n = {NX, NY, NZ}};
  dcs_config problem = dcs_initial_problem(kind);
  dcs_case c;
  problem.value[DCS_STENCIL_POINTS] = points;
  problem.value[DCS_STENCIL_DECAY] = 0;
  assert_int_equal(dcs_case_random(kind, &problem, 0, &grid, 1, &c), DCS_OK);
  return c;
}

static void step_plainly(int points, float values[POINTS]) {
  const dcs_variant *cpu = dcs_find_variant("cpu_stencil");
  const dcs_config config = dcs_initial_config(cpu, 1);
  dcs_case c = build(points);
  float *field = (float *)c.problem.input[DCS_STENCIL_C];
  for (int s = 0; s < STEPS; s++) {
    void *out[DCS_MAX_BUFFERS] = {[DCS_STENCIL_OUT] = values};
    assert_true(cpu->compute(&c.problem, &config, out));
    memcpy(field, values, POINTS * sizeof *values);
  }
  dcs_case_free(&c);
}

/* By the reference, each step from what was rounded to floats. */
static double step_by_reference(int points, const float values[POINTS]) {
  dcs_case c = build(points);
  static float next[POINTS];
  double most = 0;
  float *field = (float *)c.problem.input[DCS_STENCIL_C];
  for (int s = 0; s < STEPS; s++) {
    for (int i = 0; i < POINTS; i++)
      next[i] = (float)c.kind->buffers[DCS_STENCIL_OUT].reference(&c, DCS_STENCIL_OUT, i, 0).v;
    memcpy(field, next, sizeof next);
  }
  for (int i = 0; i < POINTS; i++)
    most = fmax(most, fabs(next[i] - values[i]));
  dcs_case_free(&c);
  return most;
}

/* ---- what they print ---- */

static const char *cell(const char *column, size_t row) {
  static char text[DCS_TEXT];
  const char *begin = strstr(said, "schema,");
  dcs_table *table;
  assert_non_null(begin);
  assert_int_equal(dcs_table_parse("what it said", begin, strlen(begin), &table), DCS_OK);
  snprintf(text, sizeof text, "%s", dcs_table_text(table, row, column));
  dcs_table_free(table);
  return text;
}

/* Walls are closed, and nothing decays. */
static void assert_mass(void) {
  const double before = atof(cell("sum_before", 0)), after = atof(cell("sum_after", 0));
  assert_true(before > POINTS * 0.5);
  if (!(fabs(after / before - 1) < 1e-6)) fail_msg("%.9g became %.9g", before, after);
  assert_string_equal(cell("ranks", 0), "2");
  assert_true(atof(cell("step_s", 0)) > 0);
  assert_true(atof(cell("bound_ratio", 0)) < 1);
}

static void assert_times(int ranks) {
  int slices = 0;
  for (size_t r = 0; r < (size_t)ranks; r++) {
    assert_int_equal(atoi(cell("rank", r)), (int)r);
    assert_int_equal(atoi(cell("steps", r)), STEPS);
    assert_int_equal(atoi(cell("most_parts", r)), NZ / 2);
    slices += atoi(cell("slices", r));
    assert_true(atof(cell("computing_s", r)) > 0);
    assert_true(atof(cell("communicating_s", r)) > 0);
    assert_true(atof(cell("hidden_s", r)) >= 0);
  }
  assert_int_equal(slices, NZ);
}

/* ---- the same by ranks ---- */

static const char *options_of(int points) {
  static char text[2 * PATH_MAX];
  snprintf(text, sizeof text, "--grid %dx%dx%d --steps %d --points %d --decay 0 -o %s", NX, NY, NZ,
           STEPS, points, in_folder("field.npy"));
  return text;
}

static void assert_field(const float values[POINTS], const char *who) {
  dcs_field field;
  assert_int_equal(dcs_field_read(in_folder("field.npy"), &field), DCS_OK);
  assert_int_equal(field.n.z, NZ);
  if (memcmp(field.values, values, POINTS * sizeof *values) != 0) fail_msg("other bits by %s", who);
  dcs_field_free(&field);
}

static void one_process_computes_the_same(void **state) {
  (void)state;
  static float values[POINTS];
  for (int p = 0; p < 3; p++) {
    step_plainly(all_points[p], values);
    assert_true(step_by_reference(all_points[p], values) < 2e-6);
    assert_status(program_run("steps %s", options_of(all_points[p])), 0);
    assert_field(values, "one process");
  }
}

/* Slabs of 5 and 6 slices, of 3 and 4, of 2 and 3: fewer than two halos. Of 12 and 7 points one
 * number of ranks, in check-full all. */
static void ranks_compute_the_same_bits(void **state) {
  (void)state;
  static float values[POINTS];
  if (!mpi_here()) skip();
  for (int p = 0; p < 3; p++) {
    step_plainly(all_points[p], values);
    for (int ranks = 1; ranks <= 4; ranks++) {
      char who[32];
      if (!getenv("DCS_TEST_FULL") && ranks < 2 + p) continue;
      if (!getenv("DCS_TEST_FULL") && p > 0 && ranks > 2 + p) continue;
      snprintf(who, sizeof who, "%d ranks", ranks);
      if (run_ranks(ranks, "steps %s %s 2>/dev/null", options_of(all_points[p]),
                    ranks == 2 ? "--csv" : "--time") != 0)
        fail_msg("%s", said);
      assert_field(values, who);
      if (p > 0) continue;
      if (ranks == 2)
        assert_mass();
      else
        assert_times(ranks);
    }
  }
}

/* Cards' fields stay where they are; slices of the ends alone come and go. */
static void ranks_of_devices_compute_the_same_bits(void **state) {
  (void)state;
  char one[32];
  static const char arguments[] =
      "steps --grid 9x5x8 --steps 3 --variant cuda_stencil_naive --device emulated";
  if (!mpi_here()) skip();
  assert_status(program_run(arguments), 0);
  assert_non_null(strstr(program_out, "hash "));
  snprintf(one, sizeof one, "%.21s", strstr(program_out, "hash "));
  if (run_ranks(3, arguments) != 0) fail_msg("%s", said);
  assert_contains(said, one);
  assert_null(strstr(said, " ms a step")); /* it has no times */
}

/* ---- shares, refusals, failures ---- */

static void shares_differ_by_a_slice_at_most(void **state) {
  (void)state;
  int64_t next = 0;
  for (int r = 0; r < 7; r++) {
    int64_t from, end;
    dcs_steps_share(1003, r, 7, &from, &end);
    assert_int_equal(from, next);
    assert_true(end - from == 143 || end - from == 144);
    next = end;
  }
  assert_int_equal(next, 1003);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  assert_status(program_run("steps --problem coulomb"), 2);
  assert_contains(program_err, "found coulomb; expected one that goes on from its result");
  assert_status(program_run("steps --variant cpu_simd"), 2);
  assert_contains(program_err, "cpu_simd computes coulomb");
  assert_status(program_run("steps --device emulated --variant cpu_stencil"), 2);
  assert_status(program_run("steps --grid 8^3 --device emulated --time"), 2);
  assert_status(program_run("steps --time --csv"), 2);
  assert_status(program_run("steps --grid 1073741824x1073741824x16"), 2);
  assert_contains(program_err, "more points than 2^40");
  assert_status(program_run("steps --grid 1048576x1048576x1 --slices 2147483648"), 2);
  assert_contains(program_err, "grid 1048576x1048576x2147483648 has more points than 2^40");
  if (!mpi_here()) skip();
  assert_int_equal(run_ranks(5, "steps --grid 8x8x9"), 2);
  assert_contains(said, "found 5 ranks for 9 slices; expected at most 4");
  assert_int_equal(times_in(said, "found 5 ranks"), 1);
}

/* Of the kind's units, on a grid whose points have no places. */
static void files_of_the_field_are_no_potential(void **state) {
  (void)state;
  static const char *const holds[][3] = {
      {"dx", "# units: kg/m3\n", "# lengths in grid steps;"},
      {"cube", "units: kg/m3; lengths in grid steps;", " 1.0000000000 "},
      {"csv", "x_steps,y_steps,z_steps,value\n0,0,0,", "\n2,1,1,"}};
  for (int f = 0; f < 3; f++) {
    char name[16];
    snprintf(name, sizeof name, "few.%s", holds[f][0]);
    assert_status(program_run("steps --grid 3x2x2 --steps 1 -o %s", in_folder(name)), 0);
    char *text = get_file(in_folder(name), NULL);
    assert_contains(text, holds[f][1]);
    assert_contains(text, holds[f][2]);
    assert_null(strstr(text, "Coulomb"));
    free(text);
  }
  assert_status(program_run("steps --grid 3x2x2 --steps 1 -o %s", in_folder("few.mrc")), 0);
  dcs_field field;
  assert_int_equal(dcs_field_read(in_folder("few.mrc"), &field), DCS_OK);
  assert_string_equal(field.units, "kg/m3");
  assert_int_equal(dcs_points(field.n), 12);
  dcs_field_free(&field);
  char *mrc = get_file(in_folder("few.mrc"), NULL);
  assert_memory_equal(mrc + 224, "dcsbench: values, lengths in grid steps, units: kg/m3", 53);
  free(mrc);
}

/* The slab has room in what ulimit leaves, but not beside the values of all slices. */
static void rank_0_has_room_for_all_values(void **state) {
  (void)state;
  if (takes_all_addresses()) skip();
  assert_int_equal(run("ulimit -v 1000000 && OMP_NUM_THREADS=1 %s steps --steps 1 --grid 310^3 "
                       "-o %s",
                       program_path(), in_folder("none.npy")),
                   4);
  assert_contains(said, "310 slices of 310x310 points need 0.956 GB of memory; ");
  assert_contains(said, " beside the values of all slices");
}

/* Steps of 1 are too long; no file is written of what they come to. */
static void steps_that_diverge_fail(void **state) {
  (void)state;
  char arguments[2 * PATH_MAX];
  snprintf(arguments, sizeof arguments, "steps --grid 8^3 --steps 1000 --step 1 -o %s",
           in_folder("diverged.npy"));
  assert_status(program_run("%s", arguments), 1);
  assert_contains(program_err, "after 1000 steps slice 0 has values that are not finite");
  assert_contains(program_err, "expected a smaller --step");
  assert_false(exists(in_folder("diverged.npy")));
  assert_status(program_run("steps --grid 8^3 --steps 1000 --step 0.4 --points 7"), 0);
  if (!mpi_here()) skip();
  assert_int_equal(run_ranks(2, "%s", arguments), 1);
  assert_contains(said, "expected a smaller --step");
  assert_false(exists(in_folder("diverged.npy")));
}

/* A copy of the program that another compiler seems to have made. */
static void put_other_program(const char *to) {
  static const char made_by[] = DCS_COMPILER " " DCS_FLAGS;
  char path[PATH_MAX + 8];
  size_t bytes;
  snprintf(path, sizeof path, "%s-mpi", program_path());
  char *text = get_file(path, &bytes);
  char *at = memmem(text, bytes, made_by, strlen(made_by));
  assert_non_null(at);
  *at = '?';
  FILE *file = fopen(to, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(to, 0755), 0);
  free(text);
}

static void another_program_is_refused(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  put_other_program(in_folder("other"));
  assert_int_equal(run("%s %s-mpi steps --grid 8^3 --steps 1 : -n 1 %s steps --grid 8^3 --steps 1",
                       mpirun(1), program_path(), in_folder("other")),
                   3);
  assert_contains(said, "or is another program; expected the same files, options and program");
}

/* Ticks of a process's CPU time. */
static long ticks_of(pid_t pid) {
  char path[64];
  long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  char *text = get_file(path, NULL);
  const char *behind = strrchr(text, ')');
  if (behind)
    sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
  free(text);
  return user + system;
}

/* Far beyond the start of MPI, where mpirun itself may wait for ever. */
static pid_t rank_that_computes(int rank) {
  const long enough = sysconf(_SC_CLK_TCK) / 6;
  for (int tries = 0; tries < 1200; tries++) {
    const pid_t pid = pid_of_rank(rank);
    if (pid > 0 && ticks_of(pid) > enough) return pid;
    nanosleep(&(struct timespec){0, 50000000}, NULL);
  }
  return 0;
}

/* Neighbours wait for it, and mpirun says which rank, or process, it was. */
static void a_rank_that_dies_ends_the_job(void **state) {
  (void)state;
  char arguments[PATH_MAX];
  if (!mpi_here()) skip();
  snprintf(arguments, sizeof arguments, "steps --grid 32^3 --steps 1000000 -o %s/none.npy",
           test_folder);
  const pid_t job = start_ranks(3, arguments);
  const pid_t victim = rank_that_computes(1);
  assert_true(victim > 0);
  kill(victim, SIGKILL);
  assert_int_not_equal(wait_for_ranks(job), 0);
  assert_contains(said, is_open_mpi() ? "process rank 1" : "EXIT CODE: 9");
  assert_false(exists(in_folder("none.npy")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_differ_by_a_slice_at_most),
      cmocka_unit_test(one_process_computes_the_same),
      cmocka_unit_test(ranks_compute_the_same_bits),
      cmocka_unit_test(ranks_of_devices_compute_the_same_bits),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(files_of_the_field_are_no_potential),
      cmocka_unit_test(rank_0_has_room_for_all_values),
      cmocka_unit_test(steps_that_diverge_fail),
      cmocka_unit_test(another_program_is_refused),
      cmocka_unit_test(a_rank_that_dies_ends_the_job),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
