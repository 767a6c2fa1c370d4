/* A folder in which timings are imported: group setup and teardown. Include after cmocka.h. */
#ifndef DCS_TEST_IMPORTED_RUN_H
#define DCS_TEST_IMPORTED_RUN_H

#include "harness/timings/timings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/dcs-test-import-XXXXXX";
static char file[64], out[64];

static inline int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return 1;
  snprintf(file, sizeof file, "%s/times", folder);
  snprintf(out, sizeof out, "%s/run", folder);
  return 0;
}

static inline void forget_run(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", out);
  assert_int_equal(system(command), 0);
}

static inline int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static inline void put(const char *text) {
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

/* Imports the text into `out`. */
static inline dcs_status import(const char *text, const char *sizes) {
  dcs_timings timings;
  const dcs_kind *kind;
  put(text);
  dcs_status status = dcs_timings_read(file, &timings);
  if (status == DCS_OK) status = dcs_timings_arrange(&timings, sizes, &kind);
  if (status == DCS_OK) {
    FILE *notes = fopen("/dev/null", "w");
    assert_non_null(notes);
    status = dcs_timings_write(&timings, kind, out, notes);
    fclose(notes);
  }
  dcs_timings_free(&timings);
  return status;
}

#endif
