/* The decision among methods that other programs timed: from their times alone, for there is no
 * model of their cost. */
#ifndef DCS_DISPATCH_IMPORTED_H
#define DCS_DISPATCH_IMPORTED_H

#include "tuning/crossover/measured.h"
#include "tuning/dispatch/dispatch.h"

/* Along one axis the times of each method are interpolated in log space, or what is fastest at the
 * nearest size is taken, whichever loses less at sizes held out; of two axes the nearest. */
typedef enum { DCS_IMPORTED_INTERPOLATED, DCS_IMPORTED_NEAREST, DCS_N_IMPORTED } dcs_imported_rule;

typedef struct {
  const dcs_measured *measured;
  int first, n; /* classes of the run */
  dcs_imported_rule rule;
  dcs_loss loss[DCS_N_IMPORTED]; /* at sizes held out; of no size where the rule is not for it */
} dcs_imported;

/* Whether the run is one. */
bool dcs_is_imported(const dcs_measured *measured);

/* Draws the decision; `measured` must outlive it. DCS_INPUT: fewer than two methods or
 * DCS_DISPATCH_SIZES sizes, or methods of several scopes. */
dcs_status dcs_imported_draw(const dcs_measured *measured, dcs_imported *drawn);

/* The class that the decision takes at a size, as if the size `without` (m->n_sizes: none) had not
 * been measured; -1: none. */
int dcs_imported_choose(const dcs_imported *drawn, dcs_imported_rule rule, const dcs_size *size,
                        size_t without);

/* dispatch.h: an enumeration of the methods, and dcs_dispatch_choose() of the axes; C99 and C++. */
dcs_status dcs_imported_write_header(const char *path, const dcs_imported *drawn);

#endif
