/* The kernel contract: what a variant is, and what it may ask of the harness.
 *
 * A variant computes the Direct Coulomb Summation map
 *
 *     V(i, j, k) = sum over atoms a of q_a / |h (i, j, k) - r_a|
 *
 * for every point of a uniform grid of spacing h (angstrom), charges in e, so V is in e/angstrom
 * (Stone et al., J. Comput. Chem. 28 (2007) 2618; Kirk and Hwu, Programming Massively Parallel
 * Processors, 2nd ed., chapter 12, later editions chapter 15 and 18), or, with a cutoff c, the sum
 * over the atoms nearer than c alone, each term times a smoothing factor (dcs_smooth).
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
  float x, y, z; /* angstrom, relative to grid point (0, 0, 0) */
  float q;       /* e */
} dcs_atom;

typedef struct {
  int64_t x, y, z;
} dcs_dims;

/* What an atom's term at distance r < c is multiplied by, where there is a cutoff c. */
typedef enum {
  DCS_SMOOTH_NONE, /* 1 */
  DCS_SMOOTH_C2    /* (1 - r^2 / c^2)^2: value and slope are 0 at the cutoff */
} dcs_smooth;

extern const char *const dcs_smooth_names[]; /* none, c2; NULL last */

/* One map to compute. Maps are row-major with x fastest: point (i, j, k) is map[(k*ny + j)*nx + i].
 */
typedef struct {
  const dcs_atom *atoms; /* n_atoms; may be NULL where only the shape matters (predicates, plans) */
  int64_t n_atoms;       /* at least 1 */
  dcs_dims n;            /* grid points, each at least 1 */
  float spacing;         /* angstrom */
  float cutoff;          /* angstrom; 0: none is given. Read by variants with a cutoff alone */
  dcs_smooth smooth;
} dcs_problem;

/* ---- parameters and configurations ---- */

enum { DCS_MAX_PARAMS = 8, DCS_TEXT = 256 };

/* A knob of a variant. Legal values are the integers lo..hi for which the variant's applicable()
 * says yes. A CUDA kernel sees each parameter as a macro named in upper case (block_x: BLOCK_X). */
typedef struct {
  const char *name;
  const char *meaning;
  int lo, hi;
  int initial; /* when nobody chooses; DCS_ALL_CPUS for a number of threads; DCS_HIGHEST */
  const char *const *labels; /* names of lo..hi, a macro each (READ_START), or NULL for numbers */
  const int *tries; /* values that a tuner tries, ascending, the initial one among them, closed by
                       DCS_TRIES_END; NULL: all of lo..hi. Of threads only those up to the CPUs at
                       hand, and these */
} dcs_param;

enum {
  DCS_ALL_CPUS = 0,
  DCS_TRIES_END = -1,
  DCS_HIGHEST = -2 /* the highest value that applicable() allows on this machine */
};

/* A value for each parameter of a variant, in the descriptor's order. */
typedef struct {
  int value[DCS_MAX_PARAMS];
} dcs_config;

/* ---- what a CUDA variant asks the harness to do ---- */

/* What a kernel's arguments are, in the order of its signature. */
typedef enum {
  DCS_ARG_END,      /* closes the list */
  DCS_ARG_MAP,      /* float *: first point that this launch computes */
  DCS_ARG_ATOMS,    /* const float4 *: x, y, z, q of the launch's first atom, in global memory */
  DCS_ARG_N_ATOMS,  /* int: atoms of this launch */
  DCS_ARG_NX,       /* int: useful points in x */
  DCS_ARG_NY,       /* int: useful points in y */
  DCS_ARG_NZ,       /* int: slices of this launch */
  DCS_ARG_ROW,      /* int: points from one stored row to the next */
  DCS_ARG_K,        /* int: first slice of this launch */
  DCS_ARG_SPACING,  /* float: angstrom */
  DCS_ARG_UNITS,    /* int: multiprocessors of the device, at least 1 */
  DCS_ARG_SCRATCH,  /* float *: the plan's scratch_floats, not initialised */
  DCS_ARG_COUNTERS, /* int *: the plan's counters */
  DCS_ARG_OWN       /* a struct of the kernel's own, by value: the plan's `own` */
} dcs_arg;

enum { DCS_MAX_ARGS = 12, DCS_MAX_STEPS = 8, DCS_OWN_BYTES = 128 };

/* A kernel of the module that is launched before the map's: it sorts the atoms, say. Its arguments
 * are those of a launch of all atoms on all slices. */
typedef struct {
  const char *kernel; /* its name, extern "C" */
  int block;          /* threads */
  int64_t grid;       /* blocks */
  const dcs_arg *args;
} dcs_plan_step;

/* How a map is computed in launches. The host zeroes the stored map, then launches once for each
 * group of slices and, within it, for each chunk of atoms; every launch adds its atoms to the map.
 */
