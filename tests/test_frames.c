/* Frames of trajectories and of lists of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/frames/frames.h"
#include "tests/read_molecule.h"
#include "tests/written_dcd.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { ATOMS = 4, FRAMES = 9 };

static float place(int frame, int atom, int axis) {
  return (float)(100 * frame + 10 * atom + axis);
}

static const written_dcd plain = {.atoms = ATOMS, .frames = FRAMES, .place = place};

static const dcs_molecule four = {.n = ATOMS};

/* The list of files that is being read, and what is said of it: at once. */
static const char *list[2];
static char notes[1024];
static FILE *noted;

static void begin_notes(void) {
  if (noted) fclose(noted);
  noted = fmemopen(notes, sizeof notes, "w");
  assert_non_null(noted);
  setbuf(noted, NULL);
  notes[0] = '\0';
}

static dcs_status open_list(int n, const char *text, dcs_frames **frames) {
  dcs_frame_range range = DCS_ALL_FRAMES;
  begin_notes();
  if (text) assert_int_equal(dcs_parse_frames(text, &range), DCS_OK);
  return dcs_frames_open(list, n, &four, &range, noted, frames);
}

static void assert_next(dcs_frames *frames, int64_t number, int as) {
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  bool found;
  if (dcs_frames_next(frames, &frame, &found) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_true(found);
  assert_int_equal(frame.number, number);
  for (int i = 0; i < 3 * ATOMS; i++)
    assert_true(places[i] == place(as, i / 3, i % 3));
}

static void assert_end(dcs_frames *frames) {
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  bool found;
  if (dcs_frames_next(frames, &frame, &found) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_false(found);
}

static void assert_frames(int n, const char *text, int64_t count, const int *numbers) {
  dcs_frames *frames;
  if (open_list(n, text, &frames) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_frames_count(frames), count);
  for (; *numbers; numbers++)
    assert_next(frames, *numbers, (*numbers - 1) % FRAMES);
  assert_end(frames);
  dcs_frames_close(frames);
}

static void assert_not_opened(int n, const char *text, dcs_status status, const char *one,
                              const char *other) {
  dcs_frames *frames;
  assert_int_equal(open_list(n, text, &frames), status);
  assert_null(frames);
  assert_says(dcs_error_message(), one);
  assert_says(dcs_error_message(), other);
}

/* ---- ranges ---- */

static void assert_range(const char *text, int64_t first, int64_t last, int64_t step) {
  dcs_frame_range r;
  if (dcs_parse_frames(text, &r) != DCS_OK) fail_msg("%s", dcs_error_message());
  if (r.first != first || r.last != last || r.step != step) fail_msg("%s is another", text);
}

static void ranges_are_read(void **state) {
  (void)state;
  assert_range("7", 7, 7, 1);
  assert_range("5:", 5, 0, 1);
  assert_range(":9", 1, 9, 1);
  assert_range("1:5000:10", 1, 5000, 10);
  assert_range("::3", 1, 0, 3);
  assert_range("2::3", 2, 0, 3);
  static const char *const wrong[] = {
      "",    "0",    "-1", "1:0",  "10::9000000000000000000", "a", "1:2:3:4", "1:2:0", "1,2",
      "0:5", "1: 5", "5x", "1:2x", "99999999999999999999"};
  dcs_frame_range r;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (dcs_parse_frames(wrong[i], &r) != DCS_USAGE) fail_msg("\"%s\" was taken", wrong[i]);
    assert_says(dcs_error_message(), "--frames");
  }
  assert_int_equal(dcs_parse_frames("9:3", &r), DCS_USAGE);
  assert_says(dcs_error_message(), "ends before it begins");
}

static void ranges_select(void **state) {
  (void)state;
  write_dcd(file[0], &plain);
  list[0] = file[0];
  assert_frames(1, NULL, 9, (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 0});
  assert_frames(1, "2:9:3", 3, (int[]){2, 5, 8, 0});
  assert_frames(1, "7:", 3, (int[]){7, 8, 9, 0});
  assert_frames(1, "9", 1, (int[]){9, 0});
  assert_not_opened(1, "1:10", DCS_USAGE, "found 10", "has 9 whole frames");
  assert_not_opened(1, "10:", DCS_USAGE, "found 10", "has 9 whole frames");
}

/* ---- trajectories ---- */

static void files_follow_each_other(void **state) {
  (void)state;
  write_dcd(file[0], &plain);
  write_dcd(file[1], &plain);
  list[0] = file[0], list[1] = file[1];
  assert_frames(2, "8:12:2", 3, (int[]){8, 10, 12, 0});
  assert_not_opened(2, "19", DCS_USAGE, "found 19", "18 whole frames");
}

static void frames_are_read_in_any_order(void **state) {
  (void)state;
  dcs_frames *frames;
  write_dcd(file[0], &plain);
  write_dcd(file[1], &plain);
  list[0] = file[0], list[1] = file[1];
  assert_int_equal(open_list(2, "2:", &frames), DCS_OK);
  static const int order[] = {16, 0, 3, 10, 2, 1};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    assert_int_equal(dcs_frames_seek(frames, order[i]), DCS_OK);
    assert_next(frames, order[i] + 2, (order[i] + 1) % FRAMES);
  }
  assert_int_equal(dcs_frames_seek(frames, 18), DCS_USAGE);
  dcs_frames_close(frames);
}

