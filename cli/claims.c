/* dcsbench claims */
#include "tuning/claims/claims.h"
#include "cli/commands.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct {
  const char *folder;
  bool csv;
} arguments;

enum { WIDTH = 88, INDENT = 12 };

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'c':
    a->csv = true;
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

/* ---- a block a claim ---- */

/* "  label     text", broken at spaces; a word longer than a line stands out. */
static void print_wrapped(const char *label, const char *text) {
  int column = printf("  %-*s", INDENT - 2, label);
  for (bool first = true; *text; first = false) {
    int n = (int)strcspn(text, " ");
    if (!first && column + 1 + n > WIDTH)
      column = printf("\n%*s", INDENT, "") - 1;
    else if (!first)
      column += printf(" ");
    column += printf("%.*s", n, text);
    text += n;
    text += strspn(text, " ");
  }
  printf("\n");
}

static void append(char text[2048], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char text[2048], const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, 2048 - used, format, args);
  va_end(args);
}

static void append_method(char text[2048], const dcs_claim_row *row) {
  append(text, "%s%s%s (scope %s)", row->variant, *row->config ? " " : "", row->config, row->scope);
}

static void print_shown(const dcs_claim_result *r) {
  const dcs_observation *o = &r->shown;
  char text[2048] = "";
  append(text, "%.4g", o->value);
  if (!isnan(o->lo) && o->lo < o->hi) append(text, " (95%%: %.4g to %.4g)", o->lo, o->hi);
  if (o->of) append(text, " of %zu", o->of);
  append(text, " %s", r->claim->unit);
  if (o->method) {
    const dcs_claim_row *m = o->method;
    append(text, "; %s atoms, %sx%sx%s: ", m->size[0], m->size[1], m->size[2], m->size[3]);
    append_method(text, m);
  }
  if (o->base) {
    append(text, " against ");
    append_method(text, o->base);
  }
  print_wrapped("measured", text);
}

static void print_counts(const dcs_claim_result *r) {
  char text[2048] = "";
  append(text, "of %zu: %zu yes, %zu partly, %zu no, %zu unsure", dcs_claim_observed(r),
         r->counts[DCS_GRADE_YES], r->counts[DCS_GRADE_PARTLY], r->counts[DCS_GRADE_NO],
         r->counts[DCS_GRADE_UNSURE]);
  if (r->most > r->least) append(text, "; values from %.4g to %.4g", r->least, r->most);
  print_wrapped("observed", text);
}

static void print_claim(const dcs_claim_result *r) {
  printf("%s: %s\n", r->claim->id, dcs_claim_verdicts[r->verdict]);
  print_wrapped("claim", r->claim->text);
  print_wrapped("source", r->claim->source);
  if (dcs_claim_observed(r) > 0) {
    print_shown(r);
    print_counts(r);
  }
  if (*dcs_claim_missing(r)) print_wrapped("missing", dcs_claim_missing(r));
  print_wrapped("rule", r->claim->rule);
  printf("\n");
}

static void print_totals(const dcs_claims *claims) {
  size_t counts[DCS_N_VERDICTS] = {0};
  for (size_t i = 0; i < claims->n; i++)
    counts[claims->list[i].verdict]++;
  printf("%zu claims: %zu hold, %zu partly, %zu fail, %zu not measured\n", claims->n,
         counts[DCS_VERDICT_HOLDS], counts[DCS_VERDICT_PARTLY], counts[DCS_VERDICT_FAILS],
         counts[DCS_VERDICT_NOT_MEASURED]);
}

/* ---- the command ---- */

static dcs_status check(const arguments *a, dcs_claims *claims) {
  DCS_TRY(dcs_claims_check(a->folder, claims));
  DCS_TRY(dcs_claims_write(a->folder, claims));
  dcs_run_notes(&claims->rows.run, claims->rows.not_ok, a->csv ? stderr : stdout);
  if (a->csv) {
    dcs_csv csv = dcs_csv_stdout();
    return dcs_claims_put(&csv, claims);
  }
  for (size_t i = 0; i < claims->n; i++)
    print_claim(&claims->list[i]);
  print_totals(claims);
  return DCS_OK;
}

dcs_status dcs_command_claims(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"csv", 'c', NULL, 0, "print claims.csv; what was left out goes to standard error", 0}, {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "DIR",
      .doc =
          "What the case study of this computation claims, beside what a run measured: for each "
          "claim the value with its 95% interval in the largest cell that has it, what all cells "
          "say, and a verdict. Written into DIR/claims.csv, too.\v"
          "Each cell (or pair of configurations) says yes, partly or no where its whole interval "
          "does, by the rule that is printed with the claim; otherwise it is unsure, as it is "
          "below 6 samples, and does not count. Verdicts: holds, all say yes; fails, all say no; "
          "partly, anything else; not_measured, none says anything, and what is missing is told. "
          "A verdict is about this machine and these sizes."};
  arguments a = {0};
  dcs_claims claims;
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  dcs_status status = check(&a, &claims);
  dcs_claims_free(&claims);
  return status;
}
