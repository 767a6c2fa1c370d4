/* Problem kinds: what is to be computed. One file a kind states everything that is true of the kind
 * alone; one line of problems.def adds it. Whatever sweeps, verifies, tunes and decides sees this
 * structure and knows no kind.
 *
 * A problem is a kind with values of its parameters, on a size (values of its axes). */
#ifndef DCS_PROBLEM_H
#define DCS_PROBLEM_H

#include "harness/input/molecule.h"
#include "kernels/contract.h"

enum { DCS_MAX_AXES = 4, DCS_MAX_DIMENSIONS = 2 };

#define DCS_EXTERNAL "external" /* id of the kinds that are made (external.h) */

typedef struct dcs_kind dcs_kind;
typedef struct dcs_case dcs_case;

/* The key of a size: everything that was measured is told apart by it, a method and a scope. */
typedef struct {
  const dcs_kind *kind;
  dcs_config config;          /* of the kind's parameters, canonical */
  int64_t axes[DCS_MAX_AXES]; /* of the kind, each at least 1; 0 beyond its axes */
} dcs_size;

/* A size is given, and thresholds are sought, along dimensions: one axis, or the three of a grid,
 * whose product counts. A kind without a grid has an output for each input; one of a grid alone has
 * no atoms: its inputs are fields, each with its own count() and fill(). */
typedef struct {
  const char *name;   /* of the option (--atoms) and of the column of a plan */
  const char *values; /* what the product is called: "atoms", "points" */
  int first, n;       /* axes */
} dcs_dimension;

/* The reference value of one output and what it may be off (DESIGN.md, "Right before fast"). */
typedef struct {
  double v; /* the value */
  double s; /* the sum of the terms' magnitudes */
  double d; /* what a shift of the inputs by 1 angstrom changes, at most */
  double e; /* what rounding where a term begins or ends changes, at most */
  /* Of a problem to a tolerance (dcs_kind.tolerance): */
  double d_near;  /* d, of the atoms that are near */
  double d_far2;  /* the sum of the squares of what d is the sum of, of the others */
  double w;       /* the sum of the terms' squares, each as if its atom were DCS_NEAREST_ATOM away
                     at least: the square of v, were the signs of the charges random */
  double nearest; /* distance of the nearest atom, angstrom */
} dcs_sums;

/* Points farther than this from every atom tell how large a map is, angstrom. */
#define DCS_NEAREST_ATOM 1.0

/* An array that problems of a kind have; they are numbered in the order of the kind's list, buffer
 * 0 is an input. */
typedef struct {
  const char *name;
  size_t bytes; /* of an element */
  /* Elements: pure, of shape and inputs, the same for all values of the kind's parameters. It may
   * look into buffers before this one, which are NULL where only the shape matters: then it tells
   * what is usual. NULL: of an input, problem->n_inputs, for buffer 0 those of the
   * atoms that count; of an output, one for each point of the grid, so that it can be computed in
   * slices, padded, and shared by several devices (its `bytes` are a multiple of 4). */
  int64_t (*count)(const dcs_problem *);
  /* Of buffer 0: elements, where the case's atoms alone tell. NULL: as count(). */
  int64_t (*inputs)(const dcs_case *);
  int64_t elements; /* always so many, in place of count(); 0: as that tells */
  bool output; /* the method fills it, else the case: by fill(), or buffer 0 where that is NULL,
                  atom by atom (dcs_kind.input) */
  void (*fill)(const dcs_case *, int buffer, void *data);
  /* Of an output: the input, as large, that is copied into it before it is computed; 0: it begins
   * with anything. Where kernels read it (`read`) that is done before each that is timed, untimed;
   * else what they leave does not matter to the next. */
  int begins;
  bool read;
  /* Of an output: values of an element (0: one), the value i of all, and what it should be. NULL: a
   * float; the sum over atoms (dcs_kind.add) at grid point i, and on no grid anything that is
   * finite. */
  int values;
  double (*value)(const void *data, int64_t i);
  dcs_sums (*reference)(const dcs_case *, int buffer, int64_t i, double largest);
} dcs_buffer;

/* Of a kind whose problem is one step of many: its map becomes the input of the next. A point of it
 * depends on that input `halo` slices below and above at most. fill() of a slab of a grid makes a
 * grid of its own of it, closed where it is cut, whose output is that of the whole grid but for
 * `halo` slices at each cut. */
typedef struct {
  int input; /* which buffer */
  int (*halo)(const dcs_config *);
} dcs_stepping;

