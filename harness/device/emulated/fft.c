/* Fourier transforms of the emulated device. */
#include "kernels/common/fft.h"
#include "harness/device/emulated/device.h"

#include <stdlib.h>
#include <string.h>

struct dcs_device_fft {
  dcs_fft fft;
};

static dcs_status emulated_has_fft(dcs_device *device) {
  (void)device;
  return DCS_OK;
}

static dcs_status emulated_make_fft(dcs_device *device, const dcs_fft *fft, bool in_place,
                                    dcs_device_fft **made, size_t *work_bytes) {
  (void)device, (void)in_place;
  DCS_TRY(dcs_fft_check(fft));
  *made = malloc(sizeof **made);
  if (!*made) return dcs_want("no memory for a transform");
  **made = (dcs_device_fft){*fft};
  *work_bytes = (size_t)dcs_fft_bytes(fft);
  return DCS_OK;
}

/* What a library may leave in memory that it was lent. */
static void leave(dcs_ptr at, const dcs_fft *fft) {
  memset((void *)(uintptr_t)at, DCS_UNWRITTEN_BYTE, (size_t)dcs_fft_bytes(fft));
}

static dcs_status emulated_run_fft(dcs_device *device, const dcs_device_fft *fft, dcs_ptr from,
                                   dcs_ptr to, dcs_ptr work) {
  dcs_graph *capture = dcs_emulated_of(device)->capture;
  if (capture)
    return dcs_graph_add(
        capture, (dcs_graph_node){
                     .fft = fft, .work = work, .to = to, .from = (const void *)(uintptr_t)from});
  leave(work, &fft->fft);
  DCS_TRY(dcs_fft_transform(&fft->fft, (void *)(uintptr_t)from, (void *)(uintptr_t)to));
  if (!fft->fft.forward && from != to) leave(from, &fft->fft);
  return DCS_OK;
}

static void emulated_free_fft(dcs_device *device, dcs_device_fft *fft) {
  (void)device;
  free(fft);
}

void dcs_emulated_fft_methods(dcs_device *device) {
  device->has_fft = emulated_has_fft;
  device->make_fft = emulated_make_fft;
  device->run_fft = emulated_run_fft;
  device->free_fft = emulated_free_fft;
}
