/* What is right of a problem of forces: each value in double precision, and what it may be off. */
#include "harness/problems/forces_pairs.h"
#include "kernels/forces/forces.h"

#include <math.h>

enum { ALPHA = DCS_FORCES_ALPHA, RADIAL_ERROR = DCS_FORCES_RADIAL_ERROR };

static double cutoff_of(const dcs_config *problem) {
  return problem->value[DCS_FORCES_CUTOFF];
}

#define U 0x1p-24

/* Kernels compute, in units of u: r^2 from differences, 5, its root's reciprocal, 7; a charge over
 * r^3, 26; the error function is off by 0.5, its polynomial by 5, its argument by 4, its
 * exponential by 8, of 1 (DCS_FORCES_ERFC). R / r, its halves rounded, is off by 10, its twelfth
 * power by 125, with its depth, factors, and, for a force, over r^2, by 160: WELL more. */
enum { CHARGE = 48, WELL = 112 };
double dcs_forces_rounding(const dcs_config *problem) {
  (void)problem;
  return CHARGE;
}

/* A pair's energy and -dE/dr; the sums of the magnitudes of their parts; how steep the second is at
 * most; and what the rounding of where switching stands may change of each. */
typedef struct {
  double energy, force, energy_size, force_size, slope, energy_off, force_off;
} terms;

static void add_lennard_jones(const dcs_config *problem, double depth, double minimum, double r,
                              terms *t) {
  const double c = cutoff_of(problem), s = dcs_forces_switch_from(problem), x = r * r;
  const double width = c * c - s * s, b = pow(minimum / r, 6), a = b * b;
  double at = 1, by_r = 0, by_r2 = 0; /* of the switching function, its derivatives' magnitudes */
  if (x > s * s) {
    at = (c * c - x) * (c * c - x) * (c * c + 2 * x - 3 * s * s) / pow(width, 3);
    by_r = 12 * r * (c * c - x) * (s * s - x) / pow(width, 3);
    by_r2 = 12 * (width * width + 4 * x * width) / pow(width, 3);
  }
  const double energy = depth * (a - 2 * b), size = depth * (a + 2 * b);
  const double force = 12 * depth * (a - b) / r, force_size = 12 * depth * (a + b) / r;
  const double off = x > 0.99 * s * s ? 12 * U * c * c / width : 0; /* of t */
  t->energy += energy * at;
  t->force += force * at - energy * by_r;
  t->energy_size += size;
  t->force_size += force_size + size * fabs(by_r);
  t->slope += depth * (156 * a + 84 * b) / x + 2 * force_size * fabs(by_r) + size * by_r2;
  t->energy_off += (1.5 * off + WELL * U) * size;
  t->force_off += (1.5 * off + WELL * U) * (force_size + size * fabs(by_r));
  t->force_off += 12 * r / width * off * size;
}

static void add_coulomb(const dcs_config *problem, double qq, double r, terms *t) {
  const double c = cutoff_of(problem), alpha = problem->value[ALPHA], size = fabs(qq);
  if (problem->value[DCS_FORCES_ELECTROSTATICS] != DCS_FORCES_EWALD) {
    const double left = 1 - r * r / (c * c);
    t->energy += qq / r * left * left;
    t->force += qq * (left * left / (r * r) + 4 * left / (c * c));
    t->force_size += size * (1 / (r * r) + 4 / (c * c));
    t->slope += size * (2 / (r * r * r) + 6 * r / pow(c, 4));
  } else {
    const double peak = 2 * alpha / sqrt(acos(-1)), bell = peak * exp(-alpha * alpha * r * r);
    t->energy += qq * erfc(alpha * r) / r;
    t->force += qq * (erfc(alpha * r) / r + bell) / r;
    t->force_size += size * (1 / r + peak) / r;
    t->slope += size * (2 / (r * r * r) + 2 * peak / (r * r) + 2 * alpha * alpha * peak);
  }
  t->energy_size += size / r;
}

/* Of a pair, or, `special`, of one that is so. */
static terms terms_of(const dcs_case *c, int64_t i, int64_t j, const dcs_special_pair *special,
                      double r) {
  const dcs_pair_well well = special ? special->well : dcs_force_field_well(&c->field, i, j);
  const double charges = c->sites[i].q * c->sites[j].q * (special ? special->charges : 1);
  terms t = {0};
  add_lennard_jones(&c->problem.config, well.depth, well.minimum, r, &t);
  add_coulomb(&c->problem.config, DCS_FORCES_COULOMB * charges, r, &t);
  return t;
}

/* Places round, and the more where atoms repeat: they are put into the cell, which moves them by
 * up to what their coordinates round by and 5 u of its edge, and images move by it. */
static double rounded_places(const double cell_edges[3], bool periodic, double largest) {
  const double edge = fmax(cell_edges[0], fmax(cell_edges[1], cell_edges[2]));
  return periodic ? 2 * largest + 4 * edge : largest;
}

/* Adds what atom j does to the value of atom i: a component of its force, or, k = 3, its energy.
 * Magnitudes and slopes are those at the nearest that rounding may bring the pair. Where it may
 * carry the pair across the cutoff, an Ewald term is there or not. */
static void add_pair(const dcs_case *c, int64_t i, int64_t j, const dcs_special_pair *special,
                     int k, const double apart[3], double places, dcs_sums *sums) {
  const double r = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
  const double cutoff = cutoff_of(&c->problem.config), moved = 6 * U * places + 8 * U * cutoff;
  const double along = k < 3 ? apart[k] / r : 0.5, allowed = c->problem.config.value[RADIAL_ERROR];
  const bool within = r < cutoff;
  const terms t = terms_of(c, i, j, special, fmin(r, cutoff)),
              near = terms_of(c, i, j, special, fmax(fmin(r, cutoff) - moved, 0.5 * r));
  const double size = (k < 3 ? near.force_size : near.energy_size) * fabs(along);
  if (fabs(r - cutoff) <= moved)
    sums->e += fabs((k < 3 ? near.force : near.energy) * along) +
               moved * (k < 3 ? near.slope : near.force_size);
  if (!within) return;
  sums->v += (k < 3 ? t.force : t.energy) * along;
  sums->s += size;
  sums->d += k < 3 ? near.slope + near.force_size / r : 0.5 * near.force_size;
  sums->e += (k < 3 ? near.force_off : near.energy_off) * fabs(along) + allowed * size;
}

dcs_sums dcs_forces_reference(const dcs_case *c, int buffer, int64_t value, double largest) {
  const int64_t i = value / 4;
  const double cutoff = cutoff_of(&c->problem.config);
  double edges[3], apart[3];
  const bool periodic = dcs_forces_cell(&c->problem, edges);
  const double places = rounded_places(edges, periodic, largest);
  const double reach = cutoff + 6 * U * places + 8 * U * cutoff;
  dcs_sums sums = {0};
  (void)buffer;
  for (int64_t j = 0; j < c->n_sites; j++) {
    if (dcs_forces_apart(edges, periodic, &c->sites[i], &c->sites[j], apart) > reach * reach ||
        j == i)
      continue;
    const dcs_special_pair *special = dcs_forces_special(&c->field, i, j);
    if (special || !dcs_forces_excluded(&c->field, i, j))
      add_pair(c, i, j, special, (int)(value % 4), apart, places, &sums);
  }
  if (largest > 0) sums.d *= places / largest;
  return sums;
}
