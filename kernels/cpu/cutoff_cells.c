/* A counting sort. Nothing in it depends on the number of threads. */
#include "kernels/cpu/cutoff_cells.h"

#include <math.h>
#include <stdlib.h>

/* More cells than this would not fit a cache, and empty ones cost as much as full ones. */
enum { MOST_CELLS = 1 << 22, CELLS_AN_ATOM = 4, FEW_CELLS = 64 };

/* ---- which atoms, and their box ---- */

/* Where the points of the map lie, widened by the cutoff. What rounding in the kernel might still
 * bring within the cutoff is inside. */
static void reach_of(const dcs_problem *p, float lo[3], float hi[3]) {
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  double c = (double)p->cutoff * (1 + 1e-6);
  for (int d = 0; d < 3; d++) {
    lo[d] = nextafterf((float)-c, -INFINITY);
    hi[d] = nextafterf((float)((double)((float)(n[d] - 1) * p->spacing) + c), INFINITY);
  }
}

static bool is_within(const dcs_atom *atom, const float lo[3], const float hi[3]) {
  return atom->x >= lo[0] && atom->x <= hi[0] && atom->y >= lo[1] && atom->y <= hi[1] &&
         atom->z >= lo[2] && atom->z <= hi[2];
}

/* Shrinks lo..hi to the box of the atoms within; returns how many these are. */
static int64_t shrink(const dcs_problem *p, int threads, float lo[3], float hi[3]) {
  const dcs_atom *atoms = p->atoms;
  float x0 = hi[0], y0 = hi[1], z0 = hi[2], x1 = lo[0], y1 = lo[1], z1 = lo[2];
  int64_t within = 0;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : within) \
    reduction(min : x0, y0, z0) reduction(max : x1, y1, z1) if (threads > 1)
  for (int64_t a = 0; a < p->n_atoms; a++) {
    if (!is_within(&atoms[a], lo, hi)) continue;
    within++;
    x0 = fminf(x0, atoms[a].x), x1 = fmaxf(x1, atoms[a].x);
    y0 = fminf(y0, atoms[a].y), y1 = fmaxf(y1, atoms[a].y);
    z0 = fminf(z0, atoms[a].z), z1 = fmaxf(z1, atoms[a].z);
  }
  if (within == 0) return 0;
  lo[0] = x0, lo[1] = y0, lo[2] = z0;
  hi[0] = x1, hi[1] = y1, hi[2] = z1;
  return within;
}

/* ---- cells ---- */

static int64_t count_cells(const dcs_cutoff_cells *cells) {
  return (int64_t)cells->n[0] * cells->n[1] * cells->n[2];
}

/* Chooses the cells for so many atoms in lo..hi. */
static void choose_cells(int64_t within, const float lo[3], const float hi[3], double edge,
                         dcs_cutoff_cells *cells) {
  double most = fmin(MOST_CELLS, CELLS_AN_ATOM * (double)within + FEW_CELLS), n[3];
  for (cells->edge = edge;; cells->edge *= 1.25) {
    for (int d = 0; d < 3; d++)
      n[d] = within ? floor(((double)hi[d] - (double)lo[d]) / cells->edge) + 1 : 1;
    if (n[0] * n[1] * n[2] <= most) break;
  }
  for (int d = 0; d < 3; d++) {
    cells->lo[d] = within ? (double)lo[d] : 0;
    cells->n[d] = (int32_t)n[d];
  }
}

static bool allocate(dcs_cutoff_cells *cells, int64_t within) {
  size_t floats = (size_t)within + DCS_CUTOFF_PAD;
  cells->x = calloc(4 * floats, sizeof *cells->x);
  cells->start = calloc((size_t)count_cells(cells) + 1, sizeof *cells->start);
  if (!cells->x || !cells->start) return false;
  cells->y = cells->x + floats;
  cells->z = cells->y + floats;
  cells->q = cells->z + floats;
  return true;
}

/* ---- sorting ---- */

/* The cell of every atom; -1 for atoms outside lo..hi. */
static void find_cells(const dcs_cutoff_cells *cells, int threads, const float lo[3],
                       const float hi[3], int32_t *cell_of) {
  const dcs_atom *atoms = cells->problem.atoms;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t a = 0; a < cells->problem.n_atoms; a++) {
    int32_t x = dcs_cutoff_cell(cells, 0, (double)atoms[a].x);
    int32_t y = dcs_cutoff_cell(cells, 1, (double)atoms[a].y);
    int32_t z = dcs_cutoff_cell(cells, 2, (double)atoms[a].z);
    cell_of[a] = is_within(&atoms[a], lo, hi) ? (z * cells->n[1] + y) * cells->n[0] + x : -1;
  }
}

/* Puts the atoms in order; start[c] counts up to where cell c + 1 starts, which is then moved. */
static void place(dcs_cutoff_cells *cells, const int32_t *cell_of) {
  const dcs_atom *atoms = cells->problem.atoms;
  int64_t n = count_cells(cells);
  for (int64_t a = 0; a < cells->problem.n_atoms; a++)
    if (cell_of[a] >= 0) cells->start[cell_of[a]]++;
  int32_t before = 0;
  for (int64_t c = 0; c <= n; c++) {
    int32_t in_cell = cells->start[c];
    cells->start[c] = before;
    before += in_cell;
  }
  for (int64_t a = 0; a < cells->problem.n_atoms; a++) {
    if (cell_of[a] < 0) continue;
    int32_t to = cells->start[cell_of[a]]++;
    cells->x[to] = atoms[a].x;
    cells->y[to] = atoms[a].y;
    cells->z[to] = atoms[a].z;
    cells->q[to] = atoms[a].q;
  }
  for (int64_t c = n; c > 0; c--)
    cells->start[c] = cells->start[c - 1];
  cells->start[0] = 0;
}

bool dcs_cutoff_sort(const dcs_problem *problem, double edge, int threads,
                     dcs_cutoff_cells *cells) {
  float lo[3], hi[3];
  *cells = (dcs_cutoff_cells){.problem = *problem};
  int32_t *cell_of = malloc((size_t)problem->n_atoms * sizeof *cell_of);
  if (!cell_of) return false;
  reach_of(problem, lo, hi);
  int64_t within = shrink(problem, threads, lo, hi);
  choose_cells(within, lo, hi, edge, cells);
  bool has_memory = allocate(cells, within);
  if (has_memory) {
    find_cells(cells, threads, lo, hi, cell_of);
    place(cells, cell_of);
  } else {
    dcs_cutoff_free(cells);
  }
  free(cell_of);
  return has_memory;
}

void dcs_cutoff_free(dcs_cutoff_cells *cells) {
  free(cells->x);
  free(cells->start);
  *cells = (dcs_cutoff_cells){0};
}
