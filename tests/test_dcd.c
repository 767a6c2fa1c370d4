/* The DCD reader, on frames that a writer here makes in every flavour, and on files that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/dcd/trajectory.h"
#include "tests/read_molecule.h"

#include <math.h>
#include <stdio.h>

enum { ATOMS = 5, FRAMES = 4 };

/* ---- the writer ---- */

typedef struct {
  bool swapped, wide, charmm, has_cell, has_fourth;
  int32_t fixed; /* the first so many */
  int32_t stated;
} flavour;

typedef struct {
  char bytes[8192];
  size_t n;
} image;

static void put_raw(image *to, const void *value, size_t bytes, bool swapped) {
  const char *from = value;
  assert_true(to->n + bytes <= sizeof to->bytes);
  for (size_t i = 0; i < bytes; i++)
    to->bytes[to->n++] = from[swapped ? bytes - 1 - i : i];
}

static void put_integer(image *to, const flavour *f, int32_t value) {
  put_raw(to, &value, sizeof value, f->swapped);
}

static void put_marker(image *to, const flavour *f, int64_t bytes) {
  if (f->wide)
    put_raw(to, &bytes, sizeof bytes, f->swapped);
  else
    put_integer(to, f, (int32_t)bytes);
}

static void put_header(image *to, const flavour *f, const char *word) {
  const int32_t xplor_delta[2] = {0x12345678, 0x3f50624d}; /* no flags, whatever they look like */
  put_marker(to, f, 84);
  put_raw(to, word, 4, false);
  for (int i = 0; i < 20; i++) {
    int32_t value = i == 0    ? f->stated
                    : i == 8  ? f->fixed
                    : i == 10 ? f->has_cell
                    : i == 11 ? f->has_fourth
                    : i == 19 ? 24 * f->charmm
                              : 0;
    if (!f->charmm && (i == 9 || i == 10)) value = xplor_delta[i - 9];
    put_integer(to, f, value);
  }
  put_marker(to, f, 84);
  put_marker(to, f, 84);
  put_integer(to, f, 1);
  put_raw(to, "REMARKS of a test                                                               ",
          80, false);
  put_marker(to, f, 84);
}

static void put_count(image *to, const flavour *f, int32_t atoms) {
  put_marker(to, f, 4);
  put_integer(to, f, atoms);
  put_marker(to, f, 4);
  if (!f->fixed) return;
  put_marker(to, f, 4 * (atoms - f->fixed));
  for (int32_t a = f->fixed; a < atoms; a++)
    put_integer(to, f, a + 1);
  put_marker(to, f, 4 * (atoms - f->fixed));
}

/* Fixed atoms stay where frame 0 has them. */
static float place(const flavour *f, int frame, int atom, int axis) {
  const int moved = atom < f->fixed ? 0 : frame;
  return (float)(atom + 1) * 10.5F + (float)axis * 0.25F - (float)moved * 100;
}

static void put_frame(image *to, const flavour *f, int frame) {
  const double cell[6] = {30, 0, 40, 0.5, 0, 50};
  const int first = frame ? f->fixed : 0;
  if (f->has_cell) {
    put_marker(to, f, 48);
    for (int i = 0; i < 6; i++)
      put_raw(to, &cell[i], sizeof cell[i], f->swapped);
    put_marker(to, f, 48);
  }
  for (int axis = 0; axis < (f->has_fourth ? 4 : 3); axis++) {
    put_marker(to, f, 4 * (ATOMS - first));
    for (int a = first; a < ATOMS; a++) {
      const float value = axis == 3 ? NAN : place(f, frame, a, axis);
      put_raw(to, &value, sizeof value, f->swapped);
    }
    put_marker(to, f, 4 * (ATOMS - first));
  }
}

static image make(const flavour *f) {
  image made = {.n = 0};
  put_header(&made, f, "CORD");
  put_count(&made, f, ATOMS);
  for (int frame = 0; frame < FRAMES; frame++)
    put_frame(&made, f, frame);
  return made;
}

static const char psf[] = "PSF\n\n 5 !NATOM\n"
                          " 1 A 1 ION NA NA 1.0 22.9 0\n 2 A 2 ION CL CL -1.0 35.4 0\n"
                          " 3 A 3 ION NA NA 1.0 22.9 0\n 4 A 4 ION CL CL -1.0 35.4 0\n"
                          " 5 A 5 ION K POT 0.5 39.1 0\n\n";

