/* The problem kind `coulomb`: the electrostatic potential map, as a direct sum, within a cutoff, or
 * to a tolerance. */
#include "kernels/coulomb/coulomb.h"
#include "harness/problems/common.h"
#include "harness/problems/ewald.h"

#include <math.h>
#include <stdlib.h>

enum {
  CUTOFF = DCS_COULOMB_CUTOFF,
  SWITCHING = DCS_COULOMB_SWITCHING,
  TOLERANCE = DCS_COULOMB_TOLERANCE,
  BOUNDARY = DCS_COULOMB_BOUNDARY,
  CELL_X = DCS_COULOMB_CELL_X,
  CELL_Y,
  CELL_Z
};

static const char *const switchings[] = {"none", "c2"};
static const char *const boundaries[] = {"open", "periodic"};

#define CELL_EDGE(text)                                                                            \
  {                                                                                                \
    .name = "cell_" text,                                                                          \
    .meaning = "edge in " text " of the cell of a periodic boundary; 0: what the grid spans",      \
    .lo = 0, .hi = 1e6, .initial = 0, .real = true, .times = DCS_TIMES_ANY, .unit = "angstrom"     \
  }

static const dcs_param params[] = {
    [CUTOFF] = {.name = "cutoff",
                .meaning = "distance from which on atoms do not count; 0: the direct sum",
                .lo = 0,
                .hi = 1e6,
                .initial = 0,
                .real = true,
                .unit = "angstrom"},
    [SWITCHING] = {.name = "switching",
                   .meaning = "what a term within the cutoff c is multiplied by: none, or c2: "
                              "(1 - r^2/c^2)^2",
                   .lo = DCS_SWITCHING_NONE,
                   .hi = DCS_SWITCHING_C2,
                   .initial = DCS_SWITCHING_NONE,
                   .labels = switchings},
    [TOLERANCE] = {.name = "tolerance",
                   .meaning = "largest error allowed, over the root mean square of the map away "
                              "from atoms; 0: the direct sum",
                   .lo = 0,
                   .hi = 0.5,
                   .initial = 0,
                   .real = true,
                   .times = DCS_TIMES_ABOVE},
    [BOUNDARY] = {.name = "boundary",
                  .meaning = "what is beyond the atoms: nothing (open), or their images (periodic)",
                  .lo = DCS_BOUNDARY_OPEN,
                  .hi = DCS_BOUNDARY_PERIODIC,
                  .initial = DCS_BOUNDARY_OPEN,
                  .labels = boundaries},
    [CELL_X] = CELL_EDGE("x"),
    [CELL_Y] = CELL_EDGE("y"),
    [CELL_Z] = CELL_EDGE("z")};

/* Cutoffs of less than two spacings, some, and more than most of the boxes that verify tries; rough
 * and fine tolerances. */
static const char *const verified[] = {"",
                                       "cutoff=0.6",
                                       "cutoff=1.71875,switching=c2",
                                       "cutoff=2.59375",
                                       "cutoff=14,switching=c2",
                                       "tolerance=0.01",
                                       "tolerance=0.0001",
                                       "tolerance=0.001,boundary=periodic",
                                       NULL};

static double cutoff_of(const dcs_config *problem) {
  return (double)(float)problem->value[CUTOFF]; /* as kernels have it */
}

static bool is_switched(const dcs_config *problem) {
  return problem->value[SWITCHING] == DCS_SWITCHING_C2;
}

static double tolerance_of(const dcs_config *problem) {
  return problem->value[TOLERANCE];
}

/* A cutoff, a tolerance or a cell below this is none. */
static const double LEAST_CUTOFF = 1e-6, LEAST_TOLERANCE = 1e-12, LEAST_CELL = 0.1;

static bool is_periodic(const dcs_config *problem) {
  return problem->value[BOUNDARY] == DCS_BOUNDARY_PERIODIC;
}

