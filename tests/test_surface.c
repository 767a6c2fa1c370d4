/* Isosurfaces: closed whatever the map, of the right shape and size, and the same by any threads;
 * `map --isovalue` and its files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/verify/verify.h"
#include "harness/worker/worker.h"
#include "library/surface.h"
#include "tests/program.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- a map of a function ---- */

typedef double function(double x, double y, double z);

/* On n^3 points of a cube from -2 to 2. */
static dcs_field field_of(function *f, int n) {
  const double h = 4.0 / (n - 1);
  dcs_field field = {.n = {n, n, n}, .origin = {-2, -2, -2}, .spacing = {h, h, h}};
  assert_int_equal(dcs_field_allocate(&field), DCS_OK);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        field.values[(k * n + j) * n + i] = (float)f(h * i - 2, h * j - 2, h * k - 2);
  return field;
}

static dcs_surface_mesh surface_on(const char *device, const dcs_field *field, double isovalue,
                                   int threads) {
  const dcs_mapper_options options = {.device = device, .threads = threads};
  dcs_mapper *mapper;
  dcs_surface_mesh mesh;
  assert_int_equal(dcs_mapper_open(&options, &mapper), 0);
  if (dcs_mapper_surface(mapper, field, isovalue, &mesh) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  dcs_mapper_close(mapper);
  return mesh;
}

static dcs_surface_mesh surface_of(const dcs_field *field, double isovalue, int threads) {
  return surface_on("cpu", field, isovalue, threads);
}

static dcs_surface_facts facts_of(const dcs_surface_mesh *mesh) {
  dcs_surface_facts facts;
  assert_int_equal(dcs_surface_look(mesh, &facts), DCS_OK);
  return facts;
}

static dcs_surface_facts look_at(function *f, int n, double isovalue) {
  dcs_field field = field_of(f, n);
  dcs_surface_mesh mesh = surface_of(&field, isovalue, 2);
  const dcs_surface_facts facts = facts_of(&mesh);
  dcs_surface_mesh_free(&mesh);
  dcs_field_free(&field);
  return facts;
}

/* ---- shapes ---- */

#define RADIUS 1.37

static double sphere(double x, double y, double z) {
  return RADIUS - sqrt(x * x + y * y + z * z);
}

static double hole(double x, double y, double z) {
  return -sphere(x, y, z);
}

static double torus(double x, double y, double z) {
  const double along = sqrt(x * x + y * y) - 1.2;
  return 0.45 - sqrt(along * along + z * z);
}

/* Balls that touch at the origin, a grid point where n is odd: the value there is the level. */
static double two_balls(double x, double y, double z) {
  return 0.8 - sqrt(pow(fabs(x) - 0.8, 2) + y * y + z * z);
}

static double slab(double x, double y, double z) {
  (void)y, (void)z;
  return 1 - fabs(x);
}

static void closed(const char *what, const dcs_surface_facts *facts, int64_t euler) {
  if (facts->open || facts->wrong || facts->euler != euler)
    fail_msg("%s: %lld edges of one triangle, %lld wrong; Euler %lld, expected %lld", what,
             (long long)facts->open, (long long)facts->wrong, (long long)facts->euler,
             (long long)euler);
}

/* Half the spacing, a quarter of the error. */
static void a_sphere_converges_at_second_order(void **state) {
  (void)state;
  const double area = 4 * pi * RADIUS * RADIUS, volume = area * RADIUS / 3;
  double off[2][2];
  for (int i = 0; i < 2; i++) {
    const dcs_surface_facts facts = look_at(sphere, i ? 81 : 41, 0);
    closed("sphere", &facts, 2);
    off[i][0] = area - facts.area;
    off[i][1] = volume - facts.volume;
  }
  assert_true(off[1][0] > 0 && off[1][0] < 1e-3 * area);
  assert_true(off[1][1] > 0 && off[1][1] < 1e-3 * volume);
  for (int what = 0; what < 2; what++)
    if (!(off[0][what] / off[1][what] > 3.5 && off[0][what] / off[1][what] < 4.5))
      fail_msg("%s: off by %g, then %g", what ? "volume" : "area", off[0][what], off[1][what]);
}

static void shapes_have_their_euler_characteristic(void **state) {
  (void)state;
  dcs_surface_facts facts = look_at(torus, 65, 0);
  closed("torus", &facts, 0);
  const double ring = 2 * pi * pi * 1.2 * 0.45 * 0.45;
  if (!(fabs(facts.volume / ring - 1) < 0.01))
    fail_msg("found %g, expected %g", facts.volume, ring);
  facts = look_at(two_balls, 31, 0);
  closed("two balls that touch", &facts, facts.euler);
  assert_true(facts.euler == 4 || facts.euler == 2);
  facts = look_at(two_balls, 30, 0.1); /* apart */
  closed("two balls", &facts, 4);
}

/* Of a negative isovalue inside is what is below: a hole of a ball's volume. */
static void a_negative_isovalue_has_the_other_inside(void **state) {
  (void)state;
  const dcs_surface_facts facts = look_at(hole, 41, -0.2);
  closed("hole", &facts, 2);
  assert_true(fabs(facts.volume - 4 * pi / 3 * pow(RADIUS - 0.2, 3)) < 0.05);
}

static void a_surface_that_leaves_the_grid_is_open(void **state) {
  (void)state;
  const dcs_surface_facts facts = look_at(slab, 21, 0);
  assert_int_equal(facts.open, 2 * 4 * 20); /* two squares */
  assert_int_equal(facts.wrong, 0);
  assert_true(isnan(facts.volume));
  assert_true(fabs(facts.area - 2 * 16) < 1e-4);
}

/* ---- random maps ---- */

static uint32_t seed;
static double next_random(void) {
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 24);
}

