/* The columns of dispatch.csv. Internal to tuning/dispatch. */
#ifndef DCS_DISPATCH_COLUMNS_H
#define DCS_DISPATCH_COLUMNS_H

#include "harness/base/hash.h"
#include "harness/files/csv.h"
#include "tuning/dispatch/dispatch.h"

#include <string.h>

/* Those before the axes, the costs, the facts and the checksum, in this order; numbers but for
 * those with names; a loss is four: sizes, mean, p95, worst. */
#define DCS_DISPATCH_LIST(X)                                                                       \
  X(SCHEMA, "schema"), X(ROWS, "rows"), X(SCOPE, "scope"), X(PROBLEM, "problem"),                  \
      X(CONFIG_LEAST, "problem_config_least"), X(CONFIG_MOST, "problem_config_most"),              \
      X(VARIANT, "variant"), X(CONFIG, "config"), X(SIZES, "sizes"),                               \
      X(INPUTS_LEAST, "inputs_least"), X(TILE_X, "tile_x"), X(TILE_Y, "tile_y"),                   \
      X(TILE_Z, "tile_z"), X(SLICES, "launch_slices"), X(CHUNK, "launch_inputs"),                  \
      X(SHARES, "input_shares"), X(SMS, "sms"), X(RESIDENT, "resident_waves"),                     \
      X(HELD_OUT, "held_out_sizes"), X(LOSS, "loss_sizes"), X(LOSS_MEAN, "loss_mean"),             \
      X(LOSS_P95, "loss_p95"), X(LOSS_WORST, "loss_worst"), X(NEAREST, "nearest_sizes"),           \
      X(NEAREST_MEAN, "nearest_mean"), X(NEAREST_P95, "nearest_p95"),                              \
      X(NEAREST_WORST, "nearest_worst")
enum { DCS_DISPATCH_LIST(DCS_COLUMN_INDEX), DCS_DISPATCH_COLUMNS };
extern const char *const dcs_dispatch_columns[];
#define DCS_DISPATCH_CHECKSUM "checksum"

/* The axes of all kinds are columns, of the least (end 0) and of the most (1) that was measured:
 * "atoms_least". Writes one's name; returns name. */
enum { DCS_DISPATCH_AXES = DCS_SIZE_COLUMNS - 2 };
char *dcs_dispatch_axis_column(int axis, int end, char name[64]);
/* The axis of the kind that is this column, or -1. */
int dcs_dispatch_axis(const dcs_kind *kind, int axis);

/* The checksum of a row goes over the cells before it, each with the zero that ends it. */
static inline uint64_t dcs_dispatch_sum(uint64_t sum, const char *cell) {
  return dcs_hash(sum, cell, strlen(cell) + 1);
}
char *dcs_dispatch_sum_text(uint64_t sum, char text[32]);

#endif
