/* Which thread of a warp touches which address, drawn. */
#ifndef DCS_TRACE_DRAW_H
#define DCS_TRACE_DRAW_H

#include "harness/trace/trace.h"

#include <stdio.h>

enum { DCS_LANES_TEXT = DCS_WARP + 4 };

/* A character for each lane, in groups of 8: the number of the 32-byte sector that it touches, in
 * the order of addresses; of shared memory the bank, of constant memory the number of the address.
 * 0 to 9, then a to v; '.' for a lane that does not take part. Returns text. */
char *dcs_draw_lanes(const dcs_memory_request *request, char text[DCS_LANES_TEXT]);

/* The whole trace as an SVG picture: for each load and store the 32 lanes, the memory that they
 * touch, and a line from each lane to its address. Errors of the stream are left to its owner. */
void dcs_draw_trace(FILE *out, const char *title, const dcs_kernel_trace *trace);

#endif
