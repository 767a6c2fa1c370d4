/* A specification of a kernel to tune, in the format T1 that Kernel Tuner, KTT and BAT share
 * (TuningSchema). results/tuning-your-kernel.md says what of it is taken. */
#ifndef DCS_SPEC_H
#define DCS_SPEC_H

#include "harness/spec/expression.h"
#include "kernels/contract.h"

enum { DCS_MAX_SPEC_PARAMS = 32, DCS_MAX_CONDITIONS = 64, DCS_MAX_ARGUMENTS = 24 };

/* ---- what an array or a number holds ---- */

typedef struct {
  const char *name; /* "int32" */
  int bytes;
  bool real, is_signed;
} dcs_element;
extern const dcs_element dcs_elements[];

typedef enum {
  DCS_FILL_NOTHING,
  DCS_FILL_CONSTANT,  /* `value` each */
  DCS_FILL_RANDOM,    /* evenly in 0..value, by the seed */
  DCS_FILL_GENERATOR, /* an expression of the index i */
  DCS_FILL_FILE       /* the bytes of the file */
} dcs_fill_type;

typedef struct {
  dcs_fill_type type;
  double value;
  uint64_t seed;
  dcs_expression *generator;
  const char *file;
  const char *where; /* "FILE: PATH", for messages */
} dcs_spec_fill;

typedef struct {
  const char *name; /* "argument 3" where it has none */
  const dcs_element *element;
  int lanes;          /* 4 of float4 */
  bool vector;        /* else a scalar */
  bool read, written; /* by the kernel */
  int64_t size;       /* elements; 1 of a scalar */
  dcs_spec_fill fill;
  /* What it is to hold afterwards, and what that may be off; of the type nothing: not known. */
  dcs_spec_fill expected;
  bool relative;
  double threshold;
} dcs_spec_argument;

/* ---- the specification ---- */

typedef struct {
  const char *name;
  const dcs_value *values; /* as they are listed; n, at least 1 */
  int n;
} dcs_spec_param;

typedef struct {
  const char *text;
  dcs_expression *expression; /* of all parameters, then the sizes of the problem */
} dcs_spec_formula;

typedef struct {
  char path[4096]; /* absolute */
  uint64_t hash;   /* of its text, and the kernel's */
  dcs_spec_param params[DCS_MAX_SPEC_PARAMS];
  int n_params;
  dcs_spec_formula conditions[DCS_MAX_CONDITIONS];
  int n_conditions;

  bool is_c; /* in C, for the CPU; else in CUDA */
  const char *kernel_name, *kernel_file;
  char *kernel;         /* its text */
  const char **options; /* of the compiler; n_options */
  int n_options;
  bool counts_threads; /* the global size is of threads, not of blocks */
  dcs_spec_formula global[3], local[3];

  const char *problem; /* id of a built-in problem; NULL: the arguments make one */
  dcs_spec_argument arguments[DCS_MAX_ARGUMENTS];
  int n_arguments;

  const char *search;   /* "Random"; NULL: it names none */
  int64_t budget_evals; /* 0: none */
  double budget_s;      /* 0: none */
  double budget_share;  /* of the configurations; 0: none */

  dcs_room room;
  void *json; /* the file, which names and texts lie in */
} dcs_spec;

/* What formulas may know beside the parameters, of a built-in problem: its sizes. */
enum { DCS_N_SIZE_NAMES = 4 };
extern const char *const dcs_size_names[DCS_N_SIZE_NAMES]; /* n_inputs, nx, ny, nz */

/* Reads a specification and its kernel. DCS_INPUT: file, JSON path, what was found and what would
 * be right; so with what is in T1 and not supported. Free with dcs_spec_free(), whatever the
 * status. */
dcs_status dcs_spec_read(const char *path, dcs_spec *spec);
void dcs_spec_free(dcs_spec *spec);

/* Whether outputs are held against anything. */
bool dcs_spec_is_verified(const dcs_spec *spec);

/* Writes the values that a fill makes, `size` elements; DCS_INPUT: it makes none, such as a file of
 * another size. */
dcs_status dcs_spec_make_data(const dcs_spec_argument *argument, const dcs_spec_fill *fill,
                              void *data);
static inline size_t dcs_spec_bytes(const dcs_spec_argument *argument) {
  return (size_t)argument->element->bytes * (size_t)argument->lanes * (size_t)argument->size;
}
/* Value i of data. */
double dcs_element_value(const dcs_element *element, const void *data, int64_t i);

#endif
