/* Taking turns with another sweep: `compare --run` starts two, each of a program of its own, and
 * lets one sample after the other. The two need not be of one build: they share these lines alone.
 *
 *   sweep to driver     turns 1                   it is there; waits
 *                       at CELL ROUND PLACE DONE  before a sample; ROUND -1 once a size is over;
 * waits end                       all is written driver to sweep     go                        on
 * to the next line fresh                     the same, with the workers started anew */
#ifndef DCS_TURNS_H
#define DCS_TURNS_H

#include "kernels/status.h"

#include <stdbool.h>

#define DCS_TURNS_HELLO "turns 1\n"
#define DCS_TURNS_END   "end\n"
#define DCS_TURNS_GO    "go\n"
#define DCS_TURNS_FRESH "fresh\n"
enum { DCS_TURNS_LINE = 128, DCS_TURNS_SIZE_OVER = -1 };

typedef struct {
  bool taken;  /* else nothing waits */
  int cell;    /* which of the sweep's */
  int process; /* how often the workers were started anew, in earlier parts of the run, too */
} dcs_turns;

/* Each does nothing when no turns are taken. They wait on standard input; DCS_FAILED when it ends:
 * the driver is gone. An interrupt ends a wait with DCS_OK. */
dcs_status dcs_turns_begin(const dcs_turns *turns);
/* `done`: the share of the sweep, 0 to 1. *fresh: the workers are to be started anew. */
dcs_status dcs_turns_wait(const dcs_turns *turns, int round, int place, double done, bool *fresh);
dcs_status dcs_turns_end(const dcs_turns *turns);

#endif
