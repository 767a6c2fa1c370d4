/* A counting sort. Threads find the cells of the atoms, which is most of the work; one counts and
 * places them. */
#include "kernels/density/cpu/density_cells.h"

#include <stdlib.h>

enum { MOST_CELLS = 1 << 22, CELLS_AN_ATOM = 4, FEW_CELLS = 64 };

/* Fewer atoms are sorted by one thread, sooner than threads have met. */
enum { FEW_ATOMS = 4096 };

static int64_t count_cells(const dcs_density_cells *cells) {
  return (int64_t)cells->n[0] * cells->n[1] * cells->n[2];
}

/* Coordinate of the last point in a dimension, as kernels have it. */
static float last_point(const dcs_problem *p, int64_t n) {
  return (float)(n - 1) * p->spacing;
}

static void choose_cells(double edge, dcs_density_cells *cells) {
  const dcs_problem *p = &cells->problem;
  const int64_t points[3] = {p->n.x, p->n.y, p->n.z};
  const double most = fmin(MOST_CELLS, CELLS_AN_ATOM * (double)p->n_inputs + FEW_CELLS);
  double n[3];
  for (cells->edge = edge;; cells->edge *= 1.25) {
    for (int d = 0; d < 3; d++)
      n[d] = floor((double)last_point(p, points[d]) / cells->edge) + 1;
    if (n[0] * n[1] * n[2] <= most) break;
  }
  for (int d = 0; d < 3; d++)
    cells->n[d] = (int32_t)n[d];
}

/* Whether the atom's term counts at any point of the map's box; NaN, of no radius, does not. */
static bool reaches(const dcs_density_cells *cells, const dcs_gaussian *atom, float rate) {
  const dcs_dims n = cells->problem.n;
  float dx = dcs_density_outside(atom->x, 0, last_point(&cells->problem, n.x));
  float dy = dcs_density_outside(atom->y, 0, last_point(&cells->problem, n.y));
  float dz = dcs_density_outside(atom->z, 0, last_point(&cells->problem, n.z));
  return -rate * (dx * dx + dy * dy + dz * dz) >= dcs_density_least(cells->limit);
}

static float rate_of(const dcs_gaussian *atom, float rate) {
  return rate / (atom->radius * atom->radius);
}

/* The cell of each atom, -1 for those that the map does not see; returns the lowest rate, which
 * reaches farthest. */
static float find_cells(const dcs_density_cells *cells, int threads, int32_t *cell_of) {
  const dcs_problem *p = &cells->problem;
  const dcs_gaussian *atoms = dcs_gaussians(p);
  const float rate_of_1 = (float)dcs_density_rate(p);
  float lowest = INFINITY;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)                                     \
    reduction(min                                                                                  \
              : lowest) if (threads > 1)
  for (int64_t a = 0; a < p->n_inputs; a++) {
    const float rate = rate_of(&atoms[a], rate_of_1);
    int32_t x = dcs_density_cell(cells, 0, (double)atoms[a].x);
    int32_t y = dcs_density_cell(cells, 1, (double)atoms[a].y);
    int32_t z = dcs_density_cell(cells, 2, (double)atoms[a].z);
    const bool seen = reaches(cells, &atoms[a], rate);
    cell_of[a] = seen ? (z * cells->n[1] + y) * cells->n[0] + x : -1;
    if (seen && rate < lowest) lowest = rate;
  }
  return lowest;
}

static void place_atoms(dcs_density_cells *cells, const int32_t *cell_of) {
  const dcs_problem *p = &cells->problem;
  const dcs_gaussian *atoms = dcs_gaussians(p);
  const float rate_of_1 = (float)dcs_density_rate(p);
  const int64_t n = count_cells(cells);
  int32_t *start = cells->start; /* of cell c, at first in start[c + 1] */
  for (int64_t a = 0; a < p->n_inputs; a++)
    if (cell_of[a] >= 0 && cell_of[a] + 2 <= n) start[cell_of[a] + 2]++;
  for (int64_t c = 2; c <= n; c++)
    start[c] += start[c - 1];
  for (int64_t a = 0; a < p->n_inputs; a++) {
    if (cell_of[a] < 0) continue;
    int32_t to = start[cell_of[a] + 1]++;
    cells->x[to] = atoms[a].x;
    cells->y[to] = atoms[a].y;
    cells->z[to] = atoms[a].z;
    cells->rate[to] = rate_of(&atoms[a], rate_of_1);
  }
}

static bool allocate(dcs_density_cells *cells) {
  const size_t n = (size_t)cells->problem.n_inputs;
  cells->x = malloc(4 * n * sizeof *cells->x);
  cells->start = calloc((size_t)count_cells(cells) + 1, sizeof *cells->start);
  if (!cells->x || !cells->start) return false;
  cells->y = cells->x + n;
  cells->z = cells->y + n;
  cells->rate = cells->z + n;
  return true;
}

bool dcs_density_sort(const dcs_problem *problem, double edge, int threads,
                      dcs_density_cells *cells) {
  *cells = (dcs_density_cells){
      .problem = *problem, .n_slices = problem->n.z, .limit = (float)dcs_density_limit(problem)};
  choose_cells(edge, cells);
  int32_t *cell_of = malloc((size_t)problem->n_inputs * sizeof *cell_of);
  const bool has_memory = allocate(cells) && cell_of;
  if (has_memory) {
    float lowest = find_cells(cells, problem->n_inputs < FEW_ATOMS ? 1 : threads, cell_of);
    cells->reach = 1.0001f * sqrtf(cells->limit / lowest);
    place_atoms(cells, cell_of);
  } else {
    dcs_density_free(cells);
  }
  free(cell_of);
  return has_memory;
}

void dcs_density_free(dcs_density_cells *cells) {
  free(cells->x);
  free(cells->start);
  *cells = (dcs_density_cells){0};
}
