#include "harness/worker/worker.h"

#include "harness/base/interrupt.h"
#include "harness/engine/arena.h"
#include "harness/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Reads exactly `bytes`; false at the end of the pipe. */
static bool read_all(int fd, void *to, size_t bytes) {
  char *at = to;
  while (bytes > 0) {
    ssize_t got = read(fd, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const void *from, size_t bytes) {
  const char *at = from;
  while (bytes > 0) {
    ssize_t put = write(fd, at, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    bytes -= (size_t)put;
  }
  return true;
}

static void take(dcs_engine *engine, dcs_arena *arena, dcs_reply *reply) {
  reply->outcome = dcs_arena_map(arena) == DCS_OK
                       ? engine->take(engine, arena->kind, &arena->shape, arena->out)
                       : DCS_OUTCOME_MEMORY;
}

static dcs_telemetry telemetry_of(const dcs_engine *engine, bool energy) {
  dcs_telemetry t = dcs_telemetry_unknown();
  for (int d = 0; d < engine->n_devices; d++) {
    dcs_telemetry one = engine->devices[d]->telemetry(engine->devices[d], energy);
    t = d == 0 ? one : dcs_telemetry_join(&t, &one);
  }
  return t;
}

static void run(dcs_engine *engine, const dcs_request *request, const dcs_arena *arena,
                dcs_reply *reply) {
  const bool cpu = engine->n_devices == 0;
  const dcs_usage start = cpu ? dcs_usage_now() : (dcs_usage){0};
  reply->outcome = engine->run(engine, request->slot, request->scope, request->memory,
                               request->inner, &reply->ns);
  if (cpu) reply->usage = dcs_usage_since(&start);
  if (reply->outcome != DCS_OUTCOME_OK) return;
  dcs_apply_fixes(arena->fixes + request->problem * arena->n_fixes, arena->n_fixes, arena->map);
  if (dcs_is_timed(request->scope)) reply->telemetry = telemetry_of(engine, request->energy);
}

static void limits(const dcs_engine *engine, bool all, dcs_reply *reply) {
  dcs_status status = engine->n_devices == 0 ? dcs_measure_cpu(&reply->limits) : DCS_OK;
  for (int d = 0; status == DCS_OK && d < engine->n_devices; d++) {
    dcs_limits card;
    status = dcs_measure_device(engine->devices[d], all, &card);
    if (status == DCS_OK) dcs_limits_join(&reply->limits, &card);
  }
  reply->outcome = status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

static dcs_status read_facts(const dcs_engine *engine, dcs_device_facts *facts) {
  for (int d = 0; d < engine->n_devices; d++)
    DCS_TRY(dcs_device_read_facts(engine->devices[d], &facts[d]));
  return DCS_OK;
}

static void serve(dcs_engine *engine, const dcs_request *request, dcs_arena *arena,
                  dcs_device_facts *facts, dcs_reply *reply) {
  const int continues = dcs_continues();
  *reply = (dcs_reply){.telemetry = dcs_telemetry_unknown()};
  switch (request->op) {
  case DCS_DO_TAKE:
    take(engine, arena, reply);
    break;
  case DCS_DO_PREPARE:
    reply->outcome =
        engine->prepare(engine, request->slot, &arena->configs[request->problem],
                        dcs_variants[request->variant], &request->config, &reply->facts);
    break;
  case DCS_DO_RUN:
    run(engine, request, arena, reply);
    break;
  case DCS_DO_LIMITS:
    limits(engine, request->all, reply);
    break;
  case DCS_DO_FACTS:
    reply->outcome = read_facts(engine, facts) == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
    break;
  }
  reply->continued = dcs_continues() != continues;
  reply->unstarted = reply->outcome == DCS_OUTCOME_MEMORY && dcs_wanted();
  if (reply->outcome != DCS_OUTCOME_OK)
    snprintf(reply->message, sizeof reply->message, "%s", dcs_error_message());
  memcpy(reply->lost, engine->lost, sizeof reply->lost);
  engine->lost[0] = '\0';
}

static dcs_status open_engine(const char *device, const char *kernels, dcs_engine **engine,
                              dcs_reply *reply) {
  if (strcmp(device, "cpu") == 0) return dcs_engine_cpu_open(true, engine);
  DCS_TRY(dcs_engine_devices_open(device, kernels, engine));
  reply->n_cards = (*engine)->n_devices;
  for (int d = 0; d < reply->n_cards; d++)
    DCS_TRY((*engine)->devices[d]->info((*engine)->devices[d], &reply->cards[d]));
  return DCS_OK;
}

/* The reply, and the facts behind it where they were asked for. */
static bool answer(const dcs_request *request, const dcs_reply *reply,
                   const dcs_device_facts *facts, int n) {
  const bool more = request->op == DCS_DO_FACTS && reply->outcome == DCS_OUTCOME_OK;
  return write_all(DCS_WORKER_REPLIES, reply, sizeof *reply) &&
         (!more || write_all(DCS_WORKER_REPLIES, facts, (size_t)n * sizeof *facts));
}

dcs_status dcs_worker_refuse(dcs_status status) {
  dcs_reply reply = {.status = status};
  snprintf(reply.message, sizeof reply.message, "%s", dcs_error_message());
  (void)write_all(DCS_WORKER_REPLIES, &reply, sizeof reply);
  return status;
}

/* The worker serves requests; the kernel of this one comes from outside. */
static bool serving, foreign;

/* Of a folder of kernels those of devices are, whatever their name. */
static bool is_foreign(const dcs_request *request, const dcs_engine *engine, const char *kernels) {
  if (request->op != DCS_DO_PREPARE && request->op != DCS_DO_RUN) return false;
  return dcs_variants[request->variant]->outside || (kernels && *kernels && engine->n_devices > 0);
}

/* What ends the process here is a library, as OpenMP's runtime does where it cannot start a thread;
 * no kernel of this program does, but one from outside may. The request is answered with that. */
static void tell_end(void) {
  static dcs_reply reply;
  if (!serving) return;
  reply.outcome = foreign ? DCS_OUTCOME_CRASH : DCS_OUTCOME_MEMORY;
  reply.unstarted = !foreign;
  snprintf(reply.message, sizeof reply.message, "%s",
           foreign ? "the kernel, or a library, ended the worker"
                   : "a library ended the worker, as OpenMP's does where it cannot start a thread");
  (void)write_all(DCS_WORKER_REPLIES, &reply, sizeof reply);
}

dcs_status dcs_worker(const char *device, const char *kernels) {
  dcs_arena arena = {.fd = DCS_WORKER_ARENA};
  dcs_engine *engine = NULL;
  dcs_reply reply = {0};
  dcs_request request;
  dcs_device_facts facts[DCS_MAX_DEVICES];

  /* It lives exactly as long as its parent wants it: an interrupt, which often goes to a whole
   * group of processes, is the parent's. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  dcs_continues_count();
  serving = atexit(tell_end) == 0;

  reply.status = open_engine(device, kernels && *kernels ? kernels : NULL, &engine, &reply);
  if (reply.status != DCS_OK)
    snprintf(reply.message, sizeof reply.message, "%s", dcs_error_message());

  bool alive = write_all(DCS_WORKER_REPLIES, &reply, sizeof reply) && reply.status == DCS_OK;
  while (alive && read_all(DCS_WORKER_REQUESTS, &request, sizeof request)) {
    foreign = is_foreign(&request, engine, kernels);
    serve(engine, &request, &arena, facts, &reply);
    foreign = false;
    alive = answer(&request, &reply, facts, engine->n_devices);
  }
  serving = false;
  if (engine) engine->close(engine);
  return reply.status;
}
