/* Occupancy: how many blocks an SM holds at a time, what limits them, and how the blocks of a
 * launch fill the SMs. The arithmetic is that of cuda_occupancy.h, without a card. */
#ifndef DCS_OCCUPANCY_H
#define DCS_OCCUPANCY_H

#include "harness/explain/capability.h"

#include <stdbool.h>
#include <stdint.h>

/* What the blocks of an SM share. */
typedef enum {
  DCS_SHARE_WARPS,
  DCS_SHARE_BLOCKS,
  DCS_SHARE_REGISTERS,
  DCS_SHARE_SHARED,
  DCS_N_SHARES
} dcs_sm_share;

extern const char *const dcs_sm_share_names[DCS_N_SHARES]; /* "warps", "registers", ... */

/* What a block takes. */
typedef struct {
  int threads;
  int registers;    /* of a thread; -1: unknown, and no limit then */
  int shared_bytes; /* -1: the same */
} dcs_block_needs;

typedef struct {
  int fits[DCS_N_SHARES]; /* blocks for which there is enough of each; INT_MAX: none is taken */
  int blocks, warps;      /* that an SM holds: the least of them; 0: the block does not fit */
  double fraction;        /* of the warps that it can hold */
} dcs_occupancy;

/* Registers are given to warps, 256 at a time, from the part of them that each scheduler has;
 * shared memory to blocks. As much of it as can be is taken to be set aside for blocks. */
dcs_occupancy dcs_occupancy_of(const dcs_capability *capability, const dcs_block_needs *needs);

/* The blocks of a launch on the SMs of a card. */
typedef struct {
  double waves; /* launches' worth of blocks that the card holds at a time: 1.25 */
  double tail;  /* of the last wave, how much of the card has a block: 0.25 */
  /* The least time over the one that evenly shared blocks would take: the SM with the most blocks
   * decides. 1: shared out evenly. */
  double imbalance;
} dcs_waves;

/* blocks, sms and occupancy->blocks at least 1. */
dcs_waves dcs_waves_of(int64_t blocks, int sms, const dcs_occupancy *occupancy);

#endif
