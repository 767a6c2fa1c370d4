/* Which elements are alike. */
#ifndef DCS_ALIKE_H
#define DCS_ALIKE_H

#include "kernels/status.h"

#include <stddef.h>

/* Numbers n elements, those alike that compare as 0, in the order in which they first appear: from
 * 0 into number[n]; *distinct is how many there are. In n log n. DCS_UNAVAILABLE: no memory. */
typedef int dcs_comparing(const void *a, const void *b);
dcs_status dcs_number_alike(const void *const *elements, size_t n, dcs_comparing *compare,
                            size_t *number, size_t *distinct);

#endif
