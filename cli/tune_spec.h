/* Specifications on the command line. */
#ifndef DCS_TUNE_SPEC_H
#define DCS_TUNE_SPEC_H

#include "tuning/tuner/tuner.h"

/* Whether the word names the file of a specification: it ends with .json. */
bool dcs_is_specification(const char *word);

/* Reads one, and sets what it says of its tuning where the command line says nothing: variant,
 * budget, and *strategy where that is NULL. DCS_USAGE: nothing in it can be verified, and
 * tune->unverified, which then tells whether that is so, is not set. */
dcs_status dcs_take_specification(const char *path, const char **strategy, dcs_tune_options *tune);

#endif
