/* Run folders by their name: which they are, and those within another folder. */
#ifndef DCS_RUNS_FIND_H
#define DCS_RUNS_FIND_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the folder has an env.csv or a summary.csv: a run's, be it one that lost a file. */
bool dcs_is_run(const char *folder);

/* Tells each run folder within this one, four folders deep at most, in the order of their names;
 * returns how many. Names that begin with a dot are passed over. */
size_t dcs_runs_within(const char *folder, void (*tell)(const char *path, void *to), void *to);

/* What is wrong with a folder in which no env.csv can be opened: that it is a file, that it holds
 * run folders, of which it names some, or that it holds none. DCS_IO; DCS_OK when the folder itself
 * does not exist or is a run, so that the missing file is what is to be named. */
dcs_status dcs_check_run(const char *folder);

/* What was measured is not written over: that the file that `option` names is none of the folder's
 * tables, there already or not. DCS_USAGE else. */
dcs_status dcs_run_check_apart(const char *folder, const char *option, const char *path);

/* That no run was measured or imported into the folder. DCS_USAGE else. */
dcs_status dcs_run_check_none(const char *folder);

#endif
