/* dcsbench sweep */
#include "harness/sweep/sweep.h"

#include "cli/commands.h"
#include "harness/base/text.h"

#include <stdlib.h>

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_cutoff_options cutoff;
  dcs_sweep_line line;
  const char *plan, *out;
  bool resume, energy;
  int64_t rounds; /* 0: as many as precision needs */
  int64_t seed;
  double budget_s;
} arguments;

enum {
  KEY_VARIANTS = 2000,
  KEY_CONFIG,
  KEY_ATOMS,
  KEY_GRID,
  KEY_SCOPE,
  KEY_MEMORY,
  KEY_PLAN,
  KEY_ROUNDS,
  KEY_BUDGET,
  KEY_RESUME,
  KEY_SEED,
  KEY_ENERGY
};

static const struct argp_option options[] = {
    {"variants", KEY_VARIANTS, "LIST", 0,
     "all, cpu, cuda, or ids that `dcsbench list` shows, with commas (all)", 0},
    {"config", KEY_CONFIG, "K=V,...", 0,
     "parameters; a value may be several: 1|2|4, 1:16, all, and max for threads; or just tuned: "
     "what `dcsbench tune` found for each size; rates off by more than 3% from what it recorded "
     "are said",
     0},
    {"atoms", KEY_ATOMS, "LIST", 0,
     "numbers of atoms: 100,1000 or 100:1000000:log4 (four a decade); with --input, that many of "
     "its first (all)",
     0},
    {"grid", KEY_GRID, "LIST", 0, "grids: 64x64x32, 64^3, 16:256:log4^3 (the molecule's box)", 0},
    {"scope", KEY_SCOPE, "LIST", 0, "what is timed: kernel, warm, first (kernel)", 0},
    {"memory", KEY_MEMORY, "LIST", 0,
     "how data moves in scopes warm and first: pageable, pinned, mapped, managed, managed_prefetch "
     "(pageable)",
     0},
    {"plan", KEY_PLAN, "FILE", 0,
     "CSV whose rows hold the options above (variants, config, atoms, grid, scope; where it has "
     "them, memory, cutoff and smooth)",
     0},
    {"rounds", KEY_ROUNDS, "N", 0,
     "samples of each method (15 or more, until the 95% interval of the median is within 1%; 200 "
     "at "
     "most)",
     0},
    {"budget", KEY_BUDGET, "SECONDS", 0, "stop sampling after about so long", 0},
    {"energy", KEY_ENERGY, NULL, 0,
     "measure the energy of a map as well: about a second more for each method in scope kernel or "
     "warm",
     0},
    {"out", 'o', "DIR", 0, "folder for the run's files", 0},
    {"resume", KEY_RESUME, NULL, 0, "continue the run in --out", 0},
    {"seed", KEY_SEED, "N", 0, "of random atoms and of the order of samples (1)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->device;
    state->child_inputs[1] = &a->problem;
    state->child_inputs[2] = &a->cutoff;
    return 0;
  case KEY_VARIANTS:
    a->line.variants = arg;
    return 0;
  case KEY_CONFIG:
    a->line.config = arg;
    return 0;
  case KEY_ATOMS:
    a->line.atoms = arg;
    return 0;
  case KEY_GRID:
    a->line.grid = arg;
    return 0;
  case KEY_SCOPE:
    a->line.scope = arg;
    return 0;
  case KEY_MEMORY:
    a->line.memory = arg;
    return 0;
  case KEY_PLAN:
    a->plan = arg;
    return 0;
  case 'o':
    a->out = arg;
    return 0;
  case KEY_RESUME:
    a->resume = true;
    return 0;
  case KEY_ENERGY:
    a->energy = true;
    return 0;
  case KEY_ROUNDS:
    dcs_argp_check(state, dcs_parse_integer("--rounds", arg, 1, 1000000, &a->rounds));
    return 0;
  case KEY_BUDGET:
    dcs_argp_check(state, dcs_parse_number("--budget", arg, 0.001, 1e7, &a->budget_s));
    return 0;
  case KEY_SEED:
    dcs_argp_check(state, dcs_parse_integer("--seed", arg, 0, INT64_MAX, &a->seed));
    return 0;
  case ARGP_KEY_END:
    if (!a->out || !*a->out)
      argp_error(state, "--out DIR is missing: the folder for the run's files");
    if (a->plan && (a->line.variants || a->line.config || a->line.atoms || a->line.grid ||
                    a->line.scope || a->line.memory || a->cutoff.cutoff))
      argp_error(state, "--plan holds variants, config, atoms, grid, scope, memory and cutoff: "
                        "give one or the other");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static dcs_status sweep(const arguments *a, const dcs_sweep_line *lines, int n, int argc,
                        char **argv) {
  dcs_sweep_options o = {
      .lines = lines,
      .n_lines = n,
      .plan = a->plan,
      .input = a->problem.input,
      .grid = a->problem.grid,
      .device = a->device.device ? a->device.device : "cuda:0",
      .kernels = a->device.kernels,
      .out = a->out,
      .device_chosen = a->device.device != NULL,
      .resume = a->resume,
      .sampling = dcs_sampling_of((int)a->rounds),
      .budget_s = a->budget_s,
      .energy = a->energy,
      .timeout_s = a->device.timeout_s,
      .run = {a->problem.input, a->device.kernels, a->problem.grid, (uint64_t)a->seed, argc, argv},
  };
  return dcs_sweep(&o);
}

dcs_status dcs_command_sweep(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, NULL, 0},
                                               {&dcs_problem_argp, 0, NULL, 0},
                                               {&dcs_cutoff_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc = "Verify and time methods on every number of atoms and every grid; write env.csv, "
             "samples.csv and summary.csv.\vExample: dcsbench sweep --variants all --atoms "
             "100:10000:log2 --grid 32^3 --out results/first"};
  struct argp with_children = argp;
  with_children.children = children;
  arguments a = {.device = dcs_device_defaults(), .problem = dcs_problem_defaults(), .seed = 1};
  /* argp reorders its arguments; the record keeps the order that was typed. */
  char **typed = malloc((size_t)(argc + 1) * sizeof *typed);
  if (!typed) return dcs_fail(DCS_UNAVAILABLE, "no memory for the command line");
  typed[0] = "sweep";
  for (int i = 1; i < argc; i++)
    typed[i] = argv[i];
  argp_parse(&with_children, argc, argv, 0, NULL, &a);

  dcs_status status;
  if (a.plan) {
    dcs_table *table;
    dcs_sweep_line *lines;
    int n;
    status = dcs_read_plan(a.plan, &table, &lines, &n);
    if (status == DCS_OK) {
      status = sweep(&a, lines, n, argc, typed);
      free(lines);
      dcs_table_free(table);
    }
  } else {
    if (!a.line.variants) a.line.variants = "all";
    a.line.cutoff = a.cutoff.cutoff;
    a.line.smooth = a.cutoff.smooth;
    status = sweep(&a, &a.line, 1, argc, typed);
  }
  free(typed);
  return status;
}
