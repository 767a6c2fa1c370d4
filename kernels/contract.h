/* The kernel contract: what a problem and a variant are, and what a variant may ask of the harness.
 *
 * A problem is of a kind (coulomb, density, ...), which harness/problems describes: it has values
 * of the kind's parameters and buffers: inputs, and outputs, on a grid or not. A variant computes
 * problems of one kind. What the kind's kernels share lies in kernels/KIND/KIND.h.
 *
 * A CUDA variant is one .cu file and one descriptor .c beside it; a CPU variant is one .c file.
 * Each has one line in variants.def, and the order there is the ladder. A kernel computes: it owns
 * no allocation, no timing and no printing. */
#ifndef DCS_CONTRACT_H
#define DCS_CONTRACT_H

#include "kernels/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t x, y, z;
} dcs_dims;

/* ---- parameters and configurations ---- */

enum { DCS_MAX_PARAMS = 16, DCS_TEXT = 256 };

/* What the harness may know of a parameter, whatever its name. */
typedef enum {
  DCS_ROLE_NONE,
  DCS_ROLE_THREADS,   /* threads of the CPU */
  DCS_ROLE_BLOCK_X,   /* threads of a block in x */
  DCS_ROLE_BLOCK_Y,   /* threads of a block in y */
  DCS_ROLE_COARSEN,   /* points of a row a thread: the coarsening factor */
  DCS_ROLE_COARSEN_X, /* the same of a kernel that coarsens in z, too */
  DCS_ROLE_CHUNK,     /* inputs of a launch */
  DCS_N_ROLES
} dcs_role;

/* What times at one value of a kind's parameter tell of those at other values, all not initial. */
typedef enum {
  DCS_TIMES_NEAR,  /* those at values that are near */
  DCS_TIMES_ABOVE, /* at larger values they are no longer */
  DCS_TIMES_ANY    /* they do not depend on it */
} dcs_times_at;

/* A knob of a variant, or a parameter of a problem kind. Legal values are those of lo..hi, integers
 * unless it is real, which applicable() (of a kind: canonical()) agrees to. A CUDA kernel sees each
 * parameter of its variant as a macro named in upper case (block_x: BLOCK_X). */
typedef struct {
  const char *name;
  const char *meaning;
  double lo, hi;
  double initial; /* when nobody chooses; DCS_ALL_CPUS for a number of threads; DCS_HIGHEST */
  const char *const *labels; /* names of lo..hi, a macro each (READ_START), or NULL for numbers */
  const int *tries; /* values that a tuner tries, ascending, the initial one among them, closed by
                       DCS_TRIES_END; NULL: all of lo..hi. Of threads only those up to the CPUs at
                       hand, and these */
  dcs_role role;
  bool real;          /* any number of lo..hi */
  dcs_times_at times; /* of a real parameter of a kind */
  const char *unit;   /* "angstrom"; NULL: none */
} dcs_param;

enum {
  DCS_ALL_CPUS = 0, /* of a parameter with the role of threads */
  DCS_TRIES_END = -1,
  DCS_HIGHEST = -2 /* the highest value that applicable() allows on this machine */
};

/* A value for each parameter of a variant or kind, in its order; the others are 0. */
typedef struct {
  double value[DCS_MAX_PARAMS];
} dcs_config;

/* ---- problems ---- */

enum { DCS_MAX_BUFFERS = 16, DCS_MAX_SCRATCH = 24 };

/* One problem to compute. Its arrays are the buffers of its kind, inputs and outputs, which
 * kernels/KIND/KIND.h numbers. One that is a grid is row-major with x fastest: point (i, j, k) is
 * element (k*ny + j)*nx + i. */
typedef struct {
  const void *input[DCS_MAX_BUFFERS]; /* those that are inputs; may be NULL where only the shape
                                         matters (predicates, plans) */
  int64_t n_inputs;     /* elements of buffer 0, which is an input: at least 1; 1 where
                           inputs are fields on the grid */
  dcs_dims n;           /* points of a grid, each at least 1; without one, in x as
                           many as there are inputs, which each have an output */
  int64_t first_slice;  /* slice k of the problem is slice first_slice + k of the grid
                           whose origin atoms are given from: a slab of it, for
                           variants alone that dcs_computes_slabs() says yes of. They
                           compute the bits that the slab has in the whole grid */
  int64_t grid_slices;  /* of that grid; 0: it has no others than the problem */
  float spacing;        /* of the points, angstrom */
  double given_spacing; /* that before it was rounded; 0: it was not */
  double scale;         /* what a tolerance is relative to, where that is known: of many alike, of
                           the first; 0: what the inputs say */
  dcs_config config;    /* values of the kind's parameters */
} dcs_problem;

