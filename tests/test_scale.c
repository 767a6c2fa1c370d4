/* Scaling: Amdahl's law and the simulation on planted times, and a study of real jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "tests/mpi_job.h"
#include "tuning/scale/scale.h"

#include <math.h>
#include <time.h>

enum { ROUNDS = 7 };

/* ---- planted times ---- */

typedef struct {
  dcs_scale_point points[8];
  dcs_scale_run runs[8 * ROUNDS];
  dcs_scale scale;
} planted;

static void begin(planted *p) {
  memset(p, 0, sizeof *p);
  p->scale = (dcs_scale){.points = p->points, .runs = p->runs};
}

/* A point whose runs take wall_s, a little more or less. */
static void add(planted *p, dcs_scale_point point, dcs_scale_run run, double spread) {
  const int n = p->scale.n_points++;
  p->points[n] = point;
  for (int r = 0; r < ROUNDS; r++) {
    run.point = n;
    run.round = r;
    p->runs[p->scale.n_runs] = run;
    p->runs[p->scale.n_runs++].wall_s += spread * (r - ROUNDS / 2);
  }
}

static dcs_scale_point strong(int ranks) {
  return (dcs_scale_point){.ranks = ranks, .threads = 1, .workers = ranks};
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

static void plant_amdahl(planted *p, double spread) {
  begin(p);
  for (int ranks = 1; ranks <= 4; ranks *= 2)
    add(p, strong(ranks),
        (dcs_scale_run){.wall_s = 2 + 8.0 / ranks, .communicating_s = 0.5 * ranks}, spread);
  dcs_scale_point crowded = strong(8);
  crowded.crowded = true;
  add(p, crowded, (dcs_scale_run){.wall_s = 100}, 0);
}

static void amdahls_law_is_found(void **state) {
  (void)state;
  planted p;
  plant_amdahl(&p, 0);
  dcs_scale_fit fit = dcs_scale_amdahl(&p.scale);
  assert_true(fit.known);
  assert_near(fit.serial_s, 2);
  assert_near(fit.parallel_s, 8);
  assert_near(fit.share, 0.2);
  assert_near(fit.lo, 0.2);
  assert_near(fit.hi, 0.2);
  plant_amdahl(&p, 0.2);
  fit = dcs_scale_amdahl(&p.scale);
  assert_near(fit.share, 0.2);
  assert_true(fit.lo > 0.1 && fit.lo < 0.195);
  assert_true(fit.hi > 0.205 && fit.hi < 0.3);
}

/* Jobs of noise, faster by more than their workers: a share is 0 to 1. */
static void a_serial_share_is_not_negative(void **state) {
  (void)state;
  planted p;
  begin(&p);
  for (int ranks = 1; ranks <= 2; ranks++)
    add(&p, strong(ranks), (dcs_scale_run){.wall_s = ranks == 1 ? 4 : 1.9}, 0.1);
  const dcs_scale_fit fit = dcs_scale_amdahl(&p.scale);
  assert_near(fit.serial_s, -0.2);
  assert_true(fit.share == 0 && fit.lo == 0);
  assert_true(fit.hi >= 0 && fit.hi < 0.1);
}

static void one_number_of_workers_fits_nothing(void **state) {
  (void)state;
  planted p;
  begin(&p);
  add(&p, strong(2), (dcs_scale_run){.wall_s = 3}, 0.1);
  assert_false(dcs_scale_amdahl(&p.scale).known);
}

static void speed_up_and_efficiency(void **state) {
  (void)state;
  planted p;
  plant_amdahl(&p, 0.1);
  const dcs_scale_row four = dcs_scale_row_of(&p.scale, 2);
  assert_int_equal(four.runs, ROUNDS);
  assert_near(four.wall_s, 4);
  assert_near(four.speed_up, 2.5);
  assert_near(four.efficiency, 0.625);
  assert_true(fabs(four.communication_share - 2.0 / 16) < 1e-9);
  begin(&p); /* weak: twice the work in a tenth more time */
  for (int ranks = 1; ranks <= 2; ranks++) {
    dcs_scale_point weak = strong(ranks);
    weak.weak = true;
    add(&p, weak, (dcs_scale_run){.wall_s = 1 + 0.1 * (ranks - 1)}, 0);
  }
  assert_near(dcs_scale_row_of(&p.scale, 1).speed_up, 2 / 1.1);
}

/* ---- simulation ---- */

/* As many rounds as the command takes, a pair of jobs in each. */
static void a_thousand_rounds_are_held_against_each_other(void **state) {
  (void)state;
  enum { MANY = 1000 };
  dcs_scale_point points[2] = {strong(1), strong(2)};
  dcs_scale_run *runs = calloc(2 * MANY, sizeof *runs);
  dcs_scale scale = {.points = points, .n_points = 2, .runs = runs, .n_runs = 2 * MANY};
  assert_non_null(runs);
  for (int r = 0; r < 2 * MANY; r++)
    runs[r] = (dcs_scale_run){.point = r % 2, .round = r / 2, .wall_s = r % 2 ? 1 + 1e-4 * r : 1};
  const dcs_ratio ratio = dcs_scale_ratio(&scale, 1, 0);
  assert_near(ratio.value, sqrt((1.1 - 1e-4) * (1.1 + 1e-4)));
  assert_true(ratio.n_a == MANY && ratio.lo > 1.09 && ratio.lo < 1.1);
  assert_true(ratio.hi > 1.1 && ratio.hi < 1.11);
  free(runs);
}

/* What both jobs of a round share cancels. */
static void ranks_are_held_against_threads(void **state) {
  (void)state;
  planted p;
  begin(&p);
  add(&p, (dcs_scale_point){.ranks = 1, .threads = 2, .workers = 2}, (dcs_scale_run){.wall_s = 5},
      0.8);
  add(&p, strong(2), (dcs_scale_run){.wall_s = 5 * 1.02}, 0.8 * 1.02);
  const dcs_ratio ratio = dcs_scale_ratio(&p.scale, 1, 0);
  assert_near(ratio.value, 1.02);
  assert_near(ratio.lo, 1.02);
  assert_near(ratio.hi, 1.02);
  p.scale.n_runs -= 2; /* rounds that were cut */
  assert_near(dcs_scale_ratio(&p.scale, 1, 0).value, 1.02);
  assert_true(isnan(dcs_scale_ratio(&p.scale, 1, 0).lo));
}

static void plant_model(planted *p, int64_t most_parts) {
  begin(p);
  add(p, strong(1),
      (dcs_scale_run){.wall_s = 1 + 10 * 2 + 0.5,
                      .parts = 10,
                      .most_parts = most_parts,
                      .preparing_s = 1,
                      .writing_s = 0.5},
      0);
  add(p, strong(2),
      (dcs_scale_run){.wall_s = 12,
                      .parts = most_parts > 10 ? 20 : 10,
                      .most_parts = most_parts,
                      .sent_parts = most_parts > 10 ? 10 : 5,
                      .receiving_s = 0.5,
                      .preparing_s = 1,
                      .writing_s = 0.5},
      0);
}

/* On a busy machine one rank may have computed all before the other began. */
static void runs_in_which_nothing_was_received_tell_nothing(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  plant_model(&p, 10);
  p.scale.runs[p.scale.n_runs - 1].sent_parts = 0;
  assert_true(dcs_scale_model_of(&p.scale, &m));
  assert_near(m.receive_s, 0.1);
  for (int r = 0; r < p.scale.n_runs; r++)
    p.scale.runs[r].sent_parts = 0;
  assert_false(dcs_scale_model_of(&p.scale, &m));
}

static void a_queue_of_blocks_is_simulated(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  plant_model(&p, 10);
  assert_true(dcs_scale_model_of(&p.scale, &m));
  assert_near(m.part_s, 2);
  assert_near(m.receive_s, 0.1);
  assert_near(dcs_scale_simulate(&m, 1, false), 21.5);
  assert_near(dcs_scale_simulate(&m, 10, false), 1 + 2 + 9 * 0.1 + 0.5); /* nine are received */
  assert_near(dcs_scale_simulate(&m, 1000, false), 1 + 2 + 9 * 0.1 + 0.5);
  assert_int_equal(dcs_scale_parts(&m, 1000, false), 10);
  /* Weak: rank 0 receives all of them: far more than a node's own time. */
  assert_int_equal(dcs_scale_parts(&m, 1000, true), 10000);
  const double weak_s = dcs_scale_simulate(&m, 1000, true);
  assert_true(weak_s > 9990 * 0.1 && weak_s < 9990 * 0.1 + 21.5 + 2.1);
}

/* Whatever their order, and no power of two: 10 parts of 2 s on 3 nodes end after 8 s. */
static void every_number_of_ranks_is_held_against_the_model(void **state) {
  (void)state;
  planted p;
  dcs_table *table;
  plant_model(&p, 10);
  add(&p, strong(3), (dcs_scale_run){.wall_s = 10, .parts = 10}, 0);
  add(&p, (dcs_scale_point){.weak = true, .ranks = 1, .threads = 1, .workers = 1},
      (dcs_scale_run){.wall_s = 10, .parts = 10}, 0);
  assert_int_equal(dcs_make_folder(in_folder("three"), 0777), DCS_OK);
  assert_int_equal(dcs_scale_write(&p.scale, in_folder("three"), 6), DCS_OK);
  assert_int_equal(dcs_table_read(in_folder("three/simulated.csv"), &table), DCS_OK);
  static const char *const nodes[] = {"1", "2", "3", "4", "6"};
  for (size_t row = 0; row < 5; row++) {
    assert_string_equal(dcs_table_text(table, row, "scaling"), "strong");
    assert_string_equal(dcs_table_text(table, row, "nodes"), nodes[row]);
  }
  assert_string_equal(dcs_table_text(table, 5, "scaling"), "weak");
  assert_near(atof(dcs_table_text(table, 2, "wall_s")), 1 + 8 + 0.5);
  assert_near(atof(dcs_table_text(table, 2, "measured_s")), 10);
  assert_near(atof(dcs_table_text(table, 2, "model_error")), -0.05);
  assert_string_equal(dcs_table_text(table, 3, "measured_s"), "");
  dcs_table_free(table);
  assert_int_equal(dcs_scale_draw(&p.scale, in_folder("three"), 6), DCS_OK);
  char *data = get_file(in_folder("three/plots/scaling.dat"), NULL);
  assert_contains(data, "measured from 1 to 3 workers; simulated up to 6 nodes");
  free(data);
}

/* Slabs: twice as many for two ranks, each half as large. */
static void slabs_are_cut_finer_for_more_nodes(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  plant_model(&p, 40);
  assert_true(dcs_scale_model_of(&p.scale, &m));
  assert_near(m.receive_s, 0.1); /* of a part of one node */
  assert_int_equal(dcs_scale_parts(&m, 2, false), 20);
  assert_int_equal(dcs_scale_parts(&m, 8, false), 40);
  assert_near(dcs_scale_simulate(&m, 1, false), 21.5);
}

/* 20 steps of 64 slices, 4 s each on one node; halos of two ranks: 0.1 s a step and neighbour that
 * is waited for, 0.5 that is not; beside steps 2 s and 0.125 a slice. */
static void plant_steps(planted *p) {
  const dcs_scale_run run = {.steps = 20, .slices = 64, .most_parts = 32, .writing_s = 0.5};
  dcs_scale_run one = run, two = run;
  begin(p);
  one.parts = 1;
  one.computing_s = 80;
  one.wall_s = 2 + 8 + 80 + 0.5;
  two.parts = 2;
  two.computing_s = 80;
  two.communicating_s = 2 * 20 * 0.1;
  two.hidden_s = 2 * 20 * 0.5;
  two.wall_s = 2 + 4 + 40 + 20 * 0.1 + 0.5;
  add(p, strong(1), one, 0);
  add(p, strong(2), two, 0);
}

static void steps_with_halos_are_simulated(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  plant_steps(&p);
  assert_true(dcs_scale_model_of(&p.scale, &m));
  assert_near(m.step_s, 4);
  assert_near(m.slice_s, 0.125);
  assert_near(m.preparing_s, 2);
  assert_true(dcs_scale_fitted(&m, 1, false) && dcs_scale_fitted(&m, 2, false));
  assert_false(dcs_scale_fitted(&m, 4, false) || dcs_scale_fitted(&m, 1, true));
  assert_near(dcs_scale_simulate(&m, 1, false), 90.5); /* as planted */
  assert_near(dcs_scale_simulate(&m, 2, false), 48.5);
  /* Four: two neighbours, and 12 of 16 slices to hide behind, 0.75 of 1 s. */
  assert_near(dcs_scale_simulate(&m, 4, false), 2 + 2 + 20 * (1 + 0.2 + 0.25) + 0.5);
  /* Not more than 32 slabs of two slices, which hide nothing. */
  assert_int_equal(dcs_scale_parts(&m, 1000, false), 32);
  assert_near(dcs_scale_simulate(&m, 32, false), 2 + 0.25 + 20 * (0.125 + 0.2 + 1) + 0.5);
  assert_near(dcs_scale_simulate(&m, 1000, false), dcs_scale_simulate(&m, 32, false));
  assert_near(dcs_scale_simulate(&m, 5, false), /* the largest of 13 slices */
              2 + 13 * 0.125 + 20 * (13 * 0.0625 + 0.2 + 1 - 9 * 0.0625) + 0.5);
  assert_true(dcs_scale_grows(&m));
  assert_near(dcs_scale_simulate(&m, 1000, true), 90.5 + 20 * 0.2);
}

/* Ranks on cards: two on two are two nodes of one card; two on one, or one on two, are not. */
static void ranks_on_cards_are_nodes_of_one_card(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  char text[DCS_SCALE_POINT_TEXT];
  const dcs_scale_run run = {.wall_s = 21, .parts = 10, .most_parts = 10, .preparing_s = 1};
  dcs_scale_run shared = run, apart = run;
  shared.sent_parts = apart.sent_parts = 5;
  shared.receiving_s = 5;
  apart.receiving_s = 0.5;
  begin(&p);
  add(&p, (dcs_scale_point){.ranks = 1, .cards = 1, .workers = 1}, run, 0);
  add(&p, (dcs_scale_point){.ranks = 1, .cards = 2, .workers = 2}, run, 0);
  add(&p, (dcs_scale_point){.ranks = 2, .cards = 1, .workers = 1}, shared, 0);
  assert_false(dcs_scale_model_of(&p.scale, &m));
  add(&p, (dcs_scale_point){.ranks = 2, .cards = 2, .workers = 2}, apart, 0);
  assert_true(dcs_scale_model_of(&p.scale, &m));
  assert_near(m.receive_s, 0.1);
  assert_string_equal(dcs_scale_point_text(&p.points[1], text), "1 rank on 2 cards");
  assert_string_equal(dcs_scale_point_text(&p.points[2], text), "2 ranks on 1 card");
  const dcs_scale_point threads = strong(2);
  assert_string_equal(dcs_scale_point_text(&threads, text), "2 ranks of 1 thread");
}

static void without_several_ranks_there_is_no_model(void **state) {
  (void)state;
  planted p;
  dcs_scale_model m;
  begin(&p);
  add(&p, strong(1), (dcs_scale_run){.wall_s = 3, .parts = 2, .most_parts = 2}, 0);
  assert_false(dcs_scale_model_of(&p.scale, &m));
}

/* ---- the command ---- */

static void the_command_line_is_checked(void **state) {
  (void)state;
  assert_status(program_run("scale --ranks 1,2 --out %s/a", test_folder), 2);
  assert_contains(program_err, "expected -- map FILE");
  assert_status(program_run("scale --ranks 1,2 -- map x.pqr -o y.dx"), 2);
  assert_contains(program_err, "--out DIR is missing");
  assert_status(program_run("scale --ranks 0 --out %s/a -- map x.pqr -o y.dx", test_folder),
                mpi_is_built() ? 2 : 4);
}

static void a_study_of_jobs(void **state) {
  (void)state;
  dcs_table *table;
  if (!mpi_here()) skip();
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  assert_status(program_run("generate water --atoms 300 --out %s", in_folder("water.pqr")), 0);
  assert_status(
      program_run("scale --ranks 1,2 --rounds 2 --nodes 100 --out %s -- map %s --grid 32^3 "
                  "-o %s",
                  in_folder("study"), in_folder("water.pqr"), in_folder("map.mrc")),
      0);
  assert_contains(program_out, "speed-up");
  char *facts = get_file(in_folder("study/env.csv"), NULL);
  assert_contains(facts, "command_line,\"dcsbench scale --ranks 1,2 --rounds 2 ");
  assert_contains(facts, "\ncpus,");
  free(facts);
  assert_int_equal(dcs_table_read(in_folder("study/runs.csv"), &table), DCS_OK);
  assert_int_equal(dcs_table_rows(table), 4);
  for (size_t row = 0; row < 4; row++) {
    assert_string_equal(dcs_table_text(table, row, "schema"), DCS_SCALE_SCHEMA);
    const int ranks = atoi(dcs_table_text(table, row, "ranks"));
    assert_int_equal(atoi(dcs_table_text(table, row, "parts")), ranks == 1 ? 8 : 16);
    assert_true(atof(dcs_table_text(table, row, "wall_s")) > 0);
  }
  dcs_table_free(table);
  assert_int_equal(dcs_table_read(in_folder("study/scaling.csv"), &table), DCS_OK);
  assert_int_equal(dcs_table_rows(table), 2);
  assert_string_equal(dcs_table_text(table, 0, "speed_up"), "1");
  dcs_table_free(table);
  assert_true(exists(in_folder("study/simulated.csv")));
  assert_true(exists(in_folder("study/plots/scaling.dat")));
  assert_status(program_run("scale --ranks 1 --out %s -- map %s -o %s", in_folder("study"),
                            in_folder("water.pqr"), in_folder("map.mrc")),
                2);
  assert_contains(program_err, "expected a folder without a study");
}

/* A run's facts are its own; two studies at once would have those of one. */
static void a_study_has_a_folder_of_its_own(void **state) {
  (void)state;
  dcs_lock lock = {0};
  static const char facts[] = "key,value\nschema,4\n";
  if (!mpi_here()) skip();
  assert_int_equal(mkdir(in_folder("run"), 0777), 0);
  put_file(in_folder("run/env.csv"), facts);
  put_file(in_folder("run/samples.csv"), "round\n");
  assert_status(program_run("scale --ranks 1 --out %s -- steps --grid 8^3", in_folder("run")), 2);
  assert_contains(program_err, "holds a run already");
  char *after = get_file(in_folder("run/env.csv"), NULL);
  assert_string_equal(after, facts);
  free(after);
  assert_int_equal(mkdir(in_folder("taken"), 0777), 0);
  assert_int_equal(dcs_lock_own(in_folder("taken/run.lock"), "", &lock), DCS_OK);
  assert_status(program_run("scale --ranks 1 --out %s -- steps --grid 8^3", in_folder("taken")), 4);
  assert_false(exists(in_folder("taken/env.csv")));
  dcs_lock_leave(&lock);
}

/* The weak points have so many slices for each rank. */
static void a_study_of_steps(void **state) {
  (void)state;
  dcs_table *table;
  if (!mpi_here()) skip();
  assert_status(program_run("scale --ranks 1,2 --weak 6 --rounds 1 --nodes 100 --out %s -- steps "
                            "--grid 8x8x10 --steps 3",
                            in_folder("steps")),
                0);
  assert_contains(program_out, "simulation of 3 steps");
  assert_contains(program_out, "no more than 5 slabs");
  assert_int_equal(times_in(program_out, " s (fitted to "), 2);
  assert_null(strstr(program_out, ", error "));
  assert_int_equal(dcs_table_read(in_folder("steps/runs.csv"), &table), DCS_OK);
  assert_int_equal(dcs_table_rows(table), 4);
  for (size_t row = 0; row < 4; row++) {
    const int ranks = atoi(dcs_table_text(table, row, "ranks"));
    const bool weak = strcmp(dcs_table_text(table, row, "scaling"), "weak") == 0;
    assert_int_equal(atoi(dcs_table_text(table, row, "slices")), weak ? 6 * ranks : 10);
    assert_int_equal(atoi(dcs_table_text(table, row, "steps")), 3);
  }
  dcs_table_free(table);
}

/* With what was measured until then. */
static void a_study_ends_at_an_interrupt(void **state) {
  (void)state;
  char line[4 * PATH_MAX];
  if (!mpi_here()) skip();
  const int words = open(in_folder("said"), O_RDWR | O_CREAT | O_TRUNC, 0666);
  snprintf(line, sizeof line, "scale --ranks 1 --rounds 1000 --out %s -- map %s --grid 8^3 -o %s",
           in_folder("cut"), in_folder("water.pqr"), in_folder("map.mrc"));
  const pid_t pid = program_start(line, words, words);
  int rows = 0;
  while (rows < 3 && program_goes_on(pid)) {
    char *text = get_file(in_folder("cut/runs.csv"), NULL);
    rows = times_in(text, "\n");
    free(text);
  }
  kill(pid, SIGINT);
  assert_int_equal(program_wait(pid), 1);
  char *text = get_file(in_folder("said"), NULL);
  assert_contains(text, "interrupted behind ");
  assert_contains(text, "Amdahl's law: not fitted");
  free(text);
  close(words);
  assert_true(exists(in_folder("cut/scaling.csv")));
}

/* A job that ends by itself in ten minutes: one that heeds SIGTERM, and one that does not. */
static void an_interrupt_ends_the_job(void **state) {
  (void)state;
  static const char *const jobs[] = {"trap 'touch told; exit 1' TERM; touch begun\n"
                                     "while [ ! -e gone ]; do sleep 0.1; done\n",
                                     "trap '' TERM; touch begun; exec sleep 600\n"};
  char script[2 * PATH_MAX], line[4 * PATH_MAX];
  for (int i = 0; i < 2; i++) {
    snprintf(script, sizeof script, "#!/bin/sh\ncd %s\n%s", in_folder(""), jobs[i]);
    put_file(in_folder("starter"), script);
    assert_int_equal(chmod(in_folder("starter"), 0755), 0);
    unlink(in_folder("begun"));
    const int words = open(in_folder("said"), O_RDWR | O_CREAT | O_TRUNC, 0666);
    snprintf(line, sizeof line, "scale --ranks 1 --mpirun %s --out %s -- map x.pqr -o y.mrc",
             in_folder("starter"), in_folder("ended"));
    const pid_t pid = program_start(line, words, words);
    while (!exists(in_folder("begun")))
      nanosleep(&(struct timespec){0, 10000000}, NULL);
    kill(pid, SIGINT);
    assert_int_equal(program_wait(pid), 1);
    char *text = get_file(in_folder("said"), NULL);
    assert_contains(text, "interrupted");
    free(text);
    close(words);
    assert_true(exists(in_folder("told")));
    unlink(in_folder("ended/runs.csv"));
    unlink(in_folder("ended/env.csv"));
  }
}

/* Each rank would bind its threads from the first CPU on. */
static void ranks_are_not_bound_to_one_cpu(void **state) {
  (void)state;
  char script[2 * PATH_MAX];
  if (!mpi_here()) skip();
  snprintf(script, sizeof script, "#!/bin/sh\nenv >%s\necho \"$@\" >%s\nexit 1\n",
           in_folder("environment"), in_folder("said"));
  put_file(in_folder("starter"), script);
  assert_int_equal(chmod(in_folder("starter"), 0755), 0);
  unsetenv("OMP_PROC_BIND");
  assert_status(program_run("scale --ranks 2 --mpirun %s --out %s -- map x.pqr -o y.mrc",
                            in_folder("starter"), in_folder("unbound")),
                1);
  char *text = get_file(in_folder("environment"), NULL);
  assert_contains(text, "PATH=");
  assert_null(strstr(text, "OMP_PROC_BIND"));
  free(text);
}

/* What prepares frames for a card are the CPU's threads: ranks divide all of them. */
static void ranks_on_cards_have_all_threads(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  unsetenv("OMP_NUM_THREADS");
  assert_status(program_run("scale --ranks 2 --cards 3 --mpirun %s --out %s -- map x.pqr -o y.mrc",
                            in_folder("starter"), in_folder("on_cards")),
                1);
  char *text = get_file(in_folder("said"), NULL);
  assert_contains(text, "2 env CUDA_VISIBLE_DEVICES=0,1,2 ");
  free(text);
}

/* What starts ranks is the user's, and so is what it prints. */
static void numbers_that_no_rank_has_are_refused(void **state) {
  static const char *const parts[] = {"1e300", "-1e13", "-1", "nan", "inf", "9223372036854775808"};
  static const char *const words[] = {NULL};
  char script[2 * PATH_MAX];
  const dcs_scale_plan plan = {
      .program = "dcsbench", .mpirun = in_folder("starter"), .words = (char **)words};
  const dcs_scale_point one = strong(1);
  (void)state;
  for (size_t i = 0; i <= sizeof parts / sizeof parts[0]; i++) {
    const bool good = i == sizeof parts / sizeof parts[0];
    dcs_scale_run run = {0};
    snprintf(script, sizeof script,
             "#!/bin/sh\necho schema,rank,parts,most_parts,preparing_s,reading_s,computing_s,"
             "communicating_s,receiving_s,writing_s,wall_s,steps,slices,hidden_s\n"
             "echo " DCS_RANK_TIMES_SCHEMA ",0,%s,1,1,1,1,1,1,1,10,0,0,0\n",
             good ? "7" : parts[i]);
    put_file(in_folder("starter"), script);
    assert_int_equal(chmod(in_folder("starter"), 0755), 0);
    assert_int_equal(dcs_scale_job(&plan, &one, &run), good ? DCS_OK : DCS_INPUT);
    if (good) assert_int_equal(run.parts, 7);
    if (!good) assert_contains(dcs_error_message(), "a number of at most 1e12");
  }
}

/* Steps of no slabs: an integer would be divided by 0. */
static void no_parts_are_no_model(void **state) {
  planted p;
  dcs_scale_model m;
  const dcs_scale_run run = {.wall_s = 3, .parts = 2, .steps = 20, .slices = 64};
  (void)state;
  begin(&p);
  add(&p, strong(1), run, 0);
  add(&p, strong(2), run, 0);
  assert_false(dcs_scale_model_of(&p.scale, &m));
}

static void a_job_that_fails_is_told(void **state) {
  (void)state;
  if (!mpi_here()) skip();
  assert_status(program_run("scale --ranks 2 --rounds 1 --out %s -- map %s -o %s",
                            in_folder("failed"), in_folder("none.pqr"), in_folder("map.mrc")),
                1);
  assert_contains(program_err, "none.pqr: cannot open");
  assert_false(exists(in_folder("failed/runs.csv")));
  assert_false(exists(in_folder("failed/env.csv")));
  assert_status(program_run("scale --ranks 2 --rounds 1 --weak 1 --out %s -- steps --grid 8^3 "
                            "--steps 1",
                            in_folder("failed")),
                1);
  assert_contains(program_err, "found 2 ranks for 2 slices");
  assert_false(exists(in_folder("failed/runs.csv"))); /* of the other point neither */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amdahls_law_is_found),
      cmocka_unit_test(a_serial_share_is_not_negative),
      cmocka_unit_test(one_number_of_workers_fits_nothing),
      cmocka_unit_test(numbers_that_no_rank_has_are_refused),
      cmocka_unit_test(no_parts_are_no_model),
      cmocka_unit_test(speed_up_and_efficiency),
      cmocka_unit_test(a_thousand_rounds_are_held_against_each_other),
      cmocka_unit_test(ranks_are_held_against_threads),
      cmocka_unit_test(ranks_on_cards_are_nodes_of_one_card),
      cmocka_unit_test(a_queue_of_blocks_is_simulated),
      cmocka_unit_test(runs_in_which_nothing_was_received_tell_nothing),
      cmocka_unit_test(every_number_of_ranks_is_held_against_the_model),
      cmocka_unit_test(slabs_are_cut_finer_for_more_nodes),
      cmocka_unit_test(steps_with_halos_are_simulated),
      cmocka_unit_test(without_several_ranks_there_is_no_model),
      cmocka_unit_test(the_command_line_is_checked),
      cmocka_unit_test(a_study_of_jobs),
      cmocka_unit_test(a_study_of_steps),
      cmocka_unit_test(a_study_has_a_folder_of_its_own),
      cmocka_unit_test(a_study_ends_at_an_interrupt),
      cmocka_unit_test(an_interrupt_ends_the_job),
      cmocka_unit_test(ranks_are_not_bound_to_one_cpu),
      cmocka_unit_test(ranks_on_cards_have_all_threads),
      cmocka_unit_test(a_job_that_fails_is_told),
  };
  return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