/* Outside at the rim; `steps`: values are of so few that many are the level itself. */
static void fill_random(dcs_field *field, int steps, double level) {
  const dcs_dims n = field->n;
  for (int64_t p = 0; p < dcs_points(n); p++) {
    const int64_t i = p % n.x, j = p / n.x % n.y, k = p / n.x / n.y;
    const bool rim = i == 0 || j == 0 || k == 0 || i == n.x - 1 || j == n.y - 1 || k == n.z - 1;
    const double value = steps ? floor(next_random() * steps) : next_random();
    field->values[p] = (float)(rim ? level - 1 : value);
  }
}

static void mark_cases(const dcs_field *field, double level, bool occurred[256]) {
  const dcs_dims n = field->n;
  for (int64_t k = 0; k + 1 < n.z; k++)
    for (int64_t j = 0; j + 1 < n.y; j++)
      for (int64_t i = 0; i + 1 < n.x; i++) {
        int inside = 0;
        for (int c = 0; c < 8; c++)
          inside |= (field->values[((k + (c >> 2)) * n.y + j + (c >> 1 & 1)) * n.x + i + (c & 1)] >=
                     (float)level)
                    << c;
        occurred[inside] = true;
      }
}

static void random_maps_are_closed_in_every_case(void **state) {
  (void)state;
  bool occurred[256] = {false};
  dcs_field field = {.n = {8, 8, 8}, .spacing = {1, 1, 1}};
  assert_int_equal(dcs_field_allocate(&field), DCS_OK);
  for (uint32_t start = 1; start <= 60; start++) {
    const int steps = start % 2 ? 0 : 3;
    const double level = steps ? 1 : 0.5;
    seed = start;
    fill_random(&field, steps, level);
    mark_cases(&field, level, occurred);
    dcs_surface_mesh mesh = surface_of(&field, level, 1);
    const dcs_surface_facts facts = facts_of(&mesh);
    closed("random", &facts, facts.euler);
    assert_true(facts.volume > 0);
    dcs_surface_mesh_free(&mesh);
  }
  for (int c = 0; c < 256; c++)
    if (!occurred[c]) fail_msg("case %d did not occur", c);
  dcs_field_free(&field);
}

static void expect_same(const dcs_surface_mesh *a, const dcs_surface_mesh *b) {
  assert_true(a->n_vertices == b->n_vertices && a->n_triangles == b->n_triangles);
  assert_memory_equal(a->vertices, b->vertices, (size_t)a->n_vertices * sizeof *a->vertices);
  assert_memory_equal(a->triangles, b->triangles, (size_t)a->n_triangles * sizeof *a->triangles);
}

