/* Cases of forces: what is right of them, and the CPU variant held against it. Include after
 * cmocka.h. */
#ifndef DCS_TEST_FORCES_CASE_H
#define DCS_TEST_FORCES_CASE_H

#include "harness/judge/oracle.h"
#include "kernels/forces/forces.h"
#include "tests/run_folder.h"

enum { GUARD = 64, N_ISAS = 3 };

#define K 332.0636

static const dcs_kind *kind;
static const dcs_variant *cpu;
static const dcs_grid none;

static inline int find_entries(void **state) {
  kind = dcs_find_kind("forces");
  cpu = dcs_find_variant("cpu_forces");
  return kind && cpu ? program_setup(state) : -1;
}

static inline dcs_config posed(const char *text) {
  dcs_config problem;
  if (dcs_parse_problem(kind, text, &problem) != DCS_OK) fail_msg("%s", dcs_error_message());
  return problem;
}

static inline void assert_near(double found, double expected, double off) {
  if (!(fabs(found - expected) <= off)) fail_msg("found %.15g, expected %.15g", found, expected);
}

/* Component k of atom i, 3: its energy. */
static inline double right(const dcs_case *c, int64_t i, int k) {
  return kind->buffers[DCS_FORCES_OUT]
      .reference(c, DCS_FORCES_OUT, 4 * i + k, dcs_case_largest(c))
      .v;
}

static inline double energy_of(const dcs_case *c) {
  double energy = 0;
  for (int64_t i = 0; i < c->n_sites; i++)
    energy += right(c, i, 3);
  return energy;
}

/* Computes into NaN, between guard words that must survive; false: the machine lacks it. */
static inline bool compute(const dcs_case *c, int threads, int isa, float *forces) {
  const int most = (int)cpu->params[0].hi;
  const dcs_config config = {{threads < most ? threads : most, isa, 40}};
  char why[DCS_TEXT];
  if (!dcs_applicable(cpu, &c->problem, &config, why)) return false;
  const size_t n = 4 * (size_t)c->n_sites;
  float *whole = malloc((n + 2 * GUARD) * sizeof *whole);
  assert_non_null(whole);
  for (size_t i = 0; i < n + 2 * GUARD; i++)
    whole[i] = i < GUARD || i >= GUARD + n ? 7 : NAN;
  void *out[DCS_MAX_BUFFERS] = {[DCS_FORCES_OUT] = whole + GUARD};
  assert_true(cpu->compute(&c->problem, &config, out));
  for (size_t i = 0; i < GUARD; i++)
    assert_true(whole[i] == 7 && whole[GUARD + n + i] == 7);
  memcpy(forces, whole + GUARD, n * sizeof *forces);
  free(whole);
  return true;
}

static inline dcs_reference reference_of(const dcs_case *c) {
  dcs_reference reference;
  assert_int_equal(dcs_oracle(c, INT64_C(1) << 40, &reference), DCS_OK);
  return reference;
}

/* To within what is accepted; returns how far all are off together, at most. */
static inline double check_all(const dcs_case *c, int threads) {
  double most = 0;
  dcs_reference reference = reference_of(c);
  float *forces = malloc(4 * (size_t)c->n_sites * sizeof *forces);
  assert_non_null(forces);
  for (int isa = 0; isa < N_ISAS; isa++) {
    if (!compute(c, threads, isa, forces)) continue;
    const dcs_verdict verdict = dcs_check(&reference, forces, c->n_sites);
    if (!verdict.accepted)
      fail_msg("isa %d, %d atoms, value %d: found %.9g, expected %.9g", isa, (int)c->n_sites,
               (int)verdict.worst, verdict.found, verdict.expected);
    most = fmax(most, verdict.rel_l2);
  }
  free(forces);
  dcs_reference_free(&reference);
  return most;
}

#endif
