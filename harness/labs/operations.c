#include "harness/labs/diagnose.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/files/file.h"
#include "harness/files/folder.h"
#include "harness/labs/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a kernel that counts ---- */

/* Writes what counts, and behind it the kernel, as a file of its name in a folder. */
static dcs_status write_counting(const dcs_variant *variant, const char *kernels,
                                 const char *folder) {
  const char *counted = dcs_embedded("harness/labs/counted.cu");
  const char *name = dcs_lab_file(variant);
  char path[4096], *text;
  dcs_file file;
  if (!counted) return dcs_fail(DCS_UNAVAILABLE, "this program was built without what counts");
  DCS_TRY(dcs_path_in(kernels, name, path));
  DCS_TRY(dcs_read_file(path, &text, NULL));
  dcs_status status = dcs_path_in(folder, name, path);
  if (status == DCS_OK) status = dcs_file_create(&file, path);
  if (status == DCS_OK) {
    fprintf(file.stream, "%s#line 1 \"%s\"\n%s", counted, name, dcs_text_behind_mark(text));
    status = dcs_file_close(&file);
  }
  free(text);
  return status;
}

/* ---- running it ---- */

typedef struct {
  const char *symbol;
  dcs_module *module;
  double count;
} counter;

static void on_launch(void *context, dcs_module *module, const char *kernel, const int64_t grid[3],
                      const int block[3]) {
  (void)kernel, (void)grid, (void)block;
  ((counter *)context)->module = module;
}
static bool on_block(void *context, int64_t block) {
  (void)context, (void)block;
  return true;
}
static bool on_seen(void *context, int thread, const dcs_seen *seen) {
  (void)context, (void)thread, (void)seen;
  return true;
}
static void on_together(void *context) {
  (void)context;
}

/* A device that is watched has its memory in this process. */
static dcs_status on_done(void *context, dcs_device *device) {
  counter *c = context;
  dcs_ptr at;
  size_t bytes;
  DCS_TRY(device->symbol(device, c->module, c->symbol, &at, &bytes));
  c->count = (double)*(const long long *)(uintptr_t)at;
  return DCS_OK;
}

static dcs_status count_in(const char *folder, const dcs_method *method, const dcs_case *c,
                           const char *kernels, dcs_counted what, double *count) {
  counter counted = {.symbol = what == DCS_COUNT_ROOTS ? "dcs_roots" : "dcs_operations"};
  const dcs_observer observer = {&counted, on_launch, on_block, on_seen, on_together};
  const dcs_watch watch = {.observer = &observer, .done = on_done};
  DCS_TRY(write_counting(method->variant, kernels, folder));
  DCS_TRY(dcs_watch_launches(method, c, folder, &watch));
  *count = counted.count;
  return DCS_OK;
}

dcs_status dcs_count_work(dcs_counted what, const dcs_method *method, const dcs_case *c,
                          const char *kernels, double *per_eval) {
  char folder[DCS_TEXT], path[4096];
  const char *parent = getenv("TMPDIR");
  double count = 0;
  snprintf(folder, sizeof folder, "%.200s/dcsbench-lab-XXXXXX",
           parent && *parent ? parent : "/tmp");
  if (!mkdtemp(folder)) return dcs_fail(DCS_IO, "%s: cannot make a temporary folder", folder);
  dcs_status status = count_in(folder, method, c, kernels, what, &count);
  if (dcs_path_in(folder, dcs_lab_file(method->variant), path) == DCS_OK) unlink(path);
  rmdir(folder);
  *per_eval = count / ((double)dcs_points(c->problem.n) * (double)c->n_sites);
  return status;
}
