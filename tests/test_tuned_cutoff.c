/* Records and recordings of maps within a cutoff: which serve which, and files that were written
 * before there were any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/hash.h"
#include "tests/written_journal.h"
#include "tuning/database/tuned.h"

static const char *database(void) {
  return in_folder("tuned.csv");
}

static dcs_tuned_record record_of(double cutoff, dcs_smooth smooth, int cell_edge) {
  dcs_tuned_record r = {.subject = {.variant = dcs_find_variant("cuda_cutoff_cells"),
                                    .scope = DCS_KERNEL,
                                    .atoms = 2000,
                                    .n = {64, 64, 32},
                                    .cutoff = cutoff,
                                    .smooth = smooth,
                                    .spacing = 0.5,
                                    .pairs = 5e7,
                                    .machine = "A card",
                                    .capability = "9.0",
                                    .units = 132,
                                    .kernel_hash = "00112233445566ff"},
                        .time = {.median_ns = 250000},
                        .n_tied = 3};
  assert_non_null(r.subject.variant);
  r.config = dcs_initial_config(r.subject.variant, 2);
  r.config.value[dcs_find_param(r.subject.variant, "cell_edge")] = cell_edge;
  return r;
}

static void put(const dcs_tuned_record *record) {
  if (dcs_tuned_put(database(), record) != DCS_OK) fail_msg("%s", dcs_error_message());
}

/* cell_edge of the record that serves; 0: none does. */
static int served(const dcs_subject *wanted) {
  dcs_tuned tuned;
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.damaged + tuned.foreign, 0);
  dcs_tuned_choice choice = dcs_tuned_find(&tuned, wanted, 2);
  int edge = dcs_config_value(wanted->variant, &choice.config, "cell_edge", -1);
  const dcs_config initial = dcs_initial_config(wanted->variant, 2);
  if (!choice.record) assert_memory_equal(&choice.config, &initial, sizeof initial);
  dcs_tuned_free(&tuned);
  return choice.record ? edge : 0;
}

static void each_cutoff_and_smoothing_has_its_record(void **state) {
  (void)state;
  static const struct {
    double cutoff;
    dcs_smooth smooth;
    int edge;
  } kept[] = {{12, DCS_SMOOTH_C2, 20},
              {12, DCS_SMOOTH_NONE, 25},
              {10, DCS_SMOOTH_C2, 40},
              {0.1, DCS_SMOOTH_C2, 45}};
  enum { KEPT = sizeof kept / sizeof kept[0] };
  unlink(database());
  for (int k = 0; k < KEPT; k++) {
    dcs_subject wanted = record_of(kept[k].cutoff, kept[k].smooth, 0).subject;
    assert_int_equal(served(&wanted), 0); /* those before are of others */
    dcs_tuned_record r = record_of(kept[k].cutoff, kept[k].smooth, kept[k].edge);
    put(&r);
  }
  for (int k = 0; k < KEPT; k++) {
    dcs_subject wanted = record_of(kept[k].cutoff, kept[k].smooth, 0).subject;
    assert_int_equal(served(&wanted), kept[k].edge);
    wanted.cutoff *= 1 + 1e-12;
    assert_int_equal(served(&wanted), 0);
  }
}

static void a_record_reads_back_with_its_cutoff(void **state) {
  (void)state;
  dcs_tuned tuned;
  unlink(database());
  dcs_tuned_record r = record_of(0.1, DCS_SMOOTH_C2, 25);
  r.subject.pairs = 123456789012345;
  r.subject.spacing = 1.0 / 3;
  put(&r);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 1);
  assert_true(dcs_same_subject(&tuned.list[0].subject, &r.subject));
  assert_true(dcs_subject_evals(&tuned.list[0].subject) == 123456789012345);
  dcs_tuned_free(&tuned);
  char *text = get_file(database(), NULL);
  assert_contains(text, ",tied,cutoff,smooth,spacing,evals_useful,date,times_ns,checksum\n");
  assert_contains(text, ",3,0.1,c2,0.3333333333333333,123456789012345,");
  free(text);
}

