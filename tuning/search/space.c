#include "tuning/search/space.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/judge/stats.h"
#include "harness/problems/methods.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Combinations that are looked at one by one, and that are only numbered. */
static const int64_t MOST_COMBINATIONS = 100000, MOST_NUMBERED = (int64_t)1 << 60;

/* The number of a combination, and its index in configs. */
typedef struct dcs_space_key {
  int64_t combination;
  int config;
} key;

/* ---- the values of each parameter ---- */

static dcs_status add_value(dcs_space *space, int p, double value) {
  for (int v = 0; v < space->n_values[p]; v++)
    if (space->values[p][v] == value) return DCS_OK;
  if (!space->values[p])
    DCS_TRY(
        dcs_room_take(&space->room, &space->values[p], DCS_MAX_TRIES, sizeof(double), "values"));
  if (space->n_values[p] == DCS_MAX_TRIES)
    return dcs_fail(DCS_USAGE, "%s: more than %d values", space->variant->params[p].name,
                    DCS_MAX_TRIES);
  space->values[p][space->n_values[p]++] = value;
  return DCS_OK;
}

/* Those of the descriptor. */
static dcs_status add_tries(dcs_space *space, int p, int cpus) {
  const dcs_param *param = &space->variant->params[p];
  bool threads = param->role == DCS_ROLE_THREADS;
  double last = threads ? fmin(cpus, param->hi) : param->hi;
  for (const int *v = param->tries; v && *v != DCS_TRIES_END; v++)
    if (*v <= last) DCS_TRY(add_value(space, p, *v));
  for (double v = param->lo; !param->tries && v <= last; v++)
    DCS_TRY(add_value(space, p, v));
  return threads ? add_value(space, p, last) : DCS_OK;
}

