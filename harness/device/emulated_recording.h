/* What the emulated device notes while it records: a list of steps, carried out when replayed. */
#ifndef DCS_EMULATED_RECORDING_H
#define DCS_EMULATED_RECORDING_H

#include "harness/device/device.h"

enum { DCS_STEP_ARGS = 16, DCS_ARG_BYTES = DCS_OWN_BYTES };

/* A launch when there is a module, else a copy when there is a source, else a fill. */
typedef struct {
  dcs_module *module;
  const char *kernel;
  int64_t grid[3];
  int block[3];
  int n_args;
  unsigned char args[DCS_STEP_ARGS][DCS_ARG_BYTES]; /* their values */

  dcs_ptr to;
  const void *from;
  size_t n; /* bytes of a copy, words of a fill */
  uint32_t pattern;
} dcs_step;

dcs_status dcs_recording_begin(dcs_recording **recording);
dcs_status dcs_recording_add(dcs_recording *recording, dcs_step step);
/* sizes: of the arguments, closed by 0. */
dcs_status dcs_recording_add_launch(dcs_recording *recording, dcs_module *module,
                                    const char *kernel, const int64_t grid[3], const int block[3],
                                    void **args, const size_t *sizes);
dcs_status dcs_recording_replay(dcs_device *device, dcs_recording *recording);
void dcs_recording_erase(dcs_device *device, dcs_recording *recording);

#endif
