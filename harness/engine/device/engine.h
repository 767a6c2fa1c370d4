/* The engine of one device: what the files of this folder, each a section here, have in common.
 *
 * A map is what a method computes at a time: all outputs. Those on the grid are computed and copied
 * in slices. */
#ifndef DCS_ENGINE_DEVICE_H
#define DCS_ENGINE_DEVICE_H

#include "harness/engine/device_frames.h"
#include "harness/engine/share.h"
#include "harness/engine/slabs.h"

/* Prepared chunks in flight between host and device: a ring of two halves. A half may be written
 * again once the event behind its last launch has passed, so host and device work at the same time.
 */
enum { DCS_RING = 32, DCS_HALF_RING = DCS_RING / 2 };

/* Pieces of a map under way from the card to ordinary memory: one that the CPUs take from the
 * stage, and others that are enqueued meanwhile, so that the bus has work until they come back. */
enum { DCS_PIECES = 4 };

enum { DCS_STREAM_OUT = 2 }; /* 0 and 1 compute */

/* What the device's events are for. */
enum {
  DCS_EVENT_TIMES,                           /* begin and end of what is timed by the device */
  DCS_EVENT_RING = 2,                        /* behind the last launch of each half of the ring */
  DCS_EVENT_BEGUN = 4,                       /* atoms are there, the map is zeroed */
  DCS_EVENT_COMPUTED,                        /* a slab is done, and the next one */
  DCS_EVENT_STAGED = DCS_EVENT_COMPUTED + 2, /* a piece lies in its part of the stage */
  DCS_EVENTS_USED = DCS_EVENT_STAGED + DCS_PIECES
};
_Static_assert((int)DCS_EVENTS_USED <= (int)DCS_EVENTS, "a device has as many events as are used");

static inline int64_t dcs_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* 32-bit words that cover so many bytes; a block of memory ends with one. */
static inline size_t dcs_words(size_t bytes) {
  return (bytes + 3) / 4;
}

/* Memory of a kind, grown when more is needed. */
typedef enum {
  DCS_BLOCK_DEVICE,
  DCS_BLOCK_HOST,
  DCS_BLOCK_MANAGED,
  DCS_BLOCK_ORDINARY, /* the host's alone */
  DCS_N_BLOCK_KINDS
} dcs_block_kind;
typedef struct {
  dcs_ptr ptr; /* for kernels; 0: none */
  void *host;  /* the same memory for the host; NULL for DCS_BLOCK_DEVICE */
  size_t bytes;
} dcs_block;

/* The launches of maps of many short ones are captured once in a graph. With prepared, two graphs,
 * each with prepared atoms of its own, alternate, so that the host prepares a map while the device
 * computes the last. */
enum { DCS_GRAPHS = 2 };

/* Buffers of the kind and scratch in device memory, in the order of the arguments that name them;
 * then what transforms work in. */
enum { DCS_FFT_WORK = DCS_MAX_BUFFERS + DCS_MAX_SCRATCH, DCS_N_PLACES };

/* A Fourier transform that was made ready, and what it works in. */
typedef struct {
  dcs_fft fft;
  bool in_place;
  dcs_device_fft *made;
  size_t work_bytes;
} dcs_made_fft;

typedef struct {
  const dcs_variant *variant;
  dcs_config config;
  dcs_problem problem; /* the engine's shape with values of its own */
  dcs_plan plan;
  dcs_module *module;
  dcs_ptr constant;                   /* address of the module's array of atoms */
  dcs_graph *graphs[DCS_GRAPHS];      /* the first alone without prepared; NULL: not captured */
  dcs_ptr captured[DCS_N_PLACES + 1]; /* the addresses that they hold, and that of prepared[0] */
  bool replanned;    /* for inputs that changed, and may again: not captured, which takes longer */
  bool steps_loaded; /* the driver loads a kernel when it is first launched, and not every driver
                        does so in a capture: a first map with kernels as steps is not captured */
  dcs_block zero[DCS_MAX_SCRATCH];     /* scratch that is zero: its own, so that one that leaves it
                                          wrong spoils no other */
  dcs_device_fft *ffts[DCS_MAX_STEPS]; /* of the steps that are transforms, among made_ffts */
  dcs_made_fft *made_ffts;             /* n_made_ffts; of plans that were adopted, too */
  int n_made_ffts;
  size_t fft_work_bytes; /* of the one that takes most */
  int registers;
} dcs_device_method;