static dcs_input frame_of_pair(int64_t frame) {
  return (dcs_input){{file[0], file[1]}, {.frame = frame}};
}

static void put_pair(const image *made) {
  put_text(0, psf);
  put_bytes(1, made->bytes, made->n);
}

/* ---- what is right ---- */

static void assert_frame(const flavour *f, int64_t asked, int frame) {
  const dcs_input input = frame_of_pair(asked);
  char notes[1024];
  dcs_molecule m;
  assert_read(&input, &m, notes);
  assert_int_equal(m.n, ATOMS);
  for (int a = 0; a < ATOMS; a++) {
    const dcs_site *s = &m.sites[a];
    assert_true(s->x == place(f, frame, a, 0) && s->y == place(f, frame, a, 1));
    assert_true(s->z == place(f, frame, a, 2));
    assert_true(s->q == (a == 4 ? 0.5 : a % 2 ? -1 : 1));
  }
  if (f->has_cell) {
    assert_true(m.cell.edge[0] == 30 && m.cell.edge[1] == 40 && m.cell.edge[2] == 50);
    assert_true(m.cell.angle[0] == 90 && m.cell.angle[2] == 90);
    assert_true(fabs(m.cell.angle[1] - 60) < 1e-12);
  } else {
    assert_true(m.cell.edge[0] == 0);
  }
  assert_string_equal(notes, "");
  dcs_molecule_free(&m);
}

/* As those of trajectories are. */
static void assert_in_two_steps(const flavour *f) {
  dcs_content *content;
  dcs_dcd dcd, taken;
  dcs_unit_cell cell;
  char *bytes = NULL;
  size_t room = 0;
  double at[3 * ATOMS];
  bool found = true;
  assert_int_equal(dcs_content_open(file[1], &content), DCS_OK);
  assert_int_equal(dcs_dcd_open(content, &dcd), DCS_OK);
  for (int frame = 0; frame < FRAMES; frame++) {
    assert_int_equal(dcs_dcd_take(&dcd, &bytes, &room, &taken, &found), DCS_OK);
    assert_true(found);
    assert_int_equal(dcs_dcd_decode(&taken, at, &cell), DCS_OK);
    for (int v = 0; v < 3 * ATOMS; v++)
      assert_true(at[v] == place(f, frame, v / 3, v % 3));
    assert_true(cell.edge[2] == (f->has_cell ? 50 : 0));
  }
  assert_int_equal(dcs_dcd_take(&dcd, &bytes, &room, &taken, &found), DCS_OK);
  assert_false(found);
  free(bytes);
  dcs_dcd_close(&dcd);
  dcs_content_close(content);
}

/* What reading at any place and copying first come to, of the next frame: the same, errors too. */
static dcs_status read_both_ways(dcs_dcd *dcd, const dcs_shared_file *from, double *at,
                                 dcs_unit_cell *cell) {
  double again[3 * ATOMS];
  char why[512] = "", *bytes = NULL;
  dcs_unit_cell other;
  dcs_dcd taken;
  size_t room = 0;
  bool found;
  const dcs_status status = dcs_dcd_read(dcd, from, at, cell);
  if (status != DCS_OK) snprintf(why, sizeof why, "%s", dcs_error_message());
  dcs_status copied = dcs_dcd_take(dcd, &bytes, &room, &taken, &found);
  if (copied == DCS_OK) copied = dcs_dcd_decode(&taken, again, &other);
  assert_int_equal(status, copied);
  if (status != DCS_OK)
    assert_string_equal(why, dcs_error_message());
  else
    assert_true(memcmp(at, again, sizeof again) == 0 && memcmp(cell, &other, sizeof other) == 0);
  free(bytes);
  return status;
}

static dcs_shared_file *open_shared(dcs_content **content, dcs_dcd *dcd) {
  assert_int_equal(dcs_content_open(file[1], content), DCS_OK);
  assert_int_equal(dcs_dcd_open(*content, dcd), DCS_OK);
  dcs_shared_file *from = dcs_content_share(*content);
  assert_non_null(from);
  return from;
}

static void close_shared(dcs_content *content, dcs_dcd *dcd, dcs_shared_file *from) {
  dcs_shared_file_let_go(from);
  dcs_dcd_close(dcd);
  dcs_content_close(content);
}

