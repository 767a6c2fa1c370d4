/* The limits of a device: chains.cu and copy.cu timed with its own events, copies
 * and launches with the wall clock. */
#include "harness/base/clock.h"
#include "harness/device/kernel_source.h"
#include "harness/limits/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much is done: `runs` timed runs, or one that is only checked when 0. */
typedef struct {
  dcs_device *device;
  int64_t blocks;     /* of the arithmetic */
  int threads, links; /* of a block, of a chain */
  int64_t copied;     /* float4 of copy.cu */
  int runs;
  bool arithmetic; /* whether its rates are limits */
} effort;

enum { MOST_OPTIONS = 3, RUNS = 10, COPY_RUNS = 5, COPY_BYTES = 1 << 26, LAUNCHES = 1000 };

/* Chains of one operation, which end at `value`. The change of sign of exp2 takes another pipe than
 * the special function units, one of a scheduler's 8 cycles. */
typedef struct {
  const char *source;
  const char *options[MOST_OPTIONS];
  int chains; /* of a thread */
  float value;
  int per_link; /* operations of a thread and chain */
  bool lacking; /* cards may have no such units */
  const char *name, *how;
} chains;

#define CHAINS_CU "harness/limits/chains.cu"

static const chains all_chains[] = {
    {CHAINS_CU,
     {"-DCHAINS=8", "-DUNROLL=4", "-DLINK=rsqrtf(y)"},
     8,
     1.0f,
     1,
     false,
     "gpu_rsqrt_per_s",
     "8 independent chains of rsqrt a thread"},
    {CHAINS_CU,
     {"-DCHAINS=8", "-DUNROLL=4", "-DLINK=exp2f(-y)"},
     8,
     0.6411857f,
     1,
     false,
     "gpu_exp2_per_s",
     "8 independent chains of 2^-y a thread"},
    {CHAINS_CU,
     {"-DCHAINS=8", "-DUNROLL=8", "-DLINK=y*half+1.0f"},
     8,
     2.0f,
     1,
     false,
     "gpu_fma_per_s",
     "8 independent chains of y m + c a thread"},
    {"harness/limits/products.cu",
     {"-DCHAINS=8", "-DUNROLL=2"},
     8,
     1.0f,
     16 * 8 * 8 / 32,
     true,
     "gpu_tf32_fma_per_s",
     "8 independent sums of products a warp, 16 x 8 by 8 x 8 in TF32 (mma.sync)"},
    {"harness/limits/warpgroup_products.cu",
     {"-DCHAINS=2"},
     2,
     1.0f,
     64 * 64 * 8 / 128,
     true,
     "gpu_wgmma_tf32_fma_per_s",
     "2 independent sums of products a warpgroup, 64 x 8 by 8 x 64 in TF32 (wgmma)"}};

/* ---- kernels ---- */

static dcs_status timed_launch(const effort *e, dcs_module *module, int64_t blocks, void **args,
                               double *ns) {
  dcs_device *device = e->device;
  DCS_TRY(device->record_event(device, 0));
  DCS_TRY(device->launch(device, module, "dcs", (int64_t[]){blocks, 1, 1},
                         (int[]){e->threads, 1, 1}, args));
  DCS_TRY(device->record_event(device, 1));
  return e->runs ? device->elapsed_ns(device, 0, 1, ns) : device->synchronize(device);
}

/* The first launch warms up. */
static dcs_status timed_launches(const effort *e, dcs_module *module, int64_t blocks, void **args,
                                 double ns[DCS_MAX_LIMIT_RUNS]) {
  DCS_TRY(timed_launch(e, module, blocks, args, &ns[0]));
  for (int r = 0; r < e->runs; r++)
    DCS_TRY(timed_launch(e, module, blocks, args, &ns[r]));
  return DCS_OK;
}

static dcs_status load(const effort *e, const char *path, const char *const *options, int n,
                       dcs_module **module) {
  dcs_kernel_source kernel;
  dcs_code_facts facts;
  DCS_TRY(dcs_kernel_source_built_in(path, &kernel));
  kernel.source.options = options;
  kernel.source.n_options = n;
  const dcs_status status = e->device->load(e->device, &kernel.source, module, &facts);
  dcs_kernel_source_free(&kernel);
  return status;
}

/* Whether the last of `n` floats is what it should be. */
static dcs_status check_last(const effort *e, const char *what, dcs_ptr out, int64_t n,
                             float expected) {
  float last;
  const dcs_dims one = {sizeof last, 1, 1};
  dcs_ptr at = out + (dcs_ptr)(n - 1) * sizeof last;
  DCS_TRY(e->device->copy_out(e->device, &last, one, at, one));
  DCS_TRY(e->device->synchronize(e->device));
  if (fabsf(last - expected) <= 1e-3f * expected) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%s computed %g instead of %g", what, (double)last, (double)expected);
}

