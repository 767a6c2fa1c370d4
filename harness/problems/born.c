/* The problem kind `born`: generalised Born radii by pairwise descreening. */
#include "kernels/born/born.h"
#include "harness/problems/common.h"

#include <math.h>

enum { SCALING = DCS_BORN_SCALING, DESCREENING = DCS_BORN_DESCREENING };

static const char *const scalings[] = {"hct", "obc"};

/* Published factors are of elements, 0.72 (carbon) to 0.85 (hydrogen, oxygen), which a PQR file
 * does not name. */
static const dcs_param params[] = {
    [SCALING] = {.name = "scaling",
                 .meaning = "radii as the integral gives them, or rescaled (OBC II)",
                 .lo = DCS_BORN_HCT,
                 .hi = DCS_BORN_OBC,
                 .initial = DCS_BORN_OBC,
                 .labels = scalings},
    [DESCREENING] = {.name = "descreening",
                     .meaning = "what radii are multiplied by where they descreen others",
                     .lo = 0.01,
                     .hi = 1,
                     .initial = 0.8,
                     .real = true,
                     .times = DCS_TIMES_NEAR}};

/* Spheres that overlap more than is physical, touch, and lie in one another. */
static const char *const verified[] = {"",
                                       "scaling=hct,descreening=0.5",
                                       "descreening=1",
                                       "scaling=hct",
                                       "scaling=hct,descreening=0.05",
                                       NULL};

/* ---- inputs and outputs ---- */

/* What is left of an atom's radius; 0: it has none, takes nothing and gets none. */
static double radius_of(const dcs_site *site) {
  return fmax(site->radius - DCS_BORN_OFFSET, 0);
}

static bool input(const dcs_site *site, void *element) {
  *(dcs_sphere *)element =
      (dcs_sphere){(float)site->x, (float)site->y, (float)site->z, (float)radius_of(site)};
  return true; /* so that radii are in the order of the input's atoms */
}

/* Ordered pairs, an atom with itself among them: kernels do not leave it out. */
static double work(const dcs_case *c, bool given) {
  (void)given;
  return (double)c->n_sites * (double)c->n_sites;
}

/* ---- what is right ---- */

#define U 0x1p-24

/* T / 2 of kernels/born/born.h, its slope by r, and what its rounding may be beside R s, times u.
 */
typedef struct {
  double value, slope, rounding;
} term;

/* The formula in double precision for all distances: at 1,000 angstrom it still has 6 digits, of
 * terms that are 1e-12 of the sum. */
static term term_of(double r, double p, double s) {
  term t = {0};
  if (r == 0) {
    t.value = fmax(1 / p - 1 / fmax(p, s), 0);
    return t;
  }
  const double upper = r + s, lower = fmin(fmax(p, fabs(r - s)), upper);
  const double l = 1 / lower, u = 1 / upper, logarithm = log(lower / upper);
  const double whole = p < s - r ? 2 * (1 / p - l) : 0;
  t.value = 0.5 * (l - u - 0.25 * (r - s * s / r) * (l * l - u * u) + 0.5 / r * logarithm + whole);
  t.slope = 0.5 * fabs(0.25 * (1 + s * s / (r * r)) * (l * l - u * u) + 0.5 / (r * r) * logarithm);
  t.rounding = 0.5 * (l + u + 0.25 * (r + s * s / r) * (l + u) * (l + u) +
                      0.5 / r * (1 - logarithm) + (whole > 0 ? 2 * (1 / p + l) : 0));
  return t;
}

/* Sums over the spheres at an atom. A far term is a sum of positive ones, and off by no more than R
 * u of itself. Of a near one the parts cancel: it is off by 36 u of the sum of their magnitudes:
 *
 *   1/L, 1/U   4.5 u each (a reciprocal by an estimate and a Newton step)
 *   the next   r 6, s^2 / r 16, so r - s^2 / r 17 of r + s^2 / r; L^-1 + U^-1 5.5 and the
 *              difference 5.5 of the sum; 3 products: 31
 *   ln         6 (CUDA's fast one where the argument is near 1), its argument 5.5, 1 / (2 r) 8
 *   additions  5
 *
 * L and U round, too, but T does not depend on them in the first order, as they are where the
 * integrand ends. Where rounding decides which way a pair is computed, or the kernel may, up to
 * what the largest radius `most` allows, it is the worse one; below DCS_BORN_SAME that is the limit
 * at 0. */
static void add_sphere(const dcs_case *c, const dcs_site *atom, const dcs_site *sphere,
                       double largest, double most, dcs_sums *sums) {
  const double p = radius_of(atom), s = c->problem.config.value[DESCREENING] * radius_of(sphere);
  const double dx = atom->x - sphere->x, dy = atom->y - sphere->y, dz = atom->z - sphere->z;
  const double r = sqrt(dx * dx + dy * dy + dz * dz), moved = 6 * U * largest;
  if (!(s > 0)) return;
  const double near = sqrt((double)DCS_BORN_NEAR2) * fmax(s, most / 3);
  const term t = term_of(r, p, s);
  sums->v += t.value;
  sums->s += fabs(t.value);
  sums->d += t.slope;
  if (r <= near * (1 + 1e-6) + moved) sums->e += 36 * U * t.rounding;
  if (r <= 2 * DCS_BORN_SAME + moved) sums->e += (r + moved) / (4 * s * s);
}

/* Kernels compute s^3 t^2 (1/3 + ...), t = 1 / r^2, in units of u: the radius rounds by 1, the
 * factor by 1, s by 3, so s^3 by 11, with its coefficient 13; r^2 by 5 (differences 1 each, squares
 * and sums 3), so t^2 by 10, its reciprocals by 9, the square by 1; the series beyond its first
 * term is a tenth of it at most: 3 by rounding, 1 by s, 4 by what is left out; products 2.
 * Where the series is completed to a cube or a square, a quarter of its value rounds by
 * 20, the rest by 13, and their sum by 1, which is no more than the 13, 3 and 1 above. */
