/* Whether two texts say the same. */
#ifndef DCS_TEST_SAME_WORDS_H
#define DCS_TEST_SAME_WORDS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Words are equal, or numbers to the rounding of single precision: short of memory for one method,
 * a map is computed by another. */
static inline bool same_words(const char *a, const char *b) {
  static const char blank[] = " \n";
  while (*(a += strspn(a, blank)) && *(b += strspn(b, blank))) {
    size_t na = strcspn(a, blank), nb = strcspn(b, blank);
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    bool numbers = end_a == a + na && end_b == b + nb && fabs(x - y) <= 1e-4 * (fabs(x) + 1e-2);
    if (!numbers && (na != nb || strncmp(a, b, na) != 0)) return false;
    a += na, b += nb;
  }
  return !*a && !b[strspn(b, blank)];
}

#endif