/* A cell is of a periodic boundary alone. */
static void canonical_cell(dcs_config *problem, char why[DCS_TEXT]) {
  for (int d = 0; d < 3; d++) {
    double *edge = &problem->value[CELL_X + d];
    if (*edge == 0) *edge = 0; /* no -0 */
    if (*edge != 0 && !is_periodic(problem))
      snprintf(why, DCS_TEXT,
               "cell_%c: found %g with an open boundary; expected --boundary periodic with "
               "it, for atoms repeat in no cell otherwise",
               "xyz"[d], *edge);
    else if (*edge != 0 && !(*edge >= LEAST_CELL))
      snprintf(why, DCS_TEXT,
               "cell_%c: found %g; expected 0 (what the grid spans), or %g angstrom "
               "and more",
               "xyz"[d], *edge, LEAST_CELL);
  }
}

/* Without a cutoff there is nothing to switch, and no -0. */
static bool canonical(dcs_config *problem, char why[DCS_TEXT]) {
  const double cutoff = problem->value[CUTOFF], tolerance = tolerance_of(problem);
  if (cutoff == 0) problem->value[CUTOFF] = problem->value[SWITCHING] = 0;
  if (tolerance == 0) problem->value[TOLERANCE] = 0;
  *why = '\0';
  if (cutoff != 0 && !(cutoff >= LEAST_CUTOFF))
    snprintf(why, DCS_TEXT,
             "cutoff: found %g; expected 0 (the direct sum), or %g angstrom and more", cutoff,
             LEAST_CUTOFF);
  else if (tolerance != 0 && !(tolerance >= LEAST_TOLERANCE))
    snprintf(why, DCS_TEXT, "tolerance: found %g; expected 0 (the direct sum), or %g and more",
             tolerance, LEAST_TOLERANCE);
  else if (cutoff > 0 && tolerance > 0)
    snprintf(
        why, DCS_TEXT,
        "tolerance: found %g with a cutoff of %g angstrom; expected one of the two, for what a "
        "cutoff leaves out is in no tolerance",
        tolerance, cutoff);
  else if (is_periodic(problem) && !(tolerance > 0))
    snprintf(why, DCS_TEXT,
             "boundary: found periodic without a tolerance; expected --tolerance above 0, such as "
             "--tolerance 1e-4: there is no direct sum over all images");
  else
    canonical_cell(problem, why);
  return !*why;
}

static bool approximates(const dcs_config *problem, dcs_config *exact) {
  *exact = (dcs_config){{0}};
  return cutoff_of(problem) > 0 || (tolerance_of(problem) > 0 && !is_periodic(problem));
}

static bool cell(const dcs_problem *problem, double edges[3]) {
  dcs_cell_edges(problem, edges);
  return is_periodic(&problem->config);
}

/* ---- inputs ---- */

static const dcs_buffer buffers[] = {
    [DCS_COULOMB_ATOMS] = {.name = "atoms", .bytes = sizeof(dcs_atom)},
    [DCS_COULOMB_MAP] = {.name = "map", .bytes = sizeof(float), .output = true}};

static bool input(const dcs_site *site, void *element) {
  *(dcs_atom *)element = (dcs_atom){(float)site->x, (float)site->y, (float)site->z, (float)site->q};
  return site->q != 0;
}

static double work(const dcs_case *c, bool given) {
  const double points = (double)dcs_points(c->problem.n), cutoff = cutoff_of(&c->problem.config);
  if (!(cutoff > 0)) return points * (double)(given ? c->problem.n_inputs : c->n_sites);
  double pairs = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : pairs)
  for (int64_t a = 0; a < c->n_sites; a++)
    if (!given || c->sites[a].q != 0) pairs += dcs_points_in_ball(c, &c->sites[a], cutoff, false);
  return pairs;
}

/* ---- what is right ---- */

static double reach(const dcs_case *c) {
  double cutoff = cutoff_of(&c->problem.config);
  return cutoff > 0 ? cutoff : INFINITY;
}

/* With f = 1 - r^2/c^2 for a switched sum (else 1), v is the sum of q f^2 / r over the atoms with
 * r < c. An error of f counts twice, so s is the sum of |q| f / r, which is larger than that of
 * |q| f^2 / r, and d adds the slope of f^2. The coordinates move r by up to 5.2 p units, and
 * r^2 / c^2 rounds by a few units: where that may carry r across the cutoff, the term that is there
 * or not adds to e. */
