/* Trajectories that libchemfiles reads, which it writes here first; and what is said without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/frames/chemfiles.h"
#include "harness/frames/frames.h"
#include "tests/read_molecule.h"

#include <dlfcn.h>
#include <math.h>
#include <sys/wait.h>

enum { ATOMS = 12, FRAMES = 5 };

static dcs_molecule top = {.n = ATOMS};

static double place(int frame, int atom, int axis) {
  return 20 * frame + 3 * atom + 0.25 * axis;
}

/* Functions that dcsbench does not use. */
static struct {
  int (*frame_resize)(void *frame, uint64_t n);
  void *(*cell)(const double lengths[3], const double angles[3]);
  int (*frame_set_cell)(void *frame, const void *cell);
  int (*trajectory_write)(void *trajectory, const void *frame);
} writing;

static void *function_of(void *handle, const char *name) {
  void *function = dlsym(handle, name);
  assert_non_null(function);
  return function;
}

static void find_writing(const dcs_chemfiles *library) {
  Dl_info from;
  void *version;
  memcpy(&version, &library->version, sizeof version);
  assert_true(dladdr(version, &from) != 0);
  void *handle = dlopen(from.dli_fname, RTLD_NOW | RTLD_LOCAL);
  assert_non_null(handle);
  *(void **)&writing.frame_resize = function_of(handle, "chfl_frame_resize");
  *(void **)&writing.cell = function_of(handle, "chfl_cell");
  *(void **)&writing.frame_set_cell = function_of(handle, "chfl_frame_set_cell");
  *(void **)&writing.trajectory_write = function_of(handle, "chfl_trajectory_write");
}

static double first_edge = 30; /* angstrom, of frame 0 */

static void write_frame(const dcs_chemfiles *l, void *trajectory, void *frame, int number,
                        bool cells) {
  const double lengths[3] = {first_edge + number, 40, 50}, angles[3] = {90, 90, 90};
  double(*at)[3];
  uint64_t n;
  assert_int_equal(l->frame_positions(frame, &at, &n), 0);
  assert_int_equal(n, top.n);
  for (int i = 0; i < 3 * top.n; i++)
    at[i / 3][i % 3] = place(number, i / 3, i % 3);
  if (cells) {
    void *cell = writing.cell(lengths, angles);
    assert_int_equal(writing.frame_set_cell(frame, cell), 0);
    l->free(cell);
  }
  assert_int_equal(writing.trajectory_write(trajectory, frame), 0);
}

static void write_file(const dcs_chemfiles *l, const char *format, int frames, bool cells) {
  find_writing(l);
  void *trajectory = l->trajectory_with_format(file[0], 'w', format), *frame = l->frame();
  if (!trajectory) fail_msg("%s: %s", format, l->last_error());
  assert_int_equal(writing.frame_resize(frame, (uint64_t)top.n), 0);
  for (int f = 0; f < frames; f++)
    write_frame(l, trajectory, frame, f, cells);
  l->trajectory_close(trajectory);
  l->free(frame);
}

static const dcs_chemfiles *library_or_skip(void) {
  const dcs_chemfiles *library;
  if (dcs_chemfiles_open(&library) != DCS_OK) skip();
  return library;
}

static void assert_read_back(const char *range, const int *numbers, double within, bool cells,
                             const char *noted) {
  const char *list[] = {file[0]};
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  dcs_frame_range r;
  bool found;
  assert_int_equal(dcs_parse_frames(range, &r), DCS_OK);
  char said[256] = "";
  FILE *notes = fmemopen(said, sizeof said, "w");
  assert_non_null(notes);
  if (dcs_frames_open(list, 1, &top, &r, notes, &frames) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  fclose(notes);
  if (noted)
    assert_says(said, noted);
  else
    assert_string_equal(said, "");
  for (; *numbers; numbers++) {
    if (dcs_frames_next(frames, &frame, &found) != DCS_OK) fail_msg("%s", dcs_error_message());
    assert_true(found && frame.number == *numbers);
    for (int i = 0; i < 3 * top.n; i++)
      assert_true(fabs(places[i] - place(*numbers - 1, i / 3, i % 3)) <= within);
    assert_true(fabs(frame.cell.edge[0] - (cells ? 29 + *numbers : 0)) < 1e-5);
    assert_true(!cells || fabs(frame.cell.angle[1] - 90) < 1e-5);
  }
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
  assert_false(found);
  dcs_frames_close(frames);
}

/* XTC rounds to a thousandth of a nanometre. */
static const struct {
  const char *name;
  double within;
} formats[] = {{"XTC", 0.0051}, {"TRR", 1e-4}, {"Amber NetCDF", 1e-4}};

static void trajectories_are_read(void **state) {
  (void)state;
  const dcs_chemfiles *library = library_or_skip();
  for (int f = 0; f < 3; f++) {
    write_file(library, formats[f].name, FRAMES, true);
    assert_read_back("1:", (int[]){1, 2, 3, 4, 5, 0}, formats[f].within, true, NULL);
    assert_read_back("2::2", (int[]){2, 4, 0}, formats[f].within, true, NULL);
  }
  top.n = 2; /* so few are not compressed */
  write_file(library, "XTC", FRAMES, true);
  assert_read_back("4:", (int[]){4, 5, 0}, 1e-4, true, NULL);
  top.n = ATOMS;
  write_file(library, "Amber NetCDF", FRAMES, false);
  assert_read_back("5", (int[]){5, 0}, 1e-4, false, NULL);
  write_file(library, "Amber Restart", 1, true);
  assert_read_back("1:", (int[]){1, 0}, 1e-9, true, NULL);
}

static void cut_files_give_whole_frames(void **state) {
  (void)state;
  const dcs_chemfiles *library = library_or_skip();
  for (int f = 0; f < 3; f++) {
    write_file(library, formats[f].name, FRAMES, true);
    FILE *cut = fopen(file[0], "r+");
    assert_non_null(cut);
    fseek(cut, 0, SEEK_END);
    assert_int_equal(ftruncate(fileno(cut), ftell(cut) - 10), 0);
    fclose(cut);
    assert_read_back("3:", (int[]){3, 4, 0}, formats[f].within, true, "frame 5 is cut");
  }
}

/* A frame of velocities alone, as GROMACS writes them between those with places: the bytes of block
 * 7, of places, are those of block 8. */
static void a_frame_without_places_is_refused(void **state) {
  (void)state;
  enum { FRAME = 84 + 36 + 12 * ATOMS, BLOCK_7 = 24 + 4 * 7 };
  const char *list[] = {file[0]};
  char bytes[4];
  write_file(library_or_skip(), "TRR", 3, true);
  FILE *trr = fopen(file[0], "r+");
  assert_non_null(trr);
  fseek(trr, FRAME + BLOCK_7, SEEK_SET);
  assert_int_equal(fread(bytes, 1, 4, trr), 4);
  fseek(trr, FRAME + BLOCK_7, SEEK_SET);
  fwrite("\0\0\0\0", 1, 4, trr);
  fwrite(bytes, 1, 4, trr);
  fclose(trr);
  assert_read_back("1::2", (int[]){1, 3, 0}, 1e-4, true, NULL);
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  assert_int_equal(dcs_frames_open(list, 1, &top, NULL, NULL, &frames), DCS_OK);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_INPUT);
  assert_says(dcs_error_message(), "found no places in frame 2");
  dcs_frames_close(frames);
}

