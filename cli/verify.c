/* dcsbench verify */
#include "harness/verify/verify.h"

#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"
#include "harness/device/kernel_source.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_problem_choice choice;
  const char *variants, *config, *grid;
} arguments;

static const dcs_option options[] = {
    {"variants", 0, "LIST",
     "all, cpu, gpu, or variants and problems that `dcsbench list` shows, with commas (gpu with "
     "--device, else "
     "all)",
     DCS_WORD(arguments, variants)},
    {"config", 0, "K=V,...",
     "parameters, several values as 1|2|4, 1:16 or all (each parameter in turn over its range)",
     DCS_WORD(arguments, config)},
    {"grid", 0, "GRID", "with --input: the grid (the molecule's box)", DCS_WORD(arguments, grid)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  const char *needs = a->grid ? "--grid" : a->choice.config;
  if (a->problem.input.files[0] || !*needs) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "%s needs --input: without a molecule sizes and problems are chosen to find "
                  "faults",
                  needs);
}

/* The methods to verify: as configured, or for each variant those that cover it. The caller frees
 * ->list, whatever the status. */
static dcs_status choose(const arguments *a, bool gpu, dcs_methods *methods) {
  const char *variants = a->variants ? a->variants : a->device.device ? "gpu" : "all";
  const dcs_kind *kind;
  dcs_config problem;
  DCS_TRY(dcs_one_problem(&a->choice, &kind, &problem));
  const bool one_kind = a->problem.input.files[0] || dcs_chosen(&a->choice);
  const dcs_at_hand at_hand = {gpu, one_kind ? kind : NULL, &problem,
                               a->problem.input.files[0] != NULL};
  DCS_TRY(dcs_select_methods(variants, a->config, at_hand, methods));
  return a->config || a->problem.input.files[0] ? DCS_OK : dcs_cover_methods(methods);
}

/* Running totals of one variant. */
typedef struct {
  int methods, cases, failed, missing;
  double bound_ratio;
  bool refused;           /* the last that is missing */
  char why[2 * DCS_TEXT]; /* of it */
  int same;               /* that do not compile for the reason `error`, beside the first */
  char error[2 * DCS_TEXT];
} totals;

/* Whether the method has nothing to fail at here: a variant that is not here, that the device lacks
 * something for, or that several devices cannot share. */
static bool not_here(const dcs_verification *v) {
  return dcs_not_here(v->outcome) || v->refused;
}

static void add(totals *t, const dcs_verification *v) {
  t->methods++;
  t->cases += v->cases;
  t->failed += v->outcome != DCS_OUTCOME_OK && !not_here(v);
  t->missing += not_here(v);
  if (v->bound_ratio > t->bound_ratio) t->bound_ratio = v->bound_ratio;
  if (!not_here(v)) return;
  t->refused = v->refused;
  memcpy(t->why, v->why, sizeof t->why);
}

static void print_totals(const dcs_variant *variant, const totals *t) {
  const char *missing = t->refused ? dcs_outcome_name(DCS_OUTCOME_INAPPLICABLE) : "not here";
  const int tried = t->methods - t->missing;
  if (tried == 0)
    printf("%-22s %s: %s\n", variant->id, missing, t->why);
  else if (!t->failed)
    printf("%-22s %4d configurations %6d maps   worst error %.3f of the tolerance   ok\n",
           variant->id, tried, t->cases, t->bound_ratio);
  else if (t->bound_ratio > 1)
    printf("%-22s %4d configurations %6d maps   worst error %.3g times the tolerance: FAILED\n",
           variant->id, tried, t->cases, t->bound_ratio);
  else
    printf("%-22s %4d configurations %6d maps   FAILED\n", variant->id, tried, t->cases);
  if (tried > 0 && t->missing > 0)
    printf("%-22s %4d more %s: %s\n", variant->id, t->missing, missing, t->why);
}

/* What does not compile is said once of a variant: its other configurations fail for the same
 * reason, and are counted. */
static void say_failure(const dcs_method *method, const dcs_verification *v, totals *t,
                        dcs_progress *progress) {
  char config[DCS_TEXT];
  const bool compile = v->outcome == DCS_OUTCOME_COMPILE;
  if (compile && strcmp(v->why, t->error) == 0) {
    t->same++;
    return;
  }
  dcs_progress_say(progress, "%s %s: %s: %s", method->variant->id,
                   dcs_format_config(method->variant, &method->config, config),
                   dcs_outcome_name(v->outcome), v->why);
  if (compile) memcpy(t->error, v->why, sizeof t->error);
}

static dcs_status verify_one(dcs_bench *bench, const dcs_method *method, dcs_case *c,
                             dcs_verification *v) {
  *v = (dcs_verification){0};
  DCS_TRY(c ? dcs_verify_on(bench, method, c, v) : dcs_verify_method(bench, method, v));
  return DCS_OK;
}

