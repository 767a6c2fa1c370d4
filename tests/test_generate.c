/* Generated molecules: distances, density, neutrality, determinism, and the way through a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dcs_molecule generate(dcs_generated kind, int64_t n, double edge, uint64_t seed) {
  dcs_molecule m;
  if (dcs_generate(kind, n, edge, seed, &m) != DCS_OK) fail_msg("%s", dcs_error_message());
  return m;
}

/* The sum of the charges in units of 0.0001 e, exactly. */
static int64_t charge_units(const dcs_molecule *m) {
  int64_t sum = 0;
  for (int64_t i = 0; i < m->n; i++) {
    double units = rint(m->sites[i].q * 10000);
    assert_true(units / 10000 == m->sites[i].q);
    sum += (int64_t)units;
  }
  return sum;
}

static void assert_within(const dcs_molecule *m, double edge) {
  double lo[3], hi[3];
  dcs_molecule_box(m, lo, hi);
  for (int axis = 0; axis < 3; axis++)
    assert_true(lo[axis] >= 0 && hi[axis] <= edge);
}

static double distance(const dcs_site *a, const dcs_site *b) {
  double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
  return sqrt(x * x + y * y + z * z);
}

/* ---- smallest distance, by cells as wide as the distance of interest ---- */

typedef struct {
  const dcs_molecule *molecule;
  double width;
  int64_t side;
  int64_t *first, *next; /* chains of sites; -1 ends one */
} cells;

static int64_t cell_index(const cells *c, double coordinate) {
  return (int64_t)(coordinate / c->width);
}

static cells sort_into_cells(const dcs_molecule *m, double width, double edge) {
  cells c = {.molecule = m, .width = width, .side = (int64_t)(edge / width) + 1};
  size_t n_cells = (size_t)(c.side * c.side * c.side);
  c.first = malloc(n_cells * sizeof *c.first);
  c.next = malloc((size_t)m->n * sizeof *c.next);
  assert_non_null(c.first);
  assert_non_null(c.next);
  memset(c.first, -1, n_cells * sizeof *c.first);
  for (int64_t i = 0; i < m->n; i++) {
    const dcs_site *s = &m->sites[i];
    int64_t at =
        (cell_index(&c, s->z) * c.side + cell_index(&c, s->y)) * c.side + cell_index(&c, s->x);
    c.next[i] = c.first[at];
    c.first[at] = i;
  }
  return c;
}

static double nearest_in_cell(const cells *c, int64_t i, int64_t x, int64_t y, int64_t z) {
  double least = INFINITY;
  if (x < 0 || y < 0 || z < 0 || x >= c->side || y >= c->side || z >= c->side) return least;
  for (int64_t j = c->first[(z * c->side + y) * c->side + x]; j >= 0; j = c->next[j])
    if (j != i) least = fmin(least, distance(&c->molecule->sites[i], &c->molecule->sites[j]));
  return least;
}

static double nearest(const cells *c, int64_t i) {
  const dcs_site *s = &c->molecule->sites[i];
  int64_t x = cell_index(c, s->x), y = cell_index(c, s->y), z = cell_index(c, s->z);
  double least = INFINITY;
  for (int64_t d = 0; d < 27; d++)
    least = fmin(least, nearest_in_cell(c, i, x + d % 3 - 1, y + d / 3 % 3 - 1, z + d / 9 - 1));
  return least;
}

/* Smallest distance between two sites in a box from 0 to edge, if below width; more otherwise. */
static double smallest_distance(const dcs_molecule *m, double width, double edge) {
  cells c = sort_into_cells(m, width, edge);
  double least = INFINITY;
  for (int64_t i = 0; i < m->n; i++)
    least = fmin(least, nearest(&c, i));
  free(c.first);
  free(c.next);
  return least;
}

/* ---- water ---- */

