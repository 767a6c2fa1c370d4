/* The problem kind `stencil`: a step of advection, diffusion and reaction on a grid. */
#include "kernels/stencil/stencil.h"
#include "harness/problems/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = DCS_STENCIL_POINTS, STEP = DCS_STENCIL_STEP, DECAY = DCS_STENCIL_DECAY };

static const dcs_param params[] = {
    [POINTS] = {.name = "points",
                .meaning = "how many a point is computed from: 13, 12 where everything sinks, or 7",
                .lo = 7,
                .hi = 13,
                .initial = 13},
    [STEP] = {.name = "step",
              .meaning = "its length in time; velocities are below 1.1 cells a unit, and steps of "
                         "up to 0.4 stay bounded",
              .lo = 1e-3,
              .hi = 1,
              .initial = 0.1,
              .real = true,
              .times = DCS_TIMES_ANY},
    [DECAY] = {.name = "decay",
               .meaning = "rate of the reaction, a unit of time",
               .lo = 0,
               .hi = 10,
               .initial = 0.01,
               .real = true,
               .times = DCS_TIMES_ANY}};

/* A step so long that fluxes dwarf what is there, and one without a reaction. */
static const char *const verified[] = {
    "", "points=12", "points=7", "step=1,decay=0", "points=7,step=1,decay=3", NULL};

static bool canonical(dcs_config *config, char why[DCS_TEXT]) {
  const int points = (int)config->value[POINTS];
  if (points == 13 || points == 12 || points == 7) return true;
  snprintf(why, DCS_TEXT, "points: found %d; expected 13, 12 or 7", points);
  return false;
}

/* ---- inputs ---- */

static int64_t cells(const dcs_problem *problem) {
  return problem->n.x * problem->n.y * problem->n.z;
}

static int64_t faces(const dcs_problem *problem) {
  return problem->n.x * problem->n.y * (problem->n.z + 1);
}

