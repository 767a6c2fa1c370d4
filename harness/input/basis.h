/* A molecular orbital as a file gives it: contracted Gaussians at atoms, and what the orbital has
 * of each. Lengths are in bohr here, and amplitudes in bohr^-3/2. */
#ifndef DCS_BASIS_H
#define DCS_BASIS_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stdint.h>

#define DCS_BOHR 0.529177210903 /* angstrom, CODATA 2018 */

enum { DCS_MOST_L = 3 /* s, p, d, f */, DCS_MOST_MONOMIALS = 10 };

/* coefficient exp(-exponent r^2); that of a normalised primitive has its norm, (2 e / pi)^(3/4) (4
 * e)^(l/2), in it. */
typedef struct {
  double exponent, coefficient;
} dcs_primitive;

/* The functions x^i y^j z^k (sum over primitives), i + j + k = l, at an atom, times what the
 * orbital has of each. Monomials come in powers of z, in each in powers of y: of d
 * xx, xy, yy, xz, yz, zz. */
typedef struct {
  int64_t atom, first; /* its first primitive */
  int n, l;            /* primitives; 0 for s to DCS_MOST_L */
  double c[DCS_MOST_MONOMIALS];
} dcs_shell;

typedef struct {
  dcs_shell *shells; /* in the order of their atoms */
  int64_t n_shells;
  dcs_primitive *primitives;
  int64_t n_primitives;
} dcs_basis;

/* Monomials of l, and the number of x^(l-j-m) y^j z^m among them. */
static inline int dcs_monomials(int l) {
  return (l + 1) * (l + 2) / 2;
}
static inline int dcs_monomial(int l, int j, int m) {
  return m * (2 * l + 3 - m) / 2 + j;
}

/* The factor by which a function x^i y^j z^k exp(-e r^2) is normalised whose primitives have the
 * norm above: 1 / sqrt((2i - 1)!! (2j - 1)!! (2k - 1)!!). */
double dcs_monomial_norm(int i, int j, int k);
/* The norm of a primitive. */
double dcs_primitive_norm(double exponent, int l);

/* Adds a shell, whose primitives are those that are added next, and a primitive of the last. */
dcs_status dcs_basis_add_shell(dcs_basis *basis, int64_t atom, int l);
dcs_status dcs_basis_add_primitive(dcs_basis *basis, double exponent, double coefficient);

/* A copy, without the shells of atoms from `n_atoms` on. NULL: DCS_UNAVAILABLE. */
dcs_status dcs_basis_copy(const dcs_basis *basis, int64_t n_atoms, dcs_basis **copy);
void dcs_basis_free(dcs_basis *basis); /* NULL is fine */

#endif