/* Fewer links than asked for where a launch of all would take long: *links is args[1]. */
static dcs_status fit_links(const effort *e, dcs_module *module, void **args, int *links) {
  enum { FEW = 64 };
  const double most_ns = 5e7;
  double ns = 0;
  if (e->runs == 0) return DCS_OK;
  *links = FEW;
  for (int r = 0; r < 2; r++) /* the first warms up */
    DCS_TRY(timed_launch(e, module, e->blocks, args, &ns));
  const double fit = FEW * most_ns / fmax(ns, 1);
  *links = fit >= e->links ? e->links : (int)fmax(fit, FEW);
  return DCS_OK;
}

/* *links: how many a chain had. */
static dcs_status arithmetic(const effort *e, const chains *c, int *links,
                             double ns[DCS_MAX_LIMIT_RUNS]) {
  dcs_device *device = e->device;
  int64_t n = e->blocks * e->threads;
  dcs_module *module;
  dcs_ptr out;
  float half = 0.5f;
  void *args[] = {&out, links, &half};
  *links = e->links;
  int n_options = 0;
  while (n_options < MOST_OPTIONS && c->options[n_options])
    n_options++;
  DCS_TRY(load(e, c->source, c->options, n_options, &module));
  dcs_status status = device->alloc(device, (size_t)n * sizeof(float), &out);
  if (status == DCS_OK) {
    status = fit_links(e, module, args, links);
    if (status == DCS_OK) status = timed_launches(e, module, e->blocks, args, ns);
    if (status == DCS_OK) status = check_last(e, c->name, out, n, (float)c->chains * c->value);
    device->release(device, out);
  }
  device->unload(device, module);
  return status;
}

static dcs_status copy_between(const effort *e, dcs_module *module, dcs_ptr to, dcs_ptr from,
                               double ns[DCS_MAX_LIMIT_RUNS]) {
  dcs_device *device = e->device;
  int n = (int)e->copied;
  void *args[] = {&to, &from, &n};
  const uint32_t one = 0x3f800000u;
  DCS_TRY(device->fill(device, from, one, 4 * (size_t)e->copied));
  DCS_TRY(device->fill(device, to, 0, 4 * (size_t)e->copied));
  DCS_TRY(timed_launches(e, module, dcs_round_up(n, e->threads) / e->threads, args, ns));
  return check_last(e, "copy.cu", to, 4 * e->copied, 1.0f);
}

static dcs_status memory(const effort *e, double ns[DCS_MAX_LIMIT_RUNS]) {
  dcs_device *device = e->device;
  size_t bytes = (size_t)e->copied * 16;
  dcs_module *module;
  dcs_ptr to = 0, from = 0;
  DCS_TRY(load(e, "harness/limits/copy.cu", NULL, 0, &module));
  dcs_status status = device->alloc(device, bytes, &to);
  if (status == DCS_OK) status = device->alloc(device, bytes, &from);
  if (status == DCS_OK) status = copy_between(e, module, to, from, ns);
  device->release(device, to);
  device->release(device, from);
  device->unload(device, module);
  return status;
}

/* ---- copies and launches ---- */

static dcs_status copies(dcs_device *device, dcs_ptr there, void *host, const char *names[2],
                         const char *how, dcs_limits *limits) {
  const dcs_dims n = {COPY_BYTES, 1, 1};
  double in[COPY_RUNS + 1], out[COPY_RUNS + 1];
  memset(host, 0, COPY_BYTES);
  for (int r = 0; r <= COPY_RUNS; r++) { /* the first warms up */
    double start = dcs_now_ns();
    DCS_TRY(device->copy_in(device, there, host, COPY_BYTES));
    DCS_TRY(device->synchronize(device));
    double between = dcs_now_ns();
    DCS_TRY(device->copy_out(device, host, n, there, n));
    DCS_TRY(device->synchronize(device));
    in[r] = between - start;
    out[r] = dcs_now_ns() - between;
  }
  dcs_limits_add_rate(limits, names[0], "bytes/s", how, COPY_BYTES, in + 1, COPY_RUNS);
  dcs_limits_add_rate(limits, names[1], "bytes/s", how, COPY_BYTES, out + 1, COPY_RUNS);
  return DCS_OK;
}

