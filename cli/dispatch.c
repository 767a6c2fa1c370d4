/* dcsbench dispatch */
#include "tuning/dispatch/dispatch.h"
#include "cli/commands.h"
#include "harness/base/clock.h"

#include <string.h>

typedef struct {
  const char *folder, *out;
  bool bench;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'o':
    a->out = arg;
    return 0;
  case 'b':
    a->bench = true;
    return 0;
  case ARGP_KEY_ARG:
    if (a->folder) return ARGP_ERR_UNKNOWN;
    a->folder = arg;
    return 0;
  case ARGP_KEY_END:
    if (!a->folder) argp_error(state, "the run folder is missing");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void print_table(const dcs_dispatch_table *t, const char *scope) {
  for (int m = 0; m < t->n; m++) {
    char config[DCS_TEXT];
    printf("%-6s %-22s %5lld  %s\n", scope, t->list[m].variant->id, (long long)t->list[m].cells,
           dcs_format_config(t->list[m].variant, &t->list[m].config, config));
  }
  if (t->n > 0 && t->regret.cells > 0)
    printf("%-6s loses %.2f%% in the mean, %.2f%% at worst, of %lld sizes held out\n", scope,
           100 * t->regret.mean, 100 * t->regret.worst, (long long)t->regret.cells);
  else
    printf("%-6s %s\n", scope,
           t->n > 0 ? "no size had two methods to choose from" : "not measured");
}

static void print_tables(const dcs_dispatch *dispatch) {
  printf("%-6s %-22s %5s  %s\n", "scope", "variant", "cells", "configuration");
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++) {
    char cutoffs[DCS_TEXT];
    dcs_dispatch_cutoffs(dispatch, sum, cutoffs);
    if (sum > 0 && !*cutoffs) continue;
    printf("sums %s", dcs_dispatch_sum_names[sum]);
    if (sum > 0) printf(", measured at %s", cutoffs);
    printf(":\n");
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      print_table(&dispatch->tables[sum][s], dcs_scope_name(dcs_dispatch_scopes[s]));
  }
}

/* Times decisions of a table on maps of many sizes, as dispatch.h and the library make them. */
static void bench_table(const dcs_dispatch_table *t, int sum, const char *scope) {
  enum { DECISIONS = 1000000 };
  const bool usable[2] = {true, true};
  int order[DCS_DISPATCH_MOST], picks = 0;
  double ns[DCS_DISPATCH_MOST];
  if (t->n == 0) return;
  double start = dcs_now_ns();
  for (int i = 0; i < DECISIONS; i++) {
    const dcs_problem p = {.n_atoms = 1 + i % 99991,
                           .n = {1 + i % 509, 1 + i % 251, 1 + i % 127},
                           .spacing = 1,
                           .cutoff = (float)t->list[0].cost.cutoff_least};
    int n = dcs_dispatch_rank(t, &p, usable, order, ns);
    picks += n > 0;
  }
  printf("%-6s %s: %.0f ns a decision (%d decisions)\n", scope, dcs_dispatch_sum_names[sum],
         (dcs_now_ns() - start) / DECISIONS, picks);
}

static void bench(const dcs_dispatch *dispatch) {
  for (int sum = 0; sum < DCS_DISPATCH_SUMS; sum++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      bench_table(&dispatch->tables[sum][s], sum, dcs_scope_name(dcs_dispatch_scopes[s]));
}

static dcs_status path_in(const char *folder, const char *name, char path[4096]) {
  if (snprintf(path, 4096, "%s/%s", folder, name) < 4096) return DCS_OK;
  return dcs_fail(DCS_USAGE, "the folder's name is too long");
}

static dcs_status dispatch(const arguments *a) {
  char path[4096];
  dcs_dispatch drawn;
  const char *out = a->out ? a->out : a->folder;
  DCS_TRY(dcs_dispatch_draw(a->folder, stdout, &drawn));
  DCS_TRY(path_in(out, "dispatch.csv", path));
  DCS_TRY(dcs_dispatch_write(path, &drawn));
  DCS_TRY(path_in(out, "dispatch.h", path));
  DCS_TRY(dcs_dispatch_write_header(path, &drawn));
  print_tables(&drawn);
  if (a->bench) bench(&drawn);
  return DCS_OK;
}

dcs_status dcs_command_dispatch(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"out", 'o', "FOLDER", 0, "where to write (the run folder)", 0},
      {"bench", 'b', NULL, 0, "time decisions, too", 0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "DIR",
      .doc =
          "Which method computes a map fastest, by its atoms, its grid and where the data lie? "
          "From "
          "the verified rows of a run, written as dispatch.csv (for `dcsbench map` and the "
          "library) "
          "and as dispatch.h (a C header for any other program)."
          "\v"
          "Scopes: kernel, the atoms lie on the GPU and the map stays there; warm, both in host "
          "memory and the GPU's context alive; first, the same from a cold start. CPU methods "
          "count "
          "with their kernel time (in kernel only where no GPU was measured).\n\n"
          "The time of each method is a sum of costs (of a map, a point, an atom, a launch, a step "
          "of a block from atom to atom, an evaluation, ...; of blocks, as many as the busiest "
          "multiprocessor has) fitted to what was measured; a method needs 3 sizes. "
          "Each size is held out once: the loss printed is what the decision drawn from all others "
          "costs there, over the method that it loses most against.\n\n"
          "Sums within a cutoff are other maps, decided by their own rows; the evaluations are "
          "then the pairs within the cutoff where atoms fill the grid's box evenly. A record "
          "decides for cutoffs from 1/1.26 of the least to 1.26 times the greatest that was "
          "measured with the same smoothing."};
  arguments a = {0};
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  return dispatch(&a);
}
