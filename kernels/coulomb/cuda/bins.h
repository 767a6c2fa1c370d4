/* Bins: cubes that cover the map's box widened by the cutoff, each with room for so many atoms.
 * The map is cut into regions of points, a block's each; what a region needs lies in the bins of
 * its neighbourhood, which is listed once, as offsets from the bin of the region's first point. */
#ifndef DCS_CUDA_BINS_H
#define DCS_CUDA_BINS_H

#include "kernels/coulomb/coulomb.h"

/* One dimension. A bin begins at grid point 0: that is bin `margin`. */
typedef struct {
  int64_t step;    /* points of a region */
  int64_t regions; /* that cover the map, the last with padding */
  double spacing;  /* angstrom */
  double length;   /* angstrom from a region's first point to its last */
  int64_t margin, bins;
  int64_t lo, hi; /* offsets of neighbours */
} dcs_bin_axis;

typedef struct {
  dcs_bin_axis axis[3]; /* x, y, z */
  double edge;          /* of a bin, angstrom */
  double per_edge;      /* 1 / edge */
  double cutoff;
  double reach;     /* the cutoff and what rounding may add to a distance of a bin to a region */
  int64_t capacity; /* atoms of a bin */
  double places;    /* of all bins; exact where they fit */
  int64_t n_neighbours; /* bins of a neighbourhood; DCS_TOO_MANY */
} dcs_bins;

enum { DCS_MOST_PLACES = 1 << 26, DCS_MOST_NEIGHBOURS = 1 << 16, DCS_TOO_MANY = -1 };

/* The bins for a problem that has a cutoff; its atoms are not looked at. `region`: its points. */
dcs_bins dcs_bins_of(const dcs_problem *problem, const int64_t region[3], double edge,
                     int64_t capacity);

/* Whether they fit memory; when not, says why. What follows is for those that do. */
bool dcs_bins_fit(const dcs_bins *bins, char why[DCS_TEXT]);

/* Writes the n_neighbours offsets, x, y, z each, those in a row of x one after another. */
void dcs_list_neighbours(const dcs_bins *bins, dcs_atom *offsets);

/* Places the atoms: those of a bin first, then places of charge 0. Atoms without charge, or farther
 * from the map than the cutoff, are dropped; those that find their bin full, the overflow atoms, go
 * to `overflow`. Returns how many those are. */
int64_t dcs_fill_bins(const dcs_bins *bins, const dcs_problem *problem, dcs_atom *placed,
                      dcs_atom *overflow);

/* What dcs_fill_bins() would return; DCS_TOO_MANY: no memory to count. */
int64_t dcs_count_overflow(const dcs_bins *bins, const dcs_problem *problem);

/* The candidate pairs of all regions, a region's neighbours being those of the list that
 * lie within its reach. NaN and DCS_TOO_MANY where there is no memory to count. */
dcs_candidates dcs_bins_candidates(const dcs_bins *bins, const dcs_problem *problem);

#endif
