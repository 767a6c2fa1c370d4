/* Halos: slices that a rank sends to its neighbours and gets from them, point to point. */
#include "mpi/ranks.h"

#include <limits.h>
#include <stddef.h>

enum { N_REQUESTS = sizeof((dcs_ranks *)NULL)->halos / sizeof(MPI_Request) };

void dcs_ranks_forget_slice(dcs_ranks *ranks) {
  if (ranks->floats > 0) MPI_Type_free(&ranks->slice);
  ranks->floats = 0;
}

/* A slice as a type, so that counts are slices, however large these are. */
static dcs_status make_slice(dcs_ranks *ranks, int64_t floats) {
  if (ranks->floats == floats) return DCS_OK;
  if (floats > INT_MAX)
    return dcs_fail(DCS_USAGE, "a slice of %lld points; expected at most %d", (long long)floats,
                    INT_MAX);
  dcs_ranks_forget_slice(ranks);
  MPI_Type_contiguous((int)floats, MPI_FLOAT, &ranks->slice);
  MPI_Type_commit(&ranks->slice);
  ranks->floats = floats;
  return DCS_OK;
}

static void exchange(dcs_ranks *ranks, const dcs_halos *h) {
  static const int up = DCS_TAG_UP, down = DCS_TAG_DOWN;
  for (int end = 0; end < 2; end++) {
    const int other = ranks->workers.rank + (end ? 1 : -1);
    MPI_Request *request = &ranks->halos[2 * end];
    request[0] = request[1] = MPI_REQUEST_NULL;
    if (!h->sent[end]) continue;
    MPI_Irecv(h->received[end], h->slices, ranks->slice, other, end ? down : up, MPI_COMM_WORLD,
              &request[0]);
    MPI_Isend(h->sent[end], h->slices, ranks->slice, other, end ? up : down, MPI_COMM_WORLD,
              &request[1]);
  }
}

dcs_status dcs_ranks_halos_begin(dcs_workers *w, const dcs_halos *halos) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  pthread_mutex_lock(&ranks->lock);
  const dcs_status status = make_slice(ranks, halos->floats);
  if (status == DCS_OK) exchange(ranks, halos);
  pthread_mutex_unlock(&ranks->lock);
  return status;
}

bool dcs_ranks_halos_there(dcs_workers *w) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  MPI_Status statuses[N_REQUESTS];
  int done;
  pthread_mutex_lock(&ranks->lock);
  MPI_Testall(N_REQUESTS, ranks->halos, &done, statuses);
  pthread_mutex_unlock(&ranks->lock);
  return done;
}

void dcs_ranks_halos_wait(dcs_workers *w) {
  int times = 0;
  while (!dcs_ranks_halos_there(w))
    dcs_ranks_pause(&times);
}
