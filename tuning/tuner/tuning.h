/* A tuning that is under way: the machine, the space and the search of one variant. Internal to
 * tuning/tuner. */
#ifndef DCS_TUNER_TUNING_H
#define DCS_TUNER_TUNING_H

#include "tuning/tuner/tuner.h"

typedef struct {
  const dcs_tune_options *options;
  dcs_objective objective; /* the options' */
  dcs_facts facts;
  dcs_space space;
  dcs_live live;
  dcs_search search;
  double given; /* useful work of the inputs that kernels get */
} dcs_tuning;

/* Opens the machine and builds the space: all that can be wrong with the options is said before a
 * journal is touched. Close whatever the status. */
dcs_status dcs_tuning_open(dcs_tuning *t, const dcs_tune_options *options);
/* Opens the journal, where another tuning has not done so yet, takes up what it knows, and compiles
 * ahead; the search may last until then. The journal is the caller's. */
dcs_status dcs_tuning_go_on(dcs_tuning *t, dcs_journal_writer *journal, double until_ns);
void dcs_tuning_close(dcs_tuning *t);

/* From now on values are another objective's, also of what is known. */
dcs_status dcs_tuning_aim(dcs_tuning *t, const char *objective);

/* Searches by the options' strategy; DCS_FAILED on an interrupt. */
dcs_status dcs_tuning_search(dcs_tuning *t);

#endif
