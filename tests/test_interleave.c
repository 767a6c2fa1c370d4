/* Two programs in turns: who goes when, on programs of the test's own; and `compare --run` as a
 * user has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/usage.h"
#include "harness/compare/interleave.h"
#include "kernels/status.h"
#include "tests/run_folder.h"

/* ---- the driver ---- */

/* A program that takes `rounds` rounds of `places` at two sizes and writes down every turn. */
static void put_program(const char *name, int rounds, int places) {
  char text[1024];
  snprintf(text, sizeof text,
           "#!/bin/sh\n"
           "turn() { echo \"at $1 $2 $3 0.5\"; read word || exit; echo %s $1 $2 $3 $word >> %s; }\n"
           "echo turns 1; read word\n"
           "for size in 0 1; do\n"
           "  round=0; while [ $round -lt %d ]; do\n"
           "    place=0; while [ $place -lt %d ]; do turn $size $round $place; "
           "place=$((place + 1)); done\n"
           "    round=$((round + 1)); done\n"
           "  turn $size -1 0\n"
           "done\necho end\n",
           name, in_folder("log"), rounds, places);
  put_file(in_folder(name), text);
  assert_int_equal(chmod(in_folder(name), 0755), 0);
}

/* With workers started anew every `rounds` rounds. */
static dcs_status interleave(const char *a, const char *b, int rounds) {
  char *const argv[] = {"program", NULL};
  const dcs_interleaved programs[2] = {{"first", a, argv}, {"second", b, argv}};
  unlink(in_folder("log"));
  return dcs_interleave(programs, rounds * DCS_INTERLEAVE_BLOCKS, 1, NULL);
}

typedef struct {
  char name[8], word[8];
  int size, round, place;
} turn;

static int read_turns(turn *turns, int most) {
  FILE *log = fopen(in_folder("log"), "r");
  int n = 0;
  assert_non_null(log);
  while (n < most && fscanf(log, "%7s %d %d %d %7s", turns[n].name, &turns[n].size, &turns[n].round,
                            &turns[n].place, turns[n].word) == 5)
    n++;
  fclose(log);
  return n;
}

static void turns_come_in_pairs_of_either_order(void **state) {
  (void)state;
  enum { ROUNDS = 9, PLACES = 2, TURNS = 2 * 2 * (ROUNDS * PLACES + 1) };
  turn turns[TURNS + 1];
  int b_first = 0;
  put_program("a", ROUNDS, PLACES);
  put_program("b", ROUNDS, PLACES);
  assert_int_equal(interleave(in_folder("a"), in_folder("b"), 3), DCS_OK);
  assert_int_equal(read_turns(turns, TURNS + 1), TURNS);
  for (int i = 0; i < TURNS; i += 2) {
    const turn *one = &turns[i], *two = &turns[i + 1];
    assert_true(one->size == two->size && one->round == two->round && one->place == two->place);
    assert_string_not_equal(one->name, two->name);
    b_first += one->name[0] == 'b';
    const bool fresh = one->place == 0 && (one->round == 3 || one->round == 6);
    assert_string_equal(one->word, fresh ? "fresh" : "go");
    assert_string_equal(two->word, fresh ? "fresh" : "go");
  }
  assert_true(b_first > TURNS / 8 && b_first < TURNS / 2 - TURNS / 8);
}

/* A program that takes `rounds` samples at a size, of `inner` maps of `method` each, and writes
 * down every word that lets it. */
static void put_sampler(const char *name, int rounds, int inner, const char *method) {
  char text[1024];
  snprintf(text, sizeof text,
           "#!/bin/sh\n"
           "echo turns 1; read word\n"
           "round=0; last=0; while [ $round -lt %d ]; do\n"
           "  echo at 0 $round 0 0.5 $last %s; read word || exit\n"
           "  last=%d; echo %s $round $word >> %s; echo $GOMP_SPINCOUNT $KMP_BLOCKTIME > %s\n"
           "  round=$((round + 1)); done\n"
           "echo at 0 -1 0 1 $last; read word; echo end\n",
           rounds, method, inner, name, in_folder("log"), in_folder("waits"));
  put_file(in_folder(name), text);
  assert_int_equal(chmod(in_folder(name), 0755), 0);
}

