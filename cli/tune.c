/* dcsbench tune */
#include "cli/commands.h"
#include "cli/tune_spec.h"
#include "cli/tuned.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/spec/own.h"
#include "tuning/study/study.h"
#include "tuning/tuner/pareto.h"
#include "tuning/tuner/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { DO_TUNE, DO_LIST, DO_REPLAY, DO_STUDY } what;

enum { MOST_WORDS = 64 };

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_problem_choice choice;
  dcs_tune_options tune;
  what what;
  bool pareto;
  dcs_pareto_axis axis;
  const char *strategy, *out, *spec;
  int64_t seed, samples;
  char *words[MOST_WORDS];
  int n_words;
} arguments;

static dcs_status take_grid(const char *arg, void *values) {
  return dcs_parse_grid(arg, &((arguments *)values)->problem.grid.n);
}

static dcs_status take_scope(const char *arg, void *values) {
  return dcs_scope_by_name(arg, &((arguments *)values)->tune.scope);
}

static dcs_status take_pareto(const char *arg, void *values) {
  arguments *a = values;
  a->pareto = true;
  a->axis = arg && strcmp(arg, "error") == 0 ? DCS_PARETO_ERROR : DCS_PARETO_ENERGY;
  if (!arg || a->axis == DCS_PARETO_ERROR || strcmp(arg, "energy") == 0) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--pareto: found \"%s\"; expected energy or error", arg);
}

static const dcs_option options[] = {
    {"atoms", 0, "N", "number of atoms; with --input, that many of its first (all)",
     DCS_INTEGER(arguments, tune.source.atoms, 1, 1000000000)},
    {"grid", 0, "GRID", "64x64x32 or 64^3 (the molecule's box)", .take = take_grid},
    {"scope", 0, "SCOPE", "what is timed: kernel, warm or first (kernel)", .take = take_scope},
    {"config", 0, "K=V,...",
     "values of some parameters in place of those that the variant names: coarsen=4|8",
     DCS_WORD(arguments, tune.config)},
    {"objective", 0, "WHAT",
     "what the best has the least of: time, energy (J of an output, where the device reports it), "
     "edp (energy times time), or an expression over time_ns, energy_j, evals_useful, registers, "
     "rel_l2_error: 'energy_j * time_ns ** 2' (time)",
     DCS_WORD(arguments, tune.objective)},
    {"pareto", 0, "AXIS",
     "find the front of time against energy, or error: what no other is both faster than and lower "
     "than; of several VARIANTs, and of several problems where error is the axis (--cutoff "
     "'0|8|12'). With --replay, the front of what the JOURNALs recorded (energy)",
     .take = take_pareto, .arg_optional = true},
    {"strategy", 0, "NAME", "exhaustive, random, surrogate or greedy (surrogate)",
     DCS_WORD(arguments, strategy)},
    {"budget", 0, "SECONDS", "end after about so long, with --pareto all together",
     DCS_NUMBER(arguments, tune.budget_s, 0.001, 1e7)},
    {"last", 0, "SECONDS",
     "how long the last measurement of those that may be the best lasts (120; with --budget what "
     "is left of it, if that is less)",
     DCS_NUMBER(arguments, tune.last_s, 0, 1e6)},
    {"budget-evals", 0, "N",
     "search no further after so many evaluations, with --pareto of all VARIANTs and problems "
     "together",
     DCS_INTEGER(arguments, tune.budget_evals, 1, INT32_MAX)},
    {"samples", 0, "N", "samples of an evaluation (7)", DCS_INTEGER(arguments, samples, 1, 1000)},
    {"seed", 0, "N", "of the search (1)", DCS_INTEGER(arguments, seed, 0, INT64_MAX)},
    {"journal", 0, "FILE",
     "where every evaluation is appended, and what is there already is known "
     "(journal.csv in the data folder)",
     DCS_WORD(arguments, tune.journal)},
    {"unverified", 0, NULL,
     "time a specification without ReferenceArguments, too; its winner is not kept",
     DCS_FLAG(arguments, tune.unverified)},
    {"list", 0, NULL, "only tell the space: how many configurations, and why no others",
     DCS_VALUE(arguments, what, DO_LIST)},
    {"replay", 0, NULL, "search what the JOURNALs recorded; no machine is needed",
     DCS_VALUE(arguments, what, DO_REPLAY)},
    {"study", 0, NULL,
     "hold all strategies against each other on what the JOURNALs recorded; study.csv, regret.csv "
     "and figures go into --out",
     DCS_VALUE(arguments, what, DO_STUDY)},
    {"spec", 0, "FILE", "the specification whose evaluations the JOURNALs hold",
     DCS_WORD(arguments, spec)},
    {"out", 'o', "DIR", "folder for a study, or for a front: pareto.csv and its figure",
     DCS_WORD(arguments, out)},
    {0}};

