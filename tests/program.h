/* Running the program as a user does: arguments in, status and texts out. And a folder of the
 * test's own: group setup and teardown. Include after cmocka.h. */
#ifndef DCS_TEST_PROGRAM_H
#define DCS_TEST_PROGRAM_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/cache_folder.h"

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define DCS_THREAD_SANITIZER
#endif
#endif

/* The machine's limits, which a sweep measures for a second before it begins, are not measured by
 * what this program runs. */
static inline void without_limits(void) {
  setenv("DCS_NO_LIMITS", "1", 1);
}

/* ---- a folder ---- */

static char test_folder[] = "/tmp/dcs-test-program-XXXXXX";

static inline int program_setup(void **state) {
  signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, which the program heeds */
  return cache_folder_make(state) == 0 && mkdtemp(test_folder) ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *facts, int kind,
                               struct FTW *walk) {
  (void)facts, (void)kind, (void)walk;
  return remove(path);
}

static inline int program_teardown(void **state) {
  int failed = nftw(test_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  return cache_folder_remove(state) == 0 ? failed : -1;
}

/* A path in the folder; the last eight stay valid. */
static inline const char *in_folder(const char *name) {
  static char paths[8][PATH_MAX];
  static int next;
  next = (next + 1) % 8;
  snprintf(paths[next], PATH_MAX, "%s/%s", test_folder, name);
  return paths[next];
}

static inline int exists(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0;
}

static inline void put_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, ended by a NUL; "" when there is none. The caller frees them. */
static inline char *get_file(const char *path, size_t *bytes) {
  char *text = calloc(1, 1);
  size_t used = 0, got = 1;
  FILE *file = fopen(path, "r");
  while (file && got > 0) {
    assert_non_null(text = realloc(text, used + 65536 + 1));
    used += got = fread(text + used, 1, 65536, file);
    text[used] = '\0';
  }
  if (file) fclose(file);
  if (bytes) *bytes = used;
  return text;
}

/* ---- the program ---- */

static char program_out[1 << 20], program_err[1 << 16]; /* what the last run wrote */
static rlim_t program_file_limit;                       /* bytes; 0: none */

/* Its runtime does not start where files have less than a kilobyte, as shared memory then has. */
static inline void skip_where_clang_runs_openmp(void) {
#ifdef DCS_THREAD_SANITIZER
  print_message("skipped: clang's OpenMP needs files of a kilobyte\n");
  skip();
#endif
}

static inline const char *program_path(void) {
  static char path[PATH_MAX];
  const char *build = getenv("BUILD");
  snprintf(path, sizeof path, "%s/dcsbench", build && *build ? build : "build");
  return path;
}

enum { PROGRAM_WORDS = 64 };
static unsigned program_seconds = 60; /* a call that lasts longer hangs */

/* Where all tests run, on a machine that may be busy, they have their own limit. */
static inline unsigned program_limit(void) {
  const char *limit = getenv("DCS_TEST_SECONDS");
  const unsigned seconds = limit ? (unsigned)atoi(limit) : 0;
  return seconds > program_seconds ? seconds : program_seconds;
}

/* Cuts a command line at its spaces, in place; '' is an empty argument. */
static inline void program_words(char *line, char *words[PROGRAM_WORDS]) {
  static char name[] = "dcsbench";
  int n = 0;
  words[n++] = name;
  for (char *word = strtok(line, " "); word && n < PROGRAM_WORDS - 1; word = strtok(NULL, " "))
    words[n++] = strcmp(word, "''") == 0 ? word + 2 : word;
  words[n] = NULL;
}

/* In a child: becomes the program. A descriptor below 0 is one that is closed. */
static inline void program_become(const char *arguments, int out, int err) {
  char line[4096], *words[PROGRAM_WORDS];
  snprintf(line, sizeof line, "%s", arguments);
  program_words(line, words);
  int in = open("/dev/null", O_RDONLY);
  dup2(in, STDIN_FILENO);
  if (out < 0)
    close(STDOUT_FILENO);
  else
    dup2(out, STDOUT_FILENO);
  if (err != STDERR_FILENO) dup2(err, STDERR_FILENO);
  for (int fd = 3; fd < 64; fd++)
    close(fd);
  if (program_file_limit > 0) {
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){program_file_limit, program_file_limit});
#ifdef DCS_THREAD_SANITIZER /* it would read from a file of its own behind the limit */
    setenv("TMPDIR", "/dev/null", 1);
#endif
  }
  alarm(program_limit());
  execv(program_path(), words);
  _exit(127);
}

static inline pid_t program_start(const char *arguments, int out, int err) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) program_become(arguments, out, err);
  return pid;
}

/* Whether it still runs, after a pause of 2 ms: for as long as a call may last. */
static inline int program_goes_on(pid_t pid) {
  siginfo_t ended = {0};
  nanosleep(&(struct timespec){0, 2000000}, NULL);
  return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

/* The exit status, or 128 + the signal that ended it. */
static inline int program_wait(pid_t pid) {
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  assert_int_not_equal(code, 127);           /* the program is not built */
  assert_int_not_equal(code, 128 + SIGALRM); /* it hangs */
  return code;
}

static inline void program_take(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

/* Runs it with standard output on a descriptor (below 0: closed). */
static inline int program_run_on(int out, const char *arguments) {
  FILE *err = tmpfile();
  assert_non_null(err);
  int status = program_wait(program_start(arguments, out, fileno(err)));
  program_take(err, program_err, sizeof program_err);
  return status;
}

/* Runs it; leaves its texts in program_out and program_err. */
static inline int program_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int program_run(const char *format, ...) {
  char arguments[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(arguments, sizeof arguments, format, args);
  va_end(args);
  FILE *out = tmpfile();
  assert_non_null(out);
  int status = program_run_on(fileno(out), arguments);
  program_take(out, program_out, sizeof program_out);
  return status;
}

static inline void assert_contains(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("found \"%s\"; expected it to contain \"%s\"", text, part);
}

/* Whether a line is one of progress, which what lasts longer than seconds says. */
static inline int tells_progress(const char *line) {
  if (strspn(line, " 0123456789") == 3 && line[3] == '%') return 1;
  const char *in_all = strstr(line, " in all; ");
  return strncmp(line, "about ", 6) == 0 && in_all && in_all < line + strcspn(line, "\n");
}

/* Fails when the last run wrote to stderr, but for its progress. */
static inline void assert_no_errors(void) {
  for (const char *line = program_err; *line;
       line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
    if (!tells_progress(line)) fail_msg("found \"%s\"; expected nothing", line);
}

/* Fails with what the program said. */
#define assert_status(found, expected)                                                             \
  do {                                                                                             \
    int assert_found = (found);                                                                    \
    if (assert_found != (expected))                                                                \
      fail_msg("status %d, expected %d: %s", assert_found, (expected), program_err);               \
  } while (0)

/* Whether this machine has a GPU and its driver. */
static inline int program_has_gpu(void) {
  assert_status(program_run("info --csv"), 0);
  return strstr(program_out, "\ngpu_name,") != NULL;
}

#endif
