/* How long a method takes on a map of any size: a sum of a few costs, fitted to the sizes at which
 * it was measured. */
#ifndef DCS_COST_H
#define DCS_COST_H

#include "kernels/contract.h"

/* A map, as far as its time depends on it. */
typedef struct {
  int64_t atoms;
  dcs_dims n;             /* points */
  double spacing, cutoff; /* angstrom. cutoff 0: the whole sum, whatever the spacing */
} dcs_size;

/* The share of the atoms that a point has within the cutoff, as it is on average where the atoms
 * fill the box of the grid evenly; 1 of the whole sum. The ball around a point is taken for a cube
 * of its volume: in a cube of 2 cutoffs and more the share is right to 5%, in a slab of one slice a
 * sixth too small. */
double dcs_size_share(const dcs_size *size);

/* How a method cuts a map into work. */
typedef struct {
  int64_t tile[3]; /* points of a block, or of a CPU kernel's tile */
  int64_t slices;  /* of a launch; 0: all */
  int64_t chunk;   /* atoms of a launch; 0: all */
  int64_t shares;  /* blocks that share the atoms of a tile, where there are as many atoms */
  int64_t threads; /* of a block; 0 on the CPU */
  bool blocks;     /* blocks share the points of a launch among them */
  bool constant;   /* atoms lie in constant memory */
} dcs_tiling;

dcs_tiling dcs_tiling_of(const dcs_variant *variant, const dcs_config *config);
/* Whether both have blocks, take as many slices a launch, atoms from memory of the same kind, and
 * share them among blocks or do not: how they are launched costs the same. */
bool dcs_tiling_alike(const dcs_tiling *a, const dcs_tiling *b);
/* Whether they have the same blocks of points, chunks and shares, too. */
bool dcs_tiling_equal(const dcs_tiling *a, const dcs_tiling *b);

/* What is paid for, in ns each. A launch lasts as long as its busiest multiprocessor, which has as
 * many blocks to compute as there are turns: all blocks over all multiprocessors, rounded up. */
enum {
  DCS_COST_MAP,
  DCS_COST_POINT, /* a point of the map */
  DCS_COST_ATOM,  /* an atom of the map */
  DCS_COST_MOVED, /* so many: what moving a map and its atoms costs is made up of those above */
  DCS_COST_LAUNCH = DCS_COST_MOVED,
  DCS_COST_TURN,      /* of a launch: blocks that share atoms leave partial sums, and add them up */
  DCS_COST_STEP,      /* from an atom to the next, as a block goes through those that it adds */
  DCS_COST_TURN_STEP, /* the same, once for each turn */
  DCS_COST_LATE_STEP, /* the same, for each turn after those `together` on top of that */
  DCS_COST_EVAL,      /* padding included; within a cutoff those of dcs_size_share() */
  DCS_COST_TERMS
};
extern const char *const dcs_cost_names[DCS_COST_TERMS]; /* "ns_map", ... */

typedef struct {
  dcs_tiling shape;
  double units;    /* multiprocessors that take turns; 0: turns are not counted */
  double together; /* turns in which the blocks go through the atoms side by side, each atom read
                      into the constant cache for all of them; 0: none is late */
  double ns[DCS_COST_TERMS];
  double cutoff_least, cutoff_most; /* that it was measured at, angstrom; both 0: whole sums */
  int64_t atoms_least;              /* it is not for maps of fewer; 0: of any number */
} dcs_cost;

/* How far a cutoff may be beyond those that a method was measured at: a factor of 2 in the volume,
 * so in the pairs. What a pair and what a point costs cannot be told apart at one cutoff. */
#define DCS_COST_CUTOFF_FACTOR 1.26

/* How many times each cost is paid. */
void dcs_cost_count(const dcs_cost *cost, const dcs_size *size, double times[DCS_COST_TERMS]);

/* ns of one map; INFINITY where its cutoff is too far from those that were measured, or its atoms
 * are too few. */
double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size);

/* A measured time. */
typedef struct {
  dcs_size size;
  double ns;       /* above 0 */
  double known_ns; /* of that, what is not to be explained; mostly 0 */
  double weight;   /* 1, or less for the times of a method that is only like this one */
} dcs_cost_sample;

/* Least squares of the errors relative to ns, no cost below 0; returns the sum of squares. samples
 * is not empty: all of whole sums, or all within cutoffs. sm_count: the card's multiprocessors; 0:
 * not known, turns are not counted. side_by_side: threads of a multiprocessor that can go through
 * constant memory together; 0: any. atoms_least is left 0. */
double dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                    int side_by_side, dcs_cost *cost);

/* The same of nothing but the costs of a map, a point and an atom. */
void dcs_cost_fit_moved(const dcs_cost_sample *samples, size_t n, double ns[DCS_COST_MOVED]);

#endif