static void assert_in_place(const flavour *f) {
  dcs_content *content;
  dcs_dcd dcd;
  dcs_unit_cell cell;
  double at[3 * ATOMS];
  dcs_shared_file *from = open_shared(&content, &dcd);
  for (int frame = 0; frame < FRAMES; frame++) {
    assert_int_equal(read_both_ways(&dcd, from, at, &cell), DCS_OK);
    for (int v = 0; v < 3 * ATOMS; v++)
      assert_true(at[v] == place(f, frame, v / 3, v % 3));
    assert_true(cell.edge[2] == (f->has_cell ? 50 : 0));
  }
  assert_int_equal(dcs_dcd_leap(&dcd, dcs_shared_file_size(from), 1), 0);
  close_shared(content, &dcd, from);
}

/* The first frame of a file with so many of the bytes. */
static dcs_status read_damaged(const image *made, size_t bytes) {
  dcs_content *content;
  dcs_dcd dcd;
  dcs_unit_cell cell;
  double at[3 * ATOMS];
  put_bytes(1, made->bytes, bytes);
  dcs_shared_file *from = open_shared(&content, &dcd);
  const dcs_status status =
      bytes < made->n ? dcs_dcd_read(&dcd, from, at, &cell) : read_both_ways(&dcd, from, at, &cell);
  close_shared(content, &dcd, from);
  return status;
}

/* Each byte of a frame is changed in its turn, and the file cut before it. */
static void damage_is_told_alike(void **state) {
  (void)state;
  const flavour flavours[] = {{.charmm = true, .has_cell = true},
                              {.swapped = true, .wide = true, .charmm = true, .has_fourth = true}};
  for (size_t i = 0; i < 2; i++) {
    const size_t marker = flavours[i].wide ? 8 : 4, records = 4;
    const size_t header = 84 + 84 + 4 + 3 * 2 * marker, last = i == 0 ? 48 : 20;
    const size_t frame = records * 2 * marker + 3 * 20 + last;
    size_t refused = 0;
    image made = make(&flavours[i]);
    assert_int_equal(made.n, header + FRAMES * frame);
    for (size_t at = header; at < header + frame; at++) {
      made.bytes[at] ^= 0x3e;
      refused += read_damaged(&made, made.n) != DCS_OK;
      made.bytes[at] ^= 0x3e;
      assert_int_equal(read_damaged(&made, at), DCS_INPUT);
      assert_says(dcs_error_message(), "found the end of the file");
    }
    /* Those of markers, and the highest of each coordinate. */
    assert_int_equal(refused, records * 2 * marker + 3 * ATOMS);
  }
}

static void every_flavour_is_read(void **state) {
  (void)state;
  for (int bits = 0; bits < 64; bits++) {
    const bool charmm = bits & 4;
    const flavour f = {.swapped = bits & 1,
                       .wide = bits & 2,
                       .charmm = charmm,
                       .has_cell = charmm && bits & 8,
                       .has_fourth = charmm && bits & 16,
                       .fixed = bits & 32 ? 2 : 0,
                       .stated = FRAMES};
    const image made = make(&f);
    put_pair(&made);
    assert_frame(&f, 0, 0);
    assert_frame(&f, 1, 0);
    assert_frame(&f, 3, 2);
    assert_frame(&f, FRAMES, FRAMES - 1);
    if (f.fixed) continue;
    assert_in_two_steps(&f);
    assert_in_place(&f);
  }
}

/* What is counted by the length, where the header does not say it. */
static void frames_are_counted(void **state) {
  (void)state;
  flavour f = {.charmm = true, .fixed = 2};
  const image made = make(&f);
  put_pair(&made);
  assert_frame(&f, FRAMES, FRAMES - 1);
  const dcs_input input = frame_of_pair(FRAMES + 1);
  ASSERT_REFUSED(&input, DCS_USAGE, "--frame", "found 5", "has 4");
}

static void a_pipe_is_read(void **state) {
  (void)state;
  const flavour f = {.charmm = true, .fixed = 1, .stated = FRAMES};
  const image made = make(&f);
  put_text(0, psf);
  for (int64_t frame = 1; frame <= FRAMES + 1; frame++) {
    int ends[2];
    char path[32], notes[1024];
    dcs_molecule m;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], made.bytes, made.n), (ssize_t)made.n);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    const dcs_input input = {{path, file[0]}, {.frame = frame}};
    if (frame > FRAMES) {
      ASSERT_REFUSED(&input, DCS_USAGE, "--frame", "found 5", "has 4");
    } else {
      assert_read(&input, &m, notes);
      assert_true(m.sites[4].x == place(&f, (int)frame - 1, 4, 0));
      dcs_molecule_free(&m);
    }
    close(ends[0]);
  }
}

