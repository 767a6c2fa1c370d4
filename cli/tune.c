/* dcsbench tune */
#include "cli/commands.h"
#include "cli/tuned.h"
#include "harness/base/text.h"
#include "tuning/study/replay.h"
#include "tuning/study/study.h"
#include "tuning/tuner/print.h"
#include "tuning/tuner/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { DO_TUNE, DO_LIST, DO_REPLAY, DO_STUDY } what;

enum { MOST_WORDS = 64 };

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_cutoff_options cutoff;
  dcs_tune_options tune;
  what what;
  const char *strategy, *out;
  int64_t seed, samples;
  char *words[MOST_WORDS];
  int n_words;
} arguments;

enum {
  KEY_LIST = 3000,
  KEY_REPLAY,
  KEY_STUDY,
  KEY_ATOMS,
  KEY_GRID,
  KEY_SCOPE,
  KEY_CONFIG,
  KEY_STRATEGY,
  KEY_BUDGET,
  KEY_EVALS,
  KEY_SAMPLES,
  KEY_SEED,
  KEY_JOURNAL
};

static const struct argp_option options[] = {
    {"atoms", KEY_ATOMS, "N", 0, "number of atoms; with --input, that many of its first (all)", 0},
    {"grid", KEY_GRID, "GRID", 0, "64x64x32 or 64^3 (the molecule's box)", 0},
    {"scope", KEY_SCOPE, "SCOPE", 0, "what is timed: kernel, warm or first (kernel)", 0},
    {"config", KEY_CONFIG, "K=V,...", 0,
     "values of some parameters in place of those that the variant names: coarsen=4|8", 0},
    {"strategy", KEY_STRATEGY, "NAME", 0,
     "exhaustive, random, surrogate, greedy, annealing or halving (surrogate)", 0},
    {"budget", KEY_BUDGET, "SECONDS", 0, "end after about so long", 0},
    {"budget-evals", KEY_EVALS, "N", 0, "search no further after so many evaluations", 0},
    {"samples", KEY_SAMPLES, "N", 0, "samples of an evaluation (7)", 0},
    {"seed", KEY_SEED, "N", 0, "of the search (1)", 0},
    {"journal", KEY_JOURNAL, "FILE", 0,
     "where every evaluation is appended, and what is there already is known "
     "(journal.csv in the data folder)",
     0},
    {"list", KEY_LIST, NULL, 0, "only tell the space: how many configurations, and why no others",
     0},
    {"replay", KEY_REPLAY, NULL, 0, "search what the JOURNALs recorded; no machine is needed", 0},
    {"study", KEY_STUDY, NULL, 0,
     "hold all strategies against each other on what the JOURNALs recorded; study.csv and figures "
     "go into --out",
     0},
    {"out", 'o', "DIR", 0, "folder for a study", 0},
    {0}};

