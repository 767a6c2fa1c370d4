/* dcsbench scale */
#include "tuning/scale/scale.h"
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/machine.h"
#include "harness/base/text.h"
#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "harness/runs/environment.h"
#include "harness/runs/find.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

typedef struct {
  const char *ranks, *threads, *cards, *mpirun, *out;
  int64_t weak, rounds, nodes, seed;
  int form;
  char *words[MOST_WORDS + 1];
  int n_words;
  int argc;
  char **argv; /* as typed, for env.csv */
} arguments;

static const dcs_option options[] = {
    {"ranks", 0, "LIST", "numbers of ranks (1,2,4)", DCS_WORD(arguments, ranks)},
    {"threads", 0, "LIST", "threads of each rank; all combinations are run (1)",
     DCS_WORD(arguments, threads)},
    {"cards", 0, "LIST",
     "in place of threads: how many cards of each host the job sees; the command then has "
     "--device, "
     "and ranks divide the CPUs",
     DCS_WORD(arguments, cards)},
    {"weak", 0, "N",
     "weak scaling, too: each point once more with --frames N of `map`, --slices N of `steps`, N "
     "so "
     "many for each worker (a thread of a rank, or a card)",
     DCS_INTEGER(arguments, weak, 1, 1000000000)},
    {"rounds", 0, "N", "how often each point is run, in random order within a round (7)",
     DCS_INTEGER(arguments, rounds, 1, 1000)},
    {"mpirun", 0, "WORDS",
     "what starts the ranks, before -n: 'mpirun -hostfile hosts', 'srun' (mpirun; of Open MPI with "
     "--bind-to none --oversubscribe)",
     DCS_WORD(arguments, mpirun)},
    {"nodes", 0, "N", "simulate up to so many nodes (1000)",
     DCS_INTEGER(arguments, nodes, 2, 1000000)},
    {"seed", 0, "N", "of the order (1)", DCS_INTEGER(arguments, seed, 0, INT64_MAX)},
    {"out", 'o', "DIR", "the folder for env.csv, runs.csv, scaling.csv, simulated.csv and plots",
     DCS_WORD(arguments, out)},
    {"csv", 'c', NULL, "print CSV", DCS_VALUE(arguments, form, DCS_SHEET_CSV)},
    {"json", 'j', NULL, "print JSON", DCS_VALUE(arguments, form, DCS_SHEET_JSON)},
    {0}};

static bool take_word(char *word, void *values) {
  arguments *a = values;
  if (a->n_words == MOST_WORDS) return false;
  a->words[a->n_words++] = word;
  return true;
}

static bool is_steps(const arguments *a) {
  return strcmp(a->words[0], "steps") == 0;
}

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->n_words < 1 || (!is_steps(a) && (a->n_words < 2 || strcmp(a->words[0], "map") != 0)))
    return dcs_fail(DCS_USAGE, "found no command line; expected -- map FILE ... or -- steps ... "
                               "behind the options");
  if (!a->out) return dcs_fail(DCS_USAGE, "--out DIR is missing: where to write the study");
  if (a->cards && a->threads)
    return dcs_fail(DCS_USAGE, "--cards and --threads: expected one of them");
  return DCS_OK;
}

/* ---- points ---- */

static void add_point(const arguments *a, dcs_scale *s, bool weak, int ranks, int threads,
                      int cards) {
  dcs_scale_point p = {.weak = weak, .ranks = ranks, .threads = threads, .cards = cards};
  p.workers = cards > 0 ? cards : ranks * threads;
  p.frames = weak ? a->weak * p.workers : 0;
  p.crowded = !a->mpirun && ranks * (threads > 0 ? threads : 1) > dcs_cpus();
  s->points[s->n_points++] = p;
}

static void add_points(const arguments *a, dcs_scale *s, const int64_t *ranks, int n_ranks,
                       const int64_t *others, int n_others) {
  for (int weak = 0; weak <= (a->weak > 0); weak++)
    for (int r = 0; r < n_ranks; r++)
      for (int o = 0; o < n_others; o++)
        add_point(a, s, weak, (int)ranks[r], a->cards ? 0 : (int)others[o],
                  a->cards ? (int)others[o] : 0);
}

static dcs_status make_points(const arguments *a, dcs_scale *s) {
  int64_t *ranks, *others;
  int n_ranks, n_others;
  DCS_TRY(
      dcs_parse_integers("--ranks", a->ranks ? a->ranks : "1,2,4", 1, 100000, &ranks, &n_ranks));
  dcs_status status = a->cards ? dcs_parse_integers("--cards", a->cards, 1, 16, &others, &n_others)
                               : dcs_parse_integers("--threads", a->threads ? a->threads : "1", 1,
                                                    1024, &others, &n_others);
  if (status == DCS_OK) {
    s->points = calloc((size_t)n_ranks * (size_t)n_others * 2, sizeof *s->points);
    if (s->points)
      add_points(a, s, ranks, n_ranks, others, n_others);
    else
      status = dcs_fail(DCS_UNAVAILABLE, "no memory for %d points", n_ranks * n_others);
    free(others);
  }
  free(ranks);
  return status;
}

