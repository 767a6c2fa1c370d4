/* The device interface: the few things that running a kernel of a language for devices needs, and
 * what a kind of devices is. A folder beside this file holds each kind; devices.def lists them.
 * Devices are used only inside the worker process. */
#ifndef DCS_DEVICE_H
#define DCS_DEVICE_H

#include "harness/base/outcome.h"
#include "harness/device/observer.h"
#include "harness/device/telemetry.h"
#include "kernels/contract.h"

typedef uint64_t dcs_ptr; /* an address in device memory */
enum { DCS_EVENTS = 26, DCS_STREAMS = 3 };
typedef struct dcs_device dcs_device;
typedef struct dcs_module dcs_module;
typedef struct dcs_graph dcs_graph;
typedef struct dcs_device_fft dcs_device_fft;

/* What the engine needs to know of a device. */
typedef struct {
  char name[128];
  int sm_count;
  int sm_threads, sm_registers; /* what each SM holds at a time */
  int clock_mhz;                /* maximum SM clock; 0: unknown */
  int64_t memory_bytes;
  int64_t cache_bytes; /* of the cache that all SMs share */
  bool vectorises; /* its compiler makes lanes of a vector of threads where it can: what a kernel
                      reaches is no limit of another */
} dcs_device_info;

/* A kernel source to compile: text, and "-DNAME=VALUE" options. */
typedef struct {
  const char *name; /* of the file, for messages */
  const char *text;
  const char *const *options;
  int n_options;
  int shared_bytes; /* of a block of "dcs", which it gets beside what the text declares */
  dcs_capabilities capabilities;
} dcs_source;

/* Whether cards of a compute capability, 90 for 9.0, have the source's instructions; else says so
 * in dcs_error_message(). */
bool dcs_source_suits(const dcs_source *source, int capability);

/* What the compiler made of it. -1: unknown. */
typedef struct {
  int registers, spill_bytes, constant_bytes, shared_bytes;
  int local_bytes;   /* of a thread: spilled registers, and arrays that are in no registers */
  int block_threads; /* of which a block of it has at most so many; 0: unknown */
  double compile_ms; /* what compiling cost when it was compiled, also if it came from the cache */
  bool cached;
} dcs_code_facts;

/* The instructions of a compiled kernel, as text. */
typedef struct {
  char *text;        /* the caller frees it */
  bool machine;      /* the card's own (SASS); else PTX, which is translated once more */
  char by[DCS_TEXT]; /* what wrote it down: "nvdisasm"; of PTX, why it is no machine code */
} dcs_listing;

/* ---- kinds ---- */

/* The largest launch of a kind. */
typedef struct {
  int64_t grid[3];
  int block[3];
  int threads; /* of a block */
} dcs_launch_limits;

enum { DCS_FACT = 128, DCS_MAX_DEVICE_FACTS = 12 };

/* What is to be said of a device in a run's env.csv. */
typedef struct {
  const char *key;
  bool identity; /* a run is not resumed where it differs */
} dcs_device_fact;

/* One line of devices.def. */
typedef struct {
  const char *prefix;   /* "cuda": its devices are cuda:0, cuda:1, ... */
  bool timed;           /* whether times of its devices mean anything */
  bool watched;         /* whether its devices can be watched */
  const char *language; /* the folder of the kernels that it runs, below a problem's kind */
  dcs_launch_limits launch;
  const dcs_device_fact *facts; /* up to DCS_MAX_DEVICE_FACTS, and one with key NULL */
  /* How many are here: at least one, else DCS_UNAVAILABLE. NULL: the device is named by the prefix
   * alone, and may be opened any number of times. */
  dcs_status (*count)(int *n);
  /* DCS_UNAVAILABLE says what is missing: driver, device, compiler. May be called by several
   * threads. The index is 0 where there is no count. */
  dcs_status (*open)(int index, dcs_device **device);
  /* Whether such devices can run what a kernel of their language is written with: DCS_UNAVAILABLE
   * names what they lack. NULL: they can. */
  dcs_status (*can_run)(const dcs_source *source);
  /* Compiles for an architecture that need not be here, as dcs_nvrtc_compile() does; NULL: cannot.
   */
  dcs_status (*compile)(const dcs_source *source, const char *arch, void **image,
                        size_t *image_bytes, dcs_code_facts *facts);
  /* What compile() makes, written down; the text is NULL unless the status is DCS_OK. NULL: cannot.
   */
  dcs_status (*list)(const dcs_source *source, const char *arch, dcs_listing *listing,
                     dcs_code_facts *facts);
} dcs_device_kind;

