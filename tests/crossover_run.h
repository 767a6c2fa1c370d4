/* A run folder that a test of thresholds writes row by row. Include after cmocka.h. */
#ifndef DCS_TEST_CROSSOVER_RUN_H
#define DCS_TEST_CROSSOVER_RUN_H

#include "harness/runs/record.h"
#include "tests/run_folder.h"

#define KEYS            "variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz"
#define SUMMARY_COLUMNS KEYS ",backend,threads,median_ns,outcome\n"

static FILE *samples, *summary;
static int rounds = 9;
static const char *run_name = "run";

static inline const char *run_path(const char *file) {
  char name[64];
  snprintf(name, sizeof name, "%s/%s", run_name, file);
  return in_folder(name);
}

static inline void begin_run(void) {
  mkdir(in_folder(run_name), 0777);
  unlink(run_path("thresholds.csv"));
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n");
  samples = fopen(run_path("samples.csv"), "w");
  summary = fopen(run_path("summary.csv"), "w");
  assert_true(samples && summary);
  fputs("round," KEYS ",time_ns\n", samples);
  fputs(SUMMARY_COLUMNS, summary);
}

static inline void end_run(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
}

static const char *gpu = "cuda:0";
static const char *problem = ""; /* problem_config: the direct sum */

/* A method on a grid: no threads is one on the GPU. Its times lie within 0.1% of `ms`. */
static inline void put_on_grid(const char *variant, int threads, const char *scope, int atoms,
                               const int n[3], double ms, const char *outcome) {
  char keys[256];
  snprintf(keys, sizeof keys, "%s,\"x=1,threads=%d\",%s,,%s,coulomb,\"%s\",%d,%d,%d,%d", variant,
           threads, scope, threads ? "cpu" : gpu, problem, atoms, n[0], n[1], n[2]);
  for (int i = 0; i < rounds; i++) /* in an order that is not sorted */
    fprintf(samples, "%d,%s,%.3f\n", i, keys,
            1e6 * ms * (1 + 0.001 * (2.0 * (7 * i % rounds) / (rounds - 1) - 1)));
  fprintf(summary, "%s,%s,", keys, threads ? "cpu" : "gpu");
  if (threads) fprintf(summary, "%d", threads);
  fprintf(summary, ",%.3f,%s\n", 1e6 * ms, outcome);
}

static inline void put_method(const char *variant, int threads, const char *scope, int atoms,
                              int edge, double ms, const char *outcome) {
  put_on_grid(variant, threads, scope, atoms, (const int[3]){edge, edge, edge}, ms, outcome);
}

/* Methods of a kind without a grid: on the CPU 2 us, on the GPU 1 us. */
static inline void put_born(int atoms) {
  for (int r = 0; r < rounds; r++) {
    fprintf(samples, "%d,b,\"x=1,threads=4\",kernel,,cpu,born,,%d,,,,%d\n", r, atoms, 2000 + r);
    fprintf(samples, "%d,bg,\"x=1,threads=0\",kernel,,cuda:0,born,,%d,,,,%d\n", r, atoms, 1000 + r);
  }
  fprintf(summary, "b,\"x=1,threads=4\",kernel,,cpu,born,,%d,,,,cpu,4,2004,ok\n", atoms);
  fprintf(summary, "bg,\"x=1,threads=0\",kernel,,cuda:0,born,,%d,,,,gpu,,1004,ok\n", atoms);
}

/* Five numbers of atoms on 8^3: one thread takes 1 us an atom, four 15 us times the root of the
 * atoms, the GPU 0.5, 1 and 0.61 ms; and methods that are not to count. */
