/* The labs as students and teachers use them: solutions pass, gaps do not, results are collected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/labs/apart.h"
#include "harness/labs/lab.h"
#include "harness/labs/points.h"
#include "harness/labs/turn.h"
#include "tests/program.h"

/* ---- parts ---- */

static dcs_status end_by(void *context) {
  const int by = *(int *)context;
  if (by == 0) exit(0);
  while (by == SIGALRM) /* which does not come */
    pause();
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(by, SIG_DFL); /* of the tests' own */
  raise(by);
  return DCS_OK;
}

/* A crash is the kernel's, a kill or the end of all by a library is not. */
static void kills_are_told_from_crashes(void **state) {
  (void)state;
  static const struct {
    int signal;
    dcs_status status;
    dcs_apart_end end;
  } ends[] = {
      {SIGABRT, DCS_OK, DCS_APART_CRASHED},       {SIGFPE, DCS_OK, DCS_APART_CRASHED},
      {SIGKILL, DCS_UNAVAILABLE, DCS_APART_LATE}, {SIGTERM, DCS_UNAVAILABLE, DCS_APART_LATE},
      {0, DCS_UNAVAILABLE, DCS_APART_LATE},       {SIGALRM, DCS_OK, DCS_APART_LATE}};
  for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
    int by = ends[e].signal;
    dcs_apart_end end;
    fflush(NULL);
    assert_int_equal(dcs_run_apart(end_by, &by, sizeof by, by == SIGALRM ? 0.2 : 60, &end),
                     ends[e].status);
    if (ends[e].status == DCS_OK) assert_int_equal(end, ends[e].end);
  }
}

/* What is said of the points of 8 x 3 x 2 that `in` says yes to. */
static void expect_words(bool (*in)(int x, int y, int z), const char *words) {
  bool list[48];
  char text[DCS_TEXT];
  dcs_point_set set = {{8, 3, 2}, list};
  for (int p = 0; p < 48; p++)
    list[p] = in(p % 8, p / 8 % 3, p / 24);
  assert_string_equal(dcs_describe_points(&set, text), words);
}

static bool last_columns(int x, int y, int z) {
  (void)y, (void)z;
  return x >= 6;
}
static bool every_fourth(int x, int y, int z) {
  (void)y, (void)z;
  return x % 4 == 3;
}
static bool all_but_one_of_two(int x, int y, int z) {
  (void)y, (void)z;
  return x % 4 != 0;
}
static bool row_and_slice(int x, int y, int z) {
  (void)x;
  return y == 0 || z == 1;
}
static bool some(int x, int y, int z) {
  return (x == 2 && y == 1 && z == 0) || (x == 4 && y == 2 && z == 1);
}
static bool all(int x, int y, int z) {
  (void)x, (void)y, (void)z;
  return true;
}

static void points_in_words(void **state) {
  (void)state;
  expect_words(last_columns, "the last 2 columns (x from 6 on)");
  expect_words(every_fourth, "one column of every 4 (x = 3, 7, ...)");
  expect_words(all_but_one_of_two, "all columns but one of every 4 (x = 0, 4, ...)");
  expect_words(row_and_slice, "the first row (y = 0) and the last slice (z = 1)");
  expect_words(some, "2 points, the first at (2, 1, 0)");
  expect_words(all, "all points");
}

static int told_most; /* the largest number that this process was told */

static void tell(int before) {
  if (before > told_most) told_most = before;
}

static void turns_come_one_after_another(void **state) {
  (void)state;
  dcs_turn first, second;
  int ends[2];
  char byte;
  const char *queue = in_folder("queue");
  assert_int_equal(dcs_turn_wait(queue, tell, &first), DCS_OK);
  assert_int_equal(told_most, 0);
  assert_int_equal(pipe(ends), 0);
  pid_t waiter = fork();
  if (waiter == 0) { /* writes how many it was told of, once its turn has come */
    int waited = dcs_turn_wait(queue, tell, &second) == DCS_OK ? told_most : 9;
    byte = (char)('0' + waited);
    _exit(write(ends[1], &byte, 1) == 1 ? 0 : 1);
  }
  usleep(500000);
  dcs_turn_end(&first);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(byte, '1');
  assert_int_equal(program_wait(waiter), 0);
  close(ends[0]);
  close(ends[1]);
  /* The one that ended without a word has left its place. */
  assert_int_equal(dcs_turn_wait(queue, tell, &first), DCS_OK);
  dcs_turn_end(&first);
}

/* ---- the command ---- */

static int lab_numbers[DCS_LABS], n_lab_numbers; /* those that there are */

