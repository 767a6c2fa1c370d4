/* Commands of the shell in a test. Include after cmocka.h. */
#ifndef DCS_TEST_SHELL_H
#define DCS_TEST_SHELL_H

#include "tests/program.h"

static char said[1 << 16]; /* by the last command */

/* Runs a command of the shell; returns its status, and leaves what it wrote. */
static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...) {
  char line[8 * PATH_MAX], command[9 * PATH_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  snprintf(command, sizeof command, "{ %s ; } >%s 2>&1", line, in_folder("said"));
  int status = system(command);
  char *text = get_file(in_folder("said"), NULL);
  snprintf(said, sizeof said, "%s", text);
  free(text);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

#endif
