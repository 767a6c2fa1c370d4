#include "cli/map/surface.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/files/sheet.h"

#include <math.h>
#include <stdlib.h>

dcs_status dcs_parse_isovalues(const char *text, double **list, int *n) {
  char **parts;
  DCS_TRY(dcs_split(text, ',', &parts, n));
  *list = calloc((size_t)*n + 1, sizeof **list);
  dcs_status status = *list ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for --isovalue");
  for (int i = 0; status == DCS_OK && i < *n; i++)
    status = dcs_parse_number("--isovalue", parts[i], -1e30, 1e30, &(*list)[i]);
  for (int i = 0; status == DCS_OK && i < *n; i++)
    for (int before = 0; status == DCS_OK && before < i; before++)
      if ((*list)[before] == (*list)[i])
        status =
            dcs_fail(DCS_USAGE, "--isovalue: found %s twice; expected different values", parts[i]);
  free(parts);
  if (status == DCS_OK) return DCS_OK;
  free(*list);
  *list = NULL;
  return status;
}

static void say_open(const dcs_map_arguments *a, const dcs_surface_mesh *mesh, int64_t edges) {
  fprintf(stderr,
          "isovalue %g: the surface leaves the grid and is open there, at %lld edges; it has no "
          "volume. A %s closes it\n",
          mesh->isovalue, (long long)edges,
          a->grid || a->problem.grid.has_origin ? "larger grid" : "larger --margin");
}

static void add_row(const dcs_surface_mesh *mesh, const dcs_surface_facts *facts,
                    dcs_sheet *sheet) {
  dcs_sheet_number(sheet, mesh->isovalue);
  dcs_sheet_number(sheet, (double)mesh->n_vertices);
  dcs_sheet_number(sheet, (double)mesh->n_triangles);
  dcs_sheet_text(sheet, facts->open ? "no" : "yes");
  dcs_sheet_number(sheet, (double)facts->euler);
  dcs_sheet_number(sheet, facts->area);
  dcs_sheet_number(sheet, facts->volume);
}

static dcs_status tell(const dcs_map_arguments *a, const dcs_surface_mesh *meshes, int n) {
  static const dcs_sheet_column columns[] = {
      {"isovalue", "isovalue", "%.9g", 1},          {"vertices", "vertices", "%.0f", 1},
      {"triangles", "triangles", "%.0f", 1},        {"closed", "closed", NULL, 1},
      {"euler_characteristic", "Euler", "%.0f", 1}, {"area_a2", "area, A^2", "%.6g", 1},
      {"volume_a3", "volume, A^3", "%.6g", 1}};
  dcs_sheet sheet = dcs_sheet_begin("", columns, sizeof columns / sizeof columns[0]);
  dcs_status status = DCS_OK;
  for (int i = 0; status == DCS_OK && i < n; i++) {
    dcs_surface_facts facts;
    status = dcs_surface_look(&meshes[i], &facts);
    if (status == DCS_OK && facts.wrong > 0)
      status =
          dcs_fail(DCS_FAILED, "isovalue %g: %lld edges of the surface are not of two triangles",
                   meshes[i].isovalue, (long long)facts.wrong);
    if (status == DCS_OK && facts.open > 0) say_open(a, &meshes[i], facts.open);
    if (status == DCS_OK) add_row(&meshes[i], &facts, &sheet);
  }
  if (status == DCS_OK)
    status = dcs_sheet_write(&sheet,
                             a->csv    ? DCS_SHEET_CSV
                             : a->json ? DCS_SHEET_JSON
                                       : DCS_SHEET_TEXT,
                             stdout);
  dcs_sheet_free(&sheet);
  return status;
}

static dcs_status write_meshes(const char *path, const dcs_surface_mesh *meshes, int n,
                               double computing_ns) {
  const double start = dcs_now_ns();
  int64_t triangles = 0;
  DCS_TRY(dcs_surface_write(path, meshes, n));
  for (int i = 0; i < n; i++)
    triangles += meshes[i].n_triangles;
  fprintf(stderr, "%s: %lld triangles, angstrom, by %s, found in %.3g s, written in %.3g s\n", path,
          (long long)triangles, meshes[0].by, 1e-9 * computing_ns, 1e-9 * (dcs_now_ns() - start));
  return DCS_OK;
}

static dcs_status compute(const dcs_map_arguments *a, dcs_mapper *mapper, const dcs_field *field,
                          const double *values, int n, dcs_surface_mesh *meshes) {
  const double start = dcs_now_ns();
  for (int i = 0; i < n; i++)
    DCS_TRY(dcs_mapper_surface(mapper, field, values[i], &meshes[i]));
  const double computing_ns = dcs_now_ns() - start;
  DCS_TRY(tell(a, meshes, n));
  return a->out ? write_meshes(a->out, meshes, n, computing_ns) : DCS_OK;
}

dcs_status dcs_map_surfaces(const dcs_map_arguments *a, dcs_mapper *mapper,
                            const dcs_field *field) {
  double *values;
  int n;
  DCS_TRY(dcs_parse_isovalues(a->isovalue, &values, &n));
  dcs_surface_mesh *meshes = calloc((size_t)n, sizeof *meshes);
  const dcs_status status = meshes ? compute(a, mapper, field, values, n, meshes)
                                   : dcs_fail(DCS_UNAVAILABLE, "no memory for %d surfaces", n);
  for (int i = 0; meshes && i < n; i++)
    dcs_surface_mesh_free(&meshes[i]);
  free(meshes);
  free(values);
  return status;
}