/* The problem, or the one of the whole grid that it is a slab of. */
static inline dcs_problem dcs_whole_grid(const dcs_problem *problem) {
  dcs_problem whole = *problem;
  if (problem->grid_slices > 0) whole.n.z = problem->grid_slices;
  whole.first_slice = whole.grid_slices = 0;
  return whole;
}

/* ---- what a CUDA variant asks the harness to do ---- */

/* What a kernel's arguments are, in the order of its signature. */
typedef enum {
  DCS_ARG_END,      /* closes the list */
  DCS_ARG_N_INPUTS, /* int: elements of buffer 0 that this launch takes */
  DCS_ARG_NX,       /* int: useful points in x */
  DCS_ARG_NY,       /* int: useful points in y */
  DCS_ARG_NZ,       /* int: slices of this launch; of a step, those of the grid */
  DCS_ARG_ROW,      /* int: points from one stored row to the next */
  DCS_ARG_K,        /* int: first slice of this launch, from the grid's origin */
  DCS_ARG_SPACING,  /* float: angstrom */
  DCS_ARG_SMS,      /* int: SMs of the device, at least 1 */
  DCS_ARG_VALUE,    /* int: the step's value; 0 in the launches of `dcs` */
  DCS_ARG_OWN,      /* a struct of the kernel's own, by value: the plan's `own` */
  DCS_ARG_BUFFER,   /* DCS_BUFFER(b), element *: buffer b of the kind. Buffer 0 begins with the
                       launch's first input, a grid that is an output with the launch's first slice */
  /* DCS_SCRATCH(s), void *: the plan's scratch[s] */
  DCS_ARG_SCRATCH = DCS_ARG_BUFFER + DCS_MAX_BUFFERS,
  /* DCS_OWN_AT(o), by value: what begins at byte o of the plan's `own`, of any type */
  DCS_ARG_OWN_AT = DCS_ARG_SCRATCH + DCS_MAX_SCRATCH
} dcs_arg;

#define DCS_BUFFER(b)  ((dcs_arg)(DCS_ARG_BUFFER + (b)))
#define DCS_SCRATCH(s) ((dcs_arg)(DCS_ARG_SCRATCH + (s)))
#define DCS_OWN_AT(o)  ((dcs_arg)(DCS_ARG_OWN_AT + (o)))

enum { DCS_MAX_ARGS = 32, DCS_MAX_STEPS = 64, DCS_OWN_BYTES = 1024 };

/* What a step does. */
typedef enum {
  DCS_STEP_KERNEL, /* launches a kernel of the module once, with all inputs and the grid's slices */
  DCS_STEP_FILL,   /* makes the bytes of `to` zero */
  DCS_STEP_COPY,   /* copies the first bytes of `from` to `to`, as many as the smaller has */
  DCS_STEP_FFT,    /* a Fourier transform by the device's library, from `from` to `to` */
  DCS_STEP_LAUNCHES /* launches the kernel `dcs` for all slices and inputs, as the plan has it */
} dcs_step_does;

/* A Fourier transform of real numbers in three dimensions, not scaled. n counts the real numbers;
 * of the complex ones, n.x / 2 + 1 in a row, those are left out that are conjugates of others. Rows
 * follow each other without gaps, x fastest; but where `to` is `from`, a row of real numbers has
 * 2 (n.x / 2 + 1) places, of which the last one or two hold nothing. */
typedef struct {
  dcs_dims n;
  bool forward; /* real to complex, the exponent's sign is -; else complex to real, +. That leaves
                   anything in `from` */
  bool doubles; /* else floats */
} dcs_fft;

/* A step of a plan. Buffers of the kind and scratch are named as in a list of arguments. */
typedef struct {
  dcs_step_does does;
  const char *kernel; /* KERNEL: its name, extern "C" */
  int block[3];       /* threads */
  int64_t grid[3];    /* blocks */
  const dcs_arg *args;
  int value;        /* DCS_ARG_VALUE */
  dcs_arg to, from; /* FILL, COPY, FFT */
  dcs_fft fft;
  const char *name; /* of the phase that it is, or a part of, where phases are timed:
                       "restriction". NULL: the kernel's, or what it does */
} dcs_plan_step;

