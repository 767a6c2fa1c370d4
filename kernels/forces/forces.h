/* The problem kind `forces`: Lennard-Jones and Coulomb forces and energies of n atoms, of all pairs
 * within a cutoff c that are not excluded. With r the distance of a pair, R the sum of the atoms'
 * halves of R_min and e the root of the product of their wells (Lorentz and Berthelot, as CHARMM
 * combines them), or what a table has of their types (NBFIX), its energy in kcal/mol is
 *
 *     S(r) e ((R/r)^12 - 2 (R/r)^6)  +  k q_i q_j C(r) / r,       k = 332.0636
 *
 * S: 1 up to where switching begins, s; then 1 - 3 t^2 + 2 t^3, t = (r^2 - s^2) / (c^2 - s^2). That
 * is X-PLOR's (c^2 - r^2)^2 (c^2 + 2 r^2 - 3 s^2) / (c^2 - s^2)^3 (Brooks and others, CHARMM,
 * J. Comput. Chem. 4, 1983; NAMD's user guide, "Non-bonded interactions"). C: (1 - r^2/c^2)^2,
 * shifted (the same); or erfc(alpha r), the part of an Ewald sum that is summed over pairs, which
 * ends at the cutoff. Of an excluded pair neither counts; an Ewald sum takes what its mesh adds of
 * it, erf(alpha r) / r, away elsewhere.
 *
 * Excluded are bonded atoms and those bonded to the same atom (1-2, 1-3). A special pair (1-4,
 * where its R, e or charges are not those of others) is excluded, too, and added apart, from a
 * list: by special.c on CPUs, by a step of special.cuh on GPUs. It ends at the cutoff as others do.
 */
#ifndef DCS_FORCES_H
#define DCS_FORCES_H

#include "kernels/contract.h"

#include <math.h>

/* The kind's buffers: dcs_particle each; dcs_well each; ints, where the atoms that are excluded
 * with each begin in the next (one more than atoms); their numbers, ascending; ints, each atom's
 * type of those that a table has, from 1 on, or 0, and behind them how many, n; the table, n * n
 * dcs_pair, of types a + 1 and b + 1 in place a n + b; ints, where the special pairs of each begin
 * in the next (one more than atoms); dcs_special; dcs_force each. */
enum {
  DCS_FORCES_ATOMS,
  DCS_FORCES_WELLS,
  DCS_FORCES_BEGINS,
  DCS_FORCES_EXCLUDED,
  DCS_FORCES_TYPES,
  DCS_FORCES_TABLE,
  DCS_FORCES_SPECIAL_BEGINS,
  DCS_FORCES_SPECIAL,
  DCS_FORCES_OUT
};

typedef struct {
  float x, y, z; /* angstrom */
  float q;       /* e, times the root of k: the product of two over r is kcal/mol */
} dcs_particle;

/* Of Lennard-Jones: half of R_min, angstrom; the root of the well's depth, (kcal/mol)^(1/2). */
typedef struct {
  float half, root;
} dcs_well;

/* Of a pair: R, angstrom; the well's depth, kcal/mol. */
typedef struct {
  float minimum, depth;
} dcs_pair;

/* A special pair: the other atom; R, depth; what its product of charges is multiplied by. */
typedef struct {
  int32_t atom;
  float minimum, depth, charges;
} dcs_special;

typedef struct {
  float x, y, z; /* kcal/mol/angstrom */
  float energy;  /* half of that of the atom's pairs, kcal/mol */
} dcs_force;

/* The kind's parameters. */
enum {
  DCS_FORCES_CUTOFF,
  DCS_FORCES_SWITCH_FROM,
  DCS_FORCES_ELECTROSTATICS,
  DCS_FORCES_ALPHA,
  DCS_FORCES_RADIAL_ERROR,
  DCS_FORCES_BOUNDARY,
  DCS_FORCES_CELL_X,
  DCS_FORCES_CELL_Y,
  DCS_FORCES_CELL_Z
};
enum { DCS_FORCES_SHIFTED, DCS_FORCES_EWALD };
enum { DCS_FORCES_OPEN, DCS_FORCES_PERIODIC };

#define DCS_FORCES_COULOMB 332.0636

/* Random atoms are water on a lattice of this pitch, angstrom, which gives its density. */
#define DCS_FORCES_PITCH 3.105163775311734

