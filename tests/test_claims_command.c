/* `dcsbench claims`: what it prints and refuses, and the list of claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/claims_run.h"

/* ---- runs ---- */

/* Arithmetic needs no run; the rest needs a GPU. */
static void a_run_without_a_gpu(void **state) {
  (void)state;
  begin_run();
  put_cpus(100);
  put_cpus(10000);
  dcs_table *t = claims();
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    const char *claim = text_at(t, row, "claim");
    bool arithmetic =
        strcmp(claim, "padding_fades") == 0 || strcmp(claim, "operations_per_evaluation") == 0;
    assert_verdict(t, claim, arithmetic ? "holds" : "not_measured");
    assert_int_equal(*text_at(t, row, "value") != '\0', arithmetic);
  }
  assert_counts(t, "operations_per_evaluation", 3, 0, 0, 0);
  assert_counts(t, "padding_fades", 2, 0, 0, 0);
  assert_contains(program_out, "16 claims: 2 hold, 0 partly, 0 fail, 14 not measured\n");
  dcs_table_free(t);
}

static void the_csv_is_printed_as_it_is_written(void **state) {
  (void)state;
  judge_coarsening(1.4, 0, 0, "holds");
  put_file(run_path("claims.csv"), "an older one");
  assert_status(program_run("claims --csv %s", in_folder("run")), 0);
  char *written = run_file("run", "claims.csv", NULL);
  assert_string_equal(program_out, written);
  free(written);
}

/* As in a folder that may only be read. */
static void what_cannot_be_written_is_told_all_the_same(void **state) {
  (void)state;
  judge_coarsening(1.4, 0, 0, "holds");
  unlink(run_path("claims.csv"));
  assert_int_equal(mkdir(run_path("claims.csv"), 0777), 0);
  assert_status(program_run("claims %s", in_folder("run")), 5);
  assert_contains(program_out, "16 claims: 3 hold");
  assert_contains(program_err, "claims.csv");
  assert_status(program_run("claims --csv %s", in_folder("run")), 5);
  assert_contains(program_out, "\ncoarsening_40_percent,");
  assert_int_equal(rmdir(run_path("claims.csv")), 0);
}

static void lines_fit_a_terminal(void **state) {
  (void)state;
  judge_coarsening(3, 0, 0, "partly");
  for (const char *line = program_out; *line; line += strcspn(line, "\n") + 1)
    assert_true(strcspn(line, "\n") <= 100);
}

static void refuse(int status, const char *said) {
  assert_status(program_run("claims %s", in_folder("run")), status);
  assert_contains(program_err, said);
  assert_string_equal(program_out, "");
  assert_false(exists(run_path("claims.csv")));
}

static void bad_folders_are_refused(void **state) {
  (void)state;
  assert_status(program_run("claims"), 2);
  assert_contains(program_err, "the run folder is missing");
  assert_status(program_run("claims a b"), 2);
  assert_status(program_run("claims %s", in_folder("absent")), 5);
  judge_coarsening(1.4, 0, 0, "holds");
  unlink(run_path("claims.csv"));
  put_file(run_path("summary.csv"), KEYS ",backend,outcome\n");
  refuse(3, "no column \"median_ns\"");
  put_file(run_path("summary.csv"),
           SUMMARY_COLUMNS "g,,kernel,,cuda:0,coulomb,,5,8,8,8,gpu,,,,7,ok\n");
  refuse(3, "no samples of row 2");
  put_file(run_path("summary.csv"),
           SUMMARY_COLUMNS "g,,kernel,,cuda:0,coulomb,,x,8,8,8,gpu,,,,7,ok\n");
  refuse(3, "row 2: found atoms \"x\"");
  put_file(run_path("summary.csv"), SUMMARY_COLUMNS);
  unlink(run_path("samples.csv"));
  refuse(5, "run/samples.csv");
}

/* ---- the list ---- */

static void the_book_names_one_variant_each(void **state) {
  (void)state;
  for (int which = DCS_BOOK_NONE + 1; which < DCS_N_BOOK; which++) {
    int n = 0;
    for (int v = 0; v < dcs_n_variants; v++)
      n += dcs_variants[v]->book == (dcs_book)which;
    assert_int_equal(n, 1);
    assert_true(*dcs_book_names[which]);
  }
  for (int k = 0; dcs_claims_of_kinds[k]; k++) {
    const dcs_kind_claims *of = dcs_claims_of_kinds[k];
    assert_non_null(dcs_find_kind(of->kind));
    assert_in_range(of->n, 1, 4);
    for (int c = 0; c < of->n; c++) {
      const dcs_claimed_method *const methods[] = {&of->list[c].method, &of->list[c].base};
      for (int m = 0; m < 2; m++)
        if (methods[m]->variant)
          assert_string_equal(dcs_find_variant(methods[m]->variant)->kind, of->kind);
    }
  }
  for (size_t c = 0; c < dcs_n_claims; c++)
    for (size_t d = 0; d < c; d++)
      assert_string_not_equal(dcs_claim_list[c].id, dcs_claim_list[d].id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_without_a_gpu),
      cmocka_unit_test(the_csv_is_printed_as_it_is_written),
      cmocka_unit_test(what_cannot_be_written_is_told_all_the_same),
      cmocka_unit_test(lines_fit_a_terminal),
      cmocka_unit_test(bad_folders_are_refused),
      cmocka_unit_test(the_book_names_one_variant_each),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