static void labs_are_listed(void **state) {
  (void)state;
  dcs_lab lab;
  assert_status(program_run("lab"), 0);
  for (int n = 1; n <= DCS_LABS; n++) {
    char line[DCS_TEXT + 8];
    if (dcs_lab_open(n, &lab) != DCS_OK) continue;
    snprintf(line, sizeof line, "%d  %s\n", n, lab.title);
    assert_contains(program_out, line);
    lab_numbers[n_lab_numbers++] = n;
    dcs_lab_free(&lab);
  }
  assert_true(n_lab_numbers >= 6);
  assert_status(program_run("lab 9 --start x"), 2);
  assert_status(program_run("lab 9"), 2);
  assert_contains(program_err, "lab: found 9; expected 1 to 8");
  assert_status(program_run("lab x"), 2);
  assert_contains(program_err, "lab: found \"x\"; expected a whole number");
  assert_status(program_run("lab 2"), 2);
  assert_contains(program_err, "expected --start DIR to begin lab 2, or --kernels DIR to check it");
  assert_status(program_run("lab 2 --start x --kernels y"), 2);
  assert_status(program_run("lab --collect x --kernels y"), 2);
  assert_status(program_run("lab 4 --kernels x --submit y --name ''"), 2);
}

/* Without a checkout: the files come out of the program. */
static void a_lab_begins(void **state) {
  (void)state;
  assert_status(program_run("lab 4 --start %s", in_folder("begun")), 0);
  char *page = get_file(in_folder("begun/README.md"), NULL);
  char *kernel = get_file(in_folder("begun/coalesced.cu"), NULL);
  assert_contains(page, "# Lab 4: coalescing");
  assert_contains(kernel, "GAP 1");
  free(page);
  free(kernel);
  assert_status(program_run("lab 4 --start %s", in_folder("begun")), 2);
  assert_contains(program_err, "is there already");
}

/* Labs about a run copy tables of its names. */
static void a_lab_replaces_no_run(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("run"), 0777), 0);
  put_file(in_folder("run/thresholds.csv"), "mine\n");
  assert_status(program_run("lab 6 --start %s", in_folder("run")), 2);
  assert_contains(program_err, "run/thresholds.csv is there already; choose another folder");
  char *mine = get_file(in_folder("run/thresholds.csv"), NULL);
  assert_string_equal(mine, "mine\n");
  assert_false(exists(in_folder("run/README.md")) || exists(in_folder("run/winners.csv")));
  free(mine);
}

static void solutions_pass(void **state) {
  (void)state;
  for (int l = 0; l < n_lab_numbers; l++) {
    char line[64];
    assert_status(program_run("lab %d --kernels labs/%d/solution", lab_numbers[l], lab_numbers[l]),
                  0);
    snprintf(line, sizeof line, "\nlab %d passed\n", lab_numbers[l]);
    assert_contains(program_out, line);
  }
}

static void gaps_fail(void **state) {
  (void)state;
  for (int l = 0; l < n_lab_numbers; l++) {
    assert_status(program_run("lab %d --kernels labs/%d/start", lab_numbers[l], lab_numbers[l]), 1);
    assert_contains(program_out, "FAILED");
  }
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  assert_status(program_run("lab 3 --kernels labs/4/solution"), 1);
  assert_contains(program_out, "\ncoarsened.cu is not in labs/4/solution\n");
  assert_status(program_run("lab 3 --kernels %s", in_folder("nowhere")), 2);
  assert_contains(program_err, "there is no such folder; expected the one of --start");
  assert_status(program_run("lab 4 --kernels labs/4/start/coalesced.cu"), 2);
  assert_contains(program_err, "found a file; expected the folder that it is in");
}

/* A pipe would be waited for, and the kernel blamed. */
static void what_is_no_file_is_named(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("odd"), 0777), 0);
  assert_int_equal(mkfifo(in_folder("odd/coalesced.cu"), 0666), 0);
  assert_status(program_run("lab 4 --kernels %s", in_folder("odd")), 1);
  char said[PATH_MAX + 64];
  snprintf(said, sizeof said, "\ncoalesced.cu in %s is no file that can be read\n",
           in_folder("odd"));
  assert_contains(program_out, said);
}

