#include "harness/problems/orbital_basis.h"

#include <stdlib.h>

enum { LONGEST = 6 };

typedef struct {
  int l, n;
  dcs_primitive primitives[LONGEST]; /* of normalised ones */
} built_in;

static const built_in hydrogen[] = {
    {0, 3, {{18.731137, 0.0334946}, {2.8253937, 0.23472695}, {0.6401217, 0.81375733}}},
    {0, 1, {{0.1612778, 1}}}};
static const built_in carbon[] = {
    {0,
     6,
     {{3047.5249, 0.0018347},
      {457.36951, 0.0140373},
      {103.94869, 0.0688426},
      {29.210155, 0.2321844},
      {9.286663, 0.4679413},
      {3.163927, 0.362312}}},
    {0, 3, {{7.8682724, -0.1193324}, {1.8812885, -0.1608542}, {0.5442493, 1.1434564}}},
    {0, 1, {{0.1687144, 1}}},
    {1, 3, {{7.8682724, 0.0689991}, {1.8812885, 0.316424}, {0.5442493, 0.7443083}}},
    {1, 1, {{0.1687144, 1}}},
    {2, 1, {{0.8, 1}}}};
/* Where a grid of a few angstrom has large values of all functions. */
static const built_in whole[] = {{0, 2, {{1.1, 0.4}, {0.3, 0.7}}},
                                 {1, 1, {{0.25, 1}}},
                                 {2, 2, {{0.9, 0.3}, {0.35, 0.8}}},
                                 {3, 2, {{0.7, 0.5}, {0.2, 0.6}}}};

#define MOST_RADIUS_OF_HYDROGEN 1.2

/* What the orbital has of a function, -1 to 1. */
static double share_of(int function) {
  return 1 - 2 * (double)((7 * function + 3) % 16) / 15;
}

static dcs_status add_shell(const built_in *from, int64_t atom, double charge, int *function,
                            dcs_basis *basis) {
  DCS_TRY(dcs_basis_add_shell(basis, atom, from->l));
  for (int p = 0; p < from->n; p++)
    DCS_TRY(dcs_basis_add_primitive(basis, from->primitives[p].exponent,
                                    from->primitives[p].coefficient *
                                        dcs_primitive_norm(from->primitives[p].exponent, from->l)));
  dcs_shell *shell = &basis->shells[basis->n_shells - 1];
  for (int k = 0; k <= from->l; k++)
    for (int j = 0; j <= from->l - k; j++)
      shell->c[dcs_monomial(from->l, j, k)] =
          charge * share_of((*function)++) * dcs_monomial_norm(from->l - j - k, j, k);
  return DCS_OK;
}

static dcs_status add_shells(const built_in *from, int n, int64_t atom, double charge,
                             dcs_basis *basis) {
  int function = 0;
  for (int s = 0; s < n; s++)
    DCS_TRY(add_shell(&from[s], atom, charge, &function, basis));
  return DCS_OK;
}

static dcs_status add_atom(const dcs_site *site, int64_t atom, dcs_basis *basis) {
  if (site->radius < MOST_RADIUS_OF_HYDROGEN)
    return add_shells(hydrogen, sizeof hydrogen / sizeof hydrogen[0], atom, site->q, basis);
  return add_shells(carbon, sizeof carbon / sizeof carbon[0], atom, site->q, basis);
}

dcs_status dcs_orbital_basis(const dcs_site *sites, int64_t n_sites, dcs_basis **basis) {
  dcs_status status = DCS_OK;
  *basis = calloc(1, sizeof **basis);
  if (!*basis) return dcs_fail(DCS_UNAVAILABLE, "no memory for a basis");
  for (int64_t a = 0; status == DCS_OK && a < n_sites; a++)
    status = add_atom(&sites[a], a, *basis);
  if (status == DCS_OK) return DCS_OK;
  dcs_basis_free(*basis);
  *basis = NULL;
  return status;
}

dcs_status dcs_orbital_whole(dcs_molecule *molecule) {
  *molecule = (dcs_molecule){.sites = malloc(sizeof *molecule->sites),
                             .n = 1,
                             .basis = calloc(1, sizeof *molecule->basis)};
  if (!molecule->sites || !molecule->basis)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for an atom");
  molecule->sites[0] = (dcs_site){.x = 1.4, .y = 1.1, .z = -0.6, .q = 1};
  return add_shells(whole, sizeof whole / sizeof whole[0], 0, 1, molecule->basis);
}
