#include "harness/compute/worker.h"

#include "harness/compute/arena.h"
#include "harness/compute/engine.h"

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

static void run(dcs_engine *engine, const dcs_request *request, const dcs_arena *arena,
                const char *uuid, dcs_reply *reply) {
  reply->outcome = engine->run(engine, request->slot, request->scope, request->memory,
                               request->inner, &reply->ns);
  if (reply->outcome != DCS_OUTCOME_OK) return;
  dcs_repair(arena->near, arena->n_near, arena->map);
  bool timed = request->scope != DCS_UNTIMED && request->scope != DCS_UNTIMED_WARM;
  if (timed && uuid[0]) reply->telemetry = dcs_telemetry_read(uuid);
}

static void limits(const dcs_engine *engine, bool all, dcs_reply *reply) {
  dcs_status status = engine->device ? dcs_measure_device(engine->device, all, &reply->limits)
                                     : dcs_measure_cpu(&reply->limits);
  reply->outcome = status == DCS_OK ? DCS_OUTCOME_OK : DCS_OUTCOME_LAUNCH;
}

static void serve(dcs_engine *engine, const dcs_request *request, dcs_arena *arena,
                  const char *uuid, dcs_reply *reply) {
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
    run(engine, request, arena, uuid, reply);
    break;
  case DCS_DO_LIMITS:
    limits(engine, request->all, reply);
    break;
  }
  if (reply->outcome != DCS_OUTCOME_OK)
    snprintf(reply->message, sizeof reply->message, "%s", dcs_error_message());
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

  reply.status = strcmp(device, "cpu") == 0 ? dcs_engine_cpu_open(&engine)
                                            : dcs_engine_device_open(device, kernels, &engine);
  if (reply.status == DCS_OK && engine->device)
    reply.status = engine->device->info(engine->device, &reply.info);
  if (reply.status != DCS_OK)
    snprintf(reply.message, sizeof reply.message, "%s", dcs_error_message());
  char uuid[sizeof reply.info.uuid];
  memcpy(uuid, reply.info.uuid, sizeof uuid);

  bool alive = write_all(DCS_WORKER_REPLIES, &reply, sizeof reply) && reply.status == DCS_OK;
  while (alive && read_all(DCS_WORKER_REQUESTS, &request, sizeof request)) {
    serve(engine, &request, &arena, uuid, &reply);
    alive = write_all(DCS_WORKER_REPLIES, &reply, sizeof reply);
  }
  if (engine) engine->close(engine);
  return reply.status;
}
