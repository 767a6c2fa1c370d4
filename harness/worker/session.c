#include "harness/worker/session.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/worker/ask.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

dcs_outcome dcs_session_open(const dcs_session_options *options, dcs_arena *arena,
                             dcs_session **out, bool *killed) {
  dcs_session *session = calloc(1, sizeof *session);
  dcs_outcome outcome;
  int kills = 0;
  *killed = false;
  if (!session) {
    (void)dcs_fail(DCS_UNAVAILABLE, "no memory for a session");
    return DCS_OUTCOME_MEMORY;
  }
  session->options = *options;
  session->arena = arena;
  signal(SIGPIPE, SIG_IGN); /* a dead worker shows as an error of write() */
  do
    outcome = dcs_begin_worker(session);
  while (dcs_ask_again(session, &outcome, &kills));
  *killed = outcome != DCS_OUTCOME_OK && dcs_session_was_killed(session);
  if (outcome != DCS_OUTCOME_OK)
    free(session);
  else
    *out = session;
  return outcome;
}

void dcs_session_close(dcs_session *session) {
  if (!session) return;
  dcs_worker_stop(&session->worker, false);
  free(session->slots);
  free(session);
}

const dcs_device_info *dcs_session_devices(const dcs_session *session, int *n) {
  *n = session->n_devices;
  return session->devices;
}

void dcs_session_take_lost(dcs_session *session, char lost[2 * DCS_TEXT]) {
  memcpy(lost, session->lost, sizeof session->lost);
  session->lost[0] = '\0';
}

void dcs_session_restart(dcs_session *session) {
  dcs_worker_stop(&session->worker, false);
  session->restarted = true;
}

int dcs_session_replaced(const dcs_session *session) {
  return session->replaced;
}

void dcs_session_new_problem(dcs_session *session) {
  session->announced = false;
  session->n_slots = 0;
}

static dcs_outcome announce(dcs_session *session) {
  dcs_reply reply;
  if (session->worker.pid != 0 && session->announced) return DCS_OUTCOME_OK;
  dcs_outcome outcome = dcs_ask(session, &(dcs_request){.op = DCS_DO_TAKE}, &reply);
  session->announced = outcome == DCS_OUTCOME_OK;
  return outcome;
}

static dcs_request prepare_request(const dcs_session *session, int slot) {
  return (dcs_request){.op = DCS_DO_PREPARE,
                       .slot = slot,
                       .problem = session->slots[slot].problem,
                       .variant = session->slots[slot].variant,
                       .config = session->slots[slot].config};
}

static dcs_outcome try_ready(dcs_session *session, int slot, dcs_code_facts *facts) {
  dcs_outcome outcome = announce(session);
  if (outcome != DCS_OUTCOME_OK || session->slots[slot].ready) return outcome;
  dcs_request request = prepare_request(session, slot);
  dcs_reply reply;
  outcome = dcs_outcome_of_preparing(session, &request, dcs_ask(session, &request, &reply));
  session->slots[slot].ready = outcome == DCS_OUTCOME_OK;
  if (facts && outcome == DCS_OUTCOME_OK) *facts = reply.facts;
  return outcome;
}

static dcs_outcome make_ready(dcs_session *session, int slot, dcs_code_facts *facts) {
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = try_ready(session, slot, facts);
  while (dcs_ask_again(session, &outcome, &kills));
  return outcome;
}

bool dcs_session_flushes(const dcs_session *session) {
  return session->arena->kind->cold;
}

dcs_outcome dcs_session_prepare(dcs_session *session, int problem, const dcs_variant *variant,
                                const dcs_config *config, int *slot, dcs_code_facts *facts) {
  if (dcs_grow(&session->slots, (size_t)session->n_slots, sizeof *session->slots, "methods") !=
      DCS_OK)
    return DCS_OUTCOME_MEMORY;
  int index = 0;
  while (dcs_variants[index] != variant)
    index++;
  *slot = session->n_slots++;
  session->slots[*slot] = (dcs_slot){.problem = problem, .variant = index, .config = *config};
  return make_ready(session, *slot, facts);
}

