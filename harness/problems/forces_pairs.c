#include "harness/problems/forces_pairs.h"

#include "kernels/forces/forces.h"

#include <math.h>
#include <stdlib.h>

double dcs_forces_apart(const double cell[3], bool periodic, const dcs_site *a, const dcs_site *b,
                        double apart[3]) {
  apart[0] = a->x - b->x;
  apart[1] = a->y - b->y;
  apart[2] = a->z - b->z;
  for (int d = 0; periodic && d < 3; d++)
    apart[d] -= cell[d] * floor(apart[d] / cell[d] + 0.5);
  return apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
}

bool dcs_forces_excluded(const dcs_force_field *field, int64_t a, int64_t b) {
  for (int32_t e = field->begins[a]; e < field->begins[a + 1]; e++)
    if (field->excluded[e] == b) return true;
  return false;
}

const dcs_special_pair *dcs_forces_special(const dcs_force_field *field, int64_t a, int64_t b) {
  for (int32_t s = field->begins14[a]; s < field->begins14[a + 1]; s++)
    if (field->special[s].atom == b) return &field->special[s];
  return NULL;
}

/* ---- places ---- */

typedef struct {
  float at[3]; /* as kernels have it */
  int64_t atom;
} place;

static int order_of_places(const place *a, const place *b) {
  for (int d = 0; d < 3; d++)
    if (a->at[d] != b->at[d]) return a->at[d] < b->at[d] ? -1 : 1;
  return 0;
}

static int by_place(const void *a, const void *b) {
  const place *one = a, *other = b;
  const int order = order_of_places(one, other);
  return order ? order : (one->atom > other->atom) - (one->atom < other->atom);
}

dcs_status dcs_forces_check_places(const dcs_case *c) {
  place *list = malloc((size_t)c->n_sites * sizeof *list);
  if (!list)
    return dcs_fail(DCS_UNAVAILABLE, "no memory to sort %lld atoms", (long long)c->n_sites);
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    list[a] = (place){{(float)s->x, (float)s->y, (float)s->z}, a};
  }
  qsort(list, (size_t)c->n_sites, sizeof *list, by_place);
  dcs_status status = DCS_OK;
  for (int64_t a = 1; status == DCS_OK && a < c->n_sites; a++)
    if (order_of_places(&list[a - 1], &list[a]) == 0)
      status = dcs_fail(DCS_INPUT,
                        "atoms %lld and %lld, counted from 1, lie at one place; expected each at "
                        "its own, for the force between them is infinite",
                        (long long)list[a - 1].atom + 1, (long long)list[a].atom + 1);
  free(list);
  return status;
}

/* ---- counting ---- */

/* Cells of half a cutoff or more, in which the place of an atom counts modulo their number: those
 * that are REACH apart hold all pairs, each cell once. A list of the atoms of each. */
enum { REACH = 2, FEWEST = 2 * REACH + 1, MOST = 128 };

typedef struct {
  const dcs_case *c;
  double edge[3], cell[3];
  bool periodic;
  int n[3];
  int64_t *first, *next; /* of a cell; behind an atom; -1: none */
} cells;

static bool choose_cells(const dcs_case *c, cells *in) {
  const double half = 0.5 * c->problem.config.value[DCS_FORCES_CUTOFF];
  *in = (cells){.c = c};
  in->periodic = dcs_forces_cell(&c->problem, in->cell);
  for (int d = 0; d < 3; d++) {
    const double most = in->periodic ? floor(in->cell[d] / half) : cbrt((double)c->n_sites / 4);
    in->n[d] = (int)fmin(fmax(most, in->periodic ? 1 : FEWEST), MOST);
    in->edge[d] = in->periodic ? in->cell[d] / in->n[d] : half;
    if (in->n[d] < FEWEST) return false;
  }
  const size_t n = (size_t)in->n[0] * (size_t)in->n[1] * (size_t)in->n[2];
  in->first = malloc(n * sizeof *in->first);
  in->next = malloc((size_t)c->n_sites * sizeof *in->next);
  return in->first && in->next;
}

static int wrapped(double v, const cells *in, int d) {
  const double i = floor(v / in->edge[d]);
  return (int)(i - in->n[d] * floor(i / in->n[d])) % in->n[d];
}

static int64_t cell_number(const cells *in, int x, int y, int z) {
  return ((int64_t)(z % in->n[2]) * in->n[1] + y % in->n[1]) * in->n[0] + x % in->n[0];
}

static void list_atoms(cells *in) {
  for (int64_t k = 0; k < (int64_t)in->n[0] * in->n[1] * in->n[2]; k++)
    in->first[k] = -1;
  for (int64_t a = 0; a < in->c->n_sites; a++) {
    const dcs_site *s = &in->c->sites[a];
    int64_t *head = &in->first[cell_number(in, wrapped(s->x, in, 0), wrapped(s->y, in, 1),
                                           wrapped(s->z, in, 2))];
    in->next[a] = *head;
    *head = a;
  }
}

static bool counts(const cells *in, int64_t a, int64_t b) {
  const double cutoff = in->c->problem.config.value[DCS_FORCES_CUTOFF];
  double apart[3];
  return dcs_forces_apart(in->cell, in->periodic, &in->c->sites[a], &in->c->sites[b], apart) <
             cutoff * cutoff &&
         (dcs_forces_special(&in->c->field, a, b) || !dcs_forces_excluded(&in->c->field, a, b));
}

/* Pairs of atom a with those before it. */
static int64_t pairs_of(const cells *in, int64_t a) {
  const dcs_site *s = &in->c->sites[a];
  const int x = wrapped(s->x, in, 0), y = wrapped(s->y, in, 1), z = wrapped(s->z, in, 2);
  int64_t pairs = 0;
  for (int k = 0; k < FEWEST * FEWEST * FEWEST; k++) {
    const int64_t cell = cell_number(in, x + in->n[0] - REACH + k % FEWEST,
                                     y + in->n[1] - REACH + k / FEWEST % FEWEST,
                                     z + in->n[2] - REACH + k / FEWEST / FEWEST);
    for (int64_t b = in->first[cell]; b >= 0; b = in->next[b])
      if (b < a) pairs += counts(in, a, b);
  }
  return pairs;
}

static int64_t pairs_of_all(const cells *in, int64_t a) {
  int64_t pairs = 0;
  for (int64_t b = 0; b < a; b++)
    pairs += counts(in, a, b);
  return pairs;
}

double dcs_forces_count(const dcs_case *c) {
  cells in;
  const bool many = choose_cells(c, &in);
  int64_t pairs = 0;
  if (many) list_atoms(&in);
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : pairs)
  for (int64_t a = 0; a < c->n_sites; a++)
    pairs += many ? pairs_of(&in, a) : pairs_of_all(&in, a);
  free(in.first);
  free(in.next);
  return (double)pairs;
}
