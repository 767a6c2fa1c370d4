/* Run folders that a test writes, with times it chooses. Include after cmocka.h. */
#ifndef DCS_TEST_WRITTEN_RUN_H
#define DCS_TEST_WRITTEN_RUN_H

#include "tests/program.h"

/* What was measured, a line each in both files; the times have a median of `ms` and lie within
 * `scatter` of it. */
typedef struct {
  const char *variant, *scope;
  int atoms, n;
  double ms, scatter;
  const char *outcome; /* NULL: no row in the summary */
} measured;

static inline const char *path_in(const char *run, const char *file) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", run, file);
  return in_folder(name);
}

/* Writes a run; the list ends with a NULL variant. */
static inline void put_run(const char *run, const char *env, const measured *list) {
  mkdir(in_folder(run), 0777);
  put_file(path_in(run, "env.csv"), env);
  FILE *samples = fopen(path_in(run, "samples.csv"), "w");
  FILE *summary = fopen(path_in(run, "summary.csv"), "w");
  assert_true(samples && summary);
  fputs("round,seq,variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz,inner,"
        "time_ns,sm_mhz,temperature_c,power_w\n",
        samples);
  fputs("variant,backend,config,devices,scope,memory,problem,problem_config,atoms,nx,ny,nz,"
        "median_ns,outcome\n",
        summary);
  for (; list->variant; list++) {
    for (int i = 0; i < list->n; i++) /* in an order that is not sorted */
      fprintf(samples, "%d,%d,%s,\"x=1,y=2\",%s,,cpu,coulomb,,%d,8,8,4,1,%.3f,,,\n", i, i,
              list->variant, list->scope, list->atoms,
              1e6 * list->ms * (1 + list->scatter * (2.0 * (7 * i % list->n) / (list->n - 1) - 1)));
    if (list->outcome)
      fprintf(summary, "%s,cpu,\"x=1,y=2\",cpu,%s,,coulomb,,%d,8,8,4,%.3f,%s\n", list->variant,
              list->scope, list->atoms, 1e6 * list->ms, list->outcome);
  }
  fclose(samples);
  fclose(summary);
}

#endif
