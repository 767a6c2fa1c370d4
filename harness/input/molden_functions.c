/* Functions of shells in the order of Molden files, as sums of monomials. */
#include "harness/input/molden_functions.h"

#include <math.h>

/* A function in monomials x^i y^j z^k: those of l, in the order of the file. */
typedef struct {
  signed char i, j, k;
} powers;
static const powers cartesian[DCS_MOST_L + 1][DCS_MOST_MONOMIALS] = {
    {{0, 0, 0}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}},
    {{3, 0, 0},
     {0, 3, 0},
     {0, 0, 3},
     {1, 2, 0},
     {2, 1, 0},
     {2, 0, 1},
     {1, 0, 2},
     {0, 1, 2},
     {0, 2, 1},
     {1, 1, 1}}};

/* Spherical functions as sums of monomials, over the square root of 4 times `per`; that of xz has 1
 * of it. */
typedef struct {
  int per;
  struct {
    signed char times;
    powers of;
  } terms[3];
} harmonic;
static const harmonic spherical_d[] = {{3, {{2, {0, 0, 2}}, {-1, {2, 0, 0}}, {-1, {0, 2, 0}}}},
                                       {1, {{2, {1, 0, 1}}}},
                                       {1, {{2, {0, 1, 1}}}},
                                       {1, {{1, {2, 0, 0}}, {-1, {0, 2, 0}}}},
                                       {1, {{2, {1, 1, 0}}}}};
static const harmonic spherical_f[] = {{15, {{2, {0, 0, 3}}, {-3, {2, 0, 1}}, {-3, {0, 2, 1}}}},
                                       {10, {{4, {1, 0, 2}}, {-1, {3, 0, 0}}, {-1, {1, 2, 0}}}},
                                       {10, {{4, {0, 1, 2}}, {-1, {2, 1, 0}}, {-1, {0, 3, 0}}}},
                                       {1, {{1, {2, 0, 1}}, {-1, {0, 2, 1}}}},
                                       {1, {{2, {1, 1, 1}}}},
                                       {6, {{1, {3, 0, 0}}, {-3, {1, 2, 0}}}},
                                       {6, {{3, {2, 1, 0}}, {-1, {0, 3, 0}}}}};

int dcs_molden_functions(int l, bool spherical) {
  return spherical ? 2 * l + 1 : dcs_monomials(l);
}

void dcs_molden_add(dcs_shell *shell, bool spherical, int f, double c) {
  const int l = shell->l;
  if (!spherical) {
    const powers p = cartesian[l][f];
    shell->c[dcs_monomial(l, p.j, p.k)] += c * dcs_monomial_norm(p.i, p.j, p.k);
    return;
  }
  const harmonic *h = l == 2 ? &spherical_d[f] : &spherical_f[f];
  for (int t = 0; t < 3; t++)
    shell->c[dcs_monomial(l, h->terms[t].of.j, h->terms[t].of.k)] +=
        c * h->terms[t].times / (2 * sqrt(h->per));
}
