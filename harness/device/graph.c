#include "harness/device/graph.h"

#include "harness/base/grow.h"

#include <stdlib.h>
#include <string.h>

struct dcs_graph {
  dcs_graph_node *nodes;
  size_t n;
};

dcs_status dcs_graph_begin(dcs_graph **graph) {
  *graph = calloc(1, sizeof **graph);
  return *graph ? DCS_OK : dcs_want("no memory for a graph");
}

dcs_status dcs_graph_add(dcs_graph *graph, dcs_graph_node node) {
  DCS_TRY(dcs_grow(&graph->nodes, graph->n, sizeof node, "steps of a graph"));
  graph->nodes[graph->n++] = node;
  return DCS_OK;
}

dcs_status dcs_graph_add_launch(dcs_graph *graph, dcs_module *module, const char *kernel,
                                const int64_t grid[3], const int block[3], void **args,
                                const size_t *sizes) {
  dcs_graph_node node = {.module = module, .kernel = kernel};
  memcpy(node.grid, grid, sizeof node.grid);
  memcpy(node.block, block, sizeof node.block);
  for (; sizes[node.n_args]; node.n_args++) {
    if (node.n_args == DCS_NODE_ARGS || sizes[node.n_args] > DCS_ARG_BYTES)
      return dcs_fail(DCS_FAILED, "a captured launch has at most %d arguments of %d bytes",
                      DCS_NODE_ARGS, DCS_ARG_BYTES);
    memcpy(node.args[node.n_args], args[node.n_args], sizes[node.n_args]);
  }
  return dcs_graph_add(graph, node);
}

static dcs_status launch_node(dcs_device *device, dcs_graph_node *node) {
  void *args[DCS_NODE_ARGS];
  for (int a = 0; a < node->n_args; a++)
    args[a] = node->args[a];
  return device->launch(device, node->module, node->kernel, node->grid, node->block, args);
}

dcs_status dcs_graph_launch(dcs_device *device, dcs_graph *graph) {
  for (size_t i = 0; i < graph->n; i++) {
    dcs_graph_node *node = &graph->nodes[i];
    if (node->module)
      DCS_TRY(launch_node(device, node));
    else if (node->fft)
      DCS_TRY(device->run_fft(device, node->fft, (uintptr_t)node->from, node->to, node->work));
    else if (node->within)
      DCS_TRY(device->copy(device, node->to, node->within, node->n));
    else if (node->from)
      DCS_TRY(device->copy_in(device, node->to, node->from, node->n));
    else
      DCS_TRY(device->fill(device, node->to, node->pattern, node->n));
  }
  return DCS_OK;
}

void dcs_graph_destroy(dcs_device *device, dcs_graph *graph) {
  (void)device;
  free(graph->nodes);
  free(graph);
}
