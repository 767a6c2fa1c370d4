#include "harness/trace/races.h"

#include "harness/base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, PAGE_WORDS = 64, BUCKETS = 4096, THREADS = 1024, WARP = 32, MOST_RACES = 256 };

typedef struct {
  dcs_touch writes[2], loads[2]; /* time 0: none; of different threads, the later first */
} word;

typedef struct page {
  uint64_t number; /* of the space's pages */
  struct page *next;
  word words[PAGE_WORDS];
} page;

typedef struct {
  page *buckets[BUCKETS];
  page *last; /* most accesses are near the one before */
} shadow;

/* How much of a block's work is known to be done: what `thread` did before `time`, and what all its
 * threads did before barrier `epoch`; and the atomic operation that told so. Time 0: nothing. */
typedef struct {
  uint64_t time, told;
  uint32_t epoch;
  uint16_t thread;
} known;

/* A vector of those, one of each block, that an atomic operation on a word hands on. */
typedef struct {
  uint64_t address;
  known *blocks;
} handover;

typedef struct {
  known fence;     /* where its last fence was */
  known *pending;  /* what it was handed, which counts from its next fence on; NULL: nothing */
  known *acquired; /* what it knows beyond its block */
  uint16_t warp_epoch;
  uint32_t barrier; /* where it waits; 0: nowhere */
} thread_state;

struct dcs_races {
  uint64_t time;
  int64_t n_blocks; /* of the launch */
  uint32_t block, epoch;
  shadow spaces[DCS_N_SPACES];
  thread_state threads[THREADS];
  known *by_block; /* what all threads of this block know; NULL: nothing */
  handover *handovers;
  size_t n_handovers;
  dcs_race *found;
  int n_found;
};

/* ---- words ---- */

static void forget(shadow *s) {
  for (int b = 0; b < BUCKETS; b++)
    while (s->buckets[b]) {
      page *next = s->buckets[b]->next;
      free(s->buckets[b]);
      s->buckets[b] = next;
    }
  s->last = NULL;
}

/* NULL when memory is short. */
static word *find_word(shadow *s, uint64_t address) {
  const uint64_t at = address / WORD, number = at / PAGE_WORDS;
  if (!s->last || s->last->number != number) {
    page **bucket = &s->buckets[number % BUCKETS];
    for (s->last = *bucket; s->last && s->last->number != number;)
      s->last = s->last->next;
    if (!s->last) {
      s->last = calloc(1, sizeof *s->last);
      if (!s->last) return NULL;
      s->last->number = number;
      s->last->next = *bucket;
      *bucket = s->last;
    }
  }
  return &s->last->words[at % PAGE_WORDS];
}

/* ---- what is known of other blocks ---- */

static dcs_status no_memory(void) {
  return dcs_fail(DCS_UNAVAILABLE, "no memory to look for races; choose a smaller size");
}

/* Adds what `from` knows to *to, which is made where there is none. */
static dcs_status learn(const dcs_races *races, known **to, const known *from) {
  if (!from) return DCS_OK;
  if (!*to) *to = calloc((size_t)races->n_blocks, sizeof **to);
  if (!*to) return no_memory();
  for (int64_t b = 0; b < races->n_blocks; b++)
    if (from[b].time > (*to)[b].time) (*to)[b] = from[b];
  return DCS_OK;
}

static handover *find_handover(const dcs_races *races, uint64_t address) {
  for (size_t i = 0; i < races->n_handovers; i++)
    if (races->handovers[i].address == address) return &races->handovers[i];
  return NULL;
}

/* An atomic operation hands on what was done before its thread's last fence, and receives what
 * others handed on. */
static dcs_status hand_over(dcs_races *races, thread_state *thread, uint64_t address) {
  handover *here = find_handover(races, address);
  if (here) DCS_TRY(learn(races, &thread->pending, here->blocks));
  if (!thread->fence.time) return DCS_OK;
  if (!here) {
    DCS_TRY(dcs_grow(&races->handovers, races->n_handovers, sizeof *here, "atomic words"));
    here = &races->handovers[races->n_handovers++];
    *here = (handover){.address = address};
    here->blocks = calloc((size_t)races->n_blocks, sizeof *here->blocks);
    if (!here->blocks) return no_memory();
  }
  here->blocks[races->block] = thread->fence;
  here->blocks[races->block].told = races->time;
  DCS_TRY(learn(races, &here->blocks, races->by_block));
  return learn(races, &here->blocks, thread->acquired);
}

