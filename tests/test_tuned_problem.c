/* Entries and recordings of problems with parameters: which serve which, and rows that are of none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/embedded.h"
#include "harness/base/hash.h"
#include "tests/written_journal.h"
#include "tuning/database/tuned.h"

static const char *database(void) {
  return in_folder("tuned.csv");
}

static dcs_tuned_entry entry_of(const char *problem, int cell_edge) {
  dcs_tuned_entry e = {.subject = {.variant = dcs_find_variant("cuda_cutoff_cells"),
                                   .scope = DCS_KERNEL,
                                   .size.axes = {2000, 64, 64, 32},
                                   .spacing = 0.5,
                                   .work = 5e7,
                                   .machine = "A card",
                                   .capability = "9.0",
                                   .units = 132,
                                   .kernel_hash = "00112233445566ff"},
                       .time = {.median_ns = 250000, .times_ns = {250000}, .n = 1},
                       .n_tied = 3};
  assert_non_null(e.subject.variant);
  e.subject.size.kind = dcs_kind_of(e.subject.variant);
  assert_int_equal(dcs_parse_problem(e.subject.size.kind, problem, &e.subject.size.config), DCS_OK);
  e.config = dcs_initial_config(e.subject.variant, 2);
  e.config.value[dcs_find_param(e.subject.variant, "cell_edge")] = cell_edge;
  return e;
}

static void put(const dcs_tuned_entry *entry) {
  if (dcs_tuned_put(database(), entry) != DCS_OK) fail_msg("%s", dcs_error_message());
}

/* cell_edge of the entry that serves; 0: none does. */
static int served(const dcs_subject *wanted) {
  dcs_tuned tuned;
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.damaged + tuned.foreign, 0);
  dcs_tuned_choice choice = dcs_tuned_find(&tuned, wanted, 2);
  int edge = (int)choice.config.value[dcs_find_param(wanted->variant, "cell_edge")];
  const dcs_config initial = dcs_initial_config(wanted->variant, 2);
  if (!choice.entry) assert_memory_equal(&choice.config, &initial, sizeof initial);
  dcs_tuned_free(&tuned);
  return choice.entry ? edge : 0;
}

static void each_problem_has_its_entry(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    int edge;
  } kept[] = {{"cutoff=12,switching=c2", 20},
              {"cutoff=12", 25},
              {"cutoff=10,switching=c2", 40},
              {"cutoff=0.1,switching=c2", 45}};
  enum { KEPT = sizeof kept / sizeof kept[0] };
  unlink(database());
  for (int k = 0; k < KEPT; k++) {
    dcs_tuned_entry e = entry_of(kept[k].problem, kept[k].edge);
    assert_int_equal(served(&e.subject), 0); /* those before are of others */
    put(&e);
  }
  for (int k = 0; k < KEPT; k++) {
    dcs_subject wanted = entry_of(kept[k].problem, 0).subject;
    assert_int_equal(served(&wanted), kept[k].edge);
    wanted.size.config.value[0] *= 1 + 1e-12;
    assert_int_equal(served(&wanted), 0);
  }
}

static void an_entry_reads_back_with_its_problem(void **state) {
  (void)state;
  dcs_tuned tuned;
  unlink(database());
  dcs_tuned_entry e = entry_of("cutoff=0.1,switching=c2", 25);
  e.subject.work = 123456789012345;
  e.subject.spacing = 1.0 / 3;
  put(&e);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 1);
  assert_true(dcs_same_subject(&tuned.list[0].subject, &e.subject));
  assert_true(tuned.list[0].subject.work == 123456789012345);
  dcs_tuned_free(&tuned);
  char *text = get_file(database(), NULL);
  assert_contains(text, ",problem,problem_config,atoms,nx,ny,nz,spacing,evals_useful,");
  assert_contains(text, ",coulomb,\"cutoff=0.1,switching=c2\",2000,64,64,32,"
                        "0.3333333333333333,123456789012345,");
  free(text);
}

/* Where the work depends on the spacing, it is a size as the others are: up to a factor of 2, the
 * nearest, and of equals the latest. */
