/* A table held against another run: what it loses at sizes that it knows nothing of. */
#ifndef DCS_DISPATCH_CHECK_H
#define DCS_DISPATCH_CHECK_H

#include "tuning/dispatch/dispatch_pool.h"

/* A size of the other run, in one scope, at which two methods or more were measured. */
typedef struct {
  const dcs_dispatch_family *family;
  dcs_scope scope;
  const dcs_run_row *row;        /* of any method there: the size, and the spacing */
  dcs_ranked taken;              /* by the table; method NULL: it has none for the size */
  const dcs_run_row *own, *best; /* of the method taken, NULL where it was not measured; the fastest
                                  */
  double lost, nearest_lost; /* NaN where what is taken was not measured; of taking what was fastest
                                at the nearest size that the table was drawn from */
} dcs_dispatch_check_row;

typedef struct {
  dcs_pool drawn_from, other;
  dcs_dispatch_check_row *rows;
  size_t n;
  double *values; /* room for a summary */
} dcs_dispatch_check;

/* Holds the table that was drawn from one run against another that measured all methods, best at
 * sizes drawn by lot. DCS_INPUT when the runs are of two machines or programs, or have no problem
 * in common. Table and runs must outlive the check; free it with dcs_dispatch_check_free(),
 * whatever the status. */
dcs_status dcs_dispatch_check_against(const dcs_dispatch *dispatch, const dcs_run *drawn_from,
                                      const dcs_run *other, dcs_dispatch_check *check);
void dcs_dispatch_check_free(dcs_dispatch_check *check);

/* What a family's table loses in a scope, or what the nearest size does; *sizes becomes the number
 * of sizes that had a choice. */
dcs_loss dcs_dispatch_check_loss(dcs_dispatch_check *check, const dcs_dispatch_family *family,
                                 dcs_scope scope, bool nearest, int64_t *sizes);

/* A row each, as CSV. */
dcs_status dcs_dispatch_check_write(const char *path, const dcs_dispatch_check *check);

#endif
