/* Which pairs of atoms bonds leave out, or make special: a search of the graph of bonds from each
 * atom, three bonds deep. */
#include "harness/base/grow.h"
#include "harness/input/force_field.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the graph ---- */

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

static dcs_status check_bonds(const dcs_force_field *field, const neighbours *near) {
  for (int64_t a = 0; a < field->n; a++)
    if (near->begins[a + 1] - near->begins[a] > DCS_MOST_BONDS)
      return dcs_fail(DCS_INPUT,
                      "atom %" PRId64 ", counted from 1, has %d bonds; expected %d at most", a + 1,
                      (int)(near->begins[a + 1] - near->begins[a]), DCS_MOST_BONDS);
  return DCS_OK;
}

/* ---- what is near an atom ---- */

enum { MOST_NEAR = DCS_MOST_BONDS * (1 + DCS_MOST_BONDS) };
enum { MOST_SPECIAL = DCS_MOST_BONDS * DCS_MOST_BONDS * DCS_MOST_BONDS };

/* Of one atom, ascending: those one or two bonds from it; those three that are none of them. */
typedef struct {
  int32_t near[MOST_NEAR], special[MOST_SPECIAL];
  int32_t n_near, n_special;
} around;

/* Where a number is in an ascending list, or would be. */
static int32_t place_of(const int32_t *list, int32_t n, int32_t atom) {
  int32_t at = n;
  while (at > 0 && list[at - 1] >= atom)
    at--;
  return at;
}

static bool is_in(const int32_t *list, int32_t n, int32_t atom) {
  const int32_t at = place_of(list, n, atom);
  return at < n && list[at] == atom;
}

/* How many numbers a list has with `atom` in its place, if it is not there. */
static int32_t insert(int32_t *list, int32_t n, int32_t atom) {
  const int32_t at = place_of(list, n, atom);
  if (at < n && list[at] == atom) return n;
  memmove(&list[at + 1], &list[at], (size_t)(n - at) * sizeof *list);
  list[at] = atom;
  return n + 1;
}

static void look_near(const neighbours *near, int32_t atom, around *found) {
  found->n_near = found->n_special = 0;
  for (int32_t b = near->begins[atom]; b < near->begins[atom + 1]; b++) {
    const int32_t middle = near->to[b];
    if (middle != atom) found->n_near = insert(found->near, found->n_near, middle);
    for (int32_t c = near->begins[middle]; c < near->begins[middle + 1]; c++)
      if (near->to[c] != atom) found->n_near = insert(found->near, found->n_near, near->to[c]);
  }
}

/* In a ring an atom may be nearer the other way round. */
static void look_farther(const neighbours *near, int32_t atom, around *found) {
  for (int32_t b = near->begins[atom]; b < near->begins[atom + 1]; b++)
    for (int32_t c = near->begins[near->to[b]]; c < near->begins[near->to[b] + 1]; c++)
      for (int32_t d = near->begins[near->to[c]]; d < near->begins[near->to[c] + 1]; d++) {
        const int32_t last = near->to[d];
        if (last != atom && !is_in(found->near, found->n_near, last))
          found->n_special = insert(found->special, found->n_special, last);
      }
}

/* ---- lists ---- */

static dcs_special_pair special_of(const dcs_force_field *field, int32_t a, int32_t b) {
  dcs_force_field as_special = *field;
  as_special.wells = field->wells14;
  as_special.pairs = field->pairs14;
  return (dcs_special_pair){b, dcs_force_field_well(&as_special, a, b), field->charges14};
}

/* Pairs that are as others would be are no special ones. */
static bool is_usual(const dcs_force_field *field, int32_t a, const dcs_special_pair *pair) {
  const dcs_pair_well usual = dcs_force_field_well(field, a, pair->atom);
  return pair->charges == 1 && pair->well.minimum == usual.minimum &&
         pair->well.depth == usual.depth;
}

/* Adds those that are special, and leaves them alone in `found`. */
static dcs_status add_special(dcs_force_field *field, int32_t a, around *found) {
  const int32_t first = field->begins14[a];
  int32_t n = 0;
  if (first > INT32_MAX - found->n_special)
    return dcs_fail(DCS_UNAVAILABLE, "more than %d pairs are special", INT32_MAX);
  for (int32_t i = 0; i < found->n_special; i++) {
    const dcs_special_pair pair = special_of(field, a, found->special[i]);
    if (is_usual(field, a, &pair)) continue;
    DCS_TRY(dcs_grow(&field->special, (size_t)(first + n), sizeof pair, "special pairs"));
    field->special[first + n] = pair;
    found->special[n++] = pair.atom;
  }
  found->n_special = n;
  field->begins14[a + 1] = first + n;
  return DCS_OK;
}

/* Both lists, as one that ascends. */
static dcs_status add_excluded(dcs_force_field *field, int32_t a, const around *found) {
  int32_t n = field->begins[a];
  const int32_t all = found->n_near + found->n_special;
  if (n > INT32_MAX - all)
    return dcs_fail(DCS_UNAVAILABLE, "bonds leave out more than %d pairs", INT32_MAX);
  for (int32_t i = 0, s = 0; i + s < all;) {
    const bool near =
        s == found->n_special || (i < found->n_near && found->near[i] < found->special[s]);
    DCS_TRY(dcs_grow(&field->excluded, (size_t)n, sizeof *field->excluded, "excluded pairs"));
    field->excluded[n++] = near ? found->near[i++] : found->special[s++];
  }
  field->begins[a + 1] = n;
  return DCS_OK;
}

static dcs_status list_all(dcs_force_field *field, const neighbours *near, around *found) {
  for (int32_t a = 0; a < field->n; a++) {
    look_near(near, a, found);
    if (field->wells14) look_farther(near, a, found);
    DCS_TRY(add_special(field, a, found));
    DCS_TRY(add_excluded(field, a, found));
  }
  return DCS_OK;
}

dcs_status dcs_force_field_exclude(dcs_force_field *field) {
  neighbours near = {0};
  around *found = malloc(sizeof *found);
  field->begins = calloc((size_t)field->n + 1, sizeof *field->begins);
  field->begins14 = calloc((size_t)field->n + 1, sizeof *field->begins14);
  const bool room = list_neighbours(field, &near) && found && field->begins && field->begins14;
  dcs_status status = DCS_OK;
  if (!room)
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for the bonds of %" PRId64 " atoms", field->n);
  if (status == DCS_OK) status = check_bonds(field, &near);
  if (status == DCS_OK) status = list_all(field, &near, found);
  free(near.begins);
  free(near.to);
  free(found);
  if (status != DCS_OK) dcs_force_field_free(field);
  return status;
}