/* ---- a device ---- */

/* One thread at a time may use a device. */
struct dcs_device {
  const dcs_device_kind *kind;
  bool timed; /* as its kind says */

  dcs_status (*info)(dcs_device *, dcs_device_info *info);
  /* Values of the kind's facts, in order; each is "" before, and stays so where it is not known. */
  dcs_status (*read_facts)(dcs_device *, char values[][DCS_FACT]);
  /* What its counters show now; unknown where it has none. That of energy is read only where it is
   * asked for: it may take longer than a map. */
  dcs_telemetry (*telemetry)(dcs_device *, bool energy);
  void (*close)(dcs_device *);

  dcs_status (*alloc)(dcs_device *, size_t bytes, dcs_ptr *ptr);
  void (*release)(dcs_device *, dcs_ptr ptr);
  /* Page-locked host memory, which copies can be enqueued from and to, and its address for kernels;
   * plain memory on the emulated device. */
  dcs_status (*alloc_host)(dcs_device *, size_t bytes, void **host, dcs_ptr *ptr);
  void (*release_host)(dcs_device *, void *host);
  /* Whether host memory is such, whoever allocated it; of the emulated device, one of its buffers.
   */
  bool (*is_locked)(dcs_device *, const void *host);
  /* Managed memory: *ptr is its address on the host as well, for use while the device is idle.
   * Freed by release(). */
  dcs_status (*alloc_managed)(dcs_device *, size_t bytes, dcs_ptr *ptr);
  /* Enqueues the moving of managed memory to the device, or to the host. */
  dcs_status (*prefetch)(dcs_device *, dcs_ptr ptr, size_t bytes, bool to_host);
  /* Whether driver and device have this kind of memory; else DCS_UNAVAILABLE with what is missing.
   */
  dcs_status (*supports)(dcs_device *, dcs_memory memory);

  /* Work is enqueued in one of DCS_STREAMS streams, 0 unless another was selected. Each is carried
   * out in order, independently of the others. */
  void (*select_stream)(dcs_device *, int stream);
  /* What is enqueued next in the selected stream waits for the event, as recorded last. */
  dcs_status (*wait_event)(dcs_device *, int which);

  /* Enqueued in order with launches; the host memory must stay untouched until then. From pageable
   * memory the call returns when the source may be reused. */
  dcs_status (*copy_in)(dcs_device *, dcs_ptr to, const void *from, size_t bytes);
  /* Enqueues the copy of the corner `n` of a grid stored as `stored` to the packed grid `to`; the x
   * of both is in bytes. */
  dcs_status (*copy_out)(dcs_device *, void *to, dcs_dims n, dcs_ptr from, dcs_dims stored);
  /* Enqueues a copy within the device. */
  dcs_status (*copy)(dcs_device *, dcs_ptr to, dcs_ptr from, size_t bytes);
  /* Enqueues a fill with one 32-bit pattern. */
  dcs_status (*fill)(dcs_device *, dcs_ptr to, uint32_t pattern, size_t words);

  /* As its kind's, and what this one lacks beside. NULL: it can. */
  dcs_status (*can_run)(dcs_device *, const dcs_source *source);
  /* Compiles (or takes from the cache) and loads. DCS_FAILED with the compiler's log when it does
   * not compile. The module belongs to the device; unload() frees it. */
  dcs_status (*load)(dcs_device *, const dcs_source *source, dcs_module **module,
                     dcs_code_facts *facts);
  void (*unload)(dcs_device *, dcs_module *module);
  /* Address and size of a __constant__ or __device__ array. */
  dcs_status (*symbol)(dcs_device *, dcs_module *module, const char *name, dcs_ptr *ptr,
                       size_t *bytes);
  /* Enqueues the module's kernel of that name, extern "C". Every module has `dcs`, which the facts
   * of load() are about. args: pointers to the arguments. */
  dcs_status (*launch)(dcs_device *, dcs_module *module, const char *kernel, const int64_t grid[3],
                       const int block[3], void **args);

