/* dcsbench crossover */
#include "tuning/crossover/crossover.h"
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/files/sheet.h"
#include "harness/files/text_stream.h"
#include "harness/judge/ratio.h"
#include "harness/runs/find.h"
#include "tuning/crossover/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *folder;
  bool csv, json;
  int64_t refine;  /* sizes at most; 0: none */
  double budget_s; /* 0: none */
  int64_t rounds;
  dcs_input input;
  const char *header, *reference;
  dcs_device_options device;
} arguments;

enum { REFINE_SIZES = 8 };

static dcs_status take_refine(const char *arg, void *values) {
  arguments *a = values;
  a->refine = REFINE_SIZES;
  return arg ? dcs_parse_integer("--refine", arg, 1, 1000, &a->refine) : DCS_OK;
}

static const dcs_option options[] = {
    {"csv", 'c', NULL, "print thresholds.csv; what was left out goes to standard error",
     DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "print the same as JSON", DCS_FLAG(arguments, json)},
    {"header", 0, "FILE", "write the thresholds as a C header, too", DCS_WORD(arguments, header)},
    {"refine", 0, "N",
     "measure at most N (8) more sizes into DIR, where crossover points lie, and find them again",
     .take = take_refine, .arg_optional = true},
    {"reference", 'r', "DIR",
     "where the run has no GPU times, take those of this run folder: thresholds are then of two "
     "machines, and say so",
     DCS_WORD(arguments, reference)},
    {"rounds", 0, "N", "with --refine: samples of each method, as of `dcsbench sweep`",
     DCS_INTEGER(arguments, rounds, 1, 1000000)},
    {"budget", 0, "SECONDS", "with --refine: stop sampling after about so long",
     DCS_NUMBER(arguments, budget_s, 0.001, 1e7)},
    {"input", 'i', "FILE",
     "with --refine: the run's molecule, where it had one, as of `dcsbench sweep`",
     DCS_FILES(arguments, input)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->csv && a->json) return dcs_fail(DCS_USAGE, "--csv and --json: give one of them");
  if (a->refine && (a->csv || a->json))
    return dcs_fail(DCS_USAGE,
                    "--refine tells what it measures, and %s prints data alone: give "
                    "one, and then the other",
                    a->csv ? "--csv" : "--json");
  if (a->refine && a->reference)
    return dcs_fail(DCS_USAGE, "--refine measures on this machine, and --reference is of another: "
                               "give one of them");
  if (!a->refine &&
      (a->rounds || a->budget_s > 0 || a->input.files[0] || a->device.device || a->device.kernels))
    return dcs_fail(DCS_USAGE,
                    "--rounds, --budget, --input, --device and --kernels are for --refine");
  return a->header ? dcs_run_check_apart(a->folder, "--header", a->header) : DCS_OK;
}

static const char *format(char text[24], double value, double scale, const char *unit) {
  if (isnan(value))
    text[0] = '\0';
  else
    snprintf(text, 24, "%.4g%s", scale * value, unit);
  return text;
}

/* An open end of an interval is left empty: "1200.." */
static void print_interval(const dcs_threshold *t) {
  char lo[24], hi[24], both[64] = "";
  if (!isnan(t->estimate))
    snprintf(both, sizeof both, "%s..%s", format(lo, t->lo, 1, ""), format(hi, t->hi, 1, ""));
  printf(" %20s", both);
}

/* Of the longest name of a method and its problem; of what is fixed. */
static int method_width(const dcs_crossovers *found) {
  size_t width = sizeof "cpu_sequential" - 1;
  char text[DCS_TEXT];
  for (size_t i = 0; i < 2 * found->n; i++) {
    dcs_crossover_what(&found->measured, &found->list[i / 2], i % 2, text);
    if (strlen(text) > width) width = strlen(text);
  }
  return (int)width;
}

static int fixed_width(const dcs_crossovers *found) {
  size_t width = sizeof "512x512x1024" - 1;
  char text[64];
  for (size_t i = 0; i < found->n; i++)
    if (strlen(dcs_crossover_fixed(&found->list[i], text)) > width) width = strlen(text);
  return (int)width;
}