typedef struct {
  int64_t chunk_atoms; /* atoms a launch takes; they lie in the module's constant array `atoms` when
                          atoms_in_constant, in global memory otherwise */
  bool atoms_in_constant;
  bool host_dz2;         /* the atoms' z field holds dz^2 to the slice, prepared by the host */
  int64_t launch_slices; /* slices a launch computes; the map's last launch may have fewer */
  int64_t slice_step;   /* a launch may have fewer slices, any multiple of this, and grid[2] is then
                           slices / slice_step, rounded up; 0: launch_slices alone */
  int64_t spare_layers; /* blocks in z beyond those of grid[2]: the kernel shares the map out */
  dcs_dims stored;      /* points of the map in device memory; at least the problem's */
  int64_t scratch_floats; /* device memory for what blocks tell each other in a launch; 0: none */
  int64_t counters;       /* ints, zero before the first launch; each launch, or the steps together,
                             leave them zero */
  int64_t placed_atoms;   /* atoms in device memory as the variant's place() puts them; 0: as the
                             problem has them */
  int block[3];           /* threads */
  int64_t grid[3];        /* blocks of a launch of launch_slices */
  const dcs_arg *args;    /* DCS_ARG_END last */
  dcs_plan_step
      steps[DCS_MAX_STEPS]; /* launched in order before the first launch of each map, which
                          they leave alone; what they leave in scratch is there for all */
  int n_steps;
  _Alignas(16) unsigned char own[DCS_OWN_BYTES]; /* DCS_ARG_OWN */
} dcs_plan;

/* What a variant with a cutoff does with a problem. */
typedef struct {
  double pairs;     /* atoms and points whose distance is examined, padding points included */
  int64_t overflow; /* atoms that did not fit their bins and are left to the host; 0 without bins */
  double fill;      /* of the places in bins that hold any atom, those taken; NaN without bins */
} dcs_examined;

/* ---- variants ---- */

typedef enum { DCS_CPU, DCS_CUDA } dcs_backend;

/* What the case study of Kirk and Hwu (see above) calls a method. */
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
  /* Whether the configuration can compute this problem; pure. When not, says why. NULL: always. */
  bool (*applicable)(const dcs_problem *, const dcs_config *, char why[DCS_TEXT]);
  /* Points in each dimension for which a sum is really computed, padding included. */
  dcs_dims (*executed)(const dcs_problem *, const dcs_config *);
  /* Floating-point operations per executed evaluation: add, subtract, multiply 1, FMA 2, reciprocal
   * square root 2. */
  double (*flops_per_eval)(const dcs_config *);
  /* Longest run of float additions into one accumulator (L of the acceptance bound). */
  int64_t (*longest_sum)(const dcs_problem *, const dcs_config *);

  /* Whether the map that it computes is that of the problem's cutoff, which is then above 0. The
   * others compute the whole sum, whatever the cutoff. */
  bool cutoff;
  /* With a cutoff: what is done with the problem, whose atoms are given. NULL without. */
  void (*examine)(const dcs_problem *, const dcs_config *, dcs_examined *);

  /* CPU: computes the whole map (n.x*n.y*n.z floats, overwritten); false: memory for it cannot be
   * had. NULL for CUDA. */
  bool (*compute)(const dcs_problem *, const dcs_config *, float *map);
  /* CUDA: fills the launch plan. NULL on the CPU. */
  void (*plan)(const dcs_problem *, const dcs_config *, dcs_plan *);
  /* CUDA, where the host arranges the atoms for the kernel (NULL: the device gets them as they
   * are): fills placed[plan.placed_atoms], which DCS_ARG_ATOMS points to, and rest[n_atoms] with
   * the atoms that found no place there; returns how many those are. */
  int64_t (*place)(const dcs_problem *, const dcs_config *, dcs_atom *placed, dcs_atom *rest);
  /* Adds to the map, on the host, the atoms of a problem that holds nothing but the rest. */
  void (*add_rest)(const dcs_problem *rest, const dcs_config *, float *map);
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

/* Index of the parameter in the variant, or -1. */
int dcs_find_param(const dcs_variant *, const char *name);

/* The variant's initial values; a thread count of DCS_ALL_CPUS becomes `cpus`, DCS_HIGHEST what the
 * machine can do. */
dcs_config dcs_initial_config(const dcs_variant *, int cpus);

/* The value of a parameter, or `otherwise` if the variant has no such parameter. */
int dcs_config_value(const dcs_variant *, const dcs_config *, const char *name, int otherwise);

/* Writes "block_x=16,read=end" ("" without parameters); returns text. */
char *dcs_format_config(const dcs_variant *, const dcs_config *, char text[DCS_TEXT]);

/* Whether every value lies within lo..hi, a variant with a cutoff has one, and applicable() agrees;
 * when not, says why. */
bool dcs_applicable(const dcs_variant *, const dcs_problem *, const dcs_config *,
                    char why[DCS_TEXT]);

/* Smallest multiple of `step` that is at least n (n >= 0, step >= 1). */
int64_t dcs_round_up(int64_t n, int64_t step);

#ifdef __cplusplus
}
#endif

#endif
