/* Runs that the tests of `dcsbench compare` write, and the command on them. */
#ifndef DCS_TEST_COMPARED_RUNS_H
#define DCS_TEST_COMPARED_RUNS_H

#include "harness/compare/spread.h"
#include "tests/run_folder.h"
#include "tests/simulated_times.h"
#include "tests/written_run.h"

#define ENV "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\nasked_spacing,0.5\n"
#define GPU "gpu_name,Some GPU\ngpu_uuid,GPU-1\ncuda_driver,13.0\n"

/* What the machine's spread between sessions was found to be; the tests of verdicts have none to
 * speak of. */
static inline void put_spread(const char *deviation, const char *sessions) {
  char text[512];
  snprintf(text, sizeof text,
           "schema,date,backend,cpu_model,cpus,gpu_name,sessions,deviation\n"
           "1,then,cpu,Some CPU,8,,%s,0.5\n"
           "1,2026-01-02,cpu,Some CPU,8,,%s,%s\n"
           "1,later,cpu,Other CPU,8,,9,0.7\n1,later,gpu,Some CPU,8,,9,0.7\n",
           sessions, sessions, deviation);
  put_file(in_folder("spread.csv"), text);
}

static inline int make_folder_with_spread(void **state) {
  if (program_setup(state) != 0 || setenv("DCSBENCH_DATA", test_folder, 1) != 0) return -1;
  put_spread("1e-6", "9");
  return 0;
}

static inline int compare(const char *a, const char *b, const char *options) {
  return program_run("compare %s %s %s", in_folder(a), in_folder(b), options);
}

/* What the last run wrote as CSV; the caller frees it. */
static inline dcs_table *written(void) {
  dcs_table *table;
  put_file(in_folder("out.csv"), program_out);
  if (dcs_table_read(in_folder("out.csv"), &table) != DCS_OK) fail_msg("%s", dcs_error_message());
  return table;
}

static const measured plain[] = {{"v1", "kernel", 100, 9, 2, 0.001, "ok"}, {0}};
static const measured slow[] = {{"v1", "kernel", 100, 9, 2.2, 0.001, "ok"}, {0}};

static const measured before[] = {
    {"v1", "kernel", 100, 9, 2, 0.001, "ok"},          {"v2", "kernel", 100, 9, 4, 0.001, "ok"},
    {"v3", "kernel", 100, 9, 6, 0.001, "ok"},          {"v1", "warm", 100, 9, 8, 0.1, "ok"},
    {"v1", "kernel", 2000, 15, 50, 0.001, "ok"},       {"gone", "kernel", 100, 9, 1, 0.001, "ok"},
    {"gone", "warm", 100, 9, 1, 0.001, "ok"},          {"broke", "kernel", 100, 9, 1, 0.001, "ok"},
    {"never", "kernel", 100, 0, 0, 0, "inapplicable"}, {0}};
static const measured after[] = {{"broke", "kernel", 100, 3, 1, 0.001, "crash"},
                                 {"never", "kernel", 100, 0, 0, 0, "inapplicable"},
                                 {"v1", "kernel", 2000, 5, 70, 0.001, "ok"},
                                 {"v1", "warm", 100, 9, 8.1, 0.1, "ok"},
                                 {"v3", "kernel", 100, 8, 6.001, 0.001, "ok"},
                                 {"v2", "kernel", 100, 9, 3, 0.001, "ok"},
                                 {"v1", "kernel", 100, 9, 2.2, 0.001, "ok"},
                                 {"new", "kernel", 100, 9, 1, 0.001, "ok"},
                                 {0}};

#endif
