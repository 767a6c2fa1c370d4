/* Every configuration, in the order of the space: what others are held against. */
#include "tuning/search/search.h"

void dcs_search_exhaustive(dcs_search *search) {
  double ns;
  for (int c = 0; c < search->space->n; c++)
    if (!dcs_search_try(search, c, search->samples, &ns)) return;
}
