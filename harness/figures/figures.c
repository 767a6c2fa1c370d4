/* Draws the figures of a run: writes the data and the script of each and lets gnuplot draw. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#endif
#include "harness/figures/figures.h"

#include "harness/base/decimal.h"
#include "harness/base/embedded.h"
#include "harness/base/file.h"
#include "harness/base/folder.h"
#include "harness/figures/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_PATH = 4096, MAX_MESSAGE = 600 };

static const struct {
  const char *name;
  dcs_status (*data)(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]);
} figures[] = {{"time_vs_atoms", dcs_figure_time_vs_atoms},
               {"rate_vs_coarsening", dcs_figure_rate_vs_coarsening},
               {"rate_vs_edge", dcs_figure_rate_vs_edge},
               {"padding_vs_edge", dcs_figure_padding_vs_edge},
               {"ladder", dcs_figure_ladder},
               {"roofline", dcs_figure_roofline},
               {"crossover_atoms", dcs_figure_crossover_atoms},
               {"crossover_points", dcs_figure_crossover_points},
               {"crossover_map", dcs_figure_crossover_map},
               {"cutoff_time", dcs_figure_cutoff_time},
               {"cutoff_density", dcs_figure_cutoff_density},
               {"cutoff_capacity", dcs_figure_cutoff_capacity},
               {"cutoff_error", dcs_figure_cutoff_error}};

/* Scripts that those of figures load. */
static const char *const shared[] = {"style", "panels", "legend", "crossover", "stacked"};

/* ---- files ---- */

static dcs_status make_path(char path[MAX_PATH], const char *dir, const char *name,
                            const char *ending) {
  if (snprintf(path, MAX_PATH, "%s/%s%s", dir, name, ending) < MAX_PATH) return DCS_OK;
  return dcs_fail(DCS_INPUT, "the name of the run folder is longer than %d bytes", MAX_PATH - 40);
}

static dcs_status write_file(const char *dir, const char *name, const char *ending,
                             const char *text, size_t size) {
  char path[MAX_PATH];
  dcs_file file;
  DCS_TRY(make_path(path, dir, name, ending));
  DCS_TRY(dcs_file_create(&file, path));
  fwrite(text, 1, size, file.stream);
  return dcs_file_close(&file);
}

static dcs_status write_script(const char *dir, const char *name) {
  char path[MAX_PATH];
  DCS_TRY(make_path(path, "plots", name, ".gp"));
  const char *text = dcs_embedded(path);
  if (!text) return dcs_fail(DCS_FAILED, "%s is not built into this program", path);
  return write_file(dir, name, ".gp", text, strlen(text));
}

/* ---- gnuplot ---- */

