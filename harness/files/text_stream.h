/* A stream whose text ends up in memory. Unlike that of open_memstream, of glibc, a write that
 * lacked memory stays an error of the stream. */
#ifndef DCS_TEXT_STREAM_H
#define DCS_TEXT_STREAM_H

#include "kernels/status.h"

#include <stddef.h>
#include <stdio.h>

typedef struct {
  FILE *stream; /* to write to; errors may be left to dcs_text_end() */
  char *text;   /* what was written up to the last fflush(); text[used] is NUL */
  size_t used, room;
} dcs_text_stream;

/* The struct must stay where it is until the end. DCS_UNAVAILABLE when memory is short. */
dcs_status dcs_text_begin(dcs_text_stream *text);

/* Closes the stream, whatever the status, and gives its text, which the caller frees; NULL and
 * DCS_UNAVAILABLE when any write lacked memory. bytes may be NULL. */
dcs_status dcs_text_end(dcs_text_stream *text, char **whole, size_t *bytes);

#endif
