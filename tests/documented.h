/* The commands that pages print: lines of code that begin with dcsbench, and such words in
 * backquotes. */
#ifndef DCS_TEST_DOCUMENTED_H
#define DCS_TEST_DOCUMENTED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DOCUMENTED = 400, LONGEST_DOCUMENTED = 1024 };

typedef struct {
  char list[MOST_DOCUMENTED][LONGEST_DOCUMENTED]; /* without build/ before the name */
  int n;
} documented;

static inline const char *documented_begin(const char *text) {
  const char *name = strncmp(text, "build/", 6) == 0 ? text + 6 : text;
  return strncmp(name, "dcsbench ", 9) == 0 ? name : NULL;
}

/* Takes a command, its spaces and line ends as one space each. */
static inline void documented_add(documented *d, const char *text, size_t length) {
  size_t used = 0;
  assert_true(d->n < MOST_DOCUMENTED && length < LONGEST_DOCUMENTED);
  char *to = d->list[d->n++];
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\\' && text[i + 1] == '\n') continue;
    const bool space = text[i] == ' ' || text[i] == '\n';
    if (space && (used == 0 || to[used - 1] == ' ')) continue;
    to[used++] = space ? ' ' : text[i];
  }
  to[used] = '\0';
}

/* The length of a line of code: its comment is none of it, the lines it goes on in are. */
static inline size_t documented_line(const char *text) {
  char quote = 0;
  size_t i = 0;
  for (; text[i] && (text[i] != '\n' || (i > 0 && text[i - 1] == '\\')); i++) {
    if (text[i] == '\'' || text[i] == '"') quote = quote == text[i] ? 0 : quote ? quote : text[i];
    if (!quote && strncmp(text + i, " #", 2) == 0) break;
  }
  return i;
}

/* Adds those of a page. */
static inline void documented_read(documented *d, const char *page) {
  for (const char *line = page; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    const size_t blanks = strspn(line, " ");
    const char *command = blanks >= 4 ? documented_begin(line + blanks) : NULL;
    if (command) documented_add(d, command, documented_line(command));
  }
  for (const char *tick = strchr(page, '`'); tick; tick = strchr(tick + 1, '`')) {
    if (strncmp(tick, "```", 3) == 0) { /* a block of code in another language */
      tick = strstr(tick + 3, "```");
      if (!tick) return;
      tick += 2;
      continue;
    }
    const char *end = strchr(tick + 1, '`'), *command = documented_begin(tick + 1);
    if (!end) return;
    if (command) documented_add(d, command, (size_t)(end - command));
    tick = end;
  }
}

#endif
