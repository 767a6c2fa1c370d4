/* The problem kind `surface`: the isosurface of a map. */
#include "kernels/surface/surface.h"
#include "harness/base/machine.h"
#include "harness/problems/common.h"

#include <math.h>
#include <string.h>

static const char *const verified[] = {"", NULL};

/* ---- inputs ---- */

static int64_t points(const dcs_problem *problem) {
  return problem->n.x * problem->n.y * problem->n.z;
}

static int64_t count_vertices(const dcs_problem *problem) {
  const dcs_surface_counts *size = dcs_surface_size(problem);
  return size ? size->vertices : points(problem) / 4 + 1;
}

static int64_t count_triangles(const dcs_problem *problem) {
  const dcs_surface_counts *size = dcs_surface_size(problem);
  return size ? size->triangles : points(problem) / 2 + 1;
}

/* In [0, 1), of a place: the same on every machine, whatever the threads. */
static double noise(int64_t at) {
  uint64_t z = (uint64_t)at * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A gyroid, which divides space into two halves as a crowded molecule's surface does, and noise,
 * which makes every case: a fifth of the cells is cut in large maps. */
static double value_at(int64_t i, int64_t j, int64_t k, int64_t at) {
  const double turn = 2 * 3.14159265358979323846 / 24;
  const double x = turn * (double)i, y = turn * (double)j, z = turn * (double)k;
  return sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x) + 0.4 * (noise(at) - 0.5);
}

static void fill_map(const dcs_case *c, int b, void *data) {
  const dcs_dims n = c->problem.n;
  float *values = data;
  (void)b;
#pragma omp parallel for
  for (int64_t row = 0; row < n.y * n.z; row++)
    for (int64_t i = 0; i < n.x; i++)
      values[row * n.x + i] = (float)value_at(i, row % n.y, row / n.y, row * n.x + i);
}

static void fill_cases(const dcs_case *c, int b, void *data) {
  (void)c, (void)b;
  dcs_surface_make_cases(data);
}

static int64_t count_rows(const dcs_problem *problem) {
  return problem->n.y * problem->n.z + 1;
}

static void fill_level(const dcs_case *c, int b, void *data) {
  (void)c, (void)b;
  *(float *)data = 0;
}

/* Without memory to measure in there is no surface. */
static void fill_rows(const dcs_case *c, int b, void *data) {
  const dcs_problem *p = &c->problem;
  (void)b;
  if (!dcs_surface_measure(p->input[DCS_SURFACE_MAP], p->n, p->input[DCS_SURFACE_CASES],
                           dcs_surface_level(p), dcs_cpus(), data))
    memset(data, 0, (size_t)count_rows(p) * sizeof(dcs_surface_counts));
}

static double work(const dcs_case *c, bool given) {
  (void)given;
  return (double)points(&c->problem);
}

/* ---- what is right ---- */

/* A grid point, and the map around it. */
typedef struct {
  const dcs_problem *problem;
  int64_t at[3];
} place;

static bool exists(const place *p) {
  const dcs_dims n = p->problem->n;
  return p->at[0] < n.x && p->at[1] < n.y && p->at[2] < n.z;
}

static double value_of(const place *p) {
  const dcs_dims n = p->problem->n;
  return ((const float *)
              p->problem->input[DCS_SURFACE_MAP])[(p->at[2] * n.y + p->at[1]) * n.x + p->at[0]];
}

static bool is_inside(const place *p) {
  return value_of(p) >= dcs_surface_level(p->problem);
}

static place next_along(const place *p, int axis) {
  place next = *p;
  next.at[axis]++;
  return next;
}

static bool is_cut(const place *p, int axis) {
  const place next = next_along(p, axis);
  return exists(&next) && is_inside(p) != is_inside(&next);
}

/* The last row before which there are no more than `i` vertices or triangles: of the first number
 * (member 0) or second of its counts. */
static place begin_of_row(const dcs_problem *problem, int member, int64_t i, int64_t *left) {
  const int64_t *before = problem->input[DCS_SURFACE_ROWS];
  int64_t low = 0, high = problem->n.y * problem->n.z;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    *(before[2 * middle + member] <= i ? &low : &high) = middle;
  }
  *left = i - before[2 * low + member];
  return (place){problem, {0, low % problem->n.y, low / problem->n.y}};
}

/* A coordinate of a vertex. */
static dcs_sums reference_vertex(const dcs_case *c, int buffer, int64_t i, double largest) {
  const int along = (int)(i % 3);
  int64_t left;
  place p = begin_of_row(&c->problem, 0, i / 3, &left);
  int axis = 0;
  (void)buffer, (void)largest;
  while (!is_cut(&p, axis) || left-- > 0) {
    axis = (axis + 1) % 3;
    p.at[0] += axis == 0;
  }
  const place next = next_along(&p, axis);
  const double a = value_of(&p), b = value_of(&next);
  const double t = (dcs_surface_level(&c->problem) - a) / (b - a);
  const double v = (double)p.at[along] + (along == axis ? t : 0);
  return (dcs_sums){.v = v, .s = v};
}

