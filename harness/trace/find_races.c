#include "harness/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what the device tells ---- */

typedef struct {
  dcs_races *races;
  dcs_module *module;
  dcs_located_race *located;
  int n;
  dcs_status status; /* the first failure, which dcs_error_message() tells of */
} finder;

static void on_launch(void *context, dcs_module *module, const char *kernel, const int64_t grid[3],
                      const int block[3]) {
  finder *f = context;
  (void)kernel, (void)block;
  f->module = module;
  if (f->status == DCS_OK) f->status = dcs_races_launch(f->races, grid[0] * grid[1] * grid[2]);
}

static bool on_block(void *context, int64_t block) {
  finder *f = context;
  if (f->status == DCS_OK) dcs_races_block(f->races, block);
  return f->status == DCS_OK;
}

static bool on_seen(void *context, int thread, const dcs_seen *seen) {
  finder *f = context;
  if (f->status == DCS_OK) f->status = dcs_races_seen(f->races, thread, seen);
  return f->status == DCS_OK;
}

static void on_together(void *context) {
  finder *f = context;
  if (f->status == DCS_OK) f->status = dcs_races_together(f->races);
}

static dcs_status on_done(void *context, dcs_device *device) {
  finder *f = context;
  dcs_source_line *lines;
  int n;
  DCS_TRY(f->status);
  const dcs_race *found = dcs_races_found(f->races, &n);
  uint64_t *codes = malloc((size_t)(2 * n + 1) * sizeof *codes);
  f->located = calloc((size_t)n + 1, sizeof *f->located);
  if (!codes || !f->located) {
    free(codes);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the lines of races");
  }
  for (int i = 0; i < n; i++) {
    codes[2 * i] = found[i].first.code;
    codes[2 * i + 1] = found[i].then.code;
  }
  dcs_status status = dcs_find_lines(device, f->module, codes, 2 * n, &lines);
  free(codes);
  DCS_TRY(status);
  for (int i = 0; i < n; i++)
    f->located[i] = (dcs_located_race){found[i], lines[2 * i], lines[2 * i + 1]};
  f->n = n;
  free(lines);
  return DCS_OK;
}

dcs_status dcs_find_races(const dcs_method *method, const dcs_case *c, const char *kernels,
                          dcs_located_race **races, int *n) {
  finder f = {.status = DCS_OK};
  const dcs_observer observer = {&f, on_launch, on_block, on_seen, on_together};
  *races = NULL;
  *n = 0;
  DCS_TRY(dcs_races_begin(&f.races));
  dcs_status status =
      dcs_watch_launches(method, c, kernels, &(dcs_watch){.observer = &observer, .done = on_done});
  dcs_races_free(f.races);
  if (status != DCS_OK) {
    free(f.located);
    return status;
  }
  *races = f.located;
  *n = f.n;
  return DCS_OK;
}

/* ---- sentences ---- */

static const char *cure_of(const dcs_race *race) {
  const bool one_atomic =
      (race->first.kind == DCS_SEEN_ATOMIC) != (race->then.kind == DCS_SEEN_ATOMIC);
  if (one_atomic) return "one of them is atomic, the other is not";
  if (race->first.block != race->then.block)
    return "blocks of a launch have no order: an atomic operation, another launch, or a word for "
           "each block is needed";
  if (race->first.thread / 32 != race->then.thread / 32)
    return "no __syncthreads() stands between them, and none of them is atomic";
  return "neither __syncwarp() nor __syncthreads() stands between them, and none of them is atomic";
}

char *dcs_describe_race(const dcs_located_race *race, char text[6 * DCS_TEXT]) {
  const dcs_touch *first = &race->race.first, *then = &race->race.then;
  if (first->kind == DCS_SEEN_BARRIER) {
    snprintf(
        text, 6 * DCS_TEXT,
        "barriers apart: thread %d of block %u waits at %s:%d, thread %d at %s:%d: all threads "
        "of a block must come to the same __syncthreads()",
        first->thread, first->block, race->first.place.file, race->first.place.line, then->thread,
        race->then.place.file, race->then.place.line);
    return text;
  }
  if (race->race.space == DCS_SPACE_OUTSIDE) {
    snprintf(text, 6 * DCS_TEXT,
             "outside of all memory: %s:%d, %s by thread %d of block %u (%lld times)",
             race->first.place.file, race->first.place.line,
             dcs_access_name((dcs_seen_kind)first->kind), first->thread, first->block,
             (long long)race->race.words);
    return text;
  }
  snprintf(text, 6 * DCS_TEXT,
           "race in %s memory: %s:%d, %s by thread %d of block %u, and %s:%d, %s by thread %d of "
           "block %u, touch the same word (%lld words): %s",
           dcs_memory_space_name(race->race.space), race->first.place.file, race->first.place.line,
           dcs_access_name((dcs_seen_kind)first->kind), first->thread, first->block,
           race->then.place.file, race->then.place.line, dcs_access_name((dcs_seen_kind)then->kind),
           then->thread, then->block, (long long)race->race.words, cure_of(&race->race));
  return text;
}
