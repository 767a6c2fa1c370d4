/* The host's compiler. It is started without a shell; what it reads and writes are files in a
 * temporary folder that is gone when the call returns. */
#include "harness/device/host_compiler.h"

#include "harness/base/process.h"
#include "harness/base/text.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- temporary files ---- */

typedef struct {
  char folder[1024];
  char source[1100], object[1100], log[1100];
} scratch_files;

static void scratch_name_files(scratch_files *scratch) {
  snprintf(scratch->source, sizeof scratch->source, "%s/kernel.cpp", scratch->folder);
  snprintf(scratch->object, sizeof scratch->object, "%s/kernel.so", scratch->folder);
  snprintf(scratch->log, sizeof scratch->log, "%s/log", scratch->folder);
}

static void scratch_remove(const scratch_files *scratch) {
  unlink(scratch->source);
  unlink(scratch->object);
  unlink(scratch->log);
  rmdir(scratch->folder);
}

/* Whether the folder is one of this user's whose process has ended here an hour ago at least: where
 * several machines share the parent, another's process may live on. */
static bool left_behind(int parent, const char *name) {
  enum { AN_HOUR_S = 3600 };
  struct stat facts;
  char *end;
  if (strncmp(name, "dcsbench-", 9) != 0 || name[9] < '1' || name[9] > '9') return false;
  long writer = strtol(name + 9, &end, 10);
  if (*end != '-' || writer > INT_MAX || kill((pid_t)writer, 0) == 0 || errno != ESRCH)
    return false;
  return fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == geteuid() && time(NULL) - facts.st_mtime > AN_HOUR_S;
}

/* Removes what killed processes left. */
static void scratch_sweep_up(const char *parent) {
  scratch_files old;
  DIR *folder = opendir(parent);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (!left_behind(dirfd(folder), entry->d_name)) continue;
    snprintf(old.folder, sizeof old.folder, "%s/%s", parent, entry->d_name);
    scratch_name_files(&old);
    scratch_remove(&old);
  }
  closedir(folder);
}

static dcs_status scratch_make(scratch_files *scratch) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !parent[0]) parent = "/tmp";
  int n = snprintf(scratch->folder, sizeof scratch->folder, "%s/dcsbench-%ld-XXXXXX", parent,
                   (long)getpid());
  if (n < 0 || (size_t)n >= sizeof scratch->folder)
    return dcs_fail(DCS_IO, "TMPDIR is longer than %zu bytes", sizeof scratch->folder - 40);
  scratch_sweep_up(parent);
  if (!mkdtemp(scratch->folder))
    return dcs_fail(DCS_IO, "cannot make a temporary folder in %s: %s", parent, strerror(errno));
  scratch_name_files(scratch);
  return DCS_OK;
}

static dcs_status write_file(const char *path, const void *data, size_t bytes) {
  FILE *out = fopen(path, "wb");
  if (!out) return dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
  bool whole = fwrite(data, 1, bytes, out) == bytes;
  if (fclose(out) != 0) whole = false;
  if (!whole) return dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
  return DCS_OK;
}

/* ---- running ---- */

/* A program that is not there will not be there the next time either. */
static dcs_status could_not_start(const char *program, int error) {
  if (error == ENOENT || error == EACCES)
    return dcs_fail(DCS_UNAVAILABLE, "cannot start %s: %s", program, strerror(error));
  return dcs_want("cannot start %s: %s", program, strerror(error));
}

/* Runs a program with its output going to a file. A signal is not what it makes of its input. */
static dcs_status run(char *const argv[], const char *output, bool *succeeded) {
  int log = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log < 0) return dcs_fail(DCS_IO, "cannot write %s: %s", output, strerror(errno));
  const dcs_program program = {.program = argv[0], .argv = argv, .ends = {-1, log, log}};
  pid_t child;
  int status, error = dcs_process_start(&program, &child);
  close(log);
  if (error) return could_not_start(argv[0], error);
  error = dcs_process_wait(child, &status);
  if (error) return dcs_fail(DCS_IO, "cannot wait for %s: %s", argv[0], strerror(error));
  if (WIFSIGNALED(status)) return dcs_want("%s died: %s", argv[0], strsignal(WTERMSIG(status)));
  *succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return DCS_OK;
}

/* ---- finding ---- */

