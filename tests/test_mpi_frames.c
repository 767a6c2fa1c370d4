/* The mean of frames by ranks of an MPI job, and its checkpoint: the bits of the plain program,
 * whoever computes, and whoever is killed when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "tests/mpi_job.h"
#include "tests/written_dcd.h"

#include <stdbool.h>
#include <time.h>

/* A frame that lies between the bytes by which a checkpoint knows its files. */
enum { ATOMS = 60, FRAMES = 150, BAD = 98 };

static int bad_frame; /* from 1; 0: none */
static int forked;    /* the frame, from 1, with which another simulation begins; 0: none */

static float place(int frame, int atom, int axis) {
  if (frame + 1 == bad_frame) return NAN;
  if (forked && frame + 1 >= forked) frame++;
  return (float)(9 * sin(1.7 * atom + 2.3 * axis) + 0.6 * sin(0.3 * frame * (1 + atom % 5) + axis));
}

static const written_dcd moving = {.atoms = ATOMS, .frames = FRAMES, .place = place};

static void write_topology(void) {
  FILE *out = fopen(in_folder("top.psf"), "w");
  assert_non_null(out);
  fprintf(out, "PSF\n\n %d !NATOM\n", ATOMS);
  for (int a = 1; a <= ATOMS; a++)
    fprintf(out, " %d A %d ION NA NA %.2f 22.9 0\n", a, a, a % 2 ? 1.0 : -0.75);
  fputs("\n", out);
  assert_int_equal(fclose(out), 0);
}

static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  write_topology();
  write_dcd(in_folder("traj.dcd"), &moving);
  bad_frame = BAD;
  write_dcd(in_folder("bad.dcd"), &moving);
  return 0;
}

static const char *mean_of(const char *trajectory, const char *out, const char *more) {
  static char text[4 * PATH_MAX];
  snprintf(text, sizeof text, "map %s %s --grid 24^3 --average -o %s %s", in_folder("top.psf"),
           in_folder(trajectory), in_folder(out), more);
  return text;
}

static void assert_same(const char *a, const char *b) {
  size_t bytes[2];
  char *text[2] = {get_file(in_folder(a), &bytes[0]), get_file(in_folder(b), &bytes[1])};
  assert_true(bytes[0] > 0);
  if (bytes[0] != bytes[1] || memcmp(text[0], text[1], bytes[0]) != 0)
    fail_msg("%s has not the bits of %s", b, a);
  free(text[0]);
  free(text[1]);
}

/* ---- who computes ---- */

static void ranks_have_the_bits_of_the_plain_program(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  assert_status(program_run("%s", mean_of("traj.dcd", "plain.mrc", "--variance")), 0);
  if (run_ranks(3, "%s", mean_of("traj.dcd", "ranks.mrc", "--variance --time")) != 0)
    fail_msg("%s", said);
  assert_same("plain.mrc", "ranks.mrc");
  assert_same("plain_variance.mrc", "ranks_variance.mrc");
  assert_same("plain_error.mrc", "ranks_error.mrc");
  assert_contains(said, "rank_times.2,2,");
  assert_int_equal(times_in(said, "150 frames on 24x24x24"), 1); /* rank 0 alone speaks */
}

/* Four blocks, of which each rank by itself would have all its threads take one. */
static void ranks_of_several_threads_do(void **state) {
  (void)state;
  int parts[2] = {0};
  if (!mpi_here()) skip();
  assert_status(program_run("%s", mean_of("traj.dcd", "plain.mrc", "--frames 1:64")), 0);
  if (run("%s %s env OMP_NUM_THREADS=4 %s-mpi %s", mpirun(2), is_open_mpi() ? "--bind-to none" : "",
          program_path(), mean_of("traj.dcd", "ranks.mrc", "--frames 1:64 --time")) != 0)
    fail_msg("%s", said);
  assert_same("plain.mrc", "ranks.mrc");
  for (int r = 0; r < 2; r++) {
    char begin[64];
    snprintf(begin, sizeof begin, "rank_times.2,%d,", r);
    const char *at = strstr(said, begin);
    if (!at || sscanf(at + strlen(begin), "%*[^,],%d,4,", &parts[r]) != 1) fail_msg("%s", said);
  }
  assert_int_equal(parts[0] + parts[1], 4);
}

/* Each rank of a host has a map and the sums of two blocks there, rank 0 the whole beside: 20 bytes
 * a point and 12. Ranks that share devices have as many; devices that are more than ranks count. */
static void memory_is_that_of_all_ranks_of_the_host(void **state) {
  (void)state;
  const char *job = "map %s %s --grid 16384x16384x4096 --average -o %s --device %s";
  static const char *const devices[][2] = {
      {"cpu", "72 bytes a point for the mean by 3 ranks of this host"},
      {"emulated,emulated", "72 bytes a point for the mean by 3 ranks of this host"},
      {"emulated,emulated,emulated,emulated", "92 bytes a point for the mean by 3 ranks of"}};
  if (!mpi_here()) skip();
  for (int d = 0; d < 3; d++) {
    assert_int_equal(run_ranks(3, job, in_folder("top.psf"), in_folder("traj.dcd"),
                               in_folder("none.mrc"), devices[d][0]),
                     4);
    assert_contains(said, devices[d][1]);
  }
  assert_status(
      program_run(job, in_folder("top.psf"), in_folder("traj.dcd"), in_folder("none.mrc"), "cpu"),
      4);
  assert_contains(program_err, "32 bytes a point for the mean; ");
}

