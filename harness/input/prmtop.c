/* The reader of AMBER topologies (prmtop, parm7): charges, radii and names of atoms, no places.
 *
 * The first line starts with %VERSION or %FLAG. A section is
 *
 *     %FLAG NAME
 *     %COMMENT any text, as often as there are
 *     %FORMAT(5E16.8)
 *     its values, in lines
 *
 * and sections come in any order; those that are not needed are passed over. The format is
 * Fortran's: how many values a line has at most (1 where it is not said), a letter (I, E, F, G, D
 * or A), how wide each is, decimals; all lines but a section's last are full. Values are cut out by
 * columns and may touch.
 *
 * POINTERS   its first value is the number of atoms, 1 to 2^31 - 1
 * CHARGE     as many, each 18.2223 times a charge in e. CHAMBER's topologies, which have the
 * section CTITLE, are of CHARMM's charges: sqrt(332.0716) times RADII      of implicit solvent, as
 * many, angstrom; 0 where the section is missing ATOM_NAME  as many; where the section is missing
 * names are unknown
 *
 * Those of AMOEBA, whose charges are parts of multipoles, and topologies of AMBER 6 and before,
 * which have no %FLAG, are refused by name. */
#include "harness/base/grow.h"
#include "harness/input/molecule.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { POINTERS, CHARGE, RADII, ATOM_NAME, CTITLE, AMOEBA, N_SECTIONS };
static const char *const section_names[N_SECTIONS] = {"POINTERS",  "CHARGE", "RADII",
                                                      "ATOM_NAME", "CTITLE", "AMOEBA_FORCEFIELD"};

#define AMBER_CHARGE  18.2223
#define CHARMM_CHARGE 18.222831832621406 /* sqrt(332.0716) */

typedef struct {
  int a_line, width;
} format;

typedef struct {
  dcs_content *content;
  int64_t lines[N_SECTIONS]; /* where each began; 0: it is not there */
  double *values[2];         /* of CHARGE and RADII */
  int64_t n[2], n_names, n_atoms;
  dcs_name *names;
} topology;

/* ---- formats ---- */

/* Digits from *at on; 0 where there are none, or too many. */
static int read_digits(dcs_slice text, size_t *at) {
  int value = 0;
  for (; *at < text.length && dcs_is_digit(text.text[*at]); ++*at)
    if (value < 10000) value = 10 * value + text.text[*at] - '0';
  return value < 10000 ? value : 0;
}

static dcs_status read_format(dcs_where at, dcs_slice line, format *f) {
  size_t i = strlen("%FORMAT(");
  bool right = dcs_starts_with(line, "%FORMAT(");
  bool counted = right && i < line.length && dcs_is_digit(line.text[i]);
  f->a_line = counted ? read_digits(line, &i) : 1;
  right = right && i < line.length && strchr("IEFGDAiefgda", line.text[i++]);
  if (right) f->width = read_digits(line, &i);
  if (right && i < line.length && line.text[i] == '.') {
    i++;
    read_digits(line, &i);
  }
  if (right && i < line.length && line.text[i] == ')' && f->a_line > 0 && f->width > 0)
    return DCS_OK;
  return dcs_line_wrong(at, line, "a format such as %%FORMAT(5E16.8)");
}

/* ---- sections ---- */

static dcs_status add_name(topology *t, dcs_slice field) {
  DCS_TRY(dcs_grow(&t->names, (size_t)t->n_names, sizeof *t->names, "atoms"));
  t->names[t->n_names++] = dcs_name_of(field);
  return DCS_OK;
}

static dcs_status add_value(topology *t, int section, dcs_slice field) {
  double value;
  if (!dcs_line_number(field, &value) || !(fabs(value) <= FLT_MAX))
    return dcs_line_wrong(dcs_content_place(t->content), field, "a number in section %s",
                          section_names[section]);
  if (section == POINTERS) {
    if (t->n_atoms || dcs_line_count(field, &t->n_atoms)) return DCS_OK;
    return dcs_line_wrong(dcs_content_place(t->content), field, "the number of atoms, 1 to %d",
                          INT32_MAX);
  }
  const int list = section - CHARGE;
  DCS_TRY(dcs_grow(&t->values[list], (size_t)t->n[list], sizeof(double), "atoms"));
  t->values[list][t->n[list]++] = value;
  return DCS_OK;
}

static dcs_status read_values(topology *t, int section, dcs_slice line, format f) {
  const size_t end = dcs_line_trimmed(line).length, width = (size_t)f.width;
  if (end > width * (size_t)f.a_line)
    return dcs_line_wrong(dcs_content_place(t->content), line, "at most %d values of %d characters",
                          f.a_line, f.width);
  for (size_t first = 0; first < end; first += width) {
    dcs_slice field = dcs_line_columns(line, first + 1, first + width);
    DCS_TRY(section == ATOM_NAME ? add_name(t, field) : add_value(t, section, field));
  }
  return DCS_OK;
}

static dcs_status twice(topology *t, int section) {
  dcs_where at = dcs_content_place(t->content);
  if (!t->lines[section]) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found section %s again; expected it once, in line "
                  "%" PRId64,
                  at.path, at.line, section_names[section], t->lines[section]);
}

