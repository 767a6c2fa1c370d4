/* Every atom record of a file is read, or left out for a reason that is counted. */
#ifndef DCS_TALLY_H
#define DCS_TALLY_H

#include "harness/input/molecule.h"

typedef struct {
  int64_t records, read;
  int64_t of_models, of_locations; /* left out */
} dcs_tally;

/* Behind the last record: notes (may be NULL) receives what was left out. DCS_FAILED when a record
 * was neither read nor left out, a mistake of the reader. */
dcs_status dcs_tally_end(const dcs_tally *tally, const dcs_read_options *how, const char *path,
                         FILE *notes);

/* DCS_INPUT, or DCS_USAGE where --model asks for one behind the last: no atom was read, and the
 * file has so many models. `expected`: "lines that ...". */
dcs_status dcs_tally_none(const dcs_tally *tally, const dcs_read_options *how, int64_t models,
                          const char *path, const char *expected);

#endif
