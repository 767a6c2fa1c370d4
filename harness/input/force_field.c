#include "harness/input/force_field.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define O_HALF  1.7682
#define O_DEPTH 0.1521

void dcs_force_field_free(dcs_force_field *field) {
  free(field->wells);
  free(field->bonds);
  free(field->types);
  free(field->pairs);
  free(field->wells14);
  free(field->pairs14);
  free(field->begins);
  free(field->excluded);
  free(field->begins14);
  free(field->special);
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

/* Makes *copy, the address of a pointer, one of n elements; of NULL it is NULL. */
static bool copy_list(const void *from, size_t n, size_t element, void *copy) {
  void *own = from ? malloc((n + 1) * element) : NULL;
  if (own) memcpy(own, from, n * element);
  memcpy(copy, &own, sizeof own);
  return own || !from;
}

static void copy_bonds(const dcs_force_field *from, dcs_force_field *field) {
  field->n_bonds = 0;
  for (int64_t b = 0; b < from->n_bonds; b++)
    if (from->bonds[b][0] < field->n && from->bonds[b][1] < field->n)
      memcpy(field->bonds[field->n_bonds++], from->bonds[b], sizeof *field->bonds);
}

dcs_status dcs_force_field_copy(const dcs_force_field *from, int64_t n, dcs_force_field *field) {
  const size_t atoms = (size_t)n, pairs = (size_t)from->n_types * (size_t)from->n_types;
  DCS_TRY(allocate(n, from->n_bonds, field));
  memcpy(field->wells, from->wells, atoms * sizeof *field->wells);
  copy_bonds(from, field);
  field->n_types = from->n_types;
  field->charges14 = from->charges14;
  if (copy_list(from->types, atoms, sizeof *field->types, &field->types) &&
      copy_list(from->pairs, pairs, sizeof *field->pairs, &field->pairs) &&
      copy_list(from->wells14, atoms, sizeof *field->wells14, &field->wells14) &&
      copy_list(from->pairs14, pairs, sizeof *field->pairs14, &field->pairs14))
    return DCS_OK;
  return no_memory(field);
}

dcs_pair_well dcs_combine_wells(const dcs_lennard_jones *one, const dcs_lennard_jones *other) {
  return (dcs_pair_well){one->half + other->half, sqrt(one->depth * other->depth)};
}

dcs_pair_well dcs_force_field_well(const dcs_force_field *field, int64_t a, int64_t b) {
  const dcs_lennard_jones *one = &field->wells[a], *other = &field->wells[b];
  if (field->types && field->types[a] > 0 && field->types[b] > 0)
    return field->pairs[(field->types[a] - 1) * field->n_types + field->types[b] - 1];
  return dcs_combine_wells(one, other);
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
