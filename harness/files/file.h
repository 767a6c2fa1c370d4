/* Files that are seen under their name only once they are whole. */
#ifndef DCS_FILE_H
#define DCS_FILE_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct {
  FILE *stream; /* to write to; errors may be left to dcs_file_close() */
  char *path;   /* the name that the file will have */
  char *beside; /* the name that it has until then; NULL where it is written in place */
} dcs_file;

/* Opens for writing beside `path`, after what killed writers of it left there was removed. A link
 * stays a link: what it points at is replaced, and a link to nothing is refused. The modes of a
 * replaced file stay. DCS_IO names file and cause; DCS_USAGE for an empty name. */
dcs_status dcs_file_create(dcs_file *file, const char *path);

/* Opens for appending in place. DCS_IO names file and cause. */
dcs_status dcs_file_append(dcs_file *file, const char *path);

/* Flushes to disk and renames into place; DCS_IO, and the old file as it was, when any write
 * failed. The file is closed whatever the status. */
dcs_status dcs_file_close(dcs_file *file);

/* Closes and removes what was written beside; what is in place stays. */
void dcs_file_abandon(dcs_file *file);
/* The one or the other, by what became of the writing. */
dcs_status dcs_file_finish(dcs_file *file, dcs_status status);

/* Whether two names, through links too, are of one file, be it there or to be written. */
bool dcs_is_same_file(const char *a, const char *b);

/* DCS_IO: "PATH: cannot WHAT: " and what errno says. */
dcs_status dcs_cannot(const char *what, const char *path);

#endif
