/* Methods of several threads are made ready at once where there is room for the threads of one: it
 * has them, and the other is told that they cannot start. OpenMP's runtime would end the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/engine/engine.h"
#include "tests/coulomb_problem.h"
#include "tests/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEAM = 4, ROOM = TEAM - 1 };

#if defined(_OPENMP) && !defined(DCS_THREAD_SANITIZER) /* which starts threads itself */
typedef void *thread_main(void *);
typedef int create_function(pthread_t *, const pthread_attr_t *, thread_main *, void *);

static bool counted;       /* from then on there is room for so many threads */
static atomic_int alive;   /* of them */
static thread_main *tries; /* what those that are tried run: it comes first */
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
  thread_main *main;
  void *data;
} work;

static void *run_counted(void *data) {
  const work w = *(work *)data;
  free(data);
  void *result = w.main(w.data);
  atomic_fetch_sub(&alive, 1);
  return result;
}

/* A team begins late: another caller has the time to find room meanwhile. */
static bool is_of_a_team(thread_main *main) {
  pthread_mutex_lock(&first);
  if (!tries) tries = main;
  pthread_mutex_unlock(&first);
  return main != tries;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_main *main, void *data) {
  create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
  if (!counted) return create(thread, how, main, data);
  if (is_of_a_team(main)) nanosleep(&(struct timespec){0, 100000000}, NULL);
  if (atomic_fetch_add(&alive, 1) >= ROOM) {
    atomic_fetch_sub(&alive, 1);
    return EAGAIN;
  }
  work *w = malloc(sizeof *w);
  *w = (work){main, data};
  return create(thread, how, run_counted, w);
}

/* ---- the child ---- */

static dcs_case posed;
static pthread_barrier_t together;

static void *prepare(void *outcome) {
  static float maps[2][1000];
  static atomic_int n;
  const dcs_variant *variant = dcs_find_variant("cpu_gather");
  const dcs_config config = {{TEAM}};
  dcs_code_facts facts;
  dcs_engine *engine;
  void *out[DCS_MAX_BUFFERS] = {NULL};
  out[DCS_COULOMB_MAP] = maps[atomic_fetch_add(&n, 1)];
  if (dcs_engine_cpu_open(false, &engine) != DCS_OK) return NULL;
  engine->take(engine, posed.kind, &posed.problem, out);
  pthread_barrier_wait(&together);
  *(dcs_outcome *)outcome =
      engine->prepare(engine, 0, &posed.problem.config, variant, &config, &facts);
  pthread_barrier_wait(&together); /* a team ends with the thread that has it */
  engine->close(engine);
  return NULL;
}

static void prepare_two(void) {
  dcs_outcome outcomes[2] = {DCS_OUTCOME_CRASH, DCS_OUTCOME_CRASH};
  pthread_t threads[2];
  pthread_barrier_init(&together, NULL, 3);
  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, prepare, &outcomes[i]) != 0) _exit(2);
  counted = true;
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  const int good = (outcomes[0] == DCS_OUTCOME_OK) + (outcomes[1] == DCS_OUTCOME_OK);
  const int told = (outcomes[0] == DCS_OUTCOME_MEMORY) + (outcomes[1] == DCS_OUTCOME_MEMORY);
  _exit(good == 1 && told == 1 ? 0 : 3);
}

static void one_of_two_has_the_threads(void **state) {
  (void)state;
  const dcs_grid grid = {.n = {10, 10, 10}, .spacing = 1};
  int status;
  assert_int_equal(dcs_case_random(dcs_kinds[0], NULL, 5, &grid, 1, &posed), DCS_OK);
  const pid_t pid = fork();
  if (pid == 0) prepare_two();
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  dcs_case_free(&posed);
}
#else
static void one_of_two_has_the_threads(void **state) {
  (void)state;
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_two_has_the_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