/* Whoever is second in a pair takes as many maps as the first did; whoever begins one, or is alone
 * in it, as many as it likes. */
static void both_samples_of_a_pair_hold_the_same_maps(void **state) {
  (void)state;
  enum { ROUNDS = 12, MORE = 2 };
  char line[64], name[8], word[8];
  int firsts[2] = {0}, lines = 0;
  put_sampler("a", ROUNDS + MORE, 10, "c0ffee");
  put_sampler("b", ROUNDS, 20, "c0ffee");
  assert_int_equal(interleave(in_folder("a"), in_folder("b"), 4), DCS_OK);
  FILE *log = fopen(in_folder("log"), "r");
  assert_non_null(log);
  for (; fgets(line, sizeof line, log); lines++) {
    int round, inner = 0;
    assert_true(sscanf(line, "%7s %d %7s %d", name, &round, word, &inner) >= 3);
    assert_int_equal(round, lines < 2 * ROUNDS ? lines / 2 : lines - ROUNDS);
    assert_string_equal(word, round > 0 && round % 4 == 0 ? "fresh" : "go");
    const bool second = lines < 2 * ROUNDS && lines % 2;
    assert_int_equal(inner, !second ? 0 : *name == 'a' ? 20 : 10);
    if (lines < 2 * ROUNDS && !second) firsts[*name == 'b']++;
  }
  fclose(log);
  assert_int_equal(lines, 2 * ROUNDS + MORE);
  assert_true(firsts[0] > 0 && firsts[1] > 0);
}

/* A build that does not say what its samples hold is not told either; nor one that is at another
 * method. */
static void samples_of_no_pair_are_told_no_number(void **state) {
  (void)state;
  for (int other = 0; other < 2; other++) {
    if (other)
      put_sampler("a", 3, 10, "c0ffe");
    else
      put_program("a", 3, 1);
    put_sampler("b", 3, 20, "c0ffee");
    assert_int_equal(interleave(in_folder("a"), in_folder("b"), 99), DCS_OK);
    char *log = get_file(in_folder("log"), NULL);
    assert_null(strstr(log, " 10"));
    assert_null(strstr(log, " 20"));
    free(log);
  }
}

static void waiting_threads_let_the_other_program_run(void **state) {
  (void)state;
  static const char *const policy[] = {NULL, "active"}, *const count[] = {"10000 1\n", "\n"};
  put_sampler("a", 1, 1, "c0ffee");
  put_sampler("b", 1, 1, "c0ffee");
  for (int user = 0; user < 2; user++) {
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("KMP_BLOCKTIME");
    unsetenv("OMP_WAIT_POLICY");
    if (policy[user]) setenv("OMP_WAIT_POLICY", policy[user], true);
    assert_int_equal(interleave(in_folder("a"), in_folder("b"), 99), DCS_OK);
    char *waits = get_file(in_folder("waits"), NULL);
    assert_string_equal(waits, count[user]);
    free(waits);
  }
  unsetenv("OMP_WAIT_POLICY");
}

/* 17 rounds make 16 blocks, as 16 do; 40 make some of two and some of three. */
static void blocks_are_as_even_as_can_be(void **state) {
  (void)state;
  static const struct {
    int rounds, blocks, least, most;
  } of[] = {{6, 6, 1, 1}, {16, 16, 1, 1}, {17, 16, 1, 2}, {40, 16, 2, 3}};
  char *const argv[] = {"program", NULL};
  turn turns[4 * 41];
  for (size_t s = 0; s < sizeof of / sizeof of[0]; s++) {
    put_program("a", of[s].rounds, 1);
    const dcs_interleaved program = {"program", in_folder("a"), argv};
    unlink(in_folder("log"));
    assert_int_equal(
        dcs_interleave((const dcs_interleaved[]){program, program}, of[s].rounds, 1, NULL), DCS_OK);
    const int n = read_turns(turns, 4 * 41);
    assert_int_equal(n, 4 * (of[s].rounds + 1));
    int began = 0, blocks = 0;
    for (int i = 0; i < n / 2; i += 2) { /* of the first size, both programs' */
      const turn *t = &turns[i];
      const int round = t->round < 0 ? of[s].rounds : t->round;
      if (t->round >= 0 && strcmp(t->word, "fresh") != 0) continue;
      assert_in_range(round - began, of[s].least, of[s].most);
      began = round;
      blocks++;
    }
    assert_int_equal(blocks, of[s].blocks);
  }
}

