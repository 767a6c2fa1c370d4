/* Compiled code written down: the toolkit's disassemblers, else the PTX. */
#include "harness/device/cuda/nvrtc.h"

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Both write SASS to their standard output; the second calls the first. */
static const struct {
  const char *name, *option;
} programs[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};
enum { N_PROGRAMS = sizeof programs / sizeof programs[0], N_FOLDERS = 4 };

/* In the loader's search (""), then where the toolkit is installed; NULL: no such folder. */
static const char *folder_of(int f, char text[4096]) {
  static const char *const homes[N_FOLDERS] = {"", "CUDA_HOME", "CUDA_PATH", "/usr/local/cuda"};
  const char *home = f == 1 || f == 2 ? getenv(homes[f]) : homes[f];
  if (!home || strlen(home) > 4000) return NULL;
  snprintf(text, 4096, "%s%s", home, *home ? "/bin/" : "");
  return text;
}

/* Runs a disassembler on a file, its output going to `out`; 0: it did. */
static int run(const char *program, const char *option, const char *image, int out) {
  char name[4096 + 16], how[16], file[4096];
  char *argv[] = {name, how, file, NULL};
  const dcs_program disassembler = {.program = name, .argv = argv, .ends = {-1, out, -1}};
  pid_t pid;
  int status;
  snprintf(name, sizeof name, "%s", program);
  snprintf(how, sizeof how, "%s", option);
  snprintf(file, sizeof file, "%s", image);
  int error = dcs_process_start(&disassembler, &pid);
  if (error == 0) error = dcs_process_wait(pid, &status);
  if (error) return error;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EINVAL;
}

/* What the program p makes of the image, in a file; false: it is not here, or cannot. */
static bool disassemble_by(int p, const char *image, const char *path, char by[DCS_TEXT]) {
  char folder[4096], program[4096 + 16];
  int error = ENOENT;
  for (int f = 0; f < N_FOLDERS && error == ENOENT; f++) {
    if (!folder_of(f, folder)) continue;
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) return false;
    snprintf(program, sizeof program, "%s%s", folder, programs[p].name);
    error = run(program, programs[p].option, image, out);
    close(out);
  }
  if (error == 0) snprintf(by, DCS_TEXT, "%s", programs[p].name);
  if (error && error != ENOENT) snprintf(by, DCS_TEXT, "%s failed", programs[p].name);
  return error == 0;
}

static dcs_status write_image(const char *path, const void *image, size_t bytes) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  (void)fwrite(image, 1, bytes, file.stream); /* closing says what failed */
  return dcs_file_close(&file);
}

/* Machine code in a folder of its own; the text stays NULL where no disassembler writes it. */
static dcs_status disassemble(const char *folder, const void *image, size_t bytes,
                              dcs_listing *listing) {
  char code[4096], text[4096];
  DCS_TRY(dcs_path_in(folder, "kernel.cubin", code));
  DCS_TRY(dcs_path_in(folder, "kernel.sass", text));
  DCS_TRY(write_image(code, image, bytes));
  snprintf(listing->by, sizeof listing->by, "no nvdisasm or cuobjdump on the PATH");
  for (int p = 0; p < N_PROGRAMS; p++) {
    if (!disassemble_by(p, code, text, listing->by)) continue;
    listing->machine = true;
    return dcs_read_file(text, &listing->text, NULL);
  }
  return DCS_OK;
}

dcs_status dcs_cuda_list_code(const dcs_source *source, const char *arch, dcs_listing *listing,
                              dcs_code_facts *facts) {
  void *image;
  size_t bytes;
  char folder[4096];
  DCS_TRY(dcs_nvrtc_compile(source, arch, &image, &bytes, facts));
  dcs_status status = dcs_make_temporary(folder);
  if (status == DCS_OK) status = disassemble(folder, image, bytes, listing);
  if (*folder) dcs_remove_folder(folder);
  free(image);
  DCS_TRY(status);
  return listing->text ? DCS_OK : dcs_nvrtc_ptx(source, arch, &listing->text);
}
