/* The problem kind `orbital`: the amplitude of a molecular orbital on a grid. */
#include "kernels/orbital/orbital.h"
#include "harness/base/grow.h"
#include "harness/problems/common.h"
#include "harness/problems/orbital_basis.h"
#include "harness/problems/orbital_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)DCS_ORBITAL_L == (int)DCS_MOST_L &&
                   (int)DCS_ORBITAL_MONOMIALS == (int)DCS_MOST_MONOMIALS,
               "kernels take what is read");

static const char *const verified[] = {"", NULL};

/* ---- inputs ---- */

/* Of a file's basis the atoms that are taken may have no part. */
static dcs_status complete(dcs_case *c) {
  if (!c->basis) return dcs_orbital_basis(c->sites, c->n_sites, &c->basis);
  if (c->basis->n_shells > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "the first %lld atoms have no shells; expected an atom with one among them, of "
                  "which an orbital is a sum",
                  (long long)c->n_sites);
}

static int64_t parts_of(const dcs_shell *shell) {
  return dcs_divide_up(shell->n, DCS_ORBITAL_PRIMITIVES);
}

static int64_t count_shells(const dcs_case *c) {
  int64_t n = 0;
  for (int64_t s = 0; s < c->basis->n_shells; s++)
    n += parts_of(&c->basis->shells[s]);
  return n;
}

/* What is usual of so many atoms, where only the shape matters. */
static int64_t usual_shells(const dcs_problem *problem) {
  return problem->n_inputs;
}

static dcs_orbital_shell part_of(const dcs_case *c, const dcs_shell *shell, int64_t part) {
  const dcs_site *site = &c->sites[shell->atom];
  const int first = (int)part * DCS_ORBITAL_PRIMITIVES, left = shell->n - first;
  dcs_orbital_shell to;
  memset(&to, 0, sizeof to);
  to.x = (float)site->x;
  to.y = (float)site->y;
  to.z = (float)site->z;
  to.l = shell->l;
  to.n = left < DCS_ORBITAL_PRIMITIVES ? left : DCS_ORBITAL_PRIMITIVES;
  for (int m = 0; m < DCS_MOST_MONOMIALS; m++)
    to.c[m] = (float)(shell->c[m] / pow(DCS_BOHR, shell->l));
  for (int p = 0; p < to.n; p++) {
    const dcs_primitive *from = &c->basis->primitives[shell->first + first + p];
    to.gaussian[p] = (dcs_orbital_gaussian){
        (float)(1.4426950408889634074 * from->exponent / DCS_BOHR / DCS_BOHR),
        (float)from->coefficient};
  }
  return to;
}

static int compare_numbers(const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* An order in which those of one type are next to each other. */
static int compare_types(const dcs_orbital_shell *a, const dcs_orbital_shell *b) {
  if (a->l != b->l) return a->l < b->l ? -1 : 1;
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  int order = 0;
  for (int p = 0; order == 0 && p < a->n; p++) {
    order = compare_numbers(&a->gaussian[p].rate, &b->gaussian[p].rate, 1);
    if (order == 0) order = compare_numbers(&a->gaussian[p].weight, &b->gaussian[p].weight, 1);
  }
  return order;
}

/* Those of a type by place, then by what the orbital has of them: others are equal. */
static int compare_shells(const void *left, const void *right) {
  const dcs_orbital_shell *a = left, *b = right;
  int order = compare_types(a, b);
  if (order == 0) order = compare_numbers(&a->x, &b->x, 1);
  if (order == 0) order = compare_numbers(&a->y, &b->y, 1);
  if (order == 0) order = compare_numbers(&a->z, &b->z, 1);
  return order != 0 ? order : compare_numbers(a->c, b->c, DCS_ORBITAL_MONOMIALS);
}

static void fill(const dcs_case *c, int buffer, void *data) {
  dcs_orbital_shell *shells = data;
  int64_t n = 0;
  int type = 0;
  (void)buffer;
  for (int64_t s = 0; s < c->basis->n_shells; s++)
    for (int64_t part = 0; part < parts_of(&c->basis->shells[s]); part++)
      shells[n++] = part_of(c, &c->basis->shells[s], part);
  qsort(shells, (size_t)n, sizeof *shells, compare_shells);
  for (int64_t s = 1; s < n; s++) {
    type += compare_types(&shells[s - 1], &shells[s]) != 0;
    shells[s].type = type; /* behind what was compared */
  }
}

/* Primitives at points. */
static double work(const dcs_case *c, bool given) {
  (void)given;
  return (double)c->basis->n_primitives * (double)dcs_points(c->problem.n);
}

/* ---- what is right ---- */

#define U 0x1p-24

/* A shell at a point, in bohr: the polynomial, the magnitudes of its monomials and of their
 * derivatives added up, and how large it is at most where monomials are 1. */
typedef struct {
  double v, s, slope, most;
} polynomial;

static double power(double x, int n) {
  double p = 1;
  while (n-- > 0)
    p *= x;
  return p;
}

static polynomial polynomial_at(const dcs_shell *shell, const double d[3], double moved) {
  polynomial p = {0};
  const double x = fabs(d[0]) + moved, y = fabs(d[1]) + moved, z = fabs(d[2]) + moved;
  for (int k = 0; k <= shell->l; k++)
    for (int j = 0; j <= shell->l - k; j++) {
      const int i = shell->l - j - k;
      const double c = shell->c[dcs_monomial(shell->l, j, k)], a = fabs(c);
      const double xi = power(x, i), yj = power(y, j), zk = power(z, k);
      p.v += c * power(d[0], i) * power(d[1], j) * power(d[2], k);
      p.s += a * xi * yj * zk;
      p.slope +=
          a * ((i ? i * power(x, i - 1) * yj * zk : 0) + (j ? j * power(y, j - 1) * xi * zk : 0) +
               (k ? k * power(z, k - 1) * xi * yj : 0));
      p.most += a * power(1 + x + y + z, shell->l);
    }
  return p;
}

/* Adds a shell. In units of u, relative: the exponent is computed from squares of differences, in
 * one sum or in three: differences 1 each, squares 3, the rate 1, products and sums 3: 8, so that
 * the term is off by 8 times its natural exponent. Coordinates move by 3 u of the largest in each
 * dimension, of which dcs_sums.d says what it changes. A factor below the least normal number may
 * be taken for 0. */
static void add_shell(const dcs_case *c, const dcs_shell *shell, const double point[3],
                      double largest, dcs_sums *sums) {
  const dcs_site *site = &c->sites[shell->atom];
  const double d[3] = {(point[0] - site->x) / DCS_BOHR, (point[1] - site->y) / DCS_BOHR,
                       (point[2] - site->z) / DCS_BOHR};
  const double moved = 6 * U * largest / DCS_BOHR;
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], nearest = fmax(sqrt(r2) - moved, 0);
  const double along = fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + 3 * moved;
  const polynomial p = polynomial_at(shell, d, moved);
  double v = 0, s = 0, slope = 0, exponents = 0, weights = 0;
  for (int n = 0; n < shell->n; n++) {
    const dcs_primitive *primitive = &c->basis->primitives[shell->first + n];
    const double e = primitive->exponent, w = fabs(primitive->coefficient);
    const double near_term = w * exp(-e * nearest * nearest);
    v += primitive->coefficient * exp(-e * r2);
    s += near_term;
    slope += near_term * 2 * e * along;
    exponents += near_term * e * r2;
    weights += w;
  }
  sums->v += p.v * v;
  sums->s += p.s * s;
  sums->d += (p.slope * s + p.s * slope) / DCS_BOHR;
  sums->e += 8 * U * p.s * exponents + 0x1p-124 * p.most * weights;
}