/* ---- checkpoints ---- */

/* A frame that is wrong ends the job, and the blocks before it are kept: by one worker, for another
 * may have computed the next one. */
static void fail_at_a_frame(void) {
  char option[PATH_MAX];
  snprintf(option, sizeof option, "--checkpoint %s", in_folder("saved"));
  setenv("OMP_NUM_THREADS", "1", 1);
  const int status = program_run("%s", mean_of("bad.dcd", "cut.mrc", option));
  unsetenv("OMP_NUM_THREADS");
  assert_status(status, 3);
  assert_false(exists(in_folder("cut.mrc")));
  assert_true(exists(in_folder("saved")));
}

/* Behind whole blocks, which had been computed when the frame was read. */
static void assert_goes_on(const char *text) {
  int frames = 0;
  const char *at = strstr(text, "going on behind ");
  if (!at || sscanf(at, "going on behind %d frames", &frames) != 1) fail_msg("%s", text);
  assert_true(frames >= 16 && frames < BAD && frames % 16 == 0);
}

static void a_job_goes_on_from_its_checkpoint(void **state) {
  (void)state;
  char option[PATH_MAX];
  assert_status(program_run("%s", mean_of("traj.dcd", "plain.mrc", "")), 0);
  fail_at_a_frame();
  snprintf(option, sizeof option, "--checkpoint %s", in_folder("saved"));
  assert_status(program_run("%s", mean_of("traj.dcd", "went_on.mrc", option)), 0);
  assert_goes_on(program_err);
  assert_same("plain.mrc", "went_on.mrc");
  assert_false(exists(in_folder("saved")));
}

/* Ranks go on from what one process left. */
static void ranks_go_on_from_it_too(void **state) {
  (void)state;
  char option[PATH_MAX];
  if (!mpi_here()) skip();
  assert_status(program_run("%s", mean_of("traj.dcd", "plain.mrc", "")), 0);
  fail_at_a_frame();
  snprintf(option, sizeof option, "--checkpoint %s", in_folder("saved"));
  if (run_ranks(2, "%s", mean_of("traj.dcd", "went_on.mrc", option)) != 0) fail_msg("%s", said);
  assert_goes_on(said);
  assert_same("plain.mrc", "went_on.mrc");
}

static void assert_refused(const char *trajectory, const char *more, const char *what) {
  char options[2 * PATH_MAX];
  snprintf(options, sizeof options, "--checkpoint %s %s", in_folder("saved"), more);
  assert_status(program_run("%s", mean_of(trajectory, "no.mrc", options)), 3);
  assert_contains(program_err, "the checkpoint is of another job");
  assert_contains(program_err, what);
  assert_true(exists(in_folder("saved")));
}

static void a_checkpoint_of_another_job_is_refused(void **state) {
  (void)state;
  char options[2 * PATH_MAX];
  fail_at_a_frame();
  assert_refused("traj.dcd",
                 "--frames 2:", "frames: found other files, atoms, charges or --frames");
  assert_refused("traj.dcd", "--tolerance 0.1", "tolerance 0.1");
  assert_refused("traj.dcd", "--grid 23x24x24", "map: found 24x24x24 points");
  snprintf(options, sizeof options, "--checkpoint %s --grid 9^3", in_folder("saved"));
  if (!mpi_here()) return;
  assert_int_equal(run_ranks(2, "%s", mean_of("traj.dcd", "no.mrc", options)), 3);
  assert_int_equal(times_in(said, "the checkpoint is of another job"), 1);
}

/* It is as large, and begins as the one that the checkpoint is of. */
static void a_simulation_that_begins_alike_is_another(void **state) {
  (void)state;
  fail_at_a_frame();
  bad_frame = 0;
  forked = 40;
  write_dcd(in_folder("other.dcd"), &moving);
  assert_refused("other.dcd", "", "frames: found other atoms in number ");
  forked = BAD; /* what the checkpoint has is the same */
  write_dcd(in_folder("other.dcd"), &moving);
  forked = 0;
  char option[PATH_MAX];
  snprintf(option, sizeof option, "--checkpoint %s", in_folder("saved"));
  assert_status(program_run("%s", mean_of("other.dcd", "went_on.mrc", option)), 0);
  assert_goes_on(program_err);
  assert_status(program_run("%s", mean_of("other.dcd", "plain.mrc", "")), 0);
  assert_same("plain.mrc", "went_on.mrc");
}

/* ---- kills ---- */

static void wait_ms(double ms) {
  nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)}, NULL);
}

/* Where a kill found the job, by what it left. */
typedef enum { NOT_THERE, UNSAVED, SAVED, WRITTEN, N_PHASES } phase;