static double rounding(const dcs_config *problem) {
  (void)problem;
  return 13 + 10 + 9 + 1 + 3 + 1 + 4 + 2 + 1;
}

/* The radius, by the integral over the spheres. */
static double radius_at(const dcs_config *problem, double p, double integral) {
  if (problem->value[SCALING] == DCS_BORN_HCT) return 1 / fmax(1 / p - integral, 1 / DCS_BORN_MOST);
  const double psi = integral * p, psi2 = psi * psi;
  return 1 / (1 / p - tanh(psi - 0.8 * psi2 + 4.85 * psi2 * psi) / (p + DCS_BORN_OFFSET));
}

/* How much the radius changes with the integral: of hct up to where it ends. */
static double slope_at(const dcs_config *problem, double p, double integral) {
  const double radius = radius_at(problem, p, integral);
  if (problem->value[SCALING] == DCS_BORN_HCT)
    return 1 / p - integral > 1 / DCS_BORN_MOST ? radius * radius : 0;
  const double psi = integral * p, psi2 = psi * psi;
  const double z = psi - 0.8 * psi2 + 4.85 * psi2 * psi, per_cosh = 1 / cosh(z);
  const double slope = 1 - 1.6 * psi + 14.55 * psi2;
  return radius * radius * slope * per_cosh * per_cosh * p / (p + DCS_BORN_OFFSET);
}

/* What the last step rounds. Of hct: 1 / p and the sum 2 u of each, their difference and the
 * quotient 3. Of obc: the polynomial's terms 8 u of each, which e^2z takes twice; both parts of 1 /
 * B are positive, and quotients and the sum 6 u of it. */
static double last_rounding(const dcs_config *problem, double p, double integral) {
  const double radius = radius_at(problem, p, integral);
  if (problem->value[SCALING] == DCS_BORN_HCT)
    return U * (radius * radius * (2 / p + 2 * integral) + 3 * radius);
  const double psi = integral * p, psi2 = psi * psi, whole = p + DCS_BORN_OFFSET;
  const double z = psi - 0.8 * psi2 + 4.85 * psi2 * psi, per_cosh = 1 / cosh(z);
  const double parts = psi + 0.8 * psi2 + 4.85 * psi2 * psi;
  return U * (radius * radius * 8 * parts * per_cosh * per_cosh / whole + 9 * radius);
}

/* The sums over the spheres, taken to the radius by its steepest slope within what they may be off
 * by when all terms are added one after another. */
static dcs_sums reference(const dcs_case *c, int buffer, int64_t i, double largest) {
  const dcs_site *atom = &c->sites[i];
  const dcs_config *problem = &c->problem.config;
  const double p = radius_of(atom);
  dcs_sums sums = {0};
  (void)buffer;
  if (!(p > 0)) return sums;
  double most = 0;
  for (int64_t j = 0; j < c->n_sites; j++)
    most = fmax(most, radius_of(&c->sites[j]));
  for (int64_t j = 0; j < c->n_sites; j++)
    if (j != i) add_sphere(c, atom, &c->sites[j], largest, most, &sums);
  const double integral = sums.v, off = U * (rounding(problem) * sums.s + 4 * largest * sums.d +
                                             3 * sums.s * sqrt((double)c->n_sites)) +
                                        sums.e;
  const double slope =
      fmax(slope_at(problem, p, integral), fmax(slope_at(problem, p, fmax(integral - off, 0)),
                                                slope_at(problem, p, integral + off)));
  return (dcs_sums){.v = radius_at(problem, p, integral),
                    .s = slope * sums.s,
                    .d = slope * sums.d,
                    .e = slope * sums.e + last_rounding(problem, p, integral)};
}

/* An atom alone. */
static double single(const dcs_config *problem, const dcs_site *site, double r) {
  (void)problem;
  (void)r;
  return radius_of(site);
}

/* ---- the kind ---- */

static const dcs_buffer buffers[] = {
    [DCS_BORN_ATOMS] = {.name = "atoms", .bytes = sizeof(dcs_sphere)},
    [DCS_BORN_RADII] = {.name = "radii",
                        .bytes = sizeof(float),
                        .count = dcs_one_an_atom,
                        .output = true,
                        .reference = reference}};

/* A far pair takes 3 subtractions, 3 operations for r^2, 1 comparison, 1 reciprocal, and 5 for the
 * series and the sum: 13 instructions, where a card issues one of them or one multiply-add. Where
 * atoms are sorted by place most pairs are remote, without a comparison and with 3 for the series
 * and the sum: 10, of which a card's methods are held against, whether they sort or not. */
const dcs_kind dcs_kind_born = {
    .id = "born",
    .what = "generalised Born radii by pairwise descreening (HCT, OBC)",
    .unit = "angstrom",
    .eval = "pairs",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .axes = dcs_atom_axes,
    .n_axes = DCS_ATOM_AXES,
    .dimensions = dcs_atom_dimensions,
    .n_dimensions = DCS_ATOM_DIMENSIONS,
    .verified = verified,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof buffers[0],
    .input = input,
    .work = work,
    .reach = dcs_reaches_all,
    .rounding = rounding,
    .single = single,
    .limit = {[DCS_CPU] = "cpu_%s_fma_per_s", [DCS_GPU] = "gpu_fma_per_s"},
    .limit_cost = {[DCS_CPU] = 13, [DCS_GPU] = 10},
};