/* Frames that are whole are read, and the end is said; the one that is cut is refused. */
static void a_cut_file_is_said(void **state) {
  (void)state;
  const flavour f = {.charmm = true, .stated = FRAMES};
  image made = make(&f);
  dcs_molecule m;
  char notes[1024];
  made.n -= 10;
  put_pair(&made);
  dcs_input input = frame_of_pair(3);
  assert_read(&input, &m, notes);
  assert_true(m.sites[0].x == place(&f, 2, 0, 0));
  assert_says(notes, "frame 4 is cut");
  dcs_molecule_free(&m);
  input.how.frame = 4;
  ASSERT_REFUSED(&input, DCS_INPUT, file[1], "frame 4", "end of the file", "expected");
}

static void other_counts_of_frames_are_said(void **state) {
  (void)state;
  const flavour f = {.charmm = true, .stated = 100};
  const image made = make(&f);
  const dcs_input input = frame_of_pair(1);
  dcs_molecule m;
  char notes[1024];
  put_pair(&made);
  assert_read(&input, &m, notes);
  assert_says(notes, "100 frames");
  assert_says(notes, "has 4");
  dcs_molecule_free(&m);
}

/* The same places have the same hash, in whichever flavour; another frame has another. */
static uint64_t hash_of(const flavour *f, int64_t frame) {
  const image made = make(f);
  const dcs_input input = frame_of_pair(frame);
  dcs_molecule m;
  char notes[1024];
  put_pair(&made);
  assert_read(&input, &m, notes);
  const uint64_t hash = m.hash;
  dcs_molecule_free(&m);
  return hash;
}

static void the_hash_is_of_the_frame(void **state) {
  (void)state;
  const flavour plain = {.charmm = true, .stated = FRAMES}, swapped = {.swapped = true};
  assert_int_equal(hash_of(&plain, 2), hash_of(&swapped, 2));
  assert_int_not_equal(hash_of(&plain, 2), hash_of(&plain, 3));
}

/* ---- cells ---- */

static void assert_cell(const double value[6], const double edge[3], const double angle[3]) {
  const flavour f = {.charmm = true, .has_cell = true};
  image made = make(&f);
  dcs_content *content;
  dcs_dcd dcd;
  bool found;
  /* Behind the header's 92 bytes, the titles' 92 and the count's 12, and a marker. */
  memcpy(made.bytes + 200, value, 48);
  put_bytes(1, made.bytes, made.n);
  assert_int_equal(dcs_content_open(file[1], &content), DCS_OK);
  assert_int_equal(dcs_dcd_open(content, &dcd), DCS_OK);
  assert_int_equal(dcs_dcd_next(&dcd, &found), DCS_OK);
  for (int axis = 0; axis < 3; axis++) {
    assert_true(fabs(dcd.cell.edge[axis] - edge[axis]) < 1e-9);
    assert_true(fabs(dcd.cell.angle[axis] - angle[axis]) < 1e-9);
  }
  dcs_dcd_close(&dcd);
  dcs_content_close(content);
}

static void cells_are_of_three_kinds(void **state) {
  (void)state;
  const double edge[3] = {30, 40, 50}, none[3] = {0};
  /* A, gamma, B, beta, alpha, C */
  assert_cell((double[]){30, 70, 40, 80, 100, 50}, edge, (double[]){100, 80, 70});
  assert_cell((double[]){30, 0.5, 40, -0.5, 0, 50}, edge, (double[]){90, 120, 60});
  assert_cell((double[]){0, 0, 0, 0, 0, 0}, none, none);
  assert_cell((double[]){NAN, 0, 40, 0, 0, 50}, none, none);
  assert_cell((double[]){INFINITY, 90, 40, 90, 90, 50}, none, none);
  assert_cell((double[]){30, NAN, 40, 90, 90, 50}, none, none);
  assert_cell((double[]){1, 1e200, 1, 1e200, 1e200, 1}, none, none);
  /* CHARMM's matrix of a truncated octahedron: edges of 40 with equal angles. */
  const double angle = acos(-1.0 / 3) * 180 / M_PI;
  const double diagonal = 40 * 5 / (3 * sqrt(3)), other = -40 / (3 * sqrt(3));
  assert_cell((double[]){diagonal, other, diagonal, other, other, diagonal}, (double[]){40, 40, 40},
              (double[]){angle, angle, angle});
}