/* erfc(z) = exp(-z^2) t P(t), t = 1 / (1 + 0.4 z), z >= 0: off by 0.5 u, u = 2^-24 (weighted least
 * squares, made minimax by weights). */
#define DCS_FORCES_ERFC_T  0.4f
#define DCS_FORCES_ERFC_P0 0x1.dafa2cp-3f
#define DCS_FORCES_ERFC_P1 0x1.4b68e0p-3f
#define DCS_FORCES_ERFC_P2 0x1.df84e0p-2f
#define DCS_FORCES_ERFC_P3 -0x1.7bd14cp-2f
#define DCS_FORCES_ERFC_P4 0x1.6b15fap-1f
#define DCS_FORCES_ERFC_P5 -0x1.9a2220p-3f

static inline const dcs_particle *dcs_particles(const dcs_problem *problem) {
  return (const dcs_particle *)problem->input[DCS_FORCES_ATOMS];
}
static inline const dcs_well *dcs_wells(const dcs_problem *problem) {
  return (const dcs_well *)problem->input[DCS_FORCES_WELLS];
}

/* Whether any pair is special; where inputs are not known, some may be. */
static inline bool dcs_forces_any_special(const dcs_problem *problem) {
  const int32_t *begins = (const int32_t *)problem->input[DCS_FORCES_SPECIAL_BEGINS];
  return !begins || begins[problem->n_inputs] > 0;
}

/* The edge of the cube of the lattice of so many atoms, angstrom. */
static inline double dcs_forces_cube(int64_t atoms) {
  return DCS_FORCES_PITCH * ceil(cbrt((double)((atoms + 2) / 3)) - 1e-9);
}

/* Before inputs are filled there are outputs alone. */
static inline int64_t dcs_forces_atoms_of(const dcs_problem *problem) {
  return problem->n_inputs > problem->n.x ? problem->n_inputs : problem->n.x;
}

/* Whether atoms repeat, in a cell of these edges, angstrom. An edge of 0 stands for that of the
 * cube of as many atoms of water, or for twice the cutoff where that is more. */
static inline bool dcs_forces_cell(const dcs_problem *problem, double edge[3]) {
  const double *value = problem->config.value;
  const double cube = dcs_forces_cube(dcs_forces_atoms_of(problem));
  for (int d = 0; d < 3; d++) {
    edge[d] = value[DCS_FORCES_CELL_X + d];
    if (!(edge[d] > 0)) edge[d] = fmax(cube, 2 * value[DCS_FORCES_CUTOFF]);
  }
  return value[DCS_FORCES_BOUNDARY] == DCS_FORCES_PERIODIC;
}

/* Where switching begins, angstrom. */
static inline double dcs_forces_switch_from(const dcs_config *config) {
  const double from = config->value[DCS_FORCES_SWITCH_FROM];
  return from > 0 ? from : config->value[DCS_FORCES_CUTOFF] * (5.0 / 6);
}

/* What kernels know of a pair's terms beside its atoms. */
typedef struct {
  float cutoff2, per_cutoff2; /* c^2, 1 / c^2 */
  float slope, from;          /* t = r^2 slope - from, within 0 and 1 */
  float alpha;                /* 0: shifted */
  float peak;                 /* 2 alpha / root of pi */
  float power;                /* -alpha^2 log2(e): exp(-alpha^2 r^2) = 2^(power r^2) */
} dcs_forces_terms;

static inline dcs_forces_terms dcs_forces_terms_of(const dcs_problem *problem) {
  const double *value = problem->config.value;
  const bool ewald = value[DCS_FORCES_ELECTROSTATICS] == DCS_FORCES_EWALD;
  const double c2 = value[DCS_FORCES_CUTOFF] * value[DCS_FORCES_CUTOFF];
  const double s = dcs_forces_switch_from(&problem->config), s2 = s * s;
  const double alpha = ewald ? value[DCS_FORCES_ALPHA] : 0;
  return (dcs_forces_terms){.cutoff2 = (float)c2,
                            .per_cutoff2 = (float)(1 / c2),
                            .slope = (float)(1 / (c2 - s2)),
                            .from = (float)(s2 / (c2 - s2)),
                            .alpha = (float)alpha,
                            .peak = (float)(1.12837916709551257390 * alpha),
                            .power = (float)(-alpha * alpha * 1.44269504088896340736)};
}

#endif
