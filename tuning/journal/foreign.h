/* What other tuners recorded, as a space of a variant that is made for it. Internal to
 * tuning/journal. */
#ifndef DCS_TUNE_FOREIGN_H
#define DCS_TUNE_FOREIGN_H

#include "tuning/journal/journal.h"

#include <jansson.h>

/* Adds the recordings of a file of one of the layouts of harness/timings/t4_result.h. What this
 * program wrote comes back as the rows of the journals that it was written from. DCS_INPUT names
 * file, place, what was found and what would be right. */
dcs_status dcs_journal_add_t4(const char *path, const json_t *root, dcs_journal *journal);

/* The reader of rows (journal.c). */
dcs_status dcs_journal_add_table(const dcs_table *table, dcs_journal *journal);

#endif