static bool names(const char *config, const char *param) {
  size_t length = strlen(param);
  for (const char *at = config; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
    if (strncmp(at, param, length) == 0 && at[length] == '=') return true;
  return false;
}

/* Those of the text, for the parameters that it names. */
static dcs_status add_chosen(dcs_space *space, const char *config) {
  dcs_methods methods;
  DCS_TRY(dcs_select_methods(space->variant->id, config, (dcs_at_hand){.gpu = true}, &methods));
  dcs_status status = DCS_OK;
  for (int m = 0; m < methods.n; m++)
    for (int p = 0; status == DCS_OK && p < space->variant->n_params; p++)
      if (names(config, space->variant->params[p].name))
        status = add_value(space, p, methods.list[m].config.value[p]);
  free(methods.list);
  return status;
}

/* ---- combinations ---- */

/* Numbers the combinations of the values. DCS_USAGE for more than so many. */
static dcs_status count_combinations(dcs_space *space, int64_t most) {
  space->n_all = 1;
  for (int p = 0; p < space->variant->n_params; p++) {
    qsort(space->values[p], (size_t)space->n_values[p], sizeof(double), dcs_by_value);
    if (space->n_all > most / space->n_values[p]) /* NOLINT: each has a value */
      return dcs_fail(DCS_USAGE,
                      "%s: more than %lld combinations of values; choose fewer with --config",
                      space->variant->id, (long long)most);
    space->n_all *= space->n_values[p];
  }
  return DCS_OK;
}

static dcs_status make_room(dcs_space *space, int64_t n) {
  const size_t most = (size_t)n;
  DCS_TRY(
      dcs_room_take(&space->room, &space->configs, most, sizeof *space->configs, "configurations"));
  DCS_TRY(dcs_room_take(&space->room, &space->keys, most, sizeof *space->keys, "configurations"));
  return dcs_room_take(&space->room, &space->position, most, sizeof *space->position,
                       "configurations");
}

/* Position and value of each parameter in a combination. */
static void split_index(const dcs_space *space, int64_t combination, int *position,
                        dcs_config *config) {
  *config = (dcs_config){{0}};
  for (int p = space->variant->n_params - 1; p >= 0; p--) {
    position[p] = (int)(combination % space->n_values[p]); /* NOLINT: each has a value */
    combination /= space->n_values[p];
    config->value[p] = space->values[p][position[p]];
  }
}

static int64_t join_index(const dcs_space *space, const int *position) {
  int64_t combination = 0;
  for (int p = 0; p < space->variant->n_params; p++)
    combination = combination * space->n_values[p] + position[p];
  return combination;
}

/* The combination with the values of the configuration, and their positions; -1: none has them. */
static int64_t find_combination(const dcs_space *space, const dcs_config *config,
                                int position[DCS_MAX_PARAMS]) {
  memset(position, 0, DCS_MAX_PARAMS * sizeof *position);
  for (int p = 0; p < space->variant->n_params; p++) {
    while (position[p] < space->n_values[p] && space->values[p][position[p]] != config->value[p])
      position[p]++;
    if (position[p] == space->n_values[p]) return -1;
  }
  return join_index(space, position);
}

static int by_combination(const void *a, const void *b) {
  const key *x = a, *y = b;
  return (x->combination > y->combination) - (x->combination < y->combination);
}

/* The index of a combination in configs; -1: it is not legal. */
static int find_key(const dcs_space *space, int64_t combination) {
  const key wanted = {combination, 0};
  const key *found =
      bsearch(&wanted, space->keys, (size_t)space->n, sizeof *space->keys, by_combination);
  return found ? found->config : -1;
}

static bool same_but_numbers(const char *a, const char *b) {
  for (;;) {
    while (isdigit((unsigned char)*a))
      a++;
    while (isdigit((unsigned char)*b))
      b++;
    if (*a != *b) return false;
    if (!*a) return true;
    a++;
    b++;
  }
}

static dcs_status count_reason(dcs_space *space, const char *why) {
  for (int r = 0; r < space->n_reasons; r++)
    if (same_but_numbers(space->reasons[r].why, why)) {
      space->reasons[r].n++;
      return DCS_OK;
    }
  DCS_TRY(dcs_grow(&space->reasons, (size_t)space->n_reasons, sizeof *space->reasons, "reasons"));
  space->reasons[space->n_reasons].n = 1;
  snprintf(space->reasons[space->n_reasons++].why, DCS_TEXT, "%s", why);
  return DCS_OK;
}

static void add_config(dcs_space *space, int64_t combination, const int *position,
                       const dcs_config *config) {
  space->keys[space->n] = (key){combination, space->n};
  memcpy(space->position[space->n], position, sizeof space->position[0]);
  space->configs[space->n++] = *config;
}

static dcs_status combine(dcs_space *space, const dcs_problem *problem) {
  char why[DCS_TEXT];
  for (int64_t c = 0; c < space->n_all; c++) {
    int position[DCS_MAX_PARAMS] = {0};
    dcs_config config;
    split_index(space, c, position, &config);
    if (dcs_applicable(space->variant, problem, &config, why))
      add_config(space, c, position, &config);
    else
      DCS_TRY(count_reason(space, why));
  }
  if (space->n > 0) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: no configuration can compute this problem: %s",
                  space->variant->id, space->reasons[0].why);
}

dcs_status dcs_space_build(const dcs_variant *variant, const char *config,
                           const dcs_problem *problem, int cpus, dcs_space *space) {
  *space = (dcs_space){.variant = variant};
  if (config) DCS_TRY(add_chosen(space, config));
  for (int p = 0; p < variant->n_params; p++)
    if (space->n_values[p] == 0) DCS_TRY(add_tries(space, p, cpus));
  DCS_TRY(count_combinations(space, MOST_COMBINATIONS));
  DCS_TRY(make_room(space, space->n_all));
  return combine(space, problem);
}

