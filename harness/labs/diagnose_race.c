#include "harness/labs/diagnose.h"

#include <stdio.h>

static void describe_outside(const dcs_located_race *race, char text[DCS_SENTENCE]) {
  const dcs_touch *touch = &race->race.first;
  char place[DCS_TEXT];
  snprintf(text, DCS_SENTENCE,
           "thread %d of block %u %s outside of all arrays (%s, %lld times): an index is wrong, or "
           "a test of the edge is missing",
           touch->thread, touch->block, touch->kind == DCS_SEEN_LOAD ? "reads" : "writes",
           dcs_short_place(&race->first.place, place), (long long)race->race.words);
}

/* Whether the thread that reads a place after another has filled it has filled its own before: then
 * the barrier between filling and reading is missing, else the one before the next filling. Threads
 * run one after another, so that both look alike otherwise. */
static bool fills_first(const dcs_located_race *races, int n, const dcs_race *read) {
  for (int i = 0; i < n; i++) {
    const dcs_race *fill = &races[i].race;
    if (fill->then.kind == DCS_SEEN_STORE && fill->first.code == read->then.code &&
        fill->then.block == read->then.block && fill->then.thread == read->then.thread &&
        fill->then.epoch == read->then.epoch)
      return fill->then.time < read->then.time;
  }
  return true;
}

static void describe_shared(const dcs_located_race *races, int n, const dcs_located_race *race,
                            char text[DCS_SENTENCE]) {
  const dcs_touch *first = &race->race.first, *then = &race->race.then;
  const bool stored = first->kind == DCS_SEEN_STORE;
  const dcs_place *fill = stored ? &race->first.place : &race->then.place;
  const dcs_place *read = stored ? &race->then.place : &race->first.place;
  char a[DCS_TEXT], b[DCS_TEXT];
  dcs_short_place(fill, a);
  dcs_short_place(read, b);
  if (stored && then->kind == DCS_SEEN_STORE)
    snprintf(text, DCS_SENTENCE,
             "threads %d and %d both write the same place in shared memory (%s)", first->thread,
             then->thread, a);
  else if (stored && fills_first(races, n, &race->race))
    snprintf(text, DCS_SENTENCE,
             "a barrier is missing between filling shared memory (%s) and reading it (%s)", a, b);
  else
    snprintf(text, DCS_SENTENCE,
             "a barrier is missing between reading shared memory (%s) and filling it anew (%s)", b,
             a);
}

static void describe_global(const dcs_located_race *race, char text[DCS_SENTENCE]) {
  const dcs_touch *first = &race->race.first, *then = &race->race.then;
  char place[DCS_TEXT], who[DCS_TEXT];
  dcs_short_place(&race->then.place, place);
  if (first->block == then->block)
    snprintf(who, sizeof who, "thread %d and thread %d", first->thread, then->thread);
  else
    snprintf(who, sizeof who, "thread %d of block %u and thread %d of block %u", first->thread,
             first->block, then->thread, then->block);
  if (first->kind == DCS_SEEN_ATOMIC || then->kind == DCS_SEEN_ATOMIC)
    snprintf(text, DCS_SENTENCE,
             "%s both add to the same point of the map, one with an atomic and one without (%s)",
             who, place);
  else
    snprintf(
        text, DCS_SENTENCE,
        "%s both add to the same point of the map without an atomic (%s); if each should have a "
        "point of its own, the index is wrong",
        who, place);
}

static dcs_fault fault_of(const dcs_located_race *race) {
  if (race->race.first.kind == DCS_SEEN_BARRIER) return DCS_FAULT_BARRIER;
  if (race->race.space == DCS_SPACE_OUTSIDE) return DCS_FAULT_OUTSIDE;
  return race->race.space == DCS_SPACE_SHARED ? DCS_FAULT_SHARED : DCS_FAULT_RACE;
}

/* A fault that comes first, then a store that a load follows. */
static const dcs_located_race *most_telling(const dcs_located_race *races, int n) {
  const dcs_located_race *best = races;
  for (int i = 1; i < n; i++) {
    const dcs_fault fault = fault_of(&races[i]);
    const bool filled =
        races[i].race.then.kind == DCS_SEEN_LOAD && best->race.then.kind != DCS_SEEN_LOAD;
    if (fault < fault_of(best) || (fault == fault_of(best) && filled)) best = &races[i];
  }
  return best;
}

dcs_fault dcs_diagnose_races(const dcs_located_race *races, int n, char text[DCS_SENTENCE]) {
  const dcs_located_race *race = most_telling(races, n);
  char a[DCS_TEXT], b[DCS_TEXT];
  switch (fault_of(race)) {
  case DCS_FAULT_BARRIER:
    snprintf(text, DCS_SENTENCE,
             "threads of a block wait at different barriers (%s and %s): all must come to the same "
             "__syncthreads()",
             dcs_short_place(&race->first.place, a), dcs_short_place(&race->then.place, b));
    break;
  case DCS_FAULT_OUTSIDE:
    describe_outside(race, text);
    break;
  case DCS_FAULT_SHARED:
    describe_shared(races, n, race, text);
    break;
  default:
    describe_global(race, text);
  }
  return fault_of(race);
}
