/* How a map is cut into slabs, ranges of slices that are computed one after another, so that a
 * finished slab is copied to the host while the next ones are computed. */
#ifndef DCS_SLABS_H
#define DCS_SLABS_H

#include "kernels/contract.h"

typedef struct {
  int64_t slices; /* of a slab; the last may have fewer */
  bool alternate; /* two streams alternate, so that a slab's blocks fill the card while the last
                     blocks of the slab before still run; else the slabs of one stream follow
                     one another, because they share the array of constant memory */
} dcs_slabs;

/* `slice_bytes`: of all outputs; `resident`: threads that the card runs at a time. At most 8 slabs
 * of 1 MiB or more: a copy of that size reaches the full rate of the bus, and an eighth of a copy
 * is all that is left uncovered at the end. A launch is cut only if its parts still fill the card.
 */
dcs_slabs dcs_cut_slabs(const dcs_plan *plan, const dcs_problem *problem, size_t slice_bytes,
                        int64_t resident);

/* Whether the atoms are copied to constant memory once for the whole map. */
bool dcs_constant_once(const dcs_plan *plan, const dcs_problem *problem);

#endif
