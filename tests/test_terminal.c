/* Progress is drawn on a terminal, fits its width as it is now, and is a line every ten seconds
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/progress.h"
#include "tests/run_folder.h"
#include "tuning/search/search.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

static const char erase[] = "\r\033[K"; /* what a progress line starts with */

/* What came through the terminal. */
typedef struct {
  int master;
  pid_t pid;
  char text[1 << 18];
  size_t used;
} terminal;

static terminal tty;

static void start_on_terminal(const char *arguments, unsigned short columns) {
  struct winsize size = {.ws_row = 24, .ws_col = columns};
  fflush(NULL);
  tty.used = 0;
  tty.text[0] = '\0';
  tty.pid = forkpty(&tty.master, NULL, NULL, &size);
  assert_true(tty.pid >= 0);
  if (tty.pid == 0) program_become(arguments, open("/dev/null", O_WRONLY), STDERR_FILENO);
}

/* Reads more, waiting up to `wait_ms`; false when there was none, or no more will come. */
static bool read_more(int wait_ms) {
  struct pollfd p = {.fd = tty.master, .events = POLLIN};
  assert_true(tty.used < sizeof tty.text - 1);
  if (poll(&p, 1, wait_ms) <= 0) return false;
  ssize_t got = read(tty.master, tty.text + tty.used, sizeof tty.text - 1 - tty.used);
  if (got <= 0) return false; /* EIO: the other end is closed */
  tty.used += (size_t)got;
  tty.text[tty.used] = '\0';
  return true;
}

static int lines_from(size_t start) {
  int n = 0;
  for (const char *at = tty.text + start; (at = strstr(at, erase)) != NULL; at++)
    n++;
  return n;
}

/* Reads until there are `n` lines more than those before `start`. */
static void read_lines(size_t start, int n) {
  while (lines_from(start) < n)
    assert_true(read_more((int)program_seconds * 1000));
}

static int end_on_terminal(void) {
  while (read_more((int)program_seconds * 1000))
    ;
  close(tty.master);
  return program_wait(tty.pid);
}

/* Checks that whole progress lines from `start` on fit, leaving out the first `skipped`; returns
 * the longest. */
static size_t check_lines(size_t start, int skipped, size_t columns) {
  size_t longest = 0;
  int n = 0;
  const char *at = strstr(tty.text + start, erase);
  for (const char *next; at && (next = strstr(at + 1, erase)) != NULL; at = next) {
    const char *line = at + strlen(erase);
    size_t length = (size_t)(next - line);
    if (n++ < skipped) continue;
    if (length > columns) fail_msg("%zu columns of %zu: %.*s", length, columns, (int)length, line);
    for (size_t i = 0; i < length; i++)
      assert_true(line[i] >= ' ' && line[i] <= '~');
    char *percent;
    double share = strtod(line, &percent);
    assert_true(*percent == '%' && share >= 0 && share <= 100);
    if (length > longest) longest = length;
  }
  assert_true(n > skipped);
  return longest;
}

/* Long: its time left takes minutes, so that a line in full needs more than 40 columns. */
static void progress_fits_the_terminal_as_it_is_resized(void **state) {
  (void)state;
  char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --variants cpu_scatter_hoisted --config threads=1 --atoms 50 --grid 8^3 --rounds "
           "100000 --budget 1000 --out %s",
           in_folder("long"));
  setenv("TERM", "xterm", 1);
  start_on_terminal(line, 40);
  while (!strstr(tty.text, " left  "))
    assert_true(read_more((int)program_seconds * 1000));
  read_lines(0, lines_from(0) + 3);
  assert_int_equal(check_lines(0, 0, 40), 39); /* cut off: it would take more */

  struct winsize narrow = {.ws_row = 24, .ws_col = 25};
  assert_int_equal(ioctl(tty.master, TIOCSWINSZ, &narrow), 0);
  while (read_more(0))
    ;
  size_t resized = tty.used;
  read_lines(resized, 6);
  assert_int_equal(check_lines(resized, 2, 25), 24); /* two may have been under way */

  size_t before = tty.used;
  assert_int_equal(write(tty.master, "\003", 1), 1); /* control-C, to worker and parent */
  assert_int_equal(end_on_terminal(), 1);
  assert_contains(tty.text + before, "--resume");
  check_run("long", 1, 0);
}

