/* dcsbench sweep */
#include "harness/sweep/sweep.h"

#include "cli/commands.h"
#include "harness/base/text.h"
#include "harness/commands/measure.h"
#include "harness/problems/size.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 64 };

/* Commands of the user's in place of variants. */
typedef struct {
  dcs_timed_method methods[MOST_METHODS];
  dcs_timed_axis axes[DCS_MAX_DIMENSIONS];
  int n_methods, n_axes;
  const char *check, *time_from;
} commands;

typedef struct {
  commands commands;
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_problem_choice choice;
  dcs_plan_options planned;
  const char *out, *turns;
  bool resume, energy, watch;
} arguments;

/* "NAME=rest": its length, 0: it has no name. */
static size_t name_length(const char *text) {
  const size_t length = strcspn(text, "=");
  return text[length] ? length : 0;
}

static dcs_status take_method(const char *arg, void *values) {
  commands *c = &((arguments *)values)->commands;
  const size_t length = name_length(arg);
  if (length == 0 || !arg[length + 1])
    return dcs_fail(DCS_USAGE, "--method: found \"%s\"; expected NAME=COMMAND", arg);
  if (c->n_methods == MOST_METHODS)
    return dcs_fail(DCS_USAGE, "--method: found more than %d", MOST_METHODS);
  for (int m = 0; m < c->n_methods; m++)
    if (strlen(c->methods[m].name) == length && strncmp(c->methods[m].name, arg, length) == 0)
      return dcs_fail(DCS_USAGE, "--method: found \"%.*s\" twice; expected different names",
                      (int)length, arg);
  char *name = strndup(arg, length);
  if (!name) return dcs_fail(DCS_UNAVAILABLE, "no memory for the command line");
  if (!dcs_is_name(name)) {
    free(name);
    return dcs_fail(DCS_USAGE, "--method: found a name of %zu bytes; expected " DCS_A_NAME, length);
  }
  c->methods[c->n_methods++] = (dcs_timed_method){name, arg + length + 1};
  return DCS_OK;
}

static dcs_status take_size(const char *arg, void *values) {
  commands *c = &((arguments *)values)->commands;
  const size_t length = name_length(arg);
  int64_t *list;
  int n;
  if (length == 0)
    return dcs_fail(DCS_USAGE, "--size: found \"%s\"; expected NAME=LIST, as n=1000:1e6:log4", arg);
  if (c->n_axes == DCS_MAX_DIMENSIONS)
    return dcs_fail(DCS_USAGE, "--size: found more than %d", DCS_MAX_DIMENSIONS);
  DCS_TRY(dcs_parse_integers("--size", arg + length + 1, 1, DCS_MOST_ALONG, &list, &n));
  char *name = strndup(arg, length);
  if (!name) free(list);
  if (!name) return dcs_fail(DCS_UNAVAILABLE, "no memory for the command line");
  c->axes[c->n_axes++] = (dcs_timed_axis){name, list, n};
  return DCS_OK;
}

static dcs_status take_time_from(const char *arg, void *values) {
  static const char prefix[] = "stdout:";
  if (strncmp(arg, prefix, sizeof prefix - 1) != 0)
    return dcs_fail(DCS_USAGE, "--time-from: found \"%s\"; expected stdout:REGEX", arg);
  ((arguments *)values)->commands.time_from = arg + sizeof prefix - 1;
  return DCS_OK;
}

static const dcs_option options[] = {
    {"method", 0, "NAME=COMMAND",
     "time this command in place of variants, {NAME} in it being the size; several methods are "
     "held "
     "against each other",
     .take = take_method},
    {"size", 0, "NAME=LIST", "with --method: sizes, as n=1000:1e6:log4; twice for two axes",
     .take = take_size},
    {"check", 0, "COMMAND",
     "with --method: a command that reads what a method wrote, with {method} and the sizes, and "
     "ends with 0 where it is right",
     DCS_WORD(arguments, commands.check)},
    {"time-from", 0, "stdout:REGEX",
     "with --method: the time is what the command prints in the first group, a number and perhaps "
     "s, ms, us or ns (the wall clock from its start to its end)",
     .take = take_time_from},
    {"energy", 0, NULL,
     "measure the energy of a map as well: about a second more for each method in scope kernel or "
     "warm",
     DCS_FLAG(arguments, energy)},
    {"watch", 'w', NULL, "show the table while it grows (on a terminal)",
     DCS_FLAG(arguments, watch)},
    {"out", 'o', "DIR", "folder for the run's files", DCS_WORD(arguments, out)},
    {"resume", 0, NULL, "continue the run in --out", DCS_FLAG(arguments, resume)},
    {"turns", 0, "NAME",
     "wait for a line on standard input before each sample, as `compare --run` gives them; NAME is "
     "that of the two runs in env.csv. Half of --budget is this sweep's",
     DCS_WORD(arguments, turns)},
    {0}};