/* Within a cutoff the spacing is a size as the others are: up to a factor of 2, the nearest, and of
 * equals the latest. */
static void the_spacing_counts_within_a_cutoff(void **state) {
  (void)state;
  unlink(database());
  dcs_tuned_record r = record_of(12, DCS_SMOOTH_C2, 20);
  put(&r);
  dcs_subject wanted = r.subject;
  wanted.spacing = 1;
  assert_int_equal(served(&wanted), 20);
  wanted.spacing = 0.25;
  assert_int_equal(served(&wanted), 20);
  wanted.spacing = 1.01;
  assert_int_equal(served(&wanted), 0);
  r = record_of(12, DCS_SMOOTH_C2, 40);
  r.subject.spacing = 0.9;
  put(&r);
  assert_int_equal(served(&wanted), 40);
  wanted.spacing = 0.55;
  assert_int_equal(served(&wanted), 20);
  r = record_of(12, DCS_SMOOTH_C2, 25); /* another molecule of the same size */
  r.subject.pairs = 4e7;
  put(&r);
  assert_int_equal(served(&wanted), 25);
}

/* ---- files of former schemas ---- */

static const char former_header[] =
    "schema,variant,kernel_hash,capability,units,machine,precision,scope,atoms,nx,ny,nz,config,"
    "median_ns,evals_per_s,tied,checksum\n";
static const char former_padded[] =
    "1,cuda_padded,00112233445566ff,9.0,132,\"A card, \"\"quoted\"\"\",single,kernel,2000,64,64,32,"
    "\"block_x=48,block_y=4,coarsen=8,chunk_atoms=4096,read=end\",250000,1048576000000,3,"
    "502480e4726fd78a\n";
static const char former_gather[] =
    "1,cpu_gather,ffeeddccbbaa9988,sse2 avx2 fma,2,A CPU,single,kernel,50,12,10,8,threads=2,48000,"
    "1000000000,1,45c6cec2f1cef177\n";
static const char damaged[] = "1,cpu_gather,ffeeddccbbaa9988,half a ro\n";

static void put_former(void) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s%s%s", former_header, former_padded, damaged, former_gather);
  put_file(database(), text);
}

static void expect_former(const dcs_tuned *tuned) {
  assert_int_equal(tuned->damaged, 1);
  assert_int_equal(tuned->foreign, 0);
  const dcs_tuned_record *padded = &tuned->list[0], *gather = &tuned->list[1];
  assert_string_equal(padded->subject.variant->id, "cuda_padded");
  assert_string_equal(padded->subject.machine, "A card, \"quoted\"");
  assert_int_equal(padded->config.value[0], 48);
  assert_true(padded->time.median_ns == 250000 && padded->n_tied == 3);
  assert_true(padded->subject.cutoff == 0 && padded->subject.pairs == 0);
  assert_true(dcs_subject_evals(&padded->subject) == 2000.0 * 64 * 64 * 32);
  assert_string_equal(gather->subject.variant->id, "cpu_gather");
  assert_int_equal(gather->subject.n.y, 10);
}

static void a_former_file_is_of_whole_sums(void **state) {
  (void)state;
  dcs_tuned tuned;
  put_former();
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 2);
  expect_former(&tuned);
  dcs_subject wanted = tuned.list[0].subject;
  dcs_tuned_choice choice = dcs_tuned_find(&tuned, &wanted, 2);
  assert_int_equal(choice.rung, DCS_RUNG_MACHINE);
  assert_int_equal(choice.config.value[0], 48);
  dcs_tuned_free(&tuned);
  char *text = get_file(database(), NULL); /* reading leaves it as it is */
  assert_int_equal(strncmp(text, former_header, strlen(former_header)), 0);
  free(text);
}

