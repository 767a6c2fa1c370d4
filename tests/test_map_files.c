/* Maps as users handle them: `map` in every format and unit, at points and in slices, `diff`,
 * `convert`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "harness/output/field.h"
#include "tests/linker_options.h"
#include "tests/shell.h"

#include <math.h>

static const char *water(void) {
  if (!exists(in_folder("water.pqr")))
    assert_status(program_run("generate water --atoms 90 -o %s", in_folder("water.pqr")), 0);
  return in_folder("water.pqr");
}

static void map_to(const char *name, const char *more) {
  assert_status(program_run("map %s -o %s --grid 7x5x6 --spacing 1.5 --origin -3,-2,-1 %s", water(),
                            in_folder(name), more),
                0);
}

/* The sum of q / r at a point, e/A. */
static double potential(double x, double y, double z) {
  dcs_molecule m;
  double sum = 0;
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(water()), &m, NULL), DCS_OK);
  for (int64_t a = 0; a < m.n; a++)
    sum += m.sites[a].q /
           sqrt(pow(x - m.sites[a].x, 2) + pow(y - m.sites[a].y, 2) + pow(z - m.sites[a].z, 2));
  dcs_molecule_free(&m);
  return sum;
}

static const char *const formats[] = {"a.dx", "a.cube", "a.mrc", "a.npy", "a.npz"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void every_format_holds_the_map(void **state) {
  (void)state;
  for (int f = 0; f < N_FORMATS; f++) {
    map_to(formats[f], "--units kT/e");
    assert_contains(program_err, formats[f]);
    assert_contains(program_err, "7x5x6 points, kT/e, ");
  }
  for (int f = 0; f < N_FORMATS; f++)
    for (int g = 0; g < N_FORMATS; g++) {
      assert_status(
          program_run("diff %s %s --tolerance 1e-5", in_folder(formats[f]), in_folder(formats[g])),
          0);
      assert_contains(program_out, "points                7x5x6\n");
    }
}

static void units_are_converted(void **state) {
  (void)state;
  dcs_field plain, field;
  static const struct {
    const char *options;
    double factor;
  } units[] = {{"--units V", 14.39964548},
               {"--units kcal/mol/e", 332.06371},
               {"--units kT/e", 14.39964548 / (8.617333262e-5 * 298.15)},
               {"--units kT/e --temperature 310", 14.39964548 / (8.617333262e-5 * 310)}};
  map_to("plain.npz", "");
  assert_int_equal(dcs_field_read(in_folder("plain.npz"), &plain), DCS_OK);
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    map_to("units.npz", units[u].options);
    assert_int_equal(dcs_field_read(in_folder("units.npz"), &field), DCS_OK);
    for (int64_t i = 0; i < dcs_points(field.n); i++)
      assert_true(fabs(field.values[i] - plain.values[i] * units[u].factor) <=
                  1e-6 * fabs(field.values[i]));
    dcs_field_free(&field);
  }
  dcs_field_free(&plain);
  assert_status(program_run("convert %s %s --units V", in_folder("plain.npz"), in_folder("v.dx")),
                0);
  assert_status(
      program_run("diff %s %s --tolerance 1e-6", in_folder("plain.npz"), in_folder("v.dx")), 0);
  assert_status(program_run("convert %s %s --units V", in_folder("a.npy"), in_folder("v.dx")), 3);
  assert_contains(program_err, "a.npy: found no units that are known");
  assert_status(
      program_run("convert %s %s --temperature 310", in_folder("plain.npz"), in_folder("v.dx")), 2);
  assert_contains(program_err, "--temperature: found 310 K and no --units");
}

/* Equal maps of zeros differ by nothing, and of what is no number there is no largest difference.
 */
