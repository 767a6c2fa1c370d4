/* Charges of a problem on grids, each of twice the spacing of the one before. */
#include "kernels/coulomb/crowd.h"

#include <math.h>
#include <stdlib.h>

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

static float coordinate(const dcs_atom *atom, int d) {
  return d == 0 ? atom->x : d == 1 ? atom->y : atom->z;
}

/* ---- the finest ---- */

/* The box of the atoms within `margin` of the map. */
static void find_box(const dcs_problem *problem, double margin, double lo[3], double hi[3]) {
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  for (int d = 0; d < 3; d++) {
    const float first = (float)-margin;
    const float last = (float)((double)problem->spacing * (double)(n[d] - 1) + margin);
    float least = last, most = first;
    for (int64_t a = 0; a < problem->n_inputs; a++) {
      const float at = coordinate(&dcs_atoms(problem)[a], d);
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
    lo[d] = (double)fmaxf(least, first);
    hi[d] = fmax((double)fminf(most, last), lo[d]);
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

/* Adds an atom to the eight nodes around it; its sizes to the nearest before. Not one outside. */
static void add_atom(const grid *g, const dcs_atom *atom, float *charge, float *squares,
                     float *sizes) {
  int64_t first = 0;
  float t[3];
  for (int d = 2; d >= 0; d--) {
    const double along = ((double)coordinate(atom, d) - g->lo[d]) / g->spacing;
    if (!(along >= 0 && along < (double)(g->n[d] - 1))) return;
    first = first * g->n[d] + (int64_t)along;
    t[d] = (float)(along - floor(along));
  }
  for (int corner = 0; corner < 8; corner++) {
    const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
    charge[first + (z * g->n[1] + y) * g->n[0] + x] +=
        atom->q * (x ? t[0] : 1 - t[0]) * (y ? t[1] : 1 - t[1]) * (z ? t[2] : 1 - t[2]);
  }
  squares[first] += atom->q * atom->q;
  sizes[first] += fabsf(atom->q);
}

/* ---- coarser ones ---- */

/* Sums of eight nodes each, in place. */
static grid gather(const grid *g, float *values) {
  grid half = *g;
  half.spacing = 2 * g->spacing;
  for (int d = 0; d < 3; d++)
    half.n[d] = (g->n[d] + 1) / 2;
  for (int64_t z = 0; z < half.n[2]; z++)
    for (int64_t y = 0; y < half.n[1]; y++)
      for (int64_t x = 0; x < half.n[0]; x++) {
        float sum = 0;
        for (int64_t k = 2 * z; k < 2 * z + 2 && k < g->n[2]; k++)
          for (int64_t j = 2 * y; j < 2 * y + 2 && j < g->n[1]; j++)
            for (int64_t i = 2 * x; i < 2 * x + 2 && i < g->n[0]; i++)
              sum += values[(k * g->n[1] + j) * g->n[0] + i];
        values[(z * half.n[1] + y) * half.n[0] + x] = sum;
      }
  return half;
}

/* The charges on the grid of twice the spacing, in place: a node's own, and half of those beside
 * it. */
static grid coarsen(const grid *g, float *charge) {
  grid half = *g;
  half.spacing = 2 * g->spacing;
  for (int d = 0; d < 3; d++)
    half.n[d] = g->n[d] / 2 + 1;
  for (int64_t z = 0; z < half.n[2]; z++)
    for (int64_t y = 0; y < half.n[1]; y++)
      for (int64_t x = 0; x < half.n[0]; x++) {
        float sum = 0;
        for (int64_t k = 2 * z - 1; k < 2 * z + 2; k++)
          for (int64_t j = 2 * y - 1; j < 2 * y + 2; j++)
            for (int64_t i = 2 * x - 1; i < 2 * x + 2; i++) {
              if (k < 0 || j < 0 || i < 0 || k >= g->n[2] || j >= g->n[1] || i >= g->n[0]) continue;
              const float part = (k & 1 ? 0.5f : 1) * (j & 1 ? 0.5f : 1) * (i & 1 ? 0.5f : 1);
              sum += part * charge[(k * g->n[1] + j) * g->n[0] + i];
            }
        charge[(z * half.n[1] + y) * half.n[0] + x] = sum;
      }
  return half;
}

/* The largest sums in cubes of 1, 2, ... spacings; overwrites the values. */
static void find_largest(const grid *g, float *values, double sums[DCS_CROWD_REACHES]) {
  grid of = *g;
  for (int reach = 0; reach < DCS_CROWD_REACHES; reach++) {
    float most = 0;
    if (reach > 0) of = gather(&of, values);
    for (int64_t i = 0; i < count(&of); i++)
      most = values[i] > most ? values[i] : most;
    sums[reach] = (double)most;
  }
}

/* Charges at random leave so much of the sum of their squares on a grid. */
static const float LEFT = 8.0f / 27;

static void look(grid g, float *charge, float *squares, float *sizes, dcs_crowd *crowd) {
  find_largest(&g, squares, crowd->atoms.squares);
  find_largest(&g, sizes, crowd->atoms.sizes);
  for (int detail = 0; detail < DCS_CROWD_DETAILS; detail++) {
    if (detail > 0) g = coarsen(&g, charge);
    for (int64_t i = 0; i < count(&g); i++) {
      squares[i] = charge[i] * charge[i] / LEFT;
      sizes[i] = fabsf(charge[i]);
    }
    find_largest(&g, squares, crowd->grid[detail].squares);
    find_largest(&g, sizes, crowd->grid[detail].sizes);
  }
}

bool dcs_crowd_look(const dcs_problem *problem, dcs_crowd *crowd) {
  const grid g = lay_out(problem);
  float *charge = calloc((size_t)count(&g), sizeof *charge);
  float *squares = calloc((size_t)count(&g), sizeof *squares);
  float *sizes = calloc((size_t)count(&g), sizeof *sizes);
  const bool has_memory = charge && squares && sizes;
  *crowd = (dcs_crowd){.spacing = g.spacing};
  if (has_memory) {
    for (int64_t a = 0; a < problem->n_inputs; a++)
      add_atom(&g, &dcs_atoms(problem)[a], charge, squares, sizes);
    look(g, charge, squares, sizes, crowd);
  }
  free(charge);
  free(squares);
  free(sizes);
  return has_memory;
}

dcs_crowd dcs_crowd_even(double squares, double sizes) {
  dcs_crowd crowd = {.spacing = 1};
  for (int reach = 0; reach < DCS_CROWD_REACHES; reach++) {
    const double volume = pow(8, reach);
    crowd.atoms.squares[reach] = squares * volume;
    crowd.atoms.sizes[reach] = sizes * volume;
    for (int detail = 0; detail < DCS_CROWD_DETAILS; detail++) {
      crowd.grid[detail].squares[reach] = squares * volume * pow(8, detail);
      crowd.grid[detail].sizes[reach] = sizes * volume * pow(8, detail);
    }
  }
  return crowd;
}

dcs_crowd dcs_crowd_of_water(void) {
  dcs_crowd crowd = dcs_crowd_even(0.06, 0.1);
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
