#include "harness/base/c_text.h"

#include <ctype.h>

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

void dcs_put_name(FILE *out, const char *text, bool upper) {
  for (bool gap = false; *text; text++) {
    const int c = (unsigned char)*text;
    const bool fits = isalnum(c);
    if (fits || !gap) fputc(!fits ? '_' : upper ? toupper(c) : tolower(c), out);
    gap = !fits;
  }
}
