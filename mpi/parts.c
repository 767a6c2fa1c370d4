/* Parts of a job: a queue of them, a number on rank 0 that ranks fetch and add to; what they come
 * to goes to rank 0 as messages, a head and the pieces. */
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "mpi/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEXT, PASSED, N_COUNTERS };
enum { MOST_BYTES = 1 << 30 }; /* of a message */

/* part, number of pieces, their bytes */
typedef struct {
  int64_t part, n, bytes[DCS_MAX_PIECES];
} head;

/* ---- counters ---- */

static int64_t fetch(dcs_ranks *ranks, int which, MPI_Op op, int64_t value) {
  int64_t got;
  pthread_mutex_lock(&ranks->lock);
  MPI_Fetch_and_op(&value, &got, MPI_INT64_T, 0, which, op, ranks->counters);
  MPI_Win_flush(0, ranks->counters);
  pthread_mutex_unlock(&ranks->lock);
  return got;
}

static void make_counters(dcs_ranks *ranks) {
  const bool here = ranks->workers.rank == 0;
  int64_t *counters;
  pthread_mutex_lock(&ranks->lock);
  MPI_Win_allocate(here ? N_COUNTERS * (MPI_Aint)sizeof *counters : 0, sizeof *counters,
                   MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &ranks->counters);
  MPI_Win_lock_all(0, ranks->counters);
  pthread_mutex_unlock(&ranks->lock);
  if (here) {
    fetch(ranks, NEXT, MPI_REPLACE, 0);
    fetch(ranks, PASSED, MPI_REPLACE, 0);
  }
  dcs_ranks_barrier(ranks);
}

/* ---- delivering, on rank 0 ---- */

static dcs_status failure(dcs_ranks *ranks) {
  pthread_mutex_lock(&ranks->delivering);
  const dcs_status status = ranks->failed;
  pthread_mutex_unlock(&ranks->delivering);
  return status == DCS_OK ? DCS_OK : dcs_fail(status, "%s", ranks->why);
}

static void fail_with(dcs_ranks *ranks, dcs_status status) {
  ranks->failed = status;
  snprintf(ranks->why, sizeof ranks->why, "%s", dcs_error_message());
}

static dcs_status deliver(dcs_ranks *ranks, int64_t part, const struct iovec *pieces, int n) {
  pthread_mutex_lock(&ranks->delivering);
  dcs_status status = ranks->failed;
  if (status == DCS_OK) {
    status = ranks->parts.deliver(ranks->parts.with, part, pieces, n);
    if (status != DCS_OK) fail_with(ranks, status);
    ranks->delivered++;
  }
  pthread_mutex_unlock(&ranks->delivering);
  return status;
}

