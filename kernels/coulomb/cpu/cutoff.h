/* Sums with a cutoff on the CPU: what other variants use of them. */
#ifndef DCS_CPU_CUTOFF_H
#define DCS_CPU_CUTOFF_H

#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/radial.h"

/* Adds to the map (n.x*n.y*n.z floats) the terms of the problem's atoms, each at the points nearer
 * than the cutoff, which is above 0: the textbook's sequential sum with a cutoff. One thread; no
 * more than 2^24 points in a dimension. Meant for few atoms. */
void dcs_cpu_cutoff_add(const dcs_problem *few, float *map);

/* How a sum within a cutoff is computed on the CPU: the parameters of cpu_cutoff. */
typedef struct {
  int threads;
  int isa;          /* DCS_CPU_PORTABLE, ...; the caller has checked that this machine has it */
  double cell_edge; /* angstrom */
} dcs_cpu_bricks;

typedef struct dcs_cutoff_cells dcs_cutoff_cells; /* cutoff_cells.h */

/* Bytes an atom, or an image of one, takes while it is sorted, at most: the image, what is sorted,
 * its cell, starts of cells, counts by threads. */
enum { DCS_CUTOFF_ATOM_BYTES = 16 + 16 + 4 + 16 + 32 };

/* Sorts the atoms for the next function, for all slabs of the problem's grid; of a periodic one the
 * images, too. The problem's own cutoff does not count, but that of the radial function. At most
 * 2^24 points in a dimension and 2^31 - 17 atoms. False: no memory; else the caller frees by
 * dcs_cutoff_free(). */
bool dcs_cpu_short_range_sort(const dcs_problem *problem, const dcs_radial *radial,
                              const dcs_cpu_bricks *how, dcs_cutoff_cells *sorted);
/* Adds to the map (the slab's n.x*n.y*n.z floats) q (1/r - P(r^2)) of the atoms, each at the points
 * nearer than the radial function's cutoff, as cpu_cutoff sums. At a point on an atom the value is
 * of no use: it is one of those that the caller's problem kind replaces. */
void dcs_cpu_short_range_add(const dcs_cutoff_cells *sorted, const dcs_problem *slab,
                             const dcs_radial *radial, const dcs_cpu_bricks *how, float *map);
/* The candidate pairs of a problem; NAN: no memory. */
double dcs_cpu_short_range_pairs(const dcs_problem *problem, const dcs_radial *radial,
                                 const dcs_cpu_bricks *how);

/* The files that these come from, for a descriptor's sources. */
#define DCS_CPU_CUTOFF_SOURCES                                                                     \
  "kernels/coulomb/cpu/cutoff_brick.h", "kernels/coulomb/cpu/cutoff_cells.c",                      \
      "kernels/coulomb/cpu/cutoff_cells.h", "kernels/coulomb/cpu/cutoff_tile.h",                   \
      "kernels/coulomb/cpu/cutoff_portable.c", "kernels/coulomb/cpu/cutoff_avx2.c",                \
      "kernels/coulomb/cpu/cutoff_avx512.c", "kernels/common/rsqrt_portable.h",                    \
      "kernels/common/rsqrt_avx2.h", "kernels/common/rsqrt_avx512.h", "kernels/common/cpu.c",      \
      "kernels/common/cpu.h", "kernels/coulomb/coulomb.h"
#define DCS_CPU_SHORT_RANGE_SOURCES                                                                \
  "kernels/coulomb/cpu/cutoff.c", "kernels/coulomb/cpu/cutoff.h", "kernels/coulomb/radial.c",      \
      "kernels/coulomb/radial.h", "kernels/coulomb/images.c", "kernels/coulomb/images.h",          \
      DCS_CPU_CUTOFF_SOURCES

#endif
