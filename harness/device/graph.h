/* Graphs of devices that have none of their own: a list of nodes, carried out at each launch. */
#ifndef DCS_GRAPH_H
#define DCS_GRAPH_H

#include "harness/device/device.h"

enum { DCS_NODE_ARGS = DCS_MAX_ARGS, DCS_ARG_BYTES = DCS_OWN_BYTES };

/* A launch when there is a module, a transform when there is one of these, else a copy when there
 * is a source on the host or in the device, else a fill. */
typedef struct {
  dcs_module *module;
  const char *kernel;
  int64_t grid[3];
  int block[3];
  int n_args;
  unsigned char args[DCS_NODE_ARGS][DCS_ARG_BYTES]; /* their values */

  const dcs_device_fft *fft;
  dcs_ptr work;

  dcs_ptr to;
  const void *from;
  dcs_ptr within; /* a source in the device, where that has no addresses on the host */
  size_t n;       /* bytes of a copy, words of a fill */
  uint32_t pattern;
} dcs_graph_node;

dcs_status dcs_graph_begin(dcs_graph **graph);
dcs_status dcs_graph_add(dcs_graph *graph, dcs_graph_node node);
/* sizes: of the arguments, closed by 0. */
dcs_status dcs_graph_add_launch(dcs_graph *graph, dcs_module *module, const char *kernel,
                                const int64_t grid[3], const int block[3], void **args,
                                const size_t *sizes);
dcs_status dcs_graph_launch(dcs_device *device, dcs_graph *graph);
void dcs_graph_destroy(dcs_device *device, dcs_graph *graph);

#endif