static const char *short_sweep(const char *run) {
  static char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --variants cpu_simd,cpu_gather --config threads=1 --atoms 50 --grid 8^3 --rounds "
           "100 --out %s",
           in_folder(run));
  return line;
}

/* But for a line every ten seconds, which a busy machine may take. */
static void a_pipe_gets_no_drawn_progress(void **state) {
  (void)state;
  setenv("TERM", "xterm", 1);
  assert_status(program_run("%s", short_sweep("pipe")), 0);
  assert_null(strpbrk(program_err, "\r\033"));
  assert_null(strpbrk(program_out, "\r\033%"));
  assert_non_null(strstr(program_out, "2 measurements ok, 0 failed"));
  assert_status(program_run("verify --variants cpu_simd"), 0);
  assert_null(strpbrk(program_err, "\r\033"));
  assert_null(strpbrk(program_out, "\r\033%"));
}

static void a_terminal_gets_it_and_the_files_do_not(void **state) {
  (void)state;
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv"};
  setenv("TERM", "xterm", 1);
  start_on_terminal(short_sweep("shown"), 80);
  assert_int_equal(end_on_terminal(), 0);
  assert_contains(tty.text, "%");
  check_lines(0, 0, 80);
  /* The last thing drawn is an erased line, so that the shell's prompt starts clean. */
  assert_true(tty.used > strlen(erase));
  assert_string_equal(tty.text + tty.used - strlen(erase), erase);
  check_run("shown", 2, 100);
  for (int f = 0; f < 3; f++) {
    char *shown = run_file("shown", names[f], NULL), *piped = run_file("pipe", names[f], NULL);
    assert_null(strpbrk(shown, "\r\033"));
    assert_int_equal(strcspn(shown, "\n"), strcspn(piped, "\n"));
    assert_int_equal(strncmp(shown, piped, strcspn(piped, "\n")), 0);
    free(shown);
    free(piped);
  }
}

/* Both steps are drawn, and the last line says what was written. */
static void a_map_draws_its_computing_and_writing(void **state) {
  (void)state;
  char line[3 * PATH_MAX];
  snprintf(line, sizeof line, "generate water --atoms 30 -o %s", in_folder("water.pqr"));
  assert_status(program_run("%s", line), 0);
  snprintf(line, sizeof line, "map %s -o %s --grid 20^3", in_folder("water.pqr"),
           in_folder("map.npy"));
  setenv("TERM", "xterm", 1);
  start_on_terminal(line, 300);
  assert_int_equal(end_on_terminal(), 0);
  assert_contains(tty.text, "  0%  computing");
  assert_contains(tty.text, "  0%  writing");
  snprintf(line, sizeof line, "%s%s: 20x20x20 points, e/A, NumPy, 0.0321 MB, computed ", erase,
           in_folder("map.npy"));
  const char *last = strstr(tty.text, line);
  assert_non_null(last);
  assert_contains(last, " s, written in ");
}

/* Which strategy, and how many of its seeds are done; the table starts on a line of its own. */
static void a_study_draws_its_seeds(void **state) {
  (void)state;
  char line[3 * PATH_MAX], journal[4 * PATH_MAX] = "", row[PATH_MAX];
  FILE *shipped = fopen("results/reference/nvidia-h200/journal_padded.csv", "r");
  assert_non_null(shipped);
  for (int rows = 0; rows < 31 && fgets(row, sizeof row, shipped); rows++)
    strcat(journal, row);
  assert_int_equal(fclose(shipped), 0);
  put_file(in_folder("journal.csv"), journal);
  snprintf(line, sizeof line, "tune --study %s --out %s", in_folder("journal.csv"),
           in_folder("study"));
  setenv("TERM", "xterm", 1);
  start_on_terminal(line, 80);
  assert_int_equal(end_on_terminal(), 0);
  assert_contains(tty.text, "\r\033[K  0%  ");
  for (int k = 0; k < dcs_n_strategies; k++)
    if (strstr(tty.text, dcs_strategies[k].name)) return;
  fail_msg("no strategy is named: %s", tty.text);
}