/* TRR is cut in the head of a frame, before its places. */
static void a_head_behind_whole_frames_is_told(void **state) {
  (void)state;
  write_file(library_or_skip(), "TRR", 3, true);
  assert_int_equal(truncate(file[0], 2 * (84 + 36 + 12 * ATOMS) + 40), 0);
  assert_read_back("1:", (int[]){1, 2, 0}, 1e-4, true, "frame 3 is cut");
}

/* It is for who needs the cell to refuse, not the absence of one. */
static void a_cell_with_an_edge_of_zero_is_one(void **state) {
  (void)state;
  const dcs_chemfiles *library = library_or_skip();
  const char *list[] = {file[0]};
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  first_edge = 0;
  write_file(library, "TRR", 1, true);
  first_edge = 30;
  assert_int_equal(dcs_frames_open(list, 1, &top, NULL, NULL, &frames), DCS_OK);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
  assert_true(frame.cell.edge[0] == 0);
  assert_true(fabs(frame.cell.edge[1] - 40) < 1e-4 && fabs(frame.cell.edge[2] - 50) < 1e-4);
  dcs_frames_close(frames);
}

static void other_atoms_are_refused(void **state) {
  (void)state;
  const dcs_molecule fewer = {.n = ATOMS - 1};
  const char *list[] = {file[0]};
  dcs_frames *frames;
  write_file(library_or_skip(), "TRR", 2, true);
  assert_int_equal(dcs_frames_open(list, 1, &fewer, NULL, NULL, &frames), DCS_INPUT);
  assert_says(dcs_error_message(), "found 12 atoms in frame 1; expected the 11");
}

/* A file that only begins as one. */
static void damaged_files_are_refused(void **state) {
  (void)state;
  const char *list[] = {file[0]};
  dcs_frames *frames;
  (void)library_or_skip();
  put_bytes(0, "\0\0\x07\xcb nothing more", 17);
  assert_int_equal(dcs_frames_open(list, 1, &top, NULL, NULL, &frames), DCS_INPUT);
  assert_null(frames);
  assert_says(dcs_error_message(), file[0]);
}

/* In a process of its own, for the library is opened once. */
static void its_absence_is_said(void **state) {
  (void)state;
  const char *list[] = {file[0]};
  put_bytes(0, "\0\0\x07\xcb and so on", 14);
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dcs_frames *frames;
    setenv("DCS_CHEMFILES", "/nowhere/libchemfiles.so", 1);
    const dcs_status status = dcs_frames_open(list, 1, &top, NULL, NULL, &frames);
    const char *said = dcs_error_message();
    _exit(status == DCS_UNAVAILABLE && strstr(said, "XTC files are read by libchemfiles") &&
                  strstr(said, "/nowhere/libchemfiles.so") && strstr(said, "pip install chemfiles")
              ? 0
              : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(its_absence_is_said),
                                     cmocka_unit_test(trajectories_are_read),
                                     cmocka_unit_test(cut_files_give_whole_frames),
                                     cmocka_unit_test(other_atoms_are_refused),
                                     cmocka_unit_test(a_frame_without_places_is_refused),
                                     cmocka_unit_test(a_head_behind_whole_frames_is_told),
                                     cmocka_unit_test(a_cell_with_an_edge_of_zero_is_one),
                                     cmocka_unit_test(damaged_files_are_refused)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
