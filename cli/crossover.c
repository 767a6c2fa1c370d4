/* dcsbench crossover */
#include "tuning/crossover/crossover.h"
#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/judge/ratio.h"
#include "tuning/crossover/refine.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *folder;
  bool csv;
  int64_t refine; /* sizes at most; 0: none */
  int64_t rounds;
  const char *input;
  dcs_device_options device;
} arguments;

enum { KEY_REFINE = 2000, KEY_ROUNDS, REFINE_SIZES = 8 };

static const struct argp_option options[] = {
    {"csv", 'c', NULL, 0, "print thresholds.csv; what was left out goes to standard error", 0},
    {"refine", KEY_REFINE, "N", OPTION_ARG_OPTIONAL,
     "measure at most N (8) more sizes into DIR, where crossings lie, and find them again", 0},
    {"rounds", KEY_ROUNDS, "N", 0, "with --refine: samples of each method, as of `dcsbench sweep`",
     0},
    {"input", 'i', "FILE", 0, "with --refine: the run's PQR file, where it had one", 0},
    {0}};

static void check_arguments(const arguments *a, struct argp_state *state) {
  if (!a->folder) argp_error(state, "the run folder is missing");
  if (a->refine && a->csv)
    argp_error(state, "--refine tells what it measures, and --csv prints data alone: give one, and "
                      "then the other");
  if (!a->refine && (a->rounds || a->input || a->device.device || a->device.kernels))
    argp_error(state, "--rounds, --input, --device and --kernels are for --refine");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->device;
    return 0;
  case 'c':
    a->csv = true;
    return 0;
  case KEY_REFINE:
    a->refine = REFINE_SIZES;
    if (arg) dcs_argp_check(state, dcs_parse_integer("--refine", arg, 1, 1000, &a->refine));
    return 0;
  case KEY_ROUNDS:
    dcs_argp_check(state, dcs_parse_integer("--rounds", arg, 1, 1000000, &a->rounds));
    return 0;
  case 'i':
    a->input = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (a->folder) return ARGP_ERR_UNKNOWN;
    a->folder = arg;
    return 0;
  case ARGP_KEY_END:
    check_arguments(a, state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
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

static void print_table(const dcs_crossovers *found) {
  printf("%-6s %-12s %-8s %-6s %-14s %-14s %5s %10s %20s %8s %8s  %s\n", "axis", "fixed", "shape",
         "scope", "method a", "method b", "sizes", "estimate", "95%", "regret", "worst", "status");
  for (size_t i = 0; i < found->n; i++) {
    const dcs_crossover *c = &found->list[i];
    char text[24], shape[DCS_TEXT];
    printf("%-6s %-12s %-8s %-6s %-14s %-14s %5zu", dcs_crossover_kinds[c->kind],
           dcs_crossover_fixed(c), dcs_crossover_shape(c, shape), c->pair->scope,
           dcs_crossover_method(c, 0), dcs_crossover_method(c, 1), c->threshold.sizes);
    printf(" %10s", format(text, c->threshold.estimate, 1, ""));
    print_interval(&c->threshold);
    printf(" %8s", format(text, c->threshold.regret_mean, 100, "%"));
    printf(" %8s", format(text, c->threshold.regret_worst, 100, "%"));
    printf("  %s\n", dcs_threshold_status_name(c->threshold.status));
  }
}

/* Measures more and finds all thresholds again. A sweep that tells of failed methods, now or in an
 * earlier part of the run, has measured the others: its status is the last word. */
static dcs_status refine(const arguments *a, dcs_crossovers *found) {
  const dcs_refine_options how = {.input = a->input,
                                  .device = a->device.device,
                                  .kernels = a->device.kernels,
                                  .timeout_s = a->device.timeout_s,
                                  .rounds = (int)a->rounds};
  dcs_refinements chosen = {0};
  int64_t most_atoms;
  DCS_TRY(dcs_refine_most_atoms(found, &how, &most_atoms));
  dcs_status status = dcs_refine_choose(found, (size_t)a->refine, most_atoms, &chosen);
  if (status == DCS_OK) {
    dcs_refine_print(stdout, &chosen);
    fflush(stdout);
  }
  if (status == DCS_OK && chosen.n > 0)
    status = dcs_refine_measure(a->folder, found, &how, &chosen);
  dcs_refinements_free(&chosen);
  if (status == DCS_OK || (status == DCS_FAILED && !dcs_interrupted())) {
    dcs_crossovers_free(found);
    DCS_TRY(dcs_crossovers_find(a->folder, found));
  }
  return status;
}

static void print_notes(const dcs_measured *m, FILE *out) {
  size_t unsure = dcs_measured_unsure(m);
  dcs_run_notes(&m->run, m->not_ok, out);
  if (unsure > 0)
    fprintf(out,
            "%zu of %zu sizes ha%s methods with fewer than %d samples, and nothing is sure there: "
            "measure with --rounds %d or more, with budget enough for them\n",
            unsure, m->n_cells, unsure == 1 ? "s" : "ve", DCS_RATIO_SAMPLES, DCS_RATIO_SAMPLES);
}

static dcs_status crossover(const arguments *a, dcs_crossovers *found) {
  dcs_status status = DCS_OK;
  DCS_TRY(dcs_crossovers_find(a->folder, found));
  if (a->refine) status = refine(a, found);
  if (status != DCS_OK && status != DCS_FAILED) return status;
  DCS_TRY(dcs_crossovers_write(a->folder, found));
  print_notes(&found->measured, a->csv ? stderr : stdout);
  if (!a->csv) {
    print_table(found);
    return status;
  }
  dcs_csv csv = dcs_csv_stdout();
  return dcs_crossovers_put(&csv, found);
}

dcs_status dcs_command_crossover(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, "With --refine:", 0}, {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "DIR",
      .doc =
          "Where does one method overtake another? From the samples of a run, for the number of "
          "atoms on each grid, for the grid points at each number of atoms on grids of one shape, "
          "and in the plane of both: the size below which method a is faster and from which on "
          "method b is, with its 95% interval, and the time lost by going by it at sizes that it "
          "was not drawn from. Written into DIR/thresholds.csv, and the sizes behind it into "
          "DIR/winners.csv; `dcsbench plot DIR` draws both.\v"
          "Methods: cpu_sequential, of the run's CPU variants with one thread the first of the "
          "ladder; cpu_parallel, at each size the fastest CPU variant with most threads; gpu, at "
          "each size the "
          "fastest on the GPU in the scope, whatever its memory; cpu_within and gpu_within, the "
          "same within the run's cutoff. CPU times are those of scope kernel.\n\n"
          "Status: ok; always_a, always_b: no crossing; not_bracketed: none, but close to one "
          "at an end; multiple_crossings: the estimate is the one threshold that loses least; "
          "ambiguous: no size is sure, the interval is wider than a factor of 4, or the "
          "estimate loses more than 5% at a size. Two methods need 4 sizes in common along "
          "an axis, 2 numbers of atoms on each of 2 grids in the plane, and 6 samples at a size "
          "that is to be sure.\n\n"
          "--refine measures the methods that are best at the neighbouring sizes: at two sizes "
          "between those around each crossing, and a factor of 2 further out where a crossing is "
          "not bracketed or its interval is open; the widest gaps first. It needs the machine "
          "and the program of the run. results/README.md explains the columns."};
  struct argp with_children = argp;
  with_children.children = children;
  arguments a = {.device = dcs_device_defaults()};
  dcs_crossovers found;
  argp_parse(&with_children, argc, argv, 0, NULL, &a);
  dcs_status status = crossover(&a, &found);
  dcs_crossovers_free(&found);
  return status;
}
