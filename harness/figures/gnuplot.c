#include "harness/figures/figures.h"

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_PATH = 4096, MAX_MESSAGE = 600 };

/* ---- the program ---- */

/* The environment without GNUTERM, which would choose the terminal; NULL when memory is short. The
 * caller frees the list, not its texts. */
static char **without_terminal(void) {
  size_t n = 0, kept = 0;
  while (environ && environ[n])
    n++;
  char **list = malloc((n + 1) * sizeof *list);
  for (size_t i = 0; list && i < n; i++)
    if (strncmp(environ[i], "GNUTERM=", 8) != 0) list[kept++] = environ[i];
  if (list) list[kept] = NULL;
  return list;
}

/* Starts gnuplot in `dir` with its messages going to `messages`; returns 0 or an errno. */
static int start(const char *dir, const char *script, const char *part, int messages, pid_t *pid) {
  char gnuplot[] = "gnuplot", defaults[] = "-d", first[] = "-e", set_part[64], file[DCS_TEXT];
  /* -d: a user's own settings stay out */
  char *arguments[] = {gnuplot, defaults, first, set_part, file, NULL};
  snprintf(set_part, sizeof set_part, "PART = \"%s\"", part);
  snprintf(file, sizeof file, "%s", script);
  char **environment = without_terminal();
  const dcs_program program = {.program = gnuplot,
                               .argv = arguments,
                               .environment = environment,
                               .folder = dir,
                               .ends = {-1, -1, messages}};
  int cause = environment ? dcs_process_start(&program, pid) : ENOMEM;
  free(environment);
  return cause;
}

/* Reads to the end; keeps the beginning as one line. */
static void read_messages(int from, char text[MAX_MESSAGE]) {
  char part[512];
  size_t used = 0;
  ssize_t got;
  while ((got = read(from, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
    for (ssize_t i = 0; i < got && used + 1 < MAX_MESSAGE; i++) {
      bool space = (unsigned char)part[i] <= ' ';
      if (space && (used == 0 || text[used - 1] == ' ')) continue;
      text[used++] = space ? ' ' : part[i];
    }
  if (used > 0 && text[used - 1] == ' ') used--;
  text[used] = '\0';
}

static dcs_status wait_for_end(pid_t pid, const char *dir, const char *script,
                               const char *messages) {
  int status, cause = dcs_process_wait(pid, &status);
  if (cause) return dcs_fail(DCS_FAILED, "cannot wait for gnuplot: %s", strerror(cause));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return DCS_OK;
  if (WIFSIGNALED(status))
    return dcs_fail(DCS_FAILED, "gnuplot was ended by signal %d on %s/%s: %s", WTERMSIG(status),
                    dir, script, messages);
  return dcs_fail(DCS_FAILED, "gnuplot failed on %s/%s (exit status %d): %s", dir, script,
                  WEXITSTATUS(status), messages);
}

static dcs_status run(const char *dir, const char *name, const char *part,
                      char messages[MAX_MESSAGE], bool *missing) {
  char script[DCS_TEXT];
  int ends[2];
  pid_t pid;
  snprintf(script, sizeof script, "%s.gp", name);
  if (pipe2(ends, O_CLOEXEC) != 0)
    return dcs_fail(DCS_FAILED, "cannot make a pipe for gnuplot: %s", strerror(errno));
  int cause = start(dir, script, part, ends[1], &pid);
  close(ends[1]);
  if (cause == 0) read_messages(ends[0], messages);
  close(ends[0]);
  *missing = cause == ENOENT;
  if (*missing) return DCS_OK;
  if (cause) return dcs_fail(DCS_FAILED, "cannot start gnuplot: %s", strerror(cause));
  return wait_for_end(pid, dir, script, messages);
}

/* ---- pictures ---- */

/* Whether first[n_first] and last[n_last] are the ends of bytes[size]. */
static bool has_ends(const char *bytes, size_t size, const char *first, size_t n_first,
                     const char *last, size_t n_last) {
  return size >= n_first + n_last && memcmp(bytes, first, n_first) == 0 &&
         memcmp(bytes + size - n_last, last, n_last) == 0;
}

/* The signature, and the last chunk: its length, name and checksum are those of every picture. */
static bool whole_png(const char *bytes, size_t size) {
  return has_ends(bytes, size, "\211PNG\r\n\032\n", 8, "\0\0\0\0IEND\256B`\202", 12);
}

static bool whole_svg(const char *text, size_t size) {
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' '))
    size--;
  return has_ends(text, size, "<?xml", 5, "</svg>", 6);
}

static dcs_status replace(const char *path, const char *bytes, size_t size) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  fwrite(bytes, 1, size, file.stream);
  return dcs_file_close(&file);
}

/* Puts the picture that was drawn beside in its place, if it is whole. */
static dcs_status take_picture(const char *dir, const char *name, const char *ending,
                               const char *part, const char *messages) {
  char path[MAX_PATH], drawn[MAX_PATH + 64], *bytes;
  size_t size;
  snprintf(path, sizeof path, "%s/%s%s", dir, name, ending);
  snprintf(drawn, sizeof drawn, "%s%s", path, part);
  if (dcs_read_file(drawn, &bytes, &size) != DCS_OK)
    return dcs_fail(DCS_FAILED, "gnuplot ended well and left no picture %s: %s", path, messages);
  unlink(drawn); /* what is in memory is written once more, with the care of every file */
  bool whole = ending[1] == 'p' ? whole_png(bytes, size) : whole_svg(bytes, size);
  dcs_status status =
      whole ? replace(path, bytes, size)
            : dcs_fail(DCS_FAILED,
                       "gnuplot ended well and left a part of %s (%zu bytes); is the disk full? %s",
                       path, size, messages);
  free(bytes);
  return status;
}

static void remove_part(const char *dir, const char *name, const char *ending, const char *part) {
  char path[MAX_PATH + 64];
  snprintf(path, sizeof path, "%s/%s%s%s", dir, name, ending, part);
  unlink(path);
}

dcs_status dcs_gnuplot(const char *dir, const char *name, dcs_gnuplot_pictures *pictures) {
  char part[40], messages[MAX_MESSAGE] = "";
  bool missing = false;
  *pictures = DCS_GNUPLOT_MISSING;
  snprintf(part, sizeof part, ".%ld.part", (long)getpid());
  dcs_status status = run(dir, name, part, messages, &missing);
  if (missing) return status;
  bool svg_alone = strstr(messages, "no pngcairo") != NULL; /* as style.gp says it */
  if (status == DCS_OK && !svg_alone) status = take_picture(dir, name, ".png", part, messages);
  if (status == DCS_OK) status = take_picture(dir, name, ".svg", part, messages);
  remove_part(dir, name, ".png", part);
  remove_part(dir, name, ".svg", part);
  if (status == DCS_OK) *pictures = svg_alone ? DCS_GNUPLOT_SVG : DCS_GNUPLOT_BOTH;
  return status;
}