static void assert_tip3p(const dcs_site *o) {
  assert_true(o[0].q == -0.834 && o[1].q == 0.417 && o[2].q == 0.417);
  assert_true(o[0].radius == 1.6612 && o[1].radius == 0);
  double left = distance(&o[0], &o[1]), right = distance(&o[0], &o[2]);
  assert_true(fabs(left - 0.9572) < 0.002 && fabs(right - 0.9572) < 0.002);
  double between = 2 * 0.9572 * sin(104.52 / 2 * M_PI / 180);
  assert_true(fabs(distance(&o[1], &o[2]) - between) < 0.002);
}

static void water_is_water(void **state) {
  (void)state;
  dcs_molecule m = generate(DCS_WATER, 3 * 8000 - 2, 0, 1);
  double edge = 20 * 3.105163775311734;
  assert_int_equal(m.n, 3 * 8000);
  assert_int_equal(charge_units(&m), 0);
  assert_within(&m, edge);
  assert_true(fabs((double)m.n / 3 / (edge * edge * edge) - 0.0334) < 1e-9);
  for (int64_t i = 0; i < m.n; i += 3)
    assert_tip3p(&m.sites[i]);
  double least = smallest_distance(&m, 1, edge);
  assert_true(least > 0.9572 - 0.002 && least < 1);
  dcs_molecule_free(&m);
}

/* Sites of different molecules, in the densest box that is accepted. */
static void waters_keep_apart(void **state) {
  (void)state;
  dcs_molecule m = generate(DCS_WATER, 3 * 3375, 15 * 3.0937, 2);
  assert_within(&m, 15 * 3.0937);
  double least = INFINITY;
  for (int64_t i = 0; i < m.n; i++)
    for (int64_t j = i / 3 * 3 + 3; j < m.n; j++)
      least = fmin(least, distance(&m.sites[i], &m.sites[j]));
  assert_true(least >= 0.9572);
  dcs_molecule_free(&m);
}

/* No direction is preferred: the mean of a dipole's components and of their squares. */
static void waters_point_everywhere(void **state) {
  (void)state;
  dcs_molecule m = generate(DCS_WATER, 3 * 20000, 0, 3);
  double sum[3] = {0}, squares[3] = {0};
  double length = 2 * 0.9572 * cos(104.52 / 2 * M_PI / 180);
  for (int64_t i = 0; i < m.n; i += 3) {
    const dcs_site *s = &m.sites[i];
    double d[3] = {s[1].x + s[2].x - 2 * s[0].x, s[1].y + s[2].y - 2 * s[0].y,
                   s[1].z + s[2].z - 2 * s[0].z};
    for (int axis = 0; axis < 3; axis++) {
      sum[axis] += d[axis] / length;
      squares[axis] += d[axis] * d[axis] / length / length;
    }
  }
  for (int axis = 0; axis < 3; axis++) { /* five standard errors: sqrt(1/3/n), sqrt(4/45/n) */
    assert_true(fabs(sum[axis] / 20000) < 0.021);
    assert_true(fabs(squares[axis] / 20000 - 1.0 / 3) < 0.011);
  }
  dcs_molecule_free(&m);
}

/* ---- droplets ---- */

/* 3,000 molecules in the 32^3 cells that 30,000 need: the ball takes 2,000 cells, the eight corners
 * of the box share the others. */
static void droplets_are_dense_in_the_middle(void **state) {
  (void)state;
  const double pitch = cbrt(1 / 0.0334), middle = 16 * pitch;
  const double radius = pitch * cbrt(2000 * 3 / (4 * acos(-1)));
  int inside = 0, corners[8] = {0};
  dcs_molecule m = generate(DCS_DROPLET, 8998, 0, 3);
  assert_int_equal(m.n, 9000);
  assert_within(&m, 32 * pitch);
  for (int64_t i = 0; i < m.n; i += 3) {
    const double x = m.sites[i].x - middle, y = m.sites[i].y - middle, z = m.sites[i].z - middle;
    if (sqrt(x * x + y * y + z * z) < radius + pitch / 2)
      inside++;
    else
      corners[(x > 0) + 2 * (y > 0) + 4 * (z > 0)]++;
  }
  assert_in_range(inside, 2000, 2020);
  for (int c = 0; c < 8; c++)
    assert_in_range(corners[c], 125 - 40, 125 + 40);
  assert_true(smallest_distance(&m, 1.2, 32 * pitch) >= 0.95); /* O to H */
  dcs_molecule_free(&m);
}