/* What takes more than a minute says how long, once, and how to have it shorter. */
static void what_takes_long_is_said_with_advice(void **state) {
  (void)state;
  char *const argv[] = {"program", NULL};
  char said[2048];
  const dcs_interleaved programs[2] = {{"first", in_folder("slow"), argv},
                                       {"second", in_folder("slow"), argv}};
  put_file(in_folder("slow"), "#!/bin/sh\n"
                              "echo turns 1; read word\n"
                              "echo at 0 0 0 0; read word; sleep 1\n"
                              "echo at 0 1 0 0.012; read word; sleep 1\n"
                              "echo at 0 2 0 0.024; read word; echo end\n");
  assert_int_equal(chmod(in_folder("slow"), 0755), 0);
  FILE *file = tmpfile();
  const int before = dup(STDERR_FILENO);
  assert_non_null(file);
  dup2(fileno(file), STDERR_FILENO);
  const dcs_status status = dcs_interleave(programs, 3, 1, "fewer are enough");
  dup2(before, STDERR_FILENO);
  close(before);
  program_take(file, said, sizeof said);
  assert_int_equal(status, DCS_OK);
  assert_non_null(strstr(said, "about "));
  assert_non_null(strstr(said, " in all; fewer are enough\n"));
  assert_null(strstr(strstr(said, "fewer") + 1, "fewer"));
  assert_non_null(strstr(said, "\nfirst: an earlier build, which does not tell how many maps"));
  assert_non_null(strstr(said, "\nsecond: an earlier build"));
}

/* One measures more: a method that the other lacks, rounds that its budget ends. */
static void the_one_behind_catches_up(void **state) {
  (void)state;
  turn turns[128];
  put_program("a", 6, 3);
  put_program("b", 4, 2);
  assert_int_equal(interleave(in_folder("a"), in_folder("b"), 99), DCS_OK);
  const int n = read_turns(turns, 128);
  assert_int_equal(n, 2 * (6 * 3 + 1) + 2 * (4 * 2 + 1));
  for (int i = 0, seen = 0; i < n; i++) { /* by size, then round, then place */
    const int round = turns[i].round < 0 ? 99 : turns[i].round;
    const int at = 10000 * turns[i].size + 10 * round + turns[i].place;
    assert_true(at >= seen);
    seen = at;
  }
}

static void expect_refused(const char *text, dcs_status status, const char *said) {
  put_program("a", 2, 1);
  put_file(in_folder("other"), text);
  assert_int_equal(chmod(in_folder("other"), 0755), 0);
  assert_int_equal(interleave(in_folder("a"), in_folder("other"), 1), status);
  assert_contains(dcs_error_message(), "second: ");
  assert_contains(dcs_error_message(), in_folder("other"));
  assert_contains(dcs_error_message(), said);
}

static void a_program_that_takes_no_turns_is_refused(void **state) {
  (void)state;
  expect_refused("#!/bin/sh\nexit 2\n", DCS_USAGE,
                 "takes no turns with this build (it ended with status 2)");
  expect_refused("#!/bin/sh\necho turns 2\nread word\n", DCS_USAGE,
                 "begins with \"turns 2\"; expected \"turns 1\"");
  expect_refused("#!/bin/sh\necho turns 1\nread word\nexit 3\n", DCS_INPUT,
                 "ended with status 3 before it had measured all");
  expect_refused("#!/bin/sh\nkill -KILL $$\n", DCS_FAILED,
                 "before it had measured all"); /* whether it takes turns is not known */
  expect_refused("#!/bin/sh\necho turns 1\nread word\necho here\nread word\n", DCS_FAILED,
                 "wrote \"here\"");
  assert_int_equal(interleave(in_folder("a"), in_folder("absent"), 1), DCS_USAGE);
  assert_contains(dcs_error_message(), "No such file");
}

