/* The records of a DCD file: see trajectory.c. Internal to harness/input/dcd. */
#ifndef DCS_DCD_RECORDS_H
#define DCS_DCD_RECORDS_H

#include "harness/input/dcd/numbers.h"

/* The bytes that come next, `bytes` of them or what is left; they are not taken. */
dcs_status dcs_dcd_peek(const dcs_dcd *dcd, size_t bytes, dcs_slice *next);

/* Whether the next record's marker says `bytes`, those of `what`; expected[128] gets what is right.
 */
dcs_status dcs_dcd_check_marker(dcs_dcd *dcd, uint64_t bytes, const char *what, char *expected);

/* The next record, which has `bytes` bytes, those of `what`; *data lasts until the next call. */
dcs_status dcs_dcd_take_record(dcs_dcd *dcd, uint64_t bytes, const char *what, const char **data);

/* DCS_INPUT: a number that is not what was expected; the end of the file where `what` was. */
dcs_status dcs_dcd_wrong(const dcs_dcd *dcd, uint64_t found, const char *expected);
dcs_status dcs_dcd_cut(dcs_dcd *dcd, const char *what);

#endif
