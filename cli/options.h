/* What the reader of command lines (options.c) takes of the options that commands share. Internal
 * to options.c, shared_options.c, problem_choice.c. */
#ifndef DCS_OPTIONS_H
#define DCS_OPTIONS_H

#include "cli/commands.h"

/* ---- lists of options (shared_options.c) ---- */

extern const dcs_option dcs_listed_device[];     /* of dcs_device_options */
extern const dcs_option dcs_listed_read[];       /* of dcs_read_options */
extern const dcs_option dcs_listed_parameters[]; /* of dcs_read_options, of what is no map */
extern const dcs_option dcs_listed_problem[];    /* of dcs_problem_options */
extern const dcs_option dcs_listed_units[];      /* of dcs_units_options */
extern const dcs_option dcs_listed_plan[];       /* of dcs_plan_options */

/* DCS_USAGE of --parameters without a file of molecules; NULL is fine. */
dcs_status dcs_check_parameters(const dcs_problem_options *problem);

/* ---- which problem (problem_choice.c) ---- */

enum { DCS_MOST_PARAM_OPTIONS = sizeof((dcs_problem_choice *)NULL)->typed / sizeof(char *) };

extern const dcs_option dcs_listed_kind[], dcs_listed_cell[]; /* of dcs_problem_choice */

/* One for each name that a parameter has, whichever kinds have it. Returns how many. */
int dcs_list_params(dcs_option params[DCS_MOST_PARAM_OPTIONS + 1]);

/* The kinds that have a parameter of that name, "coulomb, forces"; "": none. Returns the text. */
char *dcs_kinds_with(const char *param, char text[DCS_TEXT]);

/* What was typed, "--cutoff 0,12", as problem_config has it, "cutoff=0|12". */
dcs_status dcs_assemble_choice(dcs_problem_choice *choice);

/* DCS_USAGE of values that make no problem, or change nothing; problem: NULL is fine. */
dcs_status dcs_check_choice(const dcs_problem_choice *choice, const dcs_problem_options *problem);

#endif
