/* The Molden reader: atoms, a basis of contracted Gaussians, and one of the orbitals in it.
 *
 * Sections begin with a word in brackets: [Atoms] with AU or Angs behind it, [GTO], [MO], in this
 * order; of others [5D], [5D7F], [5D10F] and [7F] say that d or f functions are spherical, before
 * [MO], and the rest is passed over. Shells are s, p, sp, d and f; g and Slater functions ([STO])
 * are refused. Primitives are normalised, and so is each cartesian function on its own.
 *
 * The orbital is the so many-th of [MO]; where none is asked for, of those with an occupation above
 * 0 the one of the highest energy, else the first. Coefficients that are not there are 0. Charges
 * are those of the nuclei. */
#include "harness/base/grow.h"
#include "harness/input/molden_functions.h"
#include "harness/input/site.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_PRIMITIVES = 1000, MOST_LABEL = 16, WORDS = 6 };

/* An orbital of the file. */
typedef struct {
  double *c; /* of the functions */
  double energy, occupation;
  char label[DCS_EXCERPT], spin[DCS_EXCERPT];
  int64_t number; /* from 1 */
} orbital;

typedef struct {
  dcs_content *content;
  const dcs_read_options *how;
  dcs_molecule *molecule;
  dcs_basis *basis;
  dcs_slice line;
  bool found; /* the line */
  bool spherical[DCS_MOST_L + 1];
  int64_t n_functions;
  orbital now, chosen;
} reading;

static dcs_status next(reading *r) {
  return dcs_content_line(r->content, &r->line, &r->found);
}

static dcs_where place(const reading *r) {
  return dcs_content_place(r->content);
}

/* Whether the line begins a section. */
static bool is_section(dcs_slice line) {
  while (line.length > 0 && dcs_is_blank(line.text[0])) {
    line.text++;
    line.length--;
  }
  return line.length > 0 && line.text[0] == '[';
}

/* Whether the text is the word, in any case. */
static bool is_same(dcs_slice text, const char *word) {
  if (text.length != strlen(word)) return false;
  for (size_t i = 0; i < text.length; i++)
    if (tolower((unsigned char)text.text[i]) != tolower((unsigned char)word[i])) return false;
  return true;
}

/* The next line that is not empty; `within`: before the next section and the end. */
static dcs_status next_within(reading *r, bool *within) {
  do
    DCS_TRY(next(r));
  while (r->found && dcs_line_trimmed(r->line).length == 0);
  *within = r->found && !is_section(r->line);
  return DCS_OK;
}

/* ---- atoms ---- */

static dcs_status read_atom(reading *r, double unit) {
  dcs_slice words[WORDS + 1];
  dcs_site_field f[4];
  int64_t number;
  if (dcs_line_words(r->line, WORDS, words) != WORDS)
    return dcs_line_wrong(place(r), r->line, "name, number, nuclear charge, x, y and z");
  if (!dcs_line_count(words[1], &number) || number != r->molecule->n + 1)
    return dcs_line_wrong(place(r), words[1], "%" PRId64 ": [GTO] goes by the numbers of atoms",
                          r->molecule->n + 1);
  for (int d = 0; d < 4; d++)
    f[d] = dcs_site_read(words[d < 3 ? 3 + d : 2]);
  DCS_TRY(dcs_site_check(place(r), f, 4));
  for (int d = 0; d < 3; d++)
    f[d].value *= unit;
  return dcs_site_add(r->molecule, f, 4);
}

static dcs_status read_atoms(reading *r) {
  dcs_slice words[3] = {[1] = {"", 0}};
  dcs_line_words(r->line, 2, words);
  const bool bohr = is_same(words[1], "au") || is_same(words[1], "(au)");
  if (!bohr && !is_same(words[1], "angs") && !is_same(words[1], "(angs)"))
    return dcs_line_wrong(place(r), r->line, "[Atoms] AU or [Atoms] Angs");
  if (r->molecule->n > 0) return dcs_line_wrong(place(r), r->line, "one section [Atoms]");
  for (bool within = true;;) {
    DCS_TRY(next_within(r, &within));
    if (!within) return DCS_OK;
    DCS_TRY(read_atom(r, bohr ? DCS_BOHR : 1));
  }
}

