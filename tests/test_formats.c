/* The tables of file formats: they agree with their files, a reader is chosen by content, a writer
 * by the name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/input/molecule.h"
#include "harness/output/field.h"
#include "tests/run_folder.h"

#include <glob.h>
#include <pthread.h>

/* The names behind MACRO( in a list of formats; *n of them. */
static void read_list(const char *list, const char *macro, char names[16][32], int *n) {
  FILE *file = fopen(list, "r");
  char line[256], format[64];
  snprintf(format, sizeof format, "%s(%%31[a-z0-9_])", macro);
  assert_non_null(file);
  *n = 0;
  while (fgets(line, sizeof line, file) && *n < 16)
    *n += sscanf(line, format, names[*n]) == 1;
  fclose(file);
}

/* Each line has a file beside the list, which defines what the line names. */
static void check_file(const char *folder, const char *what, const char *name) {
  char path[PATH_MAX], defined[128], *text;
  snprintf(path, sizeof path, "%s/%s.c", folder, name);
  snprintf(defined, sizeof defined, "const dcs_%s dcs_%s_%s = {", what, what, name);
  text = get_file(path, NULL);
  assert_contains(text, defined);
  free(text);
}

static void readers_have_their_files(void **state) {
  (void)state;
  char names[16][32], row[64], *page = get_file("results/molecules.md", NULL);
  int n;
  read_list("harness/input/formats.def", "DCS_READER", names, &n);
  assert_true(n > 0);
  assert_int_equal(n, dcs_n_readers);
  for (int r = 0; r < n; r++) {
    check_file("harness/input", "reader", names[r]);
    assert_true(dcs_readers[r]->name && dcs_readers[r]->what);
    assert_true(dcs_readers[r]->sniff && dcs_readers[r]->read);
    snprintf(row, sizeof row, "\n| %s | ", dcs_readers[r]->name);
    assert_contains(page, row);
  }
  free(page);
}

static void maps_have_their_files(void **state) {
  (void)state;
  char names[16][32];
  int n;
  read_list("harness/output/formats.def", "DCS_FIELD_FORMAT", names, &n);
  assert_true(n > 0);
  assert_int_equal(n, dcs_n_field_formats);
  for (int f = 0; f < n; f++) {
    const dcs_field_format *format = dcs_field_formats[f];
    check_file("harness/output", "field_format", names[f]);
    assert_true(format->name && format->write && format->suffix[0] == '.');
    assert_true(!format->sniff == !format->read);
    for (int before = 0; before < f; before++)
      assert_string_not_equal(dcs_field_formats[before]->suffix, format->suffix);
  }
}

/* ---- reading ---- */

/* Which reader takes the content; NULL: none. */
static const char *reader_of(const char *content) {
  for (int r = 0; r < dcs_n_readers; r++)
    if (dcs_readers[r]->sniff((dcs_slice){content, strlen(content)})) return dcs_readers[r]->name;
  return NULL;
}

static void content_chooses_the_reader(void **state) {
  (void)state;
  static const char *const pqr[] = {"ATOM 1 N ALA 1 1 2 3 4 5",
                                    "nothing\n\nHETATM 1 N ALA 1 1 2 3 4 5\n",
                                    "REMARK long heads need no atom\n",
                                    "\xEF\xBB\xBF"
                                    "ATOM 1 N ALA 1 1 2 3 4 5"};
  static const char *const csv[] = {"x,y,z,q\n1,2,3,4\n", "\xEF\xBB\xBF\"X\", y ,Z\r\n",
                                    "name,z,y,x\nATOM,1,2,3\n"};
  static const char *const xyzq[] = {"1 2 3 4", "# ATOM\n\n 1e0\t-2. .5 4 5\n",
                                     "1\nATOM\nO 1 2 3 4\n", "3\n\nO 1 2 3\n"};
  static const char *const none[] = {
      "",        "\n\n",        "x;y;z", "x,y,q\n1,2,3\n",          "x y z q\n1 2 3 4\n", "1 2 3\n",
      "1 2 3 q", "1 2 3 4 5 6", " ATOM", "2\n.5 1 2 3\n.5 1 2 3\n", "\x1f\x8b\x08"};
  for (size_t i = 0; i < sizeof pqr / sizeof *pqr; i++)
    assert_string_equal(reader_of(pqr[i]), "PQR");
  for (size_t i = 0; i < sizeof csv / sizeof *csv; i++)
    assert_string_equal(reader_of(csv[i]), "CSV");
  for (size_t i = 0; i < sizeof xyzq / sizeof *xyzq; i++)
    assert_string_equal(reader_of(xyzq[i]), "XYZQ");
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_null(reader_of(none[i]));
}

