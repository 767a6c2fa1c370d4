/* The CUDA driver's device: graphs captured from the selected stream. */
#include "harness/device/cuda/device.h"

#if DCS_WITH_CUDA

#include <stdlib.h>

struct dcs_graph {
  CUgraphExec exec;
};

static dcs_status cuda_begin_capture(dcs_device *device) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuStreamBeginCapture, cuda->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static dcs_status cuda_end_capture(dcs_device *device, dcs_graph **graph) {
  CUgraph captured;
  DCS_CUDA_ENTER(device, cuda);
  DCS_TRY(DCS_CU(cuStreamEndCapture, cuda->stream, &captured));
  dcs_graph *made = malloc(sizeof *made);
  dcs_status status = made ? DCS_CU(cuGraphInstantiateWithFlags, &made->exec, captured, 0)
                           : dcs_want("no memory for a graph");
  dcs_cuda.cuGraphDestroy(captured);
  if (status != DCS_OK)
    free(made);
  else
    *graph = made;
  return status;
}

static dcs_status cuda_launch_graph(dcs_device *device, dcs_graph *graph) {
  DCS_CUDA_ENTER(device, cuda);
  return DCS_CU(cuGraphLaunch, graph->exec, cuda->stream);
}

static void cuda_destroy_graph(dcs_device *device, dcs_graph *graph) {
  dcs_cuda_device *cuda;
  if (dcs_cuda_enter(device, &cuda) == DCS_OK) dcs_cuda.cuGraphExecDestroy(graph->exec);
  free(graph);
}

void dcs_cuda_graph_methods(dcs_device *device) {
  device->begin_capture = cuda_begin_capture;
  device->end_capture = cuda_end_capture;
  device->launch_graph = cuda_launch_graph;
  device->destroy_graph = cuda_destroy_graph;
}

#endif