static inline void put_atoms(void) {
  for (int atoms = 100; atoms <= 1600; atoms *= 2) {
    put_method("cpu_gather", 1, "kernel", atoms, 8, 1e-3 * atoms, "ok");
    put_method("cpu_gather", 1, "first", atoms, 8, 1e-6, "ok"); /* not kernel time */
    put_method("fast", 1, "kernel", atoms, 8, 1e-6, "ok");      /* not the first variant */
    put_method("fast", 4, "kernel", atoms, 8, 0.015 * sqrt(atoms), "ok");
    put_method("cpu_gather", 4, "kernel", atoms, 8, 0.02 * sqrt(atoms), "ok");
    put_method("cpu_gather", 2, "kernel", atoms, 8, 1e-6, "ok"); /* not all threads */
    put_method("g1", 0, "kernel", atoms, 8, atoms < 300 ? 0.5 : 5, "ok");
    put_method("g2", 0, "kernel", atoms, 8, atoms < 300 ? 5 : 0.5, "ok");
    put_method("g2", 0, "warm", atoms, 8, 1, "ok");
    put_method("g2", 0, "first", atoms, 8, 0.61, "ok");
    put_method("g3", 0, "kernel", atoms, 8, 1e-6, "wrong");
  }
}

static inline int crossover(const char *options) {
  return program_run("crossover %s %s", in_folder("run"), options);
}

/* A run of this machine and program, then with times that are planted: one thread takes 1 us an
 * atom, two threads 50 us, on 4^3 points. */
static inline void put_real_run(const char *options) {
  static const char *const methods[] = {"threads=1", "threads=2"};
  assert_status(
      program_run("sweep --variants cpu_gather --config threads=1|2 --atoms 10 --grid 4^3 "
                  "--rounds 1 --seed 5 --spacing 0.7 %s --out %s",
                  options, in_folder("run")),
      0);
  FILE *s = fopen(run_path("samples.csv"), "w"), *u = fopen(run_path("summary.csv"), "w");
  assert_true(s && u);
  for (int c = 0; dcs_sample_columns[c]; c++)
    fprintf(s, "%s%s", c ? "," : "", dcs_sample_columns[c]);
  for (int c = 0; dcs_summary_columns[c]; c++)
    fprintf(u, "%s%s", c ? "," : "", dcs_summary_columns[c]);
  fputs("\n", s);
  for (int atoms = 10, seq = 0; atoms <= 80; atoms *= 2)
    for (int m = 0; m < 2; m++) {
      double ns = m == 0 ? 1e3 * atoms : 5e4;
      for (int r = 0; r < 6; r++)
        fprintf(s, "%d,%d,cpu_gather,%s,kernel,,cpu,coulomb,,%d,4,4,4,1,%g,,,,,,0,0\n", r, seq++,
                methods[m], atoms, ns + r);
      for (int c = 0; dcs_summary_columns[c]; c++) {
        static const struct {
          const char *column, *text;
        } texts[] = {{"variant", "cpu_gather"},
                     {"backend", "cpu"},
                     {"devices", "cpu"},
                     {"scope", "kernel"},
                     {"problem", "coulomb"},
                     {"nx", "4"},
                     {"ny", "4"},
                     {"nz", "4"},
                     {"n", "6"},
                     {"outcome", "ok"}};
        const char *name = dcs_summary_columns[c];
        fputs(c ? "," : "\n", u);
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
          if (strcmp(name, texts[t].column) == 0) fputs(texts[t].text, u);
        if (strcmp(name, "config") == 0) fputs(methods[m], u);
        if (strcmp(name, "threads") == 0) fprintf(u, "%d", m + 1);
        if (strcmp(name, "atoms") == 0) fprintf(u, "%d", atoms);
        if (strcmp(name, "median_ns") == 0) fprintf(u, "%g", ns + 2.5);
        if (strcmp(name, "min_ns") == 0) fprintf(u, "%g", ns);
      }
    }
  fputs("\n", u);
  assert_int_equal(fclose(s), 0);
  assert_int_equal(fclose(u), 0);
}

static inline void remove_run(void) {
  static const char *const names[] = {"env.csv", "samples.csv", "summary.csv", "thresholds.csv",
                                      "winners.csv"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    unlink(run_path(names[i]));
}

#endif
