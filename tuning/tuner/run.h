/* A tuning on this machine, from the space to the winner. */
#ifndef DCS_TUNE_RUN_H
#define DCS_TUNE_RUN_H

#include "harness/problems/case.h"
#include "tuning/tuner/winner.h"

typedef struct {
  const dcs_variant *variant;
  const char *config; /* values for some parameters; NULL: those of the descriptor */
  dcs_case_source source;
  dcs_config problem; /* of the source's kind; the variant solves it */
  dcs_scope scope;
  const char *device, *kernels;
  double timeout_s;
  const dcs_strategy *strategy;
  uint64_t seed;
  int samples;
  int64_t budget_evals; /* -1: none */
  double budget_s;      /* 0: none; the last measurement included */
  const char *journal;  /* NULL: journal.csv in the data folder */
} dcs_tune_options;

/* Searches, measures the best ones once more, prints what came of it to stdout, and puts the winner
 * into the database. What the journal holds of this very tuning is not measured again.
 * DCS_UNAVAILABLE when the variant cannot run here; DCS_FAILED when nothing was right and timed, or
 * on an interrupt. */
dcs_status dcs_tune(const dcs_tune_options *options);

#endif