/* Starts gnuplot in `dir` with its messages going to `messages`; returns 0 or an errno. */
static int start_gnuplot(const char *dir, const char *script, int messages, pid_t *pid) {
  char gnuplot[] = "gnuplot", defaults[] = "-d", file[MAX_PATH];
  char *arguments[] = {gnuplot, defaults, file, NULL}; /* -d: a user's own settings stay out */
  snprintf(file, sizeof file, "%s", script);
  posix_spawn_file_actions_t actions;
  int cause = posix_spawn_file_actions_init(&actions);
  if (cause) return cause;
  cause = posix_spawn_file_actions_addchdir_np(&actions, dir);
  if (!cause)
    cause = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!cause)
    cause = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!cause) cause = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  if (!cause) cause = posix_spawnp(pid, gnuplot, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
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

static dcs_status wait_for_gnuplot(pid_t pid, const char *dir, const char *script,
                                   const char *messages) {
  int status;
  pid_t ended;
  do
    ended = waitpid(pid, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) return dcs_fail(DCS_FAILED, "cannot wait for gnuplot: %s", strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return DCS_OK;
  if (WIFSIGNALED(status))
    return dcs_fail(DCS_FAILED, "gnuplot was ended by signal %d on %s/%s: %s", WTERMSIG(status),
                    dir, script, messages);
  return dcs_fail(DCS_FAILED, "gnuplot failed on %s/%s (exit status %d): %s", dir, script,
                  WEXITSTATUS(status), messages);
}

/* Runs gnuplot on dir/name.gp; *missing is set, and nothing else done, where there is no gnuplot.
 */
static dcs_status run_gnuplot(const char *dir, const char *name, bool *missing) {
  char script[DCS_TEXT], messages[MAX_MESSAGE];
  int ends[2];
  pid_t pid;
  snprintf(script, sizeof script, "%s.gp", name);
  if (pipe2(ends, O_CLOEXEC) != 0)
    return dcs_fail(DCS_FAILED, "cannot make a pipe for gnuplot: %s", strerror(errno));
  int cause = start_gnuplot(dir, script, ends[1], &pid);
  close(ends[1]);
  if (cause == 0) read_messages(ends[0], messages);
  close(ends[0]);
  *missing = cause == ENOENT;
  if (*missing) return DCS_OK;
  if (cause) return dcs_fail(DCS_FAILED, "cannot start gnuplot: %s", strerror(cause));
  return wait_for_gnuplot(pid, dir, script, messages);
}

/* ---- figures ---- */

/* The data of a figure as text, which the caller frees. */
static dcs_status make_data(const dcs_figure_run *run, size_t figure, char **text, size_t *size,
                            char why[DCS_TEXT]) {
  *text = NULL;
  why[0] = '\0';
  FILE *dat = open_memstream(text, size);
  if (!dat) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
  dcs_status status = figures[figure].data(run, dat, why);
  bool failed = ferror(dat) != 0;
  if (fclose(dat) != 0) failed = true;
  if (status == DCS_OK && failed)
    status = dcs_fail(DCS_UNAVAILABLE, "not enough memory for a figure");
  return status;
}

/* Data, script and, where gnuplot is, the pictures. */
static dcs_status draw_data(const char *plots, const char *name, const char *text, size_t size,
                            bool *missing, FILE *out) {
  DCS_TRY(write_file(plots, name, ".dat", text, size));
  DCS_TRY(write_script(plots, name));
  if (!*missing) DCS_TRY(run_gnuplot(plots, name, missing));
  fprintf(out, *missing ? "not drawn: %s/%s.dat and .gp\n" : "drawn: %s/%s.png and .svg\n", plots,
          name);
  return DCS_OK;
}

static void say_missing(FILE *out) {
  fprintf(out, "gnuplot is not on the PATH: install it (Debian, Ubuntu: apt install gnuplot-nox) "
               "and plot again\n");
}

static dcs_status draw_figure(const dcs_figure_run *run, size_t figure, const char *plots,
                              bool *missing, FILE *out) {
  const char *name = figures[figure].name;
  char *text, why[DCS_TEXT];
  size_t size;
  dcs_status status = make_data(run, figure, &text, &size, why);
  if (status == DCS_OK && !why[0]) status = draw_data(plots, name, text, size, missing, out);
  free(text);
  DCS_TRY(status);
  if (why[0]) fprintf(out, "skipped: %s: %s\n", name, why);
  return DCS_OK;
}

static dcs_status draw_all(const dcs_figure_run *run, const char *dir, FILE *out) {
  char plots[MAX_PATH];
  bool missing = false;
  DCS_TRY(make_path(plots, dir, "plots", ""));
  DCS_TRY(dcs_make_folder(plots));
  for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++)
    DCS_TRY(write_script(plots, shared[s]));
  for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++)
    DCS_TRY(draw_figure(run, f, plots, &missing, out));
  if (missing) say_missing(out);
  return DCS_OK;
}

dcs_status dcs_figure_draw(const char *dir, const char *name, const char *data, size_t size,
                           FILE *out) {
  char plots[MAX_PATH];
  bool missing = false;
  DCS_TRY(make_path(plots, dir, "plots", ""));
  DCS_TRY(dcs_make_folder(plots));
  DCS_TRY(write_script(plots, "style"));
  DCS_TRY(draw_data(plots, name, data, size, &missing, out));
  if (missing) say_missing(out);
  return DCS_OK;
}

dcs_status dcs_figures(const char *dir, const char *reference, FILE *out) {
  /* The data need a decimal point whatever the user's locale. */
  locale_t before = dcs_decimal_enter();
  dcs_figure_run run;
  dcs_status status = dcs_figure_load(&run, dir, reference);
  if (status == DCS_OK) status = draw_all(&run, dir, out);
  dcs_figure_unload(&run);
  dcs_decimal_leave(before);
  return status;
}
