/* dcsbench verify */
#include "harness/verify/verify.h"

#include "cli/commands.h"
#include "harness/base/interrupt.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  dcs_device_options device;
  dcs_problem_options problem;
  dcs_cutoff_options cutoff;
  const char *variants, *config, *grid;
} arguments;

enum { KEY_VARIANTS = 2000, KEY_CONFIG, KEY_GRID };

static const struct argp_option options[] = {
    {"variants", KEY_VARIANTS, "LIST", 0,
     "all, cpu, cuda, or ids that `dcsbench list` shows, with commas (cuda with --device, else "
     "all)",
     0},
    {"config", KEY_CONFIG, "K=V,...", 0,
     "parameters, several values as 1|2|4, 1:16 or all (each parameter in turn over its range)", 0},
    {"grid", KEY_GRID, "GRID", 0, "with --input: the grid (the molecule's box)", 0},
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
    a->variants = arg;
    return 0;
  case KEY_CONFIG:
    a->config = arg;
    return 0;
  case KEY_GRID:
    a->grid = arg;
    return 0;
  case ARGP_KEY_END:
    if ((a->grid || a->cutoff.cutoff) && !a->problem.input)
      argp_error(state, "--%s needs --input: without a molecule the %s are chosen to find faults",
                 a->grid ? "grid" : "cutoff", a->grid ? "sizes" : "cutoffs");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* The methods to verify: as configured, or for each variant those that cover it. */
static dcs_status choose(const arguments *a, bool gpu, dcs_methods *methods) {
  const char *variants = a->variants ? a->variants : a->device.device ? "cuda" : "all";
  dcs_at_hand at_hand = {gpu, a->cutoff.cutoff || !a->problem.input};
  DCS_TRY(dcs_select_methods(variants, a->config, at_hand, methods));
  if (a->config || a->problem.input) return DCS_OK;
  dcs_methods all = {0};
  for (int m = 0; m < methods->n; m++) {
    dcs_methods some;
    dcs_status status = dcs_covering_methods(methods->list[m].variant, &some);
    dcs_method *list =
        status == DCS_OK ? realloc(all.list, (size_t)(all.n + some.n) * sizeof *list) : NULL;
    if (!list) {
      free(all.list);
      free(methods->list);
      return dcs_fail(DCS_UNAVAILABLE, "no memory for methods");
    }
    memcpy(list + all.n, some.list, (size_t)some.n * sizeof *list);
    all.list = list;
    all.n += some.n;
    free(some.list);
  }
  free(methods->list);
  *methods = all;
  return DCS_OK;
}

/* Running totals of one variant. */
typedef struct {
  int methods, cases, failed, missing;
  double bound_ratio;
  char why[2 * DCS_TEXT]; /* of the last that is missing */
} totals;

/* Whether the method has nothing to fail at here: a variant that is not here, or that several
 * devices cannot share. */
static bool not_here(const dcs_bench *bench, const dcs_verification *v) {
  return v->outcome == DCS_OUTCOME_NOT_BUILT ||
         (v->outcome == DCS_OUTCOME_INAPPLICABLE && dcs_names_several(bench->device));
}

static void add(totals *t, const dcs_bench *bench, const dcs_verification *v) {
  t->methods++;
  t->cases += v->cases;
  t->failed += v->outcome != DCS_OUTCOME_OK && !not_here(bench, v);
  t->missing += not_here(bench, v);
  if (v->bound_ratio > t->bound_ratio) t->bound_ratio = v->bound_ratio;
  if (not_here(bench, v)) memcpy(t->why, v->why, sizeof t->why);
}

static void print_totals(const dcs_variant *variant, const totals *t) {
  if (t->missing)
    printf("%-22s not here: %s\n", variant->id, t->why);
  else
    printf("%-22s %4d configurations %6d maps   worst error %.3f of the bound   %s\n", variant->id,
           t->methods, t->cases, t->bound_ratio, t->failed ? "FAILED" : "ok");
}

static dcs_status verify_one(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                             dcs_progress *progress, dcs_verification *v) {
  char config[DCS_TEXT];
  *v = (dcs_verification){0};
  DCS_TRY(c ? dcs_verify_on(bench, method, c, v) : dcs_verify_method(bench, method, v));
  if (v->lost[0]) dcs_progress_say(progress, "%s", v->lost);
  if (v->outcome != DCS_OUTCOME_OK && !not_here(bench, v) && !dcs_interrupted())
    dcs_progress_say(progress, "%s %s: %s: %s", method->variant->id,
                     dcs_format_config(method->variant, &method->config, config),
                     dcs_outcome_name(v->outcome), v->why);
  return DCS_OK;
}

/* Verifies all methods, a line a variant; returns what failed and what was not there. */
static dcs_status verify_all(dcs_bench *bench, const dcs_methods *methods, const dcs_case *c,
                             totals *sum) {
  dcs_progress progress = dcs_progress_start();
  totals t = {0};
  for (int m = 0; m < methods->n && !dcs_interrupted(); m++) {
    const dcs_variant *variant = methods->list[m].variant;
    dcs_verification v;
    dcs_progress_draw(&progress, (double)m / methods->n, variant->id);
    DCS_TRY(verify_one(bench, &methods->list[m], c, &progress, &v));
    add(&t, bench, &v);
    if (m + 1 < methods->n && methods->list[m + 1].variant == variant && !t.missing) continue;
    while (m + 1 < methods->n && methods->list[m + 1].variant == variant)
      m++; /* a variant that is not there is said once */
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

static dcs_status verify(dcs_bench *bench, const dcs_methods *methods, const dcs_case *c) {
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
  dcs_molecule molecule;
  dcs_case c;
  dcs_grid grid = a->problem.grid;
  if (a->grid) DCS_TRY(dcs_parse_grid(a->grid, &grid.n));
  DCS_TRY(dcs_pqr_read(a->problem.input, &molecule, stderr));
  dcs_status status = dcs_case_build(&molecule, &grid, &c);
  dcs_molecule_free(&molecule);
  DCS_TRY(status);
  if (c.n_coincident)
    fprintf(stderr, "%lld atoms lie on grid points and are left out of the sums there\n",
            (long long)c.n_coincident);
  status = dcs_set_cutoff(&a->cutoff, &c);
  if (status == DCS_OK) status = verify(bench, methods, &c);
  dcs_case_free(&c);
  return status;
}

static dcs_status run(const arguments *a, dcs_bench *bench) {
  dcs_session *session;
  dcs_methods methods;
  dcs_status gpu = dcs_bench_session(bench, DCS_CUDA, &session);
  if (a->device.device) DCS_TRY(gpu);
  DCS_TRY(choose(a, gpu == DCS_OK, &methods));
  dcs_status status =
      a->problem.input ? verify_input(a, bench, &methods) : verify(bench, &methods, NULL);
  free(methods.list);
  if (status == DCS_OK && gpu != DCS_OK && !a->variants)
    printf("CUDA variants cannot run here: %s\n", bench->why);
  return status;
}

dcs_status dcs_command_verify(int argc, char **argv) {
  static const struct argp_child children[] = {{&dcs_device_argp, 0, NULL, 0},
                                               {&dcs_problem_argp, 0, NULL, 0},
                                               {&dcs_cutoff_argp, 0, NULL, 0},
                                               {0}};
  struct argp argp = {.options = options,
                      .parser = parse,
                      .doc = "Check methods against the double-precision oracle and the laws of "
                             "physics, on sizes where kernels go wrong or on your molecule.",
                      .children = children};
  arguments a = {.device = dcs_device_defaults(), .problem = dcs_problem_defaults()};
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  dcs_bench bench;
  DCS_TRY(dcs_bench_open(a.device.device, a.device.kernels, a.device.timeout_s, &bench));
  dcs_status status = run(&a, &bench);
  dcs_bench_close(&bench);
  return status;
}
