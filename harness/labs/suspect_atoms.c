#include "harness/labs/suspects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ATOMS = 64 };

void dcs_point_at(const dcs_case *c, int64_t index, int64_t at[3]) {
  const dcs_dims n = c->problem.n;
  at[0] = index % n.x;
  at[1] = index / n.x % n.y;
  at[2] = index / n.x / n.y;
}

int64_t dcs_atoms_at_a_time(const dcs_wrong_values *wrong) {
  const dcs_variant *variant = wrong->method->variant;
  int p = dcs_find_role(variant, DCS_ROLE_CHUNK);
  if (p < 0) p = dcs_find_param(variant, "tile_atoms");
  return p < 0 ? wrong->c->n_sites : (int64_t)wrong->method->config.value[p];
}

/* ---- how often each atom counts ---- */

/* What minimises |sum over atoms of weight times term - found|: the normal equations. */
typedef struct {
  int n;
  double matrix[MOST_ATOMS][MOST_ATOMS + 1]; /* and the right side */
  double weight[MOST_ATOMS];
} equations;

static void terms_at(const dcs_case *c, int64_t index, double terms[MOST_ATOMS]) {
  int64_t at[3];
  dcs_point_at(c, index, at);
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *s = &c->sites[a];
    const double dx = c->spacing * (double)at[0] - s->x, dy = c->spacing * (double)at[1] - s->y,
                 dz = c->spacing * (double)at[2] - s->z;
    terms[a] = s->q / sqrt(dx * dx + dy * dy + dz * dz);
  }
}

static void add_point(equations *e, const double terms[MOST_ATOMS], double found) {
  for (int r = 0; r < e->n; r++) {
    for (int c = 0; c < e->n; c++)
      e->matrix[r][c] += terms[r] * terms[c];
    e->matrix[r][e->n] += terms[r] * found;
  }
}

static void swap_rows(equations *e, int a, int b) {
  for (int c = 0; c <= e->n; c++) {
    const double kept = e->matrix[a][c];
    e->matrix[a][c] = e->matrix[b][c];
    e->matrix[b][c] = kept;
  }
}

/* By Gaussian elimination; false where the points do not tell the atoms apart. */
static bool solve(equations *e) {
  for (int k = 0; k < e->n; k++) {
    int pivot = k;
    for (int r = k + 1; r < e->n; r++)
      if (fabs(e->matrix[r][k]) > fabs(e->matrix[pivot][k])) pivot = r;
    swap_rows(e, k, pivot);
    if (!(fabs(e->matrix[k][k]) > 1e-12)) return false;
    for (int r = k + 1; r < e->n; r++) {
      const double factor = e->matrix[r][k] / e->matrix[k][k];
      for (int c = k; c <= e->n; c++)
        e->matrix[r][c] -= factor * e->matrix[k][c];
    }
  }
  for (int k = e->n - 1; k >= 0; k--) {
    double rest = e->matrix[k][e->n];
    for (int c = k + 1; c < e->n; c++)
      rest -= e->matrix[k][c] * e->weight[c];
    e->weight[k] = rest / e->matrix[k][k];
  }
  return true;
}

static bool explains(const equations *e, const dcs_wrong_values *wrong) {
  double off2 = 0, all2 = 0, terms[MOST_ATOMS];
  for (int64_t i = 0; i < wrong->n; i++) {
    double value = 0;
    terms_at(wrong->c, wrong->index[i], terms);
    for (int a = 0; a < e->n; a++)
      value += e->weight[a] * terms[a];
    off2 += (value - wrong->found[i]) * (value - wrong->found[i]);
    all2 += wrong->found[i] * wrong->found[i];
  }
  return off2 <= 1e-8 * all2;
}

static bool find_weights(const dcs_wrong_values *wrong, equations *e) {
  double terms[MOST_ATOMS];
  *e = (equations){.n = (int)wrong->c->n_sites};
  if (wrong->c->n_sites > MOST_ATOMS || wrong->n < 2 * e->n) return false;
  for (int64_t i = 0; i < wrong->n; i++) {
    if (!isfinite(wrong->found[i])) return false;
    terms_at(wrong->c, wrong->index[i], terms);
    add_point(e, terms, wrong->found[i]);
  }
  return solve(e) && explains(e, wrong);
}