static bool take_word(char *word, void *values) {
  arguments *a = values;
  if (a->n_words < MOST_WORDS) a->words[a->n_words] = word;
  a->n_words++;
  return true;
}

static dcs_status check(const void *values) {
  const arguments *a = values;
  const bool journals = a->what == DO_REPLAY || a->what == DO_STUDY;
  if (a->n_words == 0)
    return dcs_fail(DCS_USAGE, "%s is missing", journals ? "a JOURNAL" : "the variant to tune");
  if (a->n_words > MOST_WORDS) return dcs_fail(DCS_USAGE, "more than %d files", MOST_WORDS);
  if (a->what == DO_STUDY && (!a->out || !*a->out))
    return dcs_fail(DCS_USAGE, "--out DIR is missing: the folder for the study");
  if (a->what != DO_STUDY && !a->pareto && a->out)
    return dcs_fail(DCS_USAGE, "--out is for --study and --pareto alone");
  if (a->pareto && (*a->tune.objective || a->what == DO_STUDY || a->what == DO_LIST))
    return dcs_fail(DCS_USAGE, "--pareto goes neither with --objective nor with --study or --list");
  if (!journals && a->spec)
    return dcs_fail(DCS_USAGE, "--spec is for JOURNALs; a specification that is tuned is named "
                               "without it");
  if (journals && dcs_chosen(&a->choice))
    return dcs_fail(DCS_USAGE, "a problem is for a tuning; what a JOURNAL recorded has its own");
  if (journals && *a->tune.objective)
    return dcs_fail(DCS_USAGE, "--objective is for a tuning; what a JOURNAL recorded has its own");
  if (!journals && !a->pareto && a->n_words > 1)
    return dcs_fail(DCS_USAGE, "found \"%s\" after the variant; one is tuned at a time",
                    a->words[1]);
  return DCS_OK;
}

/* ---- what a search needs ---- */

static dcs_status list_space(const arguments *a) {
  dcs_case c;
  dcs_space space;
  DCS_TRY(dcs_case_from(&a->tune.source, &a->tune.problem, &c));
  const dcs_size size = dcs_case_size(&c);
  dcs_status status =
      dcs_space_build(a->tune.variant, a->tune.config, &c.problem, dcs_cpus(), &space);
  if (status == DCS_OK) dcs_print_space(&space, &size);
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
  if (a->spec) DCS_TRY(dcs_own_load(a->spec, NULL, false, &a->tune.variant));
  dcs_status status = dcs_journal_read(a->words, a->n_words, &journal, stderr);
  if (status == DCS_OK && journal.n == 0)
    status = dcs_fail(DCS_INPUT,
                      "%s: found no evaluation of a variant that is known; expected one, or --spec "
                      "with the specification of its rows",
                      a->words[0]);
  if (status == DCS_OK && a->what == DO_STUDY)
    status = dcs_tune_study(&journal, (int)a->samples, a->out);
  if (status == DCS_OK && a->pareto)
    status = dcs_replay_pareto(&journal, &(dcs_pareto_options){a->axis, a->out});
  for (int r = 0; status == DCS_OK && a->what == DO_REPLAY && !a->pareto && r < journal.n; r++)
    status = replay_one(a, &journal.list[r]);
  dcs_journal_free(&journal);
  return status;
}

