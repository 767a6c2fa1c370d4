#include "harness/labs/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

typedef struct {
  dcs_module *module;
  int64_t block;
  int threads;
  uint64_t barrier[MOST_THREADS]; /* where each thread waits; 0: it has ended */
  bool found;
  int64_t found_block;
  int ended, waiting; /* threads */
  uint64_t code;
  char *text;
} watcher;

static void on_launch(void *context, dcs_module *module, const char *kernel, const int64_t grid[3],
                      const int block[3]) {
  watcher *w = context;
  (void)kernel, (void)grid;
  w->module = module;
  w->threads = block[0] * block[1] * block[2];
}

static bool on_block(void *context, int64_t block) {
  watcher *w = context;
  w->block = block;
  memset(w->barrier, 0, sizeof w->barrier);
  return true;
}

static bool on_seen(void *context, int thread, const dcs_seen *seen) {
  watcher *w = context;
  if (seen->kind == DCS_SEEN_BARRIER) w->barrier[thread] = seen->code;
  return true;
}

static void on_together(void *context) {
  watcher *w = context;
  int ended = -1, waiting = -1;
  for (int t = 0; t < w->threads; t++)
    *(w->barrier[t] ? &waiting : &ended) = t;
  if (!w->found && ended >= 0 && waiting >= 0) {
    w->found = true;
    w->found_block = w->block;
    w->ended = ended;
    w->waiting = waiting;
    w->code = w->barrier[waiting];
  }
  memset(w->barrier, 0, sizeof w->barrier);
}

static dcs_status on_done(void *context, dcs_device *device) {
  watcher *w = context;
  dcs_source_line *line;
  char place[DCS_TEXT];
  if (!w->found) return DCS_OK;
  DCS_TRY(dcs_find_lines(device, w->module, &w->code, 1, &line));
  snprintf(w->text, DCS_SENTENCE,
           "thread %d of block %lld ends while thread %d waits for all at the barrier (%s): no "
           "thread may leave before it",
           w->ended, (long long)w->found_block, w->waiting, dcs_short_place(&line->place, place));
  free(line);
  return DCS_OK;
}

dcs_status dcs_check_barriers(const dcs_method *method, const dcs_case *c, const char *kernels,
                              char text[DCS_SENTENCE]) {
  watcher *w = calloc(1, sizeof *w);
  if (!w) return dcs_fail(DCS_UNAVAILABLE, "no memory to watch barriers");
  w->text = text;
  text[0] = '\0';
  const dcs_observer observer = {w, on_launch, on_block, on_seen, on_together};
  dcs_status status =
      dcs_watch_launches(method, c, kernels, &(dcs_watch){.observer = &observer, .done = on_done});
  free(w);
  return status;
}