static void cut_files_give_whole_frames(void **state) {
  (void)state;
  write_dcd(file[0], &plain);
  FILE *f = fopen(file[0], "r+");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  assert_int_equal(ftruncate(fileno(f), ftell(f) - 10), 0);
  fclose(f);
  list[0] = file[0];
  assert_frames(1, "7:", 2, (int[]){7, 8, 0});
  assert_says(notes, "frame 9 is cut");
  assert_not_opened(1, "1:9", DCS_USAGE, "found 9", "has 8 whole frames");
}

/* Nor is it taken for a range that is wrong. */
static void files_that_shrink_are_refused(void **state) {
  (void)state;
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  struct stat facts;
  bool found;
  written_dcd many = plain;
  many.frames = 1 << 14; /* more than is read at once */
  write_dcd(file[0], &many);
  list[0] = file[0];
  assert_int_equal(open_list(1, NULL, &frames), DCS_OK);
  assert_int_equal(stat(file[0], &facts), 0);
  assert_int_equal(truncate(file[0], facts.st_size / 2), 0);
  dcs_status status = DCS_OK;
  found = true;
  while (status == DCS_OK && found)
    status = dcs_frames_next(frames, &frame, &found);
  assert_int_equal(status, DCS_INPUT);
  assert_non_null(strstr(dcs_error_message(), "expected the 16384 that it had when it was opened"));
  dcs_frames_close(frames);
}

static void other_atoms_are_refused(void **state) {
  (void)state;
  written_dcd more = plain;
  more.atoms = ATOMS + 1;
  write_dcd(file[0], &more);
  list[0] = file[0];
  assert_not_opened(1, NULL, DCS_INPUT, "found 5 atoms in frame 1",
                    "expected the 4 of the topology");
}

static void cells_change_with_the_frames(void **state) {
  (void)state;
  written_dcd grows = plain;
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  grows.edge = 30, grows.growth = 0.5;
  write_dcd(file[0], &grows);
  list[0] = file[0];
  assert_int_equal(open_list(1, NULL, &frames), DCS_OK);
  for (int i = 0; i < FRAMES; i++) {
    assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
    assert_true(found && frame.cell.edge[0] == 30 + 0.5 * i && frame.cell.angle[2] == 90);
  }
  dcs_frames_without_cells(frames);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(dcs_frames_seek(frames, i), DCS_OK);
    assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
    assert_true(found && frame.cell.edge[0] == 0);
  }
  dcs_frames_close(frames);
}

/* ---- pipes ---- */

/* A pipe that holds the first bytes of a file, all but the last `less`; its reading end. */
static int fill_pipe(const char *from, size_t less, char path[32]) {
  char bytes[8192];
  int ends[2];
  FILE *in = fopen(from, "r");
  assert_non_null(in);
  const size_t n = fread(bytes, 1, sizeof bytes, in) - less;
  fclose(in);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], bytes, n), (ssize_t)n);
  close(ends[1]);
  snprintf(path, 32, "/dev/fd/%d", ends[0]);
  return ends[0];
}

