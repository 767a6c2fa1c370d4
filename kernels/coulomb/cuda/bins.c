#include "kernels/coulomb/cuda/bins.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- geometry ---- */

/* Beyond any number of bins that fits, and far below what three of overflow. */
static int64_t whole(double v) {
  return (int64_t)fmax(-1e9, fmin(v, 1e9));
}

/* How far the bin at offset o is at least from a region that begins anywhere in bin 0. */
static double least_gap(const dcs_bins *b, int d, int64_t o) {
  double before = -(double)(o + 1) * b->edge;
  double behind = (double)(o - 1) * b->edge - b->axis[d].length;
  return fmax(0, fmax(before, behind));
}

/* Offsets of bins nearer than g, in one dimension, to a region that begins anywhere in bin 0. */
static void offsets_within(const dcs_bins *b, int d, double g, int64_t *lo, int64_t *hi) {
  *lo = -whole(ceil(g * b->per_edge));
  *hi = whole(ceil((g + b->axis[d].length) * b->per_edge));
}

/* Offsets in x of the neighbours in the row of bins at (oy, oz); false: there are none. */
static bool row_of(const dcs_bins *b, int64_t oy, int64_t oz, int64_t *lo, int64_t *hi) {
  double gy = least_gap(b, 1, oy), gz = least_gap(b, 2, oz);
  double left = b->reach * b->reach - gy * gy - gz * gz;
  if (!(left > 0)) return false;
  offsets_within(b, 0, sqrt(left), lo, hi);
  return true;
}

static int64_t count_neighbours(const dcs_bins *b) {
  const dcs_bin_axis *y = &b->axis[1], *z = &b->axis[2];
  int64_t n = 0, lo, hi;
  if ((double)(y->hi - y->lo + 1) * (double)(z->hi - z->lo + 1) > DCS_MOST_NEIGHBOURS)
    return DCS_TOO_MANY;
  for (int64_t oz = z->lo; oz <= z->hi; oz++)
    for (int64_t oy = y->lo; oy <= y->hi; oy++)
      if (row_of(b, oy, oz, &lo, &hi)) n += hi - lo + 1;
  return n <= DCS_MOST_NEIGHBOURS ? n : DCS_TOO_MANY;
}

/* The bin, as an offset from that of grid point 0, that region r begins in; the kernel computes it
 * in the same way. */
static double first_bin(const dcs_bins *b, int d, int64_t r) {
  const dcs_bin_axis *axis = &b->axis[d];
  return floor(axis->spacing * (double)(r * axis->step) * b->per_edge);
}

dcs_bins dcs_bins_of(const dcs_problem *problem, const int64_t region[3], double edge,
                     int64_t capacity) {
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  dcs_bins b = {.edge = edge,
                .per_edge = 1 / edge,
                .cutoff = (double)dcs_cutoff(problem),
                .capacity = capacity,
                .places = (double)capacity};
  double longest = 0;
  for (int d = 0; d < 3; d++) {
    dcs_bin_axis *axis = &b.axis[d];
    axis->step = region[d];
    axis->regions = dcs_round_up(n[d], region[d]) / region[d];
    axis->spacing = (double)problem->spacing;
    axis->length = (double)(region[d] - 1) * axis->spacing;
    longest = fmax(longest, axis->length);
  }
  /* The kernel computes distances between bins and regions in single precision, with three
   * roundings of numbers up to this sum. */
  b.reach = b.cutoff + 1e-6 * (b.cutoff + 2 * edge + longest);
  for (int d = 0; d < 3; d++) {
    dcs_bin_axis *axis = &b.axis[d];
    offsets_within(&b, d, b.reach, &axis->lo, &axis->hi);
    axis->margin = -axis->lo;
    axis->bins = axis->margin + whole(first_bin(&b, d, axis->regions - 1)) + axis->hi + 1;
    b.places *= (double)axis->bins;
  }
  b.n_neighbours = count_neighbours(&b);
  return b;
}

bool dcs_bins_fit(const dcs_bins *b, char why[DCS_TEXT]) {
  if (b->n_neighbours == DCS_TOO_MANY) {
    snprintf(why, DCS_TEXT,
             "more than %d bins of %g A lie within the cutoff of a block: take a larger bin_edge",
             DCS_MOST_NEIGHBOURS, b->edge);
    return false;
  }
  if (b->places > DCS_MOST_PLACES) {
    snprintf(why, DCS_TEXT,
             "%g places for atoms in bins of %g A; at most %d: take a larger bin_edge or a smaller "
             "capacity",
             b->places, b->edge, DCS_MOST_PLACES);
    return false;
  }
  return true;
}

void dcs_list_neighbours(const dcs_bins *b, dcs_atom *offsets) {
  const dcs_bin_axis *y = &b->axis[1], *z = &b->axis[2];
  int64_t lo, hi;
  for (int64_t oz = z->lo; oz <= z->hi; oz++)
    for (int64_t oy = y->lo; oy <= y->hi; oy++) {
      if (!row_of(b, oy, oz, &lo, &hi)) continue;
      for (int64_t ox = lo; ox <= hi; ox++)
        *offsets++ = (dcs_atom){(float)ox, (float)oy, (float)oz, 0};
    }
}

/* ---- atoms ---- */

/* The bin of an atom; -1 where no point is near enough, or the charge is none. Charges below the
 * normal numbers are none to a GPU that flushes them to zero. */