/* As editors of Windows save it; each check reads the file. */
static void a_mark_before_a_kernel_is_none_of_it(void **state) {
  (void)state;
  size_t bytes;
  char *kernel = get_file("labs/4/solution/coalesced.cu", &bytes);
  char *marked = malloc(bytes + 4);
  assert_non_null(marked);
  snprintf(marked, bytes + 4, "\xef\xbb\xbf%s", kernel);
  assert_int_equal(mkdir(in_folder("marked"), 0777), 0);
  put_file(in_folder("marked/coalesced.cu"), marked);
  free(marked);
  free(kernel);
  char *own;
  assert_status(program_run("lab 4 --kernels labs/4/solution"), 0);
  assert_non_null(own = strdup(program_out));
  assert_status(program_run("lab 4 --kernels %s", in_folder("marked")), 0);
  assert_string_equal(program_out, own);
  free(own);
}

static void wrong_answers_are_not_given_away(void **state) {
  (void)state;
  assert_status(program_run("lab 7 --start %s", in_folder("seven")), 0);
  assert_true(exists(in_folder("seven/winners.csv")) && exists(in_folder("seven/thresholds.csv")));
  put_file(in_folder("seven/answers.csv"), "question,answer\nthreshold,9000\nloss_of_1000,1688\n"
                                           "first_status,lossy\n");
  assert_status(program_run("lab 7 --kernels %s", in_folder("seven")), 1);
  assert_contains(program_out, "FAILED  threshold\nok      loss_of_1000\n");
  assert_contains(program_out,
                  "threshold: 9000 is not right: going by it loses more than 1% at one of "
                  "the measured sizes\n");
  assert_contains(program_out, "first_status: lossy is not right: ");
  assert_contains(program_out, "kernel_status: there is no answer yet\n");
  put_file(in_folder("seven/answers.csv"), "question,answer\nthreshold,18000\nloss_of_1000,1688\n"
                                           "loss_of_1000,2\n");
  assert_status(program_run("lab 7 --kernels %s", in_folder("seven")), 1);
  assert_contains(program_out, "ok      threshold\nFAILED  loss_of_1000\n");
  assert_contains(program_out, "loss_of_1000: there are two answers; expected one\n");
  put_file(in_folder("seven/answers.csv"), "question,answer\nthreshold,9000");
  assert_status(program_run("lab 7 --kernels %s", in_folder("seven")), 3);
  assert_contains(program_err, "answers.csv: row 2: found no end of the row");
  put_file(in_folder("seven/answers.csv"), "question\nthreshold\n");
  assert_status(program_run("lab 7 --kernels %s", in_folder("seven")), 3);
}

#define RESULT_COLUMNS                                                                             \
  "name,lab,check,variant,config,atoms,nx,ny,nz,outcome,measured,limit,first,said,sources_hash\n"

static void a_result_that_was_cut_is_refused(void **state) {
  static const char *const bad[][2] = {
      {RESULT_COLUMNS, "found no rows"},
      {RESULT_COLUMNS "Eve,4,right,,,1,1,1,1,passed,1,1,0,,0\nEve,4,races,,,1,1,1,1,fai",
       "row 3: found no end of the row"}};
  (void)state;
  assert_int_equal(mkdir(in_folder("cut"), 0777), 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    put_file(in_folder("cut/Eve.lab4.csv"), bad[i][0]);
    assert_status(program_run("lab --collect %s", in_folder("cut")), 3);
    assert_contains(program_err, bad[i][1]);
  }
}

static void a_result_of_no_lab_is_refused(void **state) {
  static const char *const labs[] = {"1e300", "", "0", "9", "4.5", "x"};
  char text[512];
  (void)state;
  assert_int_equal(mkdir(in_folder("forged"), 0777), 0);
  for (size_t i = 0; i < sizeof labs / sizeof labs[0]; i++) {
    snprintf(text, sizeof text, RESULT_COLUMNS "Eve,%s,speed,,,1,1,1,1,passed,1,1,1,,0\n", labs[i]);
    put_file(in_folder("forged/Eve.lab4.csv"), text);
    assert_status(program_run("lab --collect %s", in_folder("forged")), 3);
    assert_contains(program_err, "expected the number of a lab");
  }
}

static void a_pipe_is_no_result(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_folder("pipes"), 0777), 0);
  assert_int_equal(mkfifo(in_folder("pipes/Eve.lab4.csv"), 0666), 0);
  assert_status(program_run("lab --collect %s", in_folder("pipes")), 3);
  assert_contains(program_err, "Eve.lab4.csv: is no regular file");
}

