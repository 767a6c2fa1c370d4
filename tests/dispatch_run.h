/* A run folder that a test of `dcsbench dispatch` writes row by row. Include after cmocka.h. */
#ifndef DCS_TEST_DISPATCH_RUN_H
#define DCS_TEST_DISPATCH_RUN_H

#include "tests/own_dispatch.h"
#include "tests/run_folder.h"

#include <math.h>

static FILE *samples, *summary;
static const dcs_variant *cpu[64], *gpu[64]; /* of direct sums, up the ladder */
static int n_gpu;
static const char *within = ""; /* problem_config; "": the direct sum */
static const char *memory = "";
static const char *spacing = "1";
static const char *stopped = "rounds"; /* stop_reason */

static inline const char *run_path(const char *file) {
  char name[64];
  snprintf(name, sizeof name, "run/%s", file);
  return in_folder(name);
}

static inline void begin_run(void) {
  assert_true(variants_here(DCS_CPU, cpu) >= 3);
  n_gpu = variants_here(DCS_GPU, gpu);
  mkdir(in_folder("run"), 0777);
  put_file(run_path("env.csv"),
           "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\nkernels_fnv1a64,0123\n"
           "gpu_name,Some */ card\ngpu_compute_capability,9.0\ngpu_sm_count,10\n"
           "date,2020-01-01T00:00:00Z\ncommand_line,dcsbench sweep --out run\n");
  samples = fopen(run_path("samples.csv"), "w");
  summary = fopen(run_path("summary.csv"), "w");
  assert_true(samples && summary);
  const char *keys = "variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz";
  fprintf(samples, "round,%s,time_ns\n", keys);
  fprintf(summary, "%s,backend,threads,spacing,median_ns,outcome,stop_reason\n", keys);
}

static inline void end_run(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
}

/* The columns that samples and summary share; the variant in its initial configuration, of one
 * thread. */
static inline void put_keys(FILE *out, const dcs_variant *variant, const char *scope, int64_t atoms,
                            dcs_dims n) {
  char config[DCS_TEXT];
  dcs_config values = dcs_initial_config(variant, 1);
  const int on_cpu = variant->backend == DCS_CPU;
  fprintf(out, "%s,\"%s\",%s,%s,%s,coulomb,\"%s\",%lld,%lld,%lld,%lld", variant->id,
          dcs_format_config(variant, &values, config), scope, on_cpu ? "" : memory,
          on_cpu ? "cpu" : "cuda:0", within, (long long)atoms, (long long)n.x, (long long)n.y,
          (long long)n.z);
}

static inline void put_sample(const dcs_variant *variant, const char *scope, int64_t atoms,
                              dcs_dims n, double ns) {
  fprintf(samples, "0,");
  put_keys(samples, variant, scope, atoms, n);
  fprintf(samples, ",%.3f\n", ns);
}

/* A row with one sample. */
static inline void put_time(const dcs_variant *variant, const char *scope, int64_t atoms,
                            dcs_dims n, double ns, const char *outcome) {
  const int on_cpu = variant->backend == DCS_CPU;
  put_sample(variant, scope, atoms, n, ns);
  put_keys(summary, variant, scope, atoms, n);
  fprintf(summary, ",%s,%s,%s,%.3f,%s,%s\n", on_cpu ? "cpu" : "gpu", on_cpu ? "1" : "", spacing, ns,
          outcome, stopped);
}

static inline int dispatch(const char *options) {
  return program_run("dispatch %s %s", in_folder("run"), options);
}

static inline void read_back(dcs_dispatch *d) {
  if (dcs_dispatch_read(run_path("dispatch.csv"), d) != DCS_OK) fail_msg("%s", dcs_error_message());
}

/* The table of a scope; an empty one where the problem has none. */
static inline const dcs_dispatch_table *table_of(const dcs_dispatch *d, const char *problem,
                                                 int scope) {
  static const dcs_dispatch_table none;
  const dcs_config config = problem_of(problem);
  const dcs_dispatch_family *family = dcs_dispatch_find(d, dcs_kinds[0], &config);
  return family ? &family->tables[scope] : &none;
}

/* What the table takes on a grid with points 1 angstrom apart; NULL: it has no method. */
static inline const dcs_variant *pick_of(const dcs_dispatch *d, int scope, const dcs_size *size) {
  const bool usable[2] = {true, true};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  int n = dcs_dispatch_rank(d, size, 1, dcs_dispatch_scopes[scope], usable, ranked);
  return n > 0 ? ranked[0].method->variant : NULL;
}

/* Ends a run of 8 sizes at one of which, and no other, scope warm loses: 1400 for 1000. */
static inline void assert_loss_of_one_in_8(const char *problem) {
  dcs_dispatch d;
  end_run();
  assert_status(dispatch(""), 0);
  read_back(&d);
  const dcs_dispatch_table *table = table_of(&d, problem, 1);
  assert_int_equal(table->held_out, 8);
  assert_int_equal(table->loss.sizes, 8);
  assert_true(fabs(table->loss.worst - 0.4) < 1e-9);
  assert_true(fabs(table->loss.p95 - 0.4) < 1e-9);
  assert_true(fabs(table->loss.mean - 0.4 / 8) < 1e-9);
}

/* Builds the C or C++ source of the run's folder, which includes dispatch.h, and runs it: its
 * output, "picks" in the folder. */
static inline void run_user(const char *compiler, const char *source) {
  char command[4096];
  snprintf(command, sizeof command, "%s -Wall -Wextra -Werror -pedantic %s -o %s && %s > %s",
           compiler, run_path(source), run_path("user"), run_path("user"), run_path("picks"));
  if (system(command) != 0) fail_msg("failed: %s", command);
}

static inline void refuse(int status, const char *part) {
  unlink(run_path("dispatch.csv"));
  assert_status(dispatch(""), status);
  assert_contains(program_err, part);
  assert_false(exists(run_path("dispatch.csv")));
}

#endif
