/* The ranks of an MPI job as workers (library/workers.h).
 *
 * Threads of a rank take and give parts at once, so every call of MPI is made under one lock
 * (MPI_THREAD_SERIALIZED). Nobody waits within MPI: who waits looks again and again, and sleeps in
 * between, so that waiting takes no CPU from those who compute. Rank 0 has a thread that receives
 * parts while others compute; its looking also drives one-sided access to the counters that lie
 * there, on networks that need the target's help. */
#ifndef DCS_MPI_RANKS_H
#define DCS_MPI_RANKS_H

#include "kernels/contract.h"
#include "library/workers.h"

#include <mpi.h>
#include <pthread.h>

enum { DCS_TAG_HEAD = 1, DCS_TAG_PIECE = 2, DCS_TAG_UP = 3, DCS_TAG_DOWN = 4 };

typedef struct {
  dcs_workers workers; /* first: the rest is found behind it */
  bool met;            /* the ranks have told each other how they began */
  bool agreed;         /* and go on */
  int err;             /* descriptor of the user's standard error */
  pthread_mutex_t lock;

  /* ---- parts (mpi/parts.c) ---- */
  dcs_parts parts;
  bool *done;       /* n flags, or NULL */
  MPI_Win counters; /* on rank 0: the next part, and the first that was not passed */
  int64_t pending;  /* was fetched, and rank 0 had no room for it; -1: none */
  pthread_mutex_t taking;
  bool receiving;     /* there is the thread: */
  pthread_t receiver; /* of rank 0 */
  pthread_mutex_t delivering;
  int64_t delivered; /* under `delivering`, as what follows */
  bool stop;         /* the receiver ends */
  dcs_status failed; /* of a delivery */
  char why[1024];

  /* ---- halos (mpi/halos.c) ---- */
  MPI_Datatype slice; /* of so many floats; 0: there is none */
  int64_t floats;
  MPI_Request halos[4];

  /* ---- file (mpi/shared_file.c) ---- */
  MPI_File file;
  char path[4096];
} dcs_ranks;

static inline dcs_ranks *dcs_ranks_of(dcs_workers *workers) {
  return (dcs_ranks *)workers;
}

/* Waits until a request is done, without a lock. */
void dcs_ranks_wait(dcs_ranks *ranks, MPI_Request *request);
/* From rank 0 to all. */
void dcs_ranks_broadcast(dcs_ranks *ranks, void *bytes, size_t n);
/* Until all are here. */
void dcs_ranks_barrier(dcs_ranks *ranks);
/* A pause that grows with the number of those before it. */
void dcs_ranks_pause(int *times);

/* Ends the thread that receives, where it is there. */
void dcs_ranks_stop(dcs_ranks *ranks);

dcs_status dcs_ranks_begin(dcs_workers *, const dcs_parts *parts);
dcs_status dcs_ranks_take(dcs_workers *, int64_t *part);
dcs_status dcs_ranks_give(dcs_workers *, int64_t part, const struct iovec *pieces, int n_pieces);
void dcs_ranks_passed(dcs_workers *, int64_t part);
dcs_status dcs_ranks_finish(dcs_workers *);

/* Before MPI ends. */
void dcs_ranks_forget_slice(dcs_ranks *ranks);
dcs_status dcs_ranks_halos_begin(dcs_workers *, const dcs_halos *halos);
bool dcs_ranks_halos_there(dcs_workers *);
void dcs_ranks_halos_wait(dcs_workers *);

dcs_status dcs_ranks_open(dcs_workers *, const char *path);
dcs_status dcs_ranks_put(dcs_workers *, int64_t offset, const void *bytes, size_t n);
dcs_status dcs_ranks_close(dcs_workers *);

#endif
