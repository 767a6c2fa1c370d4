/* Meshes of triangles: what they measure, whether they are closed, and the bytes of their files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/interrupt.h"
#include "harness/output/mesh.h"
#include "tests/program.h"

#include <math.h>

/* ---- a corner of a cube far from its origin: sides of one spacing ---- */

enum { FAR = 1 << 22 };
static dcs_surface_vertex vertices[5] = {
    {FAR, FAR, FAR}, {FAR + 1, FAR, FAR}, {FAR, FAR + 1, FAR}, {FAR, FAR, FAR + 1}, {0, 0, 0}};
static dcs_surface_triangle triangles[5];

static dcs_surface_mesh corner(void) {
  static const dcs_surface_triangle outward[4] = {
      {{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}};
  memcpy(triangles, outward, sizeof outward);
  return (dcs_surface_mesh){.spacing = 0.5,
                            .n_vertices = 4,
                            .n_triangles = 4,
                            .vertices = vertices,
                            .triangles = triangles};
}

static void expect_facts(const dcs_surface_mesh *mesh, int64_t open, int64_t wrong, int64_t euler) {
  dcs_surface_facts facts;
  assert_int_equal(dcs_surface_look(mesh, &facts), DCS_OK);
  assert_int_equal(facts.open, open);
  assert_int_equal(facts.wrong, wrong);
  assert_int_equal(facts.euler, euler);
  assert_true(isnan(facts.volume) == (open + wrong > 0));
}

static void a_closed_mesh_has_its_area_and_volume(void **state) {
  (void)state;
  dcs_surface_mesh mesh = corner();
  dcs_surface_facts facts;
  expect_facts(&mesh, 0, 0, 2);
  assert_int_equal(dcs_surface_look(&mesh, &facts), DCS_OK);
  assert_true(fabs(facts.area - 0.25 * (3 * 0.5 + sqrt(3) / 2)) < 1e-15);
  assert_true(fabs(facts.volume - 0.125 / 6) < 1e-16);
  for (int t = 0; t < 4; t++) { /* inside out */
    const int32_t first = triangles[t].vertex[0];
    triangles[t].vertex[0] = triangles[t].vertex[1];
    triangles[t].vertex[1] = first;
  }
  assert_int_equal(dcs_surface_look(&mesh, &facts), DCS_OK);
  assert_true(fabs(facts.volume + 0.125 / 6) < 1e-16);
  mesh.n_triangles = mesh.n_vertices = 0;
  assert_int_equal(dcs_surface_look(&mesh, &facts), DCS_OK);
  assert_true(facts.area == 0 && facts.volume == 0 && facts.euler == 0);
}

static void edges_that_do_not_close_are_counted(void **state) {
  (void)state;
  dcs_surface_mesh mesh = corner();
  mesh.n_triangles = 3;
  expect_facts(&mesh, 3, 0, 1);
  mesh = corner();
  triangles[3] = (dcs_surface_triangle){{2, 1, 3}}; /* turned round */
  expect_facts(&mesh, 0, 3, 2);
  mesh = corner();
  triangles[4] = (dcs_surface_triangle){{1, 0, 4}}; /* a fin */
  mesh.n_vertices = mesh.n_triangles = 5;
  expect_facts(&mesh, 2, 1, 2);
}

static void a_freed_mesh_is_empty(void **state) {
  (void)state;
  dcs_surface_mesh mesh = {.n_vertices = 1, .n_triangles = 1};
  mesh.vertices = calloc(1, sizeof *mesh.vertices);
  mesh.triangles = calloc(1, sizeof *mesh.triangles);
  dcs_surface_mesh_free(&mesh);
  assert_null(mesh.vertices);
  assert_null(mesh.triangles);
  assert_true(mesh.n_vertices == 0 && mesh.n_triangles == 0);
  dcs_surface_mesh_free(&mesh);
}

/* ---- files ---- */

static dcs_surface_vertex few[3] = {{0, 0, 0}, {2, 0, 0}, {0, 0.5f, 4}};
static dcs_surface_triangle one[1] = {{{0, 1, 2}}};

/* A triangle, and the same elsewhere. */
static void two_meshes(dcs_surface_mesh meshes[2]) {
  for (int m = 0; m < 2; m++)
    meshes[m] = (dcs_surface_mesh){.isovalue = m ? -0.25 : 1.5,
                                   .origin = {1, -2, 3 + 10.0 * m},
                                   .spacing = 0.5,
                                   .n_vertices = 3,
                                   .n_triangles = 1,
                                   .vertices = few,
                                   .triangles = one};
}

static void write_meshes(const char *name, const dcs_surface_mesh *meshes, int n) {
  if (dcs_surface_write(in_folder(name), meshes, n) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void an_obj_numbers_through_its_groups(void **state) {
  (void)state;
  dcs_surface_mesh meshes[2];
  two_meshes(meshes);
  write_meshes("two.obj", meshes, 2);
  char *text = get_file(in_folder("two.obj"), NULL);
  assert_string_equal(text, "# dcsbench: isosurface, angstrom\n"
                            "g isovalue_1.5\n"
                            "v 1 -2 3\nv 2 -2 3\nv 1 -1.75 5\nf 1 2 3\n"
                            "g isovalue_-0.25\n"
                            "v 1 -2 13\nv 2 -2 13\nv 1 -1.75 15\nf 4 5 6\n");
  free(text);
}

/* Of the bytes of a little-endian machine, which all that are tested are. */
static const char *expect_bytes(const char *at, const void *bytes, size_t n) {
  assert_memory_equal(at, bytes, n);
  return at + n;
}

static void expect_ply(const char *name, const char *head, bool several) {
  size_t bytes;
  char *text = get_file(in_folder(name), &bytes);
  const char *at = expect_bytes(text, head, strlen(head));
  for (int m = 0; m <= several; m++) {
    const float z = 3 + 10.0f * (float)m, isovalue = m ? -0.25f : 1.5f;
    const float places[3][3] = {{1, -2, z}, {2, -2, z}, {1, -1.75f, z + 2}};
    for (int v = 0; v < 3; v++) {
      at = expect_bytes(at, places[v], sizeof places[v]);
      if (several) at = expect_bytes(at, &isovalue, sizeof isovalue);
    }
  }
  at = expect_bytes(at, "\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
  if (several) at = expect_bytes(at, "\3\3\0\0\0\4\0\0\0\5\0\0\0", 13);
  assert_int_equal(at - text, bytes);
  free(text);
}

#define PLY_BEGINS                                                                                 \
  "ply\nformat binary_little_endian 1.0\ncomment dcsbench: isosurface, angstrom\nelement vertex "
#define PLY_PLACES "property float x\nproperty float y\nproperty float z\n"
#define PLY_ENDS   "property list uchar int vertex_indices\nend_header\n"

static void a_ply_has_isovalues_where_there_are_several(void **state) {
  (void)state;
  dcs_surface_mesh meshes[2];
  two_meshes(meshes);
  write_meshes("one.ply", meshes, 1);
  expect_ply("one.ply", PLY_BEGINS "3\n" PLY_PLACES "element face 1\n" PLY_ENDS, false);
  write_meshes("two.ply", meshes, 2);
  expect_ply("two.ply",
             PLY_BEGINS "6\n" PLY_PLACES "property float isovalue\nelement face 2\n" PLY_ENDS,
             true);
}

static void numbers_are_below_2_31(void **state) {
  (void)state;
  dcs_surface_mesh meshes[2];
  two_meshes(meshes);
  meshes[1].n_vertices = INT32_MAX - 2; /* and 3 more */
  assert_int_equal(dcs_surface_write(in_folder("many.ply"), meshes, 2), DCS_USAGE);
  assert_string_equal(dcs_error_message(),
                      "found 2147483648 vertices of all isovalues; a file numbers 2^31 - 1");
  assert_false(exists(in_folder("many.ply")));
}

static void names_end_in_a_format(void **state) {
  (void)state;
  static const char *const wrong[] = {"a.dx", ".ply", "ply", "a.ply.gz", "a.PLY", ""};
  assert_int_equal(dcs_check_mesh_name("a.ply"), DCS_OK);
  assert_int_equal(dcs_check_mesh_name("folder/a.obj"), DCS_OK);
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
    assert_int_equal(dcs_check_mesh_name(wrong[w]), DCS_USAGE);
  assert_int_equal(dcs_check_mesh_name("a.dx"), DCS_USAGE);
  assert_string_equal(dcs_error_message(),
                      "found \"a.dx\"; expected a name that ends in .ply (PLY) or .obj (OBJ)");
}

/* The limit is lifted again: who ends writes what is counted of its lines. */
static dcs_status write_within(rlim_t most, const char *name, const dcs_surface_mesh *mesh) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, limit.rlim_max}), 0);
  const dcs_status status = dcs_surface_write(in_folder(name), mesh, 1);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, SIG_DFL);
  return status;
}