static dcs_status measure_copies(dcs_device *device, dcs_limits *limits) {
  static const char *pageable[] = {"gpu_copy_in_pageable_bytes_per_s",
                                   "gpu_copy_out_pageable_bytes_per_s"};
  static const char *pinned[] = {"gpu_copy_in_pinned_bytes_per_s",
                                 "gpu_copy_out_pinned_bytes_per_s"};
  dcs_ptr there;
  dcs_ptr seen; /* the locked memory's address for kernels */
  void *ordinary = malloc(COPY_BYTES), *locked = NULL;
  if (!ordinary) return dcs_fail(DCS_UNAVAILABLE, "no memory to measure copies with");
  dcs_status status = device->alloc(device, COPY_BYTES, &there);
  if (status == DCS_OK) {
    status = copies(device, there, ordinary, pageable, "64 MiB, ordinary host memory", limits);
    if (status == DCS_OK) status = device->alloc_host(device, COPY_BYTES, &locked, &seen);
    if (status == DCS_OK)
      status = copies(device, there, locked, pinned, "64 MiB, page-locked host memory", limits);
    device->release_host(device, locked);
    device->release(device, there);
  }
  free(ordinary);
  return status;
}

/* Copies of nothing, one behind the other. */
static dcs_status measure_launch(dcs_device *device, dcs_limits *limits) {
  double ns[COPY_RUNS + 1];
  effort e = {.device = device};
  dcs_module *module;
  dcs_ptr nowhere = 0;
  int none = 0;
  void *args[] = {&nowhere, &nowhere, &none};
  DCS_TRY(load(&e, "harness/limits/copy.cu", NULL, 0, &module));
  dcs_status status = DCS_OK;
  for (int r = 0; status == DCS_OK && r <= COPY_RUNS; r++) {
    double start = dcs_now_ns();
    for (int l = 0; status == DCS_OK && l < LAUNCHES; l++)
      status = device->launch(device, module, "dcs", (int64_t[]){1, 1, 1}, (int[]){32, 1, 1}, args);
    if (status == DCS_OK) status = device->synchronize(device);
    ns[r] = dcs_now_ns() - start;
  }
  device->unload(device, module);
  DCS_TRY(status);
  dcs_limits_add_time(limits, "gpu_launch_ns", "1,000 launches of one block, back to back",
                      LAUNCHES, ns + 1, COPY_RUNS);
  return DCS_OK;
}

/* ---- the whole ---- */

static dcs_status kernels(const effort *e, dcs_limits *limits) {
  double ns[DCS_MAX_LIMIT_RUNS];
  int links;
  for (size_t c = 0; e->arithmetic && c < sizeof all_chains / sizeof all_chains[0]; c++) {
    const chains *chain = &all_chains[c];
    const dcs_status status = arithmetic(e, chain, &links, ns);
    if (status != DCS_OK && chain->lacking && e->runs) continue;
    DCS_TRY(status);
    const double per_link = (double)chain->chains * chain->per_link;
    const double work = per_link * (double)links * (double)e->blocks * e->threads;
    if (e->runs) dcs_limits_add_rate(limits, chain->name, "1/s", chain->how, work, ns, e->runs);
  }
  DCS_TRY(memory(e, ns));
  if (e->runs)
    dcs_limits_add_rate(limits, "gpu_memory_bytes_per_s", "bytes/s",
                        "copy from array to array, reads and writes counted",
                        32 * (double)e->copied, ns, e->runs);
  return DCS_OK;
}

dcs_status dcs_measure_device(dcs_device *device, bool all, dcs_limits *limits) {
  dcs_device_info info;
  *limits = (dcs_limits){.n = 0};
  if (!device->timed)
    return dcs_fail(DCS_UNAVAILABLE, "this device has no times: it exists for correctness");
  DCS_TRY(device->info(device, &info));
  int64_t copied = info.memory_bytes / 128; /* two arrays of an eighth each, at most 512 MiB */
  effort e = {.device = device,
              .blocks = (int64_t)info.sm_count * 8,
              .threads = 512,
              .links = 4096,
              .copied = copied < 1 << 25 ? copied : 1 << 25,
              .runs = RUNS,
              .arithmetic = !info.vectorises};
  DCS_TRY(kernels(&e, limits));
  if (!all) return DCS_OK;
  DCS_TRY(measure_copies(device, limits));
  return measure_launch(device, limits);
}

dcs_status dcs_check_device_probes(dcs_device *device) {
  effort e = {.device = device,
              .blocks = 3,
              .threads = 128,
              .links = 64,
              .copied = 1000,
              .arithmetic = true};
  return kernels(&e, NULL);
}
