/* Atoms are sorted by columns of the mesh, `order` nodes wide or more in y and z. What is spread
 * from a column reaches the next one in y and in z, and no farther: columns of one parity are
 * spread at once, each by one thread and in the order of its atoms. In a periodic mesh the first
 * column is next to the last, so their number is even there, or 1. */
#include "kernels/coulomb/cpu/mesh_spread.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  int64_t *start; /* of each column in `atoms`, n[0] * n[1] + 1 */
  int32_t *atoms; /* their numbers */
  int n[2];       /* columns in y and z */
} columns;

/* Nodes that are spread to along a dimension. */
static int nodes_along(const dcs_mesh *mesh, int d) {
  const dcs_mesh_level *level = &mesh->level[0];
  return mesh->periodic ? level->n[d] : level->nodes[d];
}

static int count_columns(const dcs_mesh *mesh, int d) {
  const int n = nodes_along(mesh, d) / mesh->level[0].order;
  const int meet = mesh->periodic ? n / 2 * 2 : n;
  return meet > 0 ? meet : 1;
}

/* Of n columns. */
static int64_t column_along(const dcs_mesh *mesh, int d, float at, int n) {
  const double u = dcs_mesh_coordinate(mesh, 0, d, (double)at);
  const int nodes = nodes_along(mesh, d), first = (int)ceil(u - 0.5 * mesh->level[0].order);
  return (int64_t)(first % nodes) * n / nodes;
}

static int64_t column_of(const dcs_mesh *mesh, const columns *c, const dcs_atom *atom) {
  return column_along(mesh, 2, atom->z, c->n[1]) * c->n[0] +
         column_along(mesh, 1, atom->y, c->n[0]);
}

static bool sort_atoms(const dcs_problem *problem, const dcs_mesh_scene *scene,
                       const dcs_mesh *mesh, columns *c) {
  for (int d = 0; d < 2; d++)
    c->n[d] = count_columns(mesh, d + 1);
  const int64_t n = (int64_t)c->n[0] * c->n[1];
  c->start = calloc((size_t)n + 2, sizeof *c->start);
  c->atoms = malloc((size_t)problem->n_inputs * sizeof *c->atoms);
  if (!c->start || !c->atoms) return false;
  const dcs_atom *atoms = dcs_atoms(problem);
  int64_t *next = c->start + 1;
  for (int64_t a = 0; a < problem->n_inputs; a++)
    if (!dcs_mesh_is_far(scene, &atoms[a])) next[column_of(mesh, c, &atoms[a]) + 1]++;
  for (int64_t i = 0; i < n; i++)
    next[i + 1] += next[i];
  for (int64_t a = 0; a < problem->n_inputs; a++)
    if (!dcs_mesh_is_far(scene, &atoms[a]))
      c->atoms[next[column_of(mesh, c, &atoms[a])]++] = (int32_t)a;
  return true;
}

/* How far in memory the nodes from `first` on lie from node 0. */
static void find_steps(int order, int first, int stored, int64_t step, int64_t *steps) {
  for (int i = 0; i < order; i++)
    steps[i] = (first + i < stored ? first + i : first + i - stored) * step;
}

static void spread_atom(const dcs_mesh *mesh, const dcs_atom *atom, const dcs_mesh_lines *lines,
                        const dcs_mesh_nodes *nodes) {
  const dcs_mesh_level *level = &mesh->level[0];
  const float at[3] = {atom->x, atom->y, atom->z};
  const int order = level->order;
  double w[3][DCS_MESH_MOST_ORDER];
  int64_t y[DCS_MESH_MOST_ORDER], z[DCS_MESH_MOST_ORDER];
  int first[3];
  for (int d = 0; d < 3; d++)
    first[d] = dcs_mesh_weights(order, level->window,
                                dcs_mesh_coordinate(mesh, 0, d, (double)at[d]), w[d]);
  find_steps(order, first[1], nodes->stored[1], nodes->row, y);
  find_steps(order, first[2], nodes->stored[2], nodes->layer, z);
  const int left = nodes->stored[0] - first[0], straight = left < order ? left : order;
  if (straight == order) {
    lines->spread(w[0], w[1], w[2], order, y, z, (double)atom->q, nodes->at + first[0]);
    return;
  }
  for (int k = 0; k < order; k++)
    for (int j = 0; j < order; j++) {
      const double by = (double)atom->q * w[2][k] * w[1][j];
      double *row = nodes->at + z[k] + y[j] + first[0];
      for (int i = 0; i < straight; i++)
        row[i] += by * w[0][i];
      for (int i = straight; i < order; i++)
        row[i - nodes->stored[0]] += by * w[0][i];
    }
}

