/* dcsbench claims */
#include "tuning/claims/claims.h"
#include "cli/commands.h"
#include "harness/base/grow.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *folder;
  bool csv;
} arguments;

static const dcs_option options[] = {{"csv", 'c', NULL,
                                      "print claims.csv; what was left out goes to standard error",
                                      DCS_FLAG(arguments, csv)},
                                     {0}};

/* ---- a block a claim ---- */

static void print_labelled(const char *label, const char *text) {
  dcs_print_wrapped(label, 12, text);
}

static void append_method(char text[2048], const dcs_run_row *row) {
  dcs_append(text, 2048, "%s%s%s (scope %s)", row->variant, *row->config ? " " : "", row->config,
             dcs_scope_name(row->scope));
}

static void print_shown(const dcs_claim_result *r) {
  const dcs_observation *o = &r->shown;
  char text[2048] = "";
  dcs_append(text, 2048, "%.4g", o->value);
  if (!isnan(o->lo) && o->lo < o->hi) dcs_append(text, 2048, " (95%%: %.4g to %.4g)", o->lo, o->hi);
  if (o->of) dcs_append(text, 2048, " of %zu", o->of);
  dcs_append(text, 2048, " %s", r->claim->unit);
  if (o->method) {
    char size[DCS_TEXT];
    dcs_append(text, 2048, "; %s: ", dcs_size_text(&o->method->size, size));
    append_method(text, o->method);
  }
  if (o->base) {
    dcs_append(text, 2048, " against ");
    append_method(text, o->base);
  }
  print_labelled("measured", text);
}

static void print_counts(const dcs_claim_result *r) {
  char text[2048] = "";
  dcs_append(text, 2048, "of %zu: %zu yes, %zu partly, %zu no, %zu unsure", dcs_claim_observed(r),
             r->counts[DCS_GRADE_YES], r->counts[DCS_GRADE_PARTLY], r->counts[DCS_GRADE_NO],
             r->counts[DCS_GRADE_UNSURE]);
  if (r->most > r->least) dcs_append(text, 2048, "; values from %.4g to %.4g", r->least, r->most);
  print_labelled("observed", text);
}

static void print_claim(const dcs_claim_result *r) {
  printf("%s: %s\n", r->claim->id, dcs_claim_verdicts[r->verdict]);
  print_labelled("claim", r->claim->text);
  print_labelled("source", r->claim->source);
  if (dcs_claim_observed(r) > 0) {
    print_shown(r);
    print_counts(r);
  }
  if (*dcs_claim_missing(r)) print_labelled("missing", dcs_claim_missing(r));
  print_labelled("rule", r->claim->rule);
  printf("\n");
}

static void print_totals(const dcs_claims *claims) {
  size_t counts[DCS_N_VERDICTS] = {0};
  if (claims->n == 0) printf("no claim is about what this run measured\n");
  for (size_t i = 0; i < claims->n; i++)
    counts[claims->list[i].verdict]++;
  printf("%zu claims: %zu hold, %zu partly, %zu fail, %zu not measured\n", claims->n,
         counts[DCS_VERDICT_HOLDS], counts[DCS_VERDICT_PARTLY], counts[DCS_VERDICT_FAILS],
         counts[DCS_VERDICT_NOT_MEASURED]);
}

/* ---- the command ---- */

static dcs_status check(const arguments *a, dcs_claims *claims) {
  DCS_TRY(dcs_claims_check(a->folder, claims));
  const dcs_status written = dcs_claims_write(a->folder, claims); /* may be read only */
  dcs_run_notes(&claims->run, a->csv ? stderr : stdout);
  if (a->csv) {
    dcs_csv csv = dcs_csv_stdout();
    DCS_TRY(dcs_claims_put(&csv, claims));
  } else {
    for (size_t i = 0; i < claims->n; i++)
      print_claim(&claims->list[i]);
    print_totals(claims);
  }
  return written;
}

dcs_status dcs_command_claims(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc =
          "What the case study of this computation claims, beside what a run measured: for each "
          "claim the value with its 95% interval at the largest size that has it, what all sizes "
          "say, and a verdict. Written into DIR/claims.csv, too.\v"
          "Each size (or pair of configurations) says yes, partly or no where its whole interval "
          "does, by the rule that is printed with the claim; otherwise it is unsure, as it is "
          "below 6 samples, and does not count. Verdicts: holds, all say yes; fails, all say no; "
          "partly, anything else; not_measured, none says anything, and what is missing is told. "
          "A verdict is about this machine and these sizes.",
      DCS_RUN_FOLDER(arguments, folder)};
  arguments a = {0};
  dcs_claims claims;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  dcs_status status = check(&a, &claims);
  dcs_claims_free(&claims);
  return status;
}
