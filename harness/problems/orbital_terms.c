#include "harness/problems/orbital_terms.h"

#include "harness/problems/case.h"
#include "kernels/orbital/orbital.h"

#include <math.h>
#include <string.h>

int64_t dcs_orbital_term_places(const dcs_problem *problem) {
  const dcs_orbital_shell *shells = dcs_orbital_shells(problem);
  int64_t n = 1 + DCS_ORBITAL_SPARE_TERMS;
  if (!shells) return n + problem->n_inputs * DCS_ORBITAL_PRIMITIVES;
  for (int64_t s = 0; s < problem->n_inputs; s++)
    n += (int64_t)shells[s].n * (shells[s].l + 1);
  return n;
}

enum { MOST_POWERS = DCS_ORBITAL_L + 1 };

/* What shells at a place have of one Gaussian: of x^i y^j z^k, and the highest l of them. */
typedef struct {
  double exponent;
  double c[MOST_POWERS][MOST_POWERS][MOST_POWERS];
  int l;
} polynomial;

static void add_shell(const dcs_shell *shell, double weight, polynomial *p) {
  for (int k = 0; k <= shell->l; k++)
    for (int j = 0; j <= shell->l - k; j++)
      p->c[shell->l - j - k][j][k] += weight * shell->c[dcs_monomial(shell->l, j, k)];
  if (shell->l > p->l) p->l = shell->l;
}

/* Whether a primitive before number `end` of those of shells from `first` on has its exponent. */
static bool is_taken(const dcs_basis *basis, const dcs_shell *first, int64_t end) {
  for (int64_t p = first->first; p < end; p++)
    if (basis->primitives[p].exponent == basis->primitives[end].exponent) return true;
  return false;
}

/* Of all primitives of its exponent in shells first..end - 1, which are one atom's. */
static polynomial collect(const dcs_basis *basis, int64_t first, int64_t end, double exponent) {
  polynomial sum = {.exponent = exponent};
  for (int64_t s = first; s < end; s++) {
    const dcs_shell *shell = &basis->shells[s];
    for (int64_t p = shell->first; p < shell->first + shell->n; p++)
      if (basis->primitives[p].exponent == exponent)
        add_shell(shell, basis->primitives[p].coefficient, &sum);
  }
  return sum;
}

/* The term of z^power. Coordinates are of the grid; `unit` is one of the term's, in bohr. */
static dcs_orbital_term term_of(const polynomial *p, int power, const double place[3], float root,
                                double unit) {
  dcs_orbital_term term = {.x = (float)((double)root * place[0]),
                           .y = (float)((double)root * place[1]),
                           .z = (float)((double)root * place[2]),
                           .root = root,
                           .shape = power + 4 * (p->l - power)};
  for (int degree = 0, n = 0; degree <= p->l - power; degree++)
    for (int j = 0; j <= degree; j++, n++) {
      const float c = (float)(p->c[degree - j][j][power] * pow(unit, degree + power));
      if (n < 3)
        term.c[n] = c;
      else
        term.more[n - 3] = c;
    }
  return term;
}

enum { SHAPES = 4 * MOST_POWERS };

/* Puts the terms of the atom that has shells first..end - 1 where those of their shapes go on;
 * terms NULL: only counts them. */
static void put_atom(const dcs_case *c, int64_t first, int64_t end, dcs_orbital_term *terms,
                     int64_t at[SHAPES]) {
  const dcs_basis *basis = c->basis;
  const dcs_site *site = &c->sites[basis->shells[first].atom];
  const double h = c->spacing, place[3] = {site->x / h, site->y / h, site->z / h};
  const int64_t end_primitive = basis->shells[end - 1].first + basis->shells[end - 1].n;
  for (int64_t p = basis->shells[first].first; p < end_primitive; p++) {
    if (is_taken(basis, &basis->shells[first], p)) continue;
    const polynomial sum = collect(basis, first, end, basis->primitives[p].exponent);
    const float root = (float)(sqrt(1.4426950408889634074 * sum.exponent) * h / DCS_BOHR);
    for (int power = 0; power <= sum.l; power++) {
      const int64_t place_of_term = at[power + 4 * (sum.l - power)]++;
      if (terms)
        terms[place_of_term] = term_of(&sum, power, place, root, h / DCS_BOHR / (double)root);
    }
  }
}

static void put_atoms(const dcs_case *c, dcs_orbital_term *terms, int64_t at[SHAPES]) {
  const dcs_basis *basis = c->basis;
  for (int64_t first = 0, end; first < basis->n_shells; first = end) {
    for (end = first + 1; end < basis->n_shells; end++)
      if (basis->shells[end].atom != basis->shells[first].atom) break;
    put_atom(c, first, end, terms, at);
  }
}

void dcs_orbital_fill_terms(const dcs_case *c, int buffer, void *data) {
  dcs_orbital_term *terms = data;
  int64_t n[SHAPES] = {0}, at[SHAPES], end = 0;
  (void)buffer;
  memset(terms, 0, (size_t)dcs_orbital_term_places(&c->problem) * sizeof *terms);
  put_atoms(c, NULL, n);
  for (int shape = 0; shape < SHAPES; shape++) {
    at[shape] = end;
    end += n[shape];
  }
  put_atoms(c, terms + 1, at);
  terms->shape = (int32_t)end;
}
