#include "kernels/coulomb/cpu/mesh_axis.h"
#include "kernels/coulomb/mesh.h"

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static int thread_number(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

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

/* An interpolation: what it reads, how, and where it goes to. */
typedef struct {
  const dcs_mesh_nodes *from, *to; /* to: NULL for the map */
  const dcs_mesh_axis *axes;
  const dcs_mesh_lines *lines;
  float *map;
  double *layers; /* of nodes that are complete in x and y: layer k at k % ring */
  int ring;
} interpolation;

static const double *layer_at(const interpolation *p, int k) {
  return p->layers + (int64_t)(k % p->ring) * p->axes[0].n * p->axes[1].n;
}

/* Layer k of the nodes along x, into `rows`, then along y. */
static void read_layer(const interpolation *p, int k, double *rows) {
  const dcs_mesh_nodes *from = p->from;
  const dcs_mesh_axis *y = &p->axes[1];
  const double *layer = from->at + k % from->stored[2] * from->layer;
  const double *near[DCS_MESH_FAR_NODES];
  const int nx = p->axes[0].n;
  double *to = p->layers + (int64_t)(k % p->ring) * nx * y->n;
  for (int j = 0; j < from->n[1]; j++)
    read_row(layer + j % from->stored[1] * from->row, from->stored[0], &p->axes[0],
             rows + (int64_t)j * nx);
  for (int j = 0; j < y->n; j++) {
    for (int i = 0; i < y->width; i++)
      near[i] = rows + (int64_t)(y->first[j] + i) * nx;
    p->lines->add_rows(near, y->w + (int64_t)j * y->width, y->width, nx, to + (int64_t)j * nx);
  }
}

/* Slice k, along z. */
static void read_slice(const interpolation *p, int k, double *sums) {
  const int nx = p->axes[0].n, ny = p->axes[1].n;
  const dcs_mesh_axis *z = &p->axes[2];
  const double *near[DCS_MESH_FAR_NODES];
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < z->width; i++)
      near[i] = layer_at(p, z->first[k] + i) + (int64_t)j * nx;
    p->lines->add_rows(near, z->w + (int64_t)k * z->width, z->width, nx, sums);
    if (p->map) {
      float *row = p->map + ((int64_t)k * ny + j) * nx;
      for (int i = 0; i < nx; i++)
        row[i] += (float)sums[i];
    } else {
      double *row = p->to->at + k * p->to->layer + j * p->to->row;
      for (int i = 0; i < nx; i++)
        row[i] += sums[i];
    }
  }
}

/* From slice k on, those that the ring has room for the layers of; layers end..*next-1 are not
 * there yet. */
static int slices_of_ring(const interpolation *p, int k, int end, int *next) {
  const dcs_mesh_axis *z = &p->axes[2];
  const int first = z->first[k];
  int slices = 0;
  *next = end;
  for (; k + slices < z->n; slices++) {
    const int begin = z->first[k + slices];
    if (begin < first || begin + z->width > first + p->ring) break;
    if (begin + z->width > *next) *next = begin + z->width;
  }
  return slices;
}

/* A part of the layers is there at a time, so that they stay in a cache. */
static void read_all(const interpolation *p, int threads, double *scratch, int64_t room) {
  const dcs_mesh_axis *z = &p->axes[2];
  int end = 0, next;
  (void)threads;
  for (int k = 0, slices; k < z->n; k += slices) {
    if (k == 0 || z->first[k] < z->first[k - 1] || z->first[k] > end) end = z->first[k];
    slices = slices_of_ring(p, k, end, &next);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      double *own = scratch + room * thread_number();
#pragma omp for schedule(static, 1)
      for (int layer = end; layer < next; layer++)
        read_layer(p, layer, own);
#pragma omp for schedule(static, 1)
      for (int slice = k; slice < k + slices; slice++)
        read_slice(p, slice, own);
    }
    end = next;
  }
}

int dcs_mesh_layers(int width, int nodes, int threads) {
  enum { LEAST_NEW = 16 }; /* at a time */
  const int layers = width + (2 * threads < LEAST_NEW ? LEAST_NEW : 2 * threads);
  return layers < nodes ? layers : nodes;
}

bool dcs_mesh_interpolate(const dcs_mesh_nodes *from, const dcs_mesh_axis axes[3], int threads,
                          const dcs_mesh_lines *lines, float *map, const dcs_mesh_nodes *to) {
  const int64_t nx = axes[0].n, layer = nx * axes[1].n, rows = nx * from->n[1];
  const int ring = dcs_mesh_layers(axes[2].width, from->n[2], threads);
  interpolation p = {from, to, axes, lines, map, NULL, ring};
  p.layers = malloc((size_t)(layer * p.ring) * sizeof *p.layers);
  double *scratch = malloc((size_t)(rows * threads) * sizeof *scratch);
  const bool has_memory = p.layers && scratch;
  if (has_memory) read_all(&p, threads, scratch, rows);
  free(p.layers);
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
