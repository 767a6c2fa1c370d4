/* A case: its values in double precision, and how it is built. */
#include "harness/problems/case_parts.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>

int64_t dcs_points(dcs_dims n) {
  return n.x * n.y * n.z;
}

void dcs_case_free(dcs_case *c) {
  for (int b = 0; b < DCS_MAX_BUFFERS; b++)
    free((void *)c->problem.input[b]);
  free(c->sites);
  free(c->fixes);
  dcs_force_field_free(&c->field);
  dcs_basis_free(c->basis);
  *c = (dcs_case){0};
}

dcs_size dcs_case_size(const dcs_case *c) {
  return dcs_size_of(c->kind, &c->problem.config, c->n_sites, c->problem.n);
}

/* ---- values in double precision ---- */

double dcs_case_largest(const dcs_case *c) {
  const dcs_dims n = c->problem.n;
  int64_t longest = n.x > n.y ? n.x : n.y;
  longest = longest > n.z ? longest : n.z;
  const double grid = dcs_has_grid(c->kind) ? c->spacing * (double)(longest - 1) : 0;
  double largest = grid;
  for (int64_t a = 0; a < c->n_sites; a++)
    largest =
        fmax(largest, fmax(fabs(c->sites[a].x), fmax(fabs(c->sites[a].y), fabs(c->sites[a].z))));
  return fmin(largest, grid + c->kind->reach(c));
}

dcs_sums dcs_case_sums(const dcs_case *c, const double point[3], double largest) {
  const double coincident = c->kind->singular ? 1e-6 * c->spacing : -1;
  dcs_sums sums = {.nearest = INFINITY};
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    double dx = point[0] - s->x, dy = point[1] - s->y, dz = point[2] - s->z;
    double r = sqrt(dx * dx + dy * dy + dz * dz);
    sums.nearest = fmin(sums.nearest, r);
    if (!(r < coincident)) c->kind->add(c, s, r, largest, &sums);
  }
  return sums;
}

bool dcs_case_repeats(const dcs_case *c, double cell[3]) {
  return c->kind->cell && c->kind->cell(&c->problem, cell);
}

dcs_status dcs_case_values(const dcs_case *c, const double (*points)[3], int64_t n, double largest,
                           dcs_sums *sums) {
  double cell[3];
  if (dcs_case_repeats(c, cell)) {
    DCS_TRY(c->kind->add_images(c, points, n, largest, sums));
  } else {
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
      if (!dcs_interrupted()) sums[i] = dcs_case_sums(c, points[i], largest);
  }
  return dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : DCS_OK;
}

void dcs_case_point(const dcs_case *c, int64_t index, double point[3]) {
  const dcs_dims n = c->problem.n;
  point[0] = c->spacing * (double)(index % n.x);
  point[1] = c->spacing * (double)(index / n.x % n.y);
  point[2] = c->spacing * (double)(index / n.x / n.y);
}

void dcs_case_pose(dcs_case *c, const dcs_config *problem) {
  c->problem.config = *problem;
  dcs_set_fixes(c);
}

/* ---- building ---- */

/* In the place of a grid. */
static const dcs_grid one_point = {.n = {1, 1, 1}, .spacing = 1};

