/* Folders for what the program writes. */
#ifndef DCS_FOLDER_H
#define DCS_FOLDER_H

#include "kernels/status.h"

#include <stdbool.h>

/* Makes the folder and those above it where they are missing. DCS_IO names the one that cannot be
 * made, DCS_USAGE a name that is too long (3,900 bytes). */
dcs_status dcs_make_folder(const char *folder);

/* The path of a file in it. DCS_USAGE: a name that is too long. */
dcs_status dcs_path_in(const char *folder, const char *name, char path[4096]);

/* Whether something has that name, be it that it cannot be looked at. */
bool dcs_exists(const char *path);

#endif
