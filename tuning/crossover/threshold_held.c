/* Rules of a row without one of its sizes, for each of them, in time that grows as n log n. */
#include "tuning/crossover/threshold.h"

#include <math.h>

/* ---- the isotonic fit ---- */

typedef struct {
  double value, centre, n;
  double error; /* sum of squares within it */
} block;

/* Blocks of one side of the size held out; the last is next to it. */
typedef struct {
  block *list;
  double *errors; /* of those before each */
  size_t n;
} side;

typedef struct {
  side left, right;
  block *pooled;     /* by the right side's blocks, as they were pushed */
  size_t *n_pooled;  /* of each size */
  size_t all_pooled; /* in the list */
} fit;

static block pool(const block *a, const block *b) {
  const double n = a->n + b->n, apart = a->value - b->value;
  return (block){(a->n * a->value + b->n * b->value) / n, (a->n * a->centre + b->n * b->centre) / n,
                 n, a->error + b->error + a->n * b->n / n * apart * apart};
}

static double error_before(const side *s, size_t n) {
  return n > 0 ? s->errors[n - 1] + s->list[n - 1].error : 0;
}

static void push(side *s, block next) {
  s->errors[s->n] = error_before(s, s->n);
  s->list[s->n++] = next;
}

static void push_left(side *s, block next) {
  for (; s->n > 0 && s->list[s->n - 1].value >= next.value; s->n--)
    next = pool(&s->list[s->n - 1], &next);
  push(s, next);
}

static void push_right(fit *f, size_t size, block next) {
  side *s = &f->right;
  for (f->n_pooled[size] = 0; s->n > 0 && next.value >= s->list[s->n - 1].value; s->n--) {
    f->pooled[f->all_pooled++] = s->list[s->n - 1];
    f->n_pooled[size]++;
    next = pool(&next, &s->list[s->n - 1]);
  }
  push(s, next);
}

/* Takes back the size that was pushed last. */
static void take_back(fit *f, size_t size) {
  f->right.n--;
  for (size_t p = 0; p < f->n_pooled[size]; p++)
    push(&f->right, f->pooled[--f->all_pooled]);
}

/* Both sides as one fit: what is left of them, and between them a block of those that pool. */
typedef struct {
  const side *left, *right;
  size_t n_left, n_right;
  block between;
} whole;

static whole join(const fit *f) {
  whole w = {&f->left, &f->right, f->left.n, f->right.n, {0}};
  const block *l = w.left->list, *r = w.right->list;
  if (w.n_left == 0 || w.n_right == 0 || l[w.n_left - 1].value < r[w.n_right - 1].value) return w;
  w.between = pool(&l[--w.n_left], &r[--w.n_right]);
  for (;;)
    if (w.n_left > 0 && l[w.n_left - 1].value >= w.between.value)
      w.between = pool(&l[--w.n_left], &w.between);
    else if (w.n_right > 0 && w.between.value >= r[w.n_right - 1].value)
      w.between = pool(&w.between, &r[--w.n_right]);
    else
      return w;
}

/* Block k of all, whose values ascend. */
static const block *kth(const whole *w, size_t k) {
  if (k < w->n_left) return &w->left->list[k];
  k -= w->n_left;
  if (w->between.n > 0 && k-- == 0) return &w->between;
  return &w->right->list[w->n_right - 1 - k];
}

static double zero_of(const whole *w) {
  const size_t n = w->n_left + (w->between.n > 0) + w->n_right;
  size_t first = 0, end = n; /* of those from 0 on */
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (kth(w, middle)->value < 0)
      first = middle + 1;
    else
      end = middle;
  }
  if (first == 0) return -INFINITY;
  if (first == n) return INFINITY;
  const block *a = kth(w, first - 1), *b = kth(w, first);
  return a->centre + (b->centre - a->centre) * a->value / (a->value - b->value);
}

/* Puts the better of the rules, by error, of which errors[] has the least. */
static void fit_without_each(const dcs_threshold_row *row, int below, fit *f, double *errors,
                             dcs_threshold_rule *rules) {
  const double sign = below == 0 ? 1 : -1;
  f->left.n = f->right.n = f->all_pooled = 0;
  for (size_t i = row->n; i-- > 0;)
    push_right(f, i, (block){sign * row->d[i], row->log_x[i], 1, 0});
  for (size_t held = 0; held < row->n; held++) {
    take_back(f, held);
    const whole w = join(f);
    const double error =
        error_before(w.left, w.n_left) + w.between.error + error_before(w.right, w.n_right);
    if (below == 0 || error < errors[held]) {
      errors[held] = error;
      rules[held] = (dcs_threshold_rule){zero_of(&w), below};
    }
    push_left(&f->left, (block){sign * row->d[held], row->log_x[held], 1, 0});
  }
}

static dcs_status fits(dcs_room *room, const dcs_threshold_row *row, dcs_threshold_rule *rules) {
  const size_t n = row->n;
  double *errors;
  fit f = {0};
  side *const sides[] = {&f.left, &f.right};
  for (int s = 0; s < 2; s++) {
    DCS_TRY(dcs_room_take(room, &sides[s]->list, n, sizeof *sides[s]->list, "sizes"));
    DCS_TRY(dcs_room_take(room, &sides[s]->errors, n, sizeof *sides[s]->errors, "sizes"));
  }
  DCS_TRY(dcs_room_take(room, &f.pooled, n, sizeof *f.pooled, "sizes"));
  DCS_TRY(dcs_room_take(room, &f.n_pooled, n, sizeof *f.n_pooled, "sizes"));
  DCS_TRY(dcs_room_take(room, &errors, n, sizeof *errors, "sizes"));
  for (int below = 0; below < 2; below++)
    fit_without_each(row, below, &f, errors, rules);
  return DCS_OK;
}