/* ---- files that lie ---- */

/* Puts an integer at a byte of a made file and reads a frame of it. */
static void assert_lie_of(int64_t frame, const flavour *f, size_t at, int32_t value,
                          const char *found, const char *expected) {
  image made = make(f);
  const dcs_input input = frame_of_pair(frame);
  memcpy(made.bytes + at, &value, sizeof value);
  put_pair(&made);
  ASSERT_REFUSED(&input, DCS_INPUT, file[1], found, expected);
}

static void assert_lie(const flavour *f, size_t at, int32_t value, const char *found,
                       const char *expected) {
  assert_lie_of(1, f, at, value, found, expected);
}

static void lies_are_refused(void **state) {
  (void)state;
  const flavour f = {.charmm = true, .stated = FRAMES}, fixed = {.charmm = true, .fixed = 2};
  const size_t header = 4, titles = 92, atoms = 188, frame = 196, x = 4 + 4 * ATOMS + 4;
  assert_lie(&f, header, 0x444c4556 /* VELD */, "velocities", "CORD");
  assert_lie(&f, header + 4 + 4 * 12, 1, "fluctuating charges", "topology");
  assert_lie(&f, header + 4 + 4 * 8, -1, "-1 fixed atoms of 5", "fewer");
  assert_lie(&f, header + 4 + 4 * 8, 5, "5 fixed atoms of 5", "fewer");
  assert_lie(&f, titles, INT32_MAX, "byte 2147483743: found the end of the file",
             "the bytes of the titles again");
  assert_lie(&f, titles, -1, "byte 92: found 4294967295", "titles");
  assert_lie(&f, titles + 88, 83, "byte 180: found 83", "titles");
  assert_lie(&f, atoms, -5, "found -5 atoms", "expected");
  assert_lie(&f, atoms, 0, "found 0 atoms", "expected");
  assert_lie(&f, atoms, INT32_MAX, "byte 196: found 20", "expected 8589934588");
  assert_lie(&f, atoms, 6, "byte 196: found 20", "expected 24, the bytes of x");
  assert_lie(&f, frame, 40, "byte 196: found 40", "expected 20");
  assert_lie(&f, frame + 4 + 4 * ATOMS, 19, "byte 220: found 19", "expected 20");
  assert_lie_of(2, &f, atoms, 6, "byte 196: found 20", "expected 24, the bytes of x");
  assert_lie_of(2, &f, frame + 3 * x + x + 8, 0x7f800000, "found inf, y of frame 2, atom 2",
                "at most");
  assert_lie_of(2, &f, frame + 3 * x + 4, 0x4c000000, "found 3.35544e+07, x of frame 2, atom 1",
                "at most");
  assert_lie(&fixed, frame + 4, 0, "found 0 among the atoms that move", "1 to 5");
  assert_lie(&fixed, frame + 8, 6, "found 6 among", "1 to 5");
}

/* Every cut of a small file ends in an error or, behind its second frame, in that frame. */
static void no_cut_is_taken_for_a_file(void **state) {
  (void)state;
  const flavour f = {.charmm = true, .has_cell = true, .fixed = 1};
  const image made = make(&f);
  const dcs_input input = frame_of_pair(2);
  image two = {.n = 0};
  put_header(&two, &f, "CORD");
  put_count(&two, &f, ATOMS);
  put_frame(&two, &f, 0);
  put_frame(&two, &f, 1);
  put_text(0, psf);
  for (size_t n = 0; n < made.n; n += 3) {
    dcs_molecule m;
    put_bytes(1, made.bytes, n);
    const dcs_status status = dcs_molecule_read(&input, &m, NULL);
    assert_true((status == DCS_OK) == (n >= two.n));
    dcs_molecule_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_flavour_is_read),    cmocka_unit_test(damage_is_told_alike),
      cmocka_unit_test(frames_are_counted),       cmocka_unit_test(a_pipe_is_read),
      cmocka_unit_test(a_cut_file_is_said),       cmocka_unit_test(other_counts_of_frames_are_said),
      cmocka_unit_test(the_hash_is_of_the_frame), cmocka_unit_test(cells_are_of_three_kinds),
      cmocka_unit_test(lies_are_refused),         cmocka_unit_test(no_cut_is_taken_for_a_file),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
