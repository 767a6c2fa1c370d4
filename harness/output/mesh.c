/* What a mesh measures, and whether it is closed. */
#include "harness/output/mesh.h"

#include <math.h>
#include <stdlib.h>

void dcs_surface_mesh_free(dcs_surface_mesh *mesh) {
  free(mesh->vertices);
  free(mesh->triangles);
  mesh->vertices = NULL;
  mesh->triangles = NULL;
  mesh->n_vertices = mesh->n_triangles = 0;
}

/* ---- edges ---- */

/* At its vertex of the lower number: the other, and whether it runs there. */
typedef struct {
  int32_t to;
  bool up;
} half_edge;

static void take_half(const dcs_surface_triangle *t, int side, int64_t *end, half_edge *halves) {
  const int32_t a = t->vertex[side], b = t->vertex[(side + 1) % 3];
  halves[end[a < b ? a : b]++] = (half_edge){a < b ? b : a, a < b};
}

static int compare_halves(const void *left, const void *right) {
  const half_edge *a = left, *b = right;
  return (a->to > b->to) - (a->to < b->to);
}

/* Those of one vertex. */
static void count_edges(half_edge *halves, int64_t n, dcs_surface_facts *facts) {
  qsort(halves, (size_t)n, sizeof *halves, compare_halves);
  for (int64_t from = 0, end; from < n; from = end) {
    int64_t ups = 0;
    for (end = from; end < n && halves[end].to == halves[from].to; end++)
      ups += halves[end].up;
    facts->euler--;
    facts->open += end - from == 1;
    facts->wrong += end - from > 2 || (end - from == 2 && ups != 1);
  }
}

/* Half edges, vertex by vertex; end[v] is where those of v end. */
static void look_at_edges(const dcs_surface_mesh *m, int64_t *end, half_edge *halves,
                          dcs_surface_facts *facts) {
  int64_t begin = 0;
  for (int64_t t = 0; t < m->n_triangles; t++)
    for (int side = 0; side < 3; side++) {
      const int32_t a = m->triangles[t].vertex[side], b = m->triangles[t].vertex[(side + 1) % 3];
      end[a < b ? a : b]++;
    }
  for (int64_t v = 0; v < m->n_vertices; v++) {
    const int64_t own = end[v];
    end[v] = begin;
    begin += own;
  }
  for (int64_t t = 0; t < m->n_triangles; t++)
    for (int side = 0; side < 3; side++)
      take_half(&m->triangles[t], side, end, halves);
  facts->euler = m->n_vertices + m->n_triangles;
  begin = 0;
  for (int64_t v = 0; v < m->n_vertices; begin = end[v++])
    count_edges(halves + begin, end[v] - begin, facts);
}

/* ---- area and volume ---- */

/* In spacings, from the first vertex, which is near. */
static void corner_of(const dcs_surface_mesh *m, const dcs_surface_triangle *t, int v,
                      double at[3]) {
  const dcs_surface_vertex *p = &m->vertices[t->vertex[v]], *o = &m->vertices[0];
  at[0] = (double)p->x - o->x;
  at[1] = (double)p->y - o->y;
  at[2] = (double)p->z - o->z;
}

static void measure(const dcs_surface_mesh *m, dcs_surface_facts *facts) {
  double area = 0, volume = 0;
  for (int64_t t = 0; t < m->n_triangles; t++) {
    double a[3], b[3], c[3];
    corner_of(m, &m->triangles[t], 0, a);
    corner_of(m, &m->triangles[t], 1, b);
    corner_of(m, &m->triangles[t], 2, c);
    for (int d = 0; d < 3; d++) {
      b[d] -= a[d];
      c[d] -= a[d];
    }
    const double n[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                         b[0] * c[1] - b[1] * c[0]};
    area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
  }
  facts->area = area * m->spacing * m->spacing;
  facts->volume = facts->open == 0 && facts->wrong == 0 ? volume * pow(m->spacing, 3) : NAN;
}

dcs_status dcs_surface_look(const dcs_surface_mesh *m, dcs_surface_facts *facts) {
  int64_t *end = calloc((size_t)m->n_vertices + 1, sizeof *end);
  half_edge *halves = malloc(((size_t)m->n_triangles * 3 + 1) * sizeof *halves);
  *facts = (dcs_surface_facts){0};
  const bool room = end && halves;
  if (room) {
    look_at_edges(m, end, halves, facts);
    measure(m, facts);
  }
  free(end);
  free(halves);
  return room ? DCS_OK
              : dcs_fail(DCS_UNAVAILABLE, "no memory for the edges of %lld triangles",
                         (long long)m->n_triangles);
}
