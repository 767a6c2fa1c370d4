#include "harness/base/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dcs_status dcs_grow(void *list, size_t n, size_t element, const char *what) {
  if ((n & (n - 1)) != 0) return DCS_OK; /* there is room up to the next power of two */
  void *own;
  memcpy(&own, list, sizeof own);
  own = realloc(own, (n ? 2 * n : 1) * element);
  if (!own) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu %s", n + 1, what);
  memcpy(list, &own, sizeof own);
  return DCS_OK;
}

char *dcs_append(char *text, size_t size, const char *format, ...) {
  const size_t used = strnlen(text, size);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
  return text;
}