  /* Fourier transforms by the device's library. Whether it is there: DCS_UNAVAILABLE names what is
   * missing. */
  dcs_status (*has_fft)(dcs_device *);
  /* Makes one ready, which takes *work_bytes of device memory while it runs, which may be 0;
   * free_fft() frees it. DCS_UNAVAILABLE: no memory for it, or no library. */
  dcs_status (*make_fft)(dcs_device *, const dcs_fft *fft, bool in_place, dcs_device_fft **made,
                         size_t *work_bytes);
  /* Enqueues it, as DCS_STEP_FFT says; not in_place, `to` lies apart from `from`. */
  dcs_status (*run_fft)(dcs_device *, const dcs_device_fft *fft, dcs_ptr from, dcs_ptr to,
                        dcs_ptr work);
  void (*free_fft)(dcs_device *, dcs_device_fft *fft);

  /* From begin_capture() to end_capture(), copy_in, copy, fill, launch and run_fft are noted in a
   * graph instead of enqueued, and nothing else may be called. launch_graph() enqueues all of them
   * at once, which costs less than one by one: with the arguments they had, and the host memory as
   * it is when it is copied. After an error in between, end_capture() is still to be called. The
   * graph holds modules, names of kernels, transforms and memory that must outlive it;
   * destroy_graph() frees it. */
  dcs_status (*begin_capture)(dcs_device *);
  dcs_status (*end_capture)(dcs_device *, dcs_graph **graph);
  dcs_status (*launch_graph)(dcs_device *, dcs_graph *graph);
  void (*destroy_graph)(dcs_device *, dcs_graph *graph);

  /* Events of the selected stream, DCS_EVENTS of them, and waiting until one has completed as
   * recorded last; one that was never recorded has. */
  dcs_status (*record_event)(dcs_device *, int which);
  dcs_status (*synchronize_event)(dcs_device *, int which);
  /* Time between two events as recorded last, once both have completed; waits for them. */
  dcs_status (*elapsed_ns)(dcs_device *, int from, int to, double *ns);
  dcs_status (*synchronize)(
      dcs_device *); /* until all streams are idle; launch errors surface here */

  /* Both NULL where a kind is not watched. What is loaded from now on is told to the observer,
   * which is copied; before anything is loaded. */
  void (*observe)(dcs_device *, const dcs_observer *observer);
  /* The lines of n codes, as they were seen, of a module. DCS_UNAVAILABLE where a program that is
   * needed for it is missing. */
  dcs_status (*locate)(dcs_device *, const dcs_module *module, const uint64_t *codes, int n,
                       dcs_place *places);
};

/* ---- what all kinds share ---- */

/* DCS_FAILED, naming the dimension, when a launch is outside the limits. */
dcs_status dcs_device_check_launch(const dcs_launch_limits *limits, const int64_t grid[3],
                                   const int block[3]);

/* Threads with so many registers each (-1: unknown) that the device runs at a time. */
int64_t dcs_resident_threads(const dcs_device_info *info, int registers);

/* Copies the corner `n` of a grid stored as `stored` to the packed grid `to`, on the host; the x of
 * both is in bytes. */
void dcs_pack_corner(void *to, dcs_dims n, const void *from, dcs_dims stored);

/* Facts as they were read; those that are not known are left out. */
typedef struct {
  struct {
    char key[32], value[DCS_FACT];
  } list[DCS_MAX_DEVICE_FACTS];
  int n;
} dcs_device_facts;

dcs_status dcs_device_read_facts(dcs_device *device, dcs_device_facts *facts);
/* "" when absent. */
const char *dcs_device_fact_value(const dcs_device_facts *facts, const char *key);

#endif
