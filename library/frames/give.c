/* What blocks came to is given by one thread, while the next are computed. */
#include "library/frames/pipe.h"

#include "harness/base/clock.h"
#include "library/team.h"

/* More add no faster: memory is the limit. */
enum { MOST_THREADS = 4 };

/* Waits for a block; NULL: there are no more. */
static dcs_gift *next_gift(dcs_pipe *p) {
  dcs_gift *gift = NULL;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    for (int w = 0; w < p->n_workers && !gift; w++)
      if (p->workers[w].gift.full) gift = &p->workers[w].gift;
    if (gift || p->ended || p->status != DCS_OK) break;
    pthread_cond_wait(&p->changed, &p->lock);
  }
  if (p->status != DCS_OK) gift = NULL;
  if (gift) gift->giving = true;
  pthread_mutex_unlock(&p->lock);
  return gift;
}

static dcs_status give(dcs_pipe *p, const dcs_gift *gift) {
  const double start = dcs_now_ns();
  pthread_mutex_lock(&p->calls);
  dcs_status status = p->job->give(p->job->user, gift->block, &gift->partial);
  pthread_mutex_unlock(&p->calls);
  dcs_pipe_worked(p, DCS_STAGE_ADDING, start);
  return status;
}

static dcs_status give_all(void *pipe) {
  dcs_pipe *p = pipe;
  for (dcs_gift *gift; (gift = next_gift(p)) != NULL;) {
    const dcs_status status = give(p, gift);
    dcs_team_unbind();
    pthread_mutex_lock(&p->lock);
    gift->full = gift->giving = false;
    if (status == DCS_OK) p->times->frames += gift->partial.frames;
    pthread_mutex_unlock(&p->lock);
    dcs_pipe_done(p);
    DCS_TRY(status);
  }
  return DCS_OK;
}

void *dcs_pipe_giver(void *pipe) {
  dcs_pipe *p = pipe;
  const dcs_status status =
      dcs_team_run(p->threads < MOST_THREADS ? p->threads : MOST_THREADS, give_all, p);
  if (status != DCS_OK) dcs_pipe_fail(p, status);
  return NULL;
}
