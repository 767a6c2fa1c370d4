/* Restriction, prolongation, interpolation and the filter: sparse matrices along x, y, z. */
#include "kernels/coulomb/cpu/multilevel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_TAPS = 2 * DCS_ML_MOST_FILTER + 1,
  PART = 1024 /* outputs of a line of inputs that are summed at once: they stay in a cache */
};

/* ---- matrices ---- */

/* Along one dimension: output o is the sum of count[o] inputs from first[o] on, with the weights at
 * weight + o * MOST_TAPS. */
typedef struct {
  int n;
  int *first, *count;
  float *weight;
} matrix;

/* Output o becomes the sum of the inputs from..to, weighted; weight[0] is that of `from`. Of these
 * only 0..n_in-1 exist. */
static void set_row(matrix *rows, int o, int from, int to, int n_in, const double *weight) {
  int n = 0;
  rows->first[o] = from < 0 ? 0 : from;
  for (int i = from; i <= to; i++)
    if (i >= 0 && i < n_in) rows->weight[(int64_t)o * MOST_TAPS + n++] = (float)weight[i - from];
  rows->count[o] = n;
}

static void set_filter(const dcs_multilevel *m, const dcs_ml_box *box, int d, matrix *rows) {
  double half[DCS_ML_MOST_FILTER + 1], weight[MOST_TAPS] = {0};
  const int reach = m->filter[1];
  dcs_multilevel_filter(m, 1, half);
  for (int t = -reach; t <= reach; t++)
    weight[reach + t] = half[abs(t)];
  for (int o = 0; o < rows->n; o++)
    set_row(rows, o, o - reach, o + reach, box->n[d], weight);
}

/* A spline of twice the width is the sum of splines with these weights: binomials over 2^(p-1). */
static void two_scale(const dcs_multilevel *m, double weight[DCS_ML_MOST_NODES + 1]) {
  weight[0] = ldexp(1, 1 - m->nodes);
  for (int i = 1; i <= m->nodes; i++)
    weight[i] = weight[i - 1] * (m->nodes + 1 - i) / i;
}

/* Node I of the next level takes the fine nodes 2I - p/2 .. 2I + p/2. */
static void set_restriction(const dcs_multilevel *m, const dcs_ml_box *fine,
                            const dcs_ml_box *coarse, int d, matrix *rows) {
  double weight[DCS_ML_MOST_NODES + 1] = {0};
  const int half = m->nodes / 2;
  two_scale(m, weight);
  for (int o = 0; o < rows->n; o++) {
    int middle = 2 * (coarse->first[d] + o) - fine->first[d];
    set_row(rows, o, middle - half, middle + half, fine->n[d], weight);
  }
}

/* Fine node i takes the nodes I of the next level with |i - 2I| <= p/2. */
static void set_prolongation(const dcs_multilevel *m, const dcs_ml_box *coarse,
                             const dcs_ml_box *fine, int d, matrix *rows) {
  double all[DCS_ML_MOST_NODES + 1], weight[DCS_ML_MOST_NODES + 1] = {0};
  const int half = m->nodes / 2;
  two_scale(m, all);
  for (int o = 0; o < rows->n; o++) {
    const int i = fine->first[d] + o;
    const int from = -(int)floor((half - i) / 2.0), to = (int)floor((half + i) / 2.0);
    for (int at = from; at <= to; at++)
      weight[at - from] = all[half + i - 2 * at];
    set_row(rows, o, from - coarse->first[d], to - coarse->first[d], coarse->n[d], weight);
  }
}

static void set_points(const dcs_multilevel *m, const dcs_problem *problem, int d, matrix *rows) {
  const dcs_ml_level *level = &m->level[0];
  double weight[DCS_ML_MOST_NODES] = {0};
  for (int o = 0; o < rows->n; o++) {
    const int64_t point = o + (d == 2 ? problem->first_slice : 0);
    const double at = (double)problem->spacing * (double)point / level->h;
    const int from = (int)floor(at) - m->nodes / 2 + 1 - level->potential.first[d];
    dcs_multilevel_splines(m->nodes, at - floor(at), weight);
    set_row(rows, o, from, from + m->nodes - 1, level->potential.n[d], weight);
  }
}

