/* What a tuning tells a user. */
#ifndef DCS_TUNE_PRINT_H
#define DCS_TUNE_PRINT_H

#include "harness/problems/case.h"
#include "tuning/database/tuned.h"
#include "tuning/study/study.h"
#include "tuning/tuner/winner.h"

/* Legal configurations, the values of each parameter, and why other combinations are not legal. */
void dcs_print_space(const dcs_space *space, const dcs_size *size);

/* How many were tried, and their outcomes. */
void dcs_print_search(const dcs_search *search, const char *strategy);

/* The finalists, which of them are tied, and the pick with its reason. */
void dcs_print_winner(const dcs_space *space, const dcs_winner *winner, double work);

/* Whether the pick of an earlier tuning still takes its previous time, now that it was measured
 * again. Sorts the times. */
void dcs_print_previous(const dcs_tuned_entry *previous, dcs_evaluation *now);

/* What a search of a recording found, and how far it is from the recorded best. */
void dcs_print_replay(const dcs_replay *replay, const dcs_search *search, const char *strategy);

#endif
