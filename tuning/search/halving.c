/* Successive halving (Jamieson and Talwalkar, Non-stochastic best arm identification, AISTATS
 * 2016): a bracket of random configurations gets few samples each, the better third of them three
 * times as many, and so on up to a whole evaluation; then the next bracket. */
#include "tuning/search/search.h"

#include <stdlib.h>

enum { BRACKET = 27, KEEP = 3 };

typedef struct {
  int config;
  double ns;
} entry;

static int compare(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->ns != y->ns) return x->ns < y->ns ? -1 : 1;
  return (x->config > y->config) - (x->config < y->config);
}

/* Evaluates those on the list; sorted by time afterwards. */
static bool rung(dcs_search *search, entry *list, int n, int samples) {
  for (int i = 0; i < n; i++)
    if (!dcs_search_try(search, list[i].config, samples, &list[i].ns)) return false;
  qsort(list, (size_t)n, sizeof *list, compare);
  return true;
}

/* Distinct configurations that were not tried; the first bracket begins with the initial one. */
static int draw(dcs_search *search, entry *list) {
  int n = 0, left = search->space->n - search->n_known;
  int most = left < BRACKET ? left : BRACKET;
  if (!search->known[search->start].known) list[n++].config = search->start;
  while (n < most) {
    int c = dcs_search_unknown(search), i = 0;
    while (i < n && list[i].config != c)
      i++;
    if (i == n) list[n++].config = c;
  }
  return n;
}

void dcs_search_halving(dcs_search *search) {
  entry list[BRACKET];
  while (!search->stopped && search->n_known < search->space->n) {
    int n = draw(search, list), samples = search->samples;
    for (int size = n; size >= KEEP; size /= KEEP)
      samples = samples > KEEP ? samples / KEEP : 1;
    while (rung(search, list, n, samples) && samples < search->samples) {
      n = n > KEEP ? n / KEEP : 1;
      samples = samples * KEEP < search->samples && n > 1 ? samples * KEEP : search->samples;
    }
  }
}