dcs_status dcs_check_plan(const dcs_plan_options *a, const dcs_problem_choice *choice) {
  const dcs_sweep_line *line = &a->line;
  if (a->plan && (line->variants || line->config || line->atoms || line->grid || line->scope ||
                  line->memory || dcs_chosen(choice)))
    return dcs_fail(DCS_USAGE, "--plan holds variants, config, atoms, grid, scope, memory and the "
                               "problem: give one or the other");
  return DCS_OK;
}

static dcs_status check(const void *values) {
  const arguments *a = values;
  const dcs_sweep_line *line = &a->planned.line;
  if (!a->out || !*a->out)
    return dcs_fail(DCS_USAGE, "--out DIR is missing: the folder for the run's files");
  const commands *c = &a->commands;
  if (c->n_methods > 0 && (a->planned.plan || line->variants || line->config || line->atoms ||
                           line->grid || line->scope || line->memory || dcs_chosen(&a->choice) ||
                           a->problem.input.files[0] || a->device.device || a->energy))
    return dcs_fail(DCS_USAGE,
                    "--method times commands of yours: its options are --size, --check, "
                    "--time-from, --rounds, --budget, --timeout, --seed, --out, --resume");
  if (c->n_methods > 0 && c->n_axes == 0)
    return dcs_fail(DCS_USAGE, "--size NAME=LIST is missing: what {NAME} in a --method stands for");
  if (c->n_methods == 0 && (c->n_axes > 0 || c->check || c->time_from))
    return dcs_fail(DCS_USAGE, "--size, --check and --time-from are for --method NAME=COMMAND");
  if (a->turns && a->problem.input.files[0] && strcmp(a->problem.input.files[0], "-") == 0)
    return dcs_fail(DCS_USAGE, "--input -: standard input gives the turns; expected a file");
  if (a->watch && !dcs_progress_start().shown)
    return dcs_fail(DCS_USAGE, "--watch is for a terminal: standard error is none");
  return dcs_check_plan(&a->planned, &a->choice);
}

static dcs_status sweep(const arguments *a, const dcs_sweep_line *lines, int n, int argc,
                        char **argv) {
  dcs_sweep_options o = {
      .lines = lines,
      .n_lines = n,
      .plan = a->planned.plan,
      .device = a->device.device ? a->device.device : dcs_default_device(),
      .out = a->out,
      .device_chosen = a->device.device != NULL,
      .resume = a->resume,
      .turns = a->turns,
      .sampling = dcs_sampling_of((int)a->planned.rounds),
      .budget_s = a->planned.budget_s,
      .energy = a->energy,
      .watch = a->watch,
      .timeout_s = a->device.timeout_s,
      .run = {.input = a->problem.input,
              .kernels = a->device.kernels,
              .grid = a->problem.grid,
              .seed = (uint64_t)a->planned.seed,
              .argc = argc,
              .argv = argv},
  };
  return dcs_sweep(&o);
}

static dcs_status time_commands(const arguments *a) {
  const commands *c = &a->commands;
  dcs_measure_options o = {.methods = c->methods,
                           .n_methods = c->n_methods,
                           .n_axes = c->n_axes,
                           .check = c->check,
                           .time_from = c->time_from,
                           .sampling = dcs_sampling_of((int)a->planned.rounds),
                           .budget_s = a->planned.budget_s,
                           .timeout_s = a->device.timeout_s,
                           .seed = (uint64_t)a->planned.seed,
                           .out = a->out,
                           .resume = a->resume};
  for (int x = 0; x < c->n_axes; x++)
    o.axes[x] = c->axes[x];
  return dcs_measure_commands(&o);
}

static dcs_status time_variants(arguments *a, int argc, char **argv) {
  if (!a->planned.plan) {
    if (!a->planned.line.variants) a->planned.line.variants = "all";
    if (dcs_chosen(&a->choice)) a->planned.line.problem = a->choice.kind->id;
    a->planned.line.problem_config = a->choice.config;
    return sweep(a, &a->planned.line, 1, argc, argv);
  }
  dcs_table *table;
  dcs_sweep_line *lines;
  int n;
  DCS_TRY(dcs_read_plan(a->planned.plan, &table, &lines, &n));
  dcs_status status = sweep(a, lines, n, argc, argv);
  free(lines);
  dcs_table_free(table);
  return status;
}

static void free_commands(commands *c) {
  for (int m = 0; m < c->n_methods; m++)
    free((char *)c->methods[m].name);
  for (int x = 0; x < c->n_axes; x++) {
    free((char *)c->axes[x].name);
    free((int64_t *)c->axes[x].values);
  }
}

dcs_status dcs_command_sweep(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Verify and time methods on every number of atoms and every grid; write env.csv, "
             "samples.csv and summary.csv.\vExample: dcsbench sweep --variants all --atoms "
             "100:10000:log2 --grid 32^3 --out results/first",
      .check = check};
  arguments a = {0};
  dcs_status status = dcs_parse_options(
      &line, argc, argv, &a,
      (dcs_shared_options){&a.device, &a.problem, &a.choice, .planned = &a.planned});
  if (status == DCS_OK)
    status = a.commands.n_methods > 0 ? time_commands(&a) : time_variants(&a, argc, argv);
  free_commands(&a.commands);
  return status;
}
