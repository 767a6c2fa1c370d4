/* Maps in slabs.
 *
 * A slab is a range of slices: z is outermost in a map's memory, launches and threads can begin at
 * any slice, and several devices share maps so. Who has less memory than the map needs, or shares
 * it with other processes, or tells of its progress, poses the map and asks for slab after slab.
 *
 * A slab's values are the bits that they are in the whole map, where it begins at a multiple of
 * dcs_mapper_slab_step() and the method is the same, its threads and the kind of CPU included: the
 * choice is that of the whole map, and changes only where a method fails. What slabs have in
 * common, such as the potential of a mesh, is computed with the first one, by each device, and
 * stays for the next ones of the map that was posed last. Methods that cannot do so (atoms in bins)
 * compute a slab as a map of its own, whose origin is the slab's: that is within the method's
 * error, and not the same bits.
 *
 * Loops have the caller's threads; in a child of fork(), call these by dcs_team_run(). */
#ifndef DCS_MAP_SLABS_H
#define DCS_MAP_SLABS_H

#include "harness/problems/case.h"
#include "library/dcsbench.h"

#include <stdbool.h>

/* Takes the request's atoms, which are not needed afterwards. */
dcs_status dcs_mapper_pose(dcs_mapper *mapper, const dcs_map_request *request);
/* The same of a case of any kind that is a map (dcs_is_map): takes what it holds, and leaves it
 * empty. */
dcs_status dcs_mapper_pose_case(dcs_mapper *mapper, dcs_case *c);
/* Computes the map that was posed last once more, as if its inputs were others. */
dcs_status dcs_mapper_again(dcs_mapper *mapper, float *map);
/* dcs_explain() of a size of any kind; spacing in angstrom. */
void dcs_mapper_explain(dcs_mapper *mapper, const dcs_size *size, double spacing, char *text,
                        size_t length);
/* Of all that the map that was posed last depends on, but the method. */
uint64_t dcs_mapper_hash(const dcs_mapper *mapper);
enum { DCS_METHOD_TEXT = 2 * DCS_TEXT };

/* Decides which method computes the map that was posed last, and keeps to it: where it fails later,
 * so does the map. `text` becomes what dcs_mapper_keep() takes: processes that share a map, or
 * frames, compute the same bits by one method. Opens the GPU where that is best. */
dcs_status dcs_mapper_decide(dcs_mapper *mapper, char text[DCS_METHOD_TEXT]);
/* DCS_UNAVAILABLE where the method cannot run here, DCS_FAILED where it fails its check. */
dcs_status dcs_mapper_keep(dcs_mapper *mapper, const char *text);
/* Whether slabs of the map that was posed last have the bits of the whole. */
bool dcs_mapper_slabs_exact(dcs_mapper *mapper);
/* What slabs of the map that was posed last should begin at a multiple of, slices. */
int64_t dcs_mapper_slab_step(dcs_mapper *mapper);
/* Slices of a slab that takes about a second, for who tells of the progress; all of them where
 * slabs would have other bits. */
int64_t dcs_mapper_slab_slices(dcs_mapper *mapper);
/* About the bytes of host memory that computing the map that was posed last takes beside its values
 * (meshes, sorted atoms), as a whole or in slabs, which do not free them before the next map. */
double dcs_mapper_working_bytes(dcs_mapper *mapper);
/* Computes its slices from..end-1, slab[(k - from)*ny*nx + j*nx + i], in parts where the device's
 * memory is too small. */
dcs_status dcs_mapper_slices(dcs_mapper *mapper, int64_t from, int64_t end, float *slab);

#endif