/* Rows of more than two words, and rims of them; by one thread and by three. */
static void threads_change_nothing(void **state) {
  (void)state;
  static const dcs_dims sizes[] = {{130, 5, 4}, {64, 4, 3}, {65, 3, 3}, {63, 3, 4}, {2, 2, 2}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    dcs_field field = {.n = sizes[s], .spacing = {1, 1, 1}};
    assert_int_equal(dcs_field_allocate(&field), DCS_OK);
    seed = 7;
    for (int64_t p = 0; p < dcs_points(field.n); p++)
      field.values[p] = (float)next_random();
    dcs_surface_mesh one = surface_of(&field, 0.5, 1), three = surface_of(&field, 0.5, 3);
    const dcs_surface_facts facts = facts_of(&one);
    assert_int_equal(facts.wrong, 0);
    expect_same(&one, &three);
    dcs_surface_mesh_free(&one);
    dcs_surface_mesh_free(&three);
    dcs_field_free(&field);
  }
}

/* The emulated one, or with DCS_TEST_DEVICE=cuda:0 a card. */
static void a_device_has_the_same_bits(void **state) {
  (void)state;
  const char *named = getenv("DCS_TEST_DEVICE");
  dcs_field field = {.n = {70, 6, 5}, .spacing = {1, 1, 1}};
  assert_int_equal(dcs_field_allocate(&field), DCS_OK);
  seed = 3;
  for (int64_t p = 0; p < dcs_points(field.n); p++)
    field.values[p] = (float)(next_random() - 0.5);
  for (int sign = -1; sign <= 1; sign += 2) {
    dcs_surface_mesh here = surface_of(&field, 0.1 * sign, 1);
    dcs_surface_mesh there = surface_on(named ? named : "emulated", &field, 0.1 * sign, 1);
    assert_string_equal(here.by, "cpu_surface");
    assert_string_equal(there.by, "cuda_surface");
    expect_same(&here, &there);
    dcs_surface_mesh_free(&here);
    dcs_surface_mesh_free(&there);
  }
  dcs_field_free(&field);
}

/* A map of 50 sums, where a block takes 32 of them at a time. */
static void any_scan_gives_the_same(void **state) {
  (void)state;
  const char *named = getenv("DCS_TEST_DEVICE");
  const dcs_grid grid = {.n = {2, 40, 40}, .spacing = 1};
  dcs_method method = {.variant = dcs_find_variant("cuda_surface")};
  dcs_bench bench;
  dcs_case c;
  assert_int_equal(dcs_bench_open(named ? named : "emulated", NULL, 120, &bench), DCS_OK);
  assert_int_equal(dcs_case_random(dcs_kind_of(method.variant), NULL, 0, &grid, 1, &c), DCS_OK);
  method.config = dcs_initial_config(method.variant, 1);
  method.config.value[dcs_find_param(method.variant, "block")] = 32;
  for (int levels = 0; levels < 2; levels++) {
    dcs_verification result = {.outcome = DCS_OUTCOME_OK};
    method.config.value[dcs_find_param(method.variant, "scan")] = levels;
    assert_int_equal(dcs_verify_on(&bench, &method, &c, &result), DCS_OK);
    if (result.outcome != DCS_OUTCOME_OK) fail_msg("%s", result.why);
  }
  dcs_case_free(&c);
  dcs_bench_close(&bench);
}

static void no_surface_is_said(void **state) {
  (void)state;
  dcs_field field = field_of(sphere, 9);
  dcs_mapper *mapper;
  dcs_surface_mesh mesh;
  assert_int_equal(dcs_mapper_open(&(dcs_mapper_options){.device = "cpu"}, &mapper), 0);
  assert_int_equal(dcs_mapper_surface(mapper, &field, 5, &mesh), DCS_USAGE);
  assert_contains(dcs_error_message(), "isovalue 5: found no surface; the map's values are -2.");
  field.n.z = 1;
  assert_int_equal(dcs_mapper_surface(mapper, &field, -1, &mesh), DCS_USAGE);
  assert_contains(dcs_error_message(), "found a grid of 9x9x1 points; a surface needs two");
  dcs_mapper_close(mapper);
  dcs_field_free(&field);
}