/* Device memory of a plan beside the kind's buffers. */
typedef struct {
  int64_t bytes; /* 0: there is none */
  bool zero;     /* zero before the first step, and again after the last; else anything */
} dcs_scratch;

/* How a problem is computed: in steps, one after another. One of them, on its own or among others,
 * is the launches of `dcs`: once for each group of slices and, within it, for each chunk of inputs.
 */
typedef struct {
  dcs_plan_step steps[DCS_MAX_STEPS];
  int n_steps;
  dcs_scratch scratch[DCS_MAX_SCRATCH];
  int64_t chunk_inputs; /* inputs a launch takes; they lie in the module's constant array `atoms`
                           when constant_inputs, in global memory otherwise */
  bool constant_inputs;
  bool prepared;         /* the variant's prepare() writes the inputs of each launch */
  int64_t launch_slices; /* slices a launch computes; the last launch may have fewer */
  int64_t slice_step;    /* a launch may have fewer slices, any multiple of this, and grid[2] is
                            then slices / slice_step, rounded up; 0: launch_slices alone */
  int64_t spare_layers;  /* blocks in z beyond those of grid[2]: the kernel shares the output out */
  bool incomplete;       /* applicable() says no: these are launches of the shape alone */
  dcs_dims stored;       /* points of an output's grid in device memory; at least the problem's */
  int64_t placed_inputs; /* elements of buffer 0 in device memory as the variant's place() puts
                            them; 0: as the problem has them */
  int block[3];          /* threads */
  int64_t grid[3];       /* blocks of a launch of launch_slices */
  const dcs_arg *args;   /* DCS_ARG_END last */
  _Alignas(16) unsigned char own[DCS_OWN_BYTES]; /* DCS_ARG_OWN */
} dcs_plan;

/* The work that a variant does where it is not every input at every executed point. */
typedef struct {
  double pairs; /* candidate pairs: inputs and points held against each other, padding included */
  int64_t
      overflow; /* inputs that did not fit their bins and are left to the host; 0 without bins */
  double fill;  /* of the places in bins that hold any input, those taken; NaN without bins */
} dcs_candidates;

/* ---- variants ---- */

typedef enum {
  DCS_CPU,
  DCS_GPU,
  DCS_NO_BACKEND, /* not known, of timings that other programs took */
  DCS_N_BACKENDS
} dcs_backend;

/* What the case study of Kirk and Hwu (Programming Massively Parallel Processors, 2nd ed., chapter
 * 12; later editions chapters 15 and 18) calls a method. */
typedef enum {
  DCS_BOOK_NONE, /* it does not have this one */
  DCS_BOOK_SEQUENTIAL,
  DCS_BOOK_VERSION_1, /* atoms in constant memory */
  DCS_BOOK_VERSION_2, /* and several points a thread */
  DCS_BOOK_VERSION_3, /* and coalesced, on a padded map */
  DCS_N_BOOK
} dcs_book;

#define DCS_DIRECT "direct"

/* What a variant is made of that is not built in, but was read from files of the user's. */
typedef struct {
  const char *file;           /* that describes it, by its absolute path */
  uint64_t hash;              /* of what that file and the kernel's text were when they were read */
  uint64_t all;               /* the same with the data that it is run on */
  const char *language;       /* of the kernel */
  const char *text;           /* the kernel, with what it includes in its place */
  const char *const *options; /* of the compiler, beside its parameters; n_options */
  int n_options;
} dcs_outside;

/* Compute capabilities, 90 for 9.0: from the least on, or that alone, which is the last then. */
typedef struct {
  int least, last; /* 0: any */
} dcs_capabilities;