static void a_pipe_goes_forward(void **state) {
  (void)state;
  char path[32];
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  write_dcd(file[0], &plain);
  int end = fill_pipe(file[0], 10, path);
  list[0] = path;
  assert_frames(1, "2::2", -1, (int[]){2, 4, 6, 8, 0});
  assert_says(notes, "frame 9 is cut");
  close(end);
  end = fill_pipe(file[0], 10, path);
  assert_frames(1, "7:", -1, (int[]){7, 8, 0});
  assert_says(notes, "frame 9 is cut");
  close(end);
  end = fill_pipe(file[0], 0, path);
  assert_int_equal(open_list(1, "2:9", &frames), DCS_OK);
  assert_int_equal(dcs_frames_count(frames), 8);
  assert_int_equal(dcs_frames_seek(frames, 4), DCS_OK);
  assert_next(frames, 6, 5);
  assert_int_equal(dcs_frames_seek(frames, 0), DCS_OK);
  assert_next(frames, 2, 1);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_USAGE);
  assert_says(dcs_error_message(), "a pipe goes forward alone");
  dcs_frames_close(frames);
  close(end);
  end = fill_pipe(file[0], 10, path);
  assert_not_opened(1, "12", DCS_USAGE, "found 12", "has 8 whole frames");
  assert_says(notes, "frame 9 is cut");
  close(end);
  list[1] = file[0];
  end = fill_pipe(file[0], 0, path);
  assert_not_opened(2, NULL, DCS_USAGE, "a pipe", "expected it last");
  close(end);
}

enum { MOST_BYTES = 8192 };

/* Writes the plain file, and compressed as the second; how many bytes it has. */
static size_t write_compressed(void) {
  char bytes[MOST_BYTES];
  write_dcd(file[0], &plain);
  FILE *in = fopen(file[0], "r");
  gzFile out = gzopen(file[1], "w");
  assert_true(in && out);
  const size_t n = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  assert_int_equal(gzwrite(out, bytes, (unsigned)n), (int)n);
  assert_int_equal(gzclose(out), Z_OK);
  return n;
}

/* How many frames compressed data has, is not known before the end; it is read again from its
 * start. */
static void compressed_files_are_read(void **state) {
  (void)state;
  dcs_frames *frames;
  write_compressed();
  list[0] = file[0], list[1] = file[1];
  assert_frames(2, "8:16:4", 3, (int[]){8, 12, 16, 0});
  list[0] = file[1];
  assert_frames(1, "2::3", -1, (int[]){2, 5, 8, 0});
  assert_string_equal(notes, "");
  assert_int_equal(open_list(1, NULL, &frames), DCS_OK);
  static const int order[] = {8, 3, 4, 0};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(dcs_frames_seek(frames, order[i]), DCS_OK);
    assert_next(frames, order[i] + 1, order[i]);
  }
  assert_int_equal(dcs_frames_seek(frames, 9), DCS_OK);
  assert_end(frames);
  dcs_frames_close(frames);
}

/* At each byte of the compressed file: what was unpacked until then gives its whole frames, and a
 * note. */
static void cut_compressed_files_give_whole_frames(void **state) {
  (void)state;
  enum { HEADER = 92 + 92 + 12, EACH = 3 * (4 * ATOMS + 8) };
  char bytes[MOST_BYTES], packed[MOST_BYTES];
  dcs_frames *frames;
  int seen = 0;
  assert_int_equal(write_compressed(), HEADER + FRAMES * EACH);
  FILE *in = fopen(file[1], "r");
  const size_t size = fread(packed, 1, sizeof packed, in);
  fclose(in);
  list[0] = file[1];
  for (size_t cut = size - 1; cut > 0; cut--) {
    z_stream z = {.next_in = (unsigned char *)packed,
                  .avail_in = (unsigned)cut,
                  .next_out = (unsigned char *)bytes,
                  .avail_out = sizeof bytes};
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    inflate(&z, Z_SYNC_FLUSH);
    const int64_t there = (int64_t)z.total_out - HEADER, whole = there < 0 ? 0 : there / EACH;
    inflateEnd(&z);
    put_bytes(1, packed, cut);
    const dcs_status status = open_list(1, NULL, &frames);
    assert_int_equal(status, whole > 0 ? DCS_OK : DCS_INPUT);
    if (whole == 0) continue;
    for (int i = 0; i < whole; i++)
      assert_next(frames, i + 1, i);
    assert_end(frames);
    char said[64];
    if (there % EACH)
      snprintf(said, sizeof said, "frame %d is cut: the file ends in it", (int)whole + 1);
    else
      snprintf(said, sizeof said, "the compressed data is cut behind frame %d", (int)whole);
    assert_says(notes, said);
    seen |= there % EACH ? 1 : 2;
    dcs_frames_close(frames);
  }
  assert_int_equal(seen, 3);
}

