/* The PSF reader: charges and names of atoms, and, for a force field, types and bonds; no places.
 *
 * The first line starts with PSF; the flags behind it (EXT, CMAP, CHEQ, XPLOR, DRUDE, NAMD, ...)
 * say how wide columns are and are not needed here. Of the sections that of the atoms is read,
 * wherever it stands: a line `N !NATOM`, then N lines of one atom each, then a blank line, another
 * section or the end. N is 1 to 2^31 - 1.
 *
 * An atom is read as words separated by blanks, which every writer puts between them:
 *
 *     number segment residue-number residue-name name type charge mass [fixed, and more]
 *
 * Segment and residue name may be blank, as VMD leaves them, and a type may be a number (CHARMM) or
 * a name (X-PLOR, NAMD): charge and mass are the first two words in a row, from the fifth word on,
 * that are numbers with a point, and the two words before them are name and type. What stands
 * behind the mass (fluctuating charges of CHEQ, polarisability and Thole's factor of DRUDE) is
 * passed over: Drude particles and lone pairs are atoms with charges of their own.
 *
 * Where types and bonds are wanted there is a section behind the atoms: a line `N !NBOND`, then the
 * numbers of 2 N atoms, from 1. What would leave out, or screen, other pairs than bonds tell is
 * refused: explicit exclusions (`N !NNB`), lone pairs (`N !NUMLP`), the flag DRUDE; N is 0.
 *
 * Numbers are what harness/base/decimal.h reads; charges fit a float. */
#include "harness/base/grow.h"
#include "harness/input/molecule.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <strings.h>

/* A word for each place before the mass, and the mass. */
enum { FIRST_CHARGE = 4, LAST_CHARGE = 6, WORDS = LAST_CHARGE + 2 };

static bool is_psf(dcs_slice head) {
  head = dcs_behind_mark(head);
  return dcs_starts_with(head, "PSF") && (head.length == 3 || strchr(" \t\r\n", head.text[3]));
}

static bool is_real(dcs_slice word, double *value) {
  return dcs_has(word, '.') && dcs_line_number(word, value);
}

/* Its type is longer than types are. */
static dcs_status long_type(dcs_where at, dcs_slice word) {
  return dcs_line_wrong(at, word, "a type of at most %d characters", (int)sizeof(dcs_name));
}

static dcs_status read_atom(dcs_where at, dcs_slice line, dcs_site *site, dcs_name *name,
                            dcs_name *type) {
  dcs_slice words[WORDS + 1];
  const int n = dcs_line_words(line, WORDS, words);
  double charge, mass;
  for (int c = FIRST_CHARGE; c <= LAST_CHARGE && c + 1 < n; c++) {
    if (!is_real(words[c], &charge) || !is_real(words[c + 1], &mass)) continue;
    if (!(fabs(charge) <= FLT_MAX))
      return dcs_line_wrong(at, words[c], "a charge of at most %g in size", FLT_MAX);
    *site = (dcs_site){.q = charge};
    *name = dcs_name_of(words[c - 2]);
    if (type && words[c - 1].length > sizeof type->text) return long_type(at, words[c - 1]);
    if (type) *type = dcs_name_of(words[c - 1]);
    return DCS_OK;
  }
  return dcs_line_wrong(at, line,
                        "the atom's number, segment, residue number, residue name, name, "
                        "type, charge such as -0.834000, mass");
}

/* The N of a line `N !WHAT`; false: it is not one. */
static bool is_section(dcs_slice line, const char *what, dcs_slice *count) {
  const char *mark = memchr(line.text, '!', line.length);
  if (!mark) return false;
  dcs_slice title = {mark + 1, line.length - (size_t)(mark + 1 - line.text)};
  dcs_slice words[2];
  if (!dcs_starts_with(title, what)) return false;
  const int n = dcs_line_words((dcs_slice){line.text, (size_t)(mark - line.text)}, 1, words);
  *count = n == 1 ? words[0] : line;
  return true;
}

/* ---- atoms ---- */

/* The flag stands behind PSF in the first line, in any case. */
static dcs_status check_flags(dcs_content *content, dcs_slice line) {
  enum { MOST = 32 };
  dcs_slice words[MOST + 1];
  int n = dcs_line_words(line, MOST, words);
  for (int w = 1; w < n; w++)
    if (words[w].length == 5 && strncasecmp(words[w].text, "DRUDE", 5) == 0)
      return dcs_line_wrong(dcs_content_place(content), words[w],
                            "no Drude particles: their pairs are screened");
  return DCS_OK;
}

static dcs_status find_atoms(dcs_content *content, bool bonds, int64_t *n) {
  dcs_slice line, count;
  bool found, first = true;
  do {
    DCS_TRY(dcs_content_line(content, &line, &found));
    if (found && first && bonds) DCS_TRY(check_flags(content, line));
    first = false;
    if (!found)
      return dcs_fail(DCS_INPUT, "%s: found no atoms; expected a line such as \"2776 !NATOM\"",
                      dcs_content_place(content).path);
  } while (!is_section(line, "NATOM", &count));
  if (!dcs_line_count(count, n))
    return dcs_line_wrong(dcs_content_place(content), count,
                          "the number of atoms before !NATOM, 1 to %d", INT32_MAX);
  return DCS_OK;
}

static bool is_empty(dcs_slice line) {
  return dcs_line_trimmed(line).length == 0;
}

/* Neither more atoms nor fewer than the file states. */
static dcs_status wrong_count(dcs_content *content, int64_t n, const char *found) {
  dcs_where at = dcs_content_place(content);
  return dcs_fail(DCS_INPUT,
                  "%s:%" PRId64 ": found %s; expected %" PRId64
                  " atoms, as the line with !NATOM says",
                  at.path, at.line, found, n);
}