/* Those of a parity in y and z. */
static void spread_columns(const dcs_problem *problem, const dcs_mesh *mesh, const columns *c,
                           int parity, int threads, const dcs_mesh_lines *lines,
                           const dcs_mesh_nodes *nodes) {
  const int y0 = parity % 2, z0 = parity / 2;
  (void)threads;
#pragma omp parallel for collapse(2) num_threads(threads) schedule(dynamic) if (threads > 1)
  for (int z = z0; z < c->n[1]; z += 2)
    for (int y = y0; y < c->n[0]; y += 2) {
      const int64_t *start = &c->start[(int64_t)z * c->n[0] + y];
      for (int64_t a = start[0]; a < start[1]; a++)
        spread_atom(mesh, &dcs_atoms(problem)[c->atoms[a]], lines, nodes);
    }
}

bool dcs_mesh_spread(const dcs_problem *problem, const dcs_mesh_scene *scene, const dcs_mesh *mesh,
                     int threads, const dcs_mesh_lines *lines, const dcs_mesh_nodes *nodes) {
  columns c;
  const bool sorted = sort_atoms(problem, scene, mesh, &c);
  if (sorted)
    for (int parity = 0; parity < 4; parity++)
      spread_columns(problem, mesh, &c, parity, threads, lines, nodes);
  free(c.start);
  free(c.atoms);
  return sorted;
}

/* ---- far atoms ---- */

/* Chebyshev's nodes on 0..length, and the weights with which a map of n points reads them (Berrut
 * and Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46 (2004) 501). */
static bool place_far_nodes(int nodes, double length, int64_t n, double spacing, double *at,
                            dcs_mesh_axis *axis) {
  if (n <= nodes) nodes = (int)n;
  if (!dcs_mesh_axis_make((int)n, nodes, axis)) return false;
  for (int j = 0; j < nodes; j++)
    at[j] = n == nodes ? j * spacing : 0.5 * length * (1 - cos(acos(-1) * (j + 0.5) / nodes));
  for (int i = 0; i < axis->n; i++) {
    double *w = axis->w + (int64_t)i * nodes;
    axis->first[i] = 0;
    for (int j = 0; j < nodes; j++) {
      w[j] = 1;
      for (int other = 0; other < nodes; other++)
        if (other != j) w[j] *= (i * spacing - at[other]) / (at[j] - at[other]);
    }
  }
  return true;
}

static double far_potential(const dcs_problem *problem, const dcs_mesh_scene *scene, double x,
                            double y, double z) {
  const dcs_atom *atoms = dcs_atoms(problem);
  double sum = 0;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    if (!dcs_mesh_is_far(scene, &atoms[a])) continue;
    const double dx = (double)atoms[a].x - x, dy = (double)atoms[a].y - y;
    const double dz = (double)atoms[a].z - z;
    sum += (double)atoms[a].q / sqrt(dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

bool dcs_mesh_find_far(const dcs_problem *problem, const dcs_mesh_scene *scene,
                       const dcs_mesh *mesh, int threads, dcs_mesh_far *far) {
  enum { MOST = DCS_MESH_FAR_NODES };
  if (mesh->far_nodes == 0) return true;
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  double at[3][MOST] = {{0}};
  for (int d = 0; d < 3; d++)
    if (!place_far_nodes(mesh->far_nodes, scene->map[d], n[d], (double)problem->spacing, at[d],
                         &far->axes[d]))
      return false;
  const int nx = far->axes[0].width, ny = far->axes[1].width, nz = far->axes[2].width;
  double *potential = malloc((size_t)(nx * ny * nz) * sizeof *potential);
  if (!potential) return false;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int i = 0; i < nx * ny * nz; i++)
    potential[i] =
        far_potential(problem, scene, at[0][i % nx], at[1][i / nx % ny], at[2][i / nx / ny]);
  far->potential = potential;
  far->nodes = (dcs_mesh_nodes){potential, {nx, ny, nz}, {nx, ny, nz}, nx, (int64_t)nx * ny};
  return true;
}

void dcs_mesh_free_far(dcs_mesh_far *far) {
  free(far->potential);
  for (int d = 0; d < 3; d++)
    dcs_mesh_axis_free(&far->axes[d]);
}