/* The head of each file that a pattern names is no other format's. */
static void assert_pqr_or_none(const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return;
  for (size_t f = 0; f < found.gl_pathc; f++) {
    size_t bytes;
    char *text = get_file(found.gl_pathv[f], &bytes);
    for (int r = 0; r < dcs_n_readers; r++)
      if (dcs_readers[r]->sniff((dcs_slice){text, bytes}) &&
          strcmp(dcs_readers[r]->name, "PQR") != 0)
        fail_msg("%s was taken for %s", found.gl_pathv[f], dcs_readers[r]->name);
    free(text);
  }
  globfree(&found);
}

static void no_other_file_is_taken_for_a_format(void **state) {
  (void)state;
  static const char *const folders[] = {"data", "cases", "faults"};
  char pattern[PATH_MAX];
  const char *shared = getenv("DCS_SHARED");
  for (size_t f = 0; f < 3; f++) {
    snprintf(pattern, sizeof pattern, "%s/%s/*.pqr", shared ? shared : "../shared", folders[f]);
    assert_pqr_or_none(pattern);
  }
  assert_pqr_or_none("results/*.*");
  assert_pqr_or_none("tests/corpus/fields/*");
  assert_pqr_or_none("tests/corpus/csv/*");
}

static void unknown_content_is_refused(void **state) {
  (void)state;
  dcs_molecule m;
  put_file(in_folder("molecule.txt"), "a,b,c,d\n1,2,3,4\n");
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(in_folder("molecule.txt")), &m, NULL),
                   DCS_INPUT);
  assert_contains(dcs_error_message(), "molecule.txt: found no atoms in a format that is known");
  assert_contains(dcs_error_message(), "PQR (lines that start with ATOM or HETATM)");
  assert_null(m.sites);
}

/* More than the head that is looked at, through a pipe that is read once. */
static const int many = 20000;

static void *feed(void *path) {
  FILE *pipe = fopen(path, "w");
  for (int i = 0; pipe && i < many; i++)
    fprintf(pipe, "ATOM %d N ALA 1 %d.5 2.0 3.0 1 1.5\n", i, i);
  if (pipe) fclose(pipe);
  return NULL;
}

static void a_pipe_is_read_once(void **state) {
  (void)state;
  char path[PATH_MAX];
  dcs_molecule m;
  pthread_t thread;
  snprintf(path, sizeof path, "%s", in_folder("pipe"));
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(pthread_create(&thread, NULL, feed, path), 0);
  assert_int_equal(dcs_molecule_read(DCS_INPUT_FILE(path), &m, NULL), DCS_OK);
  pthread_join(thread, NULL);
  assert_int_equal(m.n, many);
  for (int i = 0; i < many; i++)
    assert_true(m.sites[i].x == i + 0.5);
  dcs_molecule_free(&m);
}

/* ---- writing ---- */

static void names_choose_the_format(void **state) {
  (void)state;
  static const char *const bad[] = {"map", "map.dx.gz", "map.DX", "folder.dx/map", "dx", ""};
  const dcs_field_format *format;
  assert_int_equal(dcs_field_format_of("results.d/map.dx", &format), DCS_OK);
  assert_string_equal(format->name, "OpenDX");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (dcs_field_format_of(bad[i], &format) != DCS_USAGE) fail_msg("\"%s\" was accepted", bad[i]);
    assert_contains(dcs_error_message(), "expected a name that ends in .dx (OpenDX)");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_have_their_files),
      cmocka_unit_test(maps_have_their_files),
      cmocka_unit_test(content_chooses_the_reader),
      cmocka_unit_test(no_other_file_is_taken_for_a_format),
      cmocka_unit_test(unknown_content_is_refused),
      cmocka_unit_test(a_pipe_is_read_once),
      cmocka_unit_test(names_choose_the_format),
  };
  return cmocka_run_group_tests_name("formats", tests, program_setup, program_teardown);
}
