#include "harness/labs/suspects.h"

#include <math.h>
#include <stdio.h>

/* ---- other formulas ---- */

static double inverse(double dx2, double dy2, double dz2) {
  return 1 / sqrt(dx2 + dy2 + dz2);
}

/* Of the distances to an atom, and its charge. */
static double right_term(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[1] * d[1], d[2] * d[2]);
}
static double squared(const double d[3], double q) {
  return q / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}
static double cubed(const double d[3], double q) {
  return q * pow(right_term(d, 1), 3);
}
static double multiplied(const double d[3], double q) {
  return q / right_term(d, 1);
}
static double not_rooted(const double d[3], double q) {
  return q * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}
static double without_charge(const double d[3], double q) {
  (void)q;
  return right_term(d, 1);
}
static double positive(const double d[3], double q) {
  return right_term(d, fabs(q));
}
static double without_x(const double d[3], double q) {
  return q * inverse(0, d[1] * d[1], d[2] * d[2]);
}
static double without_y(const double d[3], double q) {
  return q * inverse(d[0] * d[0], 0, d[2] * d[2]);
}
static double without_z(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[1] * d[1], 0);
}
static double z_squared_twice(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[1] * d[1], pow(d[2], 4));
}
static double x_not_squared(const double d[3], double q) {
  return q * inverse(d[0], d[1] * d[1], d[2] * d[2]);
}
static double y_not_squared(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[1], d[2] * d[2]);
}
static double z_not_squared(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[1] * d[1], d[2]);
}
static double dz2_as_charge(const double d[3], double q) {
  (void)q;
  return right_term(d, d[2] * d[2]);
}
static double x_twice(const double d[3], double q) {
  return q * inverse(d[0] * d[0], d[0] * d[0], d[2] * d[2]);
}

static double x_truncated(const double d[3], double q) {
  return q * inverse(trunc(d[0]) * trunc(d[0]), d[1] * d[1], d[2] * d[2]);
}
static double y_truncated(const double d[3], double q) {
  return q * inverse(d[0] * d[0], trunc(d[1]) * trunc(d[1]), d[2] * d[2]);
}

static const struct {
  double (*term)(const double d[3], double q);
  const char *clause;
} formulas[] = {
    {squared, "they are sums of q / r^2: the square root is missing"},
    {cubed, "they are sums of q / r^3"},
    {multiplied, "they are sums of q r: the distance is multiplied by instead of divided by"},
    {not_rooted, "they are sums of q r^2: the reciprocal square root is missing"},
    {without_charge, "they are sums of 1 / r: the charge is missing"},
    {positive, "the charge's sign is lost"},
    {without_x, "dx is missing in the distance"},
    {without_y, "dy is missing in the distance"},
    {without_z, "dz is missing in the distance"},
    {z_squared_twice, "dz is squared twice: atom.z is dz^2 already"},
    {x_not_squared, "dx is not squared"},
    {y_not_squared, "dy is not squared"},
    {z_not_squared, "dz is not squared"},
    {dz2_as_charge, "atom.z (dz^2) is taken for the charge, which is atom.w"},
    {x_twice, "dx stands where dy belongs"},
    {x_truncated, "dx has lost its fraction: an int holds none"},
    {y_truncated, "dy has lost its fraction: an int holds none"},
};

/* ---- other places ---- */

/* Where a point's value is computed, in spacings, by a kernel whose threads have K points. */
typedef struct {
  double spacing;
  int block_x, coarsen;
  dcs_dims n;
} layout;

static void shift_left(const layout *l, double at[3]) {
  (void)l;
  at[0] -= 1;
}
static void shift_right(const layout *l, double at[3]) {
  (void)l;
  at[0] += 1;
}
static void shift_down(const layout *l, double at[3]) {
  (void)l;
  at[1] -= 1;
}
static void shift_up(const layout *l, double at[3]) {
  (void)l;
  at[1] += 1;
}
static void shift_back(const layout *l, double at[3]) {
  (void)l;
  at[2] -= 1;
}
static void shift_on(const layout *l, double at[3]) {
  (void)l;
  at[2] += 1;
}
static void first_slice(const layout *l, double at[3]) {
  (void)l;
  at[2] = 0;
}
static void swapped(const layout *l, double at[3]) {
  (void)l;
  const double x = at[0];
  at[0] = at[1];
  at[1] = x;
}
static void without_spacing(const layout *l, double at[3]) {
  at[0] /= l->spacing;
  at[1] /= l->spacing;
}
static void x_without_spacing(const layout *l, double at[3]) {
  at[0] /= l->spacing;
}
static void y_without_spacing(const layout *l, double at[3]) {
  at[1] /= l->spacing;
}
static void z_without_spacing(const layout *l, double at[3]) {
  at[2] /= l->spacing;
}
static void y_fastest(const layout *l, double at[3]) {
  const double p = at[1] * (double)l->n.x + at[0];
  at[0] = floor(p / (double)l->n.y);
  at[1] = fmod(p, (double)l->n.y);
}
static void z_fastest(const layout *l, double at[3]) {
  const double nx = (double)l->n.x, ny = (double)l->n.y, nz = (double)l->n.z;
  const double p = (at[2] * ny + at[1]) * nx + at[0];
  at[0] = floor(p / (ny * nz));
  at[1] = fmod(floor(p / nz), ny);
  at[2] = fmod(p, nz);
}
/* The points of a thread are adjacent, or block_x apart: number m of them, and its first. */
static void first_of_adjacent(const layout *l, double at[3]) {
  at[0] -= fmod(at[0], l->coarsen);
}
static void first_of_strided(const layout *l, double at[3]) {
  const double in_tile = fmod(at[0], (double)l->block_x * l->coarsen);
  at[0] += fmod(in_tile, l->block_x) - in_tile;
}
static void adjacent_for_strided(const layout *l, double at[3]) {
  const double m = floor(fmod(at[0], (double)l->block_x * l->coarsen) / l->block_x);
  first_of_strided(l, at);
  at[0] += m;
}
static void strided_for_adjacent(const layout *l, double at[3]) {
  const double m = fmod(at[0], l->coarsen);
  at[0] += m * (l->block_x - 1);
}

