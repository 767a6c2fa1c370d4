/* dcsbench tune show, export and forget: what tuned.csv holds. */
#ifndef DCS_TUNED_COMMAND_H
#define DCS_TUNED_COMMAND_H

#include "kernels/contract.h"

bool dcs_is_tuned_command(const char *word);
/* argv[1] is one of these words. */
dcs_status dcs_tuned_command(int argc, char **argv);

/* The variant with that id; DCS_USAGE suggests the nearest. */
dcs_status dcs_tune_variant(const char *id, const dcs_variant **variant);

#endif
