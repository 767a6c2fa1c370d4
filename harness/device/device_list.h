/* What a device option may name: one device, or several that compute a map together. */
#ifndef DCS_DEVICE_LIST_H
#define DCS_DEVICE_LIST_H

#include "kernels/status.h"

#include <stdbool.h>

enum { DCS_MAX_DEVICES = 16, DCS_DEVICE_NAME = 16 };

typedef struct {
  char names[DCS_MAX_DEVICES][DCS_DEVICE_NAME]; /* each as dcs_device_open() takes it */
  int n;
} dcs_device_list;

/* Takes "cuda:0", "cuda:0,cuda:1", "cuda:all" (every card that the driver shows), "emulated" or
 * "emulated,emulated" apart. DCS_USAGE for a list that names a card twice, mixes the two kinds or
 * is too long; DCS_UNAVAILABLE where "cuda:all" finds no driver or card. Whether a name is a
 * device's shows when it is opened. */
dcs_status dcs_device_list_of(const char *text, dcs_device_list *list);

/* Whether the text names several devices, be it that "cuda:all" turns out to be one. NULL does not.
 */
bool dcs_names_several(const char *text);

/* DCS_USAGE, saying that `command` takes one device, where the text names several. */
dcs_status dcs_need_one_device(const char *text, const char *command);

/* Whether the text names emulated devices, which have no times. NULL does not. */
bool dcs_names_emulated(const char *text);

#endif
