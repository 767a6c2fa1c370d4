#include "harness/base/c_text.h"

#include "harness/base/grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What may stand in a comment behind `last`: nothing that ends or opens one, by itself or once a
 * compiler has joined lines at backslashes, or at the trigraphs that stand for them. */
static bool plain_in_comment(char last, char c) {
  if ((unsigned char)c < ' ' || c == 127 || c == '\\') return false;
  return !(last == '*' && c == '/') && !(last == '/' && c == '*') && !(last == '?' && c == '?');
}

void dcs_put_comment(FILE *out, const char *text) {
  char last = ' ';
  for (const char *c = text; *c; c++) {
    last = plain_in_comment(last, *c) ? *c : ' ';
    fputc(last, out);
  }
}

/* What stands for a character behind others; 0: nothing. *gap: whether the last one fitted not. */
static int fitting(char c, bool upper, bool *gap) {
  const int letter = (unsigned char)c;
  const bool fits = isalnum(letter), again = *gap;
  *gap = !fits;
  return fits ? upper ? toupper(letter) : tolower(letter) : again ? 0 : '_';
}

void dcs_put_name(FILE *out, const char *text, bool upper) {
  for (bool gap = false; *text; text++) {
    const int c = fitting(*text, upper, &gap);
    if (c) fputc(c, out);
  }
}

static bool is_taken(const dcs_c_names *names, const char *name) {
  for (size_t n = 0; n < names->n; n++)
    if (strcmp(names->list[n], name) == 0) return true;
  return false;
}

void dcs_put_new_name(FILE *out, const char *text, bool upper, dcs_c_names *taken) {
  enum { NUMBER = 16 };
  const size_t size = strlen(text) + NUMBER;
  char *name = malloc(size);
  size_t length = 0;
  taken->no_memory = taken->no_memory || !name ||
                     dcs_grow(&taken->list, taken->n, sizeof *taken->list, "names") != DCS_OK;
  if (taken->no_memory) {
    free(name);
    return;
  }
  for (bool gap = false; *text; text++) {
    const int c = fitting(*text, upper, &gap);
    if (c) name[length++] = (char)c;
  }
  name[length] = '\0';
  for (int number = 2; is_taken(taken, name); number++)
    snprintf(name + length, size - length, "_%d", number);
  taken->list[taken->n++] = name;
  fputs(name, out);
}

void dcs_c_names_free(dcs_c_names *names) {
  for (size_t n = 0; n < names->n; n++)
    free(names->list[n]);
  free(names->list);
  *names = (dcs_c_names){0};
}