/* ---- patterns of weights ---- */

typedef struct {
  const double *weight;
  int n, chunk;
} weights;

static bool near(double a, double b) {
  return fabs(a - b) < 0.02;
}

static bool all_are(const weights *w, double value) {
  for (int a = 0; a < w->n; a++)
    if (fabs(w->weight[a] - value) > 0.02 * fmax(1, fabs(value))) return false;
  return true;
}

/* Whether weights are 1, but `odd` where `picked` says so. */
static bool pattern(const weights *w, bool (*picked)(const weights *, int a), double odd) {
  for (int a = 0; a < w->n; a++)
    if (!near(w->weight[a], picked(w, a) ? odd : 1)) return false;
  return true;
}

static bool last_of_chunk(const weights *w, int a) {
  return a % w->chunk == w->chunk - 1 || a == w->n - 1;
}
static bool first_of_chunk(const weights *w, int a) {
  return a % w->chunk == 0;
}
static bool in_last_chunk(const weights *w, int a) {
  return a / w->chunk == (w->n - 1) / w->chunk;
}
static bool before_last_chunk(const weights *w, int a) {
  return !in_last_chunk(w, a);
}
static bool after_first_chunk(const weights *w, int a) {
  return a / w->chunk > 0;
}
static bool in_first_chunk(const weights *w, int a) {
  return a / w->chunk == 0;
}
static bool in_whole_chunk(const weights *w, int a) {
  return a / w->chunk < w->n / w->chunk;
}
static bool in_part_of_chunk(const weights *w, int a) {
  return !in_whole_chunk(w, a);
}

/* Where the last chunk is not full, what an earlier one left lies behind its atoms. */
static bool left_behind(const weights *w, int a) {
  const int last = (w->n - 1) / w->chunk;
  return a / w->chunk == last - 1 && a % w->chunk > (w->n - 1) % w->chunk;
}

static const struct {
  bool (*picked)(const weights *, int a);
  double weight;
  const char *clause;
} patterns[] = {
    {last_of_chunk, 0,
     "the last atom of each chunk is left out: the loop over atoms ends one too "
     "early"},
    {first_of_chunk, 0,
     "the first atom of each chunk is left out: the loop over atoms begins one "
     "too late"},
    {left_behind, 2,
     "atoms of an earlier chunk are added again: the loop goes on behind the last of "
     "the n_atoms atoms"},
    {last_of_chunk, 2, "the last atom of each chunk is added twice"},
    {first_of_chunk, 2, "the first atom of each chunk is added twice"},
    {before_last_chunk, 0,
     "only the atoms of the last chunk are in them: what a later chunk writes "
     "replaces what earlier ones gave, and should be added to it (+=)"},
    {after_first_chunk, 0, "only the atoms of the first chunk are in them"},
    {in_last_chunk, 0, "the atoms of the last chunk are left out"},
    {in_part_of_chunk, 0, "the atoms of the last chunk, which is not full, are left out"},
    {in_first_chunk, 0, "the atoms of the first chunk are left out"},
    {before_last_chunk, 2, "the atoms of all chunks but the last are added twice"},
    {after_first_chunk, 2, "the atoms of all chunks but the first are added twice"},
    {in_last_chunk, 2, "the atoms of the last chunk are added twice"},
    {in_first_chunk, 2, "the atoms of the first chunk are added twice"},
};

static bool match_pattern(const weights *w, char clause[DCS_TEXT]) {
  const bool chunks = w->n > w->chunk;
  for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
    if (!chunks && patterns[p].picked != last_of_chunk && patterns[p].picked != first_of_chunk)
      continue;
    if (!pattern(w, patterns[p].picked, patterns[p].weight)) continue;
    snprintf(clause, DCS_TEXT, "%s", patterns[p].clause);
    return true;
  }
  return false;
}