/* CXX may hold options, as make allows: "ccache g++". */
static dcs_status split_words(dcs_host_compiler *compiler, const char *command) {
  int n = snprintf(compiler->text, sizeof compiler->text, "%s", command);
  compiler->n_words = 0;
  char *rest = compiler->text;
  char *word;
  while ((word = strtok_r(rest, " \t", &rest)) != NULL && compiler->n_words < DCS_COMPILER_WORDS)
    compiler->words[compiler->n_words++] = word;
  if (n < 0 || (size_t)n >= sizeof compiler->text || word || compiler->n_words == 0)
    return dcs_fail(DCS_USAGE, "%s is \"%.200s\"; give a compiler in 1 to %d words",
                    compiler->is_c ? "CC" : "CXX", command, DCS_COMPILER_WORDS);
  return DCS_OK;
}

static dcs_status ask_version(dcs_host_compiler *compiler, const char *command,
                              const scratch_files *scratch) {
  char *argv[DCS_COMPILER_WORDS + 2];
  char option[] = "--version";
  memcpy(argv, compiler->words, (size_t)compiler->n_words * sizeof argv[0]);
  argv[compiler->n_words] = option;
  argv[compiler->n_words + 1] = NULL;
  bool succeeded = false;
  DCS_TRY(run(argv, scratch->log, &succeeded));
  if (!succeeded)
    return dcs_fail(DCS_UNAVAILABLE, "the %s compiler does not work: \"%s --version\" fails",
                    compiler->is_c ? "C" : "C++", command);
  char *said;
  DCS_TRY(dcs_read_file(scratch->log, &said, NULL));
  snprintf(compiler->version, sizeof compiler->version, "%s: %s", command, said);
  free(said);
  return DCS_OK;
}

static dcs_status try_command(dcs_host_compiler *compiler, const char *command) {
  DCS_TRY(split_words(compiler, command));
  scratch_files scratch;
  DCS_TRY(scratch_make(&scratch));
  dcs_status status = ask_version(compiler, command, &scratch);
  scratch_remove(&scratch);
  return status;
}

/* The command that a variable names, else the first that works; a want is not the command's, and
 * another compiler is another method. */
static dcs_status find(dcs_host_compiler *compiler, const char *variable,
                       const char *const commands[3]) {
  const char *chosen = getenv(variable);
  if (chosen && chosen[0]) return try_command(compiler, chosen);
  for (int i = 0; i < 2; i++) {
    dcs_status status = try_command(compiler, commands[i]);
    if (status != DCS_UNAVAILABLE || dcs_wanted()) return status;
  }
  return try_command(compiler, commands[2]);
}

dcs_status dcs_host_compiler_find_c(dcs_host_compiler *compiler) {
  static const char *const commands[] = {"cc", "gcc", "clang"};
  compiler->is_c = true;
  const dcs_status status = find(compiler, "CC", commands);
  if (status != DCS_UNAVAILABLE || dcs_wanted()) return status;
  return dcs_fail(DCS_UNAVAILABLE, "a kernel in C needs a C compiler, and neither cc nor gcc nor "
                                   "clang works here; install gcc, or set CC");
}

dcs_status dcs_host_compiler_find(dcs_host_compiler *compiler) {
  static const char *const commands[] = {"c++", "g++", "clang++"};
  const char *chosen = getenv("CXX");
  compiler->is_c = false;
  const dcs_status status = find(compiler, "CXX", commands);
  if (status != DCS_UNAVAILABLE || dcs_wanted() || (chosen && chosen[0])) return status;
  return dcs_fail(DCS_UNAVAILABLE,
                  "a device that is this CPU needs a C++ compiler, and neither c++ nor "
                  "g++ nor clang++ works here; install g++, or set CXX");
}

/* ---- compiling and loading ---- */

