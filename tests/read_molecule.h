/* Molecules read from texts, and what is said of them. */
#ifndef DCS_TEST_READ_MOLECULE_H
#define DCS_TEST_READ_MOLECULE_H

#include "harness/input/molecule.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two files, made for a group of tests: make_files and remove_files are its setup and teardown. */
static char file[2][32];

static inline int make_files(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    strcpy(file[f], "/tmp/dcs_input_XXXXXX");
    const int fd = mkstemp(file[f]);
    if (fd < 0 || close(fd) != 0) return -1;
  }
  return 0;
}

static inline int remove_files(void **state) {
  (void)state;
  return unlink(file[0]) | unlink(file[1]);
}

static inline void put_bytes(int which, const void *bytes, size_t length) {
  FILE *out = fopen(file[which], "w");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, length, out), length);
  assert_int_equal(fclose(out), 0);
}

static inline void put_text(int which, const char *text) {
  put_bytes(which, text, strlen(text));
}

static inline void assert_says(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* Reads an input; what the reader noted goes to notes[1024]. */
static inline dcs_status read_input(const dcs_input *input, dcs_molecule *m, char *notes) {
  FILE *out = fmemopen(notes, 1024, "w");
  assert_non_null(out);
  notes[0] = '\0';
  const dcs_status status = dcs_molecule_read(input, m, out);
  fclose(out);
  return status;
}

static inline void assert_read(const dcs_input *input, dcs_molecule *m, char *notes) {
  if (read_input(input, m, notes) != DCS_OK) fail_msg("%s", dcs_error_message());
}

/* That the input is refused, with a message that has these parts (the list ends with NULL). */
static inline void assert_refused(const dcs_input *input, dcs_status status,
                                  const char *const *parts) {
  dcs_molecule m;
  char notes[1024];
  if (read_input(input, &m, notes) != status)
    fail_msg("read, or refused otherwise; expected %s", parts[0]);
  assert_null(m.sites);
  for (; *parts; parts++)
    assert_says(dcs_error_message(), *parts);
}

#define ASSERT_REFUSED(input, status, ...)                                                         \
  assert_refused(input, status, (const char *const[]){__VA_ARGS__, NULL})

#endif
