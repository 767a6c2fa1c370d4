/* A row of tuned.csv. Internal to the database; others call tuned.h. */
#ifndef DCS_TUNED_ROW_H
#define DCS_TUNED_ROW_H

#include "tuning/database/tuned.h"

/* The header row, its newline included, which the caller frees. DCS_UNAVAILABLE: no memory. */
dcs_status dcs_tuned_header(char **header);

/* The entry as a row with its checksum and newline, likewise. */
dcs_status dcs_tuned_row(const dcs_tuned_entry *entry, char **row);

/* Foreign: whole, but of another schema. */
typedef enum { DCS_ROW_OWN, DCS_ROW_HEADER, DCS_ROW_FOREIGN, DCS_ROW_DAMAGED } dcs_row_kind;

/* What a line (without its newline) is. */
dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length);

/* Reads a row of a table with the columns of the header. False: not of this program. */
bool dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_entry *entry);

#endif