static place corner_of(const place *p, int corner) {
  return (place){p->problem,
                 {p->at[0] + (corner & 1), p->at[1] + (corner >> 1 & 1), p->at[2] + (corner >> 2)}};
}

/* The case of the cell that begins there; 0: none does. */
static int case_at(const place *p) {
  const place last = corner_of(p, 7);
  int inside = 0;
  for (int corner = 0; corner < 8 && exists(&last); corner++) {
    const place of = corner_of(p, corner);
    inside |= is_inside(&of) << corner;
  }
  return inside;
}

static int64_t number_of(const place *p, int axis) {
  const dcs_surface_counts *rows = p->problem->input[DCS_SURFACE_ROWS];
  int64_t number = rows[p->at[2] * p->problem->n.y + p->at[1]].vertices;
  for (place q = {p->problem, {0, p->at[1], p->at[2]}}; q.at[0] <= p->at[0]; q.at[0]++)
    for (int d = 0; d < 3; d++)
      number += (q.at[0] < p->at[0] || d < axis) && is_cut(&q, d);
  return number;
}

/* The number of a triangle's vertex, exactly. */
static dcs_sums reference_triangle(const dcs_case *c, int buffer, int64_t i, double largest) {
  const uint64_t *cases = c->problem.input[DCS_SURFACE_CASES];
  int64_t left;
  place p = begin_of_row(&c->problem, 1, i / 3, &left);
  (void)buffer, (void)largest;
  for (int n; (n = (int)(cases[case_at(&p)] >> 60)) <= left; p.at[0]++)
    left -= n;
  const int edge = (int)(cases[case_at(&p)] >> (12 * left + 4 * (i % 3)) & 15);
  const int axis = edge / 4;
  p.at[axis == 0] += edge & 1;
  p.at[axis == 2 ? 1 : 2] += edge >> 1 & 1;
  return (dcs_sums){.v = (double)number_of(&p, axis)};
}

static double vertex_value(const void *data, int64_t i) {
  return ((const float *)data)[i];
}

static double triangle_value(const void *data, int64_t i) {
  return ((const int32_t *)data)[i];
}

/* Two differences and a quotient of the part of an edge, and the sum. */
static double rounding(const dcs_config *problem) {
  (void)problem;
  return 4;
}

/* ---- the kind ---- */

static const dcs_buffer buffers[DCS_SURFACE_BUFFERS] = {
    [DCS_SURFACE_MAP] = {.name = "map", .bytes = sizeof(float), .count = points, .fill = fill_map},
    [DCS_SURFACE_CASES] = {.name = "cases",
                           .bytes = sizeof(uint64_t),
                           .elements = DCS_SURFACE_N_CASES,
                           .fill = fill_cases},
    [DCS_SURFACE_LEVEL] = {.name = "level",
                           .bytes = sizeof(float),
                           .elements = 1,
                           .fill = fill_level},
    [DCS_SURFACE_ROWS] = {.name = "rows",
                          .bytes = sizeof(dcs_surface_counts),
                          .count = count_rows,
                          .fill = fill_rows},
    [DCS_SURFACE_VERTICES] = {.name = "vertices",
                              .bytes = sizeof(dcs_surface_vertex),
                              .count = count_vertices,
                              .output = true,
                              .values = 3,
                              .value = vertex_value,
                              .reference = reference_vertex},
    [DCS_SURFACE_TRIANGLES] = {.name = "triangles",
                               .bytes = sizeof(dcs_surface_triangle),
                               .count = count_triangles,
                               .output = true,
                               .values = 3,
                               .value = triangle_value,
                               .reference = reference_triangle}};

/* A point must be read once. */
enum { BYTES = sizeof(float) };

const dcs_kind dcs_kind_surface = {
    .id = "surface",
    .what = "the isosurface of a map as triangles, by marching cubes",
    .unit = "spacings",
    .eval = "points",
    .axes = dcs_grid_axes,
    .n_axes = DCS_GRID_AXES,
    .dimensions = dcs_grid_dimensions,
    .n_dimensions = DCS_GRID_DIMENSIONS,
    .verified = verified,
    .buffers = buffers,
    .n_buffers = DCS_SURFACE_BUFFERS,
    .cold = true,
    .work = work,
    .reach = dcs_reaches_all,
    .rounding = rounding,
    .limit = {[DCS_CPU] = "cpu_%s_memory_bytes_per_s", [DCS_GPU] = "gpu_memory_bytes_per_s"},
    .limit_cost = {[DCS_CPU] = BYTES, [DCS_GPU] = BYTES},
};