/* Verifies all methods, a line a variant; returns what failed and what was not there. */
static dcs_status verify_all(dcs_bench *bench, const dcs_methods *methods, dcs_case *c,
                             totals *sum) {
  dcs_progress progress = dcs_progress_start();
  totals t = {0};
  for (int m = 0; m < methods->n && !dcs_interrupted(); m++) {
    const dcs_variant *variant = methods->list[m].variant;
    dcs_verification v;
    dcs_progress_draw(&progress, (double)m / methods->n, variant->id);
    DCS_TRY(verify_one(bench, &methods->list[m], c, &v));
    if (v.lost[0]) dcs_progress_say(&progress, "%s", v.lost);
    if (dcs_interrupted()) break; /* the variant has no verdict */
    if (v.outcome != DCS_OUTCOME_OK && !not_here(&v))
      say_failure(&methods->list[m], &v, &t, &progress);
    add(&t, &v);
    const bool more = m + 1 < methods->n && methods->list[m + 1].variant == variant;
    if (more && !dcs_not_here(v.outcome)) continue;
    while (m + 1 < methods->n && methods->list[m + 1].variant == variant)
      m++; /* a variant that is not there is said once */
    if (t.same > 0)
      dcs_progress_say(&progress, "%s: %d more configurations do not compile for the same reason",
                       variant->id, t.same);
    dcs_progress_clear(&progress);
    print_totals(variant, &t);
    sum->failed += t.failed;
    sum->missing += t.missing;
    if (t.missing) memcpy(sum->why, t.why, sizeof sum->why);
    sum->methods += t.methods;
    t = (totals){0};
  }
  dcs_progress_clear(&progress);
  return DCS_OK;
}

static dcs_status verify(dcs_bench *bench, const dcs_methods *methods, dcs_case *c) {
  totals sum = {0};
  DCS_TRY(verify_all(bench, methods, c, &sum));
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  if (sum.failed)
    return dcs_fail(DCS_FAILED, "%d of %d configurations failed", sum.failed, sum.methods);
  if (sum.missing == sum.methods)
    return dcs_fail(DCS_UNAVAILABLE, "nothing that was asked for can run on this machine: %s",
                    sum.why[0] ? sum.why : "`dcsbench list` shows why");
  return DCS_OK;
}

static dcs_status verify_input(const arguments *a, dcs_bench *bench, const dcs_methods *methods) {
  dcs_case c;
  dcs_config problem;
  dcs_case_source source = {.input = a->problem.input, .grid = a->problem.grid};
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &source.grid.n));
  DCS_TRY(dcs_one_problem(&a->choice, &source.kind, &problem));
  DCS_TRY(dcs_case_takes(source.kind, true, &source.grid));
  DCS_TRY(dcs_case_from(&source, &problem, &c));
  char left_out[DCS_TEXT];
  if (*dcs_case_left_out(&c, left_out)) fprintf(stderr, "%s\n", left_out);
  dcs_status status = verify(bench, methods, &c);
  dcs_case_free(&c);
  return status;
}

/* Whoever edited a kernel is told where that was not it that was verified. */
static void say_unchanged(const char *kernels, const dcs_methods *methods) {
  const dcs_variant *last = NULL;
  int n_kernels = 0;
  for (int m = 0; m < methods->n; m++) {
    const dcs_variant *variant = methods->list[m].variant;
    uint64_t own, built_in;
    if (variant == last || variant->backend != DCS_GPU) continue;
    last = variant;
    n_kernels++;
    if (dcs_variant_hash(variant, kernels, &own) == DCS_OK &&
        dcs_variant_hash(variant, NULL, &built_in) == DCS_OK && own == built_in)
      fprintf(stderr, "note: %s: what %s has of it is the built-in kernel, unchanged\n",
              variant->id, kernels);
  }
  if (n_kernels == 0)
    fprintf(stderr, "note: --kernels changes nothing here: no variant that was asked for has a .cu "
                    "file; after an edit of a C file run make\n");
}

static dcs_status run(const arguments *a, dcs_bench *bench) {
  dcs_session *session;
  dcs_methods methods = {0};
  dcs_status gpu = dcs_bench_session(bench, DCS_GPU, &session);
  if (a->device.device || bench->killed[DCS_GPU]) DCS_TRY(gpu);
  dcs_status status = choose(a, gpu == DCS_OK, &methods);
  if (status == DCS_OK && a->device.kernels) say_unchanged(a->device.kernels, &methods);
  if (status == DCS_OK && gpu == DCS_OK) dcs_verify_compile(bench, &methods);
  if (status == DCS_OK)
    status = a->problem.input.files[0] ? verify_input(a, bench, &methods)
                                       : verify(bench, &methods, NULL);
  free(methods.list);
  if (status == DCS_OK && gpu != DCS_OK && !a->variants)
    printf("CUDA variants cannot run here: %s\n", bench->why);
  return status;
}

dcs_status dcs_command_verify(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Check methods against the double-precision oracle and the laws of "
             "physics, on sizes where kernels go wrong or on your molecule.",
      .check = check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(
      &line, argc, argv, &a,
      (dcs_shared_options){.device = &a.device, .problem = &a.problem, .choice = &a.choice}));
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(a.device.device, a.device.kernels, a.device.timeout_s, &bench));
  dcs_status status = run(&a, &bench);
  dcs_bench_close(&bench);
  return status;
}