typedef struct {
  dcs_engine engine;
  char *kernels;
  dcs_device_info info;
  const dcs_kind *kind;
  const dcs_problem *shape;   /* inputs and points of all problems */
  size_t input_bytes;         /* of an element of buffer 0 */
  void *out[DCS_MAX_BUFFERS]; /* ordinary memory */
  dcs_block buffers[DCS_MAX_BUFFERS][DCS_N_BLOCK_KINDS];
  dcs_block placed[DCS_N_BLOCK_KINDS]; /* inputs as a variant's place() arranges them */
  dcs_block overflow, overflow_out;    /* ordinary: those it leaves to the host, and their output */
  int64_t n_overflow;                  /* of the output computed last */
  dcs_block scratch[DCS_MAX_SCRATCH];  /* all but what is zero */
  dcs_block fft_work;
  dcs_block stage;                /* page-locked, DCS_PIECES pieces */
  dcs_block cold;                 /* what is written to flush the cache */
  dcs_block prepared[DCS_GRAPHS]; /* page-locked, atoms for whole maps */
  int64_t graph_launches;         /* with prepared atoms */
  dcs_block ring;                 /* page-locked, DCS_RING chunks of ring_inputs */
  int64_t ring_inputs;
  int64_t launches; /* of methods that use the ring, since it was made */
  dcs_device_method *slots;
  int n_slots;
  int kept; /* 1 + the slot whose scratch holds what the slabs of a grid have in common; 0: none */
} dcs_device_engine;

/* ---- Fourier transforms ---- */

/* Makes the plan's transforms ready, those that are not, and memory that they work in.
 * DCS_OUTCOME_NOT_BUILT: there is no library for them. */
dcs_outcome dcs_make_ffts(dcs_device_engine *e, dcs_device_method *m);
void dcs_free_ffts(dcs_device_engine *e, dcs_device_method *m);

/* ---- plans ---- */

/* The plan's scratch memory; what is there is kept where it is large enough. */
dcs_status dcs_make_scratch(dcs_device_engine *e, dcs_device_method *m);
/* From now on the method of that slot computes another problem of the shape, whose plan is given;
 * nothing is compiled. Its graphs go. */
dcs_outcome dcs_adopt_plan(dcs_device_engine *e, int slot, const dcs_problem *problem,
                           const dcs_plan *plan);

/* ---- memory ---- */

/* Makes the block at least so large; what it held is lost. */
dcs_status dcs_block_grow(dcs_device *device, dcs_block_kind kind, size_t bytes, dcs_block *block);
void dcs_block_release(dcs_device *device, dcs_block_kind kind, dcs_block *block);

/* Where a buffer lies while a method runs. */
typedef struct {
  dcs_ptr ptr;  /* for kernels; a grid that is an output is padded as the plan says */
  size_t bytes; /* there */
  dcs_dims n,
      stored; /* packed, and there: of a grid that is an output, x in bytes; else bytes x 1 x 1
               */
  void *view; /* the same as the host sees it; NULL: it does not */
  void *host; /* of an input: what explicit copies start from; NULL: the device alone has it. Of an
                 output: where it lies when it is finished, packed; may be `view` */
} dcs_buffer_place;
typedef struct {
  dcs_memory memory;
  bool seen;                         /* the host sees the memory that kernels use */
  dcs_buffer_place at[DCS_N_PLACES]; /* buffers, then scratch, which the host does not see */
  void *placed; /* where the host places inputs: at[0] as it sees it or copies it; NULL: the variant
                   places none */
  dcs_slabs slabs;
  char *stage;          /* NULL: slabs are copied straight to their place */
  int64_t piece;        /* slices of a piece in the stage */
  int copiers;          /* threads that take a piece from there */
  const char *prepared; /* with prepared: all inputs for slice 0, for slice 1, ...; NULL: they
                               are prepared in the ring, launch by launch */
} dcs_places;

/* Bytes of a slice of all outputs on the grid, packed; 0: there are none. */
size_t dcs_slice_bytes(const dcs_device_engine *e);
/* Finds the places, and makes memory that is not there yet. Not `cut`: the map is one slab. */
dcs_outcome dcs_find_places(dcs_device_engine *e, const dcs_device_method *m, dcs_memory memory,
                            bool cut, dcs_places *places);
/* Fills every place of the outputs with bytes that are NaN in floats and doubles, so that a value
 * that nobody wrote or copied is seen. */
dcs_status dcs_poison(dcs_device_engine *e, const dcs_places *places);

/* ---- frames (device_frames.h) ---- */

/* Frames of the method of that slot, which is prepared, with places and charges in that kind of
 * memory. DCS_OUTCOME_INAPPLICABLE where the device has none, else as dcs_device_frames_open(). */
dcs_outcome dcs_device_frames_of(dcs_device_engine *e, int slot, dcs_memory memory,
                                 dcs_device_frames **frames);

/* Computes the method's problem so many times as frames that follow each other, two in hand: places
 * are copied for each, in that kind of memory; charges and sums stay. *ns: of all of them together,
 * behind two that are not timed. With `mean` it computes three, untimed, over NaN, and `mean`
 * receives what their sums give. */
dcs_outcome dcs_run_frames(dcs_device_engine *e, int slot, dcs_memory memory, int64_t inner,
                           float *mean, double *ns);

/* ---- maps ---- */

/* Enqueues what comes before the launches of a map: steps, inputs in constant memory. In `parts`,
 * outputs on the grid are left to each of them to fill. */
