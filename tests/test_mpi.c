/* Ranks of an MPI job: one map in slabs, and how they fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/map/ranks.h"
#include "harness/output/field.h"
#include "tests/mpi_job.h"

#include <time.h>

static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  return program_run("generate water --atoms 300 --out %s", in_folder("water.pqr"));
}

/* ---- one map ---- */

static void assert_same_file(const char *a, const char *b) {
  size_t bytes[2];
  char *text[2] = {get_file(in_folder(a), &bytes[0]), get_file(in_folder(b), &bytes[1])};
  assert_true(bytes[0] > 0);
  if (bytes[0] != bytes[1] || memcmp(text[0], text[1], bytes[0]) != 0)
    fail_msg("%s is not %s", b, a);
  free(text[0]);
  free(text[1]);
}

static void map_both_ways(const char *ending, const char *more) {
  assert_status(program_run("map %s --grid 21x20x23 %s -o %s/plain%s", in_folder("water.pqr"), more,
                            test_folder, ending),
                0);
  if (run_ranks(3, "map %s --grid 21x20x23 %s -o %s/ranks%s", in_folder("water.pqr"), more,
                test_folder, ending) != 0)
    fail_msg("%s", said);
}

/* Rank 0 gathers OpenDX; each rank writes its slabs of an MRC file, whose statistics are the same
 * bits, too. */
static void slabs_are_the_bits_of_the_plain_program(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  map_both_ways(".dx", "");
  assert_same_file("plain.dx", "ranks.dx");
  map_both_ways(".mrc", "--units kT/e");
  assert_same_file("plain.mrc", "ranks.mrc");
}

/* The same array, x fastest. */
static void arrays_are_the_same_in_another_order(void **state) {
  (void)state;
  dcs_field plain, ranks;
  if (!mpi_here()) skip();
  map_both_ways(".npy", "");
  assert_int_equal(dcs_field_read(in_folder("plain.npy"), &plain), DCS_OK);
  assert_int_equal(dcs_field_read(in_folder("ranks.npy"), &ranks), DCS_OK);
  assert_int_equal(ranks.n.x, 21);
  assert_int_equal(ranks.n.z, 23);
  assert_memory_equal(plain.values, ranks.values, 21 * 20 * 23 * sizeof(float));
  char *text = get_file(in_folder("ranks.npy"), NULL);
  assert_non_null(strstr(text + 10, "'fortran_order': True"));
  free(text);
  dcs_field_free(&plain);
  dcs_field_free(&ranks);
}

/* Each rank computes the mesh, and its slabs from that, with as many threads as the plain program:
 * FFTW's plans depend on them. */
static void slabs_of_other_methods_are_the_same_bits_too(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  assert_int_equal(setenv("OMP_NUM_THREADS", "1", 1), 0);
  map_both_ways(".mrc", "--tolerance 0.01");
  assert_int_equal(unsetenv("OMP_NUM_THREADS"), 0);
  assert_same_file("plain.mrc", "ranks.mrc");
  assert_null(strstr(said, "one rank computes the map"));
}

/* Densities and orbitals, by one rank alone as well, which computes slab after slab. */
static void assert_same_kind(const char *what) {
  assert_status(program_run("map --problem %s --grid 16x9x21 -o %s/plain.dx", what, test_folder),
                0);
  for (int ranks = 1; ranks <= 3; ranks += 2) {
    if (run_ranks(ranks, "map --problem %s --grid 16x9x21 -o %s/ranks.dx", what, test_folder) != 0)
      fail_msg("%s", said);
    assert_null(strstr(said, "one rank computes the map"));
    assert_same_file("plain.dx", "ranks.dx");
  }
}

static void slabs_of_other_kinds_are_the_same_bits_too(void **state) {
  (void)state;
  char what[PATH_MAX];
  if (!mpi_here()) skip();
  snprintf(what, sizeof what, "density %s", in_folder("water.pqr"));
  assert_same_kind(what);
  put_file(in_folder("s.molden"), "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 1\n[GTO]\n1 0\n"
                                  "s 1 1.00\n0.05 1.0\n\n[MO]\nSym= a\nEne= -0.5\nSpin= Alpha\n"
                                  "Occup= 1\n1 1.0\n");
  snprintf(what, sizeof what, "orbital %s", in_folder("s.molden"));
  assert_same_kind(what);
}

/* ---- failures ---- */

