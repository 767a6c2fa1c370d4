/* The mesh method on the GPU: its meshes, and the tables of weights that its kernels share.
 * kernels/coulomb/mesh.h says what is computed. */
#ifndef DCS_MESH_CUH
#define DCS_MESH_CUH

/* Of the meshes; what goes to the map is in single precision in any case. */
#if MESH == MESH_DOUBLE
typedef double real;
#else
typedef float real;
#endif

enum { MOST_LEVELS = 4, MOST_ORDER = 12 };

/* As in the descriptor. */
struct mesh_level {
  double lo[3], spacing[3], h, window, beta;
  short n[3], nodes[3];
  int order;
  int factors, finer; /* where its tables begin */
};
struct meshes {
  mesh_level level[MOST_LEVELS];
  double a, diameter, margin;
  cell_grid cells; /* of the atoms that are spread */
  int n_levels, far_nodes;
  int nz;                 /* points of the whole map */
  int map_axis, far_axis; /* where these tables begin */
  int periodic;
  int n_spread;          /* atoms that are spread, of a periodic problem with images */
  image_lattice lattice; /* and which */
};

static __device__ __forceinline__ int row_of(const mesh_level &level) {
  return 2 * (level.n[0] / 2 + 1);
}

static __device__ __forceinline__ long long layer_of(const mesh_level &level) {
  return (long long)row_of(level) * level.n[1];
}

/* ---- the window ---- */

static __device__ __forceinline__ float square_root(float v) {
  return sqrtf(v);
}
static __device__ __forceinline__ double square_root(double v) {
  return sqrt(v);
}
static __device__ __forceinline__ float power_of_e(float v) {
  return expf(v);
}
static __device__ __forceinline__ double power_of_e(double v) {
  return exp(v);
}
static __device__ __forceinline__ float cosine(float v) {
  return cosf(v);
}
static __device__ __forceinline__ double cosine(double v) {
  return cos(v);
}

/* The exponential of a semicircle at a node `u` spacings away, of `order` nodes. */
static __device__ __forceinline__ real semicircle(real window, int order, real u) {
  real x = u * 2 / order, left = 1 - x * x;
  return power_of_e(window * (square_root(left > 0 ? left : 0) - 1));
}

/* Weights of a coordinate u spacings behind the node before the first: u is from order / 2 to
 * order / 2 + 1, the nodes are 1..order. */
static __device__ void window_weights(real window, int order, real u, real *w) {
  real sum = 0;
#pragma unroll 1
  for (int i = 0; i < order; i++)
    sum += w[i] = semicircle(window, order, u - (i + 1));
  for (int i = 0; i < order; i++)
    w[i] /= sum;
}

/* The node before the first of those that a coordinate is spread to, which is in spacings. */
static __device__ __forceinline__ int node_before(const mesh_level &level, double spacings,
                                                  real *u) {
  int before = (int)ceil(spacings - 0.5 * level.order) - 1;
  *u = (real)(spacings - before);
  return before;
}

/* ---- tables ---- */

/* All tables one after another: for each level and dimension the factors that undo the windows; the
 * axes that read the finer level's nodes from it; those that read the map from level 0, and from
 * the nodes of far atoms. An axis has for each position the number of the first node, then the
 * weights. */
enum { FACTORS, FINER, MAP_AXIS, FAR_AXIS };

struct table_place {
  int at;    /* in the tables */
  int count; /* entries */
  int width; /* numbers of an entry */
};

/* The number of values along dimension d of the map. */
static __device__ __forceinline__ int along(int d, int nx, int ny, int nz) {
  return d == 0 ? nx : d == 1 ? ny : nz;
}

static __device__ __forceinline__ int far_width(const meshes &m, int points) {
  return m.far_nodes < points ? m.far_nodes : points;
}

