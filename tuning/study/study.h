/* The strategies held against each other on recorded spaces. */
#ifndef DCS_TUNE_STUDY_H
#define DCS_TUNE_STUDY_H

#include "tuning/journal/journal.h"

/* Replays every strategy with 100 seeds on every recording; writes study.csv and importance.csv
 * into `out` (made where it is missing), the figures into a folder there for each recording, and
 * prints a table. A recording of fewer than 20 configurations is left out, with a line that says
 * so; DCS_INPUT when none is left. */
dcs_status dcs_tune_study(const dcs_journal *journal, int samples, const char *out);

#endif
