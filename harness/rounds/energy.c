#include "harness/rounds/energy.h"

#include "harness/base/interrupt.h"
#include "harness/device/rapl.h"

#include <math.h>

/* A run is long beside the pause behind it, in which the counters are read; a part has many runs,
 * as each of its ends is off by up to one, and steps enough, of which a long run hides some. */
static const double RUN_NS = 2.5e7, LONG_PART_NS = 1e9, STILL_NS = 1e9;
enum { LEAST_STEPS = 4, LEAST_RUNS = 10, PARTS_OF_A_MEAN = 3, MOST_RESETS = 3 };

/* ---- parts ---- */

static void begin_part(dcs_energy_part *part) {
  part->began = true;
  part->start_j = part->counter_j;
  part->ns = part->outputs = 0;
  part->steps = part->runs = 0;
}

bool dcs_energy_take(dcs_energy_part *part, double counter_j, double ns, int64_t outputs,
                     dcs_spent *spent) {
  if (part->read > 0 && counter_j < part->counter_j) /* what it counted before is lost */
    *part = (dcs_energy_part){.idle_ns = part->idle_ns, .resets = part->resets + 1};
  const bool moved = part->read++ > 0 && counter_j != part->counter_j;
  part->counter_j = counter_j;
  part->ns += ns;
  part->outputs += (double)outputs;
  part->idle_ns = moved ? 0 : part->idle_ns + ns;
  part->runs++;
  part->steps += moved;
  if (!moved) return false;
  const bool whole = part->began && ((part->steps >= LEAST_STEPS && part->runs >= LEAST_RUNS) ||
                                     part->ns >= LONG_PART_NS);
  if (whole)
    *spent = (dcs_spent){part->ns / part->outputs, (counter_j - part->start_j) / part->outputs};
  if (whole || !part->began) begin_part(part);
  return whole;
}

/* ---- counters ---- */

/* The CPU's packages, summed up from run to run: their counters start again at 0. */
typedef struct {
  dcs_rapl last;
  double used_j;
} packages;

static double read_packages(packages *p) {
  const dcs_rapl now = dcs_rapl_read(DCS_RAPL_FOLDER);
  p->used_j += dcs_rapl_used_j(&p->last, &now);
  p->last = now;
  return p->used_j;
}

dcs_outcome dcs_measure_spent(const dcs_energy_method *m, double output_ns, int n, dcs_spent *parts,
                              int *got) {
  const int64_t outputs = (int64_t)ceil(RUN_NS / fmax(output_ns, 1));
  dcs_energy_part part = {0};
  packages cpu = {.last = dcs_rapl_read(DCS_RAPL_FOLDER)};
  *got = 0;
  if (m->scope == DCS_FIRST) return DCS_OUTCOME_OK;
  while (*got < n && part.idle_ns < STILL_NS && part.resets < MOST_RESETS && !dcs_interrupted()) {
    dcs_sample sample;
    dcs_outcome outcome =
        dcs_session_run_energy(m->session, m->slot, m->scope, m->memory, outputs, &sample);
    if (outcome != DCS_OUTCOME_OK) return outcome;
    const double counter_j =
        m->backend == DCS_CPU ? read_packages(&cpu) : sample.telemetry.energy_j;
    if (isnan(counter_j)) break;
    if (sample.continued || sample.fresh) part = (dcs_energy_part){0}; /* others' energy is in it */
    *got += dcs_energy_take(&part, counter_j, sample.ns, outputs, &parts[*got]);
  }
  return DCS_OUTCOME_OK;
}

dcs_outcome dcs_measure_energy(const dcs_energy_method *method, double output_ns, double *joules) {
  dcs_spent parts[PARTS_OF_A_MEAN];
  double sum = 0;
  int got;
  dcs_outcome outcome = dcs_measure_spent(method, output_ns, PARTS_OF_A_MEAN, parts, &got);
  for (int p = 0; p < got; p++)
    sum += parts[p].energy_j;
  *joules = got > 0 ? sum / got : NAN;
  return outcome;
}