/* Entries and width of a table. */
static __device__ __forceinline__ table_place shape_of(const meshes &m, int what, int l, int d,
                                                       int nx, int ny, int nz) {
  table_place t = {0, 0, 1};
  int points = along(d, nx, ny, nz);
  if (what == FACTORS) t.count = m.level[l].n[d] / 2 + 1;
  if (what == FINER) t.count = l > 0 ? m.level[l - 1].nodes[d] : 0;
  if (what == MAP_AXIS || what == FAR_AXIS) t.count = points;
  if (what == FINER || what == MAP_AXIS) t.width = m.level[l].order + 1;
  if (what == FAR_AXIS) t.width = far_width(m, points) + 1;
  return t;
}

/* Table of dimension d; l is 0 for those of the map. */
static __device__ __forceinline__ table_place table_of(const meshes &m, int what, int l, int d,
                                                       int nx, int ny, int nz) {
  int at = what == FACTORS    ? m.level[l].factors
           : what == FINER    ? m.level[l].finer
           : what == MAP_AXIS ? m.map_axis
                              : m.far_axis;
  for (int before = 0; before < d; before++) {
    table_place t = shape_of(m, what, l, before, nx, ny, nz);
    at += t.count * t.width;
  }
  table_place t = shape_of(m, what, l, d, nx, ny, nz);
  t.at = at;
  return t;
}

/* The window's transform at k h, by Gauss and Legendre's rule between nodes. */
static __device__ real transform_of(const mesh_level &level, real kh) {
  const real at[6] = {0.1252334085114689, 0.3678314989981802, 0.5873179542866175,
                      0.7699026741943047, 0.9041172563704749, 0.9815606342467192};
  const real weight[6] = {0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
                          0.1600783285433462, 0.1069393259953184, 0.0471753363865118};
  real sum = 0, w[MOST_ORDER];
  for (int p = 0; p < 6; p++) { /* the other six mirror these */
    real u = (real)0.5 * level.order + (real)0.5 * (1 + at[p]);
    window_weights((real)level.window, level.order, u, w);
#pragma unroll 1
    for (int node = 0; node < level.order; node++)
      sum += weight[p] * w[node] * cosine(kh * (u - (node + 1)));
  }
  return sum;
}

static __device__ real factor_of(const meshes &m, int l, int d, int i) {
  double k = 2 * 3.14159265358979323846 * i / (m.level[l].n[d] * m.level[l].spacing[d]);
  real factor = 1;
  for (int finer = 0; finer <= l; finer++) {
    real value = transform_of(m.level[finer], (real)(k * m.level[finer].spacing[d]));
    factor /= value * value;
  }
  return factor;
}

/* As dcs_mesh_coordinate(). */
static __device__ __forceinline__ double mesh_coordinate(const meshes &m, int l, int d, double at) {
  const mesh_level &level = m.level[l];
  double u = (at - level.lo[d]) / level.spacing[d];
  if (m.periodic) u -= level.n[d] * floor((u - 0.5 * level.order) / level.n[d]);
  return u;
}

static __device__ void write_axis(const meshes &m, int l, int d, double at, real *entry) {
  const mesh_level &level = m.level[l];
  real u;
  entry[0] = (real)(node_before(level, mesh_coordinate(m, l, d, at), &u) + 1);
  window_weights((real)level.window, level.order, u, entry + 1);
}

/* Position of node j of n for the far atoms, Chebyshev's or where those are as many, the points. */
static __device__ __forceinline__ double far_node(int j, int n, int points, double spacing) {
  if (n == points) return j * spacing;
  return 0.5 * spacing * (points - 1) * (1 - cos(3.14159265358979323846 * (j + 0.5) / n));
}

/* Lagrange's polynomials at point i. */
static __device__ void write_far_axis(int n, int points, double spacing, int i, real *entry) {
  entry[0] = 0;
  for (int j = 0; j < n; j++) {
    double w = 1, at = far_node(j, n, points, spacing);
    for (int other = 0; other < n; other++) {
      double node = far_node(other, n, points, spacing);
      if (other != j) w *= (i * spacing - node) / (at - node);
    }
    entry[1 + j] = (real)w;
  }
}

#endif
