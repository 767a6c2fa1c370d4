/* The journal: what is written reads back, and what is wrong is named and left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/written_journal.h"

static void a_journal_reads_back(void **state) {
  (void)state;
  char path[PATH_MAX];
  dcs_space space;
  dcs_journal journal;
  snprintf(path, sizeof path, "%s", in_folder("back.csv"));
  put_journal(path, &padded_space, &space);
  char *paths[] = {path};
  assert_int_equal(dcs_journal_read(paths, 1, &journal, stderr), DCS_OK);
  assert_int_equal(journal.n, 1);
  const dcs_recorded_space *r = &journal.list[0];
  dcs_subject subject = written_subject(&padded_space);
  assert_ptr_equal(dcs_journal_find(&journal, &subject), r);
  subject.size.axes[0]++;
  assert_null(dcs_journal_find(&journal, &subject));
  assert_int_equal(r->n, space.n);
  dcs_random random = {padded_space.seed};
  for (int c = 0; c < r->n; c++) {
    dcs_evaluation e;
    written_evaluation(&padded_space, &space, c, &random, &e);
    assert_memory_equal(&r->configs[c], &space.configs[c], sizeof space.configs[c]);
    assert_int_equal(r->evaluations[c].outcome, e.outcome);
    assert_int_equal(r->evaluations[c].n, e.n);
    for (int i = 0; i < e.n; i++)
      assert_true(r->evaluations[c].times[i] == e.times[i]);
    free(e.times);
  }
  dcs_journal_free(&journal);
  dcs_space_free(&space);
}

/* The journal's text with one text for another. */
static dcs_status read_changed(const char *from, const char *to) {
  char *text = get_file(in_folder("change.csv"), NULL), *at = strstr(text, from);
  char path[PATH_MAX], *paths[] = {path};
  dcs_journal journal;
  assert_non_null(at);
  snprintf(path, sizeof path, "%s", in_folder("changed.csv"));
  FILE *file = fopen(path, "w");
  fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  fclose(file);
  free(text);
  dcs_status status = dcs_journal_read(paths, 1, &journal, stderr);
  dcs_journal_free(&journal);
  return status;
}

static void a_wrong_journal_is_named(void **state) {
  (void)state;
  dcs_space space;
  put_journal(in_folder("change.csv"), &padded_space, &space);
  dcs_space_free(&space);
  const struct {
    const char *from, *to, *said;
  } cases[] = {
      {"cuda_padded", "cuda_paded", "row 2: found variant \"cuda_paded\""},
      {"block_x=16", "block_x=1600", "row 2: found config"},
      {"block_x=16,", "", "row 2: found config"},
      {",coulomb,", ",colomb,", "row 2: found problem \"colomb\""},
      {",coulomb,,", ",coulomb,cutoff=0,", "row 2: found problem_config \"cutoff=0\""},
      {",coulomb,,", ",coulomb,cutoff=9,", "row 2: found variant"},
      {",0.5,", ",0,", "row 2: found spacing"},
      {",123456789,", ",many,", "row 2: found evals_useful"},
      {",kernel,", ",colonel,", "row 2: found scope"},
      {",time,", ",,", "row 2: found objective"},
      {",time,", ",tyme,", "row 2: found objective \"tyme\""},
      {",time,", ",energy,", "row 2: found energies_j"},
      {",ok,", ",okay,", "row 2: found outcome"},
      {",3000,", ",-3000,", "row 2: found atoms"},
      {",times_ns", ",times", "no column \"times_ns\""},
      {"\n4,0,", "\n3,0,",
       "row 2: found schema \"3\"; expected 4: remove the file, and `dcsbench tune"},
      {"\n4,1,", "\n7,1,", "row 3: found schema \"7\""},
      {",ok,9,", ",ok,\"", "quote"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    assert_int_equal(read_changed(cases[c].from, cases[c].to), DCS_INPUT);
    assert_contains(dcs_error_message(), cases[c].said);
  }
}

/* A file that is no journal is left as it is, its last line without an end included. */
static void a_file_of_another_kind_is_not_touched(void **state) {
  (void)state;
  static const char *const texts[] = {"a,b\n1,2\n3", "just text", "schema,seq\n2,1\n"};
  for (int t = 0; t < 3; t++) {
    dcs_journal_writer writer;
    put_file(in_folder("other.csv"), texts[t]);
    assert_int_equal(dcs_journal_open(in_folder("other.csv"), &writer), DCS_INPUT);
    char *after = get_file(in_folder("other.csv"), NULL);
    assert_string_equal(after, texts[t]);
    free(after);
  }
}

static void one_tuning_at_a_time_writes(void **state) {
  (void)state;
  dcs_journal_writer first, second;
  assert_int_equal(dcs_journal_open(in_folder("locked.csv"), &first), DCS_OK);
  assert_int_equal(dcs_journal_open(in_folder("locked.csv"), &second), DCS_UNAVAILABLE);
  assert_int_equal(dcs_journal_close(&first), DCS_OK);
  assert_int_equal(dcs_journal_open(in_folder("locked.csv"), &second), DCS_OK);
  assert_int_equal(dcs_journal_close(&second), DCS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_journal_reads_back),
      cmocka_unit_test(a_wrong_journal_is_named),
      cmocka_unit_test(a_file_of_another_kind_is_not_touched),
      cmocka_unit_test(one_tuning_at_a_time_writes),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
