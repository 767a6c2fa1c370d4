/* Splines, their filter, and the weights of a lattice cutoff; see multilevel.h. */
#include "kernels/coulomb/multilevel.h"

#include <math.h>
#include <stdlib.h>

/* de Boor's recursion: from the splines of n - 1 nodes to those of n. */
void dcs_multilevel_splines(int nodes, double t, double w[DCS_ML_MOST_NODES]) {
  w[0] = 1 - t;
  w[1] = t;
  for (int n = 3; n <= nodes; n++) {
    const double by = 1.0 / (n - 1);
    w[n - 1] = by * t * w[n - 2];
    for (int j = n - 2; j > 0; j--)
      w[j] = by * ((t + n - 1 - j) * w[j - 1] + (j + 1 - t) * w[j]);
    w[0] *= by * (1 - t);
  }
}

/* By its Fourier series: B at the frequencies of a ring of nodes much longer than the filter. */
void dcs_multilevel_filter(const dcs_multilevel *m, int power,
                           double weights[DCS_ML_MOST_FILTER + 1]) {
  enum { RING = 256 };
  double spline[DCS_ML_MOST_NODES], wave[RING];
  const int half = m->nodes / 2;
  dcs_multilevel_splines(m->nodes, 0, spline);
  for (int i = 0; i < RING; i++)
    wave[i] = cos(2 * acos(-1) * i / RING);
  for (int n = 0; n <= m->filter[power]; n++)
    weights[n] = 0;
  for (int k = 0; k < RING; k++) {
    double b = spline[half - 1];
    for (int j = 1; j < half; j++)
      b += 2 * spline[half - 1 - j] * wave[j * k % RING];
    for (int n = 0; n <= m->filter[power]; n++)
      weights[n] += wave[n * k % RING] / (power == 2 ? b * b : b) / RING;
  }
}

/* P(x): 1/x beyond 1, its Taylor series in x^2 within. */
static double softened(double x, int degree) {
  if (x >= 1) return 1 / x;
  double term = 1, sum = 1;
  for (int i = 1; i <= degree; i++) {
    term *= (1 - x * x) * (i - 0.5) / i;
    sum += term;
  }
  return sum;
}

/* What a level interpolates, at a distance in nodes. */
static double part_of(const dcs_multilevel *m, bool top, double distance) {
  const double ratio = m->cutoff / m->h, x = distance / ratio;
  double value = softened(x, m->softening) / ratio;
  if (top) return value;
  return value - softened(x / 2, m->softening) / (2 * ratio);
}

/* Distances along a dimension at which a part is taken, and of these the weights wanted. */
enum { MOST_DISTANCES = 128 };
typedef struct {
  int wanted[3], taken[3]; /* taken: and as many more as the filter reaches */
  int stride[3];
} extent;

static extent extent_of(const int wanted[3], int reach) {
  extent e;
  int stride = 1;
  for (int d = 0; d < 3; d++) {
    e.wanted[d] = wanted[d] + 1;
    e.taken[d] = e.wanted[d] + reach;
    e.stride[d] = stride;
    stride *= e.taken[d];
  }
  return e;
}

/* Filters an even function, of which the values at 0..taken-1 are given. */
static void filter_line(const double *filter, int reach, const extent *e, int d, double *values) {
  double line[MOST_DISTANCES];
  for (int i = 0; i < e->taken[d]; i++)
    line[i] = values[(int64_t)i * e->stride[d]];
  for (int i = 0; i < e->wanted[d]; i++) {
    double sum = 0;
    for (int t = -reach; t <= reach; t++)
      sum += filter[abs(t)] * line[abs(i + t)];
    values[(int64_t)i * e->stride[d]] = sum;
  }
}

/* Along x, then y, then z, each for what the dimensions before have left. */
static void filter_all(const double *filter, int reach, const extent *e, double *values) {
  for (int d = 0; d < 3; d++) {
    const int u = d == 0, v = d == 2 ? 1 : 2;
    const int nu = u < d ? e->wanted[u] : e->taken[u], nv = v < d ? e->wanted[v] : e->taken[v];
    for (int j = 0; j < nv; j++)
      for (int i = 0; i < nu; i++)
        filter_line(filter, reach, e, d,
                    values + (int64_t)j * e->stride[v] + (int64_t)i * e->stride[u]);
  }
}

static void take(const dcs_multilevel *m, bool top, const extent *e, double *values) {
  for (int k = 0; k < e->taken[2]; k++)
    for (int j = 0; j < e->taken[1]; j++)
      for (int i = 0; i < e->taken[0]; i++)
        values[(int64_t)k * e->stride[2] + (int64_t)j * e->stride[1] + i] =
            part_of(m, top, sqrt((double)i * i + (double)j * j + (double)k * k));
}

/* Weights of charges beyond the reach in any direction are 0, but at the top. */
static void keep(const extent *e, bool top, double h, const double *values, float *weights) {
  const int r = e->wanted[0] - 1;
  for (int k = 0; k < e->wanted[2]; k++)
    for (int j = 0; j < e->wanted[1]; j++)
      for (int i = 0; i < e->wanted[0]; i++) {
        double value = values[(int64_t)k * e->stride[2] + (int64_t)j * e->stride[1] + i];
        *weights++ = top || i * i + j * j + k * k <= r * r ? (float)(value / h) : 0;
      }
}

float *dcs_multilevel_weights(const dcs_multilevel *m, bool top) {
  const dcs_ml_level *level = &m->level[top ? m->n_levels - 1 : 0];
  const int power = top ? 2 : 1, reach = m->filter[power];
  const extent e = extent_of(level->reach, reach);
  double filter[DCS_ML_MOST_FILTER + 1];
  double *values = malloc((size_t)e.stride[2] * (size_t)e.taken[2] * sizeof *values);
  float *weights =
      malloc((size_t)e.wanted[0] * (size_t)e.wanted[1] * (size_t)e.wanted[2] * sizeof *weights);
  if (values && weights) {
    dcs_multilevel_filter(m, power, filter);
    take(m, top, &e, values);
    filter_all(filter, reach, &e, values);
    keep(&e, top, level->h, values, weights);
  } else {
    free(weights);
    weights = NULL;
  }
  free(values);
  return weights;
}
