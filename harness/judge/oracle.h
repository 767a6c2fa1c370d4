/* The oracle: the map in double precision by code of its own, and the acceptance of a map. */
#ifndef DCS_ORACLE_H
#define DCS_ORACLE_H

#include "harness/input/case.h"

/* Reference values at some points of the map: all of them when they are few, otherwise the corners
 * and a fixed random sample of edges, faces, last rows and the inside. */
typedef struct {
  int64_t n;
  int64_t *index; /* into the map */
  double *v;      /* sum q / r, e per angstrom */
  double *s;      /* sum |q| / r */
  double *d;      /* sum |q| / r^2: what a shift of the atoms changes, at most */
  double *e;      /* what rounding at the edge of a cutoff changes, at most; else 0 */
  double p;       /* largest coordinate of atoms and grid after the origin shift, angstrom */
  int64_t points; /* of the whole map */
} dcs_reference;

/* Computes references at as many points as `evals` evaluations pay for, at least 64. */
dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference);

/* The same for the map of the problem's cutoff c, which is above 0. With f = 1 - r^2/c^2 for a
 * smooth one (else 1), v is the sum of q f^2 / r over the atoms with r < c. An error of f counts
 * twice, so s is the sum of |q| f / r, which is larger than that of |q| f^2 / r, and d adds the
 * slope of f^2. An atom so near to the cutoff that rounding decides on which side it lies adds to
 * e. p leaves out atoms that no point has within its cutoff. */
dcs_status dcs_cutoff_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference);
/* The one of both that a variant's map is held against. */
dcs_status dcs_oracle_for(const dcs_variant *variant, const dcs_case *c, int64_t evals,
                          dcs_reference *reference);

/* What the case's cutoff leaves out: ||v_cutoff - v|| / ||v|| over the reference points, between
 * the values of dcs_cutoff_oracle(), `within`, and those of dcs_oracle() with as many `evals`. */
dcs_status dcs_cutoff_error(const dcs_case *c, int64_t evals, const dcs_reference *within,
                            double *error);
void dcs_reference_free(dcs_reference *reference);

typedef struct {
  bool accepted;
  double bound_ratio; /* largest |v - v_ref| / bound; NaN when any value is not finite */
  double rel_l2;      /* ||v - v_ref|| / ||v_ref|| over the reference points */
  int64_t worst;      /* index of the point that decides */
  double found, expected;
} dcs_verdict;

/* What a value may be off at reference point i:
 *     u (16 S + 4 P D + 3 S sqrt(L)) + E,  u = 2^-24,
 * L the longest run of float additions into one accumulator. The terms bound the rounding of the
 * reciprocal square root and the products, of the coordinates, of the summation, and of what lies
 * at a cutoff. */
double dcs_bound(const dcs_reference *reference, int64_t i, int64_t longest_sum);

/* Accepts when every value of the map is finite and, at every reference point, within the bound. */
dcs_verdict dcs_check(const dcs_reference *reference, const float *map, int64_t longest_sum);

#endif
