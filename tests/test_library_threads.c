/* The library's threads: how many a map takes, maps of several threads at once, children of fork().
 * Each trial is a process of its own: threads of OpenMP stay where they once were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/library_map.h"
#include "tests/shell.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- what a trial does ---- */

static int threads_of_process(void) {
  int n = 0;
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    n += entry->d_name[0] != '.';
  if (folder) closedir(folder);
  return n;
}

static int failed(const char *what) {
  printf("%s: %s\n", what, dcs_error_message());
  return 1;
}

static void *do_nothing(void *data) {
  return data;
}

/* The thread sanitizer starts a thread of its own with the first. */
static int threads_at_first(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
  return threads_of_process();
}

/* Of loops that the caller has. */
static int threads_of_loops(void) {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

/* Prints how many threads a map of three loops that have many parts left behind; the caller's own
 * loops take as many as they did. */
static int count_threads(int threads) {
  enum { SIDE = 48 };
  static float many[SIDE * SIDE * SIDE];
  const int before = threads_at_first(), of_loops = threads_of_loops();
  dcs_mapper *m;
  dcs_map_request r = request_of(MOST_ATOMS);
  r.nx = r.ny = r.nz = SIDE;
  if (dcs_mapper_open(&(dcs_mapper_options){.device = "cpu", .threads = threads}, &m) != 0)
    return failed("open");
  if (dcs_map(m, &r, many) != 0) return failed("map");
  r.cutoff = 4;
  if (dcs_map(m, &r, many) != 0) return failed("within a cutoff");
  printf("map: %d threads\n", 1 + threads_of_process() - before);
  dcs_mapper_close(m);
  if (threads_of_loops() == of_loops) return 0;
  printf("the caller's loops took %d threads, now %d\n", of_loops, threads_of_loops());
  return 1;
}

/* Whether it computes the request, which a whole process shares, into a map of its own. */
static bool computes(dcs_mapper *m, const dcs_map_request *r, const float *expected) {
  static _Thread_local float found[POINTS];
  memset(found, 0xff, sizeof found);
  if (dcs_map(m, r, found) != 0) return failed("map"), false;
  return memcmp(found, expected, sizeof found) == 0;
}

static int child_of(dcs_mapper *m, const dcs_mapper_options *options, const dcs_map_request *r,
                    bool own) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60); /* it would hang */
    char text[4096] = "";
    bool good = !own || dcs_mapper_open(options, &m) == 0;
    good = good && computes(m, r, map) && computes(m, r, map) &&
           dcs_explain(m, r, text, sizeof text) == 0;
    if (good && !strstr(text, strcmp(options->device, "cpu") == 0 ? "on the CPU" : "on the GPU"))
      good = false, printf("%s", text); /* an emulated GPU is opened anew */
    dcs_mapper_close(m);
    fflush(stdout);
    _exit(!good);
  }
  return child;
}

static bool succeeds(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) == child && status == 0) return true;
  printf("a child ended with %#x\n", status);
  return false;
}

/* Children before the first map and after it, with the parent's handle and with their own, and the
 * parent beside them. */
static int fork_children(const char *device, int threads) {
  const dcs_mapper_options options = {.device = device, .threads = threads};
  const dcs_map_request r = request_of(MOST_ATOMS);
  dcs_mapper *first, *m;
  if (dcs_mapper_open(&(dcs_mapper_options){.device = device, .threads = 1}, &first) != 0 ||
      dcs_map(first, &r, map) != 0 || dcs_mapper_open(&options, &m) != 0)
    return failed("parent");
  bool good = succeeds(child_of(m, &options, &r, false));
  good = succeeds(child_of(m, &options, &r, true)) && good;
  if (!computes(m, &r, map)) return failed("parent");
  pid_t both = child_of(m, &options, &r, false);
  good = computes(m, &r, map) && good;
  good = succeeds(both) && good;
  good = succeeds(child_of(m, &options, &r, true)) && good;
  good = computes(m, &r, map) && good;
  dcs_mapper_close(m);
  dcs_mapper_close(first);
  return !good;
}

typedef struct {
  const char *device;
  dcs_map_request request;
  float expected[POINTS];
  bool good;
} caller;

