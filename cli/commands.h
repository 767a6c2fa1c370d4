/* The commands of the program: each parses its own options (argp) and calls one part of the
 * harness. */
#ifndef DCS_COMMANDS_H
#define DCS_COMMANDS_H

#include "harness/output/field.h"
#include "harness/sweep/sweep.h"
#include "harness/worker/bench.h"
#include "library/workers.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/* argv[0] is "dcsbench COMMAND". Returns the program's exit status; the message of a failure lies
 * in dcs_error_message(). */
typedef dcs_status dcs_command_function(int argc, char **argv);

dcs_command_function dcs_command_list, dcs_command_info, dcs_command_limits, dcs_command_generate,
    dcs_command_verify, dcs_command_sweep, dcs_command_compile, dcs_command_plot,
    dcs_command_report, dcs_command_compare, dcs_command_crossover, dcs_command_claims,
    dcs_command_dispatch, dcs_command_map, dcs_command_tune, dcs_command_trace, dcs_command_import,
    dcs_command_lab, dcs_command_explain, dcs_command_diff, dcs_command_convert, dcs_command_scale,
    dcs_command_steps;

/* The program: runs the command that is named and returns the exit status. */
int dcs_main(int argc, char **argv, dcs_workers *workers);

/* Who computes: what dcs_main() was given. */
extern dcs_workers *dcs_job;
/* The program for ranks, which lies beside this one; DCS_UNAVAILABLE where it is not there. */
dcs_status dcs_mpi_program(char path[PATH_MAX + 8]);
extern double dcs_started_ns; /* when dcs_main() was called, by dcs_now_ns() */

/* ---- the options of a command ---- */

typedef enum {
  DCS_OPTION_OWN, /* `take` reads it */
  DCS_OPTION_FLAG,
  DCS_OPTION_VALUE,
  DCS_OPTION_WORD,
  DCS_OPTION_FILES, /* of a dcs_input: once or twice */
  DCS_OPTION_INTEGER,
  DCS_OPTION_NUMBER
} dcs_option_type;

/* As argp has it, and where its value goes: an offset in the command's arguments, written with a
 * macro below, or a function that is handed them. A list of options ends with an empty one. */
typedef struct {
  const char *name;
  int letter; /* 0: none */
  const char *arg, *doc;
  dcs_option_type type;
  size_t place;
  int64_t least, most; /* of an integer; least: what VALUE stores */
  double lo, hi;       /* of a number */
  dcs_status (*take)(const char *arg, void *arguments);
  bool arg_optional;
} dcs_option;

#define DCS_PLACE(arguments, member, type)                                                         \
  _Generic(((arguments *)NULL)->member, type : offsetof(arguments, member))

#define DCS_FLAG(arguments, member)                                                                \
  .type = DCS_OPTION_FLAG, .place = DCS_PLACE(arguments, member, bool)
/* Stores `value` of an enumeration. */
#define DCS_VALUE(arguments, member, value)                                                        \
  .type = DCS_OPTION_VALUE, .place = offsetof(arguments, member), .least = (value)
#define DCS_WORD(arguments, member)                                                                \
  .type = DCS_OPTION_WORD, .place = DCS_PLACE(arguments, member, const char *)
#define DCS_FILES(arguments, member)                                                               \
  .type = DCS_OPTION_FILES, .place = DCS_PLACE(arguments, member, dcs_input)
#define DCS_INTEGER(arguments, member, from, to)                                                   \
  .type = DCS_OPTION_INTEGER, .place = DCS_PLACE(arguments, member, int64_t), .least = (from),     \
  .most = (to)
#define DCS_NUMBER(arguments, member, from, to)                                                    \
  .type = DCS_OPTION_NUMBER, .place = DCS_PLACE(arguments, member, double), .lo = (from), .hi = (to)

/* Of a command whose one word is a run folder. */
#define DCS_RUN_FOLDER(arguments, member)                                                          \
  .args_doc = "DIR", .place = DCS_PLACE(arguments, member, const char *), .words = 1,              \
  .missing = "the run folder is missing"

typedef struct {
  const dcs_option *options; /* NULL: none but shared ones */
  const char *args_doc, *doc;
  /* The words of which each fills the next of `words` pointers from `place` on; `missing` is said
   * when one is not there (NULL: they may be left out). */
  size_t place;
  int words;
  const char *missing;
  /* In their stead, a function that takes each word: false when it is one too many. */
  bool (*take_word)(char *word, void *arguments);
  /* What options forbid each other (NULL: nothing), said with dcs_fail(). */
  dcs_status (*check)(const void *arguments);
  const char *device_title; /* above --device and its like in the help; NULL: none */
} dcs_command_line;

