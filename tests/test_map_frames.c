/* `dcsbench map` of several frames: what it writes is held against the maps of the frames, which
 * the same command computes one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/csv.h"
#include "harness/output/field.h"
#include "tests/program.h"
#include "tests/written_dcd.h"

#include <dirent.h>
#include <math.h>
#include <time.h>

enum { ATOMS = 5, FRAMES = 7, EDGE = 6, POINTS = EDGE * EDGE * EDGE };

static const char grid[] = "--grid 6^3 --spacing 2 --origin -5.25,-5,-4.75";

static const char psf[] = "PSF\n\n 5 !NATOM\n"
                          " 1 A 1 ION NA NA 1.0 22.9 0\n 2 A 2 ION CL CL -1.0 35.4 0\n"
                          " 3 A 3 ION NA NA 1.0 22.9 0\n 4 A 4 ION CL CL -0.5 35.4 0\n"
                          " 5 A 5 ION K POT 0.5 39.1 0\n\n";

static float place(int frame, int atom, int axis) {
  return (float)(4 * sin(1.7 * atom + 2.3 * axis) + 0.6 * sin(frame * (1 + atom) + axis));
}

/* The atoms of frame 0, turned about z and moved. */
static float turned_place(int frame, int atom, int axis) {
  const double c = cos(frame), s = sin(frame), x = (double)place(0, atom, 0),
               y = (double)place(0, atom, 1), z = (double)place(0, atom, 2);
  const double at[3] = {c * x - s * y + frame, s * x + c * y - 2 * frame, z + frame};
  return (float)at[axis];
}

static const written_dcd moving = {.atoms = ATOMS, .frames = FRAMES, .place = place};
static const written_dcd turning = {.atoms = ATOMS, .frames = 4, .place = turned_place};

static int setup(void **state) {
  if (program_setup(state) != 0) return -1;
  put_file(in_folder("top.psf"), psf);
  write_dcd(in_folder("traj.dcd"), &moving);
  write_dcd(in_folder("turned.dcd"), &turning);
  return 0;
}

/* `map` of frames of a file in the folder, on the grid. */
static int map_frames(const char *trajectory, const char *options) {
  return program_run("map %s %s %s %s", in_folder("top.psf"), in_folder(trajectory), grid, options);
}

