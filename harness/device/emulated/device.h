/* The emulated device as its files know it: device.c, memory.c, fft.c. */
#ifndef DCS_EMULATED_DEVICE_H
#define DCS_EMULATED_DEVICE_H

#include "harness/device/device.h"
#include "harness/device/emulated/watch.h"
#include "harness/device/graph.h"
#include "harness/device/host_compiler.h"

enum { DCS_UNWRITTEN_BYTE = 0xff }; /* of memory that nobody wrote */

typedef struct dcs_emulated_buffer dcs_emulated_buffer;

typedef struct {
  dcs_device base; /* first: a dcs_device * is this struct's address */
  dcs_host_compiler compiler;
  dcs_observer observer; /* where observed */
  bool observed;
  dcs_emulated_buffer *buffers;
  dcs_module *modules;
  bool released_damaged; /* a buffer was found damaged when it was released */
  dcs_graph *capture;    /* the graph being captured, or NULL */
} dcs_emulated_device;

static inline dcs_emulated_device *dcs_emulated_of(dcs_device *device) {
  return (dcs_emulated_device *)device;
}

/* DCS_FAILED where a kernel wrote outside its buffer. Like a card's errors that stays one until the
 * device is closed. */
dcs_status dcs_emulated_check_guards(const dcs_emulated_device *emulated);

/* Whether an address is in a buffer; context: the device. */
bool dcs_emulated_holds(void *context, uint64_t address);

/* Releases all that is left. */
void dcs_emulated_release_all(dcs_device *device);

/* Fill in the methods that deal with memory (alloc ... supports, copy_in, copy_out, copy, fill),
 * and with Fourier transforms. */
void dcs_emulated_memory_methods(dcs_device *device);
void dcs_emulated_fft_methods(dcs_device *device);

#endif