/* ---- disturbed samples ---- */

static void a_thread_that_lacks_its_cpu_is_disturbed(void **state) {
  (void)state;
  static const struct {
    dcs_usage usage;
    int threads;
    const char *by;
  } rows[] = {{{100, 99, 0, 0}, 1, ""},        {{100, 96.5, 1, 0}, 1, "preempted"},
              {{100, 97.5, 3, NAN}, 1, ""},    {{100, 50, 0, 0}, 1, ""}, /* it waited */
              {{100, 198, 2, 0}, 2, ""},       {{100, 190, 2, 0}, 2, "preempted"},
              {{100, 100, 0, 4}, 1, "stolen"}, {{100, 50, 9, 4}, 1, "stolen"},
              {{100, 100, 0, 2}, 1, ""},       {{0, 0, 0, 0}, 1, ""},
              {{100, 100, 0, NAN}, 1, ""}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    assert_string_equal(dcs_usage_disturbance(&rows[r].usage, rows[r].threads), rows[r].by);
}

/* ---- the command ---- */

#define SWEEP "--variants cpu_gather --config threads=1 --atoms 5,9 --grid 4^3 --rounds 6"

static void both_are_measured_and_kept(void **state) {
  (void)state;
  const char *program = program_path();
  double inner[12];
  int status = program_run("compare --run %s %s " SWEEP " --seed 3 --out %s", program, program,
                           in_folder("kept"));
  assert_true(status == 0 || status == 1); /* as the times are */
  assert_contains(program_out, "2 compared: ");
  for (int side = 0; side < 2; side++) {
    const char *run = side ? "kept/b" : "kept/a";
    dcs_table *samples = run_table(run, "samples.csv"), *summary = run_table(run, "summary.csv");
    assert_int_equal(dcs_table_rows(samples), 12);
    assert_int_equal(dcs_table_rows(summary), 2);
    for (size_t r = 0; r < 12; r++) /* each round has processes of its own */
      assert_int_equal(number_at(samples, r, "process"), r < 6 ? r : r - 1);
    for (size_t r = 0; r < 12; r++)
      if (side == 0)
        inner[r] = number_at(samples, r, "inner");
      else
        assert_true(number_at(samples, r, "inner") == inner[r]);
    for (size_t r = 0; r < 2; r++) {
      assert_string_equal(text_at(summary, r, "outcome"), "ok");
      assert_true(number_at(summary, r, "disturbed") <= 6);
    }
    dcs_table_free(samples);
    dcs_table_free(summary);
    assert_status(program_run("report %s", in_folder(run)), 0);
  }
  status = program_run("compare --csv %s %s", in_folder("kept/a"), in_folder("kept/b"));
  dcs_table *table;
  put_file(in_folder("out.csv"), program_out);
  assert_int_equal(dcs_table_read(in_folder("out.csv"), &table), DCS_OK);
  assert_int_equal(dcs_table_rows(table), 2);
  assert_string_equal(text_at(table, 0, "n_a"), "6");
  dcs_table_free(table);
  assert_status(
      program_run("compare --run %s %s " SWEEP " --out %s", program, program, in_folder("kept")),
      2);
  assert_contains(program_err, "holds a run already");
}

/* The samples of a real sweep that has half a budget, beside a program without a run. */
static dcs_table *take_turns_with(const char *other, int rounds, int seconds) {
  char folder[32], run[48], path[PATH_MAX];
  put_file(in_folder("other"), other);
  assert_int_equal(chmod(in_folder("other"), 0755), 0);
  snprintf(path, sizeof path, "%s", in_folder("other"));
  snprintf(folder, sizeof folder, "half%d-%d", rounds, seconds);
  assert_status(program_run("compare --run %s %s --variants cpu_gather --config threads=1 "
                            "--atoms 500 --grid 16^3 --rounds %d --budget %d --out %s",
                            program_path(), path, rounds, seconds, in_folder(folder)),
                5); /* other has no run */
  snprintf(run, sizeof run, "%s/a", folder);
  return run_table(run, "samples.csv");
}

/* Six rounds in which the other one takes longer than all of the budget. */
static void what_the_other_takes_is_not_of_the_budget(void **state) {
  (void)state;
  size_t n = 0;
  for (int seconds = 4; n < 6 && seconds <= 16; seconds *= 2) { /* on a busy machine a larger one */
    char other[256];
    snprintf(other, sizeof other,
             "#!/bin/sh\necho turns 1; read word\n"
             "for r in 0 1 2 3 4 5; do echo at 0 $r 0 0; read word || exit; sleep %d; done\n"
             "echo at 0 -1 0 1; read word; echo end\n",
             seconds / 4);
    dcs_table *samples = take_turns_with(other, 6, seconds);
    n = dcs_table_rows(samples);
    dcs_table_free(samples);
  }
  assert_int_equal(n, 6);
}

/* More rounds than fit: a sweep that had all of the budget would not end before it. */
static void half_of_a_budget_is_a_sides(void **state) {
  (void)state;
  bool ended_before = false;
  for (int seconds = 4; !ended_before && seconds <= 16; seconds *= 2) { /* a busy machine: more */
    double took_s = 0;
    const double begun_ns = dcs_now_ns();
    dcs_table *samples =
        take_turns_with("#!/bin/sh\necho turns 1; read word; echo end\n", 100000, seconds);
    ended_before = 1e-9 * (dcs_now_ns() - begun_ns) < seconds;
    const size_t n = dcs_table_rows(samples);
    for (size_t r = 0; r < n; r++)
      took_s += 1e-9 * number_at(samples, r, "inner") * number_at(samples, r, "time_ns");
    dcs_table_free(samples);
    assert_true(n >= 6);
    assert_true(took_s < 0.55 * seconds);
  }
  assert_true(ended_before);
}

static void a_folder_of_kernels_is_a_side(void **state) {
  (void)state;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", in_folder("kernels"));
  assert_int_equal(mkdir(path, 0777), 0);
  int status = program_run("compare --run %s %s " SWEEP " --out %s", program_path(), path,
                           in_folder("folder"));
  assert_true(status == 0 || status == 1);
  char *env = run_file("folder/b", "env.csv", NULL);
  assert_contains(env, "--kernels=");
  free(env);
  assert_status(program_run("compare --run %s %s " SWEEP " --kernels %s", path, path, path), 2);
  assert_contains(program_err, "two folders for one side");
}

static void words_that_do_not_fit_are_refused(void **state) {
  (void)state;
  assert_status(program_run("compare --run /bin/true %s " SWEEP, program_path()), 2);
  assert_contains(program_err, "/bin/true: /bin/true takes no turns");
  assert_null(strstr(program_err, "has gone")); /* the other one was given no turn */
  assert_status(program_run("compare --run absent %s " SWEEP, program_path()), 2);
  assert_contains(program_err, "absent: No such file");
  assert_status(program_run("compare a b --atoms 5"), 2);
  assert_contains(program_err, "--atoms=5 is an option of --run");
  assert_status(program_run("compare --run a b --rounds 5"), 2);
  assert_contains(program_err, "--rounds 5: expected 6 or more");
  assert_status(program_run("compare --run a b --plan x --atoms 5"), 2);
  assert_contains(program_err, "--plan holds");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_come_in_pairs_of_either_order),
      cmocka_unit_test(both_samples_of_a_pair_hold_the_same_maps),
      cmocka_unit_test(samples_of_no_pair_are_told_no_number),
      cmocka_unit_test(waiting_threads_let_the_other_program_run),
      cmocka_unit_test(blocks_are_as_even_as_can_be),
      cmocka_unit_test(what_takes_long_is_said_with_advice),
      cmocka_unit_test(the_one_behind_catches_up),
      cmocka_unit_test(a_program_that_takes_no_turns_is_refused),
      cmocka_unit_test(a_thread_that_lacks_its_cpu_is_disturbed),
      cmocka_unit_test(both_are_measured_and_kept),
      cmocka_unit_test(what_the_other_takes_is_not_of_the_budget),
      cmocka_unit_test(half_of_a_budget_is_a_sides),
      cmocka_unit_test(a_folder_of_kernels_is_a_side),
      cmocka_unit_test(words_that_do_not_fit_are_refused),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