static const struct {
  void (*move)(const layout *, double at[3]);
  const char *clause;
} places[] = {
    {shift_left, "they are those of the points one to the left: x is one too small"},
    {shift_right, "they are those of the points one to the right: x is one too large"},
    {shift_down, "they are those of the points one row before: y is one too small"},
    {shift_up, "they are those of the points one row after: y is one too large"},
    {z_without_spacing, "z is not multiplied by the spacing"},
    {first_slice, "they are those of slice 0: the slice's number is not used"},
    {shift_back, "they are those of the slice before: z is one too small"},
    {shift_on, "they are those of the slice after: z is one too large"},
    {swapped, "x and y are swapped"},
    {y_fastest, "they are written as if y ran fastest; point (i, j) belongs at j * nx + i"},
    {z_fastest, "they are written as if z ran fastest; the loop over x belongs inside"},
    {without_spacing, "coordinates are not multiplied by the spacing"},
    {x_without_spacing, "x is not multiplied by the spacing"},
    {y_without_spacing, "y is not multiplied by the spacing"},
    {first_of_adjacent, "each thread computes its first point again and again: x does not "
                        "change from point to point"},
    {first_of_strided, "each thread computes its first point again and again: x does not "
                       "change from point to point"},
    {adjacent_for_strided, "points are computed as if those of a thread were adjacent, but "
                           "written block_x apart"},
    {strided_for_adjacent, "points are computed as if those of a thread were block_x apart, "
                           "but written side by side"},
};

/* ---- comparing ---- */

typedef double term_function(const double d[3], double q);
typedef void move_function(const layout *, double at[3]);

static bool fits_point(const dcs_wrong_values *wrong, int64_t i, const layout *l,
                       term_function *term, move_function *move) {
  int64_t index[3];
  double value = 0, sum = 0;
  dcs_point_at(wrong->c, wrong->index[i], index);
  double at[3] = {(double)index[0], (double)index[1], (double)index[2]};
  if (move) move(l, at);
  for (int64_t a = 0; a < wrong->c->n_sites; a++) {
    const dcs_site *s = &wrong->c->sites[a];
    const double d[3] = {l->spacing * at[0] - s->x, l->spacing * at[1] - s->y,
                         l->spacing * at[2] - s->z};
    const double one = term(d, s->q);
    value += one;
    sum += fabs(one);
  }
  if (!isfinite(value) || !isfinite(wrong->found[i]))
    return isfinite(value) == isfinite(wrong->found[i]);
  return fabs(wrong->found[i] - value) <= 1e-4 * sum;
}

/* Nearly all: where values become large, single precision is far off. */
static bool fits(const dcs_wrong_values *wrong, term_function *term, move_function *move) {
  enum { FEWEST = 4 }; /* fewer fit something by chance */
  const dcs_method *method = wrong->method;
  const layout l = {
      wrong->c->spacing,
      dcs_role_value(method->variant, &method->config, DCS_ROLE_BLOCK_X, 1),
      dcs_role_value(method->variant, &method->config, DCS_ROLE_COARSEN, 1) *
          dcs_role_value(method->variant, &method->config, DCS_ROLE_COARSEN_X, 1),
      wrong->c->problem.n,
  };
  int64_t n = 0, finite = 0;
  for (int64_t i = 0; i < wrong->n; i++) {
    n += fits_point(wrong, i, &l, term, move);
    finite += isfinite(wrong->found[i]) != 0;
  }
  return finite >= FEWEST && (double)n >= 0.95 * (double)wrong->n;
}

bool dcs_suspect_formula(const dcs_wrong_values *wrong, char clause[DCS_TEXT]) {
  for (size_t f = 0; f < sizeof formulas / sizeof formulas[0]; f++) {
    if (!fits(wrong, formulas[f].term, NULL)) continue;
    snprintf(clause, DCS_TEXT, "%s", formulas[f].clause);
    return true;
  }
  for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
    if (!fits(wrong, right_term, places[p].move)) continue;
    snprintf(clause, DCS_TEXT, "%s", places[p].clause);
    return true;
  }
  return false;
}
