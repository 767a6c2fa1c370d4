/* The problem kind `born`: generalised Born radii of n atoms by pairwise descreening. Sphere j, of
 * radius s_j, takes from atom i, of radius p_i, what the integral over the sphere outside the atom
 * says (Hawkins, Cramer, Truhlar, Chem. Phys. Lett. 246, 1995; J. Phys. Chem. 100, 1996): with r
 * the distance, U = r + s, L = max(p, |r - s|), and 0 where p >= U,
 *
 *     T = 1/L - 1/U - (r - s^2/r) (1/L^2 - 1/U^2) / 4 + ln(L/U) / (2 r)
 *         + 2 (1/p - 1/L), where the sphere holds the whole atom: p < s - r
 *
 * The radius is 1 / (1/p - I), I = sum of T / 2 over the spheres, or that integral rescaled
 * (Onufriev, Bashford, Case, Proteins 55, 2004). Beyond r = s + p, 1/L and 1/U differ by little and
 * the terms of T cancel; there T / 2 is the sum of positive terms
 *
 *     s^3 / r^4 (1/3 + 2/5 x + 3/7 x^2 + ...), x = s^2 / r^2
 *
 * Kernels in single precision compute far pairs by that and near ones by T; which are near is a
 * part of the bound of error, and so of the kind. */
#ifndef DCS_BORN_H
#define DCS_BORN_H

#include "kernels/contract.h"

#include <math.h>

/* The kind's buffers: dcs_sphere each; a float each, the radius of that atom in angstrom, 0 of one
 * that has none. */
enum { DCS_BORN_ATOMS, DCS_BORN_RADII };

typedef struct {
  float x, y, z; /* angstrom */
  float radius;  /* angstrom, less DCS_BORN_OFFSET; 0: the atom has no radius */
} dcs_sphere;

/* The kind's parameters. s_j is p_j times the factor; of at most 1, so that an atom descreens
 * nothing of itself. */
enum { DCS_BORN_SCALING, DCS_BORN_DESCREENING };
enum { DCS_BORN_HCT, DCS_BORN_OBC };

/* What radii are reduced by before anything else, angstrom. */
#define DCS_BORN_OFFSET 0.09

/* Largest radius of hct, angstrom, also in the place of a negative one, as in AMBER (igb = 1):
 * overlapping spheres may take more than there is. */
#define DCS_BORN_MOST 30.0

/* A pair is near where r^2 <= DCS_BORN_NEAR2 max(s^2, q^2 / 9), q anything from p to the largest of
 * all atoms: else r > s + p, and x < 1/16. */
#define DCS_BORN_NEAR2 16.0f

/* The series to x^3 for x <= 1/16; the relative error is 3.7 u at most, u = 2^-24 (minimax). */
#define DCS_BORN_C0 0x1.555552p-2f
#define DCS_BORN_C1 0x1.99a1d6p-2f
#define DCS_BORN_C2 0x1.b44e6ep-2f
#define DCS_BORN_C3 0x1.035dp-1f

/* Below this distance, angstrom, T / 2 is what it is at 0: max(0, 1/p - 1/s). It is off by
 * r / (4 s^2) at most, and the formula by what rounding of a quotient by r leaves, about u / r. */
#define DCS_BORN_SAME 0x1p-12f

static inline const dcs_sphere *dcs_spheres(const dcs_problem *problem) {
  return (const dcs_sphere *)problem->input[DCS_BORN_ATOMS];
}

/* What kernels know of a problem beside its atoms. */
typedef struct {
  float descreening;
  int obc; /* 0: hct */
} dcs_born;

static inline dcs_born dcs_born_of(const dcs_problem *problem) {
  const double *value = problem->config.value;
  return (dcs_born){(float)value[DCS_BORN_DESCREENING], value[DCS_BORN_SCALING] == DCS_BORN_OBC};
}

/* The radius of an atom, of its own radius p and I. Rescaled, with psi = I p and R = p + offset, it
 * is 1 / (1/p - tanh(psi - 0.8 psi^2 + 4.85 psi^3) / R), the parameters of OBC II; without the
 * difference, which cancels where an atom is buried. */
static inline float dcs_born_radius(dcs_born born, float p, float integral) {
  if (!(p > 0)) return 0;
  const float most = (float)DCS_BORN_MOST, offset = (float)DCS_BORN_OFFSET, whole = p + offset;
  const float left = 1 / p - integral, psi = integral * p;
  if (!born.obc) return left > 1 / most ? 1 / left : most;
  const float z = psi * (1 - psi * (0.8f - 4.85f * psi));
  return 1 / (offset / (p * whole) + 2 / (whole * (1 + expf(2 * z))));
}

#endif
