/* Folders for what the program writes. */
#ifndef DCS_FOLDER_H
#define DCS_FOLDER_H

#include "kernels/status.h"

#include <stdbool.h>
#include <sys/types.h>

/* Makes the folder and those above it where they are missing, of that mode less the umask. DCS_IO
 * names the one that cannot be made, DCS_USAGE a name that is too long (3,900 bytes). */
dcs_status dcs_make_folder(const char *folder, mode_t mode);

/* Makes a folder below $TMPDIR, else /tmp, under a name of its own; "" and DCS_IO when it cannot be
 * made. */
dcs_status dcs_make_temporary(char folder[4096]);

/* Whether a path lies in such a folder, of this process or another: who made it removes it. */
bool dcs_is_in_temporary(const char *path);

/* Removes the folder and all that is in it, as far as it goes. */
void dcs_remove_folder(const char *folder);

/* The path of a file in it. DCS_USAGE: a name that is too long. */
dcs_status dcs_path_in(const char *folder, const char *name, char path[4096]);

/* The program's folder of the user: that of the variable `own`, else dcsbench in that of the
 * variable `xdg`, else dcsbench in a folder below the home. False where there is none, or it is too
 * long. */
bool dcs_user_folder(const char *own, const char *xdg, const char *below_home, char path[4096]);

/* Whether something has that name, be it that it cannot be looked at. */
bool dcs_exists(const char *path);

#endif