static void *call(void *data) {
  caller *c = data;
  dcs_mapper *m;
  c->good = dcs_mapper_open(&(dcs_mapper_options){.device = c->device}, &m) == 0;
  for (int i = 0; c->good && i < 5; i++) {
    dcs_map_request wrong = c->request;
    char said_here[64];
    c->good = computes(m, &c->request, c->expected);
    wrong.nx = -c->request.n_atoms; /* another message for each thread */
    snprintf(said_here, sizeof said_here, "grid %lldx", (long long)wrong.nx);
    c->good = c->good && dcs_map(m, &wrong, map) == 2 &&
              strncmp(dcs_error_message(), said_here, strlen(said_here)) == 0;
  }
  dcs_mapper_close(m);
  return NULL;
}

/* Maps of several threads at once, each of its own size, are those of one. */
static int call_at_once(const char *device) {
  enum { CALLERS = 4 };
  static caller callers[CALLERS];
  pthread_t threads[CALLERS];
  dcs_mapper *m;
  bool good = dcs_mapper_open(&(dcs_mapper_options){.device = device}, &m) == 0;
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.device = device, .request = request_of(MOST_ATOMS)};
    callers[i].request.n_atoms = 40 + 7 * i;
    good = good && dcs_map(m, &callers[i].request, callers[i].expected) == 0;
  }
  dcs_mapper_close(m);
  for (int i = 0; good && i < CALLERS; i++)
    good = pthread_create(&threads[i], NULL, call, &callers[i]) == 0;
  for (int i = 0; good && i < CALLERS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < CALLERS; i++)
    good = good && callers[i].good;
  return good ? 0 : failed("at once");
}

static int trial(const char *what, const char *value, const char *device) {
  if (strcmp(what, "count") == 0) return count_threads(atoi(value));
  if (strcmp(what, "fork") == 0) return fork_children(device, atoi(value));
  return call_at_once(device);
}

/* ---- tests ---- */

static int runs(const char *environment, const char *words) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(n > 0);
  self[n] = '\0';
  return run("%s %s %s", environment, self, words);
}

static void expect_threads(const char *environment, int threads, int expected) {
  char words[64], line[64];
  snprintf(words, sizeof words, "count %d cpu", threads);
  snprintf(line, sizeof line, "map: %d threads\n", expected);
  if (runs(environment, words) != 0 || !strstr(said, line)) /* an OpenMP may warn of its limit */
    fail_msg("%s %s: found \"%s\"; expected \"%s\"", environment, words, said, line);
}

static void a_map_takes_the_threads_it_may(void **state) {
  (void)state;
#ifndef _OPENMP
  print_message("skipped: no OpenMP\n");
  skip();
#endif
  expect_threads("", 1, 1);
  expect_threads("", 3, 3);
  expect_threads("OMP_NUM_THREADS=2", 5, 5);
  expect_threads("OMP_NUM_THREADS=1", 0, 1);
  expect_threads("OMP_THREAD_LIMIT=1", 0, 1);
  expect_threads("OMP_THREAD_LIMIT=1", 3, 1);
  expect_threads("taskset -c 0", 0, 1);
}

static void wrong_numbers_of_threads_are_refused(void **state) {
  (void)state;
  static const int wrong[] = {-1, 1025};
  for (int i = 0; i < 2; i++) {
    dcs_mapper *m;
    assert_int_equal(dcs_mapper_open(&(dcs_mapper_options){.threads = wrong[i]}, &m), 2);
    assert_contains(dcs_error_message(), "expected 1 to 1024");
    assert_null(m);
  }
}

static void expect_success(const char *words) {
  if (runs("", words) != 0) fail_msg("%s: %s", words, said);
}

static void children_of_fork_compute(void **state) {
  (void)state;
#ifdef DCS_THREAD_SANITIZER
  print_message("skipped: children of fork() start no threads under the thread sanitizer\n");
  skip();
#endif
  expect_success("fork 1 cpu");
#ifdef _OPENMP
  expect_success("fork 3 cpu");
#endif
}

static void children_of_fork_compute_on_a_device(void **state) {
  (void)state;
  expect_success("fork 1 emulated");
}

static void threads_compute_at_once(void **state) {
  (void)state;
  expect_success("at-once 0 cpu");
  expect_success("at-once 0 emulated");
}

int main(int n_words, char **words) {
  if (n_words == 4) return trial(words[1], words[2], words[3]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_takes_the_threads_it_may),
      cmocka_unit_test(wrong_numbers_of_threads_are_refused),
      cmocka_unit_test(children_of_fork_compute),
      cmocka_unit_test(children_of_fork_compute_on_a_device),
      cmocka_unit_test(threads_compute_at_once),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