/* ---- the least loss ---- */

/* A threshold before that size, and what it loses in total. */
typedef struct {
  double cost, log_x;
} place;

typedef struct {
  double *before, *after; /* what the sizes before each lose, and it and those behind it; n + 1 */
  place *behind;          /* the best from each size on; n + 2 */
} losses;

/* Before size `to`, if it is the next one behind `from`; no rule tells two of one place apart. */
static place place_between(const dcs_threshold_row *row, size_t from, size_t to, double cost) {
  const double *x = row->log_x;
  return (place){x[from] == x[to] ? INFINITY : cost, 0.5 * (x[from] + x[to])};
}

static place place_before(const dcs_threshold_row *row, const losses *l, size_t i) {
  const double cost = l->before[i] + l->after[i];
  return i == 0 ? (place){cost, -INFINITY} : place_between(row, i - 1, i, cost);
}

static void find_losses(const dcs_threshold_row *row, int below, losses *l) {
  const size_t n = row->n;
  l->before[0] = l->after[n] = 0;
  for (size_t i = 0; i < n; i++)
    l->before[i + 1] = l->before[i] + dcs_threshold_side_loss(below, row->d[i]);
  for (size_t i = n; i-- > 0;)
    l->after[i] = l->after[i + 1] + dcs_threshold_side_loss(1 - below, row->d[i]);
  l->behind[n] = l->behind[n + 1] = (place){INFINITY, 0};
  for (size_t i = n; i-- > 0;) {
    const place here = place_before(row, l, i);
    l->behind[i] = here.cost <= l->behind[i + 1].cost ? here : l->behind[i + 1];
  }
}

/* Takes a place that costs less than the best so far, `less` taken off. */
static void take_better(place next, double less, int below, place *best, dcs_threshold_rule *rule) {
  if (!(next.cost - less < best->cost)) return;
  *best = (place){next.cost - less, next.log_x};
  *rule = (dcs_threshold_rule){next.log_x, below};
}

static void lose_without_each(const dcs_threshold_row *row, int below, const losses *l, place *best,
                              dcs_threshold_rule *rules) {
  place first = {INFINITY, 0}; /* the best before the size held out */
  for (size_t h = 0; h < row->n; h++) {
    const double d = row->d[h];
    if (below == 0) best[h] = (place){INFINITY, 0};
    take_better(first, dcs_threshold_side_loss(1 - below, d), below, &best[h], &rules[h]);
    if (h + 1 < row->n) {
      const double cost = l->before[h] + l->after[h + 1];
      const place next = h == 0 ? (place){cost, -INFINITY} : place_between(row, h - 1, h + 1, cost);
      take_better(next, 0, below, &best[h], &rules[h]);
    }
    take_better(l->behind[h + 2 < row->n ? h + 2 : row->n], dcs_threshold_side_loss(below, d),
                below, &best[h], &rules[h]);
    const place here = place_before(row, l, h);
    if (here.cost < first.cost) first = here;
  }
}

static dcs_status least_losses(dcs_room *room, const dcs_threshold_row *row,
                               dcs_threshold_rule *rules) {
  const size_t n = row->n;
  losses l;
  place *best;
  DCS_TRY(dcs_room_take(room, &l.before, n + 1, sizeof *l.before, "sizes"));
  DCS_TRY(dcs_room_take(room, &l.after, n + 1, sizeof *l.after, "sizes"));
  DCS_TRY(dcs_room_take(room, &l.behind, n + 2, sizeof *l.behind, "sizes"));
  DCS_TRY(dcs_room_take(room, &best, n, sizeof *best, "sizes"));
  for (int below = 0; below < 2; below++) {
    find_losses(row, below, &l);
    lose_without_each(row, below, &l, best, rules);
  }
  return DCS_OK;
}

/* ---- both ---- */

/* changes[i]: how often the sure signs change without size i. */
static void changes_without_each(const dcs_threshold_row *row, int *changes) {
  int last, all = dcs_threshold_changes(row, row->n, &last), sign = 0;
  for (size_t i = row->n; i-- > 0;) { /* the next sure sign */
    changes[i] = sign;
    if (row->signs[i] != 0) sign = row->signs[i];
  }
  sign = 0; /* the one before */
  for (size_t i = 0; i < row->n; i++) {
    const int here = row->signs[i], next = changes[i];
    changes[i] = all;
    if (here == 0) continue;
    changes[i] -= (sign != 0 && sign != here) + (next != 0 && next != here);
    changes[i] += sign != 0 && next != 0 && sign != next;
    sign = here;
  }
}

dcs_status dcs_threshold_without_each(dcs_room *room, const dcs_threshold_row *row,
                                      dcs_threshold_rule *rules) {
  dcs_threshold_rule *lossy;
  int *changes;
  DCS_TRY(dcs_room_take(room, &lossy, row->n, sizeof *lossy, "sizes"));
  DCS_TRY(dcs_room_take(room, &changes, row->n, sizeof *changes, "sizes"));
  DCS_TRY(fits(room, row, rules));
  DCS_TRY(least_losses(room, row, lossy));
  changes_without_each(row, changes);
  for (size_t i = 0; i < row->n; i++)
    if (changes[i] > 1) rules[i] = lossy[i];
  return DCS_OK;
}