static int64_t bin_of(const dcs_bins *b, const dcs_problem *problem, const dcs_atom *atom) {
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  const double at[3] = {(double)atom->x, (double)atom->y, (double)atom->z};
  int64_t bin = 0;
  if (!(fabsf(atom->q) >= FLT_MIN)) return -1;
  for (int d = 2; d >= 0; d--) {
    const dcs_bin_axis *axis = &b->axis[d];
    double last = (double)(n[d] - 1) * axis->spacing;
    if (!(at[d] > -b->cutoff && at[d] < last + b->cutoff)) return -1;
    bin = bin * axis->bins + axis->margin + (int64_t)floor(at[d] * b->per_edge);
  }
  return bin;
}

int64_t dcs_fill_bins(const dcs_bins *b, const dcs_problem *problem, dcs_atom *placed,
                      dcs_atom *overflow) {
  int64_t n_overflow = 0;
  memset(placed, 0, (size_t)b->places * sizeof *placed);
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    int64_t bin = bin_of(b, problem, &dcs_atoms(problem)[a]);
    if (bin < 0) continue;
    dcs_atom *place = placed + bin * b->capacity, *end = place + b->capacity;
    while (place < end && place->q != 0)
      place++;
    *(place < end ? place : &overflow[n_overflow++]) = dcs_atoms(problem)[a];
  }
  return n_overflow;
}

/* ---- counts ---- */

/* Counts the atoms placed in each bin; in rows of x, each behind a number of its own. NULL: no
 * memory. *overflow are those that find no place. */
static int32_t *count_placed(const dcs_bins *b, const dcs_problem *problem, int64_t *overflow) {
  const int64_t row = b->axis[0].bins, rows = b->axis[1].bins * b->axis[2].bins;
  int32_t *placed = calloc((size_t)(rows * (row + 1)), sizeof *placed);
  *overflow = DCS_TOO_MANY;
  if (!placed) return NULL;
  *overflow = 0;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    int64_t bin = bin_of(b, problem, &dcs_atoms(problem)[a]);
    if (bin < 0) continue;
    int32_t *n = &placed[bin / row * (row + 1) + 1 + bin % row];
    if (*n < b->capacity)
      (*n)++;
    else
      (*overflow)++;
  }
  return placed;
}

int64_t dcs_count_overflow(const dcs_bins *b, const dcs_problem *problem) {
  int64_t overflow;
  free(count_placed(b, problem, &overflow));
  return overflow;
}

/* Of the bins that hold an atom, the part of their places that is taken. */
static double fill_of(const dcs_bins *b, const int32_t *placed) {
  const int64_t all = (b->axis[0].bins + 1) * b->axis[1].bins * b->axis[2].bins;
  double atoms = 0, bins = 0;
  for (int64_t i = 0; i < all; i++) {
    atoms += placed[i];
    bins += placed[i] > 0;
  }
  return atoms / (bins * (double)b->capacity);
}

/* Every number becomes that of the row's atoms before its bin's end. */
static void sum_rows(const dcs_bins *b, int32_t *placed) {
  const int64_t row = b->axis[0].bins, rows = b->axis[1].bins * b->axis[2].bins;
  for (int64_t r = 0; r < rows; r++, placed += row + 1)
    for (int64_t x = 1; x <= row; x++)
      placed[x] += placed[x - 1];
}

/* How far the bin at offset o from the region's first bin is from the region itself. */
static double gap(const dcs_bins *b, int d, int64_t region, double bin) {
  const dcs_bin_axis *axis = &b->axis[d];
  double begin = axis->spacing * (double)(region * axis->step);
  return fmax(0, fmax(begin - (bin + 1) * b->edge, bin * b->edge - begin - axis->length));
}

/* Atoms, in a row of bins, of those within g of the regions in x, for all of them together. */
static double atoms_in_row(const dcs_bins *b, const int32_t *before, double g) {
  const dcs_bin_axis *x = &b->axis[0];
  double sum = 0;
  for (int64_t r = 0; r < x->regions; r++) {
    double begin = x->spacing * (double)(r * x->step), end = begin + x->length;
    int64_t first = (int64_t)floor((begin - g) * b->per_edge) + x->margin;
    int64_t behind = (int64_t)ceil((end + g) * b->per_edge) + x->margin;
    sum += before[behind] - before[first];
  }
  return sum;
}

dcs_candidates dcs_bins_candidates(const dcs_bins *b, const dcs_problem *problem) {
  const dcs_bin_axis *y = &b->axis[1], *z = &b->axis[2];
  const double points = (double)(b->axis[0].step * y->step * z->step);
  dcs_candidates found = {.pairs = NAN, .fill = NAN};
  int32_t *placed = count_placed(b, problem, &found.overflow);
  if (!placed) return found;
  found.fill = fill_of(b, placed);
  found.pairs = 0;
  sum_rows(b, placed);
  for (int64_t rz = 0; rz < z->regions; rz++)
    for (int64_t oz = z->lo; oz <= z->hi; oz++) {
      double bin_z = first_bin(b, 2, rz) + (double)oz, gz = gap(b, 2, rz, bin_z);
      for (int64_t ry = 0; ry < y->regions; ry++)
        for (int64_t oy = y->lo; oy <= y->hi; oy++) {
          double bin_y = first_bin(b, 1, ry) + (double)oy, gy = gap(b, 1, ry, bin_y);
          double left = b->reach * b->reach - gz * gz - gy * gy;
          if (!(left > 0)) continue;
          int64_t row = ((int64_t)bin_z + z->margin) * y->bins + (int64_t)bin_y + y->margin;
          const int32_t *before = placed + row * (b->axis[0].bins + 1);
          found.pairs += points * atoms_in_row(b, before, sqrt(left));
        }
    }
  free(placed);
  return found;
}
