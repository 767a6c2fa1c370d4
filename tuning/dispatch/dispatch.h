/* The decision which method computes a map, by its size and shape and by where the data lie; drawn
 * from a run, kept in a record (dispatch.csv), written out as a C header (dispatch.h). */
#ifndef DCS_TUNING_DISPATCH_H
#define DCS_TUNING_DISPATCH_H

#include "harness/base/outcome.h"
#include "tuning/dispatch/cost.h"

#include <stdio.h>

enum { DCS_DISPATCH_SCHEMA = 3 };

/* kernel: atoms lie on the device and the map stays there. warm: both in host memory, the context
 * is alive. first: the same from a cold start. */
enum { DCS_DISPATCH_SCOPES = 3 };
extern const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES];

/* What is summed, each a map of its own that no other stands for: all atoms (0); those within a
 * cutoff, by its smoothing (1 + dcs_smooth). */
enum { DCS_DISPATCH_SUMS = 2 + DCS_SMOOTH_C2 };
int dcs_dispatch_sum(const dcs_problem *problem);
extern const char *const dcs_dispatch_sum_names[DCS_DISPATCH_SUMS]; /* "of all atoms", ... */

enum { DCS_DISPATCH_MOST = 8 }; /* methods of a scope: more cost time at every decision */

typedef struct {
  const dcs_variant *variant;
  dcs_config config;
  dcs_cost cost;
  int64_t cells; /* sizes at which it was measured */
} dcs_dispatch_method;

/* What is lost against always taking the fastest, at sizes that were held out: 0.1 is 10%. */
typedef struct {
  int64_t cells; /* where at least two methods could be chosen from; 0: the others are NaN */
  double mean, worst;
} dcs_regret;

typedef struct {
  dcs_dispatch_method list[DCS_DISPATCH_MOST]; /* in the order in which they helped most */
  int n;
  dcs_regret regret;
} dcs_dispatch_table;

/* What the numbers hold for; "" where unknown. */
typedef enum {
  DCS_FOR_PRECISION,
  DCS_FOR_KERNELS, /* hash of the CUDA sources */
  DCS_FOR_CPU,
  DCS_FOR_CPUS,
  DCS_FOR_ISA,
  DCS_FOR_ISA_DISABLED,
  DCS_FOR_GPU, /* name of the card */
  DCS_FOR_COMPUTE_CAPABILITY,
  DCS_FOR_DATE, /* from here on nothing that a use depends on */
  DCS_FOR_GIT_STATE,
  DCS_FOR_COMMAND,
  DCS_N_FOR
} dcs_dispatch_fact;
extern const char *const dcs_dispatch_facts[DCS_N_FOR]; /* columns of the record, keys of env.csv */

typedef struct {
  char facts[DCS_N_FOR][512];
  dcs_dispatch_table tables[DCS_DISPATCH_SUMS][DCS_DISPATCH_SCOPES];
} dcs_dispatch;

enum { DCS_DISPATCH_CELLS = 3 }; /* the fewest sizes that a method is judged by */

/* Draws the decision from the verified rows of a run folder, and says to `notes` what of it is left
 * out, as dcs_run_notes() does. Beside the statuses of
 * dcs_measured_read(), DCS_INPUT when no method was measured at DCS_DISPATCH_CELLS sizes. */
dcs_status dcs_dispatch_draw(const char *folder, FILE *notes, dcs_dispatch *dispatch);

/* dispatch.csv: written beside and renamed; read with every value checked. DCS_INPUT names file,
 * row and what is wrong: another schema, whose costs are of other things, missing rows, an unknown
 * variant, an illegal configuration. */
dcs_status dcs_dispatch_write(const char *path, const dcs_dispatch *dispatch);
dcs_status dcs_dispatch_read(const char *path, dcs_dispatch *dispatch);

/* dispatch.h, written beside and renamed: needs nothing of this library, C99 and C++. */
dcs_status dcs_dispatch_write_header(const char *path, const dcs_dispatch *dispatch);

/* The cutoffs that methods of the sum were measured at, "8 to 12 angstrom"; "" where it has none.
 * Returns text. */
char *dcs_dispatch_cutoffs(const dcs_dispatch *dispatch, int sum, char text[DCS_TEXT]);

/* The methods of a table of the problem's sum that can compute the problem, fastest first, without
 * those whose backend `usable` leaves out (indexed by dcs_backend), and those measured at other
 * cutoffs alone (DCS_COST_CUTOFF_FACTOR); returns how many. ns receives their times. */
int dcs_dispatch_rank(const dcs_dispatch_table *table, const dcs_problem *problem,
                      const bool usable[2], int order[DCS_DISPATCH_MOST],
                      double ns[DCS_DISPATCH_MOST]);

#endif