/* What must not pass: a triangle turned round, one that is missing. */
static void a_damaged_mesh_is_not_closed(void **state) {
  (void)state;
  dcs_field field = field_of(sphere, 17);
  dcs_surface_mesh mesh = surface_of(&field, 0, 1);
  int32_t *v = mesh.triangles[5].vertex, first = v[0];
  v[0] = v[1];
  v[1] = first;
  assert_int_equal(facts_of(&mesh).wrong, 3);
  v[1] = v[0];
  v[0] = first;
  mesh.n_triangles--;
  assert_int_equal(facts_of(&mesh).open, 3);
  dcs_surface_mesh_free(&mesh);
  dcs_field_free(&field);
}

/* ---- the command ---- */

/* A Gaussian of width 1.5, which is exp(-1/2) at 1.5: a ball around 1, 2, 3. */
static void map_ball(const char *name, const char *more) {
  put_file(in_folder("one.pqr"), "ATOM 1 X UNK 1 1 2 3 0 1.5\n");
  assert_status(
      program_run("map --problem density %s --spacing 0.25 --isovalue 0.60653066 -o %s %s",
                  in_folder("one.pqr"), in_folder(name), more),
      0);
}

/* The places of a PLY or OBJ lie on the ball. */
static void check_places(const float *at, int64_t n) {
  for (int64_t v = 0; v < n; v++) {
    const double r =
        sqrt(pow(at[3 * v] - 1, 2) + pow(at[3 * v + 1] - 2, 2) + pow(at[3 * v + 2] - 3, 2));
    if (!(fabs(r - 1.5) < 0.01)) fail_msg("vertex %lld is %g from the atom", (long long)v, r);
  }
}

static void a_ply_holds_the_surface(void **state) {
  (void)state;
  long long vertices, triangles;
  size_t bytes;
  map_ball("ball.ply", "--csv");
  double area, volume;
  assert_int_equal(sscanf(program_out,
                          "isovalue,vertices,triangles,closed,euler_characteristic,area_a2,"
                          "volume_a3\n0.60653066,%lld,%lld,yes,2,%lf,%lf",
                          &vertices, &triangles, &area, &volume),
                   4);
  assert_true(fabs(area / (4 * pi * 2.25) - 1) < 0.01);
  assert_true(fabs(volume / (4 * pi * 1.125) - 1) < 0.02);
  char *text = get_file(in_folder("ball.ply"), &bytes), head[64];
  snprintf(head, sizeof head, "element vertex %lld\n", vertices);
  assert_contains(text, head);
  snprintf(head, sizeof head, "element face %lld\n", triangles);
  assert_contains(text, head);
  const char *at = strstr(text, "end_header\n") + strlen("end_header\n");
  assert_int_equal(bytes, (size_t)(at - text) + (size_t)vertices * 12 + (size_t)triangles * 13);
  float *places = malloc((size_t)vertices * 12);
  memcpy(places, at, (size_t)vertices * 12);
  check_places(places, vertices);
  free(places);
  at += vertices * 12;
  for (long long t = 0; t < triangles; t++, at += 13) {
    int32_t v[3];
    memcpy(v, at + 1, sizeof v);
    assert_true(at[0] == 3 && v[0] >= 0 && v[0] < vertices && v[0] != v[1] && v[1] != v[2]);
  }
  free(text);
}