static void add_within(const dcs_config *problem, double q, double r, double largest,
                       dcs_sums *sums) {
  const double c = cutoff_of(problem), edge = 0x1p-24 * (6 * largest + 8 * c);
  const bool switched = is_switched(problem);
  if (fabs(r - c) <= edge) {
    double f = switched ? 4 * edge / c : 1; /* the largest 1 - r^2/c^2 there, twice */
    sums->e += fabs(q) * f * f / r;
  }
  if (!(r < c)) return;
  double f = switched ? 1 - r * r / (c * c) : 1;
  sums->v += q * f * f / r;
  sums->s += fabs(q) * f / r;
  sums->d += fabs(q) * (f * f / (r * r) + (switched ? 4 * f / (c * c) : 0));
}

/* Of 1 / r, and where it is switched. */
static double rounding(const dcs_config *problem) {
  (void)problem;
  return 16;
}

static const double NEAR = 2;          /* angstrom */
static const double COINCIDENT = 1e-6; /* spacings: a point that near is on the atom */

static void add(const dcs_case *c, const dcs_site *site, double r, double largest, dcs_sums *sums) {
  if (cutoff_of(&c->problem.config) > 0) {
    add_within(&c->problem.config, site->q, r, largest, sums);
    return;
  }
  const double term = site->q / r;
  sums->v += term;
  sums->s += fabs(term);
  sums->d += fabs(term) / r;
  if (r < NEAR)
    sums->d_near += fabs(term) / r;
  else
    sums->d_far2 += term * term / (r * r);
  const double softened = site->q / fmax(r, DCS_NEAREST_ATOM);
  sums->w += softened * softened;
}

/* What tells how large the map is and how coordinates round is of the nearest image of each atom; S
 * and D are not asked for to a tolerance. */
static void add_nearest(const dcs_case *c, const double edges[3], const double point[3],
                        double largest, dcs_sums *sums) {
  *sums = (dcs_sums){.nearest = INFINITY};
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    const double x = dcs_nearest_image(point[0] - s->x, edges[0]),
                 y = dcs_nearest_image(point[1] - s->y, edges[1]),
                 z = dcs_nearest_image(point[2] - s->z, edges[2]);
    const double r = sqrt(x * x + y * y + z * z);
    sums->nearest = fmin(sums->nearest, r);
    if (!(r < COINCIDENT * c->spacing)) add(c, s, r, largest, sums);
  }
}

static dcs_status add_images(const dcs_case *c, const double (*points)[3], int64_t n,
                             double largest, dcs_sums *sums) {
  double edges[3], *v = malloc((size_t)n * sizeof *v);
  if (!v) return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld sums", (long long)n);
  dcs_cell_edges(&c->problem, edges);
  dcs_status status = dcs_ewald(c->sites, c->n_sites, edges, COINCIDENT * c->spacing, points, n, v);
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t i = 0; i < n; i++) {
    add_nearest(c, edges, points[i], largest, &sums[i]);
    sums[i].v = v[i];
  }
  free(v);
  return status;
}

static double single(const dcs_config *problem, const dcs_site *site, double r) {
  const double c = cutoff_of(problem);
  if (!(c > 0)) return site->q / r;
  double t = 1 - r * r / (c * c);
  return t <= 0 ? 0 : site->q * (is_switched(problem) ? t * t : 1) / r;
}

const dcs_kind dcs_kind_coulomb = {
    .id = "coulomb",
    .what = "electrostatic potential map: sum of charge / distance over the atoms",
    .unit = "e/angstrom",
    .eval = "evaluations",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .axes = dcs_map_axes,
    .n_axes = DCS_MAP_AXES,
    .dimensions = dcs_map_dimensions,
    .n_dimensions = DCS_MAP_DIMENSIONS,
    .verified = verified,
    .canonical = canonical,
    .approximates = approximates,
    .tolerance = tolerance_of,
    .cell = cell,
    .cell_edges = CELL_X,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof buffers[0],
    .input = input,
    .adds_nothing = "charge 0",
    .work = work,
    .range = cutoff_of,
    .add = add,
    .add_images = add_images,
    .reach = reach,
    .rounding = rounding,
    .singular = true,
    .single = single,
    .linear = true,
    .potential = true,
    .limit = {[DCS_CPU] = "cpu_%s_evals_per_s", [DCS_GPU] = "gpu_rsqrt_per_s"},
};