static phase phase_of(bool killed) {
  if (!killed) return NOT_THERE;
  if (exists(in_folder("killed_error.mrc"))) return WRITTEN;
  return exists(in_folder("saved")) ? SAVED : UNSAVED;
}

static int stuck; /* jobs whose mpirun had to be ended */

static void say_kills(int trials, int hits[2][N_PHASES]) {
  static const char *const names[N_PHASES] = {
      [NOT_THERE] = "had ended",
      [UNSAVED] = "killed before the first checkpoint",
      [SAVED] = "killed behind one, and went on from it",
      [WRITTEN] = "killed when the mean was written",
  };
  printf("%d jobs, a rank killed at a random moment, run again to the same bits; rank 0, others:\n",
         trials);
  for (int p = 0; p < N_PHASES; p++)
    printf("  %3d %3d  %s\n", hits[0][p], hits[1][p], names[p]);
  if (stuck) printf("  mpirun had to be ended %d times\n", stuck);
}

static bool has_ended(pid_t job) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)job, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == job;
}

/* The mpirun of Open MPI 4 says that a rank died while it started, and may then wait for ever. */
static int end_job(pid_t job) {
  for (int tries = 0; tries < 2000 && !has_ended(job); tries++)
    wait_ms(10);
  if (!has_ended(job)) {
    stuck++;
    kill(job, SIGKILL);
    for (int rank = 0; rank < 3; rank++)
      for (pid_t left; (left = pid_of_rank(rank)) > 0; wait_ms(10))
        kill(left, SIGKILL);
  }
  return wait_for_ranks(job);
}

/* Starts a job and waits until the rank is there: starting takes longer than the rest. */
static pid_t start_until(const char *command, int rank) {
  const pid_t job = start_ranks(3, command);
  while (pid_of_rank(rank) == 0 && !has_ended(job))
    wait_ms(2);
  return job;
}

/* Kills one of the ranks, if it is still there, after that time of its life. Returns the job's
 * status. */
static int kill_one(const char *command, double ms, int rank) {
  const pid_t job = start_until(command, rank);
  wait_ms(ms);
  const pid_t victim = pid_of_rank(rank);
  if (victim > 0) kill(victim, SIGKILL);
  return end_job(job);
}

static void a_mean_survives_kills(void **state) {
  (void)state;
  const bool full = getenv("DCS_TEST_FULL") != NULL;
  const int kills = full ? 100 : 2, most = full ? 300 : 2; /* of ranks that were there; trials */
  const char *grid = full ? "--grid 64^3" : "--grid 32^3";
  dcs_random chance = {getenv("DCS_KILLS_SEED") ? (uint64_t)atoi(getenv("DCS_KILLS_SEED")) : 5};
  char option[2 * PATH_MAX], plain[64], command[8 * PATH_MAX];
  int hits[2][N_PHASES] = {0};
  if (!mpi_here()) skip();
  unlink(in_folder("saved"));
  snprintf(option, sizeof option, "%s --variance --checkpoint %s", grid, in_folder("saved"));
  snprintf(plain, sizeof plain, "%s --variance", grid);
  assert_status(program_run("%s", mean_of("traj.dcd", "plain.mrc", plain)), 0);
  snprintf(command, sizeof command, "%s", mean_of("traj.dcd", "killed.mrc", option));
  const pid_t undisturbed = start_until(command, 0);
  const double start = dcs_now_ns();
  assert_int_equal(wait_for_ranks(undisturbed), 0);
  const double whole_ms = 1e-6 * (dcs_now_ns() - start);
  int killed = 0, trials = 0;
  for (; killed < kills && trials < most; trials++) {
    unlink(in_folder("killed.mrc"));
    unlink(in_folder("killed_error.mrc"));
    const double ms = whole_ms * dcs_random_unit(&chance);
    const int rank = (int)dcs_random_below(&chance, 3);
    const phase found = phase_of(kill_one(command, ms, rank) != 0);
    hits[rank > 0][found]++;
    killed += found != NOT_THERE;
    if (run_ranks(3, "%s", command) != 0) fail_msg("%s", said);
    assert_same("plain.mrc", "killed.mrc");
    assert_same("plain_error.mrc", "killed_error.mrc");
    assert_false(exists(in_folder("saved")));
  }
  say_kills(trials, hits);
  if (full) assert_int_equal(killed, kills);
  if (full) assert_true(hits[0][SAVED] + hits[1][SAVED] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_have_the_bits_of_the_plain_program),
      cmocka_unit_test(memory_is_that_of_all_ranks_of_the_host),
      cmocka_unit_test(ranks_of_several_threads_do),
      cmocka_unit_test(a_job_goes_on_from_its_checkpoint),
      cmocka_unit_test(ranks_go_on_from_it_too),
      cmocka_unit_test(a_checkpoint_of_another_job_is_refused),
      cmocka_unit_test(a_simulation_that_begins_alike_is_another),
      cmocka_unit_test(a_mean_survives_kills),
  };
  return cmocka_run_group_tests(tests, setup, program_teardown);
}
