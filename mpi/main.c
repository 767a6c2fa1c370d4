/* dcsbench-mpi: the program as ranks of an MPI job. How they begin, agree and end. */
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/device/devices.h"
#include "mpi/ranks.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- waiting ---- */

void dcs_ranks_pause(int *times) {
  enum { AT_ONCE = 200, LONGEST_US = 500 };
  const int us = *times < AT_ONCE                ? 0
                 : *times < AT_ONCE + LONGEST_US ? *times - AT_ONCE
                                                 : LONGEST_US;
  ++*times;
  if (us == 0)
    sched_yield();
  else
    nanosleep(&(struct timespec){0, us * 1000L}, NULL);
}

void dcs_ranks_wait(dcs_ranks *ranks, MPI_Request *request) {
  int done = 0, times = 0;
  for (;;) {
    pthread_mutex_lock(&ranks->lock);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&ranks->lock);
    if (done) return;
    dcs_ranks_pause(&times);
  }
}

void dcs_ranks_broadcast(dcs_ranks *ranks, void *bytes, size_t n) {
  enum { MOST = 1 << 30 };
  for (size_t at = 0; at < n; at += MOST) {
    MPI_Request request;
    pthread_mutex_lock(&ranks->lock);
    MPI_Ibcast((char *)bytes + at, (int)(n - at < MOST ? n - at : MOST), MPI_BYTE, 0,
               MPI_COMM_WORLD, &request);
    pthread_mutex_unlock(&ranks->lock);
    dcs_ranks_wait(ranks, &request);
  }
}

void dcs_ranks_barrier(dcs_ranks *ranks) {
  MPI_Request request;
  pthread_mutex_lock(&ranks->lock);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  pthread_mutex_unlock(&ranks->lock);
  dcs_ranks_wait(ranks, &request);
}

/* ---- agreeing ---- */

/* How a rank begins: what it has read and is, or why it cannot go on. */
typedef struct {
  dcs_status status;
  uint64_t hash;
  char host[64], why[1024];
} beginning;

static void all_gather(dcs_ranks *ranks, const void *mine, size_t bytes, void *all) {
  MPI_Request request;
  pthread_mutex_lock(&ranks->lock);
  MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
  pthread_mutex_unlock(&ranks->lock);
  dcs_ranks_wait(ranks, &request);
}

/* The ranks tell each other how they begin; `all` has room for each. */
static void meet(dcs_ranks *ranks, dcs_status status, uint64_t hash, beginning *all) {
  beginning mine = {.status = status, .hash = hash};
  snprintf(mine.host, sizeof mine.host, "%s", ranks->workers.host);
  snprintf(mine.why, sizeof mine.why, "%s", status == DCS_OK ? "" : dcs_error_message());
  ranks->met = true;
  all_gather(ranks, &mine, sizeof mine, all);
}

static dcs_status refused(const dcs_ranks *ranks, const beginning *all) {
  for (int r = 0; r < ranks->workers.size; r++)
    if (all[r].status != DCS_OK)
      return dcs_fail(all[r].status, "rank %d of %d on %s: %s", r, ranks->workers.size, all[r].host,
                      all[r].why);
  for (int r = 1; r < ranks->workers.size; r++)
    if (all[r].hash != all[0].hash)
      return dcs_fail(DCS_INPUT,
                      "rank %d on %s has read other input than rank 0 on %s, or is another "
                      "program; expected the same files, options and program on all hosts",
                      r, all[r].host, all[0].host);
  return DCS_OK;
}

static dcs_status agree(dcs_workers *w, uint64_t hash, char *text, size_t size) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  beginning *all = malloc((size_t)w->size * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d ranks", w->size);
  meet(ranks, DCS_OK, hash, all);
  const dcs_status status = refused(ranks, all);
  free(all);
  DCS_TRY(status);
  ranks->agreed = true;
  dcs_ranks_broadcast(ranks, text, size);
  return DCS_OK;
}