static void print_table(const dcs_crossovers *found) {
  const int width = method_width(found), wide = fixed_width(found);
  printf("%-6s %-*s %-8s %-6s %-*s %-*s %5s %10s %20s %8s %8s  %s\n", "axis", wide, "fixed",
         "shape", "scope", width, "method a", width, "method b", "sizes", "estimate", "95%",
         "regret", "worst", "status");
  for (size_t i = 0; i < found->n; i++) {
    const dcs_crossover *c = &found->list[i];
    const dcs_measured *m = &found->measured;
    char number[24], fixed[64], text[DCS_TEXT];
    printf("%-6s %-*s ", dcs_crossover_axis(c), wide, dcs_crossover_fixed(c, fixed));
    printf("%-8s %-6s", dcs_crossover_shape(c, text), dcs_scope_name(c->pair->scope));
    for (int which = 0; which < 2; which++)
      printf(" %-*s", width, dcs_crossover_what(m, c, which, text));
    printf(" %5zu %10s", c->threshold.sizes, format(number, c->threshold.estimate, 1, ""));
    print_interval(&c->threshold);
    printf(" %8s", format(number, c->threshold.regret_mean, 100, "%"));
    printf(" %8s", format(number, c->threshold.regret_worst, 100, "%"));
    printf("  %s", dcs_threshold_status_name(c->threshold.status));
    if (*dcs_crossover_gaps(m, c, text)) printf("; next to it: %s", text);
    const double error = dcs_crossover_model_error(m, c);
    if (error > 0) printf("; at a model error of up to %.2g", error);
    printf("\n");
  }
}

/* What to do, in words: of each threshold that says from where on. */
static void print_sentences(const dcs_crossovers *found) {
  char text[1024];
  for (size_t i = 0; i < found->n; i++) {
    const dcs_crossover *c = &found->list[i];
    if (!isnan(c->threshold.estimate) && !c->plane)
      printf("%s.\n", dcs_crossover_sentence(&found->measured, c, text));
  }
}

/* Measures more and finds all thresholds again. A sweep that tells of failed methods, now or in an
 * earlier part of the run, has measured the others: its status is the last word. */
static dcs_status refine(const arguments *a, dcs_crossovers *found) {
  const dcs_refine_options how = {.input = a->input,
                                  .device = a->device.device,
                                  .kernels = a->device.kernels,
                                  .timeout_s = a->device.timeout_s,
                                  .budget_s = a->budget_s,
                                  .rounds = (int)a->rounds};
  dcs_refinements chosen = {0};
  const size_t unfinished = dcs_refine_unfinished(found);
  int64_t most_atoms;
  if (found->measured.problems[0].kind->made_of)
    return dcs_fail(DCS_USAGE,
                    "%s: its times are of other programs; --refine measures this program's methods "
                    "alone: take more times and import them, or sweep all sizes again with more, "
                    "with --method and --resume",
                    a->folder);
  DCS_TRY(dcs_refine_most_atoms(found, &how, &most_atoms));
  dcs_status status = dcs_refine_choose(found, (size_t)a->refine, most_atoms, &chosen);
  if (status == DCS_OK) {
    if (unfinished > 0)
      printf("to go on with: %zu row%s interrupted\n", unfinished,
             unfinished == 1 ? " that was" : "s that were");
    dcs_refine_print(stdout, &chosen);
    fflush(stdout);
  }
  if (status == DCS_OK && (chosen.n > 0 || unfinished > 0))
    status = dcs_refine_measure(found, &how, &chosen);
  dcs_refinements_free(&chosen);
  if (status == DCS_OK || (status == DCS_FAILED && !dcs_interrupted())) {
    dcs_crossovers_free(found);
    DCS_TRY(dcs_crossovers_find(a->folder, NULL, found));
  }
  return status;
}

/* Whose times stand where. */
static void print_reference(const dcs_measured *m, FILE *out) {
  if (!m->reference.folder) return;
  if (m->n_referred == 0)
    fprintf(out, "%s: not used: %s\n", m->reference.folder,
            dcs_has_gpu(&m->run) ? "the run has GPU times of its own"
                                 : "it has no GPU times at the run's sizes");
  else
    fprintf(out, "of two machines: CPU times of %s (%s), GPU times of %s (%s)\n", m->run.folder,
            dcs_run_fact(&m->run, "cpu_model"), m->reference.folder,
            dcs_run_fact(&m->reference, "gpu_name"));
}

static void print_notes(const dcs_measured *m, FILE *out) {
  size_t unsure = dcs_measured_unsure(m);
  dcs_run_notes(&m->run, out);
  if (m->n_left_out > 0)
    fprintf(out,
            "left out: %d methods; of more than %d those are held against each other that are the "
            "fastest at most sizes\n",
            m->n_left_out, DCS_MOST_IMPORTED);
  print_reference(m, out);
  if (unsure > 0)
    fprintf(out,
            "%zu of %zu sizes ha%s methods with fewer than %d samples, and nothing is sure there: "
            "measure with --rounds %d or more, with budget enough for them\n",
            unsure, m->n_sizes, unsure == 1 ? "s" : "ve", DCS_RATIO_SAMPLES, DCS_RATIO_SAMPLES);
}