static void a_new_record_renews_a_former_file_and_loses_nothing(void **state) {
  (void)state;
  dcs_tuned tuned;
  put_former();
  dcs_tuned_record r = record_of(12, DCS_SMOOTH_C2, 20);
  put(&r);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 3);
  expect_former(&tuned);
  assert_true(dcs_same_subject(&tuned.list[2].subject, &r.subject));
  dcs_tuned_free(&tuned);
  char *text = get_file(database(), NULL);
  assert_null(strstr(text, former_header));
  assert_contains(text, damaged);
  free(text);
  FILE *file = fopen(database(), "a"); /* the former program, once more */
  assert_non_null(file);
  assert_true(fputs(former_padded, file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 3); /* the latest of a subject counts */
  assert_string_equal(tuned.list[2].subject.variant->id, "cuda_padded");
  dcs_tuned_free(&tuned);
}

/* A row whose checksum is right, with these last cells. */
static void put_row(const char *variant, const char *config, const char *last) {
  char row[1024], text[2048];
  snprintf(row, sizeof row,
           "2,%s,00112233445566ff,9.0,132,A card,single,kernel,2000,64,64,32,\"%s\",250000,1,3,%s",
           variant, config, last);
  uint64_t sum = dcs_hash(DCS_HASH_START, row, strlen(row));
  snprintf(text, sizeof text,
           "schema,variant,kernel_hash,capability,units,machine,precision,scope,atoms,nx,ny,nz,"
           "config,median_ns,evals_per_s,tied,cutoff,smooth,spacing,evals_useful,checksum\n"
           "%s,%016llx\n",
           row, (unsigned long long)sum);
  put_file(database(), text);
}

static void the_whole_sum_and_a_cutoff_do_not_mix(void **state) {
  (void)state;
  static const char cells[] = "block_x=8,block_y=16,coarsen_z=8,cell_edge=30,tile_atoms=512";
  static const char padded[] = "block_x=48,block_y=4,coarsen=8,chunk_atoms=4096,read=end";
  const struct {
    const char *variant, *config, *last;
    int own;
  } rows[] = {{"cuda_cutoff_cells", cells, "12,c2,0.5,1000", 1},
              {"cuda_cutoff_cells", cells, ",,,1000", 0},
              {"cuda_cutoff_cells", cells, "12,,0.5,1000", 0},
              {"cuda_cutoff_cells", cells, "12,c3,0.5,1000", 0},
              {"cuda_cutoff_cells", cells, "12,c2,,1000", 0},
              {"cuda_cutoff_cells", cells, "-12,c2,0.5,1000", 0},
              {"cuda_padded", padded, ",,,262144000", 1},
              {"cuda_padded", padded, "12,c2,0.5,1000", 0}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    dcs_tuned tuned;
    put_row(rows[r].variant, rows[r].config, rows[r].last);
    assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
    assert_int_equal(tuned.n, rows[r].own);
    assert_int_equal(tuned.foreign, !rows[r].own);
    assert_int_equal(tuned.damaged, 0);
    dcs_tuned_free(&tuned);
  }
}

/* The second schema lacked date and samples alone. */
static void a_file_of_the_second_schema_is_renewed(void **state) {
  (void)state;
  dcs_tuned tuned;
  dcs_tuned_record r = record_of(8, DCS_SMOOTH_NONE, 20);
  r.time.n = 2;
  r.time.times_ns[0] = 250000.5;
  r.time.times_ns[1] = 249999;
  put_row("cuda_cutoff_cells", "block_x=8,block_y=16,coarsen_z=8,cell_edge=30,tile_atoms=512",
          "12,c2,0.5,1000");
  put(&r);
  assert_int_equal(dcs_tuned_read(database(), &tuned), DCS_OK);
  assert_int_equal(tuned.n, 2);
  assert_int_equal(tuned.damaged + tuned.foreign, 0);
  assert_true(tuned.list[0].subject.cutoff == 12 && tuned.list[0].subject.pairs == 1000);
  assert_true(tuned.list[0].time.median_ns == 250000 && tuned.list[0].time.n == 0);
  assert_string_equal(tuned.list[0].time.date, "");
  assert_int_equal(tuned.list[1].time.n, 2);
  assert_true(tuned.list[1].time.times_ns[0] == 250000.5);
  assert_true(tuned.list[1].time.times_ns[1] == 249999);
  dcs_tuned_free(&tuned);
  char *text = get_file(database(), NULL);
  assert_int_equal(strncmp(strchr(text, '\n') + 1, "3,", 2), 0);
  free(text);
}

