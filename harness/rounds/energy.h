/* Energy of an output: what a counter of the hardware shows for many outputs, divided. */
#ifndef DCS_ENERGY_H
#define DCS_ENERGY_H

#include "harness/worker/session.h"

/* What one output takes; NaN: not measured. */
typedef struct {
  double time_ns, energy_j;
} dcs_spent;

/* What is run for it: a prepared method in scope kernel or warm. */
typedef struct {
  dcs_session *session;
  int slot;
  dcs_backend backend; /* a device has its own counter (of several, all together), the CPU that of
                          all packages */
  dcs_scope scope;
  dcs_memory memory;
} dcs_energy_method;

/* Runs the method until there are n parts of such a length that the counter's steps do not matter
 * much, about 0.3 s each; *got of them were measured: none where no counter can be read, or it does
 * not move or goes back again and again, and in scope `first`. A failing outcome has its reason in
 * dcs_error_message(). */
dcs_outcome dcs_measure_spent(const dcs_energy_method *method, double output_ns, int n,
                              dcs_spent *parts, int *got);

/* Joules of one output that takes so long; NaN where nothing was measured. About a second. */
dcs_outcome dcs_measure_energy(const dcs_energy_method *method, double output_ns, double *joules);

/* ---- parts of a row of runs ---- */

/* The counter moves in steps of up to 0.1 s. Between two steps that were seen it has counted what
 * was used between them, to within the length of the run in which each was seen; so parts begin and
 * end at steps. One that goes back has begun anew, as where a driver is loaded again: the part,
 * too. Starts as 0. */
typedef struct {
  bool began;            /* a step was seen */
  double counter_j;      /* the last reading */
  double start_j;        /* where the part began */
  double ns, outputs;    /* of its runs */
  double idle_ns;        /* since the counter moved */
  int steps, runs, read; /* read: readings of all parts */
  int resets;            /* of the counter */
} dcs_energy_part;

/* Takes the reading behind a run. True: it ends a part, whose outputs took *spent each, and the
 * next begins. */
bool dcs_energy_take(dcs_energy_part *part, double counter_j, double ns, int64_t outputs,
                     dcs_spent *spent);

#endif