static void what_cannot_be_written_leaves_the_old_file(void **state) {
  (void)state;
  dcs_surface_mesh meshes[2];
  two_meshes(meshes);
  put_file(in_folder("old.ply"), "old");
  put_file(in_folder("old.obj"), "old");
  assert_int_equal(write_within(50, "old.ply", meshes), DCS_IO);
  assert_int_equal(write_within(50, "old.obj", meshes), DCS_IO);
  dcs_interrupt_catch();
  raise(SIGINT);
  assert_int_equal(dcs_surface_write(in_folder("old.ply"), meshes, 1), DCS_FAILED);
  dcs_interrupt_release();
  assert_string_equal(dcs_error_message(), "interrupted");
  for (int f = 0; f < 2; f++) {
    char *text = get_file(in_folder(f ? "old.obj" : "old.ply"), NULL);
    assert_string_equal(text, "old");
    free(text);
  }
  assert_int_equal(dcs_surface_write(in_folder("none/a.obj"), meshes, 1), DCS_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_mesh_has_its_area_and_volume),
      cmocka_unit_test(edges_that_do_not_close_are_counted),
      cmocka_unit_test(a_freed_mesh_is_empty),
      cmocka_unit_test(an_obj_numbers_through_its_groups),
      cmocka_unit_test(a_ply_has_isovalues_where_there_are_several),
      cmocka_unit_test(numbers_are_below_2_31),
      cmocka_unit_test(names_end_in_a_format),
      cmocka_unit_test(what_cannot_be_written_leaves_the_old_file),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