static void maps_without_a_size_are_compared(void **state) {
  (void)state;
  float values[2] = {0, 0};
  dcs_field f = {.n = {2, 1, 1}, .spacing = {1, 1, 1}, .units = "V", .values = values};
  assert_int_equal(dcs_field_write(in_folder("zero.npz"), &f), DCS_OK);
  values[0] = values[1] = (float)NAN;
  assert_int_equal(dcs_field_write(in_folder("none.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s --csv", in_folder("zero.npz"), in_folder("zero.npz")), 0);
  assert_contains(program_out, "\n2,0,0,0,0,0,0,0,0,0,0,0\n");
  assert_status(program_run("diff %s %s --csv", in_folder("none.npz"), in_folder("zero.npz")), 0);
  assert_contains(program_out, "\n2,2,,,,,,,,,,0\n");
}

/* A density is no potential, and a grid step no angstrom. */
static void other_units_are_told(void **state) {
  (void)state;
  float values[2] = {1, 2};
  dcs_field f = {.n = {2, 1, 1}, .spacing = {1, 1, 1}, .units = "V", .values = values};
  assert_int_equal(dcs_field_write(in_folder("volt.npz"), &f), DCS_OK);
  strcpy(f.units, "e/A^3");
  assert_int_equal(dcs_field_write(in_folder("dense.npz"), &f), DCS_OK);
  *f.units = '\0';
  assert_int_equal(dcs_field_write(in_folder("plain.npz"), &f), DCS_OK);
  f.in_steps = true;
  assert_int_equal(dcs_field_write(in_folder("steps.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s", in_folder("dense.npz"), in_folder("volt.npz")), 0);
  assert_contains(program_err, "dense.npz has e/A^3, ");
  assert_contains(program_err, "volt.npz has V: no factor between them is known");
  assert_status(program_run("diff %s %s", in_folder("volt.npz"), in_folder("plain.npz")), 0);
  assert_contains(program_err, "plain.npz has unknown units: no factor");
  assert_status(program_run("diff %s %s", in_folder("steps.npz"), in_folder("plain.npz")), 3);
  assert_contains(program_err, "steps.npz has lengths in grid steps, ");
}

/* The map is as it was. */
static void nothing_is_converted_onto_itself(void **state) {
  (void)state;
  float values[2] = {1, 2};
  const dcs_field f = {.n = {1, 1, 2}, .spacing = {1, 1, 1}, .units = "V", .values = values};
  dcs_field g;
  assert_int_equal(dcs_field_write(in_folder("one.npz"), &f), DCS_OK);
  assert_int_equal(symlink("one.npz", in_folder("link.npz")), 0);
  assert_status(
      program_run("convert %s %s --slice z=0", in_folder("one.npz"), in_folder("one.npz")), 2);
  assert_contains(program_err, "one.npz\", which is read, too; expected another name");
  assert_status(
      program_run("convert %s %s --slice z=0", in_folder("one.npz"), in_folder("link.npz")), 2);
  assert_int_equal(dcs_field_read(in_folder("one.npz"), &g), DCS_OK);
  assert_int_equal(g.n.z, 2);
  dcs_field_free(&g);
}

static void differences_are_found(void **state) {
  (void)state;
  dcs_field f;
  map_to("f.npz", "");
  assert_int_equal(dcs_field_read(in_folder("f.npz"), &f), DCS_OK);
  f.values[(4 * 5 + 3) * 7 + 2] += 2;
  assert_int_equal(dcs_field_write(in_folder("g.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s --csv", in_folder("g.npz"), in_folder("f.npz")), 0);
  double points, wrong, rms_a, rms_b, rms, relative, most, x, y, z;
  assert_int_equal(sscanf(strchr(program_out, '\n'), "\n%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,",
                          &points, &wrong, &rms_a, &rms_b, &rms, &relative, &most, &x, &y, &z),
                   10);
  assert_true(points == 210 && wrong == 0 && fabs(most - 2) < 1e-6);
  assert_true(fabs(rms - 2 / sqrt(210)) < 1e-6 && fabs(relative - rms / rms_b) < 1e-6);
  assert_true(x == f.origin[0] + 3 && y == f.origin[1] + 4.5 && z == f.origin[2] + 6);
  assert_status(program_run("diff %s %s --tolerance 1e-3", in_folder("g.npz"), in_folder("f.npz")),
                1);
  f.values[0] = NAN;
  assert_int_equal(dcs_field_write(in_folder("nan.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s --tolerance 9", in_folder("nan.npz"), in_folder("f.npz")),
                1);
  assert_contains(program_err, "1 points are not numbers");
  for (int i = 0; i < 2; i++) { /* of which everything is a small share */
    f.values[0] = i ? -INFINITY : INFINITY;
    assert_int_equal(dcs_field_write(in_folder("inf.npz"), &f), DCS_OK);
    assert_status(program_run("diff %s %s --tolerance 9", in_folder("f.npz"), in_folder("inf.npz")),
                  1);
    assert_contains(program_err, "1 points are not numbers");
    assert_status(program_run("diff %s %s --tolerance 9", in_folder("inf.npz"), in_folder("f.npz")),
                  1);
    assert_contains(program_out, "largest difference    2 ");
  }
  f.origin[1] += 0.1;
  assert_int_equal(dcs_field_write(in_folder("moved.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s", in_folder("moved.npz"), in_folder("f.npz")), 3);
  assert_contains(program_err, "angstrom apart along y; expected the same grid");
  f.n.z = 5;
  assert_int_equal(dcs_field_write(in_folder("less.npz"), &f), DCS_OK);
  assert_status(program_run("diff %s %s", in_folder("less.npz"), in_folder("f.npz")), 3);
  assert_contains(program_err, "has 7x5x5 points");
  dcs_field_free(&f);
}

static void slices_are_planes(void **state) {
  (void)state;
  map_to("whole.npz", "");
  map_to("plane.npz", "--slice y=1");
  assert_contains(program_err, "7x1x6 points");
  assert_status(
      program_run("convert %s %s --slice y=1", in_folder("whole.npz"), in_folder("cut.npz")), 0);
  assert_status(
      program_run("diff %s %s --tolerance 1e-5", in_folder("plane.npz"), in_folder("cut.npz")), 0);
  map_to("line.csv", "--slice x=0,z=2");
  char *text = get_file(in_folder("line.csv"), NULL);
  double x, y, z, v;
  char *row = strchr(text, '\n');
  for (int j = 0; j < 5; j++, row = strchr(row + 1, '\n')) {
    assert_int_equal(sscanf(row, "\n%lf,%lf,%lf,%lf", &x, &y, &z, &v), 4);
    assert_true(fabs(v - potential(x, y, z)) < 1e-4 * (1 + fabs(v)));
  }
  assert_string_equal(row, "\n");
  free(text);
  assert_status(program_run("map %s -o %s --grid 5^3 --slice z=99", water(), in_folder("s.csv")),
                2);
  assert_contains(program_err, "--slice: found z=99; expected ");
}

static void a_slice_is_a_picture(void **state) {
  (void)state;
  assert_status(program_run("map %s -o %s --grid 7^3", water(), in_folder("s.png")), 2);
  assert_contains(program_err, "a picture is of a slice");
  int status = program_run("map %s -o %s --grid 7x5x6 --origin 0,0,0 --slice z=3", water(),
                           in_folder("s.svg"));
  if (status == 4 && strstr(program_err, "gnuplot is not on the PATH")) {
    print_message("skipped: no gnuplot\n");
    skip();
  }
  assert_status(status, 0);
  char *picture = get_file(in_folder("s.svg"), NULL);
  assert_contains(picture, "potential [e/A]");
  assert_contains(picture, "</svg>");
  free(picture);
}

/* Of -2 to 2, nearly half of it no numbers, and 1 in 400 far beyond; lengths in grid steps. */
static void colours_are_of_numbers(void **state) {
  (void)state;
  enum { EDGE = 20 };
  float values[EDGE * EDGE];
  dcs_field f = {.n = {EDGE, EDGE, 1}, .spacing = {1, 1, 1}, .in_steps = true, .values = values};
  for (int i = 0; i < EDGE * EDGE; i++)
    values[i] = i % 5 < 2 ? (float)NAN : (float)(i % EDGE) * 4.0f / (EDGE - 1) - 2;
  values[3] = 2e6f;
  values[4] = INFINITY;
  assert_int_equal(dcs_field_write(in_folder("masked.mrc"), &f), DCS_OK);
  int status = program_run("convert %s %s", in_folder("masked.mrc"), in_folder("masked.svg"));
  if (status == 4) {
    print_message("skipped: no gnuplot\n");
    skip();
  }
  assert_status(status, 0);
  char *picture = get_file(in_folder("masked.svg"), NULL);
  assert_contains(picture, "> 2<");
  assert_contains(picture, ">-2<");
  assert_contains(picture, "x [grid steps]");
  free(picture);
}

static void points_of_ones_own(void **state) {
  (void)state;
  put_file(in_folder("points.csv"), "name,z,y,x\na,1,2,3\n\"b,c\",-4.5,0,1e1\n");
  assert_status(program_run("map %s --at %s", water(), in_folder("points.csv")), 0);
  double x, y, z, v;
  char *row = strchr(program_out, '\n');
  assert_int_equal(strncmp(program_out, "x_angstrom,y_angstrom,z_angstrom,potential_e_per_", 49),
                   0);
  assert_int_equal(sscanf(row, "\n%lf,%lf,%lf,%lf", &x, &y, &z, &v), 4);
  assert_true(x == 3 && y == 2 && z == 1 && fabs(v - potential(3, 2, 1)) < 1e-12 * fabs(v));
  row = strchr(row + 1, '\n');
  assert_int_equal(sscanf(row, "\n%lf,%lf,%lf,%lf", &x, &y, &z, &v), 4);
  assert_true(x == 10 && y == 0 && z == -4.5);
  assert_true(fabs(v - potential(10, 0, -4.5)) < 1e-12 * fabs(v));
  assert_status(program_run("map %s --at %s --units V -o %s", water(), in_folder("points.csv"),
                            in_folder("at.csv")),
                0);
  assert_contains(program_err, "at.csv: 2 points, V, CSV");
}

static void points_that_are_wrong(void **state) {
  (void)state;
  put_file(in_folder("bad.csv"), "x,y,z\n1,2,3\n1,two,3\n");
  assert_status(program_run("map %s --at %s", water(), in_folder("bad.csv")), 3);
  assert_contains(program_err, "bad.csv: row 3: found y \"two\"; expected a coordinate");
  put_file(in_folder("bad.csv"), "x,y\n1,2\n");
  assert_status(program_run("map %s --at %s", water(), in_folder("bad.csv")), 3);
  assert_contains(program_err, "bad.csv: found no column \"z\"; expected it in the header row");
  put_file(in_folder("bad.csv"), "x,y,z,y_angstrom\n1,2,3,4\n");
  assert_status(program_run("map %s --at %s", water(), in_folder("bad.csv")), 3);
  assert_contains(program_err, "bad.csv: found both columns y and y_angstrom; expected one");
  put_file(in_folder("bad.csv"), "x,y,z\n");
  assert_status(program_run("map %s --at %s", water(), in_folder("bad.csv")), 3);
  assert_status(program_run("map %s --at %s --grid 5^3", water(), in_folder("bad.csv")), 2);
  assert_status(program_run("map %s --at %s -o map.dx", water(), in_folder("bad.csv")), 2);
}

static void what_is_read_is_not_written_over(void **state) {
  (void)state;
  static const char atoms[] = "x,y,z,q\n1,2,3,1\n", points[] = "x,y,z\n0,0,0\n";
  char molecule[PATH_MAX], at[PATH_MAX], link[PATH_MAX];
  snprintf(molecule, sizeof molecule, "%s", in_folder("molecule.csv"));
  snprintf(at, sizeof at, "%s", in_folder("own_points.csv"));
  snprintf(link, sizeof link, "%s", in_folder("link.csv"));
  put_file(molecule, atoms);
  put_file(at, points);
  assert_int_equal(symlink("molecule.csv", link), 0);
  assert_status(program_run("map %s -o %s", molecule, molecule), 2);
  assert_contains(program_err, "it is read, too; expected another name");
  assert_status(program_run("map %s -o %s", molecule, link), 2);
  assert_status(program_run("map %s --at %s -o %s", molecule, at, at), 2);
  assert_status(program_run("map %s --at %s -o %s", molecule, at, molecule), 2);
  put_file(in_folder("dispatch.csv"), "a table\n");
  assert_status(program_run("map %s --grid 3^3 -o %s --dispatch %s", molecule,
                            in_folder("dispatch.csv"), in_folder("")),
                2);
  assert_contains(program_err, "dispatch.csv: it is read, too");
  assert_status(program_run("generate replicate %s 2 1 1 -o %s", molecule, link), 2);
  assert_contains(program_err, "it is read, too; expected another name");
  const char *const files[] = {molecule, at}, *const texts[] = {atoms, points};
  for (int f = 0; f < 2; f++) {
    char *text = get_file(files[f], NULL);
    assert_string_equal(text, texts[f]);
    free(text);
  }
  assert_status(program_run("map %s --at %s -o %s", molecule, at, in_folder("other.csv")), 0);
}

/* Whatever of the grid is given. */
static void grids_are_centred_on_the_atoms(void **state) {
  (void)state;
  static const char *const grids[] = {"--grid 7x5x6 --spacing 1.7", "--grid 7x5x6",
                                      "--spacing 1.7"};
  double lo[3], hi[3];
  dcs_molecule m;
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(water()), &m, NULL), DCS_OK);
  dcs_molecule_box(&m, lo, hi);
  dcs_molecule_free(&m);
  for (int g = 0; g < 3; g++) {
    dcs_field f;
    assert_status(program_run("map %s -o %s %s", water(), in_folder("centred.npz"), grids[g]), 0);
    assert_int_equal(dcs_field_read(in_folder("centred.npz"), &f), DCS_OK);
    const int64_t n[3] = {f.n.x, f.n.y, f.n.z};
    for (int d = 0; d < 3; d++)
      assert_true(fabs(f.origin[d] + 0.5 * f.spacing[d] * (double)(n[d] - 1) -
                       0.5 * (lo[d] + hi[d])) < 1e-9);
    dcs_field_free(&f);
  }
}

/* One plane of points, or a point, however close they are: no cell of anything. */
static void thin_and_long_grids_are_maps(void **state) {
  (void)state;
  static const char *const grids[] = {"--grid 9^3 --origin 0,0,0 --slice z=0.2 --spacing 0.05",
                                      "--grid 1^3 --spacing 0.001", "--grid 300x1x1 --spacing 1e4"};
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
    assert_status(program_run("map %s -o %s %s", water(), in_folder("thin.csv"), grids[g]), 0);
}

/* 2^40 points, which no machine has memory for, nor room on its disk; the file has holes. */
static void maps_that_are_too_large_are_refused_at_once(void **state) {
  (void)state;
  assert_status(program_run("map %s -o %s --grid 16384x16384x4096", water(), in_folder("huge.csv")),
                5);
  assert_contains(program_err, "huge.csv: 16384x16384x4096 points need 1.54e+04 GB of disk; ");
  assert_status(
      program_run("map %s -o %s --grid 20000000x1x1 --spacing 1", water(), in_folder("long.csv")),
      4);
  assert_contains(program_err, "more than 16777216 points in one dimension");
  map_to("huge.mrc", "");
  size_t size;
  char *bytes = get_file(in_folder("huge.mrc"), &size);
  const int32_t n[3] = {16384, 16384, 4096};
  memcpy(bytes, n, sizeof n);
  FILE *file = fopen(in_folder("huge.mrc"), "wb");
  assert_true(file && fwrite(bytes, 1, 1024, file) == 1024);
  const bool holes = ftruncate(fileno(file), 1024 + (INT64_C(4) << 40)) == 0;
  fclose(file);
  free(bytes);
  if (!holes) skip(); /* the file system has no files as large */
  assert_status(program_run("convert %s %s", in_folder("huge.mrc"), in_folder("huge.npy")), 4);
  assert_contains(program_err, "16384x16384x4096 points needs 4.4e+03 GB of memory; ");
}

/* A slab has room in what ulimit leaves, but not beside the meshes or lattices, some 3 GB of them.
 */
static void maps_without_room_for_their_method_are_refused(void **state) {
  (void)state;
  if (takes_all_addresses()) skip();
  assert_int_equal(symlink("/dev/null", in_folder("none.mrc")), 0); /* no disk is asked */
  assert_int_equal(run("ulimit -v 2500000 && OMP_NUM_THREADS=1 %s map %s -o %s --grid 1500^3 "
                       "--spacing 0.5 --tolerance 1e-4",
                       program_path(), water(), in_folder("none.mrc")),
                   4);
  assert_contains(said, "1500x1500x1500 points need ");
  assert_contains(said, " GB of memory, slice by slice; 0 GB are free beside ");
  assert_contains(said, " GB that the method takes");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_holds_the_map),
      cmocka_unit_test(units_are_converted),
      cmocka_unit_test(other_units_are_told),
      cmocka_unit_test(nothing_is_converted_onto_itself),
      cmocka_unit_test(differences_are_found),
      cmocka_unit_test(maps_without_a_size_are_compared),
      cmocka_unit_test(slices_are_planes),
      cmocka_unit_test(a_slice_is_a_picture),
      cmocka_unit_test(colours_are_of_numbers),
      cmocka_unit_test(points_of_ones_own),
      cmocka_unit_test(what_is_read_is_not_written_over),
      cmocka_unit_test(points_that_are_wrong),
      cmocka_unit_test(grids_are_centred_on_the_atoms),
      cmocka_unit_test(thin_and_long_grids_are_maps),
      cmocka_unit_test(maps_that_are_too_large_are_refused_at_once),
      cmocka_unit_test(maps_without_room_for_their_method_are_refused),
  };
  return cmocka_run_group_tests_name("map files", tests, program_setup, program_teardown);
}
