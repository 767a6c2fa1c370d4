/* A row of tuned.csv. Internal to the database; others call tuned.h. */
#ifndef DCS_TUNED_ROW_H
#define DCS_TUNED_ROW_H

#include "tuning/tune/tuned.h"

/* The header row, its newline included. */
extern const char dcs_tuned_header[];

/* The record as a row with its checksum and newline; the caller frees. NULL: no memory. */
char *dcs_tuned_row(const dcs_tuned_record *record);

typedef enum { DCS_ROW_OWN, DCS_ROW_FOREIGN, DCS_ROW_DAMAGED } dcs_row_kind;

/* What a line (without its newline) is. */
dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length);

/* Reads a row of a table with the columns of the header. False: not of this program. */
bool dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_record *record);

#endif
