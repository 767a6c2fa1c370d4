/* A frame as a case. */
#ifndef DCS_FRAME_CASE_H
#define DCS_FRAME_CASE_H

#include "harness/frames/frames.h"
#include "harness/problems/case.h"
#include "library/map_slabs.h"

/* Builds the case of the request for the places of a frame and the charges of the topology; the
 * request's own atoms are left aside. Atoms that repeat in a cell do so in the frame's, where it
 * states one. Memory of a case that was built before is used again; it is all zero at first.
 * DCS_INPUT for a frame whose places are no numbers or whose cell has no right angles, else as
 * dcs_case_begin() and dcs_case_end(). */
dcs_status dcs_frame_case(const dcs_map_request *request, const dcs_molecule *top,
                          const dcs_frame *frame, dcs_case *c);

/* The case of the frame of that index, from 0, of those that are selected; the next to be read is
 * then the first. DCS_INPUT where there is none. */
dcs_status dcs_frame_case_at(dcs_frames *frames, int64_t index, const dcs_map_request *request,
                             const dcs_molecule *top, dcs_case *c);

/* Of the atoms that kernels get. */
uint64_t dcs_frame_case_hash(const dcs_case *c);

/* The first of the choice for the mapper's case that passes its check and can compute it, as text
 * for dcs_mapper_keep(). */
dcs_status dcs_frame_method(dcs_mapper *mapper, char text[DCS_METHOD_TEXT]);

#endif
