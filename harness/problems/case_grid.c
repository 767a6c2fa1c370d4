/* The grid of a case. */
#include "harness/problems/case_parts.h"

#include "harness/base/text.h"

#include <math.h>

dcs_status dcs_case_takes(const dcs_kind *kind, bool atoms, const dcs_grid *grid) {
  const bool given = grid->n.x > 0 || grid->spacing > 0 || grid->has_origin;
  if (atoms && !dcs_has_atoms(kind))
    return dcs_fail(DCS_USAGE, "found atoms, or a file of them; expected none: %s has a grid alone",
                    kind->id);
  if (!given || dcs_has_grid(kind)) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "found a grid, or its spacing or origin; expected none: %s has atoms "
                  "alone",
                  kind->id);
}

dcs_status dcs_case_needs(const dcs_kind *kind, bool input, bool atoms, bool grid) {
  const bool has_atoms = dcs_has_atoms(kind);
  if (input || ((atoms || !has_atoms) && (grid || !dcs_has_grid(kind)))) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s is missing%s", has_atoms && !atoms ? "--atoms" : "--grid",
                  has_atoms ? "; it is needed unless --input gives a molecule" : "");
}

dcs_status dcs_check_spacing(double spacing) {
  if (spacing >= DCS_LEAST_SPACING && spacing <= DCS_MOST_SPACING) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "spacing %g; expected %g to %g angstrom: beyond, squares of distances leave the "
                  "range of single precision",
                  spacing, DCS_LEAST_SPACING, DCS_MOST_SPACING);
}

/* Points that cover `extent` at a spacing: both ends included. */
static double points_over(double extent, double spacing) {
  return ceil(extent / spacing - 1e-9) + 1;
}

/* Points that cover a cell: the next begins with one. */
static double points_in(double cell, double spacing) {
  return fmax(ceil(cell / spacing - 1e-9), 1);
}

/* What a grid of n points that covers the extent or the cell has between them. */
static void derive_spacing(const double extent[3], dcs_grid *grid) {
  const int64_t n[3] = {grid->n.x, grid->n.y, grid->n.z};
  for (int d = 0; d < 3; d++)
    if (grid->cell[d] > 0)
      grid->spacing = fmax(grid->spacing, grid->cell[d] / (double)n[d]);
    else if (n[d] > 1)
      grid->spacing = fmax(grid->spacing, extent[d] / (double)(n[d] - 1));
}

dcs_status dcs_derive_grid(const double lo[3], const double hi[3], dcs_grid *grid) {
  bool has_n = grid->n.x || grid->n.y || grid->n.z;
  if (has_n) DCS_TRY(dcs_check_grid(grid->n));
  double extent[3];
  for (int d = 0; d < 3; d++)
    extent[d] = hi[d] - lo[d] + 2 * grid->margin;

  if (grid->spacing == 0 && has_n) derive_spacing(extent, grid);
  if (grid->spacing == 0) grid->spacing = 0.5;
  DCS_TRY(dcs_check_spacing(grid->spacing));

  if (!has_n) {
    double n[3];
    for (int d = 0; d < 3; d++) {
      n[d] = grid->cell[d] > 0 ? points_in(grid->cell[d], grid->spacing)
                               : points_over(extent[d], grid->spacing);
      if (n[d] > (double)DCS_MOST_ALONG)
        return dcs_fail(DCS_USAGE, "spacing %g needs %.0f points in a dimension; at most 2^40",
                        grid->spacing, n[d]);
    }
    grid->n = (dcs_dims){(int64_t)n[0], (int64_t)n[1], (int64_t)n[2]};
    DCS_TRY(dcs_check_grid(grid->n));
  }
  if (!grid->has_origin) {
    const int64_t n[3] = {grid->n.x, grid->n.y, grid->n.z};
    for (int d = 0; d < 3; d++)
      grid->origin[d] =
          0.5 * (lo[d] + hi[d]) -
          0.5 * (grid->cell[d] > 0 ? grid->cell[d] : grid->spacing * (double)(n[d] - 1));
  }
  return DCS_OK;
}

dcs_status dcs_case_grid(const dcs_molecule *molecule, dcs_grid *grid) {
  double lo[3] = {0}, hi[3] = {0};
  bool whole = (grid->n.x || grid->n.y || grid->n.z) && grid->spacing != 0 && grid->has_origin;
  if (molecule->n < 1) return dcs_fail(DCS_USAGE, "no atoms; a map needs at least 1");
  if (!whole) dcs_molecule_box(molecule, lo, hi);
  return dcs_derive_grid(lo, hi, grid);
}
