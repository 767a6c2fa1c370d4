/* A counting sort. Nothing in it depends on the number of threads. */
#include "kernels/coulomb/cpu/cutoff_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More cells than this would not fit a cache, and empty ones cost as much as full ones. */
enum { MOST_CELLS = 1 << 22, CELLS_AN_ATOM = 4, FEW_CELLS = 64 };

/* Fewer atoms are sorted by one thread, sooner than threads have met. Else all sort: a team of
 * another size than the one that computes the map would be ended and started anew with each map. */
enum { FEW_ATOMS = 4096 };

/* Threads count their atoms by cells each for itself: where cells are many, fewer threads do. */
enum { COUNTS_AN_ATOM = 8 };

/* ---- which atoms, and their box ---- */

/* Where the points of the map lie, widened by the cutoff. What rounding in the kernel might still
 * bring within the cutoff is inside. */
static void reach_of(const dcs_problem *p, float lo[3], float hi[3]) {
  const int64_t n[3] = {p->n.x, p->n.y, p->n.z};
  double c = (double)dcs_cutoff(p) * (1 + 1e-6);
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
  const dcs_atom *atoms = dcs_atoms(p);
  float x0 = hi[0], y0 = hi[1], z0 = hi[2], x1 = lo[0], y1 = lo[1], z1 = lo[2];
  int64_t within = 0;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : within) \
    reduction(min : x0, y0, z0) reduction(max : x1, y1, z1) if (threads > 1)
  for (int64_t a = 0; a < p->n_inputs; a++) {
    if (!is_within(&atoms[a], lo, hi)) continue;
    within++;
    float x = atoms[a].x, y = atoms[a].y, z = atoms[a].z;
    x0 = x < x0 ? x : x0, x1 = x > x1 ? x : x1;
    y0 = y < y0 ? y : y0, y1 = y > y1 ? y : y1;
    z0 = z < z0 ? z : z0, z1 = z > z1 ? z : z1;
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
  cells->per_edge = 1 / cells->edge;
  for (int d = 0; d < 3; d++) {
    cells->lo[d] = within ? (double)lo[d] : 0;
    cells->n[d] = (int32_t)n[d];
  }
}

static bool allocate(dcs_cutoff_cells *cells, int64_t within) {
  size_t floats = (size_t)within + DCS_CUTOFF_PAD;
  cells->x = malloc(4 * floats * sizeof *cells->x);
  cells->start = calloc((size_t)count_cells(cells) + 1, sizeof *cells->start);
  if (!cells->x || !cells->start) return false;
  cells->y = cells->x + floats;
  cells->z = cells->y + floats;
  cells->q = cells->z + floats;
  float *const fields[] = {cells->x, cells->y, cells->z, cells->q};
  for (int f = 0; f < 4; f++)
    memset(fields[f] + within, 0, DCS_CUTOFF_PAD * sizeof(float));
  return true;
}

/* ---- sorting ---- */

/* The atoms are cut into parts, a thread for each, and counted part by part. */
typedef struct {
  int threads, parts;
  int64_t n_atoms, n_cells;
  int32_t *cell_of; /* of every atom; -1: it is outside */
  int32_t *counts;  /* parts * n_cells: the part's atoms in a cell; later where the next one goes */
} counting;

static int64_t part_start(const counting *by, int part) {
  return by->n_atoms * part / by->parts;
}

static int32_t *part_counts(const counting *by, int part) {
  return by->counts + part * by->n_cells;
}

static void count_atoms(const dcs_cutoff_cells *cells, const float lo[3], const float hi[3],
                        const counting *by) {
  const dcs_atom *atoms = dcs_atoms(&cells->problem);
#pragma omp parallel for num_threads(by->threads) schedule(static, 1) if (by->threads > 1)
  for (int part = 0; part < by->parts; part++) {
    int32_t *counts = part_counts(by, part);
    memset(counts, 0, (size_t)by->n_cells * sizeof *counts);
    for (int64_t a = part_start(by, part); a < part_start(by, part + 1); a++) {
      int32_t x = dcs_cutoff_cell(cells, 0, (double)atoms[a].x);
      int32_t y = dcs_cutoff_cell(cells, 1, (double)atoms[a].y);
      int32_t z = dcs_cutoff_cell(cells, 2, (double)atoms[a].z);
      bool within = is_within(&atoms[a], lo, hi);
      by->cell_of[a] = within ? (z * cells->n[1] + y) * cells->n[0] + x : -1;
      if (within) counts[by->cell_of[a]]++;
    }
  }
}