static dcs_sums reference(const dcs_case *c, int buffer, int64_t i, double largest) {
  dcs_sums sums = {0};
  double point[3];
  (void)buffer;
  dcs_case_point(c, i, point);
  for (int64_t s = 0; s < c->basis->n_shells; s++)
    add_shell(c, &c->basis->shells[s], point, largest, &sums);
  return sums;
}

/* Beside the exponent, in units of u: weight and coefficient 1 each, a monomial 3 differences and 3
 * products, the sum of the polynomial 4; up to three powers of two, 4 each (CUDA's guide,
 * ex2.approx), and 4 products; a contraction's sum 6, the polynomial in z 3; and 6 to spare. */
static double rounding(const dcs_config *problem) {
  (void)problem;
  return 1 + 1 + 3 + 3 + 4 + 3 * 4 + 4 + 6 + 3 + 6;
}

/* ---- the kind ---- */

static const dcs_buffer buffers[] = {
    [DCS_ORBITAL_SHELLS] = {.name = "shells",
                            .bytes = sizeof(dcs_orbital_shell),
                            .count = usual_shells,
                            .inputs = count_shells,
                            .fill = fill},
    [DCS_ORBITAL_TERMS] = {.name = "terms",
                           .bytes = sizeof(dcs_orbital_term),
                           .count = dcs_orbital_term_places,
                           .fill = dcs_orbital_fill_terms},
    [DCS_ORBITAL_MAP] = {
        .name = "map", .bytes = sizeof(float), .output = true, .reference = reference}};

/* Of the basis of generated atoms, an atom has 12.8 primitives, and a primitive 1.125 multiply-adds
 * a point, of terms that shells share: orbital_basis.h. */
const dcs_kind dcs_kind_orbital = {
    .id = "orbital",
    .what = "amplitude of a molecular orbital: a sum of contracted Gaussians, s to f",
    .unit = "bohr^-3/2",
    .eval = "primitives",
    .axes = dcs_map_axes,
    .n_axes = DCS_MAP_AXES,
    .dimensions = dcs_map_dimensions,
    .n_dimensions = DCS_MAP_DIMENSIONS,
    .verified = verified,
    .whole = dcs_orbital_whole,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof buffers[0],
    .needs = DCS_ORBITAL,
    .complete = complete,
    .work = work,
    .evals_an_atom = DCS_ORBITAL_EVALS,
    .reach = dcs_reaches_all,
    .rounding = rounding,
    .limit = {[DCS_CPU] = "cpu_%s_fma_per_s", [DCS_GPU] = "gpu_fma_per_s"},
    .limit_cost = {[DCS_CPU] = DCS_ORBITAL_FMA, [DCS_GPU] = DCS_ORBITAL_FMA},
};