/* ---- structures ---- */

/* A file of the list with models, in one of the formats; the frames are those of place(). */
static void put_models(int which, int first, int n, const char *format, const char *between) {
  FILE *out = fopen(file[which], "w");
  assert_non_null(out);
  for (int frame = first; frame < first + n; frame++) {
    fprintf(out, between, frame + 1);
    for (int a = 0; a < ATOMS; a++)
      fprintf(out, format, a + 1, (double)place(frame, a, 0), (double)place(frame, a, 1),
              (double)place(frame, a, 2));
    if (strstr(between, "MODEL")) fputs("ENDMDL\n", out);
  }
  fputs(strstr(between, "MODEL") ? "END\n" : "", out);
  assert_int_equal(fclose(out), 0);
  list[which] = file[which];
}

static const char pdb[] = "ATOM  %5d  CA  ALA A   1    %8.3f%8.3f%8.3f  1.00  9.00\n";
static const char pqr[] = "ATOM %d CA ALA 1 %g %g %g -0.5 1.5\n";
static const char xyz[] = "C%d %g %g %g 0.25\n";

static void models_are_frames(void **state) {
  (void)state;
  for (int which = 0; which < 2; which++) {
    put_models(0, 0, FRAMES, which ? pqr : pdb, "REMARK of a test\nMODEL %d\n");
    assert_frames(1, NULL, 9, (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 0});
    assert_frames(1, "2:9:3", 3, (int[]){2, 5, 8, 0});
    assert_frames(1, "9", 1, (int[]){9, 0});
    put_models(0, 0, FRAMES, which ? pqr : pdb, "MODEL     %4d\r\n");
    assert_frames(1, "8:", 2, (int[]){8, 9, 0});
  }
  put_models(0, 0, FRAMES, xyz, "4\nframe %d\n");
  assert_frames(1, "3::3", 3, (int[]){3, 6, 9, 0});
}

static void files_are_frames(void **state) {
  (void)state;
  put_models(0, 0, 1, pqr, "REMARK %d\n");
  put_models(1, 1, 1, pdb, "HEADER of frame %d\n");
  assert_frames(2, NULL, 2, (int[]){1, 2, 0});
  assert_frames(2, "2", 1, (int[]){2, 0});
  put_models(0, 0, FRAMES, xyz, "4\nframe %d\n");
  write_dcd(file[1], &plain);
  assert_frames(2, "9:11", 3, (int[]){9, 10, 11, 0});
  put_text(1, "of Amber\n    4\n"
              "   0.0000000   1.0000000   2.0000000  10.0000000  11.0000000  12.0000000\n"
              "  20.0000000  21.0000000  22.0000000  30.0000000  31.0000000  32.0000000\n");
  assert_frames(2, "9:", 2, (int[]){9, 10, 0});
}

static void models_of_a_pipe_are_frames(void **state) {
  (void)state;
  char path[32];
  put_models(0, 0, FRAMES, pdb, "MODEL     %4d\n");
  const int end = fill_pipe(file[0], 0, path);
  list[0] = path;
  assert_frames(1, "2::2", -1, (int[]){2, 4, 6, 8, 0});
  close(end);
}

/* What the head of the file states holds until a model states another. */
static void cells_of_models(void **state) {
  (void)state;
  double places[3 * ATOMS], edge[5];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  FILE *out = fopen(file[0], "w");
  assert_non_null(out);
  for (int model = 1; model <= 5; model++) {
    if (model == 5) /* as where there is no crystal */
      fputs("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00\n", out);
    if (model == 1 || model == 3)
      fprintf(out, "CRYST1   %d.000   40.000   50.000  90.00  90.00  90.00\n", 30 + model);
    fprintf(out, "MODEL %d\n", model);
    for (int a = 0; a < ATOMS; a++)
      fprintf(out, pdb, a + 1, 1.5, 2.5, 3.5 + a);
    fputs("ENDMDL\n", out);
  }
  assert_int_equal(fclose(out), 0);
  list[0] = file[0];
  assert_int_equal(open_list(1, NULL, &frames), DCS_OK);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
    edge[i] = frame.cell.edge[0];
  }
  dcs_frames_close(frames);
  assert_true(edge[0] == 31 && edge[1] == 31 && edge[2] == 33 && edge[3] == 33 && edge[4] == 33);
  for (int i = 1; i < 5; i++) { /* who passes over frames sees them, too */
    const char text[] = {(char)('1' + i), '\0'};
    assert_int_equal(open_list(1, text, &frames), DCS_OK);
    assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_OK);
    assert_true(frame.cell.edge[0] == edge[i]);
    dcs_frames_close(frames);
  }
}

