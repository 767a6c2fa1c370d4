/* The space that a tuner searches: the configurations of one variant that are worth trying on one
 * problem. */
#ifndef DCS_TUNE_SPACE_H
#define DCS_TUNE_SPACE_H

#include "harness/base/grow.h"
#include "kernels/contract.h"

enum { DCS_MAX_TRIES = 1024 };

/* Combinations that applicable() refuses for the same reason, numbers in it aside. */
typedef struct {
  char why[DCS_TEXT]; /* of the first of them */
  int n;
} dcs_space_reason;

typedef struct {
  const dcs_variant *variant;
  dcs_room room;
  double *values[DCS_MAX_PARAMS]; /* of each parameter, ascending; n_values */
  int n_values[DCS_MAX_PARAMS];
  dcs_config *configs; /* the legal ones, the last parameter fastest; n */
  int n;
  int64_t n_all;                   /* combinations of the values, legal or not */
  int (*position)[DCS_MAX_PARAMS]; /* which of its parameter's values a configuration takes; n */
  struct dcs_space_key *keys;      /* by which a configuration is found; n */
  dcs_space_reason *reasons;
  int n_reasons;
} dcs_space;

/* The values that the descriptor names, but those of `config` ("k=v|v,...", as
 * dcs_select_methods() takes it; NULL: none) for the parameters named there. DCS_USAGE when config
 * is wrong, or no combination is legal (with the reason). Free with dcs_space_free(), whatever the
 * status. */
dcs_status dcs_space_build(const dcs_variant *variant, const char *config,
                           const dcs_problem *problem, int cpus, dcs_space *space);

/* The space of the configurations configs[n] (none twice), each of which is legal. */
dcs_status dcs_space_of_configs(const dcs_variant *variant, const dcs_config *configs, int n,
                                dcs_space *space);

void dcs_space_free(dcs_space *space);

/* Index of the configuration in the space, or -1. */
int dcs_space_find(const dcs_space *space, const dcs_config *config);

/* The legal configurations that differ from one in a single parameter, in order; returns how many.
 * `neighbours` has room for dcs_space_degree(). */
int dcs_space_neighbours(const dcs_space *space, int config, int *neighbours);
int dcs_space_degree(const dcs_space *space);

/* The legal configurations that differ from one in two parameters, by a step each: a block twice as
 * wide and half as high. Returns how many; `diagonals` has room for DCS_MAX_DIAGONALS. */
enum { DCS_MAX_DIAGONALS = 4 * DCS_MAX_PARAMS * (DCS_MAX_PARAMS - 1) / 2 };
int dcs_space_diagonals(const dcs_space *space, int config, int *diagonals);

/* The configuration that takes fewest steps, one value of a parameter each, from `config`. */
int dcs_space_nearest(const dcs_space *space, const dcs_config *config);
/* How many steps. Values between two of the space's count as half a step. */
double dcs_space_distance(const dcs_space *space, int config, const dcs_config *from);

/* The configuration nearest to the middle value of each parameter, by the part of its values that
 * lie between. */
int dcs_space_middle(const dcs_space *space);

#endif
