/* From the types of a molecule's atoms to their wells. */
#include "harness/base/grow.h"
#include "harness/input/charmm/parameters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MOST_TYPES = 1024 };

typedef struct {
  const dcs_charmm *parameters;
  const char *path;
  dcs_molecule *molecule;
  int n;                       /* different types */
  dcs_name type[MOST_TYPES];   /* in capitals */
  dcs_name stated[MOST_TYPES]; /* as the molecule has it */
  const dcs_charmm_well *well[MOST_TYPES];
  int32_t number[MOST_TYPES]; /* of those that are fixed, from 1 on; else 0 */
  int n_fixed;
  int32_t *of;                /* of each atom */
  const dcs_charmm_fix **fix; /* of two types, n * n; NULL: none */
} assignment;

/* ---- wild cards ---- */

static bool is_digit(char c) {
  return dcs_is_digit(c);
}

/* Whether one character fits: % any, + a digit, others themselves. */
static bool fits_one(char pattern, char c) {
  return pattern == '%' || (pattern == '+' && is_digit(c)) || pattern == c;
}

/* Whether a name fits a pattern: beside these * any characters, # any digits. Bit i of `fit`: what
 * was looked at of the pattern fits the name's first i characters. */
static bool fits(const char *pattern, size_t n, const char *name, size_t m) {
  unsigned fit = 1;
  for (size_t p = 0; p < n; p++) {
    const bool many = pattern[p] == '*' || pattern[p] == '#';
    unsigned next = many ? fit : 0;
    for (size_t i = 0; i < m; i++)
      if (many && (next >> i & 1) && (pattern[p] == '*' || is_digit(name[i])))
        next |= 2u << i;
      else if (!many && (fit >> i & 1) && fits_one(pattern[p], name[i]))
        next |= 2u << i;
    fit = next;
  }
  return fit >> m & 1;
}

static bool is_of(const dcs_name *pattern, const dcs_name *type) {
  return fits(pattern->text, strnlen(pattern->text, sizeof pattern->text), type->text,
              strnlen(type->text, sizeof type->text));
}

/* ---- types ---- */

static bool is_number(const dcs_name *type) {
  const size_t n = strnlen(type->text, sizeof type->text);
  for (size_t i = 0; i < n; i++)
    if (!is_digit(type->text[i])) return false;
  return n > 0;
}

/* The type that a number stands for. */
static dcs_status name_number(const assignment *a, int64_t atom, dcs_name *type) {
  char text[sizeof type->text + 1] = "";
  memcpy(text, type->text, sizeof type->text);
  const int64_t number = strtoll(text, NULL, 10);
  for (int64_t k = a->parameters->n_numbers; k > 0; k--)
    if (a->parameters->numbers[k - 1].number == number) {
      *type = a->parameters->numbers[k - 1].type;
      return DCS_OK;
    }
  return dcs_fail(DCS_INPUT,
                  "%s: atom %" PRId64
                  ": found the type %s, a number; expected a name, or among --parameters the "
                  "topology (.rtf) with its MASS line",
                  a->path, atom + 1, text);
}

static dcs_status find_well(assignment *a, int64_t atom, int t) {
  const dcs_charmm *p = a->parameters;
  for (int64_t k = p->n_wells; k > 0 && !a->well[t]; k--)
    if (is_of(&p->wells[k - 1].type, &a->type[t])) a->well[t] = &p->wells[k - 1];
  if (a->well[t]) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: atom %" PRId64
                  ": found the type %.8s; expected one that a NONBONDED section of the "
                  "--parameters has",
                  a->path, atom + 1, a->type[t].text);
}

static dcs_status add_type(assignment *a, int64_t atom, const dcs_name *stated) {
  const int t = a->n;
  if (t == MOST_TYPES)
    return dcs_fail(DCS_INPUT, "%s: found more than %d types; expected fewer", a->path, MOST_TYPES);
  a->stated[t] = a->type[t] = *stated;
  for (size_t i = 0; i < sizeof stated->text; i++)
    a->type[t].text[i] = (char)toupper((unsigned char)stated->text[i]);
  if (is_number(stated)) DCS_TRY(name_number(a, atom, &a->type[t]));
  DCS_TRY(find_well(a, atom, t));
  a->n++;
  return DCS_OK;
}