static void wrong_models_are_refused(void **state) {
  (void)state;
  double places[3 * ATOMS];
  dcs_frame frame = {.places = places};
  dcs_frames *frames;
  bool found;
  put_models(0, 0, 2, pdb, "MODEL     %4d\n");
  FILE *out = fopen(file[0], "a");
  fprintf(out, "MODEL        3\nATOM  a line that is wrong\nENDMDL\n");
  fprintf(out, "MODEL        4\n");
  fprintf(out, pdb, 1, 1.5, 2.5, 3.5);
  fclose(out);
  assert_int_equal(open_list(1, "2:", &frames), DCS_OK);
  assert_next(frames, 2, 1);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_INPUT);
  assert_says(dcs_error_message(), ":15:"); /* 6 lines a model, END and MODEL */
  assert_int_equal(dcs_frames_seek(frames, 2), DCS_OK);
  assert_int_equal(dcs_frames_next(frames, &frame, &found), DCS_INPUT);
  assert_says(dcs_error_message(), "found 1 atoms in frame 4");
  dcs_frames_close(frames);
  put_text(0, "neither one\nnor the other\n");
  assert_not_opened(1, NULL, DCS_INPUT, "found no atoms in a format that is known", "PDB");
  put_text(0, "");
  assert_not_opened(1, NULL, DCS_INPUT, "the file is empty", "DCD");
}

/* ---- in two steps ---- */

static void put_number(int file_index, long at, float value) {
  FILE *out = fopen(file[file_index], "r+");
  assert_non_null(out);
  fseek(out, at, SEEK_END);
  assert_int_equal(fwrite(&value, sizeof value, 1, out), 1);
  fclose(out);
}

static void frames_are_taken_and_made_in_any_order(void **state) {
  (void)state;
  enum { N = FRAMES };
  double places[N][3 * ATOMS];
  dcs_frame frame[N];
  dcs_raw_frame raw[N] = {0};
  dcs_frames *frames;
  bool found;
  write_dcd(file[0], &plain);
  put_number(0, -8, NAN); /* of the last frame, before its marker */
  list[0] = file[0];
  assert_int_equal(open_list(1, NULL, &frames), DCS_OK);
  for (int i = 0; i < N; i++) {
    frame[i].places = places[i];
    assert_int_equal(dcs_frames_take(frames, &frame[i], &raw[i], &found), DCS_OK);
    assert_true(found);
  }
  assert_int_equal(dcs_frames_take(frames, &frame[0], &raw[0], &found), DCS_OK);
  assert_false(found);
  for (int i = N - 1; i >= 0; i--) {
    assert_int_equal(dcs_frames_make(frames, &raw[i], &frame[i]), i == N - 1 ? DCS_INPUT : DCS_OK);
    if (i == N - 1) assert_says(dcs_error_message(), "z of frame 9, atom 4");
    for (int v = 0; i < N - 1 && v < 3 * ATOMS; v++)
      assert_true(places[i][v] == place(i, v / 3, v % 3));
    free(raw[i].bytes);
  }
  dcs_frames_close(frames);
}

/* More than is read at once, of two files: when the second is read the first is not open any more.
 */
enum { MANY = 20000, OF_EACH = 5, THREADS = 4 };

typedef struct {
  dcs_frames *frames;
  int first;
  dcs_frame frame[2 * OF_EACH];
  dcs_raw_frame *raw; /* of all threads */
  dcs_status status[2 * OF_EACH];
  char why[512];
} maker;

static void *make_each_fourth(void *data) {
  maker *m = data;
  for (int i = m->first; i < 2 * OF_EACH; i += THREADS) {
    m->status[i] = dcs_frames_make(m->frames, &m->raw[i], &m->frame[i]);
    if (m->status[i] != DCS_OK) snprintf(m->why, sizeof m->why, "%s", dcs_error_message());
  }
  return NULL;
}