/* ---- journals ---- */

static const written_space within_space = {"cuda_cutoff_cells", {64, 64, 64}, 2000, 0, 7, 0, 1, 12};

/* The first rows of a journal that a former version wrote. */
static void put_former_journal(const char *path, int rows) {
  char *text = get_file("results/reference/nvidia-h200/journal_padded.csv", NULL), *end = text;
  for (int line = 0; line <= rows; line++)
    assert_non_null(end = strchr(end, '\n') + 1);
  *end = '\0';
  assert_null(strstr(text, "cutoff"));
  put_file(path, text);
  free(text);
}

static void read_one(const char *name, dcs_journal *journal) {
  char path[PATH_MAX], *paths[] = {path};
  snprintf(path, sizeof path, "%s", name);
  if (dcs_journal_read(paths, 1, journal, stderr) != DCS_OK) fail_msg("%s", dcs_error_message());
}

static void a_former_journal_goes_on(void **state) {
  (void)state;
  enum { ROWS = 5 };
  const char *path = in_folder("former.csv");
  dcs_journal before, after;
  dcs_space space;
  put_former_journal(path, ROWS);
  read_one(path, &before);
  assert_int_equal(before.n, 1);
  put_journal(path, &within_space, &space);
  read_one(path, &after);
  assert_int_equal(after.n, 2);
  assert_true(dcs_same_subject(&after.list[0].subject, &before.list[0].subject));
  assert_int_equal(after.list[0].n, before.list[0].n);
  for (int c = 0; c < before.list[0].n; c++) {
    const dcs_evaluation *a = &before.list[0].evaluations[c], *b = &after.list[0].evaluations[c];
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->times, b->times, (size_t)a->n * sizeof *a->times);
  }
  assert_int_equal(after.list[1].n, space.n);
  dcs_table *table;
  assert_int_equal(dcs_table_read(path, &table), DCS_OK);
  assert_true(dcs_table_number(table, ROWS, dcs_table_column(table, "seq")) == ROWS);
  assert_string_equal(dcs_table_cell(table, 0, dcs_table_column(table, "schema")), "2");
  assert_string_equal(dcs_table_cell(table, 0, dcs_table_column(table, "cutoff")), "");
  assert_string_equal(dcs_table_cell(table, ROWS, dcs_table_column(table, "schema")), "2");
  assert_string_equal(dcs_table_cell(table, ROWS, dcs_table_column(table, "cutoff")), "12");
  assert_string_equal(dcs_table_cell(table, ROWS, dcs_table_column(table, "smooth")), "c2");
  dcs_table_free(table);
  dcs_journal_free(&before);
  dcs_journal_free(&after);
  dcs_space_free(&space);
}

/* Renewing replaces the file; the lock is that of the new one. */
static void a_renewed_journal_is_locked(void **state) {
  (void)state;
  dcs_journal_writer first, second;
  put_former_journal(in_folder("lock.csv"), 2);
  assert_int_equal(dcs_journal_open(in_folder("lock.csv"), &first), DCS_OK);
  assert_int_equal(dcs_journal_open(in_folder("lock.csv"), &second), DCS_UNAVAILABLE);
  assert_int_equal(dcs_journal_close(&first), DCS_OK);
  assert_int_equal(dcs_journal_open(in_folder("lock.csv"), &second), DCS_OK);
  assert_int_equal(second.seq, 2);
  assert_int_equal(dcs_journal_close(&second), DCS_OK);
}

