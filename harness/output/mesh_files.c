/* Meshes as PLY and OBJ. */
#include "harness/base/decimal.h"
#include "harness/base/interrupt.h"
#include "harness/files/file.h"
#include "harness/output/field.h"
#include "harness/output/mesh.h"

#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *path, const char *suffix) {
  const size_t n = strlen(path), m = strlen(suffix);
  return n > m && strcmp(path + n - m, suffix) == 0;
}

dcs_status dcs_check_mesh_name(const char *path) {
  if (ends_in(path, ".ply") || ends_in(path, ".obj")) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found \"%s\"; expected a name that ends in .ply (PLY) or .obj (OBJ)",
                  path);
}

/* Angstrom. */
static void place_of(const dcs_surface_mesh *m, int64_t v, double at[3]) {
  const dcs_surface_vertex *vertex = &m->vertices[v];
  at[0] = m->origin[0] + m->spacing * vertex->x;
  at[1] = m->origin[1] + m->spacing * vertex->y;
  at[2] = m->origin[2] + m->spacing * vertex->z;
}

/* Little endian, whatever the machine. */
static void put_integer(FILE *out, int32_t value) {
  const uint32_t bits = (uint32_t)value;
  const unsigned char bytes[4] = {bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24};
  fwrite(bytes, 1, sizeof bytes, out);
}

static void put_ply_vertices(FILE *out, const dcs_surface_mesh *m, bool several) {
  for (int64_t v = 0; v < m->n_vertices; v++) {
    double at[3];
    place_of(m, v, at);
    const float numbers[4] = {(float)at[0], (float)at[1], (float)at[2], (float)m->isovalue};
    dcs_put_floats(out, numbers, several ? 4 : 3);
  }
}

static void write_ply(FILE *out, const dcs_surface_mesh *meshes, int n) {
  int64_t vertices = 0, triangles = 0;
  for (int i = 0; i < n; i++) {
    vertices += meshes[i].n_vertices;
    triangles += meshes[i].n_triangles;
  }
  fprintf(out,
          "ply\nformat binary_little_endian 1.0\ncomment dcsbench: isosurface, angstrom\n"
          "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\n%s"
          "element face %lld\nproperty list uchar int vertex_indices\nend_header\n",
          (long long)vertices, n > 1 ? "property float isovalue\n" : "", (long long)triangles);
  for (int i = 0; i < n; i++)
    put_ply_vertices(out, &meshes[i], n > 1);
  int32_t before = 0;
  for (int i = 0; i < n; before += (int32_t)meshes[i].n_vertices, i++)
    for (int64_t t = 0; t < meshes[i].n_triangles; t++) {
      fputc(3, out);
      for (int v = 0; v < 3; v++)
        put_integer(out, before + meshes[i].triangles[t].vertex[v]);
    }
}

static void write_obj(FILE *out, const dcs_surface_mesh *meshes, int n) {
  long long before = 1; /* OBJ counts from 1, through all groups */
  fputs("# dcsbench: isosurface, angstrom\n", out);
  for (int i = 0; i < n; before += meshes[i].n_vertices, i++) {
    char isovalue[DCS_DECIMAL_TEXT];
    fprintf(out, "g isovalue_%s\n", dcs_decimal_write(meshes[i].isovalue, isovalue));
    for (int64_t v = 0; v < meshes[i].n_vertices; v++) {
      double at[3];
      place_of(&meshes[i], v, at);
      fprintf(out, "v %.9g %.9g %.9g\n", at[0], at[1], at[2]);
    }
    for (int64_t t = 0; t < meshes[i].n_triangles; t++) {
      const int32_t *v = meshes[i].triangles[t].vertex;
      fprintf(out, "f %lld %lld %lld\n", before + v[0], before + v[1], before + v[2]);
    }
  }
}

static dcs_status check_number(const dcs_surface_mesh *meshes, int n) {
  int64_t vertices = 0;
  for (int i = 0; i < n; i++)
    vertices += meshes[i].n_vertices;
  if (vertices <= INT32_MAX) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found %lld vertices of all isovalues; a file numbers 2^31 - 1",
                  (long long)vertices);
}

dcs_status dcs_surface_write(const char *path, const dcs_surface_mesh *meshes, int n) {
  dcs_file file;
  DCS_TRY(check_number(meshes, n));
  DCS_TRY(dcs_file_create(&file, path));
  if (ends_in(path, ".ply"))
    write_ply(file.stream, meshes, n);
  else
    write_obj(file.stream, meshes, n);
  return dcs_file_finish(&file, dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : DCS_OK);
}