struct dcs_kind {
  const char *id;          /* column `problem` */
  const char *what;        /* one line */
  const char *unit;        /* of the output: "e/angstrom" */
  const char *eval;        /* the unit of work, as in "evaluations/s" */
  const dcs_param *params; /* an option --NAME each, and `problem_config` */
  int n_params;
  const char *const *axes; /* columns: atoms, nx, ny, nz */
  int n_axes;
  const dcs_dimension *dimensions;
  int n_dimensions;
  /* Of a kind that is made for a file: the names of its axes, which are its problem_config. NULL:
   * it is of problems.def. */
  const char *made_of;
  /* Problems that verify tries each variant on, as problem_config; NULL last. */
  const char *const *verified;
  /* A molecule that verify tries beside random atoms, which lack something that kernels compute;
   * the caller frees, whatever the status. NULL: they lack nothing. */
  dcs_status (*whole)(dcs_molecule *);

  /* Gives values that change nothing their initial values, so that equal problems have equal keys.
   * False: the values make no problem; `why` says what was found and what would be right. NULL: all
   * do, and are equal where their values are. */
  bool (*canonical)(dcs_config *, char why[DCS_TEXT]);
  /* The problem that this one is an approximation of, whose answer people want: the direct sum of a
   * sum within a cutoff. False: this one is none. NULL: none is. */
  bool (*approximates)(const dcs_config *, dcs_config *exact);

  /* What the output may be off by beyond rounding, over the root mean square of the map away from
   * atoms (judge/oracle.h: dcs_bound); 0: nothing. NULL: nothing. */
  double (*tolerance)(const dcs_config *);
  /* The edges of the cell in which atoms and map repeat, angstrom, one that neither the parameters
   * nor the grid tells 0. False: they do not repeat. NULL: none does. */
  bool (*cell)(const dcs_problem *, double cell[3]);
  int cell_edges; /* the first of the parameters that are its edges; 0 stands for what the input
                     says, else for what the grid spans */

  /* ---- buffers ---- */

  const dcs_buffer *buffers;
  int n_buffers;
  const dcs_stepping *stepping; /* NULL: it is none */
  /* Whether its data are cold where they are used: caches are flushed, untimed, before they are
   * computed. */
  bool cold;
  /* What kernels get of an atom, in a buffer 0 without fill(); false: it adds nothing and is left
   * out. */
  bool (*input)(const dcs_site *, void *element);
  const char *adds_nothing; /* what such an atom has: "charge 0" */
  bool field; /* its inputs take bonds and Lennard-Jones parameters of the atoms, too */
  /* Sites of the case that is begun, and its force field, where an input is random. NULL: atoms
   * that fill the grid, or a cube, evenly. */
  dcs_status (*random)(dcs_case *, uint64_t seed);
  /* What a file has to say of atoms, beside places: DCS_ORBITAL, DCS_RADII. */
  unsigned needs;
  bool shape; /* charges are of no concern */
  /* Makes what the molecule did not have, of its sites, before inputs are filled, or refuses them.
   * NULL: nothing. */
  dcs_status (*complete)(dcs_case *);
  /* Useful work of one output: the evaluations asked for, of all atoms or (given) of those that
   * kernels get. */
  double (*work)(const dcs_case *, bool given);
  /* The distance from a point within which an atom usually counts, angstrom; 0: any. NULL: any.
   * What is estimated of the work without the input (dcs_estimate) rests on it. */
  double (*range)(const dcs_config *);
  /* In place of range() and evals_an_atom, of a kind without a grid: the useful work that n usual
   * atoms have. */
  double (*estimate)(const dcs_config *, int64_t n);
  double evals_an_atom; /* at a point, of usual atoms: what is estimated rests on it; 0: one */

  /* ---- what is right ---- */

  /* Adds an atom of the case to the sums at a point (angstrom from grid point 0, 0, 0) at distance
   * r; `largest` is the largest coordinate. An atom that coincides with the point is not passed. */
  void (*add)(const dcs_case *, const dcs_site *, double r, double largest, dcs_sums *);
  /* In its place where atoms repeat in a cell: sums[n] of all images at n points. An image that
   * coincides with a point is left out there, its other images are not. */
  dcs_status (*add_images)(const dcs_case *, const double (*points)[3], int64_t n, double largest,
                           dcs_sums *sums);
  /* The farthest that an atom may be from the grid and still count; INFINITY: any. */
  double (*reach)(const dcs_case *);
  /* What u times S may be off by the kernels' arithmetic: rounding of a term (16 for 1/r). */
  double (*rounding)(const dcs_config *);
  /* Whether single precision loses the value at a point very near to an atom, where it is replaced
   * by one in double precision. */
  bool singular;
  /* The value of one atom alone at distance r, without a grid its own (r is 0): a law that needs no
   * oracle. NULL: the map is no sum over atoms, nor a value of each, and no such laws hold. */
  double (*single)(const dcs_config *, const dcs_site *, double r);
  bool linear; /* in the charges */
  /* The output is a potential, which other units are known of (harness/output/field.h). */
  bool potential;

