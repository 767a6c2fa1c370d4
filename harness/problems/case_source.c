/* Apart from case.c: the library makes cases of molecules that are in memory, and reads no file. */
#include "harness/base/grow.h"
#include "harness/problems/case.h"

#include <string.h>

static dcs_status check_needs(const dcs_kind *kind, const dcs_molecule *molecule,
                              const char *path) {
  char formats[DCS_TEXT] = "";
  if (molecule->field.wells && !kind->field)
    return dcs_fail(DCS_USAGE, "--parameters: found them with %s, which has no use of them",
                    kind->id);
  if (!(kind->needs & ~molecule->gives)) return DCS_OK;
  for (int r = 0; r < dcs_n_readers; r++)
    if (!(kind->needs & ~dcs_readers[r]->gives))
      dcs_append(formats, sizeof formats, "%s%s", *formats ? " or " : "", dcs_readers[r]->name);
  return dcs_fail(DCS_INPUT, "%s: found no %s, which %s is computed of; expected a %s file", path,
                  kind->needs & DCS_ORBITAL ? "orbital" : "radii", kind->id, formats);
}

/* Edges that are still 0 become those that the input states. */
static dcs_status take_edges(const dcs_kind *kind, const dcs_molecule *molecule, const char *path,
                             bool given, dcs_config *problem) {
  double edge[3], *own = &problem->value[kind->cell_edges];
  char why[DCS_TEXT];
  bool found;
  if (own[0] > 0 && own[1] > 0 && own[2] > 0) return DCS_OK;
  DCS_TRY(dcs_molecule_edges(molecule, path, edge, &found));
  if (!found && !given)
    return dcs_fail(DCS_USAGE,
                    "%s: found no cell for a periodic boundary; expected the file to state one, or "
                    "--cell A,B,C%s",
                    path, dcs_has_grid(kind) ? ", or --grid and --spacing" : "");
  for (int d = 0; found && d < 3; d++)
    if (!(own[d] > 0)) own[d] = edge[d];
  if (kind->canonical && !kind->canonical(problem, why))
    return dcs_fail(DCS_INPUT, "%s: %s", path, why);
  return DCS_OK;
}

dcs_status dcs_case_settle(const dcs_kind *kind, const dcs_molecule *molecule, const char *path,
                           dcs_config *problem, dcs_grid *grid) {
  DCS_TRY(check_needs(kind, molecule, path));
  dcs_problem shape = {.n = grid->n, .given_spacing = grid->spacing, .config = *problem};
  double cell[3]; /* of an open boundary the grid has none, and is centred as its points are */
  if (!kind->cell || !kind->cell(&shape, cell)) return DCS_OK;
  memcpy(grid->cell, cell, sizeof cell);
  const bool given = grid->n.x > 0 && grid->spacing > 0;
  DCS_TRY(take_edges(kind, molecule, path, given, problem));
  shape.config = *problem;
  (void)kind->cell(&shape, grid->cell);
  return DCS_OK;
}

dcs_status dcs_case_from(const dcs_case_source *s, const dcs_config *problem, dcs_case *c) {
  dcs_molecule molecule = {0};
  if (!s->input.files[0]) return dcs_case_random(s->kind, problem, s->atoms, &s->grid, s->seed, c);
  dcs_input input = s->input;
  input.how.shape = s->kind->shape;
  DCS_TRY(dcs_molecule_read(&input, &molecule, stderr));
  dcs_molecule part = molecule;
  dcs_status status = DCS_OK;
  if (s->atoms > molecule.n)
    status = dcs_fail(DCS_USAGE, "%s has %lld atoms; --atoms asks for %lld", s->input.files[0],
                      (long long)molecule.n, (long long)s->atoms);
  if (s->atoms > 0) part.n = s->atoms;
  dcs_grid grid = s->grid;
  dcs_config posed = problem ? *problem : dcs_initial_problem(s->kind);
  if (status == DCS_OK)
    status = dcs_case_settle(s->kind, &molecule, s->input.files[0], &posed, &grid);
  if (status == DCS_OK) status = dcs_case_build(s->kind, &posed, &part, &grid, c);
  dcs_molecule_free(&molecule);
  return status;
}