/* Of a specification that makes its own problem: it has no sizes to choose. */
static dcs_status take_one_problem(arguments *a) {
  dcs_case_source *source = &a->tune.source;
  if (a->problem.input.files[0] || source->atoms || a->problem.grid.n.x || dcs_chosen(&a->choice))
    return dcs_fail(DCS_USAGE,
                    "%s: found a problem or its size; expected none: the specification "
                    "has them",
                    a->words[0]);
  source->kind = dcs_kind_of(a->tune.variant);
  source->seed = 1;
  source->atoms = 1;
  source->grid = (dcs_grid){.n = {1, 1, 1}, .spacing = 1};
  a->tune.problem = dcs_initial_problem(source->kind);
  return DCS_OK;
}

/* The inputs, and the kind of problem that the variant solves. */
static dcs_status take_source(arguments *a, const dcs_variant *variant) {
  dcs_case_source *source = &a->tune.source;
  source->input = a->problem.input;
  source->grid = a->problem.grid;
  source->seed = 1;
  const bool input = source->input.files[0] != NULL;
  DCS_TRY(dcs_case_takes(dcs_kind_of(variant), input || source->atoms > 0, &source->grid));
  DCS_TRY(dcs_case_needs(dcs_kind_of(variant), input, source->atoms > 0, source->grid.n.x > 0));
  if (!dcs_chosen(&a->choice)) a->choice.kind = dcs_kind_of(variant);
  source->kind = a->choice.kind;
  if (strcmp(variant->kind, source->kind->id) == 0) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: found --problem %s; expected %s, which it computes", variant->id,
                  source->kind->id, variant->kind);
}