static void read_map(const char *name, double values[POINTS], const char *units) {
  dcs_field field = {0};
  if (dcs_field_read(in_folder(name), &field) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(dcs_points(field.n), POINTS);
  if (units) assert_string_equal(field.units, units);
  for (int i = 0; i < POINTS; i++)
    values[i] = (double)field.values[i];
  dcs_field_free(&field);
}

/* The maps of all frames, each computed alone, once. */
static double maps[FRAMES][POINTS];

static void compute_alone(void) {
  static bool done;
  char name[32], options[256];
  for (int frame = 1; !done && frame <= FRAMES; frame++) {
    snprintf(name, sizeof name, "alone%d.npy", frame);
    snprintf(options, sizeof options, "--frame %d -o %s", frame, in_folder(name));
    assert_status(map_frames("traj.dcd", options), 0);
    read_map(name, maps[frame - 1], NULL);
  }
  done = true;
}

static void assert_near(double found, double expected, double within) {
  if (!(fabs(found - expected) <= within)) fail_msg("found %.9g, expected %.9g", found, expected);
}

/* Of the frames first, first + step, ..., in double precision. */
static void assert_moments(int first, int step, double factor, double found[3][POINTS]) {
  for (int i = 0; i < POINTS; i++) {
    double sum = 0, squares = 0, size = 0;
    int n = 0;
    for (int f = first; f < FRAMES; f += step, n++) {
      sum += factor * maps[f][i];
      size = fmax(size, fabs(factor * maps[f][i]));
    }
    for (int f = first; f < FRAMES; f += step) {
      const double d = factor * maps[f][i] - sum / n;
      squares += d * d;
    }
    const double variance = squares / (n - 1);
    assert_near(found[0][i], sum / n, 2e-7 * size);
    assert_near(found[1][i], variance, 1e-6 * size * size);
    assert_near(found[2][i], sqrt(variance / n), 1e-6 * size);
    assert_true(variance > 0);
  }
}

static void averages_are_those_of_the_maps(void **state) {
  (void)state;
  static double found[3][POINTS];
  char options[512];
  compute_alone();
  snprintf(options, sizeof options, "--average --variance -o %s", in_folder("mean.dx"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_string_equal(program_out, "");
  read_map("mean.dx", found[0], "e/A");
  read_map("mean_variance.dx", found[1], "(e/A)^2");
  read_map("mean_error.dx", found[2], "e/A");
  assert_moments(0, 1, 1, found);
  snprintf(options, sizeof options, "--average --variance --units V --frames 2::2 -o %s",
           in_folder("volts.mrc"));
  assert_status(map_frames("traj.dcd", options), 0);
  read_map("volts.mrc", found[0], "V");
  read_map("volts_variance.mrc", found[1], "(V)^2");
  read_map("volts_error.mrc", found[2], "V");
  assert_moments(1, 2, 14.3996454784255, found);
}

static void each_frame_has_its_file(void **state) {
  (void)state;
  double found[POINTS];
  char options[512];
  compute_alone();
  snprintf(options, sizeof options, "--each %s --frames 3:7:2", in_folder("at_%03d_.npy"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_contains(program_err, "maps of 3 frames");
  for (int frame = 1; frame <= FRAMES; frame++) {
    char name[32];
    snprintf(name, sizeof name, "at_%03d_.npy", frame);
    assert_int_equal(exists(in_folder(name)), frame >= 3 && frame % 2);
    if (!exists(in_folder(name))) continue;
    read_map(name, found, NULL);
    assert_memory_equal(found, maps[frame - 1], sizeof found);
  }
}

static void maps_of_frames_have_names_of_their_own(void **state) {
  (void)state;
  static const char *const out[] = {"own_3.npy", "./own_3.npy", "own.npy"};
  char options[512], read[128];
  for (int i = 0; i < 3; i++) {
    snprintf(options, sizeof options, "--each %s --average -o %s/%s", in_folder("own_%d.npy"),
             test_folder, out[i]);
    assert_status(map_frames("traj.dcd", options), i < 2 ? 2 : 0);
    if (i < 2) assert_contains(program_err, "is read, or written to; expected other names");
  }
  snprintf(options, sizeof options, "--each %s --average --variance -o %s",
           in_folder("of_variance%d.npy"), in_folder("of.npy"));
  assert_status(map_frames("traj.dcd", options), 0);
  static const char atoms[] = "x,y,z,q\n1,2,3,1\n";
  put_file(in_folder("atoms_1.csv"), atoms);
  put_file(in_folder("atoms_2.csv"), atoms);
  snprintf(read, sizeof read, "%s", in_folder("atoms_2.csv"));
  assert_status(program_run("map %s %s --each %s --grid 2^3", in_folder("atoms_1.csv"), read,
                            in_folder("atoms_%d.csv")),
                2);
  char *after = get_file(in_folder("atoms_1.csv"), NULL);
  assert_string_equal(after, atoms);
  free(after);
}

/* The grid lies around the first selected frame, and says so. */
static void the_grid_is_fixed(void **state) {
  (void)state;
  char options[512];
  dcs_field alone = {0}, mean = {0};
  assert_status(program_run("map %s %s --frame 3 --spacing 4 -o %s", in_folder("top.psf"),
                            in_folder("turned.dcd"), in_folder("third.dx")),
                0);
  snprintf(options, sizeof options, "--frames 3: --average -o %s", in_folder("box.dx"));
  assert_status(program_run("map %s %s --spacing 4 %s", in_folder("top.psf"),
                            in_folder("turned.dcd"), options),
                0);
  assert_contains(program_err, "2 frames on ");
  assert_contains(program_err, "fixed in space: around the atoms of frame 3");
  assert_int_equal(dcs_field_read(in_folder("third.dx"), &alone), DCS_OK);
  assert_int_equal(dcs_field_read(in_folder("box.dx"), &mean), DCS_OK);
  assert_memory_equal(&mean.n, &alone.n, sizeof mean.n);
  assert_memory_equal(mean.origin, alone.origin, sizeof mean.origin);
  dcs_field_free(&alone);
  dcs_field_free(&mean);
}

/* Of a molecule that moves as a whole, the mean is the map of the first frame. */
static void aligned_frames_have_one_map(void **state) {
  (void)state;
  double first[POINTS], mean[POINTS], variance[POINTS];
  char options[512];
  snprintf(options, sizeof options, "--frame 1 -o %s", in_folder("first.npy"));
  assert_status(map_frames("turned.dcd", options), 0);
  read_map("first.npy", first, NULL);
  static const char *const selections[] = {"all", "1:4", "name=NA,CL,K"};
  for (int s = 0; s < 3; s++) {
    snprintf(options, sizeof options, "--average --variance --align %s -o %s", selections[s],
             in_folder("aligned.npy"));
    assert_status(map_frames("turned.dcd", options), 0);
    read_map("aligned.npy", mean, NULL);
    read_map("aligned_variance.npy", variance, NULL);
    for (int i = 0; i < POINTS; i++) {
      assert_near(mean[i], first[i], 2e-5);
      assert_true(variance[i] < 1e-9);
    }
  }
}

/* Structures in files of their own, whose charges are not looked at. */
static void files_are_frames(void **state) {
  (void)state;
  static double found[3][POINTS];
  char list[1024] = "";
  compute_alone();
  for (int frame = 0; frame < FRAMES; frame++) {
    char name[32], text[ATOMS * 96] = "";
    for (int a = 0; a < ATOMS; a++)
      snprintf(text + strlen(text), 96, "ATOM %d NA ION %d %.6f %.6f %.6f 9.0 1.5\n", a + 1, a + 1,
               (double)place(frame, a, 0), (double)place(frame, a, 1), (double)place(frame, a, 2));
    snprintf(name, sizeof name, "frame%d.pqr", frame + 1);
    put_file(in_folder(name), text);
    snprintf(list + strlen(list), 128, " %s", in_folder(name));
  }
  assert_status(program_run("map %s%s %s --average --variance -o %s", in_folder("top.psf"), list,
                            grid, in_folder("files.npy")),
                0);
  read_map("files.npy", found[0], NULL);
  read_map("files_variance.npy", found[1], NULL);
  read_map("files_error.npy", found[2], NULL);
  for (int i = 0; i < POINTS; i++) {
    double sum = 0;
    for (int f = 0; f < FRAMES; f++)
      sum += maps[f][i];
    assert_near(found[0][i], sum / FRAMES, 1e-5);
  }
}

/* With a cutoff and to a tolerance, as single maps are. */
static void other_problems_have_means(void **state) {
  (void)state;
  double one[POINTS], mean[POINTS];
  char options[512];
  static const char *const problems[] = {"--cutoff 7 --switching c2", "--tolerance 0.01"};
  for (int p = 0; p < 2; p++) {
    snprintf(options, sizeof options, "%s --frame 2 -o %s", problems[p], in_folder("one.npy"));
    assert_status(map_frames("traj.dcd", options), 0);
    snprintf(options, sizeof options, "%s --frames 2 --average -o %s", problems[p],
             in_folder("mean.npy"));
    assert_status(map_frames("traj.dcd", options), 0);
    read_map("one.npy", one, NULL);
    read_map("mean.npy", mean, NULL);
    for (int i = 0; i < POINTS; i++)
      assert_near(mean[i], one[i], 1e-7);
  }
}

static const char periodic[] = "--boundary periodic --tolerance 0.01";

/* How far the map of a frame among others is from that of the frame alone in a cell that is typed:
 * the largest difference, of the root mean square. What a tolerance is relative to, and so the
 * method's plan, is that of the first frame. */
static double from_cell(const char *name, int frame, double edge) {
  double alone[POINTS], among[POINTS], largest = 0, squares = 0;
  char options[512];
  snprintf(options, sizeof options, "%s --frame %d --cell %g,%g,%g -o %s", periodic, frame, edge,
           edge, edge, in_folder("in_cell.npy"));
  assert_status(map_frames("cells.dcd", options), 0);
  read_map("in_cell.npy", alone, NULL);
  read_map(name, among, NULL);
  for (int i = 0; i < POINTS; i++) {
    largest = fmax(largest, fabs(among[i] - alone[i]));
    squares += alone[i] * alone[i];
  }
  return largest / sqrt(squares / POINTS);
}

static void cells_change_with_the_frames(void **state) {
  (void)state;
  written_dcd grows = moving;
  char options[512];
  grows.frames = 2, grows.edge = 14, grows.growth = 1;
  write_dcd(in_folder("cells.dcd"), &grows);
  snprintf(options, sizeof options, "%s --each %s", periodic, in_folder("cell%d.npy"));
  assert_status(map_frames("cells.dcd", options), 0);
  assert_true(from_cell("cell1.npy", 1, 14) < 0.01);
  assert_true(from_cell("cell2.npy", 2, 15) < 0.01);
  assert_true(from_cell("cell2.npy", 2, 14) > 0.03);
  snprintf(options, sizeof options, "%s --cell 16,16,16 --frames 2 --each %s", periodic,
           in_folder("typed%d.npy"));
  assert_status(map_frames("cells.dcd", options), 0);
  assert_true(from_cell("typed2.npy", 2, 16) < 0.01);
}

/* A second frame's that cannot be read is not taken for the first one's. */
static void wrong_cells_are_refused(void **state) {
  (void)state;
  char options[512];
  FILE *out = fopen(in_folder("cells.pdb"), "w");
  assert_non_null(out);
  for (int model = 1; model <= 2; model++) {
    fprintf(out, model == 1 ? "CRYST1   14.000   14.000   14.000  90.00  90.00  90.00\n"
                            : "CRYST1   14.000   14.0\n");
    fprintf(out, "MODEL %d\n", model);
    for (int a = 0; a < ATOMS; a++)
      fprintf(out, "ATOM  %5d  NA  ION A   1    %8.3f%8.3f%8.3f\n", a + 1, (double)place(0, a, 0),
              (double)place(0, a, 1), (double)place(0, a, 2));
    fputs("ENDMDL\n", out);
  }
  assert_int_equal(fclose(out), 0);
  snprintf(options, sizeof options, "%s --average -o %s", periodic, in_folder("cells.npy"));
  assert_status(map_frames("cells.pdb", options), 3);
  assert_contains(program_err, "frame 2: found a cell that cannot be read, line 9");
}

static void slices_are_written(void **state) {
  (void)state;
  char options[512];
  snprintf(options, sizeof options, "--slice z=0 --each %s --average -o %s",
           in_folder("plane%d.csv"), in_folder("plane.csv"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_true(exists(in_folder("plane7.csv")) && !exists(in_folder("plane8.csv")));
  size_t bytes;
  char *text = get_file(in_folder("plane.csv"), &bytes);
  int lines = 0;
  for (size_t i = 0; i < bytes; i++)
    lines += text[i] == '\n';
  free(text);
  assert_int_equal(lines, 1 + EDGE * EDGE);
}

static void cut_files_are_said(void **state) {
  (void)state;
  char options[512];
  write_dcd(in_folder("cut.dcd"), &moving);
  struct stat facts;
  assert_int_equal(stat(in_folder("cut.dcd"), &facts), 0);
  assert_int_equal(truncate(in_folder("cut.dcd"), facts.st_size - 10), 0);
  snprintf(options, sizeof options, "--average -o %s", in_folder("cut.npy"));
  assert_status(map_frames("cut.dcd", options), 0);
  assert_contains(program_err, "frame 7 is cut");
  assert_contains(program_err, "6 frames on ");
}

/* How a job goes on from one is tested with the mean; here, that the command heeds and removes it.
 */
/* Writes all but the last bytes of a file into a pipe, which stays open; its end. */
static int fill_pipe(const char *name, const char *from, int most) {
  size_t bytes;
  char *text = get_file(in_folder(from), &bytes);
  assert_int_equal(mkfifo(in_folder(name), 0666), 0);
  const int pipe = open(in_folder(name), O_RDWR);
  assert_true(fcntl(pipe, F_SETPIPE_SZ, most) >= most);
  assert_int_equal(write(pipe, text, bytes - 10), (ssize_t)bytes - 10);
  free(text);
  return pipe;
}

/* Behind more than is looked at to tell what the file is nobody writes, and nobody closes it: one
 * signal is enough. */
static void a_pipe_that_stalls_is_left(void **state) {
  (void)state;
  const written_dcd many = {.atoms = ATOMS, .frames = 1000, .place = place};
  char line[4 * PATH_MAX];
  write_dcd(in_folder("many.dcd"), &many);
  const int pipe = fill_pipe("stalls.dcd", "many.dcd", 1 << 17), null = open("/dev/null", O_WRONLY);
  snprintf(line, sizeof line, "map %s %s %s --frames 960: --each %s", in_folder("top.psf"),
           in_folder("stalls.dcd"), grid, in_folder("piped%d.npy"));
  const pid_t pid = program_start(line, null, null);
  while (!exists(in_folder("piped999.npy")) && program_goes_on(pid)) {
  }
  assert_int_equal(kill(pid, SIGINT), 0);
  assert_int_equal(program_wait(pid), 1);
  assert_true(exists(in_folder("piped999.npy")));
  close(null);
  close(pipe);
}

/* What a thread's status says of its CPUs, as "0-3,8". */
static void cpus_of(const char *pid, const char *thread, char text[256]) {
  char path[128], line[256];
  *text = '\0';
  snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/status", pid, thread);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    sscanf(line, "Cpus_allowed_list: %255s", text);
  if (file) fclose(file);
}

/* Threads of a process that may run where this one may. */
static int free_threads(pid_t of) {
  char pid[24], own[24], path[64], all[256], cpus[256];
  int n = 0;
  snprintf(own, sizeof own, "%d", (int)getpid());
  snprintf(pid, sizeof pid, "%d", (int)of);
  snprintf(path, sizeof path, "/proc/%s/task", pid);
  cpus_of(own, own, all);
  DIR *threads = opendir(path);
  assert_non_null(threads);
  for (struct dirent *entry; (entry = readdir(threads));) {
    cpus_of(pid, entry->d_name, cpus);
    n += *cpus && strcmp(cpus, all) == 0;
  }
  closedir(threads);
  return n;
}

/* OpenMP binds its threads to a CPU each, and workers that have a team of them; reader, preparers
 * and giver may run anywhere, also behind loops of their own. */
static void bound_threads_leave_the_others_free(void **state) {
  (void)state;
  const written_dcd many = {.atoms = ATOMS, .frames = 1000, .place = place};
  char line[4 * PATH_MAX];
  write_dcd(in_folder("many.dcd"), &many);
  const int pipe = fill_pipe("bound.dcd", "many.dcd", 1 << 17), null = open("/dev/null", O_WRONLY);
  snprintf(line, sizeof line, "map %s %s %s --frames 960: --each %s", in_folder("top.psf"),
           in_folder("bound.dcd"), grid, in_folder("bound%d.npy"));
  setenv("OMP_PROC_BIND", "true", 1);
  const pid_t pid = program_start(line, null, null);
  unsetenv("OMP_PROC_BIND");
  while (!exists(in_folder("bound999.npy")) && program_goes_on(pid)) {
  }
  const int n = free_threads(pid);
  assert_int_equal(kill(pid, SIGINT), 0);
  assert_int_equal(program_wait(pid), 1);
  assert_true(n >= 3);
  close(null);
  close(pipe);
}

static void checkpoints_are_heeded(void **state) {
  (void)state;
  char options[512];
  snprintf(options, sizeof options, "--average --checkpoint %s -o %s", in_folder("state"),
           in_folder("kept.npy"));
  assert_int_equal(mkdir(in_folder("state"), 0700), 0);
  assert_status(map_frames("traj.dcd", options), 5);
  assert_contains(program_err, "state: cannot read: Is a directory");
  assert_int_equal(rmdir(in_folder("state")), 0);
  put_file(in_folder("state"), "no checkpoint");
  assert_status(map_frames("traj.dcd", options), 3);
  assert_contains(program_err, "state");
  assert_int_equal(unlink(in_folder("state")), 0);
  assert_status(map_frames("traj.dcd", options), 0);
  assert_false(exists(in_folder("state")));
  assert_true(exists(in_folder("kept.npy")));
}

/* It is removed at the end: so would be the mean, with status 0. */
static void a_checkpoint_is_a_file_of_its_own(void **state) {
  (void)state;
  static const char *const options[] = {
      "--average -o %s/own.npy --checkpoint %s/own.npy",
      "--average -o %s/own.npy --checkpoint %s/./own.npy",
      "--average --variance -o %s/own.npy --checkpoint %s/own_error.npy",
      "--average -o %s/own.npy --checkpoint %s/top.psf"};
  char text[512], top[PATH_MAX];
  size_t before, after;
  snprintf(top, sizeof top, "%s", in_folder("top.psf"));
  free(get_file(top, &before));
  for (int there = 0; there < 2; there++) {
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
      snprintf(text, sizeof text, options[o], in_folder(""), in_folder(""));
      assert_status(map_frames("traj.dcd", text), 2);
      assert_contains(program_err, "expected a file of its own");
    }
    put_file(in_folder("own.npy"), "there");
    put_file(in_folder("own_error.npy"), "there");
  }
  free(get_file(top, &after));
  assert_true(before > 0 && after == before);
}

/* ---- what the stages did ---- */

/* Before the first frame is computed. */
static void places_to_write_are_checked(void **state) {
  (void)state;
  static const char *const nowhere[] = {"--average -o %s", "--average -o x.npy --checkpoint %s"};
  char options[512];
  for (int i = 0; i < 2; i++) {
    snprintf(options, sizeof options, nowhere[i], in_folder("nowhere/x.npy"));
    assert_status(map_frames("traj.dcd", options), 5);
    assert_contains(program_err, "nowhere/x.npy: cannot open for writing");
    assert_null(strstr(program_err, "frames on"));
  }
}

static void stages_are_told(void **state) {
  (void)state;
  char options[256];
  snprintf(options, sizeof options, "--average -o %s --device cpu --time", in_folder("m.npy"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_contains(program_out, "idle, %");
  assert_contains(program_out, "7 frames in ");
  assert_contains(program_out, "; the CPU computed ");
  snprintf(options, sizeof options, "--average -o %s --device cpu --time --csv",
           in_folder("m.npy"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_true(strncmp(program_out, "stage,workers,busy_s,frame_ms,idle_share\nreading,1,", 51) ==
              0);
  assert_contains(program_out, "\ncomputing,1,");
  assert_null(strstr(program_out, "copying")); /* part of nothing on the CPU */
}

/* What takes 2 workers where there are threads for them: those would be on one CPU. */
static void bound_threads_share_frames(void **state) {
  (void)state;
  const written_dcd two_blocks = {.atoms = ATOMS, .frames = 32, .place = place};
  char options[256];
  write_dcd(in_folder("blocks.dcd"), &two_blocks);
  snprintf(options, sizeof options, "--average -o %s --device cpu --time --csv",
           in_folder("bound.npy"));
  assert_int_equal(setenv("OMP_PROC_BIND", "true", 1), 0);
  const int status = map_frames("blocks.dcd", options);
  assert_int_equal(unsetenv("OMP_PROC_BIND"), 0);
  assert_status(status, 0);
  assert_contains(program_out, "\ncomputing,1,");
}

/* A span for each frame in each stage of its own. */
static void stages_are_drawn(void **state) {
  (void)state;
  char options[512];
  dcs_table *table;
  int spans = 0;
  snprintf(options, sizeof options, "--average -o %s --device cpu --timeline %s",
           in_folder("m.npy"), in_folder("timeline"));
  assert_status(map_frames("traj.dcd", options), 0);
  assert_int_equal(dcs_table_read(in_folder("timeline/timeline.csv"), &table), DCS_OK);
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    const double begin = atof(dcs_table_text(table, row, "begin_s"));
    assert_true(begin >= 0 && begin <= atof(dcs_table_text(table, row, "end_s")));
    spans += strcmp(dcs_table_text(table, row, "stage"), "computing") == 0;
  }
  assert_int_equal(spans, FRAMES);
  dcs_table_free(table);
  assert_true(exists(in_folder("timeline/plots/timeline.dat")));
  snprintf(options, sizeof options, "--average --slice z=0 -o %s --timeline %s",
           in_folder("timeline/timeline.csv"), in_folder("timeline"));
  assert_status(map_frames("traj.dcd", options), 2);
  assert_contains(program_err, "timeline.csv is read, or written to; expected another folder");
}

/* ---- what is refused ---- */

static void assert_refused(const char *options, int status, const char *says) {
  assert_status(map_frames("traj.dcd", options), status);
  assert_contains(program_err, says);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  assert_refused("--frames 2 -o x.dx", 2, "--frame 2");
  assert_refused("--variance -o x.dx", 2, "--variance: expected --average");
  assert_refused("--align all -o x.dx", 2, "--align: expected --average or --each");
  assert_refused("--checkpoint c -o x.dx", 2, "--checkpoint: expected --average");
  assert_refused("--timeline t -o x.dx", 2, "--timeline: expected --average or --each");
  assert_refused("--checkpoint c --each a%d.npy", 2, "--checkpoint and --each");
  assert_refused("--average", 2, "--out FILE is missing");
  assert_refused("--average -o x.npy --csv", 2, "--csv: expected --time");
  assert_refused("--average -o x.npy --time --csv --json", 2, "leave one out");
  assert_refused("--each a%d.npy -o x.npy", 2, "--out is of the mean");
  assert_refused("--each a%d.npy --variance", 2, "--variance: expected --average");
  assert_refused("--average --frame 2 -o x.dx", 2, "expected --frames 2");
  assert_refused("--average --at p.csv -o x.csv", 2, "of one frame");
  assert_refused("--average --frames 0 -o x.dx", 2, "counted from 1");
  assert_refused("--average --frames 5:8 -o x.dx", 2, "has 7 whole frames");
  assert_refused("--average -o x.doc", 2, "x.doc");
  put_file(in_folder("m_error.csv"), "x,y,z,q\n1,2,3,1\n");
  assert_status(program_run("map %s %s --average --variance -o %s", in_folder("top.psf"),
                            in_folder("m_error.csv"), in_folder("m.csv")),
                2);
  assert_contains(program_err, "m_error.csv is read, too; expected another name");
  assert_refused("--average --align 1:6 -o x.dx", 2, "from 1 to 5");
  assert_refused("--average --align 1,2 -o x.dx", 2, "lie on a line");
  assert_refused("--average --variance --frames 2 -o x.dx", 2, "found one frame");
  assert_refused("--average --align all --boundary periodic --tolerance 0.01 -o x.dx", 2,
                 "the cell would turn");
  assert_refused("--average --grid 5000^3 -o x.dx", 4, "32 bytes a point for the mean");
  assert_status(program_run("map %s %s -o x.dx", in_folder("top.psf"), "--average"), 2);
  assert_contains(program_err, "found one file");
  assert_status(program_run("map %s - a - --average -o x.dx", in_folder("top.psf")), 2);
  assert_contains(program_err, "found - twice");
  assert_status(program_run("map %s a b -o x.dx", in_folder("top.psf")), 2);
  assert_contains(program_err, "found \"b\", a third file");
  assert_status(
      program_run("map %s %s --average -o x.dx", in_folder("traj.dcd"), in_folder("top.psf")), 3);
  assert_contains(program_err, "gives no charges");
}

static void names_of_each_are_checked(void **state) {
  (void)state;
  static const char *const wrong[] = {"a.npy",   "a%d%d.npy", "a%s.npy", "a%%d.npy",
                                      "a%5.npy", "a%.3d.npy", "a%ld.npy"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char options[64];
    snprintf(options, sizeof options, "--each %s", wrong[i]);
    assert_refused(options, 2, "the frame's number once");
  }
  assert_refused("--each a%d.doc", 2, "a%d.doc");
  assert_refused("--each a%d.png", 2, "a picture is of a slice");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(averages_are_those_of_the_maps),
                                     cmocka_unit_test(each_frame_has_its_file),
                                     cmocka_unit_test(maps_of_frames_have_names_of_their_own),
                                     cmocka_unit_test(the_grid_is_fixed),
                                     cmocka_unit_test(aligned_frames_have_one_map),
                                     cmocka_unit_test(files_are_frames),
                                     cmocka_unit_test(other_problems_have_means),
                                     cmocka_unit_test(cells_change_with_the_frames),
                                     cmocka_unit_test(wrong_cells_are_refused),
                                     cmocka_unit_test(slices_are_written),
                                     cmocka_unit_test(cut_files_are_said),
                                     cmocka_unit_test(a_pipe_that_stalls_is_left),
                                     cmocka_unit_test(bound_threads_leave_the_others_free),
                                     cmocka_unit_test(checkpoints_are_heeded),
                                     cmocka_unit_test(a_checkpoint_is_a_file_of_its_own),
                                     cmocka_unit_test(places_to_write_are_checked),
                                     cmocka_unit_test(stages_are_told),
                                     cmocka_unit_test(bound_threads_share_frames),
                                     cmocka_unit_test(stages_are_drawn),
                                     cmocka_unit_test(what_does_not_fit_is_refused),
                                     cmocka_unit_test(names_of_each_are_checked)};
  return cmocka_run_group_tests(tests, setup, program_teardown);
}
