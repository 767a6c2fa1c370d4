/* How programs of the library are built. */
#ifndef DCS_TEST_LINKER_OPTIONS_H
#define DCS_TEST_LINKER_OPTIONS_H

#include "tests/program.h"

/* What the build was made with and the linker has to know: OpenMP, sanitizers. */
static inline void linker_options(char options[512]) {
  char path[PATH_MAX];
  const char *build = getenv("BUILD");
  snprintf(path, sizeof path, "%s/flags", build && *build ? build : "build");
  char *flags = get_file(path, NULL);
  options[0] = '\0';
  for (char *word = strtok(flags, " \n"); word; word = strtok(NULL, " \n"))
    if (strncmp(word, "-fsanitize", 10) == 0 || strcmp(word, "-fopenmp") == 0) {
      strncat(options, " ", 511 - strlen(options));
      strncat(options, word, 511 - strlen(options));
    }
  free(flags);
}

#endif
