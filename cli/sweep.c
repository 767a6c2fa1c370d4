/* dcsbench sweep */
#include "harness/sweep/sweep.h"

#include "cli/commands.h"
#include "harness/base/text.h"

#include <stdlib.h>

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_problem_choice choice;
  dcs_sweep_line line;
  const char *plan, *out;
  bool resume, energy;
  int64_t rounds; /* 0: as many as precision needs */
  int64_t seed;
  double budget_s;
} arguments;

static const dcs_option options[] = {
    {"variants", 0, "LIST",
     "all, cpu, gpu, or variants and problems that `dcsbench list` shows, with commas (all)",
     DCS_WORD(arguments, line.variants)},
    {"config", 0, "K=V,...",
     "parameters; a value may be several: 1|2|4, 1:16, all, and max for threads; or just tuned: "
     "what `dcsbench tune` found for each size; rates off by more than 3% from what it recorded "
     "are said",
     DCS_WORD(arguments, line.config)},
    {"atoms", 0, "LIST",
     "numbers of atoms: 100,1000 or 100:1000000:log4 (four a decade); with --input, that many of "
     "its first (all)",
     DCS_WORD(arguments, line.atoms)},
    {"grid", 0, "LIST", "grids: 64x64x32, 64^3, 16:256:log4^3 (the molecule's box)",
     DCS_WORD(arguments, line.grid)},
    {"scope", 0, "LIST", "what is timed: kernel, warm, first (kernel)",
     DCS_WORD(arguments, line.scope)},
    {"memory", 0, "LIST",
     "how data moves in scopes warm and first: pageable, pinned, mapped, managed, managed_prefetch "
     "(pageable)",
     DCS_WORD(arguments, line.memory)},
    {"plan", 0, "FILE",
     "CSV whose rows hold the options above (variants, config, atoms, grid, scope; where it has "
     "them, memory, problem and problem_config, such as cutoff=0|12,switching=c2)",
     DCS_WORD(arguments, plan)},
    {"rounds", 0, "N",
     "samples of each method (15 or more, until the 95% interval of the median is within 1%; 200 "
     "at "
     "most)",
     DCS_INTEGER(arguments, rounds, 1, 1000000)},
    {"budget", 0, "SECONDS", "stop sampling after about so long",
     DCS_NUMBER(arguments, budget_s, 0.001, 1e7)},
    {"energy", 0, NULL,
     "measure the energy of a map as well: about a second more for each method in scope kernel or "
     "warm",
     DCS_FLAG(arguments, energy)},
    {"out", 'o', "DIR", "folder for the run's files", DCS_WORD(arguments, out)},
    {"resume", 0, NULL, "continue the run in --out", DCS_FLAG(arguments, resume)},
    {"seed", 0, "N", "of random atoms and of the order of samples (1)",
     DCS_INTEGER(arguments, seed, 0, INT64_MAX)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  const dcs_sweep_line *line = &a->line;
  if (!a->out || !*a->out)
    return dcs_fail(DCS_USAGE, "--out DIR is missing: the folder for the run's files");
  if (a->plan && (line->variants || line->config || line->atoms || line->grid || line->scope ||
                  line->memory || dcs_chosen(&a->choice)))
    return dcs_fail(DCS_USAGE, "--plan holds variants, config, atoms, grid, scope, memory and the "
                               "problem: give one or the other");
  return DCS_OK;
}

static dcs_status sweep(const arguments *a, const dcs_sweep_line *lines, int n, int argc,
                        char **argv) {
  dcs_sweep_options o = {
      .lines = lines,
      .n_lines = n,
      .plan = a->plan,
      .device = a->device.device ? a->device.device : dcs_default_device(),
      .out = a->out,
      .device_chosen = a->device.device != NULL,
      .resume = a->resume,
      .sampling = dcs_sampling_of((int)a->rounds),
      .budget_s = a->budget_s,
      .energy = a->energy,
      .timeout_s = a->device.timeout_s,
      .run = {.input = a->problem.input,
              .kernels = a->device.kernels,
              .grid = a->problem.grid,
              .seed = (uint64_t)a->seed,
              .argc = argc,
              .argv = argv},
  };
  return dcs_sweep(&o);
}

dcs_status dcs_command_sweep(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Verify and time methods on every number of atoms and every grid; write env.csv, "
             "samples.csv and summary.csv.\vExample: dcsbench sweep --variants all --atoms "
             "100:10000:log2 --grid 32^3 --out results/first",
      .check = check};
  arguments a = {.seed = 1};
  /* argp reorders its arguments; the record keeps the order that was typed. */
  char **typed = malloc((size_t)(argc + 1) * sizeof *typed);
  if (!typed) return dcs_fail(DCS_UNAVAILABLE, "no memory for the command line");
  typed[0] = "sweep";
  for (int i = 1; i < argc; i++)
    typed[i] = argv[i];

  dcs_status status = dcs_parse_options(&line, argc, argv, &a,
                                        (dcs_shared_options){&a.device, &a.problem, &a.choice});
  if (status == DCS_OK && a.plan) {
    dcs_table *table;
    dcs_sweep_line *lines;
    int n;
    status = dcs_read_plan(a.plan, &table, &lines, &n);
    if (status == DCS_OK) {
      status = sweep(&a, lines, n, argc, typed);
      free(lines);
      dcs_table_free(table);
    }
  } else if (status == DCS_OK) {
    if (!a.line.variants) a.line.variants = "all";
    if (dcs_chosen(&a.choice)) a.line.problem = a.choice.kind->id;
    a.line.problem_config = a.choice.config;
    status = sweep(&a, &a.line, 1, argc, typed);
  }
  free(typed);
  return status;
}
