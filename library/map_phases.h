/* What the phases of a map take, for the program itself. */
#ifndef DCS_MAP_PHASES_H
#define DCS_MAP_PHASES_H

#include "kernels/common/phase.h"
#include "kernels/status.h"
#include "library/dcsbench.h"

/* Computes the last map, or its last slab, once more and adds the time of each phase; none where
 * the method has no parts, or the device no times. */
dcs_status dcs_map_phases(dcs_mapper *mapper, dcs_phases *phases);

#endif