static dcs_status pass_fence(dcs_races *races, int t) {
  thread_state *thread = &races->threads[t];
  thread->fence = (known){.time = races->time, .epoch = races->epoch, .thread = (uint16_t)t};
  DCS_TRY(learn(races, &thread->acquired, thread->pending));
  free(thread->pending);
  thread->pending = NULL;
  return DCS_OK;
}

static bool covers(const known *blocks, const dcs_touch *touch) {
  if (!blocks) return false;
  const known *k = &blocks[touch->block];
  if (touch->thread == k->thread && touch->time <= k->told && touch->kind == DCS_SEEN_ATOMIC)
    return true;
  return touch->time < k->time && (touch->thread == k->thread || touch->epoch < k->epoch);
}

/* ---- races ---- */

static bool is_write(const dcs_touch *touch) {
  return touch->kind != DCS_SEEN_LOAD;
}

static bool in_order(const dcs_races *races, const dcs_touch *first, const dcs_touch *then) {
  if (first->block != then->block)
    return covers(races->by_block, first) || covers(races->threads[then->thread].acquired, first);
  if (first->epoch < then->epoch || first->thread == then->thread) return true;
  return first->thread / WARP == then->thread / WARP && first->warp_epoch < then->warp_epoch;
}

static dcs_status note(dcs_races *races, dcs_memory_space space, const dcs_touch *first,
                       const dcs_touch *then) {
  for (int i = 0; i < races->n_found; i++) {
    dcs_race *race = &races->found[i];
    if (race->first.code != first->code || race->then.code != then->code || race->space != space)
      continue;
    race->words++;
    return DCS_OK;
  }
  if (races->n_found == MOST_RACES) return DCS_OK;
  DCS_TRY(dcs_grow(&races->found, (size_t)races->n_found, sizeof *races->found, "races"));
  races->found[races->n_found++] = (dcs_race){space, *first, *then, 1};
  return DCS_OK;
}

static dcs_status hold_against(dcs_races *races, dcs_memory_space space, const dcs_touch *first,
                               const dcs_touch *then) {
  if (!first->time || !(first->bytes & then->bytes)) return DCS_OK;
  if (!is_write(first) && !is_write(then)) return DCS_OK;
  if (first->kind == DCS_SEEN_ATOMIC && then->kind == DCS_SEEN_ATOMIC) return DCS_OK;
  return in_order(races, first, then) ? DCS_OK : note(races, space, first, then);
}

static bool same_thread(const dcs_touch *a, const dcs_touch *b) {
  return a->block == b->block && a->thread == b->thread;
}

static dcs_status touch_word(dcs_races *races, dcs_memory_space space, word *w,
                             const dcs_touch *touch) {
  dcs_touch *kept = is_write(touch) ? w->writes : w->loads;
  for (int i = 0; i < 2; i++) {
    DCS_TRY(hold_against(races, space, &w->writes[i], touch));
    DCS_TRY(hold_against(races, space, &w->loads[i], touch));
  }
  if (!same_thread(&kept[0], touch)) kept[1] = kept[0];
  kept[0] = *touch;
  return DCS_OK;
}

/* What a thread does now to some bytes of a word. */
static dcs_touch touch_of(const dcs_races *races, int thread, const dcs_seen *seen,
                          unsigned bytes) {
  return (dcs_touch){.time = races->time,
                     .block = races->block,
                     .epoch = races->epoch,
                     .code = (uint32_t)seen->code,
                     .thread = (uint16_t)thread,
                     .warp_epoch = races->threads[thread].warp_epoch,
                     .kind = (uint8_t)seen->kind,
                     .bytes = (uint8_t)bytes};
}

static dcs_status touch_words(dcs_races *races, int thread, const dcs_seen *seen) {
  const uint64_t end = seen->address + seen->bytes;
  for (uint64_t at = seen->address / WORD * WORD; at < end; at += WORD) {
    const unsigned from = at < seen->address ? (unsigned)(seen->address - at) : 0;
    const unsigned to = end - at < WORD ? (unsigned)(end - at) : WORD;
    const dcs_touch touch = touch_of(races, thread, seen, (1u << to) - (1u << from));
    word *w = find_word(&races->spaces[seen->space], at);
    if (!w) return no_memory();
    DCS_TRY(touch_word(races, seen->space, w, &touch));
  }
  return DCS_OK;
}

