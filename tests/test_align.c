/* Superposition of places, selections of atoms, frames that are aligned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/random.h"
#include "harness/frames/frames.h"
#include "harness/frames/selection.h"
#include "harness/frames/superpose.h"
#include "tests/read_molecule.h"
#include "tests/written_dcd.h"

#include <math.h>

enum { ATOMS = 60 };

static double random_in(dcs_random *r, double lo, double hi) {
  return lo + (hi - lo) * dcs_random_unit(r);
}

static void fill(dcs_random *r, double places[3 * ATOMS]) {
  for (int i = 0; i < 3 * ATOMS; i++)
    places[i] = random_in(r, -30, 30);
}

/* Rodrigues' formula, which has no quaternions in it. */
static void turn_about(const double axis[3], double angle, double at[3]) {
  const double c = cos(angle), s = sin(angle);
  const double dot = axis[0] * at[0] + axis[1] * at[1] + axis[2] * at[2];
  const double cross[3] = {axis[1] * at[2] - axis[2] * at[1], axis[2] * at[0] - axis[0] * at[2],
                           axis[0] * at[1] - axis[1] * at[0]};
  for (int i = 0; i < 3; i++)
    at[i] = c * at[i] + s * cross[i] + (1 - c) * dot * axis[i];
}

static void move_somewhere(dcs_random *r, double angle, double places[3 * ATOMS]) {
  double axis[3], shift[3], norm = 0;
  for (int i = 0; i < 3; i++) {
    axis[i] = random_in(r, -1, 1);
    shift[i] = random_in(r, -50, 50);
    norm += axis[i] * axis[i];
  }
  for (int i = 0; i < 3; i++)
    axis[i] /= sqrt(norm);
  for (int a = 0; a < ATOMS; a++) {
    turn_about(axis, angle, places + 3 * a);
    for (int i = 0; i < 3; i++)
      places[3 * a + i] += shift[i];
  }
}

