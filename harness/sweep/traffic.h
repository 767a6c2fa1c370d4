/* Main-memory traffic of a map, from the launch plan: the one place where it is derived. */
#ifndef DCS_TRAFFIC_H
#define DCS_TRAFFIC_H

#include "harness/problems/problem.h"

/* Bytes that one map must move to and from main memory in scope kernel, if what is used again
 * within a launch (on the CPU: within the map) comes from caches: the least, not what a counter
 * would show.
 *
 * CUDA: zeroing writes the stored map. Each launch reads its atoms, and reads and writes the points
 * of its slices; atoms in constant memory are written there before, for each launch.
 * CPU: the atoms are read once and the map is written once. */
double dcs_bytes_moved(const dcs_variant *variant, const dcs_problem *shape,
                       const dcs_config *config);

#endif