static dcs_status gather(dcs_workers *w, const void *mine, size_t bytes, void *all) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  MPI_Request request;
  if (bytes > INT_MAX)
    return dcs_fail(DCS_USAGE, "%zu bytes of a rank to gather; MPI counts %d at most", bytes,
                    INT_MAX);
  pthread_mutex_lock(&ranks->lock);
  MPI_Igather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  pthread_mutex_unlock(&ranks->lock);
  dcs_ranks_wait(ranks, &request);
  return DCS_OK;
}

/* ---- the end ---- */

/* What all ranks were refused rank 0 tells alone; once they compute, a rank that fails ends all. */
static void tell(dcs_workers *w, dcs_status status) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  if (w->size == 1 || (!ranks->agreed && w->rank == 0)) {
    fprintf(stderr, "dcsbench: %s\n", dcs_error_message());
  } else if (ranks->agreed) {
    /* mpirun ends ranks by a signal when another has failed, or the user ends it. */
    if (dcs_interrupted() && w->rank > 0) return;
    dprintf(ranks->err, "dcsbench: rank %d of %d on %s: %s\n", w->rank, w->size, w->host,
            dcs_error_message());
    pthread_mutex_lock(&ranks->lock); /* no other thread is in MPI when it goes */
    MPI_Abort(MPI_COMM_WORLD, status);
  }
}

/* At the end of the program, which argp brings about by itself: the others, who may wait for this
 * rank to agree, get to know. */
static void end(int status, void *data) {
  dcs_ranks *ranks = data;
  beginning *all = malloc((size_t)ranks->workers.size * sizeof *all);
  if (!all) MPI_Abort(MPI_COMM_WORLD, DCS_UNAVAILABLE);
  if (!ranks->met) meet(ranks, status, 0, all);
  free(all);
  dcs_ranks_stop(ranks);
  dcs_ranks_forget_slice(ranks);
  MPI_Finalize();
}

/* ---- the begin ---- */

/* Standard output and error of ranks other than 0 are for nobody, but for their last message. */
static void be_quiet(dcs_ranks *ranks) {
  ranks->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (ranks->workers.rank == 0 || null < 0) return;
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  close(null);
}

static void find_place(dcs_workers *w) {
  MPI_Comm host;
  MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w->size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &w->local_rank);
  MPI_Comm_size(host, &w->local_size);
  MPI_Comm_free(&host);
  gethostname(w->host, sizeof w->host - 1);
}

int main(int argc, char **argv) {
  static dcs_ranks ranks = {.workers = {.agree = agree,
                                        .begin = dcs_ranks_begin,
                                        .take = dcs_ranks_take,
                                        .give = dcs_ranks_give,
                                        .passed = dcs_ranks_passed,
                                        .finish = dcs_ranks_finish,
                                        .gather = gather,
                                        .halos_begin = dcs_ranks_halos_begin,
                                        .halos_there = dcs_ranks_halos_there,
                                        .halos_wait = dcs_ranks_halos_wait,
                                        .open = dcs_ranks_open,
                                        .put = dcs_ranks_put,
                                        .close = dcs_ranks_close,
                                        .tell = tell},
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .taking = PTHREAD_MUTEX_INITIALIZER,
                            .delivering = PTHREAD_MUTEX_INITIALIZER};
  /* What the program starts of itself is no rank. */
  if (argc > 1 && strcmp(argv[1], "worker") == 0) return dcs_main(argc, argv, dcs_alone());
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) {
    fprintf(stderr, "dcsbench: this MPI library takes calls of one thread alone; expected one with "
                    "MPI_THREAD_SERIALIZED\n");
    MPI_Abort(MPI_COMM_WORLD, DCS_UNAVAILABLE);
  }
  find_place(&ranks.workers);
  be_quiet(&ranks);
  dcs_default_device_at(ranks.workers.local_rank);
  on_exit(end, &ranks);
  return dcs_main(argc, argv, &ranks.workers);
}
