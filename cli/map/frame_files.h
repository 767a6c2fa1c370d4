/* The names of the files that maps of frames go to. */
#ifndef DCS_CLI_MAP_FRAME_FILES_H
#define DCS_CLI_MAP_FRAME_FILES_H

#include "cli/commands.h"

/* "map_%05d.npy": text with one number in it. */
typedef struct {
  const char *pattern;
  int before;   /* characters before the % */
  int width;    /* of the number at least */
  bool zeros;   /* in front of it, else blanks */
  int consumed; /* characters of %05d */
} dcs_frame_name;

/* DCS_USAGE unless the pattern has one conversion, %d with a width or without, and no other %, and
 * maps can be written under such names. */
dcs_status dcs_frame_name_read(const char *pattern, dcs_frame_name *name);
/* The name of a frame's file. DCS_USAGE where it is too long. */
dcs_status dcs_frame_name_of(const dcs_frame_name *name, int64_t frame, char path[4096]);
/* Whether a path is that of a frame's file. */
bool dcs_frame_name_is(const dcs_frame_name *name, const char *path);

/* "mean.dx" and "variance": "mean_variance.dx". */
dcs_status dcs_name_beside(const char *path, const char *what, char beside[4096]);

#endif