/* ---- basis ---- */

static dcs_status read_primitive(reading *r, int columns, double numbers[3]) {
  dcs_slice words[4];
  if (!r->found || dcs_line_words(r->line, 3, words) < columns)
    return dcs_line_wrong(place(r), r->found ? r->line : (dcs_slice){"", 0}, "%s of a primitive",
                          columns == 2 ? "exponent and coefficient"
                                       : "exponent and coefficients of s and p");
  for (int w = 0; w < columns; w++)
    if (!dcs_line_number(words[w], &numbers[w]) || !(fabs(numbers[w]) <= 1e9))
      return dcs_line_wrong(place(r), words[w], "a number of at most 1e9 in size");
  if (!(numbers[0] >= 1e-12))
    return dcs_line_wrong(place(r), words[0], "an exponent of at least 1e-12");
  return DCS_OK;
}

/* The primitives of a shell; of sp twice, with the coefficients of s, then with those of p. */
static dcs_status read_shell(reading *r, int64_t atom, int l, bool sp, int64_t n) {
  double(*numbers)[3] = calloc((size_t)n, sizeof *numbers);
  dcs_status status = numbers ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for primitives");
  for (int64_t p = 0; status == DCS_OK && p < n; p++) {
    status = next(r);
    if (status == DCS_OK) status = read_primitive(r, sp ? 3 : 2, numbers[p]);
  }
  for (int part = 0; status == DCS_OK && part < (sp ? 2 : 1); part++) {
    const int of = sp ? part : l;
    status = dcs_basis_add_shell(r->basis, atom, of);
    for (int64_t p = 0; status == DCS_OK && p < n; p++)
      status = dcs_basis_add_primitive(
          r->basis, numbers[p][0], numbers[p][1 + part] * dcs_primitive_norm(numbers[p][0], of));
  }
  free(numbers);
  return status;
}

/* A line such as "sp 3 1.00". */
static dcs_status read_shell_line(reading *r, int64_t atom, const dcs_slice *words, int n_words) {
  static const char *const names[] = {"s", "p", "d", "f"};
  double scale;
  int64_t n;
  int l = 0;
  while (l <= DCS_MOST_L && !is_same(words[0], names[l]))
    l++;
  const bool sp = is_same(words[0], "sp");
  if (l > DCS_MOST_L && !sp) return dcs_line_wrong(place(r), words[0], "a shell s, p, sp, d or f");
  if (n_words < 2 || !dcs_line_count(words[1], &n) || n > MOST_PRIMITIVES)
    return dcs_line_wrong(place(r), r->line, "a shell and 1 to %d primitives, such as s 6",
                          MOST_PRIMITIVES);
  if (n_words > 2 && (!dcs_line_number(words[2], &scale) || scale != 1))
    return dcs_line_wrong(place(r), words[2], "1.00: exponents are taken as they are");
  return read_shell(r, atom, l, sp, n);
}

/* Atoms come in their order, each with its shells behind it. */
static dcs_status read_basis(reading *r) {
  int64_t atom = -1;
  if (r->basis->n_shells > 0) return dcs_line_wrong(place(r), r->line, "one section [GTO]");
  for (bool within = true;;) {
    dcs_slice words[4];
    int64_t number;
    DCS_TRY(next_within(r, &within));
    if (!within) return DCS_OK;
    const int n = dcs_line_words(r->line, 3, words);
    if (!dcs_line_count(words[0], &number)) {
      if (atom < 0) return dcs_line_wrong(place(r), r->line, "the number of an atom");
      DCS_TRY(read_shell_line(r, atom, words, n));
      continue;
    }
    if (number <= atom + 1 || number > r->molecule->n)
      return dcs_line_wrong(place(r), r->line,
                            "an atom behind %" PRId64 ", up to the last of [Atoms], %" PRId64,
                            atom + 1, r->molecule->n);
    atom = number - 1;
  }
}