/* thresholds.csv as JSON. */
static dcs_status print_json(const dcs_crossovers *found) {
  static const char name[] = "thresholds.csv";
  dcs_text_stream text;
  char *whole;
  size_t bytes;
  dcs_table *table = NULL;
  dcs_sheet sheet = {0};
  DCS_TRY(dcs_text_begin(&text));
  dcs_csv csv = dcs_csv_on(text.stream, name);
  const dcs_status put = dcs_crossovers_put(&csv, found);
  dcs_status status = dcs_text_end(&text, &whole, &bytes);
  if (put != DCS_OK) status = put;
  if (status == DCS_OK) status = dcs_table_parse(name, whole, bytes, &table);
  if (status == DCS_OK) status = dcs_sheet_of_table(table, &sheet);
  if (status == DCS_OK) status = dcs_sheet_write(&sheet, DCS_SHEET_JSON, stdout);
  dcs_sheet_free(&sheet);
  dcs_table_free(table);
  free(whole);
  return status;
}

/* In the form that was asked for. */
static dcs_status print(const arguments *a, const dcs_crossovers *found) {
  print_notes(&found->measured, a->csv || a->json ? stderr : stdout);
  if (a->json) return print_json(found);
  if (a->csv) {
    dcs_csv csv = dcs_csv_stdout();
    return dcs_crossovers_put(&csv, found);
  }
  print_table(found);
  print_sentences(found);
  return DCS_OK;
}

static dcs_status crossover(const arguments *a, dcs_crossovers *found) {
  dcs_status status = DCS_OK;
  DCS_TRY(dcs_crossovers_find(a->folder, a->reference, found));
  if (a->refine) status = refine(a, found);
  if (status != DCS_OK && status != DCS_FAILED) return status;
  /* A folder that may only be read is told of all the same. */
  const dcs_status written = dcs_crossovers_write(a->folder, found);
  DCS_TRY(print(a, found));
  if (a->header) DCS_TRY(dcs_crossovers_write_header(a->header, found));
  return written == DCS_OK ? status : written;
}

dcs_status dcs_command_crossover(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc =
          "From which size on one method overtakes another, by the samples of a run: along the "
          "number of atoms on each grid, along the grid points at each number of atoms, along "
          "systems of one density, and in the plane of both. For each pair the size below which "
          "method a is faster and from which on method b is, with its 95% interval, and the time "
          "lost by going by it at sizes that it was not drawn from. Written into "
          "DIR/thresholds.csv, and the sizes behind it into DIR/winners.csv; `dcsbench plot DIR` "
          "draws both.\vMethods: cpu_sequential, the textbook's loop with one thread; "
          "cpu_one_thread, where a run lacks that: the first variant of the ladder that it has; "
          "cpu_parallel, at each size the fastest CPU variant with most threads; gpu, at each size "
          "the fastest on the GPU in the scope, whatever its memory; of the latter two also the "
          "fastest of each algorithm where the run has several: gpu_direct, gpu_mesh, "
          "gpu_multilevel. They are compared on each problem of the run, and between two of its "
          "problems, as within and without a cutoff. CPU times are those of scope "
          "kernel.\n\nStatus: ok; always_a, always_b: no crossover point; not_bracketed: none, but "
          "close to one at an end; multiple_crossings: the estimate is the one threshold that "
          "loses least; ambiguous: no size is sure, the interval is wider than a factor of 4, or "
          "the estimate loses more than 5% at a size; lossy: ok or ambiguous, but it loses more "
          "than 5% at a size that it was not drawn from. Two methods need 4 sizes in common along "
          "an axis, 2 numbers of atoms on each of 2 grids in the plane, and 6 samples at a size "
          "that is to be sure.\n\n--refine measures two sizes between those around each crossover "
          "point, and one a factor of 2 further out where it is not bracketed or its interval is "
          "open, the widest gaps first, with the methods that are best at the neighbouring sizes. "
          "It needs the machine and the program of the run; what an interrupt left unfinished is "
          "gone on with. results/README.md explains the columns.",
      DCS_RUN_FOLDER(arguments, folder),
      .check = check,
      .device_title = "With --refine:"};
  arguments a = {0};
  dcs_crossovers found;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a,
                            (dcs_shared_options){.device = &a.device, .read = &a.input.how}));
  dcs_status status = crossover(&a, &found);
  dcs_crossovers_free(&found);
  return status;
}