/* ---- the study ---- */

dcs_status dcs_mpi_program(char path[PATH_MAX + 8]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length < 0) return dcs_fail(DCS_UNAVAILABLE, "cannot tell where this program lies");
  path[length] = '\0';
  if (length < 4 || strcmp(path + length - 4, "-mpi") != 0) strcpy(path + length, "-mpi");
  if (access(path, X_OK) == 0) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "no %s: `make` builds it where mpicc is, and without it jobs have one process",
                  path);
}

/* Whether each point was run. */
static bool is_whole(const dcs_scale *s) {
  for (int i = 0, r; i < s->n_points; i++) {
    for (r = 0; r < s->n_runs && s->runs[r].point != i; r++)
      ;
    if (r == s->n_runs) return false;
  }
  return true;
}

/* Nothing of a study is kept whose command line fails in the first round: the next one, mended, may
 * have the folder. */
static dcs_status forget(const arguments *a, const char *runs, dcs_status status) {
  char facts[4096];
  DCS_TRY(dcs_path_in(a->out, "env.csv", facts));
  unlink(runs);
  unlink(facts);
  return status;
}

static dcs_status show(const arguments *a, const dcs_scale *s) {
  DCS_TRY(dcs_scale_write(s, a->out, a->nodes));
  DCS_TRY(dcs_scale_print(s, a->nodes, (dcs_sheet_form)a->form));
  return dcs_scale_draw(s, a->out, a->nodes);
}

/* Of the machine that starts the jobs, and of this program. */
static dcs_status write_facts(const arguments *a) {
  const dcs_run_facts run = {.seed = (uint64_t)a->seed, .argc = a->argc, .argv = a->argv};
  dcs_facts facts = {0};
  char path[4096];
  dcs_machine_facts(&facts);
  DCS_TRY(dcs_run_facts_add(&run, &facts));
  DCS_TRY(dcs_path_in(a->out, "env.csv", path));
  return dcs_write_facts(path, &facts);
}

static dcs_status study_in(const arguments *a, const char *program, dcs_scale *s) {
  char path[4096];
  dcs_progress progress = dcs_progress_start();
  DCS_TRY(dcs_run_check_none(a->out));
  DCS_TRY(dcs_path_in(a->out, "runs.csv", path));
  if (dcs_exists(path))
    return dcs_fail(DCS_USAGE, "%s is there; expected a folder without a study", path);
  DCS_TRY(write_facts(a));
  const dcs_scale_plan plan = {.mpirun = a->mpirun,
                               .program = program,
                               .words = a->words,
                               .slices = is_steps(a),
                               .rounds = (int)a->rounds,
                               .seed = (uint64_t)a->seed,
                               .progress = &progress};
  const dcs_status status = dcs_scale_run_all(&plan, path, s);
  if (status == DCS_OK) return show(a, s);
  if (!is_whole(s)) return dcs_interrupted() ? status : forget(a, path, status);
  if (!dcs_interrupted()) return status;
  dcs_interrupt_release(); /* what was measured until then is shown */
  DCS_TRY(show(a, s));
  return dcs_fail(DCS_FAILED, "interrupted behind %d jobs", s->n_runs);
}

/* Two at once would mix their rows, and leave the facts of one of them. */
static dcs_status study(const arguments *a, dcs_scale *s) {
  char program[PATH_MAX + 8], path[4096];
  dcs_lock lock = {0};
  DCS_TRY(dcs_mpi_program(program));
  DCS_TRY(make_points(a, s));
  DCS_TRY(dcs_make_folder(a->out, 0777));
  DCS_TRY(dcs_path_in(a->out, "run.lock", path));
  DCS_TRY(dcs_lock_own(path, "take another folder", &lock));
  const dcs_status status = study_in(a, program, s);
  dcs_lock_leave(&lock);
  return status;
}

dcs_status dcs_command_scale(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "-- map FILE ...\n-- steps ...",
      .doc =
          "Run `map` or `steps` as MPI jobs of more and more ranks and threads, or cards: "
          "speed-up, "
          "efficiency, the share of communication, Amdahl's serial share, and how it would go on "
          "to 1,000 nodes by a model that is held against what was measured. "
          "results/clusters.md tells more.",
      .take_word = take_word,
      .check = check};
  arguments a = {.rounds = 7, .nodes = 1000, .seed = 1, .argc = argc, .argv = argv};
  dcs_scale s = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){0}));
  const dcs_status status = study(&a, &s);
  dcs_scale_free(&s);
  return status;
}
