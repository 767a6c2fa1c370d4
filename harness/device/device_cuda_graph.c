/* The CUDA driver's device: recordings are graphs, captured from the selected stream. */
#include "harness/device/device_cuda.h"

#if DCS_WITH_CUDA

#include <stdlib.h>

struct dcs_recording {
  CUgraphExec graph;
};

static dcs_status cuda_record(dcs_device *device) {
  dcs_cuda_device *cuda;
  DCS_TRY(dcs_cuda_enter(device, &cuda));
  return DCS_CU(cuStreamBeginCapture, cuda->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static dcs_status cuda_recorded(dcs_device *device, dcs_recording **recording) {
  dcs_cuda_device *cuda;
  CUgraph graph;
  DCS_TRY(dcs_cuda_enter(device, &cuda));
  DCS_TRY(DCS_CU(cuStreamEndCapture, cuda->stream, &graph));
  dcs_recording *made = malloc(sizeof *made);
  dcs_status status = made ? DCS_CU(cuGraphInstantiateWithFlags, &made->graph, graph, 0)
                           : dcs_fail(DCS_UNAVAILABLE, "no memory for a recording");
  dcs_cuda.cuGraphDestroy(graph);
  if (status != DCS_OK)
    free(made);
  else
    *recording = made;
  return status;
}

static dcs_status cuda_replay(dcs_device *device, dcs_recording *recording) {
  dcs_cuda_device *cuda;
  DCS_TRY(dcs_cuda_enter(device, &cuda));
  return DCS_CU(cuGraphLaunch, recording->graph, cuda->stream);
}

static void cuda_erase(dcs_device *device, dcs_recording *recording) {
  dcs_cuda_device *cuda;
  if (dcs_cuda_enter(device, &cuda) == DCS_OK) dcs_cuda.cuGraphExecDestroy(recording->graph);
  free(recording);
}

void dcs_cuda_graph_methods(dcs_device *device) {
  device->record = cuda_record;
  device->recorded = cuda_recorded;
  device->replay = cuda_replay;
  device->erase = cuda_erase;
}

#endif
