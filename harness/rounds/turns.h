/* Taking turns with another sweep: `compare --run` starts two, each of a program of its own, and
 * lets one sample after the other. The two need not be of one build: they share these lines alone.
 *
 * sweep to driver:
 *   turns 1                         it is there; waits
 *   at CELL ROUND PLACE DONE INNER METHOD
 *                                   before a sample; ROUND -1 once a size is over; waits. INNER:
 *                                   maps in the sample before, 0 where there is none; METHOD: a
 *                                   hash of what the next one is of. Earlier builds tell neither
 *   end                             all is written
 * driver to sweep:
 *   go [INNER]                      on to the next line, with INNER maps in the sample, as in the
 *                                   other one's of the pair: what a sample costs beside its maps,
 *                                   and what falls into it, depends on how many they are
 *   fresh [INNER]                   the same, with the workers started anew */
#ifndef DCS_TURNS_H
#define DCS_TURNS_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

#define DCS_TURNS_HELLO "turns 1\n"
#define DCS_TURNS_END   "end\n"
#define DCS_TURNS_GO    "go"
#define DCS_TURNS_FRESH "fresh"
enum { DCS_TURNS_LINE = 128, DCS_TURNS_SIZE_OVER = -1 };

typedef struct {
  bool taken;    /* else nothing waits */
  int size;      /* which of the sweep's */
  int process;   /* how often all workers were started anew, and in earlier parts of the run any */
  int64_t inner; /* maps in the last sample; 0: none was taken */
  double waited_ns; /* before samples, in all: the other sweep's time, not this one's */
} dcs_turns;

/* Before a sample. */
typedef struct {
  int round, place;
  double done;     /* the share of the sweep, 0 to 1 */
  uint64_t method; /* a hash of what is timed, how, and on which problem */
} dcs_turns_place;

/* What the driver says. */
typedef struct {
  bool fresh;    /* the workers are to be started anew */
  int64_t inner; /* maps in the next sample; 0: as many as the sweep chooses */
} dcs_turn;

/* Each does nothing when no turns are taken. They wait on standard input; DCS_FAILED when it ends:
 * the driver is gone. An interrupt ends a wait with DCS_OK. */
dcs_status dcs_turns_begin(const dcs_turns *turns);
dcs_status dcs_turns_wait(dcs_turns *turns, const dcs_turns_place *at, dcs_turn *turn);
dcs_status dcs_turns_end(const dcs_turns *turns);

#endif
