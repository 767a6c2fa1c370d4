/* The problem kind `orbital`: the amplitude of a molecular orbital
 *
 *     psi(i, j, k) = sum over shells s of P_s(d) sum over primitives p of w_p 2^(-a_p |d|^2)
 *
 * d = h (i, j, k) - r_s, for every point of a uniform grid of spacing h (angstrom) (Stone, Saam,
 * Hardy, Vandivort, Hwu, Schulten, High performance computation and interactive display of
 * molecular orbitals on GPUs and multi-core CPUs, GPGPU 2009). P_s is a polynomial of the monomials
 * of degree l alone: s, p, d or f, times what the orbital has of each. Every term counts, however
 * small.
 *
 * Along a line of points in z all a term needs of z is 2^(-a dz^2) dz^m, m <= l, which is the same
 * for all lines; of x and y it needs 2^(-a (dx^2 + dy^2)) times a polynomial, which is the same
 * for all points of the line: a primitive of degree l costs a point l + 1 multiply-adds, and
 * nothing where another of the same atom, of that rate and a degree as high, has them already. */
#ifndef DCS_ORBITAL_H
#define DCS_ORBITAL_H

#include "kernels/contract.h"

/* The kind's buffers: dcs_orbital_shell each; the same as terms, dcs_orbital_term each; a grid of
 * floats, bohr^-3/2. */
enum { DCS_ORBITAL_SHELLS, DCS_ORBITAL_TERMS, DCS_ORBITAL_MAP };

enum { DCS_ORBITAL_L = 3, DCS_ORBITAL_PRIMITIVES = 6, DCS_ORBITAL_MONOMIALS = 10 };

/* 2^(-rate r^2) times the weight. */
typedef struct {
  float rate, weight; /* 1 / angstrom^2; bohr^-3/2 */
} dcs_orbital_gaussian;

/* A shell, or one of several that a shell of more primitives is cut into. Those of one type, which
 * have the same l and primitives, lie next to each other. Monomials are in the order of
 * harness/input/basis.h: powers of z, in each powers of y. */
typedef struct {
  float x, y, z; /* angstrom, relative to grid point (0, 0, 0) */
  int32_t l;
  float c[DCS_ORBITAL_MONOMIALS]; /* angstrom^-l */
  int32_t n;                      /* primitives */
  int32_t type;                   /* from 0 */
  dcs_orbital_gaussian gaussian[DCS_ORBITAL_PRIMITIVES];
} dcs_orbital_shell;

/* A term is a product of what it has of a column of points, x and y, and of a slice, z:
 *
 *     P(d_x, d_y) 2^-(d_x^2 + d_y^2)  times  d_z^power 2^-(d_z^2),     d = root (i, j, k) - (x, y,
 * z)
 *
 * in units in which its Gaussian is 2^-(d^2). Shells of an atom that have a primitive of the same
 * rate, as s and p of split-valence bases do, have that primitive's terms in common: l + 1 of them,
 * of the highest l. P is of a degree up to `degree`, its monomials in the order
 * 1, x, y, xx, xy, yy, xxx, xxy, xyy, yyy.
 *
 * Terms of one shape lie next to each other, by rising shape: of most tiles all have one degree.
 * The first element of the buffer is no term: its shape is how many follow. Behind them are terms
 * of nothing, at least DCS_ORBITAL_SPARE_TERMS: a kernel that loads tiles ahead finds some. */
enum { DCS_ORBITAL_SPARE_TERMS = 128 };
typedef struct {
  float x, y, z, root;
  float c[3];
  int32_t shape; /* power + 4 degree */
  float more[DCS_ORBITAL_MONOMIALS - 3];
  float unused;
} dcs_orbital_term;

static inline const dcs_orbital_shell *dcs_orbital_shells(const dcs_problem *problem) {
  return (const dcs_orbital_shell *)problem->input[DCS_ORBITAL_SHELLS];
}

/* Primitives of the problem's shells. */
static inline double dcs_orbital_primitives(const dcs_problem *problem) {
  double n = 0;
  for (int64_t s = 0; s < problem->n_inputs; s++)
    n += dcs_orbital_shells(problem)[s].n;
  return n;
}

#endif
