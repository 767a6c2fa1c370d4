/* dcsbench dispatch */
#include "tuning/dispatch/dispatch.h"
#include "cli/commands.h"
#include "harness/base/clock.h"
#include "harness/files/folder.h"
#include "tuning/dispatch/dispatch_check.h"
#include "tuning/dispatch/dispatch_measure.h"
#include "tuning/dispatch/imported.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *folder, *out, *check;
  bool bench, measure;
  double budget_s; /* 0: none */
  dcs_device_options device;
} arguments;

static const dcs_option options[] = {
    {"out", 'o', "DIR", "where to write (the run folder)", DCS_WORD(arguments, out)},
    {"bench", 'b', NULL, "time decisions, too", DCS_FLAG(arguments, bench)},
    {"measure", 0, NULL,
     "first measure those rows again, into DIR, whose samples disagree or whose time is far off "
     "what smaller and larger sizes took; with --check into RUN, too, those that may be the "
     "fastest at their size, and what RUN lacks of what the table takes",
     DCS_FLAG(arguments, measure)},
    {"budget", 0, "SECONDS",
     "with --measure: stop sampling after about so long; with --check, half of it is for DIR",
     DCS_NUMBER(arguments, budget_s, 0.001, 1e7)},
    {"check", 0, "RUN",
     "hold the table against another run, of all methods at sizes drawn by lot; a row a size goes "
     "into check.csv",
     DCS_WORD(arguments, check)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (!a->measure && (a->budget_s > 0 || a->device.device || a->device.kernels))
    return dcs_fail(DCS_USAGE, "--budget, --device and --kernels are for --measure");
  return DCS_OK;
}

static void print_loss(const char *scope, const char *what, const dcs_loss *loss) {
  if (loss->sizes > 0)
    printf("%-6s %s %.2f%% in the mean, %.2f%% at the 95th percentile, %.2f%% at worst, of %lld "
           "sizes\n",
           scope, what, 100 * loss->mean, 100 * loss->p95, 100 * loss->worst,
           (long long)loss->sizes);
  else
    printf("%-6s %s: not known, what it takes was measured at no size held out\n", scope, what);
}

static void print_table(const dcs_dispatch_table *t, const char *scope) {
  for (int m = 0; m < t->n; m++) {
    char config[DCS_TEXT];
    printf("%-6s %-22s %5lld  %s\n", scope, t->list[m].variant->id, (long long)t->list[m].sizes,
           dcs_format_config(t->list[m].variant, &t->list[m].config, config));
  }
  if (t->n == 0 || t->held_out == 0) {
    printf("%-6s %s\n", scope,
           t->n > 0 ? "no size had two methods to choose from" : "not measured");
    return;
  }
  printf("%-6s %lld sizes held out, each once:\n", scope, (long long)t->held_out);
  print_loss(scope, "  the table loses", &t->loss);
  print_loss(scope, "  the nearest size loses", &t->nearest);
  if (t->loss.sizes > 0 && t->nearest.sizes > 0 && t->loss.mean > fmax(0.05, t->nearest.mean))
    printf("%-6s   what is fastest at the nearest size would lose less: do not use the table as it "
           "is; measure more sizes, or wrong times again with --measure\n",
           scope);
}

static void print_tables(const dcs_dispatch *dispatch) {
  printf("%-6s %-22s %5s  %s\n", "scope", "variant", "sizes", "configuration");
  for (int f = 0; f < dispatch->n_families; f++) {
    char text[DCS_TEXT];
    printf("%s:\n", dcs_dispatch_text(&dispatch->families[f], text));
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      print_table(&dispatch->families[f].tables[s], dcs_scope_name(dcs_dispatch_scopes[s]));
  }
}

/* Times decisions of a table on many sizes, as dispatch.h and the library make them. */
static void bench_table(const dcs_dispatch *d, const dcs_dispatch_family *family, dcs_scope scope) {
  enum { DECISIONS = 1000000 };
  const dcs_dispatch_table *t = &family->tables[dcs_dispatch_scope_index(scope)];
  const bool usable[2] = {true, true};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  int picks = 0;
  char text[DCS_TEXT];
  if (t->n == 0) return;
  dcs_size size = t->list[0].cost.least;
  double start = dcs_now_ns();
  for (int i = 0; i < DECISIONS; i++) {
    for (int a = 0; a < size.kind->n_axes; a++)
      size.axes[a] = 1 + i % 499;
    picks += dcs_dispatch_rank(d, &size, 1, scope, usable, ranked) > 0;
  }
  printf("%-6s %s: %.0f ns a decision (%d decisions)\n", dcs_scope_name(scope),
         dcs_dispatch_text(family, text), (dcs_now_ns() - start) / DECISIONS, picks);
}

static void bench(const dcs_dispatch *d) {
  for (int f = 0; f < d->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      bench_table(d, &d->families[f], dcs_dispatch_scopes[s]);
}

/* ---- methods of other programs ---- */

static dcs_status draw_imported(const arguments *a, const dcs_measured *m, const char *out) {
  char path[4096];
  dcs_imported drawn;
  if (a->check || a->measure)
    return dcs_fail(DCS_USAGE,
                    "%s: its times are of other programs; --check and --measure are for this "
                    "program's methods",
                    a->folder);
  dcs_run_notes(&m->run, stdout);
  DCS_TRY(dcs_imported_draw(m, &drawn));
  DCS_TRY(dcs_path_in(out, "dispatch.h", path));
  DCS_TRY(dcs_imported_write_header(path, &drawn));
  for (int c = drawn.first; c < drawn.first + drawn.n; c++)
    printf("%-6s %s\n", dcs_scope_name(m->classes[c].scope), m->classes[c].name);
  printf("%s: by %s\n", path,
         drawn.rule == DCS_IMPORTED_NEAREST ? "the nearest size" : "interpolated times");
  if (drawn.loss[DCS_IMPORTED_INTERPOLATED].sizes > 0)
    print_loss("", "interpolated times lose", &drawn.loss[DCS_IMPORTED_INTERPOLATED]);
  print_loss("", "the nearest size loses", &drawn.loss[DCS_IMPORTED_NEAREST]);
  return DCS_OK;
}

/* ---- another run ---- */

static void print_check(dcs_dispatch_check *check, const dcs_dispatch_family *family,
                        dcs_scope scope) {
  int64_t sizes;
  const char *name = dcs_scope_name(scope);
  const dcs_loss own = dcs_dispatch_check_loss(check, family, scope, false, &sizes);
  if (sizes == 0) return;
  printf("%-6s %lld size%s of %s:\n", name, (long long)sizes, sizes == 1 ? "" : "s",
         check->other.run->folder);
  print_loss(name, "  the table loses", &own);
  const dcs_loss nearest = dcs_dispatch_check_loss(check, family, scope, true, &sizes);
  print_loss(name, "  the nearest size loses", &nearest);
}

static dcs_status check_table(const arguments *a, const char *out, const dcs_dispatch *drawn,
                              const dcs_run *run, const dcs_run *other) {
  char path[4096], text[DCS_TEXT];
  dcs_dispatch_check check = {0};
  dcs_status status = dcs_path_in(out, "check.csv", path);
  if (status == DCS_OK) status = dcs_dispatch_check_against(drawn, run, other, &check);
  if (status == DCS_OK) status = dcs_dispatch_check_write(path, &check);
  for (int f = 0; status == DCS_OK && f < drawn->n_families; f++) {
    printf("%s, held against %s:\n", dcs_dispatch_text(&drawn->families[f], text), a->check);
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      print_check(&check, &drawn->families[f], dcs_dispatch_scopes[s]);
  }
  dcs_dispatch_check_free(&check);
  return status;
}

/* `share`: of the budget. */
static dcs_refine_options how_to_measure(const arguments *a, double share) {
  return (dcs_refine_options){.device = a->device.device,
                              .kernels = a->device.kernels,
                              .timeout_s = a->device.timeout_s,
                              .budget_s = share * a->budget_s};
}

static dcs_status measure_other(const arguments *a) {
  const dcs_refine_options how = how_to_measure(a, 0.25);
  dcs_run other;
  size_t again;
  dcs_status status = dcs_run_open(&other, a->check);
  if (status == DCS_OK) status = dcs_dispatch_measure_held(&other, &how, stdout, &again);
  dcs_run_close(&other);
  return status;
}

static dcs_status measure_taken(const arguments *a, const dcs_dispatch *drawn, const dcs_run *run) {
  const dcs_refine_options how = how_to_measure(a, 0.25);
  dcs_run other;
  dcs_dispatch_check check = {0};
  size_t measured;
  dcs_status status = dcs_run_open(&other, a->check);
  if (status == DCS_OK) status = dcs_dispatch_check_against(drawn, run, &other, &check);
  if (status == DCS_OK) status = dcs_dispatch_measure_taken(&check, &how, stdout, &measured);
  dcs_dispatch_check_free(&check);
  dcs_run_close(&other);
  return status;
}

static dcs_status check_by(const arguments *a, const char *out, const dcs_dispatch *drawn,
                           const dcs_run *run) {
  dcs_run other;
  if (a->measure) DCS_TRY(measure_other(a));
  if (a->measure) DCS_TRY(measure_taken(a, drawn, run));
  dcs_status status = dcs_run_open(&other, a->check);
  if (status == DCS_OK) status = check_table(a, out, drawn, run, &other);
  dcs_run_close(&other);
  return status;
}

/* ---- the command ---- */

static dcs_status draw(const arguments *a, const dcs_measured *measured, const char *out) {
  char path[4096];
  dcs_dispatch drawn;
  DCS_TRY(dcs_dispatch_draw(&measured->run, stdout, &drawn));
  DCS_TRY(dcs_path_in(out, "dispatch.csv", path));
  DCS_TRY(dcs_dispatch_write(path, &drawn));
  DCS_TRY(dcs_path_in(out, "dispatch.h", path));
  DCS_TRY(dcs_dispatch_write_header(path, &drawn));
  print_tables(&drawn);
  if (a->check) DCS_TRY(check_by(a, out, &drawn, &measured->run));
  if (a->bench) bench(&drawn);
  return DCS_OK;
}

static dcs_status measure_again(const arguments *a, dcs_measured *measured) {
  const dcs_refine_options how = how_to_measure(a, a->check ? 0.5 : 1);
  size_t again;
  DCS_TRY(dcs_dispatch_measure(&measured->run, &how, stdout, &again));
  if (again == 0) return DCS_OK;
  dcs_measured_free(measured);
  return dcs_measured_read(a->folder, NULL, measured);
}

/* Told before anything is measured or written. */
static dcs_status look_at_check(const char *folder) {
  dcs_run other;
  const dcs_status status = dcs_run_open(&other, folder);
  dcs_run_close(&other);
  return status;
}

static dcs_status dispatch(const arguments *a) {
  dcs_measured measured;
  const char *out = a->out ? a->out : a->folder;
  if (a->check) DCS_TRY(look_at_check(a->check));
  dcs_status status = dcs_measured_read(a->folder, NULL, &measured);
  if (status == DCS_OK && a->measure && !dcs_is_imported(&measured))
    status = measure_again(a, &measured);
  if (status == DCS_OK)
    status =
        dcs_is_imported(&measured) ? draw_imported(a, &measured, out) : draw(a, &measured, out);
  dcs_measured_free(&measured);
  return status;
}

dcs_status dcs_command_dispatch(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Which method computes a problem fastest, by its size and where the data lie? Drawn "
             "from the verified rows of a run, and written as dispatch.csv (for `dcsbench map` and "
             "the library) and as dispatch.h (a C header for any other program).\vScopes: kernel, "
             "the inputs lie on the GPU and the output stays there; warm, both in host memory and "
             "the GPU's context alive; first, the same from a cold start. CPU methods count with "
             "their kernel time (in kernel only where no GPU was measured).\n\nThe time of each "
             "method is a sum of costs (of a map, a point, an atom, a launch, a wave of blocks, an "
             "evaluation, ...) fitted to what was measured; a method needs 3 sizes. Beyond the "
             "measured sizes no method is taken for faster than the best rate that it has shown. "
             "Problems are decided by rows of the same kind and the same parameters; those that "
             "are real numbers, such as a cutoff, may lie from 1/1.26 of the least to 1.26 times "
             "the greatest that was measured.\n\nEach size is held out once: the loss printed is "
             "what the table drawn from all others costs there, over the method that it loses most "
             "against, at the sizes where the method that it takes was measured. Beside it stands "
             "the loss of the simplest rule: what is fastest at the nearest other size in log "
             "space.\n\nOf a run that `dcsbench import` made, dispatch.h alone is written: it "
             "chooses among the imported methods. results/deciding.md tells more.",
      DCS_RUN_FOLDER(arguments, folder),
      .check = check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){.device = &a.device}));
  return dispatch(&a);
}