/* ---- ions ---- */

static void assert_ions(int64_t n, double edge, double box) {
  dcs_molecule m = generate(DCS_IONS, n, edge, 4);
  assert_int_equal(m.n, n);
  assert_within(&m, box);
  for (int64_t i = 0; i < n; i++)
    assert_true(m.sites[i].q == (i % 2 == 0 ? 1 : -1));
  assert_true(smallest_distance(&m, 2.5, box) >= 2);
  dcs_molecule_free(&m);
}

static void ions_keep_apart(void **state) {
  (void)state;
  assert_ions(4096, 0, 16 * 8);
  assert_ions(4096, 16 * 2.0, 16 * 2.0);
  assert_ions(4000, 16 * 2.0013, 16 * 2.0013);
  assert_ions(4000, 16 * 2.5, 16 * 2.5);
}

/* ---- uniform ---- */

static void uniform_is_uniform(void **state) {
  (void)state;
  enum { N = 100000 };
  dcs_molecule m = generate(DCS_UNIFORM, N, 0, 5);
  double edge = cbrt(N / 0.1), mean[3] = {0}, squares = 0;
  assert_int_equal(m.n, N);
  assert_within(&m, edge + 0.001);
  assert_int_equal(charge_units(&m), 0);
  assert_true(fabs(dcs_molecule_charge(&m)) < 1e-10);
  for (int64_t i = 0; i < N; i++) {
    mean[0] += m.sites[i].x / N;
    mean[1] += m.sites[i].y / N;
    mean[2] += m.sites[i].z / N;
    squares += m.sites[i].q * m.sites[i].q / N;
  }
  for (int axis = 0; axis < 3; axis++) /* five standard errors of edge sqrt(1/12/N) */
    assert_true(fabs(mean[axis] - edge / 2) < 5 * edge * sqrt(1.0 / 12 / N));
  assert_true(fabs(squares - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
  dcs_molecule_free(&m);
}

static void few_uniform_atoms(void **state) {
  (void)state;
  for (int64_t n = 1; n <= 20; n++) {
    dcs_molecule m = generate(DCS_UNIFORM, n, 7.5, (uint64_t)n);
    assert_int_equal(charge_units(&m), 0);
    assert_within(&m, 7.5);
    dcs_molecule_free(&m);
  }
}

/* ---- all ---- */

/* Results of different machines and years are compared by seed, so the atoms of one stay as they
 * are: the last of 999. */
static void same_seed_same_atoms(void **state) {
  (void)state;
  static const struct {
    dcs_generated kind;
    dcs_site last;
  } expected[] = {{DCS_WATER, {11.448, 17.450, 19.628, 0.4170, 0}},
                  {DCS_UNIFORM, {2.392, 12.847, 6.050, 0.3534, 1}},
                  {DCS_IONS, {66.115, 73.969, 75.684, 1, 1}}};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    dcs_molecule a = generate(expected[k].kind, 999, 0, 6),
                 b = generate(expected[k].kind, 999, 0, 6),
                 c = generate(expected[k].kind, 999, 0, 7);
    assert_memory_equal(a.sites, b.sites, 999 * sizeof *a.sites);
    assert_true(memcmp(a.sites, c.sites, 999 * sizeof *a.sites) != 0);
    assert_memory_equal(&a.sites[998], &expected[k].last, sizeof expected[k].last);
    dcs_molecule_free(&a);
    dcs_molecule_free(&b);
    dcs_molecule_free(&c);
  }
}

static void write_and_read(const dcs_molecule *m, dcs_molecule *back) {
  char path[] = "/tmp/dcs_generate_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *out = fdopen(fd, "w");
  assert_non_null(out);
  assert_int_equal(dcs_pqr_write(out, path, m, "generated"), DCS_OK);
  fclose(out);
  dcs_status status = dcs_molecule_read(DCS_INPUT_FILE(path), back, NULL);
  unlink(path);
  if (status != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void assert_round_trip(dcs_generated kind, int64_t n, double edge) {
  dcs_molecule m = generate(kind, n, edge, 8), back;
  write_and_read(&m, &back);
  assert_int_equal(back.n, m.n);
  for (int64_t i = 0; i < m.n; i++) {
    const dcs_site *a = &m.sites[i], *b = &back.sites[i];
    if (a->x != b->x || a->y != b->y || a->z != b->z || a->q != b->q || a->radius != b->radius)
      fail_msg("atom %d of kind %d differs", (int)i, (int)kind);
  }
  dcs_molecule_free(&m);
  dcs_molecule_free(&back);
}

static void written_reads_back(void **state) {
  (void)state;
  assert_round_trip(DCS_WATER, 3000, 0);
  assert_round_trip(DCS_UNIFORM, 120000, 0);
  assert_round_trip(DCS_UNIFORM, 1000, 250000);
  assert_round_trip(DCS_IONS, 1000, 0);
}

static void assert_refused(dcs_generated kind, int64_t n, double edge, const char *said) {
  dcs_molecule m;
  assert_int_equal(dcs_generate(kind, n, edge, 1, &m), DCS_USAGE);
  assert_null(m.sites);
  if (strstr(dcs_error_message(), said) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", dcs_error_message(), said);
}

static void refuses(void **state) {
  (void)state;
  assert_refused(DCS_UNIFORM, 0, 0, "1 to 100000000");
  assert_refused(DCS_UNIFORM, -5, 0, "found -5 atoms");
  assert_refused(DCS_WATER, 100000001, 0, "1 to 100000000");
  assert_refused(DCS_UNIFORM, 10, -1, "edge of -1");
  assert_refused(DCS_UNIFORM, 10, NAN, "edge");
  assert_refused(DCS_UNIFORM, 10, INFINITY, "edge");
  assert_refused(DCS_IONS, 126, 10, "at most 125");
  assert_refused(DCS_WATER, 82, 10, "at most 81");
  dcs_molecule m = generate(DCS_IONS, 125, 10, 1);
  dcs_molecule_free(&m);
  m = generate(DCS_WATER, 81, 10, 1);
  dcs_molecule_free(&m);
}

/* ---- copies ---- */

static void copies_stand_side_by_side(void **state) {
  (void)state;
  dcs_site sites[2] = {{1.5, -2.25, 3, 0.5, 1}, {0, 0.125, -7, -0.25, 2}};
  const dcs_molecule one = {sites, 2};
  dcs_molecule many;
  assert_int_equal(
      dcs_replicate(&one, (const int64_t[]){2, 3, 2}, (const double[]){10, 20, 40}, &many), DCS_OK);
  assert_int_equal(many.n, 24);
  assert_memory_equal(many.sites, sites, sizeof sites);
  const dcs_site next = {11.5, -2.25, 3, 0.5, 1}, last = {10, 40.125, 33, -0.25, 2};
  assert_memory_equal(&many.sites[2], &next, sizeof next);
  assert_memory_equal(&many.sites[23], &last, sizeof last);
  dcs_molecule_free(&many);
}

static void too_many_copies_are_refused(void **state) {
  (void)state;
  static const int64_t refused[][3] = {
      {0, 1, 1}, {1, -1, 1}, {INT64_MAX, 1, 1}, {50000001, 1, 1}, {10000, 10000, 1}};
  dcs_site sites[2] = {{0}};
  const dcs_molecule one = {sites, 2};
  dcs_molecule many;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(dcs_replicate(&one, refused[i], (const double[]){1, 1, 1}, &many), DCS_USAGE);
    assert_null(many.sites);
    assert_non_null(strstr(dcs_error_message(), "at most 100000000"));
  }
}

/* The status of reading the cell of a file with that text. */
static dcs_status cell_of(const char *text, double edge[3], bool *found) {
  char path[] = "/tmp/dcs_generate_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_true(dprintf(fd, "%sATOM 1 N ALA 1 9 9 9 9 9\n", text) > 0);
  close(fd);
  dcs_molecule m;
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_OK);
  unlink(path);
  dcs_status status = dcs_molecule_edges(&m, "molecule.pqr", edge, found);
  dcs_molecule_free(&m);
  return status;
}

/* Of what is generated the box, of copies all of theirs. */
static void what_is_generated_states_its_cell(void **state) {
  (void)state;
  static const dcs_generated kinds[] = {DCS_WATER, DCS_UNIFORM, DCS_IONS, DCS_DROPLET};
  static const int64_t copies[3] = {2, 1, 3};
  for (int k = 0; k < 8; k++) {
    dcs_molecule m, many, back;
    bool found;
    double edge[3], lo[3], hi[3];
    const double asked = k < 4 ? 0 : 123456.5;
    assert_int_equal(dcs_generate(kinds[k % 4], 3000, asked, 1, &m), DCS_OK);
    dcs_molecule_box(&m, lo, hi);
    for (int d = 0; d < 3; d++)
      assert_true(asked > 0 ? fabs(m.cell.edge[d] - asked) < 1e-6
                            : m.cell.edge[d] > hi[d] - lo[d] - 2 && m.cell.edge[d] < 400);
    assert_int_equal(dcs_replicate(&m, copies, m.cell.edge, &many), DCS_OK);
    write_and_read(&many, &back);
    assert_int_equal(dcs_molecule_edges(&back, "m.pqr", edge, &found), DCS_OK);
    assert_true(found);
    for (int d = 0; d < 3; d++)
      if (!(fabs(edge[d] - (double)copies[d] * m.cell.edge[d]) <= (asked > 0 ? 0.005 : 0.0005)))
        fail_msg("%g; expected %lld of %g", edge[d], (long long)copies[d], m.cell.edge[d]);
    dcs_molecule_free(&m);
    dcs_molecule_free(&many);
    dcs_molecule_free(&back);
  }
}

static void the_cell_is_the_cryst1_record(void **state) {
  (void)state;
  double edge[3] = {0};
  bool found;
  assert_int_equal(
      cell_of("REMARK\r\n"
              "CRYST1   40.000   41.5001000.250  90.00  90.00  90.00 P 1           1\r\n",
              edge, &found),
      DCS_OK);
  assert_true(found && edge[0] == 40 && edge[1] == 41.5 && edge[2] == 1000.25);
  static const char *const none[] = {
      "", "REMARK CRYST1\n",
      "CRYST1    0.000    0.000    0.000  90.00  90.00  90.00 P 1           1\n",
      "REMARK\nCRYST1    1.000    1.000    1.000  90.00  90.00  90.00\n"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(cell_of(none[i], edge, &found), DCS_OK);
    assert_false(found);
  }
  assert_int_equal(cell_of("\nCRYST1   40.000 x\n", edge, &found), DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "molecule.pqr:2: found a CRYST1 record"));
  assert_int_equal(
      cell_of("CRYST1   40.000   40.000   40.000  90.00  90.00 120.00 P 1\n", edge, &found),
      DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "angles of 90, 90 and 120"));
  assert_false(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(water_is_water),
      cmocka_unit_test(waters_keep_apart),
      cmocka_unit_test(waters_point_everywhere),
      cmocka_unit_test(droplets_are_dense_in_the_middle),
      cmocka_unit_test(ions_keep_apart),
      cmocka_unit_test(uniform_is_uniform),
      cmocka_unit_test(few_uniform_atoms),
      cmocka_unit_test(same_seed_same_atoms),
      cmocka_unit_test(written_reads_back),
      cmocka_unit_test(refuses),
      cmocka_unit_test(copies_stand_side_by_side),
      cmocka_unit_test(too_many_copies_are_refused),
      cmocka_unit_test(the_cell_is_the_cryst1_record),
      cmocka_unit_test(what_is_generated_states_its_cell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