static dcs_status make_room(dcs_case *c, int64_t n_sites) {
  if (n_sites < 1 || n_sites <= c->room) return DCS_OK;
  dcs_case_free(c);
  c->sites = n_sites > 0 && n_sites <= PTRDIFF_MAX / (int64_t)sizeof *c->sites
                 ? malloc((size_t)n_sites * sizeof *c->sites)
                 : NULL;
  if (!c->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld atoms", (long long)n_sites);
  c->room = n_sites;
  return DCS_OK;
}

dcs_status dcs_case_begin(const dcs_kind *kind, int64_t n_sites, const dcs_grid *grid,
                          dcs_case *c) {
  if (c->kind != kind) dcs_case_free(c);
  dcs_force_field_free(&c->field);
  DCS_TRY(make_room(c, n_sites));
  dcs_basis_free(c->basis);
  const dcs_case old = *c;
  *c = (dcs_case){.kind = kind,
                  .n_sites = n_sites,
                  .room = old.room,
                  .sites = old.sites,
                  .fixes = old.fixes,
                  .spacing = grid->spacing};
  c->problem = (dcs_problem){.n = dcs_has_grid(kind) ? grid->n : (dcs_dims){n_sites, 1, 1},
                             .spacing = (float)grid->spacing,
                             .given_spacing = grid->spacing};
  for (int b = 0; b < DCS_MAX_BUFFERS; b++)
    c->problem.input[b] = old.problem.input[b];
  for (int d = 0; d < 3; d++)
    c->origin[d] = grid->origin[d];
  return DCS_OK;
}

/* Of what repeats in a cell; 0 where that is rounding. */
static double net_charge(const dcs_case *c) {
  double charge = 0, all = 0, cell[3];
  if (!dcs_case_repeats(c, cell) || !dcs_has_grid(c->kind)) return 0;
  for (int64_t a = 0; a < c->n_sites; a++) {
    charge += c->sites[a].q;
    all += fabs(c->sites[a].q);
  }
  return fabs(charge) > 1e-9 * all ? charge : 0;
}

char *dcs_case_left_out(const dcs_case *c, char text[DCS_TEXT]) {
  const int64_t nothing = c->kind->adds_nothing ? c->n_sites - c->problem.n_inputs : 0;
  const double charge = net_charge(c);
  *text = '\0';
  if (nothing > 0)
    dcs_append(text, DCS_TEXT, "%lld of %lld atoms have %s and are left out", (long long)nothing,
               (long long)c->n_sites, c->kind->adds_nothing);
  if (c->n_coincident > 0)
    dcs_append(text, DCS_TEXT, "%s%lld atoms lie on grid points and are left out of the sums there",
               *text ? "; " : "", (long long)c->n_coincident);
  if (charge != 0)
    dcs_append(text, DCS_TEXT, "%sa net charge of %g e is neutralised by a uniform background",
               *text ? "; " : "", charge);
  return text;
}

/* Atoms that add nothing: no kernel sees them, but for one where all are so. */
static int64_t fill_by_atom(const dcs_case *c, char *input) {
  const size_t bytes = c->kind->buffers[0].bytes;
  int64_t n = 0;
  for (int64_t a = 0; a < c->n_sites; a++) {
    bool last_chance = n == 0 && a == c->n_sites - 1;
    n += c->kind->input(&c->sites[a], input + (size_t)n * bytes) || last_chance;
  }
  return n;
}

/* Memory for a buffer of so many elements; that of the atoms is as large as that of the sites. */
static dcs_status make_input(dcs_case *c, int b, int64_t n) {
  const dcs_buffer *buffer = &c->kind->buffers[b];
  if (b == 0 && !buffer->fill && c->problem.input[b]) return DCS_OK;
  free((void *)c->problem.input[b]);
  c->problem.input[b] = malloc((size_t)(b == 0 && !buffer->fill ? c->room : n) * buffer->bytes);
  if (!c->problem.input[b])
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld %s", (long long)n, buffer->name);
  return DCS_OK;
}

static dcs_status fill_inputs(dcs_case *c) {
  dcs_problem *p = &c->problem;
  p->n_inputs = dcs_has_atoms(c->kind) ? c->n_sites : 1; /* at most */
  for (int b = 0; b < c->kind->n_buffers; b++) {
    const dcs_buffer *buffer = &c->kind->buffers[b];
    if (buffer->output) continue;
    const int64_t n = buffer->inputs ? buffer->inputs(c) : dcs_count(c->kind, b, p);
    DCS_TRY(make_input(c, b, n));
    void *data = (void *)p->input[b];
    if (buffer->fill) buffer->fill(c, b, data);
    if (b == 0 && dcs_has_atoms(c->kind)) p->n_inputs = buffer->fill ? n : fill_by_atom(c, data);
  }
  return DCS_OK;
}

/* Puts the sites into the cell, so that the grid point next to one is next to it. */
static void wrap(dcs_case *c, const double cell[3]) {
  const double before = 0.5 * c->spacing;
#pragma omp parallel for
  for (int64_t a = 0; a < c->n_sites; a++) {
    dcs_site *s = &c->sites[a];
    s->x -= cell[0] * floor((s->x + before) / cell[0]);
    s->y -= cell[1] * floor((s->y + before) / cell[1]);
    s->z -= cell[2] * floor((s->z + before) / cell[2]);
  }
}

dcs_status dcs_case_end(const dcs_config *problem, dcs_case *c) {
  const dcs_config initial = dcs_initial_problem(c->kind);
  double cell[3];
  c->problem.config = problem ? *problem : initial;
  if (dcs_case_repeats(c, cell)) wrap(c, cell);
  dcs_status status = c->kind->complete ? c->kind->complete(c) : DCS_OK;
  if (status == DCS_OK) status = fill_inputs(c);
  if (status == DCS_OK && c->kind->singular) status = dcs_find_fixes(c);
  if (status == DCS_OK)
    dcs_case_pose(c, problem ? problem : &initial);
  else
    dcs_case_free(c);
  return status;
}

/* The force field of the case's sites: the molecule's, or what all water has. */
static dcs_status take_field(const dcs_molecule *molecule, dcs_case *c) {
  if (!c->kind->field) return DCS_OK;
  if (molecule->field.wells)
    DCS_TRY(dcs_force_field_copy(&molecule->field, molecule->n, &c->field));
  else if (dcs_is_water(molecule))
    DCS_TRY(dcs_force_field_of_water(molecule->n, &c->field));
  else
    return dcs_fail(DCS_USAGE,
                    "found atoms without bonds and Lennard-Jones parameters; expected a PSF file, "
                    "places and CHARMM's --parameters, or water as generated, O, H, H and so on");
  return dcs_force_field_exclude(&c->field);
}

dcs_status dcs_case_build(const dcs_kind *kind, const dcs_config *problem,
                          const dcs_molecule *molecule, const dcs_grid *asked, dcs_case *c) {
  dcs_grid grid = dcs_has_grid(kind) ? *asked : one_point;
  DCS_TRY(dcs_case_grid(molecule, &grid));
  *c = (dcs_case){0};
  DCS_TRY(dcs_case_begin(kind, molecule->n, &grid, c));
  for (int64_t a = 0; a < molecule->n; a++) {
    c->sites[a] = molecule->sites[a];
    c->sites[a].x -= c->origin[0];
    c->sites[a].y -= c->origin[1];
    c->sites[a].z -= c->origin[2];
  }
  dcs_status status = take_field(molecule, c);
  if (status == DCS_OK && molecule->basis)
    status = dcs_basis_copy(molecule->basis, molecule->n, &c->basis);
  if (status != DCS_OK) dcs_case_free(c);
  return status == DCS_OK ? dcs_case_end(problem, c) : status;
}

/* A dimension of one point still gets a box one spacing thick, so that atoms do not all lie in it.
 */
static void fill_evenly(dcs_case *c, const dcs_grid *grid, uint64_t seed) {
  double edge[3] = {(double)(grid->n.x - 1), (double)(grid->n.y - 1), (double)(grid->n.z - 1)};
  for (int d = 0; d < 3; d++)
    edge[d] = dcs_has_grid(c->kind) ? grid->spacing * fmax(edge[d], 1)
                                    : cbrt((double)c->n_sites / DCS_RANDOM_DENSITY);
  dcs_random random = {seed};
  for (int64_t a = 0; a < c->n_sites; a++) {
    dcs_site *s = &c->sites[a];
    s->x = edge[0] * dcs_random_unit(&random);
    s->y = edge[1] * dcs_random_unit(&random);
    s->z = edge[2] * dcs_random_unit(&random);
    s->q = 2 * dcs_random_unit(&random) - 1;
    s->radius = 1 + 0.1 * (double)(a % 10);
  }
}

dcs_status dcs_case_random(const dcs_kind *kind, const dcs_config *problem, int64_t n_atoms,
                           const dcs_grid *asked, uint64_t seed, dcs_case *c) {
  dcs_grid grid = dcs_has_grid(kind) ? *asked : one_point;
  if (!dcs_has_atoms(kind))
    n_atoms = 0;
  else if (n_atoms < 1)
    return dcs_fail(DCS_USAGE, "%lld atoms; a map needs at least 1", (long long)n_atoms);
  if (grid.spacing == 0) grid.spacing = DCS_RANDOM_SPACING;
  DCS_TRY(dcs_check_grid(grid.n));
  DCS_TRY(dcs_derive_grid((double[3]){0, 0, 0}, (double[3]){0, 0, 0}, &grid));
  *c = (dcs_case){0};
  DCS_TRY(dcs_case_begin(kind, n_atoms, &grid, c));
  dcs_status status = DCS_OK;
  if (kind->random)
    status = kind->random(c, seed);
  else
    fill_evenly(c, &grid, seed);
  if (status != DCS_OK) dcs_case_free(c);
  return status == DCS_OK ? dcs_case_end(problem, c) : status;
}