static void an_obj_holds_both_signs(void **state) {
  (void)state;
  map_ball("ball.obj", "");
  char *text = get_file(in_folder("ball.obj"), NULL);
  int64_t vertices = 0, triangles = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    float at[3];
    if (sscanf(line, "v %f %f %f", &at[0], &at[1], &at[2]) == 3) {
      check_places(at, 1);
      vertices++;
    }
    triangles += line[0] == 'f';
  }
  assert_true(vertices > 100 && triangles == 2 * vertices - 4);
  free(text);
  put_file(in_folder("p.molden"), "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\np 1 1.00\n"
                                  "0.5 1.0\n\n[MO]\nSym= a\nEne= -0.5\nSpin= Alpha\nOccup= 1\n"
                                  "3 1.0\n");
  assert_status(program_run("map --problem orbital %s --spacing 0.3 --isovalue 0.1,-0.1 -o %s",
                            in_folder("p.molden"), in_folder("p.obj")),
                0);
  text = get_file(in_folder("p.obj"), NULL);
  assert_contains(text, "\ng isovalue_-0.1\n");
  assert_contains(text, "g isovalue_0.1\n");
  free(text);
  assert_status(
      program_run("map --problem orbital %s --spacing 0.3 --isovalue 0.1,0.10000001 -o %s",
                  in_folder("p.molden"), in_folder("near.obj")),
      0);
  text = get_file(in_folder("near.obj"), NULL);
  assert_contains(text, "\ng isovalue_0.1\n");
  assert_contains(text, "\ng isovalue_0.10000001\n");
  free(text);
  assert_status(program_run("map --problem orbital %s --spacing 0.3 --isovalue 0.1,2,1e-1",
                            in_folder("p.molden")),
                2);
  assert_contains(program_err, "--isovalue: found 1e-1 twice; expected different values");
  double one, other;
  assert_status(program_run("map --problem orbital %s --spacing 0.3 --isovalue 0.1,-0.1 --csv",
                            in_folder("p.molden")),
                0);
  char *second = strstr(program_out, "\n-0.1,");
  assert_non_null(second);
  assert_int_equal(sscanf(strstr(program_out, ",yes,2,"), ",yes,2,%*f,%lf", &one), 1);
  assert_int_equal(sscanf(strstr(second, ",yes,2,"), ",yes,2,%*f,%lf", &other), 1);
  assert_true(one > 0 && fabs(one - other) < 1e-3 * one); /* lobes that mirror each other */
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  map_ball("open.ply", "--margin 1");
  assert_contains(program_err, "leaves the grid and is open there, at ");
  assert_contains(program_err, "A larger --margin closes it");
  const char *pqr = in_folder("one.pqr");
  assert_status(program_run("map %s --isovalue 1 -o %s", pqr, in_folder("x.dx")), 2);
  assert_contains(program_err, "ends in .ply (PLY) or .obj");
  assert_status(program_run("map %s --isovalue 1,z -o %s", pqr, in_folder("x.ply")), 2);
  assert_contains(program_err, "--isovalue");
  assert_status(program_run("map %s --isovalue 1 --slice z=0 -o %s", pqr, in_folder("x.ply")), 2);
  assert_contains(program_err, "--isovalue and --slice");
  assert_status(program_run("map --problem density %s --isovalue 3 -o %s", pqr, in_folder("x.ply")),
                2);
  assert_contains(program_err, "found no surface");
  assert_false(exists(in_folder("x.ply")));
  put_file(in_folder("old.ply"), "old");
  program_file_limit = 3000;
  const int status = program_run("map --problem density %s --isovalue 0.5 --spacing 0.1 -o %s", pqr,
                                 in_folder("old.ply"));
  program_file_limit = 0;
  assert_status(status, 5);
  char *text = get_file(in_folder("old.ply"), NULL);
  assert_string_equal(text, "old");
  free(text);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "worker") == 0)
    return (int)dcs_worker(argv[2], argc > 3 ? argv[3] : NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_converges_at_second_order),
      cmocka_unit_test(shapes_have_their_euler_characteristic),
      cmocka_unit_test(a_negative_isovalue_has_the_other_inside),
      cmocka_unit_test(a_surface_that_leaves_the_grid_is_open),
      cmocka_unit_test(random_maps_are_closed_in_every_case),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(a_device_has_the_same_bits),
      cmocka_unit_test(any_scan_gives_the_same),
      cmocka_unit_test(no_surface_is_said),
      cmocka_unit_test(a_damaged_mesh_is_not_closed),
      cmocka_unit_test(a_ply_holds_the_surface),
      cmocka_unit_test(an_obj_holds_both_signs),
      cmocka_unit_test(what_is_wrong_is_said),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
