/* The host's C++ compiler. It is started without a shell; what it reads and writes are files in a
 * temporary folder that is gone when the call returns. */
#include "harness/device/host_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- temporary files ---- */

typedef struct {
  char folder[1024];
  char source[1100], object[1100], log[1100];
} scratch_files;

static dcs_status scratch_make(scratch_files *scratch) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !parent[0]) parent = "/tmp";
  int n = snprintf(scratch->folder, sizeof scratch->folder, "%s/dcsbench-XXXXXX", parent);
  if (n < 0 || (size_t)n >= sizeof scratch->folder)
    return dcs_fail(DCS_IO, "TMPDIR is longer than %zu bytes", sizeof scratch->folder - 17);
  if (!mkdtemp(scratch->folder))
    return dcs_fail(DCS_IO, "cannot make a temporary folder in %s: %s", parent, strerror(errno));
  snprintf(scratch->source, sizeof scratch->source, "%s/kernel.cpp", scratch->folder);
  snprintf(scratch->object, sizeof scratch->object, "%s/kernel.so", scratch->folder);
  snprintf(scratch->log, sizeof scratch->log, "%s/log", scratch->folder);
  return DCS_OK;
}

static void scratch_remove(const scratch_files *scratch) {
  unlink(scratch->source);
  unlink(scratch->object);
  unlink(scratch->log);
  rmdir(scratch->folder);
}

static dcs_status write_file(const char *path, const void *data, size_t bytes) {
  FILE *out = fopen(path, "wb");
  if (!out) return dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
  bool whole = fwrite(data, 1, bytes, out) == bytes;
  if (fclose(out) != 0) whole = false;
  if (!whole) return dcs_fail(DCS_IO, "cannot write %s: %s", path, strerror(errno));
  return DCS_OK;
}

/* The whole file with a zero byte after it (malloc'd; the caller frees). */
static dcs_status read_file(const char *path, char **data, size_t *bytes) {
  FILE *in = fopen(path, "rb");
  if (!in) return dcs_fail(DCS_IO, "cannot read %s: %s", path, strerror(errno));
  long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
  *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
  bool whole =
      *data && fseek(in, 0, SEEK_SET) == 0 && fread(*data, 1, (size_t)size, in) == (size_t)size;
  fclose(in);
  if (!whole) {
    free(*data);
    return dcs_fail(DCS_IO, "cannot read %s whole", path);
  }
  (*data)[size] = '\0';
  *bytes = (size_t)size;
  return DCS_OK;
}

/* ---- running ---- */

/* Runs a program with its output going to a file. *wait_status is waitpid's. */
static dcs_status run(char *const argv[], const char *output, int *wait_status) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return dcs_fail(DCS_IO, "cannot start %s: %s", argv[0], strerror(error));
  pid_t child;
  error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error)
    error =
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (!error) error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return dcs_fail(DCS_UNAVAILABLE, "cannot start %s: %s", argv[0], strerror(error));
  while (waitpid(child, wait_status, 0) < 0)
    if (errno != EINTR) return dcs_fail(DCS_IO, "cannot wait for %s: %s", argv[0], strerror(errno));
  return DCS_OK;
}

static bool succeeded(int wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
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
    return dcs_fail(DCS_USAGE, "CXX is \"%.200s\"; give a compiler in 1 to %d words", command,
                    DCS_COMPILER_WORDS);
  return DCS_OK;
}

static dcs_status ask_version(dcs_host_compiler *compiler, const char *command,
                              const scratch_files *scratch) {
  char *argv[DCS_COMPILER_WORDS + 2];
  char option[] = "--version";
  memcpy(argv, compiler->words, (size_t)compiler->n_words * sizeof argv[0]);
  argv[compiler->n_words] = option;
  argv[compiler->n_words + 1] = NULL;
  int wait_status;
  DCS_TRY(run(argv, scratch->log, &wait_status));
  if (!succeeded(wait_status))
    return dcs_fail(DCS_UNAVAILABLE, "the C++ compiler does not work: \"%s --version\" fails",
                    command);
  char *said;
  size_t bytes;
  DCS_TRY(read_file(scratch->log, &said, &bytes));
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

dcs_status dcs_host_compiler_find(dcs_host_compiler *compiler) {
  const char *chosen = getenv("CXX");
  if (chosen && chosen[0]) return try_command(compiler, chosen);
  static const char *const commands[] = {"c++", "g++", "clang++"};
  for (int i = 0; i < 3; i++) {
    dcs_status status = try_command(compiler, commands[i]);
    if (status != DCS_UNAVAILABLE) return status;
  }
  return dcs_fail(DCS_UNAVAILABLE, "the emulated device needs a C++ compiler, and neither c++ nor "
                                   "g++ nor clang++ works here; install g++, or set CXX");
}

/* ---- compiling and loading ---- */

static dcs_status start_compiler(const dcs_host_compiler *compiler, const dcs_source *source,
                                 const scratch_files *scratch, int *wait_status) {
  const char *const fixed[] = {"-std=c++17", "-O1", "-fPIC",         "-shared",
                               "-w",         "-o",  scratch->object, scratch->source};
  size_t n_fixed = sizeof fixed / sizeof fixed[0];
  size_t n_words = (size_t)compiler->n_words;
  const char **argv = calloc(n_words + n_fixed + (size_t)source->n_options + 1, sizeof *argv);
  if (!argv) return dcs_fail(DCS_UNAVAILABLE, "no memory to compile %s", source->name);
  for (size_t i = 0; i < n_words; i++)
    argv[i] = compiler->words[i];
  memcpy(argv + n_words, fixed, sizeof fixed);
  for (int i = 0; i < source->n_options; i++)
    argv[n_words + n_fixed + (size_t)i] = source->options[i];
  dcs_status status = run((char *const *)argv, scratch->log, wait_status);
  free(argv);
  return status;
}

static dcs_status compile(const dcs_host_compiler *compiler, const dcs_source *source,
                          const scratch_files *scratch, void **image, size_t *bytes) {
  DCS_TRY(write_file(scratch->source, source->text, strlen(source->text)));
  int wait_status;
  DCS_TRY(start_compiler(compiler, source, scratch, &wait_status));
  if (succeeded(wait_status)) return read_file(scratch->object, (char **)image, bytes);
  char *log;
  size_t log_bytes;
  DCS_TRY(read_file(scratch->log, &log, &log_bytes));
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
                        "cannot load an emulated kernel (%s); is TMPDIR on a file "
                        "system mounted noexec?",
                        dlerror());
  }
  scratch_remove(&scratch);
  return status;
}
