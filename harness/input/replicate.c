/* Copies of a molecule, side by side as the boxes of a periodic simulation are. */
#include "harness/input/molecule.h"

#include <inttypes.h>
#include <stdlib.h>

dcs_status dcs_replicate(const dcs_molecule *one, const int64_t copies[3], const double shift[3],
                         dcs_molecule *many) {
  *many = (dcs_molecule){0};
  int64_t n = one->n;
  for (int axis = 0; axis < 3; axis++) {
    if (copies[axis] < 1 || n > DCS_MOST_ATOMS / copies[axis])
      return dcs_fail(DCS_USAGE,
                      "found %" PRId64 " x %" PRId64 " x %" PRId64 " copies of %" PRId64
                      " atoms; expected at least 1 each way, and at most %" PRId64
                      " atoms altogether",
                      copies[0], copies[1], copies[2], one->n, DCS_MOST_ATOMS);
    n *= copies[axis];
  }
  many->sites = malloc((size_t)n * sizeof *many->sites);
  if (!many->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", n);
  for (int64_t i = 0; i < n; i++) {
    int64_t copy = i / one->n;
    dcs_site *site = &many->sites[i];
    *site = one->sites[i % one->n];
    site->x += (double)(copy % copies[0]) * shift[0];
    site->y += (double)(copy / copies[0] % copies[1]) * shift[1];
    site->z += (double)(copy / copies[0] / copies[1]) * shift[2];
  }
  many->n = n;
  for (int axis = 0; axis < 3; axis++) {
    many->cell.edge[axis] = (double)copies[axis] * shift[axis];
    many->cell.angle[axis] = 90;
  }
  return DCS_OK;
}