/* Cells follow each other, and in a cell the parts. */
static void find_starts(dcs_cutoff_cells *cells, const counting *by) {
  int32_t *start = cells->start;
#pragma omp parallel for num_threads(by->threads) schedule(static) if (by->threads > 1)
  for (int64_t c = 0; c < by->n_cells; c++)
    for (int part = 0; part < by->parts; part++)
      start[c + 1] += part_counts(by, part)[c];
  for (int64_t c = 0; c < by->n_cells; c++)
    start[c + 1] += start[c];
#pragma omp parallel for num_threads(by->threads) schedule(static) if (by->threads > 1)
  for (int64_t c = 0; c < by->n_cells; c++) {
    int32_t next = start[c];
    for (int part = 0; part < by->parts; part++) {
      int32_t n = part_counts(by, part)[c];
      part_counts(by, part)[c] = next;
      next += n;
    }
  }
}

static void place_atoms(dcs_cutoff_cells *cells, const counting *by) {
  const dcs_atom *atoms = dcs_atoms(&cells->problem);
#pragma omp parallel for num_threads(by->threads) schedule(static, 1) if (by->threads > 1)
  for (int part = 0; part < by->parts; part++) {
    int32_t *next = part_counts(by, part);
    for (int64_t a = part_start(by, part); a < part_start(by, part + 1); a++) {
      if (by->cell_of[a] < 0) continue; /* NOLINT: count_atoms() fills it */
      int32_t to = next[by->cell_of[a]]++;
      cells->x[to] = atoms[a].x;
      cells->y[to] = atoms[a].y;
      cells->z[to] = atoms[a].z;
      cells->q[to] = atoms[a].q;
    }
  }
}

static counting choose_parts(const dcs_cutoff_cells *cells, int threads) {
  counting by = {.threads = threads, .n_atoms = cells->problem.n_inputs};
  by.n_cells = count_cells(cells);
  int64_t most = COUNTS_AN_ATOM * by.n_atoms / by.n_cells;
  by.parts = most < 1 ? 1 : most < threads ? (int)most : threads;
  return by;
}

static bool sort_atoms(dcs_cutoff_cells *cells, int threads, const float lo[3], const float hi[3]) {
  counting by = choose_parts(cells, threads);
  by.cell_of = malloc((size_t)by.n_atoms * sizeof *by.cell_of);
  by.counts = malloc((size_t)by.parts * (size_t)by.n_cells * sizeof *by.counts);
  bool has_memory = by.cell_of && by.counts;
  if (has_memory) {
    count_atoms(cells, lo, hi, &by);
    find_starts(cells, &by);
    place_atoms(cells, &by);
  }
  free(by.cell_of);
  free(by.counts);
  return has_memory;
}

bool dcs_cutoff_sort(const dcs_problem *problem, double edge, int threads,
                     dcs_cutoff_cells *cells) {
  float lo[3], hi[3];
  *cells = (dcs_cutoff_cells){.problem = *problem, .n_slices = problem->n.z};
  if (problem->n_inputs < FEW_ATOMS) threads = 1;
  reach_of(problem, lo, hi);
  int64_t within = shrink(problem, threads, lo, hi);
  choose_cells(within, lo, hi, edge, cells);
  if (allocate(cells, within) && sort_atoms(cells, threads, lo, hi)) return true;
  dcs_cutoff_free(cells);
  return false;
}

void dcs_cutoff_free(dcs_cutoff_cells *cells) {
  free(cells->x);
  free(cells->start);
  *cells = (dcs_cutoff_cells){0};
}
