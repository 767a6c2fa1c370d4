/* The command line's files: molecules read and written, lists as CSV, kernels from a folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/csv.h"
#include "kernels/contract.h"
#include "tests/program.h"

#include <math.h>

/* What the last run printed, as a table. The caller frees it. */
static dcs_table *printed_table(void) {
  dcs_table *table;
  put_file(in_folder("printed.csv"), program_out);
  if (dcs_table_read(in_folder("printed.csv"), &table) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  assert_false(dcs_table_torn(table));
  return table;
}

/* The value of a key in what `info --csv` printed. */
static double printed_value(const dcs_table *table, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    if (strcmp(dcs_table_cell(table, row, 0), key) == 0) return dcs_table_number(table, row, 1);
  fail_msg("info --csv lacks %s", key);
  return NAN;
}

/* ---- molecules ---- */

static void check_good_case(const dcs_table *cases, size_t row, const char *path) {
  static const char *const keys[] = {"atoms", "total_charge", "x1", "y1", "z1", "q1"};
  assert_status(program_run("info --csv %s", path), 0);
  dcs_table *table = printed_table();
  assert_string_equal(dcs_table_cell(table, 0, 0), "atoms");
  for (int k = 0; k < 6; k++) {
    double expected = dcs_table_number(cases, row, dcs_table_column(cases, keys[k]));
    double found = printed_value(table, keys[k]);
    if (!(fabs(found - expected) <= 1e-9))
      fail_msg("%s: %s is %.10g; expected %.10g", path, keys[k], found, expected);
  }
  dcs_table_free(table);
}

static void check_bad_case(const dcs_table *cases, size_t row, const char *path) {
  char place[PATH_MAX + 16];
  const char *line = strstr(dcs_table_cell(cases, row, dcs_table_column(cases, "note")), "line ");
  snprintf(place, sizeof place, line ? "%s:%d:" : "%s:", path, line ? atoi(line + 5) : 0);
  assert_status(program_run("info --csv %s", path), 3);
  assert_string_equal(program_out, "");
  assert_contains(program_err, place);
  assert_contains(program_err, "expected");
}

static void info_reads_the_shared_cases(void **state) {
  (void)state;
  char path[PATH_MAX];
  const char *shared = getenv("DCS_SHARED");
  shared = shared ? shared : "../shared";
  snprintf(path, sizeof path, "%s/cases/expected.csv", shared);
  if (!exists(path)) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  dcs_table *cases;
  assert_int_equal(dcs_table_read(path, &cases), DCS_OK);
  assert_true(dcs_table_rows(cases) >= 20);
  for (size_t row = 0; row < dcs_table_rows(cases); row++) {
    snprintf(path, sizeof path, "%s/cases/%s", shared,
             dcs_table_cell(cases, row, dcs_table_column(cases, "file")));
    if (strcmp(dcs_table_cell(cases, row, dcs_table_column(cases, "outcome")), "ok") == 0)
      check_good_case(cases, row, path);
    else
      check_bad_case(cases, row, path);
  }
  dcs_table_free(cases);
}

/* Also where no kernel of it is needed. */
static void a_folder_of_kernels_is_there(void **state) {
  (void)state;
  put_file(in_folder("file.cu"), "");
  const char *const folders[] = {in_folder("nowhere"), in_folder("file.cu")};
  for (int f = 0; f < 2; f++) {
    assert_status(
        program_run("sweep --variants cpu_gather --atoms 5 --grid 4^3 --kernels %s --out %s",
                    folders[f], in_folder("of_nowhere")),
        5);
    assert_contains(program_err, "expected a folder with kernels");
    assert_status(program_run("list --kernels %s", folders[f]), 5);
  }
  assert_false(exists(in_folder("of_nowhere")));
}

/* For every command that reads a molecule. */
static void bad_input(int status, const char *name, const char *place, const char *part) {
  const char *path = in_folder(name);
  static const char *const commands[] = {"info %s", "verify --variants cpu_gather --input %s",
                                         "sweep --variants cpu_gather --out /proc/none --input %s"};
  for (int c = 0; c < 3; c++) {
    char arguments[PATH_MAX + 128], named[PATH_MAX + 16];
    /* The one conversion of each is the path. */
    const char *hole = strstr(commands[c], "%s");
    snprintf(arguments, sizeof arguments, "%.*s%s", (int)(hole - commands[c]), commands[c], path);
    assert_status(program_run("%s", arguments), status);
    snprintf(named, sizeof named, "%s%s", path, place);
    assert_contains(program_err, named);
    assert_contains(program_err, part);
  }
}

#define ATOM "ATOM      1  O   WAT     1       1.000   2.000   3.000 -0.8340 1.6612\n"

static void input_that_is_no_molecule_is_named(void **state) {
  (void)state;
  bad_input(5, "missing.pqr", ": cannot open", "No such file");
  assert_int_equal(mkdir(in_folder("folder.pqr"), 0777), 0);
  bad_input(5, "folder.pqr", ": ", "directory");
  put_file(in_folder("empty.pqr"), "");
  bad_input(3, "empty.pqr", ": found no atoms", "ATOM or HETATM");
  put_file(in_folder("truncated.pqr"), ATOM "ATOM      2  H   WAT     1       1.0");
  bad_input(3, "truncated.pqr", ":2: found \"ATOM      2", "charge, radius");
  put_file(in_folder("table.pqr"), "x,y,z\n1,2,3\n");
  bad_input(3, "table.pqr", ": row 1: found the columns x, y, z", "q or charge");
  FILE *binary = fopen(in_folder("binary.pqr"), "w");
  fwrite(ATOM "\0\1\2", 1, sizeof ATOM + 2, binary);
  fclose(binary);
  bad_input(3, "binary.pqr", ":2: found a NUL byte", "expected text");
}

/* The first grid of the list is good; what was read of it is freed once. */
static void a_plan_with_a_wrong_later_grid_is_refused(void **state) {
  (void)state;
  put_file(in_folder("torn.csv"), "variants,config,atoms,grid,scope\n"
                                  "cpu_gather,,40,\"8^3,51\xb2x512x64\",kernel\n");
  assert_status(program_run("sweep --plan %s --out %s", in_folder("torn.csv"), in_folder("none")),
                3);
  assert_contains(program_err, "torn.csv: row 2: grid: found \"51\xb2\"; expected a whole number");
  assert_false(exists(in_folder("none")));
}

static void generated_water_reads_back_neutral(void **state) {
  (void)state;
  assert_status(program_run("generate water --atoms 300 --out %s", in_folder("w.pqr")), 0);
  assert_string_equal(program_out, "");
  assert_status(program_run("info --csv %s", in_folder("w.pqr")), 0);
  dcs_table *table = printed_table();
  assert_true(printed_value(table, "atoms") == 300);
  assert_true(fabs(printed_value(table, "total_charge")) < 1e-9);
  assert_true(printed_value(table, "zero_charges") == 0);
  dcs_table_free(table);
}

/* Shifted by the box of the atoms, by the file's cell, or as asked; the file says by what. */
static void copies_say_how_far_they_are_apart(void **state) {
  (void)state;
  static const struct {
    const char *cell, *option, *remark;
    double hi_x;
  } cases[] = {
      {"", "", "REMARK   1 copies are 3, 1 and 1 angstrom apart: the box of its atoms", 8.5},
      {"CRYST1    7.000    8.000    9.000  90.00  90.00  90.00\n", "",
       "7, 8 and 9 angstrom apart: the file's cell", 16.5},
      {"CRYST1    7.000    8.000    9.000  90.00  90.00  90.00\n", "--edge 5",
       "5, 5 and 5 angstrom apart: --edge", 12.5}};
  for (int i = 0; i < 3; i++) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", cases[i].cell,
             "ATOM 1 N ALA 1 0.000 0.000 0.000 0.5 1.0\n",
             "ATOM 2 N ALA 1 2.500 0.000 0.000 -0.25 1.0\n");
    put_file(in_folder("one.pqr"), text);
    assert_status(program_run("generate replicate %s 3 1 1 %s --out %s", in_folder("one.pqr"),
                              cases[i].option, in_folder("three.pqr")),
                  0);
    char *written = get_file(in_folder("three.pqr"), NULL);
    assert_contains(written, cases[i].remark);
    free(written);
    assert_status(program_run("info --csv %s", in_folder("three.pqr")), 0);
    dcs_table *table = printed_table();
    assert_true(printed_value(table, "atoms") == 6);
    assert_true(printed_value(table, "total_charge") == 0.75);
    assert_true(printed_value(table, "box_hi_x") == cases[i].hi_x);
    dcs_table_free(table);
  }
}

