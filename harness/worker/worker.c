#include "harness/worker/worker.h"

#include "harness/engine/arena.h"
#include "harness/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
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

static void take_problem(dcs_engine *engine, dcs_arena *arena, dcs_reply *reply) {
  reply->outcome = dcs_arena_map(arena) == DCS_OK
                       ? engine->problem(engine, &arena->problem, arena->map)
                       : DCS_OUTCOME_MEMORY;
}

/* Of the devices, in order. */
typedef struct {
  char uuids[DCS_MAX_DEVICES][sizeof((dcs_device_info *)NULL)->uuid];
  int n;
} cards;

/* Unknown where one of them is emulated. */
static dcs_telemetry telemetry_of(const cards *own) {
  dcs_telemetry t = dcs_telemetry_unknown();
  for (int d = 0; d < own->n; d++) {
    if (!own->uuids[d][0]) return dcs_telemetry_unknown();
    dcs_telemetry card = dcs_telemetry_read(own->uuids[d]);
    t = d == 0 ? card : dcs_telemetry_join(&t, &card);
  }
  return t;
}

static void run(dcs_engine *engine, const dcs_request *request, const dcs_arena *arena,
                const cards *own, dcs_reply *reply) {
  reply->outcome = engine->run(engine, request->slot, request->scope, request->memory,
                               request->inner, &reply->ns);
  if (reply->outcome != DCS_OUTCOME_OK) return;
  dcs_repair(arena->near, arena->n_near, dcs_variants[request->variant]->cutoff, arena->map);
  bool timed = request->scope != DCS_UNTIMED && request->scope != DCS_UNTIMED_WARM;
  if (timed) reply->telemetry = telemetry_of(own);
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

static void serve(dcs_engine *engine, const dcs_request *request, dcs_arena *arena,
                  const cards *own, dcs_reply *reply) {
  *reply = (dcs_reply){.telemetry = dcs_telemetry_unknown()};
  switch (request->op) {
  case DCS_DO_PROBLEM:
    take_problem(engine, arena, reply);
    break;
  case DCS_DO_PREPARE:
    reply->outcome = engine->prepare(engine, request->slot, dcs_variants[request->variant],
                                     &request->config, &reply->facts);
    break;
  case DCS_DO_RUN:
    run(engine, request, arena, own, reply);
    break;
  case DCS_DO_LIMITS:
    limits(engine, request->all, reply);
    break;
  }
  if (reply->outcome != DCS_OUTCOME_OK)
    snprintf(reply->message, sizeof reply->message, "%s", dcs_error_message());
  memcpy(reply->lost, engine->lost, sizeof reply->lost);
  engine->lost[0] = '\0';
}

static dcs_status open_engine(const char *device, const char *kernels, dcs_engine **engine,
                              dcs_reply *reply) {
  if (strcmp(device, "cpu") == 0) return dcs_engine_cpu_open(engine);
  DCS_TRY(dcs_engine_devices_open(device, kernels, engine));
  reply->n_cards = (*engine)->n_devices;
  for (int d = 0; d < reply->n_cards; d++)
    DCS_TRY((*engine)->devices[d]->info((*engine)->devices[d], &reply->cards[d]));
  return DCS_OK;
}

dcs_status dcs_worker(const char *device, const char *kernels) {
  dcs_arena arena = {.fd = DCS_WORKER_ARENA};
  dcs_engine *engine = NULL;
  dcs_reply reply = {0};
  dcs_request request;

  /* It lives exactly as long as its parent wants it: an interrupt from the keyboard is the
   * parent's. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);

  reply.status = open_engine(device, kernels, &engine, &reply);
  if (reply.status != DCS_OK)
    snprintf(reply.message, sizeof reply.message, "%s", dcs_error_message());
  cards own = {.n = reply.n_cards};
  for (int d = 0; d < own.n; d++)
    memcpy(own.uuids[d], reply.cards[d].uuid, sizeof own.uuids[d]);

  bool alive = write_all(DCS_WORKER_REPLIES, &reply, sizeof reply) && reply.status == DCS_OK;
  while (alive && read_all(DCS_WORKER_REQUESTS, &request, sizeof request)) {
    serve(engine, &request, &arena, &own, &reply);
    alive = write_all(DCS_WORKER_REPLIES, &reply, sizeof reply);
  }
  if (engine) engine->close(engine);
  return reply.status;
}
