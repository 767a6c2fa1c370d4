#include "library/surface.h"

#include "harness/problems/case.h"
#include "library/mapper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem of the kind, of buffers that are its own but for the map. */
typedef struct {
  const dcs_kind *kind;
  dcs_problem problem;
  uint64_t cases[DCS_SURFACE_N_CASES];
  float level;
  dcs_surface_counts *rows;
} posed;

static dcs_status pose(const dcs_mapper *m, const dcs_field *field, double isovalue, posed *p) {
  p->kind = dcs_find_kind("surface");
  p->level = (float)isovalue;
  p->rows = malloc((size_t)(field->n.y * field->n.z + 1) * sizeof *p->rows);
  p->problem = (dcs_problem){.input = {[DCS_SURFACE_MAP] = field->values,
                                       [DCS_SURFACE_CASES] = p->cases,
                                       [DCS_SURFACE_LEVEL] = &p->level,
                                       [DCS_SURFACE_ROWS] = p->rows},
                             .n_inputs = 1,
                             .n = field->n,
                             .spacing = (float)field->spacing[0],
                             .config = dcs_initial_problem(p->kind)};
  dcs_surface_make_cases(p->cases);
  if (p->rows &&
      dcs_surface_measure(field->values, field->n, p->cases, p->level, m->threads, p->rows))
    return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for a surface");
}

/* What the map has, where that is no surface. A flat grid has no cells. */
static dcs_status no_surface(const dcs_field *field, double isovalue) {
  const dcs_dims n = field->n;
  if (n.x < 2 || n.y < 2 || n.z < 2)
    return dcs_fail(DCS_USAGE,
                    "found a grid of %lldx%lldx%lld points; a surface needs two at least "
                    "in each dimension",
                    (long long)n.x, (long long)n.y, (long long)n.z);
  double least = INFINITY, greatest = -INFINITY;
  for (int64_t i = 0; i < dcs_points(field->n); i++) {
    least = fmin(least, field->values[i]);
    greatest = fmax(greatest, field->values[i]);
  }
  return dcs_fail(DCS_USAGE, "isovalue %g: found no surface; the map's values are %g to %g",
                  isovalue, least, greatest);
}

static dcs_status make_room(const posed *p, dcs_surface_mesh *mesh) {
  const dcs_surface_counts *size = dcs_surface_size(&p->problem);
  mesh->n_vertices = size->vertices;
  mesh->n_triangles = size->triangles;
  mesh->vertices = malloc((size_t)size->vertices * sizeof *mesh->vertices);
  mesh->triangles = malloc((size_t)(size->triangles + 1) * sizeof *mesh->triangles);
  if (mesh->vertices && mesh->triangles) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld triangles", (long long)size->triangles);
}

/* By the device, which then stands ready for nothing else. */
static bool run_on_device(dcs_mapper *m, const dcs_variant *variant, const dcs_config *config,
                          const posed *p, void *const out[DCS_MAX_BUFFERS]) {
  dcs_engine *engine = m->engines[DCS_GPU];
  dcs_code_facts facts;
  double ns;
  m->ready[DCS_GPU] = (dcs_ready){0};
  m->last = NULL;
  return engine->take(engine, p->kind, &p->problem, out) == DCS_OUTCOME_OK &&
         engine->prepare(engine, 0, &p->problem.config, variant, config, &facts) ==
             DCS_OUTCOME_OK &&
         engine->run(engine, 0, DCS_UNTIMED_WARM, DCS_PAGEABLE, 1, &ns) == DCS_OUTCOME_OK;
}

/* One device alone, and one that is open: what has the map is near. */
static bool is_here(const dcs_mapper *m, dcs_backend backend) {
  return backend == DCS_CPU || (m->engines[DCS_GPU] && m->engines[DCS_GPU]->n_devices == 1);
}

/* By the highest rung that runs here, of the device before those of the CPU. */
static dcs_status compute_by_ladder(dcs_mapper *m, const posed *p, dcs_surface_mesh *mesh,
                                    void *const out[DCS_MAX_BUFFERS]) {
  char why[DCS_TEXT] = "there is no variant";
  for (int v = dcs_n_variants - 1; v >= 0; v--) {
    const dcs_variant *variant = dcs_variants[v];
    const dcs_config config = dcs_initial_config(variant, m->threads);
    if (dcs_kind_of(variant) != p->kind || !is_here(m, variant->backend)) continue;
    if (!dcs_variant_available(variant, why) || !dcs_applicable(variant, &p->problem, &config, why))
      continue;
    mesh->by = variant->id;
    if (variant->backend == DCS_CPU ? variant->compute(&p->problem, &config, out)
                                    : run_on_device(m, variant, &config, p, out))
      return DCS_OK;
    snprintf(why, sizeof why, "%s failed", variant->id);
  }
  return dcs_fail(DCS_UNAVAILABLE, "no surface can be computed here: %s", why);
}

/* So that the other side is outside. */
static void turn(dcs_surface_mesh *mesh) {
  for (int64_t t = 0; t < mesh->n_triangles; t++) {
    int32_t *v = mesh->triangles[t].vertex, first = v[0];
    v[0] = v[1];
    v[1] = first;
  }
}

static dcs_status compute(dcs_mapper *m, const dcs_field *field, const posed *p,
                          dcs_surface_mesh *mesh) {
  if (dcs_surface_size(&p->problem)->triangles == 0) return no_surface(field, mesh->isovalue);
  DCS_TRY(make_room(p, mesh));
  void *const out[DCS_MAX_BUFFERS] = {
      [DCS_SURFACE_VERTICES] = mesh->vertices, [DCS_SURFACE_TRIANGLES] = mesh->triangles};
  DCS_TRY(compute_by_ladder(m, p, mesh, out));
  if (mesh->isovalue < 0) turn(mesh);
  return DCS_OK;
}

dcs_status dcs_mapper_surface(dcs_mapper *m, const dcs_field *field, double isovalue,
                              dcs_surface_mesh *mesh) {
  posed p;
  *mesh = (dcs_surface_mesh){.isovalue = isovalue, .spacing = field->spacing[0]};
  memcpy(mesh->origin, field->origin, sizeof mesh->origin);
  dcs_status status = pose(m, field, isovalue, &p);
  if (status == DCS_OK) status = compute(m, field, &p, mesh);
  free(p.rows);
  if (status != DCS_OK) dcs_surface_mesh_free(mesh);
  return status;
}