static dcs_outcome run_ready(dcs_session *session, const dcs_request *request, dcs_sample *sample) {
  dcs_reply reply;
  const int continues = dcs_continues();
  dcs_outcome outcome = try_ready(session, request->slot, NULL);
  if (outcome == DCS_OUTCOME_OK) outcome = dcs_ask(session, request, &reply);
  if (outcome != DCS_OUTCOME_OK) return outcome;
  unsigned *cold = &session->slots[request->slot].cold[request->memory];
  *sample = (dcs_sample){reply.ns, reply.telemetry, reply.usage,
                         reply.continued || dcs_continues() != continues, *cold & request->scope};
  *cold &= ~(unsigned)request->scope;
  return outcome;
}

static dcs_outcome run(dcs_session *session, dcs_request request, dcs_sample *sample) {
  dcs_outcome outcome;
  int kills = 0;
  request.op = DCS_DO_RUN;
  request.problem = session->slots[request.slot].problem;
  request.variant = session->slots[request.slot].variant;
  do
    outcome = run_ready(session, &request, sample);
  while (dcs_ask_again(session, &outcome, &kills));
  return outcome;
}

dcs_outcome dcs_session_run(dcs_session *session, int slot, dcs_scope scope, dcs_memory memory,
                            int64_t inner, dcs_sample *sample) {
  return run(session, (dcs_request){.slot = slot, .scope = scope, .memory = memory, .inner = inner},
             sample);
}

dcs_outcome dcs_session_run_energy(dcs_session *session, int slot, dcs_scope scope,
                                   dcs_memory memory, int64_t inner, dcs_sample *sample) {
  return run(
      session,
      (dcs_request){.slot = slot, .scope = scope, .memory = memory, .inner = inner, .energy = true},
      sample);
}

dcs_outcome dcs_session_first(dcs_session *session, int slot, dcs_memory memory,
                              dcs_sample *sample) {
  dcs_request prepare = prepare_request(session, slot);
  prepare.slot = 0; /* in the fresh worker the method is its first */
  const dcs_request requests[] = {{.op = DCS_DO_TAKE},
                                  prepare,
                                  {.op = DCS_DO_RUN,
                                   .problem = prepare.problem,
                                   .variant = prepare.variant,
                                   .scope = DCS_WARM,
                                   .memory = memory,
                                   .inner = 1}};
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = dcs_ask_fresh(session, requests, 3, sample);
  while (dcs_ask_again(session, &outcome, &kills));
  return outcome;
}

dcs_outcome dcs_session_limits(dcs_session *session, bool all, dcs_limits *limits) {
  const dcs_request request = {.op = DCS_DO_LIMITS, .all = all};
  dcs_reply reply;
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = dcs_ask(session, &request, &reply);
  while (dcs_ask_again(session, &outcome, &kills) ||
         (outcome == DCS_OUTCOME_OK && reply.continued));
  if (outcome == DCS_OUTCOME_OK) *limits = reply.limits;
  return outcome;
}

dcs_outcome dcs_session_start_ns(dcs_session *session, double *ns) {
  dcs_sample sample = {0};
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = dcs_ask_fresh(session, NULL, 0, &sample);
  while (dcs_ask_again(session, &outcome, &kills) ||
         (outcome == DCS_OUTCOME_OK && sample.continued));
  *ns = sample.ns;
  return outcome;
}

dcs_outcome dcs_session_facts(dcs_session *session, dcs_device_facts facts[DCS_MAX_DEVICES],
                              int *n) {
  dcs_outcome outcome;
  int kills = 0;
  do
    outcome = dcs_ask_facts(session, facts, n);
  while (dcs_ask_again(session, &outcome, &kills));
  return outcome;
}
