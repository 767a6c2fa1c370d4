/* The words of `dcsbench tune` that are for tuned.csv. */
#ifndef DCS_CLI_TUNED_H
#define DCS_CLI_TUNED_H

#include "kernels/contract.h"

/* Whether the word is show, export or forget; runs it, argv[1], with the words behind it. */
bool dcs_is_tuned_command(const char *word);
dcs_status dcs_tuned_command(int argc, char **argv);

#endif
