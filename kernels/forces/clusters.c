/* A counting sort, by one thread: it takes a hundredth of what pairs take. */
#include "kernels/forces/clusters.h"

#include <stdlib.h>

/* ---- cells ---- */

enum { MOST_IN_A_ROW = 1024, CELLS_AN_ATOM = 4, FEW_CELLS = 128 };
static const double LEAST_EDGE =
    0.1; /* angstrom; plans are asked of problems without values, too */

/* Where cells repeat without images there are half as many more and two to each row than a cube of
 * the atoms takes: no two far ends share one, wherever cells begin, of a molecule half as long
 * again as that. */
static void divide(const double length[3], double edge, int finer, dcs_forces_grid *grid) {
  for (int d = 0; d < 3; d++) {
    const int parts = d == 0 ? finer : 1;
    const double n = fmin(fmax(floor(length[d] * parts / edge), 1), MOST_IN_A_ROW);
    grid->n[d] = (int)n + (grid->periodic ? 0 : (int)n / 2 + 2 * parts);
    grid->per_edge[d] = (float)(n / length[d]);
  }
}

dcs_forces_grid dcs_forces_divide(const dcs_problem *problem, double edge, int finer) {
  dcs_forces_grid grid = {0};
  double length[3];
  grid.periodic = dcs_forces_cell(problem, length);
  for (int d = 0; d < 3 && !grid.periodic; d++)
    length[d] = dcs_forces_cube(dcs_forces_atoms_of(problem));
  edge = fmax(edge, LEAST_EDGE);
  for (;; edge *= 1.1) {
    divide(length, edge, finer, &grid);
    const double most = CELLS_AN_ATOM * (double)dcs_forces_atoms_of(problem) + FEW_CELLS;
    if ((double)grid.n[0] * grid.n[1] * grid.n[2] <= most) break;
  }
  grid.edge = 1 / grid.per_edge[1];
  for (int d = 0; d < 3; d++) {
    grid.period[d] = grid.periodic ? (float)length[d] : 0;
    grid.margin[d] = 1e-3f / grid.per_edge[d] + 0x1p-20f * grid.period[d];
  }
  return grid;
}

