#include "library/team.h"

#include "harness/base/machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static pid_t loaded_in; /* the process that loaded the library, or began with it */

__attribute__((constructor)) static void note_process(void) {
  loaded_in = getpid();
}

dcs_status dcs_team_size(int asked, int *threads) {
  enum { MOST = 1024 };
  if (asked < 0 || asked > MOST)
    return dcs_fail(DCS_USAGE, "threads %d; expected 1 to %d, or 0 for OMP_NUM_THREADS or all CPUs",
                    asked, MOST);
#ifndef _OPENMP
  if (asked > 1)
    return dcs_fail(DCS_UNAVAILABLE, "threads %d; the library was built without OpenMP: expected 1",
                    asked);
#endif
  *threads = asked > 0 ? asked : dcs_loop_threads();
  return DCS_OK;
}

bool dcs_team_is_bound(void) {
#ifdef _OPENMP
  return omp_get_proc_bind() != omp_proc_bind_false;
#else
  return false;
#endif
}

#ifdef _OPENMP
static void add_place(int place, cpu_set_t *cpus) {
  int ids[CPU_SETSIZE];
  const int n = omp_get_place_num_procs(place);
  if (n > CPU_SETSIZE) return;
  omp_get_place_proc_ids(place, ids);
  for (int i = 0; i < n; i++)
    if (ids[i] < CPU_SETSIZE) CPU_SET(ids[i], cpus);
}

/* Returns how many CPUs there are in them. */
static int find_places(cpu_set_t *cpus) {
  CPU_ZERO(cpus);
  for (int p = 0; p < omp_get_num_places(); p++)
    add_place(p, cpus);
  return CPU_COUNT(cpus);
}
#else
static int find_places(cpu_set_t *cpus) {
  (void)cpus;
  return 0;
}
#endif

int dcs_team_start(pthread_t *thread, void *(*main)(void *), void *data) {
  pthread_attr_t how;
  cpu_set_t cpus;
  pthread_attr_init(&how);
  if (dcs_team_is_bound() && find_places(&cpus) > 0)
    pthread_attr_setaffinity_np(&how, sizeof cpus, &cpus);
  const int error = pthread_create(thread, &how, main, data);
  pthread_attr_destroy(&how);
  return error;
}

void dcs_team_unbind(void) {
  cpu_set_t cpus;
  if (dcs_team_is_bound() && find_places(&cpus) > 0)
    pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

typedef struct {
  int threads;
  dcs_status (*work)(void *data);
  void *data;
  dcs_status status;
  char message[4096];
} job;

/* The number of threads is the calling thread's own, and is left as it was. Who has no team may run
 * where it might before: clang's OpenMP binds a thread to the first place when it gets to know it.
 */
static dcs_status run_here(const job *j) {
#ifdef _OPENMP
  cpu_set_t cpus;
  const bool alone = j->threads == 1 && sched_getaffinity(0, sizeof cpus, &cpus) == 0;
  const int before = omp_get_max_threads();
  omp_set_num_threads(j->threads);
  if (alone && dcs_team_is_bound()) (void)sched_setaffinity(0, sizeof cpus, &cpus);
  dcs_status status = j->work(j->data);
  omp_set_num_threads(before);
  return status;
#else
  return j->work(j->data);
#endif
}

static void *run_job(void *data) {
  job *j = data;
  j->status = run_here(j);
  snprintf(j->message, sizeof j->message, "%s", dcs_error_message());
  return NULL;
}

dcs_status dcs_team_run(int threads, dcs_status (*work)(void *data), void *data) {
  job j = {.threads = threads, .work = work, .data = data};
  if (threads == 1 || getpid() == loaded_in) return run_here(&j);
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, run_job, &j);
  if (error) return dcs_fail(DCS_UNAVAILABLE, "cannot start a thread: %s", strerror(error));
  pthread_join(thread, NULL);
  return j.status == DCS_OK ? DCS_OK : dcs_fail(j.status, "%s", j.message);
}
