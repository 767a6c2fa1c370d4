#include "harness/files/text_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The C library asks for 0 where nothing could be written. */
static ssize_t add(void *data, const char *bytes, size_t size) {
  dcs_text_stream *text = data;
  size_t room = text->room;
  while (room - text->used <= size)
    room *= 2;
  if (room > text->room) {
    char *more = realloc(text->text, room);
    if (!more) return 0;
    text->text = more;
    text->room = room;
  }
  memcpy(text->text + text->used, bytes, size);
  text->used += size;
  text->text[text->used] = '\0';
  return (ssize_t)size;
}

static dcs_status no_memory(dcs_text_stream *text) {
  free(text->text);
  *text = (dcs_text_stream){0};
  return dcs_want("not enough memory for a text");
}

dcs_status dcs_text_begin(dcs_text_stream *text) {
  enum { FIRST = 4096 };
  *text = (dcs_text_stream){.text = calloc(FIRST, 1), .room = FIRST};
  if (text->text) text->stream = fopencookie(text, "w", (cookie_io_functions_t){.write = add});
  return text->stream ? DCS_OK : no_memory(text);
}

dcs_status dcs_text_end(dcs_text_stream *text, char **whole, size_t *bytes) {
  bool failed = ferror(text->stream) != 0;
  *whole = NULL;
  if (fclose(text->stream) != 0 || failed) return no_memory(text);
  *whole = text->text;
  if (bytes) *bytes = text->used;
  return DCS_OK;
}
