/* The inside of an average, for the file that merges and the one that keeps checkpoints. */
#ifndef DCS_AVERAGE_PARTS_H
#define DCS_AVERAGE_PARTS_H

#include "library/frames/average.h"

/* A block that waits for those before it. */
typedef struct dcs_early {
  struct dcs_early *next;
  int64_t block;
  dcs_partial partial;
} dcs_early;

/* Without variances there is the first alone. */
enum {
  DCS_AVERAGE_SUM,     /* of all frames that are merged */
  DCS_AVERAGE_M2,      /* of the squares of their deviations */
  DCS_AVERAGE_LONG,    /* sum of the frames of the long block that is not whole yet */
  DCS_AVERAGE_LONG_M2, /* of the squares of the deviations of the sums of those that are */
  DCS_N_AVERAGE_MAPS
};

struct dcs_average {
  int64_t points;
  int64_t in_long;                /* blocks of a long block */
  int64_t blocks, frames, n_long; /* that are merged; whole long blocks */
  uint64_t atoms;                 /* hash, of the block merged last */
  double *maps[DCS_N_AVERAGE_MAPS];
  int n_maps;
  dcs_early *early; /* in the order of blocks */
  dcs_early *spare; /* that have waited: memory that was never touched costs more than a copy */
};

/* Forgets the blocks that wait. */
void dcs_average_clear(dcs_average *average);
/* Has a copy of the block wait. */
dcs_status dcs_average_keep(dcs_average *average, int64_t block, const dcs_partial *partial);

#endif
