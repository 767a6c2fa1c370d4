/* The result of a tuning: the configurations that cannot be told from the best, and one of them. */
#ifndef DCS_TUNE_WINNER_H
#define DCS_TUNE_WINNER_H

#include "harness/judge/ratio.h"
#include "tuning/search/search.h"

enum { DCS_MAX_FINALISTS = 8 };

/* The configurations worth measuring once more, the best first: those whose interval overlaps the
 * best's, or, without intervals, whose median is within 5% of its. Returns how many. */
int dcs_finalists(const dcs_search *search, int configs[DCS_MAX_FINALISTS]);

typedef struct {
  int config;
  dcs_stats stats; /* of the fresh samples */
  dcs_ratio ratio; /* to the best: its time is the first */
  bool tied;       /* the ratio's interval holds 1, or there is none */
  double overhead; /* executed / useful - 1; NaN: unknown */
  int registers;   /* -1: unknown */
  double distance; /* steps from the variant's initial configuration */
} dcs_finalist;

typedef struct {
  dcs_finalist list[DCS_MAX_FINALISTS]; /* by their median, the best first; n */
  int n, n_tied;
  int pick;           /* index in list; the least overhead among the tied, then the fewest
                         registers, then the least distance, then the least median */
  const char *reason; /* what decided */
} dcs_winner;

/* fresh[n] are the new samples of configs[n]; those that failed are left out. `given` is the useful
 * work of the problem's inputs, which are needed, as it is, for a variant with candidate pairs.
 * DCS_FAILED when all did. */
dcs_status dcs_choose_winner(const dcs_search *search, const dcs_problem *problem, double given,
                             const int *configs, const dcs_evaluation *fresh, int n,
                             dcs_winner *winner);

#endif
