/* The triangles of each case, by the rule of surface.h. */
#include "kernels/surface/surface.h"

#include <stdio.h>
#include <string.h>

enum { EDGES = 12, FACES = 6, NONE = -1, MOST_LOOP = 8 };

static int low_corner(int edge) {
  const int axis = edge / 4, rest = edge % 4, below = (1 << axis) - 1;
  return (rest & below) | (rest & ~below) << 1;
}

/* Between two corners that differ in one bit. */
static int edge_of(int c, int d) {
  const int low = c & d, axis = (c ^ d) >> 1, below = (1 << axis) - 1;
  return 4 * axis + ((low & below) | (low >> 1 & ~below));
}

/* The corners of face 2 axis + side, anticlockwise seen from outside. */
static void ring_of(int face, int ring[4]) {
  const int axis = face / 2, side = face % 2;
  const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
  ring[0] = base;
  ring[1] = base | (side ? u : v);
  ring[2] = base | u | v;
  ring[3] = base | (side ? v : u);
}

/* Adds the lines of a face: each goes around one run of corners that are inside, from the cut edge
 * before it to the one behind it. */
static void add_lines(int inside, const int ring[4], int next[EDGES]) {
  for (int i = 0; i < 4; i++) {
    int last = (i + 1) % 4;
    if ((inside >> ring[i] & 1) || !(inside >> ring[last] & 1)) continue;
    const int begin = edge_of(ring[i], ring[last]);
    while (inside >> ring[(last + 1) % 4] & 1)
      last = (last + 1) % 4;
    next[begin] = edge_of(ring[last], ring[(last + 1) % 4]);
  }
}

static bool share_face(int a, int b) {
  const int same = ~(low_corner(a) ^ low_corner(b));
  for (int axis = 0; axis < 3; axis++)
    if (axis != a / 4 && axis != b / 4 && (same >> axis & 1)) return true;
  return false;
}

/* A loop of cut edges, and triangles of it so far. */
typedef struct {
  int n, edge[MOST_LOOP];
  int n_triangles, triangle[MOST_LOOP][3];
} loop;

static bool may_join(const loop *l, int i, int j) {
  return j - i == 1 || j - i == l->n - 1 || !share_face(l->edge[i], l->edge[j]);
}

/* Cuts what lies between i and j of the loop; false: there is no way. */
static bool cut(loop *l, int i, int j) {
  const int before = l->n_triangles;
  if (j - i < 2) return true;
  for (int k = i + 1; k < j; k++) {
    l->n_triangles = before;
    if (!may_join(l, i, k) || !may_join(l, k, j) || !cut(l, i, k) || !cut(l, k, j)) continue;
    const int corners[3] = {l->edge[i], l->edge[k], l->edge[j]};
    memcpy(l->triangle[l->n_triangles++], corners, sizeof corners);
    return true;
  }
  return false;
}

static uint64_t case_of(int inside) {
  int next[EDGES], ring[4], n = 0;
  uint64_t packed = 0;
  for (int e = 0; e < EDGES; e++)
    next[e] = NONE;
  for (int face = 0; face < FACES; face++) {
    ring_of(face, ring);
    add_lines(inside, ring, next);
  }
  for (int first = 0; first < EDGES; first++) {
    loop l = {0};
    for (int e = first, after; next[e] != NONE; e = after) {
      l.edge[l.n++] = e;
      after = next[e];
      next[e] = NONE;
    }
    (void)cut(&l, 0, l.n - 1); /* tests/test_surface.c: it always can */
    for (int t = 0; t < l.n_triangles; t++, n++)
      for (int v = 0; v < 3; v++)
        packed |= (uint64_t)l.triangle[t][v] << (12 * n + 4 * v);
  }
  return packed | (uint64_t)n << 60;
}

void dcs_surface_make_cases(uint64_t cases[DCS_SURFACE_N_CASES]) {
  for (int inside = 0; inside < DCS_SURFACE_N_CASES; inside++)
    cases[inside] = case_of(inside);
}

bool dcs_surface_fits(const dcs_problem *problem, char why[DCS_TEXT]) {
  const dcs_surface_counts *size = dcs_surface_size(problem);
  if (!size || (size->vertices <= INT32_MAX && size->triangles <= INT32_MAX)) return true;
  snprintf(why, DCS_TEXT, "%lld vertices and %lld triangles; at most 2^31 - 1 are numbered",
           (long long)size->vertices, (long long)size->triangles);
  return false;
}
