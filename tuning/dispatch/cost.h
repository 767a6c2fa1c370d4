/* How long a method takes on a problem of any size: a sum of a few costs, fitted to the sizes at
 * which it was measured. */
#ifndef DCS_COST_H
#define DCS_COST_H

#include "harness/problems/size.h"

/* The share of the inputs within range of any point of a tile (points; NULL: one), as it is on
 * average where inputs fill the grid's box evenly (dcs_estimate()); 1 where the range is any. */
double dcs_cost_share(const dcs_size *size, double spacing, const int64_t tile[3]);

/* How a method cuts a problem into work. */
typedef struct {
  int64_t tile[3]; /* points of a block, or of a CPU kernel's tile */
  int64_t slices;  /* of a launch; 0: all */
  int64_t chunk;   /* inputs of a launch; 0: all */
  int64_t shares;  /* blocks that share the inputs of a tile, where there are as many inputs */
  int64_t threads; /* of a block; 0 on the CPU */
  bool blocks;     /* blocks share the points of a launch among them */
  bool constant;   /* inputs lie in constant memory */
} dcs_tiling;

dcs_tiling dcs_tiling_of(const dcs_variant *variant, const dcs_config *config);
/* Whether both have blocks, take as many slices a launch, inputs from memory of the same kind, and
 * share them among blocks or do not: how they are launched costs the same. */
bool dcs_tiling_alike(const dcs_tiling *a, const dcs_tiling *b);
/* Whether they cut a problem into the same blocks of points, slices, chunks and shares. */
bool dcs_tiling_equal(const dcs_tiling *a, const dcs_tiling *b);

/* What is paid for, in ns each. A launch lasts as long as its busiest SM, which computes its blocks
 * in waves: as many as there are blocks over all SMs, rounded up. */
enum {
  DCS_COST_MAP,   /* a problem */
  DCS_COST_POINT, /* a point of the output */
  DCS_COST_INPUT,
  DCS_COST_MOVED, /* so many: what moving outputs and inputs costs is made up of those above */
  DCS_COST_LAUNCH = DCS_COST_MOVED,
  DCS_COST_SHARE,     /* of a tile's inputs, of each launch: partial sums are added one by one */
  DCS_COST_WAVE,      /* of a launch: blocks that share inputs leave partial sums */
  DCS_COST_STEP,      /* from an input to the next, as a block goes through those that it adds */
  DCS_COST_WAVE_STEP, /* the same, once for each wave, for the share of a tile's rows in the grid */
  DCS_COST_TAIL_STEP, /* the same, for each wave after the co-resident ones, on top of that */
  DCS_COST_EVAL,      /* padding included; where the range is not any, those of dcs_cost_share() */
  DCS_COST_TERMS
};
extern const char *const dcs_cost_names[DCS_COST_TERMS]; /* "ns_map", ... */

typedef struct {
  dcs_tiling shape;
  double sms;      /* that compute waves; 0: waves are not counted */
  double resident; /* waves whose blocks are co-resident and go through the inputs together, each
                      input read into the constant cache for all of them; 0: there is no tail */
  double ns[DCS_COST_TERMS];
  double shown; /* ns of an evaluation at the size where it took least: its limit, as far as it was
                   seen; 0: not known */
  dcs_size least, most; /* that it was measured at: by axis, and by parameter of the problem */
  int64_t inputs_least; /* it is not for fewer; 0: for any number */
} dcs_cost;

/* How far a real parameter of the problem may be beyond those that a method was measured at. Of a
 * cutoff a factor of 2 in the volume, so in the pairs: what a pair and what a point costs cannot be
 * told apart at one cutoff. */
#define DCS_COST_FACTOR 1.26

/* How many times each cost is paid; spacing in angstrom. */
void dcs_cost_count(const dcs_cost *cost, const dcs_size *size, double spacing,
                    double times[DCS_COST_TERMS]);

/* ns of one problem. Beyond the measured sizes no less than its evaluations take at the best rate
 * that it has shown: a fit that is a little off would promise anything there. INFINITY where a real
 * parameter is too far from those that were measured, or the inputs are too few. */
double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size, double spacing);
/* Whether an axis of the size lies outside what was measured. */
bool dcs_cost_extrapolates(const dcs_cost *cost, const dcs_size *size);

/* A measured time. */
typedef struct {
  dcs_size size;
  double spacing;  /* angstrom; any where the range is */
  double ns;       /* above 0 */
  double known_ns; /* of that, what is not to be explained; mostly 0 */
  double weight;   /* 1, or less for the times of a method that is only like this one */
} dcs_cost_sample;

/* Widens a range of sizes of one kind to another size. */
void dcs_size_widen(dcs_size *least, dcs_size *most, const dcs_size *size);

/* Least squares of the errors relative to ns, no cost below 0; returns the sum of squares. samples
 * is not empty: all of one family (tuning/dispatch/dispatch.h). sm_count: the card's SMs; 0: not
 * known, waves are not counted. co_resident: threads of an SM that can be co-resident as they go
 * through constant memory; 0: any. inputs_least is left 0. */
double dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                    int co_resident, dcs_cost *cost);

/* The same of nothing but the costs of a problem, a point and an input. */
void dcs_cost_fit_moved(const dcs_cost_sample *samples, size_t n, double ns[DCS_COST_MOVED]);

#endif
