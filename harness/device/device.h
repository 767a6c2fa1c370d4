/* The device interface: the few things that running a CUDA kernel needs. Two implementations: the
 * CUDA driver (device_cuda.c) and an emulated device (device_emulated.c) that compiles the same
 * .cu files with the host's C++ compiler and runs blocks and threads as loops. Used only inside the
 * worker process. */
#ifndef DCS_DEVICE_H
#define DCS_DEVICE_H

#include "harness/base/outcome.h"
#include "kernels/contract.h"

typedef uint64_t dcs_ptr; /* an address in device memory */
enum { DCS_MARKS = 9, DCS_QUEUES = 3 };
typedef struct dcs_device dcs_device;
typedef struct dcs_module dcs_module;
typedef struct dcs_recording dcs_recording;

typedef struct {
  char name[128];
  char uuid[64]; /* "GPU-..." ; "" when emulated */
  int cc_major, cc_minor;
  int sm_count;
  int clock_mhz;        /* maximum SM clock */
  int driver_version;   /* 13000 for 13.0; 0 when emulated */
  int compiler_version; /* NVRTC's, in the same form */
  int64_t memory_bytes;
  bool ecc;
} dcs_device_info;

/* A kernel source to compile: text, and "-DNAME=VALUE" options. */
typedef struct {
  const char *name; /* of the file, for messages */
  const char *text;
  const char *const *options;
  int n_options;
} dcs_source;

/* What the compiler made of it. -1: unknown. */
typedef struct {
  int registers, spill_bytes, constant_bytes, shared_bytes;
  double compile_ms; /* what compiling cost when it was compiled, also if it came from the cache */
  bool cached;
} dcs_code_facts;

/* One thread at a time may use a device. */
struct dcs_device {
  bool timed; /* whether its times mean anything: false for the emulated device */

  dcs_status (*info)(dcs_device *, dcs_device_info *info);
  void (*close)(dcs_device *);

  dcs_status (*alloc)(dcs_device *, size_t bytes, dcs_ptr *ptr);
  void (*release)(dcs_device *, dcs_ptr ptr);
  /* Page-locked host memory, which copies can be queued from and to, and its address for kernels;
   * plain memory on the emulated device. */
  dcs_status (*alloc_host)(dcs_device *, size_t bytes, void **host, dcs_ptr *ptr);
  void (*release_host)(dcs_device *, void *host);
  /* Managed memory: *ptr is its address on the host as well, for use while the device is idle.
   * Freed by release(). */
  dcs_status (*alloc_managed)(dcs_device *, size_t bytes, dcs_ptr *ptr);
  /* Queues the moving of managed memory to the device, or to the host. */
  dcs_status (*prefetch)(dcs_device *, dcs_ptr ptr, size_t bytes, bool to_host);
  /* Whether driver and device have this kind of memory; else DCS_UNAVAILABLE with what is missing.
   */
  dcs_status (*supports)(dcs_device *, dcs_memory memory);

  /* Work is queued on one of DCS_QUEUES queues, 0 unless another was selected. Each is carried out
   * in order, independently of the others. */
  void (*select)(dcs_device *, int queue);
  /* What is queued next on the selected queue waits until the mark, as set last, has passed. */
  dcs_status (*follow)(dcs_device *, int which);

  /* Queued in order with launches; the host memory must stay untouched until then. From pageable
   * memory the call returns when the source may be reused. */
  dcs_status (*copy_in)(dcs_device *, dcs_ptr to, const void *from, size_t bytes);
  /* Queues the copy of the corner `n` of a map stored as `stored` to the packed map `to`. */
  dcs_status (*copy_out)(dcs_device *, float *to, dcs_dims n, dcs_ptr from, dcs_dims stored);
  /* Queues a fill with one 32-bit pattern. */
  dcs_status (*fill)(dcs_device *, dcs_ptr to, uint32_t pattern, size_t words);

  /* Compiles (or takes from the cache) and loads. DCS_FAILED with the compiler's log when it does
   * not compile. The module belongs to the device; unload() frees it. */
  dcs_status (*load)(dcs_device *, const dcs_source *source, dcs_module **module,
                     dcs_code_facts *facts);
  void (*unload)(dcs_device *, dcs_module *module);
  /* Address and size of a __constant__ or __device__ array. */
  dcs_status (*symbol)(dcs_device *, dcs_module *module, const char *name, dcs_ptr *ptr,
                       size_t *bytes);
  /* Queues the module's kernel of that name, extern "C". Every module has `dcs`, which the facts of
   * load() are about. args: pointers to the arguments. */
  dcs_status (*launch)(dcs_device *, dcs_module *module, const char *kernel, const int64_t grid[3],
                       const int block[3], void **args);

  /* From record() to recorded(), copy_in, fill and launch are noted instead of queued, and nothing
   * else may be called. replay() queues all of them at once, which costs less than one by one: with
   * the arguments they had, and the host memory as it is when it is copied. After an error in
   * between, recorded() is still to be called. The recording holds modules, names of kernels and
   * memory that must outlive it; erase() frees it. */
  dcs_status (*record)(dcs_device *);
  dcs_status (*recorded)(dcs_device *, dcs_recording **recording);
  dcs_status (*replay)(dcs_device *, dcs_recording *recording);
  void (*erase)(dcs_device *, dcs_recording *recording);

  /* Marks in the selected queue, DCS_MARKS of them, and waiting until one has passed as set last;
   * one that was never set has. */
  dcs_status (*mark)(dcs_device *, int which);
  dcs_status (*reach)(dcs_device *, int which);
  /* Time between marks 0 and 1, once both have passed; waits for them. */
  dcs_status (*elapsed_ns)(dcs_device *, double *ns);
  dcs_status (*wait)(dcs_device *); /* until all queues are empty; launch errors surface here */
};

/* Opens "cuda:N" or "emulated". DCS_UNAVAILABLE says what is missing: driver, device, compiler. May
 * be called by several threads. */
dcs_status dcs_device_open(const char *name, dcs_device **device);

dcs_status dcs_device_cuda_open(int index, dcs_device **device);
/* How many cards the driver shows: at least one, else DCS_UNAVAILABLE. */
dcs_status dcs_device_cuda_count(int *count);
dcs_status dcs_device_emulated_open(dcs_device **device);

#endif