static void results_are_collected(void **state) {
  (void)state;
  const char *class = in_folder("class");
  assert_status(program_run("lab --collect labs/4/start"), 3);
  assert_contains(program_err, "labs/4/start: no results; --submit leaves them");
  assert_status(program_run("lab 4 --kernels labs/4/solution --submit %s --name Ada", class), 0);
  assert_status(program_run("lab 4 --kernels labs/4/solution --submit %s --name Bob", class), 0);
  assert_status(program_run("lab 4 --kernels labs/4/start --submit %s --name ../Eve", class), 1);
  assert_true(exists(in_folder("class/_./_Eve.lab4.csv")) ||
              exists(in_folder("class/_._Eve.lab4.csv")));
  assert_status(program_run("lab --collect %s", class), 0);
  assert_contains(program_out, "lab 4  Ada                      10 of 10  passed\n");
  assert_contains(program_out,
                  "lab 4  Bob                      10 of 10  passed (the same kernels as Ada)\n");
  assert_contains(
      program_out,
      "lab 4  ../Eve                    9 of 10  threads of a warp write 8 floats apart");
  assert_contains(program_out, "\n2 of 3 passed\n");
  assert_status(program_run("lab --collect %s --csv", class), 0);
  assert_contains(program_out, "lab,name,passed,asked,sources_hash,same_as,said\n");
  assert_contains(program_out, ",Ada,\n");
}

/* Answers that are right are alike, and of nothing there is nothing to be alike. */
static void alike_are_kernels_alone(void **state) {
  (void)state;
  const char *class = in_folder("alike");
  assert_int_equal(mkdir(in_folder("empty"), 0777), 0);
  for (int n = 0; n < 2; n++) {
    const char *name = n ? "Bob" : "Ada";
    assert_status(program_run("lab 6 --kernels labs/6/solution --submit %s --name %s", class, name),
                  0);
    assert_status(
        program_run("lab 4 --kernels %s --submit %s --name %s", in_folder("empty"), class, name),
        1);
  }
  assert_status(program_run("lab --collect %s", class), 0);
  assert_contains(program_out, "lab 6  Bob ");
  assert_contains(program_out, "lab 4  Bob ");
  assert_null(strstr(program_out, "the same kernels"));
}

/* Two names of one file's name, a name with ".lab" in it, and what a terminal would heed. */
static void nobodys_result_replaces_anothers(void **state) {
  (void)state;
  static const char *const names[] = {"\xe6\x9d\x8e", "\xe7\x8e\x8b", "A+B", "joe.lab"};
  const char *class = in_folder("names");
  for (int n = 0; n < 4; n++)
    assert_status(
        program_run("lab 4 --kernels labs/4/solution --submit %s --name %s", class, names[n]), 0);
  assert_status(program_run("lab 4 --kernels labs/4/solution --submit %s --name A_B", class), 2);
  assert_contains(program_err, "A_B.lab4.csv: is the result of \"A+B\"; expected another --name");
  assert_status(program_run("lab 4 --kernels labs/4/start --submit %s --name A+B", class), 1);
  assert_status(program_run("lab 4 --kernels labs/4/start --submit %s --name a\tb", class), 2);
  put_file(in_folder("names/Eve.lab4.csv"),
           RESULT_COLUMNS "E\033[2J\xc2\x9bve,4,right,,,1,1,1,1,failed,1,1,0,,0\n");
  assert_status(program_run("lab --collect %s", class), 0);
  for (int n = 0; n < 4; n++)
    assert_contains(program_out, names[n]);
  assert_contains(program_out, "lab 4  E?[2J?ve                  0 of  1  not passed\n");
  assert_contains(program_out, "\n3 of 5 passed\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kills_are_told_from_crashes),
      cmocka_unit_test(points_in_words),
      cmocka_unit_test(turns_come_one_after_another),
      cmocka_unit_test(labs_are_listed),
      cmocka_unit_test(a_lab_begins),
      cmocka_unit_test(a_lab_replaces_no_run),
      cmocka_unit_test(solutions_pass),
      cmocka_unit_test(gaps_fail),
      cmocka_unit_test(a_missing_file_is_named),
      cmocka_unit_test(what_is_no_file_is_named),
      cmocka_unit_test(a_mark_before_a_kernel_is_none_of_it),
      cmocka_unit_test(wrong_answers_are_not_given_away),
      cmocka_unit_test(a_result_of_no_lab_is_refused),
      cmocka_unit_test(a_result_that_was_cut_is_refused),
      cmocka_unit_test(a_pipe_is_no_result),
      cmocka_unit_test(results_are_collected),
      cmocka_unit_test(alike_are_kernels_alone),
      cmocka_unit_test(nobodys_result_replaces_anothers),
  };
  without_limits();
  return cmocka_run_group_tests_name("labs", tests, program_setup, program_teardown);
}