static void a_dumb_terminal_gets_no_drawn_one(void **state) {
  (void)state;
  setenv("TERM", "dumb", 1);
  start_on_terminal(short_sweep("dumb"), 80);
  assert_int_equal(end_on_terminal(), 0);
  assert_null(memchr(tty.text, '\033', tty.used));
  unsetenv("TERM");
  start_on_terminal(short_sweep("none"), 80);
  assert_int_equal(end_on_terminal(), 0);
  assert_null(memchr(tty.text, '\033', tty.used));
}

/* A message takes the line's place and does not run into it. */
static void messages_start_on_a_line_of_their_own(void **state) {
  (void)state;
  char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --variants cpu_simd,cuda_naive --config threads=1,block_x=1024,block_y=4 --atoms "
           "50,60 "
           "--grid 8^3 --rounds 60 --out %s",
           in_folder("said"));
  setenv("TERM", "xterm", 1);
  start_on_terminal(line, 80);
  assert_int_equal(end_on_terminal(), 0);
  const char *said = strstr(tty.text, "cuda_naive block_x=1024,block_y=4 on 60 atoms");
  assert_non_null(said);
  assert_true(said >= tty.text + strlen(erase));
  assert_int_equal(strncmp(said - strlen(erase), erase, strlen(erase)), 0);
  assert_contains(said, "\r\n");
}

