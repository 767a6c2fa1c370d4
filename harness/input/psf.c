/* The PSF reader: charges and names of atoms, no places.
 *
 * The first line starts with PSF; the flags behind it (EXT, CMAP, CHEQ, XPLOR, DRUDE, NAMD, ...)
 * say how wide columns are and are not needed here. Of the sections only that of the atoms is read,
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
 * Numbers are what harness/base/decimal.h reads; charges fit a float. */
#include "harness/base/grow.h"
#include "harness/input/molecule.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* A word for each place before the mass, and the mass. */
enum { FIRST_CHARGE = 4, LAST_CHARGE = 6, WORDS = LAST_CHARGE + 2 };

static bool is_psf(dcs_slice head) {
  head = dcs_behind_mark(head);
  return dcs_starts_with(head, "PSF") && (head.length == 3 || strchr(" \t\r\n", head.text[3]));
}

static bool is_real(dcs_slice word, double *value) {
  return dcs_has(word, '.') && dcs_line_number(word, value);
}

static dcs_status read_atom(dcs_where at, dcs_slice line, dcs_site *site, dcs_name *name) {
  dcs_slice words[WORDS + 1];
  const int n = dcs_line_words(line, WORDS, words);
  double charge, mass;
  for (int c = FIRST_CHARGE; c <= LAST_CHARGE && c + 1 < n; c++) {
    if (!is_real(words[c], &charge) || !is_real(words[c + 1], &mass)) continue;
    if (!(fabs(charge) <= FLT_MAX))
      return dcs_line_wrong(at, words[c], "a charge of at most %g in size", FLT_MAX);
    *site = (dcs_site){.q = charge};
    *name = dcs_name_of(words[c - 2]);
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

static dcs_status find_atoms(dcs_content *content, int64_t *n) {
  dcs_slice line, count;
  bool found;
  do {
    DCS_TRY(dcs_content_line(content, &line, &found));
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

static dcs_status read_psf(dcs_content *content, const dcs_read_options *how, dcs_molecule *m,
                           FILE *notes) {
  dcs_slice line;
  bool found;
  int64_t n = 0;
  char text[64];
  (void)how, (void)notes;
  DCS_TRY(find_atoms(content, &n));
  for (; m->n < n; m->n++) {
    DCS_TRY(dcs_content_line(content, &line, &found));
    if (!found || is_empty(line) || dcs_has(line, '!')) {
      snprintf(text, sizeof text, "the end of the atoms after %" PRId64, m->n);
      return wrong_count(content, n, text);
    }
    DCS_TRY(dcs_grow(&m->sites, (size_t)m->n, sizeof *m->sites, "atoms"));
    DCS_TRY(dcs_grow(&m->names, (size_t)m->n, sizeof *m->names, "atoms"));
    DCS_TRY(read_atom(dcs_content_place(content), line, &m->sites[m->n], &m->names[m->n]));
  }
  DCS_TRY(dcs_content_line(content, &line, &found));
  if (found && !is_empty(line) && !dcs_has(line, '!'))
    return wrong_count(content, n, "another line");
  return DCS_OK;
}

const dcs_reader dcs_reader_psf = {.name = "PSF",
                                   .what = "a first line that starts with PSF",
                                   .gives = DCS_CHARGES,
                                   .sniff = is_psf,
                                   .read = read_psf};
