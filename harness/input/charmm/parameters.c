/* The reader of CHARMM's parameter files (.prm, .par, .inp) and streams (.str).
 *
 * A text behind ! is a comment, a line that ends with - goes on in the next, case does not matter.
 * A section begins with its name on a line of its own (NONBONDED and HBOND may have options behind
 * it) and ends where the next begins, with END, or where a stream goes on (READ, RETURN). What is
 * outside of sections is passed over, but for MASS lines: titles, a stream's commands, and the
 * topology in it or in a file of its own (.rtf). In a file without READ, which is no stream, a line
 * there that is of no topology is refused: a section's name that is misspelt hides none.
 *
 * NONBONDED  type, a number, epsilon (kcal/mol, at most 0), R_min/2 (angstrom); and perhaps the
 *            last three once more for pairs that are three bonds apart. Options: nonbonded.c
 * NBFIX      two types, epsilon, R_min (of the pair, angstrom); and perhaps both once more
 * MASS       a number, a type, a mass: what number stands for a type in a PSF file of CHARMM
 *
 * In both sections types may have wild cards: * for anything, % for a character, # for digits, +
 * for one. Of lines that match a type the last counts, whichever has wild cards, also over several
 * files. BONDS, ANGLES, DIHEDRALS, IMPROPER, CMAP and HBOND are passed over; their lines must look
 * as they do there, so that a name of a section that is misspelt does not hide one. */
#include "harness/input/charmm/parameters.h"
#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/hash.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- lines ---- */

enum { MOST_TEXT = 4096 };
enum { OUTSIDE, NONBONDED, NBFIX, ATOMS, HBOND, CMAP, BONDS, ANGLES, DIHEDRALS, IMPROPER };

typedef struct {
  dcs_content *content;
  dcs_charmm *parameters;
  char text[MOST_TEXT];
  size_t length;
  dcs_charmm_line line;
  int section;
  bool has_any; /* a section, or a MASS line */
  bool has_read;
  /* ---- the first line that is known nowhere ---- */
  dcs_where unknown_at;
  char unknown[64];
} reader;

bool dcs_charmm_is(dcs_slice word, const char *start) {
  const size_t n = strlen(start);
  return word.length >= n && strncasecmp(word.text, start, n) == 0;
}

dcs_status dcs_charmm_type(const dcs_charmm_line *line, int word, dcs_name *type) {
  const dcs_slice found = line->words[word];
  if (found.length > sizeof type->text)
    return dcs_line_wrong(line->at, found, "a type of at most %d characters",
                          (int)sizeof type->text);
  *type = dcs_name_of(found);
  for (size_t i = 0; i < found.length; i++)
    type->text[i] = (char)toupper((unsigned char)type->text[i]);
  return DCS_OK;
}

/* What stands before a comment, without blanks at its end. */
static dcs_slice without_comment(dcs_slice line) {
  const char *mark = memchr(line.text, '!', line.length);
  if (mark) line.length = (size_t)(mark - line.text);
  return dcs_line_trimmed(line);
}

/* Appends a line; *goes_on: it ends with -. */
static dcs_status append(reader *r, dcs_slice line, bool *goes_on) {
  *goes_on = line.length > 0 && line.text[line.length - 1] == '-';
  if (*goes_on) line.length--;
  if (line.length + 1 > MOST_TEXT - r->length)
    return dcs_line_wrong(dcs_content_place(r->content), line,
                          "%d characters at most, with the lines that go on", MOST_TEXT);
  memcpy(r->text + r->length, line.text, line.length);
  r->length += line.length;
  r->text[r->length++] = ' ';
  return DCS_OK;
}

/* Within sections a type may begin with *. */
static bool is_title(const reader *r, dcs_slice line) {
  return r->section == OUTSIDE && r->length == 0 && line.length > 0 && line.text[0] == '*';
}