/* What is to be computed, and whether the variant does that. */
static dcs_status take_problem(arguments *a) {
  const dcs_variant *variant = a->tune.variant;
  char why[DCS_TEXT];
  if (dcs_kind_of(variant)->n_dimensions == 0) return take_one_problem(a);
  DCS_TRY(take_source(a, variant));
  DCS_TRY(dcs_one_problem(&a->choice, &a->tune.source.kind, &a->tune.problem));
  if (dcs_solves(variant, &a->tune.problem, why)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: %s", variant->id, why);
}

static dcs_status check_scope(const arguments *a, const dcs_variant *variant) {
  if (a->tune.scope != DCS_WARM || variant->backend != DCS_CPU) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--scope: found warm; expected kernel or first for a CPU variant");
}

/* A tuning for each variant and each of the problems that it solves. */
static dcs_status add_tunings(const arguments *a, const dcs_variant *variant,
                              const dcs_config *problems, int n_problems, dcs_tune_options **list,
                              int *n) {
  char why[DCS_TEXT];
  int solved = 0;
  for (int p = 0; p < n_problems; p++) {
    if (!dcs_solves(variant, &problems[p], why)) continue;
    DCS_TRY(dcs_grow(list, (size_t)*n, sizeof **list, "tunings"));
    (*list)[*n] = a->tune;
    (*list)[*n].variant = variant;
    (*list)[(*n)++].problem = problems[p];
    solved++;
  }
  return solved > 0 ? DCS_OK : dcs_fail(DCS_USAGE, "%s: %s", variant->id, why);
}

static dcs_status list_tunings(arguments *a, dcs_config **problems, dcs_tune_options **list,
                               int *n) {
  int n_problems = 0;
  for (int w = 0; w < a->n_words; w++) {
    const dcs_variant *variant;
    DCS_TRY(dcs_one_variant(a->words[w], &variant));
    DCS_TRY(take_source(a, variant));
    DCS_TRY(check_scope(a, variant));
    if (w == 0)
      DCS_TRY(dcs_parse_problems(a->choice.kind, a->choice.config, problems, &n_problems));
    if (n_problems > 1 && a->axis == DCS_PARETO_ENERGY)
      return dcs_fail(DCS_USAGE, "--pareto: found several problems, whose answers differ; expected "
                                 "one, or --pareto=error");
    DCS_TRY(add_tunings(a, variant, *problems, n_problems, list, n));
  }
  return DCS_OK;
}

/* Of a specification, which is one tuning; else of all variants and problems. */
static dcs_status find_front(arguments *a) {
  const dcs_pareto_options pareto = {a->axis, a->out};
  dcs_config *problems = NULL;
  dcs_tune_options *list = NULL;
  int n = 0;
  if (a->tune.variant) {
    if (a->n_words > 1)
      return dcs_fail(DCS_USAGE, "--pareto: found \"%s\" beside a specification; expected it alone",
                      a->words[1]);
    DCS_TRY(take_problem(a));
    return dcs_tune_pareto(&a->tune, 1, &pareto);
  }
  dcs_status status = list_tunings(a, &problems, &list, &n);
  if (status == DCS_OK) status = dcs_tune_pareto(list, n, &pareto);
  free(problems);
  free(list);
  return status;
}

static dcs_status run(arguments *a) {
  if (a->what != DO_REPLAY && a->what != DO_STUDY && dcs_is_specification(a->words[0]))
    DCS_TRY(dcs_take_specification(a->words[0], &a->strategy, &a->tune));
  if (!a->strategy) a->strategy = dcs_default_strategy;
  DCS_TRY(dcs_find_strategy(a->strategy, &a->tune.strategy));
  if (a->what == DO_REPLAY || a->what == DO_STUDY) return with_journals(a);
  a->tune.device = a->device.device;
  a->tune.kernels = a->device.kernels;
  a->tune.timeout_s = a->device.timeout_s;
  a->tune.seed = (uint64_t)a->seed;
  a->tune.samples = (int)a->samples;
  if (a->pareto) return find_front(a);
  if (!a->tune.variant) DCS_TRY(dcs_one_variant(a->words[0], &a->tune.variant));
  DCS_TRY(take_problem(a));
  DCS_TRY(check_scope(a, a->tune.variant));
  return a->what == DO_LIST ? list_space(a) : dcs_tune(&a->tune);
}

/* ---- the command ---- */

dcs_status dcs_command_tune(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "VARIANT\nSPEC.json\nVARIANT... --pareto\nSPEC.json --pareto\n--replay "
                  "JOURNAL...\n--study JOURNAL... "
                  "--out DIR\nshow\nexport\nforget VARIANT|all",
      .doc =
          "Search for a variant's best configuration on one problem. Each is verified, then "
          "timed; every evaluation goes into a journal. The best are measured once more, "
          "interleaved, "
          "and of those that cannot be told apart one is picked: least padding, then fewest "
          "registers, then closest to the initial configuration. It is kept in tuned.csv, where "
          "`sweep --config tuned` finds it; show, export and forget are for that file. The pick of "
          "an earlier tuning of the same problem is measured with them: does its time hold?\v"
          "Without a budget the search ends when everything is known. An interrupted one goes on "
          "when the same command is given again. A JOURNAL may also be T4, KTT's output or a cache "
          "of Kernel Tuner; `dcsbench report --t4` writes a journal for them. The data folder is "
          "$DCSBENCH_DATA, else dcsbench "
          "in $XDG_DATA_HOME, else ~/.local/share/dcsbench.\n\n"
          "SPEC.json describes a kernel of yours, in CUDA or C, with its parameters, arguments and "
          "what they are to hold afterwards, in the format T1 of Kernel Tuner, KTT and BAT; "
          "results/tuning-your-kernel.md has examples. On a device without times "
          "--budget-evals N checks N configurations and times none.\n\n"
          "Strategies: exhaustive, random; surrogate: where a model of what is known expects most; "
          "greedy: to the first better neighbour, then again from elsewhere.",
      .take_word = take_word,
      .check = check};
  arguments a = {.tune = {.scope = DCS_KERNEL, .last_s = NAN, .budget_evals = -1, .objective = ""},
                 .seed = 1,
                 .samples = 7};
  if (argc > 1 && dcs_is_tuned_command(argv[1])) return dcs_tuned_command(argc, argv);
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a,
                            (dcs_shared_options){&a.device, &a.problem, &a.choice}));
  return run(&a);
}
