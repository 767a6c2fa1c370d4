#include "harness/device/emulated_recording.h"

#include <stdlib.h>
#include <string.h>

struct dcs_recording {
  dcs_step *steps;
  size_t n;
};

dcs_status dcs_recording_begin(dcs_recording **recording) {
  *recording = calloc(1, sizeof **recording);
  return *recording ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for a recording");
}

dcs_status dcs_recording_add(dcs_recording *recording, dcs_step step) {
  dcs_step *steps = realloc(recording->steps, (recording->n + 1) * sizeof *steps);
  if (!steps) return dcs_fail(DCS_UNAVAILABLE, "no memory for a recording's steps");
  recording->steps = steps;
  steps[recording->n++] = step;
  return DCS_OK;
}

dcs_status dcs_recording_add_launch(dcs_recording *recording, dcs_module *module,
                                    const char *kernel, const int64_t grid[3], const int block[3],
                                    void **args, const size_t *sizes) {
  dcs_step step = {.module = module, .kernel = kernel};
  memcpy(step.grid, grid, sizeof step.grid);
  memcpy(step.block, block, sizeof step.block);
  for (; sizes[step.n_args]; step.n_args++) {
    if (step.n_args == DCS_STEP_ARGS || sizes[step.n_args] > DCS_ARG_BYTES)
      return dcs_fail(DCS_FAILED, "a recorded launch has at most %d arguments of %d bytes",
                      DCS_STEP_ARGS, DCS_ARG_BYTES);
    memcpy(step.args[step.n_args], args[step.n_args], sizes[step.n_args]);
  }
  return dcs_recording_add(recording, step);
}

static dcs_status replay_launch(dcs_device *device, dcs_step *step) {
  void *args[DCS_STEP_ARGS];
  for (int a = 0; a < step->n_args; a++)
    args[a] = step->args[a];
  return device->launch(device, step->module, step->kernel, step->grid, step->block, args);
}

dcs_status dcs_recording_replay(dcs_device *device, dcs_recording *recording) {
  for (size_t s = 0; s < recording->n; s++) {
    dcs_step *step = &recording->steps[s];
    if (step->module)
      DCS_TRY(replay_launch(device, step));
    else if (step->from)
      DCS_TRY(device->copy_in(device, step->to, step->from, step->n));
    else
      DCS_TRY(device->fill(device, step->to, step->pattern, step->n));
  }
  return DCS_OK;
}

void dcs_recording_erase(dcs_device *device, dcs_recording *recording) {
  (void)device;
  free(recording->steps);
  free(recording);
}
