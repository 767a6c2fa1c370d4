/* Maps that are written slab by slab, as where memory is short for the whole: the bytes that the
 * map in memory has as a file, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/interrupt.h"
#include "harness/output/field.h"
#include "tests/program.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { NX = 21, NY = 5, NZ = 11, SLICE = NX * NY, POINTS = SLICE * NZ };
static float values[POINTS], slab[POINTS];
static int64_t next, fails_at; /* the slice that the next slab begins with; one that fails */
static bool interrupts;        /* it does not fail: the user does, with Ctrl-C */

static dcs_status give(void *with, int64_t from, int64_t end, float *to) {
  assert_ptr_equal(with, values);
  assert_int_equal(from, next);
  assert_true(from < end && end <= NZ);
  next = end;
  if (interrupts && fails_at >= from && fails_at < end) raise(SIGINT);
  if (fails_at >= from && fails_at < end) return dcs_fail(DCS_FAILED, "planted");
  memcpy(to, values + from * SLICE, (size_t)((end - from) * SLICE) * sizeof *to);
  return DCS_OK;
}

static dcs_field sample(void) {
  dcs_field f = {.n = {NX, NY, NZ},
                 .origin = {-1, 2, 3},
                 .spacing = {0.5, 0.5, 0.5},
                 .units = "kT/e",
                 .values = values};
  for (int p = 0; p < POINTS; p++)
    values[p] = (float)(sin(p) * pow(10, p % 30 - 15));
  return f;
}

static dcs_slab_source source(int64_t slices) {
  next = 0;
  fails_at = -1;
  return (dcs_slab_source){.slices = slices,
                           .values = slab,
                           .compute = give,
                           .with = values,
                           .beside = in_folder("slabs")};
}

static void same_bytes(const char *whole, const char *slabs) {
  size_t n, m;
  char *a = get_file(in_folder(whole), &n), *b = get_file(in_folder(slabs), &m);
  if (n != m || memcmp(a, b, n) != 0) fail_msg("%s and %s differ", whole, slabs);
  free(a);
  free(b);
}

static void slabs_make_the_file_of_the_whole_map(void **state) {
  (void)state;
  static const int64_t slices[] = {1, 4, NZ - 1, NZ};
  for (int f = 0; f < dcs_n_field_formats; f++)
    for (size_t s = 0; s < sizeof slices / sizeof *slices; s++) {
      char whole[64], slabs[64];
      dcs_field field = sample();
      snprintf(whole, sizeof whole, "whole%s", dcs_field_formats[f]->suffix);
      snprintf(slabs, sizeof slabs, "slabs%s", dcs_field_formats[f]->suffix);
      assert_int_equal(dcs_field_write(in_folder(whole), &field), DCS_OK);
      const dcs_slab_source from = source(slices[s]);
      field.values = NULL;
      field.slabs = &from;
      if (dcs_field_write(in_folder(slabs), &field) != DCS_OK) fail_msg("%s", dcs_error_message());
      assert_int_equal(next, NZ);
      same_bytes(whole, slabs);
    }
}

/* Files of the folder whose names begin so. */
static int files_named(const char *begin) {
  DIR *folder = opendir(in_folder(""));
  int n = 0;
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    n += strncmp(entry->d_name, begin, strlen(begin)) == 0;
  closedir(folder);
  return n;
}

static void a_slab_that_fails_leaves_nothing(void **state) {
  (void)state;
  dcs_field field = sample();
  for (int f = 0; f < dcs_n_field_formats; f++) {
    char name[64];
    dcs_slab_source from = source(4);
    field.values = NULL;
    field.slabs = &from;
    fails_at = 8;
    snprintf(name, sizeof name, "fails%s", dcs_field_formats[f]->suffix);
    assert_int_equal(dcs_field_write(in_folder(name), &field), DCS_FAILED);
    assert_string_equal(dcs_error_message(), "planted");
    assert_int_equal(files_named("fails"), 0);
  }
}

/* Nobody waits for the slab under way. */
static void an_interrupt_ends_it_at_once_and_leaves_nothing(void **state) {
  (void)state;
  dcs_field field = sample();
  for (int f = 0; f < dcs_n_field_formats; f++) {
    char name[64];
    int status;
    dcs_slab_source from = source(4);
    field.values = NULL;
    field.slabs = &from;
    fails_at = 8;
    interrupts = true;
    snprintf(name, sizeof name, "interrupted%s", dcs_field_formats[f]->suffix);
    const pid_t child = fork();
    if (child == 0) {
      dcs_interrupt_catch();
      (void)dcs_field_write(in_folder(name), &field);
      _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    interrupts = false;
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_int_equal(files_named("interrupted"), 0);
  }
}

/* A file that may not grow is like a disk that is full. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_is_said_and_leaves_nothing(void **state) {
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  for (int f = 0; f < dcs_n_field_formats; f++)
    for (int slabs = 0; slabs < 2; slabs++) {
      char name[64];
      dcs_field field = sample();
      const dcs_slab_source from = source(4);
      snprintf(name, sizeof name, "full%s", dcs_field_formats[f]->suffix);
      if (slabs) field.values = NULL;
      if (slabs) field.slabs = &from;
      limit_files(2000);
      const dcs_status status = dcs_field_write(in_folder(name), &field);
      limit_files(RLIM_INFINITY);
      assert_int_equal(status, DCS_IO);
      assert_contains(dcs_error_message(), "File too large");
      assert_contains(dcs_error_message(),
                      in_folder(slabs && strstr(dcs_error_message(), "slabs") ? "slabs" : name));
      assert_int_equal(files_named("full"), 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slabs_make_the_file_of_the_whole_map),
      cmocka_unit_test(a_slab_that_fails_leaves_nothing),
      cmocka_unit_test(an_interrupt_ends_it_at_once_and_leaves_nothing),
      cmocka_unit_test(a_full_disk_is_said_and_leaves_nothing),
  };
  return cmocka_run_group_tests_name("field_slabs", tests, program_setup, program_teardown);
}
