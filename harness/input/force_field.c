#include "harness/input/force_field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define O_HALF  1.7682
#define O_DEPTH 0.1521

void dcs_force_field_free(dcs_force_field *field) {
  free(field->wells);
  free(field->bonds);
  free(field->begins);
  free(field->excluded);
  *field = (dcs_force_field){0};
}

static dcs_status no_memory(dcs_force_field *field) {
  const int64_t n = field->n;
  dcs_force_field_free(field);
  return dcs_fail(DCS_UNAVAILABLE, "no memory for the bonds of %" PRId64 " atoms", n);
}

/* Room for so many bonds, and one at least. */
static dcs_status allocate(int64_t n, int64_t n_bonds, dcs_force_field *field) {
  *field = (dcs_force_field){.n = n, .n_bonds = n_bonds};
  field->wells = calloc((size_t)n, sizeof *field->wells);
  field->bonds = calloc((size_t)n_bonds + 1, sizeof *field->bonds);
  return field->wells && field->bonds ? DCS_OK : no_memory(field);
}

dcs_status dcs_force_field_copy(const dcs_force_field *from, int64_t n, dcs_force_field *field) {
  DCS_TRY(allocate(n, from->n_bonds, field));
  memcpy(field->wells, from->wells, (size_t)n * sizeof *field->wells);
  field->n_bonds = 0;
  for (int64_t b = 0; b < from->n_bonds; b++)
    if (from->bonds[b][0] < n && from->bonds[b][1] < n)
      memcpy(field->bonds[field->n_bonds++], from->bonds[b], sizeof *field->bonds);
  return DCS_OK;
}

dcs_status dcs_force_field_of_water(int64_t n, dcs_force_field *field) {
  DCS_TRY(allocate(n, n - (n + 2) / 3, field));
  int64_t bonds = 0;
  for (int64_t a = 0; a < n; a++) {
    if (a % 3 == 0) {
      field->wells[a] = (dcs_lennard_jones){O_HALF, O_DEPTH};
      continue;
    }
    field->bonds[bonds][0] = a - a % 3;
    field->bonds[bonds++][1] = a;
  }
  return DCS_OK;
}

/* ---- exclusions ---- */

/* The atoms that each is bonded to: of atom a, to[begins[a]..begins[a + 1] - 1]. */
typedef struct {
  int32_t *begins, *to;
} neighbours;

/* False: no memory; what there is, is the caller's to free either way. */
static bool list_neighbours(const dcs_force_field *field, neighbours *near) {
  const int64_t n = field->n;
  int32_t *begins = near->begins = calloc((size_t)n + 1, sizeof *near->begins);
  int32_t *to = near->to = calloc(2 * (size_t)field->n_bonds + 1, sizeof *near->to);
  if (!begins || !to) return false;
  for (int64_t b = 0; b < field->n_bonds; b++)
    for (int end = 0; end < 2; end++)
      begins[field->bonds[b][end] + 1]++;
  for (int64_t a = 0; a < n; a++)
    begins[a + 1] += begins[a];
  for (int64_t b = 0; b < field->n_bonds; b++)
    for (int end = 0; end < 2; end++)
      to[begins[field->bonds[b][end]]++] = (int32_t)field->bonds[b][1 - end];
  for (int64_t a = n; a > 0; a--) /* each begins where the one before it now ends */
    begins[a] = begins[a - 1];
  begins[0] = 0;
  return true;
}

/* How many numbers a list has with `atom` in its place, if it is not there. */
static int32_t insert(int32_t *list, int32_t n, int32_t atom) {
  int32_t at = n;
  while (at > 0 && list[at - 1] > atom)
    at--;
  if (at > 0 && list[at - 1] == atom) return n;
  memmove(&list[at + 1], &list[at], (size_t)(n - at) * sizeof *list);
  list[at] = atom;
  return n + 1;
}

/* Lists what is excluded with an atom; returns how many. */
static int32_t exclude_with(const neighbours *near, int32_t atom, int32_t *list) {
  int32_t n = 0;
  for (int32_t b = near->begins[atom]; b < near->begins[atom + 1]; b++) {
    const int32_t middle = near->to[b];
    if (middle != atom) n = insert(list, n, middle);
    for (int32_t c = near->begins[middle]; c < near->begins[middle + 1]; c++)
      if (near->to[c] != atom) n = insert(list, n, near->to[c]);
  }
  return n;
}

/* What all lists may have, duplicates counted. */
static int64_t most_excluded(const dcs_force_field *field, const neighbours *near) {
  int64_t most = 1;
  for (int64_t b = 0; b < field->n_bonds; b++)
    for (int end = 0; end < 2; end++) {
      const int64_t to = field->bonds[b][end];
      most += 1 + near->begins[to + 1] - near->begins[to];
    }
  return most;
}

dcs_status dcs_force_field_exclude(dcs_force_field *field) {
  neighbours near;
  const bool listed = list_neighbours(field, &near);
  int32_t *begins = field->begins = calloc((size_t)field->n + 1, sizeof *begins);
  const int64_t most = listed ? most_excluded(field, &near) : 1;
  int32_t *excluded = field->excluded = calloc((size_t)most, sizeof *excluded);
  const bool known = listed && begins && excluded;
  for (int32_t a = 0; known && a < field->n; a++)
    begins[a + 1] = begins[a] + exclude_with(&near, a, excluded + begins[a]);
  free(near.begins);
  free(near.to);
  return known ? DCS_OK : no_memory(field);
}
