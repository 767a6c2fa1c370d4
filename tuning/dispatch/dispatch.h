/* The decision which method computes a problem, by its size and shape and by where the data lie;
 * drawn from a run, kept in a table (dispatch.csv), written out as a C header (dispatch.h). */
#ifndef DCS_TUNING_DISPATCH_H
#define DCS_TUNING_DISPATCH_H

#include "harness/base/outcome.h"
#include "harness/runs/run.h"
#include "tuning/dispatch/cost.h"

#include <stdio.h>

enum { DCS_DISPATCH_SCHEMA = 6 };

/* kernel: inputs lie on the device and the output stays there. warm: both in host memory, the
 * context is alive. first: the same from a cold start. */
enum { DCS_DISPATCH_SCOPES = 3 };
extern const dcs_scope dcs_dispatch_scopes[DCS_DISPATCH_SCOPES];
int dcs_dispatch_scope_index(dcs_scope scope); /* in the list above */

enum { DCS_DISPATCH_MOST = 10 }; /* methods of a scope: more cost time at every decision */

typedef struct {
  const dcs_variant *variant;
  dcs_config config;
  dcs_cost cost;
  int64_t sizes; /* at which it was measured */
} dcs_dispatch_method;

/* What a rule loses against always taking the fastest, at sizes that were held out: 0.1 is 10%. */
typedef struct {
  int64_t sizes; /* where the method that the rule takes was measured; 0: the others are NaN */
  double mean, p95, worst;
} dcs_loss;
/* Of losses[n], which are sorted; the 95th percentile is the least that 95% of them do not exceed.
 */
dcs_loss dcs_loss_of(double *losses, size_t n);

typedef struct {
  dcs_dispatch_method list[DCS_DISPATCH_MOST]; /* in the order in which they helped most */
  int n;
  int64_t held_out; /* sizes, each once: those where two methods or more were measured */
  dcs_loss loss;    /* of the table drawn without the size */
  dcs_loss nearest; /* of taking what is fastest at the nearest other size in log space */
} dcs_dispatch_table;

/* Problems of one kind that differ in real parameters alone, each of these either initial in all or
 * in none: one cost holds for all of them. The direct sum is a family; so are all cutoffs without a
 * switching function, and all with one. Each tolerance is one of its own (DCS_TIMES_ABOVE), which
 * serves looser ones where none is nearer, and those down to 1/1.26 of it. */
typedef struct {
  const dcs_kind *kind;
  dcs_config config; /* one of its problems */
  dcs_dispatch_table tables[DCS_DISPATCH_SCOPES];
} dcs_dispatch_family;

bool dcs_same_family(const dcs_kind *kind, const dcs_config *a, const dcs_config *b);

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
/* What DCS_FOR_GPU says of so many cards of a name: "NVIDIA H200", "2 x NVIDIA H200". */
void dcs_dispatch_cards(int n, const char *name, char *text, size_t size);
extern const char *const dcs_dispatch_facts[DCS_N_FOR]; /* columns of the table, keys of env.csv */

enum { DCS_DISPATCH_FAMILIES = 16 };

typedef struct {
  char facts[DCS_N_FOR][512];
  dcs_dispatch_family families[DCS_DISPATCH_FAMILIES];
  int n_families;
} dcs_dispatch;

/* The family that serves a problem, or NULL. */
const dcs_dispatch_family *dcs_dispatch_find(const dcs_dispatch *dispatch, const dcs_kind *kind,
                                             const dcs_config *config);
/* The same; where there is none an empty one is added, NULL when there is no room. */
dcs_dispatch_family *dcs_dispatch_add(dcs_dispatch *dispatch, const dcs_kind *kind,
                                      const dcs_config *config);

/* "coulomb, cutoff 3 to 6 angstrom, switching c2": kind, and the values of parameters that are not
 * initial, as they were measured. Returns text. */
char *dcs_dispatch_text(const dcs_dispatch_family *family, char text[DCS_TEXT]);

enum { DCS_DISPATCH_SIZES = 3 }; /* the fewest that a method is judged by */

/* Draws the decision from the verified rows of a run, and says to `notes` what of it is left out
 * (dcs_run_notes(), rows that stray), that it was interrupted, and which scopes had no two methods
 * to choose from. DCS_INPUT when no method was measured at DCS_DISPATCH_SIZES sizes, a row's method
 * is not of this program or does not compute its problem, or there are more families than
 * DCS_DISPATCH_FAMILIES; DCS_FAILED when interrupted. */
dcs_status dcs_dispatch_draw(const dcs_run *run, FILE *notes, dcs_dispatch *dispatch);

/* dispatch.csv: written beside and renamed; read with every value checked. DCS_INPUT names file,
 * row and what is wrong: another schema, whose costs are of other things, a row that was changed
 * since (a checksum), missing rows, an unknown variant, an illegal configuration. */
dcs_status dcs_dispatch_write(const char *path, const dcs_dispatch *dispatch);
dcs_status dcs_dispatch_read(const char *path, dcs_dispatch *dispatch);

/* The table that the program was built with, of a card with this compute capability: which of its
 * GPU methods to prefer on such a card where nothing was measured. DCS_UNAVAILABLE: there is none.
 */
dcs_status dcs_dispatch_shipped(const char *compute_capability, dcs_dispatch *dispatch);

/* dispatch.h, written beside and renamed: needs nothing of this library, C99 and C++. */
dcs_status dcs_dispatch_write_header(const char *path, const dcs_dispatch *dispatch);

/* A method for a size. */
typedef struct {
  const dcs_dispatch_method *method;
  double ns;         /* expected */
  bool extrapolated; /* the size lies outside what was measured of the method */
} dcs_ranked;

/* The methods of the size's family and scope that can compute it, fastest first, without those
 * whose backend `usable` leaves out (indexed by dcs_backend), and those measured too far from the
 * problem (dcs_cost_ns()); returns how many. spacing in angstrom. */
int dcs_dispatch_rank(const dcs_dispatch *dispatch, const dcs_size *size, double spacing,
                      dcs_scope scope, const bool usable[2], dcs_ranked list[DCS_DISPATCH_MOST]);

#endif