dcs_status dcs_begin_map(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *places,
                         bool parts);
/* Enqueues a map, step by step. */
dcs_status dcs_enqueue_map(dcs_device_engine *e, const dcs_device_method *m,
                           const dcs_places *places);
/* A map, step by step, each of which is waited for and its time added. */
dcs_status dcs_time_steps(dcs_device_engine *e, const dcs_device_method *m,
                          const dcs_places *places, dcs_phases *phases);
/* Whether no step follows the launches, so that slices are finished one after another. */
bool dcs_ends_with_launches(const dcs_plan *plan);
/* Enqueues the launches of the slices from..end-1. */
dcs_status dcs_compute_slices(dcs_device_engine *e, const dcs_device_method *m,
                              const dcs_places *places, int64_t from, int64_t end);
/* Enqueues the copying in of inputs. */
dcs_status dcs_copy_inputs(dcs_device_engine *e, const dcs_places *places);
/* Enqueues the copying of what outputs begin with, where they begin with anything. */
dcs_status dcs_begin_outputs(dcs_device_engine *e, const dcs_places *places);
/* Enqueues the copying out of slices of all outputs on the grid, to the stage, one output behind
 * the other, or (NULL) to their places; and takes them from there into e->out. */
dcs_status dcs_stage_slices(dcs_device_engine *e, const dcs_places *places, dcs_range slices,
                            char *stage);
/* By places->copiers threads. */
void dcs_unstage_slices(const dcs_device_engine *e, const dcs_places *places, dcs_range slices,
                        const char *stage);
/* Enqueues the copying out of a whole output. */
dcs_status dcs_copy_output(dcs_device_engine *e, const dcs_buffer_place *at, void *to);
/* Writes the inputs of all slices as the variant prepares them: n_inputs times nz. */
void dcs_prepare_inputs(const dcs_device_engine *e, const dcs_device_method *m, void *prepared);

/* Maps as in scope kernel: between two events, launches that are not cut; nothing is copied. */
dcs_status dcs_run_kernel(dcs_device_engine *e, const dcs_device_method *m,
                          const dcs_places *places, int64_t inner);
/* A map as in scopes warm and first: from inputs on the host to the finished outputs there. */
dcs_status dcs_run_whole(dcs_device_engine *e, const dcs_device_method *m,
                         const dcs_places *places);

/* ---- inputs that the host places ---- */

/* Has the variant place the inputs, if it does; e->n_overflow are left to the host. */
void dcs_place_inputs(dcs_device_engine *e, const dcs_device_method *m, const dcs_places *places);
/* Places them and queues their copy, for launches alone. A time of those is none of a map with
 * overflow atoms: then DCS_OUTCOME_INAPPLICABLE where `timed`. */
dcs_outcome dcs_place_ahead(dcs_device_engine *e, const dcs_device_method *m,
                            const dcs_places *places, bool timed);
/* Computes the map of the overflow atoms in memory of its own, while the device works. */
void dcs_compute_overflow(dcs_device_engine *e, const dcs_device_method *m);
/* Adds it to the finished map. */
void dcs_add_overflow(const dcs_device_engine *e, const dcs_places *places);

/* ---- parts of maps ---- */

/* Slices that a part of a map is cut by; all of them: the map cannot be cut. */
int64_t dcs_part_step(const dcs_plan *plan, const dcs_problem *problem);
/* Slices that fill the card, or n devices' fair part where that is less; a multiple of the step. */
int64_t dcs_least_part(const dcs_device_engine *e, const dcs_device_method *m, int n);
/* Finds the places for parts, and makes memory that is not there yet. */
dcs_outcome dcs_find_part_places(dcs_device_engine *e, const dcs_device_method *m,
                                 dcs_places *places);
/* Enqueues what comes before the first part of a map; the atoms are copied in where `copies`. */
dcs_status dcs_begin_parts(dcs_device_engine *e, const dcs_device_method *m,
                           const dcs_places *places, bool copies);
/* Enqueues the nth part of a map (from 0); one may be enqueued while the one before is computed. */
dcs_status dcs_enqueue_part(dcs_device_engine *e, const dcs_device_method *m,
                            const dcs_places *places, dcs_range part, int64_t nth);
/* Waits until the nth part is computed. */
dcs_status dcs_synchronize_part(dcs_device_engine *e, int64_t nth);
/* Copies a part that is computed into e->out, while the device computes the next. */
dcs_status dcs_unload_part(dcs_device_engine *e, const dcs_places *places, dcs_range part);

/* ---- graphs ---- */

/* Captures the method's map where that is worth it, and again where memory has moved since. */
dcs_status dcs_keep_graphs(dcs_device_engine *e, dcs_device_method *m, const dcs_places *places);
void dcs_destroy_graphs(dcs_device_engine *e, dcs_device_method *m);
/* Enqueues a map, as a graph where it is captured. */
dcs_status dcs_compute_map(dcs_device_engine *e, const dcs_device_method *m,
                           const dcs_places *places);

#endif
