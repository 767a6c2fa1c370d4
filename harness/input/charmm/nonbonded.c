/* The sections NONBONDED and NBFIX. Of the options of NONBONDED those count that say what the
 * parameters mean:
 *
 *     NBXMOD   5 or -5: pairs 1-2 and 1-3 are excluded, pairs 1-4 have values of their own
 *     E14FAC   what the Coulomb terms of pairs 1-4 are multiplied by, the same in all files
 *     EPS      1
 *     GEOM     refused: R_min would be the root of the product of both, not the sum of halves
 *     RDIE     refused: the dielectric constant would be the distance; CDIE is what it is here
 *
 * Others, cutoffs and ways to switch, are of a simulation, and are passed over. */
#include "harness/base/grow.h"
#include "harness/input/charmm/parameters.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- options ---- */

static dcs_status take_charges14(const dcs_charmm_line *line, dcs_slice word, double value,
                                 dcs_charmm *p) {
  if (!(value >= 0 && value <= 1)) return dcs_line_wrong(line->at, word, "0 to 1 behind E14FAC");
  if (p->has_charges14 && p->charges14 != value)
    return dcs_line_wrong(line->at, word, "%g behind E14FAC, as it was given before", p->charges14);
  p->charges14 = value;
  p->has_charges14 = true;
  return DCS_OK;
}

/* An option and the word behind it. */
static dcs_status take_option(const dcs_charmm_line *line, int at, dcs_charmm *p) {
  const dcs_slice word = line->words[at], next = at + 1 < line->n ? line->words[at + 1] : word;
  const bool modes = dcs_charmm_is(word, "NBXM"), factor = dcs_charmm_is(word, "E14F");
  const bool constant = dcs_charmm_is(word, "EPS");
  double value;
  if (dcs_charmm_is(word, "GEOM"))
    return dcs_line_wrong(line->at, word,
                          "no GEOM: R_min of a pair is the sum of its atoms' halves");
  if (dcs_charmm_is(word, "RDIE"))
    return dcs_line_wrong(line->at, word,
                          "no RDIELECTRIC: the Coulomb term is of 1 / distance, as by CDIE");
  if (!modes && !factor && !constant) return DCS_OK;
  if (!dcs_line_number(next, &value))
    return dcs_line_wrong(line->at, next, "a number behind %.4s", word.text);
  if (factor) return take_charges14(line, next, value, p);
  if (modes && fabs(value) != 5)
    return dcs_line_wrong(line->at, next, "5 behind NBXMOD: pairs 1-2 and 1-3 are excluded");
  if (constant && value != 1)
    return dcs_line_wrong(line->at, next, "1 behind EPS, as in the formula of forces");
  return DCS_OK;
}

dcs_status dcs_charmm_options(const dcs_charmm_line *line, int from, dcs_charmm *p) {
  if (line->n > DCS_CHARMM_WORDS)
    return dcs_line_wrong(line->at, line->text, "at most %d words", DCS_CHARMM_WORDS);
  for (int w = from; w < line->n; w++)
    DCS_TRY(take_option(line, w, p));
  return DCS_OK;
}

/* ---- values ---- */

/* Numbers from a word on, to the line's end: at most `most`; how many. */
static int take_numbers(const dcs_charmm_line *line, int from, int most, double *values) {
  int n = 0;
  while (n < most && from + n < line->n && dcs_line_number(line->words[from + n], &values[n]) &&
         fabs(values[n]) <= FLT_MAX)
    n++;
  return from + n == line->n ? n : -1;
}

/* The squares of what kernels compute of it, to the twelfth power, are numbers. */
#define MOST_MINIMUM 100.0
#define MOST_DEPTH   1e6

static dcs_status check_pair(const dcs_charmm_line *line, int word, double epsilon,
                             double minimum) {
  if (!(epsilon <= 0))
    return dcs_line_wrong(line->at, line->words[word],
                          "an epsilon of at most 0, kcal/mol (above it CHARMM has a formula of "
                          "polarizabilities, which is not computed here)");
  if (!(epsilon >= -MOST_DEPTH))
    return dcs_line_wrong(line->at, line->words[word], "an epsilon of -%g at least, kcal/mol",
                          MOST_DEPTH);
  if (!(minimum >= 0 && minimum <= MOST_MINIMUM))
    return dcs_line_wrong(line->at, line->words[word + 1], "a length of 0 to %g angstrom",
                          MOST_MINIMUM);
  return DCS_OK;
}

dcs_status dcs_charmm_nonbonded(const dcs_charmm_line *line, dcs_charmm *p) {
  dcs_charmm_well w;
  double value[6];
  if (dcs_charmm_is(line->words[0], "CUTN") || dcs_charmm_is(line->words[0], "NBXM"))
    return dcs_charmm_options(line, 0, p); /* that nothing announced */
  const int n = take_numbers(line, 1, 6, value);
  if (n != 3 && n != 6)
    return dcs_line_wrong(line->at, line->text,
                          "a type and three numbers or six, in section NONBONDED: any, epsilon, "
                          "R_min/2; and the same of pairs 1-4");
  DCS_TRY(dcs_charmm_type(line, 0, &w.type));
  DCS_TRY(check_pair(line, 2, value[1], value[2]));
  w.well = w.well14 = (dcs_lennard_jones){value[2], fabs(value[1])};
  if (n == 6) {
    DCS_TRY(check_pair(line, 5, value[4], value[5]));
    w.well14 = (dcs_lennard_jones){value[5], fabs(value[4])};
  }
  DCS_TRY(dcs_grow(&p->wells, (size_t)p->n_wells, sizeof *p->wells, "types"));
  p->wells[p->n_wells++] = w;
  return DCS_OK;
}

dcs_status dcs_charmm_nbfix(const dcs_charmm_line *line, dcs_charmm *p) {
  dcs_charmm_fix fix;
  double value[4];
  const int n = take_numbers(line, 2, 4, value);
  if (n != 2 && n != 4)
    return dcs_line_wrong(line->at, line->text,
                          "two types and two numbers or four, in section NBFIX: epsilon, R_min; "
                          "and the same of pairs 1-4");
  for (int t = 0; t < 2; t++)
    DCS_TRY(dcs_charmm_type(line, t, &fix.types[t]));
  DCS_TRY(check_pair(line, 2, value[0], value[1]));
  fix.well = fix.well14 = (dcs_pair_well){value[1], fabs(value[0])};
  if (n == 4) {
    DCS_TRY(check_pair(line, 4, value[2], value[3]));
    fix.well14 = (dcs_pair_well){value[3], fabs(value[2])};
  }
  DCS_TRY(dcs_grow(&p->fixes, (size_t)p->n_fixes, sizeof *p->fixes, "pairs of types"));
  p->fixes[p->n_fixes++] = fix;
  return DCS_OK;
}