static void the_spacing_counts_within_a_cutoff(void **state) {
  (void)state;
  static const char problem[] = "cutoff=12,switching=c2";
  unlink(database());
  dcs_tuned_entry e = entry_of(problem, 20);
  put(&e);
  dcs_subject wanted = e.subject;
  wanted.spacing = 1;
  assert_int_equal(served(&wanted), 20);
  wanted.spacing = 0.25;
  assert_int_equal(served(&wanted), 20);
  wanted.spacing = 1.01;
  assert_int_equal(served(&wanted), 0);
  e = entry_of(problem, 40);
  e.subject.spacing = 0.9;
  put(&e);
  assert_int_equal(served(&wanted), 40);
  wanted.spacing = 0.55;
  assert_int_equal(served(&wanted), 20);
  e = entry_of(problem, 25); /* another molecule of the same size */
  e.subject.work = 4e7;
  put(&e);
  assert_int_equal(served(&wanted), 25);
}

/* ---- rows that are none of this program ---- */

/* A file with one row, whose checksum is right. */
static void put_row(int schema, const char *variant, const char *config, const char *problem,
                    const char *times) {
  char row[1024], text[2048];
  snprintf(row, sizeof row,
           "%d,%s,kernel,A card,9.0,132,00112233445566ff,time,%s,single,\"%s\",250000,1,3,"
           "2026-11-20T08:00:00Z,%s",
           schema, variant, problem, config, times);
  uint64_t sum = dcs_hash(DCS_HASH_START, row, strlen(row));
  snprintf(text, sizeof text, "schema,and others,checksum\n%s,%016llx\n", row,
           (unsigned long long)sum);
  put_file(database(), text);
}

static void rows_of_another_schema_or_problem_are_foreign(void **state) {
  (void)state;
  static const char cells[] = "block_x=8,block_y=16,coarsen_z=8,cell_edge=30,tile_atoms=512";
  static const char padded[] = "block_x=48,block_y=4,coarsen=8,chunk_atoms=4096,read=end";
  static const char within[] = "coulomb,cutoff=12,2000,64,64,32,0.5,1000";
  static const char direct[] = "coulomb,,2000,64,64,32,,262144000";
  const struct {
    const char *variant, *config, *problem, *times;
    int schema, own;
  } rows[] = {
      {"cuda_cutoff_cells", cells, within, "250000 1", 5, 1},
      {"cuda_cutoff_cells", cells, within, "250000 1", 4, 0},
      {"cuda_cutoff_cells", cells, direct, "250000", 5, 0},
      {"cuda_cutoff_cells", cells, "coulomb,cutoff=12,2000,64,64,32,,1000", "250000", 5, 0},
      {"cuda_cutoff_cells", cells, "coulomb,cutoff=-1,2000,64,64,32,1,1000", "250000", 5, 0},
      {"cuda_cutoff_cells", padded, within, "250000", 5, 0},
      {"cuda_cutoff_cells", cells, within, "", 5, 0},
      {"cuda_padded", padded, direct, "250000", 5, 1},
      {"cuda_padded", padded, within, "250000", 5, 0},
      {"cuda_padded", padded, "colomb,,2000,64,64,32,,262144000", "250000", 5, 0}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    dcs_tuned tuned;
    put_row(rows[r].schema, rows[r].variant, rows[r].config, rows[r].problem, rows[r].times);
    assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
    assert_int_equal(tuned.n, rows[r].own);
    assert_int_equal(tuned.foreign, !rows[r].own);
    assert_int_equal(tuned.damaged, 0);
    dcs_tuned_free(&tuned);
  }
}

/* Rows of a file that another version began are left as they are. */
static void foreign_rows_are_said_and_kept(void **state) {
  (void)state;
  dcs_tuned tuned;
  dcs_tuned_entry e = entry_of("cutoff=8", 20);
  put_row(3, "cuda_naive", "", "", "");
  put(&e);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 1);
  assert_int_equal(tuned.foreign, 1);
  assert_int_equal(tuned.damaged, 0);
  FILE *out = tmpfile();
  dcs_tuned_say_left_out("tuned.csv", &tuned, out);
  program_take(out, program_err, sizeof program_err);
  assert_contains(program_err,
                  "1 row is of another version, and left out; `dcsbench tune VARIANT` ");
  dcs_tuned_free(&tuned);
}

/* ---- sources ---- */

