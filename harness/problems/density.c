/* The problem kind `density`: the Gaussian density map of QuickSurf. */
#include "kernels/density/density.h"
#include "harness/problems/common.h"

#include <math.h>

enum { SCALE = DCS_DENSITY_SCALE, ERROR = DCS_DENSITY_ERROR };

#define LEAST_ERROR 1e-6

/* VMD's QuickSurf ends Gaussians at 2, 2.5, 3 or 4 widths (quality low, medium, high, max): at
 * terms of 0.14, 0.044, 0.011 and 0.00034. An error of 0.001, 3.7 widths, is between its two best;
 * it is 1/500 of the density at which QuickSurf draws its surface. */
static const dcs_param params[] = {
    [SCALE] = {.name = "scale",
               .meaning = "what radii are multiplied by to be the Gaussians' widths",
               .lo = 0.01,
               .hi = 100,
               .initial = 1,
               .real = true},
    [ERROR] = {.name = "error",
               .meaning = "Gaussian terms below this are left out",
               .lo = LEAST_ERROR,
               .hi = 0.5,
               .initial = 1e-3,
               .real = true}};

/* Widths below a spacing, some, and far more than the boxes that verify tries; rough and fine. */
static const char *const verified[] = {"", "error=0.1", "scale=0.2,error=0.01",
                                       "scale=8,error=1e-06", NULL};

static double width_of(const dcs_config *problem, const dcs_site *site) {
  return problem->value[SCALE] * site->radius;
}

/* What the natural exponent may fall to. */
static double limit_of(const dcs_config *problem) {
  return -log(problem->value[ERROR]);
}

/* With all terms down to the least error: a sum in single precision cannot tell it from the one of
 * all terms. */
static bool approximates(const dcs_config *problem, dcs_config *exact) {
  *exact = *problem;
  exact->value[ERROR] = LEAST_ERROR;
  return problem->value[ERROR] > LEAST_ERROR;
}

/* ---- inputs ---- */

static const dcs_buffer buffers[] = {
    [DCS_DENSITY_ATOMS] = {.name = "atoms", .bytes = sizeof(dcs_gaussian)},
    [DCS_DENSITY_MAP] = {.name = "map", .bytes = sizeof(float), .output = true}};

/* A smaller radius is none: 1 / R^2 must be a float. */
static bool has_radius(const dcs_site *site) {
  return site->radius >= 1e-6;
}

static bool input(const dcs_site *site, void *element) {
  const bool counts = has_radius(site);
  *(dcs_gaussian *)element = (dcs_gaussian){(float)site->x, (float)site->y, (float)site->z,
                                            counts ? (float)site->radius : 0};
  return counts;
}

/* How far from an atom its term is as large as the error. */
static double cutoff_of(const dcs_config *problem, const dcs_site *site) {
  return has_radius(site) ? width_of(problem, site) * sqrt(2 * limit_of(problem)) : 0;
}

/* Atoms without a radius have no pairs: given or not, the work is the same. */
static double work(const dcs_case *c, bool given) {
  double pairs = 0;
  (void)given;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : pairs)
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *site = &c->sites[a];
    if (has_radius(site))
      pairs += dcs_points_in_ball(c, site, cutoff_of(&c->problem.config, site), true);
  }
  return pairs;
}

/* Of an atom of 1.5 angstrom, as most that have a radius nearly are. */
static double usual_range(const dcs_config *problem) {
  const dcs_site usual = {.radius = 1.5};
  return cutoff_of(problem, &usual);
}

/* ---- what is right ---- */

static double reach(const dcs_case *c) {
  double farthest = 0;
  for (int64_t a = 0; a < c->n_sites; a++)
    farthest = fmax(farthest, cutoff_of(&c->problem.config, &c->sites[a]));
  return farthest;
}

/* A kernel computes the exponent x = -k r^2 / R^2, |x| <= log2(1 / error), from coordinates whose
 * rounding dcs_sums.d answers for. In units of u = 2^-24, relative: R rounds by 1, so R^2 by 3; k
 * 1, the quotient 1, the squares and sums of r^2 3, the product 1: 9, and 1 to spare. The exponent
 * is then off by 10 u |x|, the term by ln 2 times that: by 10 ln(1 / error) u of itself at most. A
 * power of two from the special function units is off by 2 units in the last place, 4 u (CUDA's
 * guide, ex2.approx), one by a polynomial by less; a kernel may multiply two of them: 8 + 1. */
static double rounding(const dcs_config *problem) {
  return 10 * limit_of(problem) + 9;
}

/* The coordinates move r by up to 6 p units, p the largest: what that changes is d, the steepest
 * slope within it. Where it, or rounding of the exponent, may carry a term across the error, the
 * term that is there or not adds to e. */
static void add(const dcs_case *c, const dcs_site *site, double r, double largest, dcs_sums *sums) {
  if (!has_radius(site)) return;
  const double u = 0x1p-24, limit = limit_of(&c->problem.config), moved = 6 * u * largest;
  const double width = width_of(&c->problem.config, site), per_2w2 = 0.5 / (width * width);
  const double x = r * r * per_2w2, nearest = fmax(r - moved, 0);
  const double edge = u * rounding(&c->problem.config) + moved * 2 * (r + moved) * per_2w2;
  const double term = exp(-x);
  if (fabs(x - limit) <= edge) sums->e += exp(-fmax(x - edge, 0));
  if (x > limit) return;
  sums->v += term;
  sums->s += term;
  sums->d += exp(-nearest * nearest * per_2w2) * 2 * (r + moved) * per_2w2;
}

static double single(const dcs_config *problem, const dcs_site *site, double r) {
  if (!has_radius(site)) return 0;
  double t = r / width_of(problem, site), x = 0.5 * t * t;
  return x > limit_of(problem) ? 0 : exp(-x);
}

const dcs_kind dcs_kind_density = {
    .id = "density",
    .what = "Gaussian density map: sum of exp(-r^2 / (2 (scale radius)^2)) over the atoms",
    .unit = "dimensionless",
    .eval = "evaluations",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .axes = dcs_map_axes,
    .n_axes = DCS_MAP_AXES,
    .dimensions = dcs_map_dimensions,
    .n_dimensions = DCS_MAP_DIMENSIONS,
    .verified = verified,
    .approximates = approximates,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof buffers[0],
    .input = input,
    .adds_nothing = "no radius above 0",
    .needs = DCS_RADII,
    .shape = true,
    .work = work,
    .range = usual_range,
    .add = add,
    .reach = reach,
    .rounding = rounding,
    .singular = false,
    .single = single,
    .linear = false,
    .limit = {[DCS_GPU] = "gpu_exp2_per_s"},
};