/* Reads n atoms; types where they are wanted. */
static dcs_status read_atoms(dcs_content *content, int64_t n, bool types, dcs_molecule *m) {
  dcs_slice line;
  bool found;
  char text[64];
  for (; m->n < n; m->n++) {
    DCS_TRY(dcs_content_line(content, &line, &found));
    if (!found || is_empty(line) || dcs_has(line, '!')) {
      snprintf(text, sizeof text, "the end of the atoms after %" PRId64, m->n);
      return wrong_count(content, n, text);
    }
    DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
    DCS_TRY(dcs_grow(&m->names, (size_t)m->n, sizeof *m->names, "atoms"));
    if (types) DCS_TRY(dcs_grow(&m->types, (size_t)m->n, sizeof *m->types, "atoms"));
    DCS_TRY(read_atom(dcs_content_place(content), line, &m->sites[m->n], &m->names[m->n],
                      types ? &m->types[m->n] : NULL));
  }
  return DCS_OK;
}

/* ---- bonds ---- */

/* A whole number from lo to hi. */
static dcs_status take_number(dcs_content *content, dcs_slice word, int64_t lo, int64_t hi,
                              int64_t *value) {
  double number;
  if (!dcs_line_number(word, &number) || number != floor(number) ||
      !(number >= (double)lo && number <= (double)hi))
    return dcs_line_wrong(dcs_content_place(content), word,
                          "a whole number, %" PRId64 " to %" PRId64, lo, hi);
  *value = (int64_t)number;
  return DCS_OK;
}

/* The first N of a section's line. */
static dcs_status take_count(dcs_content *content, dcs_slice line, int64_t hi, int64_t *n) {
  enum { MOST = 4 };
  dcs_slice words[MOST + 1];
  if (dcs_line_words(line, MOST, words) == 0) return DCS_OK;
  return take_number(content, words[0], 0, hi, n);
}

static dcs_status read_bonds(dcs_content *content, int64_t n_bonds, dcs_molecule *m) {
  enum { A_LINE = 8 };
  dcs_slice line, words[A_LINE + 1];
  dcs_force_field *field = &m->field;
  int64_t ends = 0, atom = 0;
  bool found;
  field->n = m->n;
  while (ends < 2 * n_bonds) {
    DCS_TRY(dcs_content_line(content, &line, &found));
    const int n = found ? dcs_line_words(line, A_LINE, words) : 0;
    if (n == 0 || n > A_LINE || n > 2 * n_bonds - ends)
      return dcs_line_wrong(dcs_content_place(content), found ? line : (dcs_slice){"", 0},
                            "up to %d of the %" PRId64 " numbers of atoms that are left of %" PRId64
                            " bonds",
                            A_LINE, 2 * n_bonds - ends, n_bonds);
    for (int w = 0; w < n; w++, ends++) {
      DCS_TRY(dcs_grow(&field->bonds, (size_t)(ends / 2), sizeof *field->bonds, "bonds"));
      DCS_TRY(take_number(content, words[w], 1, m->n, &atom));
      if (ends % 2 == 1 && field->bonds[ends / 2][0] == atom - 1)
        return dcs_line_wrong(dcs_content_place(content), words[w],
                              "a bond of two atoms, not of one with itself");
      field->bonds[ends / 2][ends % 2] = atom - 1;
      field->n_bonds = (ends + 1) / 2;
    }
  }
  return DCS_OK;
}

/* Of a section behind the bonds: that it has nothing, if it would leave out or screen pairs. */
static dcs_status check_section(dcs_content *content, dcs_slice line) {
  static const char *const refused[] = {"NNB", "NUMLP"};
  dcs_slice count;
  int64_t n = 0;
  for (int s = 0; s < 2; s++) {
    if (!is_section(line, refused[s], &count)) continue;
    DCS_TRY(take_count(content, count, INT32_MAX, &n));
    if (n > 0)
      return dcs_line_wrong(dcs_content_place(content), line,
                            "0 !%s: pairs are left out as bonds tell, and no others", refused[s]);
  }
  return DCS_OK;
}

/* From the line behind the atoms on. */
static dcs_status find_bonds(dcs_content *content, dcs_slice line, dcs_molecule *m) {
  dcs_slice count;
  bool found = true, read = false;
  int64_t n = 0;
  while (found) {
    if (!read && is_section(line, "NBOND", &count)) {
      DCS_TRY(take_count(content, count, INT32_MAX / 2, &n));
      DCS_TRY(read_bonds(content, n, m));
      read = true;
    } else {
      DCS_TRY(check_section(content, line));
    }
    DCS_TRY(dcs_content_line(content, &line, &found));
  }
  if (read) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found no bonds; expected a line such as \"2775 !NBOND: bonds\"",
                  dcs_content_place(content).path);
}

/* ---- the file ---- */

static dcs_status read_psf(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                           FILE *notes) {
  const bool bonds = how->n_parameters > 0;
  dcs_slice line;
  bool found;
  int64_t n = 0;
  (void)notes;
  DCS_TRY(find_atoms(content, bonds, &n));
  DCS_TRY(read_atoms(content, n, bonds, m));
  DCS_TRY(dcs_content_line(content, &line, &found));
  if (found && !is_empty(line) && !dcs_has(line, '!'))
    return wrong_count(content, n, "another line");
  return bonds ? find_bonds(content, found ? line : (dcs_slice){"", 0}, m) : DCS_OK;
}

const dcs_reader dcs_reader_psf = {.name = "PSF",
                                   .what = "a first line that starts with PSF",
                                   .gives = DCS_CHARGES,
                                   .sniff = is_psf,
                                   .read = read_psf};
