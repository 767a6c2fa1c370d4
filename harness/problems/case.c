#include "harness/problems/case.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"

#include <math.h>
#include <stdlib.h>

int64_t dcs_points(dcs_dims n) {
  return n.x * n.y * n.z;
}

void dcs_apply_fixes(const dcs_fix *fixes, int64_t n, float *out) {
  for (int64_t i = 0; i < n; i++)
    out[fixes[i].index] = fixes[i].value;
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

/* ---- the grid ---- */

/* In the place of a grid. */
static const dcs_grid one_point = {.n = {1, 1, 1}, .spacing = 1};

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

/* Fills in what the user left open. */
static dcs_status derive_grid(const double lo[3], const double hi[3], dcs_grid *grid) {
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

static bool repeats(const dcs_case *c, double cell[3]) {
  return c->kind->cell && c->kind->cell(&c->problem, cell);
}

dcs_status dcs_case_values(const dcs_case *c, const double (*points)[3], int64_t n, double largest,
                           dcs_sums *sums) {
  double cell[3];
  if (repeats(c, cell)) {
    DCS_TRY(c->kind->add_images(c, points, n, largest, sums));
  } else {
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++)
      if (!dcs_interrupted()) sums[i] = dcs_case_sums(c, points[i], largest);
  }
  return dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : DCS_OK;
}

/* The value at a point alone. Most atoms are too far to count, which costs a distance to know. */
static double value_at(const dcs_case *c, const double point[3], double largest) {
  const double coincident = 1e-6 * c->spacing, reach = c->kind->reach(c) * (1 + 1e-9);
  dcs_sums sums = {0};
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    const double dx = point[0] - s->x, dy = point[1] - s->y, dz = point[2] - s->z;
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > reach * reach) continue;
    const double r = sqrt(r2);
    if (!(r < coincident)) c->kind->add(c, s, r, largest, &sums);
  }
  return sums.v;
}

void dcs_case_point(const dcs_case *c, int64_t index, double point[3]) {
  const dcs_dims n = c->problem.n;
  point[0] = c->spacing * (double)(index % n.x);
  point[1] = c->spacing * (double)(index / n.x % n.y);
  point[2] = c->spacing * (double)(index / n.x / n.y);
}

/* Of images; NaN, which no verification lets pass, where memory is short. */
static void set_fixes_of_images(dcs_case *c, double largest) {
  const size_t n = (size_t)c->n_fixes;
  double(*points)[3] = malloc(n * sizeof *points);
  dcs_sums *sums = calloc(n, sizeof *sums);
  bool known = points && sums;
  for (int64_t i = 0; known && i < c->n_fixes; i++)
    dcs_case_point(c, c->fixes[i].index, points[i]);
  known =
      known && dcs_case_values(c, (const double(*)[3])points, c->n_fixes, largest, sums) == DCS_OK;
  for (int64_t i = 0; i < c->n_fixes; i++)
    c->fixes[i].value = known ? (float)sums[i].v : NAN;
  free(points);
  free(sums);
}

static void set_fixes(dcs_case *c) {
  double cell[3];
  if (c->n_fixes == 0) return;
  const double largest = dcs_case_largest(c);
  if (repeats(c, cell)) {
    set_fixes_of_images(c, largest);
    return;
  }
#pragma omp parallel for schedule(dynamic)
  for (int64_t i = 0; i < c->n_fixes; i++) {
    double point[3];
    dcs_case_point(c, c->fixes[i].index, point);
    c->fixes[i].value = (float)value_at(c, point, largest);
  }
}

void dcs_case_pose(dcs_case *c, const dcs_config *problem) {
  c->problem.config = *problem;
  set_fixes(c);
}

/* ---- points very near to atoms ---- */

static dcs_status add_fix(dcs_case *c, const int64_t at[3]) {
  DCS_TRY(dcs_grow(&c->fixes, (size_t)c->n_fixes, sizeof *c->fixes, "points on atoms"));
  const dcs_dims n = c->problem.n;
  const int64_t index = (at[2] * n.y + at[1]) * n.x + at[0];
  c->fixes[c->n_fixes++] = (dcs_fix){.index = index};
  return DCS_OK;
}

/* Of two numbers; fmax() is a call. */
static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Within which an atom of the largest coordinate `largest` counts as very near, angstrom: where the
 * distance drowns in the rounding of coordinates, or is below a millionth of the spacing. In each
 * dimension the atom, the spacing and the point's coordinate round by up to u = 2^-24 of the
 * coordinate, together 5.2 u in the diagonal; at 32 u the relative error of 1/r is at most a fifth
 * more than its linear part, which the acceptance bound covers. */
static double near(const dcs_case *c, double largest) {
  return larger(32 * 0x1p-24 * largest, 1e-6 * c->spacing);
}

/* The square of the distance from a site to the nearest grid point, which is `at`; INFINITY where
 * that is outside the grid or not within `reach`: of most sites the first dimension tells. */
