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
  double *d;      /* sum |q| / r^2 */
  double p;       /* largest coordinate of atoms and grid after the origin shift, angstrom */
  int64_t points; /* of the whole map */
} dcs_reference;

/* Computes references at as many points as `evals` evaluations pay for, at least 64. */
dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference);
void dcs_reference_free(dcs_reference *reference);

typedef struct {
  bool accepted;
  double bound_ratio; /* largest |v - v_ref| / bound; NaN when any value is not finite */
  double rel_l2;      /* ||v - v_ref|| / ||v_ref|| over the reference points */
  int64_t worst;      /* index of the point that decides */
  double found, expected;
} dcs_verdict;

/* Accepts when every value of the map is finite and, at every reference point,
 *     |v - v_ref| <= u (16 S + 4 P D + 3 S sqrt(L)),  u = 2^-24,
 * L the longest run of float additions into one accumulator. The terms bound the rounding of the
 * reciprocal square root and the products, of the coordinates, and of the summation. */
dcs_verdict dcs_check(const dcs_reference *reference, const float *map, int64_t longest_sum);

#endif