static void shape_of(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_what what,
                     int level, int in[3], int out[3]) {
  const dcs_ml_level *at = &m->level[level];
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  for (int d = 0; d < 3; d++) {
    in[d] = what == DCS_ML_PROLONG  ? at[1].potential.n[d]
            : what == DCS_ML_POINTS ? at->potential.n[d]
                                    : at->charge.n[d];
    out[d] = what == DCS_ML_PROLONG    ? at->potential.n[d]
             : what == DCS_ML_RESTRICT ? at[1].charge.n[d]
             : what == DCS_ML_POINTS   ? (int)n[d]
                                       : at->charge.n[d];
  }
}

static bool make_rows(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_what what,
                      int level, int d, int n, matrix *rows) {
  const dcs_ml_level *at = &m->level[level];
  *rows = (matrix){.n = n};
  rows->first = malloc(2 * (size_t)n * sizeof *rows->first);
  rows->weight = malloc((size_t)n * MOST_TAPS * sizeof *rows->weight);
  if (!rows->first || !rows->weight) return false;
  rows->count = rows->first + n;
  if (what == DCS_ML_FILTER)
    set_filter(m, &at->charge, d, rows);
  else if (what == DCS_ML_RESTRICT)
    set_restriction(m, &at[0].charge, &at[1].charge, d, rows);
  else if (what == DCS_ML_PROLONG)
    set_prolongation(m, &at[1].potential, &at[0].potential, d, rows);
  else
    set_points(m, problem, d, rows);
  return true;
}

static void free_rows(matrix *rows) {
  free(rows->first);
  free(rows->weight);
}

/* ---- products ---- */

/* out[i] = the sum over the row's lines of n inputs each. */
static void sum_lines(const matrix *rows, int o, const float *in, int64_t n, bool adds,
                      float *out) {
  const float *weight = rows->weight + (int64_t)o * MOST_TAPS;
  const float *lines = in + (int64_t)rows->first[o] * n;
  for (int64_t begin = 0; begin < n; begin += PART) {
    const int64_t length = n - begin < PART ? n - begin : PART;
    float sum[PART];
    if (adds)
      memcpy(sum, out + begin, (size_t)length * sizeof *sum);
    else
      memset(sum, 0, (size_t)length * sizeof *sum);
    for (int t = 0; t < rows->count[o]; t++) {
      const float w = weight[t], *values = lines + t * n + begin;
      for (int64_t i = 0; i < length; i++)
        sum[i] += w * values[i];
    }
    memcpy(out + begin, sum, (size_t)length * sizeof *sum);
  }
}

/* Along x, where a line is one value. */
static void sum_values(const matrix *rows, const float *in, bool adds, float *out) {
  for (int o = 0; o < rows->n; o++) {
    const float *weight = rows->weight + (int64_t)o * MOST_TAPS, *values = in + rows->first[o];
    float sum = adds ? out[o] : 0;
    for (int t = 0; t < rows->count[o]; t++)
      sum += weight[t] * values[t];
    out[o] = sum;
  }
}

/* The array is [outer][n_in][inner], the result [outer][rows->n][inner]. */
static void multiply(const matrix *rows, const float *in, int n_in, int64_t outer, int64_t inner,
                     int threads, bool adds, float *out) {
  (void)threads;
  if (inner == 1) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t a = 0; a < outer; a++)
      sum_values(rows, in + a * n_in, adds, out + a * rows->n);
    return;
  }
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static)
  for (int64_t a = 0; a < outer; a++)
    for (int o = 0; o < rows->n; o++)
      sum_lines(rows, o, in + a * n_in * inner, inner, adds, out + (a * rows->n + o) * inner);
}

bool dcs_multilevel_resample(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_what what,
                             int level, int threads, const float *in, bool adds, float *out) {
  int n[3], to[3];
  float *made = NULL;
  bool has_memory = true;
  shape_of(m, problem, what, level, n, to);
  for (int d = 0; d < 3 && has_memory; d++) {
    const int64_t inner = d == 0 ? 1 : d == 1 ? n[0] : (int64_t)n[0] * n[1];
    const int64_t outer = d == 0 ? (int64_t)n[1] * n[2] : d == 1 ? n[2] : 1;
    float *next = d == 2 ? out : malloc((size_t)(inner * to[d] * outer) * sizeof *next);
    matrix rows;
    has_memory = make_rows(m, problem, what, level, d, to[d], &rows) && next;
    if (has_memory)
      multiply(&rows, made ? made : in, n[d], outer, inner, threads, adds && d == 2, next);
    free_rows(&rows);
    free(made);
    made = d < 2 ? next : NULL;
    n[d] = to[d];
  }
  free(made);
  return has_memory;
}