/* Reads the line of a %FLAG; *section stays N_SECTIONS for one that is not needed. */
static dcs_status read_flag(topology *t, dcs_slice line, int *section) {
  dcs_slice words[3];
  const int n = dcs_line_words(line, 2, words);
  *section = N_SECTIONS;
  for (int s = 0; n > 1 && s < N_SECTIONS; s++)
    if (dcs_is_word(words[1], section_names[s])) *section = s;
  if (*section == N_SECTIONS) return DCS_OK;
  DCS_TRY(twice(t, *section));
  t->lines[*section] = dcs_content_place(t->content).line;
  return DCS_OK;
}

static dcs_status read_sections(topology *t) {
  dcs_slice line;
  bool found;
  int section = N_SECTIONS;
  format f = {0};
  for (;;) {
    DCS_TRY(dcs_content_line(t->content, &line, &found));
    if (!found) return DCS_OK;
    if (dcs_starts_with(line, "%FLAG")) {
      DCS_TRY(read_flag(t, line, &section));
      f = (format){0};
    } else if (section >= CTITLE || dcs_starts_with(line, "%COMMENT")) {
      continue;
    } else if (f.width == 0) {
      DCS_TRY(read_format(dcs_content_place(t->content), line, &f));
    } else {
      DCS_TRY(read_values(t, section, line, f));
    }
  }
}

/* ---- the file ---- */

static dcs_status check_count(const topology *t, int section, int64_t n) {
  if (n == t->n_atoms) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found %" PRId64 " values in section %s; expected "
                  "%" PRId64 ", as section POINTERS says",
                  dcs_content_place(t->content).path, t->lines[section], n, section_names[section],
                  t->n_atoms);
}

static dcs_status check(topology *t) {
  const char *path = dcs_content_place(t->content).path;
  for (int s = POINTERS; s <= CHARGE; s++)
    if (!t->lines[s])
      return dcs_fail(DCS_INPUT,
                      "%s: found no section %s; expected \"%%FLAG %s\" in a topology of "
                      "AMBER",
                      path, section_names[s], section_names[s]);
  if (t->lines[AMOEBA])
    return dcs_fail(DCS_INPUT,
                    "%s:%" PRId64
                    ": found a topology of AMOEBA, which has multipoles; expected one "
                    "with charges of atoms alone",
                    path, t->lines[AMOEBA]);
  if (!t->n_atoms)
    return dcs_fail(DCS_INPUT,
                    "%s:%" PRId64 ": found no values in section POINTERS; expected the "
                    "number of atoms",
                    path, t->lines[POINTERS]);
  DCS_TRY(check_count(t, CHARGE, t->n[0]));
  if (t->lines[RADII]) DCS_TRY(check_count(t, RADII, t->n[1]));
  /* The last names may be blank, and so not there. */
  while (t->lines[ATOM_NAME] && t->n_names < t->n_atoms)
    DCS_TRY(add_name(t, (dcs_slice){"", 0}));
  return t->lines[ATOM_NAME] ? check_count(t, ATOM_NAME, t->n_names) : DCS_OK;
}

static dcs_status take(topology *t, dcs_molecule *m) {
  const double unit = t->lines[CTITLE] ? CHARMM_CHARGE : AMBER_CHARGE;
  DCS_TRY(check(t));
  m->sites = calloc((size_t)t->n_atoms, sizeof *m->sites);
  if (!m->sites) return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms", t->n_atoms);
  m->n = t->n_atoms;
  for (int64_t i = 0; i < m->n; i++) {
    m->sites[i].q = t->values[0][i] / unit;
    if (t->lines[RADII]) m->sites[i].radius = t->values[1][i];
  }
  m->names = t->names;
  t->names = NULL;
  return DCS_OK;
}

/* Those of AMBER 6 and before: a title, then numbers of atoms and other things, 12I6. */
static bool is_old(dcs_slice head) {
  enum { A_LINE = 12, WIDTH = 6 };
  dcs_slice line;
  double value;
  for (int title = 0; title < 2; title++)
    if (!dcs_line_next(&head, &line)) return false;
  if (dcs_line_trimmed(line).length != (size_t)A_LINE * WIDTH) return false;
  for (size_t i = 0; i < A_LINE; i++) {
    const dcs_slice field = dcs_line_columns(line, i * WIDTH + 1, (i + 1) * WIDTH);
    if (dcs_has(field, '.') || !dcs_line_number(field, &value)) return false;
  }
  return true;
}

static dcs_status read_prmtop(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                              FILE *notes) {
  topology t = {.content = content};
  dcs_slice head;
  (void)how, (void)notes;
  DCS_TRY(dcs_content_peek(content, 256, &head));
  if (is_old(head))
    return dcs_fail(DCS_INPUT,
                    "%s: found a topology of AMBER 6 or before, without %%FLAG; expected one that "
                    "starts with %%VERSION, which ParmEd's outparm writes of it",
                    dcs_content_place(content).path);
  dcs_status status = read_sections(&t);
  if (status == DCS_OK) status = take(&t, m);
  free(t.values[0]);
  free(t.values[1]);
  free(t.names);
  return status;
}

static bool is_prmtop(dcs_slice head) {
  head = dcs_behind_mark(head);
  return dcs_starts_with(head, "%VERSION") || dcs_starts_with(head, "%FLAG") || is_old(head);
}

const dcs_reader dcs_reader_prmtop = {.name = "prmtop",
                                      .what = "a first line that starts with %VERSION",
                                      .gives = DCS_CHARGES | DCS_RADII,
                                      .sniff = is_prmtop,
                                      .read = read_prmtop};