/* ---- options that several commands share ---- */

/* --device, --kernels, --timeout */
typedef struct {
  const char *device; /* NULL: the default */
  const char *kernels;
  double timeout_s;
} dcs_device_options;

/* --input, --format, --model, --altloc, --frame, --orbital, --spacing, --margin, --origin */
typedef struct {
  dcs_input input;
  dcs_grid grid;
} dcs_problem_options;

/* --problem, and an option for each parameter of a kind: --cutoff, --switching, ... What was typed
 * is checked against the kind. All else is zero before options are read. */
typedef struct {
  const dcs_kind *kind;  /* before: the one that is meant where none is named; NULL: the first */
  char config[DCS_TEXT]; /* as problem_config, where a value may be several: "cutoff=0|12" */
  const char *typed[DCS_MAX_PARAMS * 8]; /* by option; NULL: not given */
  const char *cell;                      /* --cell A,B,C; NULL: not given */
} dcs_problem_choice;

/* Whether the kind or a parameter was given. */
bool dcs_chosen(const dcs_problem_choice *choice);
/* The one problem that was asked for. DCS_USAGE for several. */
dcs_status dcs_one_problem(const dcs_problem_choice *choice, const dcs_kind **kind,
                           dcs_config *problem);

/* --units, --temperature */
typedef struct {
  const dcs_units *units; /* NULL: not given */
  double kelvin;
  bool has_kelvin; /* it was given */
} dcs_units_options;

/* Of a command about one variant: the problem that was asked for; where none was, the first on
 * which the variant is verified. */
dcs_status dcs_problem_for(const dcs_problem_choice *choice, const dcs_variant *variant,
                           dcs_config *problem);
/* The variant with that id; DCS_USAGE suggests the nearest. */
dcs_status dcs_one_variant(const char *id, const dcs_variant **variant);
/* The one method that a variant and a configuration mean. DCS_USAGE for several. */
dcs_status dcs_one_method(const char *variant, const char *config, dcs_method *method);

/* --variants, --config, --atoms, --grid, --scope, --memory, --plan, --rounds, --budget, --seed */
typedef struct {
  dcs_sweep_line line;
  const char *plan;
  int64_t rounds;  /* 0: as many as precision needs */
  double budget_s; /* 0: none */
  int64_t seed;
} dcs_plan_options;

/* What --plan forbids. */
dcs_status dcs_check_plan(const dcs_plan_options *planned, const dcs_problem_choice *choice);

enum { DCS_MAX_TYPED = 64 };

/* The shared options as they were typed, "--atoms=100", for another program. */
typedef struct {
  char *words[DCS_MAX_TYPED];
  int n;
} dcs_typed;

void dcs_typed_free(dcs_typed *typed);

/* Of the command's arguments; NULL: it has no such options. */
typedef struct {
  dcs_device_options *device;
  dcs_problem_options *problem;
  dcs_problem_choice *choice;
  dcs_read_options
      *read; /* --format, --model, --altloc, --frame, --orbital, where there is no `problem` */
  dcs_plan_options *planned;
  dcs_typed *typed;
  dcs_units_options *units;
} dcs_shared_options;

/* Sets the shared options to their defaults and reads the command line with argp. Ends the program
 * where the user's words are wrong; DCS_UNAVAILABLE when memory is short, and `arguments` then
 * holds a part of them at most. */
dcs_status dcs_parse_options(const dcs_command_line *line, int argc, char **argv, void *arguments,
                             dcs_shared_options shared);

/* ---- maps as files ---- */

/* Whether a map or, of a slice, a picture can be written under that name; DCS_USAGE lists how names
 * end. */
dcs_status dcs_check_map_name(const char *path);
/* That such a file can hold a map of that grid, where its name is right. */
dcs_status dcs_check_map_grid(const char *path, dcs_dims n);
/* DCS_IO where no file of that name can be made: what takes long asks before. */
dcs_status dcs_check_can_write(const char *path);
/* Writes it in the format that its name ends in, and says to stderr what was written, and how long
 * that took; computing_ns, which may grow meanwhile: how long its values took, NULL: not known. */
dcs_status dcs_write_map(const char *path, const dcs_field *field, const double *computing_ns);

/* The line that says so. */
void dcs_say_written(const char *path, const dcs_field *field, double computed_ns,
                     double written_ns);

/* "  label     text" from column `indent` on, broken at spaces; a word longer than a line stands
 * out. */
void dcs_print_wrapped(const char *label, int indent, const char *text);

#endif