/* In [0, 1), of a value's place: the same on every machine, whatever the threads. */
static double noise(int buffer, int64_t at) {
  uint64_t z = ((uint64_t)buffer << 56) + (uint64_t)at * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A bump over the cells or corners of 0..n, 0 at both ends with its slope. */
static double bump(double at, int64_t n) {
  const double t = at / (double)n, s = t * (1 - t);
  return 16 * s * s;
}

/* The wind of a slice is the curl of a stream function, so it has no divergence. It is 0.72 cells a
 * unit at most. */
static double stream(dcs_dims n, int64_t i, int64_t j) {
  const double least = (double)(n.x < n.y ? n.x : n.y);
  return 0.16 * least * bump((double)i, n.x) * bump((double)j, n.y);
}

static double value_at(dcs_dims n, int b, int64_t i, int64_t j, int64_t k) {
  const double own = noise(b, (k * n.y + j) * n.x + i);
  const double higher = 1 + 0.5 * (double)k / (double)n.z;
  switch (b) {
  case DCS_STENCIL_C:
    return 0.5 + 0.2 * own +
           bump((double)i + 0.5, n.x) * bump((double)j + 0.5, n.y) * bump((double)k + 0.5, n.z);
  case DCS_STENCIL_U:
    return higher * (stream(n, i, j + 1) - stream(n, i, j));
  case DCS_STENCIL_V:
    return -higher * (stream(n, i + 1, j) - stream(n, i, j));
  case DCS_STENCIL_W:
    return k == 0 ? 0 : -0.2 - 0.1 * own;
  case DCS_STENCIL_KX:
    return i == 0 ? 0 : 0.15 + 0.1 * own;
  case DCS_STENCIL_KY:
    return j == 0 ? 0 : 0.15 + 0.1 * own;
  default:
    return k == 0 ? 0 : 0.05 + 0.1 * own;
  }
}

/* Where a slab is cut its first faces are a wall, as its last are. */
static void fill(const dcs_case *c, int b, void *data) {
  const dcs_dims n = c->problem.n, whole = dcs_whole_grid(&c->problem).n;
  const int64_t first = c->problem.first_slice;
  const bool of_z = b == DCS_STENCIL_W || b == DCS_STENCIL_KZ;
  float *values = data;
#pragma omp parallel for
  for (int64_t row = 0; row < n.y * n.z; row++)
    for (int64_t i = 0; i < n.x; i++)
      values[row * n.x + i] =
          of_z && row < n.y ? 0 : (float)value_at(whole, b, i, row % n.y, first + row / n.y);
  if (b != DCS_STENCIL_C)
    memset(values + cells(&c->problem), 0, (size_t)(n.x * n.y) * sizeof *values);
}

static double work(const dcs_case *c, bool given) {
  (void)given;
  return (double)cells(&c->problem);
}

/* ---- what is right ---- */

/* One direction of a cell: its place and the number of cells there, and what is next in memory. */
typedef struct {
  int64_t at, n, stride;
  const float *velocity, *diffusivity;
  bool sinks; /* the velocity is not above 0: cells two below play no part */
} direction;

/* c at `by` cells from the one at `index`; beyond a wall that at the wall. */
static double beside(const float *c, const direction *d, int64_t index, int64_t by) {
  int64_t to = d->at + by;
  if (to < 0) to = 0;
  if (to > d->n - 1) to = d->n - 1;
  return c[index + (to - d->at) * d->stride];
}

/* Of the face above (1) or below (0): adds what flows through it, times `sign`, and the magnitudes
 * of its terms as kernels may add them. */
static void add_face(const float *c, const direction *d, int64_t index, int above, int points,
                     double sign, dcs_sums *sums) {
  if (d->at + above == 0 || d->at + above == d->n) return;
  const int64_t face = index + above * d->stride;
  const double u = d->velocity[face], k = d->diffusivity[face];
  const double mm = beside(c, d, index, above - 2), m = beside(c, d, index, above - 1),
               p = beside(c, d, index, above), pp = beside(c, d, index, above + 1);
  const double inner = fabs(m) + fabs(p), outer = d->sinks ? fabs(pp) : fabs(mm) + fabs(pp);
  double carried = u > 0 ? m : p, magnitude = inner;
  if (points > 7) {
    carried = u > 0 ? (2 * p + 5 * m - mm) / 6 : (2 * m + 5 * p - pp) / 6;
    magnitude = (10 * inner + 2 * outer) / 12;
  }
  sums->v += sign * (u * carried - k * (p - m));
  sums->s += fabs(u) * magnitude + k * inner;
}

/* The step in double precision, of the inputs that kernels get, by whichever cell is upwind. */
static dcs_sums reference(const dcs_case *of, int buffer, int64_t i, double largest) {
  const dcs_problem *problem = &of->problem;
  const dcs_dims n = problem->n;
  const float *const *in = (const float *const *)problem->input, *c = in[DCS_STENCIL_C];
  const double step = problem->config.value[STEP], decay = problem->config.value[DECAY];
  const int points = (int)problem->config.value[POINTS];
  const direction directions[3] = {
      {i % n.x, n.x, 1, in[DCS_STENCIL_U], in[DCS_STENCIL_KX], false},
      {i / n.x % n.y, n.y, n.x, in[DCS_STENCIL_V], in[DCS_STENCIL_KY], false},
      {i / n.x / n.y, n.z, n.x * n.y, in[DCS_STENCIL_W], in[DCS_STENCIL_KZ], points == 12}};
  dcs_sums rate = {.v = decay * c[i], .s = decay * fabs((double)c[i])};
  (void)buffer;
  (void)largest;
  for (int d = 0; d < 3; d++)
    for (int above = 0; above < 2; above++)
      add_face(c, &directions[d], i, above, points, above ? 1 : -1, &rate);
  return (dcs_sums){.v = c[i] - step * rate.v, .s = fabs((double)c[i]) + step * rate.s};
}

/* Of the magnitudes of a face's terms the flux rounds by 8 u: sums of two c 1, factors such as 7/12
 * 2, their difference 1, times u 1, and 3 for the sum of what u, |u| and k carry. The difference of
 * two faces adds 1, directions and reaction 3, the step 2, the last difference 1. */
static double rounding(const dcs_config *problem) {
  (void)problem;
  return 8 + 1 + 3 + 2 + 1;
}

static int halo(const dcs_config *problem) {
  return problem->value[POINTS] > 7 ? 2 : 1;
}

/* ---- the kind ---- */

#define FIELD(text, elements)                                                                      \
  { .name = text, .bytes = sizeof(float), .count = elements, .fill = fill }
static const dcs_buffer buffers[DCS_STENCIL_BUFFERS] = {
    [DCS_STENCIL_C] = FIELD("concentration", cells),
    [DCS_STENCIL_U] = FIELD("velocity in x", faces),
    [DCS_STENCIL_V] = FIELD("velocity in y", faces),
    [DCS_STENCIL_W] = FIELD("velocity in z", faces),
    [DCS_STENCIL_KX] = FIELD("diffusivity in x", faces),
    [DCS_STENCIL_KY] = FIELD("diffusivity in y", faces),
    [DCS_STENCIL_KZ] = FIELD("diffusivity in z", faces),
    [DCS_STENCIL_OUT] = {.name = "concentration after the step",
                         .bytes = sizeof(float),
                         .output = true,
                         .reference = reference}};

static const dcs_stepping stepping = {.input = DCS_STENCIL_C, .halo = halo};

/* A point must move the elements of all buffers once. */
enum { BYTES = DCS_STENCIL_BUFFERS * (int)sizeof(float) };

const dcs_kind dcs_kind_stencil = {
    .id = "stencil",
    .what = "a step of advection, diffusion and reaction on a grid (13, 12 or 7 points)",
    .unit = "kg/m3",
    .eval = "points",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .axes = dcs_grid_axes,
    .n_axes = DCS_GRID_AXES,
    .dimensions = dcs_grid_dimensions,
    .n_dimensions = DCS_GRID_DIMENSIONS,
    .verified = verified,
    .canonical = canonical,
    .buffers = buffers,
    .n_buffers = DCS_STENCIL_BUFFERS,
    .stepping = &stepping,
    .cold = true,
    .work = work,
    .reach = dcs_reaches_all,
    .rounding = rounding,
    .limit = {[DCS_CPU] = "cpu_%s_memory_bytes_per_s", [DCS_GPU] = "gpu_memory_bytes_per_s"},
    .limit_cost = {[DCS_CPU] = BYTES, [DCS_GPU] = BYTES},
};
