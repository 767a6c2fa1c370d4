/* A row of tuned.csv. Internal to the database; others call tuned.h. */
#ifndef DCS_TUNED_ROW_H
#define DCS_TUNED_ROW_H

#include "tuning/database/tuned.h"

/* The header row, its newline included. */
extern const char dcs_tuned_header[];

/* The length of the header that a text begins with, of this schema or a former one, its newline
 * included; 0: neither. *former: it is of a former one, which has fewer columns. */
size_t dcs_tuned_header_length(const char *text, size_t bytes, bool *former);

/* The record as a row with its checksum and newline; the caller frees. NULL: no memory. */
char *dcs_tuned_row(const dcs_tuned_record *record);

typedef enum { DCS_ROW_OWN, DCS_ROW_FORMER, DCS_ROW_FOREIGN, DCS_ROW_DAMAGED } dcs_row_kind;

/* What a line (without its newline) is. */
dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length);

/* The most bytes that a renewed line has more. */
enum { DCS_RENEWED_MORE = 6 };

/* Writes a line of a former schema (without its newline) as one of this schema, the new cells
 * empty; returns its length. */
size_t dcs_tuned_renew(const char *line, size_t length, char *renewed);

/* Reads a row of a table with the columns of the header. False: not of this program. */
bool dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_record *record);

#endif