static int64_t count_cells(const dcs_forces_grid *grid) {
  return (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
}

/* Into the cell, but for rounding. */
static float put(const dcs_forces_grid *grid, float v, int d) {
  const float period = grid->period[d];
  return grid->periodic ? v - period * floorf(v / period) : v;
}

/* The number of a cell, of all and of images. */
static int cell_at(const dcs_forces_grid *grid, float v, int d) {
  return (int)floorf(fminf(fmaxf(v * grid->per_edge[d], -1e9f), 1e9f));
}

/* Of those that there are. */
static int cell_of(const dcs_forces_grid *grid, float v, int d) {
  const int n = grid->n[d], i = cell_at(grid, v, d);
  if (grid->periodic) return i < 0 ? 0 : i < n ? i : n - 1;
  return i % n < 0 ? i % n + n : i % n;
}

/* ---- sorting ---- */

static bool allocate(int64_t n, int64_t cells, dcs_forces_sorted *sorted) {
  float **const fields[] = {&sorted->x, &sorted->y,    &sorted->z,
                            &sorted->q, &sorted->half, &sorted->root};
  bool all = true;
  for (int f = 0; f < 6; f++)
    all = (*fields[f] = malloc((size_t)n * sizeof(float))) && all;
  sorted->atom = malloc((size_t)n * sizeof *sorted->atom);
  sorted->begins = calloc((size_t)cells + 2, sizeof *sorted->begins);
  return all && sorted->atom && sorted->begins;
}

static void place(const dcs_problem *problem, dcs_forces_sorted *s, int64_t a, int32_t at) {
  const dcs_particle *p = &dcs_particles(problem)[a];
  s->x[at] = put(&s->grid, p->x, 0);
  s->y[at] = put(&s->grid, p->y, 1);
  s->z[at] = put(&s->grid, p->z, 2);
  s->q[at] = p->q;
  s->half[at] = dcs_wells(problem)[a].half;
  s->root[at] = dcs_wells(problem)[a].root;
  s->atom[at] = (int32_t)a;
}

bool dcs_forces_sort(const dcs_problem *problem, double edge, dcs_forces_sorted *sorted) {
  const int64_t n = problem->n_inputs;
  *sorted =
      (dcs_forces_sorted){.grid = dcs_forces_divide(problem, edge, DCS_FORCES_FINER), .n_atoms = n};
  const dcs_forces_grid *grid = &sorted->grid;
  int32_t *cell = malloc((size_t)n * sizeof *cell);
  const bool room = allocate(n, count_cells(grid), sorted) && cell;
  for (int64_t a = 0; room && a < n; a++) {
    const dcs_particle *p = &dcs_particles(problem)[a];
    const int x = cell_of(grid, put(grid, p->x, 0), 0), y = cell_of(grid, put(grid, p->y, 1), 1);
    const int z = cell_of(grid, put(grid, p->z, 2), 2);
    cell[a] = (z * grid->n[1] + y) * grid->n[0] + x;
    sorted->begins[cell[a] + 2]++;
  }
  for (int64_t k = 0; room && k < count_cells(grid); k++)
    sorted->begins[k + 2] += sorted->begins[k + 1];
  for (int64_t a = 0; room && a < n; a++) /* afterwards each begins where it should */
    place(problem, sorted, a, sorted->begins[cell[a] + 1]++);
  free(cell);
  if (!room) dcs_forces_sorted_free(sorted);
  return room;
}

void dcs_forces_sorted_free(dcs_forces_sorted *sorted) {
  float *const fields[] = {sorted->x, sorted->y, sorted->z, sorted->q, sorted->half, sorted->root};
  for (int f = 0; f < 6; f++)
    free(fields[f]);
  free(sorted->atom);
  free(sorted->begins);
  *sorted = (dcs_forces_sorted){0};
}

/* ---- clusters ---- */

static dcs_forces_cluster cluster_of(const dcs_forces_sorted *s, int32_t first, int32_t end) {
  const float *const at[3] = {s->x, s->y, s->z};
  dcs_forces_cluster c = {.first = first, .end = end};
  for (int d = 0; d < 3; d++) {
    c.lo[d] = c.hi[d] = at[d][first];
    for (int32_t i = first + 1; i < end; i++) {
      c.lo[d] = fminf(c.lo[d], at[d][i]);
      c.hi[d] = fmaxf(c.hi[d], at[d][i]);
    }
  }
  return c;
}

/* Of a row's places, the first whose cell has a lower number than that of the first of all: where
 * cells repeat, atoms of the other end follow. end: none has. */
static int32_t seam_of(const dcs_forces_sorted *s, int32_t first, int32_t end) {
  int32_t lo = first, hi = end;
  if (s->grid.periodic) return end;
  while (lo < hi) {
    const int32_t middle = lo + (hi - lo) / 2;
    if (cell_at(&s->grid, s->x[middle], 0) < cell_at(&s->grid, s->x[first], 0))
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

static int64_t cut(const dcs_forces_sorted *s, int32_t first, int32_t end, int size,
                   dcs_forces_cluster *to) {
  int64_t n = 0;
  for (; first < end; first += size)
    to[n++] = cluster_of(s, first, first + size < end ? first + size : end);
  return n;
}

dcs_forces_cluster *dcs_forces_clusters(const dcs_forces_sorted *s, int size, int64_t *n) {
  const int64_t rows = (int64_t)s->grid.n[1] * s->grid.n[2];
  const int64_t most = s->n_atoms / size + 2 * rows + 1;
  dcs_forces_cluster *clusters = malloc((size_t)most * sizeof *clusters);
  *n = 0;
  for (int64_t row = 0; clusters && row < rows; row++) {
    const int32_t first = s->begins[row * s->grid.n[0]], end = s->begins[(row + 1) * s->grid.n[0]];
    const int32_t seam = seam_of(s, first, end);
    *n += cut(s, first, seam, size, clusters + *n);
    *n += cut(s, seam, end, size, clusters + *n);
  }
  return clusters;
}

/* ---- what is near ---- */

/* The cells that hold what is within `far` of lo..hi in a dimension; of cells that repeat without
 * images, each once. */
static void cells_near(const dcs_forces_grid *grid, float lo, float hi, float far, int d, int *from,
                       int *to) {
  *from = cell_at(grid, lo - far - grid->margin[d], d);
  *to = cell_at(grid, hi + far + grid->margin[d], d);
  if (!grid->periodic && *to - *from >= grid->n[d]) *to = *from + grid->n[d] - 1;
}

dcs_forces_runs dcs_forces_near(const dcs_forces_sorted *sorted, const dcs_forces_cluster *cluster,
                                float reach2) {
  dcs_forces_runs runs = {.sorted = sorted, .reach2 = reach2};
  for (int d = 0; d < 3; d++) {
    runs.lo[d] = cluster->lo[d];
    runs.hi[d] = cluster->hi[d];
    cells_near(&sorted->grid, runs.lo[d], runs.hi[d], sqrtf(reach2), d, &runs.from[d], &runs.to[d]);
  }
  runs.y = runs.from[1] - 1; /* the row before the first */
  runs.z = runs.from[2];
  runs.x = 1;
  return runs;
}

static int floor_divide(int i, int n) {
  return i >= 0 ? i / n : -((n - 1 - i) / n);
}

/* How far what is near and lies in row i, of images or of cells that repeat, is from the box in a
 * dimension, at least. Where rows that repeat are all looked at, row i has what is near in others
 * of its number, too. */
static float row_outside(const dcs_forces_runs *runs, int i, int d) {
  const dcs_forces_grid *grid = &runs->sorted->grid;
  const float edge = 1 / grid->per_edge[d], from = edge * (float)i, to = edge * (float)(i + 1);
  const float margin = grid->margin[d] + 0x1p-20f * fmaxf(fabsf(from), fabsf(to));
  if (!grid->periodic && runs->to[d] - runs->from[d] >= grid->n[d] - 1) return 0;
  return fmaxf(fmaxf(from - margin - runs->hi[d], runs->lo[d] - to - margin), 0);
}

/* Goes to the next row within reach, and to the cells of it that are. */
static bool next_row(dcs_forces_runs *runs) {
  const dcs_forces_grid *grid = &runs->sorted->grid;
  for (;;) {
    if (++runs->y > runs->to[1]) {
      runs->y = runs->from[1];
      if (++runs->z > runs->to[2]) return false;
    }
    const float dy = row_outside(runs, runs->y, 1), dz = row_outside(runs, runs->z, 2);
    const float left2 = runs->reach2 - (dy * dy + dz * dz);
    if (left2 < 0) continue;
    cells_near(grid, runs->lo[0], runs->hi[0], sqrtf(left2), 0, &runs->x, &runs->x_to);
    return true;
  }
}

bool dcs_forces_next(dcs_forces_runs *runs, dcs_forces_run *run) {
  const dcs_forces_grid *grid = &runs->sorted->grid;
  for (;;) {
    if (runs->x > runs->x_to && !next_row(runs)) return false;
    const int image[3] = {floor_divide(runs->x, grid->n[0]), floor_divide(runs->y, grid->n[1]),
                          floor_divide(runs->z, grid->n[2])};
    const int x = runs->x - image[0] * grid->n[0], left = runs->x_to - runs->x;
    const int last = left < grid->n[0] - 1 - x ? x + left : grid->n[0] - 1;
    const int64_t row = ((int64_t)(runs->z - image[2] * grid->n[2]) * grid->n[1] + runs->y -
                         image[1] * grid->n[1]) *
                        grid->n[0];
    for (int d = 0; d < 3; d++)
      run->shift[d] = grid->period[d] * (float)image[d];
    run->first = runs->sorted->begins[row + x];
    run->end = runs->sorted->begins[row + last + 1];
    runs->x += last - x + 1;
    if (run->first < run->end) return true;
  }
}

/* ---- candidates ---- */

static int64_t atoms_near(const dcs_forces_sorted *s, const dcs_forces_cluster *cluster,
                          float reach2) {
  dcs_forces_runs runs = dcs_forces_near(s, cluster, reach2);
  dcs_forces_run run;
  int64_t near = 0;
  while (dcs_forces_next(&runs, &run))
    for (int32_t j = run.first; j < run.end; j++)
      near += dcs_forces_outside(cluster->lo, cluster->hi, s->x[j] + run.shift[0],
                                 s->y[j] + run.shift[1], s->z[j] + run.shift[2]) <= reach2;
  return near;
}

double dcs_forces_cluster_pairs(const dcs_problem *problem, double edge, int size, int together) {
  dcs_forces_sorted sorted;
  int64_t n, atoms = 0;
  const float reach2 = dcs_forces_reach2(problem);
  if (!dcs_forces_sort(problem, edge, &sorted)) return NAN;
  dcs_forces_cluster *clusters = dcs_forces_clusters(&sorted, size, &n);
  if (clusters) {
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : atoms)
    for (int64_t c = 0; c < n; c++)
      atoms += dcs_round_up(atoms_near(&sorted, &clusters[c], reach2), together);
  }
  const double pairs = clusters ? (double)atoms * size : (double)NAN;
  free(clusters);
  dcs_forces_sorted_free(&sorted);
  return pairs;
}
