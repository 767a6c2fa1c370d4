#include "harness/base/grow.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dcs_status dcs_grow(void *list, size_t n, size_t element, const char *what) {
  if ((n & (n - 1)) != 0) return DCS_OK; /* there is room up to the next power of two */
  void *own;
  memcpy(&own, list, sizeof own);
  own = realloc(own, (n ? 2 * n : 1) * element);
  if (!own) return dcs_want("no memory for %zu %s", n + 1, what);
  memcpy(list, &own, sizeof own);
  return DCS_OK;
}

/* What stands before the elements of a block. */
typedef union {
  void *before; /* the block taken before this one */
  max_align_t align;
} block;

dcs_status dcs_room_take(dcs_room *room, void *list, size_t n, size_t element, const char *what) {
  size_t bytes;
  block *own = NULL;
  if (!__builtin_mul_overflow(n, element, &bytes) && bytes <= PTRDIFF_MAX - sizeof *own)
    own = calloc(1, sizeof *own + bytes);
  if (!own) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu %s", n, what);
  own->before = room->last;
  room->last = own++;
  memcpy(list, &own, sizeof(void *));
  return DCS_OK;
}

void dcs_room_free(dcs_room *room) {
  for (block *own = room->last, *before; own; own = before) {
    before = own->before;
    free(own);
  }
  room->last = NULL;
}

char *dcs_append(char *text, size_t size, const char *format, ...) {
  const size_t used = strnlen(text, size);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
  return text;
}