/* The next line that has a word. */
static dcs_status next_line(reader *r, bool *found) {
  dcs_slice line;
  bool goes_on = false;
  r->length = 0;
  r->line.n = 0;
  for (;;) {
    DCS_TRY(dcs_content_line(r->content, &line, found));
    if (!*found) break;
    if (is_title(r, line)) continue;
    if (r->length == 0) r->line.at = dcs_content_place(r->content);
    DCS_TRY(append(r, without_comment(line), &goes_on));
    if (goes_on) continue;
    r->line.text = dcs_line_trimmed((dcs_slice){r->text, r->length});
    r->line.n = dcs_line_words(r->line.text, DCS_CHARMM_WORDS, r->line.words);
    if (r->line.n > 0) return DCS_OK;
    r->length = 0;
  }
  if (!goes_on) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s:%" PRId64 ": found the end behind a line that goes on (-)",
                  r->line.at.path, r->line.at.line);
}

/* ---- sections ---- */

/* `types` words and `numbers` of lines that are passed over; `options` may stand behind a name. */
typedef struct {
  const char *start;
  int section, types, numbers;
  bool options;
} section;
static const section sections[] = {
    {"NONB", NONBONDED, 0, 0, true}, {"NBON", NONBONDED, 0, 0, true},
    {"NBFI", NBFIX, 0, 0, false},    {"ATOM", ATOMS, 0, 0, false},
    {"HBON", HBOND, 0, 0, true},     {"CMAP", CMAP, 0, 0, false},
    {"BOND", BONDS, 2, 2, false},    {"ANGL", ANGLES, 3, 2, false},
    {"THET", ANGLES, 3, 2, false},   {"DIHE", DIHEDRALS, 4, 3, false},
    {"PHI", DIHEDRALS, 4, 3, false}, {"IMPR", IMPROPER, 4, 3, false},
    {"IMPH", IMPROPER, 4, 3, false}};
enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

/* The section that a line begins; NULL: none. */
static const section *begun(const dcs_charmm_line *line) {
  for (int s = 0; s < N_SECTIONS; s++)
    if (dcs_charmm_is(line->words[0], sections[s].start) && (line->n == 1 || sections[s].options))
      return &sections[s];
  return NULL;
}

static bool ends_section(const dcs_charmm_line *line) {
  const dcs_slice word = line->words[0];
  return (dcs_charmm_is(word, "END") && line->n == 1) || dcs_charmm_is(word, "RETURN") ||
         (dcs_charmm_is(word, "READ") && word.length == 4);
}

static dcs_status take_mass(reader *r) {
  const dcs_charmm_line *line = &r->line;
  dcs_charmm *p = r->parameters;
  double number;
  r->has_any = true;
  if (line->n < 3 || !dcs_line_number(line->words[1], &number) || number != floor(number) ||
      fabs(number) > INT32_MAX)
    return dcs_line_wrong(line->at, line->text, "MASS, a whole number, a type, its mass");
  DCS_TRY(dcs_grow(&p->numbers, (size_t)p->n_numbers, sizeof *p->numbers, "types"));
  p->numbers[p->n_numbers].number = (int64_t)number;
  DCS_TRY(dcs_charmm_type(line, 2, &p->numbers[p->n_numbers].type));
  p->n_numbers++;
  return DCS_OK;
}

static int count_numbers(const dcs_charmm_line *line, int from) {
  double value;
  int n = 0;
  while (from + n < line->n && dcs_line_number(line->words[from + n], &value))
    n++;
  return n;
}

/* A line of a section that is not needed. */
static dcs_status pass_over(const reader *r) {
  const dcs_charmm_line *line = &r->line;
  if (r->section == HBOND) return DCS_OK;
  if (r->section == CMAP) {
    enum { TYPES = 8 };
    if (count_numbers(line, 0) == line->n) return DCS_OK;
    if (line->n == TYPES + 1 && count_numbers(line, TYPES) == 1) return DCS_OK;
    return dcs_line_wrong(line->at, line->text,
                          "eight types and a number, or numbers, in section CMAP");
  }
  for (int s = 0; s < N_SECTIONS; s++)
    if (sections[s].section == r->section &&
        (line->n < sections[s].types ||
         count_numbers(line, sections[s].types) < sections[s].numbers))
      return dcs_line_wrong(line->at, line->text,
                            "%d types and %d numbers, in section %s, or the name of another "
                            "(NONBONDED, NBFIX, ...)",
                            sections[s].types, sections[s].numbers, sections[s].start);
  return DCS_OK;
}

