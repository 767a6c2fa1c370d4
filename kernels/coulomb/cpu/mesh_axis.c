#include "kernels/coulomb/cpu/mesh_axis.h"

#include <stdlib.h>
#include <string.h>

bool dcs_mesh_axis_make(int n, int width, dcs_mesh_axis *axis) {
  *axis = (dcs_mesh_axis){.n = n, .width = width};
  axis->first = malloc((size_t)n * sizeof *axis->first);
  axis->w = malloc((size_t)n * (size_t)width * sizeof *axis->w);
  if (axis->first && axis->w) return true;
  dcs_mesh_axis_free(axis);
  return false;
}

void dcs_mesh_axis_free(dcs_mesh_axis *axis) {
  free(axis->first);
  free(axis->w);
  *axis = (dcs_mesh_axis){0};
}

/* ---- interpolation ---- */

/* Rows are summed along their other dimensions: to = sum of w[j] times the row j * step further. */
static void add_rows(const double *rows, int64_t step, const double *w, int width, int n,
                     double *to) {
  for (int j = 0; j < width; j++) {
    const double *row = rows + j * step, by = w[j];
#pragma GCC ivdep
    for (int i = 0; i < n; i++)
      to[i] += by * row[i];
  }
}

/* Along a row, of which so many nodes are stored. */
static void read_row(const double *row, int stored, const dcs_mesh_axis *x, double *to) {
  for (int i = 0; i < x->n; i++) {
    const double *w = x->w + (int64_t)i * x->width, *at = row + x->first[i];
    const int left = stored - x->first[i], straight = left < x->width ? left : x->width;
    double sum = 0;
    for (int j = 0; j < straight; j++)
      sum += w[j] * at[j];
    for (int j = straight; j < x->width; j++)
      sum += w[j] * at[j - stored];
    to[i] = sum;
  }
}

/* A layer of nodes along x, into `rows`, then along y. */
static void read_layer(const double *layer, const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3],
                       double *rows, double *to) {
  const int nx = axes[0].n;
  for (int j = 0; j < from->n[1]; j++)
    read_row(layer + j % from->stored[1] * from->row, from->stored[0], &axes[0],
             rows + (int64_t)j * nx);
  for (int j = 0; j < axes[1].n; j++) {
    double *row = to + (int64_t)j * nx;
    memset(row, 0, (size_t)nx * sizeof *row);
    add_rows(rows + (int64_t)axes[1].first[j] * nx, nx, axes[1].w + (int64_t)j * axes[1].width,
             axes[1].width, nx, row);
  }
}

/* Layers of nodes from the first one on that are complete in x and y, along z. */
static void read_column(const double *layers, int first, const dcs_mesh_axis axes[3], int k,
                        double *sums, float *map, const dcs_mesh_nodes *to) {
  const int nx = axes[0].n, ny = axes[1].n, width = axes[2].width;
  const int64_t layer = (int64_t)nx * ny;
  for (int j = 0; j < ny; j++) {
    memset(sums, 0, (size_t)nx * sizeof *sums);
    add_rows(layers + (axes[2].first[k] - first) * layer + (int64_t)j * nx, layer,
             axes[2].w + (int64_t)k * width, width, nx, sums);
    if (map) {
      float *row = map + k * layer + (int64_t)j * nx;
      for (int i = 0; i < nx; i++)
        row[i] += (float)sums[i];
    } else {
      double *row = to->at + k * to->layer + j * to->row;
      for (int i = 0; i < nx; i++)
        row[i] += sums[i];
    }
  }
}

/* The layers first..end-1 are those that are read along z. */
static void find_layers(const dcs_mesh_axis *z, int *first, int *end) {
  *first = *end = z->first[0];
  for (int k = 0; k < z->n; k++) {
    if (z->first[k] < *first) *first = z->first[k];
    if (z->first[k] > *end) *end = z->first[k];
  }
  *end += z->width;
}

bool dcs_mesh_interpolate(const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3], int threads,
                          float *map, const dcs_mesh_nodes *to) {
  const int64_t nx = axes[0].n, layer = nx * axes[1].n, rows = nx * from->n[1];
  int first, end;
  find_layers(&axes[2], &first, &end);
  double *layers = malloc((size_t)(layer * (end - first)) * sizeof *layers);
  double *scratch = malloc((size_t)(rows * threads) * sizeof *scratch);
  if (layers && scratch) {
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++)
      for (int k = first + t; k < end; k += threads)
        read_layer(from->at + k % from->stored[2] * from->layer, from, axes, scratch + t * rows,
                   layers + (k - first) * layer);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++)
      for (int k = t; k < axes[2].n; k += threads)
        read_column(layers, first, axes, k, scratch + t * rows, map, to);
  }
  const bool has_memory = layers && scratch;
  free(layers);
  free(scratch);
  return has_memory;
}

/* ---- restriction ---- */

/* The weights of one row or layer i of the finer nodes spread it to `width` coarser ones. */
static void spread_rows(const double *row, const dcs_mesh_axis *axis, int i, int n, double *to,
                        int64_t step) {
  for (int j = 0; j < axis->width; j++) {
    double *at = to + (axis->first[i] + j) * step;
    const double by = axis->w[(int64_t)i * axis->width + j];
#pragma GCC ivdep
    for (int x = 0; x < n; x++)
      at[x] += by * row[x];
  }
}

/* Row j of all layers, along z: layers[coarse z][fine y][fine x]. */
static void restrict_z(const dcs_mesh_nodes *from, const dcs_mesh_axis *z, int j, double *layers) {
  const int64_t layer = (int64_t)from->n[0] * from->n[1];
  for (int k = 0; k < from->n[2]; k++)
    spread_rows(from->at + k * from->layer + j * from->row, z, k, from->n[0],
                layers + (int64_t)j * from->n[0], layer);
}

/* Layer k along y, into `rows`, then along x. */
static void restrict_layer(const double *layer, const int fine[3], const dcs_mesh_axis axes[3],
                           int k, double *rows, const dcs_mesh_nodes *to) {
  memset(rows, 0, (size_t)fine[0] * (size_t)to->n[1] * sizeof *rows);
  for (int j = 0; j < fine[1]; j++)
    spread_rows(layer + (int64_t)j * fine[0], &axes[1], j, fine[0], rows, fine[0]);
  for (int j = 0; j < to->n[1]; j++) {
    double *row = to->at + k * to->layer + j * to->row;
    memset(row, 0, (size_t)to->n[0] * sizeof *row);
    for (int i = 0; i < fine[0]; i++)
      spread_rows(rows + (int64_t)j * fine[0] + i, &axes[0], i, 1, row, 1);
  }
}

bool dcs_mesh_restrict(const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3], int threads,
                       const dcs_mesh_nodes *to) {
  const int64_t layer = (int64_t)from->n[0] * from->n[1], rows = (int64_t)from->n[0] * to->n[1];
  double *layers = calloc((size_t)(layer * to->n[2]), sizeof *layers);
  double *scratch = malloc((size_t)(rows * threads) * sizeof *scratch);
  if (layers && scratch) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int j = 0; j < from->n[1]; j++)
      restrict_z(from, &axes[2], j, layers);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++)
      for (int k = t; k < to->n[2]; k += threads)
        restrict_layer(layers + k * layer, from->n, axes, k, scratch + t * rows, to);
  }
  const bool has_memory = layers && scratch;
  free(layers);
  free(scratch);
  return has_memory;
}
