/* Compiled code written down: by nvdisasm, which cuobjdump calls as well, else as PTX. */
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

enum { N_FOLDERS = 4 };

/* On the PATH (""), then where the toolkit is installed; NULL: no such folder. */
static const char *folder_of(int f, char text[4096]) {
  static const char *const homes[N_FOLDERS] = {"", "CUDA_HOME", "CUDA_PATH", "/usr/local/cuda"};
  const char *home = f == 1 || f == 2 ? getenv(homes[f]) : homes[f];
  if (!home || strlen(home) > 4000) return NULL;
  snprintf(text, 4096, "%s%s", home, *home ? "/bin/" : "");
  return text;
}

/* Runs the disassembler of a folder on a file, its output going to `out`; 0: it did. */
static int run(const char *folder, const char *image, int out) {
  char name[4096 + 16], option[] = "-c", file[4096];
  char *argv[] = {name, option, file, NULL};
  const dcs_program disassembler = {.program = name, .argv = argv, .ends = {-1, out, -1}};
  pid_t pid;
  int status;
  snprintf(name, sizeof name, "%snvdisasm", folder);
  snprintf(file, sizeof file, "%s", image);
  int error = dcs_process_start(&disassembler, &pid);
  if (error == 0) error = dcs_process_wait(pid, &status);
  if (error) return error;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EINVAL;
}

/* Leaves the text in a file; false: there is no disassembler, or it cannot, and `by` says so. */
static bool run_any(const char *image, const char *text, char by[DCS_TEXT]) {
  char folder[4096];
  int error = ENOENT;
  for (int f = 0; f < N_FOLDERS && error == ENOENT; f++) {
    if (!folder_of(f, folder)) continue;
    int out = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) break;
    error = run(folder, image, out);
    close(out);
  }
  snprintf(by, DCS_TEXT, "%s",
           error == 0        ? "nvdisasm"
           : error == ENOENT ? "no nvdisasm on the PATH"
                             : "nvdisasm failed");
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
  listing->machine = run_any(code, text, listing->by);
  return listing->machine ? dcs_read_file(text, &listing->text, NULL) : DCS_OK;
}

dcs_status dcs_cuda_list_code(const dcs_source *source, const char *arch, dcs_listing *listing,
                              dcs_code_facts *facts) {
  void *image;
  size_t bytes;
  char folder[4096];
  *listing = (dcs_listing){.text = NULL};
  DCS_TRY(dcs_nvrtc_compile(source, arch, &image, &bytes, facts));
  dcs_status status = dcs_make_temporary(folder);
  if (status == DCS_OK) status = disassemble(folder, image, bytes, listing);
  if (*folder) dcs_remove_folder(folder);
  free(image);
  DCS_TRY(status);
  return listing->text ? DCS_OK : dcs_nvrtc_ptx(source, arch, &listing->text);
}
