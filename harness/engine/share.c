#include "harness/engine/share.h"

static int64_t length(dcs_range range) {
  return range.end - range.from;
}

void dcs_share_start(dcs_share *s, int64_t slices, int64_t step) {
  s->slices = slices;
  s->step = step;
  s->done = 0;
  s->ranges[0] = (dcs_range){0, slices};
  s->n_ranges = 1;
  for (int d = 0; d < s->n; d++)
    s->sharers[d] = (dcs_sharer){
        .speed = s->sharers[d].speed, .least = s->sharers[d].least, .gone = s->sharers[d].gone};
}

void dcs_share_learn(dcs_share *s) {
  for (int d = 0; d < s->n; d++)
    if (!s->sharers[d].gone && (s->sharers[d].computed == 0 || s->sharers[d].busy <= 0)) return;
  for (int d = 0; d < s->n; d++)
    if (!s->sharers[d].gone)
      s->sharers[d].speed = (double)s->sharers[d].computed / s->sharers[d].busy;
}

/* The devices that are left, as far as can be told. */
typedef struct {
  double rate[DCS_MAX_DEVICES]; /* slices in a unit of time, of each */
  double left[DCS_MAX_DEVICES]; /* slices that it took and has not computed by now */
  double rates, all_left;       /* sums; all_left with the slices that nobody took */
  int64_t untaken;
} outlook;

/* What a device did in this map counts; before it has done anything, its speed, in the unit that
 * the others' come in. */
static outlook look(const dcs_share *s, double now) {
  outlook o = {0};
  double computed = 0, expected = 0;
  for (int d = 0; d < s->n; d++) {
    computed += (double)s->sharers[d].computed;
    expected += s->sharers[d].speed * s->sharers[d].busy;
  }
  double unit = computed > 0 && expected > 0 ? computed / expected : 0;
  for (int r = 0; r < s->n_ranges; r++)
    o.untaken += length(s->ranges[r]);
  o.all_left = (double)o.untaken;
  for (int d = 0; d < s->n; d++) {
    const dcs_sharer *sharer = &s->sharers[d];
    if (sharer->gone) continue;
    bool known = sharer->computed > 0 && sharer->busy > 0;
    o.rate[d] = known      ? (double)sharer->computed / sharer->busy
                : unit > 0 ? unit * sharer->speed
                           : sharer->speed;
    double done = unit > 0 ? o.rate[d] * (now - sharer->since) : 0;
    o.left[d] = (double)sharer->pending > done ? (double)sharer->pending - done : 0;
    o.rates += o.rate[d];
    o.all_left += o.left[d];
  }
  return o;
}

/* Whether the others, who are at work, would have finished everything before device d had computed
 * so many slices, and one of them these slices. */
static bool too_late(const dcs_share *s, const outlook *o, int d, int64_t slices) {
  double end = (double)slices / o->rate[d];
  if (end <= o->all_left / (o->rates - o->rate[d])) return false;
  for (int other = 0; other < s->n; other++)
    if (other != d && s->sharers[other].pending > 0 &&
        (o->left[other] + (double)slices) / o->rate[other] < end)
      return true;
  return false;
}

/* Slices that device d should take next; 0: none. */
static int64_t wanted(const dcs_share *s, int d, double now) {
  const dcs_sharer *me = &s->sharers[d];
  const outlook o = look(s, now);
  double more = o.all_left * o.rate[d] / o.rates - o.left[d];
  if (me->pending > 0 && more < 0.9 * (double)me->least) return 0; /* speeds jitter */
  int64_t half = (int64_t)(more / 2) / me->least * me->least;      /* whole waves */
  int64_t want = half > me->least ? half : me->least;
  if (want > o.untaken) want = o.untaken;
  return me->pending == 0 && too_late(s, &o, d, want) ? 0 : want;
}

bool dcs_share_take(dcs_share *s, int d, double now, dcs_range *slab) {
  dcs_sharer *me = &s->sharers[d];
  if (me->gone || s->n_ranges == 0) return false;
  int64_t want = wanted(s, d, now);
  if (want <= 0) return false;
  dcs_range *next = &s->ranges[s->n_ranges - 1];
  *slab = *next;
  if (want < length(*slab)) slab->end = slab->from + want;
  next->from = slab->end;
  if (length(*next) == 0) s->n_ranges--;
  if (me->pending == 0) me->since = now;
  me->pending += length(*slab);
  return true;
}

void dcs_share_computed(dcs_share *s, int d, double now, dcs_range slab) {
  dcs_sharer *me = &s->sharers[d];
  me->pending -= length(slab);
  me->computed += length(slab);
  me->busy += now - me->since;
  me->since = now;
}

void dcs_share_done(dcs_share *s, dcs_range slab) {
  s->done += length(slab);
}

void dcs_share_fail(dcs_share *s, int d, const dcs_range *slabs, int n) {
  s->sharers[d].gone = true;
  s->sharers[d].pending = 0;
  for (int i = 0; i < n; i++)
    s->ranges[s->n_ranges++] = slabs[i];
}

bool dcs_share_over(const dcs_share *s) {
  bool left = false;
  for (int d = 0; d < s->n; d++)
    left = left || !s->sharers[d].gone;
  return !left || s->done == s->slices;
}
