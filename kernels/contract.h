/* The kernel contract: what a problem and a variant are, and what a variant may ask of the harness.
 *
 * A problem is of a kind (coulomb, density, ...), which harness/problems describes: it has values
 * of the kind's parameters, inputs, and an output on a grid. A variant computes problems of one
 * kind. What the kind's kernels share lies in kernels/KIND/KIND.h.
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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t x, y, z;
} dcs_dims;

/* ---- parameters and configurations ---- */

enum { DCS_MAX_PARAMS = 8, DCS_TEXT = 256 };

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
  bool real;        /* any number of lo..hi */
  const char *unit; /* "angstrom"; NULL: none */
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

/* One problem to compute. Outputs are row-major with x fastest: point (i, j, k) is
 * out[(k*ny + j)*nx + i]. */
typedef struct {
  const void *input; /* n_inputs elements of the kind; may be NULL where only the shape matters
                        (predicates, plans) */
  int64_t n_inputs;  /* at least 1 */
  dcs_dims n;        /* points of the output, each at least 1 */
  float spacing;     /* of the points, angstrom */
  dcs_config config; /* values of the kind's parameters */
} dcs_problem;

/* ---- what a CUDA variant asks the harness to do ---- */

/* What a kernel's arguments are, in the order of its signature. */
typedef enum {
  DCS_ARG_END,      /* closes the list */
  DCS_ARG_OUTPUT,   /* float *: first point that this launch computes */
  DCS_ARG_INPUT,    /* const element *: the launch's first input, in global memory */
  DCS_ARG_N_INPUTS, /* int: inputs of this launch */
  DCS_ARG_NX,       /* int: useful points in x */
  DCS_ARG_NY,       /* int: useful points in y */
  DCS_ARG_NZ,       /* int: slices of this launch */
  DCS_ARG_ROW,      /* int: points from one stored row to the next */
  DCS_ARG_K,        /* int: first slice of this launch */
  DCS_ARG_SPACING,  /* float: angstrom */
  DCS_ARG_SMS,      /* int: SMs of the device, at least 1 */
  DCS_ARG_SCRATCH,  /* float *: the plan's scratch_floats, not initialised */
  DCS_ARG_COUNTERS, /* int *: the plan's counters */
  DCS_ARG_OWN       /* a struct of the kernel's own, by value: the plan's `own` */
} dcs_arg;

enum { DCS_MAX_ARGS = 12, DCS_MAX_STEPS = 8, DCS_OWN_BYTES = 128 };

/* A kernel of the module that is launched before the output's: it sorts the inputs, say. Its
 * arguments are those of a launch of all inputs on all slices. */
typedef struct {
  const char *kernel; /* its name, extern "C" */
  int block;          /* threads */
  int64_t grid;       /* blocks */
  const dcs_arg *args;
} dcs_plan_step;

/* How a problem is computed in launches: once for each group of slices and, within it, for each
 * chunk of inputs. */
typedef struct {
  int64_t chunk_inputs; /* inputs a launch takes; they lie in the module's constant array `atoms`
                           when constant_inputs, in global memory otherwise */
  bool constant_inputs;
  bool prepared;         /* the variant's prepare() writes the inputs of each launch */
  bool overwrites;       /* launches write every stored point; else they add to it, and the host
                            fills the output with 0 before */
  int64_t launch_slices; /* slices a launch computes; the last launch may have fewer */
  int64_t slice_step;    /* a launch may have fewer slices, any multiple of this, and grid[2] is
                            then slices / slice_step, rounded up; 0: launch_slices alone */
  int64_t spare_layers;  /* blocks in z beyond those of grid[2]: the kernel shares the output out */
  dcs_dims stored;       /* points of the output in device memory; at least the problem's */
  int64_t scratch_floats; /* device memory for what blocks tell each other in a launch; 0: none */
  int64_t counters;       /* ints, zero before the first launch; each launch, or the steps together,
                             leave them zero */
  int64_t placed_inputs;  /* inputs in device memory as the variant's place() puts them; 0: as the
                             problem has them */
  int block[3];           /* threads */
  int64_t grid[3];        /* blocks of a launch of launch_slices */
  const dcs_arg *args;    /* DCS_ARG_END last */
  dcs_plan_step steps[DCS_MAX_STEPS]; /* launched in order before the first launch of an output,
                                         which they leave alone; what they leave in scratch is there
                                         for all */
  int n_steps;
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
  DCS_NO_BACKEND /* not known, of timings that other programs took */
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

typedef struct {
  const char *id;   /* permanent: it keys the data */
  const char *kind; /* of the problems that it computes: coulomb, ... */
  const char *idea; /* one line */
  /* Every file that its result or its time depends on, but for this contract, as paths of the
   * project; the kernel itself (a .cu, or the .c) comes first, NULL last. Their hash keys what is
   * kept of it. */
  const char *const *sources;
  dcs_backend backend;
  dcs_book book; /* at most one variant of each but DCS_BOOK_NONE */
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
  /* Points in each dimension that are really computed, padding included. */
  dcs_dims (*executed)(const dcs_problem *, const dcs_config *);
  /* Floating-point operations per executed evaluation: add, subtract, multiply 1, FMA 2, reciprocal
   * square root and exponential 2. */
  double (*flops_per_eval)(const dcs_config *);
  /* Longest run of float additions into one accumulator (L of the acceptance bound). */
  int64_t (*longest_sum)(const dcs_problem *, const dcs_config *);
  /* Where it is not every input at every executed point: what is done with the problem, whose
   * inputs are given. NULL: it is. */
  void (*candidates)(const dcs_problem *, const dcs_config *, dcs_candidates *);

  /* CPU: computes the whole output (n.x*n.y*n.z floats, overwritten); false: memory for it cannot
   * be had. NULL for CUDA. */
  bool (*compute)(const dcs_problem *, const dcs_config *, float *out);
  /* CUDA: fills the launch plan. NULL on the CPU. */
  void (*plan)(const dcs_problem *, const dcs_config *, dcs_plan *);
  /* CUDA, with plan.prepared: writes inputs first..first+n-1 as a launch of slice k takes them. */
  void (*prepare)(const dcs_problem *, int64_t first, int64_t n, int64_t k, void *prepared);
  /* CUDA, where the host arranges the inputs for the kernel (NULL: the device gets them as they
   * are): fills placed[plan.placed_inputs], which DCS_ARG_INPUT points to, and overflow[n_inputs]
   * with those that found no place there; returns how many those are. */
  int64_t (*place)(const dcs_problem *, const dcs_config *, void *placed, void *overflow);
  /* Adds to the output, on the host, the inputs of a problem that holds nothing but the overflow.
   */
  void (*add_overflow)(const dcs_problem *overflow, const dcs_config *, float *out);
} dcs_variant;

/* The ladder, in order. */
extern const dcs_variant *const dcs_variants[];
extern const int dcs_n_variants;

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

#ifdef __cplusplus
}
#endif

#endif