  /* ---- limits ---- */

  /* The measured limit that a rate is held against, as env.csv has it, on each backend; of the CPU
   * with %s for "1" or "all" threads. NULL: none is measured. */
  const char *limit[2];
  double limit_cost[2]; /* what an evaluation takes of that limit's operations; 0: one */
};

/* Elements of a buffer of the problem. */
int64_t dcs_count(const dcs_kind *kind, int buffer, const dcs_problem *problem);
static inline size_t dcs_buffer_bytes(const dcs_kind *kind, int buffer,
                                      const dcs_problem *problem) {
  return (size_t)dcs_count(kind, buffer, problem) * kind->buffers[buffer].bytes;
}
/* Whether the buffer is an output on the grid. */
static inline bool dcs_on_grid(const dcs_kind *kind, int buffer) {
  const dcs_buffer *b = &kind->buffers[buffer];
  return b->output && !b->count && b->elements == 0;
}
/* Whether outputs are to be filled again before each time they are computed. */
static inline bool dcs_reads_outputs(const dcs_kind *kind) {
  for (int b = 0; b < kind->n_buffers; b++)
    if (kind->buffers[b].read) return true;
  return false;
}
/* What an evaluation takes of the operations of limit[backend]. */
static inline double dcs_limit_cost(const dcs_kind *kind, dcs_backend backend) {
  return kind->limit_cost[backend] > 0 ? kind->limit_cost[backend] : 1;
}
/* Evaluations of a usual atom at a point. */
static inline double dcs_evals_an_atom(const dcs_kind *kind) {
  return kind->evals_an_atom > 0 ? kind->evals_an_atom : 1;
}
/* Whether a grid is a dimension of its sizes. */
bool dcs_has_grid(const dcs_kind *kind);
/* Whether its inputs are atoms; else they are fields on the grid, which is all of its sizes. */
bool dcs_has_atoms(const dcs_kind *kind);
/* The first buffer that is an output on the grid: the map. -1: there is none. */
int dcs_map_of(const dcs_kind *kind);
/* Whether a map is all that it computes of atoms, a float at each point: what can be written as the
 * map of a molecule. */
bool dcs_is_map(const dcs_kind *kind);
/* Those that are, for messages: "coulomb, density". Returns text. */
char *dcs_map_kinds(char text[DCS_TEXT]);

/* The list, in order; the first is the one that is meant where none is named. Behind it those that
 * were added, which live as long as the program. */
extern const dcs_kind *dcs_kinds[];
extern int dcs_n_kinds;

/* Before any thread or worker is started; not twice. DCS_USAGE: its id is taken, or there are
 * DCS_MAX_ADDED. */
dcs_status dcs_add_kind(const dcs_kind *kind);

const dcs_kind *dcs_find_kind(const char *id); /* or NULL */
/* The kind that a variant computes. */
const dcs_kind *dcs_kind_of(const dcs_variant *variant);

/* The values when nobody chooses. */
dcs_config dcs_initial_problem(const dcs_kind *kind);
/* "cutoff=12,switching=c2": the values that are not initial, "" where all are; returns text. */
char *dcs_format_problem(const dcs_kind *kind, const dcs_config *config, char text[DCS_TEXT]);
bool dcs_same_problem(const dcs_kind *kind, const dcs_config *a, const dcs_config *b);

/* The problems of a kind that a text means, "cutoff=0|12,switching=c2" (NULL, "": the initial one):
 * all combinations, canonical, each once. DCS_USAGE names what was found and what would be right.
 * The caller frees *list. */
dcs_status dcs_parse_problems(const dcs_kind *kind, const char *text, dcs_config **list, int *n);
/* The one that a problem_config means. */
dcs_status dcs_parse_problem(const dcs_kind *kind, const char *text, dcs_config *config);

/* Whether the variant computes that problem of its kind; when not, says what it needs. */
bool dcs_solves(const dcs_variant *variant, const dcs_config *problem, char why[DCS_TEXT]);

/* Whether the variant is to be tried on that problem of dcs_kind.verified: it solves it, and not by
 * the exact answer to whatever tolerance, which the list has, too. */
bool dcs_tries(const dcs_variant *variant, const dcs_config *problem);

#endif