/* A line outside of sections: a topology's, or its version. */
static bool is_topology(const dcs_charmm_line *line) {
  static const char *const starts[] = {"DECL", "DEFA", "AUTO", "RESI", "PRES", "GROU", "ATOM",
                                       "BOND", "DOUB", "TRIP", "ANGL", "THET", "DIHE", "PHI",
                                       "IMPR", "IMPH", "CMAP", "DONO", "ACCE", "IC",   "BILD",
                                       "PATC", "DELE", "LONE", "ANIS", "END",  "STOP"};
  for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
    if (dcs_charmm_is(line->words[0], starts[s])) return true;
  return count_numbers(line, 0) == line->n;
}

static dcs_status take_outside(reader *r) {
  const dcs_charmm_line *line = &r->line;
  if (dcs_charmm_is(line->words[0], "MASS")) return take_mass(r);
  if (r->section == ATOMS)
    return dcs_line_wrong(line->at, line->text,
                          "MASS, in section ATOMS, or the name of another (NONBONDED, NBFIX, ...)");
  if (r->unknown[0] || is_topology(line)) return DCS_OK;
  r->unknown_at = line->at;
  snprintf(r->unknown, sizeof r->unknown, "%.*s", (int)line->text.length, line->text.text);
  return DCS_OK;
}

static dcs_status begin_section(reader *r, const section *s) {
  r->section = s->section;
  r->has_any = true;
  return s->section == NONBONDED ? dcs_charmm_options(&r->line, 1, r->parameters) : DCS_OK;
}

static dcs_status take_line(reader *r) {
  const dcs_charmm_line *line = &r->line;
  const section *s = begun(line);
  if (ends_section(line)) {
    r->has_read = r->has_read || dcs_charmm_is(line->words[0], "READ");
    r->section = OUTSIDE;
    return DCS_OK;
  }
  if (s) return begin_section(r, s);
  if (r->section == OUTSIDE || r->section == ATOMS) return take_outside(r);
  if (r->section == NONBONDED) return dcs_charmm_nonbonded(line, r->parameters);
  if (r->section == NBFIX) return dcs_charmm_nbfix(line, r->parameters);
  return pass_over(r);
}

/* ---- the file ---- */

static dcs_status read_lines(reader *r) {
  bool found;
  for (;;) {
    DCS_TRY(next_line(r, &found));
    if (!found) break;
    DCS_TRY(take_line(r));
  }
  if (!r->has_any)
    return dcs_fail(DCS_INPUT,
                    "%s: found no section of parameters; expected CHARMM's, with a line NONBONDED",
                    dcs_content_place(r->content).path);
  if (r->has_read || !r->unknown[0]) return DCS_OK;
  return dcs_line_wrong(r->unknown_at, (dcs_slice){r->unknown, strlen(r->unknown)},
                        "the name of a section (NONBONDED, NBFIX, ...), or a line of a topology");
}

static dcs_status check_file(const char *path) {
  struct stat facts;
  if (strcmp(path, "-") == 0) return DCS_OK; /* standard input */
  const bool there = access(path, R_OK) == 0 && stat(path, &facts) == 0;
  if (there && !S_ISDIR(facts.st_mode)) return DCS_OK;
  return dcs_fail(DCS_IO, "%s: cannot read: %s; expected a file of CHARMM's parameters", path,
                  strerror(there ? EISDIR : errno));
}

dcs_status dcs_charmm_read(const char *path, dcs_charmm *parameters, uint64_t *hash) {
  DCS_TRY(check_file(path));
  reader *r = calloc(1, sizeof *r);
  if (!r) return dcs_fail(DCS_UNAVAILABLE, "no memory to read %s", path);
  r->parameters = parameters;
  dcs_status status = dcs_content_open(path, &r->content);
  if (status == DCS_OK) {
    status = read_lines(r);
    if (status == DCS_OK) status = dcs_content_end(r->content, hash);
    dcs_content_close(r->content);
  }
  free(r);
  return status;
}

void dcs_charmm_free(dcs_charmm *parameters) {
  free(parameters->wells);
  free(parameters->fixes);
  free(parameters->numbers);
  *parameters = (dcs_charmm){0};
}