typedef struct {
  const char *id;   /* permanent: it keys the data */
  const char *kind; /* of the problems that it computes: coulomb, ... */
  const char *idea; /* one line */
  /* Every file that its result or its time depends on, but for this contract, as paths of the
   * project; the kernel itself (a .cu, or the .c) comes first, NULL last. Their hash keys what is
   * kept of it. */
  const char *const *sources;
  const dcs_outside *outside; /* NULL: it is built in */
  dcs_backend backend;
  dcs_book book; /* at most one variant of each but DCS_BOOK_NONE */
  /* Where problems of its kind are computed by several algorithms: the name of its own, "mesh".
   * `crossover` holds those that were measured on one problem against each other. NULL:
   * DCS_DIRECT. */
  const char *algorithm;
  const dcs_param *params;
  int n_params;

  /* Whether this machine can run it at all (instruction sets, DCS_DISABLE_ISA); when not, says why.
   * NULL: always. */
  bool (*available)(char why[DCS_TEXT]);
  /* Whether it computes problems of its kind with these values of the kind's parameters, whatever
   * their size; when not, says what it needs. NULL: all. */
  bool (*solves)(const dcs_config *problem_config, char why[DCS_TEXT]);
  /* Whether the configuration can compute this problem, which it solves; pure. When not, says why.
   * NULL: always. */
  bool (*applicable)(const dcs_problem *, const dcs_config *, char why[DCS_TEXT]);
  /* Whether the rounding of sums, of which so many additions follow one another, is within what
   * such a problem allows; pure. When not, says what it may reach. NULL: always. */
  bool (*accurate)(const dcs_problem *, int64_t longest_sum, char why[DCS_TEXT]);
  /* Points in each dimension that are really computed, padding included. */
  dcs_dims (*executed)(const dcs_problem *, const dcs_config *);
  /* Floating-point operations per executed evaluation: add, subtract, multiply 1, FMA 2, reciprocal
   * square root and exponential 2. */
  double (*flops_per_eval)(const dcs_config *);
  /* The measured limit that its rate is held against, and what an executed evaluation takes of it:
   * of a unit that others of its kind do not use. NULL: as dcs_kind has them. */
  const char *limit;
  double limit_cost;
  /* Longest run of float additions into one accumulator (L of the acceptance bound). */
  int64_t (*longest_sum)(const dcs_problem *, const dcs_config *);
  /* Where it is not every input at every executed point: what is done with the problem, whose
   * inputs are given. NULL: it is. */
  void (*candidates)(const dcs_problem *, const dcs_config *, dcs_candidates *);

  /* CPU: computes out[b], the kind's buffers that are outputs, whole (each is overwritten); false:
   * memory for it cannot be had. One of several phases says which it is in, by dcs_phase() of
   * kernels/common/phase.h. NULL for CUDA. */
  bool (*compute)(const dcs_problem *, const dcs_config *, void *const out[DCS_MAX_BUFFERS]);
  /* Its problems may be slabs of a grid, though not every input is taken to every point. CUDA:
   * the launches come last, and the steps before them but those that fill an output are the same
   * for all slabs of a grid, which what they leave in scratch serves. CPU: has the three functions
   * that follow, or none of them where slabs have nothing in common: compute() computes them. */
  bool slabs;
  /* CPU, with `slabs`: computes what all slabs of the grid have in common, whatever slab the
   * problem is, for forget(); NULL: no memory. */
  void *(*begin)(const dcs_problem *, const dcs_config *);
  /* compute() of a slab with what begin() made for its grid. */
  bool (*compute_slab)(const dcs_problem *, const dcs_config *, const void *begun,
                       void *const out[DCS_MAX_BUFFERS]);
  void (*forget)(void *begun); /* NULL is fine */
  /* CPU, with `slabs`: about how many bytes of memory begin() and compute_slab() take beside inputs
   * and outputs, at most, whatever slab the problem is. NULL: few. */
  double (*working_bytes)(const dcs_problem *, const dcs_config *);
  /* Slices that slabs on the CPU should begin at a multiple of, for their time alone; 0: 1. */
  int64_t slab_step;
  /* CPU: makes compute() of this configuration ready, in the process that calls it, where that has
   * to be compiled. DCS_FAILED with what the compiler says. NULL: it is. */
  dcs_status (*load)(const dcs_config *);
  /* CUDA: fills the launch plan. NULL on the CPU. */
  void (*plan)(const dcs_problem *, const dcs_config *, dcs_plan *);
  /* CUDA, where the text of the kernel depends on what the inputs are: writes what is compiled in
   * front of it. problem: inputs NULL or not; without them any that lets it compile. The problem
   * itself may be NULL. */
  void (*text)(const dcs_problem *, const dcs_config *, FILE *out);
  /* The plan, and whether there is one, depends on what the inputs are, not on how many alone: it
   * is made anew for other inputs. */
  bool looks;
  /* CUDA: cards that have the instructions which its text names. */
  dcs_capabilities capabilities;
  /* CUDA: bytes of dynamic shared memory of a block of "dcs". */
  int shared_bytes;
  /* CUDA, with plan.prepared: writes inputs first..first+n-1 as a launch of slice k takes them. */
  void (*prepare)(const dcs_problem *, int64_t first, int64_t n, int64_t k, void *prepared);
  /* CUDA, where the host arranges the inputs for the kernel (NULL: the device gets them as they
   * are): fills placed[plan.placed_inputs], which kernels get for buffer 0, and overflow[n_inputs]
   * with those that found no place there; returns how many those are. */
  int64_t (*place)(const dcs_problem *, const dcs_config *, void *placed, void *overflow);
  /* Adds to the output, a grid of floats and the kind's only one, on the host, the inputs of a
   * problem that holds nothing but the overflow. */
  void (*add_overflow)(const dcs_problem *overflow, const dcs_config *, float *out);
} dcs_variant;