dcs_status dcs_space_of_configs(const dcs_variant *variant, const dcs_config *configs, int n,
                                dcs_space *space) {
  *space = (dcs_space){.variant = variant};
  for (int c = 0; c < n; c++)
    for (int p = 0; p < variant->n_params; p++)
      DCS_TRY(add_value(space, p, configs[c].value[p]));
  DCS_TRY(count_combinations(space, MOST_NUMBERED));
  DCS_TRY(make_room(space, n));
  for (int c = 0; c < n; c++) {
    int position[DCS_MAX_PARAMS];
    int64_t combination = find_combination(space, &configs[c], position);
    add_config(space, combination, position, &configs[c]);
  }
  qsort(space->keys, (size_t)n, sizeof *space->keys, by_combination);
  return DCS_OK;
}

void dcs_space_free(dcs_space *space) {
  dcs_room_free(&space->room);
  free(space->reasons);
  *space = (dcs_space){0};
}

/* ---- moving about ---- */

int dcs_space_find(const dcs_space *space, const dcs_config *config) {
  int position[DCS_MAX_PARAMS];
  return find_key(space, find_combination(space, config, position));
}

int dcs_space_degree(const dcs_space *space) {
  int degree = 0;
  for (int p = 0; p < space->variant->n_params; p++)
    degree += space->n_values[p] - 1;
  return degree;
}

int dcs_space_neighbours(const dcs_space *space, int config, int *neighbours) {
  int position[DCS_MAX_PARAMS], n = 0;
  memcpy(position, space->position[config], sizeof position);
  for (int p = 0; p < space->variant->n_params; p++) {
    int own = position[p];
    for (position[p] = 0; position[p] < space->n_values[p]; position[p]++) {
      int other = find_key(space, join_index(space, position));
      if (other >= 0 && other != config) neighbours[n++] = other;
    }
    position[p] = own;
  }
  return n;
}

/* The configuration with positions p and q moved; -1: none. */
static int moved(const dcs_space *space, int config, int p, int by_p, int q, int by_q) {
  int position[DCS_MAX_PARAMS];
  memcpy(position, space->position[config], sizeof position);
  position[p] += by_p;
  position[q] += by_q;
  if (position[p] < 0 || position[p] >= space->n_values[p] || position[q] < 0 ||
      position[q] >= space->n_values[q])
    return -1;
  return find_key(space, join_index(space, position));
}

int dcs_space_diagonals(const dcs_space *space, int config, int *diagonals) {
  int n = 0;
  for (int p = 0; p < space->variant->n_params; p++)
    for (int q = p + 1; q < space->variant->n_params; q++)
      for (int way = 0; way < 4; way++) {
        int other = moved(space, config, p, way % 2 ? 1 : -1, q, way / 2 ? 1 : -1);
        if (other >= 0) diagonals[n++] = other;
      }
  return n;
}

double dcs_space_distance(const dcs_space *space, int config, const dcs_config *from) {
  double steps = 0;
  for (int p = 0; p < space->variant->n_params; p++) {
    int lower = 0, found = 0;
    for (int v = 0; v < space->n_values[p]; v++) {
      lower += space->values[p][v] < from->value[p];
      found += space->values[p][v] == from->value[p];
    }
    double at = found ? lower : lower - 0.5;
    steps += fabs(space->position[config][p] - at);
  }
  return steps;
}

int dcs_space_nearest(const dcs_space *space, const dcs_config *config) {
  int nearest = 0;
  for (int c = 1; c < space->n; c++)
    if (dcs_space_distance(space, c, config) < dcs_space_distance(space, nearest, config))
      nearest = c;
  return nearest;
}

int dcs_space_middle(const dcs_space *space) {
  int middle = 0;
  double least = INFINITY;
  for (int c = 0; c < space->n; c++) {
    double off = 0;
    for (int p = 0; p < space->variant->n_params; p++) {
      const int n = space->n_values[p];
      off += fabs((double)(space->position[c][p] - n / 2)) / n;
    }
    if (off < least) middle = c;
    least = fmin(least, off);
  }
  return middle;
}