static double distance2(const dcs_case *c, const dcs_site *site, double reach, int64_t at[3]) {
  const double r[3] = {site->x, site->y, site->z};
  const int64_t n[3] = {c->problem.n.x, c->problem.n.y, c->problem.n.z};
  double r2 = 0;
  for (int d = 0; d < 3; d++) {
    const double index = r[d] / c->spacing + 0.5;
    if (!(index >= 0 && index < (double)n[d])) return INFINITY;
    at[d] = (int64_t)index;
    const double away = c->spacing * (double)at[d] - r[d];
    if (fabs(away) > reach) return INFINITY;
    r2 += away * away;
  }
  return r2;
}

/* The square of the distance of a site to the nearest grid point, and within which it counts. */
static double nearest(const dcs_case *c, const dcs_site *s, double *reach, int64_t at[3]) {
  *reach = near(c, larger(fabs(s->x), larger(fabs(s->y), fabs(s->z))));
  return distance2(c, s, *reach, at);
}

/* How far a coordinate is from the nearest multiple of the spacing, to rounding: what is added and
 * subtracted leaves no digits behind the point. */
static double off_plane(double at, double spacing, double per_spacing) {
  static const double ROUND = 0x1.8p52;
  const double index = (at * per_spacing + ROUND) - ROUND;
  return fabs(spacing * index - at);
}

/* Whether any of the sites may be very near to a point: in x and y it is, or almost. */
static bool any_near(const dcs_case *c, int64_t from, int64_t end) {
  const double spacing = c->spacing, per_spacing = 1 / spacing;
  bool any = false;
  for (int64_t a = from; a < end; a++) {
    const dcs_site *s = &c->sites[a];
    const double most = larger(fabs(s->x), larger(fabs(s->y), fabs(s->z)));
    const double reach = (1 + 1e-6) * near(c, most) + 1e-14 * most;
    any |= (off_plane(s->x, spacing, per_spacing) <= reach) &
           (off_plane(s->y, spacing, per_spacing) <= reach);
  }
  return any;
}

static dcs_status find_fixes_of(dcs_case *c, int64_t from, int64_t end) {
  const double coincident = 1e-6 * c->spacing;
  for (int64_t a = from; a < end; a++) {
    double reach;
    int64_t at[3] = {0};
    const double r2 = nearest(c, &c->sites[a], &reach, at);
    if (r2 < coincident * coincident) c->n_coincident++;
    if (r2 < reach * reach) DCS_TRY(add_fix(c, at));
  }
  return DCS_OK;
}

/* Lists the points that are very near to atoms. Of many atoms few are: threads look for parts that
 * have any. */
static dcs_status find_fixes(dcs_case *c) {
  enum { PARTS = 256, MANY = 20000 };
  bool any[PARTS];
  const int64_t n = c->n_sites;
  if (n <= MANY) return find_fixes_of(c, 0, n);
#pragma omp parallel for
  for (int p = 0; p < PARTS; p++)
    any[p] = any_near(c, p * n / PARTS, (p + 1) * n / PARTS);
  for (int p = 0; p < PARTS; p++)
    if (any[p]) DCS_TRY(find_fixes_of(c, p * n / PARTS, (p + 1) * n / PARTS));
  return DCS_OK;
}

static dcs_status make_room(dcs_case *c, int64_t n_sites) {
  if (n_sites <= c->room) return DCS_OK;
  dcs_case_free(c);
  c->sites = n_sites <= PTRDIFF_MAX / (int64_t)sizeof *c->sites
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
                             .spacing = (float)grid->spacing};
  for (int b = 0; b < DCS_MAX_BUFFERS; b++)
    c->problem.input[b] = old.problem.input[b];
  for (int d = 0; d < 3; d++)
    c->origin[d] = grid->origin[d];
  return DCS_OK;
}

/* Of what repeats in a cell; 0 where that is rounding. */
static double net_charge(const dcs_case *c) {
  double charge = 0, all = 0, cell[3];
  if (!repeats(c, cell) || !dcs_has_grid(c->kind)) return 0;
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
  if (repeats(c, cell)) wrap(c, cell);
  dcs_status status = c->kind->complete ? c->kind->complete(c) : DCS_OK;
  if (status == DCS_OK) status = fill_inputs(c);
  if (status == DCS_OK && c->kind->singular) status = find_fixes(c);
  if (status == DCS_OK)
    dcs_case_pose(c, problem ? problem : &initial);
  else
    dcs_case_free(c);
  return status;
}

dcs_status dcs_case_grid(const dcs_molecule *molecule, dcs_grid *grid) {
  double lo[3] = {0}, hi[3] = {0};
  bool whole = (grid->n.x || grid->n.y || grid->n.z) && grid->spacing != 0 && grid->has_origin;
  if (molecule->n < 1) return dcs_fail(DCS_USAGE, "no atoms; a map needs at least 1");
  if (!whole) dcs_molecule_box(molecule, lo, hi);
  return derive_grid(lo, hi, grid);
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
  DCS_TRY(derive_grid((double[3]){0, 0, 0}, (double[3]){0, 0, 0}, &grid));
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