/* Waits for its turn, then appends a row; in a child. */
static void append_one(const char *path, const dcs_space *space) {
  dcs_journal_writer writer;
  double time = 1e6;
  dcs_evaluation e = {.registers = -1, .compile_ms = NAN};
  dcs_status status;
  while ((status = dcs_journal_open(path, &writer)) == DCS_UNAVAILABLE)
    ;
  if (status != DCS_OK || dcs_evaluation_add(&e, &time, 1) != DCS_OK) _exit(1);
  writer.subject = written_subject(&within_space);
  const dcs_journal_row row = {.config = &space->configs[0], .evaluation = &e, .why = ""};
  status = dcs_journal_write(&writer, &row);
  _exit(dcs_journal_close(&writer) == DCS_OK && status == DCS_OK ? 0 : 1);
}

/* Whoever comes first renews the file while others have it open. */
static void tunings_at_once_lose_no_row(void **state) {
  (void)state;
  enum { TURNS = 10, WRITERS = 6, ROWS = 2 };
  const char *path = in_folder("at_once.csv");
  const dcs_problem problem = {.n_atoms = 2000, .n = {64, 64, 64}, .spacing = 1, .cutoff = 12};
  dcs_space space;
  pid_t pids[WRITERS];
  assert_int_equal(
      dcs_space_build(dcs_find_variant("cuda_cutoff_cells"), NULL, &problem, 2, &space), DCS_OK);
  for (int turn = 0; turn < TURNS; turn++) {
    put_former_journal(path, ROWS);
    fflush(NULL);
    for (int w = 0; w < WRITERS; w++)
      if ((pids[w] = fork()) == 0) append_one(path, &space);
    for (int w = 0; w < WRITERS; w++)
      assert_int_equal(program_wait(pids[w]), 0);
    dcs_table *table;
    assert_int_equal(dcs_table_read(path, &table), DCS_OK);
    assert_int_equal(dcs_table_rows(table), ROWS + WRITERS);
    for (size_t row = ROWS; row < ROWS + WRITERS; row++)
      assert_true(dcs_table_number(table, row, dcs_table_column(table, "seq")) == (double)row);
    dcs_table_free(table);
  }
  dcs_space_free(&space);
}

static void recordings_of_other_cutoffs_are_others(void **state) {
  (void)state;
  dcs_space space;
  dcs_journal journal;
  const char *path = in_folder("several.csv");
  written_space ten = within_space;
  ten.cutoff = 10;
  put_journal(path, &within_space, &space);
  dcs_space_free(&space);
  put_journal(path, &ten, &space);
  dcs_space_free(&space);
  read_one(path, &journal);
  assert_int_equal(journal.n, 2);
  dcs_subject wanted = written_subject(&ten);
  assert_ptr_equal(dcs_journal_find(&journal, &wanted), &journal.list[1]);
  wanted.smooth = DCS_SMOOTH_NONE;
  assert_null(dcs_journal_find(&journal, &wanted));
  wanted = written_subject(&ten);
  wanted.spacing = 1;
  assert_null(dcs_journal_find(&journal, &wanted));
  wanted = written_subject(&ten);
  wanted.pairs++; /* other atoms */
  assert_null(dcs_journal_find(&journal, &wanted));
  wanted = written_subject(&ten);
  wanted.cutoff = 11;
  assert_null(dcs_journal_find(&journal, &wanted));
  dcs_journal_free(&journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_cutoff_and_smoothing_has_its_record),
      cmocka_unit_test(a_record_reads_back_with_its_cutoff),
      cmocka_unit_test(the_spacing_counts_within_a_cutoff),
      cmocka_unit_test(a_former_file_is_of_whole_sums),
      cmocka_unit_test(a_new_record_renews_a_former_file_and_loses_nothing),
      cmocka_unit_test(the_whole_sum_and_a_cutoff_do_not_mix),
      cmocka_unit_test(a_file_of_the_second_schema_is_renewed),
      cmocka_unit_test(a_former_journal_goes_on),
      cmocka_unit_test(a_renewed_journal_is_locked),
      cmocka_unit_test(tunings_at_once_lose_no_row),
      cmocka_unit_test(recordings_of_other_cutoffs_are_others),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