static void a_seed_gives_the_same_bytes_always(void **state) {
  (void)state;
  static const char *const kinds[] = {"water", "uniform", "ions", "droplet"};
  for (int k = 0; k < 4; k++) {
    assert_status(program_run("generate %s --atoms 99 --seed 7", kinds[k]), 0);
    char *first = strdup(program_out);
    assert_status(
        program_run("generate %s --atoms 99 --seed 7 --out %s", kinds[k], in_folder("g.pqr")), 0);
    char *second = get_file(in_folder("g.pqr"), NULL);
    assert_true(strlen(first) > 99 * 50);
    assert_string_equal(first, second);
    assert_status(program_run("generate %s --atoms 99 --model 2", kinds[k]), 2);
    assert_contains(program_err, "--model is of a file; expected it with replicate alone");
    assert_status(program_run("generate %s --atoms 99 --seed 8", kinds[k]), 0);
    assert_string_not_equal(strchr(first, '\n'), strchr(program_out, '\n'));
    free(first);
    free(second);
  }
}

static void generate_keeps_a_link_a_link(void **state) {
  (void)state;
  struct stat facts;
  put_file(in_folder("old.pqr"), "old\n");
  assert_int_equal(symlink("old.pqr", in_folder("link.pqr")), 0);
  assert_status(program_run("generate water --atoms 3 --out %s", in_folder("link.pqr")), 0);
  assert_int_equal(lstat(in_folder("link.pqr"), &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  char *text = get_file(in_folder("old.pqr"), NULL);
  assert_contains(text, "ATOM");
  free(text);
}

/* A pipe stands for every device. */
static void generate_writes_to_a_device_and_never_replaces_it(void **state) {
  (void)state;
  struct stat facts;
  assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
  int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  assert_status(program_run("generate water --atoms 3 --out %s", in_folder("pipe")), 0);
  char bytes[4096] = "";
  assert_true(read(reader, bytes, sizeof bytes - 1) > 0);
  close(reader);
  assert_contains(bytes, "ATOM");
  assert_int_equal(lstat(in_folder("pipe"), &facts), 0);
  assert_true(S_ISFIFO(facts.st_mode));
}

static void a_failed_generate_leaves_the_old_file_and_nothing_beside(void **state) {
  (void)state;
  assert_status(program_run("generate water --atoms 3 --out %s", in_folder("old.pqr")), 0);
  assert_status(program_run("generate water --out %s", in_folder("none/w.pqr")), 5);
  assert_contains(program_err, in_folder("none/w.pqr"));
  assert_int_equal(mkdir(in_folder("taken"), 0777), 0);
  assert_status(program_run("generate water --out %s", in_folder("taken")), 5);
  assert_contains(program_err, in_folder("taken"));
  program_file_limit = 4000;
  int status = program_run("generate water --atoms 300 --out %s", in_folder("old.pqr"));
  program_file_limit = 0;
  assert_status(status, 5);
  assert_contains(program_err, "File too large");
  assert_status(program_run("info %s", in_folder("old.pqr")), 0); /* the old one is whole */
  DIR *folder = opendir(test_folder);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    assert_null(strstr(entry->d_name, ".part"));
  closedir(folder);
}

/* ---- lists ---- */

static int cell_is(const dcs_table *table, size_t row, const char *column, const char *text) {
  return strcmp(dcs_table_cell(table, row, dcs_table_column(table, column)), text) == 0;
}

static void list_has_a_row_a_variant_in_the_order_of_the_ladder(void **state) {
  (void)state;
  static const char columns[] = "id,problem,backend,built,available,why_not,parameters,idea\n";
  assert_status(program_run("list --csv"), 0);
  assert_int_equal(strncmp(program_out, columns, sizeof columns - 1), 0);
  dcs_table *table = printed_table();
  FILE *ladder = fopen("kernels/variants.def", "r");
  char line[256], id[64];
  size_t rows = 0;
  assert_non_null(ladder);
  while (fgets(line, sizeof line, ladder)) {
    if (sscanf(line, "DCS_VARIANT(%63[a-z0-9_])", id) != 1) continue;
    assert_true(rows < dcs_table_rows(table));
    assert_string_equal(dcs_table_cell(table, rows, 0), id);
    assert_true(cell_is(table, rows, "problem", dcs_find_variant(id)->kind));
    assert_true(cell_is(table, rows, "backend", strncmp(id, "cpu", 3) == 0 ? "cpu" : "gpu"));
    assert_false(cell_is(table, rows, "idea", ""));
    assert_true(
        cell_is(table, rows, "available", cell_is(table, rows, "why_not", "") ? "yes" : "no"));
    rows++;
  }
  fclose(ladder);
  assert_int_equal(dcs_table_rows(table), rows);
  assert_true(rows >= 10);
  dcs_table_free(table);
}

static void list_says_why_an_instruction_set_is_off(void **state) {
  (void)state;
  setenv("DCS_DISABLE_ISA", "avx2,avx512", 1);
  int status = program_run("list --csv");
  unsetenv("DCS_DISABLE_ISA");
  assert_status(status, 0);
  dcs_table *table = printed_table();
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    bool vectors = cell_is(table, row, "id", "cpu_avx2") || cell_is(table, row, "id", "cpu_avx512");
    if (cell_is(table, row, "backend", "cpu"))
      assert_true(cell_is(table, row, "available", vectors ? "no" : "yes"));
    const char *why = dcs_table_cell(table, row, dcs_table_column(table, "why_not"));
    if (vectors && cell_is(table, row, "built", "yes")) assert_contains(why, "DCS_DISABLE_ISA");
  }
  dcs_table_free(table);
}

static void an_instruction_set_that_is_none_is_refused(void **state) {
  (void)state;
  static const char *const lists[] = {"avx", "nonsense", "avx2,avx513", "avx2 avx512", ","};
  for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
    char said[128];
    setenv("DCS_DISABLE_ISA", lists[l], 1);
    const int status = program_run("list");
    unsetenv("DCS_DISABLE_ISA");
    assert_status(status, 2);
    snprintf(said, sizeof said, "DCS_DISABLE_ISA: found \"%s\"; expected avx2, avx512, or both",
             lists[l]);
    assert_contains(program_err, said);
  }
  setenv("DCS_DISABLE_ISA", "", 1);
  const int status = program_run("list");
  unsetenv("DCS_DISABLE_ISA");
  assert_status(status, 0);
}

