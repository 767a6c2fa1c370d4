#include "kernels/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[4096];
static _Thread_local char trace[4096];
static _Thread_local bool want;

/* The message before may be a part of the new one. */
void dcs_fail_at(const char *file, int line, const char *format, ...) {
  char text[sizeof message];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  strcpy(message, text);
  want = false;
  snprintf(trace, sizeof trace, "%s:%d\n", file, line);
}

void dcs_note_want(void) {
  want = true;
}

bool dcs_wanted(void) {
  return want;
}

void dcs_trace(const char *file, int line, const char *expr) {
  size_t used = strlen(trace);
  snprintf(trace + used, sizeof trace - used, "%s:%d: %s\n", file, line, expr);
}

const char *dcs_error_message(void) {
  return message;
}

const char *dcs_error_trace(void) {
  return trace;
}
