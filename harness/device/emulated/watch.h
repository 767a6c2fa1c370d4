/* The emulated device: kernels that are watched (emulator_watch.h), told to an observer. */
#ifndef DCS_EMULATED_WATCH_H
#define DCS_EMULATED_WATCH_H

#include "harness/device/device.h"

/* Whether an address is in a buffer of the device. */
typedef struct {
  bool (*holds)(void *context, uint64_t address);
  void *context;
} dcs_global_memory;

typedef struct dcs_watched_code dcs_watched_code;

/* Lets the loaded code of an image, which is copied, tell the observer, which must outlive it.
 * dcs_watched_code_free() frees it. */
dcs_status dcs_watch_code(void *handle, const void *image, size_t bytes,
                          const dcs_observer *observer, dcs_global_memory global,
                          dcs_watched_code **watched);
void dcs_watched_code_free(dcs_watched_code *watched); /* NULL: nothing */

/* Tells the observer of a launch. */
void dcs_watch_launch(const dcs_watched_code *watched, dcs_module *module, const char *kernel,
                      const int64_t grid[3], const int block[3]);

/* As dcs_device.locate(). */
dcs_status dcs_watched_lines(const dcs_watched_code *watched, const uint64_t *codes, int n,
                             dcs_place *places);

#endif