/* The subject with the kernel of a folder, whose text has this at its end. */
static dcs_subject edited(const dcs_subject *subject, const char *more) {
  const dcs_facts facts = {0};
  const char *source = subject->variant->sources[0];
  char path[PATH_MAX], *text;
  snprintf(path, sizeof path, "%s%s", in_folder("kernels"), strrchr(source, '/'));
  assert_true(asprintf(&text, "%s%s", dcs_embedded(source), more) > 0);
  put_file(path, text);
  free(text);
  dcs_subject same = *subject;
  if (dcs_subject_fill(&facts, in_folder("kernels"), &same) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  return same;
}

static void an_edited_kernel_is_a_miss(void **state) {
  (void)state;
  const dcs_facts facts = {0};
  dcs_tuned_entry e = entry_of("cutoff=12", 20);
  assert_int_equal(mkdir(in_folder("kernels"), 0777), 0);
  assert_int_equal(dcs_subject_fill(&facts, NULL, &e.subject), DCS_OK);
  const dcs_subject same = edited(&e.subject, ""), other = edited(&e.subject, "/* */");
  unlink(database());
  put(&e);
  assert_int_equal(served(&same), 20);
  assert_int_equal(served(&other), 0);
  char path[PATH_MAX], *paths[] = {path};
  snprintf(path, sizeof path, "%s", in_folder("sources.csv"));
  dcs_journal_writer writer;
  dcs_journal journal;
  double time = 1e6;
  dcs_evaluation made = {.registers = -1, .compile_ms = NAN};
  assert_int_equal(dcs_evaluation_add(&made, &time, 1), DCS_OK);
  assert_int_equal(dcs_journal_open(path, &writer), DCS_OK);
  writer.subject = e.subject;
  const dcs_journal_row row = {.config = &e.config, .evaluation = &made, .why = ""};
  assert_int_equal(dcs_journal_write(&writer, &row), DCS_OK);
  assert_int_equal(dcs_journal_close(&writer), DCS_OK);
  assert_int_equal(dcs_journal_read(paths, 1, &journal, stderr), DCS_OK);
  assert_ptr_equal(dcs_journal_find(&journal, &same), &journal.list[0]);
  assert_null(dcs_journal_find(&journal, &other));
  dcs_journal_free(&journal);
  free(made.times);
}

/* ---- journals ---- */

static const written_space within_space = {"cuda_cutoff_cells",     {64, 64, 64}, 2000, 0, 7, 0, 1,
                                           "cutoff=12,switching=c2"};

static void recordings_of_other_problems_are_others(void **state) {
  (void)state;
  dcs_space space;
  dcs_journal journal;
  char path[PATH_MAX], *paths[] = {path};
  snprintf(path, sizeof path, "%s", in_folder("several.csv"));
  written_space ten = within_space;
  ten.problem = "cutoff=10,switching=c2";
  put_journal(path, &within_space, &space);
  dcs_space_free(&space);
  put_journal(path, &ten, &space);
  dcs_space_free(&space);
  if (dcs_journal_read(paths, 1, &journal, stderr) != DCS_OK) fail_msg("%s", dcs_error_message());
  assert_int_equal(journal.n, 2);
  dcs_subject wanted = written_subject(&ten);
  assert_ptr_equal(dcs_journal_find(&journal, &wanted), &journal.list[1]);
  ten.problem = "cutoff=10";
  wanted = written_subject(&ten);
  assert_null(dcs_journal_find(&journal, &wanted));
  wanted = journal.list[1].subject;
  wanted.spacing = 1;
  assert_null(dcs_journal_find(&journal, &wanted));
  wanted = journal.list[1].subject;
  wanted.work++; /* other atoms */
  assert_null(dcs_journal_find(&journal, &wanted));
  dcs_journal_free(&journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_problem_has_its_entry),
      cmocka_unit_test(an_entry_reads_back_with_its_problem),
      cmocka_unit_test(the_spacing_counts_within_a_cutoff),
      cmocka_unit_test(rows_of_another_schema_or_problem_are_foreign),
      cmocka_unit_test(foreign_rows_are_said_and_kept),
      cmocka_unit_test(an_edited_kernel_is_a_miss),
      cmocka_unit_test(recordings_of_other_problems_are_others),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
