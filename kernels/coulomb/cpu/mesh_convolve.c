#include "kernels/coulomb/cpu/mesh_convolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

bool dcs_mesh_axes(const dcs_mesh *mesh, int l, const double start[3], const int n[3], double step,
                   dcs_mesh_axis axes[3]) {
  const dcs_mesh_level *level = &mesh->level[l];
  for (int d = 0; d < 3; d++) {
    if (!dcs_mesh_axis_make(n[d], level->order, &axes[d])) return false;
    for (int i = 0; i < n[d]; i++)
      axes[d].first[i] = dcs_mesh_weights(level->order, level->window,
                                          dcs_mesh_coordinate(mesh, l, d, start[d] + i * step),
                                          axes[d].w + (int64_t)i * level->order);
  }
  return true;
}

static bool allocate(const dcs_mesh *mesh, int l, int threads, dcs_mesh_values *values) {
  const dcs_mesh_level *level = &mesh->level[l];
  dcs_mesh_nodes *nodes = &values->nodes;
  nodes->row = dcs_fftw_row(level->n[0]);
  nodes->layer = nodes->row * level->n[1];
  memcpy(nodes->n, level->nodes, sizeof nodes->n);
  memcpy(nodes->stored, level->n, sizeof nodes->stored);
  const size_t bytes = (size_t)(nodes->layer * level->n[2]) * sizeof(double);
  nodes->at = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!nodes->at || !dcs_fftw_plan(level->n, threads, nodes->at, &values->fftw)) return false;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int k = 0; k < level->n[2]; k++)
    memset(nodes->at + k * nodes->layer, 0, (size_t)nodes->layer * sizeof(double));
  const dcs_mesh_level *finer = level - 1;
  return l == 0 || dcs_mesh_axes(mesh, l, finer->lo, finer->nodes, finer->h, values->axes);
}

bool dcs_mesh_allocate(const dcs_mesh *mesh, int threads, dcs_mesh_values *levels) {
  for (int l = 0; l < mesh->n_levels; l++)
    levels[l] = (dcs_mesh_values){0};
  for (int l = 0; l < mesh->n_levels; l++)
    if (!allocate(mesh, l, threads, &levels[l])) return false;
  return true;
}

void dcs_mesh_release(const dcs_mesh *mesh, dcs_mesh_values *levels) {
  for (int l = 0; l < mesh->n_levels; l++) {
    dcs_fftw_free(&levels[l].fftw);
    free(levels[l].nodes.at);
    for (int d = 0; d < 3; d++)
      dcs_mesh_axis_free(&levels[l].axes[d]);
  }
}

double dcs_mesh_working_bytes(const dcs_mesh *mesh, dcs_dims n, int threads) {
  const dcs_mesh_level *finest = &mesh->level[0];
  const double read =
      (double)dcs_mesh_layers(finest->order, finest->nodes[2], threads) * (double)n.x * (double)n.y;
  double nodes = 0, lines = 0, restricted = 0;
  for (int l = 0; l < mesh->n_levels; l++) {
    nodes += (double)dcs_fftw_row(finest[l].n[0]) * finest[l].n[1] * finest[l].n[2];
    lines += dcs_fftw_bytes(finest[l].n, threads);
  }
  if (mesh->n_levels > 1)
    restricted = (double)finest->nodes[0] * finest->nodes[1] * finest[1].nodes[2];
  return lines + sizeof(double) * (nodes + fmax(read, restricted));
}

/* ---- in Fourier space ---- */

/* What to multiply a level's transform by but for the windows' factors: k of each dimension, and
 * their factors. */
typedef struct {
  const dcs_mesh *mesh;
  int l;
  double *factors[3];
  double step[3]; /* of k */
  double per_values;
} filter;

/* The filter for the row of complex values (j, k), which others share. */
static void filter_row(const filter *f, int j, int k, double *row) {
  const double ky = f->step[1] * j, kz = f->step[2] * k;
  const double by = f->factors[1][j] * f->factors[2][k] * f->per_values;
  for (int i = 0; i <= f->mesh->level[f->l].n[0] / 2; i++) {
    const double kx = f->step[0] * i;
    row[i] = by * f->factors[0][i] *
             dcs_mesh_transform(f->mesh, f->l, sqrt(kx * kx + ky * ky + kz * kz));
  }
}

static void multiply(const double *by, int n, double *values) {
  for (int i = 0; i < n; i++) {
    values[2 * i] *= by[i];
    values[2 * i + 1] *= by[i];
  }
}

/* Layers k and -k: rows j and -j of both have one filter. */
static void multiply_layers(const filter *f, int k, double *row, const dcs_mesh_nodes *nodes) {
  const int *n = f->mesh->level[f->l].n;
  for (int j = 0; j <= n[1] / 2; j++) {
    filter_row(f, j, k, row);
    for (int copy = 0; copy < 4; copy++) {
      const int y = copy % 2 ? n[1] - j : j, z = copy / 2 ? n[2] - k : k;
      if (y == n[1] || z == n[2] || (copy % 2 && y == j) || (copy / 2 && z == k)) continue;
      multiply(row, n[0] / 2 + 1, nodes->at + z * nodes->layer + y * nodes->row);
    }
  }
}

static bool multiply_level(const dcs_mesh *mesh, int l, int threads, const dcs_mesh_nodes *nodes) {
  const dcs_mesh_level *level = &mesh->level[l];
  filter f = {.mesh = mesh, .l = l, .per_values = 1};
  double *rows = malloc((size_t)threads * (size_t)(level->n[0] / 2 + 1) * sizeof *rows);
  bool has_memory = rows;
  for (int d = 0; d < 3; d++) {
    f.step[d] = 2 * acos(-1) / (level->n[d] * level->spacing[d]);
    f.per_values /= level->n[d] * level->spacing[d];
    f.factors[d] = malloc(2 * (size_t)(level->n[d] / 2 + 1) * sizeof(double));
    has_memory &= f.factors[d] != NULL;
    if (f.factors[d]) dcs_mesh_deconvolve(mesh, l, d, f.factors[d]);
  }
  if (has_memory) {
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int t = 0; t < threads; t++)
      for (int k = t; k <= level->n[2] / 2; k += threads)
        multiply_layers(&f, k, rows + t * (level->n[0] / 2 + 1), nodes);
  }
  for (int d = 0; d < 3; d++)
    free(f.factors[d]);
  free(rows);
  return has_memory;
}

/* ---- all levels ---- */

bool dcs_mesh_convolve(const dcs_mesh *mesh, int threads, const dcs_mesh_lines *lines,
                       dcs_mesh_values *levels) {
  for (int l = 1; l < mesh->n_levels; l++)
    if (!dcs_mesh_restrict(&levels[l - 1].nodes, levels[l].axes, threads, &levels[l].nodes))
      return false;
  for (int l = mesh->n_levels - 1; l >= 0; l--) {
    dcs_fftw_forward(&levels[l].fftw);
    if (!multiply_level(mesh, l, threads, &levels[l].nodes)) return false;
    dcs_fftw_backward(&levels[l].fftw);
    if (l + 1 < mesh->n_levels && !dcs_mesh_interpolate(&levels[l + 1].nodes, levels[l + 1].axes,
                                                        threads, lines, NULL, &levels[l].nodes))
      return false;
  }
  return true;
}