static void threads_make_frames_of_files(void **state) {
  (void)state;
  enum { ALL = 2 * OF_EACH };
  static const dcs_molecule many = {.n = MANY};
  const written_dcd large = {.atoms = MANY, .frames = OF_EACH, .place = place};
  static dcs_raw_frame raw[ALL];
  static maker makers[THREADS];
  pthread_t threads[THREADS];
  double *places = malloc(3 * sizeof *places * MANY * ALL);
  dcs_frames *frames;
  bool found, takes, makes;
  assert_non_null(places);
  for (int i = 0; i < 2; i++)
    write_dcd(list[i] = file[i], &large);
  put_number(1, -8, INFINITY); /* of the last frame, before its marker */
  begin_notes();
  assert_int_equal(dcs_frames_open(list, 2, &many, NULL, noted, &frames), DCS_OK);
  dcs_frames_who_reads(frames, &takes, &makes);
  assert_true(makes && !takes);
  for (int i = 0; i < ALL; i++) {
    dcs_frame frame;
    assert_int_equal(dcs_frames_take(frames, &frame, &raw[i], &found), DCS_OK);
    assert_true(found && frame.number == i + 1);
    frame.places = places + (size_t)i * 3 * MANY;
    makers[i % THREADS].frame[i] = frame;
  }
  for (int t = 0; t < THREADS; t++) {
    makers[t].frames = frames, makers[t].first = t, makers[t].raw = raw;
    assert_int_equal(pthread_create(&threads[t], NULL, make_each_fourth, &makers[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  for (int i = 0; i < ALL; i++) {
    const maker *m = &makers[i % THREADS];
    assert_int_equal(m->status[i], i == ALL - 1 ? DCS_INPUT : DCS_OK);
    if (i == ALL - 1) assert_says(m->why, "z of frame 5, atom 20000");
    for (int v = 0; i < ALL - 1 && v < 3 * MANY; v++)
      assert_true(m->frame[i].places[v] == place(i % OF_EACH, v / 3, v % 3));
    dcs_raw_frame_free(&raw[i]);
  }
  dcs_frames_close(frames);
  free(places);
}

/* ---- identity ---- */

static uint64_t hash_of(const char *text) {
  dcs_frames *frames;
  assert_int_equal(open_list(1, text, &frames), DCS_OK);
  const uint64_t hash = dcs_frames_hash(frames);
  dcs_frames_close(frames);
  return hash;
}

static float other_place(int frame, int atom, int axis) {
  return place(frame, atom, axis) + (float)(frame == 2);
}

static void the_hash_is_of_what_is_read(void **state) {
  (void)state;
  written_dcd other = plain;
  other.place = other_place;
  write_dcd(file[0], &plain);
  write_dcd(file[1], &other);
  list[0] = file[0];
  const uint64_t all = hash_of(NULL), third = hash_of("3");
  assert_int_equal(hash_of("1:9"), all);
  assert_int_not_equal(hash_of("1:9:2"), all);
  list[0] = file[1];
  assert_int_not_equal(hash_of("3"), third);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_read),
                                     cmocka_unit_test(ranges_select),
                                     cmocka_unit_test(files_follow_each_other),
                                     cmocka_unit_test(frames_are_read_in_any_order),
                                     cmocka_unit_test(cut_files_give_whole_frames),
                                     cmocka_unit_test(files_that_shrink_are_refused),
                                     cmocka_unit_test(other_atoms_are_refused),
                                     cmocka_unit_test(cells_change_with_the_frames),
                                     cmocka_unit_test(a_pipe_goes_forward),
                                     cmocka_unit_test(compressed_files_are_read),
                                     cmocka_unit_test(cut_compressed_files_give_whole_frames),
                                     cmocka_unit_test(models_are_frames),
                                     cmocka_unit_test(files_are_frames),
                                     cmocka_unit_test(models_of_a_pipe_are_frames),
                                     cmocka_unit_test(cells_of_models),
                                     cmocka_unit_test(wrong_models_are_refused),
                                     cmocka_unit_test(frames_are_taken_and_made_in_any_order),
                                     cmocka_unit_test(threads_make_frames_of_files),
                                     cmocka_unit_test(the_hash_is_of_what_is_read)};
  const int failed = cmocka_run_group_tests(tests, make_files, remove_files);
  if (noted) fclose(noted);
  return failed;
}
