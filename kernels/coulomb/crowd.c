/* Charges of a problem on grids, each of twice the spacing of the one before. */
#include "kernels/coulomb/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 };
static const double LEAST_SPACING = 2; /* angstrom */

/* Nodes from lo on; x fastest. */
typedef struct {
  double lo[3], spacing;
  int64_t n[3];
} grid;

static int64_t count(const grid *g) {
  return g->n[0] * g->n[1] * g->n[2];
}

/* ---- the finest ---- */

static inline float smaller(float a, float b) {
  return a < b ? a : b;
}

static inline float larger(float a, float b) {
  return a > b ? a : b;
}

/* Of some atoms at once, each with lanes of its own, as vectors have them. */
void dcs_crowd_box(const dcs_problem *problem, float least[4], float most[4]) {
  enum { AT_ONCE = 4, LANES = 4 * AT_ONCE };
  const float *values = problem->input[DCS_COULOMB_ATOMS];
  const int64_t n = 4 * problem->n_inputs;
  float lo[LANES], hi[LANES];
  for (int l = 0; l < LANES; l++)
    lo[l] = INFINITY, hi[l] = -INFINITY;
  for (int64_t i = 0; i + LANES <= n; i += LANES) {
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
      lo[l] = smaller(lo[l], values[i + l]);
      hi[l] = larger(hi[l], values[i + l]);
    }
  }
  for (int64_t i = n / LANES * LANES; i < n; i++) {
    lo[i % 4] = smaller(lo[i % 4], values[i]);
    hi[i % 4] = larger(hi[i % 4], values[i]);
  }
  for (int l = 4; l < LANES; l++) {
    lo[l % 4] = smaller(lo[l % 4], lo[l]);
    hi[l % 4] = larger(hi[l % 4], hi[l]);
  }
  memcpy(least, lo, 4 * sizeof *lo);
  memcpy(most, hi, 4 * sizeof *hi);
}

/* The box of the atoms within `margin` of the map. */
static void find_box(const dcs_problem *problem, double margin, double lo[3], double hi[3]) {
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  float least[4], most[4];
  dcs_crowd_box(problem, least, most);
  for (int d = 0; d < 3; d++) {
    const double last = (double)problem->spacing * (double)(n[d] - 1) + margin;
    lo[d] = fmin(fmax((double)least[d], -margin), last);
    hi[d] = fmax(fmin((double)most[d], last), lo[d]);
  }
}

static grid lay_out(const dcs_problem *problem) {
  const double h = (double)problem->spacing;
  const double longest =
      h * fmax(fmax((double)problem->n.x, (double)problem->n.y), (double)problem->n.z);
  grid g = {.spacing = LEAST_SPACING};
  double hi[3];
  find_box(problem, 2 * longest + 20, g.lo, hi);
  for (;; g.spacing *= 1.25) {
    double all = 1;
    for (int d = 0; d < 3; d++) {
      const double along = floor((hi[d] - g.lo[d]) / g.spacing) + 2;
      g.n[d] = (int64_t)along;
      all *= along;
    }
    if (all <= MOST_NODES) return g;
  }
}

static inline void add_pair(float part, float tx, float *at) {
  at[0] += part * (1 - tx);
  at[1] += part * tx;
}

/* Adds an atom to the eight nodes around it; its sizes to the nearest before. Not one outside. */
static inline void add_atom(const grid *g, const dcs_atom *atom, float *charge, float *squares,
                            float *sizes) {
  const double per = 1 / g->spacing;
  const double x = ((double)atom->x - g->lo[0]) * per, y = ((double)atom->y - g->lo[1]) * per,
               z = ((double)atom->z - g->lo[2]) * per;
  if (!(x >= 0 && y >= 0 && z >= 0 && x < (double)(g->n[0] - 1) && y < (double)(g->n[1] - 1) &&
        z < (double)(g->n[2] - 1)))
    return;
  const int64_t i = (int64_t)x, j = (int64_t)y, k = (int64_t)z, row = g->n[0];
  const int64_t first = (k * g->n[1] + j) * row + i, layer = row * g->n[1];
  const float tx = (float)(x - (double)i), ty = (float)(y - (double)j), tz = (float)(z - (double)k);
  float *at = charge + first;
  add_pair((1 - ty) * (1 - tz) * atom->q, tx, at);
  add_pair(ty * (1 - tz) * atom->q, tx, at + row);
  add_pair((1 - ty) * tz * atom->q, tx, at + layer);
  add_pair(ty * tz * atom->q, tx, at + layer + row);
  squares[first] += atom->q * atom->q;
  sizes[first] += fabsf(atom->q);
}

