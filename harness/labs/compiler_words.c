#include "harness/labs/compiler_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next line of the log that is an error, as g++ and clang++ write it: "PATH:LINE:COLUMN: error:
 * WHAT". */
static const char *find_error(const char *log, const char **what) {
  static const char word[] = " error: ";
  const char *at = strstr(log, word);
  const char *line = at;
  if (!at) return NULL;
  while (line > log && line[-1] != '\n')
    line--;
  *what = at + sizeof word - 1;
  return line;
}

char *dcs_compiler_words(const char *log, const char *file, char text[DCS_SENTENCE]) {
  const char *what = log;
  for (const char *line = log; (line = find_error(line, &what)) != NULL; line = what) {
    const char *name = strstr(line, file);
    if (!name || name > what) continue;
    const int number = atoi(name + strlen(file) + 1);
    snprintf(text, DCS_SENTENCE, "%s:%d: %.*s", file, number, (int)strcspn(what, "\n"), what);
    return text;
  }
  if (strstr(log, "dcs' was not declared") || strstr(log, "dcs\xe2\x80\x99 was not declared") ||
      strstr(log, "conflicting declaration of") || strstr(log, "different language linkage"))
    snprintf(text, DCS_SENTENCE,
             "%s has no kernel that begins with extern \"C\" __global__ void dcs(", file);
  else
    snprintf(text, DCS_SENTENCE, "%.700s", log);
  return text;
}
