/* A run folder that the tests of `dcsbench claims` write row by row, and what is claimed of it. */
#ifndef DCS_TEST_CLAIMS_RUN_H
#define DCS_TEST_CLAIMS_RUN_H

#include "kernels/contract.h"
#include "tests/run_folder.h"
#include "tuning/claims/claims.h"

#define KEYS            "variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz"
#define SUMMARY_COLUMNS KEYS ",backend,threads,chunk_atoms,registers,median_ns,outcome\n"

static FILE *samples, *summary;

static inline const char *run_path(const char *file) {
  char name[64];
  snprintf(name, sizeof name, "run/%s", file);
  return in_folder(name);
}

static inline void begin_run(void) {
  mkdir(in_folder("run"), 0777);
  unlink(run_path("claims.csv"));
  put_file(run_path("env.csv"), "key,value\nschema,4\ncpu_model,Some CPU\ncpus,8\nseed,1\n");
  samples = fopen(run_path("samples.csv"), "w");
  summary = fopen(run_path("summary.csv"), "w");
  assert_true(samples && summary);
  fputs("round," KEYS ",time_ns\n", samples);
  fputs(SUMMARY_COLUMNS, summary);
}

/* A method: no threads is one on the GPU. Its times lie within `scatter` (0: 0.1%) of `ms`. */
typedef struct {
  const char *variant, *config, *scope; /* scope NULL: kernel */
  int threads, atoms, edge, slices;     /* slices 0: 4 */
  double ms, scatter;
  int rounds, chunk, registers; /* rounds 0: 9; the others 0: empty */
  const char *outcome;          /* NULL: ok */
} method;

static inline void put(method m) {
  char keys[256];
  int rounds = m.rounds ? m.rounds : 9, slices = m.slices ? m.slices : 4;
  double scatter = m.scatter > 0 ? m.scatter : 0.001;
  snprintf(keys, sizeof keys, "%s,\"%s\",%s,,%s,coulomb,,%d,%d,%d,%d", m.variant, m.config,
           m.scope ? m.scope : "kernel", m.threads ? "cpu" : "cuda:0", m.atoms, m.edge, m.edge,
           slices);
  for (int i = 0; i < rounds; i++) /* in an order that is not sorted */
    fprintf(samples, "%d,%s,%.3f\n", i, keys,
            1e6 * m.ms * (1 + scatter * (2.0 * (7 * i % rounds) / (rounds - 1) - 1)));
  fprintf(summary, "%s,%s,", keys, m.threads ? "cpu" : "gpu");
  if (m.threads) fprintf(summary, "%d", m.threads);
  fprintf(summary, m.chunk ? ",%d" : ",", m.chunk);
  fprintf(summary, m.registers ? ",%d" : ",", m.registers);
  fprintf(summary, ",%.3f,%s\n", 1e6 * m.ms, m.outcome ? m.outcome : "ok");
}

static inline const char *book(dcs_book which) {
  return dcs_find_book(which)->id;
}

static inline void put_version(int version, int edge, double ms, double scatter, int rounds) {
  put((method){.variant = book(DCS_BOOK_VERSION_1 + version - 1),
               .config = "block_x=16",
               .atoms = 4000,
               .edge = edge,
               .ms = ms,
               .scatter = scatter,
               .rounds = rounds});
}

static inline void put_cpu(const char *variant, int threads, int atoms, double ms) {
  char config[32];
  snprintf(config, sizeof config, "threads=%d", threads);
  put((method){.variant = variant,
               .config = config,
               .threads = threads,
               .atoms = atoms,
               .edge = 64,
               .ms = ms});
}

static inline void put_gpu(const char *variant, const char *scope, int atoms, double ms) {
  put((method){
      .variant = variant, .config = "x=1", .scope = scope, .atoms = atoms, .edge = 64, .ms = ms});
}

static inline dcs_table *claims(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
  assert_status(program_run("claims %s", in_folder("run")), 0);
  return run_table("run", "claims.csv");
}

static inline size_t row_of(const dcs_table *t, const char *claim) {
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "claim"), claim) == 0) return row;
  fail_msg("no claim %s", claim);
  return 0;
}

static inline void assert_verdict(const dcs_table *t, const char *claim, const char *verdict) {
  size_t row = row_of(t, claim);
  const char *found = text_at(t, row, "verdict");
  if (strcmp(found, verdict) != 0) fail_msg("%s: found %s, expected %s", claim, found, verdict);
  assert_int_equal(*text_at(t, row, "missing") != '\0', strcmp(verdict, "not_measured") == 0);
}

/* Yes, partly, no, unsure. */
static inline void assert_counts(const dcs_table *t, const char *claim, int yes, int partly, int no,
                                 int unsure) {
  size_t row = row_of(t, claim);
  assert_int_equal((int)number_at(t, row, "yes"), yes);
  assert_int_equal((int)number_at(t, row, "partly"), partly);
  assert_int_equal((int)number_at(t, row, "no"), no);
  assert_int_equal((int)number_at(t, row, "unsure"), unsure);
}

/* Writes the run's files out, judges, and checks one claim. */
static inline void conclude(const char *claim, const char *verdict) {
  dcs_table *t = claims();
  assert_verdict(t, claim, verdict);
  dcs_table_free(t);
}

/* One thread takes 1 ms an atom in the book's loop, 0.01 in another variant; eight 0.001. */
static inline void put_cpus(int atoms) {
  put_cpu(book(DCS_BOOK_SEQUENTIAL), 1, atoms, atoms);
  put_cpu("other", 1, atoms, 0.01 * atoms);
  put_cpu("other", 8, atoms, 0.001 * atoms);
  put_cpu("other", 2, atoms, 1e-5); /* not all threads */
}

/* Versions 1 and 2 in one cell, version 1 taking `ratio` times as long. */
static inline void judge_coarsening(double ratio, double scatter, int rounds, const char *verdict) {
  begin_run();
  put_version(1, 512, 10 * ratio, scatter, rounds);
  put_version(2, 512, 10, scatter, rounds);
  conclude("coarsening_40_percent", verdict);
}

#endif
