/* How programs of the library are built. */
#ifndef DCS_TEST_LINKER_OPTIONS_H
#define DCS_TEST_LINKER_OPTIONS_H

#include "tests/program.h"

/* The flags that the build was made with; the caller frees them. */
static inline char *build_flags(void) {
  char path[PATH_MAX];
  const char *build = getenv("BUILD");
  snprintf(path, sizeof path, "%s/flags", build && *build ? build : "build");
  return get_file(path, NULL);
}

/* Built so that programs take terabytes of addresses, whatever they use of them. */
static inline int takes_all_addresses(void) {
  char *flags = build_flags();
  const int takes = strstr(flags, "-fsanitize=address") || strstr(flags, "-fsanitize=thread");
  free(flags);
  return takes;
}

/* How libcsv is linked here. */
static inline const char *csv_option(void) {
  char *flags = build_flags();
  const char *option = strstr(flags, "-l:libcsv.a") ? "-l:libcsv.a" : "-lcsv";
  free(flags);
  return option;
}

/* What the build was made with and the linker has to know: OpenMP, sanitizers. */
static inline void linker_options(char options[512]) {
  char *flags = build_flags();
  options[0] = '\0';
  for (char *word = strtok(flags, " \n"); word; word = strtok(NULL, " \n"))
    if (strncmp(word, "-fsanitize", 10) == 0 || strcmp(word, "-fopenmp") == 0) {
      strncat(options, " ", 511 - strlen(options));
      strncat(options, word, 511 - strlen(options));
    }
  free(flags);
}

#endif