static dcs_status start_compiler(const dcs_host_compiler *compiler, const dcs_source *source,
                                 const scratch_files *scratch, bool *succeeded) {
  char here[PATH_MAX], map[PATH_MAX + 32]; /* so that lines do not depend on where this runs */
  snprintf(map, sizeof map, "-fdebug-prefix-map=%s=.", getcwd(here, sizeof here) ? here : "/");
  const bool c = compiler->is_c;
  const char *const fixed[] = {"-x",
                               c ? "c" : "c++",
                               c ? "-std=gnu11" : "-std=c++17",
                               c ? "-O2" : "-O1",
                               "-fPIC",
                               "-shared",
                               "-w",
                               map,
                               "-o",
                               scratch->object,
                               scratch->source};
  size_t n_fixed = sizeof fixed / sizeof fixed[0];
  size_t n_words = (size_t)compiler->n_words;
  const char **argv = calloc(n_words + n_fixed + (size_t)source->n_options + 1, sizeof *argv);
  if (!argv) return dcs_want("no memory to compile %s", source->name);
  for (size_t i = 0; i < n_words; i++)
    argv[i] = compiler->words[i];
  memcpy(argv + n_words, fixed, sizeof fixed);
  for (int i = 0; i < source->n_options; i++)
    argv[n_words + n_fixed + (size_t)i] = source->options[i];
  dcs_status status = run((char *const *)argv, scratch->log, succeeded);
  free(argv);
  return status;
}

static dcs_status compile(const dcs_host_compiler *compiler, const dcs_source *source,
                          const scratch_files *scratch, void **image, size_t *bytes) {
  DCS_TRY(write_file(scratch->source, source->text, strlen(source->text)));
  bool succeeded = false;
  DCS_TRY(start_compiler(compiler, source, scratch, &succeeded));
  if (succeeded) return dcs_read_file(scratch->object, (char **)image, bytes);
  char *log;
  DCS_TRY(dcs_read_file(scratch->log, &log, NULL));
  dcs_status status = dcs_fail(DCS_FAILED, "%s does not compile with %s:\n%.3000s", source->name,
                               compiler->words[0], log);
  free(log);
  return status;
}

dcs_status dcs_host_compiler_run(const dcs_host_compiler *compiler, const dcs_source *source,
                                 void **image, size_t *bytes) {
  scratch_files scratch;
  DCS_TRY(scratch_make(&scratch));
  dcs_status status = compile(compiler, source, &scratch, image, bytes);
  scratch_remove(&scratch);
  return status;
}

/* Through a file with a name of its own: the loader takes two objects of one name for the same. */
dcs_status dcs_host_compiler_load(const void *image, size_t bytes, void **handle) {
  scratch_files scratch;
  DCS_TRY(scratch_make(&scratch));
  dcs_status status = write_file(scratch.object, image, bytes);
  if (status == DCS_OK) {
    *handle = dlopen(scratch.object, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
      status = dcs_fail(DCS_FAILED,
                        "cannot load a compiled kernel (%s); is TMPDIR on a file "
                        "system mounted noexec?",
                        dlerror());
  }
  scratch_remove(&scratch);
  return status;
}

/* ---- lines ---- */

/* The arguments of addr2line that are places: of the calls, not of what they return to. */
static dcs_status write_codes(const char *path, const uint64_t *codes, int n) {
  FILE *out = fopen(path, "wb");
  if (!out) return dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
  for (int i = 0; i < n; i++)
    fprintf(out, "%llx\n", (unsigned long long)(codes[i] - 1));
  bool whole = !ferror(out);
  if (fclose(out) != 0) whole = false;
  return whole ? DCS_OK : dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
}

static dcs_status ask_lines(const scratch_files *scratch, const void *image, size_t bytes,
                            const uint64_t *codes, int n, char **text) {
  char list[sizeof scratch->source + 1], object[sizeof scratch->object];
  char program[] = "addr2line", option[] = "-e";
  char *const argv[] = {program, option, object, list, NULL};
  bool succeeded = false;
  snprintf(list, sizeof list, "@%s", scratch->source);
  snprintf(object, sizeof object, "%s", scratch->object);
  DCS_TRY(write_file(scratch->object, image, bytes));
  DCS_TRY(write_codes(scratch->source, codes, n));
  DCS_TRY(run(argv, scratch->log, &succeeded));
  if (!succeeded) return dcs_fail(DCS_UNAVAILABLE, "addr2line does not work; install binutils");
  return dcs_read_file(scratch->log, text, NULL);
}

dcs_status dcs_host_compiler_lines(const void *image, size_t bytes, const uint64_t *codes, int n,
                                   char **text) {
  scratch_files scratch;
  DCS_TRY(scratch_make(&scratch));
  dcs_status status = ask_lines(&scratch, image, bytes, codes, n, text);
  scratch_remove(&scratch);
  return status;
}