static double farthest(const double *a, const double *b, int from, int n) {
  double most = 0;
  for (int i = 3 * from; i < 3 * (from + n); i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void motions_are_found(void **state) {
  (void)state;
  dcs_random r = {5};
  int64_t chosen[ATOMS];
  double onto[3 * ATOMS], places[3 * ATOMS];
  for (int a = 0; a < ATOMS; a++)
    chosen[a] = ATOMS - 1 - a;
  for (int trial = 0; trial < 200; trial++) {
    const int n = trial < 100 ? ATOMS : 4;
    const double angle = trial == 0 ? 0 : trial == 1 ? M_PI : random_in(&r, 0, 2 * M_PI);
    fill(&r, onto);
    memcpy(places, onto, sizeof places);
    move_somewhere(&r, angle, places);
    const dcs_motion motion = dcs_superpose(places, onto, chosen, n);
    dcs_move(&motion, places, ATOMS);
    assert_true(farthest(places, onto, 0, ATOMS) < (n == ATOMS ? 1e-12 : 1e-11));
  }
}

static double sum_of_squares(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < 3 * ATOMS; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/* Of places that do not fit, also mirror images: no motion near the one that is found does better.
 */
static void no_motion_is_better(void **state) {
  (void)state;
  dcs_random r = {6};
  int64_t chosen[ATOMS];
  double onto[3 * ATOMS], places[3 * ATOMS], other[3 * ATOMS];
  for (int a = 0; a < ATOMS; a++)
    chosen[a] = a;
  for (int trial = 0; trial < 50; trial++) {
    fill(&r, onto);
    memcpy(places, onto, sizeof places);
    for (int i = 0; i < 3 * ATOMS; i++)
      places[i] = (trial % 2 ? -1 : 1) * onto[i] + random_in(&r, -2, 2);
    dcs_motion motion = dcs_superpose(places, onto, chosen, ATOMS);
    const double(*t)[3] = motion.turn;
    const double determinant = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
                               t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
                               t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
    assert_true(fabs(determinant - 1) < 1e-14);
    memcpy(other, places, sizeof other);
    dcs_move(&motion, places, ATOMS);
    const double least = sum_of_squares(places, onto);
    for (int near = 0; near < 6; near++) {
      double axis[3] = {0};
      axis[near / 2] = 1;
      memcpy(other, places, sizeof other);
      for (int a = 0; a < ATOMS; a++) {
        for (int i = 0; i < 3; i++)
          other[3 * a + i] -= motion.to[i];
        turn_about(axis, near % 2 ? 1e-3 : -1e-3, other + 3 * a);
        for (int i = 0; i < 3; i++)
          other[3 * a + i] += motion.to[i] + (i == near / 2 ? 1e-3 : 0);
      }
      assert_true(sum_of_squares(other, onto) > least);
    }
  }
}

/* ---- selections ---- */

static dcs_name names[6] = {{"N"}, {"CA"}, {"CB"}, {"N"}, {"CA"}, {"CA1"}};
static const dcs_molecule six = {.n = 6, .names = names};

static void assert_selected(const char *text, int n, const int64_t *atoms) {
  dcs_selection s;
  if (dcs_select_atoms(text, &six, &s) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(s.n, n);
  for (int i = 0; i < n; i++)
    assert_int_equal(s.atoms[i], atoms[i]);
  free(s.atoms);
}

static void assert_not_selected(const char *text, const dcs_molecule *m, const char *says) {
  dcs_selection s;
  if (dcs_select_atoms(text, m, &s) != DCS_USAGE) fail_msg("\"%s\" was taken", text);
  assert_null(s.atoms);
  assert_says(dcs_error_message(), "--align");
  assert_says(dcs_error_message(), says);
}

static void selections_are_read(void **state) {
  (void)state;
  const dcs_molecule unnamed = {.n = 6};
  assert_selected("all", 6, (int64_t[]){0, 1, 2, 3, 4, 5});
  assert_selected("5,2:3,3", 3, (int64_t[]){1, 2, 4});
  assert_selected("name=CA", 2, (int64_t[]){1, 4});
  assert_selected("name=N,CB", 3, (int64_t[]){0, 2, 3});
  static const char *const wrong[] = {"", "CA", "1:", ":3", "1,,2", "name=", "name=CA,", "1:2:3"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_not_selected(wrong[i], &six, "expected all, numbers of atoms");
  assert_not_selected("3:7", &six, "from 1 to 6");
  assert_not_selected("3:2", &six, "the smaller one first");
  assert_not_selected("name=CX", &six, "no atom has it");
  assert_not_selected("name=CA", &unnamed, "the topology has none");
}

/* ---- frames ---- */

/* Frame 0, turned about z and shifted; atoms behind the fortieth move on their own. */
static float place(int frame, int atom, int axis) {
  dcs_random r = {(uint64_t)atom + 1};
  double at[3];
  for (int i = 0; i < 3; i++)
    at[i] = random_in(&r, -20, 20);
  turn_about((const double[3]){0, 0, 1}, frame, at);
  return (float)(at[axis] + 7 * frame + (atom >= 40 ? (double)frame : 0));
}

static void frames_are_aligned(void **state) {
  (void)state;
  const written_dcd d = {.atoms = ATOMS, .frames = 4, .place = place};
  const dcs_molecule top = {.n = ATOMS};
  const char *list[] = {file[0]};
  double first[3 * ATOMS], places[3 * ATOMS];
  dcs_frame frame = {.places = first};
  dcs_frames *frames;
  bool found;
  write_dcd(file[0], &d);
  assert_int_equal(dcs_frames_open(list, 1, &top, NULL, NULL, &frames), DCS_OK);
  const uint64_t hash = dcs_frames_hash(frames);
  assert_int_equal(dcs_frames_align(frames, "1:40"), DCS_OK);
  assert_int_not_equal(dcs_frames_hash(frames), hash);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
  for (int i = 0; i < 3 * ATOMS; i++)
    assert_true(first[i] == (double)place(0, i / 3, i % 3));
  frame.places = places;
  for (int n = 1; n < 4; n++) {
    assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
    assert_true(found && farthest(places, first, 0, 40) < 1e-5); /* single precision in the file */
    assert_true(farthest(places, first, 40, 20) > 0.9 * n);
  }
  dcs_frames_close(frames);
}

static void lines_are_refused(void **state) {
  (void)state;
  const written_dcd d = {.atoms = ATOMS, .frames = 2, .place = place};
  const dcs_molecule top = {.n = ATOMS};
  const char *list[] = {file[0]};
  dcs_frames *frames;
  write_dcd(file[0], &d);
  assert_int_equal(dcs_frames_open(list, 1, &top, NULL, NULL, &frames), DCS_OK);
  static const char *const few[] = {"7", "7,9"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(dcs_frames_align(frames, few[i]), DCS_USAGE);
    assert_says(dcs_error_message(), "lie on a line");
  }
  assert_int_equal(dcs_frames_align(frames, "7,9,12"), DCS_OK);
  dcs_frames_close(frames);
}

/* A topology keeps its names. */
static void names_are_read(void **state) {
  (void)state;
  dcs_molecule m;
  const dcs_read_options how = {0};
  put_text(0, "ATOM      1  CA  ALA A   1       1.000   2.000   3.000 -0.5000 1.5000\n"
              "HETATM 2 CB ALA 1 4.5 5 6 0.25 1\n");
  if (dcs_topology_read(file[0], &how, &m, NULL) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(m.n, 2);
  assert_true(m.sites[0].q == -0.5 && m.sites[1].q == 0.25);
  assert_string_equal(m.names[0].text, "CA");
  assert_string_equal(m.names[1].text, "CB");
  dcs_molecule_free(&m);
  put_text(0, "PSF\n\n 1 !NATOM\n 1 A 1 ION NA SOD 1.0 22.9 0\n\n");
  assert_int_equal(dcs_topology_read(file[0], &how, &m, NULL), DCS_OK);
  assert_string_equal(m.names[0].text, "NA");
  assert_true(m.sites[0].q == 1);
  dcs_molecule_free(&m);
  put_text(0, "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  9.00\n");
  assert_int_equal(dcs_topology_read(file[0], &how, &m, NULL), DCS_INPUT);
  assert_null(m.sites);
  assert_says(dcs_error_message(), "gives no charges");
  assert_says(dcs_error_message(), "PSF");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_are_found),   cmocka_unit_test(no_motion_is_better),
      cmocka_unit_test(selections_are_read), cmocka_unit_test(frames_are_aligned),
      cmocka_unit_test(lines_are_refused),   cmocka_unit_test(names_are_read)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
