/* `dcsbench claims` on run folders that the test writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/contract.h"
#include "tests/run_folder.h"
#include "tuning/claims/claims.h"

/* ---- a run, row by row ---- */

#define KEYS            "variant,config,scope,memory,devices,problem,problem_config,atoms,nx,ny,nz"
#define SUMMARY_COLUMNS KEYS ",backend,threads,chunk_atoms,registers,median_ns,outcome\n"

static FILE *samples, *summary;

static const char *run_path(const char *file) {
  char name[64];
  snprintf(name, sizeof name, "run/%s", file);
  return in_folder(name);
}

static void begin_run(void) {
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

static void put(method m) {
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

static const char *book(dcs_book which) {
  return dcs_find_book(which)->id;
}

static void put_version(int version, int edge, double ms, double scatter, int rounds) {
  put((method){.variant = book(DCS_BOOK_VERSION_1 + version - 1),
               .config = "block_x=16",
               .atoms = 4000,
               .edge = edge,
               .ms = ms,
               .scatter = scatter,
               .rounds = rounds});
}

static void put_cpu(const char *variant, int threads, int atoms, double ms) {
  char config[32];
  snprintf(config, sizeof config, "threads=%d", threads);
  put((method){.variant = variant,
               .config = config,
               .threads = threads,
               .atoms = atoms,
               .edge = 64,
               .ms = ms});
}

static void put_gpu(const char *variant, const char *scope, int atoms, double ms) {
  put((method){
      .variant = variant, .config = "x=1", .scope = scope, .atoms = atoms, .edge = 64, .ms = ms});
}

static dcs_table *claims(void) {
  assert_int_equal(fclose(samples), 0);
  assert_int_equal(fclose(summary), 0);
  assert_status(program_run("claims %s", in_folder("run")), 0);
  return run_table("run", "claims.csv");
}

static size_t row_of(const dcs_table *t, const char *claim) {
  for (size_t row = 0; row < dcs_table_rows(t); row++)
    if (strcmp(text_at(t, row, "claim"), claim) == 0) return row;
  fail_msg("no claim %s", claim);
  return 0;
}

static void assert_verdict(const dcs_table *t, const char *claim, const char *verdict) {
  size_t row = row_of(t, claim);
  const char *found = text_at(t, row, "verdict");
  if (strcmp(found, verdict) != 0) fail_msg("%s: found %s, expected %s", claim, found, verdict);
  assert_int_equal(*text_at(t, row, "missing") != '\0', strcmp(verdict, "not_measured") == 0);
}

/* Yes, partly, no, unsure. */
static void assert_counts(const dcs_table *t, const char *claim, int yes, int partly, int no,
                          int unsure) {
  size_t row = row_of(t, claim);
  assert_int_equal((int)number_at(t, row, "yes"), yes);
  assert_int_equal((int)number_at(t, row, "partly"), partly);
  assert_int_equal((int)number_at(t, row, "no"), no);
  assert_int_equal((int)number_at(t, row, "unsure"), unsure);
}

/* Writes the run's files out, judges, and checks one claim. */
static void conclude(const char *claim, const char *verdict) {
  dcs_table *t = claims();
  assert_verdict(t, claim, verdict);
  dcs_table_free(t);
}

/* ---- grades ---- */

static void intervals_are_graded(void **state) {
  (void)state;
  const dcs_claimed about = {1.26, 1.54, 1.02}, more = {1.02, INFINITY, 1.02},
                    only = {99, 121, INFINITY};
  assert_int_equal(dcs_grade_interval(1.26, 1.54, about), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(1.25, 1.54, about), DCS_GRADE_PARTLY);
  assert_int_equal(dcs_grade_interval(4, 5, about), DCS_GRADE_PARTLY);
  assert_int_equal(dcs_grade_interval(1.01, 1.2, about), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(0.9, 1.01, about), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(1.02, 9, more), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(1.01, 1.03, more), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(0.99, 1.01, more), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(100, 120, only), DCS_GRADE_YES);
  assert_int_equal(dcs_grade_interval(90, 98, only), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(122, 130, only), DCS_GRADE_NO);
  assert_int_equal(dcs_grade_interval(90, 100, only), DCS_GRADE_UNSURE);
  assert_int_equal(dcs_grade_interval(NAN, NAN, only), DCS_GRADE_UNSURE);
}

/* ---- versions ---- */

/* Versions 1 and 2 in one cell, version 1 taking `ratio` times as long. */
static void judge_coarsening(double ratio, double scatter, int rounds, const char *verdict) {
  begin_run();
  put_version(1, 512, 10 * ratio, scatter, rounds);
  put_version(2, 512, 10, scatter, rounds);
  conclude("coarsening_40_percent", verdict);
}

static void each_verdict(void **state) {
  (void)state;
  judge_coarsening(1.4, 0, 0, "holds");
  judge_coarsening(3, 0, 0, "partly");
  judge_coarsening(0.9, 0, 0, "fails");
  judge_coarsening(1.01, 0, 0, "fails");
  judge_coarsening(1.4, 0, 5, "not_measured");
  judge_coarsening(1.03, 0.3, 0, "not_measured");
  assert_contains(program_out, "missing   more rounds");
}

static void what_is_unsure_does_not_count(void **state) {
  (void)state;
  begin_run();
  put_version(1, 512, 14, 0, 0);
  put_version(2, 512, 10, 0, 0);
  put_version(1, 400, 10.3, 0.3, 0);
  put_version(2, 400, 10, 0.3, 0);
  put_version(1, 300, 14, 0, 5);
  put_version(2, 300, 10, 0, 5);
  put_version(1, 299, 5, 0, 0); /* a small slice */
  put_version(2, 299, 10, 0, 0);
  dcs_table *t = claims();
  assert_verdict(t, "coarsening_40_percent", "holds");
  assert_counts(t, "coarsening_40_percent", 1, 0, 0, 2);
  size_t row = row_of(t, "coarsening_40_percent");
  assert_string_equal(text_at(t, row, "grid"), "512x512x4");
  assert_string_equal(text_at(t, row, "variant"), book(DCS_BOOK_VERSION_2));
  assert_string_equal(text_at(t, row, "base_variant"), book(DCS_BOOK_VERSION_1));
  assert_true(fabs(number_at(t, row, "value") - 1.4) < 0.01);
  assert_true(number_at(t, row, "value_lo") < number_at(t, row, "value"));
  assert_true(number_at(t, row, "value_hi") > number_at(t, row, "value"));
  dcs_table_free(t);
}

static void the_padded_version_against_the_better_one(void **state) {
  (void)state;
  begin_run();
  for (int edge = 512; edge > 300; edge -= 112) {
    put_version(1, edge, edge == 512 ? 14 : 8, 0, 0); /* at 400 version 1 is the better one */
    put_version(2, edge, 10, 0, 0);
    put_version(3, edge, 9, 0, 0);
  }
  put_version(1, 1000, 14, 0, 0); /* without version 3 */
  put_version(2, 1000, 10, 0, 0);
  dcs_table *t = claims();
  assert_verdict(t, "padded_best_from_300", "partly");
  assert_counts(t, "padded_best_from_300", 1, 0, 1, 0);
  assert_verdict(t, "coarsening_40_percent", "partly");
  assert_counts(t, "coarsening_40_percent", 2, 0, 1, 0);
  dcs_table_free(t);
}

static void what_failed_is_not_compared(void **state) {
  (void)state;
  begin_run();
  put_version(1, 512, 14, 0, 0);
  put((method){.variant = book(DCS_BOOK_VERSION_2),
               .config = "block_x=16",
               .atoms = 4000,
               .edge = 512,
               .ms = 10,
               .outcome = "wrong"});
  conclude("coarsening_40_percent", "not_measured");
  assert_contains(program_out, "1 row of the summary is not ok and left out");
}

/* ---- CPU against GPU ---- */

/* One thread takes 1 ms an atom in the book's loop, 0.01 in another variant; eight 0.001. */
static void put_cpus(int atoms) {
  put_cpu(book(DCS_BOOK_SEQUENTIAL), 1, atoms, atoms);
  put_cpu("other", 1, atoms, 0.01 * atoms);
  put_cpu("other", 8, atoms, 0.001 * atoms);
  put_cpu("other", 2, atoms, 1e-5); /* not all threads */
}

static void thresholds_are_checked_on_both_sides(void **state) {
  (void)state;
  begin_run();
  put_cpus(400);
  put_cpus(401);
  put_gpu("g", "first", 400, 400.0 * 2);
  put_gpu("g", "first", 401, 401.0 / 2);
  put_gpu("g", "warm", 400, 1e-3); /* another scope */
  dcs_table *t = claims();
  assert_verdict(t, "cpu_to_400_sequential", "holds");
  assert_counts(t, "cpu_to_400_sequential", 1, 0, 0, 0);
  assert_verdict(t, "gpu_beyond_400_sequential", "holds");
  assert_counts(t, "gpu_beyond_400_sequential", 1, 0, 0, 0);
  assert_verdict(t, "cpu_to_400_threads", "holds");
  assert_verdict(t, "gpu_beyond_400_threads", "fails");
  assert_verdict(t, "gpu_44_sequential", "not_measured");
  dcs_table_free(t);
}

static void the_baseline_decides_the_ratio(void **state) {
  (void)state;
  begin_run();
  put_cpus(9999);
  put_gpu("g", "warm", 9999, 1); /* too few atoms */
  put_cpus(10000);
  put_gpu("g", "warm", 10000, 100 / 44.0);
  put_gpu("g", "kernel", 10000, 1e-3);
  dcs_table *t = claims();
  assert_verdict(t, "gpu_44_sequential", "partly");
  assert_verdict(t, "gpu_44_vector", "holds");
  assert_verdict(t, "gpu_44_threads", "partly");
  assert_counts(t, "gpu_44_vector", 1, 0, 0, 0);
  assert_true(fabs(number_at(t, row_of(t, "gpu_44_sequential"), "value") / 4400 - 1) < 0.01);
  assert_true(fabs(number_at(t, row_of(t, "gpu_44_threads"), "value") / 4.4 - 1) < 0.01);
  dcs_table_free(t);
}

static void one_thread_is_not_all_threads(void **state) {
  (void)state;
  begin_run();
  put_cpu("other", 1, 10000, 100);
  put_gpu("g", "warm", 10000, 100 / 44.0);
  dcs_table *t = claims();
  assert_verdict(t, "gpu_44_vector", "holds");
  assert_verdict(t, "gpu_44_threads", "not_measured");
  assert_verdict(t, "gpu_44_sequential", "not_measured");
  dcs_table_free(t);
}

static void judge_start_up(double first, double warm, const char *verdict) {
  begin_run();
  put_gpu("g", "first", 1000, first);
  put_gpu("g", "warm", 1000, warm);
  put_gpu("slow", "first", 1000, 2 * first);
  put_gpu("fast", "warm", 1000, 1e-3); /* another method */
  conclude("start_up_110_ms", verdict);
}

static void start_up_is_first_less_warm(void **state) {
  (void)state;
  judge_start_up(200, 90, "holds");
  judge_start_up(110, 0.1, "holds");
  judge_start_up(200, 50, "fails");
  judge_start_up(99, 0.01, "not_measured"); /* across a bound */
  begin_run();
  put_gpu("g", "first", 1000, 110);
  put_gpu("fast", "warm", 1000, 1e-3);
  conclude("start_up_110_ms", "not_measured");
}

/* ---- configurations ---- */

static void put_config(const char *config, int registers, double ms) {
  put((method){.variant = "g",
               .config = config,
               .atoms = 4000,
               .edge = 64,
               .ms = ms,
               .chunk = 4000,
               .registers = registers});
}

static void reads_are_compared_in_pairs(void **state) {
  (void)state;
  begin_run();
  put_config("coarsen=1,read=start", 20, 2);
  put_config("coarsen=1,read=end", 18, 1);
  put_config("coarsen=2,read=start", 20, 1);
  put_config("coarsen=2,read=end", 20, 1);
  put_config("coarsen=4,read=end", 9, 9); /* no partner */
  put_config("read=start,coarsen=8", 30, 1.0);
  put_config("read=end,coarsen=8", 0, 2.0); /* registers unknown */
  dcs_table *t = claims();
  assert_verdict(t, "late_read_saves_registers", "partly");
  assert_counts(t, "late_read_saves_registers", 1, 0, 1, 0);
  assert_verdict(t, "late_read_is_faster", "partly");
  assert_counts(t, "late_read_is_faster", 1, 0, 2, 0);
  assert_true(number_at(t, row_of(t, "late_read_saves_registers"), "most") == 2);
  dcs_table_free(t);
}

static void put_blocks(int n, double slowest) {
  char config[64];
  for (int i = 0; i < n; i++) {
    snprintf(config, sizeof config, "block_x=%d,block_y=%d,coarsen=4", 16 << i, 1 + i % 2);
    put_config(config, 0, i == 1 ? slowest : 1 + 0.01 * i);
  }
}

static void blocks_of_one_kernel(void **state) {
  (void)state;
  begin_run();
  put_blocks(4, 2);
  put_config("block_x=16,block_y=1,coarsen=8", 0, 100); /* another kernel */
  dcs_table *t = claims();
  assert_verdict(t, "blocks_matter_twofold", "holds");
  assert_counts(t, "blocks_matter_twofold", 1, 0, 0, 0);
  dcs_table_free(t);
  begin_run();
  put_blocks(4, 4);
  conclude("blocks_matter_twofold", "partly");
  begin_run();
  put_blocks(3, 2);
  conclude("blocks_matter_twofold", "not_measured");
}

/* Ten configurations, of which the second takes `second` ms and the fastest 1. */
static void judge_winners(double second, int n, const char *verdict) {
  char config[64];
  begin_run();
  for (int i = 0; i < n; i++) {
    snprintf(config, sizeof config, "a=%d", i);
    put_config(config, 0, i == 0 ? 1 : i == 1 ? second : 2);
  }
  conclude("no_single_winner", verdict);
}

static void winners_are_counted(void **state) {
  (void)state;
  judge_winners(1.0001, 10, "holds");
  assert_contains(program_out, "2 of 10 configurations");
  judge_winners(1.01, 10, "fails");
  judge_winners(1.0001, 9, "not_measured");
}

/* ---- claims that a kind has of its own ---- */

/* A size of a kind: its problem's values, its cells "atoms,nx,ny,nz". */
typedef struct {
  const char *kind, *problem, *axes;
} place;

/* Which takes `ms` at `part` of the limit. */
static void put_at(place at, const char *variant, const char *config, double ms, double part) {
  char keys[256];
  snprintf(keys, sizeof keys, "%s,\"%s\",kernel,,cuda:0,%s,\"%s\",%s", variant, config, at.kind,
           at.problem, at.axes);
  for (int i = 0; i < 9; i++)
    fprintf(samples, "%d,%s,%.3f\n", i, keys, 1e6 * ms * (1 + 0.001 * (i - 4)));
  fprintf(summary, "%s,gpu,,,,%.3f,ok,%.3f\n", keys, 1e6 * ms, part);
}

static void put_stencil(const char *variant, const char *config, int edge, double ms, double part) {
  char axes[64];
  snprintf(axes, sizeof axes, ",%d,%d,%d", edge, edge, edge);
  put_at((place){"stencil", "", axes}, variant, config, ms, part);
}

static void begin_kind(void) {
  begin_run();
  rewind(summary);
  fputs(KEYS ",backend,threads,chunk_atoms,registers,median_ns,outcome,limit_fraction\n", summary);
}

/* Large sizes alone count, and of a method the values that are claimed of; the book's claims are of
 * another kind. */
static void kinds_have_claims(void **state) {
  (void)state;
  begin_kind();
  put_stencil("cuda_stencil_naive", "block_x=64", 256, 3, 0.6);
  put_stencil("cuda_stencil_shared", "block_x=64,halo=threads", 256, 2.5, 0.7);
  put_stencil("cuda_stencil_shared", "block_x=64,halo=past", 256, 2, 0.8);
  put_stencil("cuda_stencil_register", "depth=8", 256, 1, 0.9);
  put_stencil("cuda_stencil_register", "depth=4", 32, 0.01, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 4);
  assert_verdict(t, "stencil_85_percent_of_memory", "holds");
  assert_verdict(t, "stencil_shared_beats_global", "holds");
  assert_verdict(t, "stencil_registers_beat_shared", "holds");
  assert_verdict(t, "stencil_halo_by_threads", "fails");
  assert_counts(t, "stencil_85_percent_of_memory", 1, 0, 0, 0);
  const size_t row = row_of(t, "stencil_halo_by_threads");
  assert_true(fabs(number_at(t, row, "value") - 0.8) < 1e-3);
  assert_string_equal(text_at(t, row, "atoms"), "");
  assert_string_equal(text_at(t, row, "grid"), "256x256x256");
  assert_string_equal(text_at(t, row, "base_config"), "block_x=64,halo=past");
  dcs_table_free(t);
  assert_contains(program_out, "4 claims: 3 hold, 0 partly, 1 fail, 0 not measured\n");
}

static void a_kind_falls_short_of_its_limit(void **state) {
  (void)state;
  begin_kind();
  put_stencil("cuda_stencil_register", "depth=8", 512, 1, 0.84);
  conclude("stencil_85_percent_of_memory", "fails");
  begin_kind();
  put_stencil("cuda_stencil_register", "depth=8", 512, 1, 0.8505);
  conclude("stencil_85_percent_of_memory", "not_measured"); /* the interval crosses it */
}

static void assert_value(const dcs_table *t, const char *claim, double value) {
  const double found = number_at(t, row_of(t, claim), "value");
  if (!(fabs(found - value) < 1e-3)) fail_msg("%s: found %g, expected %g", claim, found, value);
}

/* No problem of its plan is the initial one; methods are compared within a problem. */
static void forces_are_judged_in_each_problem(void **state) {
  (void)state;
  const place exact = {"forces", "boundary=periodic", "160461,,,"},
              rough = {"forces", "radial_error=1e-05,boundary=periodic", "160461,,,"},
              ewald = {"forces", "electrostatics=ewald,radial_error=0.008,boundary=periodic",
                       "160461,,,"},
              small = {"forces", "boundary=periodic", "6000,,,"};
  begin_kind();
  put_at(exact, "cuda_forces_direct", "cluster=16", 2, 0.1);
  put_at(exact, "cuda_forces_pairs", "block_y=4,adding=atomics", 4, 0.1);
  put_at(exact, "cuda_forces_pairs", "block_y=4,adding=segments", 3, 0.1);
  put_at(rough, "cuda_forces_direct", "cluster=16", 2.5, 0.1);
  put_at(rough, "cuda_forces_table", "cluster=16,memory=global", 3, 0.1);
  put_at(ewald, "cuda_forces_table", "cluster=16,memory=global", 3, 0.1);
  put_at(ewald, "cuda_forces_table", "cluster=16,memory=shared", 2.5, 0.1);
  put_at(small, "cuda_forces_direct", "cluster=16", 1, 0.1);
  put_at(small, "cuda_forces_pairs", "block_y=4,adding=segments", 0.5, 0.1);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 4);
  assert_verdict(t, "forces_table_beats_arithmetic", "fails");
  assert_verdict(t, "forces_shared_table_beats_cached", "holds");
  assert_verdict(t, "forces_segments_beat_atomics", "holds");
  assert_verdict(t, "forces_clusters_beat_pairs", "holds");
  assert_value(t, "forces_table_beats_arithmetic", 2.5 / 3);
  assert_value(t, "forces_shared_table_beats_cached", 3 / 2.5);
  assert_value(t, "forces_segments_beat_atomics", 4.0 / 3);
  assert_value(t, "forces_clusters_beat_pairs", 3.0 / 2);
  for (size_t row = 0; row < 4; row++)
    assert_true(number_at(t, row, "yes") + number_at(t, row, "no") == 1);
  assert_string_equal(text_at(t, row_of(t, "forces_table_beats_arithmetic"), "problem_config"),
                      rough.problem);
  dcs_table_free(t);
}

static void orbitals_are_judged(void **state) {
  (void)state;
  const place large = {"orbital", "", "32,128,128,128"}, small = {"orbital", "", "10,128,128,128"};
  begin_kind();
  put_at(large, "cuda_orbital_constant", "coarsen_z=8", 3, 0.1);
  put_at(large, "cuda_orbital_compiled", "coarsen_z=8", 2.1, 0.2);
  put_at(large, "cuda_orbital_shared", "block_y=8", 1, 0.4);
  put_at(small, "cuda_orbital_constant", "coarsen_z=8", 0.1, 0.1);
  put_at(small, "cuda_orbital_shared", "block_y=8", 0.1, 0.9);
  dcs_table *t = claims();
  assert_int_equal(dcs_table_rows(t), 3);
  assert_verdict(t, "orbital_80_percent_of_fma", "fails");
  assert_verdict(t, "orbital_compiled_40_percent", "holds");
  assert_verdict(t, "orbital_products_beat_powers", "holds");
  assert_value(t, "orbital_80_percent_of_fma", 0.4);
  assert_value(t, "orbital_compiled_40_percent", 3 / 2.1);
  assert_value(t, "orbital_products_beat_powers", 3);
  dcs_table_free(t);
}

/* The book's claims are of the initial problem alone. */
static void the_book_is_of_the_initial_problem(void **state) {
  (void)state;
  const place cut = {"coulomb", "cutoff=12", "4000,512,512,4"};
  begin_kind();
  put_at(cut, book(DCS_BOOK_VERSION_1), "block_x=16", 14, 0.1);
  put_at(cut, book(DCS_BOOK_VERSION_2), "block_x=16", 10, 0.1);
  conclude("coarsening_40_percent", "not_measured");
}

/* Whether a line of a plan has the method: its variant, and a list with each of its values. */
static bool is_planned(const dcs_table *plan, const dcs_claimed_method *claimed) {
  for (size_t row = 0; row < dcs_table_rows(plan); row++) {
    char name[64], value[64];
    const bool has_value = claimed->config != NULL;
    if (has_value) assert_int_equal(sscanf(claimed->config, "%63[^=]=%63s", name, value), 2);
    const char *list = has_value ? strstr(text_at(plan, row, "config"), name) : NULL;
    if (strstr(text_at(plan, row, "variants"), claimed->variant) &&
        (!has_value || (list && strstr(list, value))))
      return true;
  }
  return false;
}

static void plans_have_what_is_claimed_of(void **state) {
  (void)state;
  for (int k = 0; dcs_claims_of_kinds[k]; k++) {
    const dcs_kind_claims *of = dcs_claims_of_kinds[k];
    char path[128];
    dcs_table *plan;
    snprintf(path, sizeof path, "results/%s.plan.csv", of->kind);
    assert_int_equal(dcs_table_read(path, &plan), DCS_OK);
    for (int c = 0; c < of->n; c++)
      if ((of->list[c].method.variant && !is_planned(plan, &of->list[c].method)) ||
          (of->list[c].base.variant && !is_planned(plan, &of->list[c].base)))
        fail_msg("%s: found no line for %s", path, of->list[c].id);
    dcs_table_free(plan);
  }
}

/* ---- runs ---- */

/* Arithmetic needs no run; the rest needs a GPU. */
static void a_run_without_a_gpu(void **state) {
  (void)state;
  begin_run();
  put_cpus(100);
  put_cpus(10000);
  dcs_table *t = claims();
  for (size_t row = 0; row < dcs_table_rows(t); row++) {
    const char *claim = text_at(t, row, "claim");
    bool arithmetic =
        strcmp(claim, "padding_fades") == 0 || strcmp(claim, "operations_per_evaluation") == 0;
    assert_verdict(t, claim, arithmetic ? "holds" : "not_measured");
    assert_int_equal(*text_at(t, row, "value") != '\0', arithmetic);
  }
  assert_counts(t, "operations_per_evaluation", 3, 0, 0, 0);
  assert_counts(t, "padding_fades", 2, 0, 0, 0);
  assert_contains(program_out, "16 claims: 2 hold, 0 partly, 0 fail, 14 not measured\n");
  dcs_table_free(t);
}

static void the_csv_is_printed_as_it_is_written(void **state) {
  (void)state;
  judge_coarsening(1.4, 0, 0, "holds");
  put_file(run_path("claims.csv"), "an older one");
  assert_status(program_run("claims --csv %s", in_folder("run")), 0);
  char *written = run_file("run", "claims.csv", NULL);
  assert_string_equal(program_out, written);
  free(written);
}

static void lines_fit_a_terminal(void **state) {
  (void)state;
  judge_coarsening(3, 0, 0, "partly");
  for (const char *line = program_out; *line; line += strcspn(line, "\n") + 1)
    assert_true(strcspn(line, "\n") <= 100);
}

static void refuse(int status, const char *said) {
  assert_status(program_run("claims %s", in_folder("run")), status);
  assert_contains(program_err, said);
  assert_string_equal(program_out, "");
  assert_false(exists(run_path("claims.csv")));
}

static void bad_folders_are_refused(void **state) {
  (void)state;
  assert_status(program_run("claims"), 2);
  assert_contains(program_err, "the run folder is missing");
  assert_status(program_run("claims a b"), 2);
  assert_status(program_run("claims %s", in_folder("absent")), 5);
  judge_coarsening(1.4, 0, 0, "holds");
  unlink(run_path("claims.csv"));
  put_file(run_path("summary.csv"), KEYS ",backend,outcome\n");
  refuse(3, "no column \"median_ns\"");
  put_file(run_path("summary.csv"),
           SUMMARY_COLUMNS "g,,kernel,,cuda:0,coulomb,,5,8,8,8,gpu,,,,7,ok\n");
  refuse(3, "no samples of row 2");
  put_file(run_path("summary.csv"),
           SUMMARY_COLUMNS "g,,kernel,,cuda:0,coulomb,,x,8,8,8,gpu,,,,7,ok\n");
  refuse(3, "row 2: found atoms \"x\"");
  put_file(run_path("summary.csv"), SUMMARY_COLUMNS);
  unlink(run_path("samples.csv"));
  refuse(5, "run/samples.csv");
}

/* ---- the list ---- */

static void the_book_names_one_variant_each(void **state) {
  (void)state;
  for (int which = DCS_BOOK_NONE + 1; which < DCS_N_BOOK; which++) {
    int n = 0;
    for (int v = 0; v < dcs_n_variants; v++)
      n += dcs_variants[v]->book == (dcs_book)which;
    assert_int_equal(n, 1);
    assert_true(*dcs_book_names[which]);
  }
  for (int k = 0; dcs_claims_of_kinds[k]; k++) {
    const dcs_kind_claims *of = dcs_claims_of_kinds[k];
    assert_non_null(dcs_find_kind(of->kind));
    assert_in_range(of->n, 1, 4);
    for (int c = 0; c < of->n; c++) {
      const dcs_claimed_method *const methods[] = {&of->list[c].method, &of->list[c].base};
      for (int m = 0; m < 2; m++)
        if (methods[m]->variant)
          assert_string_equal(dcs_find_variant(methods[m]->variant)->kind, of->kind);
    }
  }
  for (size_t c = 0; c < dcs_n_claims; c++)
    for (size_t d = 0; d < c; d++)
      assert_string_not_equal(dcs_claim_list[c].id, dcs_claim_list[d].id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_are_graded),
      cmocka_unit_test(each_verdict),
      cmocka_unit_test(what_is_unsure_does_not_count),
      cmocka_unit_test(the_padded_version_against_the_better_one),
      cmocka_unit_test(what_failed_is_not_compared),
      cmocka_unit_test(thresholds_are_checked_on_both_sides),
      cmocka_unit_test(the_baseline_decides_the_ratio),
      cmocka_unit_test(one_thread_is_not_all_threads),
      cmocka_unit_test(start_up_is_first_less_warm),
      cmocka_unit_test(reads_are_compared_in_pairs),
      cmocka_unit_test(blocks_of_one_kernel),
      cmocka_unit_test(winners_are_counted),
      cmocka_unit_test(kinds_have_claims),
      cmocka_unit_test(a_kind_falls_short_of_its_limit),
      cmocka_unit_test(forces_are_judged_in_each_problem),
      cmocka_unit_test(orbitals_are_judged),
      cmocka_unit_test(the_book_is_of_the_initial_problem),
      cmocka_unit_test(plans_have_what_is_claimed_of),
      cmocka_unit_test(a_run_without_a_gpu),
      cmocka_unit_test(the_csv_is_printed_as_it_is_written),
      cmocka_unit_test(lines_fit_a_terminal),
      cmocka_unit_test(bad_folders_are_refused),
      cmocka_unit_test(the_book_names_one_variant_each),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