/* Atoms that follow each other often have one type. */
static dcs_status find_types(assignment *a) {
  const dcs_name *types = a->molecule->types;
  for (int64_t atom = 0; atom < a->molecule->n; atom++) {
    int t = 0;
    while (t < a->n && memcmp(&a->stated[t], &types[atom], sizeof *types) != 0)
      t++;
    if (t == a->n) DCS_TRY(add_type(a, atom, &types[atom]));
    a->of[atom] = t;
  }
  return DCS_OK;
}

/* ---- pairs of types ---- */

static void set_fix(assignment *a, const dcs_charmm_fix *fix) {
  for (int t = 0; t < a->n; t++) {
    if (!is_of(&fix->types[0], &a->type[t])) continue;
    for (int u = 0; u < a->n; u++) {
      if (!is_of(&fix->types[1], &a->type[u])) continue;
      a->fix[t * a->n + u] = a->fix[u * a->n + t] = fix;
      if (a->number[t] == 0) a->number[t] = ++a->n_fixed;
      if (a->number[u] == 0) a->number[u] = ++a->n_fixed;
    }
  }
}

/* Of two types in the table: what is fixed, or what combines. */
static void fill_pairs(const assignment *a, dcs_force_field *field) {
  for (int t = 0; t < a->n; t++)
    for (int u = 0; u < a->n; u++) {
      if (a->number[t] == 0 || a->number[u] == 0) continue;
      const dcs_charmm_fix *fix = a->fix[t * a->n + u];
      const int at = (a->number[t] - 1) * a->n_fixed + a->number[u] - 1;
      const dcs_charmm_well *one = a->well[t], *other = a->well[u];
      field->pairs[at] = fix ? fix->well : dcs_combine_wells(&one->well, &other->well);
      field->pairs14[at] = fix ? fix->well14 : dcs_combine_wells(&one->well14, &other->well14);
    }
}

static dcs_status find_fixes(assignment *a) {
  dcs_force_field *field = &a->molecule->field;
  a->fix = calloc((size_t)a->n * (size_t)a->n + 1, sizeof(const dcs_charmm_fix *));
  if (!a->fix) return dcs_fail(DCS_UNAVAILABLE, "no memory for the pairs of %d types", a->n);
  for (int64_t f = 0; f < a->parameters->n_fixes; f++)
    set_fix(a, &a->parameters->fixes[f]);
  if (a->n_fixed == 0) return DCS_OK;
  const size_t pairs = (size_t)a->n_fixed * (size_t)a->n_fixed;
  field->n_types = a->n_fixed;
  field->types = calloc((size_t)field->n, sizeof *field->types);
  field->pairs = calloc(pairs, sizeof *field->pairs);
  field->pairs14 = calloc(pairs, sizeof *field->pairs14);
  if (!field->types || !field->pairs || !field->pairs14)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the types of %" PRId64 " atoms", field->n);
  for (int64_t atom = 0; atom < field->n; atom++)
    field->types[atom] = a->number[a->of[atom]];
  fill_pairs(a, field);
  return DCS_OK;
}

/* ---- atoms ---- */

static dcs_status set_wells(assignment *a) {
  dcs_force_field *field = &a->molecule->field;
  const size_t n = (size_t)a->molecule->n;
  field->n = a->molecule->n;
  field->wells = calloc(n, sizeof *field->wells);
  field->wells14 = calloc(n, sizeof *field->wells14);
  a->of = calloc(n, sizeof *a->of);
  if (!field->wells || !field->wells14 || !a->of)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the types of %" PRId64 " atoms", field->n);
  field->charges14 = a->parameters->has_charges14 ? a->parameters->charges14 : 1;
  DCS_TRY(find_types(a));
  for (int64_t atom = 0; atom < field->n; atom++) {
    field->wells[atom] = a->well[a->of[atom]]->well;
    field->wells14[atom] = a->well[a->of[atom]]->well14;
  }
  return find_fixes(a);
}

dcs_status dcs_charmm_assign(const dcs_charmm *parameters, const char *path,
                             dcs_molecule *molecule) {
  assignment *a = calloc(1, sizeof *a);
  if (!a) return dcs_fail(DCS_UNAVAILABLE, "no memory for types");
  *a = (assignment){.parameters = parameters, .path = path, .molecule = molecule};
  const dcs_status status = set_wells(a);
  free(a->of);
  free((void *)a->fix);
  free(a);
  return status;
}