/* ---- compile ---- */

#define COMPILE "compile --variants cuda_naive --config block_x=64"

static void compile_reports_the_kernels_of_a_folder(void **state) {
  (void)state;
  int status = program_run(COMPILE " --csv --kernels kernels/coulomb/cuda");
  if (status == 4) {
    print_message("skipped: %s", program_err);
    skip();
  }
  assert_status(status, 0);
  dcs_table *table = printed_table();
  assert_int_equal(dcs_table_rows(table), 1);
  assert_true(cell_is(table, 0, "variant", "cuda_naive") && cell_is(table, 0, "arch", "sm_90"));
  assert_true(dcs_table_number(table, 0, dcs_table_column(table, "registers")) > 0);
  dcs_table_free(table);

  assert_int_equal(mkdir(in_folder("kernels"), 0777), 0);
  put_file(in_folder("kernels/naive.cu"), "__global__ void f() {}\n#error planted by the test\n");
  assert_status(program_run(COMPILE " --kernels %s", in_folder("kernels")), 1);
  assert_contains(program_err, "planted by the test");
  assert_contains(program_err, "naive.cu");
  assert_contains(program_err, "cuda_naive block_x=64");
  assert_contains(program_err, "1 configuration did not compile");
  assert_status(program_run(COMPILE " --kernels %s", in_folder("nowhere")), 5);
  assert_contains(program_err, in_folder("nowhere"));
  assert_status(program_run(COMPILE " --arch sm_1"), 2);
  assert_contains(program_err, "\"sm_1\"");
  assert_status(program_run("compile --variants cpu"), 2);
  assert_contains(program_err, "no CUDA variant");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_folder_of_kernels_is_there),
      cmocka_unit_test(info_reads_the_shared_cases),
      cmocka_unit_test(input_that_is_no_molecule_is_named),
      cmocka_unit_test(a_plan_with_a_wrong_later_grid_is_refused),
      cmocka_unit_test(generated_water_reads_back_neutral),
      cmocka_unit_test(copies_say_how_far_they_are_apart),
      cmocka_unit_test(a_seed_gives_the_same_bytes_always),
      cmocka_unit_test(generate_keeps_a_link_a_link),
      cmocka_unit_test(generate_writes_to_a_device_and_never_replaces_it),
      cmocka_unit_test(a_failed_generate_leaves_the_old_file_and_nothing_beside),
      cmocka_unit_test(list_has_a_row_a_variant_in_the_order_of_the_ladder),
      cmocka_unit_test(list_says_why_an_instruction_set_is_off),
      cmocka_unit_test(an_instruction_set_that_is_none_is_refused),
      cmocka_unit_test(compile_reports_the_kernels_of_a_folder),
  };
  without_limits();
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