static error_t parse_search(int key, char *arg, arguments *a, const struct argp_state *state) {
  switch (key) {
  case KEY_STRATEGY:
    a->strategy = arg;
    return 0;
  case KEY_BUDGET:
    dcs_argp_check(state, dcs_parse_number("--budget", arg, 0.001, 1e7, &a->tune.budget_s));
    return 0;
  case KEY_EVALS:
    dcs_argp_check(state,
                   dcs_parse_integer("--budget-evals", arg, 1, INT32_MAX, &a->tune.budget_evals));
    return 0;
  case KEY_SAMPLES:
    dcs_argp_check(state, dcs_parse_integer("--samples", arg, 1, 1000, &a->samples));
    return 0;
  case KEY_SEED:
    dcs_argp_check(state, dcs_parse_integer("--seed", arg, 0, INT64_MAX, &a->seed));
    return 0;
  case KEY_JOURNAL:
    a->tune.journal = arg;
    return 0;
  case KEY_LIST:
    a->what = DO_LIST;
    return 0;
  case KEY_REPLAY:
    a->what = DO_REPLAY;
    return 0;
  case KEY_STUDY:
    a->what = DO_STUDY;
    return 0;
  case 'o':
    a->out = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void check_words(const arguments *a, const struct argp_state *state) {
  bool journals = a->what == DO_REPLAY || a->what == DO_STUDY;
  if (a->n_words == 0)
    argp_error(state, journals ? "a JOURNAL is missing" : "the variant to tune is missing");
  if (a->what == DO_STUDY && (!a->out || !*a->out))
    argp_error(state, "--out DIR is missing: the folder for the study");
  if (a->what != DO_STUDY && a->out) argp_error(state, "--out is for --study alone");
  if (journals && a->cutoff.cutoff)
    argp_error(state, "--cutoff is for a tuning; what a JOURNAL recorded has its own");
  if (journals) return;
  if (a->n_words > 1)
    argp_error(state, "found \"%s\" after the variant; one is tuned at a time", a->words[1]);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->device;
    state->child_inputs[1] = &a->problem;
    state->child_inputs[2] = &a->cutoff;
    return 0;
  case KEY_ATOMS:
    dcs_argp_check(state, dcs_parse_integer("--atoms", arg, 1, 1000000000, &a->tune.atoms));
    return 0;
  case KEY_GRID:
    dcs_argp_check(state, dcs_parse_grid(arg, &a->problem.grid.n));
    return 0;
  case KEY_SCOPE:
    dcs_argp_check(state, dcs_scope_by_name(arg, &a->tune.scope));
    return 0;
  case KEY_CONFIG:
    a->tune.config = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (a->n_words == MOST_WORDS) argp_error(state, "more than %d files", MOST_WORDS);
    a->words[a->n_words++] = arg;
    return 0;
  case ARGP_KEY_END:
    check_words(a, state);
    return 0;
  default:
    return parse_search(key, arg, a, state);
  }
}

/* ---- what a search needs ---- */

static dcs_status list_space(const arguments *a) {
  dcs_case c;
  dcs_space space;
  DCS_TRY(dcs_tune_case(&a->tune, &c));
  dcs_status status =
      dcs_space_build(a->tune.variant, a->tune.config, &c.problem, dcs_cpus(), &space);
  if (status == DCS_OK) dcs_print_space(&space, &c.problem);
  dcs_space_free(&space);
  dcs_case_free(&c);
  return status;
}

static dcs_status replay_one(const arguments *a, const dcs_recorded_space *recording) {
  dcs_replay replay;
  dcs_search search = {0};
  dcs_budget budget = {a->tune.budget_evals, INFINITY};
  dcs_status status = dcs_replay_open(recording, &replay);
  int samples = (int)a->samples < replay.samples ? (int)a->samples : replay.samples;
  if (status == DCS_OK)
    status = dcs_search_open(&replay.space, &recording->subject, &replay.evaluator, samples,
                             (uint64_t)a->seed, budget, &search);
  if (status == DCS_OK) {
    a->tune.strategy->run(&search);
    status = search.status;
  }
  if (status == DCS_OK) dcs_print_replay(&replay, &search, a->tune.strategy->name);
  if (status == DCS_OK && dcs_search_best(&search) < 0)
    status = dcs_fail(DCS_FAILED, "no configuration was found that is ok");
  dcs_search_close(&search);
  dcs_replay_close(&replay);
  return status;
}

static dcs_status with_journals(arguments *a) {
  dcs_journal journal;
  dcs_status status = dcs_journal_read(a->words, a->n_words, &journal, stderr);
  if (status == DCS_OK && journal.n == 0)
    status = dcs_fail(DCS_INPUT, "%s: found no evaluation; expected a row at least", a->words[0]);
  if (status == DCS_OK && a->what == DO_STUDY)
    status = dcs_tune_study(&journal, (int)a->samples, a->out);
  for (int r = 0; status == DCS_OK && a->what == DO_REPLAY && r < journal.n; r++)
    status = replay_one(a, &journal.list[r]);
  dcs_journal_free(&journal);
  return status;
}

static dcs_status check_problem(const arguments *a) {
  if (a->problem.input || (a->tune.atoms > 0 && a->problem.grid.n.x > 0)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s is missing; it is needed unless --input gives a molecule",
                  a->tune.atoms == 0 ? "--atoms" : "--grid");
}

/* A variant is of maps within a cutoff, or of whole sums. */
static dcs_status check_cutoff(const dcs_variant *variant, const char *cutoff) {
  if (variant->cutoff && !cutoff)
    return dcs_fail(DCS_USAGE, "%s: --cutoff is missing: the variant computes within one",
                    variant->id);
  if (!variant->cutoff && cutoff)
    return dcs_fail(DCS_USAGE,
                    "--cutoff: found %s; expected none: %s computes the whole sum, whatever the "
                    "cutoff",
                    cutoff, variant->id);
  return DCS_OK;
}

static dcs_status run(arguments *a) {
  DCS_TRY(dcs_find_strategy(a->strategy, &a->tune.strategy));
  if (a->what == DO_REPLAY || a->what == DO_STUDY) return with_journals(a);
  DCS_TRY(dcs_tune_variant(a->words[0], &a->tune.variant));
  DCS_TRY(check_problem(a));
  DCS_TRY(dcs_one_cutoff(&a->cutoff, &a->tune.cutoff, &a->tune.smooth));
  DCS_TRY(check_cutoff(a->tune.variant, a->cutoff.cutoff));
  if (a->tune.scope == DCS_WARM && a->tune.variant->backend == DCS_CPU)
    return dcs_fail(DCS_USAGE, "--scope: found warm; expected kernel or first for a CPU variant");
  a->tune.input = a->problem.input;
  a->tune.grid = a->problem.grid;
  a->tune.device = a->device.device;
  a->tune.kernels = a->device.kernels;
  a->tune.timeout_s = a->device.timeout_s;
  a->tune.seed = (uint64_t)a->seed;
  a->tune.samples = (int)a->samples;
  return a->what == DO_LIST ? list_space(a) : dcs_tune(&a->tune);
}

dcs_status dcs_command_tune(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, NULL, 0},
                                               {&dcs_problem_argp, 0, NULL, 0},
                                               {&dcs_cutoff_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "VARIANT\n--replay JOURNAL...\n--study JOURNAL... --out DIR\nshow\nexport\n"
                  "forget VARIANT|all",
      .doc =
          "Search for a variant's best configuration on one problem. Each is verified, then "
          "timed; every evaluation goes into a journal. The best are measured once more, by turns, "
          "and of those that cannot be told apart one is picked: least padding, then fewest "
          "registers, then closest to the initial configuration. It is kept in tuned.csv, where "
          "`sweep --config tuned` finds it; show, export and forget are for that file. The pick of "
          "a "
          "former tuning of the same problem is measured with them: does its record hold? A "
          "variant "
          "that computes within a cutoff is tuned for the one of --cutoff and --smooth.\v"
          "Without a budget the search ends when everything is known. An interrupted one goes on "
          "when the same command is given again. The data folder is $DCSBENCH_DATA, else dcsbench "
          "in $XDG_DATA_HOME, else ~/.local/share/dcsbench.\n\n"
          "Strategies: exhaustive, random; surrogate: where a model of what is known expects most; "
          "greedy: to the first better neighbour, then again from elsewhere; annealing: to worse "
          "ones too, ever less so; halving: many with few samples, the better third with more."};
  struct argp with_children = argp;
  with_children.children = children;
  arguments a = {.device = dcs_device_defaults(),
                 .problem = dcs_problem_defaults(),
                 .tune = {.scope = DCS_KERNEL, .budget_evals = -1},
                 .strategy = dcs_default_strategy,
                 .seed = 1,
                 .samples = 7};
  if (argc > 1 && dcs_is_tuned_command(argv[1])) return dcs_tuned_command(argc, argv);
  argp_parse(&with_children, argc, argv, 0, NULL, &a);
  return run(&a);
}
