/* The table of devices, and what a device option may name: one device, or several that compute a
 * map together. */
#ifndef DCS_DEVICES_H
#define DCS_DEVICES_H

#include "harness/device/device.h"

/* In the order of devices.def. */
extern const dcs_device_kind *const dcs_device_kinds[];
extern const int dcs_n_device_kinds;

/* The kind of the device, or of the first of several, that the text names; NULL where no kind has
 * such a prefix. NULL names the default device. */
const dcs_device_kind *dcs_device_kind_of(const char *text);

/* Opens one device by its name, "cuda:0". DCS_USAGE where no kind has such a name, else as the
 * kind's open(). */
dcs_status dcs_device_open(const char *name, dcs_device **device);

/* Compiles by the first kind that can for an architecture that is not here; no image is kept. */
dcs_status dcs_device_compile(const dcs_source *source, const char *arch, dcs_code_facts *facts);
/* The same, and the instructions written down; the caller frees listing->text, which is NULL where
 * the status is not DCS_OK. */
dcs_status dcs_device_list_code(const dcs_source *source, const char *arch, dcs_listing *listing,
                                dcs_code_facts *facts);

/* ---- names ---- */

/* The device that runs kernels when none is named: the first, or what was asked for last with
 * dcs_default_device_at(): the one at that place of those that are here, modulo how many. */
const char *dcs_default_device(void);
void dcs_default_device_at(int place);
/* A device whose kernels can be watched; NULL where no kind has any. */
const char *dcs_watched_device(void);
/* The names that dcs_device_open() takes, for messages: "cuda:N or emulated". Returns text. */
char *dcs_device_names(char text[DCS_TEXT]);
/* Those of several, for help: "cuda:0,cuda:1 or cuda:all". Returns text. */
char *dcs_device_list_names(char text[DCS_TEXT]);

enum { DCS_MAX_DEVICES = 16, DCS_DEVICE_NAME = 16, DCS_DEVICE_LABEL = DCS_DEVICE_NAME + 32 };

typedef struct {
  char names[DCS_MAX_DEVICES][DCS_DEVICE_NAME]; /* each as dcs_device_open() takes it */
  int n;
} dcs_device_list;

/* Takes names with commas between, or one numbered kind's "cuda:all" (every device that is here).
 * DCS_USAGE for a list that names a numbered device twice, mixes kinds or is too long;
 * DCS_UNAVAILABLE where "all" finds none. Whether a named device is here shows when it is opened.
 */
dcs_status dcs_device_list_of(const char *text, dcs_device_list *list);
/* Whether the text is of that form; nothing is opened or counted. */
dcs_status dcs_check_devices(const char *text);

/* Which of the list a device is, for messages: its name, with its place where others have the same.
 */
char *dcs_device_label(const dcs_device_list *list, int d, char text[DCS_DEVICE_LABEL]);

/* Whether the text names several devices, be it that "cuda:all" turns out to be one. NULL does not.
 */
bool dcs_names_several(const char *text);

/* DCS_USAGE, saying that `command` takes one device, where the text names several. */
dcs_status dcs_need_one_device(const char *text, const char *command);
/* DCS_USAGE where the devices that the text names have no times. NULL: the default device. */
dcs_status dcs_need_times(const char *text);
bool dcs_has_times(const char *text);

#endif
