#include "harness/input/basis.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdlib.h>

static double odd_factorial(int n) {
  double product = 1;
  for (int f = n; f > 1; f -= 2)
    product *= f;
  return product;
}

double dcs_monomial_norm(int i, int j, int k) {
  return 1 / sqrt(odd_factorial(2 * i - 1) * odd_factorial(2 * j - 1) * odd_factorial(2 * k - 1));
}

double dcs_primitive_norm(double exponent, int l) {
  static const double pi = 3.14159265358979323846;
  return pow(2 * exponent / pi, 0.75) * pow(4 * exponent, 0.5 * l);
}

dcs_status dcs_basis_add_shell(dcs_basis *basis, int64_t atom, int l) {
  DCS_TRY(dcs_grow(&basis->shells, (size_t)basis->n_shells, sizeof *basis->shells,
                   "shells of a basis"));
  basis->shells[basis->n_shells++] =
      (dcs_shell){.atom = atom, .first = basis->n_primitives, .l = l};
  return DCS_OK;
}

dcs_status dcs_basis_add_primitive(dcs_basis *basis, double exponent, double coefficient) {
  DCS_TRY(dcs_grow(&basis->primitives, (size_t)basis->n_primitives, sizeof *basis->primitives,
                   "primitives of a basis"));
  basis->primitives[basis->n_primitives++] = (dcs_primitive){exponent, coefficient};
  basis->shells[basis->n_shells - 1].n++;
  return DCS_OK;
}

static dcs_status add_copy(const dcs_basis *basis, int64_t shell, dcs_basis *copy) {
  const dcs_shell *from = &basis->shells[shell];
  DCS_TRY(dcs_basis_add_shell(copy, from->atom, from->l));
  for (int p = 0; p < from->n; p++) {
    const dcs_primitive *primitive = &basis->primitives[from->first + p];
    DCS_TRY(dcs_basis_add_primitive(copy, primitive->exponent, primitive->coefficient));
  }
  for (int m = 0; m < DCS_MOST_MONOMIALS; m++)
    copy->shells[copy->n_shells - 1].c[m] = from->c[m];
  return DCS_OK;
}

dcs_status dcs_basis_copy(const dcs_basis *basis, int64_t n_atoms, dcs_basis **copy) {
  dcs_status status = DCS_OK;
  *copy = calloc(1, sizeof **copy);
  if (!*copy) return dcs_fail(DCS_UNAVAILABLE, "no memory for a basis");
  for (int64_t s = 0; status == DCS_OK && s < basis->n_shells; s++)
    if (basis->shells[s].atom < n_atoms) status = add_copy(basis, s, *copy);
  if (status == DCS_OK) return DCS_OK;
  dcs_basis_free(*copy);
  *copy = NULL;
  return status;
}

void dcs_basis_free(dcs_basis *basis) {
  if (!basis) return;
  free(basis->shells);
  free(basis->primitives);
  free(basis);
}
