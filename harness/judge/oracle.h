/* The oracle: outputs in double precision by code of its own, and the acceptance of an output. */
#ifndef DCS_ORACLE_H
#define DCS_ORACLE_H

#include "harness/problems/case.h"

/* Reference values of some values of an output: of all when they are few, otherwise, on a grid, of
 * the corners and a fixed random sample of edges, faces, last rows and the inside. */
typedef struct dcs_reference {
  int buffer; /* which output of the kind */
  int64_t n;
  int64_t *index; /* into the output's values */
  dcs_sums *sums;
  double largest;   /* coordinate of atoms and grid after the origin shift, angstrom */
  double rounding;  /* the problem's */
  double tolerance; /* the problem's; 0: rounding alone */
  double scale;     /* of a map to a tolerance: R of dcs_bound() */
  int64_t points;   /* values of the whole output */
  double (*value)(const void *out, int64_t i); /* NULL: they are floats */
  struct dcs_reference *next;                  /* of the kind's next output; NULL: there is none */
} dcs_reference;

/* Computes references of the problem that the case poses, for each output at as many points as
 * `evals` evaluations pay for, at least 64; DCS_FAILED on an interrupt. The points depend on the
 * sizes of the outputs, the number of atoms and `evals` alone. Of what has no reference there is
 * none: n is 0 where no output has any. */
dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference);
void dcs_reference_free(dcs_reference *reference);

/* What the case's problem leaves out of the one that it approximates (dcs_kind.approximates):
 * ||v - v_exact|| / ||v_exact|| over the first output's reference points; NaN where it approximates
 * none; 0 to a tolerance, where what an answer lacks is its verdict's rel_l2. The case poses the
 * same problem afterwards. */
dcs_status dcs_model_error(dcs_case *c, int64_t evals, const dcs_reference *reference,
                           double *error);

typedef struct {
  bool accepted;
  double bound_ratio; /* largest |v - v_ref| / bound; NaN when any value is not finite */
  double rel_l2;      /* ||v - v_ref|| / ||v_ref|| over the reference points */
  double max_error;   /* to a tolerance: the largest |v - v_ref| / R; NaN without one */
  int64_t worst;      /* index of the point that decides */
  double found, expected;
} dcs_verdict;

/* What a value may be off at reference point i:
 *     u (16 S + 4 P D + 3 S sqrt(L)) + E,  u = 2^-24
 * (16: the problem's rounding), L the longest run of float additions into one accumulator. The
 * terms bound the rounding of a term, of the coordinates, of the summation, and of where terms end.
 * To a tolerance t > 0 it is, whatever computes it,
 *     t R + 4 u (|v_ref| + P D2)
 * D2 that of the atoms near the point, and R the scale of the map: the root mean square of v_ref
 * over the reference points farther than DCS_NEAREST_ATOM from every atom. R is not told by a few
 * values, which may cancel by chance: where fewer than 8 points are that far, R is W, the root mean
 * square of w over all reference points. And a map in which charges cancel to next to nothing has
 * an R of W / 64 at least, for below that a tolerance would ask for more digits than single
 * precision has of the terms. */
double dcs_bound(const dcs_reference *reference, int64_t i, int64_t longest_sum);

/* Accepts one output when every value of it is finite and, at every reference point, within the
 * bound. A reference that is not finite rejects. */
dcs_verdict dcs_check(const dcs_reference *reference, const void *out, int64_t longest_sum);

#endif
