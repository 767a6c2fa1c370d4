/* Files beside their names: what stays of the old one, and what killed writers left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/file.h"
#include "harness/files/text_stream.h"
#include "tests/program.h"

#include <dirent.h>
#include <sys/file.h>

static int enter_folder(void **state) {
  return program_setup(state) == 0 ? chdir(test_folder) : -1;
}

/* Writes "new" under the name. */
static dcs_status write_new(const char *name) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, name));
  assert_true(fputs("new", file.stream) >= 0);
  return dcs_file_close(&file);
}

static void assert_holds(const char *name, const char *text) {
  char *found = get_file(name, NULL);
  assert_string_equal(found, text);
  free(found);
}

static int files_here(void) {
  int n = 0;
  DIR *folder = opendir(".");
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    n += entry->d_name[0] != '.';
  closedir(folder);
  return n;
}

static void modes_stay(void **state) {
  (void)state;
  struct stat facts;
  static const mode_t modes[] = {0600, 0640, 0664, 0755};
  for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
    put_file("modes", "old");
    assert_int_equal(chmod("modes", modes[m]), 0);
    assert_int_equal(write_new("modes"), DCS_OK);
    assert_holds("modes", "new");
    assert_int_equal(stat("modes", &facts), 0);
    assert_int_equal(facts.st_mode & 07777, modes[m]);
  }
  unlink("modes");
}

static void a_link_to_nothing_is_refused(void **state) {
  (void)state;
  char target[32] = "";
  assert_int_equal(symlink("nowhere", "dangling"), 0);
  assert_int_equal(write_new("dangling"), DCS_IO);
  assert_contains(dcs_error_message(), "dangling: is a link to what is not there");
  assert_int_equal(readlink("dangling", target, sizeof target - 1), 7);
  assert_string_equal(target, "nowhere");
  unlink("dangling");
  assert_int_equal(files_here(), 0);
}

/* Names beside are cut, so that every name that a file may have can be written. */
static void long_names_are_written_or_refused(void **state) {
  (void)state;
  char name[300];
  for (int length = 220; length < 260; length++) {
    memset(name, 'n', sizeof name);
    name[length] = '\0';
    dcs_status status = write_new(name);
    assert_int_equal(status, length <= 255 ? DCS_OK : DCS_IO);
    if (status == DCS_OK) assert_holds(name, "new");
    unlink(name);
    assert_int_equal(files_here(), 0);
  }
  assert_contains(dcs_error_message(), "File name too long");
}

/* The id of a process that has ended. */
static long ended_process(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  return (long)child;
}

static void put_part(const char *name, long writer, char part[64]) {
  snprintf(part, 64, "%s.%ld.part", name, writer);
  put_file(part, "torn");
}

static void what_killed_writers_left_is_swept_up(void **state) {
  (void)state;
  char dead[64], earlier[64], alive[64], foreign[64], other[64];
  long ended = ended_process();
  put_part("data.csv", ended, dead);
  put_part("data.csv", (long)getpid(), earlier); /* of a process of the same number */
  put_part("data.csv", 1, alive);
  put_part("other.csv", ended, other);
  snprintf(foreign, sizeof foreign, "data.csv.x%ld.part", ended);
  put_file(foreign, "of the user");
  assert_int_equal(write_new("data.csv"), DCS_OK);
  assert_false(exists(dead));
  assert_false(exists(earlier));
  assert_true(exists(alive));
  assert_true(exists(other));
  assert_true(exists(foreign));
  assert_holds("data.csv", "new");
  unlink(alive), unlink(other), unlink(foreign), unlink("data.csv");
}

/* A writer elsewhere, whose process id says nothing here, holds a lock. */
static void a_locked_part_stays(void **state) {
  (void)state;
  char part[64];
  put_part("data.csv", ended_process(), part);
  int fd = open(part, O_RDONLY);
  assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
  assert_int_equal(write_new("data.csv"), DCS_OK);
  assert_true(exists(part));
  close(fd);
  assert_int_equal(write_new("data.csv"), DCS_OK);
  assert_false(exists(part));
  unlink("data.csv");
}

/* Two writers of one file at once in one process: the second is refused, the first is whole. */
static void a_second_writer_is_refused(void **state) {
  (void)state;
  dcs_file first, second;
  assert_int_equal(dcs_file_create(&first, "twice"), DCS_OK);
  assert_int_equal(dcs_file_create(&second, "twice"), DCS_IO);
  assert_true(fputs("first", first.stream) >= 0);
  assert_int_equal(dcs_file_close(&first), DCS_OK);
  assert_holds("twice", "first");
  unlink("twice");
  assert_int_equal(files_here(), 0);
}

/* A write that failed long ago is no file at the end. */
static void an_earlier_failure_is_said(void **state) {
  (void)state;
  dcs_file file;
  put_file("data.csv", "old");
  assert_int_equal(dcs_file_create(&file, "data.csv"), DCS_OK);
  assert_true(fputs("new", file.stream) >= 0);
  assert_int_equal(fgetc(file.stream), EOF); /* a stream for writing: its error stays */
  assert_int_equal(dcs_file_close(&file), DCS_IO);
  assert_contains(dcs_error_message(), "data.csv: not written: an earlier write to it failed");
  assert_holds("data.csv", "old");
  unlink("data.csv");
  assert_int_equal(files_here(), 0);
}

/* ---- texts in memory ---- */

static void a_text_is_whole(void **state) {
  (void)state;
  dcs_text_stream text;
  char *whole;
  size_t bytes;
  assert_int_equal(dcs_text_begin(&text), DCS_OK);
  for (int i = 0; i < 5000; i++)
    fprintf(text.stream, "%04d\n", i);
  assert_int_equal(dcs_text_end(&text, &whole, &bytes), DCS_OK);
  assert_int_equal(bytes, 25000);
  assert_int_equal(strlen(whole), bytes);
  assert_string_equal(whole + bytes - 5, "4999\n");
  free(whole);
  assert_int_equal(dcs_text_begin(&text), DCS_OK);
  assert_int_equal(dcs_text_end(&text, &whole, NULL), DCS_OK);
  assert_string_equal(whole, "");
  free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_stay),
      cmocka_unit_test(a_link_to_nothing_is_refused),
      cmocka_unit_test(long_names_are_written_or_refused),
      cmocka_unit_test(what_killed_writers_left_is_swept_up),
      cmocka_unit_test(a_locked_part_stays),
      cmocka_unit_test(a_second_writer_is_refused),
      cmocka_unit_test(an_earlier_failure_is_said),
      cmocka_unit_test(a_text_is_whole),
  };
  return cmocka_run_group_tests_name("file", tests, enter_folder, program_teardown);
}