/* The table has a screen of its own, which fits the terminal and is left whatever ends the run. */
static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[?25h\033[?1049l",
                  home[] = "\033[H";

static int times_of_text(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text++)
    n++;
  return n;
}

static void read_frames(size_t start, int n) {
  while (times_of_text(tty.text + start, home) < n)
    assert_true(read_more((int)program_seconds * 1000));
}

/* Checks whole frames from `start` on: lines, and columns of each; returns the most lines. */
static int check_frames(size_t start, int rows, int columns) {
  int most = 0;
  const char *at = strstr(tty.text + start, home);
  for (const char *next; at && (next = strstr(at + 1, home)); at = next) {
    int lines = 1, width = 0;
    for (const char *c = at + strlen(home); c < next; c++) {
      if (*c == '\033') {
        c += 2; /* [K and [J: erased */
      } else if (*c == '\n') {
        lines++;
        width = 0;
      } else if (*c != '\r' && ((unsigned char)*c & 0xc0) != 0x80 && ++width > columns) {
        fail_msg("more than %d columns: %.200s", columns, at);
      }
    }
    if (lines > rows) fail_msg("%d lines of %d", lines, rows);
    most = lines > most ? lines : most;
  }
  return most;
}

static const char *watched(const char *run, const char *options) {
  static char line[PATH_MAX + 256];
  snprintf(line, sizeof line,
           "sweep --watch --variants cpu_simd,cpu_gather,cpu_scatter --config threads=1 --atoms "
           "10:90:10 --grid 8^3 %s --out %s",
           options, in_folder(run));
  return line;
}

static void the_table_grows_and_the_terminal_is_as_before(void **state) {
  (void)state;
  setenv("TERM", "xterm", 1);
  start_on_terminal(watched("watched", "--rounds 20"), 100);
  assert_int_equal(end_on_terminal(), 0);
  assert_int_equal(times_of_text(tty.text, enter), 1);
  const char *left = strstr(tty.text, leave);
  assert_non_null(left);
  assert_null(strstr(left, home)); /* nothing is drawn behind */
  assert_contains(tty.text, "  variant");
  assert_contains(tty.text, "  10 atoms, 8x8x8");
  assert_contains(tty.text, " measured so far");
  check_frames(0, 24, 100);
  check_run("watched", 27, 20);
}

static void the_table_fits_as_the_terminal_is_resized(void **state) {
  (void)state;
  setenv("TERM", "xterm", 1);
  start_on_terminal(watched("resized", "--rounds 3000"), 100);
  read_frames(0, 3);
  struct winsize small = {.ws_row = 6, .ws_col = 30};
  assert_int_equal(ioctl(tty.master, TIOCSWINSZ, &small), 0);
  while (read_more(0))
    ;
  read_frames(tty.used, 2); /* one may have been under way */
  size_t resized = tty.used;
  read_frames(resized, 8);
  assert_in_range(check_frames(resized, 6, 30), 4, 6);

  assert_int_equal(write(tty.master, "\003", 1), 1); /* control-C */
  assert_int_equal(end_on_terminal(), 1);
  const char *left = strstr(tty.text, leave);
  assert_non_null(left);
  assert_contains(left, "--resume");
}

static void a_table_needs_a_terminal(void **state) {
  (void)state;
  setenv("TERM", "xterm", 1);
  assert_status(program_run("%s", watched("piped", "")), 2);
  assert_contains(program_err, "--watch is for a terminal");
  assert_false(exists(in_folder("piped")));
}

/* What is drawn with standard error in a file, as if the work had begun so long ago. */
static void draw_elsewhere(double seconds, bool quiet, int times, char text[256]) {
  FILE *file = tmpfile();
  const int before = dup(STDERR_FILENO);
  assert_non_null(file);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  dcs_progress progress = dcs_progress_start();
  progress.started_ns -= 1e9 * seconds;
  progress.first_ns = progress.started_ns;
  progress.quiet = quiet;
  progress.advice = "--budget ends it sooner";
  for (int i = 0; i < times; i++)
    dcs_progress_draw(&progress, 0.1, "cuda_naive");
  dcs_progress_clear(&progress);
  dcs_progress_draw(&progress, 0.1, "cuda_naive");
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  program_take(file, text, 256);
}

static void elsewhere_a_line_every_ten_seconds(void **state) {
  (void)state;
  char text[256];
  draw_elsewhere(2, false, 3, text);
  assert_string_equal(text, "");
  draw_elsewhere(5, false, 3, text); /* 50 s in all need no advice */
  assert_string_equal(text, "");
  draw_elsewhere(20, false, 3, text);
  assert_string_equal(text, "about 3 min 20 s in all; --budget ends it sooner\n"
                            " 10%  3 min 0 s left  cuda_naive\n");
  draw_elsewhere(20, true, 3, text);
  assert_string_equal(text, "");
}

/* Fifty seconds of compiling, then a tenth in five seconds. */
static void preparation_is_not_done_again(void **state) {
  (void)state;
  char text[256];
  FILE *file = tmpfile();
  const int before = dup(STDERR_FILENO);
  assert_non_null(file);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  dcs_progress progress = dcs_progress_start();
  progress.started_ns -= 55e9;
  dcs_progress_draw(&progress, 0.02, "cuda_naive");
  progress.first_ns -= 5e9;
  progress.drawn_ns = 0;
  dcs_progress_draw(&progress, 0.12, "cuda_naive");
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  program_take(file, text, sizeof text);
  assert_string_equal(text, "  2%  cuda_naive\n 12%  44 s left  cuda_naive\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_grows_and_the_terminal_is_as_before),
      cmocka_unit_test(the_table_fits_as_the_terminal_is_resized),
      cmocka_unit_test(a_table_needs_a_terminal),
      cmocka_unit_test(progress_fits_the_terminal_as_it_is_resized),
      cmocka_unit_test(a_pipe_gets_no_drawn_progress),
      cmocka_unit_test(a_terminal_gets_it_and_the_files_do_not),
      cmocka_unit_test(a_map_draws_its_computing_and_writing),
      cmocka_unit_test(a_study_draws_its_seeds),
      cmocka_unit_test(a_dumb_terminal_gets_no_drawn_one),
      cmocka_unit_test(messages_start_on_a_line_of_their_own),
      cmocka_unit_test(elsewhere_a_line_every_ten_seconds),
      cmocka_unit_test(preparation_is_not_done_again),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
