/* The engine of several devices: a thread for each. */
#include "harness/engine/engine_several.h"

#include <stdio.h>

/* ---- each device in a thread ---- */

typedef struct {
  dcs_several *s;
  dcs_member *member;
  dcs_member_task *task;
  void *arg;
  pthread_t thread;
} work;

static void *do_work(void *arg) {
  work *w = arg;
  pthread_mutex_lock(&w->s->lock);
  while (w->s->threads == 0)
    pthread_cond_wait(&w->s->changed, &w->s->lock);
  pthread_mutex_unlock(&w->s->lock);
  w->task(w->s, w->member, w->arg);
  return NULL;
}

void dcs_each_member(dcs_several *s, int first, dcs_member_task *task, void *arg) {
  work works[DCS_MAX_DEVICES];
  int n = 0;
  s->threads = 0;
  for (int d = first; d < s->n; d++) {
    work *w = &works[n];
    if (s->members[d].gone) continue;
    *w = (work){.s = s, .member = &s->members[d], .task = task, .arg = arg};
    if (pthread_create(&w->thread, NULL, do_work, w) == 0) {
      n++;
      continue;
    }
    (void)dcs_fail(DCS_UNAVAILABLE, "no thread to drive it");
    dcs_member_ended(w->member, DCS_OUTCOME_MEMORY);
    s->share.sharers[d].gone = true;
  }
  pthread_mutex_lock(&s->lock);
  s->threads = n;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  for (int i = 0; i < n; i++)
    pthread_join(works[i].thread, NULL);
}

void dcs_member_ended(dcs_member *member, dcs_outcome outcome) {
  member->outcome = outcome;
  if (outcome == DCS_OUTCOME_OK) return;
  snprintf(member->why, sizeof member->why, "%s", dcs_error_message());
  member->gone = outcome != DCS_OUTCOME_COMPILE;
}
