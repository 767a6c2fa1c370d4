/* Journals that a test writes: a generated space with a known optimum and noise. Include after
 * cmocka.h. */
#ifndef DCS_TEST_WRITTEN_JOURNAL_H
#define DCS_TEST_WRITTEN_JOURNAL_H

#include "tests/program.h"
#include "tuning/journal/journal.h"
#include "tuning/search/space.h"

#include <math.h>

/* Times that are least at one configuration and grow away from it, in each parameter by another
 * amount; with a ridge (two parameters that want a fixed product) and noise of `scatter`. */
typedef struct {
  const char *variant;
  dcs_dims n;
  int64_t atoms;
  double scatter;
  int samples;
  int fails_every; /* each such configuration fails to launch; 0: none */
  uint64_t seed;
  const char *problem; /* as problem_config; NULL: the initial one */
  const char *config;  /* the part of the space that is recorded; NULL: all of it */
  dcs_outcome outcome; /* of those that do not fail to launch */
} written_space;

enum { WRITTEN_WORK = 123456789 };

static inline dcs_subject written_subject(const written_space *w) {
  dcs_subject s = {.variant = dcs_find_variant(w->variant),
                   .scope = DCS_KERNEL,
                   .size = {.axes = {w->atoms, w->n.x, w->n.y, w->n.z}},
                   .spacing = 0.5,
                   .work = WRITTEN_WORK,
                   .machine = "Generated \"card\", 1",
                   .capability = "9.0",
                   .units = 100,
                   .kernel_hash = "0123456789abcdef"};
  assert_non_null(s.variant);
  s.size.kind = dcs_kind_of(s.variant);
  assert_int_equal(dcs_parse_problem(s.size.kind, w->problem, &s.size.config), DCS_OK);
  return s;
}

static inline double written_truth(const dcs_space *space, int config) {
  static const double weight[DCS_MAX_PARAMS] = {0.10, 0.07, 0.2, 0.02, 0.01, 0.005, 0.03, 0.02};
  const int *at = space->position[config];
  double log_time = 0;
  for (int p = 0; p < space->variant->n_params; p++) {
    int ideal = space->n_values[p] > 2 ? space->n_values[p] - 2 : 0;
    log_time += weight[p] * abs(at[p] - ideal);
  }
  log_time += 0.05 * abs(at[0] + at[1] - 3); /* the ridge */
  return 1e6 * exp(log_time);
}

static inline void written_evaluation(const written_space *w, const dcs_space *space, int c,
                                      dcs_random *random, dcs_evaluation *e) {
  *e = (dcs_evaluation){.registers = 20 + c % 7, .compile_ms = 70, .error = NAN};
  if (w->fails_every && c % w->fails_every == 1) {
    e->outcome = DCS_OUTCOME_LAUNCH;
    return;
  }
  e->outcome = w->outcome;
  for (int i = 0; dcs_outcome_has_times(w->outcome) && i < w->samples; i++) {
    double noise = dcs_random_unit(random) + dcs_random_unit(random) - 1;
    double time = written_truth(space, c) * (1 + w->scatter * noise);
    assert_int_equal(dcs_evaluation_add(e, &time, 1), DCS_OK);
  }
}

/* Appends every configuration of the space; leaves the space to the caller, who frees it. */
static inline void put_journal(const char *path, const written_space *w, dcs_space *space) {
  dcs_random random = {w->seed};
  dcs_journal_writer writer;
  dcs_subject subject = written_subject(w);
  const dcs_problem problem = dcs_subject_problem(&subject);
  assert_int_equal(dcs_space_build(subject.variant, w->config, &problem, 2, space), DCS_OK);
  if (dcs_journal_open(path, &writer) != DCS_OK) fail_msg("%s", dcs_error_message());
  writer.subject = subject;
  writer.strategy = "exhaustive";
  for (int c = 0; c < space->n; c++) {
    dcs_evaluation e;
    written_evaluation(w, space, c, &random, &e);
    dcs_journal_row row = {.config = &space->configs[c],
                           .evaluation = &e,
                           .inner = 1,
                           .spent_s = 0.1,
                           .why = e.outcome == DCS_OUTCOME_OK ? "" : "planted, with a \"quote\""};
    assert_int_equal(dcs_journal_write(&writer, &row), DCS_OK);
    free(e.times);
  }
  assert_int_equal(dcs_journal_close(&writer), DCS_OK);
}

static const written_space padded_space = {"cuda_padded", {100, 90, 80}, 3000, 0.01, 9, 11, 5,
                                           NULL,          NULL};

#endif