/* The ladder, in order; behind it those that were added, which live as long as the program. */
enum { DCS_MAX_ADDED = 16 };
extern const dcs_variant *dcs_variants[];
extern int dcs_n_variants;
extern const int dcs_n_built_in;

/* Before any thread or worker is started; not twice. DCS_USAGE: its id is taken, or there are
 * DCS_MAX_ADDED. */
dcs_status dcs_add_variant(const dcs_variant *variant);

/* Where the variant with that id stands on the ladder, from 0; dcs_n_variants: nowhere. */
int dcs_find_rung(const char *id);
/* The variant with that id, or NULL. */
const dcs_variant *dcs_find_variant(const char *id);

/* The variant that the case study calls so, or NULL. */
const dcs_variant *dcs_find_book(dcs_book book);

/* "", "sequential code", "version 1", ... */
extern const char *const dcs_book_names[DCS_N_BOOK];

/* Index of the parameter in the variant, or -1: by its name, by its role. */
int dcs_find_param(const dcs_variant *, const char *name);
int dcs_find_role(const dcs_variant *, dcs_role role);

/* The variant's initial values; a thread count of DCS_ALL_CPUS becomes `cpus`, DCS_HIGHEST what the
 * machine can do. */
dcs_config dcs_initial_config(const dcs_variant *, int cpus);

/* The value of the parameter with that role, or `otherwise` if the variant has none. */
int dcs_role_value(const dcs_variant *, const dcs_config *, dcs_role role, int otherwise);

/* Writes "block_x=16,read=end" ("" without parameters); returns text. */
char *dcs_format_config(const dcs_variant *, const dcs_config *, char text[DCS_TEXT]);
/* Writes one value of a parameter, "16" or "end"; returns text. */
char *dcs_format_value(const dcs_param *, double value, char text[32]);

/* Whether every value lies within lo..hi, the variant solves the problem, and applicable() agrees;
 * when not, says why. */
bool dcs_applicable(const dcs_variant *, const dcs_problem *, const dcs_config *,
                    char why[DCS_TEXT]);

/* n / by, rounded up, and the smallest multiple of `by` that is at least n (n >= 0, by >= 1). */
static inline int64_t dcs_divide_up(int64_t n, int64_t by) {
  return (n + by - 1) / by;
}
static inline int64_t dcs_round_up(int64_t n, int64_t by) {
  return dcs_divide_up(n, by) * by;
}

/* Of a descriptor whose variant computes the grid's points and no more; whose sums have a term of
 * each input. */
static inline dcs_dims dcs_executed_exactly(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n;
}
static inline int64_t dcs_longest_sum_all(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs;
}

/* Whether its problems may be slabs of a grid: it says so, or it takes every input to every point,
 * without anything that inputs have in common. */
bool dcs_computes_slabs(const dcs_variant *);

/* Adds a step to a plan. */
static inline void dcs_add_step(dcs_plan *plan, dcs_plan_step step) {
  plan->steps[plan->n_steps++] = step;
}
/* The steps of a plan whose launches add to a buffer: it is filled before. */
static inline void dcs_plan_adds_to(dcs_plan *plan, int buffer) {
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = DCS_BUFFER(buffer)});
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}
/* Bytes of the complex numbers of a transform, and of the real ones where they are in place. */
static inline int64_t dcs_fft_bytes(const dcs_fft *fft) {
  const int64_t numbers = (fft->n.x / 2 + 1) * fft->n.y * fft->n.z;
  return numbers * 2 * (fft->doubles ? 8 : 4);
}
/* Whether a step fills the buffer, which launches then add to. */
static inline bool dcs_plan_fills(const dcs_plan *plan, int buffer) {
  for (int s = 0; s < plan->n_steps; s++)
    if (plan->steps[s].does == DCS_STEP_FILL && plan->steps[s].to == DCS_BUFFER(buffer))
      return true;
  return false;
}

#ifdef __cplusplus
}
#endif

#endif