/* [5D] and the like. */
static dcs_status read_spherical(reading *r) {
  dcs_slice words[2] = {{"", 0}};
  dcs_line_words(r->line, 1, words);
  const bool both = is_same(words[0], "[5d]") || is_same(words[0], "[5d7f]");
  const bool d = both || is_same(words[0], "[5d10f]"), f = both || is_same(words[0], "[7f]");
  if ((d || f) && r->chosen.c)
    return dcs_line_wrong(place(r), r->line, "what functions are spherical before [MO]");
  r->spherical[2] = r->spherical[2] || d;
  r->spherical[3] = r->spherical[3] || f;
  return DCS_OK;
}

/* ---- orbitals ---- */

static void spread_orbital(const reading *r) {
  int64_t at = 0;
  for (int64_t s = 0; s < r->basis->n_shells; s++) {
    dcs_shell *shell = &r->basis->shells[s];
    for (int f = 0; f < dcs_molden_functions(shell->l, r->spherical[shell->l]); f++)
      dcs_molden_add(shell, r->spherical[shell->l], f, r->chosen.c[at++]);
  }
}

/* Whether the orbital that was read takes the place of the chosen one. */
static bool is_better(const reading *r) {
  if (r->how->orbital > 0) return r->now.number == r->how->orbital;
  if (r->chosen.number == 0) return true;
  if (!(r->now.occupation > 0)) return false;
  return !(r->chosen.occupation > 0) || r->now.energy > r->chosen.energy;
}

static void end_orbital(reading *r) {
  if (r->now.number > 0 && is_better(r)) {
    double *const c = r->chosen.c;
    r->chosen = r->now;
    r->now.c = c;
  }
  memset(r->now.c, 0, (size_t)r->n_functions * sizeof *r->now.c);
  r->now = (orbital){.c = r->now.c, .number = r->now.number + 1};
}

/* "Sym= 1a1", "Ene=-0.5", ...: what an orbital begins with. */
static dcs_status read_label(reading *r, const char *equals) {
  const dcs_slice line = r->line;
  dcs_slice words[2] = {{"", 0}}, value[3] = {{"", 0}};
  const size_t behind = (size_t)(equals - line.text) + 1;
  dcs_line_words((dcs_slice){line.text, behind - 1}, 1, words);
  dcs_line_words((dcs_slice){line.text + behind, line.length - behind}, 1, value);
  const bool energy = is_same(words[0], "ene");
  if (energy || is_same(words[0], "occup")) {
    double *to = energy ? &r->now.energy : &r->now.occupation;
    return dcs_line_number(value[0], to) ? DCS_OK
                                         : dcs_line_wrong(place(r), line, "a number behind =");
  }
  const bool spin = is_same(words[0], "spin");
  if (spin || is_same(words[0], "sym"))
    dcs_excerpt(
        (dcs_slice){value[0].text, value[0].length < MOST_LABEL ? value[0].length : MOST_LABEL},
        spin ? r->now.spin : r->now.label);
  return DCS_OK;
}

static dcs_status read_coefficient(reading *r) {
  dcs_slice words[3];
  int64_t number;
  double c;
  const int n = dcs_line_words(r->line, 2, words);
  if (r->now.number == 0)
    return dcs_line_wrong(place(r), r->line, "Sym=, Ene=, Spin= or Occup= of an orbital");
  if (n < 2 || !dcs_line_count(words[0], &number) || number > r->n_functions)
    return dcs_line_wrong(place(r), r->line,
                          "the number of a function, up to the basis's %" PRId64
                          ", and its coefficient",
                          r->n_functions);
  if (!dcs_line_number(words[1], &c) || !(fabs(c) <= 1e9))
    return dcs_line_wrong(place(r), words[1], "a coefficient of at most 1e9 in size");
  r->now.c[number - 1] = c;
  return DCS_OK;
}

static dcs_status begin_orbitals(reading *r) {
  if (r->chosen.c) return dcs_line_wrong(place(r), r->line, "one section [MO]");
  if (r->basis->n_shells == 0) return dcs_line_wrong(place(r), r->line, "[GTO] before [MO]");
  for (int64_t s = 0; s < r->basis->n_shells; s++)
    r->n_functions +=
        dcs_molden_functions(r->basis->shells[s].l, r->spherical[r->basis->shells[s].l]);
  r->now.c = calloc((size_t)r->n_functions, sizeof *r->now.c);
  r->chosen.c = calloc((size_t)r->n_functions, sizeof *r->chosen.c);
  return r->now.c && r->chosen.c ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for an orbital");
}