static void receive_pieces(dcs_ranks *ranks, int source, const head *h, struct iovec *pieces) {
  pthread_mutex_lock(&ranks->lock);
  for (int p = 0; p < h->n; p++)
    for (size_t at = 0; at < pieces[p].iov_len; at += MOST_BYTES) {
      const size_t left = pieces[p].iov_len - at;
      MPI_Recv((char *)pieces[p].iov_base + at, (int)(left < MOST_BYTES ? left : MOST_BYTES),
               MPI_BYTE, source, DCS_TAG_PIECE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  pthread_mutex_unlock(&ranks->lock);
}

/* The message whose head is there. */
static dcs_status receive(dcs_ranks *ranks, int source, const head *h) {
  struct iovec pieces[DCS_MAX_PIECES] = {{0}};
  dcs_status status = DCS_OK;
  for (int p = 0; p < h->n && status == DCS_OK; p++) {
    pieces[p] = (struct iovec){malloc((size_t)h->bytes[p] + 1), (size_t)h->bytes[p]};
    if (!pieces[p].iov_base)
      status = dcs_fail(DCS_UNAVAILABLE, "no memory for %lld bytes of part %lld, from rank %d",
                        (long long)h->bytes[p], (long long)h->part, source);
  }
  if (status == DCS_OK) {
    receive_pieces(ranks, source, h, pieces);
    status = deliver(ranks, h->part, pieces, (int)h->n);
  }
  for (int p = 0; p < h->n; p++)
    free(pieces[p].iov_base);
  return status;
}

static bool look(dcs_ranks *ranks, head *h, int *source) {
  int there = 0;
  MPI_Status status;
  pthread_mutex_lock(&ranks->lock);
  MPI_Iprobe(MPI_ANY_SOURCE, DCS_TAG_HEAD, MPI_COMM_WORLD, &there, &status);
  if (there)
    MPI_Recv(h, sizeof *h, MPI_BYTE, status.MPI_SOURCE, DCS_TAG_HEAD, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&ranks->lock);
  *source = there ? status.MPI_SOURCE : -1;
  return there;
}

static void *receive_all(void *data) {
  dcs_ranks *ranks = data;
  for (int times = 0, stop = false; !stop;) {
    head h;
    int source;
    if (look(ranks, &h, &source)) {
      times = 0;
      const double start = dcs_now_ns();
      const dcs_status status = receive(ranks, source, &h);
      ranks->workers.receiving_s += 1e-9 * (dcs_now_ns() - start);
      pthread_mutex_lock(&ranks->delivering);
      if (status != DCS_OK && ranks->failed == DCS_OK) fail_with(ranks, status);
      pthread_mutex_unlock(&ranks->delivering);
    } else {
      dcs_ranks_pause(&times);
    }
    pthread_mutex_lock(&ranks->delivering);
    stop = ranks->stop;
    pthread_mutex_unlock(&ranks->delivering);
  }
  return NULL;
}

/* ---- sending ---- */

static void send_bytes(dcs_ranks *ranks, const void *bytes, size_t n, int tag) {
  MPI_Request request;
  pthread_mutex_lock(&ranks->lock);
  MPI_Isend(bytes, (int)n, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
  pthread_mutex_unlock(&ranks->lock);
  dcs_ranks_wait(ranks, &request);
}

static void send(dcs_ranks *ranks, int64_t part, const struct iovec *pieces, int n) {
  head h = {.part = part, .n = n};
  for (int p = 0; p < n; p++)
    h.bytes[p] = (int64_t)pieces[p].iov_len;
  send_bytes(ranks, &h, sizeof h, DCS_TAG_HEAD);
  for (int p = 0; p < n; p++)
    for (size_t at = 0; at < pieces[p].iov_len; at += MOST_BYTES) {
      const size_t left = pieces[p].iov_len - at;
      send_bytes(ranks, (const char *)pieces[p].iov_base + at,
                 left < MOST_BYTES ? left : MOST_BYTES, DCS_TAG_PIECE);
    }
}

/* ---- as workers ---- */

static dcs_status share_done(dcs_ranks *ranks) {
  int64_t n[3] = {ranks->parts.n, ranks->parts.ahead, ranks->parts.done != NULL};
  dcs_ranks_broadcast(ranks, n, sizeof n);
  ranks->parts.n = n[0];
  ranks->parts.ahead = n[1];
  ranks->done = NULL;
  if (!n[2]) return DCS_OK;
  ranks->done = calloc((size_t)n[0] + 1, sizeof *ranks->done);
  if (!ranks->done) return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld parts", (long long)n[0]);
  for (int64_t i = 0; ranks->workers.rank == 0 && i < n[0]; i++)
    ranks->done[i] = ranks->parts.done(ranks->parts.with, i);
  dcs_ranks_broadcast(ranks, ranks->done, (size_t)n[0] * sizeof *ranks->done);
  return DCS_OK;
}

dcs_status dcs_ranks_begin(dcs_workers *w, const dcs_parts *parts) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  ranks->parts = *parts;
  ranks->stop = false;
  ranks->delivered = 0;
  ranks->pending = -1;
  DCS_TRY(share_done(ranks));
  for (int64_t i = 0; ranks->done && i < ranks->parts.n; i++)
    ranks->delivered += ranks->done[i];
  w->left = ranks->parts.n - ranks->delivered;
  make_counters(ranks);
  w->begun_ns = dcs_now_ns();
  if (w->rank > 0) return DCS_OK;
  ranks->receiving = pthread_create(&ranks->receiver, NULL, receive_all, ranks) == 0;
  if (ranks->receiving) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no thread can be started that receives from other ranks");
}

static int64_t fetch_part(dcs_ranks *ranks) {
  int64_t part;
  do
    part = fetch(ranks, NEXT, MPI_SUM, 1);
  while (part < ranks->parts.n && ranks->done && ranks->done[part]);
  return part;
}

/* Whether rank 0 has room for what the part comes to. */
static bool has_room(dcs_ranks *ranks, int64_t part) {
  return ranks->parts.ahead == 0 || part < fetch(ranks, PASSED, MPI_NO_OP, 0) + ranks->parts.ahead;
}

dcs_status dcs_ranks_take(dcs_workers *w, int64_t *part) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  const double start = dcs_now_ns();
  DCS_TRY(failure(ranks));
  pthread_mutex_lock(&ranks->taking);
  *part = ranks->pending >= 0 ? ranks->pending : fetch_part(ranks);
  ranks->pending = -1;
  if (*part >= ranks->parts.n) {
    *part = DCS_PARTS_END;
  } else if (!has_room(ranks, *part)) {
    ranks->pending = *part;
    *part = DCS_PART_LATER;
  }
  pthread_mutex_unlock(&ranks->taking);
  w->communicating_s += 1e-9 * (dcs_now_ns() - start);
  return DCS_OK;
}

dcs_status dcs_ranks_give(dcs_workers *w, int64_t part, const struct iovec *pieces, int n_pieces) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  if (w->rank == 0) return deliver(ranks, part, pieces, n_pieces);
  const double start = dcs_now_ns();
  send(ranks, part, pieces, n_pieces);
  w->communicating_s += 1e-9 * (dcs_now_ns() - start);
  return DCS_OK;
}

void dcs_ranks_passed(dcs_workers *w, int64_t part) {
  fetch(dcs_ranks_of(w), PASSED, MPI_REPLACE, part);
}

void dcs_ranks_stop(dcs_ranks *ranks) {
  if (!ranks->receiving) return;
  pthread_mutex_lock(&ranks->delivering);
  ranks->stop = true;
  pthread_mutex_unlock(&ranks->delivering);
  pthread_join(ranks->receiver, NULL);
  ranks->receiving = false;
}

static dcs_status wait_for_parts(dcs_ranks *ranks) {
  dcs_status status = DCS_OK;
  int times = 0;
  for (bool all = false; !all && status == DCS_OK;) {
    pthread_mutex_lock(&ranks->delivering);
    all = ranks->delivered >= ranks->parts.n;
    status = ranks->failed;
    pthread_mutex_unlock(&ranks->delivering);
    if (!all && dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
    if (!all) dcs_ranks_pause(&times);
  }
  dcs_ranks_stop(ranks);
  return failure(ranks);
}

dcs_status dcs_ranks_finish(dcs_workers *w) {
  dcs_ranks *ranks = dcs_ranks_of(w);
  if (w->rank == 0) DCS_TRY(wait_for_parts(ranks));
  dcs_ranks_barrier(ranks);
  pthread_mutex_lock(&ranks->lock);
  MPI_Win_unlock_all(ranks->counters);
  MPI_Win_free(&ranks->counters);
  pthread_mutex_unlock(&ranks->lock);
  free(ranks->done);
  ranks->done = NULL;
  return DCS_OK;
}
