#include "tuning/dispatch/dispatch_row.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_AXIS = 2, N_AXES = DCS_SIZE_COLUMNS - FIRST_AXIS }; /* among a size's columns */

static const char *const texts[NUMBERS] = {
    "schema",  "rows",   "scope", "problem", "problem_config_least", "problem_config_most",
    "variant", "config",
};

/* By name: a field of the row that is a whole number, or another. */
#define WHOLE(name, field)                                                                         \
  { name, offsetof(dcs_dispatch_row, field), true }
#define REAL(name, field)                                                                          \
  { name, offsetof(dcs_dispatch_row, field), false }

static const struct {
  const char *name;
  size_t offset;
  bool whole;
} numbers[AXES - NUMBERS] = {
    WHOLE("sizes", method.sizes),
    WHOLE("inputs_least", method.cost.inputs_least),
    WHOLE("tile_x", method.cost.shape.tile[0]),
    WHOLE("tile_y", method.cost.shape.tile[1]),
    WHOLE("tile_z", method.cost.shape.tile[2]),
    WHOLE("launch_slices", method.cost.shape.slices),
    WHOLE("launch_inputs", method.cost.shape.chunk),
    WHOLE("input_shares", method.cost.shape.shares),
    REAL("sms", method.cost.sms),
    REAL("resident_waves", method.cost.resident),
    REAL("ns_eval_shown", method.cost.shown),
    WHOLE("held_out_sizes", held_out),
    WHOLE("loss_sizes", loss.sizes),
    REAL("loss_mean", loss.mean),
    REAL("loss_p95", loss.p95),
    REAL("loss_worst", loss.worst),
    WHOLE("nearest_sizes", nearest.sizes),
    REAL("nearest_mean", nearest.mean),
    REAL("nearest_p95", nearest.p95),
    REAL("nearest_worst", nearest.worst),
};

char *dcs_dispatch_column(int column, char name[64]) {
  const int axis = column - AXES;
  if (column < NUMBERS)
    snprintf(name, 64, "%s", texts[column]);
  else if (column < AXES)
    snprintf(name, 64, "%s", numbers[column - NUMBERS].name);
  else if (column < COSTS)
    snprintf(name, 64, "%s_%s", dcs_size_columns[FIRST_AXIS + axis % N_AXES],
             axis < N_AXES ? "least" : "most");
  else if (column < FACTS)
    snprintf(name, 64, "%s", dcs_cost_names[column - COSTS]);
  else
    snprintf(name, 64, "%s", column < CHECKSUM ? dcs_dispatch_facts[column - FACTS] : "checksum");
  return name;
}

static int64_t *axis_at(dcs_dispatch_row *row, int axis) {
  dcs_cost *cost = &row->method.cost;
  dcs_size *size = axis < N_AXES ? &cost->least : &cost->most;
  for (int a = 0; a < size->kind->n_axes; a++)
    if (strcmp(size->kind->axes[a], dcs_size_columns[FIRST_AXIS + axis % N_AXES]) == 0)
      return &size->axes[a];
  return NULL;
}

dcs_dispatch_number dcs_dispatch_number_at(dcs_dispatch_row *row, int column) {
  if (column >= COSTS) return (dcs_dispatch_number){.real = &row->method.cost.ns[column - COSTS]};
  if (column >= AXES) return (dcs_dispatch_number){.whole = axis_at(row, column - AXES)};
  void *at = (char *)row + numbers[column - NUMBERS].offset;
  if (numbers[column - NUMBERS].whole) return (dcs_dispatch_number){.whole = at};
  return (dcs_dispatch_number){.real = at, .unknown = column >= LOSSES};
}

uint64_t dcs_dispatch_sum(uint64_t sum, const char *cell) {
  return dcs_hash(sum, cell, strlen(cell) + 1);
}

char *dcs_dispatch_sum_text(uint64_t sum, char text[32]) {
  snprintf(text, 32, "%016llx", (unsigned long long)sum);
  return text;
}