static void what_all_are_refused_is_said_once(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  assert_int_equal(
      run_ranks(3, "map %s --grid 9^3 -o %s/no.txt", in_folder("water.pqr"), test_folder), 2);
  assert_int_equal(times_in(said, "no.txt"), 1);
  assert_int_equal(run_ranks(2, "verify"), 2);
  assert_int_equal(times_in(said, "several compute `map` and `steps` alone"), 1);
}

/* Different programs in one job, as where hosts have different files. */
static int run_two(const char *first, const char *second) {
  char line[4 * PATH_MAX];
  snprintf(line, sizeof line,
           "%s %s-mpi map %s --grid 9^3 -o %s/m.dx : -n 1 %s-mpi map %s --grid 9^3 -o %s/m.dx",
           mpirun(1), program_path(), in_folder(first), test_folder, program_path(),
           in_folder(second), test_folder);
  return run("%s", line);
}

static void a_rank_that_fails_is_named(void **state) {
  (void)state;
  char host[65] = "";
  if (!mpi_here()) skip();
  gethostname(host, sizeof host - 1);
  assert_status(program_run("generate water --atoms 303 --out %s", in_folder("other.pqr")), 0);
  assert_int_equal(run_two("water.pqr", "other.pqr"), 3);
  assert_contains(said, "rank 1 on ");
  assert_contains(said, "has read other input than rank 0");
  assert_int_equal(run_two("water.pqr", "none.pqr"), 5);
  assert_contains(said, "rank 1 of 2 on ");
  assert_contains(said, host);
  assert_contains(said, "none.pqr: cannot open");
  assert_false(exists(in_folder("m.dx")));
}

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* mpirun says which rank, or process, it was. */
static void a_rank_that_dies_ends_the_job(void **state) {
  (void)state;
  char arguments[PATH_MAX];
  pid_t victim = 0;
  if (!mpi_here()) skip();
  snprintf(arguments, sizeof arguments, "map %s --grid 900x900x300 -o %s/large.mrc",
           in_folder("water.pqr"), test_folder);
  const pid_t job = start_ranks(3, arguments);
  for (int tries = 0; victim == 0 && tries < 1000; tries++) {
    wait_ms(10);
    victim = pid_of_rank(1);
  }
  assert_true(victim > 0);
  wait_ms(300);
  kill(victim, SIGKILL);
  assert_int_not_equal(wait_for_ranks(job), 0);
  assert_contains(said, is_open_mpi() ? "process rank 1" : "EXIT CODE: 9");
  assert_false(exists(in_folder("large.mrc")));
  for (int rank = 0; rank < 3; rank++)
    for (int tries = 0; pid_of_rank(rank) != 0; tries++) {
      assert_true(tries < 1000);
      wait_ms(10);
    }
}

/* ---- devices of a rank ---- */

static void assert_devices(int local_rank, int local_size, const char *asked, const char *own) {
  const dcs_workers w = {.local_rank = local_rank, .local_size = local_size};
  char text[DCS_TEXT];
  assert_string_equal(dcs_rank_device(&w, asked, text), own);
}

static void ranks_of_a_host_share_its_devices(void **state) {
  (void)state;
  assert_devices(0, 2, "cuda:0,cuda:1,cuda:2,cuda:3", "cuda:0,cuda:2");
  assert_devices(1, 2, "cuda:0,cuda:1,cuda:2,cuda:3", "cuda:1,cuda:3");
  assert_devices(0, 3, "cuda:0,cuda:1,cuda:2,cuda:3", "cuda:0,cuda:3");
  assert_devices(5, 6, "cuda:0,cuda:1", "cuda:1");
  assert_devices(3, 4, "cuda:2", "cuda:2"); /* one that is named stays */
  const dcs_workers w = {.local_rank = 1, .local_size = 2};
  assert_null(dcs_rank_device(&w, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_of_a_host_share_its_devices),
      cmocka_unit_test(slabs_are_the_bits_of_the_plain_program),
      cmocka_unit_test(arrays_are_the_same_in_another_order),
      cmocka_unit_test(slabs_of_other_methods_are_the_same_bits_too),
      cmocka_unit_test(slabs_of_other_kinds_are_the_same_bits_too),
      cmocka_unit_test(what_all_are_refused_is_said_once),
      cmocka_unit_test(a_rank_that_fails_is_named),
      cmocka_unit_test(a_rank_that_dies_ends_the_job),
  };
  return cmocka_run_group_tests(tests, setup, program_teardown);
}
