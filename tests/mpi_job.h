/* Jobs of several ranks, by the mpirun of Open MPI or MPICH. Include after cmocka.h. */
#ifndef DCS_TEST_MPI_JOB_H
#define DCS_TEST_MPI_JOB_H

#include "tests/shell.h"

#include <dirent.h>

static inline int mpi_is_built(void) {
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s-mpi", program_path());
  return exists(path);
}

/* Where the program was not built for MPI, or runs under the thread sanitizer, which knows nothing
 * of MPI's own threads, there is nothing to test. */
static inline int mpi_here(void) {
#ifdef DCS_THREAD_SANITIZER
  return 0;
#else
  return mpi_is_built();
#endif
}

static inline int is_open_mpi(void) {
  static int known = -1;
  if (known < 0) known = system("mpirun --version 2>/dev/null | grep -q 'Open MPI'") == 0;
  return known;
}

/* What starts so many ranks, on however few CPUs; MPI libraries keep memory to their end. */
static inline const char *mpirun(int ranks) {
  static char text[256];
  snprintf(text, sizeof text, "env OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 mpirun %s -n %d",
           is_open_mpi() ? "--oversubscribe --allow-run-as-root" : "", ranks);
  return text;
}

/* Runs `dcsbench-mpi ARGUMENTS` by so many ranks; what they wrote is in `said`. */
static int run_ranks(int ranks, const char *format, ...)
    __attribute__((format(printf, 2, 3), unused));
static int run_ranks(int ranks, const char *format, ...) {
  char arguments[2 * PATH_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(arguments, sizeof arguments, format, args);
  va_end(args);
  return run("%s %s-mpi %s", mpirun(ranks), program_path(), arguments);
}

/* How often a text stands in another. */
static inline int times_in(const char *text, const char *part) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++)
    n++;
  return n;
}

/* ---- a job in the background ---- */

static inline pid_t start_ranks(int ranks, const char *arguments) {
  char *line;
  const int length = asprintf(&line, "exec %s %s-mpi %s >%s 2>&1", mpirun(ranks), program_path(),
                              arguments, in_folder("said"));
  assert_true(length > 0);
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  free(line);
  return pid;
}

/* Waits for its end; its exit status, or 128 and the signal. */
static inline int wait_for_ranks(pid_t job) {
  int status;
  assert_int_equal(waitpid(job, &status, 0), job);
  char *text = get_file(in_folder("said"), NULL);
  snprintf(said, sizeof said, "%s", text);
  free(text);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether a file of /proc has the text as one of its strings, or within one. */
static inline int has_text(const char *pid, const char *file, const char *part, int whole) {
  char path[64];
  size_t bytes;
  int has = 0;
  snprintf(path, sizeof path, "/proc/%.20s/%s", pid, file);
  char *text = get_file(path, &bytes);
  for (const char *at = text; !has && at < text + bytes; at += strlen(at) + 1)
    has = whole ? strcmp(at, part) == 0 : strstr(at, part) != NULL;
  free(text);
  return has;
}

/* The process of a rank that works in the test's folder; 0: there is none. */
static inline pid_t pid_of_rank(int rank) {
  char variable[64];
  pid_t pid = 0;
  snprintf(variable, sizeof variable, is_open_mpi() ? "OMPI_COMM_WORLD_RANK=%d" : "PMI_RANK=%d",
           rank);
  DIR *all = opendir("/proc");
  assert_non_null(all);
  for (struct dirent *entry; pid == 0 && (entry = readdir(all));)
    if (atoi(entry->d_name) > 0 && has_text(entry->d_name, "cmdline", test_folder, 0) &&
        has_text(entry->d_name, "environ", variable, 1))
      pid = atoi(entry->d_name);
  closedir(all);
  return pid;
}

#endif