/* ---- what the device tells ---- */

dcs_status dcs_races_begin(dcs_races **races) {
  *races = calloc(1, sizeof **races);
  return *races ? DCS_OK : no_memory();
}

static void forget_threads(dcs_races *races) {
  for (int t = 0; t < THREADS; t++) {
    free(races->threads[t].pending);
    free(races->threads[t].acquired);
  }
  memset(races->threads, 0, sizeof races->threads);
  free(races->by_block);
  races->by_block = NULL;
}

static void forget_launch(dcs_races *races) {
  for (int s = 0; s < DCS_N_SPACES; s++)
    forget(&races->spaces[s]);
  for (size_t i = 0; i < races->n_handovers; i++)
    free(races->handovers[i].blocks);
  free(races->handovers);
  races->handovers = NULL;
  races->n_handovers = 0;
  forget_threads(races);
}

void dcs_races_free(dcs_races *races) {
  if (!races) return;
  forget_launch(races);
  free(races->found);
  free(races);
}

dcs_status dcs_races_launch(dcs_races *races, int64_t blocks) {
  forget_launch(races);
  races->n_blocks = blocks;
  if (blocks <= UINT32_MAX) return DCS_OK;
  return no_memory();
}

void dcs_races_block(dcs_races *races, int64_t block) {
  forget(&races->spaces[DCS_SPACE_SHARED]);
  forget_threads(races);
  races->block = (uint32_t)block;
  races->epoch = 0;
}

dcs_status dcs_races_seen(dcs_races *races, int thread, const dcs_seen *seen) {
  thread_state *state = &races->threads[thread];
  const dcs_touch touch = touch_of(races, thread, seen, 0);
  races->time++;
  if (seen->bytes > 0 && seen->space == DCS_SPACE_OUTSIDE)
    return note(races, seen->space, &touch, &touch);
  switch (seen->kind) {
  case DCS_SEEN_FENCE:
    return pass_fence(races, thread);
  case DCS_SEEN_WARP_BARRIER:
    state->warp_epoch++;
    return DCS_OK;
  case DCS_SEEN_ATOMIC:
    DCS_TRY(touch_words(races, thread, seen));
    return seen->space == DCS_SPACE_GLOBAL ? hand_over(races, state, seen->address) : DCS_OK;
  case DCS_SEEN_LOAD:
  case DCS_SEEN_STORE:
    return seen->space == DCS_SPACE_CONSTANT ? DCS_OK : touch_words(races, thread, seen);
  case DCS_SEEN_BARRIER:
    state->barrier = (uint32_t)seen->code;
    return DCS_OK;
  default:
    return DCS_OK;
  }
}

/* Threads that wait at another barrier than the first of the block does. */
static dcs_status compare_barriers(dcs_races *races) {
  const dcs_touch at = {.time = races->time, .block = races->block, .kind = DCS_SEEN_BARRIER};
  dcs_touch first = at, then = at;
  for (int t = 0; t < THREADS; t++) {
    const uint32_t barrier = races->threads[t].barrier;
    races->threads[t].barrier = 0;
    dcs_touch *touch = first.code ? &then : &first;
    touch->code = barrier;
    touch->thread = (uint16_t)t;
    if (touch == &then && barrier && barrier != first.code)
      DCS_TRY(note(races, DCS_SPACE_SHARED, &first, &then));
  }
  return DCS_OK;
}

dcs_status dcs_races_together(dcs_races *races) {
  DCS_TRY(compare_barriers(races));
  races->epoch++;
  for (int t = 0; t < THREADS; t++) {
    thread_state *thread = &races->threads[t];
    DCS_TRY(learn(races, &races->by_block, thread->acquired));
    free(thread->acquired);
    thread->acquired = NULL;
    thread->warp_epoch = 0;
  }
  return DCS_OK;
}

const dcs_race *dcs_races_found(const dcs_races *races, int *n) {
  *n = races->n_found;
  return races->found;
}
