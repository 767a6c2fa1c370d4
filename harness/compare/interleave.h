/* Two sweeps that take turns, each of a program of its own: their samples are pairs, of which both
 * are taken within moments and either comes first as often as the other. */
#ifndef DCS_INTERLEAVE_H
#define DCS_INTERLEAVE_H

#include "kernels/status.h"

#include <stdint.h>

/* Of the rounds at a size; each is of processes of its own. */
enum { DCS_INTERLEAVE_BLOCKS = 16 };

typedef struct {
  const char *name;    /* for messages */
  const char *program; /* a path */
  char *const *argv;   /* of a sweep that takes turns; ended by NULL */
} dcs_interleaved;

/* Runs both to their ends: where both are at the same place of the same round, the order is drawn
 * from `seed`; else the one that is behind goes first. Their workers are started anew,
 * at most DCS_INTERLEAVE_BLOCKS - 1 times in `rounds` rounds of a size and evenly, so that what a
 * process has for good (where its memory lies) is not taken for a difference of the programs.
 * Methods that failed are the runs' affair. DCS_USAGE when a program does not take turns as this
 * one gives them; when one ended early its own status; DCS_FAILED on an interrupt. `advice` is said
 * once where all will take more than a minute; NULL: nothing.
 */
dcs_status dcs_interleave(const dcs_interleaved programs[2], int rounds, uint64_t seed,
                          const char *advice);

#endif