static dcs_status read_orbitals(reading *r) {
  bool labels = false; /* the line before was one */
  DCS_TRY(begin_orbitals(r));
  for (bool within = true;;) {
    DCS_TRY(next_within(r, &within));
    if (!within) break;
    const char *equals = memchr(r->line.text, '=', r->line.length);
    if (equals && !labels) end_orbital(r);
    labels = equals != NULL;
    DCS_TRY(equals ? read_label(r, equals) : read_coefficient(r));
  }
  const int64_t n = r->now.number;
  end_orbital(r);
  r->now.number = n;
  return DCS_OK;
}

/* ---- the file ---- */

static dcs_status read_section(reading *r) {
  dcs_slice words[2] = {{"", 0}};
  dcs_line_words(r->line, 1, words);
  if (is_same(words[0], "[atoms]")) return read_atoms(r);
  if (is_same(words[0], "[mo]")) return read_orbitals(r);
  if (is_same(words[0], "[sto]"))
    return dcs_line_wrong(place(r), r->line, "Gaussians, [GTO]: Slater functions are not read");
  if (is_same(words[0], "[gto]")) {
    if (r->molecule->n == 0) return dcs_line_wrong(place(r), r->line, "[Atoms] before [GTO]");
    return read_basis(r);
  }
  DCS_TRY(read_spherical(r));
  for (bool within = true; within;)
    DCS_TRY(next_within(r, &within));
  return DCS_OK;
}

static dcs_status check_orbital(const reading *r) {
  const char *path = place(r).path;
  if (!r->chosen.c || r->now.number == 0)
    return dcs_fail(DCS_INPUT, "%s: found no orbital; expected [Atoms], [GTO] and [MO]", path);
  if (r->chosen.number == 0)
    return dcs_fail(DCS_USAGE, "--orbital: found %" PRId64 "; expected 1 to %" PRId64 ", of %s",
                    r->how->orbital, r->now.number, path);
  return DCS_OK;
}

static dcs_status read_all(reading *r, FILE *notes) {
  DCS_TRY(next(r));
  while (r->found && !is_section(r->line))
    DCS_TRY(next(r));
  while (r->found)
    DCS_TRY(read_section(r));
  DCS_TRY(check_orbital(r));
  spread_orbital(r);
  const orbital *o = &r->chosen;
  if (notes)
    fprintf(notes,
            "%s: orbital %" PRId64 " of %" PRId64 "%s%s%s%s, energy %g hartree, occupation %g; "
            "charges are those of the nuclei\n",
            place(r).path, o->number, r->now.number, *o->label ? ", " : "", o->label,
            *o->spin ? ", " : "", o->spin, o->energy, o->occupation);
  return DCS_OK;
}

static dcs_status read_molden(dcs_content *content, const dcs_read_options *how,
                              dcs_molecule *molecule, FILE *notes) {
  reading r = {.content = content, .how = how, .molecule = molecule};
  molecule->basis = calloc(1, sizeof *molecule->basis);
  if (!molecule->basis) return dcs_fail(DCS_UNAVAILABLE, "no memory for a basis");
  r.basis = molecule->basis;
  const dcs_status status = read_all(&r, notes);
  free(r.now.c);
  free(r.chosen.c);
  return status;
}

/* Whether the first line that is not empty is [Molden Format]. */
static bool is_molden(dcs_slice head) {
  dcs_slice rest = dcs_behind_mark(head), line, words[3] = {{"", 0}};
  do
    if (!dcs_line_next(&rest, &line)) return false;
  while (dcs_line_words(line, 0, words) == 0);
  return dcs_line_words(line, 2, words) == 2 && is_same(words[0], "[molden") &&
         is_same(words[1], "format]");
}

const dcs_reader dcs_reader_molden = {.name = "Molden",
                                      .what = "[Molden Format] in its first line",
                                      .gives = DCS_PLACES | DCS_CHARGES | DCS_ORBITAL,
                                      .orbitals = true,
                                      .sniff = is_molden,
                                      .read = read_molden};
