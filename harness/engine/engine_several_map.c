/* The engine of several devices: maps. Each device takes slabs from the common queue, and has the
 * next one enqueued while it computes one, and while its thread copies out what it has computed. */
#include "harness/engine/engine_several.h"

#include "harness/base/clock.h"

enum { ENQUEUED = 2 }; /* slabs on a device */

typedef struct {
  int slot;
  bool copies, out, poison; /* atoms are copied in; the map is copied out; it is NaN before */
  int64_t maps, phase;      /* how many; times that all threads were there */
  int arrived;
  double begin_ns, map_ns, end_ns;     /* of all maps, of this one */
  double computed_ns[DCS_MAX_DEVICES]; /* when a device had computed its last slab */
} job;

/* What a thread works with; slabs taken and not done, each at its number modulo DCS_IN_HAND. */
typedef struct {
  dcs_several *s;
  job *j;
  int d;
  dcs_device_engine *e;
  const dcs_device_method *m;
  dcs_places places;
  dcs_range slabs[DCS_IN_HAND];
  int64_t taken, done;
} driver;

/* ---- all threads ---- */

/* Waits for all threads, before a map and after it. */
static void meet(dcs_several *s, job *j, bool before) {
  pthread_mutex_lock(&s->lock);
  int64_t phase = j->phase;
  if (++j->arrived == s->threads) {
    j->arrived = 0;
    j->phase++;
    if (before)
      dcs_share_start(&s->share, s->shape->n.z, s->share.step);
    else
      dcs_share_learn(&s->share);
    double now = dcs_now_ns();
    if (before) j->map_ns = now;
    if (phase == 0) j->begin_ns = now;
    j->end_ns = now;
    pthread_cond_broadcast(&s->changed);
  }
  while (j->phase == phase)
    pthread_cond_wait(&s->changed, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

/* ---- one device ---- */

static dcs_range *slab_of(driver *v, int64_t number) {
  return &v->slabs[number % DCS_IN_HAND];
}

static bool try_take(driver *v) {
  dcs_range *slab = &v->slabs[v->taken % DCS_IN_HAND];
  if (!dcs_share_take(&v->s->share, v->d, dcs_now_ns() - v->j->map_ns, slab)) return false;
  v->taken++;
  return true;
}

/* Takes a slab; with none in hand, waits until there is one or the map is over. */
static bool take(driver *v) {
  dcs_several *s = v->s;
  const bool patient = v->taken == v->done;
  pthread_mutex_lock(&s->lock);
  bool got = try_take(v);
  while (!got && patient && !dcs_share_over(&s->share)) {
    pthread_cond_wait(&s->changed, &s->lock);
    got = try_take(v);
  }
  pthread_mutex_unlock(&s->lock);
  return got;
}

static dcs_status queue_slabs(driver *v, int64_t until) {
  while (v->taken < until && take(v))
    DCS_TRY(dcs_enqueue_part(v->e, v->m, &v->places, *slab_of(v, v->taken - 1), v->taken - 1));
  return DCS_OK;
}

/* Waits for the oldest slab, which the others then count as computed. */
static dcs_status compute_slab(driver *v) {
  dcs_several *s = v->s;
  DCS_TRY(dcs_synchronize_part(v->e, v->done));
  pthread_mutex_lock(&s->lock);
  dcs_share_computed(&s->share, v->d, dcs_now_ns() - v->j->map_ns, *slab_of(v, v->done));
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  return DCS_OK;
}

static void finish_slab(driver *v) {
  dcs_several *s = v->s;
  pthread_mutex_lock(&s->lock);
  dcs_share_done(&s->share, *slab_of(v, v->done++));
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static dcs_status share_map(driver *v) {
  dcs_device *device = v->e->engine.device;
  v->taken = v->done = 0;
  DCS_TRY(dcs_begin_parts(v->e, v->m, &v->places, v->j->copies));
  for (;;) {
    DCS_TRY(queue_slabs(v, v->done + ENQUEUED));
    if (v->taken == v->done) return device->synchronize(device);
    DCS_TRY(compute_slab(v));
    DCS_TRY(queue_slabs(v, v->done + 1 + ENQUEUED));
    if (v->j->out) DCS_TRY(dcs_unload_part(v->e, &v->places, *slab_of(v, v->done)));
    finish_slab(v);
  }
}

/* The device failed: its slabs go back to the queue. */
static void leave(driver *v, dcs_outcome outcome) {
  dcs_several *s = v->s;
  dcs_range slabs[DCS_IN_HAND];
  int n = 0;
  dcs_member_ended(&s->members[v->d], outcome);
  pthread_mutex_lock(&s->lock);
  while (v->done < v->taken)
    slabs[n++] = *slab_of(v, v->done++);
  dcs_share_fail(&s->share, v->d, slabs, n);
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static dcs_outcome make_ready(driver *v) {
  dcs_outcome outcome = dcs_find_part_places(v->e, v->m, &v->places);
  if (outcome != DCS_OUTCOME_OK || !v->j->poison) return outcome;
  return dcs_poison(v->e, &v->places) == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

static void drive(dcs_several *s, dcs_member *member, void *arg) {
  job *j = arg;
  driver v = {.s = s, .j = j, .d = (int)(member - s->members), .e = member->e};
  v.m = &v.e->slots[j->slot];
  if (v.e->kept != j->slot + 1) v.e->kept = 0;
  member->outcome = DCS_OUTCOME_OK;
  dcs_outcome outcome = make_ready(&v);
  if (outcome != DCS_OUTCOME_OK) leave(&v, outcome);
  for (int64_t i = 0; i < j->maps; i++) {
    meet(s, j, true);
    if (!member->gone && share_map(&v) != DCS_OK) leave(&v, DCS_OUTCOME_LAUNCH);
    meet(s, j, false);
  }
  v.e->kept = !member->gone && s->shape->grid_slices > 0 ? j->slot + 1 : 0;
}

void dcs_share_maps(dcs_several *s, int slot, dcs_scope scope, int64_t inner, double *ns) {
  job j = {.slot = slot,
           .copies = scope == DCS_WARM || scope == DCS_UNTIMED_WARM,
           .out = scope != DCS_KERNEL,
           .poison = scope == DCS_UNTIMED || scope == DCS_UNTIMED_WARM,
           .maps = inner};
  int left = 0;
  for (int d = 0; d < s->n; d++)
    left += !s->members[d].gone;
  s->share.n = s->n;
  for (int d = 0; d < s->n; d++) {
    dcs_sharer *sharer = &s->share.sharers[d];
    const dcs_device_method *m = &s->members[d].e->slots[slot];
    sharer->gone = s->members[d].gone;
    if (sharer->gone) continue;
    sharer->least = dcs_least_part(s->members[d].e, m, left);
    s->share.step = dcs_part_step(&m->plan, s->shape);
  }
  dcs_each_member(s, 0, drive, &j);
  *ns = j.end_ns - j.begin_ns;
}
