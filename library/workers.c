/* One process that computes a job alone. */
#include "library/workers.h"

#include "harness/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  dcs_workers workers; /* first: the rest is found behind it */
  dcs_parts parts;
  int64_t next;
  pthread_mutex_t taking, delivering;
} alone;

static dcs_status agree(dcs_workers *w, uint64_t hash, char *text, size_t size) {
  (void)w, (void)hash, (void)text, (void)size;
  return DCS_OK;
}

static dcs_status begin(dcs_workers *w, const dcs_parts *parts) {
  alone *a = (alone *)w;
  a->parts = *parts;
  a->next = 0;
  w->left = parts->n;
  for (int64_t i = 0; parts->done && parts->n < INT64_MAX && i < parts->n; i++)
    w->left -= parts->done(parts->with, i);
  w->begun_ns = dcs_now_ns();
  return DCS_OK;
}

/* What is delivered meanwhile changes the same. */
static bool is_done(alone *a, int64_t part) {
  if (!a->parts.done) return false;
  pthread_mutex_lock(&a->delivering);
  const bool done = a->parts.done(a->parts.with, part);
  pthread_mutex_unlock(&a->delivering);
  return done;
}

static dcs_status take(dcs_workers *w, int64_t *part) {
  alone *a = (alone *)w;
  pthread_mutex_lock(&a->taking);
  while (a->next < a->parts.n && is_done(a, a->next))
    a->next++;
  *part = a->next < a->parts.n ? a->next++ : DCS_PARTS_END;
  pthread_mutex_unlock(&a->taking);
  return DCS_OK;
}

static dcs_status give(dcs_workers *w, int64_t part, const struct iovec *pieces, int n_pieces) {
  alone *a = (alone *)w;
  pthread_mutex_lock(&a->delivering);
  const dcs_status status = a->parts.deliver(a->parts.with, part, pieces, n_pieces);
  pthread_mutex_unlock(&a->delivering);
  return status;
}

static void passed(dcs_workers *w, int64_t part) {
  (void)w, (void)part;
}

static dcs_status finish(dcs_workers *w) {
  (void)w;
  return DCS_OK;
}

static dcs_status gather(dcs_workers *w, const void *mine, size_t bytes, void *all) {
  (void)w;
  memcpy(all, mine, bytes);
  return DCS_OK;
}

static void tell(dcs_workers *w, dcs_status status) {
  (void)w, (void)status;
  fprintf(stderr, "dcsbench: %s\n", dcs_error_message());
}

dcs_workers *dcs_alone(void) {
  static alone self = {.workers = {.size = 1,
                                   .local_size = 1,
                                   .agree = agree,
                                   .begin = begin,
                                   .take = take,
                                   .give = give,
                                   .passed = passed,
                                   .finish = finish,
                                   .gather = gather,
                                   .tell = tell},
                       .taking = PTHREAD_MUTEX_INITIALIZER,
                       .delivering = PTHREAD_MUTEX_INITIALIZER};
  return &self.workers;
}
