#include "harness/base/alike.h"

#include <stdlib.h>

typedef struct {
  const void *const *elements;
  dcs_comparing *compare;
} ordering;

/* By the element, then as they came. */
static int in_order(const void *left, const void *right, void *with) {
  const ordering *by = with;
  const size_t a = *(const size_t *)left, b = *(const size_t *)right;
  const int order = by->compare(by->elements[a], by->elements[b]);
  return order ? order : (a > b) - (a < b);
}

dcs_status dcs_number_alike(const void *const *elements, size_t n, dcs_comparing *compare,
                            size_t *number, size_t *distinct) {
  ordering by = {elements, compare};
  size_t *sorted = malloc((n + 1) * sizeof *sorted), first = 0;
  *distinct = 0;
  if (!sorted) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows", n);
  for (size_t i = 0; i < n; i++)
    sorted[i] = i;
  qsort_r(sorted, n, sizeof *sorted, in_order, &by);
  for (size_t i = 0; i < n; i++) { /* the first of those alike, for now */
    if (i == 0 || compare(elements[sorted[i - 1]], elements[sorted[i]]) != 0) first = sorted[i];
    number[sorted[i]] = first;
  }
  for (size_t i = 0; i < n; i++)
    number[i] = number[i] == i ? (*distinct)++ : number[number[i]];
  free(sorted);
  return DCS_OK;
}
