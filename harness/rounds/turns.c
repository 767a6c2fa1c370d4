#include "harness/rounds/turns.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static dcs_status say(const char *line) {
  if (fputs(line, stdout) >= 0 && fflush(stdout) == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "standard output: whoever gave the turns has gone");
}

/* It looks up once a second: a signal may come just before poll(). */
static dcs_status listen(char line[DCS_TURNS_LINE]) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  *line = '\0';
  while (!dcs_interrupted() && poll(&input, 1, 1000) <= 0)
    ;
  if (dcs_interrupted() || fgets(line, DCS_TURNS_LINE, stdin)) return DCS_OK;
  return dcs_fail(DCS_FAILED, "standard input: whoever gave the turns has gone");
}

dcs_status dcs_turns_begin(const dcs_turns *turns) {
  char line[DCS_TURNS_LINE];
  if (!turns->taken) return DCS_OK;
  DCS_TRY(say(DCS_TURNS_HELLO));
  return listen(line);
}

dcs_status dcs_turns_wait(dcs_turns *turns, const dcs_turns_place *at, dcs_turn *turn) {
  char line[DCS_TURNS_LINE], word[8] = "";
  *turn = (dcs_turn){0};
  if (!turns->taken) return DCS_OK;
  const double started = dcs_now_ns();
  snprintf(line, sizeof line, "at %d %d %d %.6f %" PRId64 " %" PRIx64 "\n", turns->size, at->round,
           at->place, at->done, turns->inner, at->method);
  DCS_TRY(say(line));
  DCS_TRY(listen(line));
  turns->waited_ns += dcs_now_ns() - started;
  (void)sscanf(line, "%7s %" SCNd64, word, &turn->inner);
  turn->fresh = strcmp(word, DCS_TURNS_FRESH) == 0;
  return DCS_OK;
}

dcs_status dcs_turns_end(const dcs_turns *turns) {
  return turns->taken ? say(DCS_TURNS_END) : DCS_OK;
}
