/* What a molecule is asked for, however it came to be. */
#include "harness/input/molecule.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void dcs_molecule_free(dcs_molecule *molecule) {
  free(molecule->sites);
  free(molecule->names);
  free(molecule->types);
  dcs_force_field_free(&molecule->field);
  dcs_basis_free(molecule->basis);
  *molecule = (dcs_molecule){0};
}

dcs_name dcs_name_of(dcs_slice word) {
  dcs_name name = {""};
  memcpy(name.text, word.text, word.length < sizeof name.text ? word.length : sizeof name.text);
  return name;
}

/* Neumaier, Z. Angew. Math. Mech. 54 (1974) 39: like Kahan's sum, and right also where an addend is
 * larger than the sum so far. */
double dcs_molecule_charge(const dcs_molecule *molecule) {
  double sum = 0, lost = 0;
  for (int64_t i = 0; i < molecule->n; i++) {
    double q = molecule->sites[i].q;
    double next = sum + q;
    lost += fabs(sum) >= fabs(q) ? (sum - next) + q : (q - next) + sum;
    sum = next;
  }
  return sum + lost;
}

int64_t dcs_molecule_zero_charges(const dcs_molecule *molecule) {
  int64_t zeros = 0;
  for (int64_t i = 0; i < molecule->n; i++)
    zeros += molecule->sites[i].q == 0;
  return zeros;
}

void dcs_molecule_box(const dcs_molecule *molecule, double lo[3], double hi[3]) {
  for (int axis = 0; axis < 3; axis++) {
    lo[axis] = INFINITY;
    hi[axis] = -INFINITY;
  }
  for (int64_t i = 0; i < molecule->n; i++) {
    const dcs_site *site = &molecule->sites[i];
    const double at[3] = {site->x, site->y, site->z};
    for (int axis = 0; axis < 3; axis++) {
      lo[axis] = fmin(lo[axis], at[axis]);
      hi[axis] = fmax(hi[axis], at[axis]);
    }
  }
}

bool dcs_cell_is_right(const dcs_unit_cell *cell) {
  const double *angle = cell->angle;
  return fabs(angle[0] - 90) <= 1e-3 && fabs(angle[1] - 90) <= 1e-3 && fabs(angle[2] - 90) <= 1e-3;
}

dcs_status dcs_molecule_edges(const dcs_molecule *molecule, const char *path, double edge[3],
                              bool *found) {
  const dcs_unit_cell *cell = &molecule->cell;
  const double *angle = cell->angle;
  *found = false;
  if (cell->unreadable)
    return dcs_fail(DCS_INPUT,
                    "%s:%" PRId64 ": found a CRYST1 record that cannot be read; expected three "
                    "edges and three angles in columns 7 to 54",
                    path, cell->unreadable);
  /* Edges of 1 stand for a molecule that is no crystal. */
  if (!(cell->edge[0] > 1 && cell->edge[1] > 1 && cell->edge[2] > 1)) return DCS_OK;
  if (!dcs_cell_is_right(cell))
    return dcs_fail(DCS_INPUT, "%s: found a cell with angles of %g, %g and %g degrees; expected 90",
                    path, angle[0], angle[1], angle[2]);
  memcpy(edge, cell->edge, 3 * sizeof *edge);
  *found = true;
  return DCS_OK;
}