/* ---- coarser ones ---- */

/* Charges at random leave so much of the sum of their squares on a grid. */
static const float LEFT = 8.0f / 27;

/* Sums of two rows each, and in them of two nodes. */
static void add_row(const float *row, int64_t n, float *sums) {
  for (int64_t x = 0; x < n / 2; x++)
    sums[x] += row[2 * x] + row[2 * x + 1];
  if (n % 2) sums[n / 2] += row[n - 1];
}

/* Sums of eight nodes each, into `sums`. */
static grid gather(const grid *g, const float *values, float *sums) {
  grid half = *g;
  half.spacing = 2 * g->spacing;
  for (int d = 0; d < 3; d++)
    half.n[d] = (g->n[d] + 1) / 2;
  memset(sums, 0, (size_t)count(&half) * sizeof *sums);
  for (int64_t z = 0; z < g->n[2]; z++)
    for (int64_t y = 0; y < g->n[1]; y++)
      add_row(values + (z * g->n[1] + y) * g->n[0], g->n[0],
              sums + (z / 2 * half.n[1] + y / 2) * half.n[0]);
  return half;
}

/* Adds a row's nodes to those of twice the spacing: a node's own, and half of those beside it. */
static void coarsen_row(const float *row, int64_t n, float part, float *sums) {
  const float half = 0.5f * part;
  sums[0] += part * row[0];
  sums[0] += half * row[1];
  for (int64_t x = 1; 2 * x + 1 < n; x++) {
    float sum = sums[x];
    sum += half * row[2 * x - 1];
    sum += part * row[2 * x];
    sum += half * row[2 * x + 1];
    sums[x] = sum;
  }
  sums[n / 2] += half * row[2 * (n / 2) - 1];
  if (n % 2) sums[n / 2] += part * row[n - 1];
}

/* The charges on the grid of twice the spacing, in place; `room` for a row. There are two nodes at
 * least along each dimension. */
static grid coarsen(const grid *g, float *charge, float *room) {
  grid half = *g;
  half.spacing = 2 * g->spacing;
  for (int d = 0; d < 3; d++)
    half.n[d] = g->n[d] / 2 + 1;
  const size_t bytes = (size_t)half.n[0] * sizeof *room;
  for (int64_t z = 0; z < half.n[2]; z++)
    for (int64_t y = 0; y < half.n[1]; y++) {
      memset(room, 0, bytes);
      for (int64_t k = 2 * z - 1; k < 2 * z + 2; k++)
        for (int64_t j = 2 * y - 1; j < 2 * y + 2; j++) {
          if (k < 0 || j < 0 || k >= g->n[2] || j >= g->n[1]) continue;
          const float part = (k & 1 ? 0.5f : 1) * (j & 1 ? 0.5f : 1);
          coarsen_row(charge + (k * g->n[1] + j) * g->n[0], g->n[0], part, room);
        }
      memcpy(charge + (z * half.n[1] + y) * half.n[0], room, bytes);
    }
  return half;
}

static double largest(const grid *g, const float *values) {
  enum { LANES = 16 };
  const int64_t n = count(g);
  float most[LANES] = {0};
  for (int64_t i = 0; i + LANES <= n; i += LANES) {
#pragma omp simd
    for (int l = 0; l < LANES; l++)
      most[l] = larger(most[l], values[i + l]);
  }
  for (int64_t i = n / LANES * LANES; i < n; i++)
    most[0] = larger(most[0], values[i]);
  for (int l = 1; l < LANES; l++)
    most[0] = larger(most[0], most[l]);
  return (double)most[0];
}

/* What its charges are as squares and as sizes. */
static void measure(const grid *g, const float *charge, float *squares, float *sizes) {
  const int64_t n = count(g);
#pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    squares[i] = charge[i] * charge[i] / LEFT;
    sizes[i] = fabsf(charge[i]);
  }
}