static bool match_factor(const weights *w, bool all, char clause[DCS_TEXT]) {
  const double factor = w->weight[0], whole = round(factor);
  if (!all_are(w, factor) || near(factor, 1)) return false;
  if (near(factor, -1))
    snprintf(clause, DCS_TEXT, "the sign is wrong");
  else if (!all && whole > 1 && near(factor, whole))
    snprintf(clause, DCS_TEXT, "each is %.0f times too large: %.0f threads compute the same point",
             whole, whole);
  else if (near(factor, 2))
    snprintf(clause, DCS_TEXT, "each is twice too large: every atom is added twice");
  else if (whole > 2 && near(factor, whole))
    snprintf(clause, DCS_TEXT, "each is %.0f times too large: every atom is added %.0f times",
             whole, whole);
  else
    snprintf(clause, DCS_TEXT, "each is %.4g times what it should be", factor);
  return true;
}

/* Each chunk counts twice as often as the one behind it, or once more. */
static bool match_growing(const weights *w, char clause[DCS_TEXT]) {
  const int chunks = (w->n + w->chunk - 1) / w->chunk;
  bool doubled = chunks > 1, summed = chunks > 1;
  for (int a = 0; a < w->n; a++) {
    const int behind = chunks - 1 - a / w->chunk;
    doubled = doubled && fabs(w->weight[a] - ldexp(1, behind)) < 0.1;
    summed = summed && fabs(w->weight[a] - (behind + 1)) < 0.1;
  }
  if (doubled)
    snprintf(clause, DCS_TEXT,
             "the old value of the map is added twice in each launch: atoms of "
             "earlier chunks count 2, 4, ... times");
  else if (summed)
    snprintf(clause, DCS_TEXT,
             "the sum goes on from chunk to chunk and is added each time: atoms "
             "of earlier chunks count 2, 3, ... times");
  return doubled || summed;
}

/* The first chunk stands in for the others. */
static bool match_first_again(const weights *w, char clause[DCS_TEXT]) {
  double sum = 0;
  for (int a = 0; a < w->n; a++) {
    sum += w->weight[a];
    if (after_first_chunk(w, a) ? !near(w->weight[a], 0) : w->weight[a] < 0.98) return false;
  }
  if (w->n <= w->chunk || fabs(sum - w->n) > 0.1) return false;
  snprintf(clause, DCS_TEXT, "the atoms of the first chunk are taken in the place of all others");
  return true;
}

static bool match_some(const weights *w, char clause[DCS_TEXT]) {
  int missing = 0, twice = 0, first_missing = -1, first_twice = -1;
  for (int a = 0; a < w->n; a++) {
    if (near(w->weight[a], 0) && missing++ == 0) first_missing = a;
    if (near(w->weight[a], 2) && twice++ == 0) first_twice = a;
    if (!near(w->weight[a], 0) && !near(w->weight[a], 1) && !near(w->weight[a], 2)) return false;
  }
  if (missing && !twice)
    snprintf(clause, DCS_TEXT, "%d of %d atoms are left out, the first is atom %d", missing, w->n,
             first_missing);
  else if (twice && !missing)
    snprintf(clause, DCS_TEXT, "%d of %d atoms are added twice, the first is atom %d", twice, w->n,
             first_twice);
  else
    snprintf(clause, DCS_TEXT,
             "%d of %d atoms are left out (the first is atom %d), and %d are added twice (atom %d)",
             missing, w->n, first_missing, twice, first_twice);
  return missing > 0 || twice > 0;
}

bool dcs_suspect_atoms(const dcs_wrong_values *wrong, char clause[DCS_TEXT]) {
  equations *e = malloc(sizeof *e);
  bool found = false;
  if (e && find_weights(wrong, e)) {
    const int64_t chunk = dcs_atoms_at_a_time(wrong);
    const weights w = {e->weight, e->n, chunk < e->n ? (int)chunk : e->n};
    found = match_factor(&w, wrong->all, clause) || match_pattern(&w, clause) ||
            match_growing(&w, clause) || match_first_again(&w, clause) || match_some(&w, clause);
  }
  free(e);
  return found;
}
