/* The columns of dispatch.csv, and the numbers of a row. Internal to tuning/dispatch. */
#ifndef DCS_DISPATCH_ROW_H
#define DCS_DISPATCH_ROW_H

#include "harness/base/hash.h"
#include "harness/files/csv.h"
#include "tuning/dispatch/dispatch.h"

/* In this order: those with names; numbers; the axes of all kinds, of the least size that was
 * measured and of the most; the costs; what the row holds for; the checksum of the cells before. */
enum { SCHEMA, ROWS, SCOPE, PROBLEM, CONFIG_LEAST, CONFIG_MOST, VARIANT, CONFIG, NUMBERS };
enum {
  LOSSES = NUMBERS + 12, /* empty where no size was held out */
  AXES = LOSSES + 8,
  COSTS = AXES + 2 * (DCS_SIZE_COLUMNS - 2),
  FACTS = COSTS + DCS_COST_TERMS,
  CHECKSUM = FACTS + DCS_N_FOR,
  N_COLUMNS
};
/* Writes the column's name; returns name. */
char *dcs_dispatch_column(int column, char name[64]);

/* A method, and what its table says in each of its rows. */
typedef struct {
  dcs_dispatch_method method;
  int64_t held_out;
  dcs_loss loss, nearest;
} dcs_dispatch_row;

/* Where the number of a column from NUMBERS to FACTS - 1 lies: one of both, or neither where the
 * row's kind has no such axis. */
typedef struct {
  int64_t *whole;
  double *real;
  bool unknown; /* may be NaN, and the cell empty */
} dcs_dispatch_number;
dcs_dispatch_number dcs_dispatch_number_at(dcs_dispatch_row *row, int column);

/* The checksum of a row goes over its cells, each with the zero that ends it. */
uint64_t dcs_dispatch_sum(uint64_t sum, const char *cell);
char *dcs_dispatch_sum_text(uint64_t sum, char text[32]);

#endif