/* The largest sums in cubes of 1, 2, ... spacings; overwrites the values. `room` for as many. */
static void find_largest(const grid *g, float *values, float *room,
                         double sums[DCS_CROWD_REACHES]) {
  grid of = *g;
  for (int reach = 0; reach < DCS_CROWD_REACHES; reach++) {
    float *from = reach % 2 ? values : room, *to = reach % 2 ? room : values;
    if (reach > 0) of = gather(&of, from, to);
    sums[reach] = largest(&of, to);
  }
}

static void look(grid g, float *charge, float *squares, float *sizes, float *room,
                 dcs_crowd *crowd) {
  find_largest(&g, squares, room, crowd->atoms.squares);
  find_largest(&g, sizes, room, crowd->atoms.sizes);
  for (int detail = 0; detail < DCS_CROWD_DETAILS; detail++) {
    if (detail > 0) g = coarsen(&g, charge, room);
    measure(&g, charge, squares, sizes);
    find_largest(&g, squares, room, crowd->grid[detail].squares);
    find_largest(&g, sizes, room, crowd->grid[detail].sizes);
  }
}

bool dcs_crowd_look(const dcs_problem *problem, dcs_crowd *crowd) {
  enum { ARRAYS = 4 };
  const grid g = lay_out(problem);
  const size_t n = (size_t)count(&g);
  float *values = calloc(ARRAYS * n, sizeof *values);
  *crowd = (dcs_crowd){.spacing = g.spacing};
  if (!values) return false;
  for (int64_t a = 0; a < problem->n_inputs; a++)
    add_atom(&g, &dcs_atoms(problem)[a], values, values + n, values + 2 * n);
  look(g, values, values + n, values + 2 * n, values + 3 * n, crowd);
  free(values);
  return true;
}

/* Grids from that spacing on. */
static dcs_crowd even(double spacing, double squares, double sizes) {
  dcs_crowd crowd = {.spacing = spacing};
  for (int reach = 0; reach < DCS_CROWD_REACHES; reach++) {
    const double volume = pow(spacing, 3) * pow(8, reach);
    crowd.atoms.squares[reach] = squares * volume;
    crowd.atoms.sizes[reach] = sizes * volume;
    for (int detail = 0; detail < DCS_CROWD_DETAILS; detail++) {
      crowd.grid[detail].squares[reach] = squares * volume * pow(8, detail);
      crowd.grid[detail].sizes[reach] = sizes * volume * pow(8, detail);
    }
  }
  return crowd;
}

/* Of cubes that are shorter than any reach. */
dcs_crowd dcs_crowd_even(double squares, double sizes) {
  return even(1e-3, squares, sizes);
}

dcs_crowd dcs_crowd_of_water(void) {
  dcs_crowd crowd = even(1, 0.06, 0.1);
  for (int detail = 0; detail < DCS_CROWD_DETAILS; detail++)
    for (int reach = 0; reach < DCS_CROWD_REACHES; reach++)
      crowd.grid[detail].sizes[reach] *= pow(0.25, detail);
  return crowd;
}

/* Cubes are not much longer than the reach, or what is in one counts as all in a part of it: a
 * crowd in a corner of one still errs less than the largest of a random error. */
static const double LONGEST = 1.5;
dcs_crowd_density dcs_crowd_at(const dcs_crowd *crowd, double detail, double reach) {
  int at = 0, along = 0;
  while (at < DCS_CROWD_DETAILS - 1 && crowd->spacing * (2 << at) <= detail)
    at++;
  double edge = crowd->spacing * (1 << at);
  while (along < DCS_CROWD_REACHES - 1 && 2 * edge <= LONGEST * reach)
    edge *= 2, along++;
  edge = fmin(edge, LONGEST * reach);
  const bool cancels = crowd->spacing <= detail;
  const dcs_crowd_sums *sums = cancels ? &crowd->grid[at] : &crowd->atoms;
  const double volume = edge * edge * edge;
  return (dcs_crowd_density){sums->squares[along] / volume, sums->sizes[along] / volume};
}

/* Of few points as of some thousand: those of two atoms are not normally distributed. */
double dcs_crowd_largest(const dcs_problem *problem) {
  static const double FEW = 1e4;
  return sqrt(2 *
              log(fmax((double)problem->n.x * (double)problem->n.y * (double)problem->n.z, FEW)));
}
