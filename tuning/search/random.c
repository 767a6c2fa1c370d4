/* Every configuration, in random order: what a strategy has to be better than. */
#include "tuning/search/search.h"

void dcs_search_random(dcs_search *search) {
  double ns;
  for (int c = dcs_search_unknown(search); c >= 0; c = dcs_search_unknown(search))
    if (!dcs_search_try(search, c, search->samples, &ns)) return;
}
